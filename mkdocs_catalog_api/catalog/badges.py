"""Names of a catalog's badges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..problems import Problem
from ..problems.codes import Code
from .models import ChartEntry, ImageEntry
from .names import FIXED_BADGES, badge_name, hub_name

FIXED = FIXED_BADGES
PER_IMAGE = ("cves", "grade", "version")


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


def same_badge_names(images: Sequence[ImageEntry], charts: Iterable[ChartEntry]) -> Iterator[Problem]:
    """Yield an error for each value whose badge would have the name of another one."""
    names = {*FIXED}
    for name, value, kind in value_badges(images, charts):
        if name in names:
            message = f"the {kind} {value!r} has the same badge name as another value: {name!r}"
            hint = "use one spelling for both, or rename one of them"
            yield Problem("", 0, 0, kind, message, hint, code=Code.TWICE)
        names.add(name)
