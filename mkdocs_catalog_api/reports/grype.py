"""Reports of Grype, https://github.com/anchore/grype (`--output json`), old and new.

| fact | from |
|---|---|
| scanner_version, scanned_at | `descriptor.version`, `descriptor.timestamp` |
| references | `source.target.{userInput, tags, repoDigests}` of an image |
| digests | `source.target.{repoDigests, manifestDigest}`, and one in `userInput` |
| platform | `source.target.{os, architecture}` |
| findings | `matches[]` |
| id, aliases | `vulnerability.id`, `relatedVulnerabilities[].id` |
| severity, title | `vulnerability.severity`, `vulnerability.description` |
| fixed | `vulnerability.fix.versions`, before 2021 `vulnerability.fixedInVersion` |
| url | `vulnerability.dataSource`, else the first of `vulnerability.urls`, else the page of the id |
| pkg, installed, purl | `artifact.name`, `artifact.version`, `artifact.purl` |
| target | `artifact.locations[0].path` |
"""

from __future__ import annotations

from .facts import Finding, Scan
from .normalise import (
    advisory,
    canonical_id,
    digests,
    first_link,
    identifier,
    items,
    mapping,
    platform,
    present,
    rows,
    severity,
    text,
    texts,
    title,
    utc_second,
)


def recognises(document: object) -> bool:
    report = mapping(document)
    return "matches" in report or mapping(report.get("descriptor")).get("name") == "grype"


def read(document: object) -> list[Scan]:
    """Raises `ReportError` for damaged matches."""
    report = mapping(document)
    descriptor = mapping(report.get("descriptor"))
    # Of a folder the target is a text.
    target = mapping(mapping(report.get("source")).get("target"))
    names = [
        text(target.get("userInput")),
        *texts(target.get("tags")),
        *texts(target.get("repoDigests")),
    ]
    matches = rows(present(report, "matches"), "matches")
    return [
        Scan(
            scanner="grype",
            scanner_version=text(descriptor.get("version")),
            scanned_at=utc_second(descriptor.get("timestamp")),
            references=tuple(dict.fromkeys(filter(None, names))),
            digests=digests([*names, target.get("manifestDigest")]),
            platform=platform(target.get("os"), target.get("architecture")),
            os_end_of_life=None,
            findings=tuple(_finding(match, index) for index, match in enumerate(matches)),
        )
    ]


def _finding(match: dict[str, object], index: int) -> Finding:
    vulnerability = mapping(match.get("vulnerability"))
    artifact = mapping(match.get("artifact"))
    written = identifier(vulnerability, "id", f"matches[{index}].vulnerability")
    related = (text(entry.get("id")) for entry in items(match.get("relatedVulnerabilities")))
    name, aliases = canonical_id(written, related)
    fixes = texts(mapping(vulnerability.get("fix")).get("versions"))
    places = (text(place.get("path")) for place in items(artifact.get("locations")))
    return Finding(
        id=name,
        severity=severity(vulnerability.get("severity")),
        pkg=text(artifact.get("name")),
        installed=text(artifact.get("version")),
        fixed=", ".join(fixes) or text(vulnerability.get("fixedInVersion")),
        title=title(vulnerability.get("description")),
        url=first_link(vulnerability.get("dataSource"), *texts(vulnerability.get("urls")))
        or advisory(written),
        target=next(filter(None, places), ""),
        aliases=aliases,
        purl=text(artifact.get("purl")),
    )
