"""What a visitor finds through the site's search: items, and not the headings of what is filled in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from .sites import Result, SiteFolder
from .test_build import small

FILLED = {"Versions", "Vulnerabilities", "Badges"}
"""Headings of the part of an item's page that the catalog fills in."""


def entries(result: Result) -> list[dict[str, Any]]:
    index = json.loads((result.folder / "site/search/search_index.json").read_bytes())
    found: list[dict[str, Any]] = index["docs"]
    return found


def found(result: Result, word: str) -> set[str]:
    """Pages with an entry that has the word."""
    return {
        entry["location"].partition("#")[0]
        for entry in entries(result)
        if word in f"{entry['title']} {entry['text']}"
    }


def headings(page: Path) -> set[str]:
    html = lxml.html.document_fromstring(page.read_text("utf-8"))
    texts = {" ".join(heading.text_content().split()) for heading in html.xpath("//h2|//h3|//h4")}
    return texts - {"Search"}  # of the theme's own box


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_an_image_is_found_by_what_people_look_for_and_its_page_is_whole(
    site: SiteFolder, theme: str
) -> None:
    small(site).image("delta", "name: Delta Proxy\ndescription: Balances load", category="Gateways")
    page = site.folder / "site/images/alpha/index.html"
    site.config |= {"theme": {"name": theme}, "plugins": [{"catalog-api": site.settings}]}
    assert not site.mkdocs(strict=True).failed
    alone = headings(page)
    site.config["plugins"].insert(0, "search")
    result = site.mkdocs(strict=True)
    for words, place in (("Delta Proxy,Balances load,Gateways", "delta"), ("1.10,openssl", "alpha")):
        for word in words.split(","):
            assert f"images/{place}/" in found(result, word)
    for id_ in ("CVE-2026-0001", "CVE-2026-0002"):
        assert not found(result, id_)
    assert not FILLED & {entry["title"] for entry in entries(result)}
    assert headings(page) == alone >= FILLED
    text = page.read_text("utf-8")
    assert text.count("<h1") == 1
    for shown in ("CVE-2026-0001", "openssl: flaw", "1.10", "1.9"):
        assert shown in text


def test_the_index_of_the_example_stays_small(example: Result) -> None:
    items = [entry for entry in entries(example) if entry["location"].startswith(("images/", "charts/"))]
    assert sum(len(entry["text"]) for entry in items) < 60_000
    of_images = {entry["title"] for entry in entries(example) if entry["location"].startswith("images/")}
    assert len(of_images) > 30 and not FILLED & of_images
    images = example.json("images.json")["data"]
    for image in images:
        pages = found(example, image["name"])
        assert image["url"].removeprefix("/hardened/") in pages, image["slug"]
    ids = {row["id"] for row in example.json(f"security/{images[0]['slug']}.json")["latest"]["cves"] or ()}
    text = " ".join(entry["text"] for entry in entries(example) if entry["location"].startswith("cves/"))
    for id_ in ids:
        assert found(example, id_) == {"cves/"}
        assert len(re.findall(rf"{id_}\b", text)) == 1


def test_the_example_finds_versions_and_settings_whole(example: Result) -> None:
    index = json.loads((example.folder / "site/search/search_index.json").read_bytes())
    separator = index["config"]["separator"]
    assert re.split(separator, "max_age of nginx:1.29.3") == ["max_age", "of", "nginx", "1.29.3"]
