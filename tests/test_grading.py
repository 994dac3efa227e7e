"""Grades: nothing worse scores better. The figures are the oracle's."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.grading import CLEAN, GRADES, WITH_FIX, WITHOUT_FIX, grade

counts = st.lists(st.integers(0, 3) | st.integers(0, 100_000), min_size=5, max_size=5)


@given(counts, counts, st.integers(0, 4), st.integers(0, 4), st.booleans())
def test_what_gets_worse_never_raises_the_score(
    fixable: list[int], unfixable: list[int], one: int, other: int, with_fix: bool
) -> None:
    """A new row, then a higher severity, then a fix."""
    scores = [grade(fixable, unfixable).score]
    of_kind = fixable if with_fix else unfixable
    of_kind[max(one, other)] += 1
    scores.append(grade(fixable, unfixable).score)
    of_kind[max(one, other)] -= 1
    of_kind[min(one, other)] += 1
    scores.append(grade(fixable, unfixable).score)
    of_kind[min(one, other)] -= 1
    fixable[min(one, other)] += 1
    scores.append(grade(fixable, unfixable).score)
    assert scores == sorted(scores, reverse=True)


def test_every_letter_has_one_band_that_some_row_leads_to_and_they_do_not_overlap() -> None:
    bands = sorted({CLEAN, *WITH_FIX, *WITHOUT_FIX}, key=lambda band: -band.high)
    assert [band.letter for band in bands] == [*GRADES]
    assert all(worse.high < band.low for band, worse in pairwise(bands))
