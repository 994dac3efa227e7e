"""Which of several scans of one release count."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..problems import Level, Problem, Problems
from .scans import ScanMetadata


@dataclass(frozen=True, slots=True)
class Choice:
    """Chooses among scans of one release: one scanner's, the newest of each digest and platform."""

    scanners: Sequence[str]
    """Those that count, the preferred first."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`: a later scan counts as the oldest."""
    problems: Problems

    def among(
        self, scans: Sequence[ScanMetadata], what: str, digests: Collection[str]
    ) -> tuple[ScanMetadata, ...]:
        """The scans that count for `what`, whose digests these are; the others are named in problems."""
        if len(scans) == 1 and scans[0].scanner in self.scanners:
            return tuple(scans)  # as nearly always
        digests = frozenset(digests)
        usable = [(self._rank(head, digests), head) for head in scans if head.scanner in self.scanners]
        best = min((rank for rank, _ in usable), default=None)
        kept: list[ScanMetadata] = []
        for head in sorted((head for rank, head in usable if rank == best), key=self._age_and_path):
            if all(_different(head, other, digests) for other in kept):
                kept.append(head)
        self._name_passed_over(scans, kept, what)
        return tuple(sorted(kept, key=lambda head: (head.path, head.position)))

    def _rank(self, head: ScanMetadata, digests: frozenset[str]) -> tuple[bool, bool, int]:
        """What decides before age does: a scan of another digest, which only its path joins to the release,
        counts where there is no better one, and so does the silence of a hub, as its scan may have failed.
        """
        foreign = bool(head.digests and digests) and digests.isdisjoint(head.digests)
        return foreign, head.inferred, self.scanners.index(head.scanner)

    def _age_and_path(self, head: ScanMetadata) -> tuple[bool, tuple[int, ...], str, int]:
        """Sorts the newest first, scans without a time or from the future last, then by path."""
        time = head.scanned_at
        if time is None or self.in_future(head):
            return True, (), head.path, head.position
        return False, tuple(-ord(char) for char in time), head.path, head.position

    def in_future(self, head: ScanMetadata) -> bool:
        return head.scanned_at is not None and head.scanned_at > self.now

    def _name_passed_over(
        self, scans: Sequence[ScanMetadata], kept: Sequence[ScanMetadata], what: str
    ) -> None:
        counting = {(head.path, head.position) for head in kept}
        for head in scans:
            if (head.path, head.position) in counting:
                continue
            if kept:
                message = f"passed over for {what}; what counts is {kept[0].file}"
            else:
                message = f"passed over for {what}: the scanner {head.scanner} is not in `security.scanners`"
            self.problems.add(Problem(head.file, 0, 0, "", message, level=Level.INFO))


def _different(one: ScanMetadata, other: ScanMetadata, digests: frozenset[str]) -> bool:
    """Whether two scans are of different parts of a release, and not of one part at different times.

    Of a release without digests two different ones are its tag before and after a rebuild.
    """
    if one.platform and other.platform and one.platform != other.platform:
        return True
    mine, theirs = digests.intersection(one.digests), digests.intersection(other.digests)
    return bool(mine and theirs and not mine & theirs)
