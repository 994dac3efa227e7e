"""What is read of CISA's catalog and of the scores of EPSS, and what is said of files that are broken."""

from __future__ import annotations

import gzip
import io
import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.value import Score
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.sources.advisories import (
    Epss,
    Kev,
    load_epss,
    load_kev,
    read_epss,
    read_kev,
)

from .feeds_of_advisories import LIMIT, epss, kev, many, packed

REAL = Path(__file__).parent / "advisories/known_exploited_vulnerabilities.json"
"""CISA's own file of 2025-08-25, in the public domain (CC0), cut to five of its 1,404 entries."""
ADDED = {"CVE-2026-0001": "2026-01-02", "CVE-2026-0002": "2026-03-04"}
SCORES = {"CVE-2026-0001": ("0.97231", "0.99821"), "CVE-2026-0002": ("0.00012", "0.21340")}
CVES = st.builds("CVE-{}-{}".format, st.integers(1999, 2099), st.integers(1000, 10**7))


def read(data: bytes) -> Epss:
    problems = Problems()
    found = read_epss(io.BytesIO(data), "epss", LIMIT, problems)
    assert not list(problems)
    assert found
    return found


def wrong(found: object, problems: Problems) -> str:
    """The only problem of a file that gives nothing."""
    assert found is None
    (problem,) = problems
    assert problem.hint
    return str(problem)


# KEV


def test_the_real_catalog_is_read() -> None:
    problems = Problems()
    found = load_kev(REAL, "kev", LIMIT, problems)
    assert not list(problems)
    assert found
    assert found.released == "2025-08-25"
    assert found.added["CVE-2025-48384"] == "2025-08-25"
    assert found.added["CVE-2021-44228"] == "2021-12-10"
    assert len(found.added) == 5


@given(st.dictionaries(CVES, st.dates().map(str), min_size=1))
def test_a_catalog_says_when_each_was_added(added: dict[str, str]) -> None:
    assert read_kev(kev(added), "kev", Problems()) == Kev("2026-11-20", added)


def test_of_an_id_that_stands_there_twice_the_first_day_counts() -> None:
    catalog = json.loads(kev(ADDED))
    catalog["vulnerabilities"].append({"cveID": "CVE-2026-0001", "dateAdded": "2025-01-01"})
    catalog["count"] = 3
    found = read_kev(json.dumps(catalog).encode(), "kev", Problems())
    assert found and found.added["CVE-2026-0001"] == "2025-01-01"


def test_every_entry_that_is_wrong_is_named_with_its_line() -> None:
    data = kev({"cve-2026-1": "2026-01-02", "CVE-2026-0002": "2026-02-30", "CVE-2026-0003": "2026-01-02"})
    problems = Problems()
    assert read_kev(data, "kev", problems) is None
    lines = data.decode().splitlines()
    told = {(problem.line, problem.field) for problem in problems}
    wanted = [
        next(at for at, line in enumerate(lines, 1) if word in line) - 1 for word in ("cve-2026-1", "0002")
    ]
    assert told == {(wanted[0], "vulnerabilities[0].cveID"), (wanted[1], "vulnerabilities[1].dateAdded")}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "kev: the file is empty"),
        (b" \n", "kev: the file is empty"),
        (b"<html>", "kev:1:1: not a catalog of exploited vulnerabilities"),
        (b"null", "not a catalog of exploited vulnerabilities: Expected `object`, got `null`"),
        (b"{}", "missing required field `count`"),
        (kev({}), "vulnerabilities: "),
        (kev(ADDED)[:-40], "the file is cut off"),
        (kev(ADDED)[:50].replace(b"title", b"title\xff"), "kev:"),
        (kev(ADDED, count=1404), "count: 1,404, but the file has 2 entries"),
        (kev(ADDED).replace(b'"count": 2', b'"count": "2"'), "count: "),
        (b"[" * 100_000, "kev"),
        (b'{"x":' * 100_000, "kev"),
        (gzip.compress(kev(ADDED), mtime=0), "kev:1:1: not a catalog"),
    ],
)
def test_a_catalog_that_is_broken_is_a_problem(data: bytes, words: str) -> None:
    problems = Problems()
    assert words in wrong(read_kev(data, "kev", problems), problems)


def test_a_catalog_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    problems = Problems()
    assert "larger than 100 bytes" in wrong(load_kev(REAL, "kev", 100, problems), problems)
    problems = Problems()
    assert load_kev(tmp_path, "kev", 100, problems) is None
    assert "can't be read" in str(next(iter(problems)))


@given(st.binary() | st.binary().map(lambda tail: kev(ADDED)[:-5] + tail))
def test_any_bytes_are_a_catalog_or_a_problem(data: bytes) -> None:
    problems = Problems()
    assert (read_kev(data, "kev", problems) is None) is problems.refuse(strict=False)


# EPSS

NUMBERS = st.decimals(0, 1, places=5).map(str) | st.sampled_from(["0", "1", "1.0", "9e-05", "1.5E-7", "0.0"])


@given(st.dictionaries(CVES, st.tuples(NUMBERS, NUMBERS), min_size=1), st.booleans(), st.data())
def test_wanted_scores_come_as_they_are_written(
    rows: dict[str, tuple[str, str]], pack: bool, data: st.DataObject
) -> None:
    wanted = data.draw(st.frozensets(st.sampled_from(sorted(rows)) | CVES))
    found = read(packed(rows) if pack else epss(rows))
    assert found[:3] == ("2026-11-20", "v2025.03.14", len(rows))
    assert found.of(wanted).by_id == {
        id_: Score(Decimal(score), Decimal(percentile))
        for id_, (score, percentile) in rows.items()
        if id_ in wanted
    }


def test_digits_stay_as_they_are() -> None:
    score = read(epss({"CVE-2026-0001": ("0.00000", "0.99990")})).of(["CVE-2026-0001"]).by_id
    assert [str(number) for number in score["CVE-2026-0001"]] == ["0.00000", "0.99990"]


def test_a_file_of_more_than_a_block_is_read_to_its_end() -> None:
    rows = {f"CVE-2026-{at:06}": ("0.00043", "0.12345") for at in range(60_000)}
    found = read(packed(rows))
    wanted = ["CVE-2026-000000", "CVE-2026-030000", "CVE-2026-059999"]
    assert (found.rows, [*found.of(wanted).by_id]) == (60_000, wanted)


def test_lines_may_end_as_on_windows_and_a_day_may_be_written_short() -> None:
    data = epss(SCORES, end="\r\n").replace(b"T12:55:00Z", b"")
    assert read(data).of(SCORES).by_id.keys() == SCORES.keys()
    assert read(epss(SCORES).replace(b"T12:55:00Z", b"T00:00:00+0000")).score_date == "2026-11-20"


def test_of_an_id_that_stands_there_twice_the_highest_score_counts() -> None:
    data = epss(SCORES) + b"CVE-2026-0001,0.1,0.2\nCVE-2026-0002,0.5,0.6\n"
    scores = read(data).of(SCORES).by_id
    assert [str(score.epss) for score in scores.values()] == ["0.97231", "0.5"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "epss: the file is empty"),
        (b"<html>", "epss:1: not an EPSS file"),
        (b"cve,epss,percentile\n", "epss:1: not an EPSS file"),
        (epss({}), "epss: no scores"),
        (epss(SCORES)[:-3], "epss:4: "),
        (epss(SCORES | {"cve-2026-3": ("0.1", "0.2")}), "epss:5: "),
        (epss({"CVE-2026-0001": ("1.5", "0.2")}), "epss:3: "),
        (epss({"CVE-2026-0001": ("nan", "0.2")}), "epss:3: "),
        (epss({"CVE-2026-0001": ("-0.1", "0.2")}), "epss:3: "),
        (epss({**many(40_000), "CVE-2026-99999": ("", "")}), "epss:40003: "),
        (packed(many(100))[:-10], "epss: the compressed file is cut off or damaged"),
        (packed(many(100))[:30], "epss: the compressed file is cut off or damaged"),
        (packed(SCORES) + b"more", "epss: the compressed file is cut off or damaged"),
        (gzip.compress(bytes(10**8), mtime=0), "epss: not an EPSS file"),
        (
            gzip.compress(epss(SCORES) + b"CVE-2026-0001,0.1,0.2\n" * 500_000, mtime=0),
            "larger than 10,000,000 bytes",
        ),
    ],
)
def test_scores_that_are_broken_are_a_problem(data: bytes, words: str) -> None:
    problems = Problems()
    assert words in wrong(read_epss(io.BytesIO(data), "epss", LIMIT, problems), problems)


@given(
    st.binary()
    | st.binary().map(lambda tail: epss(SCORES) + tail)
    | st.binary().map(gzip.compress)
    | st.integers(0, len(packed(SCORES)) - 1).map(
        lambda at: packed(SCORES)[:at] + b"!" + packed(SCORES)[at + 1 :]
    )
)
def test_any_bytes_are_scores_or_a_problem(data: bytes) -> None:
    problems = Problems()
    found = read_epss(io.BytesIO(data), "epss", LIMIT, problems)
    assert (found is None) is problems.refuse(strict=False)


def test_a_file_of_scores_that_is_no_file(tmp_path: Path) -> None:
    problems = Problems()
    assert load_epss(tmp_path, "epss", LIMIT, problems) is None
    assert "epss: can't be read" in str(next(iter(problems)))
