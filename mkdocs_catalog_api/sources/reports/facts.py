"""What a reader gives back: scans, or the reason why there are none."""

from __future__ import annotations

from ...catalog.scans import SEVERITIES, Finding, Scan

__all__ = ["SEVERITIES", "Finding", "ReportError", "Scan"]


class ReportError(ValueError):
    """The bytes are not a report that can be read. `hint` says what would be."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
