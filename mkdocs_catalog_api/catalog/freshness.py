"""Scans that count, but say little: old ones, of something else perhaps, of systems nobody looks after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from functools import partial
from operator import eq

from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .scans import Scan
from .value import Image, Release


def warn_of_old_scans(images: Iterable[Image], max_age: int, now: datetime, problems: Problems) -> None:
    """Name each image whose newest release was scanned more than `max_age` days ago."""
    for image in images:
        if image.entry.lifecycle == "planned" or not image.releases:
            continue
        newest = image.releases[0]
        what = f"{image.entry.slug} {newest.entry.version}"
        dated = [(scan.scanned_at, scan.file) for scan in newest.scans if scan.scanned_at]
        if len(dated) < len(newest.scans):
            file = next(scan.file for scan in newest.scans if not scan.scanned_at)
            message = f"the scan of {what} does not say when it was made, so its age is not known"
            hint = "scan with a tool that writes the time into its report"
            problems.add(Problem(file, 0, 0, "", message, hint, Level.INFO, code=Code.SCAN_AGE))
        for time, file in sorted(dated)[:1]:
            days = (now - datetime.fromisoformat(time).astimezone(UTC)).days
            if days > max_age:
                message = f"the scan of {what} is {days} days old, and `security.max_age` is {max_age}"
                problems.add(
                    Problem(
                        file, 0, 0, "", message, "scan the image again", Level.WARNING, code=Code.SCAN_AGE
                    )
                )


def warn_of_doubtful_joins(images: Iterable[Image], problems: Problems) -> None:
    """Name each scan that a tag or its path joins to a release that it is hardly of.

    That is one of a later day (a day is left for time zones), or without the platform that was scanned. The
    same digest is the same image, whatever else is said.
    """
    for image in images:
        for release in image.releases:
            for scan in release.scans:
                if {*scan.digests}.isdisjoint(release.entry.digests):
                    what = f"{image.entry.slug} {release.entry.version}"
                    for message, hint, code in _doubts(image, release, scan, what):
                        problems.add(Problem(scan.file, 0, 0, "", message, hint, Level.WARNING, code=code))


def _doubts(image: Image, release: Release, scan: Scan, what: str) -> Iterator[tuple[str, str, Code]]:
    released, time = release.entry.released, scan.scanned_at
    if released and time and (date.fromisoformat(released) - date.fromisoformat(time[:10])).days > 1:
        message = f"scanned at {time}, but {what} was released on {released}"
        yield message, "scan the release again, or correct its `released`", Code.SCAN_AGE
    platforms = release.entry.platforms or image.entry.platforms
    if scan.platform and platforms and not any(map(partial(_alike, scan.platform), platforms)):
        message = f"the scan is of {scan.platform}, but {what} is for {', '.join(platforms)}"
        yield message, "scan one of these, or correct `platforms`", Code.MISPLACED_REPORT


def _alike(one: str, other: str) -> bool:
    """Whether two platforms may be the same, as a variant is often left out."""
    return all(map(eq, one.split("/"), other.split("/")))


def warn_of_abandoned_systems(images: Iterable[Image], today: str, problems: Problems) -> None:
    """Name each scan of an operating system past its end of life, of which no news comes any more.

    It is a note only where the page says itself that the release has had its time.
    """
    for image in images:
        for release in image.releases:
            for scan in release.scans:
                if scan.os_end_of_life:
                    told = _past(image, release, today)
                    what = f"{image.entry.slug} {release.entry.version}"
                    message = f"the operating system in {what} is past its end of life, so scans find little"
                    hint = "" if told else "rebuild it on a maintained base, or say `endOfLife` on its page"
                    level = Level.INFO if told else Level.WARNING
                    problems.add(Problem(scan.file, 0, 0, "", message, hint, level, code=Code.END_OF_LIFE))


def _past(image: Image, release: Release, today: str) -> bool:
    """Whether the page says that the release is no longer looked after; `today` as in 2026-11-20."""
    end = release.entry.end_of_life
    return image.entry.lifecycle in ("deprecated", "withdrawn") or (end is not None and end < today)
