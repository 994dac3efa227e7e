"""Rows are findings without duplicates, merged and in order, whatever the order that they came in."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.vulnerabilities import count, deduplicate
from mkdocs_catalog_api.sources.reports import SEVERITIES, Finding

IDS = ["CVE-2024-9999", "CVE-2024-10000", "CVE-2019-20001", "GHSA-aaaa-bbbb-cccc", "CVE-2024-" + "9" * 5000]
findings = st.lists(
    st.builds(
        Finding,
        st.sampled_from(IDS),
        st.integers(0, 4),
        st.sampled_from(["curl", "openssl"]),
        st.sampled_from(["", "1.0", "1.1"]),
        *(st.sampled_from(["", "x", "y", "z"]) for _ in range(3)),
        st.sampled_from(["app/go.mod", "os", ""]),
    ),
    max_size=30,
)


def key(row: Any) -> tuple[str, ...]:
    return row.id, row.pkg, row.installed


def test_rows_are_in_order_of_severity_then_id_then_package() -> None:
    in_order = [
        *(("GHSA-zzzz", 0, "curl", ""), ("CVE-2019-20001", 1, "curl", ""), ("CVE-2024-9999", 1, "curl", "")),
        *(("CVE-2024-10000", 1, "curl", ""), ("CVE-2024-10000", 1, "openssl", "1.0")),
        *(("CVE-2024-10000", 1, "openssl", "1.1"), ("GHSA-aaaa", 1, "curl", "")),
        *(("RUSTSEC-2021-0001", 1, "curl", ""), ("CVE-1999-0001", 4, "curl", "")),
    ]
    rows = [row for row, _ in deduplicate([Finding(*one, "", "", "", "") for one in in_order[::-1]])]
    assert [key(row) for row in rows] == [(id_, pkg, installed) for id_, _, pkg, installed in in_order]


@given(findings.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found + found[:2]))))
def test_neither_order_nor_repetition_matters(lists: tuple[list[Finding], list[Finding]]) -> None:
    one, other = ([row for row, _ in deduplicate(found)] for found in lists)
    assert one == other


@given(findings)
def test_each_row_is_its_findings_merged(found: list[Finding]) -> None:
    rows = [(row, [*group]) for row, group in deduplicate([*found])]
    keys = [key(row) for row, _ in rows]
    assert len(keys) == len(set(keys))
    assert set(keys) == {*map(key, found)}
    assert sorted(id(finding) for _, group in rows for finding in group) == sorted(map(id, found))
    for row, group in rows:
        assert {*map(key, group)} == {key(row)}
        merged = sorted(group, key=lambda one: one.target)
        assert row.severity == SEVERITIES[min(one.severity for one in merged)]
        assert row.targets == sorted({one.target for one in merged} - {""})
        assert row.fixed == expected_text([(one.target, one.fixed) for one in merged])
        assert row.title == expected_text([(one.target, one.title) for one in merged])
        assert row.url == expected_text([(one.target, one.url) for one in merged])
    assert count([row for row, _ in rows]) == tuple(
        tuple(
            sum(row.severity == word and bool(row.fixed) is fixable for row, _ in rows) for word in SEVERITIES
        )
        for fixable in (True, False)
    )


def expected_text(by_target: list[tuple[str, str]]) -> str:
    """The contract's rule in its own words: first non-empty in target order, ties the smallest."""
    for target, _ in by_target:
        known = [text for other, text in by_target if other == target and text]
        if known:
            return sorted(known)[0]
    return ""
