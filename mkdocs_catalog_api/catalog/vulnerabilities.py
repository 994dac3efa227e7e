"""The vulnerability rows of a release: raw findings without duplicates, merged and in order."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from .described import Described, open_words, vocabulary
from .ids import cve_order
from .package_urls import Package, bare_url, package, plain_version
from .scans import SEVERITIES, Finding, SetAsideStatus, Severity

_INDEX = {word: index for index, word in enumerate(SEVERITIES)}


SeverityWord = Annotated[Severity, vocabulary("Severity", Severity)]
ExploitedSince = Annotated[
    str | None,
    "Day on which it was added to CISA's catalog of known exploited vulnerabilities; null "
    "if it is not in the list, or without the list.",
    Meta(extra_json_schema={"format": "date"}),
]
Status = Annotated[
    SetAsideStatus,
    open_words(SetAsideStatus),
    "Status of the VEX statement; `ignored` for a rule of the scanner's user.",
]
Justification = Annotated[str, "The reason; empty without one."]
Statement = Annotated[str, "Id of the VEX document, or the source of the scanner's rule, as in its report."]


class Vulnerability(Described, Struct, gc=False, forbid_unknown_fields=True, rename="camel"):
    """One vulnerability of one package. Unknown texts are empty."""

    id: Annotated[str, "CVE id, else the id as the scanner printed it.", Meta(min_length=1)]
    severity: Annotated[SeverityWord, "The highest severity of all its sources."]
    pkg: Annotated[str, "Package."]
    installed: Annotated[str, "Installed version."]
    fixed: Annotated[str, "Fixed version; empty without a fix."]
    title: Annotated[str, "Short description from the scanner."]
    url: Annotated[str, "Advisory."]
    targets: Annotated[list[str], "Places in the image where it was found."]
    aliases: Annotated[
        list[str], "Its other ids, sorted; of an advisory with several CVEs, those that it names."
    ]
    purl: Annotated[str, "Package URL, without qualifiers and subpath; empty if it is not known."]
    exploited_since: ExploitedSince

    @property
    def package(self) -> Package:
        return package(self.purl, self.pkg)


class Suppressed(Vulnerability):
    """A vulnerability suppressed by a VEX statement or a rule of the scanner's user."""

    status: Status
    justification: Justification
    statement: Statement


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
    groups: dict[tuple[str, Package, str], list[Finding]] = {}
    for finding in findings:
        of_package = package(finding.purl, finding.pkg)
        groups.setdefault((finding.id, of_package, plain_version(finding.installed)), []).append(finding)
    yield from sorted(
        [(_row(group), group) for group in groups.values()], key=lambda pair: row_order(pair[0])
    )


def row_order(row: Vulnerability) -> tuple[Any, ...]:
    """Sort key of the rows of a release: different for each."""
    about = row.id, row.pkg, row.installed, row.package, plain_version(row.installed)
    return _INDEX[row.severity], cve_order(row.id), *about


def count(rows: Iterable[Vulnerability]) -> SeverityCounts:
    """How many rows with and without a fix there are of each severity."""
    fixable, unfixable = [0] * len(SEVERITIES), [0] * len(SEVERITIES)
    for row in rows:
        (fixable if row.fixed else unfixable)[_INDEX[row.severity]] += 1
    return SeverityCounts(tuple(fixable), tuple(unfixable))


def _row(group: list[Finding]) -> Vulnerability:
    first = group[0]
    severity, pkg, installed, purl = first.severity, first.pkg, first.installed, first.purl
    fixed, title, url, targets = first.fixed, first.title, first.url, _alone(first.target)
    aliases = _listed(first.aliases)
    if len(group) > 1:
        severity = min([f.severity for f in group])
        # Scanners may write one package and one version in several ways.
        pkg, installed = min([f.pkg for f in group]), min([f.installed for f in group])
        purl = min([bare_url(f.purl) for f in group])
        aliases = _listed(tuple(sorted({alias for f in group for alias in f.aliases})))
        targets = sorted({f.target for f in group if f.target})
        if len({(f.fixed, f.title, f.url) for f in group}) > 1:
            # The first of different texts counts, by target; of several in one target, the smallest.
            fixed = min([(f.target, f.fixed) for f in group if f.fixed], default=("", ""))[1]
            title = min([(f.target, f.title) for f in group if f.title], default=("", ""))[1]
            url = min([(f.target, f.url) for f in group if f.url], default=("", ""))[1]
    return Vulnerability(
        first.id,
        SEVERITIES[severity],
        pkg,
        installed,
        fixed,
        title,
        url,
        targets,
        aliases,
        bare_url(purl),
        None,
    )


@lru_cache(maxsize=1_024)
def _alone(target: str) -> list[str]:
    """The list of one target, shared by all rows with only this target: never modified."""
    return [target] if target else []


@lru_cache(maxsize=65_536)
def _listed(aliases: tuple[str, ...]) -> list[str]:
    """A list of these, shared by all rows with the same: never modified."""
    return [*aliases]
