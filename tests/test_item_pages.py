"""Items of a data file without a page get one in MkDocs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .sites import SiteFolder
from .test_cli import call
from .test_plays_well import build

DATA = """
- {name: Node.js LTS, category: Run, tier: core, license: MIT, description: Runs it all., versions: [24.11.0]}
- {name: Redis, slug: redis, category: Databases, tier: core, license: MIT, page: docker/redis.md}
"""


def listed(site: SiteFolder) -> None:
    site.write("images.yml", DATA)
    chart = "- {name: Web, category: X, tier: core, license: MIT, versions: [1.0.0]}"
    site.write("charts.yml", chart)
    site.write("docs/docker/redis.md", "# Redis\n\nWritten by hand.\n")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n")


def urls(documents: Any) -> dict[str, str]:
    return {item["slug"]: item["url"] for item in documents["data"]}


@pytest.mark.parametrize("directories", [True, False])
def test_a_page_like_any_other(site: SiteFolder, directories: bool) -> None:
    listed(site)
    result = build(site, "search", use_directory_urls=directories)
    page = "images/node-js-lts/" if directories else "images/node-js-lts.html"
    redis = "docker/redis/" if directories else "docker/redis.html"
    assert urls(result.json("images.json")) == {
        "node-js-lts": f"/catalog/{page}",
        "redis": f"/catalog/{redis}",
    }
    assert urls(result.json("charts.json"))["web"].startswith("/catalog/charts/web")
    folder = site.folder / "site"
    html = (folder / (page + "index.html" if directories else page)).read_text("utf-8")
    assert "<title>Node.js LTS - Catalog</title>" in html and html.count("<h1") == 1
    assert "24.11.0" in html and "api/v1/images/node-js-lts/index.json" in html
    home = (folder / "index.html").read_text("utf-8")
    assert f'href="{page}"' in home
    assert f"https://example.org/catalog/{page}" in (folder / "sitemap.xml").read_text("utf-8")
    found = json.loads((folder / "search/search_index.json").read_bytes())["docs"]
    assert any(entry["location"] == page and "Runs it all." in entry["text"] for entry in found)


def test_it_is_not_in_the_navigation(site: SiteFolder) -> None:
    listed(site)
    build(site, "awesome-nav", theme={"name": "material", "font": False})
    html = (site.folder / "site/docker/redis/index.html").read_text("utf-8")
    assert "Written by hand." in html and "node-js-lts" not in html
    made = (site.folder / "site/images/node-js-lts/index.html").read_text("utf-8")
    assert '<meta name="description" content="Runs it all.">' in made


def test_without_the_setting_the_url_is_the_page_of_the_list(site: SiteFolder) -> None:
    listed(site)
    site.settings["images"] = {"item_pages": False}
    result = build(site)
    assert urls(result.json("images.json"))["node-js-lts"] == "/catalog/"
    assert not (site.folder / "site/images").exists()


@pytest.mark.parametrize(
    "front_matter", ["catalog: false", "slug: other\ncategory: X\ntier: y\nlicense: MIT"]
)
def test_a_page_in_its_place_is_an_error(site: SiteFolder, front_matter: str) -> None:
    listed(site)
    site.page("images/node-js-lts.md", front_matter)
    expected = (
        "docs/images/node-js-lts.md already has the URL of the item's page, images/node-js-lts/ "
        "(add `page: images/node-js-lts.md` to the entry, or set `item_pages: false`)"
    )
    result = site.mkdocs()
    assert result.failed
    assert f"images.yml:1:3: node-js-lts: [0]: {expected}" in result.logged()
    assert expected in call("check", "-f", site.folder / "mkdocs.yml").output


def test_an_own_field_with_the_name_page(site: SiteFolder) -> None:
    listed(site)
    site.settings["images"] = {"fields": {"page": "text"}}
    result = build(site)
    assert urls(result.json("images.json"))["redis"] == "/catalog/images/redis/"
    assert (site.folder / "site/images/redis/index.html").exists()


def test_another_generator_makes_no_such_page(site: SiteFolder) -> None:
    listed(site)
    path = site.write_config()
    site.write("site/index.html", "<html><head></head><body><!-- catalog: images --></body></html>")
    site.write("site/docker/redis/index.html", "<html><head></head><body></body></html>")
    result = call("build", "--web", "-f", path)
    assert result.exit_code == 0, result.output
    images = json.loads((site.folder / "site/api/v1/images.json").read_bytes())
    assert urls(images) == {"node-js-lts": "/catalog/", "redis": "/catalog/docker/redis/"}
