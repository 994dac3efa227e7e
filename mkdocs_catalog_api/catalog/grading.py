"""Grade and score of a release, from how many vulnerabilities of each severity it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

Grade = Literal["A+", "A", "B", "C", "D", "F"]
GRADES: tuple[Grade, ...] = get_args(Grade)
"""Best first."""

_WEIGHTS = (40, 10, 4, 1, 1)  # in the order of SEVERITIES, like every tuple here
_Band = tuple[Grade, int, int]
_BANDS: tuple[_Band, ...] = (("F", 0, 39), ("D", 40, 59), ("C", 60, 79), ("B", 80, 94), ("B", 80, 94))
_UNFIXABLE_LOW: _Band = ("A", 95, 99)
_WORST_OF_A = 3


def grade(fixable: Sequence[int], unfixable: Sequence[int]) -> tuple[Grade, float]:
    """Letter and score for the counts of rows with and without a fix, each in the order of `SEVERITIES`.

    The worst row sets the band, the load of all rows the place in it:
    score = low + (high − low) · 20 / (20 + load), rounded down to one decimal, where a row weighs 40, 10,
    4, 1 or 1 by its severity and half of that without a fix. A whole score is an `int`, so that JSON shows
    the shortest number: `100`, `93.3`.
    """
    rows = [with_fix + without for with_fix, without in zip(fixable, unfixable, strict=True)]
    if not any(rows):
        return "A+", 100
    worst = next(severity for severity, count in enumerate(rows) if count)
    letter, low, high = _BANDS[worst]
    if worst >= _WORST_OF_A and not any(fixable):
        letter, low, high = _UNFIXABLE_LOW
    doubled_load = sum(
        weight * (2 * with_fix + without)
        for weight, with_fix, without in zip(_WEIGHTS, fixable, unfixable, strict=True)
    )
    tenths = 10 * low + 10 * (high - low) * 40 // (40 + doubled_load)
    return letter, tenths / 10 if tenths % 10 else tenths // 10
