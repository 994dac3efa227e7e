"""Scans that count but prove little: old ones, doubtful joins, systems past their end of life."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from operator import eq

from ..problems import Level, Problem
from ..problems.codes import Code
from .scans import Scan
from .value import Image, Release


def doubtful_scans(images: Iterable[Image], max_age: int | None, now: datetime) -> Iterator[Problem]:
    """Name each scan that proves little; `max_age` is in days, None for any age."""
    for image in images:
        if max_age is not None and image.entry.lifecycle != "planned" and image.newest:
            yield from _old_scans(image.newest, _name(image, image.newest), max_age, now)
        for release in image.releases:
            for scan in release.scans:
                # The same digest is the same image, whatever else the report contains.
                if {*scan.digests}.isdisjoint(release.entry.digests):
                    yield from _doubtful_joins(image, release, scan)
                if scan.os_end_of_life:
                    yield _abandoned_system(image, release, scan, now.date().isoformat())


def unscanned(images: Sequence[Image]) -> Iterator[Image]:
    """Images whose newest version has no scan, if any other version of the catalog has one."""
    if any(release.scans for image in images for release in image.releases):
        for image in images:
            if image.entry.lifecycle != "planned" and image.newest and not image.newest.scans:
                yield image


def _name(image: Image, release: Release) -> str:
    return f"{image.entry.slug} {release.entry.version}"


def _problem(scan: Scan, code: Code, message: str, hint: str, level: Level = Level.WARNING) -> Problem:
    return Problem(scan.file, 0, 0, "", message, hint, level, code=code)


def _old_scans(newest: Release, name: str, max_age: int, now: datetime) -> Iterator[Problem]:
    dated = [(scan.scanned_at, scan.place, scan) for scan in newest.scans if scan.scanned_at]
    for scan in [scan for scan in newest.scans if not scan.scanned_at][:1]:
        message = f"the scan of {name} does not say when it was made, so its age is not known"
        hint = "scan with a tool that writes the time into its report"
        yield _problem(scan, Code.SCAN_AGE, message, hint, Level.INFO)
    for time, _, scan in sorted(dated)[:1]:
        days = (now - datetime.fromisoformat(time).astimezone(UTC)).days
        if days > max_age:
            message = f"the scan of {name} is {days} days old, and `security.max_age` is {max_age}"
            yield _problem(scan, Code.SCAN_AGE, message, "scan the image again")


def _doubtful_joins(image: Image, release: Release, scan: Scan) -> Iterator[Problem]:
    """A scan before the day of the release (a day is left for time zones), or of another platform."""
    released, time = release.entry.released, scan.scanned_at
    if released and time and (date.fromisoformat(released) - date.fromisoformat(time[:10])).days > 1:
        message = f"scanned at {time}, but {_name(image, release)} was released on {released}"
        yield _problem(scan, Code.SCAN_AGE, message, "scan the release again, or correct its `released`")
    platforms = release.entry.platforms or image.entry.platforms
    if scan.platform and platforms and not any(_alike(scan.platform, platform) for platform in platforms):
        message = f"the scan is of {scan.platform}, but {_name(image, release)} is for {', '.join(platforms)}"
        yield _problem(scan, Code.MISPLACED_REPORT, message, "scan one of these, or correct `platforms`")


def _alike(platform: str, other: str) -> bool:
    """Whether two platforms may be the same, as a variant is often left out."""
    return all(map(eq, platform.split("/"), other.split("/")))


def _abandoned_system(image: Image, release: Release, scan: Scan, today: str) -> Problem:
    """A note where the page itself has the release at its end of life, else a warning."""
    name, end = _name(image, release), release.entry.end_of_life
    message = f"the operating system in {name} is past its end of life, so scans find little"
    if image.entry.lifecycle in ("deprecated", "withdrawn") or (end is not None and end < today):
        return _problem(scan, Code.END_OF_LIFE, message, "", Level.INFO)
    hint = "rebuild it on a maintained base, or say `endOfLife` on its page"
    return _problem(scan, Code.END_OF_LIFE, message, hint)
