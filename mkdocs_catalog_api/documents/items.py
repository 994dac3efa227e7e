"""Items as they are published: fields of the author, computed ones, and those that the catalog declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

from msgspec import Struct

from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.links import SCHEME
from ..catalog.markdown import plain_text
from ..catalog.models import ChartEntry, ImageEntry
from ..catalog.newest_reference import chart_reference, image_reference
from ..catalog.value import Catalog, Chart, Image, Pin, RoadmapItem
from .item_structs import Verify, publish
from .security import chart_security, security_figures


def image(catalog: Catalog, item: Image) -> Struct:
    at, fields, slug = catalog.addresses, catalog.fields[item.collection], item.entry.slug
    return publish(
        item.entry,
        fields.own,
        fields.own_of_versions,
        description=plain_text(item.entry.description),
        versions=[
            publish(entry, fields.own_of_versions, href=at.api(addresses.release(slug, entry.version)))
            for entry in item.entry.versions
        ],
        logo=logo_address(item.entry, at),
        verify=image_verify(item),
        url=at.web(item.page.url),
        href=at.api(addresses.item(item.collection, slug)),
        security=security_figures(item, item.newest, at),
    )


def chart(catalog: Catalog, item: Chart) -> Struct:
    at, fields = catalog.addresses, catalog.fields[item.collection]
    return publish(
        item.entry,
        fields.own,
        fields.own_of_versions,
        description=plain_text(item.entry.description),
        versions=[publish(entry, fields.own_of_versions) for entry in item.entry.versions],
        images=[_pin(catalog, pin) for pin in item.pins],
        logo=logo_address(item.entry, at),
        verify=chart_verify(item),
        url=at.web(item.page.url),
        href=at.api(addresses.item(item.collection, item.entry.slug)),
        security=chart_security(item),
    )


def logo_address(entry: ImageEntry | ChartEntry, at: Addresses) -> str | None:
    """Where the logo is: on the site, or at an address of its own."""
    logo = entry.logo
    return logo if logo is None or SCHEME.match(logo) else at.web(quote(logo))


def image_verify(item: Image) -> Verify | None:
    """How the newest version is verified."""
    return _verify(item.entry, image_reference(item.entry.image, next(iter(item.entry.versions), None)))


def chart_verify(item: Chart) -> Verify | None:
    """How the newest version is verified."""
    return _verify(item.entry, chart_reference(item.entry.chart, next(iter(item.entry.versions), None)))


def _verify(entry: ImageEntry | ChartEntry, reference: str | None) -> Verify | None:
    """How the newest release is verified; withdrawn and planned items have nothing to verify."""
    how = entry.verify
    if how is None or reference is None or entry.lifecycle in ("withdrawn", "planned"):
        return None
    return Verify("cosign", how.identity, how.identity_regexp, how.issuer, how.key, how.command(reference))


def _pin(catalog: Catalog, pin: Pin) -> Struct:
    at, href = catalog.addresses, None
    if pin.former is not None:
        href = at.api(addresses.digest(pin.key)) if catalog.publishes_former else None
    elif pin.slug is not None and pin.version is not None:
        href = at.api(addresses.release(pin.slug, pin.version))
    until = pin.former.until if pin.former else None
    return publish(pin.entry, slug=pin.slug, version=pin.version, until=until, href=href)


def roadmap(catalog: Catalog, item: RoadmapItem) -> Struct:
    url = catalog.addresses.web(item.page.url) if item.page else None
    own, text = catalog.fields[item.collection].own, plain_text(item.entry.description)
    return publish(item.entry, own, description=text, url=url)


def updates(catalog: Catalog) -> list[Struct]:
    """The updates, each with its item."""
    at, items = catalog.addresses, catalog.by_name()

    def href(application: str) -> str | None:
        item = items.get(application)
        return at.api(addresses.item(item.collection, item.entry.slug)) if item else None

    return [publish(update, href=href(update.application)) for update in catalog.updates]


PUBLISHED: Mapping[str, Callable[[Catalog], list[Struct]]] = {
    "images": lambda catalog: [image(catalog, item) for item in catalog.images],
    "charts": lambda catalog: [chart(catalog, item) for item in catalog.charts],
    "roadmap": lambda catalog: [roadmap(catalog, item) for item in catalog.roadmap],
    "updates": updates,
}
"""Collection → its items as they are published, in its order."""
