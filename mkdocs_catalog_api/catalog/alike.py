"""Whether scans of two builds looked at the same things: if not, a missing finding shows no fix."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from .scans import Scan, plain_platform


class Look(NamedTuple):
    """What one scan looked at."""

    scanner: str
    platform: str
    """Plain; empty if it is not known."""
    packages: frozenset[str]
    """Kinds of packages."""
    limits: frozenset[str]
    digests: frozenset[str]
    """Those that it names."""
    day: str | None
    """UTC, `2026-11-20`; None if the time is not known."""

    @classmethod
    def of(cls, scan: Scan, platforms: Mapping[str, str], now: str) -> Look:
        """`platforms` are those of the manifests by digest; a time after `now` is not known."""
        coverage = scan.coverage
        named = {platforms[digest] for digest in coverage.named if digest in platforms}
        platform = plain_platform(coverage.platform or (named.pop() if len(named) == 1 else ""))
        day = scan.scanned_at[:10] if scan.scanned_at and scan.scanned_at <= now else None
        return cls(scan.scanner.word, platform, coverage.packages, coverage.limits, coverage.named, day)


class Subject(NamedTuple):
    """What a scanner looked at."""

    scanner: str
    platform: str
    packages: str


class Looks(NamedTuple):
    """What the scans of a build looked at together."""

    covered: Mapping[Subject, frozenset[str]]
    """What was looked at → the limits that all looks at it have."""
    oldest: str | None
    """The first day of its scans, and the last; None if the time of one is not known."""
    newest: str | None
    platforms: frozenset[str]
    """Plain ones of the build; empty if they are not known."""

    @classmethod
    def of(cls, looks: Collection[Look], digests: Sequence[str], platforms: Sequence[str]) -> Looks:
        """`digests` and `platforms` are those of the build; of its manifests, if these are known.

        Of a build with several parts, a scan whose platform is not known counts only if its digests are the
        parts, and all of them are scanned.
        """
        named = frozenset[str]().union(*(look.digests for look in looks))
        doubtful = len(platforms) > 1 if platforms else len(digests) > 1 and not named.issuperset(digests)
        days = [look.day for look in looks if look.day]
        known = bool(days) and len(days) == len(looks)
        return cls(
            covered_by(look for look in looks if look.platform or not doubtful),
            min(days) if known else None,
            max(days) if known else None,
            frozenset(platforms),
        )

    @property
    def scanners(self) -> set[str]:
        return {subject.scanner for subject in self.covered}

    def show_fixes(self, others: Mapping[Subject, frozenset[str]], since: str | None) -> bool:
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

    def missed(self, others: Iterable[Subject]) -> bool:
        """Whether nobody looked at a platform of the build on which `others` had looked."""
        looked = {subject.platform for subject in self.covered}
        return not looked or (
            "" not in looked
            and any(
                platform not in looked and self.may_have(platform)
                for platform in {subject.platform for subject in others} - {""}
            )
        )


def covered_by(looks: Iterable[Look]) -> dict[Subject, frozenset[str]]:
    """What was looked at → the limits that all looks at it have."""
    covered: dict[Subject, frozenset[str]] = {}
    for look in looks:
        for kind in look.packages:
            subject = Subject(look.scanner, look.platform, kind)
            covered[subject] = covered.get(subject, look.limits) & look.limits
    return covered
