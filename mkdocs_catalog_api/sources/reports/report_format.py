"""What a report format is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...catalog.scans import Scan


class ReportFormat(NamedTuple):
    """One format of reports: everything that the program, its tests and the guide know about it."""

    word: str
    """The scanner in the setting `scanners`. A format that carries another scanner's reports has its word."""
    name: str
    """For people: in the JSON, in messages and in the guide."""
    page: str
    """Address of a page about it."""
    what: str
    """What is read, as Markdown for the guide."""
    decode: Callable[[bytes], Any]
    """Strict in lists, rows and ids, which a report stands or falls with; all else may be of any type."""
    recognizes: Callable[[Any], bool]
    """Whether a decoded document has this format."""
    read: Callable[[Any], list[Scan]]
    """Raises `ReportError` for a document that has the format's shape but cannot be counted on."""
    sample: bytes
    """The shortest report of a high CVE-2026-0001 in zlib 1.2, fixed in 1.3, of ghcr.io/acme/web:1."""
