"""Which scans of a release count: all that may be of it, but what another one certainly replaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain, combinations
from typing import NamedTuple

from ..problems import Level, Problem
from ..problems.codes import Code
from .covers import Part, PartScan, Reason, ReleaseParts, ScanSelection
from .scans import Limit, Scan, Scanner, plain_platform

_NOTHING_THERE: frozenset[Limit] = frozenset({"no-system-packages", "nothing-recognized"})
"""Limits that a scan has only if all of its reports have them."""
_LATER = timedelta(days=2)


class WholeScan(NamedTuple):
    """The reports of one scanner on one subject with one time."""

    reports: Sequence[PartScan]
    rank: int
    """Position of the scanner in the setting `scanners`."""
    moment: tuple[str, str] | None
    """UTC time and the fraction of its second, comparable with others; None if it is not known."""
    in_future: bool
    packages: frozenset[str]
    limits: frozenset[Limit]
    names_system: bool

    @property
    def scanner(self) -> Scanner:
        return self.reports[0].scan.scanner

    @property
    def digests(self) -> frozenset[str]:
        return self.reports[0].scan.coverage.named

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.reports[0].parts

    @property
    def covers(self) -> bool:
        return self.reports[0].covers

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(report.scan.file for report in self.reports))


def certainly_replaces(newer: WholeScan, older: WholeScan) -> bool:
    """Whether a scan of a part replaces another one of it for certain:

    1. Its time is known and not in the future, and it has no limit that the other lacks.
    2. Of one scanner: the other's time is known, too, and earlier. If both name one digest, the newer one
       lacks no kind of packages.
    3. Of two scanners: its own comes first in the setting `scanners`, it names an operating system if the
       other does, and the other, where its time is known, is at most two days later.
    """
    if newer.moment is None or newer.in_future or newer.limits - older.limits:
        return False
    if newer.rank == older.rank:
        if older.moment is None or older.moment >= newer.moment:
            return False
        return not (newer.digests & older.digests and older.packages - newer.packages)
    if newer.rank > older.rank or (older.names_system and not newer.names_system):
        return False
    return older.moment is None or older.moment <= _two_days_after(newer.moment)


def _two_days_after(moment: tuple[str, str]) -> tuple[str, str]:
    time = datetime.fromisoformat(moment[0]) + _LATER
    return time.replace(tzinfo=None).isoformat() + "Z", moment[1]


class CountRules(NamedTuple):
    """What the settings and the clock decide."""

    scanners: Sequence[str]
    """Words of the scanners that count, the preferred first. None means all, by rank."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`; the time of a scan in the future is treated as unknown."""
    accept: Collection[str] = ()
    """The words of `accept` in the settings."""
    synced: Collection[str] = ()
    """Slugs of the images whose platforms are those of their registry, which choose no manifest."""

    def in_future(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and scan.scanned_at > self.now

    def select(
        self, scans: Sequence[Scan], release: ReleaseParts, accept: Collection[str] = ()
    ) -> ScanSelection:
        """Select among the scans of a release. One counts unless others that count certainly replace it on
        each of its parts; one that covers no part, unless that is so on each part of the release.

        `accept` are the words of its page.
        """
        wanted = [scan for scan in scans if not self.scanners or scan.scanner.word in self.scanners]
        release = release.with_those_of(wanted)
        reports = [*filter(None, (release.scanned_by(scan, accept) for scan in wanted))]
        counting = {
            report.scan.place: report._replace(limits=each.limits)
            for each in _counting(self._whole_scans(reports), release.parts)
            for report in each.reports
        }
        reasons: dict[tuple[str, int], Reason] = {scan.place: "other-platform" for scan in wanted}
        reasons |= {report.scan.place: "replaced" for report in reports}
        return ScanSelection(
            release.digests,
            release.parts,
            tuple(counting[place] for place in sorted(counting)),
            tuple(
                (scan, reasons.get(scan.place, "scanner-not-wanted"))
                for scan in scans
                if scan.place not in counting
            ),
        )

    def problems(self, selection: ScanSelection, subject: str) -> Iterator[Problem]:
        """Yield one warning if scans of one part count together, with the first reason. One that covers no
        part may be of an uncovered one.
        """
        by_preference = self._whole_scans(selection.part_scans)
        if selection.uncovered:
            by_preference = [each for each in by_preference if each.covers]
        pairs = [
            pair
            for pair in combinations(by_preference, 2)
            if {*pair[0].parts} & {*pair[1].parts} and pair[0].files != pair[1].files
        ]
        if pairs:
            files = dict.fromkeys(file for pair in pairs for scan in pair for file in scan.files)
            yield _counted_together(*pairs[0], files, subject)

    def _whole_scans(self, reports: Iterable[PartScan]) -> list[WholeScan]:
        """Those of the preferred scanner first, the newest first: none replaces an earlier one."""
        groups: dict[object, list[PartScan]] = defaultdict(list)
        for report in reports:
            scan = report.scan
            subject = scan.coverage.named, plain_platform(scan.coverage.platform)
            made = scan.moment if scan.scanned_at else scan.place
            groups[scan.scanner, made, subject].append(report)
        newest_first = sorted(map(self._whole_scan, groups.values()), key=_moment, reverse=True)
        return sorted(newest_first, key=lambda scan: scan.rank)

    def _whole_scan(self, reports: Sequence[PartScan]) -> WholeScan:
        first, coverages = reports[0].scan, [report.scan.coverage for report in reports]
        limits = frozenset[Limit]().union(*(report.limits for report in reports))
        common = limits.intersection(*(report.limits for report in reports))
        return WholeScan(
            tuple(reports),
            self.scanners.index(first.scanner.word) if self.scanners else first.scanner.rank,
            first.moment if first.scanned_at else None,
            self.in_future(first),
            frozenset[str]().union(*(coverage.packages for coverage in coverages)),
            limits - (_NOTHING_THERE - common),
            any(coverage.names_system for coverage in coverages),
        )


def _moment(scan: WholeScan) -> tuple[str, str]:
    return ("", "") if scan.in_future else scan.moment or ("", "")


def _counting(scans: Sequence[WholeScan], parts: Sequence[Part]) -> list[WholeScan]:
    """Those that count. `scans` are in an order in which none replaces an earlier one."""
    counting: dict[Part, list[WholeScan]] = {part: [] for part in parts}

    def is_open(part: Part, scan: WholeScan) -> bool:
        return not any(certainly_replaces(other, scan) for other in counting[part])

    for scan in (scan for scan in scans if scan.covers):
        for part in scan.parts:
            if is_open(part, scan):
                counting[part].append(scan)
    vague = [scan for scan in scans if not scan.covers and any(is_open(part, scan) for part in parts)]
    return [*chain.from_iterable(counting.values()), *vague]


def unused(selection: ScanSelection, subject: str) -> Iterator[Problem]:
    """Yield a note for each scan that belongs to a release or pin without counting for it."""
    instead = ", ".join(dict.fromkeys(scan.file for scan in selection.scans))
    for scan, reason in selection.unused:
        why, hint = f"{instead} takes precedence", ""
        if reason == "scanner-not-wanted":
            why = f"the scanner {scan.scanner.word} is not in `security.scanners`"
            hint = f"add {scan.scanner.word} to it, or remove the report"
        elif reason == "other-platform":
            why = f"it is of {scan.coverage.platform or 'a platform'}, which `platforms` leaves out"
            hint = "add the platform to `platforms`, or remove the report"
        message = f"not used for {subject}: {why}"
        yield Problem(scan.file, 0, 0, "", message, hint, Level.INFO, code=Code.PASSED_OVER)


def _counted_together(newer: WholeScan, older: WholeScan, files: Iterable[str], subject: str) -> Problem:
    """A warning about these reports, with the reason why `newer`, of the preferred scanner, replaces not."""
    file, other = newer.files[0], older.files[0]
    lacking = [f"the limit {limit}" for limit in sorted(newer.limits - older.limits)]
    if newer.rank == older.rank and newer.digests & older.digests:
        lacking += [f"no {kind}" for kind in sorted(older.packages - newer.packages)]
    elif newer.rank < older.rank and older.names_system and not newer.names_system:
        lacking.append("no operating system")
    code, hint = Code.IN_PART, "scan again all packages and without limits, or remove the outdated one"
    if not (newer.covers and older.covers):
        vague = other if newer.covers else file
        why, hint = f"{vague} may be of any part", f"remove {vague}, and scan what `catalog-api list` prints"
    elif lacking:
        why = f"{file} has {' and '.join(lacking)}"
    else:
        code, hint = Code.SCAN_AGE, "remove the outdated one, or scan again"
        undated = next((scan.files[0] for scan in (newer, older) if not _moment(scan)[0]), "")
        same = "they have the same time" if newer.rank == older.rank else f"{other} is over two days newer"
        why = f"the time of {undated} is not known" if undated else same
    others = ", ".join(each for each in files if each != other)
    message = f"counts for {subject} together with {others}, as {why}"
    return Problem(other, 0, 0, "", message, hint, Level.WARNING, code=code)
