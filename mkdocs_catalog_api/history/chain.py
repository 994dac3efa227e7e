"""Operations on a whole history: replay, verification, the next day, and chaining the days again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from ..catalog.events import AnyEvent
from ..catalog.history import RecordedFigures
from ..problems import CatalogError, Problem, Problems
from ..problems.codes import Code
from .days import REBUILD, Day, Folder, refused
from .state import ReplayError, Seen, State, apply, differences


class Recorded(NamedTuple):
    """Result of writing a day."""

    date: str
    sha256: str
    events: int


def follow(day: Day, state: State) -> None:
    """Apply the events of a day to the state.

    Raises:
        CatalogError: an event contradicts the state.
    """
    for line, event in enumerate(day.events, 2):
        try:
            apply(state, event)
        except ReplayError as error:
            message = f"contradicts the days before: {error}"
            raise refused(day.label, line, message, REBUILD) from None


def replay(folder: Folder, *, before: str | None = None) -> tuple[State, str | None]:
    """Return the state at the end, or before a date, and the hash of the last day; None without a day.

    Raises:
        CatalogError: a day is damaged or does not follow the day before; the first one is reported.
    """
    state: State = {}
    previous: str | None = None
    for day in folder.days(before=before):
        follow(day, state)
        previous = day.sha256
    return state, previous


def record(
    folder: Folder, date: str, snapshot: Iterable[Seen], figures: RecordedFigures | None = None
) -> Recorded:
    """Write a day with the changes up to this snapshot; if it is the last recorded day, replace it.

    Raises:
        CatalogError: a later day is recorded, or a day before is damaged.
        OSError: the day can't be written.
    """
    if folder.dates and date < folder.dates[-1]:
        message = f"{date} is before {folder.dates[-1]}, the last recorded day"
        hint = "omit `--date` to record today, or use a later date"
        raise CatalogError(Problems([Problem(folder.label, 0, 0, "", message, hint, code=Code.DAY)]))
    state, previous = replay(folder, before=date)
    return append(folder, date, previous, state, snapshot, figures)


def append(
    folder: Folder,
    date: str,
    previous: str | None,
    state: State,
    snapshot: Iterable[Seen],
    figures: RecordedFigures | None = None,
) -> Recorded:
    """Write a day after the one with the hash `previous`; `state` is the state at the end of that one.

    Raises:
        OSError: the day can't be written.
    """
    changes = differences(state, snapshot, baseline=previous is None)
    return Recorded(date, *folder.write(date, previous, figures, changes))


def hashes(folder: Folder) -> list[tuple[str, str]]:
    """Return date and SHA-256 of each day.

    Raises:
        CatalogError: a day is damaged or does not follow the day before; the first one is reported.
    """
    return [(day.date, day.sha256) for day in folder.days()]


def copy(source: Folder, to: Folder) -> int:
    """Copy all days into a folder that has none of them, or the first ones; return the number of events.

    Raises:
        OSError: a day can't be written.
    """
    previous: str | None = None
    events = 0
    for day in source.days():
        previous, count = to.write(day.date, previous, day.figures, day.events)
        events += count
    return events


def rebuild(folder: Folder) -> tuple[int, int]:
    """Chain the days again, and leave out events that change nothing after the days before.

    Returns the number of days that changed, and of events that were left out.

    Raises:
        CatalogError: a file is not in the form that `record` writes; no day was changed.
        OSError: a day can't be written.
    """
    # Read every day before the first write, so that a damaged one leaves all files as they are.
    dropped = sum(len(day.events) for day in folder.days(chained=False))
    state: State = {}
    previous: str | None = None
    changed = 0
    for day in folder.days(chained=False):
        previous, kept = folder.write(day.date, previous, day.figures, _fitting(day, state))
        changed += previous != day.sha256
        dropped -= kept
    return changed, dropped


def _fitting(day: Day, state: State) -> Iterator[AnyEvent]:
    """Apply the events of a day that do not contradict the state, and yield them."""
    for event in day.events:
        with suppress(ReplayError):
            apply(state, event)
            yield event
