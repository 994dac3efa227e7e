"""Rules that hold for any history, read from the contract a second time."""

from __future__ import annotations

import datetime
import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.recorded import FixEntry
from mkdocs_catalog_api.catalog.scans import SEVERITIES, Severity
from mkdocs_catalog_api.catalog.value import Catalog
from mkdocs_catalog_api.documents.history import HISTORY
from mkdocs_catalog_api.documents.publication import encode
from mkdocs_catalog_api.history.days import Folder
from mkdocs_catalog_api.history.past import read_history, times_to_fix
from mkdocs_catalog_api.problems import Problems

from .contract import history
from .contract.api import Api
from .past import ONE, TWO
from .sites import digest

Json = dict[str, Any]
IDS, PACKAGES, LABELS = (ONE, TWO), ("a", "b"), ("1.0", "1.1", "2.0")
NONE = {
    "total": 0,
    "bySeverity": dict.fromkeys(map(str.lower, SEVERITIES), 0),
    "fixable": 0,
    "exploited": None,
}
FIGURES = {name: NONE | {"images": 0, "imagesScanned": 0} for name in ("all", "available")}


def dates(count: int) -> list[str]:
    first = datetime.date(2026, 11, 1)
    return [(first + datetime.timedelta(days)).isoformat() for days in range(count)]


@st.composite
def facts(draw: st.DrawFn) -> Json:
    """What may be known of an image on a day; `age` is that of its scan in days, None for an unknown time."""
    label, build = draw(st.sampled_from(LABELS)), draw(st.sampled_from("abcde"))
    known: Json = {"latest": label, "versions": {label: {"digests": [digest(build)]}}}
    if draw(st.integers(0, 5)) == 0:
        return known
    row = st.fixed_dictionaries(
        {
            "severity": st.sampled_from(SEVERITIES[:3]),
            "suppressed": st.sampled_from([False, False, False, True]),
        }
    )
    rows = {package: draw(st.dictionaries(st.sampled_from(IDS), row)) for package in PACKAGES}
    scan = {"scanner": draw(st.sampled_from(["trivy", "trivy", "grype"])), "platform": "linux/amd64"}
    limits: Json = {"limits": draw(st.sampled_from([[], [], ["os-end-of-life"]]))}
    known |= {
        "scanner": scan["scanner"],
        "scans": [scan | limits],
        "age": draw(st.sampled_from([0, 0, 1, 9, None])),
    }
    return known | {
        "rows": {
            package: {id_: {"pkg": package} | row for id_, row in listed.items()}
            for package, listed in rows.items()
            if listed
        }
    }


def patch(before: Json, now: Json) -> Json:
    """What leads from one to the other; null for what left. Versions and rows are given as a whole."""
    changed: Json = dict.fromkeys(before.keys() - now)
    for key, value in now.items():
        if key not in before or before[key] != value:
            whole = not isinstance(value, dict) or {"digests", "pkg"} & value.keys()
            nested = key in before and not whole
            changed[key] = patch(before[key], value) if nested else value
    return changed


def write(folder: Path, days: list[Json | None]) -> None:
    """Record these facts of an image; None is a day without it."""
    before: Json = {}
    folder.mkdir()
    for date, known in zip(dates(len(days)), days, strict=True):
        now = {} if known is None else {"app": {key: value for key, value in known.items() if key != "age"}}
        if known and known.get("age") is not None:
            made = datetime.date.fromisoformat(date) - datetime.timedelta(known["age"])
            now["app"]["scannedAt"] = f"{made}T00:00:00Z"
        file = {"date": date, "figures": FIGURES, "images": patch(before, now)}
        (folder / f"{date}.json").write_text(json.dumps(file))
        before = now


def expected_fixes(days: list[Json | None]) -> list[tuple[str, int, int]]:
    """Id, first day and days of each critical or high fix whose beginning is known."""
    return sorted(fix for id_ in IDS for fix in _fixes(id_, days))


def _fixes(id_: str, days: list[Json | None]) -> Iterator[tuple[str, int, int]]:
    since: int | None = None
    unknown, worst, version = False, len(SEVERITIES), ""
    showed, scanned = set[str](), set[str]()
    alike = set[tuple[str, frozenset[str]]]()
    """Scanner and limits of what ever showed it."""
    fixes: list[tuple[int, int, bool, int]] = []
    for day, known in enumerate(days):
        if not known or "scans" not in known:
            continue
        [build], [scan] = known["versions"][known["latest"]]["digests"], known["scans"]
        rows = [listed[id_] for listed in known["rows"].values() if id_ in listed]
        if rows and since is None and fixes and build in scanned:
            since, _, unknown, worst = fixes.pop()
        if rows:
            unknown |= day == 0
            severities = [SEVERITIES.index(row["severity"]) for row in rows if not row["suppressed"]]
            if severities and since is None:
                since, worst, showed = day, len(SEVERITIES), set()
            worst = min(worst, *severities, len(SEVERITIES))
            showed, version = showed | {build}, known["latest"]
            alike.add((scan["scanner"], frozenset(scan["limits"])))
        elif since is not None:
            fewest = frozenset.intersection(*(limits for _, limits in alike))
            looked = {name for name, _ in alike} == {scan["scanner"]} and {*scan["limits"]} <= fewest
            fresh = known["age"] is not None and day - known["age"] >= since
            if looked and fresh and build not in showed and known["latest"] >= version:
                fixes.append((since, day - since, unknown, worst))
                since, unknown = None, False
        scanned.add(build)
    yield from ((id_, first, took) for first, took, unknown, worst in fixes if not unknown and worst <= 1)


def one_build(*packages: str, build: str = "a") -> Json:
    """A day on which a scan shows one id in these packages."""
    row = {"severity": "HIGH", "suppressed": False}
    return {
        "latest": "1.0",
        "versions": {"1.0": {"digests": [digest(build)]}},
        "scanner": "trivy",
        "scans": [{"scanner": "trivy", "platform": "linux/amd64", "limits": []}],
        "age": 0,
        "rows": {package: {ONE: {"pkg": package} | row} for package in packages},
    }


@settings(max_examples=150, deadline=None)
@given(st.lists(st.none() | facts(), min_size=1, max_size=9))
@example([None, one_build("a", "b"), one_build("b")])
@example([None, one_build("a"), one_build(build="b"), one_build("a"), one_build(build="b")])
def test_a_history_holds_the_contract_and_its_fixes_are_those_of_the_facts(days: list[Json | None]) -> None:
    with tempfile.TemporaryDirectory() as path:
        write(Path(path) / "history", days)
        past = read_history(Folder(Path(path) / "history"), Problems())
        for name, document in HISTORY.documents(
            Catalog(site_url="https://example.org/catalog/", history=past)
        ):
            assert not isinstance(document, bytes)
            file = Path(path) / "site/api/v1" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(encode(document))
        api = Api(Path(path) / "site", "/catalog")
        history.check(api)
        assert api.violations == []
        fixed = [entry for entry in api.documents["fixes.json"]["data"] if entry["fixedOn"]]
    first_days = dates(len(days))
    found = [(entry["id"], first_days.index(entry["firstSeen"]), entry["days"]) for entry in fixed]
    assert sorted(found) == expected_fixes(days)


def fix(severity: Severity, first: datetime.date, fixed: str, days: int | None) -> FixEntry:
    return FixEntry("nginx", ONE, (), severity, first.isoformat(), fixed, "1.0", days, "rebuilt")


@given(st.lists(st.integers(0, 400), min_size=1, max_size=12))
def test_median_and_90th_percentile_are_those_of_the_days(took: list[int]) -> None:
    last = datetime.date(2026, 11, 30)
    fixes = [fix("LOW", last - datetime.timedelta(days), last.isoformat(), days) for days in took]
    times = times_to_fix(fixes, last.isoformat()).low.days90
    assert (times.count, times.median) == (len(took), statistics.median(took))
    assert times.percentile90 in took
    assert sum(days <= times.percentile90 for days in took) >= 0.9 * len(took)
    assert sum(days < times.percentile90 for days in took) < 0.9 * len(took)


@pytest.mark.parametrize(
    ("fixed", "in90", "in365"),
    [("2026-11-30", 1, 1), ("2026-09-02", 1, 1), ("2026-09-01", 0, 1), ("2025-11-30", 0, 0)],
)
def test_the_periods_end_with_the_last_record(fixed: str, in90: int, in365: int) -> None:
    first = datetime.date(2025, 1, 1)
    fixes = [fix("HIGH", first, fixed, days) for days in (300, None)]
    times = times_to_fix(fixes, "2026-11-30").high
    assert (times.days90.count, times.days365.count) == (in90, in365)
