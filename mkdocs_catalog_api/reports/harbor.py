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

from __future__ import annotations

from .facts import Finding, ReportError, Scan
from .normalise import (
    DAMAGED,
    advisory,
    digests,
    first_link,
    identifier,
    mapping,
    present,
    rows,
    severity,
    text,
    texts,
    title,
    utc_second,
)

_MEDIA_TYPES = (
    "application/vnd.security.vulnerability.report",
    "application/vnd.scanner.adapter.vuln.report",
)


def recognises(document: object) -> bool:
    return any(key.startswith(_MEDIA_TYPES) for key in mapping(document))


def read(document: object) -> list[Scan]:
    """Raises `ReportError` for damaged reports."""
    reports = [(key, body) for key, body in mapping(document).items() if key.startswith(_MEDIA_TYPES)]
    return [_scan(text(key), body) for key, body in reports]


def _scan(key: str, body: object) -> Scan:
    if not isinstance(body, dict):
        raise ReportError(f"`{key}` is not an object", DAMAGED)
    scanner = mapping(body.get("scanner"))
    where = f"{key}.vulnerabilities"
    vulnerabilities = rows(present(body, "vulnerabilities"), where)
    return Scan(
        scanner="harbor",
        scanner_version=" ".join(filter(None, (text(scanner.get("name")), text(scanner.get("version"))))),
        scanned_at=utc_second(body.get("generated_at")),
        references=(),
        digests=digests(found for row in vulnerabilities for found in texts(row.get("artifact_digests"))),
        platform="",
        os_end_of_life=None,
        findings=tuple(_finding(row, f"{where}[{index}]") for index, row in enumerate(vulnerabilities)),
    )


def _finding(row: dict[str, object], where: str) -> Finding:
    name = identifier(row, "id", where)
    return Finding(
        id=name,
        severity=severity(row.get("severity")),
        pkg=text(row.get("package")),
        installed=text(row.get("version")),
        fixed=text(row.get("fix_version")),
        title=title(row.get("description")),
        url=first_link(*texts(row.get("links"))) or advisory(name),
        target="",
    )
