"""One pass over the recorded days: figures of each day, figures and vulnerabilities of each image, since when
each vulnerability is open, when it ended and why, and how long fixes took.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterator
from operator import add, sub
from typing import NamedTuple, TypeAlias, get_args

from msgspec.structs import astuple

from ..catalog import events
from ..catalog.events import AnyEvent
from ..catalog.grading import GRADES
from ..catalog.history import (
    DayFigures,
    Episode,
    FixTimes,
    FixWindows,
    Head,
    History,
    ImageFigures,
    ImageRecord,
    RecordedDay,
    TimeToFix,
)
from ..catalog.published import Counters
from ..catalog.scans import SEVERITIES, Severity
from .chain import follow
from .days import Day, Folder
from .state import Key, KnownImage, State

_KINDS = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
_Counts: TypeAlias = tuple[int, ...]
"""Open ones of each severity, suppressed ones, images, releases, scanned images, images of each grade."""
_NONE: _Counts = (0,) * (9 + len(GRADES))
_FIXES = ("rebuilt", "superseded")
_WINDOWS = (90, 365)


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
        follow(day, self._state)
        for event in day.events:
            if episode := self._open[event.slug].add(day.date, event):
                self._ended[event.slug].append(episode)
        for slug in dict.fromkeys(event.slug for event in day.events):
            self._close(day.date, slug)
        counts = Counter(_KINDS[type(event)] for event in day.events)
        return RecordedDay(day.date, dict(sorted(counts.items())), () if first else day.events)

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
        recorded, figures = self._figures[slug], _figures(date, image, counts)
        if not recorded or astuple(recorded[-1])[1:] != astuple(figures)[1:]:
            recorded.append(figures)

    def _record(self, slug: str) -> ImageRecord:
        episodes = self._ended[slug]
        if slug in self._state:
            episodes += self._open[slug].still_open(self._state[slug])
        episodes.sort(key=lambda episode: (SEVERITIES.index(episode.severity), episode.id, episode.pkg))
        episodes.sort(key=lambda episode: episode.first_seen, reverse=True)
        return ImageRecord(self._figures[slug], episodes)


def _counts(image: KnownImage) -> _Counts:
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


def _figures(date: str, image: KnownImage | None, counts: _Counts) -> ImageFigures:
    """The figures of an image; without a scan, or once the image has left, all are null."""
    if image is None or not image.scanned:
        return ImageFigures(date, image.latest if image else None, False, *(None,) * 8)
    critical, high, medium, low, unknown, suppressed = counts[:6]
    severities = (critical, high, medium, low, unknown)
    return ImageFigures(date, image.latest, True, *severities, sum(severities), suppressed, image.grade)


class Since(NamedTuple):
    """Since when something is open; `baseline`: at least since then."""

    date: str
    baseline: bool


class ImageEpisodes:
    """What is open in one image and since when, by (id, package) and by id."""

    __slots__ = ("gone", "hidden", "ids", "rows")

    def __init__(self) -> None:
        self.rows: dict[Key, Since] = {}
        self.ids: dict[str, Since] = {}
        self.hidden: set[Key] = set()
        """What is suppressed and was there at the baseline."""
        self.gone: dict[str, tuple[Severity, bool]] = {}
        """Of today: id → its worst severity, and whether that was a fix."""

    def add(self, date: str, event: AnyEvent) -> Episode | None:
        """Take an event in; returns the episode that it ends."""
        if not isinstance(event, events.VulnerabilityEvent):
            return None
        key: Key = (event.id, event.pkg)
        match event:
            case events.VulnerabilityFound():
                first = self.ids.get(event.id) if event.reason == "scanner" else None
                self._open(key, first or Since(date, event.reason == "baseline"))
            case events.VulnerabilityReopened():
                self._open(key, Since(date, key in self.hidden))
                self.hidden.discard(key)
            case events.VulnerabilityChanged():
                if event.was is not None:
                    self.rows[key] = self.rows.pop((event.id, event.was))
            case events.VulnerabilitySuppressed():
                if event.reason == "baseline" or (key in self.rows and self.rows[key].baseline):
                    self.hidden.add(key)
                return self._end(date, event, "suppressed")
            case events.VulnerabilityGone():
                self.hidden.discard(key)
                return self._end(date, event, event.reason)
        return None

    def _open(self, key: Key, since: Since) -> None:
        self.rows[key] = since
        self.ids.setdefault(key[0], since)

    def _end(self, date: str, event: events.VulnerabilityEvent, reason: str) -> Episode | None:
        since = self.rows.pop((event.id, event.pkg), None)
        if since is None:  # it was suppressed all along
            return None
        fix = reason in _FIXES
        worst, fixed = self.gone.get(event.id, (event.severity, False))
        self.gone[event.id] = min(worst, event.severity, key=SEVERITIES.index), fixed or fix
        return Episode(
            *(event.id, event.pkg, event.severity, *since),
            fixed=date if fix else None,
            fixed_in=event.version if fix else None,
            days=_days(since.date, date) if fix and not since.baseline else None,
            reason=reason,  # type: ignore[arg-type]
        )

    def close_day(self, image: KnownImage | None) -> Iterator[tuple[Severity, Since]]:
        """The ids that were fixed today: of which nothing is left, whatever the package."""
        if not self.gone:
            return
        still_open = {id_ for id_, _ in self.rows}
        suppressed = {id_ for id_, _ in image.suppressed} if image else set()
        for id_, (severity, fixed) in self.gone.items():
            if id_ not in still_open:
                since = self.ids.pop(id_)
                if fixed and id_ not in suppressed:
                    yield severity, since
        self.gone.clear()

    def still_open(self, image: KnownImage) -> Iterator[Episode]:
        """The episodes that have not ended."""
        for key, since in self.rows.items():
            yield Episode(*key, image.open[key], *since, None, None, None, None)


def _days(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


class Fixes:
    """How long fixes took, by severity, in the windows before the last record."""

    def __init__(self, last: str) -> None:
        self._last = last
        self._fixes: list[tuple[Severity, int, int]] = []
        """Severity, days before the last record, and days that the fix took."""

    def add(self, date: str, severity: Severity, since: Since) -> None:
        """Add an id that was fixed on that date; one of the baseline has no known beginning."""
        if not since.baseline:
            self._fixes.append((severity, _days(date, self._last), _days(since.date, date)))

    def times(self) -> TimeToFix:
        return TimeToFix(*map(self._windows, SEVERITIES))

    def _windows(self, severity: Severity) -> FixWindows:
        fixes = [(before, days) for each, before, days in self._fixes if each == severity]
        return FixWindows(
            *(_times(sorted(days for before, days in fixes if before < window)) for window in _WINDOWS)
        )


def _times(days: list[int]) -> FixTimes:
    total = len(days)
    if not days:
        return FixTimes(0, None, None)
    low, high = days[(total - 1) // 2], days[total // 2]
    median = (low + high) / 2 if (low + high) % 2 else (low + high) // 2
    return FixTimes(total, median, days[-(-total * 9 // 10) - 1])
