"""Whatever is done to a report, reading it gives scans with safe texts, or a reason why not."""

from __future__ import annotations

import json
import random
import unicodedata
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.sources.reports import FORMATS, Scan, read_report
from tests.report_files import damaged, nodes, row, trivy
from tests.test_report_formats import GHSA, grype, match, osv

REPORTS: list[Any] = [
    *(json.loads(report_format.sample) for report_format in FORMATS),
    trivy(row(Title="a flaw"), row(PkgIdentifier={"PURL": "pkg:x/y"}), Metadata={"RepoTags": ["a:1"]}),
    [{"Target": "a", "Vulnerabilities": [row()]}],
    grype(
        {**match({"id": GHSA, "fix": {"versions": ["1"]}}, "CVE-2026-0001"), "artifact": {"name": "zlib"}},
        match({"severity": "High"}),
        source={"target": {"userInput": "a:1", "tags": ["a:1"], "os": "linux", "architecture": "arm64"}},
    ),
    {
        "application/vnd.security.vulnerability.report": {
            "generated_at": "2026-01-01T00:00:00Z",
            "vulnerabilities": [{"id": "CVE-2026-0001", "links": ["https://a.org/"]}, {"id": "X-1"}],
        }
    },
    osv(
        {"ids": ["X-1"], "aliases": ["CVE-2026-0001"], "max_severity": "7.5"},
        {"ids": ["X-2"]},
        records=[{"id": "X-1", "affected": [{"package": {"name": "lodash"}, "ranges": [{"events": []}]}]}],
    ),
    {"acme/web:1": trivy(row()), "acme/job:1": {"Results": None}},
    {
        "Results": [
            {
                "Class": "os-pkgs",
                "Vulnerabilities": [row(Severity="SEVERE"), row(Status="not_affected")],
                "ExperimentalModifiedFindings": [
                    {
                        "Type": "vulnerability",
                        "Status": "fixed",
                        "Source": "vex",
                        "Finding": row(PkgName="a"),
                    },
                    {"Type": "vulnerability", "Statement": "why", "Source": "file", "Finding": row()},
                    {"Type": "other", "Finding": {"ID": "1"}},
                ],
            }
        ]
    },
    grype(
        match({"severity": "Severe"}),
        ignoredMatches=[
            match({}, "CVE-2026-0002") | {"appliedIgnoreRules": [{"reason": "x"}]},
            match({}) | {"appliedIgnoreRules": [{"vex-status": "fixed", "vex-justification": "y"}]},
            match({}) | {"appliedIgnoreRules": [{"reason": "DistroPackageFixed", "package": {"name": "z"}}]},
        ],
        descriptor={"name": "grype", "configuration": {"only-fixed": True}},
    ),
    osv(
        {"ids": ["X-1"], "max_severity": ""},
        records=[
            {
                "id": "X-1",
                "upstream": ["CVE-2026-0001"],
                "related": ["CVE-2026-0002"],
                "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],
                "database_specific": {"severity": "HIGH"},
            }
        ],
    ),
]


def outcome(data: bytes) -> list[Scan] | str:
    try:
        return read_report(data)
    except RefusedError as error:
        return str(error)


def check(data: bytes) -> None:
    found = outcome(data)
    for text in [found] if isinstance(found, str) else texts(found):
        assert not {"Cc", "Cs"}.intersection(map(unicodedata.category, text))


def texts(scans: list[Scan]) -> list[str]:
    """Every text of the scans."""
    listed: list[str] = []
    for scan in scans:
        listed += [
            scan.scanner_version,
            scan.scanned_at or "",
            scan.coverage.platform,
            *scan.references,
            *scan.coverage.named,
        ]
        for finding in scan.findings:
            listed += [value for value in astuple(finding) if isinstance(value, str)] + list(finding.aliases)
            listed += finding.set_aside or ()
        listed += [word for word, _ in (*scan.odd_severities, *scan.unread)]
    return listed


@given(report=st.sampled_from(REPORTS), seed=st.randoms(use_true_random=False))
def test_damaged_values(report: Any, seed: random.Random) -> None:
    check(damaged(report, seed))


@given(report=st.sampled_from(REPORTS), seed=st.randoms(use_true_random=False))
def test_damaged_bytes(report: Any, seed: random.Random) -> None:
    data = bytearray(json.dumps(report).encode())
    for _ in range(seed.randint(0, 3)):
        data[seed.randrange(len(data))] = seed.randrange(256)
    check(bytes(data[: seed.randrange(len(data) + 1)]))


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    check(data)


@pytest.mark.parametrize("report", REPORTS)
@given(seed=st.randoms(use_true_random=False))
def test_the_order_in_a_report_does_not_matter(report: Any, seed: random.Random) -> None:
    shuffled = json.loads(json.dumps(report))
    for container, key in nodes({"": shuffled}):
        value = container[key]
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            seed.shuffle(value)
        elif isinstance(value, dict):
            pairs = list(value.items())
            seed.shuffle(pairs)
            value.clear()
            value.update(pairs)
    assert counted(shuffled) == counted(report)


def counted(report: Any) -> Counter[tuple[tuple[str, ...], str]]:
    scans = read_report(json.dumps(report).encode())
    return Counter((scan.references, repr(finding)) for scan in scans for finding in scan.findings)
