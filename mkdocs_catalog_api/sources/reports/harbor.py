"""Reports of Harbor's API, https://goharbor.io (`…/artifacts/{digest}/additions/vulnerabilities`).

The document has one key, the media type of the report. Its value contains:

| fact | from |
|---|---|
| scanner_version | `scanner.name` and `scanner.version`: Harbor uses other scanners |
| scanned_at | `generated_at` |
| coverage.digests | `vulnerabilities[].artifact_digests` |
| findings | `vulnerabilities[]` |
| id, severity, title | `id`, `severity`, `description` |
| pkg, installed, fixed | `package`, `version`, `fix_version` |
| url | the first of `links`, else the page of the id |

The report contains neither the image nor its targets.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from ...catalog.ids import identity
from ...catalog.scans import Coverage, Finding, Scan
from ...problems import RefusedError
from .json_errors import explain
from .normalise import (
    DAMAGED,
    SEVERITY_WORDS,
    UNKNOWN,
    ReportFormat,
    advisory,
    counted_severity,
    digests,
    first_link,
    fix,
    mapping,
    require_ids,
    second_fraction,
    text,
    texts,
    title,
    utc_second,
)
from .repeated_keys import Occurrences, in_objects

_WORDS = {**SEVERITY_WORDS, "NEGLIGIBLE": SEVERITY_WORDS["LOW"], "NONE": UNKNOWN}
_MEDIA_TYPES = (
    "application/vnd.security.vulnerability.report",
    "application/vnd.scanner.adapter.vuln.report",
)


class HarborRow(Struct, gc=False):
    """A vulnerability. Values of any type are cleaned where they are used."""

    id: str
    package: Any = None
    version: Any = None
    fix_version: Any = None
    severity: Any = None
    description: Any = None
    links: Any = None
    artifact_digests: Any = None


class HarborReport(Struct):
    """The value of the media type."""

    vulnerabilities: list[HarborRow] | UnsetType | None = UNSET
    generated_at: Any = None
    scanner: Any = None
    severity: Any = None


DECODER = msgspec.json.Decoder(dict[str, Raw])
_REPORT = msgspec.json.Decoder(HarborReport)


def recognizes(document: dict[str, Raw]) -> bool:
    return any(key.startswith(_MEDIA_TYPES) for key in document)


def read(document: dict[str, Raw]) -> list[Scan]:
    """Read a report. Raises `RefusedError` if it is damaged."""
    return [_scan(text(key), body) for key, body in document.items() if key.startswith(_MEDIA_TYPES)]


def _scan(key: str, body: Raw) -> Scan:
    try:
        report = _REPORT.decode(body)
    except msgspec.ValidationError as error:
        raise explain(error, key) from None
    if isinstance(report.vulnerabilities, UnsetType):
        raise RefusedError("`vulnerabilities` is missing", DAMAGED)
    vulnerabilities, scanner = report.vulnerabilities or [], mapping(report.scanner)
    require_ids((row.id for row in vulnerabilities), f"{key}.vulnerabilities", ".id")
    odd = Counter[str]()
    findings = tuple(_findings(vulnerabilities, odd))
    return Scan(
        scanner_version=" ".join(filter(None, (text(scanner.get("name")), text(scanner.get("version"))))),
        scanned_at=utc_second(report.generated_at),
        fraction=second_fraction(report.generated_at),
        references=(),
        coverage=Coverage(digests(name for row in vulnerabilities for name in texts(row.artifact_digests))),
        os_end_of_life=None,
        findings=findings,
        odd_severities=tuple(sorted(odd.items())),
    )


def keys_read(document: dict[str, Raw]) -> Occurrences:
    bodies = {key: body for key, body in document.items() if key.startswith(_MEDIA_TYPES)}
    reports = [_REPORT.decode(body) for body in bodies.values()]
    rows = [row for report in reports for row in report.vulnerabilities or ()]
    return dict.fromkeys(bodies, 1) | {
        "vulnerabilities": len(reports),
        "id": len(rows),
        "severity": sum(row.severity is not None for row in rows)
        + sum(report.severity is not None for report in reports),
        "package": sum(row.package is not None for row in rows),
        "version": sum(row.version is not None for row in rows)
        + in_objects("version", (mapping(report.scanner) for report in reports)),
        "fix_version": sum(row.fix_version is not None for row in rows),
    }


def _findings(vulnerabilities: list[HarborRow], odd: Counter[str]) -> Iterator[Finding]:
    """Yield the findings, and count unknown severities in `odd`."""
    for row in vulnerabilities:
        name, _ = identity(text(row.id))
        yield Finding(
            id=name,
            severity=counted_severity(row.severity, odd, _WORDS),
            pkg=text(row.package),
            installed=text(row.version),
            fixed=fix(row.fix_version),
            title=title(row.description),
            url=first_link(*texts(row.links)) or advisory(name),
            target="",
        )


FORMAT = ReportFormat(
    word="harbor",
    name="Harbor",
    page="https://goharbor.io",
    what="the response of its API (`…/additions/vulnerabilities`)",
    keys=_MEDIA_TYPES,
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    keys_read=keys_read,
    sample=b"""{"application/vnd.security.vulnerability.report; version=1.1": {"vulnerabilities": [{
        "id": "CVE-2026-0001", "severity": "High", "package": "zlib", "version": "1.2",
        "fix_version": "1.3"}]}}""",
)
