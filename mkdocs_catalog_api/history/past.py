"""The documents of a history, while a catalog is written: of its days first, then of each image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..catalog.addresses import CHANGES, HISTORY, Addresses, changes, image_history
from ..catalog.published import Document
from ..documents.structs.history import (
    ChangedDay,
    Changes,
    ChangesLinks,
    DayChanges,
    HistoryIndex,
    ImageHistory,
)
from .days import Folder
from .statistics import Statistics


class Past:
    """What a build publishes of its recorded days; without any, nothing."""

    def __init__(self, folder: Folder | None, at: Addresses) -> None:
        self._dates: Sequence[str] = folder.dates if folder else ()
        self._statistics = Statistics(folder) if folder and folder.dates else None
        self._at = at
        self._slugs: dict[str, None] = {}
        """Of every image that ever was, in order; known at the end of `days`, as is the index."""
        self.index: HistoryIndex | None = None

    @property
    def last(self) -> str | None:
        """The last recorded day."""
        return self.index.head.date if self.index else None

    def days(self, on_day: Callable[[DayChanges], None]) -> Iterator[tuple[str, Document]]:
        """Path below `api/v1/` and body: what changed on each day, oldest first; all days; their figures.

        `on_day` is shown what changed on each day.

        Raises:
            CatalogError: at the first day that is not in order.
        """
        found = self._statistics
        if found is None:
            return
        listed: list[ChangedDay] = []
        for position, (date, counts, events) in enumerate(found.days()):
            path, total = changes(date), sum(counts.values())
            changed = DayChanges("v1", "changes", date, self._links(position), total, counts, events)
            on_day(changed)
            yield path, changed
            listed.append(ChangedDay(date, self._at.api(path), counts))
        yield CHANGES, Changes("v1", "changes", len(listed), listed[::-1])
        self._slugs = dict.fromkeys(found.slugs())
        self.index = HistoryIndex(
            "v1", "history", found.head, len(found.figures), found.figures, found.time_to_fix
        )
        yield HISTORY, self.index

    def _links(self, position: int) -> ChangesLinks:
        def link(at: int) -> str | None:
            return self._at.api(changes(self._dates[at])) if 0 <= at < len(self._dates) else None

        return ChangesLinks(link(position - 1), link(position + 1), self._at.api(CHANGES))

    def image(self, slug: str) -> ImageHistory | None:
        """The history of an image; None when no day knows it."""
        if self._statistics is None or slug not in self._slugs:
            return None
        return ImageHistory("v1", "history", slug, *self._statistics.image(slug))

    def others(self, written: Iterable[str]) -> Iterator[tuple[str, ImageHistory]]:
        """Path and body of the history of each image that is not in the catalog any more."""
        for slug in written:
            self._slugs.pop(slug, None)
        for slug in self._slugs:
            if document := self.image(slug):
                yield image_history(slug), document
        if self._statistics:
            self._statistics.close()
