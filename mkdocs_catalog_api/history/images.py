"""What the recorded days show of one image: its events, figures and digests, and how long each of its
vulnerabilities was open.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import takewhile
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from ..catalog import events
from ..catalog.alike import Looks, Subject, covered_by, unite
from ..catalog.events import AnyEvent, BaselineReason, GoneReason
from ..catalog.history import Episode, EpisodeEnd, FixEntry, ImageFigures, ImageRecord, KnownDigest
from ..catalog.ids import is_cve, stands_for_several
from ..catalog.lines import parse_label
from ..catalog.registry_facts import MOST_FORMER
from ..catalog.scans import COUNTERS, SEVERITIES
from .facts import Facts, KnownRow

First = BaselineReason | None
"""Reason of everything that exists on the first day of a history."""


class Shown(NamedTuple):
    """A row with its id."""

    id: str
    row: KnownRow


class Tracked(Struct, eq=False):
    """A vulnerability of an image."""

    known_before: bool
    """Whether it was there on the first day of the history, so that its beginning is not known."""
    names: set[str] = field(default_factory=set)
    """Every id that it ever had."""
    entries: list[FixEntry] = field(default_factory=list)
    """Its clocks, in order. The last one runs if it has no fix."""
    episodes: list[Episode] = field(default_factory=list)
    """In the order of their beginnings."""
    covered: dict[Subject, frozenset[str]] = field(default_factory=dict)
    """What the scans that showed it had looked at."""
    builds: frozenset[str] = frozenset()
    """The builds that showed it since the clock started, and the last version, once it is gone."""
    version: str = ""

    @property
    def clock(self) -> FixEntry | None:
        """The one that runs."""
        return self.entries[-1] if self.entries and self.entries[-1].fixed_on is None else None

    @property
    def baseline(self) -> bool:
        """Whether the beginning of its last clock is not known."""
        return self.known_before and len(self.entries) == 1

    def fix(self, date: str, version: str, reason: GoneReason) -> None:
        """Stop the clock; every package shows it."""
        days = None if self.baseline else days_between(self.entries[-1].first_seen, date)
        for entry in self._of_clock({episode.pkg: episode for episode in self.episodes}.values()):
            entry.fixed_on, entry.fixed_in, entry.days, entry.reason = date, version, days, reason

    def take_back(self) -> None:
        """Let the last clock run on."""
        for entry in self._of_clock(self.episodes):
            entry.fixed_on = entry.fixed_in = entry.days = None

    def _of_clock(self, episodes: Iterable[Episode]) -> list[FixEntry | Episode]:
        clock = self.entries[-1]
        return [clock, *(episode for episode in episodes if episode.first_seen == clock.first_seen)]


Key = tuple[Tracked, str]
"""A vulnerability in a package."""


class ImagePast:
    """What the days so far show of one image."""

    def __init__(self, slug: str, first: First) -> None:
        self.slug, self.first = slug, first
        self.facts: Facts | None = None
        """None if it left."""
        self.last = self._last_scanned = Facts()
        """What was known on the last day with it, and with a scan."""
        self._renamed = False
        """Whether it was under another slug before its first scan under this one."""
        self._figures: list[ImageFigures] = []
        self._digests: dict[tuple[str, str], KnownDigest] = {}
        """By version and digest, in the order of their last changes."""
        self._manifests: dict[tuple[str, str], Sequence[tuple[str, str]]] = {}
        self._tracked: dict[str, Tracked] = {}
        """By every id."""
        self._shown: dict[Key, Shown] = {}
        """What the last scans show, and what they did not look at."""
        self._missed: set[Key] = set()
        """The latter."""
        self._open: dict[Key, Episode] = {}
        self._waiting: list[Tracked] = []
        """Those whose clock runs although they are not shown."""
        self._scanned: dict[str, str] = {}
        """Build → the last day on which it was scanned as the newest, in the order of these days."""

    def under(self, slug: str) -> ImagePast:
        """The same image under another slug: its clocks go on."""
        past = ImagePast(slug, None)
        past._renamed, past._last_scanned, past._scanned = True, self._last_scanned, {**self._scanned}
        past._tracked = deepcopy(self._tracked)
        for tracked in past._vulnerabilities:
            tracked.known_before, tracked.episodes = tracked.baseline, []
            tracked.entries = [replace(tracked.clock, slug=slug)] if tracked.clock else []
        return past

    def is_same(self, facts: Facts) -> bool:
        """Whether an image with these facts has the repository or a digest of this one."""
        same_repository = facts.image is not None and facts.image == self.last.image
        return same_repository or not facts.every_digest.isdisjoint(self.last.every_digest)

    def follow(self, date: str, now: Facts | None) -> tuple[list[AnyEvent], list[tuple[str, str]]]:
        """Add a day on which something was different; return its events, and id and package of what is gone
        and fixed.
        """
        before, self.facts = self.facts, now
        self.last = now or self.last
        self._follow_digests(date, before or Facts(), now or Facts())
        figures = _figures(date, now)
        if not self._figures or astuple(self._figures[-1])[1:] != astuple(figures)[1:]:
            self._figures.append(figures)
        day_events, fixed = list[AnyEvent](), list[tuple[str, str]]()
        if now is None:
            gone = self._leave(self._shown)
            day_events += [self._gone(key, self._last_scanned.latest, "withdrawn") for key in gone]
            day_events.append(events.ImageRemoved(self.slug))
            self._shown, self._missed = {}, set()
        else:
            day_events += _image_events(self.slug, before, now, self.first)
            if now.scans:
                fixed = self._scan(date, now, day_events)
                self._last_scanned, self._renamed = now, False
        self.first = None
        return day_events, fixed

    def _follow_digests(self, date: str, before: Facts, now: Facts) -> None:
        if before.versions is now.versions:
            return
        for key in sorted(before.digests - now.digests):
            self._digests[key] = replace(self._digests.pop(key), until=date)
        for version, digest in sorted(now.digests - before.digests):
            known = self._digests.pop((version, digest), KnownDigest(digest, version, date, None))
            self._digests[version, digest] = replace(known, until=None)
            self._manifests[version, digest] = now.versions[version].manifests

    def _scan(self, date: str, now: Facts, day_events: list[AnyEvent]) -> list[tuple[str, str]]:
        """Add the events of a day with scans; return id and package of what is gone and fixed."""
        before, builds, gone = self._last_scanned, now.builds, dict[Key, Shown]()
        # Most nights, images that are rebuilt have other digests, and nothing else is different.
        same = before.rows is now.rows and before.scans is now.scans and not self._missed
        looks = now.looks if self._waiting or not same else None
        if looks and not same:
            shown = self._rows(now)
            absent = self._leave(self._shown.keys() - shown.keys())
            self._missed = {key for key in absent if looks.missed(key[0].covered)}
            gone = {key: self._shown[key] for key in absent if key not in self._missed}
            day_events += [
                self._gone(key, now.latest, self._reason(key[0], now, builds, looks)) for key in gone
            ]
            day_events += self._row_events(date, now, shown, builds)
            self._shown = shown | {key: self._shown[key] for key in self._missed}
            present = {tracked for tracked, _ in self._shown}
            self._waiting = [each for each in self._vulnerabilities if each.clock and each not in present]
        fixed = [each for each in self._waiting if looks and self._is_fixed(each, now, builds, looks)]
        for tracked in fixed:
            self._waiting.remove(tracked)
            tracked.fix(date, now.latest or "", self._reason(tracked, now, builds, looks or now.looks))
        for build in builds:
            self._scanned.pop(build, None)
            self._scanned[build] = date
        return [(shown.id, shown.row.pkg) for (tracked, _), shown in gone.items() if tracked in fixed]

    def _rows(self, now: Facts) -> dict[Key, Shown]:
        """What the scans of a day show: of several rows of a vulnerability, an open one, the worst."""
        rows = [
            (package, Shown(id_, row)) for package, listed in now.rows.items() for id_, row in listed.items()
        ]
        for _, shown in rows:
            self._learn(shown)
        rows.sort(
            key=lambda item: (item[1].row.suppressed, SEVERITIES.index(item[1].row.severity)), reverse=True
        )
        return {(self._tracked[shown.id], package): shown for package, shown in rows}

    def _learn(self, shown: Shown) -> None:
        """Know the vulnerability of a row: the oldest one that shares an id with it, unless they have two
        CVEs; else a new one.
        """
        id_, aliases = shown.id, shown.row.aliases
        names = {id_} if stands_for_several(id_, aliases) else {id_, *aliases}
        same = {tracked for name in names if (tracked := self._tracked.get(name))}
        if len(same) == 1 and id_ in self._tracked and names <= self._tracked.keys():
            return
        known = [each for each in self._vulnerabilities if each in same]
        known = [each for each in known if id_ in each.names or sum(map(is_cve, each.names | names)) <= 1]
        tracked = known[0] if known else Tracked(self.first is not None)
        tracked.names |= names
        for other in known[1:]:
            tracked.names |= other.names
            tracked.episodes += other.episodes
            unite(tracked.covered, other.covered)
            self._tracked |= dict.fromkeys(other.names, tracked)
            moved = {key: (tracked, key[1]) for key in self._shown if key[0] is other}
            self._shown = {moved.get(key, key): row for key, row in self._shown.items()}
            self._open = {moved.get(key, key): episode for key, episode in self._open.items()}
        self._tracked = dict.fromkeys(names, tracked) | self._tracked

    def _leave(self, keys: Iterable[Key]) -> list[Key]:
        """The keys in order, after a note of the builds and the version that showed what leaves."""
        last_day = max(self._scanned.values(), default="")
        for tracked in {key[0] for key in keys if key not in self._missed}:
            since = tracked.clock.first_seen if tracked.clock else last_day
            builds = takewhile(lambda build: self._scanned[build] >= since, reversed(self._scanned))  # noqa: B023
            tracked.builds, tracked.version = frozenset(builds), self._last_scanned.latest or ""
        return sorted(keys, key=lambda key: (self._shown[key].id, key[1]))

    def _reason(self, tracked: Tracked, now: Facts, builds: set[str], looks: Looks) -> GoneReason:
        """Why a vulnerability is gone.

        - `scanner`: no scanner that showed it has looked, or a build that showed it is still there, or may be
          because nobody knows its digest.
        - `superseded`: another version is the newest.
        - `rebuilt`: the newest version is another build.
        """
        scanners = {subject.scanner for subject in tracked.covered}
        if looks.scanners.isdisjoint(scanners) or not builds.isdisjoint(tracked.builds):
            return "scanner"
        if now.latest != tracked.version:
            return "superseded"
        return "rebuilt" if _has_digest(builds) and _has_digest(tracked.builds) else "scanner"

    def _is_fixed(self, tracked: Tracked, now: Facts, builds: set[str], looks: Looks) -> bool:
        """Whether another build, of the same version or a later one, was looked at alike."""
        reason = self._reason(tracked, now, builds, looks)
        later = reason == "rebuilt" or (
            reason == "superseded" and parse_label(now.latest or "").key > parse_label(tracked.version).key
        )
        return later and looks.show_fixes(tracked.covered, tracked.entries[-1].first_seen)

    def _gone(self, key: Key, version: str | None, reason: GoneReason) -> AnyEvent:
        self._end(key, reason)
        id_, row = self._shown[key]
        return events.VulnerabilityGone(
            self.slug, version or "", id_, row.aliases, row.pkg, row.severity, reason
        )

    def _end(self, key: Key, reason: EpisodeEnd) -> None:
        if episode := self._open.pop(key, None):
            episode.reason = key[0].entries[-1].reason = reason

    def _row_events(
        self, date: str, now: Facts, shown: Mapping[Key, Shown], builds: set[str]
    ) -> Iterator[AnyEvent]:
        covered: dict[tuple[int, ...] | None, Mapping[Subject, frozenset[str]]] = {}
        for key, (id_, row) in sorted(shown.items(), key=lambda item: (item[1].id, item[0][1])):
            tracked, former = key[0], self._shown[key].row if key in self._shown else None
            reason = self.first or ("renamed" if self._renamed and tracked.clock else None)
            if row.scans not in covered:
                scans = (scan for at, scan in enumerate(now.scans) if row.scans is None or at in row.scans)
                covered[row.scans] = covered_by(scans)
            unite(tracked.covered, covered[row.scans])
            if tracked.entries and not tracked.clock and not builds.isdisjoint(self._scanned):
                tracked.take_back()
            about = self.slug, now.latest or "", id_, row.aliases, row.pkg, row.severity
            if former is None and not row.suppressed:
                yield events.VulnerabilityFound(*about, reason)
            if former and former.severity != row.severity:
                yield events.VulnerabilityChanged(*about, former.severity, row.severity)
            if row.suppressed and not (former and former.suppressed):
                self._end(key, "suppressed")
                yield events.VulnerabilitySuppressed(*about, None if former else self.first)
            if former and former.suppressed and not row.suppressed:
                yield events.VulnerabilityReopened(*about)
            if not row.suppressed:
                self._run(date, key, id_, row)
        for tracked, _ in self._open:
            tracked.entries[-1].reason = None

    def _run(self, date: str, key: Key, id_: str, row: KnownRow) -> None:
        """Note a day on which a vulnerability is open."""
        tracked, aliases = key[0], tuple(sorted({*row.aliases, *key[0].names} - {id_}))
        if tracked.clock is None:
            entry = FixEntry(self.slug, id_, aliases, row.severity, date, None, None, None, None)
            tracked.entries.append(entry)
        clock = tracked.entries[-1]
        clock.id, clock.aliases = id_, aliases
        clock.severity = min(clock.severity, row.severity, key=SEVERITIES.index)
        if key not in self._open:
            since, baseline = clock.first_seen, tracked.baseline
            self._open[key] = Episode(
                id_, aliases, row.pkg, row.severity, since, baseline, None, None, None, None
            )
            tracked.episodes.append(self._open[key])
        episode = self._open[key]
        episode.id, episode.aliases, episode.pkg, episode.severity = id_, aliases, row.pkg, row.severity

    @property
    def _vulnerabilities(self) -> Iterable[Tracked]:
        return dict.fromkeys(self._tracked.values())

    def entries(self) -> Iterator[tuple[FixEntry, bool]]:
        """Each clock, and whether its beginning is known."""
        for tracked in self._vulnerabilities:
            for number, entry in enumerate(tracked.entries):
                yield entry, bool(number) or not tracked.known_before

    def record(self, year_ago: str) -> ImageRecord:
        """What is published; former digests within their bounds."""
        episodes = [episode for tracked in self._vulnerabilities for episode in reversed(tracked.episodes)]
        episodes.sort(key=lambda each: (SEVERITIES.index(each.severity), each.id, each.pkg))
        episodes.sort(key=lambda each: each.first_seen, reverse=True)
        number, digests = Counter[str](), list[KnownDigest]()
        for known in reversed(self._digests.values()):
            number[known.version] += known.until is not None
            if known.until is None or (known.until >= year_ago and number[known.version] <= MOST_FORMER):
                digests.append(known)
        digests.sort(key=lambda each: (each.from_, each.version, each.digest))
        return ImageRecord(
            self._figures, digests, episodes, self._manifests, self.last.lifecycle, self.last.latest
        )


def days_between(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


def _has_digest(builds: Iterable[str]) -> bool:
    return any(":" in build for build in builds)


def _figures(date: str, facts: Facts | None) -> ImageFigures:
    """The figures of an image; all are null without a scan, and after the image was removed."""
    if facts is None or not facts.scans:
        return ImageFigures(date, facts.latest if facts else None, False, *(None,) * 8)
    critical, high, medium, low, unknown = counts = [facts.counts.get(word, 0) for word in COUNTERS]
    by_severity = critical, high, medium, low, unknown
    suppressed = facts.counts.get("suppressed", 0)
    return ImageFigures(date, facts.latest, True, *by_severity, sum(counts), suppressed, facts.grade)


def _image_events(slug: str, before: Facts | None, now: Facts, first: First) -> Iterator[AnyEvent]:
    if before is None:
        yield events.ImageAdded(slug, now.lifecycle, first)
        before = Facts(lifecycle=now.lifecycle)
    if before.lifecycle != now.lifecycle:
        yield events.LifecycleChanged(slug, before.lifecycle, now.lifecycle)
    for version in sorted(before.versions.keys() - now.versions):
        yield events.ReleaseRemoved(slug, version)
    for version, known in sorted(now.versions.items()):
        earlier = before.versions.get(version)
        if earlier is None:
            yield events.ReleaseAdded(slug, version, known.digests, first)
        elif earlier.digests != known.digests:
            yield events.ReleaseRebuilt(slug, version, earlier.digests, known.digests)
    if before.latest != now.latest:
        yield events.LatestChanged(slug, before.latest, now.latest)
    if before.scanner != now.scanner:
        yield events.ScanChanged(slug, bool(now.scans), now.scanner)
    if before.grade != now.grade:
        yield events.GradeChanged(slug, before.grade, now.grade)
