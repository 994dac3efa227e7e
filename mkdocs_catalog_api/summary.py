"""The one line that tells of a catalog that was published."""

from __future__ import annotations

from .api.addresses import PREFIX
from .catalog.join import Catalog


def summary(catalog: Catalog, documents: int, seconds: float) -> str:
    """What was published: `51 images, 15 charts, 4 planned, 30 updates: 416 documents in api/v1, 0.4 s`.

    What the catalog has none of is left out. `seconds` is how long the whole work took.
    """
    counted = [
        (len(catalog.images), "image", "images"),
        (len(catalog.charts), "chart", "charts"),
        (len(catalog.roadmap), "planned", "planned"),
        (len(catalog.updates), "update", "updates"),
    ]
    parts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counted if count]
    made = f"{documents:,} documents in {PREFIX}, {seconds:.1f} s"
    return f"{', '.join(parts) or 'no items'}: {made}"
