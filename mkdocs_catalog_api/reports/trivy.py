"""Reports of Trivy, https://trivy.dev/latest/docs/configuration/reporting/#json.

Schema 2 is an object, schema 1 (before 2021) the list of its results, and the word `null` when empty.

| fact | from |
|---|---|
| scanner_version, scanned_at | `Trivy.Version`, `CreatedAt` |
| references | `ArtifactName` (of an image), `Metadata.RepoTags`, `Metadata.RepoDigests` |
| digests | those in `ArtifactName` and `Metadata.RepoDigests` |
| platform | `Metadata.ImageConfig.{os, architecture, variant}` |
| os_end_of_life | `Metadata.OS.EOSL` |
| findings | `Results[].Vulnerabilities[]`, but those of `Status` `not_affected` |
| id, severity, pkg | `VulnerabilityID`, `Severity`, `PkgName` |
| installed, fixed | `InstalledVersion`, `FixedVersion` |
| title, url | `Title`; `PrimaryURL`, when missing the page that belongs to the id |
| target, purl | `Results[].Target`, `PkgIdentifier.PURL` |

There are no aliases: `VendorIDs` name errata, which mend several vulnerabilities.
"""

from __future__ import annotations

from collections.abc import Iterator

from .facts import Finding, ReportError, Scan
from .normalise import (
    advisory,
    digests,
    identifier,
    link,
    mapping,
    platform,
    rows,
    severity,
    text,
    texts,
    title,
    utc_second,
)

_PACKAGES = {"os-pkgs", "lang-pkgs"}


def recognises(document: object) -> bool:
    if isinstance(document, list):
        return any(isinstance(entry, dict) and "Target" in entry for entry in document)
    keys = ("SchemaVersion", "ArtifactName", "ArtifactType", "Results")
    return document is None or (isinstance(document, dict) and any(key in document for key in keys))


def read(document: object) -> list[Scan]:
    """Raises `ReportError` for a later schema, damaged results and scans of something else than packages."""
    if not isinstance(document, dict):
        return [_scan({"Results": document})]
    if document.get("SchemaVersion", 2) not in (1, 2):
        raise ReportError(
            f"Trivy's schema version {text(str(document['SchemaVersion']))[:20]} is not known",
            "schema versions 1 and 2 can be read",
        )
    if not document.keys() & {"ArtifactName", "Results"}:
        raise ReportError(
            "it says neither what was scanned nor what was found",
            "look whether the scan ended with an error, and scan again",
        )
    return [_scan(document)]


def _scan(report: dict[str, object]) -> Scan:
    metadata = mapping(report.get("Metadata"))
    config, system = mapping(metadata.get("ImageConfig")), mapping(metadata.get("OS"))
    image = text(report.get("ArtifactType")) in ("", "container_image")
    name = [text(report.get("ArtifactName"))] if image else []
    by_digest = texts(metadata.get("RepoDigests"))
    return Scan(
        scanner="trivy",
        scanner_version=text(mapping(report.get("Trivy")).get("Version")),
        scanned_at=utc_second(report.get("CreatedAt")),
        references=tuple(dict.fromkeys(filter(None, [*name, *texts(metadata.get("RepoTags")), *by_digest]))),
        digests=digests([*name, *by_digest]),
        platform=platform(config.get("os"), config.get("architecture"), config.get("variant")),
        # Left out when false, and so is all of `OS` when Trivy knows of no operating system.
        os_end_of_life=system.get("EOSL") is True if system else None,
        findings=tuple(_findings(rows(report.get("Results"), "Results"))),
    )


def _findings(results: list[dict[str, object]]) -> Iterator[Finding]:
    classes = [text(result.get("Class")) for result in results]
    # Before 2021 there was no class, and packages were all that was scanned.
    before_classes = not all(classes) and any("Vulnerabilities" in result for result in results)
    if results and not before_classes and not _PACKAGES.intersection(classes):
        looked_for = ", ".join(sorted({*classes} - {""})) or "something else than packages"
        raise ReportError(
            f"no vulnerability scan: Trivy looked for {looked_for} only",
            "scan with `trivy image --scanners vuln --format json`",
        )
    for index, result in enumerate(results):
        target = text(result.get("Target"))
        where = f"Results[{index}].Vulnerabilities"
        for number, row in enumerate(rows(result.get("Vulnerabilities"), where)):
            # Not the status `fixed`: it says that a fix exists, the image still lacks it.
            if row.get("Status") != "not_affected":
                yield _finding(row, target, f"{where}[{number}]")


def _finding(row: dict[str, object], target: str, where: str) -> Finding:
    name = identifier(row, "VulnerabilityID", where)
    address = row.get("PrimaryURL")
    package = row.get("PkgIdentifier")
    return Finding(
        name,
        severity(row.get("Severity")),
        text(row.get("PkgName")),
        text(row.get("InstalledVersion")),
        text(row.get("FixedVersion")),
        title(row.get("Title")),
        link(address) if isinstance(address, str) and address else advisory(name),
        target,
        (),
        text(package.get("PURL")) if isinstance(package, dict) else "",
    )
