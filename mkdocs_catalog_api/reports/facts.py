"""What a reader gives back: scans, or the reason why there are none."""

from __future__ import annotations

from ..catalog.scans import SEVERITIES, Finding, Scan

__all__ = ["SEVERITIES", "Finding", "ReportError", "Scan"]


class ReportError(ValueError):
    """The bytes are not a report that can be read. `hint` says what would be.

    `line` and `column` are those of the file, from 1; 0 when it is no place in it that is wrong.
    """

    def __init__(self, message: str, hint: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.hint, self.line, self.column = hint, line, column
