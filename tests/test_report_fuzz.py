"""Whatever is done to a report, reading it gives scans with safe texts, or a reason why not."""

from __future__ import annotations

import json
import random
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.sources.reports import FORMATS, Scan, read_report
from tests.report_files import damaged, nodes, row, trivy

from .sites import grype, harbor, match, osv


def modified(**fields: Any) -> dict[str, Any]:
    return {"Type": "vulnerability", "Finding": row(), **fields}


def ignored(*related: str, **rule: Any) -> dict[str, Any]:
    return match("CVE-2026-0001", "High", *related) | {"appliedIgnoreRules": [rule]}


REPORTS: list[Any] = [
    *(json.loads(report_format.sample) for report_format in FORMATS),
    trivy(row(Title="a flaw"), row(PkgIdentifier={"PURL": "pkg:x/y"}), Metadata={"RepoTags": ["a:1"]}),
    [{"Target": "a", "Vulnerabilities": [row()]}],
    grype(
        match("GHSA-cfh5-3ghh-wfjx", "Low", "CVE-2026-0001") | {"artifact": {"name": "zlib"}},
        match("CVE-2026-0001"),
        userInput="a:1",
        tags=["a:1"],
        os="linux",
        architecture="arm64",
    ),
    harbor(
        {"id": "CVE-2026-0001", "links": ["https://a.org/"]}, {"id": "X-1"}, created="2026-01-01T00:00:00Z"
    ),
    osv(
        [{"id": "X-1", "affected": [{"package": {"name": "lib"}, "ranges": [{"events": []}]}]}],
        [{"ids": ["X-1"], "aliases": ["CVE-2026-0001"], "max_severity": "7.5"}, {"ids": ["X-2"]}],
    ),
    {"acme/web:1": trivy(row()), "acme/job:1": {"Results": None}},
    {
        "Results": [
            {
                "Class": "os-pkgs",
                "Vulnerabilities": [row(Severity="SEVERE"), row(Status="not_affected")],
                "ExperimentalModifiedFindings": [
                    modified(Status="fixed", Source="vex", Finding=row(PkgName="a")),
                    modified(Statement="why", Source="file"),
                    modified(Type="other", Finding={"ID": "1"}),
                ],
            }
        ]
    },
    grype(match("CVE-2026-0001", "Severe"))
    | {
        "ignoredMatches": [
            ignored("CVE-2026-0002", reason="x"),
            ignored(**{"vex-status": "fixed", "vex-justification": "y"}),
            ignored(reason="DistroPackageFixed", package={"name": "z"}),
        ],
        "descriptor": {"name": "grype", "configuration": {"only-fixed": True}},
    },
    osv(
        [
            {
                "id": "X-1",
                "upstream": ["CVE-2026-0001"],
                "related": ["CVE-2026-0002"],
                "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],
                "database_specific": {"severity": "HIGH"},
            }
        ],
        [{"ids": ["X-1"], "max_severity": ""}],
    ),
]


def outcome(data: bytes) -> list[Scan] | str:
    try:
        return read_report(data)
    except RefusedError as error:
        return str(error)


def check(data: bytes) -> None:
    found = outcome(data)
    for text in texts(found if isinstance(found, str) else to_builtins(found, str_keys=True)):
        assert not {"Cc", "Cs"}.intersection(map(unicodedata.category, text))


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


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


@given(report=st.sampled_from(REPORTS), seed=st.randoms(use_true_random=False))
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
