"""Grade and score of a set of vulnerability rows, in exact arithmetic."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import floor

from tests.contract.api import Json

WEIGHTS = {"CRITICAL": 40, "HIGH": 10, "MEDIUM": 4, "LOW": 1, "UNKNOWN": 1}
BANDS = {"A": (95, 99), "B": (80, 94), "C": (60, 79), "D": (40, 59), "F": (0, 39)}
WORST = {"CRITICAL": "F", "HIGH": "D", "MEDIUM": "C", "LOW": "B", "UNKNOWN": "B"}

# How many rows there are of a severity, with a fix and without.
Load = Counter[tuple[str, bool]]


def load(rows: Iterable[Json]) -> Load:
    return Counter((row["severity"], row["fixed"] != "") for row in rows)


def grade(rows: Load, end_of_life: bool) -> tuple[str | None, int | float | None]:
    """The grade and the score; both None when an A+ or A is withheld from a system past its end of life."""
    worst = next((severity for severity in WEIGHTS if rows[severity, True] or rows[severity, False]), None)
    if worst is None:
        return (None, None) if end_of_life else ("A+", 100)
    letter = WORST[worst]
    if letter == "B" and not any(count for (_, fixable), count in rows.items() if fixable):
        letter = "A"
    if letter == "A" and end_of_life:
        return None, None
    weight = sum(Fraction(WEIGHTS[severity] * n, 1 if fix else 2) for (severity, fix), n in rows.items())
    low, high = BANDS[letter]
    tenths = floor(10 * (low + (high - low) * Fraction(20) / (20 + weight)))
    return letter, tenths // 10 if tenths % 10 == 0 else tenths / 10
