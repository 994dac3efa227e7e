"""The history while a catalog is written: its days first, then that of each image with the image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..api.addresses import Addresses, image_history
from ..api.structs.fields import Document
from ..api.structs.history import DayChanges, HistoryIndex, ImageHistory
from .days import Folder
from .documents import History


class Past:
    """What a build publishes of its recorded days; without any, nothing."""

    def __init__(self, folder: Folder | None, at: Addresses) -> None:
        self._history = History(folder, at) if folder and folder.dates else None
        self._slugs: dict[str, None] = {}
        self.index: HistoryIndex | None = None
        """Known at the end of `days`."""

    @property
    def last(self) -> str | None:
        """The last recorded day."""
        return self.index.head.date if self.index else None

    def days(self, on_day: Callable[[DayChanges], None]) -> Iterator[tuple[str, Document]]:
        """Path and body of the documents of the days; `on_day` is shown each of them.

        Raises:
            CatalogError: the history is not in order.
        """
        if self._history is None:
            return
        for path, document in self._history.days():
            if isinstance(document, DayChanges):
                on_day(document)
            elif isinstance(document, HistoryIndex):
                self.index = document
            yield path, document
        self._slugs = dict.fromkeys(self._history.slugs())

    def image(self, slug: str) -> ImageHistory | None:
        """The history of an image; None when no day knows it."""
        return self._history.image(slug) if self._history and slug in self._slugs else None

    def others(self, written: Iterable[str]) -> Iterator[tuple[str, ImageHistory]]:
        """Path and body of the history of each image that is not in the catalog any more."""
        if self._history is None:
            return
        for slug in written:
            self._slugs.pop(slug, None)
        for slug in self._slugs:
            yield image_history(slug), self._history.image(slug)
        self._history.close()
