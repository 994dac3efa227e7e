"""Statistics from one pass over the recorded days: counts of each day and image, the digests of each version,
the first day and the end of each vulnerability with its reason, and the time to fix.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterator, Set
from itertools import chain
from typing import NamedTuple, get_args

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from ..catalog import events
from ..catalog.events import AnyEvent
from ..catalog.history import (
    Episode,
    EpisodeEnd,
    FixEntry,
    FixTimes,
    FixWindows,
    History,
    ImageFigures,
    ImageRecord,
    KnownDigest,
    RecordedDay,
    TimeToFix,
)
from ..catalog.lines import parse_label
from ..catalog.scans import SEVERITIES, Severity
from ..problems import Problems
from .days import Day, Folder
from .replay import follow
from .state import Key, KnownImage, KnownScan, State

_KINDS = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
_FIXES = ("rebuilt", "superseded")
_WINDOWS = (90, 365)
URGENT = ("CRITICAL", "HIGH")


def read_history(folder: Folder, problems: Problems) -> History | None:
    """Replay the recorded days; return None without a day. Adds a warning for each event that is not used.

    Raises:
        CatalogError: a day is damaged; the first one is reported.
    """
    return _Replay(folder, problems).history() if folder.dates else None


class _Replay:
    """The state of a replay, and the results so far."""

    def __init__(self, folder: Folder, problems: Problems) -> None:
        self._folder, self._problems = folder, problems
        self._state: State = {}
        self._episodes: dict[str, ImageEpisodes] = defaultdict(ImageEpisodes)
        self._listed: dict[str, set[str]] = defaultdict(set)
        """Digest → slugs whose page or scan contained it at the end of any day before."""
        self._digests: dict[str, Digests] = defaultdict(Digests)
        self._figures: dict[str, list[ImageFigures]] = defaultdict(list)
        """Slug → an entry for each day with other figures."""

    def history(self) -> History:
        days = [self._day(day) for day in self._folder.days()]
        fixes = FixStatistics(days[-1].date)
        entries: list[FixEntry] = []
        for slug, episodes in sorted(self._episodes.items()):
            for fix in episodes.all_fixes():
                fixes.add(fix.date, fix.clock.worst, fix.clock.since)
            entries.extend(episodes.fix_entries(slug))
        images = {slug: self._record(slug) for slug in sorted(self._figures)}
        return History(days, fixes.times(), entries, images)

    def _day(self, day: Day) -> RecordedDay:
        before = {event.slug: _Before.of(self._state.get(event.slug)) for event in day.events}
        fitting = follow(day, self._state, self._problems)
        slugs = [*dict.fromkeys(event.slug for event in fitting)]
        for slug in slugs:
            self._episodes[slug].begin_day(
                day.date, before[slug], self._state.get(slug), unknown=self._unknown(slug, before[slug])
            )
        rows = [event for event in fitting if isinstance(event, events.VulnerabilityEvent)]
        fixes = {(event.slug, event.id, event.pkg) for event in rows if self._episodes[event.slug].add(event)}
        for slug in slugs:
            self._close(day.date, slug)
        counts = Counter(_KINDS[type(event)] for event in fitting)
        return RecordedDay(day.date, day.figures, dict(sorted(counts.items())), fitting, fixes)

    def _unknown(self, slug: str, before: _Before) -> bool:
        """Whether the age of its vulnerabilities is unknown, because another slug had the image before."""
        image = self._state.get(slug)
        if image is None or before.whole is not None:
            return False
        return any(self._listed.get(digest, {slug}) - {slug} for digest in _digests(image))

    def _close(self, date: str, slug: str) -> None:
        """Update the figures of an image at the end of a day on which it changed."""
        image = self._state.get(slug)
        self._episodes[slug].close_day(image)
        self._digests[slug].close_day(date, image)
        for digest in _digests(image) if image else ():
            self._listed[digest].add(slug)
        recorded, figures = self._figures[slug], _figures(date, image)
        if not recorded or astuple(recorded[-1])[1:] != astuple(figures)[1:]:
            recorded.append(figures)

    def _record(self, slug: str) -> ImageRecord:
        episodes = self._episodes[slug].all(self._state.get(slug))
        episodes.sort(key=lambda episode: (SEVERITIES.index(episode.severity), episode.id, episode.pkg))
        episodes.sort(key=lambda episode: episode.first_seen, reverse=True)
        return ImageRecord(self._figures[slug], self._digests[slug].all(), episodes)


def _digests(image: KnownImage) -> set[str]:
    """Return the digests of an image on its page and in its scan."""
    return {*(image.scan.digests if image.scan else ()), *chain.from_iterable(image.releases.values())}


def _figures(date: str, image: KnownImage | None) -> ImageFigures:
    """Return the figures of an image; all are null without a scan, and after the image was removed."""
    if image is None or not image.scanned:
        return ImageFigures(date, image.latest if image else None, False, *(None,) * 8)
    critical, high, medium, low, unknown = map([*image.open.values()].count, SEVERITIES)
    severities = (critical, high, medium, low, unknown)
    suppressed = len(image.suppressed)
    return ImageFigures(date, image.latest, True, *severities, sum(severities), suppressed, image.grade)


class Digests(Struct):
    """The digests of each version of one image, with the days on which it had them."""

    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Version → digests on the page."""
    scanned: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Version → digests of its last scan, unless the page has listed others since."""
    since: dict[tuple[str, str], str] = field(default_factory=dict)
    """Version and digest → the first day, for the digests that it has now."""
    ended: list[KnownDigest] = field(default_factory=list)

    def close_day(self, date: str, image: KnownImage | None) -> None:
        listed = {**image.releases} if image else {}
        scanned = {
            version: digests
            for version, digests in self.scanned.items()
            if version in listed and listed[version] == self.listed.get(version)
        }
        if image and image.scanned and image.scan:
            scanned[image.scan.version] = image.scan.digests
        if (listed, scanned) == (self.listed, self.scanned):
            return
        self.listed, self.scanned = listed, scanned
        now = {
            (version, digest)
            for digests_by_version in (listed, scanned)
            for version, digests in digests_by_version.items()
            for digest in digests
        }
        for version, digest in self.since.keys() - now:
            start = self.since.pop((version, digest))
            self.ended.append(KnownDigest(digest, version, start, date))
        for key in now - self.since.keys():
            self.since[key] = date

    def all(self) -> list[KnownDigest]:
        """Return every digest, oldest first."""
        current = [
            KnownDigest(digest, version, start, None) for (version, digest), start in self.since.items()
        ]
        return sorted([*self.ended, *current], key=lambda known: (known.from_, known.version, known.digest))


class Since(NamedTuple):
    """The first day on which a vulnerability was open; `baseline`: or earlier."""

    date: str
    baseline: bool


class Clock(Struct):
    """The clock of an id in an image. It starts on the first day with the id, and only a fix stops it."""

    since: Since
    worst: Severity
    """The worst severity while the id was open."""
    reason: EpisodeEnd | None = None
    """The reason of the last end that was not a fix."""

    def worsen(self, severity: Severity) -> None:
        self.worst = min(self.worst, severity, key=SEVERITIES.index)


class Fix(NamedTuple):
    """The fix that stopped a clock."""

    date: str
    clock: Clock
    version: str
    reason: EpisodeEnd


class _Ending(NamedTuple):
    """The end of an id in one or more packages on one day."""

    fixes: bool
    version: str
    reason: EpisodeEnd


class _Before(NamedTuple):
    """The scans of an image before a day."""

    scan: KnownScan | None
    whole: KnownScan | None
    partly: Set[Key]

    @classmethod
    def of(cls, image: KnownImage | None) -> _Before:
        return cls(image.scan, image.whole, {*image.partly}) if image else cls(None, None, set())

    def found(self, key: Key) -> KnownScan | None:
        """Return the scan that found a vulnerability."""
        return self.scan if key in self.partly else self.whole or self.scan


class ImageEpisodes(Struct):
    """The open vulnerabilities of one image with their clocks, and the ended ones."""

    open: set[Key] = field(default_factory=set)
    clocks: dict[str, Clock] = field(default_factory=dict)
    """The clock of each id that was open and is not fixed."""
    fixes: dict[str, list[Fix]] = field(default_factory=lambda: defaultdict(list))
    """Id → fixes, oldest first, without those that were taken back."""
    ended: dict[str, list[Episode]] = field(default_factory=lambda: defaultdict(list))
    """Id → ended episodes, in the order of their ends."""
    hidden: set[str] = field(default_factory=set)
    """Ids that were suppressed at the baseline and never open."""
    scanned: set[str] = field(default_factory=set)
    """Digests that were scanned on any day before, or versions if the digests are unknown."""
    date: str = ""
    before: _Before = _Before.of(None)
    scan: KnownScan | None = None
    unknown: bool = False
    """Whether the age of the vulnerabilities that are found on this day is unknown."""
    gone: dict[str, _Ending] = field(default_factory=dict)
    """Id that is no longer open in a package since today → a fix only if each of these ends is one."""

    def begin_day(self, date: str, before: _Before, image: KnownImage | None, *, unknown: bool) -> None:
        self.date, self.before, self.unknown = date, before, unknown
        self.scan = image.scan if image else None

    def add(self, event: events.VulnerabilityEvent) -> bool:
        """Apply an event; return whether it is a fix in one package."""
        match event:
            case events.VulnerabilityFound():
                self._open((event.id, event.pkg), event.severity, baseline=event.reason == "baseline")
            case events.VulnerabilityReopened():
                self._open((event.id, event.pkg), event.severity)
            case events.VulnerabilityChanged():
                if (key := (event.id, event.was or event.pkg)) in self.open:
                    self.open.remove(key)
                    self.open.add((event.id, event.pkg))
                    self.clocks[event.id].worsen(event.severity)
            case events.VulnerabilitySuppressed():
                key = event.id, event.pkg
                if event.reason == "baseline":
                    self.hidden.add(event.id)
                elif key not in self.open and self._fixed_here(event.id):
                    self._open(key, event.severity)
                self._end(event, "suppressed", fixes=False)
            case events.VulnerabilityGone():
                return self._end(event, event.reason, fixes=self._fixes(event))
        return False

    def _fixes(self, event: events.VulnerabilityGone) -> bool:
        """Whether the same scanner scanned another build, or a later version."""
        before, scan = self.before.found((event.id, event.pkg)), self.scan
        if before is None or scan is None or event.reason not in _FIXES:
            return False
        later = event.reason == "rebuilt" or parse_label(scan.version).key > parse_label(before.version).key
        return later and before.products == scan.products

    def _fixed_here(self, id_: str) -> bool:
        """Whether fixes of the id don't count, because today's digests were scanned before."""
        return id_ in self.ended and not self.scanned.isdisjoint(_scanned(self.scan))

    def _open(self, key: Key, severity: Severity, *, baseline: bool = False) -> None:
        id_, _ = key
        again = self._fixed_here(id_)
        if again and id_ not in self.clocks and self.fixes[id_]:
            self.clocks[id_] = self.fixes[id_].pop().clock
        if id_ not in self.clocks:
            unknown = baseline or self.unknown or id_ in self.hidden
            self.clocks[id_] = Clock(Since(self.date, unknown), severity)
        self.hidden.discard(id_)
        self.clocks[id_].worsen(severity)
        self.open.add(key)
        if again:
            self._take_back(key)

    def _take_back(self, key: Key) -> None:
        """Remove the fixed episode that continues, also under another name of the package."""
        id_, package = key
        fixed = [
            episode
            for episode in self.ended[id_]
            if episode.fixed and episode.first_seen == self.clocks[id_].since.date
        ]
        same = [episode for episode in fixed if episode.pkg == package]
        other = [episode for episode in fixed if (id_, episode.pkg) not in self.open]
        if candidates := same or other:
            self.ended[id_].remove(candidates[-1])

    def _end(self, event: events.VulnerabilityEvent, reason: EpisodeEnd, *, fixes: bool) -> bool:
        """End an open vulnerability; return whether this is a fix."""
        key = event.id, event.pkg
        if key not in self.open:  # it was suppressed
            return False
        self.open.remove(key)
        if not fixes or event.id not in self.gone:
            self.gone[event.id] = _Ending(fixes, event.version, reason)
        episode = self._episode(key, event.severity)
        if fixes:
            days = None if episode.baseline else _days(episode.first_seen, self.date)
            episode = replace(episode, fixed=self.date, fixed_in=event.version, days=days)
        self.ended[event.id].append(replace(episode, reason=reason))
        return fixes

    def close_day(self, image: KnownImage | None) -> None:
        """Stop the clocks of the ids that were fixed today in every package."""
        if self.gone:
            still_open = {id_ for id_, _ in self.open}
            suppressed = {id_ for id_, _ in image.suppressed} if image else set()
            for id_, ending in self.gone.items():
                if id_ in still_open:
                    continue
                if ending.fixes and id_ not in suppressed:
                    fix = Fix(self.date, self.clocks.pop(id_), ending.version, ending.reason)
                    self.fixes[id_].append(fix)
                else:
                    self.clocks[id_].reason = "suppressed" if id_ in suppressed else ending.reason
            self.gone.clear()
        self.scanned |= _scanned(self.scan)

    def all_fixes(self) -> Iterator[Fix]:
        for fixes in self.fixes.values():
            yield from fixes

    def fix_entries(self, slug: str) -> list[FixEntry]:
        """Return an entry for each clock of a critical or high id, by id and first day."""
        still_open = {id_ for id_, _ in self.open}
        entries = [
            FixEntry(
                *(slug, id_, clock.worst, clock.since.date),
                *(None, None, None),
                None if id_ in still_open else clock.reason,
            )
            for id_, clock in self.clocks.items()
        ]
        for id_, fixes in self.fixes.items():
            for date, clock, version, reason in fixes:
                first, baseline = clock.since
                days = None if baseline else _days(first, date)
                entries.append(FixEntry(slug, id_, clock.worst, first, date, version, days, reason))
        return sorted(
            (entry for entry in entries if entry.severity in URGENT),
            key=lambda entry: (entry.id, entry.first_seen),
        )

    def all(self, image: KnownImage | None) -> list[Episode]:
        """Return the episodes that have not ended, then the others, latest ends first."""
        lasting = [self._episode(key, image.open[key]) for key in self.open] if image else []
        return [*lasting, *(episode for ended in self.ended.values() for episode in reversed(ended))]

    def _episode(self, key: Key, severity: Severity) -> Episode:
        since = self.clocks[key[0]].since
        return Episode(*key, severity, *since, fixed=None, fixed_in=None, days=None, reason=None)


def _scanned(scan: KnownScan | None) -> set[str]:
    return {*(scan.digests or [scan.version])} if scan else set()


def _days(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


class FixStatistics:
    """The time to fix by severity, in the windows that end with the last recorded day."""

    def __init__(self, last: str) -> None:
        self._last = last
        self._fixes: list[tuple[Severity, int, int]] = []
        """Severity, age of the fix in days on the last recorded day, and days that the fix took."""

    def add(self, date: str, severity: Severity, since: Since) -> None:
        """Add the fix of an id; an id of the baseline has no known beginning and is left out."""
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
