"""The result of one release's scans: its rows, rows suppressed by VEX, counts and grade."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import Any, NamedTuple

from msgspec.structs import replace

from .grading import Grade, grade
from .scans import COUNTERS, Finding, Scan
from .statements import Subject
from .vex_matching import Statements
from .vulnerabilities import RowKey, SeverityCounts, Suppressed, Vulnerability, count, deduplicate, is_cve


class Figures(NamedTuple):
    """The counts of a scanned release, its grade and the time of its oldest scan."""

    counts: SeverityCounts
    suppressed: int
    grade: Grade | None
    score: float | None
    scanned_at: str | None
    exploited: int | None
    """Rows known to be exploited; None without the list of exploited vulnerabilities."""
    in_part: bool = False
    """Some of the release's digests have no scan, so it gets no grade."""
    os_ended: bool = False
    """A scan is of an operating system past its end of life."""

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


class Assessment(NamedTuple):
    """The scans of one release, deduplicated, with VEX statements applied."""

    figures: Figures
    rows: list[Vulnerability]
    """Worst first; like `suppressed`, never changed."""
    suppressed: list[Suppressed]
    findings: int
    """Raw findings, before deduplication."""
    matched: frozenset[int]
    """Positions of the VEX statements on any of the findings."""
    related: frozenset[frozenset[str]]
    """Keys of the ids of one finding, where statements are on several of them."""
    contested: frozenset[tuple[int, int]]
    """As in `Applied`."""
    further: Mapping[RowKey, tuple[str, ...]]
    """Further CVE ids that rows represent, sorted; only for rows that have any."""


class Knowledge(NamedTuple):
    """Knowledge about vulnerabilities from sources other than scans."""

    statements: Statements
    exploited: Mapping[str, str] | None = None
    """Id → day on which it became known to be exploited; None without the list."""
    accept_ignored: bool = False
    """Whether findings ignored by a rule of the scanner's user are suppressed; else they count."""


def assess(
    scans: Sequence[Scan],
    image: str,
    tags: Sequence[str],
    digests: Sequence[str],
    known: Knowledge,
    *,
    in_part: bool = False,
) -> Assessment | None:
    """The result for the image with this reference, these tags and digests; None without a scan."""
    if not scans:
        return None
    findings: list[Finding] = [*scans[0].findings]
    for position, scan in enumerate(scans[1:], 1):
        findings += [replace(finding, scan=position) for finding in scan.findings]
    set_aside = any(finding.set_aside for finding in findings)
    if set_aside and not known.accept_ignored:
        findings = [_counted(finding) for finding in findings]
    further: dict[RowKey, tuple[str, ...]] = {}
    groups = deduplicate(findings)
    if any(finding.aliases for finding in findings):  # no report of Trivy has any
        groups = _with_cves(groups, further)
    if known.exploited is not None:
        groups = _marked(groups, known.exploited)
    suppressed: list[Suppressed] = []
    matched: Iterable[int] = ()
    related: Iterable[frozenset[str]] = ()
    contested: Iterable[tuple[int, int]] = ()
    if set_aside or (len(known.statements) and known.statements.concerns(findings)):
        subjects = [Subject.scanned(image, tags, digests, scan) for scan in scans]
        rows, suppressed, matched, related, contested = known.statements.apply(groups, subjects)
    else:
        rows = [row for row, _ in groups]
    exploited = None
    if known.exploited is not None:
        exploited = sum(row.exploited is not None for row in rows)
    figures = _figures(scans, count(rows), len(suppressed), exploited, in_part)
    return Assessment(
        *(figures, rows, suppressed, len(findings)),
        *(frozenset(matched), frozenset(related), frozenset(contested), further),
    )


def _counted(finding: Finding) -> Finding:
    """The finding without the rule that ignores it."""
    if finding.set_aside and finding.set_aside.status == "ignored":
        return replace(finding, set_aside=None)
    return finding


def _with_cves(
    groups: Iterable[tuple[Vulnerability, list[Finding]]], further: dict[RowKey, tuple[str, ...]]
) -> Iterator[tuple[Vulnerability, list[Finding]]]:
    """Add the CVE ids among each row's aliases to `further`."""
    for row, findings in groups:
        ids = {alias for finding in findings for alias in finding.aliases if is_cve(alias)} - {row.id}
        if ids:
            further[row.id, row.pkg, row.installed] = tuple(sorted(ids))
        yield row, findings


def _marked(
    groups: Iterable[tuple[Vulnerability, list[Finding]]], exploited: Mapping[str, str]
) -> Iterator[tuple[Vulnerability, list[Finding]]]:
    """Set the day since which each row is exploited, by its id or one of its aliases."""
    for row, findings in groups:
        ids = {row.id, *(alias for finding in findings for alias in finding.aliases)}
        row.exploited = min([exploited[id_] for id_ in ids if id_ in exploited], default=None)
        yield row, findings


def _figures(
    scans: Sequence[Scan], counts: SeverityCounts, suppressed: int, exploited: int | None, in_part: bool
) -> Figures:
    os_ended = any(scan.os_end_of_life for scan in scans)
    proves_little = os_ended or any(scan.narrowed for scan in scans)
    letter, score = _graded(counts, in_part=in_part, proves_little=proves_little)
    times = [scan.scanned_at for scan in scans if scan.scanned_at]
    # The oldest of several parts: a release is only as fresh as its oldest scan.
    oldest = min(times) if len(times) == len(scans) else None
    return Figures(counts, suppressed, letter, score, oldest, exploited, in_part, os_ended)


def _graded(
    counts: SeverityCounts, *, in_part: bool, proves_little: bool
) -> tuple[Grade | None, float | None]:
    """Grade and score; both None for a partial scan, and instead of an A or A+ where the scan proves
    little: an operating system past its end of life, or a report without some kinds of vulnerabilities.
    """
    band, score = grade(*counts)
    if in_part or (proves_little and band.says_hardly_anything_found):
        return None, None
    return band.letter, score


def worse(one: Figures | None, other: Figures | None) -> Figures | None:
    """The higher counts of one image under two names, since a VEX statement may cover one name only."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda figures: (*figures.counters.values(), figures.in_part))


def total(parts: Sequence[Figures]) -> Figures:
    """The sums over several releases, with the grade of all their rows; without a time.

    A reason to withhold the grade of one release withholds the grade of all.
    """
    fixable = tuple(map(sum, zip(*(part.counts.fixable for part in parts), strict=True))) or (0,) * 5
    unfixable = tuple(map(sum, zip(*(part.counts.unfixable for part in parts), strict=True))) or (0,) * 5
    counts, in_part = SeverityCounts(fixable, unfixable), any(part.in_part for part in parts)
    proves_little = any(part.grade is None for part in parts)
    letter, score = _graded(counts, in_part=in_part, proves_little=proves_little) if parts else (None, None)
    known = [part.exploited for part in parts if part.exploited is not None]
    exploited = sum(known) if known else None
    suppressed = sum(part.suppressed for part in parts)
    return Figures(counts, suppressed, letter, score, None, exploited, in_part)


def scanned_digest(digests: Sequence[str], scans: Sequence[Scan]) -> str | None:
    """The digest that was scanned: the first of the page's `digests` that a scan has, else the scan's own."""
    scanned = {digest for scan in scans for digest in scan.digests}
    on_page = (digest for digest in digests if digest in scanned)
    # A report without digests was joined by name or path, so the scanned digest is unknown.
    return next(on_page, None) or min(scanned, default=None)


def scanner_names(scans: Sequence[Scan]) -> str:
    """Names and versions of the scanners: `Trivy 0.69.3, Grype 0.80`."""
    versions = {(scan.scanner, scan.scanner_version) for scan in scans}
    return ", ".join(f"{scanner.name} {version}".strip() for scanner, version in sorted(versions))


def os_end_of_life(scans: Sequence[Scan]) -> bool | None:
    """Whether any operating system is past its end of life; None if no scan includes this."""
    known = [scan.os_end_of_life for scan in scans if scan.os_end_of_life is not None]
    return any(known) if known else None
