"""Names and styles of a catalog's badges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from .models import ChartEntry, ImageEntry
from .names import FIXED_BADGES, badge_name, hub_name

FIXED = FIXED_BADGES
EXPLOITED = "exploited"
"""Badge of catalogs with a list of exploited vulnerabilities."""
PER_IMAGE = ("cves", "grade", "version")


class BadgeStyle(Struct, frozen=True):
    """Style of a badge, from the settings; `svg` is the content of its logo file."""

    label: str | None = None
    color: str | None = None
    label_color: str | None = None
    logo: str | None = None
    svg: str | None = None
    logo_color: str | None = None


def value_badges(
    images: Sequence[ImageEntry], charts: Iterable[ChartEntry]
) -> Iterator[tuple[str, str, str]]:
    """(badge name, value, kind) for each distinct base, signature and hub of the catalog."""
    charts = [*charts]
    items: list[ImageEntry | ChartEntry] = [*images, *charts]
    for base in sorted({image.base for image in images if image.base}):
        yield badge_name(base), base, "base"
    for signature in sorted({item.signature for item in items if item.signature}):
        yield badge_name(signature), signature, "signature"
    for hub in sorted({hub_name(chart.hub) for chart in charts if chart.hub}):
        yield hub, hub, "hub"
