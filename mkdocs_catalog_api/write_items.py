"""The documents of images, charts and the roadmap: one item at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from .api import addresses, badges, collections, items, security, security_totals, vex
from .api.addresses import Addresses
from .api.badges import BadgeStyle
from .api.lookups.lookup import Lookup
from .api.output import Output
from .api.security import Assessor, SecurityFigures
from .api.structs.discovery import Badge
from .api.structs.envelopes import ItemStructs
from .api.structs.history import ImageHistory
from .api.structs.items import Verify
from .api.structs.security import SecurityDetail
from .catalog.join import Chart, Image, RoadmapItem, WebPage
from .catalog.models import ItemEntry
from .catalog.pins import Pin
from .history.past import Past


class ItemDocuments(NamedTuple):
    """The documents of one item, while they are at hand."""

    resource: str
    slug: str
    page: WebPage | None
    document: Struct
    """The item's own document."""
    detail: SecurityDetail | None
    """Of an image that lists a version."""
    badges: Mapping[str, Badge]
    """Of an image."""
    users: Sequence[Chart]
    """Charts that pin the image."""
    verify: Verify | None
    """How the newest version is verified, also where `verify` is a field of the catalog's own."""
    history: ImageHistory | None
    """Of an image that a recorded day knows."""
    recorded: str | None
    """The last recorded day."""


class ItemWriter(Struct):
    """Writes the documents of items, and keeps what others need to know of them."""

    at: Addresses
    output: Output
    structs: Mapping[str, ItemStructs]
    assessor: Assessor
    past: Past
    lookups: Sequence[Lookup]
    statements: vex.Publication | None
    """What is told of the author's statements, when they are published."""
    users: Mapping[str, Sequence[Chart]]
    """Slug of an image → the charts that pin it."""
    on_item: Callable[[ItemDocuments], None]
    """Is shown the documents of each item."""
    newest: dict[str, SecurityFigures | None] = {}
    """Slug → figures of the newest release."""
    releases: dict[tuple[str, str], SecurityFigures | None] = {}
    """Slug and version → figures, of the images that charts pin."""
    unique: set[str] = set()
    """Ids that are open in any newest release."""
    matched: set[int] = set()
    """Positions of the VEX statements that speak of a finding."""
    pinned: dict[str, SecurityFigures | None] = {}
    """What charts pin → its figures."""

    def image(self, image: Image) -> Struct:
        """Write the documents of one image; returns it as it stands in the collection."""
        entry, assessor = image.entry, self.assessor
        records, figures = [], []
        matched, related = set[int](), set[frozenset[str]]()
        for number, release in enumerate(image.releases):
            found = assessor.release(image, release)
            records.append(security.record(release, found))
            figures.append(found.figures if found else None)
            if entry.slug in self.users:
                self.releases[entry.slug, release.entry.version] = figures[-1]
            if found:
                matched |= found.matched
                related |= found.related
            if found and number == 0 and entry.lifecycle != "planned":
                self.unique.update([row.id for row in found.rows])
        self.matched |= matched
        newest = self.newest[entry.slug] = figures[0] if figures else None
        payloads = {badge.name: badge.payload(BadgeStyle()) for badge in badges.image_badges(image, newest)}
        made: dict[str, Any] = dict(security.documents(image, records))
        made |= {addresses.image_badge(entry.slug, name): payload for name, payload in payloads.items()}
        if self.statements and (document := self.statements.take(image, matched, related)):
            made[vex.path(entry.slug)] = document
            self.output.samples.take_first(vex.path(entry.slug), document)
        past = self.past.image(entry.slug)
        if past is not None:
            made[addresses.image_history(entry.slug)] = past
        for path, document in made.items():
            self.output.put(path, document)
        for lookup in self.lookups:
            self.output.put_kind(lookup.image(image, records))
        total = newest.total if newest and entry.lifecycle != "planned" else None
        self.output.samples.take_image(entry.slug, entry.latest, total, made)
        item = items.image(image, security_totals.image_security(image, newest, self.at), self.at)
        detail, verify = made.get(addresses.detail(entry.slug)), items.image_verify(image)
        self._item("images", entry, image.page, item, verify, detail, payloads, past)
        return item

    def chart(self, chart: Chart) -> Struct:
        """Likewise of a chart; all images have been written."""
        item = items.chart(chart, security_totals.chart_security(chart, self._pin), self.at)
        self._item("charts", chart.entry, chart.page, item, items.chart_verify(chart))
        return item

    def planned(self, planned: RoadmapItem) -> Struct:
        """Likewise of an item of the roadmap."""
        item = items.roadmap(planned, self.at)
        self._item("roadmap", planned.entry, planned.page, item)
        return item

    def _pin(self, pin: Pin) -> SecurityFigures | None:
        """The figures of what a chart pins: a release of the catalog, or something else that was scanned."""
        if pin.slug is not None and pin.version is not None:
            release = self.releases[pin.slug, pin.version]
            self.pinned[pin.key] = security_totals.worse(self.pinned.get(pin.key), release)
            return release
        if pin.key not in self.pinned:
            found = self.assessor.pin(pin)
            self.pinned[pin.key] = found.figures if found else None
            if found:
                self.matched |= found.matched
                for lookup in self.lookups:
                    lookup.outside(pin, found)
        return self.pinned[pin.key]

    def _item(
        self,
        resource: str,
        entry: ItemEntry,
        page: WebPage | None,
        item: Struct,
        verify: Verify | None = None,
        detail: SecurityDetail | None = None,
        payloads: Mapping[str, Badge] | None = None,
        past: ImageHistory | None = None,
    ) -> None:
        """Write the document of an item."""
        path, document = collections.item(resource, entry, page, item, self.structs[resource], self.at)
        self.output.put_kind([(path, document)])
        users = self.users.get(entry.slug, []) if resource == "images" else []
        self.on_item(
            ItemDocuments(
                resource,
                entry.slug,
                page,
                document,
                detail,
                payloads or {},
                users,
                verify,
                past,
                self.past.last,
            )
        )
