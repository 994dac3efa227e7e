"""What is known of an image on a day, and what a build shows of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from ..api.structs.security import Release, SecurityDetail
from ..catalog.grading import Grade
from ..catalog.models import Lifecycle
from ..catalog.scans import SEVERITIES, Severity
from ..catalog.vulnerabilities import Suppressed, Vulnerability

Key: TypeAlias = tuple[str, str]
"""Id and package of a vulnerability."""


class Scan(Struct, frozen=True):
    """What the vulnerabilities that are known of an image come from."""

    version: str
    digests: tuple[str, ...]
    """What was scanned; empty when nobody knows."""
    scanner: str | None


class Image(Struct):
    """What is known of an image: the vulnerabilities of the newest release when that was last scanned."""

    lifecycle: Lifecycle = "available"
    releases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Label → digests."""
    latest: str | None = None
    scanned: bool = False
    """Whether the newest release has a scan now."""
    scan: Scan | None = None
    grade: Grade | None = None
    open: dict[Key, Severity] = field(default_factory=dict)
    suppressed: dict[Key, Severity] = field(default_factory=dict)


State: TypeAlias = dict[str, Image]
"""What is known of a catalog: slug → image."""


class Seen(NamedTuple):
    """What one day's catalog shows of an image."""

    slug: str
    image: Image
    complete: bool
    """Whether the scan covers the whole newest release, so that what it does not report is not there."""


def known(before: Image | None, seen: Seen) -> Image:
    """What is known once this was seen: what nobody has scanned this time is neither found nor gone."""
    now = seen.image
    if before is None or seen.complete:
        return now
    return Image(
        lifecycle=now.lifecycle,
        releases=now.releases,
        latest=now.latest,
        scanned=now.scanned,
        scan=now.scan or before.scan,
        grade=now.grade,
        open={key: severity for key, severity in before.open.items() if key not in now.suppressed} | now.open,
        suppressed={key: severity for key, severity in before.suppressed.items() if key not in now.open}
        | now.suppressed,
    )


def seen(item: Any, detail: SecurityDetail | None) -> Seen:
    """What a build shows of an image: its item as in the collection, and its detail if it lists a version."""
    releases = {
        version.version: tuple(version.digests or ((version.digest,) if version.digest else ()))
        for version in item.versions
    }
    security = item.security
    found = Image(item.lifecycle, releases, item.latest, security.scanned, None, security.grade)
    complete = False
    if security.scanned and item.latest is not None and detail is not None:
        complete = _add_scan(found, item.latest, detail.latest)
    return Seen(item.slug, found, complete)


def _add_scan(image: Image, version: str, release: Release) -> bool:
    """Add the rows of the newest release; returns whether its scan covers all of it."""
    listed = image.releases[version]
    scanned = listed if release.digest is None or release.digest in listed else (release.digest,)
    image.scan = Scan(version, scanned, release.scanner)
    image.open = _worst(release.cves or [])
    suppressed = _worst(release.suppressed or [])
    image.suppressed = {key: severity for key, severity in suppressed.items() if key not in image.open}
    # In a system past its end of life nothing is found because nobody looks.
    whole = release.digests_scanned is None or release.digests_scanned >= len(listed)
    return whole and not release.os_end_of_life


def _worst(rows: Iterable[Vulnerability | Suppressed]) -> dict[Key, Severity]:
    """The rows without what is installed: one a package, with its highest severity."""
    found: dict[Key, Severity] = {}
    for row in rows:
        key = (row.id, row.pkg)
        if key not in found or SEVERITIES.index(row.severity) < SEVERITIES.index(found[key]):
            found[key] = row.severity
    return found
