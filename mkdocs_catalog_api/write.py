"""Catalog → every document, each checked: one image at a time, then what the images add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from pydantic import BaseModel

from .advisories.configured import Advisories
from .api import addresses, badges, collections, index, items, openapi, security, security_totals, vex
from .api.addresses import Addresses
from .api.badges import BadgeStyle
from .api.examples import Samples
from .api.lookups.lookup import Documents, Lookup, Source
from .api.lookups.table import lookups
from .api.security import Assessor, SecurityFigures
from .api.structs.discovery import Badge, GeneratedBy
from .api.structs.history import DayChanges, HistoryIndex, ImageHistory
from .api.structs.items import ItemStructs, item_structs
from .api.structs.security import SecurityDetail, SecuritySummary
from .api.verify import Verifier, check_links, check_openapi
from .catalog.fields import extend
from .catalog.join import Catalog, Chart, Image, WebPage
from .catalog.models import ItemEntry, UpdateEntry
from .catalog.pins import Pin
from .history.days import Folder
from .history.past import Past
from .problems import Level, Problem, Problems
from .publish.earlier import GENERATOR
from .publish.staging import Written
from .settings import ITEM_MODELS, Settings

_ENCODER = msgspec.json.Encoder()


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
    history: ImageHistory | None
    """Of an image that a recorded day knows."""
    recorded: str | None
    """The last recorded day."""


@dataclass(frozen=True, slots=True)
class Context:
    """What `write` needs beside the catalog."""

    settings: Settings
    styles: Mapping[str, BadgeStyle]
    """Badge name → what the settings say about it."""
    mount: str
    """Mount path of the site."""
    title: str
    generated_at: str
    site_url: str | None
    advisories: Advisories
    read: security.Read
    """Reads the findings of scans again."""
    save: Callable[[str, bytes], None]
    """Takes the body of the document at a path below `api/v1/`."""
    problems: Problems
    """Where it says which VEX statements came to nothing."""
    on_item: Callable[[ItemDocuments], None] = lambda _: None
    """Is shown the documents of each item."""
    history: Folder | None = None
    """The recorded days."""
    on_day: Callable[[DayChanges], None] = lambda _: None
    """Is shown what changed on each of them, oldest first."""


class Contents(NamedTuple):
    """What has been written, as far as web pages and feeds show it."""

    written: list[Written]
    items: Mapping[str, Sequence[Any]]
    """The items of each collection, in its order."""
    summary: SecuritySummary
    badges: Mapping[str, Badge]
    history: HistoryIndex | None
    """None when no day is recorded."""


def entry_models(settings: Settings) -> dict[str, type[BaseModel]]:
    """The model of each collection's entries, with the custom fields and vocabularies of the settings."""
    models: dict[str, type[BaseModel]] = {}
    for name, model in ITEM_MODELS.items():
        section = getattr(settings, name)
        models[name] = extend(model, section.fields, section.vocabulary, section.version_fields)
    return models | {"updates": UpdateEntry}


def write(catalog: Catalog, context: Context) -> Contents:
    """Write every document of the catalog.

    Raises:
        CatalogError: the history is not in order.
        ContractError: a document breaks the contract (a bug of the plugin).
        OSError: the disk is full, a report can't be read any more …
    """
    return _Writer(catalog, context).run()


@dataclass(slots=True)
class _Writer:
    catalog: Catalog
    context: Context
    at: Addresses = field(init=False)
    structs: Mapping[str, ItemStructs] = field(init=False)
    assessor: Assessor = field(init=False)
    verifier: Verifier = field(default_factory=Verifier)
    samples: Samples = field(default_factory=Samples)
    written: list[Written] = field(default_factory=list)
    items: dict[str, list[Any]] = field(default_factory=dict)
    newest: dict[str, SecurityFigures | None] = field(default_factory=dict)
    """Slug → figures of the newest release."""
    releases: dict[tuple[str, str], SecurityFigures | None] = field(default_factory=dict)
    """Slug and version → figures."""
    unique: set[str] = field(default_factory=set)
    """Ids that are open in any newest release."""
    matched: set[int] = field(default_factory=set)
    """Positions of the VEX statements that speak of a finding."""
    pinned: dict[str, SecurityFigures | None] = field(default_factory=dict)
    """What charts pin → its figures."""
    lookups: list[Lookup] = field(init=False)
    past: Past = field(init=False)
    users: dict[str, list[Chart]] = field(default_factory=dict)
    """Slug of an image → the charts that pin it."""
    statements: vex.Publication | None = None
    """What is told of the author's statements, when they are published."""

    def __post_init__(self) -> None:
        self.at = Addresses(self.context.mount)
        self.structs = item_structs(entry_models(self.context.settings))
        advisories = self.context.advisories
        self.assessor = Assessor(self.context.read, self.catalog.statements, advisories.exploited)
        self.past = Past(self.context.history, self.at)
        source = Source(self.catalog, self.at, self.context.site_url, advisories.scores)
        self.lookups = lookups(self.context.settings, source)
        if self.context.settings.security.publish_vex and self.context.site_url:
            self.statements = vex.Publication(
                self.catalog.statements, self.context.site_url, self.context.title
            )
        for chart in self.catalog.charts:
            for slug in dict.fromkeys(pin.slug for pin in chart.pins if pin.slug):
                self.users.setdefault(slug, []).append(chart)

    def run(self) -> Contents:
        for at, day in self.past.days(self.context.on_day):
            self.samples.take(addresses.changes("{date}") if isinstance(day, DayChanges) else at, day)
            self._put(at, day)
        self.items["images"] = [self._image(image) for image in self.catalog.images]
        for at, former in self.past.others(image.entry.slug for image in self.catalog.images):
            self._put(at, former)
        self._charts_and_roadmap()
        self._report_idle_statements()
        if self.statements:
            self._save(vex.ARCHIVE, self.statements.archive())
        self.items["updates"] = [*items.updates(self.catalog, self.at)]
        for name, found in self.items.items():
            for path, document in collections.documents(name, found, self.structs[name], self.at):
                self._sample(path, document)
        summary, listed = security_totals.summary_and_index(
            self.catalog.images, self.newest, self.pinned.values(), len(self.unique), self.at
        )
        self._sample(addresses.SUMMARY, summary)
        self._sample(addresses.SECURITY_INDEX, listed)
        made = self._badges()
        for lookup in self.lookups:
            self._answer(lookup.end())
        totals = {name: len(found) for name, found in self.items.items()}
        asked = dict(pair for lookup in self.lookups for pair in lookup.addresses.items())
        asked |= vex.ADDRESSES if self.statements else {}
        title, recorded = self.context.title, bool(self.past.index)
        self._sample(addresses.INDEX, index.discovery(title, totals, made, asked, self.at, history=recorded))
        generator = GeneratedBy(GENERATOR, version("mkdocs-catalog-api"))
        self._openapi(generator, made["images"])
        self._put(
            addresses.MANIFEST, index.manifest(sorted(self.written), self.context.generated_at, generator)
        )
        check_links(self.at.linked, (entry.path for entry in self.written))
        return Contents(self.written, self.items, summary, made, self.past.index)

    def _image(self, image: Image) -> Struct:
        """Write the documents of one image; returns it as it stands in the collection."""
        entry, assessor = image.entry, self.assessor
        records, figures, assessed, heard = [], [], [], set[int]()
        for number, release in enumerate(image.releases):
            found = assessor.release(image, release)
            records.append(security.record(release, found))
            figures.append(found.figures if found else None)
            assessed.append(found)
            self.releases[entry.slug, release.entry.version] = figures[-1]
            heard |= found.matched if found else set()
            if found and number == 0 and entry.lifecycle != "planned":
                self.unique.update([row.id for row in found.rows])
        self.matched |= heard
        newest = self.newest[entry.slug] = figures[0] if figures else None
        payloads = {badge.name: badge.payload(BadgeStyle()) for badge in badges.image_badges(image, newest)}
        made: dict[str, Any] = dict(security.documents(image, records))
        made |= {addresses.image_badge(entry.slug, name): payload for name, payload in payloads.items()}
        if self.statements and (told := self.statements.take(image, heard)):
            made[vex.path(entry.slug)] = told
            self.samples.take_lookup(vex.path(entry.slug), told)
        past = self.past.image(entry.slug)
        if past is not None:
            made[addresses.image_history(entry.slug)] = past
        for path, document in made.items():
            self._put(path, document)
        for lookup in self.lookups:
            self._answer(lookup.image(image, assessed))
        total = newest.total if newest and entry.lifecycle != "planned" else None
        self.samples.take_image(entry.slug, entry.latest, total, made)
        item = items.image(image, security_totals.image_security(image, newest, self.at), self.at)
        self._item("images", entry, image.page, item, made.get(addresses.detail(entry.slug)), payloads, past)
        return item

    def _charts_and_roadmap(self) -> None:
        self.items["charts"] = []
        for chart in self.catalog.charts:
            figures = security_totals.chart_security(chart, self._pin)
            item = items.chart(chart, figures, self.at)
            self._item("charts", chart.entry, chart.page, item)
            self.items["charts"].append(item)
        self.items["roadmap"] = []
        for planned in self.catalog.roadmap:
            item = items.roadmap(planned, self.at)
            self._item("roadmap", planned.entry, planned.page, item)
            self.items["roadmap"].append(item)

    def _pin(self, pin: Pin) -> SecurityFigures | None:
        """The figures of what a chart pins: a release of the catalog, or something else that was scanned."""
        if pin.slug is not None and pin.version is not None:
            self.pinned[pin.key] = self.releases[pin.slug, pin.version]
        elif pin.key not in self.pinned:
            found = self.assessor.pin(pin)
            self.pinned[pin.key] = found.figures if found else None
            if found:
                self.matched |= found.matched
                for lookup in self.lookups:
                    lookup.outside(pin, found)
        return self.pinned[pin.key]

    def _answer(self, documents: Documents) -> None:
        for path, document in documents:
            self.samples.take_lookup(path, document)
            self._put(path, document)

    def _item(
        self,
        resource: str,
        entry: ItemEntry,
        page: WebPage | None,
        item: Struct,
        detail: SecurityDetail | None = None,
        payloads: Mapping[str, Badge] | None = None,
        past: ImageHistory | None = None,
    ) -> None:
        """Write the document of an item."""
        path, document = collections.item(resource, entry, page, item, self.structs[resource], self.at)
        self._put(path, document)
        if not self.items.get(resource):
            self.samples.take(path, document)
        users = self.users.get(entry.slug, []) if resource == "images" else []
        self.context.on_item(
            ItemDocuments(
                resource, entry.slug, page, document, detail, payloads or {}, users, past, self.past.last
            )
        )

    def _badges(self) -> dict[str, Badge]:
        """Write the badges of the catalog; returns them by name."""
        made = {}
        known = self.context.advisories.exploited is not None
        for badge in badges.catalog_badges(self.catalog, self.newest, exploited=known):
            made[badge.name] = badge.payload(self.context.styles.get(badge.name, BadgeStyle()))
            self._sample(addresses.badge(badge.name), made[badge.name])
        return made

    def _openapi(self, generator: GeneratedBy, badge: Badge) -> None:
        said = self.context.settings.openapi
        about = openapi.About(
            self.context.title,
            said.contact.model_dump(exclude_none=True) if said.contact else {},
            said.license.model_dump(exclude_none=True) if said.license else {},
            self.context.mount,
            self.context.site_url,
        )
        described = openapi.describe(self.structs)
        templates = {route.struct: route.path for route, *_ in described.routes if route.struct}
        examples = self.samples.examples(generator, _body(badge), templates)
        document = openapi.openapi(described, about, examples)
        body = _body(document)
        paths, schemas = document["paths"], document["components"]["schemas"]
        check_openapi(body, paths, schemas, [entry.path for entry in self.written])
        self._save(addresses.OPENAPI, body)

    def _sample(self, path: str, document: Struct) -> None:
        self.samples.take(path, document)
        self._put(path, document)

    def _put(self, path: str, document: Struct) -> None:
        """Check and write a document."""
        body = _body(document)
        self.verifier.check(path, body, type(document))
        self._save(path, body)

    def _save(self, path: str, body: bytes) -> None:
        self.context.save(path, body)
        self.written.append(Written(path, sha256(body).hexdigest(), len(body)))

    def _report_idle_statements(self) -> None:
        count = len(self.catalog.statements)
        idle = [statement for at, statement in enumerate(self.catalog.statements) if at not in self.matched]
        if idle:
            first = idle[0]
            hint = f"first statements[{first.index}] of {first.document[:100]} on {first.ids[0][:80]}"
            message = f"{len(idle)} of {count} VEX statements speak of no finding in the catalog"
            self.context.problems.add(Problem("", 0, 0, "security.vex", message, hint, Level.INFO))


def _body(document: object) -> bytes:
    """The bytes of a document: compact JSON and one line break."""
    return _ENCODER.encode_lines([document])  # does not copy them for the line break
