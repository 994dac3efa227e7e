"""Which of several scans of one release count."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from .scans import SEVERITIES, Scan, plain_platform
from .value import Reason

Doubt = Literal["time-not-known", "same-time", "other-packages"]


class Kept(NamedTuple):
    """A scan that counts together with another one, as it may not be older, or shows other packages."""

    scan: Scan
    other: Scan
    """For `other-packages` the newer of the two."""
    doubt: Doubt


class ScanSelection(NamedTuple):
    """The scans of one release."""

    chosen: tuple[Scan, ...] = ()
    """Their findings count together."""
    unused: tuple[tuple[Scan, Reason], ...] = ()
    """The others, each with the reason."""
    kept: tuple[Kept, ...] = ()
    """Those of the chosen that a newer scan of the same scanner would replace, were there no doubt."""


class JoinRules(NamedTuple):
    """For each digest and platform of a release, one scanner's newest scan counts.

    Which scans count depends on what they are of and when they were made, never on what they found.
    """

    scanners: Sequence[str]
    """Words of those that count, the preferred first. None means all, by rank."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`: the time of a later scan does not show its age."""
    accept: Collection[str] = ()
    """What is accepted without a warning: the words of `accept` in the settings."""

    def in_future(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and scan.scanned_at > self.now

    def select(self, scans: Sequence[Scan], digests: Collection[str]) -> ScanSelection:
        """Select among the scans of a release with these digests."""
        if len(scans) == 1 and self._wanted(scans[0]):
            return ScanSelection(tuple(scans))  # as nearly always
        usable = [*filter(self._wanted, scans)]
        chosen: dict[tuple[str, int], Scan] = {}
        kept: dict[tuple[str, int], Kept] = {}
        for part in _parts(usable, frozenset(digests)):
            rest = part
            while rest:
                best = min(map(self._rank, rest))
                newest = self._newest([scan for scan in rest if self._rank(scan) == best], kept)
                chosen.update((scan.place, scan) for scan in newest)
                rest = [scan for scan in rest if all(_other_platform(scan, other) for other in newest)]
        counting = tuple(chosen[place] for place in sorted(chosen))
        others = (scan for scan in scans if scan.place not in chosen)
        unused = tuple((scan, self._reason(scan, counting, digests)) for scan in others)
        return ScanSelection(counting, unused, tuple(kept.values()))

    def _wanted(self, scan: Scan) -> bool:
        return not self.scanners or scan.scanner.word in self.scanners

    def _rank(self, scan: Scan) -> tuple[bool, int]:
        """What decides before age does: the silence of a hub counts last, as its scan may have failed."""
        scanner = scan.scanner
        return scan.inferred, self.scanners.index(scanner.word) if self.scanners else scanner.rank

    def _newest(self, scans: Sequence[Scan], kept: dict[tuple[str, int], Kept]) -> list[Scan]:
        """One scanner's scans of one thing: those that no newer one of the same platform replaces.

        What is in doubt counts, and is added to `kept`.
        """
        newest: list[Scan] = []
        # By path, then the newest first; those without a time come last, since they replace nothing.
        by_path = sorted(scans, key=lambda scan: scan.place)
        for scan in sorted(by_path, key=lambda scan: (self._dated(scan), scan.moment), reverse=True):
            newer = [each for each in newest if not _other_platform(scan, each)]
            doubts = [(each, self._doubt(scan, each)) for each in newer]
            if all(doubt for _, doubt in doubts):
                newest.append(scan)
                for other, doubt in doubts[:1]:
                    if doubt:
                        kept[scan.place] = Kept(scan, other, doubt)
        return newest

    def _doubt(self, scan: Scan, other: Scan) -> Doubt | None:
        """Why `other`, which comes first by its time, does not replace the scan; None if it does."""
        if not (self._dated(scan) and self._dated(other)):
            return "time-not-known"
        if scan.moment == other.moment:
            return "same-time"
        # The content of a digest does not change. Without a digest, nothing shows that the content did.
        same_content = not (scan.digests and other.digests and scan.digests.isdisjoint(other.digests))
        return "other-packages" if same_content and scan.package_classes - other.package_classes else None

    def _dated(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and not self.in_future(scan)

    def _reason(self, scan: Scan, chosen: Sequence[Scan], digests: Collection[str]) -> Reason:
        if not self._wanted(scan):
            return "scanner-not-wanted"
        if _of_another_digest(scan, digests) and not all(
            _of_another_digest(each, digests) for each in chosen
        ):
            return "other-digest"
        if len(digests) > 1 and not scan.digests and self._shows_more(scan, chosen):
            return "no-digest"
        same_rank = any(
            self._rank(each) == self._rank(scan) and not _other_platform(each, scan) for each in chosen
        )
        return "not-newest" if same_rank else "other-scanner-first"

    def _shows_more(self, scan: Scan, chosen: Sequence[Scan]) -> bool:
        """Whether a scan may be the newest, and has a finding that the chosen of its scanner lack."""
        if self._rank(scan) > max(map(self._rank, chosen)):
            return False
        if self._dated(scan) and any(self._dated(each) and each.moment > scan.moment for each in chosen):
            return False
        worst: dict[tuple[str, str, str], int] = {}
        for finding in (finding for each in chosen for finding in each.findings):
            key = finding.id, finding.pkg, finding.installed
            worst[key] = min(finding.severity, worst.get(key, finding.severity))
        return any(
            finding.severity < worst.get((finding.id, finding.pkg, finding.installed), len(SEVERITIES))
            for finding in scan.findings
        )


def covered(scans: Sequence[Scan], digests: Collection[str]) -> frozenset[str]:
    """Those of a release's digests that have one of these scans.

    A scan that names no digest is of the only one, and of none that is known where there are several.
    """
    if len(digests) == 1 and any(not scan.digests for scan in scans):
        return frozenset(digests)
    return frozenset(digest for scan in scans for digest in scan.digests).intersection(digests)


def _of_another_digest(scan: Scan, digests: Collection[str]) -> bool:
    return bool(scan.digests) and scan.digests.isdisjoint(digests)


def _parts(scans: Sequence[Scan], digests: frozenset[str]) -> Iterator[list[Scan]]:
    """The scans of each part of a release; a scan of several is in each of them.

    A part is one of its digests. Scans that name none are of whatever no other scan names. Of a release
    without digests all are of the same: different ones are its tag before and after a rebuild. A scan of
    another digest, which only its path joins to the release, counts where there is no better one.
    """
    own = [scan for scan in scans if not _of_another_digest(scan, digests)]
    if not digests or not own:
        parts = [list(scans)]
    elif len(digests) == 1:
        parts = [own]
    else:
        parts = [[scan for scan in own if digest in scan.digests] for digest in sorted(digests)]
        if not all(parts):
            parts.append([scan for scan in own if not scan.digests])
    return filter(None, parts)


def _other_platform(scan: Scan, other: Scan) -> bool:
    if not (scan.platform and other.platform):
        return False
    return plain_platform(scan.platform) != plain_platform(other.platform)
