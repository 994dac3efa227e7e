"""Events become what was known again, one after the other."""

from __future__ import annotations

from ..catalog import events
from ..catalog.events import AnyEvent, VulnerabilityEvent
from ..catalog.names import slug
from ..catalog.scans import Severity
from ..problems import RefusedError
from .snapshot import Image, Key, Scan, State


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
        state[event.slug] = Image(lifecycle=event.lifecycle)
    elif image is None:
        raise ReplayError("there is no such image")
    elif isinstance(event, VulnerabilityEvent):
        _vulnerability(image, event)
    elif isinstance(event, events.ImageRemoved):
        _need(not (image.open or image.suppressed), "the image still has vulnerabilities")
        del state[event.slug]
    else:
        _image(image, event)


def _is_slug(text: str) -> bool:
    try:
        return bool(slug(text))
    except RefusedError:
        return False


def _need(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ReplayError(otherwise)


def _image(image: Image, event: AnyEvent) -> None:
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
                scan = Scan(event.version, event.digests, event.scanner, event.complete)
            _need((image.scanned, image.scan) != (event.scanned, scan), "the scan is the same")
            image.scanned, image.scan = event.scanned, scan
            if scan and scan.complete:
                image.whole = scan
                image.partly.clear()
        case events.GradeChanged():
            _need(image.grade == event.from_ != event.to, f"its grade was {image.grade} before")
            image.grade = event.to


def _vulnerability(image: Image, event: VulnerabilityEvent) -> None:
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


def _found(image: Image, key: Key) -> None:
    if image.scan and not image.scan.complete:
        image.partly.add(key)


def _held(image: Image, key: Key, severity: Severity) -> dict[Key, Severity]:
    """The rows, open or suppressed, that hold it."""
    for rows in (image.open, image.suppressed):
        if key in rows:
            if rows[key] != severity:
                raise ReplayError(f"its severity was {rows[key]} before")
            return rows
    raise ReplayError("it is neither open nor suppressed")
