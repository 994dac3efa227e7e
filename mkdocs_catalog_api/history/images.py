"""What the recorded days show of one image: its events, figures and digests, and how long each of its
vulnerabilities was open.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import NamedTuple

from msgspec import UNSET, Struct, field
from msgspec.structs import astuple, replace

from ..catalog import events
from ..catalog.alike import Look, LookedAt, Looks, covered_by, unite
from ..catalog.events import AnyEvent, BaselineReason, GoneReason
from ..catalog.ids import is_cve, stands_for_several
from ..catalog.recorded import Episode, EpisodeEnd, FixEntry, ImageFigures, ImageRecord, KnownDigest
from ..catalog.scans import COUNTERS, SEVERITIES
from ..items.lines import parse_label
from ..items.registry_facts import MOST_FORMER
from .facts import FactChanges, Facts, KnownRow, KnownVersion

First = BaselineReason | None
"""Reason of everything that exists on the first day of a history."""


LastScan = tuple[str, str, bool]
"""Day, version, and whether a digest of the scanned build is known: `("2026-11-03", "1.2.0", True)`."""


class ShownRow(NamedTuple):
    """A row with its id."""

    id: str
    row: KnownRow


class Tracked(Struct, eq=False):
    """A vulnerability of an image, in all its packages.

    It is first seen as `GHSA-1` in libssl3, gets the id `CVE-2026-1`, and is also in openssl: one clock, two
    episodes.
    """

    known_before: bool
    """Whether it was there on the first day of the history, so that its beginning is not known."""
    names: set[str] = field(default_factory=set)
    """Every id that it ever had."""
    entries: list[FixEntry] = field(default_factory=list)
    """Its clocks, in order. The last one runs if it has no fix."""
    episodes: list[Episode] = field(default_factory=list)
    """In the order of their beginnings."""
    shown: dict[str, ShownRow] = field(default_factory=dict)
    """Package → what the last scans show, and what they did not look at."""
    open: dict[str, Episode] = field(default_factory=dict)
    """Package → its episode, without suppressed ones."""
    covered: dict[LookedAt, frozenset[str]] = field(default_factory=dict)
    """What the scans that showed it had looked at."""
    last: LastScan = ("", "", False)
    """That showed it, once it is gone."""
    periods: list[tuple[str, str]] = field(default_factory=list)
    """First and last days on which it was shown, without the present period."""
    shown_since: str = ""
    """First day of the present period, or of the last one."""

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

    def run(self, date: str, slug: str, package: str, shown: ShownRow) -> None:
        """Note a day on which it is open in a package."""
        (id_, row), names = shown, {*shown.row.aliases, *self.names}
        aliases = tuple(sorted(names - {id_}))
        if self.clock is None:
            self.entries.append(FixEntry(slug, id_, aliases, row.severity, date, None, None, None, None))
        clock = self.entries[-1]
        clock.id, clock.aliases = id_, aliases
        clock.severity = min(clock.severity, row.severity, key=SEVERITIES.index)
        if package not in self.open:
            about = id_, aliases, row.pkg, row.severity
            episode = Episode(*about, clock.first_seen, self.baseline, None, None, None, None)
            self.open[package] = episode
            self.episodes.append(episode)
        episode = self.open[package]
        episode.id, episode.aliases, episode.pkg, episode.severity = id_, aliases, row.pkg, row.severity

    def end(self, package: str, reason: EpisodeEnd) -> None:
        """Note that it is no longer open in a package."""
        if episode := self.open.pop(package, None):
            episode.reason = reason
            self.entries[-1].reason = None if self.open else reason

    def unite(self, other: Tracked) -> None:
        """Add another one, which turns out to be the same."""
        self.names |= other.names
        self.episodes += other.episodes
        self.periods += other.periods
        if other.shown:
            self.shown_since = min(self.shown_since or other.shown_since, other.shown_since)
        else:
            self.periods.append((other.shown_since, other.last[0]))
        self.shown, self.open = other.shown | self.shown, other.open | self.open
        unite(self.covered, other.covered)


Key = tuple[Tracked, str]
"""A vulnerability in a package."""


class ImagePast:
    """What the days so far show of one image."""

    def __init__(self, slug: str, first: First) -> None:
        self.slug, self.first = slug, first
        self.facts, self.is_here = Facts(), False
        """What is known, or was on the last day with it."""
        self.fixed: list[tuple[str, str]] = []
        """Id and package of what is gone and fixed on the last day."""
        self._renamed = False
        """Whether it was under another slug before its first scan under this one."""
        self._figures: list[ImageFigures] = []
        self._digests: dict[tuple[str, str], tuple[str, str | None, Sequence[tuple[str, str]]]] = {}
        """Version and digest → its first day, the day on which it ended, and its manifests."""
        self._tracked: dict[str, Tracked] = {}
        """By every id."""
        self._waiting: dict[Tracked, None] = {}
        """Those whose clock runs although they are not shown."""
        self._missed: set[Key] = set()
        """What is shown although the last scans did not look at it."""
        self._scans: tuple[Look, ...] = ()
        self._last: LastScan = "", "", False
        self._scanned: dict[str, list[str]] = {}
        """Build → the days on which it was scanned as the newest."""

    def under(self, slug: str) -> ImagePast:
        """The same image under another slug: its clocks go on."""
        past = ImagePast(slug, None)
        past._renamed, past._last, past._scanned = True, self._last, deepcopy(self._scanned)
        past._tracked, past._waiting = deepcopy((self._tracked, self._waiting))
        for tracked in past._vulnerabilities:
            tracked.known_before, tracked.episodes = tracked.baseline, []
            tracked.entries = [replace(tracked.clock, slug=slug)] if tracked.clock else []
        return past

    def is_same(self, facts: Facts) -> bool:
        """Whether an image with these facts has the repository or a digest of this one."""
        same_repository = facts.image is not None and facts.image == self.facts.image
        return same_repository or not facts.every_digest.isdisjoint(self.facts.every_digest)

    def follow(self, date: str, changes: FactChanges | None) -> list[AnyEvent]:
        """Add a day on which something is different; return its events."""
        day_events, facts = list[AnyEvent](), self.facts
        self.fixed = []
        if changes is None:
            shown = {(tracked, package): tracked.shown[package] for tracked, package in self._every_key}
            for tracked, _ in shown.keys() - self._missed:
                tracked.last = self._last
            day_events += [self._gone(key, self._last[1], "withdrawn") for key, _ in _in_order(shown)]
            self._waiting |= {tracked: None for tracked, _ in shown if tracked.clock}
            day_events.append(events.ImageRemoved(self.slug))
            for label, known in facts.versions.items():
                self._follow_digests(date, label, known, KnownVersion())
            self._figures.append(_figures(date, Facts()))
            self.is_here, self._missed = False, set()
            return day_events
        if not self.is_here:
            facts = self.facts = Facts(lifecycle=changes.lifecycle or "available")
            day_events.append(events.ImageAdded(self.slug, facts.lifecycle, self.first))
            self.is_here = True
        day_events += self._image_events(date, changes)
        rows = changes.every_row(facts) if changes.rows is not UNSET else []
        changes.apply(facts)
        if facts.scans:
            builds = facts.builds
            # Most nights, images that are rebuilt have other digests, and nothing else is different.
            if rows or self._waiting or self._missed or facts.scans is not self._scans:
                day_events += self._scan(date, rows, builds)
            for build in builds:
                self._scanned.setdefault(build, []).append(date)
            self._scans, self._renamed = facts.scans, False
            self._last = date, facts.latest or "", _has_digest(builds)
        if changes.concern_figures or not self._figures:
            figures = _figures(date, facts)
            if not self._figures or astuple(self._figures[-1])[1:] != astuple(figures)[1:]:
                self._figures.append(figures)
        self.first = None
        return day_events

    def _image_events(self, date: str, changes: FactChanges) -> Iterator[AnyEvent]:
        slug, facts = self.slug, self.facts
        if changes.lifecycle is not UNSET and facts.lifecycle != (changes.lifecycle or "available"):
            yield events.LifecycleChanged(slug, facts.lifecycle, changes.lifecycle or "available")
        for label, known in changes.every_version(facts):
            earlier = facts.versions.get(label)
            self._follow_digests(date, label, earlier or KnownVersion(), known or KnownVersion())
            if known is None:
                yield events.ReleaseRemoved(slug, label)
            elif earlier is None:
                yield events.ReleaseAdded(slug, label, known.digests, self.first)
            elif earlier.digests != known.digests:
                yield events.ReleaseRebuilt(slug, label, earlier.digests, known.digests)
        if changes.latest is not UNSET and facts.latest != changes.latest:
            yield events.LatestChanged(slug, facts.latest, changes.latest)
        if changes.scanner is not UNSET and facts.scanner != changes.scanner:
            yield events.ScanChanged(slug, changes.scanner is not None, changes.scanner)
        if changes.grade is not UNSET and facts.grade != changes.grade:
            yield events.GradeChanged(slug, facts.grade, changes.grade)

    def _follow_digests(self, date: str, label: str, earlier: KnownVersion, known: KnownVersion) -> None:
        for digest in earlier.digests:
            if digest not in known.digests:
                since, _, manifests = self._digests[label, digest]
                self._digests[label, digest] = since, date, manifests
        for digest in known.digests:
            if digest not in earlier.digests:
                before = self._digests.get((label, digest))
                self._digests[label, digest] = before[0] if before else date, None, known.manifests

    def _scan(
        self, date: str, rows: list[tuple[str, str, KnownRow | None]], builds: set[str]
    ) -> Iterator[AnyEvent]:
        """Yield the events of a day with scans, on which these rows are different."""
        facts, gone = self.facts, dict[Key, ShownRow]()
        if facts.scans is not self._scans or self._missed:
            rows += [(package, *item) for package, listed in facts.rows.items() for item in listed.items()]
            keys = {**self._keys(rows), **dict.fromkeys(self._every_key)}
        else:
            keys = self._keys(rows)
        looks = facts.looks if keys or self._waiting else None
        if looks and keys:
            shown = {key: row for key in keys if (row := self._row(key))}
            absent = [key for key in keys if key not in shown and key[1] in key[0].shown]
            for key in absent:
                key[0].last = key[0].last if key in self._missed else self._last
            self._missed = {key for key in absent if looks.missed(key[0].covered)}
            gone = {key: key[0].shown[key[1]] for key in absent if key not in self._missed}
            for key, _ in _in_order(gone):
                yield self._gone(key, facts.latest, self._reason(key[0], builds, looks))
            again = any(build in self._scanned for build in builds)
            for key, row in _in_order(shown):
                yield from self._row_events(date, key, row, again=again)
            for tracked, _ in keys:
                self._waiting.pop(tracked, None)
                if tracked.clock and not tracked.shown:
                    self._waiting[tracked] = None
        for tracked in [*self._waiting] if looks else ():
            reason = looks and self._fix_reason(tracked, builds, looks)
            if reason:
                tracked.fix(date, facts.latest or "", reason)
                del self._waiting[tracked]
                self.fixed += [(row.id, row.row.pkg) for key, row in gone.items() if key[0] is tracked]

    @property
    def _every_key(self) -> list[Key]:
        return [(tracked, package) for tracked in self._vulnerabilities for package in tracked.shown]

    @property
    def _vulnerabilities(self) -> Iterable[Tracked]:
        return dict.fromkeys(self._tracked.values())

    def _keys(self, rows: Iterable[tuple[str, str, KnownRow | None]]) -> dict[Key, None]:
        for _, id_, row in rows:
            if row:
                self._learn(id_, row.aliases)
        return dict.fromkeys(
            (self._tracked[id_], package) for package, id_, _ in rows if id_ in self._tracked
        )

    def _row(self, key: Key) -> ShownRow | None:
        """What the scans show: of several ids, an open row, the worst."""
        tracked, rows = key[0], self.facts.rows.get(key[1], {})
        shown = [
            ShownRow(id_, rows[id_]) for id_ in tracked.names if id_ in rows and self._tracked[id_] is tracked
        ]
        return min(
            shown,
            key=lambda shown: (shown.row.suppressed, SEVERITIES.index(shown.row.severity), shown.id),
            default=None,
        )

    def _learn(self, id_: str, aliases: tuple[str, ...]) -> None:
        """Know the vulnerability of a row: the oldest one that shares an id with it, unless they have two
        CVEs; else a new one.
        """
        if id_ in self._tracked and not aliases:
            return
        names = {id_} if stands_for_several(id_, aliases) else {id_, *aliases}
        same = {tracked for name in names if (tracked := self._tracked.get(name))}
        if len(same) == 1 and id_ in self._tracked and names <= self._tracked.keys():
            return
        known = [other for other in self._vulnerabilities if other in same] if len(same) > 1 else [*same]
        known = [other for other in known if id_ in other.names or sum(map(is_cve, other.names | names)) <= 1]
        tracked = known[0] if known else Tracked(self.first is not None)
        tracked.names |= names
        for other in known[1:]:
            tracked.unite(other)
            self._waiting.pop(other, None)
            self._tracked |= dict.fromkeys(other.names, tracked)
            self._missed = {(tracked if one is other else one, package) for one, package in self._missed}
        for name in names:
            self._tracked.setdefault(name, tracked)

    def _reason(self, tracked: Tracked, builds: set[str], looks: Looks) -> GoneReason:
        """Why a vulnerability is gone.

        - `scanner`: no scanner that showed it has looked, or a build that showed it since its clock started
          is there, or may be because nobody knows its digest.
        - `superseded`: another version is the newest.
        - `rebuilt`: the newest version is another build.
        """
        last_day, version, had_digest = tracked.last
        since = tracked.clock.first_seen if tracked.clock else last_day
        scanners = {subject.scanner for subject in tracked.covered}
        days = [day for build in builds for day in self._scanned.get(build, ())]
        periods = [*tracked.periods, (tracked.shown_since, last_day)]
        showed = any(max(since, first) <= day <= last for day in days for first, last in periods)
        if looks.scanners.isdisjoint(scanners) or showed:
            return "scanner"
        if self.facts.latest != version:
            return "superseded"
        return "rebuilt" if had_digest and _has_digest(builds) else "scanner"

    def _fix_reason(self, tracked: Tracked, builds: set[str], looks: Looks) -> GoneReason | None:
        """The reason, if another build, of the same version or a later one, was looked at alike."""
        reason = self._reason(tracked, builds, looks)
        older, now = tracked.last[1], self.facts.latest or ""
        if reason == "scanner" or (reason == "superseded" and parse_label(now).key <= parse_label(older).key):
            return None
        return reason if looks.show_fixes(tracked.covered, tracked.entries[-1].first_seen) else None

    def _gone(self, key: Key, version: str | None, reason: GoneReason) -> AnyEvent:
        tracked, package = key
        tracked.end(package, reason)
        id_, row = tracked.shown.pop(package)
        return events.VulnerabilityGone(
            self.slug, version or "", id_, row.aliases, row.pkg, row.severity, reason
        )

    def _row_events(self, date: str, key: Key, shown: ShownRow, *, again: bool) -> Iterator[AnyEvent]:
        """Note a row that is shown; `again`: by a build that was scanned before."""
        tracked, package = key
        before, row = tracked.shown.get(package), shown.row
        former = before and before.row
        about = self.slug, self.facts.latest or "", shown.id, row.aliases, row.pkg, row.severity
        reason = self.first or ("renamed" if self._renamed and tracked.clock else None)
        if again and tracked.entries and not tracked.clock:
            tracked.take_back()
        if not tracked.shown:
            tracked.periods.append((tracked.shown_since, tracked.last[0]))
            tracked.shown_since = date
        if former is None and not row.suppressed:
            yield events.VulnerabilityFound(*about, reason)
        if former and former.severity != row.severity:
            yield events.VulnerabilityChanged(*about, former.severity, row.severity)
        if row.suppressed and not (former and former.suppressed):
            tracked.end(package, "suppressed")
            yield events.VulnerabilitySuppressed(*about, None if former else self.first)
        if former and former.suppressed and not row.suppressed:
            yield events.VulnerabilityReopened(*about)
        scans = self.facts.scans
        unite(
            tracked.covered,
            covered_by(scans if row.scans is None else [scans[at] for at in row.scans if at < len(scans)]),
        )
        tracked.shown[package] = shown
        if not row.suppressed:
            tracked.run(date, self.slug, package, shown)
        if tracked.open:
            tracked.entries[-1].reason = None

    def entries(self) -> Iterator[tuple[FixEntry, bool]]:
        """Each clock, and whether its beginning is known."""
        for tracked in self._vulnerabilities:
            for number, entry in enumerate(tracked.entries):
                yield entry, bool(number) or not tracked.known_before

    def record(self, year_ago: str) -> ImageRecord:
        """What is published; former digests within their bounds."""
        episodes = [episode for tracked in self._vulnerabilities for episode in reversed(tracked.episodes)]
        episodes.sort(key=lambda episode: (SEVERITIES.index(episode.severity), episode.id, episode.pkg))
        episodes.sort(key=lambda episode: episode.first_seen, reverse=True)
        number, digests = Counter[str](), list[KnownDigest]()
        known = sorted(self._digests.items(), key=lambda item: item[1][1] or "9999", reverse=True)
        for (version, digest), (since, until, _) in known:
            number[version] += until is not None
            if until is None or (until >= year_ago and number[version] <= MOST_FORMER):
                digests.append(KnownDigest(digest, version, since, until))
        digests.sort(key=lambda known: (known.from_, known.version, known.digest))
        manifests = {
            (known.version, known.digest): self._digests[known.version, known.digest][2] for known in digests
        }
        facts = self.facts
        return ImageRecord(self._figures, digests, episodes, manifests, facts.lifecycle, facts.latest)


def _in_order(rows: Mapping[Key, ShownRow]) -> list[tuple[Key, ShownRow]]:
    return sorted(rows.items(), key=lambda item: (item[1].id, item[0][1]))


def days_between(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


def _has_digest(builds: Iterable[str]) -> bool:
    return any(":" in build for build in builds)


def _figures(date: str, facts: Facts) -> ImageFigures:
    """The figures of an image; all are null without a scan."""
    if not facts.scans:
        return ImageFigures(date, facts.latest, False, *(None,) * 8)
    critical, high, medium, low, unknown = counts = [facts.counts.get(word, 0) for word in COUNTERS]
    by_severity = critical, high, medium, low, unknown
    suppressed = facts.counts.get("suppressed", 0)
    return ImageFigures(date, facts.latest, True, *by_severity, sum(counts), suppressed, facts.grade)
