"""Which scans of a release count: all that may be of it, but what another one certainly replaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from typing import NamedTuple

from ..problems import Level, Problem
from ..problems.codes import Code
from .covers import Part, PartScan, Reason, ReleaseParts, ScanSelection
from .scans import Limit, Scan, plain_platform

_NOTHING_THERE: frozenset[Limit] = frozenset({"no-system-packages", "nothing-recognized"})
"""Limits that a scan has only if all of its reports have them."""


class CountRules(NamedTuple):
    """What the settings and the clock decide."""

    scanners: Sequence[str]
    """Words of the scanners that count, the preferred first. None means all, by rank."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`; a scan with a time in the future replaces none."""
    accept: Collection[str] = ()
    """The words of `accept` in the settings."""
    synced: Collection[str] = ()
    """Slugs of the images whose platforms are those of their registry, which choose no manifest."""

    def certainly_replaces(self, newer: PartScan, older: PartScan) -> bool:
        """Whether a scan of a part replaces another one of it for certain:

        1. Its time is known and not in the future, and it has no limit that the other lacks.
        2. Of one scanner: the other's time is known, too, and earlier. If both name one digest, the newer one
           lacks no kind of packages.
        3. Of two scanners: its own comes first in the setting `scanners`, it names an operating system if the
           other does, and the other, where its time is known, is at most two days later.
        """
        rank, older_rank, time, older_time = *map(self._rank, (newer, older)), newer.time, older.time
        if not time or self.in_future(newer.scan) or newer.limits - older.limits:
            return False
        if rank == older_rank:
            earlier = older_time is not None and older_time < time
            return earlier and not (newer.named & older.named and older.packages - newer.packages)
        if rank > older_rank or (older.names_system and not newer.names_system):
            return False
        return older_time is None or older_time <= _two_days_after(time)

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
        shown = release.with_those_of(wanted)
        reports = self._whole(filter(None, (shown.scanned_by(scan, accept) for scan in wanted)))
        counting = {report.scan.place: report for report in self._counting(reports, shown.parts)}
        shown_by_these = release.with_those_of(report.scan for report in counting.values())
        if shown_by_these != shown:  # a replaced scan shows no part
            return self.select(scans, shown_by_these, accept)
        reasons: dict[tuple[str, int], Reason] = {scan.place: "other-platform" for scan in wanted}
        reasons |= {report.scan.place: "replaced" for report in reports}
        others = [scan for scan in scans if scan.place not in counting]
        return ScanSelection(
            shown.digests,
            shown.parts,
            tuple(counting[place] for place in sorted(counting)),
            tuple((scan, reasons.get(scan.place, "scanner-not-wanted")) for scan in others),
        )

    def _counting(self, reports: Iterable[PartScan], parts: Sequence[Part]) -> Iterator[PartScan]:
        """Yield those that count. They are in an order in which none replaces an earlier one."""
        counting: dict[Part, list[PartScan]] = {part: [] for part in parts}
        for report in sorted(reports, key=lambda report: not report.covers):
            open_parts = [
                part
                for part in (report.parts if report.covers else parts)
                if not any(self.certainly_replaces(other, report) for other in counting[part])
            ]
            for part in open_parts if report.covers else ():
                counting[part].append(report)
            if open_parts:
                yield report

    def _whole(self, reports: Iterable[PartScan]) -> list[PartScan]:
        """The reports, each with what all reports of its scan have looked at: those of one scanner on one
        subject with one time. The preferred scanner's come first, and of these the newest ones.
        """
        scans: dict[object, list[PartScan]] = defaultdict(list)
        for report in reports:
            scans[_identity(report)].append(report)
        whole = []
        for group in scans.values():
            limits = [report.limits for report in group]
            common = _NOTHING_THERE.intersection(*limits)
            united = PartScan(
                group[0].scan,
                limits=frozenset().union(*limits) - _NOTHING_THERE | common,
                packages=frozenset().union(*(report.packages for report in group)),
                names_system=any(report.names_system for report in group),
            )
            whole += [
                united._replace(scan=report.scan, parts=report.parts, covers=report.covers)
                for report in group
            ]
        by_place = sorted(whole, key=lambda report: report.scan.place)
        newest_first = sorted(by_place, key=self._known_time, reverse=True)
        return sorted(newest_first, key=self._rank)

    def _rank(self, report: PartScan) -> int:
        """Position of its scanner in the setting `scanners`."""
        scanner = report.scan.scanner
        return self.scanners.index(scanner.word) if self.scanners else scanner.rank

    def _known_time(self, report: PartScan) -> tuple[str, str]:
        return ("", "") if self.in_future(report.scan) else report.scan.moment

    def problems(self, selection: ScanSelection, subject: str) -> Iterator[Problem]:
        """Yield one warning if scans of one part count together, with the first reason. One that covers no
        part may be of an uncovered one.
        """
        reports = self._whole(
            report for report in selection.part_scans if report.covers or not selection.uncovered
        )
        pairs = [
            (newer, older)
            for newer, older in combinations(reports, 2)
            if {*newer.parts} & {*older.parts} and _identity(newer) != _identity(older)
        ]
        if pairs:
            files = dict.fromkeys(report.scan.file for pair in pairs for report in pair)
            if len(files) > 1:
                yield self._counted_together(*pairs[0], files, subject)

    def _counted_together(
        self, newer: PartScan, older: PartScan, files: Iterable[str], subject: str
    ) -> Problem:
        """A warning about these reports, with the reason why `newer` does not replace `older`."""
        file, other, one_scanner = newer.scan.file, older.scan.file, self._rank(newer) == self._rank(older)
        lacking = [f"the limit {limit}" for limit in sorted(newer.limits - older.limits)]
        if one_scanner and newer.named & older.named:
            lacking += [f"no {kind}" for kind in sorted(older.packages - newer.packages)]
        elif not one_scanner and older.names_system and not newer.names_system:
            lacking.append("no operating system")
        code, hint = Code.IN_PART, "scan again all packages and without limits, or remove the outdated one"
        if not (newer.covers and older.covers):
            vague = other if newer.covers else file
            why, hint = (
                f"{vague} may be of any part",
                f"remove {vague}, and scan what `catalog-api list` prints",
            )
        elif lacking:
            why = f"{file} has {' and '.join(lacking)}"
        else:
            code, hint = Code.SCAN_AGE, "remove the outdated one, or scan again"
            undated = next((each.scan.file for each in (newer, older) if not self._known_time(each)[0]), "")
            same = "they have the same time" if one_scanner else f"{other} is over two days newer"
            why = f"the time of {undated} is not known" if undated else same
        others = ", ".join(file for file in files if file != other)
        message = f"counts for {subject} together with {others}, as {why}"
        return Problem(other, 0, 0, "", message, hint, Level.WARNING, code=code)


def _identity(report: PartScan) -> object:
    """Scanner, time and subject, by which reports are of one scan."""
    scan = report.scan
    made = scan.moment if scan.scanned_at else scan.place
    return scan.scanner, made, scan.coverage.named, plain_platform(scan.coverage.platform)


def _two_days_after(moment: tuple[str, str]) -> tuple[str, str]:
    time = datetime.fromisoformat(moment[0]) + timedelta(days=2)
    return time.replace(tzinfo=None).isoformat() + "Z", moment[1]


def unused(selection: ScanSelection, subject: str) -> Iterator[Problem]:
    """Yield a note for each scan that belongs to a release or pin without counting for it."""
    instead = ", ".join(dict.fromkeys(scan.file for scan in selection.scans))
    for scan, reason in selection.unused:
        why, hint = f"{instead} takes precedence", ""
        if reason == "scanner-not-wanted":
            why = f"the scanner {scan.scanner.word} is not in `security.scanners`"
            hint = f"add {scan.scanner.word} to it"
        elif reason == "other-platform":
            why = f"it is of {scan.coverage.platform or 'a platform'}, which is none of the version's"
            hint = "if it should be, correct `platforms`; else remove the report"
        message = f"not used for {subject}: {why}"
        yield Problem(scan.file, 0, 0, "", message, hint, Level.INFO, code=Code.PASSED_OVER)
