"""Replay of the recorded days, and the next day after them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..catalog.events import AnyEvent
from ..catalog.history import RecordedFigures
from ..problems import CatalogError, Level, Problem, Problems
from ..problems.codes import Code
from .days import Day, Folder
from .state import ReplayError, Seen, State, apply, differences


class Recorded(NamedTuple):
    """Result of writing a day."""

    date: str
    events: int


def follow(day: Day, state: State, problems: Problems) -> list[AnyEvent]:
    """Apply the events of a day to the state, and return those that fit.

    The others are warnings: after a merge of two histories, a day may repeat or contradict earlier days.
    """
    fitting = []
    for line, event in enumerate(day.events, 2):
        try:
            apply(state, event)
            fitting.append(event)
        except ReplayError as error:
            message = f"not used: the event contradicts the days before: {error}"
            hint = "expected after a merge of two histories; else restore the days from git"
            group = "events that contradict the days before (expected after a merge of two histories)"
            problems.add(
                Problem(
                    *(day.label, line, 0, "", message, hint, Level.WARNING), code=Code.HISTORY, group=group
                )
            )
    return fitting


def record(
    folder: Folder,
    date: str,
    snapshot: Iterable[Seen],
    problems: Problems,
    figures: RecordedFigures,
) -> Recorded:
    """Write a day with the changes up to this snapshot; if it is the last recorded day, replace it.

    Raises:
        CatalogError: a later day is recorded, or a day before is damaged.
        OSError: the day can't be written.
    """
    if folder.dates and date < folder.dates[-1]:
        message = f"{date} is before {folder.dates[-1]}, the last recorded day"
        hint = "omit `--date` to record today, or use a later date"
        raise CatalogError(Problems([Problem(folder.label, 0, 0, "", message, hint, code=Code.HISTORY)]))
    state: State = {}
    for day in folder.days(before=date):
        follow(day, state, problems)
    baseline = not folder.dates or folder.dates[0] == date
    return Recorded(date, folder.write(date, figures, differences(state, snapshot, baseline=baseline)))
