"""A history as a whole: replay, proof, the next day, and a chain made anew."""

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
    """A day that was written."""

    date: str
    sha256: str
    events: int


def follow(day: Day, state: State) -> None:
    """Apply the events of a day to the state.

    Raises:
        CatalogError: an event can't follow what is known.
    """
    for line, event in enumerate(day.events, 2):
        try:
            apply(state, event)
        except ReplayError as error:
            message = f"this can't follow the days before: {error}"
            raise refused(day.label, line, message, REBUILD) from None


def replay(folder: Folder, *, before: str | None = None) -> tuple[State, str | None]:
    """What was known at the end, or before a date, and the hash of the last day; None when there is none.

    Raises:
        CatalogError: at the first day that is not in order.
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
    """Write the day on which this was seen and counted; the same day again replaces that day.

    Raises:
        CatalogError: a later day is recorded, or the days before are not in order.
        OSError: the day can't be written.
    """
    if folder.dates and date < folder.dates[-1]:
        message = f"{date} comes before {folder.dates[-1]}, the last day that is recorded"
        hint = "days are recorded in order: leave `--date` out, or give a later one"
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
    """Write a day after the one with the hash `previous`, at whose end the state was known.

    Raises:
        OSError: the day can't be written.
    """
    changes = differences(state, snapshot, baseline=previous is None)
    return Recorded(date, *folder.write(date, previous, figures, changes))


def hashes(folder: Folder) -> list[tuple[str, str]]:
    """Date and SHA-256 of each day.

    Raises:
        CatalogError: at the first day that is not in order.
    """
    return [(day.date, day.sha256) for day in folder.days()]


def copy(source: Folder, to: Folder) -> int:
    """Write all days of a history into a folder that has none, or the first of them; counts their events.

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
    """Chain the days that stand anew, and leave out events that say nothing after those of the days before.

    Returns how many days changed and how many events were left out.

    Raises:
        CatalogError: a file is not a day as `record` writes it; no day was changed.
        OSError: a day can't be written.
    """
    # All of it is read before anything is written.
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
    """The events of a day that can follow the state, each applied to it."""
    for event in day.events:
        with suppress(ReplayError):
            apply(state, event)
            yield event
