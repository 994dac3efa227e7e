"""Fields of a catalog's own that have the name of a built-in one: the JSON has the own value, pages both."""

from __future__ import annotations

import json

import pytest

from .authors import configure, told
from .sites import SiteFolder, digest
from .test_web import page, words

IDENTITY = "https://example.org/signer"


@pytest.fixture
def shadowed(site: SiteFolder) -> SiteFolder:
    """Six images, so that their list has filters, and a chart."""
    signer = {"identity": IDENTITY, "issuer": "https://example.org/issuer"}
    fields = {"verify": "text", "categories": {"type": "text", "list": True}}
    defaults = {"verify": "ask the team"}
    for name in ("images", "charts"):
        site.settings[name] = {"fields": fields, "verify": signer, "defaults": defaults}
    for number in range(6):
        site.image(
            f"app-{number}",
            f"categories: [own {number}, other]\nversions: [{{version: '1', digest: '{digest(number)}'}}]",
            category="Web" if number % 2 else "Tools",
        )
    site.page(
        "charts/stack.md",
        "category: Tools\ntier: core\nlicense: MIT\nchart: oci://registry.example.org/charts/stack\n"
        "versions: ['1.0.0']\nverify: by hand",
    )
    site.write("docs/index.md", "# Images\n\n<!-- catalog: images -->\n")
    return site


def test_the_json_has_the_own_values(shadowed: SiteFolder) -> None:
    result = shadowed.build(strict=True)
    assert not result.failed, result.logged()
    image = result.json("images/app-1/index.json")["data"]
    assert (image["category"], image["categories"]) == ("Web", ["own 1", "other"])
    assert image["verify"] == "ask the team"
    assert result.json("charts/stack/index.json")["data"]["verify"] == "by hand"


def test_pages_verify_as_the_collection_says(shadowed: SiteFolder) -> None:
    result = shadowed.mkdocs(strict=True)
    assert not result.failed, result.logged()
    for path in ("images/app-1/index.html", "charts/stack/index.html"):
        commands = [words(code) for code in page(result, path).xpath(".//div[@class='catalog-pull']/code")]
        (command,) = [text for text in commands if text.startswith("cosign verify")]
        assert IDENTITY in command


def test_the_category_filter_keeps_its_words(shadowed: SiteFolder) -> None:
    result = shadowed.mkdocs(strict=True)
    assert not result.failed, result.logged()
    choices = page(result, "index.html").xpath(".//form//input[@name='category']/@value")
    assert choices == ["Tools", "Web"]


def test_the_category_filter_has_every_category_of_an_item(shadowed: SiteFolder) -> None:
    shadowed.image("app-6", "categories: [own]\nversions: ['1']", category="[Web, Proxy]")
    result = shadowed.mkdocs(strict=True)
    assert not result.failed, result.logged()
    image = result.json("images/app-6/index.json")["data"]
    assert (image["category"], image["categories"]) == ("Web", ["own"])
    html = page(result, "index.html")
    assert html.xpath(".//form//input[@name='category']/@value") == ["Proxy", "Tools", "Web"]
    (categories,) = html.xpath(".//div/@data-categories")
    assert json.loads(categories)["app-6"] == ["Web", "Proxy"]


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


@pytest.mark.parametrize("name", ["verify", "categories"])
def test_a_default_is_held_against_the_own_field(site: SiteFolder, name: str) -> None:
    site.settings["images"] = {"fields": {name: "integer"}, "defaults": {name: "many"}}
    site.image("nginx")
    result = site.build()
    assert result.failed
    assert any(f"images.defaults.{name}" in text for text in result.logged())
