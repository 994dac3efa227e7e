"""The vulnerability rows of a release: raw findings without duplicates, merged and in order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, TypedDict

from msgspec import Struct

from .scans import SEVERITIES, Finding

_CVE = re.compile(r"CVE-([0-9]{4})-([0-9]{4,19})")  # the pattern of the CVE record format, version 5
_NO_CVE = 10**24 - 1  # behind every CVE, of which one number has year and number
SEVERITY_INDEX = {word: index for index, word in enumerate(SEVERITIES)}


class Row(TypedDict):
    """An entry of `cves`, its keys in the order of the JSON. A text that is not known is empty."""

    id: str
    severity: str
    pkg: str
    installed: str
    fixed: str
    title: str
    url: str
    targets: list[str]


class Vulnerability(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    """A row. A text that is not known is empty."""

    id: str
    severity: str
    pkg: str
    installed: str
    fixed: str
    title: str
    url: str
    targets: list[str]


class Suppressed(Vulnerability):
    """A row that a statement takes out, and why."""

    status: str
    justification: str
    statement: str
    """Id of the document."""


def deduplicate(findings: Iterable[Finding]) -> list[tuple[Vulnerability, list[Finding]]]:
    """`unite_with_findings`, the rows as Structs."""
    return [(Vulnerability(**row), group) for row, group in unite_with_findings(findings)]


class Tally(NamedTuple):
    """What rows add up to."""

    fixable: tuple[int, ...]
    """Rows with a fix for each of `SEVERITIES`."""
    unfixable: tuple[int, ...]
    unique: int
    """Distinct ids."""


def unite(findings: Iterable[Finding]) -> list[Row]:
    """One row for each (id, package, installed version), the worst first.

    The order is severity, then CVE ids by year and number, then other ids, then package and installed
    version by code point. It and the rows do not depend on the order of the findings.
    """
    return [row for row, _ in unite_with_findings(findings)]


def unite_with_findings(findings: Iterable[Finding]) -> list[tuple[Row, list[Finding]]]:
    """`unite`, each row with the findings that it was made of."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        key = (finding.id, finding.pkg, finding.installed)
        if key in groups:
            groups[key].append(finding)
        else:
            groups[key] = [finding]
    ordered = [(_worst(group), _place(key[0]), key, group) for key, group in groups.items()]
    ordered.sort()
    return [(_row(severity, group), group) for severity, _, _, group in ordered]


def _worst(group: list[Finding]) -> int:
    return group[0].severity if len(group) == 1 else min([finding.severity for finding in group])


def tally(rows: Iterable[Row]) -> Tally:
    """How many rows with and without a fix there are of each severity, and how many ids."""
    fixable, unfixable = [0] * len(SEVERITIES), [0] * len(SEVERITIES)
    ids = set()
    for row in rows:
        (fixable if row["fixed"] else unfixable)[SEVERITY_INDEX[row["severity"]]] += 1
        ids.add(row["id"])
    return Tally(tuple(fixable), tuple(unfixable), len(ids))


def _row(severity: int, group: list[Finding]) -> Row:
    first = group[0]
    id_, pkg, installed, fixed = first.id, first.pkg, first.installed, first.fixed
    title, url, target = first.title, first.url, first.target
    targets = [target] if target else []
    if len(group) > 1:
        # Of texts that differ counts the first in the order of targets, of several in one the smallest.
        fixed = min([(f.target, f.fixed) for f in group if f.fixed], default=("", ""))[1]
        title = min([(f.target, f.title) for f in group if f.title], default=("", ""))[1]
        url = min([(f.target, f.url) for f in group if f.url], default=("", ""))[1]
        targets = sorted({f.target for f in group if f.target})
    return {
        "id": id_,
        "severity": SEVERITIES[severity],
        "pkg": pkg,
        "installed": installed,
        "fixed": fixed,
        "title": title,
        "url": url,
        "targets": targets,
    }


@lru_cache(maxsize=65_536)
def _place(id_: str) -> int:
    """A CVE's place by year and number, in one number; every other id stands behind them all."""
    cve = _CVE.fullmatch(id_)
    return int(cve[1]) * 10**19 + int(cve[2]) if cve else _NO_CVE
