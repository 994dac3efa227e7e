"""Reports as Harbor's API gives them, https://goharbor.io (`…/artifacts/{digest}/additions/vulnerabilities`).

The document has one key, the media type of the report; below it:

| fact | from |
|---|---|
| scanner_version | `scanner.name` and `scanner.version`: Harbor calls other scanners |
| scanned_at | `generated_at` |
| digests | `vulnerabilities[].artifact_digests` |
| findings | `vulnerabilities[]` |
| id, severity, title | `id`, `severity`, `description` |
| pkg, installed, fixed | `package`, `version`, `fix_version` |
| url | the first of `links`, else the page of the id |

The report names neither the image nor targets in it.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from ...catalog.scans import Finding, Scan
from .json_errors import explain
from .normalise import (
    DAMAGED,
    ReportError,
    advisory,
    digests,
    first_link,
    mapping,
    require_ids,
    second_fraction,
    severity,
    text,
    texts,
    title,
    utc_second,
)
from .report_format import ReportFormat

_MEDIA_TYPES = (
    "application/vnd.security.vulnerability.report",
    "application/vnd.scanner.adapter.vuln.report",
)


class HarborRow(Struct, gc=False):
    """A vulnerability; what may be anything is cleaned where it is used."""

    id: str
    package: Any = None
    version: Any = None
    fix_version: Any = None
    severity: Any = None
    description: Any = None
    links: Any = None
    artifact_digests: Any = None


class HarborReport(Struct):
    """What stands below the media type."""

    vulnerabilities: list[HarborRow] | UnsetType | None = UNSET
    generated_at: Any = None
    scanner: Any = None


DECODER = msgspec.json.Decoder(dict[str, Raw])
_REPORT = msgspec.json.Decoder(HarborReport)


def recognizes(document: dict[str, Raw]) -> bool:
    return any(key.startswith(_MEDIA_TYPES) for key in document)


def read(document: dict[str, Raw]) -> list[Scan]:
    """Raises `ReportError` for damaged reports."""
    return [_scan(text(key), body) for key, body in document.items() if key.startswith(_MEDIA_TYPES)]


def _scan(key: str, body: Raw) -> Scan:
    try:
        report = _REPORT.decode(body)
    except msgspec.ValidationError as error:
        raise explain(error, key) from None
    if isinstance(report.vulnerabilities, UnsetType):
        raise ReportError("`vulnerabilities` is missing", DAMAGED)
    vulnerabilities, scanner = report.vulnerabilities or [], mapping(report.scanner)
    require_ids((row.id for row in vulnerabilities), f"{key}.vulnerabilities", ".id")
    return Scan(
        scanner_version=" ".join(filter(None, (text(scanner.get("name")), text(scanner.get("version"))))),
        scanned_at=utc_second(report.generated_at),
        fraction=second_fraction(report.generated_at),
        references=(),
        digests=digests(digest for row in vulnerabilities for digest in texts(row.artifact_digests)),
        platform="",
        os_end_of_life=None,
        findings=tuple(_findings(vulnerabilities)),
    )


def _findings(vulnerabilities: list[HarborRow]) -> Iterator[Finding]:
    for row in vulnerabilities:
        name = text(row.id)
        yield Finding(
            id=name,
            severity=severity(row.severity),
            pkg=text(row.package),
            installed=text(row.version),
            fixed=text(row.fix_version),
            title=title(row.description),
            url=first_link(*texts(row.links)) or advisory(name),
            target="",
        )


FORMAT = ReportFormat(
    word="harbor",
    name="Harbor",
    page="https://goharbor.io",
    what="the answer of its API (`…/additions/vulnerabilities`)",
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    sample=b"""{"application/vnd.security.vulnerability.report; version=1.1": {"vulnerabilities": [{
        "id": "CVE-2026-0001", "severity": "High", "package": "zlib", "version": "1.2",
        "fix_version": "1.3"}]}}""",
)
