"""Pages of entries without a page of their own, and the own fields that lists show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .pages import filled, names, words
from .sites import SiteFolder
from .test_cli import call
from .test_plays_well import build

DATA = """
- {name: Node.js LTS, category: Run, description: Runs it all., versions: [24.11.0]}
- {name: Redis, slug: redis, category: Databases, page: docker/redis.md}
"""


def listed(site: SiteFolder) -> SiteFolder:
    site.write("images.yml", DATA)
    site.write("charts.yml", "- {name: Web, category: X, versions: [1.0.0]}")
    site.write("docs/docker/redis.md", "# Redis\n\nWritten by hand.\n")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n")
    return site


def urls(documents: Any) -> dict[str, str]:
    return {item["slug"]: item["url"] for item in documents["data"]}


@pytest.mark.parametrize("directories", [True, False])
def test_a_page_like_any_other(site: SiteFolder, directories: bool) -> None:
    theme = {"name": "material", "font": False} if directories else {"name": "mkdocs"}
    plugins = ("search", "awesome-nav") if directories else ("search",)
    result = build(listed(site), *plugins, use_directory_urls=directories, theme=theme)
    own = "images/node-js-lts/" if directories else "images/node-js-lts.html"
    redis = "docker/redis/" if directories else "docker/redis.html"
    assert urls(result.json("images.json")) == {
        "node-js-lts": f"/catalog/{own}",
        "redis": f"/catalog/{redis}",
    }
    assert urls(result.json("charts.json"))["web"].startswith("/catalog/charts/web")
    folder = site.folder / "site"
    html = (folder / (own + "index.html" if directories else own)).read_text("utf-8")
    assert "<title>Node.js LTS - Catalog</title>" in html and html.count("<h1") == 1
    assert not directories or '<meta name="description" content="Runs it all.">' in html
    assert "24.11.0" in html and "api/v1/images/node-js-lts/index.json" in html
    assert f'href="{own}"' in (folder / "index.html").read_text("utf-8")
    assert f"https://example.org/catalog/{own}" in (folder / "sitemap.xml").read_text("utf-8")
    found = json.loads((folder / "search/search_index.json").read_bytes())["docs"]
    assert any(entry["location"] == own and "Runs it all." in entry["text"] for entry in found)
    html = (folder / (redis + "index.html" if directories else redis)).read_text("utf-8")
    assert "Written by hand." in html and "node-js-lts" not in html, "it is not in the navigation"


@pytest.mark.parametrize("front_matter", ["catalog: false", "slug: other"])
def test_a_page_in_its_place_is_an_error(site: SiteFolder, front_matter: str) -> None:
    listed(site).page("images/node-js-lts.md", front_matter)
    expected = (
        "docs/images/node-js-lts.md already has the URL of the item's page, images/node-js-lts/ "
        "(add `page: images/node-js-lts.md` to the entry, or set `item_pages: false`)"
    )
    result = site.mkdocs()
    assert result.failed
    assert f"images.yml:1:3: node-js-lts: [0]: {expected}" in result.logged()
    assert expected in call("check", "-f", site.folder / "mkdocs.yml").output


def test_cards_show_fields_that_are_set_and_lists_filter_by_few_words(site: SiteFolder) -> None:
    fields = {"fips": {"type": "boolean", "card": True}, "upstream": {"type": "url", "card": True}}
    site.settings["images"] = {"fields": fields | {"shell": {"values": ["bash", "none"]}, "json": "text"}}
    for number in range(6):  # so many that their list has filters
        own = f"fips: {number == 1}\nshell: {'bash' if number % 2 else 'none'}\njson: a"
        tier = "tier: edge\ncategory: Tools" if number else "tier: core\ncategory: Web"
        site.page(f"images/app-{number}.md", f"{tier}\n{own}\nupstream: https://example.org/up")
    assert names(filled(site, "images shell=bash fips=true")) == ["app-1"]
    html = filled(site, "images")
    headings = ["Image", "Category", "Tier", "Fips", "Upstream"]
    assert [words(heading) for heading in html.xpath(".//thead//th")][:5] == headings
    row = html.xpath(".//tr[@data-item][.//a[contains(@href, 'app-1')]]")[0]
    (fips,) = row.xpath("./td[@data-f='custom.fips']")
    assert (words(fips), fips.get("data-label")) == ("yes", "fips")
    assert row.xpath(".//a[@data-to='{custom.upstream}']/@href") == ["https://example.org/up"]
    for name, known in (
        ("fips", ["true", "false"]),
        ("shell", ["bash", "none"]),
        ("tier", ["core", "edge"]),
        ("category", ["Tools", "Web"]),
    ):
        assert html.xpath(f".//form//input[@name='{name}']/@value") == known
    assert '"fips": "custom.fips"' in html.xpath(".//div/@data-paths")[0]
