"""Fields of a catalog's own that have the name of a built-in one: the JSON has the own value, pages both."""

from __future__ import annotations

import pytest

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
    result = shadowed.build(strict=True)
    assert not result.failed, result.logged()
    for path in ("images/app-1/index.html", "charts/stack/index.html"):
        commands = [words(code) for code in page(result, path).xpath(".//div[@class='catalog-pull']/code")]
        (command,) = [text for text in commands if text.startswith("cosign verify")]
        assert IDENTITY in command


def test_the_category_filter_keeps_its_words(shadowed: SiteFolder) -> None:
    result = shadowed.build(strict=True)
    assert not result.failed, result.logged()
    choices = page(result, "index.html").xpath(".//form//input[@name='category']/@value")
    assert choices == ["Tools", "Web"]


@pytest.mark.parametrize("name", ["verify", "categories"])
def test_a_default_is_held_against_the_own_field(site: SiteFolder, name: str) -> None:
    site.settings["images"] = {"fields": {name: "integer"}, "defaults": {name: "many"}}
    site.image("nginx")
    result = site.build()
    assert result.failed
    assert any(f"images.defaults.{name}" in text for text in result.logged())
