"""One pass over the recorded days: figures of each day, and figures and vulnerabilities of each image."""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import add, sub
from typing import TypeAlias, get_args

from msgspec.structs import astuple

from ..catalog.events import AnyEvent
from ..catalog.grading import GRADES
from ..catalog.history import DayFigures, Episode, Head, History, ImageFigures, ImageRecord, RecordedDay
from ..catalog.published import Counters
from ..catalog.scans import SEVERITIES
from .chain import follow
from .days import Day, Folder
from .episodes import Fixes, ImageEpisodes
from .snapshot import Image, State

_KINDS = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
_Counts: TypeAlias = tuple[int, ...]
"""Open ones of each severity, suppressed ones, images, releases, scanned images, images of each grade."""
_NONE: _Counts = (0,) * (9 + len(GRADES))


def read_history(folder: Folder) -> History | None:
    """The recorded days, replayed; None if there is none.

    Raises:
        CatalogError: at the first day that is not in order.
    """
    return _Replay(folder).history() if folder.dates else None


class _Replay:
    """The state of a replay, and what it has seen so far."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._state: State = {}
        self._open: dict[str, ImageEpisodes] = defaultdict(ImageEpisodes)
        self._figures: dict[str, list[ImageFigures]] = defaultdict(list)
        """Slug → an entry for each day that changed them."""
        self._ended: dict[str, list[Episode]] = defaultdict(list)
        self._counts: dict[str, _Counts] = {}
        self._sums = _NONE
        """Of the counts of all images."""
        self._fixes = Fixes(folder.dates[-1])

    def history(self) -> History:
        days: list[RecordedDay] = []
        figures: list[DayFigures] = []
        for day in self._folder.days():
            days.append(self._day(day, first=not days))
            figures.append(_day_figures(day.date, self._sums))
            head = Head(day.date, day.sha256)
        images = {slug: self._record(slug) for slug in sorted(self._figures)}
        return History(days, head, figures, self._fixes.times(), images)

    def _day(self, day: Day, *, first: bool) -> RecordedDay:
        counts: Counter[str] = Counter()
        touched: dict[str, None] = {}
        events: list[AnyEvent] = []
        for event in follow(day, self._state):
            counts[_KINDS[type(event)]] += 1
            touched[event.slug] = None
            if not first:
                events.append(event)
            if episode := self._open[event.slug].add(day.date, event):
                self._ended[event.slug].append(episode)
        for slug in touched:
            self._close(day.date, slug)
        return RecordedDay(day.date, dict(sorted(counts.items())), events)

    def _close(self, date: str, slug: str) -> None:
        """Bring the sums and the image's own figures to the end of a day on which it changed."""
        image = self._state.get(slug)
        for severity, since in self._open[slug].close_day(image):
            self._fixes.add(date, severity, since)
        if image is None:
            del self._open[slug]
        counts = _counts(image) if image else _NONE
        before = self._counts.get(slug, _NONE)
        if counts != before:
            self._counts[slug] = counts
            self._sums = tuple(map(sub, map(add, self._sums, counts), before))
        known, now = self._figures[slug], _figures(date, image, counts)
        if not known or astuple(known[-1])[1:] != astuple(now)[1:]:
            known.append(now)

    def _record(self, slug: str) -> ImageRecord:
        episodes = self._ended[slug]
        if slug in self._state:
            episodes += self._open[slug].still_open(self._state[slug])
        episodes.sort(key=lambda episode: (SEVERITIES.index(episode.severity), episode.id, episode.pkg))
        episodes.sort(key=lambda episode: episode.first_seen, reverse=True)
        return ImageRecord(self._figures[slug], episodes)


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
