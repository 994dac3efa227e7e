"""What a scan found in one image, whichever scanner made it and whatever its report looked like."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from msgspec import Struct

Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The words of the contract, worst first. Inside, a severity is its index in this tuple."""
COUNTERS = tuple(word.lower() for word in SEVERITIES)
"""What documents call the number of each."""


class Finding(Struct, gc=False):
    """One raw finding: a vulnerability of one package in one scan target, its texts made safe."""

    id: str
    """Canonical id: a CVE id, else the one CVE among the aliases, else the id as the scanner wrote it."""
    severity: int
    """Index in `SEVERITIES`: 0 is CRITICAL, 4 is UNKNOWN."""
    pkg: str
    installed: str
    fixed: str
    """Version or versions that mend it as the scanner wrote them; empty when there is no fix."""
    title: str
    """At most 1,000 characters."""
    url: str
    """An http(s) address, or empty."""
    target: str
    aliases: tuple[str, ...] = ()
    """Every other id of the same vulnerability, sorted."""
    purl: str = ""
    """Package URL of the package, when the scanner gives one."""
    ecosystem: str = ""
    """The type that a package URL of the package has, `deb` or `npm`; empty when the report does not say."""
    scan: int = 0
    """Position of its scan among those that count for one release; set on a copy where there are several."""


class Scanner(NamedTuple):
    """A scanner whose reports can be read; they sort by rank."""

    rank: int
    """Its place in the order of preference, from 0."""
    word: str
    """In the setting `scanners`."""
    name: str
    """For people."""


class Scan(Struct, frozen=True, gc=False):
    """One scan of one image: what its report contains, then where the report is."""

    scanner_version: str
    """Empty when the report does not say."""
    scanned_at: str | None
    """UTC time to the second, `2026-11-20T06:00:00Z`."""
    references: tuple[str, ...]
    """Names of the scanned image as the report writes them, without duplicates, in the report's order."""
    digests: frozenset[str]
    """Digests of the scanned image (manifest or index), `sha256:…`. Not the id of its configuration."""
    platform: str
    """`os/arch[/variant]`, empty when the report does not say."""
    os_end_of_life: bool | None
    """The scanner says that the operating system in the image is no longer maintained; None when it does not
    say whether it is."""
    findings: tuple[Finding, ...]
    """Before deduplication."""
    inferred: bool = False
    """A hub lists the image as scanned without reporting on it, so nothing was found."""
    kind: str = ""
    """What was scanned, if no image, in the scanner's own word, such as `filesystem`. Empty for an image."""
    system_only_named: bool = False
    """The report names the operating system, but not one result of a look at its packages."""
    fraction: str = ""
    """Digits of `scanned_at` after the second, without trailing zeros."""
    package_classes: frozenset[str] = frozenset()
    """Kinds of packages that the report covers, `os-pkgs` and `lang-pkgs`, as far as it shows them."""
    scanner: Scanner = Scanner(0, "", "")
    """What made the report; like all that follows, set by whoever had it read."""
    names: tuple[tuple[str, str | None], ...] = ()
    """Normalized (repository, tag) of each reference; the tag is None if there is only a digest."""
    unreadable: tuple[str, ...] = ()
    """The references that can't be parsed."""
    file: str = ""
    """The report, relative to the folder of mkdocs.yml."""
    path: str = ""
    """The same below the reports folder."""
    position: int = 0
    """Of the scan in its report, from 0."""
    alone: bool = True
    """Whether its path can name the release: it is the only scan of a report that no hub sent."""
    of_hub: bool = False
    """Whether the report was fetched: it is in its chart's folder and lists the images of that version."""

    @property
    def place(self) -> tuple[str, int]:
        """Path and position, which no other scan has."""
        return self.path, self.position

    @property
    def moment(self) -> tuple[str, str]:
        """The exact time, which compares with that of other scans; the smallest without one."""
        return self.scanned_at or "", self.fraction


def plain_platform(text: str) -> str:
    """The platform without the v8 of arm64, as every arm64 is a v8 and only some reports add it."""
    return text.replace("/arm64/v8", "/arm64")
