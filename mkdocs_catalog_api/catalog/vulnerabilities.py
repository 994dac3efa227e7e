"""The vulnerability rows of a release: raw findings without duplicates, merged and in order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypedDict

from .scans import SEVERITIES, Finding

_CVE = re.compile(r"CVE-([0-9]{4})-([0-9]{4,19})")  # the pattern of the CVE record format, version 5
_SEVERITY_STEP = 10**24  # one number sorts by severity, year and number at once
_SEVERITY_INDEX = {word: index for index, word in enumerate(SEVERITIES)}


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
        groups.setdefault((finding.id, finding.pkg, finding.installed), []).append(finding)
    ordered = sorted(
        (
            min([finding.severity for finding in group]) * _SEVERITY_STEP + _place(id_),
            *(id_, pkg, installed),
            group,
        )
        for (id_, pkg, installed), group in groups.items()
    )
    return [(_row(rank // _SEVERITY_STEP, group), group) for rank, _, _, _, group in ordered]


def counts(rows: Iterable[Row]) -> tuple[list[int], list[int]]:
    """How many rows with and without a fix there are of each severity, in the order of `SEVERITIES`."""
    fixable, unfixable = [0] * len(SEVERITIES), [0] * len(SEVERITIES)
    for row in rows:
        (fixable if row["fixed"] else unfixable)[_SEVERITY_INDEX[row["severity"]]] += 1
    return fixable, unfixable


def _row(severity: int, group: list[Finding]) -> Row:
    first = group[0]
    if len(group) == 1:
        fixed, title, url, targets = first.fixed, first.title, first.url, {first.target}
    else:
        fixed = _first_known((finding.target, finding.fixed) for finding in group)
        title = _first_known((finding.target, finding.title) for finding in group)
        url = _first_known((finding.target, finding.url) for finding in group)
        targets = {finding.target for finding in group}
    return {
        "id": first.id,
        "severity": SEVERITIES[severity],
        "pkg": first.pkg,
        "installed": first.installed,
        "fixed": fixed,
        "title": title,
        "url": url,
        "targets": sorted(filter(None, targets)),
    }


def _first_known(texts: Iterable[tuple[str, str]]) -> str:
    """The first text in the order of targets that is not empty; of several in one target, the smallest."""
    return min((pair for pair in texts if pair[1]), default=("", ""))[1]


@lru_cache(maxsize=65_536)
def _place(id_: str) -> int:
    """A CVE's place by year and number, below `_SEVERITY_STEP`; every other id stands behind them all."""
    cve = _CVE.fullmatch(id_)
    return int(cve[1]) * 10**19 + int(cve[2]) if cve else _SEVERITY_STEP - 1
