"""The packages behind the counts: which one update fixes most."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .packages import Package
from .populations import Population
from .scans import SEVERITIES
from .versions import VersionKey, version_key
from .vulnerabilities import Vulnerability

MOST = 20
"""Number of causes that are listed."""
_EPOCH = re.compile("([0-9]{1,9}):")
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
        for row in release.assessment.rows if release.assessment else ():
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
    """The fixing versions that cover most rows, newest first, the lowest of each line.

    A version covers a row that names a fix in the same line which is not newer.
    """
    of_rows = Counter(row.fixed for row in rows if row.fixed)
    lines: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for fixed in of_rows:
        for version in _versions(fixed):
            lines[_line(version)].add(version)
    best: dict[str, int] = {}
    for line, versions in lines.items():
        covered, version_of = 0, ""
        first = {
            fixed: min(named, key=package_order)
            for fixed in of_rows
            if (named := [version for version in _versions(fixed) if _line(version) == line])
        }
        needed = Counter[str]()
        for fixed, version in first.items():
            needed[version] += of_rows[fixed]
        for version in sorted(versions, key=package_order):
            if needed[version]:
                covered, version_of = covered + needed[version], version
        best[version_of] = covered
    most = max(best.values(), default=0)
    return sorted((version for version in best if best[version] == most), key=package_order, reverse=True)


def package_order(version: str) -> tuple[int, VersionKey]:
    """Sort key of a package's version: its epoch, then the order of version labels."""
    epoch = _EPOCH.match(version)
    return int(epoch[1]) if epoch else 0, version_key(version[epoch.end() if epoch else 0 :][:_LONGEST])


def _versions(fixed: str) -> list[str]:
    return [version for version in re.split(r"[,\s]+", fixed) if version]


def _line(version: str) -> tuple[int, ...]:
    """Epoch and the first numbers: all but the last, at most two."""
    epoch, (numbers, _, _) = package_order(version)
    written = len(re.findall("[0-9]+", re.match(r"[^0-9]*([0-9.]*)", version[:_LONGEST])[1]))  # type: ignore[index]
    padded = (*numbers, *[0] * written)
    return (epoch, *padded[: max(1, min(2, written - 1))])
