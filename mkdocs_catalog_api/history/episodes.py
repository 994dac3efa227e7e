"""Vulnerabilities over time: since when each is open, when it ended and why, and how long fixes took."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..catalog import events
from ..catalog.events import AnyEvent
from ..catalog.history import Episode, FixTimes, FixWindows, TimeToFix
from ..catalog.scans import SEVERITIES, Severity
from .snapshot import Image, Key

_FIXES = ("rebuilt", "superseded")
_WINDOWS = (90, 365)


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

    def close_day(self, image: Image | None) -> Iterator[tuple[Severity, Since]]:
        """The ids that were fixed today: of which nothing is left, whatever the package."""
        if not self.gone:
            return
        left = {id_ for id_, _ in self.rows}
        suppressed = {id_ for id_, _ in image.suppressed} if image else set()
        for id_, (severity, fixed) in self.gone.items():
            if id_ not in left:
                since = self.ids.pop(id_)
                if fixed and id_ not in suppressed:
                    yield severity, since
        self.gone.clear()

    def still_open(self, image: Image) -> Iterator[Episode]:
        """The episodes that have not ended."""
        for key, since in self.rows.items():
            yield Episode(*key, image.open[key], *since, None, None, None, None)


def _days(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


class Fixes:
    """How long fixes took, counted by severity and days for the windows before the last record."""

    def __init__(self, last: str) -> None:
        self._last = last
        self._counted: dict[tuple[int, Severity], Counter[int]] = {
            (window, severity): Counter() for window in _WINDOWS for severity in SEVERITIES
        }

    def add(self, date: str, severity: Severity, since: Since) -> None:
        """Count an id that was fixed on that date; one of the baseline has no known beginning."""
        if since.baseline:
            return
        for window in _WINDOWS:
            if _days(date, self._last) < window:
                self._counted[window, severity][_days(since.date, date)] += 1

    def times(self) -> TimeToFix:
        return TimeToFix(*map(self._windows, SEVERITIES))

    def _windows(self, severity: Severity) -> FixWindows:
        return FixWindows(*(_times(self._counted[window, severity]) for window in _WINDOWS))


def _times(counted: Counter[int]) -> FixTimes:
    days = sorted(counted.elements())
    total = len(days)
    if not days:
        return FixTimes(0, None, None)
    low, high = days[(total - 1) // 2], days[total // 2]
    median = (low + high) / 2 if (low + high) % 2 else (low + high) // 2
    return FixTimes(total, median, days[-(-total * 9 // 10) - 1])
