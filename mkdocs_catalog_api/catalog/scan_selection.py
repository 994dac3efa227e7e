"""Selection among several scans of one release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from .scans import SEVERITIES, Scan, plain_platform
from .value import Reason

Doubt = Literal["time-not-known", "same-time"]


class Kept(NamedTuple):
    """A scan that counts together with another one, since it may be newer or cover other packages."""

    scan: Scan
    other: Scan
    doubt: Doubt | frozenset[str]
    """Or the package classes missing in `other`, the newer of the two."""


class ScanSelection(NamedTuple):
    """The scans of one release."""

    chosen: tuple[Scan, ...] = ()
    """Their findings count together."""
    unused: tuple[tuple[Scan, Reason], ...] = ()
    """The other scans, each with the reason."""
    kept: tuple[Kept, ...] = ()
    """Chosen scans that a newer scan of the same scanner might replace, kept because of doubt."""


class JoinRules(NamedTuple):
    """For each digest and platform of a release, one scanner's newest scan counts.

    The subject and the time of scans decide, not the number of findings. So a further finding never makes
    a scan take precedence over another one.
    """

    scanners: Sequence[str]
    """Words of the scanners that count, the preferred first. None means all, by rank."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`; the time of a scan in the future is treated as unknown."""
    accept: Collection[str] = ()
    """Doubts accepted without a warning: the words of `accept` in the settings."""

    def in_future(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and scan.scanned_at > self.now

    def select(
        self, scans: Sequence[Scan], digests: Collection[str], every: Collection[str] = ()
    ) -> ScanSelection:
        """Select among the scans of a release with these digests; `every` includes those of its manifests."""
        if len(scans) == 1 and self._wanted(scans[0]):
            return ScanSelection(tuple(scans))  # the usual case
        usable = [*filter(self._wanted, scans)]
        chosen: dict[tuple[str, int], Scan] = {}
        kept: dict[tuple[str, int], Kept] = {}
        for part in _parts(usable, frozenset(digests), frozenset(every) - frozenset(digests)):
            rest = part
            while rest:
                best = min(map(self._rank, rest))
                newest = self._newest([scan for scan in rest if self._rank(scan) == best], kept)
                chosen.update((scan.place, scan) for scan in newest)
                rest = [scan for scan in rest if all(_other_platform(scan, other) for other in newest)]
        counting = tuple(chosen[place] for place in sorted(chosen))
        others = (scan for scan in scans if scan.place not in chosen)
        unused = tuple((scan, self._reason(scan, counting, every or digests)) for scan in others)
        return ScanSelection(counting, unused, tuple(kept.values()))

    def _wanted(self, scan: Scan) -> bool:
        return not self.scanners or scan.scanner.word in self.scanners

    def _rank(self, scan: Scan) -> tuple[bool, int]:
        """Sort key before age: a hub without findings comes last, since its scan may have failed."""
        scanner = scan.scanner
        return scan.inferred, self.scanners.index(scanner.word) if self.scanners else scanner.rank

    def _newest(self, scans: Sequence[Scan], kept: dict[tuple[str, int], Kept]) -> list[Scan]:
        """One scanner's scans of one subject, without those replaced by a newer one of the same platform.

        Doubtful ones count, and are added to `kept`.
        """
        newest: list[Scan] = []
        # Parts of a split report cover its packages together.
        classes: dict[tuple[object, ...], frozenset[str]] = defaultdict(frozenset)
        for scan in scans:
            classes[_made(scan)] |= scan.package_classes
        # By path, then the newest first; those without a time come last, since they never replace another.
        by_path = sorted(scans, key=lambda scan: scan.place)
        for scan in sorted(by_path, key=lambda scan: (self._dated(scan), scan.moment), reverse=True):
            newer = [each for each in newest if not _other_platform(scan, each)]
            doubts = [(each, self._doubt(scan, each, classes[_made(scan)])) for each in newer]
            if all(doubt for _, doubt in doubts):
                newest.append(scan)
                for other, doubt in doubts[:1]:
                    if doubt:
                        kept[scan.place] = Kept(scan, other, doubt)
        return newest

    def _doubt(self, scan: Scan, other: Scan, classes: frozenset[str]) -> Doubt | frozenset[str]:
        """The reason why `other`, which is first by time, does not replace the scan; empty if it does.

        `classes` are the package classes of the scan and of those made together with it.
        """
        if not (self._dated(scan) and self._dated(other)):
            return "time-not-known"
        if scan.moment == other.moment:
            return "same-time"
        # The content of a digest never changes. Without a digest, a change of content is not detectable.
        same_content = not (scan.digests and other.digests and scan.digests.isdisjoint(other.digests))
        return classes - other.package_classes if same_content else frozenset()

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
        """Whether a scan may be the newest and has a finding missing in its scanner's chosen scans."""
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
    """The digests of a release with one of these scans.

    A scan without a digest belongs to the only digest, or to none of several.
    """
    if len(digests) == 1 and any(not scan.digests for scan in scans):
        return frozenset(digests)
    return frozenset(digest for scan in scans for digest in scan.digests).intersection(digests)


def _of_another_digest(scan: Scan, digests: Collection[str]) -> bool:
    return bool(scan.digests) and scan.digests.isdisjoint(digests)


def _parts(scans: Sequence[Scan], digests: frozenset[str], manifests: frozenset[str]) -> Iterator[list[Scan]]:
    """The scans of each part of a release; a scan of several is in each of them.

    A part is one of its digests, or of the manifests of its index. Scans without a digest belong to the
    parts without another scan. All scans of a release without digests belong to one part: different digests
    are its tag before and after a rebuild. A scan of another digest, joined only by its path, counts unless
    there is a better one.
    """
    own = [scan for scan in scans if not _of_another_digest(scan, digests | manifests)]
    if not digests or not own:
        parts = [list(scans)]
    elif len(digests) == 1:
        parts = [[scan for scan in own if not (scan.digests and scan.digests.isdisjoint(digests))]]
        parts += [[scan for scan in own if digest in scan.digests] for digest in sorted(manifests)]
    else:
        parts = [[scan for scan in own if digest in scan.digests] for digest in sorted(digests)]
        if not all(parts):
            parts.append([scan for scan in own if not scan.digests])
    return filter(None, parts)


def _made(scan: Scan) -> tuple[object, ...]:
    """Time and subject of the scan."""
    return scan.moment, scan.digests, scan.platform


def _other_platform(scan: Scan, other: Scan) -> bool:
    if not (scan.platform and other.platform):
        return False
    return plain_platform(scan.platform) != plain_platform(other.platform)
