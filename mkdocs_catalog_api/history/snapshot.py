"""What is known of an image on a day, and the snapshot of a whole catalog from the documents of a build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.json import Decoder

Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
SEVERITIES: tuple[Severity, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")
"""Worst first."""
Lifecycle = Literal["available", "deprecated", "withdrawn", "planned"]
Grade = Literal["A+", "A", "B", "C", "D", "F"]
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


class _Version(Struct):
    version: str
    digest: str | None = None
    digests: tuple[str, ...] = ()


class _Security(Struct):
    scanned: bool
    grade: Grade | None


class _Image(Struct):
    slug: str
    lifecycle: Lifecycle
    versions: list[_Version]
    latest: str | None
    security: _Security


class _Images(Struct):
    data: list[_Image]


class _Row(Struct):
    id: str
    severity: Severity
    pkg: str


class _Release(Struct, rename="camel"):
    digest: str | None
    scanner: str | None
    cves: list[_Row] | None
    suppressed: list[_Row] | None
    digests_scanned: int | None = None
    os_end_of_life: bool | None = None


class _Detail(Struct):
    latest: _Release


_IMAGES = Decoder(_Images)
_DETAIL = Decoder(_Detail)


def from_documents(folder: Path) -> Iterator[Seen]:
    """The images of a build by slug; `folder` holds the documents as they lie below `api/v1/`."""
    for image in _IMAGES.decode((folder / "images.json").read_bytes()).data:
        releases = {
            version.version: version.digests or ((version.digest,) if version.digest else ())
            for version in image.versions
        }
        found = Image(
            image.lifecycle, releases, image.latest, image.security.scanned, None, image.security.grade
        )
        complete = False
        if image.security.scanned and image.latest is not None:
            detail = (folder / "security" / f"{image.slug}.json").read_bytes()
            complete = _add_scan(found, image.latest, _DETAIL.decode(detail).latest)
        yield Seen(image.slug, found, complete)


def _add_scan(image: Image, version: str, release: _Release) -> bool:
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


def _worst(rows: list[_Row]) -> dict[Key, Severity]:
    """The rows without what is installed: one a package, with its highest severity."""
    found: dict[Key, Severity] = {}
    for row in rows:
        key = (row.id, row.pkg)
        if key not in found or SEVERITIES.index(row.severity) < SEVERITIES.index(found[key]):
            found[key] = row.severity
    return found
