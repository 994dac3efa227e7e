"""CISA's catalog of known exploited vulnerabilities, and what is said of files that are broken."""

from __future__ import annotations

import gzip
import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.sources.advisories import read_kev

from .feeds_of_advisories import kev

REAL = Path(__file__).parent / "advisories/known_exploited_vulnerabilities.json"
"""CISA's own file of 2025-08-25, in the public domain (CC0), cut to five of its 1,404 entries."""
ADDED = {"CVE-2026-0001": "2026-01-02", "CVE-2026-0002": "2026-03-04"}
CVES = st.builds("CVE-{}-{}".format, st.integers(1999, 2099), st.integers(1000, 10**7))


# KEV


def test_the_real_catalog_is_read() -> None:
    found = read_kev(REAL.read_bytes())
    assert found["CVE-2025-48384"] == "2025-08-25"
    assert found["CVE-2021-44228"] == "2021-12-10"
    assert len(found) == 5


@given(st.dictionaries(CVES, st.dates().map(str), min_size=1))
def test_a_catalog_says_when_each_was_added(added: dict[str, str]) -> None:
    assert read_kev(kev(added)) == added


def test_of_an_id_that_stands_there_twice_the_first_day_counts() -> None:
    catalog = json.loads(kev(ADDED))
    catalog["vulnerabilities"].append({"cveID": "CVE-2026-0001", "dateAdded": "2025-01-01"})
    catalog["count"] = 3
    assert read_kev(json.dumps(catalog).encode())["CVE-2026-0001"] == "2025-01-01"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "truncated"),
        (b"<html>", "malformed"),
        (b"null", "Expected `object`, got `null`"),
        (b"{}", "missing required field `count`"),
        (kev({}), "$.vulnerabilities"),
        (kev({"cve-2026-1": "2026-01-02"}), "$.vulnerabilities[0].cveID"),
        (kev({"CVE-2026-0001": "2026-02-30"}), "$.vulnerabilities[0].dateAdded"),
        (kev(ADDED)[:-40], "truncated"),
        (kev(ADDED, count=1404), "1,404, but the file has 2 entries"),
        (kev(ADDED).replace(b'"count": 2', b'"count": "2"'), "$.count"),
        (gzip.compress(kev(ADDED), mtime=0), "malformed"),
    ],
)
def test_a_catalog_that_is_broken_is_an_error(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        read_kev(data)


@given(st.binary() | st.binary().map(lambda tail: kev(ADDED)[:-5] + tail))
def test_any_bytes_are_a_catalog_or_an_error(data: bytes) -> None:
    with suppress(ValueError, RecursionError):
        read_kev(data)
