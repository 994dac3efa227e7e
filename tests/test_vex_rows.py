"""Which rows the statements of the OpenVEX documents take out, and which statement counts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mkdocs_catalog_api.catalog.statements import Subject
from mkdocs_catalog_api.catalog.vex_matching import Statements
from mkdocs_catalog_api.catalog.vulnerabilities import deduplicate
from tests.report_files import DIGEST
from tests.test_vex import STATEMENT, WEB, read
from tests.test_vex_matching import FINDING, IMAGE, OTHER, said, suppressed


@pytest.mark.parametrize(
    ("statement", "matches"),
    [
        ({"products": [{"@id": WEB, "subcomponents": ["pkg:pypi/foo"]}]}, False),
        ({"products": ["pkg:pypi/foo"]}, False),
        ({"products": ["pkg:pypi/foo", "pkg:npm/foo"]}, True),
        ({"products": [f"{WEB}&arch=amd64"]}, False),
        ({"products": [f"pkg:oci/web@{DIGEST}"]}, False),
        ({"products": [f"pkg:oci/web@{DIGEST}", OTHER]}, True),
        ({}, True),
    ],
)
def test_every_finding_of_a_row_must_be_covered(statement: dict[str, Any], matches: bool) -> None:
    arm = Subject("ghcr.io/acme/web", frozenset({"1"}), frozenset({OTHER}), "linux/arm64")
    findings = [
        replace(FINDING, pkg="foo", purl="pkg:pypi/foo@1.3", target="a"),
        replace(FINDING, pkg="foo", purl="pkg:npm/foo@1.3", target="b", scan=1),
    ]
    assert suppressed(findings, [IMAGE, arm], statement) is matches


ON_ID, ON_ONE, ON_TWO, ON_ALIAS = (
    {"vulnerability": name} for name in ("DSA-1", "CVE-2026-0001", "CVE-2026-0002", "GHSA-cfh5-3ghh-wfjx")
)
AFFECTED = {"status": "affected", "timestamp": "2026-05-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("statements", "matches"),
    [
        ([ON_ID], True),
        ([ON_ONE], False),
        ([ON_TWO], False),
        ([ON_ALIAS], False),
        ([ON_ONE, ON_ALIAS], False),
        ([ON_ONE, ON_TWO], True),
        ([{"vulnerability": {"name": "CVE-2026-0001", "aliases": ["CVE-2026-0002"]}}], True),
        ([ON_ID, ON_ONE | AFFECTED], False),
        ([ON_ONE, ON_TWO, ON_ID | AFFECTED], False),
        ([ON_ONE, ON_TWO, ON_ALIAS | AFFECTED], False),
        ([ON_ONE | AFFECTED, ON_ID | {"timestamp": "2026-06-01T00:00:00Z"}], True),
    ],
)
def test_a_finding_that_stands_for_several_cves(statements: list[dict[str, Any]], matches: bool) -> None:
    aliases = ("CVE-2026-0001", "CVE-2026-0002", "GHSA-cfh5-3ghh-wfjx")
    finding = replace(FINDING, id="DSA-1", aliases=aliases)
    assert suppressed([finding], [IMAGE], *statements) is matches


def test_another_cve_among_the_aliases_of_a_cve_is_not_it() -> None:
    finding = replace(FINDING, aliases=("CVE-2026-0002",))
    assert not suppressed([finding], [IMAGE], ON_TWO)
    assert not suppressed([finding], [IMAGE], ON_ONE, ON_TWO | AFFECTED)
    assert suppressed([finding], [IMAGE], ON_ONE)


@pytest.mark.parametrize(
    ("vulnerability", "matches"),
    [
        ("CVE-2026-0001", True),
        ("GHSA-cfh5-3ghh-wfjx", True),
        ({"@id": "https://nvd.nist.gov/vuln/detail/CVE-2026-0001"}, True),
        ({"name": "X-1", "aliases": ["CVE-2026-0001"]}, True),
        ("CVE-2026-00011", False),
    ],
)
def test_ids(vulnerability: Any, matches: bool) -> None:
    assert suppressed([FINDING], [IMAGE], {"vulnerability": vulnerability}) is matches
    assert Statements(said({"vulnerability": vulnerability})).concerns([FINDING]) is matches


NEWER, NEWEST = {"timestamp": "2026-03-01T00:00:00Z"}, {"timestamp": "2026-03-01T00:00:00.5Z"}
FUTURE = {"timestamp": "2999-01-01T00:00:00Z"}
ELSEWHERE = {"products": ["ghcr.io/acme/other"]}


@pytest.mark.parametrize(
    ("statements", "matches"),
    [
        ([NEWER, NEWEST | {"status": "under_investigation"}], False),
        ([NEWEST, NEWER | {"status": "under_investigation"}], True),
        ([NEWEST | {"status": "affected"} | ELSEWHERE, NEWER], True),
        ([NEWER | {"status": "affected"}, NEWEST | {"vulnerability": FINDING.aliases[0]}], True),
        ([NEWER | {"status": "affected"}, FUTURE], False),
        ([FUTURE | {"status": "affected"}, NEWER], False),
        ([FUTURE], False),
        ([NEWER, NEWER | {"status": "affected"}], False),
        ([NEWEST, {"timestamp": "2026-03-01T01:00:00.5+01:00", "status": "affected"}], False),
        ([NEWEST, {"timestamp": "2026-03-01T01:00:00.499999999+01:00", "status": "affected"}], True),
        ([NEWEST, {"timestamp": "2026-03-01T00:00:00.500000001Z", "status": "affected"}], False),
        ([NEWEST, NEWER | {"last_updated": "2026-03-02T00:00:00Z", "status": "affected"}], False),
        ([NEWER | {"status": "affected"}, {"last_updated": "2026-03-02T00:00:00Z"}], False),
        ([NEWER, {"timestamp": "soon", "status": "affected"}], False),
        ([NEWER, {"last_updated": 5, "status": "affected"}], False),
    ],
)
def test_the_newest_matching_statement_counts(statements: list[dict[str, Any]], matches: bool) -> None:
    """A time in the future makes a statement the newest if it shows more; else it counts for nothing."""
    assert suppressed([FINDING], [IMAGE], *statements) is matches
    assert suppressed([FINDING], [IMAGE], *statements[::-1]) is matches


@given(seed=st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(seed: random.Random) -> None:
    statements = [
        statement
        for name in ("b", "a", "c")
        for statement in read(
            {**STATEMENT, **NEWER},
            {**STATEMENT, "status": "affected"},
            {**STATEMENT, "timestamp": None},
            **{"@id": name},
        ).statements
    ]
    seed.shuffle(statements)
    applied = Statements(statements).apply(deduplicate([FINDING]), [IMAGE])
    assert [row.statement for row in applied.suppressed] == ["c"]
    assert applied.matched == set(range(9))


def test_the_row_shows_the_newest_of_the_statements_that_decided() -> None:
    findings = [FINDING, replace(FINDING, purl="pkg:deb/debian/zlib1g@1.3?arch=arm64", target="b")]
    one = {**STATEMENT, **NEWER, "products": ["pkg:deb/debian/zlib1g?arch=amd64"], "status": "fixed"}
    other = {**STATEMENT, "products": ["pkg:deb/debian/zlib1g?arch=arm64"]}
    statements = [*read(one, **{"@id": "one"}).statements, *read(other, **{"@id": "other"}).statements]
    (row,) = Statements(statements).apply(deduplicate(findings), [IMAGE]).suppressed
    assert (row.id, row.pkg, row.targets) == ("CVE-2026-0001", "zlib1g", ["b"])
    assert (row.status, row.justification, row.statement) == ("fixed", "component_not_present", "one")
