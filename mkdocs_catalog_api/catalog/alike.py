"""Whether scans of two builds looked at the same things: if not, a missing finding shows no fix."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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
    day: str | None
    """UTC, `2026-11-20`; None if the time is not known."""

    @classmethod
    def of(cls, scan: Scan, platforms: Mapping[str, str], now: str) -> Look:
        """`platforms` are those of the manifests by digest; a time after `now` is not known."""
        named = {platforms[digest] for digest in scan.coverage.named if digest in platforms}
        known = scan.coverage.platform or (named.pop() if len(named) == 1 else "")
        day = scan.scanned_at[:10] if scan.scanned_at and scan.scanned_at <= now else None
        coverage = scan.coverage
        return cls(scan.scanner.word, plain_platform(known), coverage.packages, coverage.limits, day)


def looked_alike(looks: Collection[Look], others: Collection[Look], platforms: Collection[str] = ()) -> bool:
    """Whether the scans `looks` of a build without a vulnerability show that it is not there, although the
    scans `others` showed it.

    - Both are there, and of the same scanners.
    - None of `looks` is of an earlier day than the newest of `others`; an unknown time is not alike.
    - Each scanner looked again at each platform and kind of packages that it had looked at, without a limit
      more. A platform that is not among `platforms`, those that the build has, is not asked for; without
      `platforms`, each is.
    """
    if not looks or {look.scanner for look in looks} != {other.scanner for other in others}:
        return False
    days = [look.day for look in looks if look.day], [other.day for other in others if other.day]
    if len(days[0]) < len(looks) or len(days[1]) < len(others) or min(days[0]) < max(days[1]):
        return False
    covered, wanted = _covered(looks), _covered(others)
    return all(
        subject in covered and covered[subject] <= limits
        for subject, limits in wanted.items()
        if not (platforms and subject.platform and subject.platform not in platforms)
    )


class _Subject(NamedTuple):
    scanner: str
    platform: str
    kind: str


def _covered(looks: Iterable[Look]) -> dict[_Subject, frozenset[str]]:
    """What was looked at → the limits that all looks at it have."""
    covered: dict[_Subject, frozenset[str]] = {}
    for look in looks:
        for kind in look.packages:
            subject = _Subject(look.scanner, look.platform, kind)
            covered[subject] = covered.get(subject, look.limits) & look.limits
    return covered
