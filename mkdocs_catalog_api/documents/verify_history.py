"""What has to agree within the documents of a history, beyond what their types say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from ..catalog.scans import COUNTERS
from .structs.history import Changes, DayChanges, HistoryIndex, ImageHistory


def _changes(changes: Changes) -> Iterator[str]:
    yield from _ordered([day.date for day in changes.data][::-1], changes.total)


def _day(day: DayChanges) -> Iterator[str]:
    if day.total != sum(day.counts.values()):
        yield f"total is {day.total}, but the counts add up to {sum(day.counts.values())}"
    if len(day.data) != (day.total if day.links.prev else 0):
        yield f"data: {len(day.data)} events, where total says {day.total}"


def _index(index: HistoryIndex) -> Iterator[str]:
    yield from _ordered([day.date for day in index.data], index.total)
    if index.head.date != index.data[-1].date:
        yield f"head is {index.head.date}, not the last day"
    for day in index.data:
        if day.total != sum(getattr(day.by_severity, word) for word in COUNTERS):
            yield f"{day.date}: the severities do not add up to the total {day.total}"
        if sum(day.by_grade.values()) > day.scanned or day.scanned > day.images:
            yield f"{day.date}: more images are graded than scanned, or scanned than there are"


def _image(image: ImageHistory) -> Iterator[str]:
    yield from _ordered([entry.date for entry in image.figures], len(image.figures))
    for entry in image.figures:
        counters = [getattr(entry, word) for word in COUNTERS]
        if not entry.scanned:
            if any(value is not None for value in (*counters, entry.total, entry.suppressed, entry.grade)):
                yield f"{entry.date}: not scanned, but with figures"
        elif None in counters or entry.total != sum(counters):
            yield f"{entry.date}: total is {entry.total}, but the severities are {counters}"
    for episode in image.vulnerabilities:
        fix = episode.reason in ("rebuilt", "superseded")
        if fix != (episode.fixed is not None) or fix != (episode.fixed_in is not None):
            yield f"{episode.id} ended by {episode.reason}, but fixed is {episode.fixed}"
        if (episode.days is not None) != (fix and not episode.baseline):
            yield f"{episode.id}: days is {episode.days}"


def _ordered(dates: list[str], total: int) -> Iterator[str]:
    if len(dates) != total:
        yield f"total is {total}, but there are {len(dates)} days"
    if dates != sorted({*dates}):
        yield "the days are not in order"


RULES: dict[type[Struct], Callable[[Any], Iterator[str]]] = {
    Changes: _changes,
    DayChanges: _day,
    HistoryIndex: _index,
    ImageHistory: _image,
}
