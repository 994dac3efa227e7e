"""What a catalog's scans add up to: the figures of images and charts, the summary and the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..catalog.grading import grade
from ..catalog.join import Chart, Image
from ..catalog.pins import Pin
from . import addresses
from .addresses import Addresses
from .security import NO_FIGURES, Assessment


def image_security(image: Image, newest: Assessment | None, at: Addresses) -> dict[str, object]:
    """The `security` object of an image."""
    figures = newest.figures() if newest else NO_FIGURES
    version = image.releases[0].entry.version if image.releases else None
    href = at.api(addresses.detail(image.entry.slug)) if image.releases else None
    return {"scanned": newest is not None, "version": version, **figures, "href": href}


def chart_security(
    chart: Chart,
    releases: Mapping[tuple[str, str], Assessment | None],
    outside: Callable[[Pin], Assessment | None],
) -> dict[str, object]:
    """The `security` object of a chart.

    `releases` has the assessment of every release of the catalog, `outside` gives that of a pin that is none.
    """
    pins: dict[str, Assessment | None] = {}
    for pin in chart.pins:
        if pin.key in pins:
            continue
        if pin.slug is not None and pin.version is not None:
            pins[pin.key] = releases[pin.slug, pin.version]
        else:
            pins[pin.key] = outside(pin)
    scanned = [found for found in pins.values() if found is not None]
    figures: dict[str, object] = dict(NO_FIGURES)
    if scanned:
        total = _sum(scanned)
        figures = total.figures()
        withheld = any(found.grade is None for found in scanned)
        if len(scanned) < len(pins) or (withheld and total.grade in ("A+", "A")):
            figures |= {"grade": None, "score": None}
    return {
        "scanned": bool(pins) and len(scanned) == len(pins),
        **figures,
        "pins": len(pins),
        "pinsScanned": len(scanned),
    }


def _sum(parts: Sequence[Assessment]) -> Assessment:
    fixable = tuple(map(sum, zip(*(part.fixable for part in parts), strict=True)))
    unfixable = tuple(map(sum, zip(*(part.unfixable for part in parts), strict=True)))
    letter, score = grade(fixable, unfixable)
    return Assessment(fixable, unfixable, sum(part.suppressed for part in parts), letter, score, None)


def summary_and_index(
    images: Sequence[Image],
    newest: Mapping[str, Assessment | None],
    unique: int,
    at: Addresses,
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The security summary and the entries of the security index; planned images are in neither."""
    entries: dict[str, object] = {}
    index: list[dict[str, object]] = []
    unscanned: list[str] = []
    parts: list[Assessment] = []
    for image in images:
        entry = image.entry
        found = newest[entry.slug]
        if entry.lifecycle == "planned":
            continue
        if found is None:
            unscanned.append(entry.slug)
            continue
        parts.append(found)
        figures = found.figures()
        version, href = image.releases[0].entry.version, at.api(addresses.detail(entry.slug))
        entries[entry.slug] = figures | {"version": version, "href": href}
        index.append(
            {
                "slug": entry.slug,
                "name": entry.name,
                "image": entry.image,
                "version": version,
                "grade": figures["grade"],
                "score": figures["score"],
                **found.counters,
                "total": found.total,
                "fixable": figures["fixable"],
                "scannedAt": found.scanned_at,
                "href": href,
            }
        )
    total = _sum(parts) if parts else Assessment((0,) * 5, (0,) * 5, 0, None, None, None)
    summary: dict[str, object] = {
        "apiVersion": "v1",
        "resource": "security",
        "total": total.total,
        "bySeverity": total.counters,
        "imagesWithCves": sum(part.total > 0 for part in parts),
        "images": entries,
        "scanned": len(parts),
        "unscanned": unscanned,
        "fixable": sum(total.fixable),
        "suppressed": total.suppressed,
        "unique": unique,
    }
    return summary, index
