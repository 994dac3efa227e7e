"""The second of the three calls: a catalog becomes documents in the staging folder, each checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel
from pydantic_core import from_json

from .catalog.fields import extend
from .catalog.join import Catalog, Chart, Image, WebPage
from .catalog.models import ItemEntry
from .catalog.pins import Pin
from .documents import (
    addresses,
    badges,
    collections,
    index,
    items,
    models,
    openapi,
    security,
    security_totals,
)
from .documents.addresses import Addresses
from .documents.badges import Look
from .documents.examples import examples
from .documents.gate import Gate
from .documents.security import Assessment, Assessor
from .documents.serialise import Raw, array, document, encode, members
from .parallel import in_chunks
from .problems import Level, Problem, Problems
from .publish import GENERATOR, Written, write
from .settings import Settings
from .sources.scan_index import Reports
from .sources.store import Store

PUBLISHED: dict[str, type[BaseModel]] = {
    "images": models.Image,
    "charts": models.Chart,
    "roadmap": models.RoadmapItem,
    "updates": models.Update,
}


class _Assessed(NamedTuple):
    """What rendering an image's security documents leaves in memory."""

    slug: str
    releases: list[Assessment | None]
    """Newest first, as the image's releases."""
    ids: list[str]
    """Distinct ids of the newest release."""
    matched: set[int]
    """Positions of the VEX statements that speak of a finding in a release."""
    item: Raw
    """The image as it stands in the collection."""


class _Rendered(NamedTuple):
    images: list[_Assessed]
    written: list[Written]
    links: dict[str, str]


@dataclass(frozen=True, slots=True)
class Composition:
    """What `compose` needs beside the catalog."""

    settings: Settings
    looks: Mapping[str, Look]
    """Badge name → what the settings say about it."""
    mount: str
    """Mount path of the site."""
    title: str
    generated_at: str
    folder: Path
    """Where the documents are written; empty, and nobody else's."""
    reports: Path
    """The folder of reports that `store` has parsed."""
    store: Store
    problems: Problems
    """Where it says which VEX statements came to nothing."""


def compose(catalog: Catalog, given: Composition) -> list[Written]:
    """Write every document of the catalog below `given.folder`; returns path, hash and size of each.

    Raises:
        ContractError: a document breaks the contract (a bug of the plugin).
        OSError: the disk is full …
    """
    return _Composer(catalog, given).run()


def published_models(settings: Settings) -> dict[str, type[BaseModel]]:
    """The model of each collection's items, with the custom fields and vocabularies of the settings."""
    extended = {
        name: models.always_present(extend(model, section.fields, section.vocabulary))
        for name, model in PUBLISHED.items()
        if (section := getattr(settings, name)) and name != "updates"
    }
    return PUBLISHED | extended


@dataclass(slots=True)
class _Composer:
    catalog: Catalog
    given: Composition
    at: Addresses = field(init=False)
    gate: Gate = field(init=False)
    models: dict[str, type[BaseModel]] = field(init=False)
    written: list[Written] = field(default_factory=list)
    newest: dict[str, Assessment | None] = field(default_factory=dict)
    releases: dict[tuple[str, str], Assessment | None] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    matched: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.at = Addresses(self.given.mount)
        self.gate = Gate(self.given.mount)
        self.models = published_models(self.given.settings)

    def run(self) -> list[Written]:
        unique, images = self._images()
        self._collections(images)
        self._security_overview(unique)
        badge_names = self._badges()
        discovery = index.discovery(self.given.title, self.totals, badge_names, self.at)
        self._put(addresses.INDEX, models.Discovery, discovery)
        generator = {"name": GENERATOR, "version": version("mkdocs-catalog-api")}
        self._openapi(generator)
        self._manifest(generator)
        self.gate.check_links(entry.path for entry in self.written)
        return self.written

    def _manifest(self, generator: Mapping[str, str]) -> None:
        """Every other document in the order of paths; checked in parts, as it is the largest of all."""
        listed, parts = sorted(self.written), list[bytes]()
        for start in range(0, len(listed), 1000):
            part = index.manifest(listed[start : start + 1000], self.given.generated_at, generator)
            self.gate.check(models.Manifest, encode(part), addresses.MANIFEST)
            parts.append(encode(part["documents"]))
        head = index.manifest([], self.given.generated_at, generator)
        self._write([(addresses.MANIFEST, document(head | {"documents": members(*parts)}))])

    def _images(self) -> tuple[int, list[Raw]]:
        """Write the documents of each image; returns the number of distinct ids and the images as items."""
        images = {image.entry.slug: image for image in self.catalog.images}
        parts: list[Raw] = []
        unique: set[str] = set()
        for rendered in in_chunks(self._render_images, self.catalog.images, least=64):
            self.written += rendered.written
            self.gate.links |= rendered.links
            for slug, assessments, ids, matched, item in rendered.images:
                image = images[slug]
                parts.append(item)
                self.matched |= matched
                self.newest[slug] = assessments[0] if assessments else None
                for release, found in zip(image.releases, assessments, strict=True):
                    self.releases[slug, release.entry.version] = found
                if image.entry.lifecycle != "planned":
                    unique.update(ids)
        return len(unique), parts

    def _collections(self, images: Sequence[Raw]) -> None:
        """Write the four collections; each item comes with its page and its computed fields."""
        catalog = self.catalog
        charts = [(c.entry, c.page, self._chart(c, self._assessor(self.gate))) for c in catalog.charts]
        self._report_idle_statements()
        roadmap = ((r.entry, r.page, items.roadmap(r, self.at)) for r in catalog.roadmap)
        self._collection("images", images)
        self._collection("charts", self._items("charts", charts))
        self._collection("roadmap", self._items("roadmap", roadmap))
        self._collection("updates", self._update_items())

    def _security_overview(self, unique: int) -> None:
        summary, entries = security_totals.summary_and_index(
            self.catalog.images, self.newest, unique, self.at
        )
        self._put(addresses.SUMMARY, models.SecuritySummary, summary)
        data = array(map(encode, entries))
        body = {"apiVersion": "v1", "resource": "security", "total": len(entries), "data": data}
        self._put(addresses.SECURITY_INDEX, models.SecurityIndex, body)

    def _openapi(self, generator: Mapping[str, str]) -> None:
        said = self.given.settings.openapi
        about = openapi.About(
            self.given.title,
            said.contact.model_dump(exclude_none=True) if said.contact else {},
            said.license.model_dump(exclude_none=True) if said.license else {},
        )
        data = document(openapi.openapi(self.models, about, examples(self.given.folder, generator)))
        self.gate.openapi(data, [entry.path for entry in self.written])
        self._write([(addresses.OPENAPI, data)])

    def _assessor(self, gate: Gate) -> Assessor:
        reports = Reports(self.given.reports, self.given.store, gate.rows)
        return Assessor(reports, self.catalog.statements, gate)

    def _write(self, documents: Iterable[tuple[str, bytes]]) -> None:
        self.written += write(self.given.folder, self.gate.whole(documents))

    def _put(self, path: str, model: type[BaseModel], body: dict[str, object]) -> None:
        """Check and write a document that has no spliced parts of an author's."""
        data = document(body)
        self.gate.check(model, data, path)
        self._write([(path, data)])

    def _render_images(self, images: Sequence[Image]) -> _Rendered:
        """The security documents and badges of some images; runs in a worker."""
        gate = Gate(self.given.mount)
        assessed: list[_Assessed] = []
        written: list[Written] = []
        assessor = self._assessor(gate)
        for image in images:
            found, documents = self._render_image(image, assessor, gate)
            assessed.append(found)
            written += write(self.given.folder, gate.whole(documents))
        return _Rendered(assessed, written, gate.links)

    def _render_image(
        self, image: Image, assessor: Assessor, gate: Gate
    ) -> tuple[_Assessed, list[tuple[str, bytes]]]:
        slug = image.entry.slug
        documents: list[tuple[str, bytes]] = []
        head = security.envelope(image)
        records = [assessor.record(image, release) for release in image.releases]
        for release, rec in zip(image.releases, records, strict=True):
            path = addresses.release(slug, release.entry.version)
            gate.record(rec.head, rec.tally, path)
            documents.append((path, document(members(head, rec.json))))
        newest = records[0] if records else None
        if newest is not None:
            gate.check(models.SecurityHead, head, addresses.detail(slug))
            versions = array([rec.json for rec in records])
            body = document(head, latest=newest.json, versions=versions)
            documents.append((addresses.detail(slug), body))
        for badge in badges.image_badges(image, newest.assessment if newest else None):
            path = addresses.image_badge(slug, badge.name)
            data = document(badge.payload(Look()))
            gate.check(models.Badge, data, path)
            documents.append((path, data))
        found = newest.assessment if newest else None
        computed = items.image(image, security_totals.image_security(image, found, self.at), self.at)
        item, whole = self._item("images", image.entry, image.page, computed, gate)
        documents.append(whole)
        ids = from_json(newest.ids) if newest else []
        matched = set().union(*(rec.matched for rec in records))
        return _Assessed(slug, [rec.assessment for rec in records], ids, matched, item), documents

    def _chart(self, chart: Chart, assessor: Assessor) -> dict[str, object]:
        """The computed fields of a chart."""

        def outside(pin: Pin) -> Assessment | None:
            found = assessor.pin(pin)
            self.matched |= found.matched if found else set()
            return found.assessment if found else None

        return items.chart(chart, security_totals.chart_security(chart, self.releases, outside), self.at)

    def _update_items(self) -> Iterator[Raw]:
        """Updates with the item that each is about."""
        hrefs = items.hrefs(self.catalog, self.at)
        for update in self.catalog.updates:
            item = Raw(encode(items.published(update, {"href": hrefs.get(update.application)})))
            self.gate.check(self.models["updates"], item, addresses.collection("updates"))
            yield item

    def _items(
        self, resource: str, entries: Iterable[tuple[ItemEntry, WebPage | None, dict[str, object]]]
    ) -> Iterator[Raw]:
        """Write the document of each item; gives the items as they stand in the collection."""
        for entry, page, computed in entries:
            item, whole = self._item(resource, entry, page, computed, self.gate)
            self._write([whole])
            yield item

    def _item(
        self,
        resource: str,
        entry: ItemEntry,
        page: WebPage | None,
        computed: dict[str, object],
        gate: Gate,
    ) -> tuple[Raw, tuple[str, bytes]]:
        """An item as it stands in its collection, and path and body of its own document."""
        item = Raw(encode(items.published(entry, computed)))
        gate.check(self.models[resource], item, addresses.item(resource, entry.slug))
        html = self.at.web(page.url) if page and page.own else None
        own_badges = badges.PER_IMAGE if resource == "images" else ()
        return item, collections.item_document(resource, entry.slug, html, item, self.at, gate, own_badges)

    def _collection(self, resource: str, data: Iterable[Raw]) -> None:
        """Write a collection and its pages."""
        parts = list(data)
        self.totals[resource] = len(parts)
        self._write(collections.collection_documents(resource, parts, self.at, self.gate))

    def _report_idle_statements(self) -> None:
        count = len(self.catalog.statements)
        if idle := count - len(self.matched):
            message = f"{idle} of {count} VEX statements speak of no finding in the catalog"
            self.given.problems.add(Problem("", 0, 0, "security.vex", message, level=Level.INFO))

    def _badges(self) -> list[str]:
        """Write the badges of the catalog; returns their names."""
        made = list(badges.catalog_badges(self.catalog, self.newest))
        for badge in made:
            look = self.given.looks.get(badge.name, Look())
            self._put(addresses.badge(badge.name), models.Badge, badge.payload(look))
        return [badge.name for badge in made]
