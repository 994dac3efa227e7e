"""What a reader takes from a scanner's report, whatever the format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")
"""The words of the contract, worst first. Inside, a severity is its index in this tuple."""


class Finding(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class Scan:
    """One scan of one image."""

    scanner: str
    """The word used in the setting `scanners`: trivy, grype, harbor or osv."""
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
    os_end_of_life: bool
    """The scanner says that the operating system in the image is no longer maintained."""
    findings: tuple[Finding, ...]


class ReportError(ValueError):
    """The bytes are not a report that can be read. `hint` says what would be."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
