"""One pass over a history: the figures of each day, and those and the vulnerabilities of each image.

Memory holds what is open at one time. What has ended waits until its image is written: a little of it in
memory, more on the disk.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from operator import add, sub
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, get_args

import msgspec
from msgspec.structs import astuple

from ..catalog.events import AnyEvent
from ..catalog.grading import GRADES
from ..catalog.published import Counters
from ..catalog.scans import SEVERITIES
from ..documents.structs.history import DayFigures, Episode, Head, ImageFigures, TimeToFix
from .chain import follow
from .days import Day, Folder
from .episodes import Fixes, ImageEpisodes
from .snapshot import Image, State

if TYPE_CHECKING:
    import sqlite3

_KINDS = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
_Counts: TypeAlias = tuple[int, ...]
"""Open ones of each severity, suppressed ones, images, releases, scanned images, images of each grade."""
_NONE: _Counts = (0,) * (9 + len(GRADES))
_MOST_IN_MEMORY = 50_000
_ENCODER = msgspec.json.Encoder()
_FIGURES = msgspec.json.Decoder(ImageFigures)
_EPISODE = msgspec.json.Decoder(Episode)


class RecordedDay(NamedTuple):
    """What a recorded day was."""

    date: str
    counts: dict[str, int]
    """Kind of event → how many, by kind."""
    events: list[AnyEvent]
    """Empty on the first day."""


class Statistics:
    """The figures of a history that has a day; first `days` is read to its end, then the rest is known."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._state: State = {}
        self._episodes: dict[str, ImageEpisodes] = defaultdict(ImageEpisodes)
        self._figures: dict[str, ImageFigures] = {}
        self._counts: dict[str, _Counts] = {}
        self._sums = _NONE
        """Of the counts of all images."""
        self._fixes = Fixes(folder.dates[-1])
        self._ended: dict[str, list[ImageFigures | Episode]] = defaultdict(list)
        """Slug → what waits in memory."""
        self._disk: sqlite3.Connection | None = None
        self.figures: list[DayFigures] = []
        """Of each day, oldest first."""
        self.head: Head

    @property
    def time_to_fix(self) -> TimeToFix:
        return self._fixes.times()

    def days(self) -> Iterator[RecordedDay]:
        """Each recorded day, oldest first.

        Raises:
            CatalogError: at the first day that is not in order.
        """
        return map(self._day, self._folder.days())

    def _day(self, day: Day) -> RecordedDay:
        counts: Counter[str] = Counter()
        touched: dict[str, None] = {}
        kept: list[AnyEvent] = []
        for event in follow(day, self._state):
            counts[_KINDS[type(event)]] += 1
            touched[event.slug] = None
            if self.figures:  # not on the first day
                kept.append(event)
            if ended := self._episodes[event.slug].add(day.date, event):
                self._ended[event.slug].append(ended)
        for slug in touched:
            self._close(day.date, slug)
        if sum(map(len, self._ended.values())) > _MOST_IN_MEMORY:
            self._move_to_disk()
        self.figures.append(_day_figures(day.date, self._sums))
        self.head = Head(day.date, day.sha256)
        return RecordedDay(day.date, dict(sorted(counts.items())), kept)

    def _close(self, date: str, slug: str) -> None:
        """Bring the sums and the image's own figures to the end of a day on which it changed."""
        image = self._state.get(slug)
        for severity, since in self._episodes[slug].close_day(image):
            self._fixes.add(date, severity, since)
        if image is None:
            del self._episodes[slug]
        counts = _counts(image) if image else _NONE
        earlier = self._counts.get(slug, _NONE)
        if counts != earlier:
            self._counts[slug] = counts
            self._sums = tuple(map(sub, map(add, self._sums, counts), earlier))
        before, now = self._figures.get(slug), _figures(date, image, counts)
        if before is None or astuple(before)[1:] != astuple(now)[1:]:
            self._ended[slug].append(now)
            self._figures[slug] = now

    def _move_to_disk(self) -> None:
        import sqlite3

        if self._disk is None:
            self._disk = sqlite3.connect("")  # on the disk, and gone when it is closed
            self._disk.execute("CREATE TABLE ended (slug TEXT, figures INTEGER, entry BLOB)")
        rows = (
            (slug, isinstance(entry, ImageFigures), _ENCODER.encode(entry))
            for slug, entries in self._ended.items()
            for entry in entries
        )
        self._disk.executemany("INSERT INTO ended VALUES (?, ?, ?)", rows)
        self._ended.clear()

    def slugs(self) -> list[str]:
        """Of every image that ever was, in order."""
        if self._disk:
            self._disk.execute("CREATE INDEX IF NOT EXISTS by_slug ON ended (slug)")
        return sorted(self._figures)

    def image(self, slug: str) -> tuple[list[ImageFigures], list[Episode]]:
        """Figures of an image, oldest first, and its vulnerabilities, newest first."""
        figures, episodes = [], []
        for entry in (*self._on_disk(slug), *self._ended.get(slug, ())):
            if isinstance(entry, ImageFigures):
                figures.append(entry)
            else:
                episodes.append(entry)
        if slug in self._state:
            episodes += self._episodes[slug].still_open(self._state[slug])
        episodes.sort(key=lambda each: (SEVERITIES.index(each.severity), each.id, each.pkg))
        episodes.sort(key=lambda each: each.first_seen, reverse=True)
        return figures, episodes

    def _on_disk(self, slug: str) -> Iterator[ImageFigures | Episode]:
        if self._disk:
            query = "SELECT figures, entry FROM ended WHERE slug = ? ORDER BY rowid"
            for is_figures, entry in self._disk.execute(query, [slug]):
                yield (_FIGURES if is_figures else _EPISODE).decode(entry)

    def close(self) -> None:
        """Forget everything."""
        if self._disk:
            self._disk.close()


def _counts(image: Image) -> _Counts:
    return (
        *map([*image.open.values()].count, SEVERITIES),
        *(len(image.suppressed), 1, len(image.releases), int(image.scanned)),
        *[int(image.grade == grade) for grade in GRADES],
    )


def _day_figures(date: str, sums: _Counts) -> DayFigures:
    suppressed, images, releases, scanned, *grades = sums[5:]
    return DayFigures(
        *(date, sum(sums[:5]), Counters(*sums[:5]), suppressed, images, releases, scanned),
        by_grade={grade: count for grade, count in zip(GRADES, grades, strict=True) if count},
    )


def _figures(date: str, image: Image | None, counts: _Counts) -> ImageFigures:
    """The figures of an image; without a scan, or once the image has left, all are null."""
    if image is None or not image.scanned:
        return ImageFigures(date, image.latest if image else None, False, *(None,) * 8)
    critical, high, medium, low, unknown, suppressed = counts[:6]
    severities = (critical, high, medium, low, unknown)
    return ImageFigures(date, image.latest, True, *severities, sum(severities), suppressed, image.grade)
