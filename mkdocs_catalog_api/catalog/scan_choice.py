"""Which of several scans of one release count."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ..problems import Level, Problem, Problems
from .scans import ScanMetadata


class Choice(Struct, frozen=True):
    """Chooses among scans of one release: for each digest one scanner's, of each platform the newest."""

    scanners: Sequence[str]
    """Those that count, the preferred first."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`: the time of a later scan says nothing about its age."""
    problems: Problems

    def among(
        self, scans: Sequence[ScanMetadata], what: str, digests: Collection[str]
    ) -> tuple[ScanMetadata, ...]:
        """The scans that count for `what`, whose digests these are; the others are named in problems.

        What they found is to be united.
        """
        if len(scans) == 1 and scans[0].scanner in self.scanners:
            return tuple(scans)  # as nearly always
        usable = [head for head in scans if head.scanner in self.scanners]
        kept: dict[tuple[str, int], ScanMetadata] = {}
        for part in _parts(usable, frozenset(digests)):
            best = min(map(self._rank, part))
            for head in self._newest([head for head in part if self._rank(head) == best], what):
                kept[head.path, head.position] = head
        chosen = tuple(kept[place] for place in sorted(kept))
        self._name_passed_over(scans, chosen, what)
        return chosen

    def _rank(self, head: ScanMetadata) -> tuple[bool, int]:
        """What decides before age does: the silence of a hub counts last, as its scan may have failed."""
        return head.inferred, self.scanners.index(head.scanner)

    def _newest(self, scans: Sequence[ScanMetadata], what: str) -> Iterator[ScanMetadata]:
        """One scanner's scans of one thing: the newest of each platform.

        Where a time is not known, nobody can say which is the newest: the one with more findings counts.
        """
        left = sorted(scans, key=lambda head: (head.path, head.position))
        while left:
            dated = [head for head in left if self._dated(head)]
            rivals = [head for head in left if not self._dated(head)]
            if dated:
                rivals.insert(0, max(dated, key=lambda head: head.scanned_at or ""))
            best = max(rivals, key=lambda head: head.findings)
            passed = [head for head in left if head is not best and not _other_platform(head, best)]
            if passed and not all(map(self._dated, (best, *passed))):
                message = (
                    f"which scan of {what} is the newest can't be told, so the one with most findings counts"
                )
                hint = "remove the others, or scan again with a tool that writes the time into its report"
                self.problems.add(Problem(best.file, 0, 0, "", message, hint, Level.WARNING))
            yield best
            left = [head for head in left if head is not best and _other_platform(head, best)]

    def _dated(self, head: ScanMetadata) -> bool:
        return head.scanned_at is not None and not self.in_future(head)

    def in_future(self, head: ScanMetadata) -> bool:
        return head.scanned_at is not None and head.scanned_at > self.now

    def _name_passed_over(
        self, scans: Sequence[ScanMetadata], kept: Sequence[ScanMetadata], what: str
    ) -> None:
        counting = {(head.path, head.position) for head in kept}
        files = ", ".join(dict.fromkeys(head.file for head in kept))
        for head in scans:
            if (head.path, head.position) in counting:
                continue
            hint = ""
            if head.scanner not in self.scanners:
                message = f"passed over for {what}: the scanner {head.scanner} is not in `security.scanners`"
                hint = f"add {head.scanner} there, or remove the report"
            else:
                message = f"passed over for {what}; what counts is {files}"
            self.problems.add(Problem(head.file, 0, 0, "", message, hint, Level.INFO))


def covered(scans: Sequence[ScanMetadata], digests: Collection[str]) -> frozenset[str]:
    """Those of a release's digests that have one of these scans.

    A scan that names no digest is of the only one, and of none that is known where there are several.
    """
    if len(digests) == 1 and any(not head.digests for head in scans):
        return frozenset(digests)
    return frozenset(digest for head in scans for digest in head.digests).intersection(digests)


def _parts(scans: Sequence[ScanMetadata], digests: frozenset[str]) -> Iterator[list[ScanMetadata]]:
    """The scans of each part of a release; a scan of several is in each of them.

    A part is one of its digests. Scans that name none speak of what no other scan names. Of a release
    without digests all are of the same: different ones are its tag before and after a rebuild. A scan of
    another digest, which only its path joins to the release, counts where there is no better one.
    """
    own = [head for head in scans if not (head.digests and digests.isdisjoint(head.digests))]
    if not digests or not own:
        found = [list(scans)]
    elif len(digests) == 1:
        found = [own]
    else:
        found = [[head for head in own if digest in head.digests] for digest in sorted(digests)]
        if not all(found):
            found.append([head for head in own if not head.digests])
    return filter(None, found)


def _other_platform(one: ScanMetadata, other: ScanMetadata) -> bool:
    return bool(one.platform and other.platform) and one.platform != other.platform
