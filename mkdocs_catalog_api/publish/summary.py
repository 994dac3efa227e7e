"""The one line that tells of a catalog that was published."""

from __future__ import annotations

from collections.abc import Mapping

from ..catalog.addresses import PREFIX

_NAMES = {
    "images": ("image", "images"),
    "charts": ("chart", "charts"),
    "roadmap": ("planned", "planned"),
    "updates": ("update", "updates"),
}


def summary(totals: Mapping[str, int], documents: int, seconds: float) -> str:
    """What was published: `51 images, 15 charts, 4 planned, 30 updates: 416 documents in api/v1, 0.4 s`.

    `totals` has the number of items of each collection; empty ones are left out. `seconds` is how long the
    whole work took.
    """
    counted = [(totals.get(name, 0), *names) for name, names in _NAMES.items()]
    parts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counted if count]
    made = f"{documents:,} documents in {PREFIX}, {seconds:.1f} s"
    return f"{', '.join(parts) or 'no items'}: {made}"
