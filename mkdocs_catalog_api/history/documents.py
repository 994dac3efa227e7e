"""The documents of a history: path below `api/v1/` and body, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from ..api.addresses import CHANGES, HISTORY, Addresses, changes, image_history
from ..api.structs.fields import Document
from ..api.structs.history import ChangedDay, Changes, ChangesLinks, DayChanges, HistoryIndex, ImageHistory
from .days import Folder
from .statistics import RecordedDay, Statistics


class History:
    """The documents of a history that has a day; first `days` is read to its end, then the rest is known."""

    def __init__(self, folder: Folder, at: Addresses) -> None:
        self._dates, self._at = folder.dates, at
        self._statistics = Statistics(folder)

    def days(self) -> Iterator[tuple[str, DayChanges | Changes | HistoryIndex]]:
        """What changed on each day, oldest first; then all days, and the figures of all days.

        Raises:
            CatalogError: at the first day that is not in order.
        """
        listed: list[ChangedDay] = []
        for position, day in enumerate(self._statistics.days()):
            path = changes(day.date)
            yield path, _changes(day, self._links(position))
            listed.append(ChangedDay(day.date, self._at.api(path), day.counts))
        listed.reverse()
        yield CHANGES, Changes("v1", "changes", len(listed), listed)
        figures, head = self._statistics.figures, self._statistics.head
        times = self._statistics.time_to_fix
        yield HISTORY, HistoryIndex("v1", "history", head, len(figures), figures, times)

    def slugs(self) -> list[str]:
        """Of every image that ever was, in order."""
        return self._statistics.slugs()

    def image(self, slug: str) -> ImageHistory:
        """The history of one of these images."""
        return ImageHistory("v1", "history", slug, *self._statistics.image(slug))

    def close(self) -> None:
        """Forget everything."""
        self._statistics.close()

    def _links(self, position: int) -> ChangesLinks:
        def link(at: int) -> str | None:
            return self._at.api(changes(self._dates[at])) if 0 <= at < len(self._dates) else None

        return ChangesLinks(link(position - 1), link(position + 1), self._at.api(CHANGES))


def documents(folder: Folder, at: Addresses) -> Iterator[tuple[str, Document]]:
    """Every document; none when no day is recorded.

    Raises:
        CatalogError: the history is not in order; some documents may have been handed out before.
    """
    if not folder.dates:
        return
    with closing(History(folder, at)) as history:
        yield from history.days()
        for slug in history.slugs():
            yield image_history(slug), history.image(slug)


def _changes(day: RecordedDay, links: ChangesLinks) -> DayChanges:
    total = sum(day.counts.values())
    return DayChanges("v1", "changes", day.date, links, total, day.counts, day.events)
