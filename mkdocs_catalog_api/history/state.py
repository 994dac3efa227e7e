"""The state of a catalog's images on a day, and the events that lead from one day to the next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from ..authored.settings import HISTORY_FOLDER
from ..catalog import events, names
from ..catalog.assessment import scanner_names
from ..catalog.covers import PartScan, ScanSelection
from ..catalog.events import AnyEvent, CountedScan, GoneReason, VulnerabilityEvent
from ..catalog.grading import Grade
from ..catalog.history import RecordedFigures
from ..catalog.models import Lifecycle
from ..catalog.populations import populations
from ..catalog.scans import SEVERITIES, Severity
from ..catalog.value import Catalog, Image
from ..catalog.vulnerabilities import Suppressed, Vulnerability
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from .days import Day, Folder, refused

_First = Literal["baseline"] | None
"""Reason of everything that exists on the first day of a history."""
Key: TypeAlias = tuple[str, str]
"""Id and package of a vulnerability."""


class KnownScan(Struct, frozen=True):
    """The scan of a version."""

    version: str
    digests: tuple[str, ...]
    """The digests that were scanned; empty if unknown."""
    scanner: str | None
    complete: bool
    """Whether it covers the whole version, so that a vulnerability that it does not report is gone."""
    scans: tuple[CountedScan, ...] | None = None
    """Its parts; None if the day does not show them."""

    @property
    def products(self) -> frozenset[str]:
        return products(self.scanner)

    @property
    def limits(self) -> frozenset[str]:
        return frozenset(limit for scan in self.scans or () for limit in scan.limits)

    @property
    def subject(self) -> KnownScan:
        """The same without times, by which two scans of the same subject differ."""
        return replace(self, scans=tuple(replace(scan, scanned_at=None) for scan in self.scans or ()))


def products(scanners: str | None) -> frozenset[str]:
    """Words in the names of scanners, without their versions."""
    return frozenset(re.findall(r"(?<![^\s,])[^\s,\d]+(?![^\s,])", scanners or ""))


class Row(NamedTuple):
    """A vulnerability of a package."""

    severity: Severity
    suppressed: bool = False


class KnownImage(Struct):
    """The state of an image; the vulnerabilities are those of the last scan of the newest version."""

    lifecycle: Lifecycle = "available"
    releases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Label → digests."""
    latest: str | None = None
    scanned: bool = False
    """Whether the newest version has a scan."""
    scan: KnownScan | None = None
    """The last scan."""
    whole: KnownScan | None = None
    """The last complete scan; its vulnerabilities remain until the next complete one."""
    partly: set[Key] = field(default_factory=set)
    """Found after it by scans that were not complete."""
    grade: Grade | None = None
    rows: dict[Key, Row] = field(default_factory=dict)

    def found_by(self, key: Key) -> KnownScan | None:
        """Return the scan that found a vulnerability."""
        return self.scan if key in self.partly else self.whole or self.scan

    def copy(self) -> KnownImage:
        """Return a copy that a change of the image does not change."""
        return replace(self, releases={**self.releases}, partly={*self.partly}, rows={**self.rows})

    def ids(self, *, suppressed: bool) -> set[str]:
        """Return the ids of the open vulnerabilities, or of the suppressed ones."""
        return {id_ for (id_, _), row in self.rows.items() if row.suppressed == suppressed}


State: TypeAlias = dict[str, KnownImage]
"""Slug → image."""


class Seen(NamedTuple):
    """An image as the catalog of one day shows it."""

    slug: str
    image: KnownImage
    missing: frozenset[str] = frozenset()
    """Digests of the newest version without a scan, if others of it have one."""
    places: Mapping[Key, tuple[int, ...]] = {}
    """Vulnerability → positions of the scans that report it."""


def known(before: KnownImage | None, seen: Seen) -> KnownImage:
    """Return the state after this snapshot; without a scan, a vulnerability is neither found nor gone."""
    before, now = before or KnownImage(), seen.image
    scan = now.scan
    earlier = [each for each in (before.whole, before.scan) if each]
    if scan and (
        any(not seen.missing.isdisjoint(each.digests) for each in earlier)  # had a scan before
        or (earlier and scan.limits - earlier[0].limits)
    ):
        scan = replace(scan, complete=False)
    if scan and before.scan:
        doubtful = replace(scan, complete=False) if seen.missing or scan.limits else scan
        if before.scan.subject in (scan.subject, doubtful.subject):  # what made it incomplete stays so
            scan = before.scan
    if scan and scan.complete:
        return replace(now, scan=scan, whole=scan)
    return replace(
        now,
        scan=scan or before.scan,
        whole=before.whole,
        partly=before.partly | (now.rows.keys() - before.rows),
        rows=before.rows | now.rows,
    )


def snapshot(catalog: Catalog) -> Iterator[Seen]:
    """Yield the images as a catalog shows them, in their order."""
    return map(_seen, catalog.images)


def counted(catalog: Catalog) -> RecordedFigures:
    """Return the counts of both populations."""
    return RecordedFigures(*(population.published for population in populations(catalog)))


def _seen(image: Image) -> Seen:
    entry = image.entry
    known = KnownImage(
        entry.lifecycle, {each.version: tuple(each.digests) for each in entry.versions}, entry.latest
    )
    newest = image.newest
    if newest is None or newest.assessment is None:
        return Seen(entry.slug, known)
    assessment, digests = newest.assessment, newest.entry.digests
    selection = newest.selection
    missing = frozenset({part.digest for part in selection.missing if len(selection.parts) > 1})
    known.scanned, known.grade = True, assessment.figures.grade
    # Digests that only the reports contain show that the same build is scanned after the page lists another.
    scanned = frozenset[str]().union(*map(selection.digests_of, selection.part_scans))
    known.scan = KnownScan(
        version=newest.entry.version,
        digests=(*(digest for digest in digests if digest in scanned), *sorted(scanned.difference(digests))),
        scanner=scanner_names(newest.scans),
        complete=not selection.missing or assessment.figures.grade is not None,
        scans=tuple(_counted_scan(selection, each) for each in selection.part_scans),
    )
    known.rows = _worst(assessment.suppressed, suppressed=True) | _worst(assessment.rows, suppressed=False)
    places: dict[Key, tuple[int, ...]] = {}
    for position, scan in enumerate(selection.scans):
        for key in dict.fromkeys((finding.id, finding.pkg) for finding in scan.findings):
            places[key] = (*places.get(key, ()), position)
    return Seen(entry.slug, known, missing, places)


def _counted_scan(selection: ScanSelection, part_scan: PartScan) -> CountedScan:
    scan, coverage = part_scan.scan, part_scan.scan.coverage
    platforms = [*dict.fromkeys(filter(None, part_scan.platforms))]
    return CountedScan(
        scanner_names([scan]),
        tuple(sorted(selection.digests_of(part_scan))),
        platforms[0] if len(platforms) == 1 else None if part_scan.covers else "unknown",
        tuple(sorted(coverage.packages)),
        tuple(sorted(part_scan.limits)),
        scan.scanned_at,
    )


def _worst(rows: Iterable[Vulnerability | Suppressed], *, suppressed: bool) -> dict[Key, Row]:
    """Return the rows by id and package, whatever is installed, with the highest severity."""
    worst: dict[Key, Row] = {}
    for row in sorted(rows, key=lambda row: SEVERITIES.index(row.severity)):
        worst.setdefault((row.id, row.pkg), Row(row.severity, suppressed))
    return worst


def differences(state: State, snapshot: Iterable[Seen], *, baseline: bool = False) -> Iterator[AnyEvent]:
    """Yield the events that lead from the state to the snapshot, image by image, in its order.

    `baseline` marks the first day of a history: its images and vulnerabilities were there before. Replaying
    the events gives the new state; `state` itself does not change.
    """
    first: _First = "baseline" if baseline else None
    missing = set(state)
    for seen in snapshot:
        missing.discard(seen.slug)
        before = state.get(seen.slug)
        yield from _image_events(seen, before, known(before, seen), first)
    for slug in sorted(missing):
        if scan := state[slug].scan:
            for key, row in sorted(state[slug].rows.items()):
                yield events.VulnerabilityGone(slug, scan.version, *key, row.severity, "withdrawn")
        yield events.ImageRemoved(slug)


def _image_events(
    seen: Seen, before: KnownImage | None, now: KnownImage, first: _First
) -> Iterator[AnyEvent]:
    slug = seen.slug
    if before is None:
        yield events.ImageAdded(slug, now.lifecycle, first)
        before = KnownImage(lifecycle=now.lifecycle)
    if before == now:
        return
    if before.lifecycle != now.lifecycle:
        yield events.LifecycleChanged(slug, before.lifecycle, now.lifecycle)
    for version in sorted(before.releases.keys() - now.releases):
        yield events.ReleaseRemoved(slug, version)
    for version, digests in sorted(now.releases.items()):
        earlier = before.releases.get(version)
        if earlier is None:
            yield events.ReleaseAdded(slug, version, digests, first)
        elif earlier != digests:
            yield events.ReleaseRebuilt(slug, version, earlier, digests)
    if before.latest != now.latest:
        yield events.LatestChanged(slug, before.latest, now.latest)
    if (before.scanned, before.scan) != (now.scanned, now.scan):
        scan = astuple(now.scan) if now.scan else (None, (), None, False, None)
        yield events.ScanChanged(slug, now.scanned, *scan)
    if before.grade != now.grade:
        yield events.GradeChanged(slug, before.grade, now.grade)
    if now.scan is not None:
        yield from _row_events(seen, before, now, now.scan, first)


def _row_events(
    seen: Seen, before: KnownImage, now: KnownImage, scan: KnownScan, first: _First
) -> Iterator[AnyEvent]:
    slug, version = seen.slug, scan.version
    earlier, later = before.rows, now.rows
    gone, found = earlier.keys() - later, later.keys() - earlier
    reason = _reason(before.whole or before.scan, scan)
    other = before.scan is not None and before.scan.products != scan.products
    renamed: dict[Key, str] = {}
    if other or reason == "scanner":
        renamed = _other_names(
            (key for key in gone if not earlier[key].suppressed),
            (key for key in found if not later[key].suppressed),
        )
    gone -= {(id_, was) for (id_, _), was in renamed.items()}
    for key in sorted(gone):
        why = _reason(before.found_by(key), scan)
        yield events.VulnerabilityGone(slug, version, *key, earlier[key].severity, why)
    by: Literal["scanner"] | None = "scanner" if other and reason == "scanner" else None
    for key, (severity, suppressed) in sorted(later.items()):
        was = renamed.get(key)
        former = earlier.get((key[0], was or key[1]))
        if former is None and not suppressed:
            places = seen.places.get(key)
            yield events.VulnerabilityFound(slug, version, *key, severity, first or by, places)
        if former and (former.severity != severity or was is not None):
            yield events.VulnerabilityChanged(slug, version, *key, severity, former.severity, severity, was)
        if suppressed and not (former and former.suppressed):
            yield events.VulnerabilitySuppressed(slug, version, *key, severity, None if former else first)
        if former and former.suppressed and not suppressed:
            yield events.VulnerabilityReopened(slug, version, *key, severity)


def _reason(before: KnownScan | None, now: KnownScan) -> GoneReason:
    """The reason why the later of two scans no longer reports a vulnerability."""
    if before is None or not set(before.digests).isdisjoint(now.digests):
        return "scanner"  # the same build may still be there
    if before.version != now.version:
        return "superseded"
    return "rebuilt" if before.digests and now.digests else "scanner"


def _other_names(gone: Iterable[Key], found: Iterable[Key]) -> dict[Key, str]:
    """Match ids that are found under another package name: new key → former name."""
    packages: dict[str, list[str]] = {}
    for id_, package in sorted(gone, reverse=True):
        packages.setdefault(id_, []).append(package)
    return {key: packages[key[0]].pop() for key in sorted(found) if packages.get(key[0])}


def after(state: State, day_events: Sequence[AnyEvent]) -> tuple[State, list[bool]]:
    """Return the state after the events of a day, and of each event whether it fits the days before.

    An event that changes nothing, or contradicts the state, has no effect.
    """
    slugs = {event.slug for event in day_events}
    state = state | {slug: state[slug].copy() for slug in slugs & state.keys()}
    return state, [_applied(state, event) for event in day_events]


def _applied(state: State, event: AnyEvent) -> bool:
    """Change the state by an event; return whether it fits."""
    image = state.get(event.slug)
    match event:
        case events.ImageAdded() if image is None and _is_slug(event.slug):
            state[event.slug] = KnownImage(event.lifecycle)
        case events.ImageRemoved() if image and not image.rows:
            del state[event.slug]
        case VulnerabilityEvent():
            return image is not None and image.scan is not None and _applied_to_rows(image, image.scan, event)
        case _:
            return image is not None and _applied_to_image(image, event)
    return True


def _is_slug(text: str) -> bool:
    try:
        return bool(names.slug(text))
    except RefusedError:
        return False


def _applied_to_image(image: KnownImage, event: AnyEvent) -> bool:
    match event:
        case events.LifecycleChanged(from_=before, to=now) if image.lifecycle == before != now:
            image.lifecycle = now
        case events.LatestChanged(from_=before, to=now) if image.latest == before != now:
            image.latest = now
        case events.GradeChanged(from_=before, to=now) if image.grade == before != now:
            image.grade = now
        case events.ReleaseAdded(version=version) if version not in image.releases:
            image.releases[version] = event.digests
        case events.ReleaseRemoved(version=version) if version in image.releases:
            del image.releases[version]
        case events.ReleaseRebuilt(version=version) if image.releases.get(version) == event.from_ != event.to:
            image.releases[version] = event.to
        case events.ScanChanged(version=version) if version is not None or not event.scanned:
            scan = None
            if version is not None:
                scan = KnownScan(version, event.digests, event.scanner, event.complete, event.scans)
            if (image.scanned, image.scan) == (event.scanned, scan):
                return False
            image.scanned, image.scan = event.scanned, scan
            if scan and scan.complete:
                image.whole = scan
                image.partly.clear()
        case _:
            return False
    return True


def _applied_to_rows(image: KnownImage, scan: KnownScan, event: VulnerabilityEvent) -> bool:
    key, severity = (event.id, event.pkg), event.severity
    row = image.rows.get(key)
    match event:
        case events.VulnerabilityFound() | events.VulnerabilitySuppressed() if row is None:
            image.rows[key] = Row(severity, isinstance(event, events.VulnerabilitySuppressed))
            if not scan.complete:
                image.partly.add(key)
        case events.VulnerabilitySuppressed() if row == Row(severity):
            image.rows[key] = Row(severity, suppressed=True)
        case events.VulnerabilityReopened() if row == Row(severity, suppressed=True):
            image.rows[key] = Row(severity)
        case events.VulnerabilityGone() if row and row.severity == severity:
            del image.rows[key]
        case events.VulnerabilityChanged(was=None) if row and row.severity == event.from_ != event.to:
            image.rows[key] = row._replace(severity=event.to)
        case events.VulnerabilityChanged(was=str(was)) if row is None:
            former = image.rows.get((event.id, was))
            if former is None or former.severity != event.from_:
                return False
            image.rows[key] = image.rows.pop((event.id, was))._replace(severity=event.to)
        case _:
            return False
    return True


def follow(day: Day, state: State, problems: Problems) -> tuple[State, list[AnyEvent]]:
    """Return the state after a day, and its events that fit.

    The others are warnings: after a merge of two histories, a day may repeat or contradict earlier days.
    """
    state, fits = after(state, day.events)
    for line in (line for line, fit in enumerate(fits, 2) if not fit):
        message = "not used: the event repeats or contradicts the days before"
        hint = "expected after a merge of two histories; else restore the days from git"
        group = f"events that repeat or contradict the days before ({hint})"
        problem = Problem(day.file, line, 0, "", message, hint, Level.WARNING, code=Code.HISTORY, group=group)
        problems.add(problem)
    return state, [event for event, fit in zip(day.events, fits, strict=True) if fit]


def record(
    folder: Folder,
    date: str,
    snapshot: Iterable[Seen],
    problems: Problems,
    figures: RecordedFigures,
) -> int:
    """Write a day with the changes up to this snapshot; if it is the last recorded day, replace it. Return
    the number of events.

    Raises:
        CatalogError: a later day is recorded, or a day before is damaged.
        OSError: the day can't be written.
    """
    dates = folder.dates
    if dates and date < dates[-1]:
        message = f"{date} is before {dates[-1]}, the last recorded day"
        hint = "omit `--date` to record today, or use a later date"
        raise refused(HISTORY_FOLDER, 0, message, hint)
    state: State = {}
    for day in folder.days(before=date):
        state, _ = follow(day, state, problems)
    baseline = not dates or dates[0] == date
    return folder.write(date, figures, differences(state, snapshot, baseline=baseline))
