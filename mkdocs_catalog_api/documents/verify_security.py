"""What has to agree within the documents about vulnerabilities, beyond what their types say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import add, attrgetter
from typing import Any

from msgspec import Struct

from ..catalog.scans import COUNTERS
from ..catalog.vulnerabilities import Vulnerability, count
from .structs.security import (
    ChartSecurity,
    ImageSecurity,
    Release,
    ReleaseDocument,
    SecurityDetail,
    SecurityIndex,
    SecuritySummary,
)

_NULL_IF_SCANNED = {"grade", "score", "digest", "scanned_at", "os_end_of_life", "exploited"}
"""What may be null of a release that has been scanned."""
_FIGURES = [name for name in Release.__struct_fields__ if name not in ("version", "scanned")]
_KNOWN = [name for name in _FIGURES if name not in _NULL_IF_SCANNED]
_figures_of, _known_of, _counters_of = attrgetter(*_FIGURES), attrgetter(*_KNOWN), attrgetter(*COUNTERS)


def _release(release: Any) -> Iterator[str]:
    """A release record, or the document of one."""
    if not release.scanned:
        if any(figure is not None for figure in _figures_of(release)):
            yield f"{release.version} is not scanned, but has figures"
        return
    if None in _known_of(release):
        lacking = [name for name in _KNOWN if getattr(release, name) is None]
        yield f"{release.version} is scanned, but lacks {', '.join(sorted(lacking))}"
        return
    yield from _graded(release)
    rows: list[Vulnerability] = release.cves
    found = count(rows)
    counters = _counters_of(release)
    if counters != tuple(map(add, *found)) or release.total != len(rows):
        yield f"counters {counters} and total {release.total}, but the rows give {found}"
    if release.fixable != sum(found.fixable):
        yield f"fixable is {release.fixable}, but {sum(found.fixable)} rows have a fix"
    if (release.exploited or 0) != sum([row.exploited is not None for row in rows]):
        yield f"exploited is {release.exploited}, which is not the number of rows that are"
    if release.unique != len({row.id for row in rows}):
        yield f"unique is {release.unique}, which is not the number of ids in the rows"


def _detail(detail: SecurityDetail) -> Iterator[str]:
    for release in detail.versions:
        yield from _release(release)
    if detail.latest != detail.versions[0]:
        yield "latest is not the first of versions"


def _graded(figures: Any) -> Iterator[str]:
    if (figures.grade is None) != (figures.score is None):
        yield "grade and score come together"


def _figures(figures: Any) -> Iterator[str]:
    """Counters with their total: of what may have no scan all are null together."""
    counters = [getattr(figures, word) for word in COUNTERS]
    yield from _graded(figures)
    if figures.total is None:
        others = (*counters, figures.fixable, figures.suppressed, figures.grade, figures.exploited)
        if any(value is not None for value in others):
            yield "not scanned, but with figures"
    elif None in (*counters, figures.fixable, figures.suppressed):
        yield "scanned, but without figures"
    elif figures.total != sum(counters):
        yield f"total is {figures.total}, but the severities add up to {sum(counters)}"


def image_security(security: ImageSecurity) -> Iterator[str]:
    yield from _figures(security)
    if security.scanned != (security.total is not None):
        yield f"scanned is {security.scanned}, but total is {security.total}"
    if (security.version is None) != (security.href is None):
        yield "version and href come together"


def chart_security(security: ChartSecurity) -> Iterator[str]:
    yield from _figures(security)
    pins, scanned = security.pins, security.pins_scanned
    if scanned > pins or security.scanned != (pins == scanned > 0):
        yield f"scanned is {security.scanned} with {scanned} of {pins} pins scanned"
    if (scanned > 0) != (security.total is not None) or (security.grade and not security.scanned):
        yield f"these figures can't come from {scanned} of {pins} pins"


def _summary(summary: SecuritySummary) -> Iterator[str]:
    images = [*summary.images.values()]
    for image in images:
        yield from _figures(image)
    for name, said, found in (
        ("total", summary.total, sum(image.total for image in images)),
        *(
            (
                f"bySeverity.{word}",
                getattr(summary.by_severity, word),
                sum(getattr(image, word) for image in images),
            )
            for word in COUNTERS
        ),
        ("imagesWithCves", summary.images_with_cves, sum(image.total > 0 for image in images)),
        ("scanned", summary.scanned, len(images)),
        ("fixable", summary.fixable, sum(image.fixable for image in images)),
        ("suppressed", summary.suppressed, sum(image.suppressed for image in images)),
        ("exploited", summary.exploited or 0, sum(image.exploited or 0 for image in images)),
        (
            "pinned.total",
            summary.pinned.total,
            sum(getattr(summary.pinned.by_severity, word) for word in COUNTERS),
        ),
    ):
        if said != found:
            yield f"{name} is {said}, but the images give {found}"


def _index(index: SecurityIndex) -> Iterator[str]:
    if index.total != len(index.data):
        yield f"total is {index.total}, but data has {len(index.data)} items"
    for entry in index.data:
        counted = sum(getattr(entry, word) for word in COUNTERS)
        if entry.total != counted:
            yield f"{entry.slug}: total is {entry.total}, but the severities add up to {counted}"


RULES: dict[type[Struct], Callable[[Any], Iterator[str]]] = {
    ReleaseDocument: _release,
    SecurityDetail: _detail,
    SecuritySummary: _summary,
    SecurityIndex: _index,
}
