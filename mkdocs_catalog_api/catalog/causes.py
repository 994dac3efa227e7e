"""The packages behind the counts: which one update fixes most."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..items.versions import PRE_RELEASE, VersionKey, split, version_key
from .package_urls import DISTRIBUTIONS, Package
from .populations import Population
from .scans import SEVERITIES
from .value import Release
from .vulnerabilities import Vulnerability

MOST = 20
"""Number of causes that are listed."""
_EPOCH = re.compile("([0-9]{1,9}):")
_NUMBERS = re.compile(r"(?:[0-9]{1,9}:)?[^0-9]*((?:[0-9]+[.]?)*)")
_LONGEST = 128
_BETWEEN = re.compile(r"[,;|\s]+")
_SIGN = re.compile(r"([<>=~^!]*)(.*)", re.DOTALL)
_DIGIT = re.compile("[0-9]")
_IN_VERSION = re.compile(
    r"[.+~](el[0-9]+|fc[0-9]+|amzn[0-9]+|cm[0-9]+|azl[0-9]+|oe[0-9]+|deb[0-9]+)(?![0-9])"
)
_DISTRO = re.compile(r"[?&]distro=([a-z][a-z0-9_]*)-([0-9][0-9.]*)")
_IN_TARGET = re.compile(r" \(([a-z][a-z0-9_]*) ([0-9][0-9.]*)\)$")
_WITH_TWO_NUMBERS = ("alpine", "ubuntu", "opensuse", "sles")


class Cause(NamedTuple):
    """A package with open rows in newest releases."""

    package: Package
    counts: Sequence[int]
    """Number of rows for each of `SEVERITIES`."""
    fixable: int
    images: int
    fixed: list[str]
    """The fixing versions that cover most rows, newest first; of a distribution's package, those of each of
    its releases."""


def causes(population: Population) -> list[Cause]:
    """The packages with most open rows in newest releases, most first."""
    places: dict[Package, list[tuple[Vulnerability, Release]]] = defaultdict(list)
    images: dict[Package, set[str]] = defaultdict(set)
    for image, release, _ in population.newest():
        for row in release.rows:
            places[row.package].append((row, release))
            images[row.package].add(image.entry.slug)
    most = sorted(places, key=lambda package: (-len(places[package]), package))[:MOST]
    return [_cause(package, places[package], len(images[package])) for package in most]


def _cause(package: Package, places: Sequence[tuple[Vulnerability, Release]], images: int) -> Cause:
    """The cause that a package is, from its open rows, each with its release."""
    rows = [row for row, _ in places]
    of_system: dict[str, list[Vulnerability]] = defaultdict(list)
    for row, release in places:
        system = distribution_release(row, release) if package.type in DISTRIBUTIONS else ""
        of_system[system].append(row)
    fixed = {version for of_one in of_system.values() for version in best_fixes(of_one)}
    fixable = sum(bool(row.fixed) for row in rows)
    newest_first = sorted(fixed, key=package_order, reverse=True)
    return Cause(package, by_severity(rows), fixable, images, newest_first)


def distribution_release(row: Vulnerability, release: Release) -> str:
    """The release of a distribution that a package is of, such as `el9` or `debian-12`; "" if not known.

    It is the first of these:

    1. what versions of packages say themselves: `2.34-1.el9`, `2.31-13+deb11u5`
    2. the qualifier `distro` of the package URLs in the scans of the release: `distro=debian-12.8`
    3. what Trivy has in brackets behind the image: `web:1 (debian 12.8)`
    """
    if own := _IN_VERSION.search(row.installed):
        return own[1]
    for scan in release.scans:
        for finding in scan.findings:
            if found := _DISTRO.search(finding.purl):
                return _without_point_release(found[1], found[2])
    for target in row.targets:
        if found := _IN_TARGET.search(target):
            return _without_point_release(found[1], found[2])
    return ""


def _without_point_release(name: str, version: str) -> str:
    """`debian-12` of 12.8, `alpine-3.22` of 3.22.1: a release has two numbers in these distributions."""
    numbers = version.split(".")
    wanted = 2 if name in _WITH_TWO_NUMBERS else 1
    return f"{name}-{'.'.join(numbers[:wanted])}"


def by_severity(rows: Iterable[Vulnerability]) -> list[int]:
    """How many rows there are of each of `SEVERITIES`."""
    counts = Counter(row.severity for row in rows)
    return [counts[severity] for severity in SEVERITIES]


def fixes(rows: Iterable[Vulnerability]) -> list[str]:
    """The versions that have the fix of a row, newest first. A scanner names one for each line."""
    named = {version for row in rows for version in single_versions(row.fixed)}
    return sorted(named, key=package_order, reverse=True)


def best_fixes(rows: Iterable[Vulnerability]) -> list[str]:
    """The fixing versions that cover most rows, newest first: of each line the lowest.

    - A version covers a row if it is not older than the row's fix in its own line, or than the newest of the
      row's fixes.
    - A pre-release is named only if it fixes a row that no final version fixes.
    """
    needs: list[_Need] = []
    candidates: set[str] = set()
    for fixed, number in Counter(row.fixed for row in rows).items():
        named = _finals_first(single_versions(fixed))
        if named:
            needs.append(_Need(number, [_Fix(_line(version), package_order(version)) for version in named]))
            candidates.update(named)

    best: dict[tuple[int, ...], tuple[int, str]] = {}
    for version in sorted(candidates, key=package_order):
        line = _line(version)
        fix = _Fix(line, package_order(version))
        covered = sum(need.rows for need in needs if need.is_covered_by(fix))
        most_in_line, _ = best.get(line, (0, ""))
        if covered > most_in_line:
            best[line] = covered, version
    most = max((covered for covered, _ in best.values()), default=0)
    covering = [version for covered, version in best.values() if covered == most]
    return sorted(covering, key=package_order, reverse=True)


class _Fix(NamedTuple):
    line: tuple[int, ...]
    order: tuple[int, VersionKey]


class _Need(NamedTuple):
    """Rows with the same fixes."""

    rows: int
    fixes: Sequence[_Fix]

    def is_covered_by(self, version: _Fix) -> bool:
        if version.order >= max(fix.order for fix in self.fixes):
            return True
        return any(fix.line == version.line and version.order >= fix.order for fix in self.fixes)


def _finals_first(versions: Sequence[str]) -> Sequence[str]:
    """The versions without pre-releases; all of them if each is one."""
    finals = [version for version in versions if not _is_pre_release(version)]
    return finals or versions


def _is_pre_release(version: str) -> bool:
    _, segments = split(version[:_LONGEST].replace("~", "-"))
    return any(segment.suffix[0] == PRE_RELEASE for segment in segments)


@lru_cache(maxsize=65_536)
def package_order(version: str) -> tuple[int, VersionKey]:
    """Sort key of a package's version: its epoch, then the order of version labels."""
    epoch = _EPOCH.match(version)
    return int(epoch[1]) if epoch else 0, version_key(version[epoch.end() if epoch else 0 :][:_LONGEST])


@lru_cache(maxsize=65_536)
def single_versions(fixed: str) -> Sequence[str]:
    """The versions that a scanner names as fixes: words with a digit that are alone, or behind `>=`, `=` or
    `==`. Behind another sign, as in `~> 2.2.6, >= 2.2.6.2`, is a range and no version.
    """
    versions: dict[str, None] = {}
    sign = ""
    for word in _BETWEEN.split(fixed):
        own_sign, version = _SIGN.fullmatch(word).groups()  # type: ignore[union-attr]
        sign = own_sign or sign
        if not version:
            continue  # the sign of the next word
        if sign in ("", "=", "==", ">=") and _DIGIT.search(version):
            versions[version] = None
        sign = ""
    return [*versions]


def _line(version: str) -> tuple[int, ...]:
    """The epoch, then all numbers but the last: at least one, at most two."""
    numbers = re.findall("[0-9]+", _NUMBERS.match(version[:_LONGEST])[1])  # type: ignore[index]
    return (package_order(version)[0], *map(int, numbers[: max(1, min(2, len(numbers) - 1))]))
