"""Pages of items: those of entries without a page of their own, and what all of them show of their fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from .pages import page, words
from .sites import REGISTRY, Result, SiteFolder, rendered, trivy
from .test_cli import call
from .test_items import FIELDS, MARKDOWN, NAMES, PLAIN
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


def test_another_generator_makes_no_such_page(site: SiteFolder) -> None:
    path = listed(site).write_config()
    site.write("site/index.html", "<html><head></head><body><!-- catalog: images --></body></html>")
    site.write("site/docker/redis/index.html", "<html><head></head><body></body></html>")
    result = call("build", "--web", "-f", path)
    assert result.exit_code == 0, result.output
    images = json.loads((site.folder / "site/api/v1/images.json").read_bytes())
    assert urls(images) == {"node-js-lts": "/catalog/", "redis": "/catalog/docker/redis/"}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Items with few and with many fields; there are so many that their lists have filters."""
    site = SiteFolder(tmp_path_factory.mktemp("site"))
    site.config["theme"] = {"name": "material", "font": False}
    site.settings["images"] = {"fields": FIELDS}
    site.page("images/a.md", "versions: ['1']", "# The A")
    site.report("a/1.json", trivy([], tag=f"{REGISTRY}/a:1"))
    site.page(
        "images/nginx.md", f"description: '{MARKDOWN}'\nreplaces: [nginx, docker.io/bitnami/nginx]", "Text."
    )
    site.page("images/old.md", "replacedBy: nginx\nlifecycle: deprecated")
    site.page("charts/old.md", "replacedBy: web\nlifecycle: deprecated")
    site.page("charts/web.md", "", "# The web")
    for number in range(6):
        own = f"port: {number}\nfips: {number == 1}\nshell: {'bash' if number % 2 else 'none'}\njson: a"
        tier = "tier: edge\ncategory: Tools" if number else "tier: core\ncategory: Web"
        site.page(f"images/app-{number}.md", f"{tier}\n{own}\nupstream: https://example.org/up")
    again = "A *fast* [server](https://example.org/). More text."
    site.page("images/said.md", "description: 'A **fast** [server](https://nginx.org).'", f"# S\n\n{again}")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n\n<!-- catalog: badges -->\n")
    site.write("docs/some.md", "# Some\n\n<!-- catalog: images shell=bash port=3 -->\n")
    return rendered(site, strict=True)


def test_a_page_is_silent_about_what_nobody_says(shown: Result) -> None:
    html = page(shown, "images/a/index.html")
    assert "null" not in words(html) and "None" not in words(html).replace("None known in 1.", "")
    assert not {"Category", "Tier", "License"} & {words(label) for label in html.xpath(".//dt")}


def test_a_description_is_rendered_on_its_page_unless_the_text_has_it(shown: Result) -> None:
    file: Path = shown.folder / "site/images/nginx/index.html"
    html = lxml.html.document_fromstring(file.read_text("utf-8"))
    assert html.xpath("//meta[@name='description']/@content") == [PLAIN]
    (lead,) = html.find_class("catalog-lead")
    assert (words(lead), lead.xpath(".//a/@href")) == (PLAIN, ["https://nginx.org"])
    assert [element.tag for element in lead.iter()][1:] == ["strong", "a", "em", "code"]
    assert page(shown, "images/said/index.html").find_class("catalog-lead") == []


def test_a_page_names_what_replaces_its_item(shown: Result) -> None:
    assert "Replaces " + ", ".join(NAMES) in words(page(shown, "images/nginx/index.html"))
    for path, name in (("images/old", "nginx"), ("charts/old", "The web")):
        (answer,) = page(shown, f"{path}/index.html").find_class("catalog-answer")
        assert f"Use {name} instead." in words(answer)


def test_a_page_shows_own_fields(shown: Result) -> None:
    html = page(shown, "images/app-1/index.html")
    facts = [words(fact) for fact in html.xpath(".//dl[@class='catalog-facts']/div")]
    assert facts[-3:] == ["Port 1", "Shell bash", "Json a"]
    assert "Upstream" in [words(link) for link in html.xpath(".//a[@href='https://example.org/up']")]
    assert "Fips" in [words(chip) for chip in html.xpath(".//span[@class='catalog-chip']")]


def test_cards_show_fields_that_are_set_and_lists_filter_by_few_words(shown: Result) -> None:
    html = page(shown, "index.html")
    assert [words(heading) for heading in html.xpath(".//thead//th")][:5] == [
        "Image", "Category", "Tier", "Fips", "Upstream",
    ]  # fmt: skip
    row = html.xpath(".//tr[@data-item][.//a[contains(@href, 'app-1')]]")[0]
    (fips,) = row.xpath("./td[@data-f='custom.fips']")
    assert (words(fips), fips.get("data-label")) == ("yes", "fips")
    assert row.xpath(".//a[@data-to='{custom.upstream}']/@href") == ["https://example.org/up"]
    values = {"fips": ["true", "false"], "shell": ["bash", "none"]}
    for name, known in (values | {"tier": ["core", "edge"], "category": ["Tools", "Web"]}).items():
        assert html.xpath(f".//form//input[@name='{name}']/@value") == known
    assert '"fips": "custom.fips"' in html.xpath(".//div/@data-paths")[0]


def test_a_marker_filters_by_own_fields(shown: Result) -> None:
    assert len(page(shown, "some/index.html").xpath(".//tr[@data-item]")) == 1
