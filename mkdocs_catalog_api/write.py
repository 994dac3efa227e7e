"""The second of the three calls: a catalog becomes documents in the staging folder, each checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel
from pydantic_core import to_json

from .api import (
    addresses,
    badges,
    collections,
    index,
    items,
    openapi,
    security_totals,
)
from .api import (
    structs as models,
)
from .api.addresses import Addresses
from .api.badges import Look
from .api.examples import examples
from .api.security import Assessment, Assessor
from .api.verify import Gate
from .catalog.fields import extend
from .catalog.join import Catalog, Chart, Image, WebPage
from .catalog.models import ItemEntry
from .catalog.pins import Pin
from .documents.serialise import Raw, array, document, encode, members
from .parallel import in_chunks
from .problems import Level, Problem, Problems
from .publish.staging import GENERATOR, Written, write
from .rendering import Known, Renderer
from .settings import Settings
from .sources.cache import Cache
from .sources.store import Kept, Store, content_key

PUBLISHED: dict[str, type[BaseModel]] = {
    "images": models.Image,
    "charts": models.Chart,
    "roadmap": models.RoadmapItem,
    "updates": models.Update,
}


class _Rendered(NamedTuple):
    """What rendering some images leaves in memory."""

    images: list[tuple[Known, Raw, str, Kept[None] | None]]
    """As the fields of `Rendered`, without the documents."""
    written: list[Written]


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
    cache: Cache[None] | None
    """What earlier builds have made of images; None to make and keep nothing."""
    problems: Problems
    """Where it says which VEX statements came to nothing."""


def compose(catalog: Catalog, given: Composition) -> tuple[list[Written], dict[str, str]]:
    """Write every document of the catalog below `given.folder`.

    Returns path, hash and size of each, and by the slug of each image a hash of all that its documents are
    made of (nothing without `given.cache`).

    Raises:
        ContractError: a document breaks the contract (a bug of the plugin).
        OSError: the disk is full …
    """
    composer = _Composer(catalog, given)
    return composer.run(), composer.keys


def published_models(settings: Settings) -> dict[str, type[BaseModel]]:
    """The model of each collection's items, with the custom fields and vocabularies of the settings."""
    extended = {
        name: models.always_present(extend(model, section.fields, section.vocabulary, section.version_fields))
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
    renderer: Renderer = field(init=False)
    written: list[Written] = field(default_factory=list)
    newest: dict[str, Assessment | None] = field(default_factory=dict)
    releases: dict[tuple[str, str], Assessment | None] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    matched: set[int] = field(default_factory=set)
    keys: dict[str, str] = field(default_factory=dict)
    """Slug of an image → its key in the cache."""

    def __post_init__(self) -> None:
        self.at = Addresses(self.given.mount)
        self.gate = Gate(self.given.mount)
        self.models = published_models(self.given.settings)
        given, cache = self.given, self.given.cache
        self.renderer = Renderer(
            reports=given.reports,
            store=given.store,
            statements=self.catalog.statements,
            model=self.models["images"],
            at=self.at,
            mount=given.mount,
            earlier=cache.load(given.store) if cache else {},
            surroundings=self._surroundings() if cache else "",
        )

    def _surroundings(self) -> str:
        """A hash of what the documents of every image depend on."""
        given = self.given
        return content_key(to_json([given.settings, given.mount, *self.catalog.statements]))

    def run(self) -> list[Written]:
        rendered = in_chunks(self._render_images, self.catalog.images, least=64)
        described = openapi.describe(self.models)  # while others render
        unique, images = self._images(rendered)
        self._collections(images)
        self._security_overview(unique)
        badge_names = self._badges()
        discovery = index.discovery(self.given.title, self.totals, badge_names, self.at)
        self._put(addresses.INDEX, models.Discovery, discovery)
        generator = {"name": GENERATOR, "version": version("mkdocs-catalog-api")}
        self._openapi(described, generator)
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
        del head["documents"]
        self._write([(addresses.MANIFEST, document(head, documents=members(*parts)))])

    def _images(self, chunks: Iterable[_Rendered]) -> tuple[int, list[Raw]]:
        """Take in the images in their order; returns the number of distinct ids and the images as items."""
        images = iter(self.catalog.images)
        parts: list[Raw] = []
        unique: set[str] = set()
        kept: dict[str, tuple[Kept[None], ...]] = {}
        for rendered in chunks:
            self.written += rendered.written
            for known, item, key, made in rendered.images:
                image = next(images)
                parts.append(item)
                self.gate.links |= known.links
                self.matched.update(known.matched)
                slug = image.entry.slug
                self.newest[slug] = known.releases[0] if known.releases else None
                for release, found in zip(image.releases, known.releases, strict=True):
                    self.releases[slug, release.entry.version] = found
                if image.entry.lifecycle != "planned":
                    unique.update(known.ids)
                if key:
                    self.keys[slug] = key
                    kept[key] = (made,) if made else self.renderer.earlier[key]
        if self.given.cache:
            self.given.cache.save(self.given.store, kept, self.given.problems)
        return len(unique), parts

    def _collections(self, images: Sequence[Raw]) -> None:
        """Write the four collections; each item comes with its page and its computed fields."""
        catalog = self.catalog
        charts = [
            (c.entry, c.page, self._chart(c, self.renderer.assessor(self.gate))) for c in catalog.charts
        ]
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

    def _openapi(self, described: openapi.Described, generator: Mapping[str, str]) -> None:
        said = self.given.settings.openapi
        about = openapi.About(
            self.given.title,
            said.contact.model_dump(exclude_none=True) if said.contact else {},
            said.license.model_dump(exclude_none=True) if said.license else {},
        )
        data = document(openapi.openapi(described, about, examples(self.given.folder, generator)))
        self.gate.openapi(data, [entry.path for entry in self.written])
        self._write([(addresses.OPENAPI, data)])

    def _write(self, documents: Iterable[tuple[str, bytes]]) -> None:
        self.written += write(self.given.folder, self.gate.whole(documents))

    def _put(self, path: str, model: type[BaseModel], body: dict[str, object]) -> None:
        """Check and write a document that has no spliced parts of an author's."""
        data = document(body)
        self.gate.check(model, data, path)
        self._write([(path, data)])

    def _render_images(self, images: Sequence[Image]) -> _Rendered:
        """The security documents and badges of some images; runs in a worker."""
        rendered = _Rendered([], [])
        for image in images:
            found = self.renderer.render(image)
            rendered.written.extend(write(self.given.folder, found.documents))
            rendered.images.append(found[1:])
        self.given.store.flush()
        return rendered

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
            item, head = collections.item(
                resource, entry, page, computed, self.models[resource], self.at, self.gate
            )
            self._write([(addresses.item(resource, entry.slug), document(head, data=item))])
            yield item

    def _collection(self, resource: str, data: Iterable[Raw]) -> None:
        """Write a collection and its pages."""
        parts = list(data)
        self.totals[resource] = len(parts)
        self._write(collections.collection_documents(resource, parts, self.at, self.gate))

    def _report_idle_statements(self) -> None:
        count = len(self.catalog.statements)
        idle = [statement for at, statement in enumerate(self.catalog.statements) if at not in self.matched]
        if idle:
            first = idle[0]
            hint = f"first statements[{first.index}] of {first.document[:100]} on {first.ids[0][:80]}"
            message = f"{len(idle)} of {count} VEX statements speak of no finding in the catalog"
            self.given.problems.add(Problem("", 0, 0, "security.vex", message, hint, Level.INFO))

    def _badges(self) -> list[str]:
        """Write the badges of the catalog; returns their names."""
        made = list(badges.catalog_badges(self.catalog, self.newest))
        for badge in made:
            look = self.given.looks.get(badge.name, Look())
            self._put(addresses.badge(badge.name), models.Badge, badge.payload(look))
        return [badge.name for badge in made]
