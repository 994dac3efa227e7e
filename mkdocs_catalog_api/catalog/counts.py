"""Which scans of a release count: for each part, two steps."""

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
Moment = tuple[str, str]
"""An exact time, comparable with others."""


class CountRules(NamedTuple):
    """What the settings and the clock decide."""

    scanners: Sequence[str]
    """Words of the scanners that count, the preferred first. None means all, by rank."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`; a scan with a time in the future ends nothing."""
    accept: Collection[str] = ()
    """The words of `accept` in the settings."""
    synced: Collection[str] = ()
    """Slugs of the images whose platforms are those of their registry, which choose no manifest."""

    def in_future(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and scan.scanned_at > self.now

    def select(
        self, scans: Sequence[Scan], release: ReleaseParts, accept: Collection[str] = ()
    ) -> ScanSelection:
        """Select among the scans of a release those that count for one of its parts.

        `accept` are the words of its page.
        """
        wanted = [scan for scan in scans if not self.scanners or scan.scanner.word in self.scanners]
        shown = release.with_those_of(wanted)
        reports = self._whole(filter(None, (shown.scanned_by(scan, accept) for scan in wanted)))
        counting: dict[tuple[str, int], PartScan] = {}
        for part in shown.parts:
            of_part = [report for report in reports if part in report.parts]
            counting |= {report.scan.place: report for report in self._count_for(part, of_part)}

        reasons: dict[tuple[str, int], Reason] = {scan.place: "other-platform" for scan in wanted}
        reasons |= {report.scan.place: "replaced" for report in reports}
        others = [scan for scan in scans if scan.place not in counting]
        return ScanSelection(
            shown.digests,
            shown.parts,
            tuple(counting[place] for place in sorted(counting)),
            tuple((scan, reasons.get(scan.place, "scanner-not-wanted")) for scan in others),
        )

    def _count_for(self, part: Part, reports: Sequence[PartScan]) -> Iterator[PartScan]:
        """Yield the reports that count for a part; all are of it, or may be.

        1. Of each scanner, those from the newest back to the first that looked at everything count. Undated
           ones, and those of the future, are the newest: they end nothing.
        2. The scanners go in their order. After the first one with a scan that looked at everything, a scan
           of another one counts only if it is over two days newer than that scan, or of the future.
        """
        by_rank: dict[int, list[PartScan]] = defaultdict(list)
        for report in reports:
            by_rank[self._rank(report)].append(report)

        preferred: Moment | None = None
        for _, of_scanner in sorted(by_rank.items()):
            whole = [report.scan.moment for report in of_scanner if not self.lacking(report, part, reports)]
            first_whole = max(whole, default=None)
            for report in of_scanner:
                time = self._known_time(report)
                if first_whole is not None and time is not None and time < first_whole:
                    continue
                if preferred is not None and not self._is_late(report, preferred):
                    continue
                yield report
            if preferred is None:
                preferred = first_whole

    def lacking(self, report: PartScan, part: Part, reports: Iterable[PartScan]) -> list[str]:
        """What keeps a scan from having looked at everything of a part, in words; nothing if it has.

        - It is certainly of the part.
        - Its time is known, and not in the future.
        - It has no limit.
        - It looked at every kind of packages in which another one of the `reports` of the part names a
          package or has a finding.
        """
        words = []
        if part not in report.covered:
            words.append("no part that it is certainly of")
        if self._known_time(report) is None:
            words.append("no known time")
        words += [f"the limit {limit}" for limit in sorted(report.limits)]
        scan = _identity(report)
        others = [other.found for other in reports if _identity(other) != scan]
        kinds = frozenset[str]().union(*others)
        return words + [f"no {kind}" for kind in sorted(kinds - report.packages)]

    def _is_late(self, report: PartScan, preferred: Moment) -> bool:
        """Whether a scan is of the future, or over two days newer than the preferred scanner's."""
        if self.in_future(report.scan):
            return True
        time = self._known_time(report)
        return time is not None and time > _two_days_after(preferred)

    def _known_time(self, report: PartScan) -> Moment | None:
        """The time of a scan; None if it is not known, or in the future."""
        return None if self.in_future(report.scan) else report.time

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
            for report in group:
                united = report._replace(
                    limits=frozenset().union(*limits) - _NOTHING_THERE | common,
                    packages=frozenset().union(*(each.packages for each in group)),
                    found=frozenset().union(*(each.found for each in group)),
                )
                whole.append(united)
        by_place = sorted(whole, key=lambda report: report.scan.place)
        newest_first = sorted(by_place, key=lambda report: self._known_time(report) or ("", ""), reverse=True)
        return sorted(newest_first, key=self._rank)

    def _rank(self, report: PartScan) -> int:
        """Position of its scanner in the setting `scanners`."""
        scanner = report.scan.scanner
        return self.scanners.index(scanner.word) if self.scanners else scanner.rank

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
                yield self._counted_together(*pairs[0], reports, files, subject)

    def _counted_together(
        self,
        newer: PartScan,
        older: PartScan,
        reports: Sequence[PartScan],
        files: Iterable[str],
        subject: str,
    ) -> Problem:
        """A warning about these reports, with the reason why `newer` does not replace `older`."""
        file, other = newer.scan.file, older.scan.file
        undated = [each.scan.file for each in (newer, older) if self._known_time(each) is None]
        part = next(part for part in newer.parts if part in older.parts)
        lacking = [word for word in self.lacking(newer, part, reports) if "time" not in word]
        code, hint = Code.IN_PART, "scan again all packages and without limits, or remove the outdated one"
        if not (newer.covers and older.covers):
            vague = other if newer.covers else file
            why = f"{vague} may be of any part"
            hint = f"remove {vague}, and scan what `catalog-api list` prints"
        elif lacking:
            why = f"{file} has {' and '.join(lacking)}"
        else:
            code, hint = Code.SCAN_AGE, "remove the outdated one, or scan again"
            one_scanner = self._rank(newer) == self._rank(older)
            why = "they have the same time" if one_scanner else f"{other} is over two days newer"
            if undated:
                why = f"the time of {undated[0]} is not known"
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
