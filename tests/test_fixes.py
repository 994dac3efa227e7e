"""`fixes.json`: since when critical and high vulnerabilities are open, and when they were fixed. And the
digests of `history/{slug}.json`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.history.days import Folder
from mkdocs_catalog_api.history.state import Seen

from .contract import history
from .contract.api import Api
from .past import ONE, TWO, Past, digest, documents, row
from .sites import SiteFolder
from .test_history_rules import recorded, snapshots


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


def test_an_id_is_fixed_when_it_is_in_no_package_any_more(past: Past) -> None:
    rebuilt(past, "2026-01-02", "a", row(ONE, pkg="a"), row(ONE, pkg="b"))
    rebuilt(past, "2026-01-03", "b", row(ONE, pkg="b"))
    assert entries(past) == [(ONE, "HIGH", "2026-01-02", None, None, None, None)]
    rebuilt(past, "2026-01-05", "c")
    assert entries(past) == [(ONE, "HIGH", "2026-01-02", "2026-01-05", "1.0", 3, "rebuilt")]


def test_the_worst_severity_counts(past: Past) -> None:
    rebuilt(past, "2026-01-02", "a", row(ONE, "MEDIUM"), row(TWO, "CRITICAL"))
    assert [entry[0] for entry in entries(past)] == [TWO]
    rebuilt(past, "2026-01-03", "a", row(ONE, "HIGH"), row(TWO, "LOW"))
    assert [entry[:3] for entry in entries(past)] == [
        (ONE, "HIGH", "2026-01-02"),
        (TWO, "CRITICAL", "2026-01-02"),
    ]


def test_an_id_that_comes_back_after_its_fix_has_another_entry(past: Past) -> None:
    rebuilt(past, "2026-01-02", "a", row(ONE))
    rebuilt(past, "2026-01-03", "b")
    rebuilt(past, "2026-01-04", "c", row(ONE))
    assert entries(past) == [
        (ONE, "HIGH", "2026-01-02", "2026-01-03", "1.0", 1, "rebuilt"),
        (ONE, "HIGH", "2026-01-04", None, None, None, None),
    ]


def test_a_fix_that_is_taken_back_is_open_since_its_first_day(past: Past) -> None:
    rebuilt(past, "2026-01-02", "a", row(ONE))
    rebuilt(past, "2026-01-03", "b")
    rebuilt(past, "2026-01-04", "a", row(ONE))
    assert entries(past) == [(ONE, "HIGH", "2026-01-02", None, None, None, None)]
    assert fixes(past)["open"]["high"] == [2]


def test_an_end_that_is_not_a_fix_has_its_reason_and_is_not_open(past: Past) -> None:
    rebuilt(past, "2026-01-02", "a", row(ONE), row(TWO, pkg="a"), row(TWO, pkg="b"))
    past.vex(ONE)
    rebuilt(past, "2026-01-03", "a", row(ONE), row(TWO, pkg="a"))
    assert [(entry[0], entry[3], entry[6]) for entry in entries(past)] == [
        (ONE, None, "suppressed"),
        (TWO, None, None),
    ]
    rebuilt(past, "2026-01-04", "a", row(ONE))
    assert [(entry[0], entry[3], entry[6]) for entry in entries(past)] == [
        (ONE, None, "suppressed"),
        (TWO, None, "scanner"),
    ]
    assert fixes(past)["open"]["high"] == []


def test_what_is_suppressed_in_one_package_is_not_fixed_in_another(past: Past) -> None:
    """A statement about one package, and a build without the other."""
    rebuilt(past, "2026-01-02", "a", row(ONE, pkg="a"), row(ONE, pkg="b"))
    past.vex(ONE)
    rebuilt(past, "2026-01-03", "b", row(ONE, pkg="a"))
    assert entries(past) == [(ONE, "HIGH", "2026-01-02", None, None, None, "suppressed")]


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


@settings(max_examples=60)
@given(st.lists(snapshots(), min_size=1, max_size=6))
def test_the_documents_of_any_history_hold_the_contract(days: list[list[Seen]]) -> None:
    """Among them: `fixes.json` agrees with the time to fix and with the history of each image."""
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(Path(path) / "history", "history")
        recorded(folder, days)
        for name, body in documents(folder):
            file = Path(path) / "site/api/v1" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        api = Api(Path(path) / "site", "/catalog")
    assert api.violations == []
    history.check(api)
    assert api.violations == []


def digests(past: Past) -> list[tuple[str, str, str, str | None]]:
    names = {digest(name): name for name in ("1.0", "1.1", "a", "b")}
    return [
        (names[entry["digest"]], entry["version"], entry["from"], entry["until"])
        for entry in past.history()["digests"]
    ]


def test_former_digests_stay_in_the_history_of_an_image(past: Past) -> None:
    rebuilt(past, "2026-01-02", "a")
    past.image("nginx", "1.0", "1.1", v1_0="a")
    past.day("2026-01-03")
    past.image("nginx", "1.1")
    past.day("2026-01-04")
    assert digests(past) == [
        ("1.0", "1.0", "2026-01-01", "2026-01-02"),
        ("a", "1.0", "2026-01-02", "2026-01-04"),
        ("1.1", "1.1", "2026-01-03", None),
    ]
    (past.site.folder / "docs/images/nginx.md").unlink()
    past.image("other")
    past.day("2026-01-05")
    assert digests(past)[-1] == ("1.1", "1.1", "2026-01-03", "2026-01-05")


def test_a_digest_that_only_the_scan_names_is_known_until_the_next_scan_of_the_version(
    site: SiteFolder,
) -> None:
    past = Past(site)
    site.image("nginx", "versions: ['1.0']")
    past.scan("nginx", "1.0", [], "a")
    past.day("2026-01-01")
    past.unscan("nginx", "1.0")
    past.day("2026-01-02")
    past.scan("nginx", "1.0", [], "b")
    past.day("2026-01-03")
    assert digests(past) == [
        ("a", "1.0", "2026-01-01", "2026-01-03"),
        ("b", "1.0", "2026-01-03", None),
    ]
