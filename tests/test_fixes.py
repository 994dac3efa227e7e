"""`fixes.json`: since when critical and high vulnerabilities are open, and when they were fixed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .past import ONE, TWO, Past, row
from .sites import SiteFolder


@pytest.fixture
def past(site: SiteFolder) -> Past:
    past = Past(site)
    past.image()
    past.scan("nginx", "1.0", [])
    past.day("2026-01-01")
    return past


def fixes(past: Past) -> Any:
    past.documents()
    return json.loads((past.site.folder / "site/api/v1/fixes.json").read_bytes())


def entries(past: Past) -> list[tuple[Any, ...]]:
    """(id, severity, first seen, fixed, fixed in, days, reason) of each entry."""
    keys = ("id", "severity", "firstSeen", "fixed", "fixedIn", "days", "reason")
    return [tuple(entry[key] for key in keys) for entry in fixes(past)["data"]]


def rebuilt(past: Past, date: str, build: str, *rows: Any) -> None:
    past.image(v1_0=build)
    past.scan("nginx", "1.0", rows, build)
    past.day(date)


def test_fixes_within_7_30_and_90_days_and_the_age_of_the_open_ones(past: Past) -> None:
    urgent = [row(f"CVE-2026-000{number}", "CRITICAL") for number in range(1, 6)]
    rebuilt(past, "2026-01-02", "a", *urgent, row("CVE-2026-0009", "MEDIUM"))
    rebuilt(past, "2026-01-09", "b", *urgent[1:])  # 7 days
    rebuilt(past, "2026-02-01", "c", *urgent[2:], row("CVE-2026-0008"))  # 30 days
    rebuilt(past, "2026-04-03", "d", *urgent[3:], row("CVE-2026-0008"))  # 91 days
    document = fixes(past)
    assert document["within"]["critical"] == {"fixed": 3, "days7": 0.333, "days30": 0.666, "days90": 0.666}
    assert document["within"]["high"] == {"fixed": 0, "days7": None, "days30": None, "days90": None}
    assert document["open"] == {"critical": [91, 91], "high": [61]}
    assert document["total"] == 6
    assert [entries(past)[2], entries(past)[5]] == [
        ("CVE-2026-0003", "CRITICAL", "2026-01-02", "2026-04-03", "1.0", 91, "rebuilt"),
        ("CVE-2026-0008", "HIGH", "2026-02-01", None, None, None, None),
    ]


def test_what_was_there_before_the_history_has_no_days(site: SiteFolder) -> None:
    past = Past(site)
    rebuilt(past, "2026-01-01", "a", row(ONE), row(TWO))
    rebuilt(past, "2026-01-03", "b", row(TWO))
    assert entries(past) == [
        (ONE, "HIGH", "2026-01-01", "2026-01-03", "1.0", None, "rebuilt"),
        (TWO, "HIGH", "2026-01-01", None, None, None, None),
    ]
    document = fixes(past)
    assert document["within"]["high"]["fixed"] == 0
    assert document["open"]["high"] == [2]
