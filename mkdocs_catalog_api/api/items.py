"""Items as they are published: what the author says, what is computed, what the catalog declared."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..catalog.join import Catalog, Chart, Image, RoadmapItem
from ..catalog.pins import Pin
from . import addresses
from .addresses import Addresses
from .structs.items import publish
from .structs.security import ChartSecurity, ImageSecurity


def image(item: Image, security: ImageSecurity, at: Addresses) -> Struct:
    slug = item.entry.slug
    computed = {
        "versions": [
            entry.model_dump() | {"href": at.api(addresses.release(slug, entry.version))}
            for entry in item.entry.versions
        ],
        "url": at.web(item.page.url),
        "href": at.api(addresses.item("images", slug)),
        "security": security,
    }
    return publish(item.entry, computed)


def chart(item: Chart, security: ChartSecurity, at: Addresses) -> Struct:
    computed = {
        "images": [_pin(pin, at) for pin in item.pins],
        "url": at.web(item.page.url),
        "href": at.api(addresses.item("charts", item.entry.slug)),
        "security": security,
    }
    return publish(item.entry, computed)


def _pin(pin: Pin, at: Addresses) -> dict[str, object]:
    href = None
    if pin.slug is not None and pin.version is not None:
        href = at.api(addresses.release(pin.slug, pin.version))
    return pin.entry.model_dump() | {"slug": pin.slug, "version": pin.version, "href": href}


def roadmap(item: RoadmapItem, at: Addresses) -> Struct:
    computed = {
        "url": at.web(item.page.url) if item.page else None,
        "href": at.api(addresses.item("roadmap", item.entry.slug)),
    }
    return publish(item.entry, computed)


def updates(catalog: Catalog, at: Addresses) -> Iterator[Struct]:
    """Updates with the item that each is about."""
    items = _items_by_name(catalog)
    for update in catalog.updates:
        path = items.get(update.application)
        yield publish(update, {"href": at.api(path) if path else None})


def _items_by_name(catalog: Catalog) -> dict[str, str]:
    """Slug or name → path of the item's document: a slug before a name, an image before a chart."""
    entries = [
        *(("images", image.entry) for image in catalog.images),
        *(("charts", chart.entry) for chart in catalog.charts),
    ]
    found: dict[str, str] = {}
    # What stands later takes the place of what stands before.
    for resource, entry in reversed(entries):
        found[entry.name] = addresses.item(resource, entry.slug)
    for resource, entry in reversed(entries):
        found[entry.slug] = addresses.item(resource, entry.slug)
    return found
