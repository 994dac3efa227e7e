"""What is known of the images of a catalog, and the events that lead from one day to the next."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from ..catalog import events, names
from ..catalog.assessment import os_end_of_life, scanner_names
from ..catalog.events import AnyEvent, GoneReason, VulnerabilityEvent
from ..catalog.grading import Grade
from ..catalog.history import PopulationFigures, RecordedFigures
from ..catalog.models import Lifecycle
from ..catalog.populations import Population, populations
from ..catalog.published import Counters
from ..catalog.scan_selection import covered
from ..catalog.scans import SEVERITIES, Severity
from ..catalog.value import Catalog, Image
from ..catalog.vulnerabilities import Suppressed, Vulnerability
from ..problems import RefusedError

_First = Literal["baseline"] | None
"""Of what is there on the first day of a history."""
Key: TypeAlias = tuple[str, str]
"""Id and package of a vulnerability."""


class KnownScan(Struct, frozen=True):
    """What was scanned of a release."""

    version: str
    digests: tuple[str, ...]
    """What was scanned; empty when nobody knows."""
    scanner: str | None
    complete: bool
    """Whether it tells all of the release, so that what it does not report is not there."""

    @property
    def products(self) -> frozenset[str]:
        """The words in the names of the scanners, without their versions."""
        return frozenset(re.findall(r"(?<![^\s,])[^\s,\d]+(?![^\s,])", self.scanner or ""))


class KnownImage(Struct):
    """What is known of an image: the vulnerabilities of the newest release when that was last scanned."""

    lifecycle: Lifecycle = "available"
    releases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Label → digests."""
    latest: str | None = None
    scanned: bool = False
    """Whether the newest release has a scan now."""
    scan: KnownScan | None = None
    """The last scan."""
    whole: KnownScan | None = None
    """The last that was complete: what is known from it goes on until another one is."""
    partly: set[Key] = field(default_factory=set)
    """What was found since then, by scans that were not complete."""
    grade: Grade | None = None
    open: dict[Key, Severity] = field(default_factory=dict)
    suppressed: dict[Key, Severity] = field(default_factory=dict)


State: TypeAlias = dict[str, KnownImage]
"""What is known of a catalog: slug → image."""


class Seen(NamedTuple):
    """What one day's catalog shows of an image."""

    slug: str
    image: KnownImage
    missing: frozenset[str] = frozenset()
    """Digests of the newest release that have no scan while others of it have one."""


def known(before: KnownImage | None, seen: Seen) -> KnownImage:
    """What is known once this was seen: what nobody has scanned this time is neither found nor gone."""
    before, now = before or KnownImage(), seen.image
    scan = now.scan
    if scan and before.whole and not seen.missing.isdisjoint(before.whole.digests):
        scan = replace(scan, complete=False)  # what was scanned before is not scanned now
    if scan and scan.complete:
        return replace(now, whole=scan)
    return replace(
        now,
        scan=scan or before.scan,
        whole=before.whole,
        partly=before.partly | ((now.open | now.suppressed).keys() - (before.open | before.suppressed)),
        open={key: severity for key, severity in before.open.items() if key not in now.suppressed} | now.open,
        suppressed={key: severity for key, severity in before.suppressed.items() if key not in now.open}
        | now.suppressed,
    )


def snapshot(catalog: Catalog) -> Iterator[Seen]:
    """What a catalog shows of its images, in their order."""
    return map(_seen, catalog.images)


def counted(catalog: Catalog) -> RecordedFigures:
    """The counts of both populations."""
    return RecordedFigures(*map(_population_figures, populations(catalog)))


def _population_figures(population: Population) -> PopulationFigures:
    sums = population.figures
    return PopulationFigures(
        *(sums.total, Counters(**sums.counters), sums.fixable, len(population.images), population.scanned)
    )


def _seen(image: Image) -> Seen:
    entry = image.entry
    known = KnownImage(
        entry.lifecycle, {each.version: tuple(each.digests) for each in entry.versions}, entry.latest
    )
    newest = image.newest
    if newest is None or newest.assessment is None:
        return Seen(entry.slug, known)
    assessment, digests = newest.assessment, newest.entry.digests
    scanned = covered(newest.scans, digests)
    missing = frozenset(digests) - scanned if len(digests) > 1 else frozenset[str]()
    known.scanned, known.grade = True, assessment.figures.grade
    # Digests that only the reports name show that the same image is scanned after the page lists another.
    elsewhere = {digest for scan in newest.scans for digest in scan.digests}.difference(digests)
    known.scan = KnownScan(
        version=newest.entry.version,
        digests=(*(digest for digest in digests if digest in scanned), *sorted(elsewhere)),
        scanner=scanner_names(newest.scans),
        # In a system past its end of life nothing is found because nobody looks.
        complete=not (newest.in_part or os_end_of_life(newest.scans)),
    )
    known.open = _worst(assessment.rows)
    suppressed = _worst(assessment.suppressed)
    known.suppressed = {key: severity for key, severity in suppressed.items() if key not in known.open}
    return Seen(entry.slug, known, missing)


def _worst(rows: Iterable[Vulnerability | Suppressed]) -> dict[Key, Severity]:
    """The rows without what is installed: one a package, with its highest severity."""
    worst: dict[Key, Severity] = {}
    for row in rows:
        key = (row.id, row.pkg)
        worst[key] = min(row.severity, worst.get(key, row.severity), key=SEVERITIES.index)
    return worst


def differences(state: State, snapshot: Iterable[Seen], *, baseline: bool = False) -> Iterator[AnyEvent]:
    """The events that lead from the state to what the snapshot shows, image by image, in its order.

    `baseline` is for the first day of a history: what is there then was there before. Replaying the events
    gives the new state; `state` itself is not changed.
    """
    first: _First = "baseline" if baseline else None
    missing = set(state)
    for seen in snapshot:
        missing.discard(seen.slug)
        before = state.get(seen.slug)
        yield from _image_events(seen.slug, before, known(before, seen), first)
    for slug in sorted(missing):
        for key, severity in sorted((state[slug].open | state[slug].suppressed).items()):
            version = _version(state[slug])
            yield events.VulnerabilityGone(slug, version, *key, severity, "withdrawn")
        yield events.ImageRemoved(slug)


def _version(image: KnownImage) -> str:
    """The release that the vulnerabilities of an image were found in."""
    assert image.scan is not None  # noqa: S101  # there are no vulnerabilities without a scan
    return image.scan.version


def _image_events(slug: str, before: KnownImage | None, now: KnownImage, first: _First) -> Iterator[AnyEvent]:
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
        scan = astuple(now.scan) if now.scan else (None, (), None, False)
        yield events.ScanChanged(slug, now.scanned, *scan)
    if before.grade != now.grade:
        yield events.GradeChanged(slug, before.grade, now.grade)
    if now.scan is not None:
        yield from _row_events(slug, before, now, now.scan, first)


def _row_events(
    slug: str, before: KnownImage, now: KnownImage, scan: KnownScan, first: _First
) -> Iterator[AnyEvent]:
    version = scan.version
    earlier, later = before.open | before.suppressed, now.open | now.suppressed
    gone = earlier.keys() - later
    reason, in_part = _reason(before.whole or before.scan, scan), _reason(before.scan, scan)
    other = before.scan is not None and before.scan.products != scan.products
    renamed: dict[Key, str] = {}
    if other or reason == "scanner":
        renamed = _other_names(gone & before.open.keys(), now.open.keys() - earlier)
    gone -= {(id_, was) for (id_, _), was in renamed.items()}
    for key in sorted(gone):
        why = in_part if key in before.partly else reason
        yield events.VulnerabilityGone(slug, version, *key, earlier[key], why)
    by: Literal["scanner"] | None = "scanner" if other and reason == "scanner" else None
    for key, severity in sorted(later.items()):
        was = renamed.get(key)
        former = earlier.get((key[0], was or key[1]))
        if former is None:
            if key in now.open:
                yield events.VulnerabilityFound(slug, version, *key, severity, first or by)
            else:
                yield events.VulnerabilitySuppressed(slug, version, *key, severity, first)
            continue
        if former != severity or was is not None:
            yield events.VulnerabilityChanged(slug, version, *key, severity, former, severity, was)
        if key in now.suppressed and key in before.open:
            yield events.VulnerabilitySuppressed(slug, version, *key, severity, None)
        elif key in now.open and key in before.suppressed:
            yield events.VulnerabilityReopened(slug, version, *key, severity)


def _reason(before: KnownScan | None, now: KnownScan) -> GoneReason:
    """Why the later of two scans no longer reports something."""
    if before is None or not set(before.digests).isdisjoint(now.digests):
        return "scanner"  # what it was found in may be there unchanged
    if before.version != now.version:
        return "superseded"
    return "rebuilt" if before.digests and now.digests else "scanner"


def _other_names(gone: Iterable[Key], found: Iterable[Key]) -> dict[Key, str]:
    """What is found under another package's name → the name it went by: a reported id goes on."""
    packages: dict[str, list[str]] = {}
    for id_, package in sorted(gone, reverse=True):
        packages.setdefault(id_, []).append(package)
    return {key: packages[key[0]].pop() for key in sorted(found) if packages.get(key[0])}


class ReplayError(ValueError):
    """The event can't follow what is known; nothing was changed."""


def apply(state: State, event: AnyEvent) -> None:
    """Change the state by one event.

    Raises:
        ReplayError: the event says what is so already, or contradicts it.
    """
    image = state.get(event.slug)
    if isinstance(event, events.ImageAdded):
        _need(image is None, "the image is there already")
        _need(_is_slug(event.slug), "no image is called this")
        state[event.slug] = KnownImage(lifecycle=event.lifecycle)
    elif image is None:
        raise ReplayError("there is no such image")
    elif isinstance(event, VulnerabilityEvent):
        _apply_to_row(image, event)
    elif isinstance(event, events.ImageRemoved):
        _need(not (image.open or image.suppressed), "the image still has vulnerabilities")
        del state[event.slug]
    else:
        _apply_to_image(image, event)


def _is_slug(text: str) -> bool:
    try:
        return bool(names.slug(text))
    except RefusedError:
        return False


def _need(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ReplayError(otherwise)


def _apply_to_image(image: KnownImage, event: AnyEvent) -> None:
    match event:
        case events.LifecycleChanged():
            _need(image.lifecycle == event.from_ != event.to, f"it was {image.lifecycle} before")
            image.lifecycle = event.to
        case events.ReleaseAdded():
            _need(event.version not in image.releases, "the release is there already")
            image.releases[event.version] = event.digests
        case events.ReleaseRemoved():
            _need(event.version in image.releases, "there is no such release")
            del image.releases[event.version]
        case events.ReleaseRebuilt():
            _need(image.releases.get(event.version) == event.from_ != event.to, "it had other digests before")
            image.releases[event.version] = event.to
        case events.LatestChanged():
            _need(image.latest == event.from_ != event.to, f"{image.latest} was the newest before")
            image.latest = event.to
        case events.ScanChanged():
            _need((event.version is None) <= (not event.scanned), "a scan of no release")
            scan = None
            if event.version is not None:
                scan = KnownScan(event.version, event.digests, event.scanner, event.complete)
            _need((image.scanned, image.scan) != (event.scanned, scan), "the scan is the same")
            image.scanned, image.scan = event.scanned, scan
            if scan and scan.complete:
                image.whole = scan
                image.partly.clear()
        case events.GradeChanged():
            _need(image.grade == event.from_ != event.to, f"its grade was {image.grade} before")
            image.grade = event.to


def _apply_to_row(image: KnownImage, event: VulnerabilityEvent) -> None:
    key: Key = (event.id, event.pkg)
    _need(image.scan is not None, "the image was never scanned")
    match event:
        case events.VulnerabilityFound():
            _need(key not in image.open and key not in image.suppressed, "it is known already")
            image.open[key] = event.severity
            _found(image, key)
        case events.VulnerabilityGone():
            del _held(image, key, event.severity)[key]
        case events.VulnerabilityChanged():
            former = key if event.was is None else (event.id, event.was)
            _need((event.from_ != event.to) or event.was is not None, "nothing is changed")
            _need(event.was is None or (key not in image.open and key not in image.suppressed), "it is known")
            rows = _held(image, former, event.from_)
            del rows[former]
            rows[key] = event.to
        case events.VulnerabilitySuppressed():
            _need(key not in image.suppressed, "it is suppressed already")
            _need(image.open.get(key, event.severity) == event.severity, "it had another severity")
            if image.open.pop(key, None) is None:
                _found(image, key)
            image.suppressed[key] = event.severity
        case events.VulnerabilityReopened():
            _need(image.suppressed.get(key) == event.severity, "it was not suppressed")
            image.open[key] = image.suppressed.pop(key)


def _found(image: KnownImage, key: Key) -> None:
    if image.scan and not image.scan.complete:
        image.partly.add(key)


def _held(image: KnownImage, key: Key, severity: Severity) -> dict[Key, Severity]:
    """The rows, open or suppressed, that hold it."""
    for rows in (image.open, image.suppressed):
        if key in rows:
            if rows[key] != severity:
                raise ReplayError(f"its severity was {rows[key]} before")
            return rows
    raise ReplayError("it is neither open nor suppressed")
