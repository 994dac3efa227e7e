"""Reports of Trivy, https://trivy.dev/latest/docs/configuration/reporting/#json.

Schema 2 is an object, schema 1 (before 2021) is a list of results. An empty list was written as `null`, which
does not identify Trivy.

| fact | from |
|---|---|
| scanner_version, scanned_at | `Trivy.Version`, `CreatedAt` |
| references | `ArtifactName` (of an image), `Metadata.RepoTags`, `Metadata.RepoDigests` |
| coverage.digests | those in `ArtifactName` and `Metadata.RepoDigests` |
| coverage.platform | `Metadata.ImageConfig.{os, architecture, variant}` |
| coverage.packages | `Results[].Class`, before 2021 by `Results[].Type` |
| coverage.limits | `Metadata.OS.{EOSL, Family}`; no result of class `os-pkgs`, or none at all |
| os_end_of_life | `Metadata.OS.EOSL` |
| kind | `ArtifactType`, except `container_image` |
| findings | `Results[].Vulnerabilities[]`, except those with `Status` `not_affected` |
| more findings | `Results[].ExperimentalModifiedFindings[].Finding`, which `--show-suppressed` writes |
| set_aside | `Status`, `Statement` and `Source` of the modified finding |
| id, severity, pkg | `VulnerabilityID`, `Severity`, `PkgName` |
| installed, fixed | `InstalledVersion`, `FixedVersion` |
| title, url | `Title`; `PrimaryURL`, when missing the page that belongs to the id |
| aliases | `VendorIDs`, which also has errata, each for several vulnerabilities |
| target, purl | `Results[].Target`; `PkgIdentifier.PURL`, in old reports by `Results[].Type` |
| contents | `Results[].Packages[]`, which older versions do not write; `Metadata.OS` |
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain, repeat
from sys import intern
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from ...catalog.contents import PackageList, PackageVersion, System, package_version
from ...catalog.ids import identity
from ...catalog.scans import PACKAGES, Coverage, Finding, Limit, Scan, SetAside, SetAsideStatus
from ...problems import RefusedError
from .json_errors import explain
from .normalise import (
    DAMAGED,
    ReportFormat,
    advisory,
    counted_severity,
    digests,
    distinct,
    fix,
    is_id,
    licenses,
    link,
    mapping,
    named_package,
    package_class,
    platform,
    require_ids,
    second_fraction,
    text,
    texts,
    title,
    utc_second,
)
from .repeated_keys import Occurrences

_NOT_AFFECTED = "not_affected"
"""The only status that suppresses a row: `fixed` means that a fix exists, which the image lacks."""
_OF_OTHER_SCANS = {"misconfiguration", "secret", "license"}
"""Types of modified findings that are not about packages."""


class TrivyRow(Struct, gc=False, rename="pascal"):
    """A vulnerability. Values of any type are cleaned where they are used."""

    id: str = msgspec.field(name="VulnerabilityID")
    severity: Any = None
    pkg_name: Any = None
    installed_version: Any = None
    fixed_version: Any = None
    title: Any = None
    url: Any = msgspec.field(name="PrimaryURL", default=None)
    status: Any = None
    pkg_identifier: Any = None
    vendor_ids: Any = msgspec.field(name="VendorIDs", default=None)


_ROW = msgspec.json.Decoder(TrivyRow)


class TrivyModified(Struct, rename="pascal"):
    """A finding that Trivy suppresses because of an ignore file or a VEX document."""

    type: Any = None
    status: Any = None
    statement: Any = None
    source: Any = None
    finding: Raw = Raw(b"null")


class TrivyIdentifier(Struct, frozen=True, gc=False):
    """What identifies a package."""

    purl: str | None = msgspec.field(name="PURL", default=None)


class TrivyPackage(Struct, frozen=True, gc=False, rename="pascal"):
    """A package of the list. It can be hashed, as many reports have the same."""

    name: str
    version: str | None = None
    release: str | None = None
    epoch: int | None = None
    src_name: str | None = None
    src_version: str | None = None
    src_release: str | None = None
    src_epoch: int | None = None
    licenses: tuple[str, ...] | None = None
    identifier: TrivyIdentifier | None = None


_PACKAGES = msgspec.json.Decoder(list[TrivyPackage] | None)


class TrivyResult(Struct, rename="pascal"):
    """The findings in one part of the image."""

    target: Any = None
    class_: Any = msgspec.field(name="Class", default=None)
    type: Any = None
    vulnerabilities: list[TrivyRow] | UnsetType | None = UNSET
    modified: list[TrivyModified] | None = msgspec.field(name="ExperimentalModifiedFindings", default=None)
    packages: Raw = Raw(b"null")
    lower: Any = msgspec.field(name="vulnerabilities", default=UNSET)


class TrivyReport(Struct, rename="pascal"):
    """A report of schema 2."""

    schema_version: Any = UNSET
    artifact_name: Any = UNSET
    artifact_type: Any = UNSET
    results: list[TrivyResult] | UnsetType | None = UNSET
    created_at: Any = None
    trivy: Any = None
    metadata: Any = None
    lower: Any = msgspec.field(name="results", default=UNSET)


TrivyDocument = TrivyReport | list[TrivyResult] | None
DECODER = msgspec.json.Decoder(TrivyDocument)
"""Strict in lists, rows and ids."""


def recognizes(document: TrivyDocument) -> bool:
    if isinstance(document, TrivyReport):
        marks = (document.schema_version, document.artifact_name, document.artifact_type, document.results)
        return any(mark is not UNSET for mark in marks)
    return any(result.target is not None for result in document or ())


def read(document: TrivyDocument) -> list[Scan]:
    """Read a report. Raises `RefusedError` for a later schema and for scans without packages."""
    if not isinstance(document, TrivyReport):
        return [_scan(TrivyReport(results=document))]
    if document.schema_version not in (UNSET, 1, 2):
        raise RefusedError(
            f"unknown schema version of Trivy: {text(str(document.schema_version))[:20]}",
            "use schema version 1 or 2",
        )
    if document.artifact_name is UNSET and document.results is UNSET:
        raise RefusedError(
            "the report contains neither the scanned image nor findings",
            "check the scan for errors, and scan again",
        )
    return [_scan(document)]


def _scan(report: TrivyReport) -> Scan:
    metadata = mapping(report.metadata)
    config, system = mapping(metadata.get("ImageConfig")), mapping(metadata.get("OS"))
    kind = text(report.artifact_type)
    if kind == "container_image":
        kind = ""
    name = [text(report.artifact_name)] if not kind else []
    by_digest = texts(metadata.get("RepoDigests"))
    results = report.results or []
    # Ignoring such a report would hide findings.
    if report.lower is not UNSET or any(result.lower is not UNSET for result in results):
        raise RefusedError("its keys are in lower case, unlike those of Trivy", DAMAGED)
    _check(results)
    odd, unread = Counter[str](), Counter[str]()
    findings = tuple(_findings(results, odd, unread))
    # Before 2021, the class is derived from the type.
    packages = PACKAGES.intersection(text(result.class_) or package_class(result.type) for result in results)
    limits: set[Limit] = set()
    named_system = text(system.get("Family")) not in ("", "none")
    if named_system and "os-pkgs" not in packages:
        limits.add("no-system-packages")
    if not (named_system or results):
        limits.add("nothing-recognized")
    if system.get("EOSL") is True:
        limits.add("os-end-of-life")
    return Scan(
        scanner_version=text(mapping(report.trivy).get("Version")),
        scanned_at=utc_second(report.created_at),
        fraction=second_fraction(report.created_at),
        references=distinct([*name, *texts(metadata.get("RepoTags")), *by_digest]),
        coverage=Coverage(
            digests=digests([*name, *by_digest]),
            platform=platform(config.get("os"), config.get("architecture"), config.get("variant")),
            packages=packages,
            limits=frozenset(limits),
            found=frozenset(_found(results)),
        ),
        # Missing if false. `OS` is missing if Trivy detects no operating system.
        os_end_of_life=system.get("EOSL") is True if system else None,
        findings=findings,
        kind=kind,
        odd_severities=tuple(sorted(odd.items())),
        unread=tuple(sorted(unread.items())),
    )


def _found(results: list[TrivyResult]) -> Iterator[str]:
    """Yield the kind of each result with a package or a finding."""
    for result in results:
        if result.vulnerabilities or result.modified or _has_packages(result):
            yield text(result.class_) or package_class(result.type)


def _is_of_packages(result: TrivyResult) -> bool:
    return (text(result.class_) or package_class(result.type)) in PACKAGES


def _has_packages(result: TrivyResult) -> bool:
    return bytes(result.packages) not in (b"null", b"[]")


def _check(results: list[TrivyResult]) -> None:
    """Raise `RefusedError` if the results are not about packages, or a row has no id."""
    classes = [text(result.class_) for result in results]
    # Before 2021, there was no class, and only packages were scanned.
    before_classes = not all(classes) and any(result.vulnerabilities is not UNSET for result in results)
    if results and not before_classes and not PACKAGES.intersection(classes):
        looked_for = ", ".join(sorted({*classes} - {""})) or "results other than packages"
        raise RefusedError(
            f"not a vulnerability scan: Trivy only scanned for {looked_for}",
            "scan with `trivy image --scanners vuln --format json`",
        )
    for index, result in enumerate(results):
        ids = (row.id for row in result.vulnerabilities or ())
        require_ids(ids, f"Results[{index}].Vulnerabilities", ".VulnerabilityID")


def _findings(results: list[TrivyResult], odd: Counter[str], unread: Counter[str]) -> Iterator[Finding]:
    """Yield the findings. Count unknown severities in `odd`, and unused findings in `unread`."""
    for index, result in enumerate(results):
        target = text(result.target)
        counted = zip(result.vulnerabilities or (), repeat(None))
        for row, set_aside in chain(counted, _modified(result, index, unread)):
            if row.status == _NOT_AFFECTED:
                unread["findings with the status not_affected"] += 1
                continue
            name, worst = text(row.id), counted_severity(row.severity, odd)
            pkg, installed = text(row.pkg_name), text(row.installed_version)
            purl = text(mapping(row.pkg_identifier).get("PURL")) or named_package(result.type, pkg, installed)
            main, aliases = identity(name, tuple(texts(row.vendor_ids)) if row.vendor_ids else ())
            url = link(row.url) if isinstance(row.url, str) and row.url else advisory(name)
            yield Finding(
                # Many rows have the same vulnerability, package or version, so these share their text.
                intern(main),
                worst,
                intern(pkg),
                intern(installed),
                intern(fix(row.fixed_version)),
                intern(title(row.title)),
                intern(url),
                target,
                aliases,
                intern(purl),
                0,
                set_aside,
            )


def keys_read(document: TrivyDocument) -> Occurrences:
    report = document if isinstance(document, TrivyReport) else TrivyReport(results=document)
    results = report.results or []
    rows = [row for result in results for row in result.vulnerabilities or ()]
    modified = [entry for result in results for entry in result.modified or ()]
    for entry in modified:
        with suppress(msgspec.ValidationError):
            rows.append(_ROW.decode(entry.finding))
    return {
        "Results": report.results is not UNSET,
        "Vulnerabilities": sum(result.vulnerabilities is not UNSET for result in results),
        "Class": sum(result.class_ is not None for result in results),
        "VulnerabilityID": len(rows),
        "Severity": sum(row.severity is not None for row in rows),
        "PkgName": sum(row.pkg_name is not None for row in rows),
        "InstalledVersion": sum(row.installed_version is not None for row in rows),
        "FixedVersion": sum(row.fixed_version is not None for row in rows),
        "Status": sum(row.status is not None for row in rows)
        + sum(entry.status is not None for entry in modified),
    }


def contents(document: TrivyDocument) -> PackageList | None:
    if not isinstance(document, TrivyReport):
        return None
    system = mapping(mapping(document.metadata).get("OS"))
    family = text(system.get("Family"))
    packages: list[PackageVersion] = []
    listing = [_has_packages(result) for result in document.results or () if _is_of_packages(result)]
    for index, result in enumerate(document.results or ()):
        try:
            listed = _PACKAGES.decode(result.packages) or ()
        except msgspec.ValidationError as error:
            raise explain(error, f"Results[{index}].Packages") from None
        packages += map(_package, listed, repeat(text(result.type)))
    systems = [System(family, text(system.get("Name")))] if family != "none" else []
    return PackageList.of(packages, systems, lacks=not all(listing))


@lru_cache(maxsize=65_536)
def _package(listed: TrivyPackage, kind: str) -> PackageVersion:
    name, version = text(listed.name), _version(listed.epoch, listed.version, listed.release)
    purl = text(listed.identifier.purl) if listed.identifier else ""
    return package_version(
        purl or named_package(kind, name, version),
        name,
        version,
        text(listed.src_name),
        _version(listed.src_epoch, listed.src_version, listed.src_release),
        licenses(listed.licenses or ()),
    )


def _version(epoch: int | None, version: str | None, release: str | None) -> str:
    """The version of a package of deb or rpm as it is compared: `1:2.3-4`."""
    written = text(version) + (f"-{text(release)}" if release else "")
    return f"{epoch}:{written}" if epoch and written else written


def _modified(result: TrivyResult, index: int, unread: Counter[str]) -> Iterator[tuple[TrivyRow, SetAside]]:
    """Yield the vulnerabilities among the modified findings. Raises `RefusedError` for one without an id."""
    where = f"Results[{index}].ExperimentalModifiedFindings"
    for position, modified in enumerate(result.modified or ()):
        kind, status = text(modified.type), modified.status
        if kind in _OF_OTHER_SCANS:
            continue
        try:
            row = _ROW.decode(modified.finding)
        except msgspec.ValidationError as error:
            if kind == "vulnerability":
                raise explain(error, f"{where}[{position}].Finding") from None
            unread[f"modified findings of type {kind[:40] or 'unknown'}"] += 1
            continue
        if not is_id(row.id):
            raise RefusedError(f"`{where}[{position}].Finding.VulnerabilityID` is empty", DAMAGED)
        aside: SetAsideStatus = "ignored"
        if status == "not_affected" or status == "fixed":
            aside = status
        yield row, SetAside(aside, title(modified.statement), text(modified.source) or "Trivy")


FORMAT = ReportFormat(
    word="trivy",
    name="Trivy",
    page="https://trivy.dev",
    what="`--format json`, schema 2 or the older 1",
    keys=("SchemaVersion", "ArtifactName", "Results"),
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    keys_read=keys_read,
    contents=contents,
    sample=b"""{"SchemaVersion": 2, "ArtifactName": "ghcr.io/acme/web:1", "Results": [
        {"Target": "wolfi", "Class": "os-pkgs", "Vulnerabilities": [{"VulnerabilityID": "CVE-2026-0001",
        "Severity": "HIGH", "PkgName": "zlib", "InstalledVersion": "1.2", "FixedVersion": "1.3"}]}]}""",
)
