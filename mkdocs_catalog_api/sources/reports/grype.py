"""Reports of Grype, https://github.com/anchore/grype (`--output json`), old and new.

| fact | from |
|---|---|
| scanner_version, scanned_at | `descriptor.version`, `descriptor.timestamp` |
| references | `source.target.{userInput, tags, repoDigests}` of an image |
| coverage.digests, coverage.manifest | `source.target.repoDigests`, one in `userInput`; `manifestDigest` |
| coverage.platform | `source.target.{os, architecture}` |
| coverage.limits | `only-fixed` … in `descriptor.configuration`; `alertsByPackage[].alerts[].type` |
| coverage.limits | no match and no `distro.name` |
| kind | `source.type`, except `image` |
| findings | `matches[]`, and `ignoredMatches[]` without those of Grype's built-in rules |
| set_aside | the first of `appliedIgnoreRules[]` with a VEX status that suppresses, else the first |
| id, aliases | `vulnerability.id`, `relatedVulnerabilities[].id` |
| severity, title | `vulnerability.severity`, `vulnerability.description` |
| fixed | `vulnerability.fix.versions`, before 2021 `vulnerability.fixedInVersion` |
| url | `vulnerability.dataSource`, else the first of `vulnerability.urls`, else the page of the id |
| pkg, installed | `artifact.name`, `artifact.version` |
| purl | `artifact.purl`, in old reports by `artifact.type` |
| target | `artifact.locations[0].path` |
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ...catalog.ids import identity
from ...catalog.scans import Coverage, Finding, Limit, Scan, SetAside
from ...problems import RefusedError
from .normalise import (
    DAMAGED,
    SEVERITY_WORDS,
    ReportFormat,
    advisory,
    counted_severity,
    digests,
    distinct,
    ecosystem,
    first_link,
    fix,
    items,
    mapping,
    named_package,
    package_class,
    platform,
    require_ids,
    second_fraction,
    text,
    texts,
    title,
    utc_second,
)
from .repeated_keys import Occurrences, in_objects

_WORDS = {**SEVERITY_WORDS, "NEGLIGIBLE": SEVERITY_WORDS["LOW"]}
_OWN_REASONS = {"DistroPackageFixed", "Explicit APK NAK", "CPE not vulnerable"}
"""Built-in rules of Grype: the distribution has fixed the package, or it is another package."""
_HEADERS = re.compile(r"kernel-headers|linux-libc-dev|linux(?:\(-\.\*\)\?)?-(?:headers|kbuild)(?:-?\.\*)?")
"""The packages in its built-in rules for kernel headers."""
_NARROWING: tuple[Limit, ...] = ("only-fixed", "only-notfixed", "ignore-wontfix", "exclude")
"""Options that leave out matches. `ignore-wontfix` is the name of `--ignore-states` in reports."""
_ENDED: Limit = "os-end-of-life"
_UNKNOWN: Limit = "unknown-distribution"


class GrypeVulnerability(Struct, gc=False, rename="camel"):
    """A vulnerability. Values of any type are cleaned where they are used."""

    id: str
    severity: Any = None
    description: Any = None
    fix: Any = None
    fixed_in_version: Any = None
    data_source: Any = None
    urls: Any = None


class GrypeMatch(Struct, gc=False, rename="camel"):
    """A vulnerability in a package."""

    vulnerability: GrypeVulnerability
    related_vulnerabilities: Any = None
    artifact: Any = None


class GrypeIgnoredMatch(GrypeMatch, gc=False, rename="camel"):
    """A match that Grype left out, with the rules."""

    applied_ignore_rules: Any = None


class GrypeReport(Struct, rename="camel"):
    matches: list[GrypeMatch] | UnsetType | None = UNSET
    ignored_matches: list[GrypeIgnoredMatch] | None = None
    alerts_by_package: Any = None
    distro: Any = None
    descriptor: Any = None
    source: Any = None


DECODER = msgspec.json.Decoder(GrypeReport)


def recognizes(report: GrypeReport) -> bool:
    return report.matches is not UNSET or mapping(report.descriptor).get("name") == "grype"


def read(report: GrypeReport) -> list[Scan]:
    """Read a report. Raises `RefusedError` for damaged matches."""
    if isinstance(report.matches, UnsetType):
        raise RefusedError("`matches` is missing", DAMAGED)
    matches, descriptor = report.matches or [], mapping(report.descriptor)
    ignored = report.ignored_matches or []
    for name, listed in (("matches", matches), ("ignoredMatches", ignored)):
        require_ids((match.vulnerability.id for match in listed), name, ".vulnerability.id")
    configuration, odd = mapping(descriptor.get("configuration")), Counter[str]()
    # The rules of its user are in the configuration, whatever reason they give.
    own_reasons = _OWN_REASONS - {text(rule.get("reason")) for rule in items(configuration.get("ignore"))}
    kept = [*_kept([*matches, *ignored], own_reasons)]
    findings = tuple(_findings(kept, odd))
    # For a folder, the target is text.
    source = mapping(report.source)
    target, kind = mapping(source.get("target")), text(source.get("type"))
    alerts = [alert for entry in items(report.alerts_by_package) for alert in items(entry.get("alerts"))]
    limits = {option for option in _NARROWING if configuration.get(option)}
    # Every other alert, also of a later Grype, is about packages that it could not judge.
    limits |= {_ENDED if alert.get("type") == "distro-eol" else _UNKNOWN for alert in alerts}
    distribution = text(mapping(report.distro).get("name"))
    if not (matches or ignored or distribution):
        limits.add("nothing-recognized")
    names = [text(target.get("userInput")), *texts(target.get("tags")), *texts(target.get("repoDigests"))]
    return [
        Scan(
            scanner_version=text(descriptor.get("version")),
            scanned_at=utc_second(descriptor.get("timestamp")),
            fraction=second_fraction(descriptor.get("timestamp")),
            references=distinct(names),
            coverage=Coverage(
                digests=digests(names),
                platform=platform(target.get("os"), target.get("architecture")),
                manifest=min(digests([target.get("manifestDigest")]), default=""),
                limits=frozenset(limits),
                found=frozenset(_kinds(kept)),
            ),
            # Without an alert, the system may also be one that Grype does not know.
            os_end_of_life=_ENDED in limits or None,
            findings=findings,
            kind="" if kind in ("image", "unknown") else kind,
            odd_severities=tuple(sorted(odd.items())),
        )
    ]


Kept = tuple[GrypeMatch, SetAside | None]
"""A match, and why Grype left it out, if its user told it so."""


def _kept(matches: Sequence[GrypeMatch], own_reasons: Collection[str]) -> Iterator[Kept]:
    """Yield the matches without those that Grype leaves out by its own knowledge."""
    for match in matches:
        set_aside = None
        if isinstance(match, GrypeIgnoredMatch):
            rules = items(match.applied_ignore_rules)
            foreign = [rule for rule in rules if not _is_own_knowledge(rule, own_reasons)]
            if rules and not foreign:
                continue
            set_aside = _set_aside(foreign)
        yield match, set_aside


def _kinds(kept: Sequence[Kept]) -> Iterator[str]:
    """Yield the kinds of the packages that match, as far as they are known."""
    for match, _ in kept:
        artifact = mapping(match.artifact)
        if ecosystem(artifact.get("type")):
            yield package_class(artifact.get("type"))


def keys_read(report: GrypeReport) -> Occurrences:
    matches = [*(report.matches or ()), *(report.ignored_matches or ())]
    vulnerabilities = [match.vulnerability for match in matches]
    related = [entry for match in matches for entry in items(match.related_vulnerabilities)]
    rules = [rule for match in report.ignored_matches or () for rule in items(match.applied_ignore_rules)]
    return {
        "matches": 1,
        "ignoredMatches": report.ignored_matches is not None,
        "vulnerability": len(matches) + in_objects("vulnerability", rules),
        "artifact": sum(match.artifact is not None for match in matches),
        "id": len(matches)
        + in_objects("id", related)
        + in_objects("id", (mapping(match.artifact) for match in matches)),
        "severity": sum(vulnerability.severity is not None for vulnerability in vulnerabilities)
        + in_objects("severity", related),
        "versions": in_objects("versions", (mapping(vulnerability.fix) for vulnerability in vulnerabilities)),
    }


def _findings(kept: Sequence[Kept], odd: Counter[str]) -> Iterator[Finding]:
    """Yield the findings, and count unknown severities in `odd`."""
    for match, set_aside in kept:
        vulnerability, artifact = match.vulnerability, mapping(match.artifact)
        written = text(vulnerability.id)
        related = tuple(text(entry.get("id")) for entry in items(match.related_vulnerabilities))
        name, aliases = identity(written, related)
        pkg, installed = text(artifact.get("name")), text(artifact.get("version"))
        fixes = [*filter(None, map(fix, texts(mapping(vulnerability.fix).get("versions"))))]
        places = (text(place.get("path")) for place in items(artifact.get("locations")))
        yield Finding(
            id=name,
            severity=counted_severity(vulnerability.severity, odd, _WORDS),
            pkg=pkg,
            installed=installed,
            fixed=", ".join(fixes) or fix(vulnerability.fixed_in_version),
            title=title(vulnerability.description),
            url=first_link(vulnerability.data_source, *texts(vulnerability.urls)) or advisory(written),
            target=next(filter(None, places), ""),
            aliases=aliases,
            purl=text(artifact.get("purl")) or named_package(artifact.get("type"), pkg, installed),
            set_aside=set_aside,
        )


def _is_own_knowledge(rule: Mapping[str, object], own_reasons: Collection[str]) -> bool:
    """Whether it is a built-in rule of Grype for packages that are not vulnerable.

    Kernel headers match vulnerabilities of the kernel, which is not in the image.
    """
    package = mapping(rule.get("package"))
    if rule.get("match-type") == "exact-indirect-match" and package.get("upstream-name"):
        return not rule.get("vulnerability") and bool(_HEADERS.fullmatch(text(package.get("name"))))
    return text(rule.get("reason")) in own_reasons


def _set_aside(rules: Sequence[Mapping[str, object]]) -> SetAside:
    """Return the reason why a match is left out. Rules from VEX documents take precedence."""
    for rule in rules:
        status = rule.get("vex-status")
        if status == "not_affected" or status == "fixed":
            return SetAside(status, text(rule.get("vex-justification")), _source(rule))
    rule = next(iter(rules), {})
    return SetAside("ignored", title(rule.get("reason")), _source(rule))


def _source(rule: Mapping[str, object]) -> str:
    return "vex" if rule.get("namespace") == "vex" else "Grype"


FORMAT = ReportFormat(
    word="grype",
    name="Grype",
    page="https://github.com/anchore/grype",
    what="`--output json`",
    keys=("matches",),
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    keys_read=keys_read,
    sample=b"""{"source": {"type": "image", "target": {"userInput": "ghcr.io/acme/web:1"}}, "matches": [{
        "vulnerability": {"id": "CVE-2026-0001", "severity": "High", "fix": {"versions": ["1.3"]}},
        "artifact": {"name": "zlib", "version": "1.2"}}]}""",
)
