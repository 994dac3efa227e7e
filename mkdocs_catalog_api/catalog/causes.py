"""The packages behind the counts: which one update fixes most."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..items.versions import VersionKey, version_key
from .package_urls import Package
from .populations import Population
from .scans import SEVERITIES
from .vulnerabilities import Vulnerability

MOST = 20
"""Number of causes that are listed."""
_EPOCH = re.compile("([0-9]{1,9}):")
_NUMBERS = re.compile(r"(?:[0-9]{1,9}:)?[^0-9]*((?:[0-9]+[.]?)*)")
_LONGEST = 128


class Cause(NamedTuple):
    """A package with open rows in newest releases."""

    package: Package
    counts: Sequence[int]
    """Number of rows for each of `SEVERITIES`."""
    fixable: int
    images: int
    fixed: list[str]
    """The fixing versions that cover most rows, newest first."""


def causes(population: Population) -> list[Cause]:
    """The packages with most open rows in newest releases, most first."""
    rows: dict[Package, list[Vulnerability]] = defaultdict(list)
    images: dict[Package, set[str]] = defaultdict(set)
    for image, release, _ in population.newest():
        for row in release.rows:
            rows[row.package].append(row)
            images[row.package].add(image.entry.slug)
    most = sorted(rows, key=lambda package: (-len(rows[package]), package))[:MOST]
    return [
        Cause(
            package, by_severity(of), sum(bool(row.fixed) for row in of), len(images[package]), best_fixes(of)
        )
        for package in most
        for of in [rows[package]]
    ]


def by_severity(rows: Iterable[Vulnerability]) -> list[int]:
    """How many rows there are of each of `SEVERITIES`."""
    counts = Counter(row.severity for row in rows)
    return [counts[severity] for severity in SEVERITIES]


def fixes(rows: Iterable[Vulnerability]) -> list[str]:
    """The versions that have the fix of a row, newest first. A scanner names one for each line."""
    named = {version for row in rows for version in _versions(row.fixed)}
    return sorted(named, key=package_order, reverse=True)


def best_fixes(rows: Sequence[Vulnerability]) -> list[str]:
    """The fixing versions that cover most rows, newest first: of each line the lowest.

    A version covers a row if it is not older than the row's fix in its own line, or than the newest of the
    row's fixes.
    """
    needs = [
        (number, [(_line(version), package_order(version)) for version in _versions(fixed)])
        for fixed, number in Counter(row.fixed for row in rows if row.fixed).items()
    ]
    best: dict[tuple[int, ...], tuple[int, str]] = {}
    most = 0
    for version in reversed(fixes(rows)):
        line, order = _line(version), package_order(version)
        covered = sum(
            number
            for number, named in needs
            if order >= max(fix for _, fix in named) or any(of == line and order >= fix for of, fix in named)
        )
        most = max(most, covered)
        if covered > best.get(line, (0, ""))[0]:
            best[line] = covered, version
    covering = [version for covered, version in best.values() if covered == most]
    return sorted(covering, key=package_order, reverse=True)


@lru_cache(maxsize=65_536)
def package_order(version: str) -> tuple[int, VersionKey]:
    """Sort key of a package's version: its epoch, then the order of version labels."""
    epoch = _EPOCH.match(version)
    return int(epoch[1]) if epoch else 0, version_key(version[epoch.end() if epoch else 0 :][:_LONGEST])


def _versions(fixed: str) -> list[str]:
    return [version for version in re.split(r"[,\s]+", fixed) if version]


def _line(version: str) -> tuple[int, ...]:
    """The epoch, then all numbers but the last: at least one, at most two."""
    numbers = re.findall("[0-9]+", _NUMBERS.match(version[:_LONGEST])[1])  # type: ignore[index]
    return (package_order(version)[0], *map(int, numbers[: max(1, min(2, len(numbers) - 1))]))
