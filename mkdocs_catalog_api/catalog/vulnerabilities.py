"""The vulnerability rows of a release: raw findings without duplicates, merged and in order."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, get_args

from msgspec import Meta, Struct

from .scans import SEVERITIES, Finding, SetAsideStatus, Severity

CVE_ID = "CVE-[0-9]{4}-[0-9]{4,19}"
"""Pattern of a CVE id (https://github.com/CVEProject/cve-schema, version 5)."""
_CVE = re.compile("CVE-([0-9]{4})-([0-9]{4,19})")
_NO_CVE = 10**24 - 1  # sorts after every CVE, which is one number from year and number
RowKey = tuple[str, str, str]
"""Id, package and installed version: unique in a release."""
_INDEX = {word: index for index, word in enumerate(SEVERITIES)}


def vocabulary(component: str, words: Any) -> Meta:
    """Make schemas list the words of a Literal under a name and in its order, since msgspec sorts them."""
    return Meta(extra_json_schema={"words": [*get_args(words)], "component": component})


def open_words(words: Any) -> Meta:
    """Has schemas list the words of a Literal as a hint only: later versions add words."""
    return Meta(extra_json_schema={"words": [*get_args(words)], "open": True})


SeverityWord = Annotated[Severity, vocabulary("Severity", Severity)]
ExploitedSince = Annotated[
    str | None,
    Meta(
        description="Day on which it was added to CISA's catalog of known exploited vulnerabilities; null "
        "if it is not in the list, or without the list.",
        extra_json_schema={"format": "date"},
    ),
]
Status = Annotated[
    SetAsideStatus,
    open_words(SetAsideStatus),
    Meta(description="Status of the VEX statement; `ignored` for a rule of the scanner's user."),
]
Justification = Annotated[str, Meta(description="The reason; empty without one.")]
Statement = Annotated[
    str, Meta(description="Id of the VEX document, or the source of the scanner's rule, as in its report.")
]


class _Row(Struct, gc=False, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1, description="CVE id, else the advisory's id.")]
    severity: Annotated[SeverityWord, Meta(description="The highest severity of all its sources.")]
    pkg: Annotated[str, Meta(description="Package.")]
    installed: Annotated[str, Meta(description="Installed version.")]
    fixed: Annotated[str, Meta(description="Fixed version; empty without a fix.")]
    title: Annotated[str, Meta(description="Short description from the scanner.")]
    url: Annotated[str, Meta(description="Advisory.")]
    targets: Annotated[list[str], Meta(description="Places in the image where it was found.")]


class Vulnerability(_Row):
    """One vulnerability of one package. Unknown texts are empty."""

    exploited: ExploitedSince


class Suppressed(_Row):
    """A vulnerability suppressed by a VEX statement or a rule of the scanner's user."""

    status: Status
    justification: Justification
    statement: Statement
    exploited: ExploitedSince


class SeverityCounts(NamedTuple):
    """Sums over rows."""

    fixable: tuple[int, ...]
    """Number of rows with a fix for each of `SEVERITIES`."""
    unfixable: tuple[int, ...]
    """Number of rows without a fix for each of `SEVERITIES`."""


def deduplicate(findings: Iterable[Finding]) -> Iterator[tuple[Vulnerability, list[Finding]]]:
    """One row for each (id, package, installed version), the worst first, with its findings.

    The order is severity, then CVE ids by year and number, then other ids, then package and installed
    version by code point. It and the rows do not depend on the order of the findings.
    """
    groups: dict[RowKey, list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.id, finding.pkg, finding.installed), []).append(finding)
    ordered = [
        (min([finding.severity for finding in group]), cve_order(key[0]), *key, group)
        for key, group in groups.items()
    ]
    ordered.sort()  # never by the groups, as no two have the same key
    for severity, _, _, _, _, group in ordered:
        yield _row(SEVERITIES[severity], group), group


def count(rows: Iterable[Vulnerability]) -> SeverityCounts:
    """How many rows with and without a fix there are of each severity."""
    fixable, unfixable = [0] * len(SEVERITIES), [0] * len(SEVERITIES)
    for row in rows:
        (fixable if row.fixed else unfixable)[_INDEX[row.severity]] += 1
    return SeverityCounts(tuple(fixable), tuple(unfixable))


def _row(severity: Severity, group: list[Finding]) -> Vulnerability:
    first = group[0]
    fixed, title, url, targets = first.fixed, first.title, first.url, _alone(first.target)
    if len(group) > 1:
        targets = sorted({f.target for f in group if f.target})
        if len({(f.fixed, f.title, f.url) for f in group}) > 1:
            # The first of different texts counts, by target; of several in one target, the smallest.
            fixed = min([(f.target, f.fixed) for f in group if f.fixed], default=("", ""))[1]
            title = min([(f.target, f.title) for f in group if f.title], default=("", ""))[1]
            url = min([(f.target, f.url) for f in group if f.url], default=("", ""))[1]
    return Vulnerability(first.id, severity, first.pkg, first.installed, fixed, title, url, targets, None)


@lru_cache(maxsize=1_024)
def _alone(target: str) -> list[str]:
    """The list of one target, shared by all rows with only this target: never modified."""
    return [target] if target else []


@lru_cache(maxsize=65_536)
def is_cve(id_: str) -> bool:
    return _CVE.fullmatch(id_) is not None


@lru_cache(maxsize=65_536)
def cve_order(id_: str) -> int:
    """A sort number from a CVE's year and number; every other id sorts after them."""
    cve = _CVE.fullmatch(id_)
    return int(cve[1]) * 10**19 + int(cve[2]) if cve else _NO_CVE
