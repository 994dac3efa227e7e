"""Rules that hold for any history: what is written is what was seen."""

from __future__ import annotations

import copy
import datetime
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.grading import Grade
from mkdocs_catalog_api.catalog.history import FixEntry
from mkdocs_catalog_api.catalog.scans import SEVERITIES, Severity
from mkdocs_catalog_api.catalog.value import Catalog
from mkdocs_catalog_api.documents.history import HISTORY
from mkdocs_catalog_api.documents.publication import encode
from mkdocs_catalog_api.history.days import Folder
from mkdocs_catalog_api.history.state import (
    KnownImage,
    KnownScan,
    Row,
    Seen,
    State,
    after,
    counted,
    differences,
    follow,
    known,
    record,
)
from mkdocs_catalog_api.history.statistics import read_history, times_to_fix
from mkdocs_catalog_api.problems import Problems

from .contract import history
from .contract.api import Api
from .past import ONE, TWO

NO_FIGURES = counted(Catalog())
KEYS = st.tuples(st.sampled_from([ONE, TWO, "GHSA-x"]), st.sampled_from(["a", "b", "c"]))
ROWS = st.dictionaries(KEYS, st.builds(Row, st.sampled_from(SEVERITIES), st.booleans()), max_size=5)
DIGESTS = st.lists(st.sampled_from(["d1", "d2", "d3"]), max_size=2, unique=True).map(tuple)
GRADES: st.SearchStrategy[Grade | None] = st.sampled_from(["A+", "D", None])


@st.composite
def seen(draw: st.DrawFn, slug: str) -> Seen:
    """An image as a build may show it."""
    image = KnownImage(
        lifecycle=draw(st.sampled_from(["available", "deprecated"])),
        releases=draw(st.dictionaries(st.sampled_from(["1.0", "1.1", "2.0"]), DIGESTS)),
    )
    image.latest = draw(st.sampled_from(sorted(image.releases))) if image.releases else None
    if image.latest is None or draw(st.booleans()):
        return Seen(slug, image)
    image.scanned, image.grade = True, draw(GRADES)
    scanner = draw(st.sampled_from(["trivy 1", "trivy 2", "grype 1", None]))
    image.scan = KnownScan(image.latest, draw(DIGESTS), scanner, draw(st.booleans()))
    image.rows = draw(ROWS)
    return Seen(slug, image, frozenset(draw(DIGESTS)).difference(image.scan.digests))


@st.composite
def snapshots(draw: st.DrawFn) -> list[Seen]:
    return [draw(seen(slug)) for slug in sorted(draw(st.sets(st.sampled_from("xyz"))))]


def expected_after(state: State, snapshot: Sequence[Seen]) -> State:
    return {each.slug: known(state.get(each.slug), each) for each in snapshot}


def open_in(image: KnownImage) -> dict[tuple[str, str], Severity]:
    return {key: row.severity for key, row in image.rows.items() if not row.suppressed}


def dates(count: int) -> list[str]:
    first = datetime.date(2026, 11, 1)
    return [(first + datetime.timedelta(days)).isoformat() for days in range(count)]


def recorded(folder: Folder, snapshots: Sequence[Sequence[Seen]]) -> State:
    """Record a day for each snapshot; returns what should be known in the end."""
    state: State = {}
    for date, snapshot in zip(dates(len(snapshots)), snapshots, strict=True):
        record(folder, date, snapshot, Problems(), NO_FIGURES)
        state = expected_after(state, snapshot)
    return state


def documents(folder: Folder) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every document of a history."""
    catalog = Catalog(site_url="https://example.org/catalog/", history=read_history(folder, Problems()))
    for path, document in HISTORY.documents(catalog):
        assert not isinstance(document, bytes)
        yield path, encode(document)


@settings(max_examples=50)
@given(st.lists(snapshots(), min_size=1, max_size=6))
def test_a_history_replays_and_its_documents_hold_the_contract(days: list[list[Seen]]) -> None:
    """Recording the last day again changes nothing; `fixes.json` agrees with the history of each image."""
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(Path(path) / "history")
        expected = recorded(folder, days)
        last = folder.path / f"{folder.dates[-1]}.json"
        before = last.read_bytes()
        state: State = {}
        problems = Problems()
        for day in folder.days():
            state, fitting = follow(day, state, problems)
            assert fitting == day.events
        assert (state, [*problems]) == (expected, [])
        record(folder, folder.dates[-1], days[-1], problems, NO_FIGURES)
        assert last.read_bytes() == before
        for name, body in documents(folder):
            file = Path(path) / "site/api/v1" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        api = Api(Path(path) / "site", "/catalog")
        history.check(api)
        assert api.violations == []
        for slug, image in expected.items():
            document = json.loads((Path(path) / f"site/api/v1/history/{slug}.json").read_bytes())
            lasting = [entry for entry in document["vulnerabilities"] if entry["reason"] is None]
            assert {(entry["id"], entry["pkg"]): entry["severity"] for entry in lasting} == open_in(image)
            assert document["figures"][-1]["total"] == (len(open_in(image)) if image.scanned else None)


@settings(max_examples=40)
@given(snapshots(), snapshots())
def test_an_event_that_says_nothing_new_is_refused_and_changes_nothing(
    one: list[Seen], two: list[Seen]
) -> None:
    state = expected_after({}, one)
    before = copy.deepcopy(state)
    for event in differences(state, two):
        changed, fits = after(state, [event])
        assert (fits, state) == ([True], before)
        assert after(changed, [event]) == (changed, [False])
        break


def fix(severity: Severity, first: datetime.date, fixed: str, days: int | None) -> FixEntry:
    return FixEntry("nginx", ONE, severity, first.isoformat(), fixed, "1.0", days, "rebuilt")


@given(st.lists(st.integers(0, 400), min_size=1, max_size=12))
def test_median_and_90th_percentile_are_those_of_the_days(took: list[int]) -> None:
    last = datetime.date(2026, 11, 30)
    fixes = [fix("LOW", last - datetime.timedelta(days), last.isoformat(), days) for days in took]
    times = times_to_fix(fixes, last.isoformat()).low.days90
    assert (times.fixed, times.median) == (len(took), statistics.median(took))
    assert times.percentile90 in took
    assert sum(days <= times.percentile90 for days in took) >= 0.9 * len(took)
    assert sum(days < times.percentile90 for days in took) < 0.9 * len(took)


@pytest.mark.parametrize(
    ("fixed", "in90", "in365"),
    [("2026-11-30", 1, 1), ("2026-09-02", 1, 1), ("2026-09-01", 0, 1), ("2025-11-30", 0, 0)],
)
def test_the_windows_end_with_the_last_record(fixed: str, in90: int, in365: int) -> None:
    first = datetime.date(2025, 1, 1)
    fixes = [fix("HIGH", first, fixed, days) for days in (300, None)]
    times = times_to_fix(fixes, "2026-11-30").high
    assert (times.days90.fixed, times.days365.fixed) == (in90, in365)


@st.composite
def whole(draw: st.DrawFn) -> list[Seen]:
    """A day of one image: away, not scanned, or scanned as a whole with known digests."""
    if draw(st.integers(0, 7)) == 0:
        return []
    version = draw(st.sampled_from(["1.0", "1.1", "2.0"]))
    digests = tuple(draw(st.sets(st.sampled_from(["d1", "d2", "d3", "d4"]), min_size=1, max_size=2)))
    image = KnownImage(releases={version: digests}, latest=version)
    if draw(st.integers(0, 7)):
        scanner = draw(st.sampled_from(["Trivy 1", "Trivy 2", "Grype 1"]))
        image.scanned, image.scan = True, KnownScan(version, digests, scanner, complete=True)
        # What a suppressed row says of its severity shows nowhere.
        rows = draw(ROWS).items()
        image.rows = {key: row._replace(severity="UNKNOWN") if row.suppressed else row for key, row in rows}
    return [Seen("x", image)]


def expected_fixes(days: Sequence[Sequence[Seen]]) -> list[tuple[Severity, int]]:
    """Severity and days of each fix whose beginning is known, read from the contract and not from events."""
    clocks: dict[str, tuple[int, bool, Severity]] = {}
    fixes: list[tuple[str, int, tuple[int, bool, Severity]]] = []
    open_: set[str] = set()
    last: KnownScan | None = None
    scanned: set[str] = set()
    hidden: set[str] = set()
    shown: set[str] = set()
    for day, snapshot in enumerate(days):
        if not snapshot:
            open_, last, shown = set(), None, set()
            continue
        image, before = snapshot[0].image, open_
        if image.scan is None:
            continue
        scan, now = image.scan, image.ids(suppressed=False)
        known = not scanned.isdisjoint(scan.digests)
        if day == 0:
            hidden = image.ids(suppressed=True) - now
        suppressed = image.ids(suppressed=True)
        for id_ in ((now - before) | (suppressed - shown)) - clocks.keys():
            earlier = [fix for fix in fixes if fix[0] == id_]
            if known and earlier:
                fixes.remove(earlier[-1])
                clocks[id_] = earlier[-1][2]
        for (id_, _), severity in open_in(image).items():
            first, baseline, worst = clocks.get(id_, (day, day == 0 or id_ in hidden, severity))
            clocks[id_] = first, baseline, min(worst, severity, key=SEVERITIES.index)
        hidden -= now
        if last and not {*last.digests} & {*scan.digests} and last.scanner and scan.scanner:
            same = last.scanner.split()[0] == scan.scanner.split()[0]
            later = scan.version >= last.version
            gone = sorted(before - now - suppressed) if same and later else []
            fixes += [(id_, day, clocks.pop(id_)) for id_ in gone]
        open_, last, shown = now, scan, now | suppressed
        scanned |= {*scan.digests}
    return [(worst, day - first) for _, day, (first, baseline, worst) in fixes if not baseline]


@settings(max_examples=100)
@given(st.lists(whole(), min_size=2, max_size=9))
def test_time_to_fix_is_what_the_contract_says(days: list[list[Seen]]) -> None:
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(Path(path))
        recorded(folder, days)
        made = {path: json.loads(body) for path, body in documents(folder)}
    times = made["fixes.json"]["timeToFix"]
    urgent = [
        (entry["severity"], entry["days"])
        for entry in made["fixes.json"]["data"]
        if entry["days"] is not None
    ]
    assert sorted(urgent) == sorted(fix for fix in expected_fixes(days) if fix[0] in ("CRITICAL", "HIGH"))
    for severity in SEVERITIES:
        took = [days for worst, days in expected_fixes(days) if worst == severity]
        window = times[severity.lower()]["days365"]
        assert (window["fixed"], window["median"]) == (len(took), statistics.median(took) if took else None)
