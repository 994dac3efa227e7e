"""Scans of images, independent of scanner and report format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from msgspec import Struct
from msgspec.structs import replace

from .contents import PackageList

Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The severities of the contract, worst first. In code, a severity is its index in this tuple."""
URGENT = SEVERITIES[:2]
"""Those of news, and of times to fix."""
COUNTERS = tuple(word.lower() for word in SEVERITIES)
"""Field names of their counts in documents."""


SetAsideStatus = Literal["not_affected", "fixed", "ignored"]


class SetAside(NamedTuple):
    """The reason why the scanner did not count a finding: a rule of its user, or a VEX document."""

    status: SetAsideStatus
    """A VEX status that suppresses, else `ignored`."""
    justification: str
    """The reason in the report; empty without one."""
    statement: str
    """The source of the rule, such as `.trivyignore`, else the scanner's name."""


class Finding(Struct, gc=False):
    """One raw finding: a vulnerability of one package in one scan target, its texts made safe."""

    id: str
    """Canonical id, as `ids.identity` chooses it."""
    severity: int
    """Index in `SEVERITIES`: 0 is CRITICAL, 4 is UNKNOWN."""
    pkg: str
    installed: str
    fixed: str
    """Fixed version or versions as in the report; empty without a fix."""
    title: str
    """At most 1,000 characters."""
    url: str
    """An http(s) address, or empty."""
    target: str
    aliases: tuple[str, ...] = ()
    """Every other id of its set, sorted."""
    purl: str = ""
    """Package URL of the package, made from its ecosystem and name if the report has none; empty if it is not
    known."""
    scan: int = 0
    """Position of its scan among those that count for one release; set on a copy where there are several."""
    set_aside: SetAside | None = None
    """None for a finding that the scanner counts."""


class Scanner(NamedTuple):
    """A scanner with readable reports; scanners sort by rank."""

    rank: int
    """Its position in the order of preference, from 0."""
    word: str
    """In the setting `scanners`."""
    name: str
    """For people."""


SBOM = Scanner(-1, "", "SBOM")
"""In the place of a scanner of what only lists packages: it joins like a scan, and is none."""
PACKAGES = frozenset({"os-pkgs", "lang-pkgs"})
"""The kinds of packages."""
Limit = Literal[
    "only-fixed",
    "only-notfixed",
    "ignore-wontfix",
    "exclude",
    "no-system-packages",
    "nothing-recognized",
    "unknown-distribution",
    "os-end-of-life",
]
_OPTION = "Grype ran with this option"
LIMITS: Mapping[Limit, str] = {
    "only-fixed": _OPTION,
    "only-notfixed": _OPTION,
    "ignore-wontfix": _OPTION,
    "exclude": _OPTION,
    "no-system-packages": "Trivy names an operating system, but has no result for its packages",
    "nothing-recognized": "the scanner found no operating system and no packages, or a hub has no result",
    "unknown-distribution": "Grype has no data on the distribution",
    "os-end-of-life": "the operating system gets no more advisories",
}
"""Word → why vulnerabilities may be missing, in the order in which they are published."""


class Coverage(NamedTuple):
    """Which image and packages a scan has covered, and its limits."""

    digests: frozenset[str] = frozenset()
    """Digests of the scanned image (manifest or index), `sha256:…`. Not the id of its configuration."""
    platform: str = ""
    """`os/arch[/variant]`; empty if not in the report."""
    manifest: str = ""
    """Digest of the platform's manifest. A local image can have another one than its registry has."""
    packages: frozenset[str] = PACKAGES
    """Kinds of packages with results; all if the format does not show them."""
    limits: frozenset[Limit] = frozenset()
    """Reasons why vulnerabilities may be missing."""
    found: frozenset[str] = frozenset()
    """Kinds of the packages that it lists, or in which it has a finding, as far as they are known."""

    @property
    def named(self) -> frozenset[str]:
        """Every digest that it names."""
        return self.digests | {self.manifest} if self.manifest else self.digests


class ImageName(NamedTuple):
    """A name of an image in a report, normalized."""

    repository: str
    tag: str | None
    """`latest` without any; None if there is only a digest."""
    with_host: bool = True
    """Whether it is written with a host, so with a dot or a port. Otherwise it may be of a local copy."""

    def __str__(self) -> str:
        return f"{self.repository}:{self.tag}" if self.tag else self.repository


class Scan(Struct, frozen=True, gc=False):
    """One scan of one image, or one SBOM: the content of its report, then its place."""

    scanner_version: str
    """Empty if not in the report."""
    scanned_at: str | None
    """UTC time to the second, `2026-11-20T06:00:00Z`."""
    references: tuple[str, ...]
    """Names of the scanned image as the report writes them, without duplicates, in the report's order."""
    coverage: Coverage
    os_end_of_life: bool | None
    """Whether the operating system in the image is no longer maintained, by the report; None if the report
    does not include this."""
    findings: tuple[Finding, ...]
    """Before deduplication."""
    inferred: bool = False
    """A hub lists the image as scanned, but has no result for it."""
    kind: str = ""
    """The scanner's word for the subject if it is not an image, such as `filesystem`. Empty for an image."""
    odd_severities: tuple[tuple[str, int], ...] = ()
    """Severities unknown for this scanner, each with its number of findings; empty for a missing one."""
    contents: PackageList | None = None
    """The packages that it lists; None if it lists none."""
    unread: tuple[tuple[str, int], ...] = ()
    """Entries of the report that are not findings, by kind, with their number."""
    fraction: str = ""
    """Digits of `scanned_at` after the second, without trailing zeros."""
    scanner: Scanner = Scanner(0, "", "")
    """The scanner; this and the fields below are set after the report has been read."""
    names: tuple[ImageName, ...] = ()
    """Those in its references."""
    file: str = ""
    """Report file, relative to the folder of mkdocs.yml."""
    path: str = ""
    """The same, relative to the reports folder."""
    position: int = 0
    """Position of the scan in its report, from 0."""
    alone: bool = True
    """Whether its path can name the release: the only scan in a report that is not from a hub."""
    of_hub: bool = False
    """Whether the report was fetched: it is in its chart's folder and lists the images of that version."""

    @property
    def is_sbom(self) -> bool:
        return self.scanner == SBOM

    @property
    def folder(self) -> str:
        """The reports folder with a slash, relative to the folder of mkdocs.yml."""
        return self.file.removesuffix(self.path)

    @property
    def place(self) -> tuple[str, int]:
        """Path and position: unique."""
        return self.path, self.position

    def naming(self, *digests: str) -> Scan:
        """The scan of an image that has these digests, too."""
        return replace(self, coverage=self.coverage._replace(digests=self.coverage.digests.union(digests)))

    @property
    def moment(self) -> tuple[str, str]:
        """The exact time, comparable with that of other scans; the smallest without one."""
        return self.scanned_at or "", self.fraction


_BRACKETS = re.compile(r" *[(\[].*")


def plain_platform(text: str) -> str:
    """The platform without what is in brackets, and without the v8 of arm64: every arm64 is a v8, and only
    some reports add it.
    """
    return _BRACKETS.sub("", text).replace("/arm64/v8", "/arm64")
