"""Statistics from one pass over the recorded days: counts of each day and image, the digests of each version,
the first day and the end of each vulnerability with its reason, and the time to fix.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import NamedTuple, get_args

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from ..catalog import events
from ..catalog.events import AnyEvent, CountedScan
from ..catalog.history import (
    Episode,
    EpisodeEnd,
    FixEntry,
    FixPeriods,
    FixTimes,
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
from .days import Folder
from .state import Key, KnownImage, KnownScan, State, follow, products

_KINDS = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
_FIXES = ("rebuilt", "superseded")
_WINDOWS = (90, 365)
URGENT = ("CRITICAL", "HIGH")


def read_history(folder: Folder, problems: Problems) -> History | None:
    """Replay the recorded days; return None without a day. Adds a warning for each event that is not used.

    Raises:
        CatalogError: a day is damaged; the first one is reported.
    """
    state: State = {}
    pasts: dict[str, _Past] = defaultdict(_Past)
    listed: dict[str, set[str]] = defaultdict(set)
    """Digest → slugs whose page or scan contained it at the end of any day before."""
    days = []
    for day in folder.days():
        before = state
        state, fitting = follow(day, before, problems)
        by_slug: dict[str, list[AnyEvent]] = {event.slug: [] for event in fitting}
        for event in fitting:
            by_slug[event.slug].append(event)
        fixes = set()
        for slug, own in by_slug.items():
            earlier, now = before.get(slug, KnownImage()), state.get(slug)
            # A digest that another slug had: the age of what is found is unknown.
            moved = now is not None and any(listed[digest] - {slug} for digest in _digests(now))
            today = ImageDay(day.date, earlier, now, unknown=moved and earlier.whole is None)
            fixes |= {(slug, *key) for key in pasts[slug].add(today, own)}
        for slug in by_slug.keys() & state:
            for digest in _digests(state[slug]):
                listed[digest].add(slug)
        counts = Counter(_KINDS[type(event)] for event in fitting)
        days.append(RecordedDay(day.date, day.figures, dict(sorted(counts.items())), fitting, fixes))
    if not days:
        return None
    entries = [entry for slug, past in sorted(pasts.items()) for entry in past.episodes.entries(slug)]
    urgent = [entry for entry in entries if entry.severity in URGENT]
    images = {slug: past.record(state.get(slug)) for slug, past in sorted(pasts.items())}
    return History(days, times_to_fix(entries, days[-1].date), urgent, images)


def _digests(image: KnownImage) -> set[str]:
    """Return the digests of an image on its page and in its scan."""
    return {*(image.scan.digests if image.scan else ()), *chain.from_iterable(image.releases.values())}


def _figures(date: str, image: KnownImage | None) -> ImageFigures:
    """Return the figures of an image; all are null without a scan, and after the image was removed."""
    if image is None or not image.scanned:
        return ImageFigures(date, image.latest if image else None, False, *(None,) * 8)
    rows = Counter(row.suppressed or row.severity for row in image.rows.values())
    critical, high, medium, low, unknown = (rows[severity] for severity in SEVERITIES)
    severities = (critical, high, medium, low, unknown)
    return ImageFigures(date, image.latest, True, *severities, sum(severities), rows[True], image.grade)


def _by_version(digests: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """Return each version with each of its digests."""
    return {(version, digest) for version, listed in digests.items() for digest in listed}


class Digests(Struct):
    """The digests of each version of one image, with the days on which it had them."""

    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Version → digests on the page."""
    scanned: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Version → digests of its last scan, unless the page has listed others since."""
    since: dict[tuple[str, str], str] = field(default_factory=dict)
    """Version and digest → the first day, for the digests that it has now."""
    ended: list[KnownDigest] = field(default_factory=list)
    left: dict[tuple[str, str], str] = field(default_factory=dict)
    """Version and digest that the page listed → the last day on which it came off the page."""

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
        self.left |= dict.fromkeys(_by_version(self.listed) - _by_version(listed), date)
        self.listed, self.scanned = listed, scanned
        now = _by_version(listed) | _by_version(scanned)
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


class Clock(Struct):
    """The clock of an id in an image. It starts on the first day with the id, and only a fix stops it."""

    since: str
    baseline: bool
    """Whether the first day is not known: the id was there before."""
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
    """The end of an open vulnerability."""

    key: Key
    version: str
    reason: EpisodeEnd
    fixes: bool


class ImageDay(NamedTuple):
    """A day on which an image changed."""

    date: str
    before: KnownImage
    now: KnownImage | None
    """None if it has left."""
    unknown: bool
    """Whether the age of what is found is unknown, because another slug had the image before."""

    @property
    def scan(self) -> KnownScan | None:
        return self.now.scan if self.now else None

    @property
    def scans(self) -> Sequence[CountedScan]:
        """Those that count, as far as the days show them."""
        return (self.scan and self.scan.scans) or ()


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
    made: dict[CountedScan, str] = field(default_factory=dict)
    """Each scan of the image → the day on which it was made, else the day on which it was first recorded."""
    seen: dict[Key, tuple[str, tuple[CountedScan, ...]]] = field(default_factory=dict)
    """Open vulnerability → its first day, and the scans that reported it then, if the day shows them."""
    counted: dict[str | None, tuple[str, CountedScan]] = field(default_factory=dict)
    """Platform → the last day that began with a scan of it, and that scan."""

    def follow(self, today: ImageDay, day_events: Iterable[AnyEvent]) -> Set[Key]:
        """Add the events of a day; return the keys of the fixes."""
        before = today.before.scan
        self.counted |= {scan.platform: (today.date, scan) for scan in (before and before.scans) or ()}
        for scan in today.scans:
            self.made.setdefault(scan, (scan.scanned_at or today.date)[:10])
        gone: dict[str, list[_Ending]] = defaultdict(list)
        for event in day_events:
            if isinstance(event, events.VulnerabilityEvent) and (ending := self._add(today, event)):
                gone[event.id].append(ending)
        still_open = {id_ for id_, _ in self.open}
        suppressed = today.now.ids(suppressed=True) if today.now else set()
        for id_ in gone.keys() - still_open:
            # A fix only if each of these ends is one.
            ending = next((each for each in reversed(gone[id_]) if not each.fixes), gone[id_][0])
            if ending.fixes and id_ not in suppressed:
                fix = Fix(today.date, self.clocks.pop(id_), ending.version, ending.reason)
                self.fixes[id_].append(fix)
            else:
                self.clocks[id_].reason = "suppressed" if id_ in suppressed else ending.reason
        self.scanned |= _scanned(today.scan)
        return {ending.key for endings in gone.values() for ending in endings if ending.fixes}

    def _add(self, today: ImageDay, event: events.VulnerabilityEvent) -> _Ending | None:
        """Add an event; return the end of an open vulnerability."""
        key = event.id, event.pkg
        match event:
            case events.VulnerabilityFound():
                places = [place for place in event.seen or () if place < len(today.scans)]
                self.seen[key] = today.date, tuple(today.scans[place] for place in places)
                self._open(today, key, event.severity, baseline=event.reason == "baseline")
            case events.VulnerabilityReopened():
                self._open(today, key, event.severity)
            case events.VulnerabilityChanged():
                if (former := (event.id, event.was or event.pkg)) in self.open:
                    self.open.remove(former)
                    self.open.add(key)
                    if event.was:  # another scanner reports it
                        self.seen.pop(former, None)
                    self.clocks[event.id].worsen(event.severity)
            case events.VulnerabilitySuppressed():
                if event.reason == "baseline":
                    self.hidden.add(event.id)
                elif key not in self.open and self._fixed_here(today, event.id):
                    self._open(today, key, event.severity)
                return self._end(today, event, "suppressed", fixes=False)
            case events.VulnerabilityGone():
                return self._end(today, event, event.reason, fixes=self._fixes(today, event))
        return None

    def _fixes(self, today: ImageDay, event: events.VulnerabilityGone) -> bool:
        """Whether another build, or a later version, was scanned where the vulnerability was seen.

        The days only show the scans that reported it first. So it may have been seen on each platform that
        was scanned later, too.
        """
        key = event.id, event.pkg
        before, scan = today.before.found_by(key), today.scan
        found_on, seen = self.seen.pop(key, ("", ()))
        if before is None or scan is None or event.reason not in _FIXES or key not in self.open:
            return False
        if event.reason == "superseded" and parse_label(scan.version).key <= parse_label(before.version).key:
            return False
        first = self.clocks[event.id].since
        fresh = [each for each in today.scans if self.made[each] >= first]
        if seen and scan.scans is not None:
            known = {each.platform for each in seen}
            later = [
                each for day, each in self.counted.values() if day > found_on and each.platform not in known
            ]
            return all(any(_looked(now, each) for now in fresh) for each in (*seen, *later))
        return (scan.scans is None or bool(fresh)) and before.products == scan.products

    def _fixed_here(self, today: ImageDay, id_: str) -> bool:
        """Whether fixes of the id don't count, because today's digests were scanned before."""
        return id_ in self.ended and not self.scanned.isdisjoint(_scanned(today.scan))

    def _open(self, today: ImageDay, key: Key, severity: Severity, *, baseline: bool = False) -> None:
        id_, _ = key
        again = self._fixed_here(today, id_)
        if again and id_ not in self.clocks and self.fixes[id_]:
            self.clocks[id_] = self.fixes[id_].pop().clock
        if id_ not in self.clocks:
            unknown = baseline or today.unknown or id_ in self.hidden
            self.clocks[id_] = Clock(today.date, unknown, severity)
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
            if episode.fixed and episode.first_seen == self.clocks[id_].since
        ]
        same = [episode for episode in fixed if episode.pkg == package]
        other = [episode for episode in fixed if (id_, episode.pkg) not in self.open]
        if candidates := same or other:
            self.ended[id_].remove(candidates[-1])

    def _end(
        self, today: ImageDay, event: events.VulnerabilityEvent, reason: EpisodeEnd, *, fixes: bool
    ) -> _Ending | None:
        """End an open vulnerability."""
        key = event.id, event.pkg
        if key not in self.open:  # it was suppressed
            return None
        self.open.remove(key)
        episode = self._episode(key, event.severity)
        if fixes:
            days = None if episode.baseline else _days(episode.first_seen, today.date)
            episode = replace(episode, fixed=today.date, fixed_in=event.version, days=days)
        self.ended[event.id].append(replace(episode, reason=reason))
        return _Ending(key, event.version, reason, fixes)

    def entries(self, slug: str) -> list[FixEntry]:
        """Return an entry for each clock, by id and first day."""
        still_open = {id_ for id_, _ in self.open}
        entries = []
        for id_, clock in self.clocks.items():
            reason = None if id_ in still_open else clock.reason
            entries.append(FixEntry(slug, id_, clock.worst, clock.since, None, None, None, reason))
        for id_, fixes in self.fixes.items():
            for date, clock, version, reason in fixes:
                days = None if clock.baseline else _days(clock.since, date)
                entries.append(FixEntry(slug, id_, clock.worst, clock.since, date, version, days, reason))
        return sorted(entries, key=lambda entry: (entry.id, entry.first_seen))

    def all(self, image: KnownImage | None) -> list[Episode]:
        """Return the episodes that have not ended, then the others, latest ends first."""
        lasting = [self._episode(key, image.rows[key].severity) for key in self.open] if image else []
        return [*lasting, *(episode for ended in self.ended.values() for episode in reversed(ended))]

    def _episode(self, key: Key, severity: Severity) -> Episode:
        clock = self.clocks[key[0]]
        return Episode(*key, severity, clock.since, clock.baseline, None, None, None, None)


class _Past(Struct):
    """What the days so far show of one image."""

    figures: list[ImageFigures] = field(default_factory=list)
    """An entry for each day with other figures."""
    digests: Digests = field(default_factory=Digests)
    episodes: ImageEpisodes = field(default_factory=ImageEpisodes)
    last: KnownImage = field(default_factory=KnownImage)
    """The image on the last day with it."""

    def add(self, today: ImageDay, day_events: Sequence[AnyEvent]) -> Set[Key]:
        """Add a day on which the image changed; return what was fixed."""
        self.last = today.now or self.last
        self.digests.close_day(today.date, today.now)
        figures = _figures(today.date, today.now)
        if not self.figures or astuple(self.figures[-1])[1:] != astuple(figures)[1:]:
            self.figures.append(figures)
        return self.episodes.follow(today, day_events)

    def record(self, image: KnownImage | None) -> ImageRecord:
        episodes = self.episodes.all(image)
        episodes.sort(key=lambda episode: (SEVERITIES.index(episode.severity), episode.id, episode.pkg))
        episodes.sort(key=lambda episode: episode.first_seen, reverse=True)
        listed = {**self.digests.left, **dict.fromkeys(_by_version(self.digests.listed))}
        digests = self.digests.all()
        return ImageRecord(self.figures, digests, episodes, listed, self.last.lifecycle, self.last.latest)


def _looked(now: CountedScan, seen: CountedScan) -> bool:
    """Whether a scan would report what another one has seen, if it were still there."""
    return (
        products(now.scanner) == products(seen.scanner)
        and (now.platform is None or now.platform == seen.platform != "unknown")
        and {*now.limits} <= {*seen.limits}
    )


def _scanned(scan: KnownScan | None) -> set[str]:
    return {*(scan.digests or [scan.version])} if scan else set()


def _days(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


def times_to_fix(entries: Iterable[FixEntry], last: str) -> TimeToFix:
    """Return the time to fix by severity, in the windows that end with the last recorded day."""
    fixes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for entry in entries:
        if entry.fixed is not None and entry.days is not None:
            fixes[entry.severity].append((_days(entry.fixed, last), entry.days))
    return TimeToFix(
        *(
            FixPeriods(
                *(_times(sorted(days for age, days in fixes[word] if age < window)) for window in _WINDOWS)
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
