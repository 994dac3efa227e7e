"""What the recorded days show: their events, and how long fixes took."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import get_args

from ..authored.settings import HISTORY_FOLDER
from ..catalog import events
from ..catalog.events import AnyEvent
from ..catalog.recorded import (
    FixEntry,
    FixPeriods,
    FixTimes,
    History,
    OpenAges,
    RecordedDay,
    TimeToFix,
)
from ..catalog.scans import SEVERITIES, URGENT
from ..items.registry_facts import FORGOTTEN_AFTER
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .days import Day, Folder
from .facts import FactChanges, Facts
from .images import ImagePast, days_between

_KINDS = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
_PERIODS = (90, 365)


def read_history(folder: Folder, problems: Problems) -> History | None:
    """What the recorded days show; None without a day. Adds a note if no scan shows a fix.

    Raises `CatalogError` if a day is damaged; the first one is reported.
    """
    past = Past()
    for day in folder.days():
        past.add(day)
    return past.history(problems) if past.days else None


class Past:
    """What the days so far show."""

    def __init__(self) -> None:
        self.days: list[RecordedDay] = []
        self._images: dict[str, ImagePast] = {}

    def add(self, day: Day) -> RecordedDay:
        by_slug: dict[str, list[AnyEvent]] = {}
        fixes: set[tuple[str, str, str]] = set()
        # Those that left are known before others come under another slug.
        for slug, changes in sorted(day.images.items(), key=lambda item: item[1] is not None):
            past = self._images.get(slug)
            if past is None and changes:
                past = self._images[slug] = self._begun(slug, changes)
            if past and (changes or past.is_here):
                by_slug[slug] = past.follow(day.date, changes)
                fixes.update((slug, *fixed) for fixed in past.fixed)
        found = [*chain.from_iterable(by_slug[slug] for slug in sorted(by_slug))]
        counts = Counter(_KINDS[type(event)] for event in found)
        recorded = RecordedDay(day.date, day.figures, dict(sorted(counts.items())), found, fixes)
        self.days.append(recorded)
        return recorded

    @property
    def known(self) -> dict[str, Facts]:
        """Slug → what is known of each image that has not left."""
        return {slug: past.facts for slug, past in self._images.items() if past.is_here}

    def _begun(self, slug: str, changes: FactChanges) -> ImagePast:
        """The past of an image that is new: that of one which left, if it is the same."""
        if not self.days:
            return ImagePast(slug, "baseline")
        changes.apply(facts := Facts())
        former = (past for past in self._images.values() if not past.is_here and past.is_same(facts))
        origin = next(former, None)
        return origin.under(slug) if origin else ImagePast(slug, None)

    def history(self, problems: Problems) -> History:
        last = self.days[-1].date
        entries = [entry for past in self._images.values() for entry in past.entries()]
        entries.sort(key=lambda entry: (entry[0].slug, entry[0].id, entry[0].first_seen))
        counted = [entry for entry, known in entries if known]
        if not any(entry.fixed_on for entry, _ in entries) and any(map(_may_fix, self.days)):
            problems.add(_nothing_alike())
        ages = (
            [
                days_between(clock.first_seen, last)
                for clock, _ in entries
                if (clock.severity, clock.reason) == (word, None)
            ]
            for word in URGENT
        )
        year_ago = (datetime.date.fromisoformat(last) - FORGOTTEN_AFTER).isoformat()
        return History(
            self.days,
            times_to_fix(counted, last),
            [entry for entry in counted if entry.severity in URGENT],
            OpenAges(*(sorted(days, reverse=True) for days in ages)),
            {slug: past.record(year_ago) for slug, past in sorted(self._images.items())},
        )


def _may_fix(day: RecordedDay) -> bool:
    return any(
        isinstance(event, events.VulnerabilityGone) and event.reason in ("rebuilt", "superseded")
        for event in day.events
    )


def _nothing_alike() -> Problem:
    message = "no time to fix: no scan of a later build has looked at what the earlier scans had looked at"
    hint = "scan each build with the same scanner, platforms and options, in a format that has the time"
    return Problem(HISTORY_FOLDER, 0, 0, "", message, hint, Level.INFO, code=Code.HISTORY)


def times_to_fix(entries: Iterable[FixEntry], last: str) -> TimeToFix:
    """Return the time to fix by severity, in the periods that end with the last recorded day."""
    fixes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for entry in entries:
        if entry.fixed_on is not None and entry.days is not None:
            fixes[entry.severity].append((days_between(entry.fixed_on, last), entry.days))
    return TimeToFix(
        *(
            FixPeriods(
                *(_times(sorted(days for age, days in fixes[word] if age < period)) for period in _PERIODS)
            )
            for word in SEVERITIES
        )
    )


def _times(days: list[int]) -> FixTimes:
    total = len(days)
    if not days:
        return FixTimes(0, None, None)
    low, high = days[(total - 1) // 2], days[total // 2]
    median = (low + high) / 2 if (low + high) % 2 else (low + high) // 2
    return FixTimes(total, median, days[-(-total * 9 // 10) - 1])
