"""What is known of an image on a day, and what a build shows of it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ..catalog.assessment import os_end_of_life, scanned_digest, scanner_names
from ..catalog.grading import Grade
from ..catalog.models import Lifecycle
from ..catalog.scan_selection import covered
from ..catalog.scans import SEVERITIES, Severity
from ..catalog.value import Catalog
from ..catalog.value import Image as Listed
from ..catalog.vulnerabilities import Suppressed, Vulnerability

Key: TypeAlias = tuple[str, str]
"""Id and package of a vulnerability."""


class Scan(Struct, frozen=True):
    """What was scanned of a release."""

    version: str
    digests: tuple[str, ...]
    """What was scanned; empty when nobody knows."""
    scanner: str | None
    complete: bool
    """Whether it tells all of the release, so that what it does not report is not there."""


class Image(Struct):
    """What is known of an image: the vulnerabilities of the newest release when that was last scanned."""

    lifecycle: Lifecycle = "available"
    releases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Label → digests."""
    latest: str | None = None
    scanned: bool = False
    """Whether the newest release has a scan now."""
    scan: Scan | None = None
    """The last scan."""
    whole: Scan | None = None
    """The last that was complete: what is known from it goes on until another one is."""
    partly: set[Key] = field(default_factory=set)
    """What was found since then, by scans that were not complete."""
    grade: Grade | None = None
    open: dict[Key, Severity] = field(default_factory=dict)
    suppressed: dict[Key, Severity] = field(default_factory=dict)


State: TypeAlias = dict[str, Image]
"""What is known of a catalog: slug → image."""


class Seen(NamedTuple):
    """What one day's catalog shows of an image."""

    slug: str
    image: Image
    missing: frozenset[str] = frozenset()
    """Digests of the newest release that have no scan while others of it have one."""


def known(before: Image | None, seen: Seen) -> Image:
    """What is known once this was seen: what nobody has scanned this time is neither found nor gone."""
    before, now = before or Image(), seen.image
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


def _seen(image: Listed) -> Seen:
    entry = image.entry
    known = Image(
        entry.lifecycle, {each.version: tuple(each.digests) for each in entry.versions}, entry.latest
    )
    newest = image.newest
    if newest is None or newest.assessment is None:
        return Seen(entry.slug, known)
    assessment, digests = newest.assessment, newest.entry.digests
    scanned = covered(newest.scans, digests)
    missing = frozenset(digests) - scanned if len(digests) > 1 else frozenset[str]()
    known.scanned, known.grade = True, assessment.figures.grade
    digest = scanned_digest(digests, newest.scans)
    known.scan = Scan(
        version=newest.entry.version,
        digests=tuple(digest for digest in digests if digest in scanned) or ((digest,) if digest else ()),
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
    found: dict[Key, Severity] = {}
    for row in rows:
        key = (row.id, row.pkg)
        if key not in found or SEVERITIES.index(row.severity) < SEVERITIES.index(found[key]):
            found[key] = row.severity
    return found
