"""The result of one release's scans: its rows, rows suppressed by VEX, counts and grade."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import Any, NamedTuple

from msgspec.structs import replace

from .covers import ScanSelection
from .grading import Grade, grade
from .scans import COUNTERS, Finding, Scan
from .statements import Subject
from .vex_matching import Applied, Statements
from .vulnerabilities import SeverityCounts, Suppressed, Vulnerability, count, deduplicate


class Figures(NamedTuple):
    """The counts of a scanned version, its grade and the time of its oldest scan."""

    counts: SeverityCounts
    suppressed: int
    grade: Grade | None
    score: float | None
    scanned_at: str | None
    exploited: int | None
    """Rows known to be exploited; None without the list of exploited vulnerabilities."""

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
            "exploited": self.exploited,
            "grade": self.grade,
            "score": self.score,
        }

    def known_fields(self) -> dict[str, Any]:
        """The same, with None for a count of zero without a grade: not everything was scanned."""
        if self.grade is not None:
            return self.fields()
        return {name: value or None for name, value in self.fields().items()}


class Assessment(NamedTuple):
    """The scans of one version, deduplicated, with VEX statements applied."""

    figures: Figures
    findings: int
    """Raw findings, before deduplication."""
    applied: Applied

    @property
    def rows(self) -> list[Vulnerability]:
        """The open ones, worst first; like `suppressed`, never changed."""
        return self.applied.open

    @property
    def suppressed(self) -> list[Suppressed]:
        return self.applied.suppressed


class Knowledge(NamedTuple):
    """Knowledge about vulnerabilities from sources other than scans."""

    statements: Statements
    exploited: Mapping[str, str] | None = None
    """Id → day on which it became known to be exploited; None without the list."""
    accept_ignored: bool = False
    """Whether findings ignored by a rule of the scanner's user are suppressed; else they count."""
    accept_partial: bool = False
    """Whether a release is graded although the scan of a part is missing."""


def assess(
    selection: ScanSelection, image: str | None, tags: Sequence[str], known: Knowledge
) -> Assessment | None:
    """The result for the image with this reference and these tags; None without a scan."""
    scans = selection.scans
    if not scans:
        return None
    findings: list[Finding] = [*scans[0].findings]
    for position, scan in enumerate(scans[1:], 1):
        findings += [replace(finding, scan=position) for finding in scan.findings]
    set_aside = any(finding.set_aside for finding in findings)
    if set_aside and not known.accept_ignored:
        findings = [_counted(finding) for finding in findings]
    groups = deduplicate(findings)
    if known.exploited:
        groups = _with_exploited(groups, known.exploited)
    if set_aside or (len(known.statements) and known.statements.concerns(findings)):
        subjects = [
            Subject.scanned(image, tags, selection.digests_of(report), report.scan.coverage.platform)
            for report in selection.part_scans
        ]
        applied = known.statements.apply(groups, subjects)
    else:
        applied = Applied([row for row, _ in groups])
    exploited = None
    if known.exploited is not None:
        exploited = sum(row.exploited_since is not None for row in applied.open)
    missing = bool(selection.missing) and not known.accept_partial
    letter, score = _graded(counts := count(applied.open), missing=missing, limited=bool(selection.limits))
    times = [scan.scanned_at for scan in scans if scan.scanned_at]
    # The oldest of several parts: a release is only as fresh as its oldest scan.
    oldest = min(times) if len(times) == len(scans) else None
    figures = Figures(counts, len(applied.suppressed), letter, score, oldest, exploited)
    return Assessment(figures, len(findings), applied)


def _counted(finding: Finding) -> Finding:
    """The finding without the rule that ignores it."""
    if finding.set_aside and finding.set_aside.status == "ignored":
        return replace(finding, set_aside=None)
    return finding


def _with_exploited(
    groups: Iterable[tuple[Vulnerability, list[Finding]]], exploited: Mapping[str, str]
) -> Iterator[tuple[Vulnerability, list[Finding]]]:
    """Set the day since which each row is exploited, by any id of its set."""
    for row, findings in groups:
        days = [exploited[id_] for id_ in (row.id, *row.aliases) if id_ in exploited]
        row.exploited_since = min(days, default=None)
        yield row, findings


def _graded(counts: SeverityCounts, *, missing: bool, limited: bool) -> tuple[Grade | None, float | None]:
    """Grade and score; both None if the scan of a part is missing, and instead of an A or A+ if a limit may
    have left vulnerabilities out.
    """
    band, score = grade(*counts)
    if missing or (limited and band.says_hardly_anything_found):
        return None, None
    return band.letter, score


def worse(one: Figures | None, other: Figures | None) -> Figures | None:
    """The higher counts of one image under two names, since a VEX statement may cover one name only."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda figures: (*figures.counters.values(), figures.grade is None))


def total(parts: Sequence[Figures]) -> Figures:
    """The sums over several releases, without a time; with a grade of all their rows if each has one."""
    fixable = tuple(map(sum, zip(*(part.counts.fixable for part in parts), strict=True))) or (0,) * 5
    unfixable = tuple(map(sum, zip(*(part.counts.unfixable for part in parts), strict=True))) or (0,) * 5
    counts, graded = SeverityCounts(fixable, unfixable), all(part.grade for part in parts)
    letter, score = _graded(counts, missing=not (parts and graded), limited=False)
    known = [part.exploited for part in parts if part.exploited is not None]
    exploited = sum(known) if known else None
    return Figures(counts, sum(part.suppressed for part in parts), letter, score, None, exploited)


def scanner_names(scans: Sequence[Scan]) -> str:
    """Names and versions of the scanners: `Trivy 0.69.3, Grype 0.80`."""
    versions = {(scan.scanner, scan.scanner_version) for scan in scans}
    return ", ".join(f"{scanner.name} {version}".strip() for scanner, version in sorted(versions))


def os_end_of_life(scans: Sequence[Scan]) -> bool | None:
    """Whether any operating system is past its end of life; None if no scan includes this."""
    known = [scan.os_end_of_life for scan in scans if scan.os_end_of_life is not None]
    return any(known) if known else None
