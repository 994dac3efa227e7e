"""The documents of a history: path below `api/v1/` and body, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from .days import Folder
from .statistics import Happened, Statistics
from .structs import ChangedDay, Changes, ChangesLinks, DayChanges, Document, HistoryIndex, ImageHistory

CHANGES = "changes.json"
HISTORY = "history/index.json"


def changes_path(date: str) -> str:
    return f"changes/{date}.json"


def image_path(slug: str) -> str:
    return f"history/{slug}.json"


def documents(folder: Folder, base: str) -> Iterator[tuple[str, Document]]:
    """Every document; none when no day is recorded. `base` is where the API begins: mount path and `/api/v1`.

    Raises:
        CatalogError: the history is not in order; some documents may have been handed out before.
    """
    dates = folder.dates
    if not dates:
        return
    with closing(Statistics(folder)) as statistics:
        yield from _documents(dates, statistics, base)


def _documents(dates: list[str], statistics: Statistics, base: str) -> Iterator[tuple[str, Document]]:
    listed: list[ChangedDay] = []
    for position, day in enumerate(statistics.days()):
        path = changes_path(day.date)
        yield path, _changes(day, _links(dates, position, base))
        listed.append(ChangedDay(day.date, f"{base}/{path}", day.counts))
    listed.reverse()
    yield CHANGES, Changes("v1", "changes", len(listed), listed)
    figures = statistics.figures
    times = statistics.time_to_fix
    yield HISTORY, HistoryIndex("v1", "history", statistics.head, len(figures), figures, times)
    for slug, entries, vulnerabilities in statistics.images():
        yield image_path(slug), ImageHistory("v1", "history", slug, entries, vulnerabilities)


def _changes(day: Happened, links: ChangesLinks) -> DayChanges:
    total = sum(day.counts.values())
    return DayChanges("v1", "changes", day.date, links, total, day.counts, day.events)


def _links(dates: list[str], position: int, base: str) -> ChangesLinks:
    def link(at: int) -> str | None:
        return f"{base}/{changes_path(dates[at])}" if 0 <= at < len(dates) else None

    return ChangesLinks(link(position - 1), link(position + 1), f"{base}/{CHANGES}")
