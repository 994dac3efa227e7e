"""What is read of reports: of whole ones, value by value, of damaged ones, and why others are refused."""

from __future__ import annotations

import base64
import json
import pkgutil
import random
import re
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.scans import Coverage
from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.sources import reports
from mkdocs_catalog_api.sources.reports import (
    FORMATS,
    SCANNERS,
    SEVERITIES,
    Finding,
    Scan,
    artifact_hub,
    read_report,
)
from mkdocs_catalog_api.sources.reports.formats import SBOM_FORMATS
from mkdocs_catalog_api.sources.reports.normalise import ReportFormat

from .random_catalogs import RandomCatalog, Version
from .report_files import damaged, row, trivy
from .sites import SiteFolder, built, cyclonedx, grype, harbor, match, openvex, osv

DIGEST, OTHER, IMAGE = (f"sha256:{letter * 64}" for letter in "abf")
ONE, GHSA = "CVE-2026-0001", "GHSA-cfh5-3ghh-wfjx"
HARBOR = "application/vnd.security.vulnerability.report"

TRIVY = trivy(
    {
        "VulnerabilityID": ONE, "VendorIDs": ["GO-2026-1"], "PkgName": "zlib",
        "PkgIdentifier": {"PURL": "pkg:apk/wolfi/zlib@1.3-r0"}, "InstalledVersion": "1.3-r0",
        "FixedVersion": "1.3-r1, 1.4-r0", "Status": "fixed", "Severity": "HIGH", "Title": "zlib: overflow",
        "PrimaryURL": "https://example.org/1"},
    Trivy={"Version": "0.69.3"}, CreatedAt="2026-04-23T06:05:47.82769912+02:00",
    ArtifactName="ghcr.io/acme/web:1", ArtifactType="container_image",
    Metadata={
        "OS": {"Family": "wolfi", "EOSL": True}, "ImageID": IMAGE,
        "RepoTags": ["ghcr.io/acme/web:1", "ghcr.io/acme/web:latest"],
        "RepoDigests": [f"ghcr.io/acme/web@{DIGEST}"],
        "ImageConfig": {"os": "linux", "architecture": "arm", "variant": "v7"}},
)  # fmt: skip
TRIVY_READ = {
    "scanner": SCANNERS["trivy"], "scanner_version": "0.69.3", "scanned_at": "2026-04-23T04:05:47Z",
    "fraction": "82769912",
    "references": ("ghcr.io/acme/web:1", "ghcr.io/acme/web:latest", f"ghcr.io/acme/web@{DIGEST}"),
    "coverage": Coverage(
        frozenset({DIGEST}), "linux/arm/v7", "", frozenset({"os-pkgs"}), frozenset({"os-end-of-life"}),
        frozenset({"os-pkgs"})),
    "os_end_of_life": True,
    "findings": (Finding(
        ONE, 1, "zlib", "1.3-r0", "1.3-r1, 1.4-r0", "zlib: overflow", "https://example.org/1",
        "acme/web (wolfi 1)", ("GO-2026-1",), "pkg:apk/wolfi/zlib@1.3-r0"),),
}  # fmt: skip
MAVEN = "pkg:maven/org.apache/httpclient@4.1.1"
PATHS = [{"path": "/app.jar"}, {"path": "/other.jar"}]
MATCH = match(GHSA, "Medium", ONE, pkg="httpclient", version="4.1.1", locations=PATHS, purl=MAVEN)
MATCH["vulnerability"] |= {
    "dataSource": f"https://github.com/advisories/{GHSA}",
    "description": "Weak host name check",
    "fix": {"versions": ["4.3.5", "5.0"], "state": "fixed"},
}
GRYPE = grype(
    MATCH, created="2026-08-31T19:13:32.9+00:00", userInput="acme/web:1", imageID=IMAGE, manifestDigest=OTHER,
    tags=["acme/web:1", "acme/web:latest"], repoDigests=[f"acme/web@{DIGEST}"], architecture="arm64",
    os="linux",
)  # fmt: skip
GRYPE_READ = {
    "scanner": SCANNERS["grype"], "scanner_version": "0.80", "scanned_at": "2026-08-31T19:13:32Z",
    "fraction": "9", "references": ("acme/web:1", "acme/web:latest", f"acme/web@{DIGEST}"),
    "coverage": Coverage(frozenset({DIGEST}), "linux/arm64", OTHER),
    "findings": (Finding(
        ONE, 2, "httpclient", "4.1.1", "4.3.5, 5.0", "Weak host name check",
        f"https://github.com/advisories/{GHSA}", "/app.jar", (GHSA,), MAVEN),),
}  # fmt: skip
HARBORS = {
    "generated_at": "2026-01-01T00:00:00.000000000Z",
    "scanner": {"name": "Trivy", "vendor": "Aqua Security", "version": "v0.50.1"},
    "vulnerabilities": [
        {"id": ONE, "package": "openssl", "version": "3.0.1", "fix_version": "3.0.2", "severity": "Critical"}
        | {"description": "A flaw.", "links": ["https://example.org/1", "x"], "artifact_digests": [DIGEST]}
    ],
}
HARBOR_READ = {
    "scanner": SCANNERS["harbor"], "scanner_version": "Trivy v0.50.1", "scanned_at": "2026-01-01T00:00:00Z",
    "coverage": Coverage(frozenset({DIGEST})),
    "findings": (Finding(ONE, 0, "openssl", "3.0.1", "3.0.2", "A flaw.", "https://example.org/1", ""),)
}  # fmt: skip


def osv_record(name: str, **fields: Any) -> dict[str, Any]:
    """With ranges of Git and of two lines, and those of other packages: of one name in another ecosystem."""
    ranges = [
        {"type": kind, "events": [{"introduced": "0"}, {"fixed": fixed}]}
        for kind, fixed in (("GIT", "c0ffee"), ("SEMVER", "4.17.21"), ("SEMVER", "5.1.0"))
    ]
    others = [
        {"package": package, "ranges": [{"type": "SEMVER", "events": [{"fixed": "9"}]}]}
        for package in ({"name": "lodash-es"}, {"name": "lodash", "ecosystem": "PyPI"})
    ]
    return {"id": name, "affected": [{"package": {"name": "lodash"}, "ranges": ranges}, *others], **fields}


OSV = osv(
    [osv_record(GHSA, details="Long text"), osv_record("MAL-1", summary="Short text")],
    [{"ids": [GHSA, "MAL-1"], "aliases": [GHSA, ONE], "max_severity": "7.5"}], pkg="lodash",
    of="acme/web:1:/app/package-lock.json",
)  # fmt: skip
OSV_READ = {
    "scanner": SCANNERS["osv"], "references": ("acme/web:1",),
    "findings": (Finding(
        ONE, 1, "lodash", "1", "4.17.21, 5.1.0", "Short text", f"https://osv.dev/vulnerability/{GHSA}",
        "acme/web:1:/app/package-lock.json", (GHSA, "MAL-1")),),
}  # fmt: skip
LANG = frozenset({"lang-pkgs"})
BARE = {"Results": [{"Vulnerabilities": [{"VulnerabilityID": "X-1"}]}]}
BARE_READ = {
    "findings": (Finding("X-1", 4, "", "", "", "", "", ""),),
    "coverage": Coverage(packages=LANG, found=LANG), "odd_severities": (("", 1),)
}  # fmt: skip
WHOLE: list[tuple[Any, dict[str, Any]]] = [
    (TRIVY, TRIVY_READ),
    (BARE, BARE_READ),
    (GRYPE, GRYPE_READ),
    ({f"{HARBOR}; version=1.1": HARBORS}, HARBOR_READ),
    ({"application/vnd.scanner.adapter.vuln.report.harbor+json; version=1.0": HARBORS}, HARBOR_READ),
    (OSV, OSV_READ),
]
# fmt: off
RPM: dict[str, Any] = {
    "Name": "openssl-libs", "Version": "1.0.2k", "Release": "16.el7", "Epoch": 1, "SrcName": "openssl",
    "SrcVersion": "1.0.2k", "SrcRelease": "16.el7", "SrcEpoch": 1, "Licenses": ["OpenSSL", "NOASSERTION"],
    "Identifier": {"PURL": "pkg:rpm/centos/openssl-libs@1.0.2k-16.el7?arch=x86_64&epoch=1&distro=centos-7"}}
GO = {"Name": "github.com/acme/web", "Version": "v1.2", "Relationship": "root", "Identifier": {"UID": "1"}}
LISTING = trivy(ArtifactName="acme/web:1")
LISTING["Results"][0] |= {"Packages": [RPM, RPM]}
LISTING["Results"].append({"Class": "lang-pkgs", "Type": "gobinary", "Target": "web", "Packages": [GO]})
OPENSSL = (
    "pkg:rpm/centos/openssl-libs@1.0.2k-16.el7?arch=x86_64&distro=centos-7&epoch=1"
    "&upstream=openssl-1.0.2k-16.el7.src.rpm "
    "1:1.0.2k-16.el7 openssl"
)
ACME_PURL = f"pkg:oci/web@{DIGEST.replace(':', '%3A')}?repository_url=ghcr.io%2Facme%2Fweb&arch=arm64"
CYCLONEDX = {
    "bomFormat": "CycloneDX", "specVersion": "1.7", "metadata": {
        "timestamp": "2026-11-01T06:00:00Z",
        "component": {"type": "container", "name": "acme/web:1", "purl": ACME_PURL}},
    "components": [
        {"type": "operating-system", "name": "centos", "version": "7"}, {"type": "file", "name": "/a"},
        {"type": "application", "name": "go.mod", "components": [
            {"type": "library", "name": "core", "group": "@babel", "version": "7.1",
             "purl": "pkg:npm/%40babel/core@7.1", "licenses": [{"expression": "MIT OR ISC"}]}]},
        {"type": "library", "name": "openssl-libs", "version": "1.0.2k-16.el7",
         "purl": f"{RPM['Identifier']['PURL']}&upstream=openssl-1.0.2k-16.el7.src.rpm&package-id=1",
         "licenses": [{"license": {"id": "OpenSSL"}}]},
        {"type": "library", "name": "odd", "version": "1", "purl": "a-purl"}],
}
SPDX = {
    "spdxVersion": "SPDX-2.2", "creationInfo": {"created": "2026-11-01T06:00:00Z"},
    "relationships": [
        {"spdxElementId": of, "relationshipType": "DESCRIBES", "relatedSpdxElement": described}
        for of, described in (("SPDXRef-2", "SPDXRef-1"), ("SPDXRef-DOCUMENT", "SPDXRef-root"))],
    "packages": [
        {"SPDXID": "SPDXRef-root", "name": "acme/web:1"},
        {"SPDXID": "SPDXRef-OperatingSystem-1", "name": "centos", "versionInfo": "7"},
        {"SPDXID": "SPDXRef-1", "name": "openssl-libs", "versionInfo": "1.0.2k", "licenseDeclared": "NONE",
         "licenseConcluded": "OpenSSL", "sourceInfo": "built package from: openssl 1:1.0.2k-16.el7",
         "externalRefs": [{"referenceType": "purl", "referenceLocator": RPM["Identifier"]["PURL"]}]},
        {"SPDXID": "SPDXRef-2", "name": "go.mod"}],
}
BY = {"spdxElementId": "SPDXRef-root", "relationshipType": "DESCRIBED_BY",
      "relatedSpdxElement": "SPDXRef-DOCUMENT"}
MORE = [
    {"name": "base", "versionInfo": "2", "primaryPackagePurpose": "CONTAINER"},
    {"SPDXID": "SPDXRef-OperatingSystem-reader", "name": "reader", "versionInfo": "3",
     "primaryPackagePurpose": "LIBRARY"}]
BASE = "pkg:oci/debian@sha256%3Aaa?repository_url=docker.io/library/debian"
ROOT = {"bom-ref": "r", "type": "library", "name": "web", "version": "1", "purl": "pkg:npm/web@1"}
NO_COMPONENTS = [
    ROOT, {"type": "library", "name": 1}, {"type": "framework"},
    {"type": "file", "name": "/a", "version": "1"},
    {"type": "library", "name": "debian", "version": "13", "purl": BASE}]
NO_PACKAGES = [
    {"versionInfo": "1"},
    {"name": "debian", "versionInfo": "13", "externalRefs": [
        {"referenceType": "purl", "referenceLocator": "pkg:docker/debian@13"}]}]
OF_NO_VERSION = {
    "name": "a", "versionInfo": "NOASSERTION", "externalRefs": [
        {"referenceType": "purl", "referenceLocator": "pkg:npm/a"}]}
STATEMENT = {
    "predicateType": "https://spdx.dev/Document", "predicate": SPDX,
    "subject": [{"name": "pkg:docker/acme/web@2?platform=linux%2Farm64", "digest": {"sha256": "b" * 64}}],
}
LISTS: list[tuple[Any, dict[str, Any], list[str]]] = [
    (LISTING, {}, [f"{OPENSSL} OpenSSL", "pkg:golang/github.com/acme/web@v1.2 v1.2 "]),
    (CYCLONEDX, {
        "references": ("acme/web:1",), "scanned_at": "2026-11-01T06:00:00Z",
        "coverage": Coverage(frozenset({DIGEST}), "linux/arm64"), "kind": ""},
     ["pkg:npm/%40babel/core@7.1 7.1  MIT OR ISC", f"{OPENSSL} OpenSSL", "odd 1 "]),
    (SPDX, {"references": ("acme/web:1",), "kind": ""}, [f"{OPENSSL} OpenSSL"]),
    (STATEMENT, {"references": ("acme/web:2",), "coverage": Coverage(frozenset({OTHER}), "linux/arm64")},
     [f"{OPENSSL} OpenSSL"]),
    (STATEMENT | {"subject": [{"digest": {}}]}, {"references": ("acme/web:1",)}, [f"{OPENSSL} OpenSSL"]),
    (SPDX | {"documentDescribes": ["SPDXRef-1", "SPDXRef-root"]}, {"references": ("acme/web:1",)},
     [f"{OPENSSL} OpenSSL"]),
    (SPDX | {"relationships": [BY]}, {"references": ("acme/web:1",)}, [f"{OPENSSL} OpenSSL"]),
    (SPDX | {"packages": [*SPDX["packages"], *MORE]}, {"references": ("acme/web:1",)},
     [f"{OPENSSL} OpenSSL", "reader 3 "]),
    (SPDX | {"packages": [*SPDX["packages"], *NO_PACKAGES, OF_NO_VERSION]}, {},
     [f"{OPENSSL} OpenSSL", "pkg:npm/a  "]),
    (CYCLONEDX | {
        "metadata": {"component": ROOT},
        "components": [{"type": "library", "name": "a", "version": "NONE"}, *NO_COMPONENTS]},
     {}, ["a  "]),
    (CYCLONEDX | {"components": [{"type": "framework", "name": "a"}]}, {}, ["a  "]),
    (CYCLONEDX | {"components": []}, {"contents": None}, []),
]
# fmt: on
ADVISORY = "https://github.com/advisories/GHSA-abcd-efgh-ijkl"
ADDRESSES = [  # What follows from the id where an address is missing.
    (ONE, "https://avd.aquasec.com/nvd/cve-2026-0001"),
    ("GHSA-abcd-efgh-ijkl", ADVISORY),
    ("RUSTSEC-2026-0001", "https://osv.dev/vulnerability/RUSTSEC-2026-0001"),
    ("TEMP-0841856-B18BAF", "https://security-tracker.debian.org/tracker/TEMP-0841856-B18BAF"),
    ("DLA-1", ""),
    ("CVE-1/../../x", ""),
]
TITLES = [
    ("tabs\tand\r\nlines", "tabs and lines"),
    ("bell\a and \x1b[31mcolour\x1b[0m and \x9b", "bell and [31mcolour[0m and "),
    ("user\u202etxt.exe", "usertxt.exe"),
    ("whole \U0001f600 character", "whole \U0001f600 character"),
    ("Zürich 東京", "Zürich 東京"),
    ("x" * 1001, "x" * 1000),
    ("half \ud83d of\udc00 pairs", "half \ufffd of\ufffd pairs"),
    (17, ""),
]
NOT_OF_THE_WEB = ("javascript:alert(1)", "//example.org", "ftp://example.org", 'https://e.org/"onclick=', "x")
TIMES = [
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
]
SCORES = [  # The worst severity of a group, and the word of its record.
    *(("10.0", "", 0), ("9.0", "", 0), (9.8, "", 0), (9, "", 0), (10**300, "HIGH", 1), (True, "", 4)),
    *(("8.9", "", 1), ("7.0", "", 1), ("6.9", "", 2), ("4.0", "", 2), ("3.9", "", 3), ("0.1", "", 3)),
    *(("", "MODERATE", 2), ("0.0", "HIGH", 1), ("nan", "HIGH", 1), ("inf", "LOW", 3), (None, "", 4)),
]


def rated(score: object, word: object) -> Any:
    """A group of OSV-Scanner with its worst score, and the word of its record."""
    group = {"ids": ["X-1"], "max_severity": score}
    return osv([{"id": "X-1", "database_specific": {"severity": word}}], [group])


def worded(scanner: str, word: Any) -> Any:
    """A report of the scanner with one finding of this severity."""
    rows = {"trivy": trivy(row(Severity=word)), "grype": grype(match(ONE, word)), "osv": rated("", word)}
    return rows.get(scanner) or harbor({"id": ONE, "severity": word})


SCANNERS_OF_WORDS = ("trivy", "grype", "harbor", "osv")
KNOWN = (
    *((scanner, "UNKNOWN", 4) for scanner in SCANNERS_OF_WORDS),
    *(("harbor", "None", 4), ("osv", "None", 4), ("osv", "Negligible", 3), ("osv", "important", 1)),
    *(("osv", "MINOR", 3), ("osv", "UNIMPORTANT", 3), ("trivy", "CRITICAL", 0), ("trivy", "low ", 3)),
)
# Words of no scanner, and of another one.
ODD: tuple[tuple[str, Any], ...] = (
    *((scanner, word) for scanner in SCANNERS_OF_WORDS for word in ("", None, 7, "SEVERE", "high!")),
    *(("trivy", "Negligible"), ("trivy", "IMPORTANT"), ("grype", "MODERATE"), ("harbor", "IMPORTANT")),
)
V31 = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"
V2, V4 = "AV:N/AC:L/Au:N/C:P/I:P/A:P", "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N"
LOW, BROKEN = "CVSS:3.0/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N", [{"score": "CVSS:3.1/AV:N"}]


def vectors(*scores: str, of: str = "") -> dict[str, Any]:
    """Those of a record, or of a package in it."""
    kinds = {"CVSS:3": "CVSS_V3", "CVSS:4": "CVSS_V4"}
    written = [{"type": kinds.get(score[:6], "CVSS_V2"), "score": score} for score in scores]
    return {"affected": [{"package": {"name": of}, "severity": written}]} if of else {"severity": written}


# A record, what its group adds, and the severity that counts; 5 if that is not known.
VECTORS: tuple[tuple[dict[str, Any], dict[str, Any], int], ...] = (
    (vectors(V31), {}, 0),
    (vectors(V31), {"max_severity": "5.0"}, 2),
    (vectors(V31), {"max_severity": ""}, 0),
    (vectors(V2, LOW), {}, 1),
    (vectors(V4), {}, 0),
    (vectors(V31, of="lib"), {}, 0),
    (vectors(V31, of="curl"), {}, 5),
    ({"severity": BROKEN, "database_specific": {"severity": "LOW"}}, {}, 3),
    ({"severity": BROKEN}, {}, 5),
    (vectors("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N"), {}, 4),
    ({"severity": "high"}, {"max_severity": "eleven"}, 5),
)
VALUES: list[tuple[Any, dict[str, Any]]] = [
    (grype(match(GHSA, "High", ONE, ONE)), {"id": ONE, "aliases": (GHSA,)}),
    # An advisory of a distribution has its CVEs in `related`.
    (osv([{"id": "X-1", "related": [ONE, "X-2"]}], [{"ids": ["X-1"]}]), {"id": ONE, "aliases": ("X-1",)}),
    (grype(match(GHSA, "High", "CVE-YYYY-0001")), {"id": GHSA, "aliases": ("CVE-YYYY-0001",)}),
    *((trivy(row(VulnerabilityID=id_)), {"url": url}) for id_, url in ADDRESSES),
    *((trivy(row(Title=written)), {"title": safe}) for written, safe in TITLES),
    *((trivy(row(PrimaryURL=address)), {"url": ""}) for address in NOT_OF_THE_WEB),
    *((trivy(CreatedAt=written), {"scanned_at": time}) for written, time in TIMES),
    # Trivy leaves `EOSL` out when it is false, and `OS` when it finds no operating system.
    *(
        (trivy(Metadata={"OS": system}), {"os_end_of_life": ended})
        for system, ended in (({"EOSL": True}, True), ({"Family": "wolfi"}, False), (None, None), ({}, None))
    ),
    *(
        (trivy(ArtifactName=".", ArtifactType=kind), {"references": ()})
        for kind in ("filesystem", "repository", "cyclonedx")
    ),
    (
        trivy(ArtifactName=f"acme/web:1@{DIGEST}"),
        {"coverage": Coverage(frozenset({DIGEST}), packages=frozenset({"os-pkgs"}))},
    ),
    # Scans that found nothing.
    ({"SchemaVersion": 2, "ArtifactName": "acme/web:1"}, {"findings": ()}),
    ({"SchemaVersion": 1, "Results": None}, {"findings": ()}),
    ({"Results": [{"Target": "web (alpine 3)", "Vulnerabilities": None}]}, {"findings": ()}),
    ([{"Target": "web (alpine 3)", "Vulnerabilities": None}], {"findings": ()}),
    ({"results": []}, {"findings": ()}),
    ({"results": [], "experimental_config": {}, "image_metadata": {}}, {"findings": ()}),
    # The first schema of Trivy is the list of results.
    ([{"Target": "a", "Vulnerabilities": []}, {"Target": "b", "Vulnerabilities": [row()]}], {"target": "b"}),
    *(
        (grype({"vulnerability": {"id": ONE} | addresses}), {"url": chosen})
        for addresses, chosen in (
            ({"dataSource": "https://a.org/", "urls": ["https://b.org/"]}, "https://a.org/"),
            ({"dataSource": "", "urls": ["ftp://b.org/", "https://c.org/"]}, "https://c.org/"),
        )
    ),
    (
        {"matches": [{"vulnerability": {"id": ONE, "fixedInVersion": "2.0"}, "artifact": None}]},
        {"fixed": "2.0", "pkg": "", "target": ""},  # Old reports of Grype.
    ),
    (
        grype() | {"source": {"type": "directory", "target": "/src"}},
        {"references": (), "coverage": Coverage(), "findings": ()},
    ),
    *((rated(score, word), {"severity": number}) for score, word, number in SCORES),
    *((worded(scanner, word), {"severity": n, "odd_severities": ()}) for scanner, word, n in KNOWN),
    *(
        (worded(scanner, word), {"severity": 4, "odd_severities": ((word if word != 7 and word else "", 1),)})
        for scanner, word in ODD
    ),
    *(
        (
            osv([{"id": "X-1"} | record], [{"ids": ["X-1"]} | group]),
            {
                "severity": min(number, 4),
                "odd_severities": ((group.get("max_severity", ""), 1),) * (number == 5),
            },
        )
        for record, group, number in VECTORS
    ),
]


@pytest.mark.parametrize(("report", "expected"), WHOLE + VALUES)
def test_values(report: Any, expected: dict[str, Any]) -> None:
    (found,) = read(report)
    assert {
        name: getattr(found if hasattr(found, name) else found.findings[0], name) for name in expected
    } == expected


def read(report: object) -> list[Scan]:
    return read_report(json.dumps(report).encode())


def test_artifact_hub_gives_a_scan_per_image() -> None:
    inner = trivy(row(), ArtifactName="elsewhere:9", Metadata={"RepoDigests": [f"acme/web@{DIGEST}"]})
    document = {
        "acme/web:1": inner,
        f"acme/job:2@{OTHER}": {"Results": None},
        "acme/old:1": [{"Target": "old", "Vulnerabilities": None}],
    }
    scans = read(document)
    assert [(scan.references, scan.coverage.digests, len(scan.findings)) for scan in scans] == [
        (("acme/web:1",), {DIGEST}, 1),
        ((f"acme/job:2@{OTHER}",), {OTHER}, 0),
        (("acme/old:1",), frozenset(), 0),
    ]


LEFT_OUT = [
    (trivy(row(FixedVersion="will not fix")), ""),
    (trivy(row(FixedVersion="None")), ""),
    (trivy(row(FixedVersion="(devel)")), "(devel)"),
    (grype({"vulnerability": {"id": ONE, "fix": {"versions": ["n/a", "2.0"]}}}), "2.0"),
    (grype({"vulnerability": {"id": ONE, "fixedInVersion": "None"}}), ""),
    (harbor({"id": ONE, "fix_version": "WILL NOT FIX"}), ""),
]


def test_a_folder_of_go_is_no_package() -> None:
    found = trivy(row(PkgName="./staging/src/k8s.io/api", InstalledVersion="v0.0.0"))
    found["Results"][0] |= {"Class": "lang-pkgs", "Type": "gobinary"}
    assert read(found)[0].findings[0].purl == ""


def test_an_sbom_of_buildkit_is_of_the_image() -> None:
    """It describes the folder that BuildKit has mounted."""
    described = {"SPDXID": "SPDXRef-root", "name": "sbom", "primaryPackagePurpose": "FILE"}
    packages: list[Any] = SPDX["packages"]  # type: ignore[assignment]
    listed = [described, *packages[1:]]
    creators = ["Organization: Anchore, Inc", "Tool: syft-v0.100.0", "Tool: buildkit-v0.17.3"]
    kinds = {
        tuple(tools): read(SPDX | {"packages": listed, "creationInfo": {"creators": tools}})[0].kind
        for tools in (creators, creators[:2])
    }
    assert [*kinds.values()] == ["", "file"]


@pytest.mark.parametrize(("report", "fixed"), LEFT_OUT)
def test_words_for_no_fix_are_no_fix(report: Any, fixed: str) -> None:
    (found,) = read(report)
    assert [finding.fixed for finding in found.findings] == [fixed]


def twice(report: Any, key: str, value: str) -> bytes:
    """The report with a key that stands before itself in the first object that has it."""
    text = json.dumps(report)
    assert f'"{key}": ' in text
    return text.replace(f'"{key}": ', f'"{key}": {value}, "{key}": ', 1).encode()


ALL_OF_OSV = osv([osv_record(GHSA)], [{"ids": [GHSA], "max_severity": "7.5"}], pkg="lodash")
SBOM = cyclonedx("pkg:npm/a@1") | {"version": 1}
REPEATED: list[tuple[Any, str, str]] = [
    *((TRIVY, key, "[]") for key in ("Results", "Vulnerabilities")),
    *((TRIVY, key, '"x"') for key in ("Class", "VulnerabilityID", "Severity", "PkgName", "Status")),
    *((TRIVY, key, '"1"') for key in ("InstalledVersion", "FixedVersion")),
    (TRIVY, "Results", "null"),
    ({"acme/web:1": trivy(row())}, "acme/web:1", '{"Results": []}'),
    ({"acme/web:1": trivy(row())}, "Severity", '"LOW"'),
    (GRYPE, "matches", "[]"),
    (GRYPE, "vulnerability", '{"id": "CVE-2026-0002"}'),
    *((GRYPE, key, '"x"') for key in ("id", "severity", "artifact")),
    (GRYPE, "versions", "[]"),
    *(({f"{HARBOR}; version=1.1": HARBORS}, key, '"x"') for key in ("id", "severity", "package", "version")),
    ({f"{HARBOR}; version=1.1": HARBORS}, "vulnerabilities", "[]"),
    *((ALL_OF_OSV, key, "[]") for key in ("results", "packages", "groups", "vulnerabilities")),
    (ALL_OF_OSV, "ids", '["CVE-2026-0009"]'),
    (ALL_OF_OSV, "max_severity", '"0.1"'),
    *((SBOM, key, value) for key, value in (("components", "[]"), ("purl", '"pkg:npm/b@1"'))),
    *((SPDX, key, value) for key, value in (("packages", "[]"), ("versionInfo", '"2"'))),
]


@pytest.mark.parametrize(("report", "key", "value"), REPEATED)
def test_a_key_that_stands_twice_is_refused(report: Any, key: str, value: str) -> None:
    """Of two values, programs take either: a clean one would hide the other."""
    assert read(report)
    for data in (twice(report, key, value), twice(report, key, value).decode().encode("utf-16")):
        with pytest.raises(RefusedError, match="twice"):
            read_report(data)


def test_a_key_may_stand_elsewhere_as_often_as_it_likes() -> None:
    report = trivy(
        row(Title='"Severity" "Results"', Extra={"Severity": 1, "PkgName": 2}), Results2={"Results": 1}
    )
    assert read(report)[0].findings[0].severity == 1


REPORT = json.dumps(trivy(row())).encode()
PRETTY = json.dumps(trivy(row()), indent=2).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + REPORT,
        REPORT.decode().encode("utf-16"),
        b"\xfe\xff" + REPORT.decode().encode("utf-16-be"),
        b"\n\t" + PRETTY + b"\r\n",
    ],
)
def test_the_same_in_other_bytes(data: bytes) -> None:
    assert read_report(data) == read_report(REPORT)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (REPORT.replace(b"zlib", b"z\xfflib"), "not valid JSON"),
        ({"descriptor": {"name": "grype"}}, "`matches` is missing"),
        ({"matches": {}}, "`matches`: expected a list, got an object"),
        ({"matches": [{"artifact": {}}]}, "`matches[0]`: `vulnerability` is missing"),
        ({f"{HARBOR}; version=1.1": []}, "1.1`: expected an object, got a list"),
        ({HARBOR: {}}, "`vulnerabilities` is missing"),
        (harbor({}), "vulnerabilities[0]`: `id` is missing"),
        ({"results": "none"}, "`results`: expected a list, got text"),
        ({"results": [{"packages": 3}]}, "`results[0].packages`: expected a list, got a whole number"),
        (osv([], [{"ids": []}]), "`results[0].packages[0].groups[0].ids`: the list is too short"),
        (osv([], [{"ids": [""]}]), "`results[0].packages[0].groups[0].ids` is empty"),
        (osv([{"id": " "}], []), "`results[0].packages[0].vulnerabilities[0].id` is empty"),
        ({"results": [{"packages": []}, {}]}, "`results[1].packages` is missing"),
        (CYCLONEDX | {"specVersion": "1.3"}, "CycloneDX 1.3 is not read"),
        (CYCLONEDX | {"specVersion": "1" * 5000}, "CycloneDX 11111111111111111111 is not read"),
        (CYCLONEDX | {"components": {}}, "`components` is not a list"),
        (CYCLONEDX | {"components": [{"components": {}}]}, "`components[…].components` is not a list"),
        (SPDX | {"packages": ["x"]}, "`packages[0]` is not an object"),
        (
            {"SchemaVersion": 2, "Results": [{"Class": "os-pkgs", "Packages": [{"Name": 1}]}]},
            "`Results[0].Packages[0].Name`",
        ),
        ({"results": [], "errors": []}, "an object with `results`, `errors`"),
        ({"acme/web:1": {"Results": 5}}, "acme/web:1: `Results`: expected a list, got a whole number"),
        ({"acme/web:1": {"Results": []}, "acme/job:1": 5}, "`acme/job:1` is not a report of Trivy"),
        (b'{"SchemaVersion": 1e400}', "too large"),
        (REPORT[:-9], "the report is incomplete"),
        (REPORT * 2, "text after its end"),
        (b'{"a": ' * 5000, "nested too deeply"),
        # Files that are known, but are no report of a scanner that is read.
        ({}, "Harbor"),
        ({"errors": [{"code": "UNAUTHORIZED", "message": "unauthorized"}]}, "an error of an API"),
        ({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "docker scout"}}}]}, "of docker scout"),
        ({"version": "2.1.0", "$schema": "x", "runs": []}, "SARIF"),
        ({"bomFormat": "CycloneDX", "components": []}, "CycloneDX"),
        ({"vulnerabilities": [], "packageManager": "deb", "ok": True}, "Snyk"),
        ({"version": "15.0.6", "scan": {}, "vulnerabilities": []}, "GitLab"),
        (openvex(), "OpenVEX"),
        ({"_type": "x", "predicateType": "y", "predicate": {}}, "in-toto"),
        (b"\x89PNG\r\n", "a PNG picture"),
    ],
)
def test_a_report_that_cannot_be_counted_on_is_refused(document: Any, reason: str) -> None:
    with pytest.raises(RefusedError, match=re.escape(reason)):
        read_report(document if isinstance(document, bytes) else json.dumps(document).encode())


CHANCE, WEB = RandomCatalog(SiteFolder(Path()), 1), Version("", "acme/web", "1", [], platform="amd64")
REPORTS: list[Any] = [
    *(json.loads(report_format.sample) for report_format in (*FORMATS, *SBOM_FORMATS)),
    *(report for report, _, _ in LISTS),
    *(
        getattr(CHANCE, scanner)(WEB, "acme/web:1", DIGEST)
        for scanner in ("trivy", "grype", "harbor", "osv") * 5
    ),
    [{"Target": "a", "Vulnerabilities": [row()]}],
    {"acme/web:1": trivy(row()), "acme/job:1": {"Results": None}},
]


def check(data: bytes) -> None:
    """It gives scans with safe texts, or a reason why not."""
    try:
        found = msgspec.to_builtins(read_report(data), str_keys=True)
    except RefusedError as error:
        found = str(error)
    for text in texts(found):
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


@pytest.mark.parametrize(("report", "subject", "listed"), LISTS)
def test_packages_that_are_listed(report: Any, subject: dict[str, Any], listed: list[str]) -> None:
    """Package URL, version, source and licenses of each; the subject of an SBOM."""
    (scan,) = read(report)
    found = scan.contents.packages if scan.contents else ()
    assert [
        " ".join((entry.purl or entry.package.name, entry.version, entry.source, *entry.licenses))
        for entry in found
    ] == listed
    assert {name: getattr(scan, name) for name in subject} == subject
    assert scan.is_sbom == (report is not LISTING)


def in_envelope(document: Any) -> dict[str, Any]:
    payload = base64.b64encode(json.dumps(document).encode()).decode()
    return {"payloadType": "application/vnd.in-toto+json", "payload": payload, "signatures": []}


OF_FOLDER = {"type": "file", "name": "."}
ATTESTED = {
    "predicateType": "https://cyclonedx.org/bom",
    "subject": [{"name": "web", "digest": {"sha256": "b" * 64}}],
}


def sbom_of(kind: dict[str, Any]) -> dict[str, Any]:
    """An SBOM of this component."""
    return CYCLONEDX | {"metadata": {"component": kind}}


# fmt: off
AROUND: list[tuple[Any, bool, set[str]]] = [
    (in_envelope(STATEMENT), False, {OTHER}),
    ({"dsseEnvelope": in_envelope(STATEMENT), "verificationMaterial": {}}, False, {OTHER}),
    ({"SPDX": SPDX}, False, set()),
    ({"sbom": SPDX}, True, set()),
    (ATTESTED | {"predicate": sbom_of(OF_FOLDER)}, False, {OTHER}),
    (ATTESTED | {"predicate": sbom_of({"type": "application", "name": "web"})}, True, {OTHER}),
    (sbom_of(OF_FOLDER), True, set()),
    (CYCLONEDX | {"sbom": SPDX}, False, {DIGEST}),
]
"""What is around an SBOM, whether its list lacks packages, the digests that it is of."""
# fmt: on


@pytest.mark.parametrize(("document", "lacks", "of"), AROUND, ids=range(len(AROUND)))
def test_what_is_around_an_sbom_says_what_it_is_of(document: Any, lacks: bool, of: set[str]) -> None:
    (scan,) = read_report(json.dumps(document).encode())
    assert scan.contents and scan.contents.lacks is lacks
    assert scan.coverage.digests == of


def test_a_map_of_platforms_is_an_sbom_for_each() -> None:
    stage = SPDX | {"packages": [*SPDX["packages"], {"name": "gcc", "versionInfo": "15"}]}
    document = {"linux/amd64": {"SPDX": SPDX, "AdditionalSPDXs": [stage]}, "linux/arm64/v8": {"SPDX": SPDX}}
    scans = read_report(json.dumps(document).encode())
    assert [scan.coverage.platform for scan in scans] == ["linux/amd64", "linux/amd64", "linux/arm64/v8"]
    assert [len(scan.contents.packages) for scan in scans if scan.contents] == [1, 2, 1]


@pytest.mark.parametrize("payload", ["%", "bm9wZQ==", "eyJhIjogMX0="])
def test_an_envelope_that_cannot_be_opened_is_refused(payload: str) -> None:
    with pytest.raises(RefusedError):
        read_report(json.dumps({"payloadType": "a", "payload": payload}).encode())


@pytest.mark.parametrize("key", ["packages", "predicate"])
def test_a_key_that_stands_twice_in_an_envelope_is_refused(key: str) -> None:
    text = json.dumps(STATEMENT).replace(f'"{key}":', f'"{key}": null, "{key}":', 1)
    envelope = in_envelope({}) | {"payload": base64.b64encode(text.encode()).decode()}
    with pytest.raises(RefusedError, match="twice"):
        read_report(json.dumps(envelope).encode())


@pytest.mark.parametrize("report_format", SBOM_FORMATS, ids=lambda report_format: report_format.name)
def test_the_sample_of_an_sbom_is_no_scan(site: SiteFolder, report_format: ReportFormat) -> None:
    """It leaves the image unscanned, and its package is known; where it is of another one, it is not used."""
    site.image("web", "image: ghcr.io/acme/web\nversions: ['1', '2']")
    suffix = "spdx" if report_format.name == "SPDX" else "cdx"
    site.write(f"scans/web/1.{suffix}.json", report_format.sample)
    site.write(f"scans/web/2.{suffix}.json", report_format.sample)
    result = built(site)
    assert not result.json("security/web/1.json")["scanned"]
    assert [problem.file for problem in result.problems] == [f"scans/web/2.{suffix}.json"]


each_format = pytest.mark.parametrize("report_format", FORMATS, ids=lambda report_format: report_format.name)


def recognizes(report_format: ReportFormat, data: bytes) -> bool:
    try:
        return report_format.recognizes(report_format.decode(data))
    except msgspec.ValidationError:
        return False


def test_every_file_with_a_format_is_in_the_table() -> None:
    modules = [
        import_module(f"{reports.__name__}.{info.name}") for info in pkgutil.iter_modules(reports.__path__)
    ]
    tables = (*FORMATS, *SBOM_FORMATS)
    missing = {module.__name__ for module in modules if getattr(module, "FORMAT", FORMATS[0]) not in tables}
    assert missing == set(), "add these to FORMATS in sources/reports/formats.py"
    words = [each.word for each in FORMATS if each is not artifact_hub.FORMAT]
    assert len({*words}) == len(words), "only Artifact Hub passes on another scanner's reports"
    assert len({each.name for each in FORMATS}) == len(FORMATS)


@each_format
def test_its_sample_is_read_as_what_a_sample_has_to_be(report_format: ReportFormat) -> None:
    (scan,) = read_report(report_format.sample)
    (finding,) = scan.findings
    assert (finding.id, SEVERITIES[finding.severity]) == ("CVE-2026-0001", "HIGH")
    assert (finding.pkg, finding.installed, finding.fixed) == ("zlib", "1.2", "1.3")
    assert scan.references in ((), ("ghcr.io/acme/web:1",))
    assert scan.scanner == SCANNERS[report_format.word]


@each_format
def test_no_other_format_recognizes_its_sample(report_format: ReportFormat) -> None:
    """Except Artifact Hub, which is asked after Trivy and finds a report of Trivy in one of Trivy, too."""
    first, *others = [each for each in (*FORMATS, *SBOM_FORMATS) if recognizes(each, report_format.sample)]
    assert first == report_format
    assert {other.name for other in others if other.word != report_format.word} == set()
