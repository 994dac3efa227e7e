"""Which of several scans of one release count."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .scans import Scan, plain_platform


class ScanSelector(Struct, frozen=True):
    """Selects among scans of one release: for each digest and platform one scanner's newest."""

    scanners: Sequence[str]
    """Those that count, the preferred first."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`: the time of a later scan says nothing about its age."""
    problems: Problems

    def select(self, scans: Sequence[Scan], what: str, digests: Collection[str]) -> tuple[Scan, ...]:
        """The scans that count for `what`, whose digests these are; the others are named in problems.

        Their findings count together.
        """
        if len(scans) == 1 and scans[0].scanner in self.scanners:
            return tuple(scans)  # as nearly always
        usable = [scan for scan in scans if scan.scanner in self.scanners]
        kept: dict[tuple[str, int], Scan] = {}
        for part in _parts(usable, frozenset(digests)):
            left = part
            while left:
                best = min(map(self._rank, left))
                found = [*self._newest([scan for scan in left if self._rank(scan) == best], what)]
                kept.update(((scan.path, scan.position), scan) for scan in found)
                left = [scan for scan in left if all(_other_platform(scan, one) for one in found)]
        chosen = tuple(kept[place] for place in sorted(kept))
        self._name_passed_over(scans, chosen, what)
        return chosen

    def _rank(self, scan: Scan) -> tuple[bool, int]:
        """What decides before age does: the silence of a hub counts last, as its scan may have failed."""
        return scan.inferred, self.scanners.index(scan.scanner)

    def _newest(self, scans: Sequence[Scan], what: str) -> Iterator[Scan]:
        """One scanner's scans of one thing: the newest of each platform.

        Where a time is not known, nobody can say which is the newest: the one with more findings counts.
        """
        left = sorted(scans, key=lambda scan: (scan.path, scan.position))
        while left:
            dated = [scan for scan in left if self._dated(scan)]
            rivals = [scan for scan in left if not self._dated(scan)]
            if dated:
                rivals.insert(0, max(dated, key=lambda scan: scan.scanned_at or ""))
            best = max(rivals, key=lambda scan: len(scan.findings))
            passed = [scan for scan in left if scan is not best and not _other_platform(scan, best)]
            if passed and not all(map(self._dated, (best, *passed))):
                message = (
                    f"which scan of {what} is the newest can't be told, so the one with most findings counts"
                )
                hint = "remove the others, or scan again with a tool that writes the time into its report"
                problem = Problem(best.file, 0, 0, "", message, hint, Level.WARNING, code=Code.UNDATED)
                self.problems.add(problem)
            yield best
            left = [scan for scan in left if scan is not best and _other_platform(scan, best)]

    def _dated(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and not self.in_future(scan)

    def in_future(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and scan.scanned_at > self.now

    def _name_passed_over(self, scans: Sequence[Scan], kept: Sequence[Scan], what: str) -> None:
        counting = {(scan.path, scan.position) for scan in kept}
        files = ", ".join(dict.fromkeys(scan.file for scan in kept))
        for scan in scans:
            if (scan.path, scan.position) in counting:
                continue
            hint = ""
            if scan.scanner not in self.scanners:
                message = f"passed over for {what}: the scanner {scan.scanner} is not in `security.scanners`"
                hint = f"add {scan.scanner} there, or remove the report"
            else:
                message = f"passed over for {what}; what counts is {files}"
            self.problems.add(Problem(scan.file, 0, 0, "", message, hint, Level.INFO, code=Code.PASSED_OVER))


def covered(scans: Sequence[Scan], digests: Collection[str]) -> frozenset[str]:
    """Those of a release's digests that have one of these scans.

    A scan that names no digest is of the only one, and of none that is known where there are several.
    """
    if len(digests) == 1 and any(not scan.digests for scan in scans):
        return frozenset(digests)
    return frozenset(digest for scan in scans for digest in scan.digests).intersection(digests)


def _parts(scans: Sequence[Scan], digests: frozenset[str]) -> Iterator[list[Scan]]:
    """The scans of each part of a release; a scan of several is in each of them.

    A part is one of its digests. Scans that name none speak of what no other scan names. Of a release
    without digests all are of the same: different ones are its tag before and after a rebuild. A scan of
    another digest, which only its path joins to the release, counts where there is no better one.
    """
    own = [scan for scan in scans if not (scan.digests and digests.isdisjoint(scan.digests))]
    if not digests or not own:
        found = [list(scans)]
    elif len(digests) == 1:
        found = [own]
    else:
        found = [[scan for scan in own if digest in scan.digests] for digest in sorted(digests)]
        if not all(found):
            found.append([scan for scan in own if not scan.digests])
    return filter(None, found)


def _other_platform(one: Scan, other: Scan) -> bool:
    if not (one.platform and other.platform):
        return False
    return plain_platform(one.platform) != plain_platform(other.platform)
