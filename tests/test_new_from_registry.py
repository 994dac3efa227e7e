"""`catalog-api new` with a reference: the page has what the registry knows, or nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.authored.yaml_text import parse
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from .authors import REQUIRED, configure
from .fake_registry import FakeRegistry, Reply
from .registries import MANIFEST, OCI, digest_of, encoded
from .sites import SiteFolder
from .test_cli import tree
from .test_sync import BASIC, LOGIN

LABELS = {
    "org.opencontainers.image.description": "A store: #1.",
    "org.opencontainers.image.url": "https://redis.io/",
    "org.opencontainers.image.source": "https://github.com/redis/redis",
    "org.opencontainers.image.licenses": "BSD-3-Clause",
    "org.opencontainers.image.base.name": "docker.io/library/debian:12-slim",
}
CHART = "application/vnd.cncf.helm."


@dataclass
class Bench:
    """A site, and a registry with the image `acme/redis`."""

    site: SiteFolder
    fake: FakeRegistry

    @property
    def image(self) -> str:
        return f"{self.fake.host}/acme/redis"

    def run(self, *arguments: str, env: dict[str, str] | None = None) -> Result:
        limits = Limits(silence=10, whole=10, retries=0, longest_wait=1)
        nobody = {"DOCKER_CONFIG": str(self.site.folder), **dict.fromkeys(LOGIN, "")}
        config = str(self.site.folder / "mkdocs.yml")
        return CliRunner().invoke(
            main, [*arguments, "-f", config], obj=limits, env=nobody | (env or {}), catch_exceptions=False
        )

    def page(self, path: str = "images/redis") -> str:
        return (self.site.folder / f"docs/{path}.md").read_text("utf-8")

    def fields(self, path: str = "images/redis") -> Any:
        return parse(self.page(path).split("---\n")[1]).data

    def item(self, path: str = "images/redis") -> Any:
        """The item in the API, which is built without a warning."""
        built = self.run("build", "--strict")
        assert built.exit_code == 0, built.output
        return json.loads((self.site.folder / f"site/api/v1/{path}/index.json").read_bytes())["data"]


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    configure(site, "web: true")
    with FakeRegistry().running() as fake:
        fake.image("acme/redis", "8.2.1", "8.2", "latest", labels=LABELS)
        yield Bench(site, fake)


def test_a_page_has_what_the_registry_knows(bench: Bench) -> None:
    result = bench.run("new", "image", bench.image)
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


def test_sync_has_nothing_to_add(bench: Bench) -> None:
    assert bench.run("new", "image", bench.image).exit_code == 0
    before = tree(bench.site.folder)
    assert "0 files changed, 1 unchanged" in bench.run("sync").stderr
    assert tree(bench.site.folder) == before


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ("registry: HOST/other", {"image"}),
        ("registry: HOST/acme", set[str]()),
        ("images: {defaults: {versions: registry, license: MIT}}", {"image"}),
        ("images: {defaults: [{pages: images/redis.md, values: {versions: registry}}]}", {"image"}),
    ],
)
def test_a_page_passes_in_any_catalog(bench: Bench, settings: str, fields: set[str]) -> None:
    bench.fake.image("acme/redis", "1.0")
    configure(bench.site, settings.replace("HOST", bench.fake.host))
    assert bench.run("new", "image", bench.image).exit_code == 0
    if "versions" not in settings:
        fields = fields | {"versions"}
    assert bench.fields().keys() & {"image", "versions"} == fields
    item = bench.item()
    assert (item["image"], [version["version"] for version in item["versions"]]) == (bench.image, ["1.0"])


def test_a_chart_of_a_registry(bench: Bench) -> None:
    config = {"name": "web", "version": "1.2.0+7", "description": "Serves.", "home": "https://example.org/"}
    described = {"mediaType": f"{CHART}config.v1+json", "digest": digest_of(encoded(config)), "size": 1}
    bench.fake.put(f"/v2/charts/web/blobs/{described['digest']}", config, f"{CHART}config.v1+json")
    document = {"schemaVersion": 2, "mediaType": MANIFEST, "config": described, "layers": []}
    bench.fake.manifest("charts/web", document, "1.2.0_7")
    bench.fake.tags("charts/web", "1.2.0_7")
    chart = f"oci://{bench.fake.host}/charts/web"
    assert bench.run("new", "chart", chart).exit_code == 0
    fields = bench.fields("charts/web")
    assert (fields["chart"], fields["description"], fields["homepage"]) == (
        chart,
        "Serves.",
        "https://example.org/",
    )
    assert bench.item("charts/web")["versions"][0]["version"] == "1.2.0+7"


def unknown(bench: Bench) -> None:
    bench.fake.replies.clear()


def denied(bench: Bench) -> None:
    challenge = {"WWW-Authenticate": 'Basic realm="x"'}
    bench.fake.replies["/v2/acme/redis/tags/list"] = Reply(status=401, headers=challenge)


def without_tags(bench: Bench) -> None:
    bench.fake.tags("acme/redis")


def not_an_image(bench: Bench) -> None:
    empty = {"mediaType": f"{OCI}empty.v1+json", "digest": digest_of(b"{}"), "size": 2}
    document = {"schemaVersion": 2, "mediaType": MANIFEST, "config": empty, "layers": []}
    bench.fake.manifest("acme/redis", document, "8.2.1", "8.2", "latest")


def half_known(bench: Bench) -> None:
    bench.fake.tags("acme/redis", "8.2.1", "9.0")
    bench.fake.replies["/v2/acme/redis/manifests/9.0"] = Reply(status=500)


@pytest.mark.parametrize("fault", [unknown, denied, without_tags, not_an_image, half_known])
def test_without_a_usable_answer_nothing_is_written(bench: Bench, fault: Callable[[Bench], None]) -> None:
    fault(bench)
    before = tree(bench.site.folder)
    result = bench.run("new", "image", bench.image)
    assert result.exit_code == 1
    assert "error: docs/images/redis.md: image: " in result.stderr and "[CAT083]" in result.stderr
    assert bench.image in result.stderr and result.stdout == ""
    assert tree(bench.site.folder) == before


def test_without_network_nothing_is_written(bench: Bench) -> None:
    before = tree(bench.site.folder)
    result = bench.run("new", "image", "127.0.0.1:1/acme/redis")
    assert result.exit_code == 1 and "127.0.0.1:1/acme/redis" in result.stderr
    assert "[CAT083]" in result.stderr and tree(bench.site.folder) == before


@pytest.mark.parametrize("reference", ["{}:8.2.1", "http://{}", "{}/", "{}/UPPER"])
def test_what_is_not_a_repository_is_refused_before_it_is_asked(bench: Bench, reference: str) -> None:
    before = tree(bench.site.folder)
    result = bench.run("new", "image", reference.format(bench.image))
    assert result.exit_code == 1 and "[CAT012]" in result.stderr
    assert (bench.fake.asked, tree(bench.site.folder)) == ([], before)


def test_a_page_is_never_replaced(bench: Bench) -> None:
    bench.site.write("docs/images/redis.md", "mine")
    before = tree(bench.site.folder)
    result = bench.run("new", "image", bench.image)
    assert result.exit_code == 1 and "docs/images/redis.md: already exists" in result.stderr
    assert (bench.fake.asked, tree(bench.site.folder)) == ([], before)


def test_facts_are_not_written_behind_a_link_out_of_the_project(bench: Bench) -> None:
    folder = bench.site.folder.parent / "elsewhere"
    folder.mkdir()
    (bench.site.folder / "registry").symlink_to(folder)
    result = bench.run("new", "image", bench.image)
    assert result.exit_code == 1 and "registry/images/redis.json" in result.stderr
    assert [*folder.iterdir()] == []
    assert not (bench.site.folder / "docs/images").exists()


def test_facts_of_another_image_are_never_replaced(bench: Bench) -> None:
    """An item elsewhere has the same slug."""
    bench.fake.image("other/redis", "1.0")
    bench.site.page(
        "images/db/redis.md", f"{REQUIRED}\nversions: registry\nimage: {bench.fake.host}/other/redis"
    )
    assert bench.run("sync").exit_code == 0
    before = tree(bench.site.folder)
    result = bench.run("new", "image", bench.image)
    assert result.exit_code == 1
    assert "error: registry/images/redis.json: image: " in result.stderr and "[CAT070]" in result.stderr
    assert tree(bench.site.folder) == before


def test_one_failing_image_does_not_stop_the_others(bench: Bench) -> None:
    bench.fake.image("acme/nginx", "1.29.3")
    host = bench.fake.host
    result = bench.run("new", "image", f"{host}/acme/none", bench.image, f"{host}/acme/nginx", "Name")
    assert result.exit_code == 1
    pages = sorted(path.name for path in (bench.site.folder / "docs/images").iterdir())
    assert pages == ["index.md", "name.md", "nginx.md", "redis.md"]
    facts = sorted(path.name for path in (bench.site.folder / "registry/images").iterdir())
    assert facts == ["nginx.json", "redis.json"]


def test_what_was_known_stays_known(bench: Bench) -> None:
    """The page was deleted, its facts were not; the registry has lost a version since."""
    assert bench.run("new", "image", bench.image).exit_code == 0
    (bench.site.folder / "docs/images/redis.md").unlink()
    bench.fake.image("acme/redis", "8.2.2")
    result = bench.run("new", "image", bench.image)
    assert result.exit_code == 0 and "8.2.1" in result.stderr
    facts = json.loads((bench.site.folder / "registry/images/redis.json").read_bytes())
    assert {version["version"]: version.get("gone", False) for version in facts["versions"]} == {
        "8.2.1": True,
        "8.2.2": False,
    }


def test_an_annotation_that_is_not_usable_is_a_warning(bench: Bench) -> None:
    bench.fake.image("acme/redis", "1.0", labels={"org.opencontainers.image.url": "see the wiki"})
    result = bench.run("new", "image", bench.image)
    assert result.exit_code == 0 and "warning: registry/images/redis.json: " in result.stderr
    assert "homepage" not in bench.fields()
    assert bench.run("check").exit_code == 0


def test_credentials_are_those_of_sync(bench: Bench) -> None:
    configure(bench.site, f"registry: {bench.fake.host}/acme")
    challenge = {"WWW-Authenticate": 'Basic realm="x"'}
    bench.fake.first("/v2/acme/redis/tags/list", Reply(status=401, headers=challenge))
    result = bench.run("new", "image", bench.image, env=LOGIN)
    assert result.exit_code == 0, result.output
    assert bench.fake.heads[-1]["Authorization"] == BASIC
    assert "geheim" not in result.output + bench.page()


def test_a_name_with_a_slash_is_a_name(bench: Bench) -> None:
    assert bench.run("new", "image", "Tools / Redis 8.2").exit_code == 0
    assert (bench.site.folder / "docs/images/tools-redis-8-2.md").is_file() and bench.fake.asked == []


def test_a_site_with_other_pages_builds_with_the_new_one(bench: Bench) -> None:
    bench.site.page("images/a.md", f"{REQUIRED}\nimage: a.b/c")
    assert bench.run("new", "image", bench.image).exit_code == 0
    assert bench.item()["slug"] == "redis"
