"""Items as they are published: fields of the author, computed ones, and those that the catalog declares."""

from __future__ import annotations

from urllib.parse import quote

from msgspec import Struct

from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.markdown import plain_text
from ..catalog.newest_reference import newest_reference
from ..catalog.value import Catalog, Image, Pin, PinningItem, RoadmapItem
from ..items.links import SCHEME
from ..items.models import ListedEntry
from .item_structs import Verify, publish
from .sboms import sbom_address
from .security import item_security


def _listed(catalog: Catalog, item: Image | PinningItem) -> Struct:
    at, fields, entry = catalog.addresses, catalog.fields[item.collection], item.entry
    releases = item.releases if isinstance(item, Image) else ()
    sboms = {release.entry.version: sbom_address(catalog, entry.slug, release) for release in releases}
    versions = [
        publish(
            version,
            fields.own_of_versions,
            sbom=sboms.get(version.version),
            href=at.api(addresses.release(entry.slug, version.version)),
        )
        for version in entry.versions
    ]
    return publish(
        entry,
        fields.own,
        fields.own_of_versions,
        description=plain_text(entry.description),
        versions=versions,
        images=[] if isinstance(item, Image) else [_pin(catalog, pin) for pin in item.pins],
        logo=logo_address(entry, at),
        verify=verify(entry),
        url=at.web(item.page.url),
        href=at.api(addresses.item(item.collection, entry.slug)),
        security=item_security(item, at),
    )


def logo_address(entry: ListedEntry, at: Addresses) -> str | None:
    """Where the logo is: on the site, or at an address of its own."""
    logo = entry.logo
    return logo if logo is None or SCHEME.match(logo) else at.web(quote(logo))


def verify(entry: ListedEntry) -> Verify | None:
    """How the newest version is verified; withdrawn and planned items have nothing to verify."""
    how, reference = entry.verify, newest_reference(entry)
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


def _planned(catalog: Catalog, item: RoadmapItem) -> Struct:
    url = catalog.addresses.web(item.page.url) if item.page else None
    own, text = catalog.fields[item.collection].own, plain_text(item.entry.description)
    return publish(item.entry, own, description=text, url=url)


def _updates(catalog: Catalog) -> list[Struct]:
    """The updates, each with its item."""
    at, items = catalog.addresses, catalog.by_name()

    def href(application: str) -> str | None:
        item = items.get(application)
        return at.api(addresses.item(item.collection, item.entry.slug)) if item else None

    return [publish(update, href=href(update.application)) for update in catalog.updates]


def collection_items(catalog: Catalog, name: str) -> list[Struct]:
    """The items of a collection as they are published, in its order."""
    if name == "updates":
        return _updates(catalog)
    return [
        _planned(catalog, item) if isinstance(item, RoadmapItem) else _listed(catalog, item)
        for item in catalog.items[name]
    ]
