"""Graphs of the history: their geometry and words, which the templates draw as SVG."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple, TypeAlias, cast

from ..catalog import events
from ..catalog.recorded import PopulationFigures, RecordedDay
from ..catalog.scans import COUNTERS, URGENT
from .view import CatalogView, Item

Sentence: TypeAlias = tuple[str, Sequence[tuple[str, str]]]
"""Words, and the id and severity of each vulnerability that follows them."""
THIS_BUILD = "This build"
WIDTH, HEIGHT = 1000, 100
"""Of a graph, in units that the page stretches."""


class Point(NamedTuple):
    """Open vulnerabilities from one day on."""

    date: str
    """`THIS_BUILD` for the current counts if they differ from those of the last recorded day."""
    counters: Mapping[str, int] | None
    """By severity; None where nothing was scanned."""
    in_all: int | None = None
    """The number in all images; None without a scan, and of a single image."""


class Trend(NamedTuple):
    """Open vulnerabilities over time, as stacked steps; counts are valid until the next recorded day."""

    points: Sequence[Point]
    """Oldest first."""
    areas: Sequence[tuple[str, str]]
    """Severity and path of each area that is not empty."""
    gaps: str
    """Path over the days without a scan."""
    most: int
    """Count at the upper edge."""
    label: str
    """The graph in words, for screen readers."""
    days: Sequence[str]
    """The first, the middle and the last recorded day."""
    steps: Sequence[tuple[float, float]]
    """Where each point begins and ends, in units of `WIDTH`."""

    def area(self, words: Sequence[str] = COUNTERS) -> str:
        """Path of the area below the count of these severities, scaled to its own maximum."""
        sums = [sum(counters[word] for word in words) if counters else 0 for _, counters, _ in self.points]
        most = max(1, *sums)
        return "".join(
            _box(_number(left), _number(right), 0, count / most)
            for (left, right), count in zip(self.steps, sums, strict=True)
            if count
        )


def catalog_points(view: CatalogView) -> Sequence[Point]:
    """The recorded days and this build: of the available images, with the number in all images."""
    available, every = view.populations.available, view.populations.all
    now = Point(THIS_BUILD, _counters(available.published), _sum(_counters(every.published)))
    history = view.value.history if view.value else None
    points = [
        Point(day.date, _counters(day.figures.available), _sum(_counters(day.figures.all)))
        for day in (history.days if history else ())
    ]
    return _with_now(points, now)


def image_points(figures: Sequence[Item], security: Item) -> Sequence[Point]:
    """The days of a history document of an image, and this build: `security` is that of its item."""
    points = [Point(str(entry["date"]), _known(entry)) for entry in figures]
    return _with_now(points, Point(THIS_BUILD, _known(security)))


def _with_now(points: Sequence[Point], now: Point) -> Sequence[Point]:
    """The recorded points; then `now`, if its counts differ from those of the last one."""
    return points if points and points[-1][1:] == now[1:] else [*points, now]


def _counters(figures: PopulationFigures) -> Mapping[str, int] | None:
    known = figures.images_scanned or not figures.images
    return {word: getattr(figures.by_severity, word) for word in COUNTERS} if known else None


def _known(figures: Item) -> Mapping[str, int] | None:
    return None if figures["critical"] is None else {word: cast(int, figures[word]) for word in COUNTERS}


def _sum(counters: Mapping[str, int] | None) -> int | None:
    return None if counters is None else sum(counters.values())


def trend(points: Sequence[Point], until: str) -> Trend | None:
    """The graph of these points; None if there is nothing to draw.

    `until` is the last recorded day, up to which the last recorded point is valid.
    """
    totals = [sum(counters.values()) for _, counters, _ in points if counters]
    if not totals or points[-1].date == points[0].date == until:
        return None
    first = day_number(points[0].date)
    span = day_number(until) - first
    # The last day and this build have a minimum width, so that they are visible.
    width = max(1, span // 30)
    end = span + width * (2 if points[-1].date == THIS_BUILD else 1)
    most = _ceiling(max(totals))
    starts = [end - width if date == THIS_BUILD else day_number(date) - first for date, _, _ in points]
    steps = [(WIDTH * start / end, WIDTH * stop / end) for start, stop in pairwise([*starts, end])]
    paths = dict.fromkeys((*COUNTERS, ""), "")
    for (left, right), (_, counters, _) in zip(steps, points, strict=True):
        sides = _number(left), _number(right)
        low = 0
        for word, count in counters.items() if counters else ():
            if count:
                paths[word] += _box(*sides, low / most, (low + count) / most)
                low += count
        if counters is None:
            paths[""] += _box(*sides, 0, 1)
    last = points[-1].counters
    label = f"Open vulnerabilities from {points[0].date} to {until}: at most {max(totals)}; at the end "
    label += "not scanned" if last is None else _in_words(last)
    areas = [(word, paths[word]) for word in COUNTERS if paths[word]]
    middle = datetime.date.fromordinal(first + span // 2).isoformat()
    days = [points[0].date, *([middle] if span > 1 else []), until]
    return Trend(points, areas, paths[""], most, label, days, steps)


def _in_words(counters: Mapping[str, int]) -> str:
    parts = [f"{count} {word}" for word, count in counters.items() if count]
    return f"{sum(counters.values())} ({', '.join(parts)})" if parts else "none"


def _ceiling(most: int) -> int:
    """The next even number that is easy to read."""
    size = 1
    while True:
        for step in (2, 4, 6, 8, 10, 12, 16):
            if most <= step * size:
                return step * size
        size *= 10


def _box(left: str, right: str, low: float, high: float) -> str:
    return f"M{left} {_number(HEIGHT * (1 - low))}H{right}V{_number(HEIGHT * (1 - high))}H{left}Z"


def _number(value: float) -> str:
    return f"{value:.5g}"


def day_number(date: str) -> int:
    """Number of a day, to count the days between two."""
    return datetime.date.fromisoformat(date).toordinal()


def sentences_of_day(day: RecordedDay) -> Iterator[tuple[str, Sequence[Sentence]]]:
    """The important events of a day as text: slug of an image and its sentences."""
    for slug, group in groupby(day.events, attrgetter("slug")):
        if sentences := [*_sentences(day, [*group])]:
            yield slug, sentences


def _sentences(day: RecordedDay, of_image: Sequence[events.AnyEvent]) -> Iterator[Sentence]:
    security: dict[str, dict[tuple[str, str], None]] = {}
    for event in of_image:
        if words := events.in_words(event):
            yield words, ()
        if isinstance(event, events.VulnerabilityEvent) and (change := _change(day, event)):
            security.setdefault(change, {})[event.id, event.severity.lower()] = None
    for change, ids in security.items():
        yield f"{change}: ", [*ids]


def _change(day: RecordedDay, event: events.VulnerabilityEvent) -> str | None:
    if event.severity not in URGENT:
        return None
    match event:
        case events.VulnerabilityFound() if event.reason != "renamed":
            return "found"
        case events.VulnerabilityReopened():
            return "applies again"
        case events.VulnerabilitySuppressed():
            return "suppressed"
        case events.VulnerabilityGone() if (event.slug, event.id, event.pkg) in day.fixes:
            return "fixed"
    return None


def open_in_words(point: Point) -> str:
    """The number of open vulnerabilities in the catalog: `74 open in available images, 101 in all images`."""
    available = "not scanned" if point.counters is None else f"{_sum(point.counters)} open"
    in_all = "not scanned" if point.in_all is None else str(point.in_all)
    return f"{available} in available images" + (
        "" if _sum(point.counters) == point.in_all else f", {in_all} in all images"
    )


FILTERS = {
    "catalog_points": catalog_points,
    "image_points": image_points,
    "open_in_words": open_in_words,
    "trend": trend,
    "told": sentences_of_day,
}
