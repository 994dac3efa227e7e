"""What changed between what was known before and what is known now, as events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec.structs import astuple

from ..catalog import events
from ..catalog.events import AnyEvent, GoneReason
from .snapshot import Image, Key, Scan, Seen, State, known

_First = Literal["baseline"] | None
"""Of what is there on the first day of a history."""


def differences(state: State, snapshot: Iterable[Seen], *, baseline: bool = False) -> Iterator[AnyEvent]:
    """The events that lead from the state to what the snapshot shows, image by image, in its order.

    `baseline` is for the first day of a history: what is there then was there before. Replaying the events
    gives the new state; `state` itself is not changed.
    """
    first: _First = "baseline" if baseline else None
    left = set(state)
    for seen in snapshot:
        left.discard(seen.slug)
        before = state.get(seen.slug)
        yield from _image(seen.slug, before, known(before, seen), first)
    for slug in sorted(left):
        for key, severity in sorted((state[slug].open | state[slug].suppressed).items()):
            version = _version(state[slug])
            yield events.VulnerabilityGone(slug, version, *key, severity, "withdrawn")
        yield events.ImageRemoved(slug)


def _version(image: Image) -> str:
    """The release that the vulnerabilities of an image were found in."""
    assert image.scan is not None  # noqa: S101  # there are no vulnerabilities without a scan
    return image.scan.version


def _image(slug: str, before: Image | None, now: Image, first: _First) -> Iterator[AnyEvent]:
    if before is None:
        yield events.ImageAdded(slug, now.lifecycle, first)
        before = Image(lifecycle=now.lifecycle)
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
        yield from _vulnerabilities(slug, before, now, now.scan, first)


def _vulnerabilities(slug: str, before: Image, now: Image, scan: Scan, first: _First) -> Iterator[AnyEvent]:
    version = scan.version
    earlier, later = before.open | before.suppressed, now.open | now.suppressed
    gone = earlier.keys() - later
    reason, in_part = _reason(before.whole or before.scan, scan), _reason(before.scan, scan)
    other = before.scan is not None and _products(before.scan) != _products(scan)
    names: dict[Key, str] = {}
    if other or reason == "scanner":
        names = _other_names(gone & before.open.keys(), now.open.keys() - earlier)
    gone -= {(id_, was) for (id_, _), was in names.items()}
    for key in sorted(gone):
        why = in_part if key in before.partly else reason
        yield events.VulnerabilityGone(slug, version, *key, earlier[key], why)
    by: Literal["scanner"] | None = "scanner" if other and reason == "scanner" else None
    for key, severity in sorted(later.items()):
        was = names.get(key)
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


def _reason(before: Scan | None, now: Scan) -> GoneReason:
    """Why the later of two scans no longer reports something."""
    if before is None or not set(before.digests).isdisjoint(now.digests):
        return "scanner"  # what it was found in may be there unchanged
    if before.version != now.version:
        return "superseded"
    return "rebuilt" if before.digests and now.digests else "scanner"


def _products(scan: Scan) -> list[str]:
    """The names of the scanners without their versions."""
    return re.findall(r"(?<!\S)[^\W\d]\S*", scan.scanner or "")


def _other_names(gone: Iterable[Key], found: Iterable[Key]) -> dict[Key, str]:
    """What is found under another package's name → the name it went by: a reported id goes on."""
    names: dict[str, list[str]] = {}
    for id_, package in sorted(gone, reverse=True):
        names.setdefault(id_, []).append(package)
    return {key: names[key[0]].pop() for key in sorted(found) if names.get(key[0])}
