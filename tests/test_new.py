"""`catalog-api new`: a page to begin with, which has what the registry knows if its reference is given."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from mkdocs_catalog_api.authored.yaml_text import parse
from mkdocs_catalog_api.catalog.collections import COLLECTIONS, ITEM_MODELS

from .authors import REQUIRED, configure, told
from .fake_registry import FakeRegistry
from .fake_server import Reply
from .sites import SiteFolder, run
from .syncing import BASIC, LOGIN, facts, invoke, labels
from .test_cli import call, tree

KINDS = [(COLLECTIONS[name].stem.lower(), name) for name in ITEM_MODELS]
LABELS = {
    "org.opencontainers.image.description": "A store: #1.",
    "org.opencontainers.image.url": "https://redis.io/",
    "org.opencontainers.image.source": "https://github.com/redis/redis",
    "org.opencontainers.image.licenses": "BSD-3-Clause",
    "org.opencontainers.image.base.name": "docker.io/library/debian:12-slim",
}


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


# References: the page has what the registry knows


class Bench:
    """A site, and a registry with the image `acme/redis`."""

    def __init__(self, site: SiteFolder, fake: FakeRegistry) -> None:
        self.site, self.fake, self.image = site, fake, f"{fake.host}/acme/redis"
        configure(site, "web: true")
        fake.image("acme/redis", "8.2.1", "8.2", "latest", labels=LABELS)

    def run(self, *arguments: str, **env: str) -> Result:
        return invoke(self.site, *arguments, env=env, retries=0)

    def new(self, *references: str, **env: str) -> Result:
        """`new image`, by default with the image."""
        return self.run("new", "image", *(references or [self.image]), **env)

    def fields(self, path: str = "images/redis") -> Any:
        text = (self.site.folder / f"docs/{path}.md").read_text("utf-8")
        return parse(text.split("---\n")[1]).data

    def item(self, path: str = "images/redis") -> Any:
        """The item in the API, which is built without a warning."""
        built = self.run("build", "--strict")
        assert built.exit_code == 0, built.output
        return json.loads((self.site.folder / f"site/api/v1/{path}/index.json").read_bytes())["data"]


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    with FakeRegistry().running() as fake:
        yield Bench(site, fake)


def test_a_page_has_what_the_registry_knows_and_sync_has_nothing_to_add(bench: Bench) -> None:
    bench.site.page("images/a.md", f"{REQUIRED}\nimage: a.b/c")
    result = bench.new()
    assert result.exit_code == 0, result.output
    assert bench.fields() == {
        "name": "redis",
        "description": "A store: #1.",
        "license": "BSD-3-Clause",
        "image": bench.image,
        "base": "debian",
        "homepage": "https://redis.io/",
        "source": "https://github.com/redis/redis",
        "versions": {"from": "registry", "keep": "5"},
    }
    (version,) = bench.item()["versions"]
    assert (version["version"], version["released"], version["size"]) == ("8.2.1", "2026-11-03", 5)
    assert version["digest"] and version["platforms"] == ["linux/amd64"]
    (bench.site.folder / "docs/images/a.md").unlink()
    before = tree(bench.site.folder)
    assert "0 files changed, 1 unchanged" in bench.run("sync").stderr
    assert tree(bench.site.folder) == before


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ("registry: HOST/other", {"image", "versions"}),
        ("registry: HOST/acme", {"versions"}),
        ("images: {defaults: {versions: registry, license: MIT}}", {"image"}),
        ("images: {defaults: [{pages: images/redis.md, values: {versions: registry}}]}", {"image"}),
    ],
)
def test_a_page_passes_in_any_catalog(bench: Bench, settings: str, fields: set[str]) -> None:
    bench.fake.image("acme/redis", "1.0")
    configure(bench.site, settings.replace("HOST", bench.fake.host))
    assert bench.new().exit_code == 0
    assert bench.fields().keys() & {"image", "versions"} == fields
    item = bench.item()
    assert (item["image"], [version["version"] for version in item["versions"]]) == (bench.image, ["1.0"])


def test_a_chart_of_a_registry(bench: Bench) -> None:
    bench.fake.chart("charts/web", "1.2.0+7", description="Serves.", home="https://example.org/")
    chart = f"oci://{bench.fake.host}/charts/web"
    assert bench.run("new", "chart", chart).exit_code == 0
    fields = bench.fields("charts/web")
    assert (fields["chart"], fields["description"], fields["homepage"]) == (
        chart,
        "Serves.",
        "https://example.org/",
    )
    assert bench.item("charts/web")["versions"][0]["version"] == "1.2.0+7"


TAGS = "/v2/acme/redis/tags/list"
FAULTS: dict[str, dict[str, Reply]] = {
    "unknown": {TAGS: Reply(status=404)},
    "denied": {TAGS: Reply(status=403)},
    "without tags": {TAGS: Reply(b'{"tags": []}')},
    "half known": {"/v2/acme/redis/manifests/8.2": Reply(status=500)},
}


@pytest.mark.parametrize("name", [*FAULTS, "not an image", "without network"])
def test_without_a_usable_answer_nothing_is_written(bench: Bench, name: str) -> None:
    image = "127.0.0.1:1/acme/redis" if name == "without network" else bench.image
    if name == "not an image":
        bench.fake.chart("acme/redis", "1.0.0")
    bench.fake.replies |= FAULTS.get(name, {})
    before = tree(bench.site.folder)
    result = bench.new(image)
    assert result.exit_code == 1
    assert "error: docs/images/redis.md: image: " in result.stderr and "[CAT083]" in result.stderr
    assert image in result.stderr and result.stdout == ""
    assert tree(bench.site.folder) == before


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("{}:8.2.1", "[CAT012]"),
        ("http://{}", "[CAT012]"),
        ("{}/", "[CAT012]"),
        ("{}/UPPER", "[CAT012]"),
        ("{}", "docs/images/redis.md: already exists"),
        ("redis", "docs/images/redis.md: already exists"),
        ("---", "is not a name that makes a slug"),
    ],
)
def test_what_can_not_be_begun_is_told_and_nothing_is_asked_or_written(
    bench: Bench, reference: str, said: str
) -> None:
    bench.site.write("docs/images/redis.md", "mine")
    before = tree(bench.site.folder)
    result = bench.new("--", reference.format(bench.image))
    assert result.exit_code == 1 and said in result.stderr
    assert (bench.fake.asked, tree(bench.site.folder)) == ([], before)


def test_facts_are_not_written_behind_a_link_out_of_the_project(bench: Bench) -> None:
    folder = bench.site.folder.parent / "elsewhere"
    folder.mkdir()
    (bench.site.folder / "registry").symlink_to(folder)
    result = bench.new()
    assert result.exit_code == 1 and "registry/images/redis.json" in result.stderr
    assert [*folder.iterdir()] == []
    assert not (bench.site.folder / "docs/images").exists()


def test_facts_of_another_image_are_never_replaced(bench: Bench) -> None:
    """An item elsewhere has the same slug."""
    bench.fake.image("other/redis", "1.0")
    page = f"{REQUIRED}\nversions: registry\nimage: {bench.fake.host}/other/redis"
    bench.site.page("images/db/redis.md", page)
    assert bench.run("sync").exit_code == 0
    before = tree(bench.site.folder)
    result = bench.new()
    assert result.exit_code == 1
    assert "error: registry/images/redis.json: image: " in result.stderr and "[CAT070]" in result.stderr
    assert tree(bench.site.folder) == before


def test_one_failing_image_does_not_stop_the_others(bench: Bench) -> None:
    bench.fake.image("acme/nginx", "1.29.3")
    host = bench.fake.host
    result = bench.new(f"{host}/acme/none", bench.image, f"{host}/acme/nginx", "Tools / Redis 8.2")
    assert result.exit_code == 1
    pages = sorted(path.name for path in (bench.site.folder / "docs/images").iterdir())
    assert pages == ["index.md", "nginx.md", "redis.md", "tools-redis-8-2.md"]
    known = sorted(path.name for path in (bench.site.folder / "registry/images").iterdir())
    assert known == ["nginx.json", "redis.json"]


def test_what_was_known_stays_known(bench: Bench) -> None:
    """The page was deleted, its facts were not; the registry has lost a version since."""
    assert bench.new().exit_code == 0
    (bench.site.folder / "docs/images/redis.md").unlink()
    bench.fake.image("acme/redis", "8.2.2")
    result = bench.new()
    assert result.exit_code == 0 and "8.2.1" in result.stderr
    assert labels(bench.site, "redis") == ["8.2.1", "8.2.2"]
    assert facts(bench.site, "images/redis")["versions"][0]["gone"]


def test_an_annotation_that_is_not_usable_is_a_warning(bench: Bench) -> None:
    bench.fake.image("acme/redis", "1.0", labels={"org.opencontainers.image.url": "see the wiki"})
    result = bench.new()
    assert result.exit_code == 0 and "warning: registry/images/redis.json: " in result.stderr
    assert "homepage" not in bench.fields()
    assert bench.run("check").exit_code == 0


def test_credentials_are_those_of_sync(bench: Bench) -> None:
    configure(bench.site, f"registry: {bench.fake.host}/acme")
    bench.fake.first(TAGS, Reply(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'}))
    result = bench.new(**LOGIN)
    assert result.exit_code == 0, result.output
    assert f"Authorization: {BASIC}\r\n" in bench.fake.heads[-1]
    assert "geheim" not in result.output + json.dumps(bench.fields())
