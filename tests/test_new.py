"""`catalog-api new`: a short page to begin with, and the page that lists it."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.authored.yaml_text import parse
from mkdocs_catalog_api.catalog.collections import COLLECTIONS, ITEM_MODELS

from .authors import REQUIRED, configure, told
from .fake_registry import FakeRegistry
from .sites import SiteFolder, run
from .syncing import invoke
from .test_cli import call, tree

KINDS = [(COLLECTIONS[name].stem.lower(), name) for name in ITEM_MODELS]


@pytest.mark.parametrize("settings", ["", 'registry: a.b\nimages: {pages: "other/*.md"}'])
@pytest.mark.parametrize(("kind", "resource"), KINDS)
def test_a_new_page_passes(site: SiteFolder, kind: str, resource: str, settings: str) -> None:
    configure(site, settings or "registry: ghcr.io/acme")
    if settings:  # and the new page is elsewhere
        site.page("other/a.md", f"{REQUIRED}\nimage: a.b/c")
    config = site.folder / "mkdocs.yml"
    assert call("new", kind, "NGINX: the #1 (Ingress)", "-f", config).exit_code == 0
    page = site.folder / f"docs/{resource}/nginx-the-1-ingress.md"
    elsewhere = "catalog: images\n" if settings and kind == "image" else ""
    assert page.read_text("utf-8") == f"---\n{elsewhere}name: 'NGINX: the #1 (Ingress)'\n---\n"
    checked = call("build", "--strict", "-f", config)
    assert checked.exit_code == 0, checked.stderr
    *_, item = json.loads((site.folder / f"site/api/v1/{resource}.json").read_bytes())["data"]
    assert (item["name"], item["slug"]) == ("NGINX: the #1 (Ingress)", "nginx-the-1-ingress")
    assert (item["category"], item["categories"], item["tier"], item["license"]) == (None, [], None, None)


@pytest.mark.parametrize(("kind", "resource"), KINDS)
def test_the_first_page_of_a_folder_comes_with_the_list(site: SiteFolder, kind: str, resource: str) -> None:
    configure(site)
    config, page = site.folder / "mkdocs.yml", site.folder / f"docs/{resource}/index.md"
    result = call("new", kind, "redis", "nginx", "-f", config)
    assert [line.rpartition("docs/")[2] for line in result.stdout.splitlines()] == [
        f"{resource}/index.md",
        f"{resource}/redis.md",
        f"{resource}/nginx.md",
    ]
    assert f"<!-- catalog: {resource} -->" in page.read_text("utf-8")
    site_result = run(config, strict=True)
    assert not site_result.failed, site_result.logged()
    html = (site.folder / f"site/{resource}/index.html").read_text("utf-8")
    assert "../images/nginx/" in html or 'href="nginx/"' in html or f"{resource}/nginx/" in html
    page.unlink()
    assert "index.md" not in call("new", kind, "more", "-f", config).stdout


def test_without_a_registry_no_image_is_made_up(site: SiteFolder) -> None:
    """A reference that is only an example would leave the image without any scan, and nobody would know."""
    configure(site, "web: true")
    config = site.folder / "mkdocs.yml"
    result = call("new", "image", "nginx", "-f", config)
    assert result.exit_code == 0 and "`registry`" in result.stderr
    (problem,) = json.loads(call("check", "--json", "-f", config).stdout)["problems"]
    assert (problem["code"], problem["field"]) == ("CAT011", "image")
    assert call("new", "chart", "web", "-f", config).stderr == ""


def test_a_new_page_has_a_line_for_what_the_catalog_requires(site: SiteFolder) -> None:
    rules = "{tier: {values: [core, standard], required: true}, license: {required: true}, port: integer}"
    configure(site, f"registry: a.b/c\nimages: {{fields: {rules}, defaults: {{license: MIT}}}}")
    assert call("new", "image", "nginx", "-f", site.folder / "mkdocs.yml").exit_code == 0
    text = (site.folder / "docs/images/nginx.md").read_text("utf-8")
    assert text == "---\nname: nginx\ntier:  # core, standard\n---\n"
    refused, (problem,) = told(site)
    assert refused and "tier: missing required field" in problem


@pytest.mark.parametrize(
    ("name", "said"),
    [("nginx", "docs/images/nginx.md: already exists"), ("---", "is not a name that makes a slug")],
)
def test_what_can_not_be_begun_is_told_and_nothing_is_written(site: SiteFolder, name: str, said: str) -> None:
    configure(site)
    site.write("docs/images/nginx.md", "mine")
    before = tree(site.folder)
    result = call("new", "image", "-f", site.folder / "mkdocs.yml", "--", name)
    assert result.exit_code == 1 and said in result.stderr
    assert tree(site.folder) == before


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(), "OSError"),
        (OSError("the mount is gone"), "the mount is gone"),
        (OSError(errno.ENOSPC, None), "No space left on device"),
        (OSError(None, None), "OSError"),
        (OSError(errno.EIO, "broken", "nginx.md"), "broken"),
    ],
)
def test_a_page_that_can_not_be_written_is_told_with_a_reason(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, error: OSError, why: str
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    configure(site)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", failing)
        result = call("new", "image", "nginx", "-f", site.folder / "mkdocs.yml")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == f"error: docs/images/nginx.md: can't be written: {why} [CAT071]"


def test_faults_of_the_settings_are_told(site: SiteFolder) -> None:
    configure(site, "registri: a.b/c")
    result = call("new", "image", "nginx", "-f", site.folder / "mkdocs.yml")
    assert result.exit_code == 1 and "mkdocs.yml:6:7: catalog-api.registri: unknown setting" in result.stderr


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with FakeRegistry().running() as fake:
        fake.image("acme/redis", "8.2.1", "8.2", "latest", labels={f"{LABEL}description": "A store: #1."})
        yield fake


LABEL = "org.opencontainers.image."


def fields(site: SiteFolder, path: str = "images/redis") -> Any:
    return parse((site.folder / f"docs/{path}.md").read_text("utf-8").split("---\n")[1]).data


@pytest.mark.parametrize(
    ("settings", "written"),
    [
        ("web: true", {"name", "image", "versions"}),
        ("registry: HOST/other", {"name", "image", "versions"}),
        ("registry: HOST/acme", {"name", "versions"}),
        ("images: {defaults: {versions: registry}}", {"name", "image"}),
        ("images: {defaults: [{pages: images/redis.md, values: {versions: registry}}]}", {"name", "image"}),
    ],
)
def test_sync_completes_the_page_of_a_reference(
    site: SiteFolder, registry: FakeRegistry, settings: str, written: set[str]
) -> None:
    configure(site, settings.replace("HOST", registry.host))
    image = f"{registry.host}/acme/redis"
    assert invoke(site, "new", "image", image).exit_code == 0
    assert registry.asked == [] and fields(site).keys() == written
    assert invoke(site, "sync").exit_code == 0
    built = invoke(site, "build", "--strict")
    assert built.exit_code == 0, built.output
    item = json.loads((site.folder / "site/api/v1/images/redis/index.json").read_bytes())["data"]
    assert (item["image"], item["description"]) == (image, "A store: #1.")
    assert [version["version"] for version in item["versions"]] == ["8.2.1"]


def test_sync_completes_the_page_of_a_chart(site: SiteFolder, registry: FakeRegistry) -> None:
    registry.chart("charts/web", "1.2.0+7")
    configure(site, "web: true")
    chart = f"oci://{registry.host}/charts/web"
    assert invoke(site, "new", "chart", chart).exit_code == 0
    assert fields(site, "charts/web")["chart"] == chart
    assert invoke(site, "sync").exit_code == invoke(site, "build", "--strict").exit_code == 0
    item = json.loads((site.folder / "site/api/v1/charts/web/index.json").read_bytes())["data"]
    assert [version["version"] for version in item["versions"]] == ["1.2.0+7"]


def test_one_failing_image_does_not_stop_the_others(site: SiteFolder, registry: FakeRegistry) -> None:
    registry.artifact("acme/other", {}, "application/vnd.oci.empty.v1+json", "1.0")
    configure(site, f"registry: {registry.host}/acme")
    names = [f"{registry.host}/acme/{name}" for name in ("none", "other", "redis")]
    assert invoke(site, "new", "image", *names).exit_code == 0
    result = invoke(site, "sync")
    assert result.exit_code == 1
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert [line.partition(":")[0] for line in errors] == ["error", "error"], errors
    assert "docs/images/none.md" in errors[0] and "404" in errors[0]
    assert (
        "docs/images/other.md" in errors[1]
        and "no tag of" in errors[1]
        and "belongs to an image" in errors[1]
    )
    assert [path.name for path in (site.folder / "registry/images").iterdir()] == ["redis.json"]


@pytest.mark.parametrize("reference", ["a.b/c:8.2.1", "http://a.b/c", "a.b/c/", "a.b/UPPER"])
def test_what_is_not_a_repository_is_refused(site: SiteFolder, reference: str) -> None:
    configure(site, "web: true")
    before = tree(site.folder)
    result = invoke(site, "new", "image", reference)
    assert result.exit_code == 1 and "[CAT012]" in result.stderr
    assert tree(site.folder) == before


def test_a_name_with_a_slash_is_a_name(site: SiteFolder) -> None:
    configure(site, "web: true")
    assert invoke(site, "new", "image", "Tools / Redis 8.2").exit_code == 0
    assert (site.folder / "docs/images/tools-redis-8-2.md").is_file()
