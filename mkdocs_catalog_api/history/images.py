"""What the recorded days show of one image: its events, figures, digests, and how long each of its
vulnerabilities was open.
"""

from __future__ import annotations

import datetime
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import takewhile
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from ..catalog import events
from ..catalog.alike import Looks, Subject, covered_by
from ..catalog.events import AnyEvent, BaselineReason, GoneReason
from ..catalog.history import (
    Episode,
    EpisodeEnd,
    FixEntry,
    ImageFigures,
    ImageRecord,
    KnownBuild,
    KnownDigest,
)
from ..catalog.ids import is_cve, stands_for_several
from ..catalog.lines import parse_label
from ..catalog.registry_facts import MOST_FORMER
from ..catalog.scans import COUNTERS, SEVERITIES, Severity
from .facts import Facts, KnownRow

First = BaselineReason | None
"""Reason of everything that exists on the first day of a history."""


def days_between(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


class Fix(NamedTuple):
    """The end of a clock, and what is needed to take it back."""

    date: str
    version: str
    reason: EpisodeEnd
    since: str
    known_before: bool
    worst: Severity
    covered: dict[Subject, frozenset[str]]


class Tracked(Struct, eq=False):
    """A vulnerability of an image, and its clock, which only a fix stops."""

    id: str
    aliases: tuple[str, ...]
    names: set[str]
    """Every id that it ever had."""
    known_before: bool
    """Whether its beginning is not known: it was there on the first day."""
    since: str | None = None
    """The first day on which it was open; None if it never was, or is fixed."""
    worst: Severity = "UNKNOWN"
    """While it was open."""
    covered: dict[Subject, frozenset[str]] = field(default_factory=dict)
    """What the scans that showed it had looked at, with their common limits."""
    builds: frozenset[str] = frozenset()
    """Those that showed it since then, and the version that did last, once it is gone."""
    version: str | None = None
    reason: EpisodeEnd | None = None
    """Of its last end that was not a fix."""
    ended: dict[str, list[Episode]] = field(default_factory=lambda: defaultdict(list))
    """Package → ended episodes, in order."""
    fixes: list[Fix] = field(default_factory=list)
    """Without those that were taken back."""

    def show(
        self, date: str, shown: Shown, covered: Mapping[Subject, frozenset[str]], *, again: bool
    ) -> None:
        """Add a day with a row of it; `again`: the build was scanned before."""
        self.id, self.aliases = shown.id, shown.row.aliases
        if again and self.fixes:  # the last one was none
            fixed_on, _, self.reason, self.since, self.known_before, self.worst, self.covered = (
                self.fixes.pop()
            )
            self._replace_last(fixed_on, fixed_on=None, fixed_in=None, days=None)
        self._cover(covered)
        if not shown.row.suppressed:
            if self.since is None:
                self.since, self.worst = date, shown.row.severity
            self.worst = min(self.worst, shown.row.severity, key=SEVERITIES.index)

    def _cover(self, covered: Mapping[Subject, frozenset[str]]) -> None:
        for subject, limits in covered.items():
            self.covered[subject] = self.covered.get(subject, limits) & limits

    def fix(self, date: str, version: str, reason: GoneReason) -> None:
        """Stop the clock."""
        since = self.since or date
        self.fixes.append(Fix(date, version, reason, since, self.known_before, self.worst, self.covered))
        days = None if self.known_before else days_between(since, date)
        self._replace_last(None, fixed_on=date, fixed_in=version, days=days, reason=reason)
        self.since, self.known_before, self.covered = None, False, {}

    def _replace_last(self, fix: str | None, **changes: object) -> None:
        """Change the last episode of each package, if it has this day of a fix and the clock's first day."""
        for ended in self.ended.values():
            if ended and (ended[-1].fixed_on, ended[-1].first_seen) == (fix, self.since):
                ended[-1] = replace(ended[-1], **changes)

    def unite(self, other: Tracked) -> None:
        """Add what is known of another one that turns out to be the same."""
        self.names |= other.names
        self.known_before |= other.known_before
        self.worst = min(self.worst, other.worst, key=SEVERITIES.index)
        self._cover(other.covered)
        self.builds |= other.builds
        self.fixes += other.fixes
        for package, ended in other.ended.items():
            self.ended[package] += ended

    def episode(self, shown: Shown, reason: EpisodeEnd | None = None) -> Episode:
        row, since = shown.row, self.since or ""
        return Episode(
            shown.id,
            row.aliases,
            row.pkg,
            row.severity,
            since,
            self.known_before,
            None,
            None,
            None,
            reason,
        )

    def entries(self, slug: str, *, is_open: bool) -> Iterator[tuple[FixEntry, bool]]:
        """Yield an entry for each time that it was open, and whether its beginning is known."""
        about = slug, self.id, tuple(sorted({*self.aliases, *self.names} - {self.id}))
        for fix in self.fixes:
            days = None if fix.known_before else days_between(fix.since, fix.date)
            entry = FixEntry(*about, fix.worst, fix.since, fix.date, fix.version, days, fix.reason)
            yield entry, not fix.known_before
        if self.since is not None:
            reason = None if is_open else self.reason
            entry = FixEntry(*about, self.worst, self.since, None, None, None, reason)
            yield entry, not self.known_before


class Shown(NamedTuple):
    """A row, with its id."""

    id: str
    row: KnownRow

    @property
    def rank(self) -> tuple[bool, int]:
        """Sort key: an open one before a suppressed one, the worst first."""
        return self.row.suppressed, SEVERITIES.index(self.row.severity)


Key = tuple[Tracked, str]
"""A vulnerability and a package."""


class ImagePast:
    """What the days so far show of one image."""

    def __init__(self, slug: str, first: First) -> None:
        self.slug, self.first = slug, first
        self.facts: Facts | None = None
        """None if it left."""
        self.last = Facts()
        """What was known on the last day with it."""
        self.renamed = False
        """Whether it was under another slug until its next scan."""
        self._figures: list[ImageFigures] = []
        self._digests = _Digests()
        self._last_scanned = Facts()
        """What was known on the last day with a scan."""
        self._tracked: dict[str, Tracked] = {}
        """Id → vulnerability."""
        self._running: dict[Tracked, None] = {}
        """Those whose clock runs."""
        self._shown: dict[Key, Shown] = {}
        """Those of the last scans, and others where nobody has looked since."""
        self._carried: set[Key] = set()
        """The latter."""
        self._waiting: list[Tracked] = []
        """Those whose clock runs although they are not shown."""
        self._scanned: dict[str, str] = {}
        """Build → the last day on which it was scanned as the newest, in the order of these days."""

    def under(self, slug: str) -> ImagePast:
        """The same image under another slug: its clocks go on."""
        past = ImagePast(slug, None)
        past._last_scanned, past._scanned = self._last_scanned, {**self._scanned}
        past._tracked, past._running = deepcopy((self._tracked, self._running))
        for tracked in past._tracked.values():
            tracked.ended.clear()
            tracked.fixes.clear()
        past.renamed = True
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
        self._digests.add(date, before, now)
        figures = _figures(date, now)
        if not self._figures or astuple(self._figures[-1])[1:] != astuple(figures)[1:]:
            self._figures.append(figures)
        day_events, fixed = list[AnyEvent](), list[tuple[str, str]]()
        if now is None:
            gone = self._in_order(self._shown)
            self._leave(gone)
            day_events += [self._gone(key, self._last_scanned.latest, "withdrawn") for key in gone]
            day_events.append(events.ImageRemoved(self.slug))
            self._shown, self._carried = {}, set()
        else:
            day_events += _image_events(self.slug, before, now, self.first)
            if now.scans:
                fixed = self._scan(date, now, day_events)
                self._last_scanned, self.renamed = now, False
        self.first = None
        return day_events, fixed

    def _scan(self, date: str, now: Facts, day_events: list[AnyEvent]) -> list[tuple[str, str]]:
        """Add the events of a day with scans; return id and package of what is gone and fixed."""
        before, builds, gone = self._last_scanned, _builds(now), dict[Key, Shown]()
        # Most nights, images that are rebuilt have other digests, and nothing else is different.
        same = before.rows is now.rows and before.scans is now.scans and not self._carried
        looks = now.looks if self._waiting or not same else None
        if looks and not same:
            shown = self._rows(now)
            missing = self._in_order(self._shown.keys() - shown.keys())
            self._leave(missing)
            self._carried = {key for key in missing if looks.missed(key[0].covered)}
            gone = {key: self._shown[key] for key in missing if key not in self._carried}
            day_events += [
                self._gone(key, now.latest, self._reason(key[0], now, builds, looks)) for key in gone
            ]
            day_events += self._row_events(date, now, shown, builds)
            self._shown = shown | {key: self._shown[key] for key in missing if key in self._carried}
            present = {tracked for tracked, _ in self._shown}
            self._waiting = [tracked for tracked in self._running if tracked not in present]
        fixes = [each for each in self._waiting if looks and self._is_fixed(each, now, builds, looks)]
        for tracked in fixes:
            self._waiting.remove(tracked)
            del self._running[tracked]
            tracked.fix(date, now.latest or "", self._reason(tracked, now, builds, looks or now.looks))
        for build in builds:
            self._scanned.pop(build, None)
            self._scanned[build] = date
        return [(shown.id, shown.row.pkg) for (tracked, _), shown in gone.items() if tracked in fixes]

    def _rows(self, now: Facts) -> dict[Key, Shown]:
        """What the scans of a day show."""
        rows = [
            (package, Shown(id_, row)) for package, listed in now.rows.items() for id_, row in listed.items()
        ]
        for _, shown in rows:
            self._learn(shown)
        best: dict[Key, Shown] = {}
        for package, shown in rows:
            key = self._tracked[shown.id], package
            if key not in best or shown.rank < best[key].rank:
                best[key] = shown
        return best

    def _learn(self, shown: Shown) -> None:
        """Find the vulnerability with an id of the row, of which at most one is a CVE, or add one."""
        id_, aliases = shown.id, shown.row.aliases
        if id_ in self._tracked and not aliases:
            return
        names = {id_} if stands_for_several(id_, aliases) else {id_, *aliases}
        having = {tracked for name in names if (tracked := self._tracked.get(name))}
        # The oldest first.
        known = sorted(
            (each for each in having if id_ in each.names or sum(map(is_cve, each.names | names)) <= 1),
            key=lambda each: (each.since or "9999", each.id),
        )
        tracked = known[0] if known else Tracked(id_, aliases, set(), self.first is not None)
        for other in known[1:]:
            tracked.unite(other)
            self._running.pop(other, None)
            self._tracked |= dict.fromkeys(other.names, tracked)
            united = {key: (tracked, key[1]) if key[0] is other else key for key in self._shown}
            self._shown = {united[key]: row for key, row in self._shown.items()}
            self._carried = {united[key] for key in self._carried}
        tracked.names |= names
        for name in names:
            self._tracked.setdefault(name, tracked)
        if tracked.since:
            self._running.setdefault(tracked)

    def _in_order(self, keys: Iterable[Key]) -> list[Key]:
        return sorted(keys, key=lambda key: (self._shown[key].id, key[1]))

    def _leave(self, keys: Iterable[Key]) -> None:
        """Note the last version and the builds with what is no longer shown."""
        last_day = max(self._scanned.values(), default="")
        for tracked in {key[0] for key in keys if key not in self._carried}:
            since = tracked.since or last_day
            builds = takewhile(lambda build: self._scanned[build] >= since, reversed(self._scanned))  # noqa: B023
            tracked.version, tracked.builds = self._last_scanned.latest, frozenset(builds)

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
        older = parse_label(tracked.version or "").key if reason == "superseded" else None
        return (
            reason != "scanner"
            and (older is None or parse_label(now.latest or "").key > older)
            and looks.show_fixes(tracked.covered, tracked.since)
        )

    def _gone(self, key: Key, version: str | None, reason: GoneReason) -> AnyEvent:
        shown = self._shown[key]
        self._end(key, shown, reason)
        row = shown.row
        return events.VulnerabilityGone(
            self.slug, version or "", shown.id, row.aliases, row.pkg, row.severity, reason
        )

    def _end(self, key: Key, shown: Shown, reason: EpisodeEnd) -> None:
        tracked, package = key
        if not shown.row.suppressed:
            tracked.ended[package].append(tracked.episode(shown, reason))
            tracked.reason = reason

    def _row_events(
        self, date: str, now: Facts, shown: Mapping[Key, Shown], builds: set[str]
    ) -> Iterator[AnyEvent]:
        covered: dict[tuple[int, ...] | None, Mapping[Subject, frozenset[str]]] = {}
        for key, (id_, row) in sorted(shown.items(), key=lambda item: (item[1].id, item[0][1])):
            tracked = key[0]
            former = self._shown[key].row if key in self._shown else None
            if row.scans not in covered:
                scans = [scan for at, scan in enumerate(now.scans) if row.scans is None or at in row.scans]
                covered[row.scans] = covered_by(map(now.look, scans))
            reason = self.first or ("renamed" if self.renamed and tracked.since else None)
            again = tracked.since is None and not builds.isdisjoint(self._scanned)
            tracked.show(date, Shown(id_, row), covered[row.scans], again=again)
            if tracked.since:
                self._running.setdefault(tracked)
            about = self.slug, now.latest or "", id_, row.aliases, row.pkg, row.severity
            if former is None and not row.suppressed:
                yield events.VulnerabilityFound(*about, reason)
            if former and former.severity != row.severity:
                yield events.VulnerabilityChanged(*about, former.severity, row.severity)
            if row.suppressed and not (former and former.suppressed):
                if former:
                    self._end(key, self._shown[key], "suppressed")
                yield events.VulnerabilitySuppressed(*about, None if former else self.first)
            if former and former.suppressed and not row.suppressed:
                yield events.VulnerabilityReopened(*about)

    @property
    def _vulnerabilities(self) -> Iterable[Tracked]:
        return {id(tracked): tracked for tracked in self._tracked.values()}.values()

    @property
    def _open(self) -> set[Tracked]:
        return {tracked for (tracked, _), shown in self._shown.items() if not shown.row.suppressed}

    def entries(self) -> list[tuple[FixEntry, bool]]:
        """Those of each vulnerability, by id and first day, and whether its beginning is known."""
        still_open = self._open
        entries = [
            entry
            for tracked in self._vulnerabilities
            for entry in tracked.entries(self.slug, is_open=tracked in still_open)
        ]
        return sorted(entries, key=lambda entry: (entry[0].id, entry[0].first_seen))

    def record(self, forgotten_before: str) -> ImageRecord:
        """`forgotten_before`: the first day that the `until` of a digest may have."""
        episodes = [
            tracked.episode(shown) for (tracked, _), shown in self._shown.items() if not shown.row.suppressed
        ]
        for tracked in self._vulnerabilities:
            episodes += [episode for ended in tracked.ended.values() for episode in reversed(ended)]
        episodes.sort(key=lambda episode: (SEVERITIES.index(episode.severity), episode.id, episode.pkg))
        episodes.sort(key=lambda episode: episode.first_seen, reverse=True)
        digests, listed = self._digests.known(forgotten_before)
        return ImageRecord(self._figures, digests, episodes, listed, self.last.lifecycle, self.last.latest)


class _Digests:
    """The digests of each version of one image, with the days on which it had them."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, str], tuple[str, KnownBuild | None]] = {}
        """Version and digest → the first day, and the build if the page lists it."""
        self._former: dict[str, deque[tuple[KnownDigest, KnownBuild | None]]] = defaultdict(
            lambda: deque(maxlen=MOST_FORMER)
        )
        """Version → the last ones, in the order of their ends."""

    def add(self, date: str, before: Facts | None, now: Facts | None) -> None:
        if before and now and (before.versions, before.scans) == (now.versions, now.scans):
            return
        known: dict[tuple[str, str], KnownBuild | None] = {}
        if now:
            known |= {(now.latest or "", digest): None for scan in now.scans for digest in scan.digests}
            for label, version in now.versions.items():
                build = KnownBuild(None, version.manifests)
                known |= {(label, digest): build for digest in version.digests}
        for label, digest in sorted(self._now.keys() - known):
            start, ended = self._now[label, digest]
            former = KnownDigest(digest, label, start, date)
            self._former[label].append((former, ended and ended._replace(until=date)))
        self._now = {
            key: (self._now[key][0] if key in self._now else date, build) for key, build in known.items()
        }

    def known(self, forgotten_before: str) -> tuple[list[KnownDigest], dict[tuple[str, str], KnownBuild]]:
        """Every digest, oldest first, and those that the page listed."""
        former = [
            (known, build)
            for ended in self._former.values()
            for known, build in ended
            if (known.until or "") >= forgotten_before
        ]
        present = [
            (KnownDigest(digest, label, start, None), build)
            for (label, digest), (start, build) in self._now.items()
        ]
        digests = sorted(
            (known for known, _ in (*former, *present)),
            key=lambda each: (each.from_, each.version, each.digest),
        )
        listed = {(each.version, each.digest): build for each, build in (*former, *present) if build}
        return digests, listed


def _builds(facts: Facts) -> set[str]:
    """The digests that were scanned; the version if nobody knows any."""
    return set[str]().union(*map(facts.digests_of, facts.scans)) or {facts.latest or ""}


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
    if before.versions is not now.versions:
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
