"""Whether scans of two builds looked at the same things: if not, a missing finding shows no fix."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from .scans import PACKAGES, Scan, plain_platform


class Look(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What one scan looked at."""

    scanner: str
    platform: str = ""
    """Plain; empty if it is not known."""
    packages: frozenset[str] = PACKAGES
    """Kinds of packages."""
    limits: frozenset[str] = frozenset()
    digests: frozenset[str] = frozenset()
    """Those that it names."""

    @classmethod
    def of(cls, scan: Scan, platforms: Mapping[str, str]) -> Look:
        """`platforms` are those of the manifests by digest."""
        coverage = scan.coverage
        named = {platforms[digest] for digest in coverage.named if digest in platforms}
        platform = plain_platform(coverage.platform or (named.pop() if len(named) == 1 else ""))
        packages = PACKAGES if coverage.packages == PACKAGES else coverage.packages
        return cls(scan.scanner.word, platform, packages, coverage.limits, coverage.named)


class LookedAt(NamedTuple):
    """What a scanner looked at."""

    scanner: str
    platform: str
    packages: str


class Looks(NamedTuple):
    """What the scans of a build looked at together."""

    covered: Mapping[LookedAt, frozenset[str]]
    """What was looked at for certain → the limits that all looks at it have."""
    named: Mapping[LookedAt, frozenset[str]]
    """The same, with what may have been looked at."""
    oldest: str | None
    """Day of the oldest scan, UTC; None if the time of one is not known."""
    platforms: frozenset[str]
    """Plain ones of the build; empty if they are not known."""

    @classmethod
    def of(
        cls, looks: Collection[Look], oldest: str | None, digests: Collection[str], platforms: Collection[str]
    ) -> Looks:
        """`digests` and `platforms` are those of the build, the latter of each manifest if these are known.

        Of a build with several parts, a scan whose platform is not known counts only if the digests are the
        parts, and all of them are scanned.
        """
        named = frozenset[str]().union(*(look.digests for look in looks))
        doubtful = len(platforms) > 1 if platforms else len(digests) > 1 and not named.issuperset(digests)
        covered = covered_by(look for look in looks if look.platform or not doubtful)
        return cls(covered, covered_by(looks), oldest, frozenset(platforms))

    @property
    def scanners(self) -> set[str]:
        return {subject.scanner for subject in self.named}

    def show_fixes(self, others: Mapping[LookedAt, frozenset[str]], since: str | None) -> bool:
        """Whether these scans of a build without a vulnerability show that it is not there, although scans
        that covered `others` showed it.

        - None of these is of a day before `since`; an unknown time is not alike.
        - Each scanner looked again at each platform and kind of packages that it had looked at, without a
          limit more. A platform that the build does not have is not asked for; if its platforms are not
          known, each is.
        """
        return (
            since is not None
            and self.oldest is not None
            and self.oldest >= since
            and bool(others)
            and all(
                subject in self.covered and self.covered[subject] <= limits
                for subject, limits in others.items()
                if self.may_have(subject.platform)
            )
        )

    def may_have(self, platform: str) -> bool:
        """Whether the build may have the platform; of an unknown one, it may."""
        return not (self.platforms and platform) or platform in self.platforms

    def missed(self, others: Iterable[LookedAt]) -> bool:
        """Whether nobody looked at a platform of the build on which `others` had looked."""
        looked = {subject.platform for subject in self.covered}
        return not looked or (
            "" not in looked
            and any(
                platform not in looked and self.may_have(platform)
                for platform in {subject.platform for subject in others} - {""}
            )
        )


def covered_by(looks: Iterable[Look]) -> dict[LookedAt, frozenset[str]]:
    """What was looked at → the limits that all looks at it have."""
    covered: dict[LookedAt, frozenset[str]] = {}
    for look in looks:
        unite(covered, {LookedAt(look.scanner, look.platform, kind): look.limits for kind in look.packages})
    return covered


def unite(covered: dict[LookedAt, frozenset[str]], others: Mapping[LookedAt, frozenset[str]]) -> None:
    """Add what others covered; a limit stays if all have it."""
    for subject, limits in others.items():
        covered[subject] = covered.get(subject, limits) & limits
