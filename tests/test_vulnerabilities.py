"""Rows are findings without duplicates, merged and in order, whatever the order that they came in."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.vulnerabilities import Vulnerability, count, deduplicate
from mkdocs_catalog_api.sources.reports import SEVERITIES, Finding

IDS = [
    "CVE-2024-9999",
    "CVE-2024-10000",
    "CVE-2019-20001",
    "GHSA-aaaa-bbbb-cccc",
    "CVE-2024-1",
    "CVE-2024-" + "9" * 5000,
]
findings = st.lists(
    st.builds(
        Finding,
        st.sampled_from(IDS),
        st.integers(0, 4),
        st.sampled_from(["curl", "openssl"]),
        st.sampled_from(["", "1.0", "1.1"]),
        *(st.sampled_from(["", "x", "y", "z"]) for _ in range(3)),
        st.sampled_from(["app/go.mod", "os"]),
    ),
    max_size=30,
)


def finding(
    id_: str = "CVE-2024-9999",
    severity: int = 1,
    pkg: str = "curl",
    installed: str = "1.0",
    fixed: str = "",
    title: str = "",
    url: str = "",
    target: str = "os",
) -> Finding:
    return Finding(id_, severity, pkg, installed, fixed, title, url, target)


def rows_of(found: list[Finding]) -> list[Vulnerability]:
    return [row for row, _ in deduplicate([*found])]


def test_a_row_has_the_fields_of_the_contract_in_its_order() -> None:
    rows = rows_of([finding(fixed="1.1", title="Overflow", url="https://example.org/1")])
    assert msgspec.json.encode(rows).decode() == (
        '[{"id":"CVE-2024-9999","severity":"HIGH","pkg":"curl","installed":"1.0","fixed":"1.1",'
        '"title":"Overflow","url":"https://example.org/1","targets":["os"],"exploited":null}]'
    )


def test_a_scanner_that_names_no_target_leaves_the_list_empty() -> None:
    assert [row.targets for row in rows_of([finding(target="")])] == [[]]
    assert [row.targets for row in rows_of([finding(target=""), finding(target="os")])] == [["os"]]


def test_one_package_in_several_targets_is_one_row() -> None:
    (row,) = rows_of(
        [
            finding(target="usr/bin/b", severity=1, fixed="2.0", title="In b", url="https://example.org/b"),
            finding(target="usr/bin/a", severity=3, fixed="", title="In a, later", url=""),
            finding(target="usr/bin/a", severity=2, fixed="", title="In a", url=""),
        ]
    )
    assert row.severity == "HIGH"
    assert row.targets == ["usr/bin/a", "usr/bin/b"]
    assert (row.fixed, row.title, row.url) == ("2.0", "In a", "https://example.org/b")


def test_rows_stand_by_severity_then_id_then_package() -> None:
    in_order = [
        finding("GHSA-zzzz", 0),
        finding("CVE-2019-20001"),
        finding("CVE-2024-9999"),
        finding("CVE-2024-10000", pkg="curl"),
        finding("CVE-2024-10000", pkg="openssl", installed="1.0"),
        finding("CVE-2024-10000", pkg="openssl", installed="1.1"),
        finding("GHSA-aaaa"),
        finding("RUSTSEC-2021-0001"),
        finding("CVE-1999-0001", 4),
    ]
    expected = [(one.id, one.pkg, one.installed) for one in in_order]
    assert [(row.id, row.pkg, row.installed) for row in rows_of(in_order[::-1])] == expected


@given(findings.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_the_order_of_findings_does_not_matter(lists: tuple[list[Finding], list[Finding]]) -> None:
    assert rows_of(lists[0]) == rows_of(lists[1])


@given(findings)
def test_the_same_findings_twice_change_nothing(found: list[Finding]) -> None:
    assert rows_of(found + found) == rows_of(found)


@given(findings)
def test_each_row_is_its_findings_merged(found: list[Finding]) -> None:
    rows = rows_of(found)
    keys = [(row.id, row.pkg, row.installed) for row in rows]
    assert len(keys) == len(set(keys))
    assert set(keys) == {(one.id, one.pkg, one.installed) for one in found}
    for row, key in zip(rows, keys, strict=True):
        merged = sorted(
            (one for one in found if (one.id, one.pkg, one.installed) == key), key=lambda one: one.target
        )
        assert row.severity == SEVERITIES[min(one.severity for one in merged)]
        assert row.targets == sorted({one.target for one in merged})
        assert row.fixed == expected_text([(one.target, one.fixed) for one in merged])
        assert row.title == expected_text([(one.target, one.title) for one in merged])
        assert row.url == expected_text([(one.target, one.url) for one in merged])


def expected_text(by_target: list[tuple[str, str]]) -> str:
    """The contract's rule in its own words: first non-empty in target order, ties the smallest."""
    for target, _ in by_target:
        known = [text for other, text in by_target if other == target and text]
        if known:
            return sorted(known)[0]
    return ""


@given(findings)
def test_a_row_keeps_the_findings_that_it_is_made_of(found: list[Finding]) -> None:
    kept = [finding for _, group in deduplicate([*found]) for finding in group]
    assert sorted(map(id, kept)) == sorted(map(id, found))
    for row, group in deduplicate([*found]):
        assert {(one.id, one.pkg, one.installed) for one in group} == {(row.id, row.pkg, row.installed)}


@given(findings)
def test_rows_with_a_fix_are_counted_apart_from_rows_without(found: list[Finding]) -> None:
    def by_severity(rows: list[Vulnerability]) -> tuple[int, ...]:
        return tuple(sum(row.severity == word for row in rows) for word in SEVERITIES)

    rows = rows_of(found)
    fixable = [row for row in rows if row.fixed != ""]
    unfixable = [row for row in rows if row.fixed == ""]
    assert count(rows) == (by_severity(fixable), by_severity(unfixable))
