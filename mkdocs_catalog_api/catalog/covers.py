"""The parts of a release, and which of them a scan covers: what it has looked at decides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from operator import eq
from typing import Literal, NamedTuple

from msgspec import Struct

from ..items.models import PlatformManifest
from .scans import LIMITS, Limit, Scan, plain_platform

Reason = Literal["scanner-not-wanted", "other-platform", "replaced"]


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
                [Part(digest) for digest in digests]
                if len(digests) > 1
                else [Part("", platform) for platform in plain]
            )
        return cls(digests, tuple(wanted), frozenset({part.digest for part in every if part not in wanted}))

    def with_those_of(self, scans: Iterable[Scan]) -> ReleaseParts:
        """The same; if nothing else shows the parts, with the platforms that scans name, else with itself."""
        platforms = {plain_platform(scan.coverage.platform) for scan in scans} - {""}
        named = tuple(Part("", platform) for platform in sorted(platforms))
        return self._replace(parts=self.parts or named or (Part(self.digests[0] if self.digests else ""),))

    def scanned_by(self, scan: Scan, accept: Collection[str]) -> PartScan | None:
        """Return the scan with its parts; None if it is of a platform that the page leaves out. Limits that
        are words of `accept` are none.

        1. It covers the parts whose digest it names.
        2. Else it covers the part of its platform, if there is one alone: two of one platform, or several
           without a platform in the scan, are parts that it may be of.
        """
        named, platform = scan.coverage.named, plain_platform(scan.coverage.platform)
        limits = scan.coverage.limits.difference(accept)
        looked_at = PartScan(scan, (), False, limits, scan.coverage.packages, scan.coverage.found)
        if by_digest := tuple(part for part in self.parts if part.digest in named):
            return looked_at._replace(parts=by_digest, covers=True)
        fitting = [part for part in self.parts if part.platform == platform]
        fitting = fitting or [part for part in self.parts if part.may_be(platform)]
        if named & self.left_out or not fitting:
            return None
        return looked_at._replace(parts=tuple(fitting), covers=len(fitting) == 1)


class PartScan(NamedTuple):
    """A report's scan, and its parts of a release."""

    scan: Scan
    parts: tuple[Part, ...] = ()
    """The parts that it covers or may be of."""
    covers: bool = False
    """Whether it is certainly of these."""
    # What the whole scan has looked at, which may be in several reports.
    limits: frozenset[Limit] = frozenset()
    """Without those that are accepted."""
    packages: frozenset[str] = frozenset()
    found: frozenset[str] = frozenset()

    @property
    def named(self) -> frozenset[str]:
        return self.scan.coverage.named

    @property
    def time(self) -> tuple[str, str] | None:
        """The exact time, comparable with others; None if it is not known."""
        return self.scan.moment if self.scan.scanned_at else None

    @property
    def covered(self) -> tuple[Part, ...]:
        return self.parts if self.covers else ()

    @property
    def platforms(self) -> Iterator[str]:
        """The platforms that it names, or that the digests of its parts have."""
        named = plain_platform(self.scan.coverage.platform)
        yield from (part.platform or named for part in self.covered or [Part()])


class ScanSelection(Struct, frozen=True):
    """The scans of a release that count, and their coverage of it."""

    digests: Sequence[str] = ()
    """Those of the release."""
    parts: tuple[Part, ...] = ()
    part_scans: tuple[PartScan, ...] = ()
    """The findings of these count together."""
    unused: tuple[tuple[Scan, Reason], ...] = ()
    """The other scans, each with the reason."""

    @property
    def every(self) -> Iterator[Scan]:
        """The scans that count, and the others."""
        return chain(self.scans, (scan for scan, _ in self.unused))

    @property
    def scans(self) -> tuple[Scan, ...]:
        return tuple(report.scan for report in self.part_scans)

    @property
    def whole(self) -> frozenset[Part]:
        """The parts that a scan without a limit covers. No scan makes up for the end of a system's life."""
        covered = {part for report in self.part_scans if not report.limits for part in report.covered}
        ended = (report.parts for report in self.part_scans if "os-end-of-life" in report.limits)
        return frozenset(covered).difference(*ended)

    @property
    def limits(self) -> list[Limit]:
        """Those of its scans of parts that none covers without a limit."""
        whole = self.whole
        open_limits = (report.limits for report in self.part_scans if not whole.issuperset(report.parts))
        found = frozenset[Limit]().union(*open_limits)
        return [limit for limit in LIMITS if limit in found]

    @property
    def platforms(self) -> list[str]:
        """The scanned ones."""
        return sorted({name for report in self.part_scans for name in report.platforms if name})

    @property
    def uncovered(self) -> list[Part]:
        """The parts without a scan that is certainly of them."""
        covered = {part for report in self.part_scans for part in report.covered}
        return [part for part in self.parts if part not in covered]

    @property
    def missing(self) -> list[Part]:
        """The parts that a grade needs a scan of: those that are digests."""
        return [part for part in self.uncovered if part.digest]

    @property
    def complete(self) -> bool:
        """Whether a scan without a limit covers each part."""
        return bool(self.parts) and self.whole.issuperset(self.parts)

    @property
    def digests_scanned(self) -> int:
        """How many of the digests of the release are scanned, as a whole or in part."""
        missing = {part.digest for part in self.missing}
        return sum(digest not in missing for digest in self.digests)

    @property
    def scanned_digest(self) -> str | None:
        """The first digest of the release that was scanned, as a whole or in part, else one of the scans'."""
        named = frozenset[str]().union(*(scan.coverage.named for scan in self.scans))
        if named & {part.digest for part in self.parts} and len(self.digests) == 1:
            return self.digests[0]
        # A report without digests was joined by name or path, so the scanned digest is unknown.
        return next((digest for digest in self.digests if digest in named), None) or min(named, default=None)

    def digests_of(self, part_scan: PartScan) -> frozenset[str]:
        """Every digest of the scanned image: a manifest is one of its index, too."""
        index = self.digests if len(self.digests) == 1 else ()
        parts = (part.digest for part in part_scan.covered if part.digest)
        return part_scan.scan.coverage.named.union(index, parts)

    def of(self, digest: str) -> ScanSelection:
        """The selection of the part with this digest alone; nothing if there is none."""
        parts = tuple(part for part in self.parts if part.digest == digest)
        of_part = [report for report in self.part_scans if {*parts} & {*report.parts}]
        return ScanSelection(self.digests, parts, tuple(each._replace(parts=parts) for each in of_part))
