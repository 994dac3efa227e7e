"""What spares authors work, and what tells them that something is not as they mean it."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.problems import Level

from .authors import REQUIRED, configure, places, told
from .sites import REGISTRY, SiteFolder, digest, row, trivy


def call(*arguments: object) -> Result:
    """`catalog-api` in process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def items(site: SiteFolder, resource: str = "images", *, strict: bool = True) -> dict[str, Any]:
    """The published items by slug."""
    result = site.build(strict=strict)
    assert not result.failed, result.logged()
    return {item["slug"]: item for item in result.json(f"{resource}.json")["data"]}


# Front matter that MkDocs can't read


def test_a_wrong_date_is_told_as_such_by_mkdocs_as_by_check(site: SiteFolder) -> None:
    site.image("nginx", "versions: [{version: '1', released: 2026-13-45}]")
    said = (
        "docs/images/nginx.md:5:27: versions[0].released: '2026-13-45' is not a date"
        " (write year-month-day, as in 2026-11-20)"
    )
    result = site.build()
    assert result.failed
    assert result.logged()[0] == said
    assert result.logged()[1].startswith("the catalog is not published: 1 error")
    checked = call("check", "-q", "-f", site.folder / "mkdocs.yml")
    assert checked.output.splitlines()[0] == f"error: {said} [CAT012]"


def test_what_a_hook_adds_to_front_matter_that_mkdocs_cannot_read_counts_too(site: SiteFolder) -> None:
    site.write("hook.py", "def on_page_markdown(markdown, page, **_):\n    page.meta['license'] = 'ISC'\n")
    site.config["hooks"] = ["hook.py"]
    site.image("nginx", "homepage: https://nginx.org/\nbuilt: 2026-13-45")
    result = site.mkdocs()
    assert not result.failed, result.logged()
    item = result.json("images.json")["data"][0]
    assert (item["license"], item["tier"], item["homepage"]) == ("ISC", "core", "https://nginx.org/")


# Defaults


def test_defaults_stand_below_the_page_and_its_meta_file(site: SiteFolder) -> None:
    site.config["plugins"] = ["material/meta", {"catalog-api": site.settings}]
    site.config["theme"] = {"name": "material"}
    site.settings["images"] = {
        "defaults": {"tier": "standard", "license": "MIT", "category": ["Web", "Proxy"]}
    }
    site.write("docs/index.md", "# Home\n")
    site.page("images/a.md", "tier: core")
    site.page("images/b.md", "name: B")
    site.write("docs/images/old/.meta.yml", "license: ISC\n")
    site.page("images/old/c.md", "name: C")
    site.write("images.yml", "- {name: D, category: Tools}\n")
    found = items(site)
    assert {slug: (item["tier"], item["license"]) for slug, item in found.items()} == {
        "a": ("core", "MIT"),
        "b": ("standard", "MIT"),
        "c": ("standard", "ISC"),
        "d": ("standard", "MIT"),
    }
    assert (found["a"]["category"], found["a"]["categories"]) == ("Web", ["Web", "Proxy"])
    assert found["d"]["categories"] == ["Tools"]


# One fault in many places


def test_a_registry_that_is_not_set_is_one_error(site: SiteFolder) -> None:
    configure(site, "headers: netlify")
    for slug in "abc":
        site.image(slug)
    assert told(site) == (
        True,
        [
            "mkdocs.yml:6:7: catalog-api.registry: not set, so 3 images without `image` have no reference,"
            " first docs/images/a.md (set it, for example to `ghcr.io/acme`)"
        ],
    )
    site.image("a", "image: ghcr.io/acme/a")
    site.image("b", "image: ghcr.io/acme/b")
    assert told(site)[1] == [
        "docs/images/c.md:2:1: image: missing required field"
        " (add `image: …`, or set `registry` in mkdocs.yml)"
    ]


DEMANDING = f"registry: {REGISTRY}\nimages: {{fields: {{tier: {{required: true}}}}}}"


def test_identical_faults_are_told_once_with_the_first_places(site: SiteFolder) -> None:
    configure(site, DEMANDING)
    for number in range(5):
        site.page(f"images/n{number}.md", "category: Tools\nlicense: MIT")
    config = site.folder / "mkdocs.yml"
    once = call("check", "-q", "-f", config).output.splitlines()
    assert once[0] == (
        "error: tier: missing required field (add `tier: …`): 5 times, first docs/images/n0.md:2:1,"
        " docs/images/n1.md:2:1, docs/images/n2.md:2:1; --verbose shows all [CAT011]"
    )
    assert once[1:] == ["the catalog is not published: 5 errors in 5 files"]
    each = call("check", "-q", "--verbose", "-f", config).output.splitlines()
    assert each[:5] == [
        f"error: docs/images/n{number}.md:2:1: tier: missing required field (add `tier: …`) [CAT011]"
        for number in range(5)
    ]
    assert len(json.loads(call("check", "--json", "-f", config).output)["problems"]) == 5
    (site.folder / "docs/images/n4.md").unlink()
    (site.folder / "docs/images/n3.md").unlink()
    assert len(call("check", "-q", "-f", config).output.splitlines()) == 4


def test_mkdocs_tells_identical_faults_once_too(site: SiteFolder) -> None:
    site.settings["images"] = {"fields": {"tier": {"required": True}}}
    for number in range(5):
        site.page(f"images/n{number}.md", "category: Tools\nlicense: MIT")
    result = site.build()
    assert [": 5 times, first docs/images/n0.md" in line for line in result.logged()[:2]] == [True, False]


# Slugs and pages


def test_a_pattern_takes_the_slug_from_the_name(site: SiteFolder) -> None:
    site.settings["images"] = {
        "pages": [
            "images/docker-{slug}.md",
            "apps/**/{slug}/index.md",
            "more/[!x]*.md",
            "a[b]/[a-z]-{slug}.md",
        ]
    }
    for path in (
        "images/docker-nginx.md",
        "apps/web/caddy/index.md",
        "more/redis.md",
        "more/x.md",
        "images/other.md",
        "ab/x-y.md",
    ):
        site.page(path, REQUIRED)
    assert set(items(site)) == {"nginx", "caddy", "redis", "y"}


@pytest.mark.parametrize("pattern", ["images/{name}.md", "{slug}/{slug}.md", "images/{slug.md", ["a", "/b"]])
def test_a_pattern_that_captures_something_else_is_refused(site: SiteFolder, pattern: object) -> None:
    configure(site, json.dumps({"images": {"pages": pattern}}))
    refused, said = told(site)
    assert refused
    assert len(said) == 1
    assert "catalog-api.images.pages" in said[0]


def test_pages_can_be_switched_off(site: SiteFolder) -> None:
    site.settings["images"] = {"pages": False}
    site.write("docs/index.md", "# Home\n")
    site.page("images/about.md", "title: No item")
    site.write("images.yml", f"- {{name: Nginx, {', '.join(REQUIRED.split(chr(10))[:-1])}}}\n")
    assert list(items(site)) == ["nginx"]


def test_an_entry_of_a_data_file_names_its_page(site: SiteFolder) -> None:
    site.page("docker/nginx.md", "title: About it")
    site.page("images/redis.md", "title: About it")
    site.write(
        "images.yaml",
        """
        - {name: Nginx, category: Web, tier: core, license: MIT, page: docker/nginx.md}
        - {name: Redis, category: Data, tier: core, license: MIT, page: images/redis.md}
        """,
    )
    found = items(site)
    assert found["nginx"]["url"] == "/catalog/docker/nginx/"
    assert found["redis"]["url"] == "/catalog/images/redis/"
    assert "page" not in found["nginx"]


def test_a_category_may_be_a_list(site: SiteFolder) -> None:
    site.settings["images"] = {"fields": {"category": {"values": ["Web", "Proxy"]}}}
    site.image("nginx", category="[Proxy, Web]")
    site.image("caddy", "categories: [of, another, plugin]", category="Web")
    found = items(site)
    assert (found["nginx"]["category"], found["nginx"]["categories"]) == ("Proxy", ["Proxy", "Web"])
    assert (found["caddy"]["category"], found["caddy"]["categories"]) == ("Web", ["Web"])
    assert list(found["caddy"])[3:5] == ["category", "categories"]


# Versions


VERSIONS = f"""
versions:
  - version: "18.1"
    tags: ["18", latest]
    platforms: [linux/amd64]
    sbom: https://example.org/sbom.json
    provenance: https://example.org/provenance.json
    variant: slim
  - {{version: "17.3", digest: "{digest(1)}", variant: slim}}
"""


def test_versions_say_more(site: SiteFolder) -> None:
    site.settings["images"] = {"version_fields": {"notes": "url"}}
    site.image("postgres", VERSIONS)
    newest, older = items(site)["postgres"]["versions"]
    assert list(newest.items())[9:] == [
        ("tags", ["18", "latest"]),
        ("platforms", ["linux/amd64"]),
        ("sbom", "https://example.org/sbom.json"),
        ("provenance", "https://example.org/provenance.json"),
        ("href", "/catalog/api/v1/security/postgres/18.1.json"),
        ("custom", {"notes": None}),
    ]
    assert (newest["variant"], newest["line"], newest["manifests"]) == ("slim", "18", [])
    assert (older["tags"], older["platforms"], older["sbom"], older["line"]) == ([], [], None, "17")


def test_other_tags_join_scans_and_pins(site: SiteFolder) -> None:
    site.image("postgres", VERSIONS)
    site.report("nightly.json", trivy([row("CVE-2026-0001")], tag=f"{REGISTRY}/postgres:latest"))
    site.page("charts/db.md", f"{REQUIRED}images: ['{REGISTRY}/postgres:18']")
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    assert result.json("images/postgres/index.json")["data"]["security"]["high"] == 1
    chart = result.json("charts/db/index.json")["data"]
    assert (chart["images"][0]["slug"], chart["images"][0]["version"]) == ("postgres", "18.1")
    assert chart["security"]["scanned"] is True


def test_version_fields_are_checked(site: SiteFolder) -> None:
    configure(site, f"registry: {REGISTRY}\nimages: {{version_fields: {{port: integer}}}}")
    site.image("nginx", "versions: [{version: '1', port: many}]")
    assert places(site) == (True, ["CAT012 docs/images/nginx.md 5:27 versions[0].port"])


def test_versions_that_say_nothing_of_their_order_ask_for_the_latest(site: SiteFolder) -> None:
    configure(site)
    site.image("nginx", "versions: [main, edge]")
    hint = "(set the newest with `latest: …`)"
    assert told(site) == (
        False,
        [
            "docs/images/nginx.md:5:1: versions: the newest version is unknown, so the first one"
            f" is used: 'main' {hint}"
        ],
    )
    site.image("nginx", "versions: [main, edge]\nlatest: edge")
    assert told(site) == (False, [])


# Emptiness, data files, hints


@pytest.mark.parametrize("name", ["images.yaml", "images.json", "images.yml"])
def test_a_data_file_may_have_any_of_the_usual_endings(site: SiteFolder, name: str) -> None:
    site.write(name, '[{"name": "A", "category": "Web", "tier": "core", "license": "MIT"}]\n')
    assert list(items(site)) == ["a"]


def test_two_data_files_beside_each_other_are_an_error(site: SiteFolder) -> None:
    configure(site)
    site.image("nginx")
    site.write("images.yml", "[]\n")
    site.write("images.json", "[]\n")
    assert places(site) == (True, ["CAT021 mkdocs.yml 6:7 catalog-api.images.data"])
    configure(site, f"registry: {REGISTRY}\nimages: {{data: images.yml}}")
    assert told(site) == (False, [])


def test_pages_in_a_likely_folder_are_hinted_at(site: SiteFolder) -> None:
    configure(site)
    site.page("catalog/images/nginx.md", REQUIRED)
    site.page("catalog/images/redis.md", REQUIRED)
    hints = [line for line in told(site, level=Level.INFO)[1] if "images.pages" in line]
    assert hints == [
        "mkdocs.yml:6:7: catalog-api.images.pages: no page is an item of images, but the folder"
        " catalog/images has 2 (rename it to images, or set `images: {pages: catalog/images/**/*.md}` if"
        " those are items)"
    ]


# Settings


# The command line


def test_the_configuration_of_properdocs_is_found(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(site)
    site.image("nginx")
    (site.folder / "mkdocs.yml").rename(site.folder / "properdocs.yml")
    monkeypatch.chdir(site.folder)
    assert call("check").exit_code == 0


def test_verbose_mkdocs_tells_every_place(site: SiteFolder, caplog: pytest.LogCaptureFixture) -> None:
    site.settings["images"] = {"fields": {"tier": {"required": True}}}
    for number in range(5):
        site.page(f"images/n{number}.md", "category: Tools\nlicense: MIT")
    caplog.set_level(logging.DEBUG, "mkdocs.plugins.catalog-api")
    result = site.mkdocs()
    assert sum("tier: missing required field" in line for line in result.logged()) == 5
