"""What spares authors work, and what tells them that something is not as they mean it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.problems import Level

from .authors import REQUIRED, configure, told
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
    assert result.logged()[1].startswith("the catalog is refused: 1 error")
    checked = call("check", "-q", "-f", site.folder / "mkdocs.yml")
    assert checked.output.splitlines()[0] == f"error: {said} [CAT012]"


def test_what_a_hook_adds_to_front_matter_that_mkdocs_cannot_read_counts_too(site: SiteFolder) -> None:
    site.write("hook.py", "def on_page_markdown(markdown, page, **_):\n    page.meta['license'] = 'ISC'\n")
    site.config["hooks"] = ["hook.py"]
    site.image("nginx", "homepage: https://nginx.org/\nbuilt: 2026-13-45")
    result = site.build()
    assert not result.failed, result.logged()
    item = result.json("images.json")["data"][0]
    assert (item["license"], item["tier"], item["homepage"]) == ("ISC", "core", "https://nginx.org/")


@pytest.mark.parametrize("value", ["2026-13-45", "0x_", "="])
def test_a_text_that_mkdocs_cannot_read_is_warned_about(site: SiteFolder, value: str) -> None:
    configure(site)
    site.image("nginx", f"description: {value}")
    refused, said = told(site)
    assert not refused
    assert said == [
        f"docs/images/nginx.md:5:14: MkDocs can't read '{value}', so it takes the front matter for text of"
        " the page (put it in quotes)"
    ]
    site.image("nginx", f"description: '{value}'")
    assert told(site, strict=True) == (False, [])


def test_a_fault_that_a_hook_has_made_is_told_as_its_own(site: SiteFolder) -> None:
    site.write("hook.py", "def on_page_markdown(markdown, page, **_):\n    page.meta['tier'] = 5\n")
    site.config["hooks"] = ["hook.py"]
    site.image("nginx")
    result = site.build()
    assert result.failed
    assert "expected a text, got 5, which a plugin or hook has set" in result.logged()[0]


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


def test_wrong_defaults_are_told_once_where_they_stand(site: SiteFolder) -> None:
    configure(
        site,
        f"registry: {REGISTRY}\nimages:\n  defaults: {{slug: x, licence: MIT, tier: 1.10, lifecycle: gone}}",
    )
    site.image("a")
    site.image("b")
    refused, said = told(site)
    assert refused
    assert [line.partition("catalog-api.images.defaults.")[2] for line in said] == [
        "slug: `slug` is of each item alone (remove it)",
        "licence: unknown field (perhaps you mean 'license')",
        'tier: expected a text, got 1.10, which YAML reads as 1.1 (put it in quotes: "1.10")',
        "lifecycle: 'gone' is not available, deprecated, withdrawn or planned",
    ]


def test_a_meta_file_that_nobody_reads_is_named_once(site: SiteFolder) -> None:
    configure(site)
    site.write("docs/images/.meta.yml", "tier: core\n")
    site.write("docs/images/web/.meta.yml", "tier: core\n")
    site.image("a")
    site.page("images/web/b.md", REQUIRED)
    assert told(site) == (
        False,
        [
            "docs/images/.meta.yml: nobody reads this file, and 1 more like it: the plugin `meta` is not on"
            " (add it to `plugins` (it comes with Material), or set `defaults` of the collection)"
        ],
    )


# One fault in many places


def test_a_registry_that_is_not_set_is_one_error(site: SiteFolder) -> None:
    configure(site, "headers: netlify")
    for slug in "abc":
        site.image(slug)
    assert told(site) == (
        True,
        [
            "mkdocs.yml:6:7: catalog-api.registry: not set, so 3 images without `image` have no reference,"
            " first docs/images/a.md (set it, as in `registry: ghcr.io/acme`)"
        ],
    )
    site.image("a", "image: ghcr.io/acme/a")
    site.image("b", "image: ghcr.io/acme/b")
    assert told(site)[1] == [
        "docs/images/c.md:2:1: image: required, but not given"
        " (add `image: …`, or set `registry` in mkdocs.yml)"
    ]


def test_identical_faults_are_told_once_with_the_first_places(site: SiteFolder) -> None:
    configure(site)
    for number in range(5):
        site.page(f"images/n{number}.md", "category: Tools\nlicense: MIT")
    config = site.folder / "mkdocs.yml"
    once = call("check", "-q", "-f", config).output.splitlines()
    assert once[0] == (
        "error: tier: required, but not given (add `tier: …`): 5 times, first docs/images/n0.md:2:1,"
        " docs/images/n1.md:2:1, docs/images/n2.md:2:1 [CAT011]"
    )
    assert once[1:] == ["the catalog is refused: 5 errors in 5 files"]
    each = call("check", "-q", "--verbose", "-f", config).output.splitlines()
    assert each[:5] == [
        f"error: docs/images/n{number}.md:2:1: tier: required, but not given (add `tier: …`) [CAT011]"
        for number in range(5)
    ]
    assert len(json.loads(call("check", "--json", "-f", config).output)["problems"]) == 5
    (site.folder / "docs/images/n4.md").unlink()
    (site.folder / "docs/images/n3.md").unlink()
    assert len(call("check", "-q", "-f", config).output.splitlines()) == 4


def test_mkdocs_tells_identical_faults_once_too(site: SiteFolder) -> None:
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


def test_each_pattern_must_match_a_page(site: SiteFolder) -> None:
    configure(
        site, f"registry: {REGISTRY}\nimages: {{pages: ['images/*.md', '!images/x*', 'imgs/{{slug}}.md']}}"
    )
    site.image("nginx")
    site.image("x1")
    assert told(site) == (
        False,
        [
            "mkdocs.yml:7:16: catalog-api.images.pages: no page matches the pattern 'imgs/{slug}.md'"
            " (patterns are seen from docs_dir, as in images/**/*.md)"
        ],
    )


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


def test_a_page_that_cannot_be_the_one_of_an_entry_is_refused(site: SiteFolder) -> None:
    configure(site)
    site.page("docker/nginx.md", "title: About it")
    site.page("images/redis.md", "title: About it\ntier: core")
    common = "category: Web, tier: core, license: MIT"
    site.write(
        "images.yml",
        f"""
        - {{name: A, {common}, page: docker/ngin.md}}
        - {{name: B, {common}, page: docker/nginx.md}}
        - {{name: C, {common}, page: docker/nginx.md}}
        - {{name: D, {common}, page: images/redis.md}}
        """,
    )
    assert told(site) == (
        True,
        [
            "docs/images/redis.md:3:1: tier: the item of this page stands in images.yml:4, so its own fields"
            " would count for nothing (keep the fields in one place)",
            "images.yml:1:54: [0].page: 'docker/ngin.md' is no page of the site"
            " (perhaps you mean 'docker/nginx.md')",
            "images.yml:3:54: [2].page: 'docker/nginx.md' is the page of images.yml:2 already"
            " (leave it out: the collection's page then stands in)",
        ],
    )


def test_a_category_may_be_a_list(site: SiteFolder) -> None:
    site.settings["images"] = {"vocabulary": {"category": ["Web", "Proxy"]}}
    site.image("nginx", category="[Proxy, Web]")
    site.image("caddy", "categories: [of, another, plugin]", category="Web")
    found = items(site)
    assert (found["nginx"]["category"], found["nginx"]["categories"]) == ("Proxy", ["Proxy", "Web"])
    assert (found["caddy"]["category"], found["caddy"]["categories"]) == ("Web", ["Web"])
    assert list(found["caddy"])[3:5] == ["category", "categories"]


@pytest.mark.parametrize(
    ("category", "said"),
    [
        ("[]", "category: an empty list (name at least one or leave it out)"),
        ("[Web, Wep]", "category[1]: 'Wep' is not Web or Proxy"),
        ("[Web, Web]", "category: 'Web' stands here twice (keep one of them)"),
        ("Wep", "category: 'Wep' is not Web or Proxy"),
    ],
)
def test_a_wrong_category_is_told_once(site: SiteFolder, category: str, said: str) -> None:
    configure(site, f"registry: {REGISTRY}\nimages: {{vocabulary: {{category: [Web, Proxy]}}}}")
    site.image("nginx", category=category)
    assert [line.split(": ", 1)[1] for line in told(site)[1]] == [said]


def test_a_list_under_categories_alone_is_told_where_it_belongs(site: SiteFolder) -> None:
    configure(site)
    site.page("images/nginx.md", "categories: [Web]\ntier: core\nlicense: MIT")
    assert told(site)[1] == [
        "docs/images/nginx.md:2:1: category: required, but not given (write the list under `category`)"
    ]


# Versions


VERSIONS = f"""
versions:
  - version: "18.1"
    tags: ["18", latest]
    platforms: [linux/amd64]
    sbom: https://example.org/sbom.json
    provenance: https://example.org/provenance.json
    variant: slim
  - {{version: "17.3", digest: "{digest(1)}"}}
"""


def test_versions_say_more(site: SiteFolder) -> None:
    site.settings["images"] = {"version_fields": {"variant": "text", "notes": "url"}}
    site.image("postgres", VERSIONS)
    newest, older = items(site)["postgres"]["versions"]
    assert list(newest.items())[6:] == [
        ("tags", ["18", "latest"]),
        ("platforms", ["linux/amd64"]),
        ("sbom", "https://example.org/sbom.json"),
        ("provenance", "https://example.org/provenance.json"),
        ("href", "/catalog/api/v1/security/postgres/18.1.json"),
        ("variant", "slim"),
        ("notes", None),
    ]
    assert (older["tags"], older["platforms"], older["sbom"], older["variant"]) == ([], [], None, None)


def test_other_tags_join_scans_and_pins(site: SiteFolder) -> None:
    site.settings["images"] = {"version_fields": {"variant": "text"}}
    site.image("postgres", VERSIONS)
    site.report("nightly.json", trivy([row("CVE-2026-0001")], tag=f"{REGISTRY}/postgres:latest"))
    site.page("charts/db.md", f"{REQUIRED}images: ['{REGISTRY}/postgres:18']")
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    assert result.json("images/postgres/index.json")["data"]["security"]["high"] == 1
    chart = result.json("charts/db/index.json")["data"]
    assert (chart["images"][0]["slug"], chart["images"][0]["version"]) == ("postgres", "18.1")
    assert chart["security"]["scanned"] is True


def test_a_tag_belongs_to_one_release(site: SiteFolder) -> None:
    configure(site)
    site.image(
        "postgres",
        """
versions:
  - {version: "18", tags: [latest, x]}
  - {version: "17", tags: [latest, "18"]}
""",
    )
    hint = "(a tag belongs to one release: keep one of them)"
    assert told(site) == (
        True,
        [
            "docs/images/postgres.md:7:28: versions[1].tags[0]: the tag 'latest' is one of version '18'"
            f" {hint}",
            f"docs/images/postgres.md:7:36: versions[1].tags[1]: '18' is the label of a version {hint}",
        ],
    )


def test_version_fields_are_checked(site: SiteFolder) -> None:
    settings = f"registry: {REGISTRY}\nimages: {{version_fields: {{port: integer, digest: text}}}}"
    configure(site, f"{settings}\nroadmap: {{version_fields: {{a: text}}}}")
    assert [line.split(": ", 1)[1] for line in told(site)[1]] == [
        "catalog-api.images.version_fields.digest: the field `digest` is built in (remove it)",
        "catalog-api.roadmap.version_fields: roadmap has no versions (remove it)",
    ]
    configure(site, settings.replace(", digest: text", ""))
    site.image("nginx", "versions: [{version: '1', port: many}]")
    assert "versions[0].port: 'many' is not a whole number" in told(site)[1][0]


def test_versions_that_say_nothing_of_their_order_ask_for_the_latest(site: SiteFolder) -> None:
    configure(site)
    site.image("nginx", "versions: [main, edge]")
    hint = "(name the newest with `latest: …`)"
    assert told(site) == (
        False,
        [
            "docs/images/nginx.md:5:1: versions: nothing says which version is the newest, so 'main' stands"
            f" for it {hint}"
        ],
    )
    site.image("nginx", "versions: [main, edge]\nlatest: edge")
    assert told(site) == (False, [])


def test_names_that_windows_reserves_are_refused(site: SiteFolder) -> None:
    configure(site)
    site.image("aux", "versions: ['1', nul]")
    said = told(site)[1]
    assert ["Windows reserves the name" in line for line in said] == [True, True]
    assert "perhaps you mean 'nul-1'" in "".join(said)


# Emptiness, data files, hints


def test_a_catalog_without_an_item_warns(site: SiteFolder) -> None:
    configure(site)
    assert told(site) == (
        False,
        [
            "mkdocs.yml:6:7: catalog-api: the catalog has not a single item"
            " (add pages such as images/nginx.md, or set `pages` or `data` of a collection)"
        ],
    )


@pytest.mark.parametrize("name", ["images.yaml", "images.json", "images.yml"])
def test_a_data_file_may_have_any_of_the_usual_endings(site: SiteFolder, name: str) -> None:
    site.write(name, '[{"name": "A", "category": "Web", "tier": "core", "license": "MIT"}]\n')
    assert list(items(site)) == ["a"]


def test_two_data_files_beside_each_other_are_an_error(site: SiteFolder) -> None:
    configure(site)
    site.image("nginx")
    site.write("images.yml", "[]\n")
    site.write("images.json", "[]\n")
    assert told(site) == (
        True,
        [
            "mkdocs.yml:6:7: catalog-api.images.data: images.yml and images.json stand beside each other"
            " (keep one of them, or name it: `data: …`)"
        ],
    )
    configure(site, f"registry: {REGISTRY}\nimages: {{data: images.yml}}")
    assert told(site) == (False, [])


def test_pages_in_a_likely_folder_are_hinted_at(site: SiteFolder) -> None:
    configure(site)
    site.page("catalog/images/nginx.md", REQUIRED)
    site.page("catalog/images/redis.md", REQUIRED)
    hints = [line for line in told(site, level=Level.INFO)[1] if "images.pages" in line]
    assert hints == [
        "mkdocs.yml:6:7: catalog-api.images.pages: no page is an item of images, but catalog/images holds 2"
        " (if those are items, write `images: {pages: catalog/images/**/*.md}`)"
    ]


# Settings


def test_faults_of_settings_come_all_at_once(site: SiteFolder) -> None:
    configure(
        site,
        "registy: x\n"
        "images: {fields: {tier: text, port: int}, vocabulary: {size: [a]}, verify: {identity: a}}\n"
        "charts: {defaults: {tire: core}}\n"
        "security: {max_report_size: 512, accept: [partly]}",
    )
    refused, said = told(site)
    assert refused
    assert [line.split(": ", 2)[1].removeprefix("catalog-api.") for line in said] == [
        "registy",
        "images.fields.tier",
        "images.fields.port.type",
        "images.vocabulary.size",
        "images.verify",
        "charts.defaults.tire",
        "security.max_report_size",
        "security.accept[0]",
    ]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("security: {max_report_size: 0MB}", "'0MB' is not a size"),
        ("security: {max_report_size: 512 MB}", "'512 MB' is not a size"),
        ("security: {max_report_size: 512mb}", "'512mb' is not a size"),
        ("security: {max_report_size: 1.5GB}", "'1.5GB' is not a size"),
        ("security: {accept: [partial, partial]}", "'partial' stands here twice"),
        ("lookups: [digest]", "'digest' is not digests, cves or renovate (perhaps you mean 'digests')"),
        ("history: /var", "'/var' is not a relative path"),
        ("security: {publish_vex: 1}", "expected true or false, got 1"),
        ("images: {verify: {key: 'http://a.org/k'}}", "'http://a.org/k' is not an https address"),
        ("images: {verify: {}}", "nothing says who signs"),
        ("images: {verify: {identity: a, identity_regexp: ^a}}", "exclude each other"),
        ("images: {verify: {identity: a, key: 'https://a.org/k'}}", "needs no identity"),
        ("images: {verify: {identity_regexp: a, issuer: 'https://a.org'}}", "'a' does not begin with ^"),
        ("images: {verify: {identity_regexp: '^(', issuer: 'https://a.org'}}", "is not a regular expression"),
        ("roadmap: {verify: {key: 'https://a.org/k'}}", "there is nothing to verify in roadmap"),
    ],
)
def test_a_new_setting_is_refused_with_what_to_write(site: SiteFolder, setting: str, said: str) -> None:
    configure(site, setting)
    refused, lines = told(site)
    assert refused
    assert len(lines) == 1
    assert said in lines[0]
    assert lines[0].startswith("mkdocs.yml:6:")


def test_a_page_that_verifies_in_another_way_is_checked(site: SiteFolder) -> None:
    configure(site, f"registry: {REGISTRY}\nimages: {{verify: {{key: 'https://example.org/cosign.pub'}}}}")
    site.image("nginx")
    site.image("redis", "verify: {identityRegexp: acme, issuer: https://example.org}")
    site.image("caddy", "verify: {identity: a@example.org}")
    said = told(site)[1]
    assert len(said) == 2
    assert said[0].startswith(
        "docs/images/caddy.md:5:1: verify: an identity means nothing without its `issuer`"
    )
    assert said[1].startswith(
        "docs/images/redis.md:5:10: verify.identityRegexp: 'acme' does not begin with ^ (write '^acme')"
    )


# The command line


def test_the_configuration_of_properdocs_is_found(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(site)
    site.image("nginx")
    (site.folder / "mkdocs.yml").rename(site.folder / "properdocs.yml")
    monkeypatch.chdir(site.folder)
    assert call("check").exit_code == 0


def test_diff_lists_new_images_and_charts(site: SiteFolder, tmp_path: Path) -> None:
    site.image("nginx")
    site.build(site_dir=str(tmp_path / "old"))
    site.image("redis")
    site.page("charts/web.md", REQUIRED)
    site.build(site_dir=str(tmp_path / "new"))
    found = call("diff", "--json", tmp_path / "old", tmp_path / "new")
    changes = {(change["where"], change["message"]) for change in json.loads(found.output)["changes"]}
    assert {("images/redis/index.json", "redis is new"), ("charts/web/index.json", "web is new")} <= changes
    assert found.exit_code == 0


def test_verbose_mkdocs_tells_every_place(site: SiteFolder, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(5):
        site.page(f"images/n{number}.md", "category: Tools\nlicense: MIT")
    caplog.set_level(logging.DEBUG, "mkdocs.plugins.catalog-api")
    result = site.build()
    assert sum("tier: required, but not given" in line for line in result.logged()) == 5
