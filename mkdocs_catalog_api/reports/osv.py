"""Reports of OSV-Scanner, https://google.github.io/osv-scanner/output/ (`--format json`).

| fact | from |
|---|---|
| references | `results[].source.path` of type `docker`, without the path inside the image |
| findings | one per `results[].packages[].groups[]`: a group is one vulnerability, under several ids |
| id, aliases | `ids` and `aliases` of the group |
| severity | `max_severity` of the group, a CVSS score; else `database_specific.severity` of its records |
| pkg, installed | `package.name`, `package.version` (or `package.commit`) |
| fixed | `affected[].ranges[].events[].fixed` of the group's records for this package |
| title | `summary` of the group's records, else `details` |
| url | the page of the record |
| target | `results[].source.path` |

Neither version nor time of the scan is in the report.
"""

from __future__ import annotations

from collections.abc import Iterator

from .facts import SEVERITIES, Finding, ReportError, Scan
from .normalise import (
    DAMAGED,
    canonical_id,
    items,
    mapping,
    osv_page,
    rows,
    severity,
    text,
    texts,
    title,
)

_BESIDE_RESULTS = {
    "experimental_config",
    "experimental_generic_findings",
    "image_metadata",
    "license_summary",
}


def recognises(document: object) -> bool:
    """Other tools write an empty list `results` too, so then nothing foreign may stand beside it."""
    if not isinstance(document, dict) or document.get("results") is None:
        return False
    packages = any("packages" in result for result in items(document["results"]))
    return packages or document.keys() - {"results"} <= _BESIDE_RESULTS


def read(document: object) -> list[Scan]:
    """Raises `ReportError` for damaged results."""
    results = rows(mapping(document).get("results"), "results")
    sources = [mapping(result.get("source")) for result in results]
    names = (text(source.get("path")).split(":/")[0] for source in sources if source.get("type") == "docker")
    return [
        Scan(
            scanner="osv",
            scanner_version="",
            scanned_at=None,
            references=tuple(dict.fromkeys(filter(None, names))),
            digests=frozenset(),
            platform="",
            os_end_of_life=None,
            findings=tuple(
                finding
                for index, result in enumerate(results)
                for finding in _source(result, f"results[{index}]")
            ),
        )
    ]


def _source(result: dict[str, object], where: str) -> Iterator[Finding]:
    target = text(mapping(result.get("source")).get("path"))
    for index, entry in enumerate(rows(result.get("packages"), f"{where}.packages")):
        yield from _package(entry, target, f"{where}.packages[{index}]")


def _package(entry: dict[str, object], target: str, where: str) -> Iterator[Finding]:
    package = mapping(entry.get("package"))
    pkg = text(package.get("name"))
    vulnerabilities = rows(entry.get("vulnerabilities"), f"{where}.vulnerabilities")
    records = {text(record.get("id")): record for record in vulnerabilities}
    groups = rows(entry.get("groups"), f"{where}.groups")
    if records and not groups:
        raise ReportError(f"`{where}.groups` is missing", DAMAGED)
    for index, group in enumerate(groups):
        ids = texts(group.get("ids"))
        if not ids:
            raise ReportError(f"`{where}.groups[{index}].ids` is missing or empty", DAMAGED)
        name, aliases = canonical_id(ids[0], [*ids, *texts(group.get("aliases"))])
        own = [records[known] for known in ids if known in records]
        summaries = (text(record.get(key)) for key in ("summary", "details") for record in own)
        yield Finding(
            id=name,
            severity=_severity(group.get("max_severity"), own),
            pkg=pkg,
            installed=text(package.get("version")) or text(package.get("commit")),
            fixed=", ".join(dict.fromkeys(version for record in own for version in _fixes(record, pkg))),
            title=title(next(filter(None, summaries), "")),
            url=osv_page(ids[0]),
            target=target,
            aliases=aliases,
        )


def _severity(score: object, records: list[dict[str, object]]) -> int:
    """Of a CVSS score in text, by the bands of CVSS 3; without one the worst word of the records."""
    try:
        value = float(text(score))
    except ValueError:
        value = 0.0
    for index, least in enumerate((9.0, 7.0, 4.0)):
        if least <= value <= 10:
            return index
    if 0 < value < 4:
        return SEVERITIES.index("LOW")
    words = (mapping(record.get("database_specific")).get("severity") for record in records)
    return min(map(severity, words), default=SEVERITIES.index("UNKNOWN"))


def _fixes(record: dict[str, object], pkg: str) -> Iterator[str]:
    """Versions of the package that mend it; commits, the events of ranges of type GIT, are none."""
    for affected in items(record.get("affected")):
        if text(mapping(affected.get("package")).get("name")) == pkg:
            for span in items(affected.get("ranges")):
                if span.get("type") != "GIT":
                    yield from filter(None, (text(event.get("fixed")) for event in items(span.get("events"))))
