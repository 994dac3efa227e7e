"""The counts that a recorded day stores: those of the security summary, for all and for available images."""

from __future__ import annotations

import json
from typing import Any

import lxml.html
import pytest

from .past import ONE, TWO, Past
from .sites import SiteFolder, built, rendered, row

FIRST, SECOND, THIRD = "2026-11-01", "2026-11-02", "2026-11-03"


@pytest.fixture
def past(site: SiteFolder) -> Past:
    """One day of a available image, a deprecated one, a planned one, and one that nobody scanned."""
    past = Past(site)
    site.write("docs/past.md", "# Past\n\n<!-- catalog: trend -->\n")
    past.image("nginx", "1.0")
    # One vulnerability in two versions of one package counts twice, as on every other page.
    past.scan("nginx", "1.0", [row(ONE, fixed="2"), row(ONE) | {"InstalledVersion": "9"}])
    past.image("old", "1.0", lifecycle="deprecated", v1_0="old")
    past.scan("old", "1.0", [row(TWO, "LOW", fixed="")], "old")
    past.image("plan", "1.0", lifecycle="planned", v1_0="plan")
    past.scan("plan", "1.0", [row(TWO)], "plan")
    past.image("unscanned", "1.0", v1_0="unscanned")
    past.day(FIRST)
    return past


def counts(past: Past) -> dict[str, Any]:
    """What today's summary says of both populations."""
    summary = built(past.site).json("security.json")
    names = ("total", "bySeverity", "fixable", "exploited", "scanned")
    every = {name: summary[name] for name in names} | {
        "images": len(summary["images"]) + len(summary["unscanned"])
    }
    available = {name: summary["available"][name] for name in (*names, "images")}
    return {"all": every, "available": available}


def page(past: Past) -> str:
    """The text of the page with the trend, as a build shows it."""
    rendered(past.site)
    body = lxml.html.parse(past.site.folder / "site/past/index.html").getroot()
    return str(body.text_content())


def test_a_day_stores_the_counts_of_the_summary(past: Past) -> None:
    stored = json.loads(past.file(FIRST).read_bytes())["figures"]
    assert stored == counts(past)
    assert (stored["all"]["total"], stored["available"]["total"]) == (3, 2)
    assert (stored["all"]["images"], stored["available"]["images"]) == (3, 2)
    assert "2 open in available images, 3 in all images" in page(past)


def test_the_last_day_of_every_trend_is_the_summary(past: Past) -> None:
    past.unscan("nginx", "1.0")
    past.image("old", "1.0", v1_0="old")
    past.day(SECOND)
    summary = counts(past)
    last = past.documents()["changes.json"]["data"][0]
    assert {name: last[name] for name in ("all", "available")} == summary
    text = page(past)
    assert "1 open in available images" in text
    assert "in all images" not in text, "the same number is told once"


def test_a_new_day_changes_no_document_of_an_older_one(past: Past) -> None:
    past.day(SECOND)
    api = past.site.folder / "site/api/v1/changes"
    past.documents()
    before = {path.name: path.read_bytes() for path in api.iterdir()}
    past.scan("old", "1.0", [], "old")
    past.day(THIRD)
    past.documents()
    assert {path.name: path.read_bytes() for path in api.iterdir() if path.name in before} == before
