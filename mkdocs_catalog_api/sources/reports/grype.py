"""Reports of Grype, https://github.com/anchore/grype (`--output json`), old and new.

| fact | from |
|---|---|
| scanner_version, scanned_at | `descriptor.version`, `descriptor.timestamp` |
| references | `source.target.{userInput, tags, repoDigests}` of an image |
| digests | `source.target.{repoDigests, manifestDigest}`, and one in `userInput` |
| platform | `source.target.{os, architecture}` |
| kind | `source.type`, but `image` |
| package_classes | `os-pkgs` with a `distro.name`: matches alone don't show what had none |
| findings | `matches[]` |
| id, aliases | `vulnerability.id`, `relatedVulnerabilities[].id` |
| severity, title | `vulnerability.severity`, `vulnerability.description` |
| fixed | `vulnerability.fix.versions`, before 2021 `vulnerability.fixedInVersion` |
| url | `vulnerability.dataSource`, else the first of `vulnerability.urls`, else the page of the id |
| pkg, installed, purl | `artifact.name`, `artifact.version`, `artifact.purl` |
| target | `artifact.locations[0].path` |
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ...catalog.scans import Finding, Scan
from .normalise import (
    DAMAGED,
    ReportError,
    advisory,
    canonical_id,
    digests,
    distinct,
    ecosystem,
    first_link,
    items,
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


class GrypeVulnerability(Struct, gc=False, rename="camel"):
    """What was found; what may be anything is cleaned where it is used."""

    id: str
    severity: Any = None
    description: Any = None
    fix: Any = None
    fixed_in_version: Any = None
    data_source: Any = None
    urls: Any = None


class GrypeMatch(Struct, gc=False, rename="camel"):
    """A vulnerability in a package."""

    vulnerability: GrypeVulnerability
    related_vulnerabilities: Any = None
    artifact: Any = None


class GrypeReport(Struct):
    """A whole report."""

    matches: list[GrypeMatch] | UnsetType | None = UNSET
    descriptor: Any = None
    source: Any = None
    distro: Any = None


DECODER = msgspec.json.Decoder(GrypeReport)


def recognizes(report: GrypeReport) -> bool:
    return report.matches is not UNSET or mapping(report.descriptor).get("name") == "grype"


def read(report: GrypeReport) -> list[Scan]:
    """Raises `ReportError` for damaged matches."""
    if isinstance(report.matches, UnsetType):
        raise ReportError("`matches` is missing", DAMAGED)
    matches, descriptor = report.matches or [], mapping(report.descriptor)
    require_ids((match.vulnerability.id for match in matches), "matches", ".vulnerability.id")
    # Of a folder the target is a text.
    source = mapping(report.source)
    target, kind = mapping(source.get("target")), text(source.get("type"))
    system = text(mapping(report.distro).get("name"))
    names = [text(target.get("userInput")), *texts(target.get("tags")), *texts(target.get("repoDigests"))]
    return [
        Scan(
            scanner_version=text(descriptor.get("version")),
            scanned_at=utc_second(descriptor.get("timestamp")),
            fraction=second_fraction(descriptor.get("timestamp")),
            references=distinct(names),
            digests=digests([*names, target.get("manifestDigest")]),
            platform=platform(target.get("os"), target.get("architecture")),
            os_end_of_life=None,
            findings=tuple(_findings(matches)),
            kind="" if kind in ("image", "unknown") else kind,
            package_classes=frozenset({"os-pkgs"} if system else ()),
        )
    ]


def _findings(matches: list[GrypeMatch]) -> Iterator[Finding]:
    for match in matches:
        vulnerability, artifact = match.vulnerability, mapping(match.artifact)
        written = text(vulnerability.id)
        related = (text(entry.get("id")) for entry in items(match.related_vulnerabilities))
        name, aliases = canonical_id(written, related)
        fixes = texts(mapping(vulnerability.fix).get("versions"))
        places = (text(place.get("path")) for place in items(artifact.get("locations")))
        yield Finding(
            id=name,
            severity=severity(vulnerability.severity),
            pkg=text(artifact.get("name")),
            installed=text(artifact.get("version")),
            fixed=", ".join(fixes) or text(vulnerability.fixed_in_version),
            title=title(vulnerability.description),
            url=first_link(vulnerability.data_source, *texts(vulnerability.urls)) or advisory(written),
            target=next(filter(None, places), ""),
            aliases=aliases,
            purl=text(artifact.get("purl")),
            ecosystem=ecosystem(artifact.get("type")),
        )


FORMAT = ReportFormat(
    word="grype",
    name="Grype",
    page="https://github.com/anchore/grype",
    what="`--output json`",
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    sample=b"""{"source": {"type": "image", "target": {"userInput": "ghcr.io/acme/web:1"}}, "matches": [{
        "vulnerability": {"id": "CVE-2026-0001", "severity": "High", "fix": {"versions": ["1.3"]}},
        "artifact": {"name": "zlib", "version": "1.2"}}]}""",
)
