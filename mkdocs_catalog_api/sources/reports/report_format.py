"""The definition of a report format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...catalog.scans import Scan


class ReportFormat(NamedTuple):
    """A report format, with all data for the program, the tests and the guide."""

    word: str
    """Name in the setting `scanners`. A format with reports of another scanner has the name of that one."""
    name: str
    """Display name in the JSON, in messages and in the guide."""
    page: str
    """URL of its documentation."""
    what: str
    """The supported input, as Markdown for the guide."""
    keys: tuple[str, ...]
    """Keys of a report that no other format has; none if it is a map of other reports."""
    decode: Callable[[bytes], Any]
    """Decodes a report. Lists, rows and ids are essential and checked; other values may have any type."""
    recognizes: Callable[[Any], bool]
    """Whether a decoded document has this format."""
    read: Callable[[Any], list[Scan]]
    """Reads a decoded report. Raises `ReportError` if it is not reliable."""
    sample: bytes
    """The shortest report of a high CVE-2026-0001 in zlib 1.2, fixed in 1.3, of ghcr.io/acme/web:1."""
