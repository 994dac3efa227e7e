"""Reports of Trivy, and how the values of every scanner's report are read."""

from __future__ import annotations

import pytest

from mkdocs_catalog_api.catalog.scans import Coverage
from mkdocs_catalog_api.sources.reports import SCANNERS, Finding, Scan
from tests.report_files import DIGEST, finding, read, row, trivy


def test_a_whole_report() -> None:
    vulnerability = {
        "VulnerabilityID": "CVE-2026-0001",
        "VendorIDs": ["GO-2026-1"],
        "PkgName": "zlib",
        "PkgIdentifier": {"PURL": "pkg:apk/wolfi/zlib@1.3-r0"},
        "InstalledVersion": "1.3-r0",
        "FixedVersion": "1.3-r1, 1.4-r0",
        "Status": "fixed",
        "Severity": "HIGH",
        "Title": "zlib: overflow",
        "PrimaryURL": "https://example.org/1",
    }
    scan = read(
        trivy(
            vulnerability,
            Trivy={"Version": "0.69.3"},
            CreatedAt="2026-04-23T06:05:47.82769912+02:00",
            ArtifactName="ghcr.io/acme/web:1",
            ArtifactType="container_image",
            Metadata={
                "OS": {"Family": "wolfi", "EOSL": True},
                "ImageID": "sha256:" + "f" * 64,
                "RepoTags": ["ghcr.io/acme/web:1", "ghcr.io/acme/web:latest"],
                "RepoDigests": [f"ghcr.io/acme/web@{DIGEST}"],
                "ImageConfig": {"os": "linux", "architecture": "arm", "variant": "v7"},
            },
        )
    )
    expected = Finding(
        id="CVE-2026-0001",
        severity=1,
        pkg="zlib",
        installed="1.3-r0",
        fixed="1.3-r1, 1.4-r0",
        title="zlib: overflow",
        url="https://example.org/1",
        target="acme/web (wolfi 1)",
        aliases=(),
        purl="pkg:apk/wolfi/zlib@1.3-r0",
    )
    assert scan == Scan(
        scanner=SCANNERS["trivy"],
        scanner_version="0.69.3",
        scanned_at="2026-04-23T04:05:47Z",
        references=("ghcr.io/acme/web:1", "ghcr.io/acme/web:latest", f"ghcr.io/acme/web@{DIGEST}"),
        coverage=Coverage(
            frozenset({DIGEST}), "linux/arm/v7", "", frozenset({"os-pkgs"}), frozenset({"os-end-of-life"})
        ),
        os_end_of_life=True,
        findings=(expected,),
        fraction="82769912",
    )


def test_a_bare_result_is_enough() -> None:
    assert read({"Results": [{"Vulnerabilities": [{"VulnerabilityID": "X-1"}]}]}) == Scan(
        scanner=SCANNERS["trivy"],
        scanner_version="",
        scanned_at=None,
        references=(),
        coverage=Coverage(packages=frozenset({"lang-pkgs"})),
        os_end_of_life=None,
        findings=(Finding("X-1", 4, "", "", "", "", "", ""),),
        odd_severities=(("", 1),),
    )


@pytest.mark.parametrize(
    "document",
    [
        {"SchemaVersion": 2, "ArtifactName": "acme/web:1"},
        {"SchemaVersion": 2, "Results": None},
        {"Results": [{"Target": "web (alpine 3)", "Vulnerabilities": None}]},
        [{"Target": "web (alpine 3)", "Vulnerabilities": None}],
    ],
)
def test_scans_that_found_nothing(document: object) -> None:
    assert read(document).findings == ()


def test_the_first_schema_is_the_list_of_results() -> None:
    scan = read([{"Target": "a", "Vulnerabilities": [row()]}, {"Target": "b", "Vulnerabilities": [row()]}])
    assert [(found.id, found.target) for found in scan.findings] == [
        ("CVE-2026-0001", "a"),
        ("CVE-2026-0001", "b"),
    ]


@pytest.mark.parametrize(("status", "kept"), [("fixed", 1), ("affected", 1), ("not_affected", 0)])
def test_only_what_does_not_concern_the_image_is_dropped(status: str, kept: int) -> None:
    assert len(read(trivy(row(Status=status))).findings) == kept


@pytest.mark.parametrize("kind", ["filesystem", "repository", "cyclonedx"])
def test_a_folder_is_no_name_of_an_image(kind: str) -> None:
    assert read(trivy(ArtifactName=".", ArtifactType=kind)).references == ()


def test_a_name_may_hold_the_digest() -> None:
    assert read(trivy(ArtifactName=f"acme/web:1@{DIGEST}")).coverage.digests == {DIGEST}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("CVE-2026-0001", "https://avd.aquasec.com/nvd/cve-2026-0001"),
        ("GHSA-abcd-efgh-ijkl", "https://github.com/advisories/GHSA-abcd-efgh-ijkl"),
        ("RUSTSEC-2026-0001", "https://osv.dev/vulnerability/RUSTSEC-2026-0001"),
        ("TEMP-0841856-B18BAF", "https://security-tracker.debian.org/tracker/TEMP-0841856-B18BAF"),
        ("DLA-1", ""),
        ("CVE-1/../../x", ""),
    ],
)
def test_a_missing_address_follows_from_the_id(name: str, address: str) -> None:
    assert finding(VulnerabilityID=name).url == address


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("CRITICAL", 0),
        ("High", 1),
        ("low ", 3),
        ("IMPORTANT", 4),
        ("negligible", 4),
        ("", 4),
        (3, 4),
    ],
)
def test_words_of_severity(word: object, severity: int) -> None:
    assert finding(Severity=word).severity == severity


@pytest.mark.parametrize(
    ("written", "safe"),
    [
        ("tabs\tand\r\nlines", "tabs and lines"),
        ("bell\a and \x1b[31mcolour\x1b[0m and \x9b", "bell and [31mcolour[0m and "),
        ("user\u202etxt.exe", "usertxt.exe"),
        ("whole \U0001f600 character", "whole \U0001f600 character"),
        ("Zürich 東京", "Zürich 東京"),
        ("x" * 1001, "x" * 1000),
        (17, ""),
    ],
)
def test_texts_are_made_safe(written: object, safe: str) -> None:
    assert finding(Title=written).title == safe


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "//example.org", "ftp://example.org", 'https://e.org/"onclick=', "https://", "x"],
)
def test_an_address_that_is_not_of_the_web_becomes_empty(address: str) -> None:
    assert finding(PrimaryURL=address).url == ""


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2026-06-21T06:40:04.309378756Z", "2026-06-21T06:40:04Z"),
        ("2025-08-28T11:02:06.73238+03:00", "2025-08-28T08:02:06Z"),
        ("2024-01-01T00:30:00+0100", "2023-12-31T23:30:00Z"),
        ("2026-06-21 06:40:04.3 +0000 UTC", "2026-06-21T06:40:04Z"),
        ("2026-06-21T06:40:04", "2026-06-21T06:40:04Z"),
        ("2026-06-21t06:40:04z", "2026-06-21T06:40:04Z"),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+05:00", None),
        ("9999-12-31T23:00:00-05:00", None),
        ("2026-02-30T00:00:00Z", None),
        ("2026-06-21T06:40:04+99:00", None),
        ("yesterday", None),
        (1782024004, None),
    ],
)
def test_times_are_brought_to_utc(written: object, time: str | None) -> None:
    assert read(trivy(CreatedAt=written)).scanned_at == time


@pytest.mark.parametrize(
    ("system", "end_of_life"),
    [({"Family": "debian", "EOSL": True}, True), ({"Family": "wolfi"}, False), (None, None), ({}, None)],
)
def test_whether_the_system_is_at_its_end_of_life(system: object, end_of_life: bool | None) -> None:
    """Trivy leaves `EOSL` out when it is false, and `OS` when it finds no operating system."""
    assert read(trivy(Metadata={"OS": system})).os_end_of_life is end_of_life
