"""Reports of Trivy, https://trivy.dev/latest/docs/configuration/reporting/#json.

Schema 2 is an object, schema 1 (before 2021) the list of its results. When that was empty it wrote the word
`null`, which does not even tell that it is of Trivy.

| fact | from |
|---|---|
| scanner_version, scanned_at | `Trivy.Version`, `CreatedAt` |
| references | `ArtifactName` (of an image), `Metadata.RepoTags`, `Metadata.RepoDigests` |
| digests | those in `ArtifactName` and `Metadata.RepoDigests` |
| platform | `Metadata.ImageConfig.{os, architecture, variant}` |
| os_end_of_life | `Metadata.OS.EOSL` |
| kind | `ArtifactType`, but `container_image` |
| system_only_named | `Metadata.OS.Family` other than `none`, and no result of class `os-pkgs` |
| package_classes | `Results[].Class`, before 2021 by `Results[].Type` |
| findings | `Results[].Vulnerabilities[]`, but those of `Status` `not_affected` |
| id, severity, pkg | `VulnerabilityID`, `Severity`, `PkgName` |
| installed, fixed | `InstalledVersion`, `FixedVersion` |
| title, url | `Title`; `PrimaryURL`, when missing the page that belongs to the id |
| target, purl | `Results[].Target`, `PkgIdentifier.PURL` |

There are no aliases: `VendorIDs` name errata, which mend several vulnerabilities.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ...catalog.scans import Finding, Scan
from .normalise import (
    DAMAGED,
    ReportError,
    advisory,
    digests,
    distinct,
    ecosystem,
    link,
    mapping,
    platform,
    require_ids,
    second_fraction,
    severity,
    text,
    texts,
    title,
    utc_second,
)
from .report_format import ReportFormat

_PACKAGES = frozenset({"os-pkgs", "lang-pkgs"})
_OF_SYSTEM = {"apk", "deb", "rpm", "alpm"}
_NOT_AFFECTED = "not_affected"
"""The only status that takes a row out: `fixed` says that a fix exists, the image still lacks it."""


class TrivyRow(
    Struct,
    gc=False,
    rename={
        "id": "VulnerabilityID",
        "severity": "Severity",
        "pkg": "PkgName",
        "installed": "InstalledVersion",
        "fixed": "FixedVersion",
        "title": "Title",
        "url": "PrimaryURL",
        "status": "Status",
        "package": "PkgIdentifier",
    },
):
    """A vulnerability; what may be anything is cleaned where it is used."""

    id: str
    severity: Any = None
    pkg: Any = None
    installed: Any = None
    fixed: Any = None
    title: Any = None
    url: Any = None
    status: Any = None
    package: Any = None


class TrivyResult(Struct, rename="pascal"):
    """What was found in one part of the image."""

    target: Any = None
    class_: Any = msgspec.field(name="Class", default=None)
    type: Any = None
    vulnerabilities: list[TrivyRow] | UnsetType | None = UNSET
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
    """Raises `ReportError` for a later schema and scans of something else than packages."""
    if not isinstance(document, TrivyReport):
        return [_scan(TrivyReport(results=document))]
    if document.schema_version not in (UNSET, 1, 2):
        raise ReportError(
            f"Trivy's schema version {text(str(document.schema_version))[:20]} is not known",
            "schema versions 1 and 2 can be read",
        )
    if document.artifact_name is UNSET and document.results is UNSET:
        raise ReportError(
            "it says neither what was scanned nor what was found",
            "look whether the scan ended with an error, and scan again",
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
    # To pass over what stands there would hide findings.
    if report.lower is not UNSET or any(result.lower is not UNSET for result in results):
        raise ReportError("its keys are in lower case, which Trivy's are not", DAMAGED)
    _check(results)
    return Scan(
        scanner_version=text(mapping(report.trivy).get("Version")),
        scanned_at=utc_second(report.created_at),
        fraction=second_fraction(report.created_at),
        references=distinct([*name, *texts(metadata.get("RepoTags")), *by_digest]),
        digests=digests([*name, *by_digest]),
        platform=platform(config.get("os"), config.get("architecture"), config.get("variant")),
        # Left out when false, and so is all of `OS` when Trivy knows of no operating system.
        os_end_of_life=system.get("EOSL") is True if system else None,
        findings=tuple(_findings(results)),
        kind=kind,
        system_only_named=text(system.get("Family")) not in ("", "none")
        # Before 2021 there was no class.
        and {"os-pkgs", ""}.isdisjoint(text(result.class_) for result in results),
        package_classes=_PACKAGES.intersection(map(_class, results)),
    )


def _class(result: TrivyResult) -> str:
    """The class of a result; before 2021 only the type shows it."""
    return text(result.class_) or ("os-pkgs" if ecosystem(result.type) in _OF_SYSTEM else "lang-pkgs")


def _check(results: list[TrivyResult]) -> None:
    """Raises `ReportError` if the results are not of packages, or a row has no id."""
    classes = [text(result.class_) for result in results]
    # Before 2021 there was no class, and packages were all that was scanned.
    before_classes = not all(classes) and any(result.vulnerabilities is not UNSET for result in results)
    if results and not before_classes and not _PACKAGES.intersection(classes):
        looked_for = ", ".join(sorted({*classes} - {""})) or "something else than packages"
        raise ReportError(
            f"no vulnerability scan: Trivy looked for {looked_for} only",
            "scan with `trivy image --scanners vuln --format json`",
        )
    for index, result in enumerate(results):
        ids = (row.id for row in result.vulnerabilities or ())
        require_ids(ids, f"Results[{index}].Vulnerabilities", ".VulnerabilityID")


def _findings(results: list[TrivyResult]) -> Iterator[Finding]:
    for result in results:
        target, kind = text(result.target), ecosystem(result.type)
        for row in result.vulnerabilities or ():
            if row.status != _NOT_AFFECTED:
                written = row.package.get("PURL") if isinstance(row.package, dict) else None
                try:
                    name, worst, about, url = _vulnerability(row.id, row.severity, row.title, row.url)
                    pkg, installed, fixed = _text(row.pkg), _text(row.installed), _text(row.fixed)
                    purl = _text(written)
                except TypeError:  # something that should be a text is a list, say
                    values = _vulnerability.__wrapped__(row.id, row.severity, row.title, row.url)
                    name, worst, about, url = values
                    pkg, installed, fixed = text(row.pkg), text(row.installed), text(row.fixed)
                    purl = text(written)
                yield Finding(name, worst, pkg, installed, fixed, about, url, target, (), purl, kind)


# The same vulnerabilities, packages and versions stand in row after row, and then share their texts.
@lru_cache(maxsize=65_536)
def _vulnerability(id_: str, word: Any, about: Any, url: Any) -> tuple[str, int, str, str]:
    name = text(id_)
    address = link(url) if isinstance(url, str) and url else advisory(name)
    return name, severity(word), title(about), address


_text = lru_cache(maxsize=65_536)(text)


FORMAT = ReportFormat(
    word="trivy",
    name="Trivy",
    page="https://trivy.dev",
    what="`--format json`, schema 2 or the older 1",
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    sample=b"""{"SchemaVersion": 2, "ArtifactName": "ghcr.io/acme/web:1", "Results": [
        {"Target": "wolfi", "Class": "os-pkgs", "Vulnerabilities": [{"VulnerabilityID": "CVE-2026-0001",
        "Severity": "HIGH", "PkgName": "zlib", "InstalledVersion": "1.2", "FixedVersion": "1.3"}]}]}""",
)
