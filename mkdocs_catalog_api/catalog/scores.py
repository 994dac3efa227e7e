"""How likely vulnerabilities are exploited: the scores of EPSS (https://www.first.org/epss/)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple


class Score(NamedTuple):
    """How likely it is that a vulnerability is exploited, with the digits that the file gives."""

    epss: Decimal
    """Probability that it is exploited within 30 days, 0 … 1."""
    percentile: Decimal
    """Share of all vulnerabilities with the same score or a lower one, 0 … 1."""


class Scores(NamedTuple):
    """The scores of one day for the ids of a catalog."""

    score_date: str
    """`2025-08-25`."""
    model_version: str
    """`v2025.03.14`."""
    by_id: Mapping[str, Score]
