"""CISA's catalog of known exploited vulnerabilities, and what is said of files that are broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.sources.advisories import Kev, read_kev

from .feeds_of_advisories import kev

REAL = Path(__file__).parent / "advisories/known_exploited_vulnerabilities.json"
"""CISA's own file of 2025-08-25, in the public domain (CC0), cut to five of its 1,404 entries."""
ADDED = {"CVE-2026-0001": "2026-01-02", "CVE-2026-0002": "2026-03-04"}
CVES = st.builds("CVE-{}-{}".format, st.integers(1999, 2099), st.integers(1000, 10**7))


def wrong(found: object, problems: Problems) -> str:
    """The only problem of a file that gives nothing."""
    assert found is None
    (problem,) = problems
    assert problem.hint
    return str(problem)


# KEV


def test_the_real_catalog_is_read() -> None:
    problems = Problems()
    found = read_kev(REAL.read_bytes(), "kev", problems)
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


@given(st.binary() | st.binary().map(lambda tail: kev(ADDED)[:-5] + tail))
def test_any_bytes_are_a_catalog_or_a_problem(data: bytes) -> None:
    problems = Problems()
    assert (read_kev(data, "kev", problems) is None) is problems.refuse(strict=False)
