"""Reports of Grype, Harbor, OSV-Scanner and Artifact Hub."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mkdocs_catalog_api.catalog.scans import Coverage
from mkdocs_catalog_api.sources.reports import SCANNERS, Finding, Scan, read_report
from tests.report_files import DIGEST, read, refusal, row, trivy

OTHER = "sha256:" + "b" * 64
GHSA = "GHSA-cfh5-3ghh-wfjx"


def grype(*matches: Any, **fields: Any) -> dict[str, Any]:
    return {"matches": list(matches), "descriptor": {"name": "grype"}, **fields}


def match(vulnerability: dict[str, Any], *related: str) -> dict[str, Any]:
    return {
        "vulnerability": {"id": "CVE-2026-0001", **vulnerability},
        "relatedVulnerabilities": [{"id": name} for name in related],
    }


def test_grype() -> None:
    found = {
        "vulnerability": {
            "id": GHSA,
            "dataSource": f"https://github.com/advisories/{GHSA}",
            "severity": "Medium",
            "description": "Weak host name check",
            "fix": {"versions": ["4.3.5", "5.0"], "state": "fixed"},
        },
        "relatedVulnerabilities": [{"id": "CVE-2014-3577"}],
        "artifact": {
            "name": "httpclient",
            "version": "4.1.1",
            "locations": [{"path": "/app.jar"}, {"path": "/other.jar"}],
            "purl": "pkg:maven/org.apache/httpclient@4.1.1",
        },
    }
    target = {
        "userInput": "acme/web:1",
        "imageID": "sha256:" + "f" * 64,
        "manifestDigest": OTHER,
        "tags": ["acme/web:1", "acme/web:latest"],
        "repoDigests": [f"acme/web@{DIGEST}"],
        "architecture": "arm64",
        "os": "linux",
    }
    descriptor = {"name": "grype", "version": "0.65.1", "timestamp": "2026-08-31T19:13:32.9+00:00"}
    assert read(grype(found, source={"type": "image", "target": target}, descriptor=descriptor)) == Scan(
        scanner=SCANNERS["grype"],
        scanner_version="0.65.1",
        scanned_at="2026-08-31T19:13:32Z",
        references=("acme/web:1", "acme/web:latest", f"acme/web@{DIGEST}"),
        coverage=Coverage(frozenset({DIGEST}), "linux/arm64", OTHER),
        os_end_of_life=None,
        findings=(
            Finding(
                id="CVE-2014-3577",
                severity=2,
                pkg="httpclient",
                installed="4.1.1",
                fixed="4.3.5, 5.0",
                title="Weak host name check",
                url=f"https://github.com/advisories/{GHSA}",
                target="/app.jar",
                aliases=(GHSA,),
                purl="pkg:maven/org.apache/httpclient@4.1.1",
            ),
        ),
        fraction="9",
    )


def test_grype_of_a_folder_names_no_image() -> None:
    scan = read(grype(source={"type": "directory", "target": "/src"}))
    assert (scan.references, scan.coverage.named, scan.findings) == ((), frozenset(), ())


def test_old_reports_of_grype() -> None:
    (found,) = read(
        {"matches": [{"vulnerability": {"id": "CVE-2020-1", "fixedInVersion": "2.0"}, "artifact": None}]}
    ).findings
    assert (found.fixed, found.pkg, found.target) == ("2.0", "", "")


@pytest.mark.parametrize(
    ("addresses", "chosen"),
    [
        ({"dataSource": "https://a.org/", "urls": ["https://b.org/"]}, "https://a.org/"),
        ({"dataSource": "", "urls": ["ftp://b.org/", "https://c.org/"]}, "https://c.org/"),
        ({}, "https://avd.aquasec.com/nvd/cve-2026-0001"),
    ],
)
def test_the_address_of_a_match(addresses: dict[str, Any], chosen: str) -> None:
    assert read(grype(match(addresses))).findings[0].url == chosen


@pytest.mark.parametrize(
    ("written", "related", "chosen", "aliases"),
    [
        (GHSA, ["CVE-2026-0001"], "CVE-2026-0001", (GHSA,)),
        (GHSA, ["CVE-2026-0001", "CVE-2026-0001"], "CVE-2026-0001", (GHSA,)),
        (GHSA, ["CVE-2026-0001", "CVE-2026-0002"], GHSA, ("CVE-2026-0001", "CVE-2026-0002")),
        (GHSA, ["GO-2026-1"], GHSA, ("GO-2026-1",)),
        ("CVE-2026-0009", ["CVE-2026-0001", GHSA], "CVE-2026-0009", ("CVE-2026-0001", GHSA)),
        ("CVE-2026-0009", [], "CVE-2026-0009", ()),
        (GHSA, ["CVE-YYYY-0001"], GHSA, ("CVE-YYYY-0001",)),
    ],
)
def test_which_id_a_vulnerability_goes_by(
    written: str, related: list[str], chosen: str, aliases: tuple[str, ...]
) -> None:
    (found,) = read(grype(match({"id": written}, *related))).findings
    assert (found.id, found.aliases) == (chosen, aliases)


@pytest.mark.parametrize(
    "media_type",
    [
        "application/vnd.security.vulnerability.report; version=1.1",
        "application/vnd.scanner.adapter.vuln.report.harbor+json; version=1.0",
    ],
)
def test_harbor(media_type: str) -> None:
    found = {
        "id": "CVE-2026-0001",
        "package": "openssl",
        "version": "3.0.1",
        "fix_version": "3.0.2",
        "severity": "Critical",
        "description": "A flaw.",
        "links": ["https://example.org/1", "https://example.org/2"],
        "artifact_digests": [DIGEST],
    }
    report = {
        "generated_at": "2026-01-01T00:00:00.000000000Z",
        "scanner": {"name": "Trivy", "vendor": "Aqua Security", "version": "v0.50.1"},
        "severity": "Critical",
        "vulnerabilities": [found],
    }
    assert read({media_type: report}) == Scan(
        scanner=SCANNERS["harbor"],
        scanner_version="Trivy v0.50.1",
        scanned_at="2026-01-01T00:00:00Z",
        references=(),
        coverage=Coverage(frozenset({DIGEST})),
        os_end_of_life=None,
        findings=(
            Finding(
                id="CVE-2026-0001",
                severity=0,
                pkg="openssl",
                installed="3.0.1",
                fixed="3.0.2",
                title="A flaw.",
                url="https://example.org/1",
                target="",
            ),
        ),
    )


def osv(*groups: Any, records: list[dict[str, Any]] | None = None, **source: str) -> dict[str, Any]:
    package = {
        "package": {"name": "lodash", "version": "4.17.0", "ecosystem": "npm"},
        "vulnerabilities": records or [],
        "groups": list(groups),
    }
    return {"results": [{"source": source, "packages": [package]}]}


def test_osv_counts_groups() -> None:
    def record(name: str, **fields: Any) -> dict[str, Any]:
        ranges = [
            {"type": "GIT", "events": [{"introduced": "0"}, {"fixed": "c0ffee"}]},
            {"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "4.17.21"}]},
            {"type": "SEMVER", "events": [{"introduced": "5.0.0"}, {"fixed": "5.1.0"}]},
        ]
        affected = [
            {"package": {"name": "lodash"}, "ranges": ranges},
            {"package": {"name": "lodash-es"}, "ranges": [{"type": "SEMVER", "events": [{"fixed": "9"}]}]},
        ]
        return {"id": name, "affected": affected, **fields}

    group = {"ids": [GHSA, "MAL-1"], "aliases": [GHSA, "CVE-2026-0001"], "max_severity": "7.5"}
    records = [record(GHSA, details="Long text"), record("MAL-1", summary="Short text")]
    scan = read(osv(group, records=records, path="acme/web:1:/app/package-lock.json", type="docker"))
    assert scan == Scan(
        scanner=SCANNERS["osv"],
        scanner_version="",
        scanned_at=None,
        references=("acme/web:1",),
        coverage=Coverage(),
        os_end_of_life=None,
        findings=(
            Finding(
                id="CVE-2026-0001",
                severity=1,
                pkg="lodash",
                installed="4.17.0",
                fixed="4.17.21, 5.1.0",
                title="Short text",
                url=f"https://osv.dev/vulnerability/{GHSA}",
                target="acme/web:1:/app/package-lock.json",
                aliases=(GHSA, "MAL-1"),
                ecosystem="npm",
            ),
        ),
    )


@pytest.mark.parametrize(
    ("score", "word", "severity"),
    [
        ("10.0", "", 0),
        ("9.0", "", 0),
        (9.8, "", 0),
        (9, "", 0),
        (10**300, "HIGH", 1),
        (True, "", 4),
        ("8.9", "", 1),
        ("7.0", "", 1),
        ("6.9", "", 2),
        ("4.0", "", 2),
        ("3.9", "", 3),
        ("0.1", "", 3),
        ("", "MODERATE", 2),
        ("0.0", "HIGH", 1),
        ("nan", "HIGH", 1),
        ("inf", "LOW", 3),
        (None, "", 4),
    ],
)
def test_the_severity_of_a_group(score: object, word: str, severity: int) -> None:
    records = [{"id": "X-1", "database_specific": {"severity": word}}]
    scan = read(osv({"ids": ["X-1"], "max_severity": score}, records=records))
    assert scan.findings[0].severity == severity


@pytest.mark.parametrize("beside", [{}, {"experimental_config": {}, "image_metadata": {}}])
def test_osv_that_found_nothing(beside: dict[str, Any]) -> None:
    assert read({"results": [], **beside}).findings == ()


def test_an_empty_list_of_results_of_another_tool_is_no_clean_scan() -> None:
    assert "an object with `results`, `errors`" in refusal({"results": [], "errors": []})


def test_artifact_hub_gives_a_scan_per_image() -> None:
    document = {
        "acme/web:1": trivy(
            row(), ArtifactName="elsewhere:9", Metadata={"RepoDigests": [f"acme/web@{DIGEST}"]}
        ),
        f"acme/job:2@{OTHER}": {"Results": None},
        "acme/old:1": [{"Target": "old", "Vulnerabilities": None}],
    }
    scans = read_report(json.dumps(document).encode())
    assert [(scan.references, scan.coverage.digests, len(scan.findings)) for scan in scans] == [
        (("acme/web:1",), {DIGEST}, 1),
        ((f"acme/job:2@{OTHER}",), {OTHER}, 0),
        (("acme/old:1",), frozenset(), 0),
    ]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"descriptor": {"name": "grype"}}, "`matches` is missing (the report is damaged"),
        ({"matches": {}}, "`matches`: expected `array | null`, got `object`"),
        ({"matches": [{"artifact": {}}]}, "`matches[0]`: object missing required field `vulnerability`"),
        (
            {"application/vnd.security.vulnerability.report; version=1.1": []},
            "1.1`: expected `object`, got `array`",
        ),
        ({"application/vnd.security.vulnerability.report": {}}, "`vulnerabilities` is missing"),
        (
            {"application/vnd.security.vulnerability.report": {"vulnerabilities": [{}]}},
            "vulnerabilities[0]`: object missing required field `id`",
        ),
        ({"results": "none"}, "`results`: expected `array`, got `str`"),
        ({"results": [{"packages": 3}]}, "`results[0].packages`: expected `array | null`, got `int`"),
        (osv({"ids": []}), "`results[0].packages[0].groups[0].ids`: expected `array` of length >= 1"),
        (osv(records=[{"id": " "}]), "`results[0].packages[0].vulnerabilities[0].id` is empty"),
        ({"results": [{"packages": []}, {}]}, "`results[1].packages` is missing"),
        ({"acme/web:1": {"Results": 5}}, "acme/web:1: `Results`: expected `array | null`, got `int`"),
        ({"acme/web:1": {"Results": []}, "acme/job:1": 5}, "`acme/job:1` is not a report of Trivy"),
    ],
)
def test_a_report_that_cannot_be_counted_on_is_refused(document: dict[str, Any], reason: str) -> None:
    assert reason in refusal(document)
