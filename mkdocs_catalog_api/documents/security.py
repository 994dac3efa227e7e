"""Release records: what the scans of one version say, after VEX statements have been applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import Any, NamedTuple

from msgspec.structs import astuple

from ..catalog import addresses
from ..catalog.grading import grade
from ..catalog.join import Image, Release
from ..catalog.names import Reference
from ..catalog.pins import Pin
from ..catalog.scans import COUNTERS, Finding, ScanMetadata
from ..catalog.vex_matching import Statements, Subject
from ..catalog.vulnerabilities import SeverityCounts, Suppressed, Vulnerability, count, deduplicate
from .structs import security as structs

_SCANNER_NAMES = {"trivy": "Trivy", "grype": "Grype", "harbor": "Harbor", "osv": "OSV-Scanner"}
_SCANNERS = [*_SCANNER_NAMES]

Read = Callable[[tuple[ScanMetadata, ...]], list[Finding]]
"""Gives the findings of the scans of one release."""


class SecurityFigures(NamedTuple):
    """What is known of a scanned release, without its rows: small, so it stays in memory."""

    counts: SeverityCounts
    suppressed: int
    grade: str | None
    score: float | None
    scanned_at: str | None
    exploited: int | None
    """Rows that are known to be exploited; None when nobody has looked."""
    in_part: bool = False
    """Some of the release's digests have no scan, and so it has no grade."""

    @property
    def counters(self) -> dict[str, int]:
        """`critical` … `unknown`."""
        return dict(zip(COUNTERS, map(add, *self.counts), strict=True))

    @property
    def total(self) -> int:
        return self.fixable + sum(self.counts.unfixable)

    @property
    def fixable(self) -> int:
        return sum(self.counts.fixable)

    def fields(self) -> dict[str, Any]:
        """The counters, their sums and the grade, as several documents have them."""
        return {
            **self.counters,
            "total": self.total,
            "fixable": self.fixable,
            "suppressed": self.suppressed,
            "grade": self.grade,
            "score": self.score,
            "exploited": self.exploited,
        }


NO_FIGURES: dict[str, Any] = dict.fromkeys(
    (*COUNTERS, "total", "fixable", "suppressed", "grade", "score", "exploited")
)


class Assessed(NamedTuple):
    """The scans of one release, deduplicated and judged by the VEX statements."""

    figures: SecurityFigures
    rows: list[Vulnerability]
    suppressed: list[Suppressed]
    findings: int
    """Raw findings, before deduplication."""
    matched: set[int]
    related: set[frozenset[str]]
    """Positions of the VEX statements that speak of a finding."""


class Assessor(NamedTuple):
    """Turns scans into figures and rows."""

    read: Read
    statements: Statements
    exploited: Mapping[str, str] | None = None
    """Id → day since when it is known to be exploited; None when nobody has looked."""

    def release(self, image: Image, release: Release) -> Assessed | None:
        """What is known of one version, None when nobody has scanned it."""
        entry = release.entry
        tags = [entry.version, *entry.tags]
        return self._assess(release.scans, image.entry.image, tags, entry.digests, release.in_part)

    def pin(self, pin: Pin) -> Assessed | None:
        """What is known of a pin that is no release of the catalog."""
        digest = pin.entry.digest
        tag = Reference.parse(pin.entry.image).tag_or_latest
        return self._assess(pin.scans, pin.entry.image, [tag], [digest] if digest else [])

    def _assess(
        self,
        scans: tuple[ScanMetadata, ...],
        image: str,
        tags: Sequence[str],
        digests: Sequence[str],
        in_part: bool = False,
    ) -> Assessed | None:
        if not scans:
            return None
        findings = self.read(scans)
        number = len(findings)
        suppressed: list[Suppressed] = []
        matched: set[int] = set()
        related: set[frozenset[str]] = set()
        concerned = bool(len(self.statements)) and self.statements.concerns(findings)
        rows = deduplicate(findings)
        if self.exploited is not None:
            rows = _marked(rows, self.exploited)
        if concerned:
            subjects = [Subject.scanned(image, tags, digests, scan) for scan in scans]
            left, suppressed, matched, related = self.statements.apply(rows, subjects)
        else:
            left = [row for row, _ in rows]
        exploited = None
        if self.exploited is not None:
            exploited = sum(row.exploited is not None for row in left)
        figures = _figures(scans, count(left), len(suppressed), exploited, in_part)
        return Assessed(figures, left, suppressed, number, matched, related)


def _marked(
    rows: Iterable[tuple[Vulnerability, list[Finding]]], exploited: Mapping[str, str]
) -> Iterator[tuple[Vulnerability, list[Finding]]]:
    """Say of rows since when they are exploited, also of those that stand for such a vulnerability."""
    for row, findings in rows:
        ids = {row.id, *(alias for finding in findings for alias in finding.aliases)}
        row.exploited = min([exploited[id_] for id_ in ids if id_ in exploited], default=None)
        yield row, findings


_NOTHING = [None] * (len(structs.Release.__struct_fields__) - 2)


def record(release: Release, found: Assessed | None) -> structs.Release:
    """The release record of one version."""
    if found is None:
        return structs.Release(release.entry.version, False, *_NOTHING)
    figures, scans = found.figures, release.scans
    return structs.Release(
        version=release.entry.version,
        scanned=True,
        total=figures.total,
        fixable=figures.fixable,
        grade=figures.grade,  # type: ignore[arg-type]
        score=figures.score,
        cves=found.rows,
        **figures.counters,
        findings=found.findings,
        unique=len({row.id for row in found.rows}),
        digest=_scanned_digest(release),
        scanned_at=figures.scanned_at,
        scanner=_scanner(scans),
        digests_scanned=release.digests_scanned,
        os_end_of_life=_end_of_life(scans),
        suppressed=found.suppressed,
        exploited=figures.exploited,
    )


def documents(image: Image, records: Sequence[structs.Release]) -> Iterable[tuple[str, Any]]:
    """Path and body of the security documents of one image: of each release, and of all together."""
    slug, reference = image.entry.slug, image.entry.image
    for one in records:
        body = structs.ReleaseDocument("v1", "security", slug, reference, *astuple(one))
        yield addresses.release(slug, one.version), body
    if records:
        detail = structs.SecurityDetail("v1", "security", slug, reference, records[0], [*records])
        yield addresses.detail(slug), detail


def _figures(
    scans: Sequence[ScanMetadata],
    counts: SeverityCounts,
    suppressed: int,
    exploited: int | None,
    in_part: bool,
) -> SecurityFigures:
    letter: str | None
    score: float | None
    letter, score = grade(*counts)
    abandoned = any(scan.os_end_of_life for scan in scans)
    # Nobody looks at the system any more, or has looked at all of it: finding nothing proves nothing.
    if in_part or (abandoned and letter in ("A+", "A")):
        letter = score = None
    times = [scan.scanned_at for scan in scans if scan.scanned_at]
    # The oldest of several parts: the release is known no better than its oldest scan.
    oldest = min(times) if len(times) == len(scans) else None
    return SecurityFigures(counts, suppressed, letter, score, oldest, exploited, in_part)


def _scanned_digest(release: Release) -> str | None:
    """The digest that was scanned: the first of the page's that a scan has, else the scan's own."""
    scanned = {digest for scan in release.scans for digest in scan.digests}
    on_page = (digest for digest in release.entry.digests if digest in scanned)
    # A report without digests was joined by name or path, and says nothing of what it scanned.
    return next(on_page, None) or min(scanned, default=None)


def _scanner(scans: Sequence[ScanMetadata]) -> str:
    """Each scanner with its versions: `Trivy 0.69.3, Grype 0.80`."""
    said = {(_SCANNERS.index(scan.scanner), scan.scanner_version) for scan in scans}
    return ", ".join(f"{_SCANNER_NAMES[_SCANNERS[at]]} {version}".strip() for at, version in sorted(said))


def _end_of_life(scans: Sequence[ScanMetadata]) -> bool | None:
    known = [scan.os_end_of_life for scan in scans if scan.os_end_of_life is not None]
    return any(known) if known else None
