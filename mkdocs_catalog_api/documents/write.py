"""Catalog → every document, each checked: one item at a time, then what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

from msgspec import Struct

from ..authored.settings import Settings, entry_models
from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.join import Catalog, Chart
from ..history.days import Folder
from ..history.past import Past
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from ..publish.earlier import GENERATOR
from ..sources.advisories.configured import Advisories
from . import badges, collections, index, items, openapi, security, security_totals, vex
from .badges import BadgeStyle
from .lookups.lookup import Source
from .lookups.table import lookups
from .output import Output, encode
from .security import Assessor
from .structs.discovery import Badge, GeneratedBy, ManifestEntry
from .structs.envelopes import item_structs
from .structs.history import DayChanges, HistoryIndex
from .structs.security import SecuritySummary
from .verify import check_links, check_openapi
from .write_items import ItemDocuments, ItemWriter


class Context(Struct, frozen=True):
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

    written: Mapping[str, ManifestEntry]
    """Path below `api/v1/` → hash and size of each document."""
    items: Mapping[str, Sequence[Any]]
    """The items of each collection, in its order."""
    summary: SecuritySummary
    badges: Mapping[str, Badge]
    history: HistoryIndex | None
    """None when no day is recorded."""


def write(catalog: Catalog, context: Context) -> Contents:
    """Write every document of the catalog.

    Raises:
        CatalogError: the history is not in order.
        ContractError: a document breaks the contract (a bug of the plugin).
        OSError: the disk is full, a report can't be read any more …
    """
    return _Writer(catalog, context).run()


class _Writer:
    def __init__(self, catalog: Catalog, context: Context) -> None:
        settings, advisories = context.settings, context.advisories
        self._catalog, self._context = catalog, context
        self._output = Output(context.save)
        self._at = Addresses(context.mount, self._output.written)
        self._structs = item_structs(entry_models(settings))
        self._past = Past(context.history, self._at)
        self._lookups = lookups(settings, Source(catalog, self._at, context.site_url, advisories.scores))
        self._answers = {name: path for lookup in self._lookups for name, path in lookup.addresses.items()}
        self._statements: vex.Publication | None = None
        if settings.security.publish_vex and context.site_url:
            self._statements = vex.Publication(catalog.statements, context.site_url, context.title)
        self._items = ItemWriter(
            at=self._at,
            output=self._output,
            structs=self._structs,
            assessor=Assessor(context.read, catalog.statements, advisories.exploited),
            past=self._past,
            lookups=self._lookups,
            statements=self._statements,
            users=_users(catalog.charts),
            on_item=context.on_item,
        )

    def run(self) -> Contents:
        catalog, output = self._catalog, self._output
        self._days()
        found: dict[str, Sequence[Any]] = {"images": [*map(self._items.image, catalog.images)]}
        for path, former in self._past.others(image.entry.slug for image in catalog.images):
            output.put(path, former)
        found["charts"] = [*map(self._items.chart, catalog.charts)]
        found["roadmap"] = [*map(self._items.planned, catalog.roadmap)]
        found["updates"] = [*items.updates(catalog, self._at)]
        if self._statements:
            output.save(vex.ARCHIVE, self._statements.archive())
        self._report_idle_statements()
        for name, listed in found.items():
            for path, document in collections.documents(name, listed, self._structs[name], self._at):
                output.put_sample(path, document)
        summary = self._totals()
        made = self._badges()
        while self._lookups:  # what they have seen goes before the manifest, which takes most memory of all
            output.put_kind(self._lookups.pop().end())
        self._discovery({name: len(listed) for name, listed in found.items()}, made)
        generator = GeneratedBy(GENERATOR, version("mkdocs-catalog-api"))
        self._openapi(generator, made["images"])
        manifest = index.manifest(output.written, self._context.generated_at, generator)
        output.put(addresses.MANIFEST, manifest)
        check_links(self._at.linked, output.written)
        return Contents(output.written, found, summary, made, self._past.index)

    def _days(self) -> None:
        for path, document in self._past.days(self._context.on_day):
            if isinstance(document, DayChanges):
                self._output.samples.take(addresses.changes("{date}"), document)
                self._output.put(path, document)
            else:
                self._output.put_sample(path, document)

    def _totals(self) -> SecuritySummary:
        done = self._items
        summary, listed = security_totals.summary_and_index(
            self._catalog.images, done.newest, done.pinned.values(), len(done.unique), self._at
        )
        self._output.put_sample(addresses.SUMMARY, summary)
        self._output.put_sample(addresses.SECURITY_INDEX, listed)
        return summary

    def _badges(self) -> dict[str, Badge]:
        """Write the badges of the catalog; returns them by name."""
        made = {}
        known = self._context.advisories.exploited is not None
        for badge in badges.catalog_badges(self._catalog, self._items.newest, exploited=known):
            made[badge.name] = badge.payload(self._context.styles.get(badge.name, BadgeStyle()))
            self._output.put_sample(addresses.badge(badge.name), made[badge.name])
        return made

    def _discovery(self, totals: Mapping[str, int], made: Mapping[str, Badge]) -> None:
        paths = self._answers | (vex.ADDRESSES if self._statements else {})
        recorded = bool(self._past.index)
        document = index.discovery(self._context.title, totals, made, paths, self._at, history=recorded)
        self._output.put_sample(addresses.INDEX, document)

    def _openapi(self, generator: GeneratedBy, badge: Badge) -> None:
        context, said = self._context, self._context.settings.openapi
        about = openapi.About(
            context.title,
            said.contact.model_dump(exclude_none=True) if said.contact else {},
            said.license.model_dump(exclude_none=True) if said.license else {},
            context.mount,
            context.site_url,
        )
        described = openapi.describe(self._structs)
        templates = {route.struct: route.path for route, *_ in described.routes if route.struct}
        examples = self._output.samples.examples(generator, encode(badge), templates)
        document = openapi.openapi(described, about, examples)
        body = encode(document)
        paths, schemas = document["paths"], document["components"]["schemas"]
        check_openapi(body, paths, schemas, self._output.written)
        self._output.save(addresses.OPENAPI, body)

    def _report_idle_statements(self) -> None:
        statements, matched = self._catalog.statements, self._items.matched
        idle = [statement for at, statement in enumerate(statements) if at not in matched]
        if idle:
            first = idle[0]
            hint = f"first statements[{first.index}] of {first.document[:100]} on {first.ids[0][:80]}"
            message = f"{len(idle)} of {len(statements)} VEX statements speak of no finding in the catalog"
            self._context.problems.add(
                Problem("", 0, 0, "security.vex", message, hint, Level.INFO, code=Code.STATEMENT)
            )


def _users(charts: Sequence[Chart]) -> dict[str, list[Chart]]:
    """Slug of an image → the charts that pin it."""
    users: dict[str, list[Chart]] = {}
    for chart in charts:
        for slug in dict.fromkeys(pin.slug for pin in chart.pins if pin.slug):
            users.setdefault(slug, []).append(chart)
    return users
