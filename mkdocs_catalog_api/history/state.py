"""The state of a catalog's images, and the events that lead from one day to the next."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from ..catalog import events, names
from ..catalog.assessment import scanner_names
from ..catalog.events import AnyEvent, GoneReason, VulnerabilityEvent
from ..catalog.grading import Grade
from ..catalog.history import PopulationFigures, RecordedFigures
from ..catalog.models import Lifecycle
from ..catalog.populations import Population, populations
from ..catalog.published import Counters
from ..catalog.scans import SEVERITIES, Severity
from ..catalog.value import Catalog, Image
from ..catalog.vulnerabilities import Suppressed, Vulnerability
from ..problems import RefusedError

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

    @property
    def products(self) -> frozenset[str]:
        """Words in the names of the scanners, without their versions."""
        return frozenset(re.findall(r"(?<![^\s,])[^\s,\d]+(?![^\s,])", self.scanner or ""))


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
    open: dict[Key, Severity] = field(default_factory=dict)
    suppressed: dict[Key, Severity] = field(default_factory=dict)


State: TypeAlias = dict[str, KnownImage]
"""Slug → image."""


class Seen(NamedTuple):
    """An image as the catalog of one day shows it."""

    slug: str
    image: KnownImage
    missing: frozenset[str] = frozenset()
    """Digests of the newest version without a scan, if others of it have one."""


def known(before: KnownImage | None, seen: Seen) -> KnownImage:
    """Return the state after this snapshot; without a scan, a vulnerability is neither found nor gone."""
    before, now = before or KnownImage(), seen.image
    scan = now.scan
    if scan and before.whole and not seen.missing.isdisjoint(before.whole.digests):
        scan = replace(scan, complete=False)  # a digest that was scanned before has no scan
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
    """Yield the images as a catalog shows them, in their order."""
    return map(_seen, catalog.images)


def counted(catalog: Catalog) -> RecordedFigures:
    """Return the counts of both populations."""
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
    selection = newest.selection
    missing = frozenset({part.digest for part in selection.missing if len(selection.parts) > 1})
    known.scanned, known.grade = True, assessment.figures.grade
    # Digests that only the reports contain show that the same build is scanned after the page lists another.
    scanned = frozenset[str]().union(*map(selection.digests_of, selection.part_scans))
    known.scan = KnownScan(
        version=newest.entry.version,
        digests=(*(digest for digest in digests if digest in scanned), *sorted(scanned.difference(digests))),
        scanner=scanner_names(newest.scans),
        complete=not (selection.limits or (selection.missing and assessment.figures.grade is None)),
    )
    known.open = _worst(assessment.rows)
    suppressed = _worst(assessment.suppressed)
    known.suppressed = {key: severity for key, severity in suppressed.items() if key not in known.open}
    return Seen(entry.slug, known, missing)


def _worst(rows: Iterable[Vulnerability | Suppressed]) -> dict[Key, Severity]:
    """Return the rows by id and package, whatever is installed, with the highest severity."""
    worst: dict[Key, Severity] = {}
    for row in rows:
        key = (row.id, row.pkg)
        worst[key] = min(row.severity, worst.get(key, row.severity), key=SEVERITIES.index)
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
        yield from _image_events(seen.slug, before, known(before, seen), first)
    for slug in sorted(missing):
        for key, severity in sorted((state[slug].open | state[slug].suppressed).items()):
            version = _version(state[slug])
            yield events.VulnerabilityGone(slug, version, *key, severity, "withdrawn")
        yield events.ImageRemoved(slug)


def _version(image: KnownImage) -> str:
    """The version in which the vulnerabilities of an image were found."""
    assert image.scan is not None  # noqa: S101  # vulnerabilities come from a scan
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


class ReplayError(ValueError):
    """The event contradicts the state; nothing was changed."""


def apply(state: State, event: AnyEvent) -> None:
    """Change the state by one event.

    Raises:
        ReplayError: the event changes nothing, or contradicts the state.
    """
    image = state.get(event.slug)
    if isinstance(event, events.ImageAdded):
        _need(image is None, "the image exists already")
        _need(_is_slug(event.slug), "not a valid slug")
        state[event.slug] = KnownImage(lifecycle=event.lifecycle)
    elif image is None:
        raise ReplayError("the image does not exist")
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
            _need(image.lifecycle == event.from_ != event.to, f"the lifecycle was {image.lifecycle}")
            image.lifecycle = event.to
        case events.ReleaseAdded():
            _need(event.version not in image.releases, "the version exists already")
            image.releases[event.version] = event.digests
        case events.ReleaseRemoved():
            _need(event.version in image.releases, "the version does not exist")
            del image.releases[event.version]
        case events.ReleaseRebuilt():
            _need(
                image.releases.get(event.version) == event.from_ != event.to, "the version had other digests"
            )
            image.releases[event.version] = event.to
        case events.LatestChanged():
            _need(image.latest == event.from_ != event.to, f"the newest version was {image.latest}")
            image.latest = event.to
        case events.ScanChanged():
            _need((event.version is None) <= (not event.scanned), "a scan without a version")
            scan = None
            if event.version is not None:
                scan = KnownScan(event.version, event.digests, event.scanner, event.complete)
            _need((image.scanned, image.scan) != (event.scanned, scan), "the scan did not change")
            image.scanned, image.scan = event.scanned, scan
            if scan and scan.complete:
                image.whole = scan
                image.partly.clear()
        case events.GradeChanged():
            _need(image.grade == event.from_ != event.to, f"the grade was {image.grade}")
            image.grade = event.to


def _apply_to_row(image: KnownImage, event: VulnerabilityEvent) -> None:
    key: Key = (event.id, event.pkg)
    _need(image.scan is not None, "the image was never scanned")
    match event:
        case events.VulnerabilityFound():
            _need(key not in image.open and key not in image.suppressed, "the vulnerability is known already")
            image.open[key] = event.severity
            _found(image, key)
        case events.VulnerabilityGone():
            del _held(image, key, event.severity)[key]
        case events.VulnerabilityChanged():
            former = key if event.was is None else (event.id, event.was)
            _need((event.from_ != event.to) or event.was is not None, "nothing changed")
            _need(
                event.was is None or (key not in image.open and key not in image.suppressed),
                "the vulnerability is known",
            )
            rows = _held(image, former, event.from_)
            del rows[former]
            rows[key] = event.to
        case events.VulnerabilitySuppressed():
            _need(key not in image.suppressed, "the vulnerability is suppressed already")
            _need(image.open.get(key, event.severity) == event.severity, "the severity was another one")
            if image.open.pop(key, None) is None:
                _found(image, key)
            image.suppressed[key] = event.severity
        case events.VulnerabilityReopened():
            _need(image.suppressed.get(key) == event.severity, "the vulnerability was not suppressed")
            image.open[key] = image.suppressed.pop(key)


def _found(image: KnownImage, key: Key) -> None:
    if image.scan and not image.scan.complete:
        image.partly.add(key)


def _held(image: KnownImage, key: Key, severity: Severity) -> dict[Key, Severity]:
    """Return the rows, open or suppressed, that contain the vulnerability."""
    for rows in (image.open, image.suppressed):
        if key in rows:
            if rows[key] != severity:
                raise ReplayError(f"the severity was {rows[key]}")
            return rows
    raise ReplayError("the vulnerability is neither open nor suppressed")
