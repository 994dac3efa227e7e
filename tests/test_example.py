"""The example site: what a visitor and a client find there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import lxml.html

from .contract import check
from .pages import words
from .sites import Result

EXAMPLE = Path(__file__).parent.parent / "example_site"
CUSTOM = {"images": ["upstream", "port", "fips", "shell"]}


def test_it_holds_the_contract(example: Result) -> None:
    assert check(example.folder / "site", "/hardened", CUSTOM) == []


def test_it_shows_what_a_catalog_has(example: Result) -> None:
    images = example.json("images.json")["data"]
    assert len(images) >= 30
    assert example.json("charts.json")["total"] >= 10
    assert example.json("roadmap.json")["total"] >= 10
    updates = example.json("updates.json")["data"]
    assert len(updates) >= 20
    assert {update["outcome"] for update in updates} == {"shipped", "held", "skipped"}
    assert any(image["versions"] and not image["security"]["scanned"] for image in images)
    assert {"1.10"} <= {version["version"] for image in images for version in image["versions"]}
    assert {"available", "deprecated", "withdrawn", "planned"} == {image["lifecycle"] for image in images}


def test_its_home_page_verifies_an_image_as_the_page_of_the_image_does(example: Result) -> None:
    text = (EXAMPLE / "docs/index.md").read_text("utf-8")
    (command,) = re.findall(r"^(cosign verify .*?)^```$", text, re.DOTALL | re.MULTILINE)
    verify = example.json("images/nginx/index.json")["data"]["verify"]
    assert shlex.split(command.replace("\\\n", "")) == shlex.split(verify["command"])


def test_its_table_of_badges_explains_every_badge(example: Result) -> None:
    text = (EXAMPLE / "docs/badges.md").read_text("utf-8")
    names = [name for row in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE) for name in row.split(", ")]
    assert sorted(names) == sorted(f"`{name}`" for name in example.json("index.json")["badges"])


def test_its_pages_have_words_that_can_be_understood(example: Result) -> None:
    """They count one in the singular, separate labels from values, and name the subject."""
    site = example.folder / "site"
    plural = r"\b(?<![\d.,-])1 (?:days|places|images|charts|versions|vulnerabilities|findings|changes)\b"
    unclear = r"and \d+ elsewhere|\d, but \d+ new|Find in \d|\bOne page of\b|\bListed as\b"
    pairs = 0
    for path in site.rglob("*.html"):
        if path.is_relative_to(site / "guide"):
            continue
        for part in lxml.html.document_fromstring(path.read_text("utf-8")).find_class("catalog"):
            assert re.findall(plural, words(part)) == [], path
            text = " ".join([words(part), *part.xpath(".//@placeholder | .//@aria-label | .//@data-label")])
            assert re.findall(unclear, text) == [], path
            labels = part.xpath(".//dt | .//svg/text[1]")
            assert [label.text for label in labels if label.tail != " "] == [], path
            pairs += len(labels)
            headings = {words(heading).strip() for heading in part.xpath(".//thead//th")}
            assert "In" not in headings, path
            if path == site / "cves/index.html":
                assert not headings & {"Images", "Newest"}, "of what, is the question"
    assert pairs > 500
