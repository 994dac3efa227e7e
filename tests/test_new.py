"""`catalog-api new`: a short page to begin with, and the page that lists it."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from mkdocs_catalog_api.items.collections import COLLECTIONS, ITEM_MODELS

from .authors import REQUIRED, configure, told
from .fake_registry import FakeRegistry
from .sites import SiteFolder, run
from .syncing import invoke, problems
from .test_cli import tree

KINDS = pytest.mark.parametrize(
    ("kind", "resource"), [(COLLECTIONS[name].stem.lower(), name) for name in ITEM_MODELS]
)


NAME = "NGINX: the #1 / (Ingress)"


@pytest.mark.parametrize("settings", ["", 'registry: a.b\nimages: {pages: "other/*.md"}'])
@KINDS
def test_a_new_page_passes(site: SiteFolder, kind: str, resource: str, settings: str) -> None:
    configure(site, settings or "registry: ghcr.io/acme")
    if settings:  # and the new page is elsewhere
        site.page("other/a.md", f"{REQUIRED}\nimage: a.b/c")
    assert invoke(site, "new", kind, NAME).exit_code == 0
    page = site.folder / f"docs/{resource}/nginx-the-1-ingress.md"
    elsewhere = "catalog: images\n" if settings and kind == "image" else ""
    assert page.read_text("utf-8") == f"---\n{elsewhere}name: '{NAME}'\n---\n"
    built = invoke(site, "build", "--strict")
    assert built.exit_code == 0, built.stderr
    *_, item = json.loads((site.folder / f"site/api/v1/{resource}.json").read_bytes())["data"]
    assert (item["name"], item["slug"]) == (NAME, "nginx-the-1-ingress")


def test_the_first_page_of_a_folder_comes_with_the_list(site: SiteFolder) -> None:
    configure(site)
    result = invoke(site, "new", "image", "redis", "nginx")
    written = [line.rpartition("docs/")[2] for line in result.stdout.splitlines()]
    assert written == [f"images/{name}.md" for name in ("index", "redis", "nginx")]
    rendered = run(site.folder / "mkdocs.yml", strict=True)
    assert not rendered.failed, rendered.logged()
    assert 'href="nginx/"' in (site.folder / "site/images/index.html").read_text("utf-8")
    (site.folder / "docs/images/index.md").unlink()
    assert "index.md" not in invoke(site, "new", "image", "more").stdout
    invoke(site, "new", "chart", "web")
    assert "<!-- catalog: charts -->" in (site.folder / "docs/charts/index.md").read_text("utf-8")


def test_without_a_registry_no_image_is_made_up(site: SiteFolder) -> None:
    """A reference that is only an example would leave the image without any scan, and nobody would know."""
    configure(site, "web: true")
    result = invoke(site, "new", "image", "nginx")
    assert result.exit_code == 0 and "`registry`" in result.stderr
    ((code, _, _, field),) = problems(invoke(site, "check", "--json"))
    assert (code, field) == ("CAT011", "catalog-api.registry")
    assert invoke(site, "new", "chart", "web").stderr == ""


def test_a_new_page_has_a_line_for_what_the_catalog_requires(site: SiteFolder) -> None:
    rules = "{tier: {values: [core, standard], required: true}, license: {required: true}, port: integer}"
    configure(site, f"registry: a.b/c\nimages: {{fields: {rules}, defaults: {{license: MIT}}}}")
    assert invoke(site, "new", "image", "nginx").exit_code == 0
    text = (site.folder / "docs/images/nginx.md").read_text("utf-8")
    assert text == "---\nname: nginx\ntier:  # core, standard\n---\n"
    refused, (problem,) = told(site)
    assert refused and "tier: missing required field" in problem


@pytest.mark.parametrize(
    ("settings", "name", "said"),
    [
        ("web: true", "nginx", "docs/images/nginx.md: already exists"),
        ("web: true", "---", "turned into a slug"),
        ("registri: a.b/c", "redis", "mkdocs.yml:6:7: catalog-api.registri: unknown setting"),
        *(("web: true", name, "[CAT012]") for name in ("a.b/c:8.2.1", "http://a.b/c", "a.b/c/", "a.b/UPPER")),
    ],
)
def test_what_can_not_be_begun(site: SiteFolder, settings: str, name: str, said: str) -> None:
    configure(site, settings)
    site.write("docs/images/nginx.md", "mine")
    before = tree(site.folder)
    result = invoke(site, "new", "image", "--", name)
    assert result.exit_code == 1 and said in result.stderr
    assert tree(site.folder) == before


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(), "OSError"),
        (OSError("the mount is gone"), "the mount is gone"),
        (OSError(errno.ENOSPC, None), "No space left on device"),
        (OSError(errno.EIO, "broken", "nginx.md"), "broken"),
    ],
)
def test_a_page_that_can_not_be_written_is_told_with_a_reason(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, error: OSError, why: str
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    configure(site)
    monkeypatch.setattr(Path, "mkdir", failing)
    first, *_ = invoke(site, "new", "image", "nginx").stderr.splitlines()
    assert first == f"error: docs/images/nginx.md: can't be written: {why} [CAT071]"


# References, which `sync` completes


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with FakeRegistry().running() as fake:
        labels = {"org.opencontainers.image.description": "A store: #1."}
        fake.image("acme/redis", "8.2.1", "8.2", "latest", labels=labels)
        fake.chart("charts/web", "1.2.0+7")
        yield fake


@pytest.mark.parametrize(
    ("settings", "kind", "written"),
    [
        ("registry: HOST/other", "image", {"name", "image", "versions"}),
        ("registry: HOST/acme", "image", {"name", "versions"}),
        ("images: {defaults: [{pages: i*/*, values: {versions: registry}}]}", "image", {"name", "image"}),
        ("web: true", "chart", {"name", "chart", "versions"}),
    ],
)
def test_sync_completes_the_page_of_a_reference(
    site: SiteFolder, registry: FakeRegistry, settings: str, kind: str, written: set[str]
) -> None:
    configure(site, settings.replace("HOST", registry.host))
    path = {"image": "images/redis", "chart": "charts/web"}[kind]
    reference = f"{registry.host}/acme/redis" if kind == "image" else f"oci://{registry.host}/{path}"
    assert invoke(site, "new", kind, reference).exit_code == 0
    page = (site.folder / f"docs/{path}.md").read_text("utf-8")
    assert registry.asked == [] and {*yaml.safe_load(page.split("---\n")[1])} == written
    assert invoke(site, "sync").exit_code == 0
    built = invoke(site, "build", "--strict")
    assert built.exit_code == 0, built.output
    item = json.loads((site.folder / f"site/api/v1/{path}/index.json").read_bytes())["data"]
    assert (item[kind], item["description"]) == (reference, "A store: #1." if kind == "image" else None)
    assert [version["version"] for version in item["versions"]] == ["8.2.1" if kind == "image" else "1.2.0+7"]


def test_one_failing_image_does_not_stop_the_others(site: SiteFolder, registry: FakeRegistry) -> None:
    registry.artifact("acme/cache", {}, "application/vnd.buildkit.cacheconfig.v0", "1.0")
    configure(site, f"registry: {registry.host}/acme")
    names = [f"{registry.host}/{name}" for name in ("acme/cache", "acme/none", "acme/redis", "charts/web")]
    assert invoke(site, "new", "image", *names).exit_code == 0
    result = invoke(site, "sync")
    assert result.exit_code == 1
    cache, none, chart = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert "docs/images/none.md" in none and "404" in none
    assert "docs/images/cache.md" in cache and "belongs to an image (delete this page)" in cache
    assert f"docs/images/web.md:3:1: image: {names[3]} is a Helm chart" in chart
    assert f"`catalog-api new chart oci://{names[3]}`" in chart
    # Only the one that may be there, but can't be read, is an error of the build.
    (site.folder / "docs/images/none.md").unlink()
    assert [told[:2] for told in problems(invoke(site, "build", "--json"))] == [
        ("CAT083", f"docs/images/{name}.md") for name in ("cache", "web")
    ]


def test_a_name_that_another_repository_has_gets_more_of_its_path(site: SiteFolder) -> None:
    configure(site, "registry: ghcr.io/acme")
    names = [f"ghcr.io/acme/{name}" for name in ("api/server", "web/server", "server")]
    for word in ("wrote", "kept"):
        result = invoke(site, "new", "image", *names)
        written = [line for line in result.stdout.splitlines() if "index.md" not in line]
        pages = ["server", "web-server", "acme-server"]
        assert result.exit_code == 0 and [line.startswith(word) for line in written] == [True] * 3
        assert [f"/docs/images/{name}.md" in line for name, line in zip(pages, written, strict=True)] == [
            True
        ] * 3
    text = (site.folder / "docs/images/web-server.md").read_text("utf-8")
    assert yaml.safe_load(text.split("---")[1])["image"] == names[1]


def test_a_classic_repository_is_no_chart(site: SiteFolder) -> None:
    configure(site)
    result = invoke(site, "new", "chart", "https://charts.example.org/stable")
    assert result.exit_code == 1 and "`chart: https://charts.example.org/stable`" in result.stderr
    assert not (site.folder / "docs/charts").exists()
