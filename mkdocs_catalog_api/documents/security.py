"""Security documents: release records, details, the summary and the index."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..catalog.grading import grade
from ..catalog.join import Chart, Image, Release
from ..catalog.scans import SEVERITIES, ScanHead
from ..catalog.vulnerabilities import counts, unite
from ..sources.scan_index import Reports, stored_findings
from . import addresses
from .addresses import Addresses
from .models import ChartSecurity, ImageSecurity, SecurityIndexEntry, SummaryEntry
from .serialise import Raw, encode, members

_WORDS = tuple(word.lower() for word in SEVERITIES)
_SCANNER_NAMES = {"trivy": "Trivy", "grype": "Grype", "harbor": "Harbor", "osv": "OSV-Scanner"}


class Assessment(NamedTuple):
    """What is known of a scanned release once its rows are united: small, so it stays in memory."""

    fixable: tuple[int, ...]
    """Rows with a fix for each of `SEVERITIES`."""
    unfixable: tuple[int, ...]
    suppressed: int
    grade: str | None
    score: float | None
    scanned_at: str | None

    @property
    def counters(self) -> dict[str, int]:
        """`critical` … `unknown`."""
        return {
            word: with_fix + without
            for word, with_fix, without in zip(_WORDS, self.fixable, self.unfixable, strict=True)
        }

    @property
    def total(self) -> int:
        return sum(self.fixable) + sum(self.unfixable)

    def figures(self) -> dict[str, object]:
        """The fields of `models.Figures`."""
        return {
            **self.counters,
            "total": self.total,
            "fixable": sum(self.fixable),
            "suppressed": self.suppressed,
            "grade": self.grade,
            "score": self.score,
        }


class Record(NamedTuple):
    """A release record: its JSON, what stays in memory of it, and the distinct ids of its rows."""

    json: Raw
    assessment: Assessment | None
    ids: list[str]


_NO_FIGURES: dict[str, None] = dict.fromkeys((*_WORDS, "total", "fixable", "suppressed", "grade", "score"))


def assess(scans: Sequence[ScanHead], reports: Reports) -> tuple[Assessment, Raw, list[str]]:
    """The assessment of a release's scans, its rows as JSON, and their distinct ids."""
    if len(scans) == 1:
        parsed = reports.parsed(scans[0])
        fixable, unfixable = scans[0].fixable, scans[0].unfixable
        rows_json, ids = Raw(parsed.rows), json.loads(parsed.ids)
    else:
        rows = unite(finding for head in scans for finding in stored_findings(reports.parsed(head)))
        with_fix, without = counts(rows)
        fixable, unfixable = tuple(with_fix), tuple(without)
        rows_json, ids = Raw(encode(rows)), list(dict.fromkeys(row["id"] for row in rows))
    letter: str | None
    score: float | None
    letter, score = grade(fixable, unfixable)
    if letter in ("A+", "A") and any(head.os_end_of_life for head in scans):
        letter = score = None  # nobody looks any more, so finding nothing proves nothing
    times = [head.scanned_at for head in scans if head.scanned_at]
    # The oldest of several parts: the release is known no better than its oldest scan.
    oldest = min(times) if len(times) == len(scans) else None
    return Assessment(fixable, unfixable, 0, letter, score, oldest), rows_json, ids


def record(release: Release, reports: Reports | None) -> Record:
    """The release record of one version."""
    if not release.scans or reports is None:
        blank = dict.fromkeys(_RECORD_FIELDS)
        return Record(Raw(encode(blank | {"version": release.entry.version, "scanned": False})), None, [])
    assessment, rows, ids = assess(release.scans, reports)
    figures = assessment.figures()
    values: dict[str, object] = {
        "version": release.entry.version,
        "scanned": True,
        "total": figures["total"],
        "fixable": figures["fixable"],
        "grade": figures["grade"],
        "score": figures["score"],
        "cves": rows,
        **assessment.counters,
        "findings": sum(head.findings for head in release.scans),
        "unique": len(ids),
        "digest": _scanned_digest(release),
        "scannedAt": assessment.scanned_at,
        "scanner": _scanner(release.scans),
        "osEndOfLife": _end_of_life(release.scans),
        "suppressed": [],
    }
    return Record(Raw(encode(values)), assessment, ids)


_RECORD_FIELDS = (
    *("version", "scanned", "total", "fixable", "grade", "score", "cves", *_WORDS),
    *("findings", "unique", "digest", "scannedAt", "scanner", "osEndOfLife", "suppressed"),
)


def _scanned_digest(release: Release) -> str | None:
    """The digest that was scanned: the first of the page's that a scan has, else the scan's own."""
    scanned = {digest for head in release.scans for digest in head.digests}
    on_page = (digest for digest in release.entry.digests if digest in scanned)
    # A report without digests was joined by name or path, and says nothing of what it scanned.
    return next(on_page, None) or min(scanned, default=None)


def _scanner(scans: Sequence[ScanHead]) -> str:
    versions = sorted({head.scanner_version for head in scans if head.scanner_version})
    return " ".join([_SCANNER_NAMES[scans[0].scanner], ", ".join(versions)]).strip()


def _end_of_life(scans: Sequence[ScanHead]) -> bool | None:
    known = [head.os_end_of_life for head in scans if head.os_end_of_life is not None]
    return any(known) if known else None


def release_document(image: Image, rec: Raw) -> Raw:
    """A release record with the envelope's fields before it."""
    return members(encode(envelope(image)), rec)


def envelope(image: Image) -> dict[str, object]:
    """What the documents of one image begin with."""
    entry = image.entry
    return {"apiVersion": "v1", "resource": "security", "slug": entry.slug, "image": entry.image}


def image_security(image: Image, newest: Assessment | None, at: Addresses) -> ImageSecurity:
    """The `security` object of an image."""
    figures = newest.figures() if newest else _NO_FIGURES
    version = image.releases[0].entry.version if image.releases else None
    href = at.api(addresses.detail(image.entry.slug)) if image.releases else None
    return ImageSecurity.model_validate(
        {"scanned": newest is not None, "version": version, **figures, "href": href}
    )


def chart_security(
    chart: Chart,
    releases: Mapping[tuple[str, str], Assessment | None],
    reports: Reports | None,
) -> ChartSecurity:
    """The `security` object of a chart; `releases` has the assessment of every release of the catalog."""
    pins: dict[str, Assessment | None] = {}
    for pin in chart.pins:
        if pin.key in pins:
            continue
        if pin.slug is not None and pin.version is not None:
            pins[pin.key] = releases[pin.slug, pin.version]
        else:
            pins[pin.key] = assess(pin.scans, reports)[0] if pin.scans and reports else None
    scanned = [found for found in pins.values() if found is not None]
    figures: dict[str, object] = dict(_NO_FIGURES)
    if scanned:
        total = _sum(scanned)
        figures = total.figures()
        withheld = any(found.grade is None for found in scanned)
        if len(scanned) < len(pins) or (withheld and total.grade in ("A+", "A")):
            figures |= {"grade": None, "score": None}
    return ChartSecurity.model_validate(
        {
            "scanned": bool(pins) and len(scanned) == len(pins),
            **figures,
            "pins": len(pins),
            "pinsScanned": len(scanned),
        }
    )


def _sum(parts: Sequence[Assessment]) -> Assessment:
    fixable = tuple(map(sum, zip(*(part.fixable for part in parts), strict=True)))
    unfixable = tuple(map(sum, zip(*(part.unfixable for part in parts), strict=True)))
    letter, score = grade(fixable, unfixable)
    return Assessment(fixable, unfixable, sum(part.suppressed for part in parts), letter, score, None)


def summary_and_index(
    images: Sequence[Image],
    newest: Mapping[str, Assessment | None],
    unique: int,
    at: Addresses,
) -> tuple[dict[str, object], list[SecurityIndexEntry]]:
    """The security summary and the entries of the security index; planned images are in neither."""
    entries: dict[str, object] = {}
    index: list[SecurityIndexEntry] = []
    unscanned: list[str] = []
    parts: list[Assessment] = []
    for image in images:
        entry = image.entry
        found = newest[entry.slug]
        if entry.lifecycle == "planned":
            continue
        if found is None:
            unscanned.append(entry.slug)
            continue
        parts.append(found)
        figures = found.figures()
        where = {
            "version": image.releases[0].entry.version,
            "href": at.api(addresses.detail(entry.slug)),
        }
        entries[entry.slug] = SummaryEntry.model_validate(figures | where)
        del figures["suppressed"]
        index.append(
            SecurityIndexEntry.model_validate(
                {"slug": entry.slug, "name": entry.name, "image": entry.image, **figures, **where}
                | {"scannedAt": found.scanned_at}
            )
        )
    total = _sum(parts) if parts else Assessment((0,) * 5, (0,) * 5, 0, None, None, None)
    summary: dict[str, object] = {
        "apiVersion": "v1",
        "resource": "security",
        "total": total.total,
        "bySeverity": total.counters,
        "imagesWithCves": sum(part.total > 0 for part in parts),
        "images": Raw(encode(entries)),
        "scanned": len(parts),
        "unscanned": unscanned,
        "fixable": sum(total.fixable),
        "suppressed": total.suppressed,
        "unique": unique,
    }
    return summary, index
