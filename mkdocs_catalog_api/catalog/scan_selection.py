"""The parts of a release, and which of its scans count: what each of them has looked at decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from operator import eq
from typing import Literal, NamedTuple

from msgspec import Struct

from .models import PlatformManifest
from .scans import LIMITS, Limit, Scan, plain_platform

Doubt = Literal["time-not-known", "same-time"]
Reason = Literal["scanner-not-wanted", "other-platform", "other-scan"]


class Part(NamedTuple):
    """A part of a release. A scan is of parts."""

    digest: str = ""
    """Empty for a platform whose digest is not known."""
    platform: str = ""
    """Plain; empty if not known."""

    def may_be(self, platform: str) -> bool:
        """Whether it may be of this platform, since a variant is often left out."""
        return not (self.platform and platform) or all(map(eq, self.platform.split("/"), platform.split("/")))

    def __str__(self) -> str:
        return f"{self.platform} ({self.digest})" if self.platform and self.digest else "".join(self)


class ReleaseParts(NamedTuple):
    """What is known of a release without its scans."""

    digests: Sequence[str] = ()
    """Its own."""
    parts: tuple[Part, ...] = ()
    """None if only scans show them."""
    left_out: frozenset[str] = frozenset()
    """Digests of manifests of platforms that its page leaves out."""

    @classmethod
    def of(
        cls, digests: Sequence[str], manifests: Sequence[PlatformManifest], platforms: Sequence[str]
    ) -> ReleaseParts:
        """`platforms` choose among the manifests, as far as there are any of these; else they are the parts,
        unless the digests are.
        """
        every = [Part(manifest.digest, plain_platform(manifest.platform)) for manifest in manifests]
        plain = dict.fromkeys(map(plain_platform, platforms))
        wanted = [part for part in every if any(map(part.may_be, plain))] or every
        if not every:
            wanted = (
                [Part(each) for each in digests] if len(digests) > 1 else [Part("", each) for each in plain]
            )
        return cls(digests, tuple(wanted), frozenset({part.digest for part in every if part not in wanted}))


class PartScan(NamedTuple):
    """A scan, and its parts of a release."""

    scan: Scan
    parts: tuple[Part, ...]
    """The parts that it covers or may concern; none for a scan of another build."""
    covers: bool
    """Whether it is certainly of these."""

    @property
    def covered(self) -> tuple[Part, ...]:
        return self.parts if self.covers else ()

    @property
    def platforms(self) -> Iterator[str]:
        """The platforms that it names, or that the digests of its parts have."""
        named = plain_platform(self.scan.coverage.platform)
        yield from (part.platform or named for part in self.covered or [Part()])


class Kept(NamedTuple):
    """A scan that counts together with another one, since it may be newer or have looked at more."""

    scan: Scan
    other: Scan
    doubt: Doubt | frozenset[str]
    """Or the kinds of packages that `other`, the newer one, has not looked at, and its further limits."""


class ScanSelection(Struct, frozen=True):
    """The scans of a release that count, and their coverage of it."""

    digests: Sequence[str] = ()
    """Those of the release."""
    parts: tuple[Part, ...] = ()
    part_scans: tuple[PartScan, ...] = ()
    """The findings of these count together."""
    unused: tuple[tuple[Scan, Reason], ...] = ()
    """The other scans, each with the reason."""
    kept: tuple[Kept, ...] = ()
    """Scans that a newer one might replace, kept because of doubt."""

    @property
    def every(self) -> Iterator[Scan]:
        """The scans that count, and the others."""
        return chain(self.scans, (scan for scan, _ in self.unused))

    @property
    def scans(self) -> tuple[Scan, ...]:
        return tuple(each.scan for each in self.part_scans)

    @property
    def limits(self) -> list[Limit]:
        """Those of its scans."""
        return [limit for limit in LIMITS if any(limit in scan.coverage.limits for scan in self.scans)]

    @property
    def platforms(self) -> list[str]:
        """The scanned ones."""
        return sorted({name for each in self.part_scans for name in each.platforms if name})

    @property
    def uncovered(self) -> list[Part]:
        """The parts without a scan that is certainly of them."""
        covered = {part for each in self.part_scans for part in each.covered}
        return [part for part in self.parts if part not in covered]

    @property
    def of_this_build(self) -> bool:
        return any(each.parts for each in self.part_scans)

    @property
    def missing(self) -> list[Part]:
        """The parts that a grade needs a scan of: digests; all, if there are only scans of another build."""
        return [part for part in self.uncovered if part.digest or not self.of_this_build]

    @property
    def complete(self) -> bool:
        """Whether a scan without a limit covers each part."""
        whole = {part for each in self.part_scans for part in each.covered if not each.scan.coverage.limits}
        return bool(self.parts) and whole.issuperset(self.parts)

    @property
    def digests_scanned(self) -> int:
        """How many of the digests of the release are scanned, as a whole or in part."""
        missing = {part.digest for part in self.missing}
        return sum(self.of_this_build and each not in missing for each in self.digests)

    @property
    def scanned_digest(self) -> str | None:
        """The first digest of the release that was scanned, as a whole or in part, else one of the scans'."""
        named = frozenset[str]().union(*(scan.coverage.named for scan in self.scans))
        if named & {part.digest for part in self.parts} and len(self.digests) == 1:
            return self.digests[0]
        # A report without digests was joined by name or path, so the scanned digest is unknown.
        return next((each for each in self.digests if each in named), None) or min(named, default=None)

    def digests_of(self, part_scan: PartScan) -> frozenset[str]:
        """Every digest of the scanned image: a manifest is one of its index, too."""
        index = self.digests if part_scan.parts and len(self.digests) == 1 else ()
        parts = (part.digest for part in part_scan.covered if part.digest)
        return part_scan.scan.coverage.named.union(index, parts)

    def of(self, digest: str) -> ScanSelection:
        """The selection of the part with this digest alone; nothing if there is none."""
        parts = tuple(part for part in self.parts if part.digest == digest)
        of_part = [each for each in self.part_scans if {*parts} & {*each.parts}]
        return ScanSelection(self.digests, parts, tuple(each._replace(parts=parts) for each in of_part))


class JoinRules(NamedTuple):
    """For each part of a release, the newest scan of the first scanner counts.

    The subject and the time of scans decide, not the number of findings. So a further finding never makes
    a scan take precedence over another one.
    """

    scanners: Sequence[str]
    """Words of the scanners that count, the preferred first. None means all, by rank."""
    now: str
    """UTC, `2026-11-20T06:00:00Z`; the time of a scan in the future is treated as unknown."""
    accept: Collection[str] = ()
    """Doubts accepted without a warning: the words of `accept` in the settings."""
    synced: Collection[str] = ()
    """Slugs of the images whose platforms are those of their registry, which choose no manifest."""

    def in_future(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and scan.scanned_at > self.now

    def select(self, scans: Sequence[Scan], release: ReleaseParts) -> ScanSelection:
        """Select among the scans of a release."""
        usable = [*filter(self._wanted, scans)]
        parts = release.parts or _shown_parts(usable, release.digests)
        seen = [found for scan in usable if (found := _part_scan(scan, parts, release))]
        chosen: dict[tuple[str, int], PartScan] = {}
        kept: dict[tuple[str, int], Kept] = {}
        for alike in _alike(found for found in seen if found.covers):
            for found, doubt in self._newest(alike, release):
                chosen[found.scan.place] = found
                kept |= {found.scan.place: doubt} if doubt else {}
        covering = [*chosen.values()]
        for alike in _alike(each for each in seen if not each.covers and (each.parts or not covering)):
            for found, doubt in self._newest(alike, release):
                open_parts, other_doubt = self._open_parts(found, covering, release)
                if open_parts or not found.parts:
                    chosen[found.scan.place] = found
                    doubt = doubt or other_doubt
                    kept |= {found.scan.place: doubt} if doubt else {}
        places = {found.scan.place for found in seen}
        others = [scan for scan in scans if scan.place not in chosen]
        return ScanSelection(
            release.digests,
            parts,
            tuple(chosen[place] for place in sorted(chosen)),
            tuple((scan, self._reason(scan, seen=scan.place in places)) for scan in others),
            tuple(kept.values()),
        )

    def _wanted(self, scan: Scan) -> bool:
        return not self.scanners or scan.scanner.word in self.scanners

    def _rank(self, scan: Scan) -> tuple[bool, int]:
        """Sort key before age: a hub without findings comes last, since its scan may have failed."""
        scanner = scan.scanner
        return scan.inferred, self.scanners.index(scanner.word) if self.scanners else scanner.rank

    def _newest(
        self, alike: Sequence[PartScan], release: ReleaseParts
    ) -> Iterator[tuple[PartScan, Kept | None]]:
        """Yield the first scanner's scans of one subject without those replaced by a newer one.

        Doubtful ones count, each with the doubt.
        """
        best = min(self._rank(each.scan) for each in alike)
        rivals = [each for each in alike if self._rank(each.scan) == best]
        # Parts of a split report have looked at their packages together.
        packages: dict[tuple[object, ...], frozenset[str]] = defaultdict(frozenset)
        for each in rivals:
            packages[_made(each.scan)] |= each.scan.coverage.packages
        newest: list[PartScan] = []
        # By path, then the newest first; those without a time come last, since they never replace another.
        by_path = sorted(rivals, key=lambda each: each.scan.place)
        for each in sorted(by_path, key=lambda each: self._moment(each.scan), reverse=True):
            doubts = [self._doubt(each, other, packages[_made(each.scan)], release) for other in newest]
            if all(doubts):
                yield each, next(iter(doubts), None)
                newest.append(each)

    def _open_parts(
        self, found: PartScan, covering: Iterable[PartScan], release: ReleaseParts
    ) -> tuple[set[Part], Kept | None]:
        """The parts that a scan of no particular part counts for: neither a newer scan nor one of an earlier
        scanner covers them. With the first doubt about a newer one.
        """
        open_parts, doubts = {*found.parts}, list[Kept]()
        for other in covering:
            if self._rank(other.scan) < self._rank(found.scan):
                open_parts -= {*other.parts}
            elif self._moment(other.scan) >= self._moment(found.scan) or not self._dated(other.scan):
                if doubt := self._doubt(found, other, found.scan.coverage.packages, release):
                    doubts.append(doubt)
                else:
                    open_parts -= {*other.parts}
        return open_parts, next(iter(doubts), None)

    def _doubt(
        self, found: PartScan, other: PartScan, packages: frozenset[str], release: ReleaseParts
    ) -> Kept | None:
        """The reason why `other`, which is first by time, does not replace a scan; None if it does.

        `packages` are those of the scan and of the scans made together with it.
        """
        if not (self._dated(found.scan) and self._dated(other.scan)):
            return Kept(found.scan, other.scan, "time-not-known")
        if found.scan.moment == other.scan.moment:
            return Kept(found.scan, other.scan, "same-time")
        old, new = found.scan.coverage, other.scan.coverage
        # The content of a digest never changes. Without a digest, a change of content is not detectable.
        same_build = release.digests and found.parts
        if not same_build and old.named and new.named and old.named.isdisjoint(new.named):
            return None
        lacking = (packages - new.packages) | (new.limits - old.limits)
        return Kept(found.scan, other.scan, lacking) if lacking else None

    def _moment(self, scan: Scan) -> tuple[bool, tuple[str, str]]:
        return self._dated(scan), scan.moment

    def _dated(self, scan: Scan) -> bool:
        return scan.scanned_at is not None and not self.in_future(scan)

    def _reason(self, scan: Scan, *, seen: bool) -> Reason:
        if not self._wanted(scan):
            return "scanner-not-wanted"
        return "other-scan" if seen else "other-platform"


def _alike(part_scans: Iterable[PartScan]) -> Iterator[list[PartScan]]:
    """Group the scans: those that cover a part, else those of the same possible parts and platform."""
    groups: dict[object, list[PartScan]] = defaultdict(list)
    for each in part_scans:
        platform = plain_platform(each.scan.coverage.platform)
        for key in each.parts if each.covers else [(each.parts, platform)]:
            groups[key].append(each)
    return iter(groups.values())


def _shown_parts(scans: Iterable[Scan], digests: Sequence[str]) -> tuple[Part, ...]:
    """The platforms that the scans of this build name, else the release itself."""
    platforms = {plain_platform(scan.coverage.platform) for scan in scans if not _foreign(scan, digests)}
    named = tuple(Part("", platform) for platform in sorted(platforms) if platform)
    return named or (Part(digests[0] if digests else ""),)


def _foreign(scan: Scan, digests: Collection[str]) -> bool:
    """Whether the scan is of another build; `digests` are all of the release."""
    return bool(scan.coverage.digests and digests) and scan.coverage.named.isdisjoint(digests)


def _part_scan(scan: Scan, parts: tuple[Part, ...], release: ReleaseParts) -> PartScan | None:
    """Return the scan with its parts; None if it is of a platform that the page leaves out."""
    named, platform = scan.coverage.named, plain_platform(scan.coverage.platform)
    if by_digest := tuple(part for part in parts if part.digest in named):
        return PartScan(scan, by_digest, covers=True)
    if named & release.left_out:
        return None
    if _foreign(scan, {*release.digests, *(part.digest for part in parts if part.digest)}):
        return PartScan(scan, (), covers=False)
    fitting = [part for part in parts if part.platform == platform]
    fitting = fitting or [part for part in parts if part.may_be(platform)]
    return PartScan(scan, tuple(fitting), covers=len(fitting) == 1) if fitting else None


def _made(scan: Scan) -> tuple[object, ...]:
    """Time and subject of the scan."""
    return scan.moment, scan.coverage.named, scan.coverage.platform
