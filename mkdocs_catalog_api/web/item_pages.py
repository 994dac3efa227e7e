"""The pages of items: what their templates are given, all of it computed from the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ..catalog.value import Catalog, Chart, Image, RoadmapItem
from ..documents.badges import image_badges
from ..documents.collections import collection_items, item_document
from ..documents.history import image_history
from ..documents.items import chart_verify, image_verify
from ..documents.security import detail

KINDS = {"images": "Container image", "charts": "Helm chart", "roadmap": "Planned"}
"""Collection → the words that tell an image and its chart of the same name apart in search results."""


class ItemPage(NamedTuple):
    """An item with a page of its own."""

    resource: str
    item: Image | Chart | RoadmapItem
    data: Struct
    """The item as it is published."""

    @property
    def slug(self) -> str:
        return self.item.entry.slug

    def findable(self) -> Iterator[str | None]:
        """What people look for: name, description, category, and what is open in the newest release."""
        entry = self.item.entry
        yield from (KINDS[self.resource], entry.name, entry.description, entry.category)
        if isinstance(self.item, Image) and self.item.newest and self.item.newest.assessment:
            yield from dict.fromkeys(row.id for row in self.item.newest.assessment.rows)


def item_pages(catalog: Catalog) -> dict[str, ItemPage]:
    """Address below the site's root → item whose own page is there."""
    return {
        item.page.url: ItemPage(resource, item, data)
        for resource, listed in catalog.items.items()
        for item, data in zip(listed, collection_items(catalog, resource), strict=True)
        if item.page is not None and item.page.own
    }


def context(catalog: Catalog, page: ItemPage, users: Sequence[Chart]) -> dict[str, Any]:
    """What the template of an item is given; `users` are the charts that pin the image."""
    document = msgspec.to_builtins(item_document(catalog, page.resource, page.item, page.data))
    values: dict[str, Any] = {"item": document["data"], "document": document}
    if isinstance(page.item, Chart):
        values["verify"] = chart_verify(page.item)
    if isinstance(page.item, Image):
        image, history = page.item, catalog.history
        values["verify"] = image_verify(image)
        record = history.images.get(page.slug) if history else None
        values["past"] = msgspec.to_builtins(image_history(page.slug, record)) if record else None
        values["until"] = history.head.date if history else None
        values["detail"] = msgspec.to_builtins(detail(image)) if image.releases else None
        values["badges"] = msgspec.to_builtins(image_badges(image))
        at = catalog.addresses
        values["users"] = [{"name": chart.entry.name, "url": at.web(chart.page.url)} for chart in users]
        values["mends"] = update_effects(image)
    return values


def update_effects(image: Image) -> dict[str, tuple[int, int]]:
    """Version → how many (id, package) an update to the newest release fixes, and how many it adds."""
    assessed = {
        release.entry.version: {(row.id, row.pkg) for row in release.assessment.rows}
        for release in image.releases
        if release.assessment
    }
    newest = assessed.pop(image.releases[0].entry.version, None) if image.releases else None
    if newest is None:
        return {}
    return {version: (len(rows - newest), len(newest - rows)) for version, rows in assessed.items()}
