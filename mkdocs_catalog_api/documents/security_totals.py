"""What a catalog's scans add up to: the figures of images and charts, the summary and the index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.grading import grade
from ..catalog.join import Chart, Image
from ..catalog.pins import Pin
from ..catalog.published import Counters
from ..catalog.vulnerabilities import SeverityCounts
from .security import NO_FIGURES, SecurityFigures
from .structs.security import (
    ChartSecurity,
    ImageSecurity,
    Pinned,
    SecurityIndex,
    SecurityIndexEntry,
    SecuritySummary,
    SummaryEntry,
)

_NOTHING = SecurityFigures(SeverityCounts((0,) * 5, (0,) * 5), 0, None, None, None, None)


def image_security(image: Image, newest: SecurityFigures | None, at: Addresses) -> ImageSecurity:
    """The `security` object of an image."""
    version = image.releases[0].entry.version if image.releases else None
    return ImageSecurity(
        scanned=newest is not None,
        version=version,
        **(newest.fields() if newest else NO_FIGURES),
        href=at.api(addresses.detail(image.entry.slug)) if version is not None else None,
    )


def chart_security(chart: Chart, figures: Callable[[Pin], SecurityFigures | None]) -> ChartSecurity:
    """The `security` object of a chart; `figures` gives those of what a pin is."""
    pins: dict[str, SecurityFigures | None] = {}
    for pin in chart.pins:
        pins[pin.key] = worse(pins.get(pin.key), figures(pin))
    scanned = [found for found in pins.values() if found is not None]
    fields = dict(NO_FIGURES)
    if scanned:
        total = _sum(scanned)
        fields = total.fields()
        withheld = any(found.grade is None for found in scanned)
        in_part = len(scanned) < len(pins) or any(found.in_part for found in scanned)
        if in_part or (withheld and total.grade in ("A+", "A")):
            fields |= {"grade": None, "score": None}
    return ChartSecurity(
        scanned=bool(pins) and len(scanned) == len(pins),
        **fields,
        pins=len(pins),
        pins_scanned=len(scanned),
    )


def worse(one: SecurityFigures | None, other: SecurityFigures | None) -> SecurityFigures | None:
    """Of one image under two names the figures that show more: a VEX statement may be on one name only."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda found: (*found.counters.values(), found.in_part))


def _sum(parts: Sequence[SecurityFigures]) -> SecurityFigures:
    if not parts:
        return _NOTHING
    fixable = tuple(map(sum, zip(*(part.counts.fixable for part in parts), strict=True)))
    unfixable = tuple(map(sum, zip(*(part.counts.unfixable for part in parts), strict=True)))
    letter, score = grade(fixable, unfixable)
    suppressed = sum(part.suppressed for part in parts)
    known = [part.exploited for part in parts if part.exploited is not None]
    exploited = sum(known) if known else None
    return SecurityFigures(SeverityCounts(fixable, unfixable), suppressed, letter, score, None, exploited)


def summary_and_index(
    images: Iterable[Image],
    newest: Mapping[str, SecurityFigures | None],
    pinned: Collection[SecurityFigures | None],
    unique: int,
    at: Addresses,
) -> tuple[SecuritySummary, SecurityIndex]:
    """The security summary and the security index; planned images are in neither.

    `newest` has the figures of each image's newest version, `pinned` those of each distinct release that
    charts pin.
    """
    entries: dict[str, SummaryEntry] = {}
    index: list[SecurityIndexEntry] = []
    unscanned: list[str] = []
    parts: list[SecurityFigures] = []
    for image in images:
        entry = image.entry
        found = newest[entry.slug]
        if entry.lifecycle == "planned":
            continue
        if found is None:
            unscanned.append(entry.slug)
            continue
        parts.append(found)
        version, href = image.releases[0].entry.version, at.api(addresses.detail(entry.slug))
        entries[entry.slug] = SummaryEntry(**found.fields(), version=version, href=href)
        index.append(
            SecurityIndexEntry(
                slug=entry.slug,
                name=entry.name,
                image=entry.image,
                version=version,
                grade=found.grade,  # type: ignore[arg-type]
                score=found.score,
                **found.counters,
                total=found.total,
                fixable=found.fixable,
                scanned_at=found.scanned_at,
                href=href,
                exploited=found.exploited,
            )
        )
    total = _sum(parts)
    times = [part.scanned_at for part in parts if part.scanned_at]
    summary = SecuritySummary(
        api_version="v1",
        resource="security",
        total=total.total,
        by_severity=Counters(**total.counters),
        images_with_cves=sum(part.total > 0 for part in parts),
        images=entries,
        scanned=len(parts),
        unscanned=unscanned,
        fixable=total.fixable,
        suppressed=total.suppressed,
        unique=unique,
        oldest_scan=min(times) if times and len(times) == len(parts) else None,
        newest_scan=max(times, default=None),
        exploited=total.exploited,
        pinned=_pinned(pinned),
    )
    return summary, SecurityIndex("v1", "security", len(index), index)


def _pinned(releases: Collection[SecurityFigures | None]) -> Pinned:
    scanned = [found for found in releases if found is not None]
    total = _sum(scanned)
    return Pinned(total.total, Counters(**total.counters), len(releases), len(releases) - len(scanned))
