"""Items as they are published: what the author says, what is computed, what the catalog declared."""

from __future__ import annotations

from pydantic import BaseModel

from ..catalog.join import Catalog, Chart, Image, RoadmapItem
from ..catalog.models import ItemEntry, Model, UpdateEntry, VersionEntry
from ..catalog.pins import Pin
from . import addresses
from .addresses import Addresses


def published(entry: ItemEntry | UpdateEntry, computed: dict[str, object]) -> dict[str, object]:
    """The item in the order of its JSON: its own fields, computed ones, then those the catalog declared."""
    values = entry.model_dump()
    built_in = sum(not info.exclude for info in _built_in(type(entry)).model_fields.values())
    keys = list(values)
    own = {key: computed.pop(key, values[key]) for key in keys[:built_in]}
    return own | computed | {key: values[key] for key in keys[built_in:]}


def _built_in(model: type[BaseModel]) -> type[BaseModel]:
    """The model without the fields that the catalog declared."""
    return model if model.__base__ in (Model, ItemEntry) else model.__base__  # type: ignore[return-value]


def image(item: Image, security: object, at: Addresses) -> dict[str, object]:
    """The computed fields of an image."""
    slug = item.entry.slug
    return {
        "versions": [
            _version(entry, at.api(addresses.release(slug, entry.version))) for entry in item.entry.versions
        ],
        "url": at.web(item.page.url),
        "href": at.api(addresses.item("images", slug)),
        "security": security,
    }


def _version(entry: VersionEntry, href: str) -> dict[str, object]:
    """With what the catalog declared behind all else."""
    values = entry.model_dump()
    return {key: value for key, value in values.items() if key not in entry.own} | {
        "href": href,
        **{key: values[key] for key in values if key in entry.own},
    }


def chart(item: Chart, security: object, at: Addresses) -> dict[str, object]:
    """The computed fields of a chart."""
    return {
        "images": [_pin(pin, at) for pin in item.pins],
        "url": at.web(item.page.url),
        "href": at.api(addresses.item("charts", item.entry.slug)),
        "security": security,
    }


def _pin(pin: Pin, at: Addresses) -> dict[str, object]:
    known = pin.slug is not None and pin.version is not None
    href = at.api(addresses.release(pin.slug, pin.version)) if known else None  # type: ignore[arg-type]
    return pin.entry.model_dump() | {"slug": pin.slug, "version": pin.version, "href": href}


def roadmap(item: RoadmapItem, at: Addresses) -> dict[str, object]:
    """The computed fields of a roadmap item."""
    return {
        "url": at.web(item.page.url) if item.page else None,
        "href": at.api(addresses.item("roadmap", item.entry.slug)),
    }


def hrefs(catalog: Catalog, at: Addresses) -> dict[str, str]:
    """Slug or name → the item's document: a slug before a name, an image before a chart."""
    entries = [
        *(("images", image.entry) for image in catalog.images),
        *(("charts", chart.entry) for chart in catalog.charts),
    ]
    found: dict[str, str] = {}
    # What stands later takes the place of what stands before.
    for resource, entry in reversed(entries):
        found[entry.name] = at.api(addresses.item(resource, entry.slug))
    for resource, entry in reversed(entries):
        found[entry.slug] = at.api(addresses.item(resource, entry.slug))
    return found
