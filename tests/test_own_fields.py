"""Custom fields: an object of their own in the JSON, next to built-in ones everywhere else."""

from __future__ import annotations

import pytest

from mkdocs_catalog_api.catalog.collections import WITH_DOCUMENTS

from .authors import configure, told
from .pages import page, words
from .sites import SiteFolder, built, rendered

FIELDS = {
    "port": "integer",
    "fips": {"type": "boolean", "card": True},
    "shell": {"values": ["bash", "none"]},
    "notes": {"type": "text", "list": True},
    "upstream": {"type": "url", "card": True},
    "json": "text",
}


@pytest.fixture
def own(site: SiteFolder) -> SiteFolder:
    """Six images, so that their list has filters, and a chart."""
    for name in WITH_DOCUMENTS:
        site.settings[name] = {"fields": FIELDS, "version_fields": {"built": "date"}}
    for number in range(6):
        site.image(
            f"app-{number}",
            f"port: {number}\nfips: {number == 1}\nshell: {'bash' if number % 2 else 'none'}\njson: a\n"
            "upstream: https://example.org/up\nversions: [{version: '1', built: 2026-01-02}]",
        )
    site.page("charts/stack.md", "notes: [a, b]\nversions: ['1.0.0']")
    site.write("docs/index.md", "# Images\n\n<!-- catalog: images -->\n")
    return site


def test_the_json_has_them_in_an_object(own: SiteFolder) -> None:
    result = built(own)
    custom = {
        "port": 1,
        "fips": True,
        "shell": "bash",
        "notes": [],
        "upstream": "https://example.org/up",
        "json": "a",
    }
    image = result.json("images/app-1/index.json")["data"]
    assert [*image][-1] == "custom" and image["custom"] == custom and [*image["custom"]] == [*FIELDS]
    assert image["versions"][0]["custom"] == {"built": "2026-01-02"}
    chart = result.json("charts/stack/index.json")["data"]
    assert chart["custom"] == dict.fromkeys(FIELDS) | {"notes": ["a", "b"]}
    assert chart["versions"][0]["custom"] == {"built": None}


def test_brief_lists_have_those_that_lists_show_and_the_search_has_all(own: SiteFolder) -> None:
    result = built(own)
    entry = result.json("images/index.json")["data"][1]
    assert entry["custom"] == {"fips": True, "shell": "bash", "upstream": "https://example.org/up"}
    found = result.json("search.json")["data"][1]
    assert found["custom"] == result.json("images/app-1/index.json")["data"]["custom"]


def test_without_them_the_object_is_empty(site: SiteFolder) -> None:
    site.image("a", "versions: ['1']")
    result = built(site)
    image = result.json("images/a/index.json")["data"]
    assert image["custom"] == image["versions"][0]["custom"] == {}
    assert result.json("images/index.json")["data"][0]["custom"] == {}


def test_pages_show_them(own: SiteFolder) -> None:
    html = page(rendered(own), "images/app-1/index.html")
    facts = [words(fact) for fact in html.xpath(".//dl[@class='catalog-facts']/div")]
    assert facts[-3:] == ["Port 1", "Shell bash", "Json a"]
    assert "Upstream" in [words(link) for link in html.xpath(".//a[@href='https://example.org/up']")]
    assert "Fips" in [words(chip) for chip in html.xpath(".//span[@class='catalog-chip']")]


def test_cards_show_those_that_are_set_and_lists_filter_by_few_words(own: SiteFolder) -> None:
    html = page(rendered(own), "index.html")
    headings = [words(heading) for heading in html.xpath(".//thead//th")]
    assert headings[:5] == ["Image", "Category", "Tier", "Fips", "Upstream"]
    row = html.xpath(".//tr[@data-item]")[1]
    assert words(row.xpath("./td[@data-f='custom.fips']")[0]) == "yes"
    assert row.xpath("./td[@data-f='custom.fips']/@data-label") == ["fips"]
    assert row.xpath(".//a[@data-to='{custom.upstream}']/@href") == ["https://example.org/up"]
    for name, values in (("fips", ["true", "false"]), ("shell", ["bash", "none"])):
        assert html.xpath(f".//form//input[@name='{name}']/@value") == values
    assert '"fips": "custom.fips"' in html.xpath(".//div/@data-paths")[0]


def test_a_marker_filters_by_them(own: SiteFolder) -> None:
    own.write("docs/index.md", "# Images\n\n<!-- catalog: images shell=bash port=3 -->\n")
    html = page(rendered(own), "index.html")
    assert len(html.xpath(".//tr[@data-item]")) == 1


def test_front_matter_can_not_contain_the_object(site: SiteFolder) -> None:
    site.image("a", "custom: {port: 1}")
    site.write_config()
    refused, problems = told(site)
    assert refused and "custom: `custom` is computed" in problems[0]


def test_faults_of_own_and_built_in_fields_are_told_at_once(site: SiteFolder) -> None:
    configure(
        site,
        "registry: a.b/c\nimages:\n  fields: {upstream: {type: url, required: true}}\n"
        "  version_fields: {port: integer, flavor: {type: text, required: true}}",
    )
    site.page(
        "images/nginx.md",
        """
        category: Tools
        tier: core
        licens: MIT
        versions:
          - "1/2"
          - {version: "2", port: x, flavor: a, released: soon}
          - {version: "1", flavr: a, relesed: 2026-11-20}
        """,
    )
    refused, problems = told(site)
    assert refused
    assert [problem.removeprefix("docs/images/nginx.md:").split(": ")[:2] for problem in problems] == [
        ["2:1", "upstream"],
        ["4:1", "licens"],
        ["6:5", "versions[0]"],
        ["6:5", "versions[0]"],
        ["7:20", "versions[1].port"],
        ["7:40", "versions[1].released"],
        ["8:5", "versions[2].flavor"],
        ["8:20", "versions[2].flavr"],
        ["8:30", "versions[2].relesed"],
    ]
    meant = [problem.split(" (did you mean ")[-1] for problem in problems[-2:]]
    assert meant == ["`flavor`?)", "`released`?)"]


def test_a_default_is_checked_against_the_field(site: SiteFolder) -> None:
    site.settings["images"] = {"fields": {"port": "integer"}, "defaults": {"port": "many"}}
    site.image("nginx")
    result = site.build()
    assert result.failed
    assert any("images.defaults.port" in text for text in result.logged())


def test_a_catalog_demands_fields(site: SiteFolder) -> None:
    site.settings["images"] = {
        "fields": {
            "license": {"required": True},
            "category": {"required": True},
            "platforms": {"required": True},
        },
        "version_fields": {"released": {"required": True}, "line": {"values": ["1"]}},
    }
    site.page("images/a.md", "versions: ['1', {version: '2', released: 2026-01-02, line: '2'}]")
    site.write_config()
    refused, problems = told(site)
    assert refused
    assert [problem.partition(": ")[2].partition(" (")[0] for problem in problems] == [
        "category: missing required field",
        "license: missing required field",
        "platforms: missing required field",
        "versions[0]: missing required field",
        "versions[1].line: '2' is not 1",
    ]
