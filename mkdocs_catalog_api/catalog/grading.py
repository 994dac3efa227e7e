"""Grade and score of a release, from its number of vulnerabilities by severity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

Grade = Literal["A+", "A", "B", "C", "D", "F"]
GRADES: tuple[Grade, ...] = get_args(Grade)
"""Best first."""


class Band(NamedTuple):
    """Letter → meaning."""

    letter: Grade
    low: int
    high: int
    says_hardly_anything_found: bool = False
    """Grades withheld if a scan is incomplete or its operating system gets no more advisories."""


class Grading(NamedTuple):
    """The grade of some rows."""

    band: Band
    score: float
    """Position in the band. A whole number is an `int`, so that JSON has the shortest form: `100`, `93.3`."""


CLEAN = Band("A+", 100, 100, says_hardly_anything_found=True)
_A = Band("A", 95, 99, says_hardly_anything_found=True)
_B, _C, _D, _F = Band("B", 80, 94), Band("C", 60, 79), Band("D", 40, 59), Band("F", 0, 39)
# By the severity of the worst row, in the order of SEVERITIES, like every tuple in this module.
WITH_FIX = (_F, _D, _C, _B, _B)
"""The band when any row has a fix."""
WITHOUT_FIX = (_F, _D, _C, _A, _A)
"""The band when none has."""
_WEIGHTS = (40, 10, 4, 1, 1)


def grade(fixable: Sequence[int], unfixable: Sequence[int]) -> Grading:
    """Grade the counts of rows with and without a fix, each in the order of `SEVERITIES`.

    The worst row sets the band, the load of all rows the position in it:
    score = low + (high − low) · 20 / (20 + load), rounded down to one decimal, where a row weighs 40, 10,
    4, 1 or 1 by its severity, and half of that without a fix.
    """
    rows = [with_fix + without for with_fix, without in zip(fixable, unfixable, strict=True)]
    if not any(rows):
        return Grading(CLEAN, CLEAN.high)
    worst = next(severity for severity, count in enumerate(rows) if count)
    band = (WITH_FIX if any(fixable) else WITHOUT_FIX)[worst]
    doubled_load = sum(
        weight * (2 * with_fix + without)
        for weight, with_fix, without in zip(_WEIGHTS, fixable, unfixable, strict=True)
    )
    tenths = 10 * band.low + 10 * (band.high - band.low) * 40 // (40 + doubled_load)
    return Grading(band, tenths / 10 if tenths % 10 else tenths // 10)
