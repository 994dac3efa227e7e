"""Reads the items of each collection from pages and data files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from msgspec.structs import replace

from ..catalog.value import WebPage
from ..items.collections import ITEM_MODELS, WITH_DOCUMENTS
from ..items.fields import ItemFields
from ..items.links import SCHEME
from ..items.models import ImageEntry, ItemEntry
from ..items.names import slug
from ..problems import Level, Problems
from ..problems.codes import Code
from .data_files import read_list
from .docs_dir import address, destination
from .folders import name_of, not_followed
from .front_matter import PageSelection, RawItem
from .messages import resembling, shown
from .registry_files import FactsFolder
from .settings import CollectionSettings, Settings, data_names
from .site import Site
from .validate import authored_values, misplaced, read_entry, undeclared, with_mapped

E = TypeVar("E", bound=ItemEntry)


_OF_THEMES = frozenset({"title", "description", "tags", "template", "hide", "icon", "status"})
"""Keys of front matter that ordinary pages have, too."""


def page_selection(settings: Settings) -> PageSelection:
    """Return the selection of pages from the settings."""
    patterns: dict[str, Sequence[str]] = {}
    fields: dict[str, Set[str]] = {}
    for name, model in ITEM_MODELS.items():
        section: CollectionSettings = getattr(settings, name)
        patterns[name] = (f"{name}/**/*.md",) if section.pages is None else section.pages
        if section.pages is None:
            rules = section.item_fields(model)
            fields[name] = {*rules.names, *dict(rules.keys).values()} - _OF_THEMES
    return PageSelection(patterns, fields)


def data_entries(site: Site, settings: Settings, name: str, problems: Problems) -> list[RawItem]:
    """Return the entries of a collection's data file: that of the settings, or one with a default name."""
    configured = getattr(settings, name).data
    usual = [file for file in data_names(name) if os.path.lexists(site.root / file)]
    if not (names := [configured] if configured else usual):
        return []
    path = site.root / names[0]
    if len(names) > 1:
        message, hint = f"{' and '.join(names)} both exist", "remove one, or select it with `data: …`"
    elif warning := not_followed(path, site.root):
        problems.add(warning)
        return []
    elif path.is_file():
        return read_list(path, name_of(path, site.root), name, problems)
    else:
        message, hint = f"{names[0]!r} is not a file of the project", "create it or correct the path"
    problems.add(site.config.problem((name, "data"), message, hint, code=Code.MISSING_PATH))
    return []


def check_patterns(site: Site, settings: Settings, selection: PageSelection, problems: Problems) -> None:
    """Warn about patterns in the settings that match no page."""

    for name in ITEM_MODELS:
        patterns = getattr(settings, name).pages
        for pattern in patterns or ():
            alone = PageSelection({name: (pattern,)})
            if not (pattern.startswith("!") or any(alone.finds(name, page.uri) for page in site.pages)):
                message = f"no page matches the pattern {pattern!r}"
                hint = "patterns are relative to docs_dir, for example images/**/*.md"
                problems.add(
                    site.config.problem((name, "pages"), message, hint, Level.WARNING, code=Code.PAGE)
                )
        if patterns is not None or any(name in selection.matching(page.uri) for page in site.pages):
            continue
        tops = [page.uri.partition("/")[0] for page in site.pages if not selection.finds(name, page.uri)]
        folders = Counter(folder for folder in tops if folder.lower() in (name, name.rstrip("s")))
        beside = getattr(settings, name).data is None and not any(
            (site.root / file).exists() for file in data_names(name)
        )
        for folder, count in folders.most_common(beside):
            message = f"no page is an item of {name}, but the folder {folder} has {count}"
            hint = f"rename it to {name}, or set `{name}: {{pages: {folder}/**/*.md}}` if those are items"
            problems.add(site.config.problem((name, "pages"), message, hint, Level.WARNING, code=Code.PAGE))


def check_emptiness(site: Site, problems: Problems, *collections: Sequence[object]) -> None:
    """Warn if there is nothing to publish."""
    if any(collections) or problems.count(Level.ERROR):
        return
    message = "no items found"
    docs = name_of(site.docs_dir, site.root)
    hint = f"add a page such as {docs}/images/nginx.md, or set `pages` or `data` of a collection"
    problems.add(site.config.problem((), message, hint, Level.WARNING, code=Code.PAGE))


class CollectionReader(Generic[E]):
    """Reads the items of a collection from its pages and its data file. Problems are added, not raised."""

    def __init__(
        self, fields: ItemFields[E], name: str, site: Site, settings: Settings, problems: Problems
    ) -> None:
        self._fields, self._name, self._site, self._problems = fields, name, site, problems
        self._section: CollectionSettings = getattr(settings, name)
        self._settings = settings

    def values(self, pages: Iterable[RawItem]) -> Iterator[tuple[RawItem, dict[str, object]]]:
        """Yield each item with its defaults below, and the values that people wrote; nothing is validated."""
        fields, entries = self._fields, data_entries(self._site, self._settings, self._name, self._problems)
        pages, entries = ([with_mapped(raw, fields) for raw in raws] for raws in (pages, entries))
        if "page" not in fields.own.rules:
            entries = [*self._with_pages(entries)]
        layers = self._section.default_layers(self._name, self._site.config)
        for raw in (*self._not_named(pages, entries), *entries):
            uri = raw.own_page.uri if raw.own_page else None
            raw = replace(raw, defaults=tuple(layer for some, layer in layers if some.are_of(uri)))
            yield raw, authored_values(raw, self._settings.registry, fields.model)

    def items(self, pages: Iterable[RawItem]) -> list[tuple[E, RawItem]]:
        """Return the valid items by slug, each with its source."""
        by_slug: dict[str, tuple[E, RawItem]] = {}
        slugs: set[str] = set()
        without_image: list[RawItem] = []
        facts = FactsFolder(self._site, self._settings, self._name, self._problems)
        for raw, values in self.values(pages):
            slugs.add(str(values.get("slug")))
            raw, values = facts.merged(raw, values, self._fields.model)
            entry = read_entry(self._fields, raw, values, self._problems)
            if entry is None:
                continue
            if self._section.verify is not None and getattr(entry, "verify", None) is None:
                entry = entry.model_copy(update={"verify": self._section.verify})
            self._check_logo(entry, raw)
            if isinstance(entry, ImageEntry) and entry.image is None:
                without_image.append(raw)
            if entry.slug in by_slug:
                other = by_slug[entry.slug][1]
                message = f"the slug {entry.slug!r} is already used by {other.place}"
                hint = "set another `slug` for one of them"
                if other.page and not raw.page:
                    hint = f"add `page: {other.page.uri}` to the entry, or {hint}"
                self._problems.add(raw.problem(("slug",), message, hint, code=Code.TWICE))
            else:
                by_slug[entry.slug] = entry, raw
        self._problems.extend(facts.unlisted())
        self._check_replaced_by(by_slug.values(), slugs)
        self._note_registry(without_image)
        self._note_undeclared([raw for _, raw in by_slug.values()])
        # Their values are read: kept, they would take memory.
        return [
            (entry, replace(raw, values={}, document=replace(raw.document, data=None)))
            for _, (entry, raw) in sorted(by_slug.items())
        ]

    def _check_logo(self, entry: E, raw: RawItem) -> None:
        """Add a problem if the logo of an item is a file that can't be published."""
        logo, docs_dir = getattr(entry, "logo", None), self._site.docs_dir
        if logo is None or SCHEME.match(logo):
            return
        path = docs_dir / logo
        if not path.is_file() or not_followed(path, docs_dir):
            message = f"{name_of(docs_dir, self._site.root)}/{logo} is not a file of the project"
            hint = "add the file, or correct the path"
            self._problems.add(raw.problem(("logo",), message, hint, code=Code.MISSING_PATH))

    def _check_replaced_by(self, items: Iterable[tuple[E, RawItem]], slugs: Set[str]) -> None:
        """Add a problem for each `replacedBy` that names no other item; `slugs` are those of all items."""
        for entry, raw in items:
            other = getattr(entry, "replaced_by", None)
            if other is None or (other in slugs and other != entry.slug):
                continue
            near = resembling(other, slugs - {entry.slug})
            message = f"no other item of {self._name} has the slug {other!r}"
            hint = f"did you mean `{near}`?" if near else "use the slug of an item"
            self._problems.add(raw.problem(("replacedBy",), message, hint, code=Code.WRONG_VALUE))

    def _with_pages(self, entries: Iterable[RawItem]) -> Iterator[RawItem]:
        """Yield the entries of a data file with the pages in their `page`."""
        pages = {page.uri: page for page in self._site.pages} if entries else {}
        first: dict[str, str] = {}
        """Page → the first entry with this page."""
        for raw in entries:
            if (named := raw.values.get("page")) is not None:
                page = pages.get(named) if isinstance(named, str) else None
                if page is None:
                    near = resembling(str(named), pages)
                    message = f"{shown(named)} is not a page of the site"
                    hint = f"did you mean `{near}`?" if near else "use its path in docs_dir"
                    self._problems.add(raw.problem(("page",), message, hint, code=Code.PAGE))
                elif first.setdefault(page.uri, raw.place) != raw.place:
                    message = f"{page.uri!r} is already the page of {first[page.uri]}"
                    hint = "remove it; the page of the collection is then used"
                    self._problems.add(raw.problem(("page",), message, hint, code=Code.PAGE))
                values = {key: value for key, value in raw.values.items() if key != "page"}
                raw = replace(raw, values=values, named=page)
            yield raw

    def _not_named(self, pages: Iterable[RawItem], entries: Iterable[RawItem]) -> Iterator[RawItem]:
        """Yield the pages that are items, without the pages of entries in a data file."""
        named = {raw.named.uri: raw for raw in entries if raw.named}
        for raw in pages:
            entry = named.get(raw.page.uri) if raw.page else None
            if entry is None:
                yield raw
            elif doubled := sorted({*raw.values} & {*self._fields.names} - {"name", "description"}):
                message = f"the item of this page is already defined in {entry.place}"
                hint = "move all fields to one place"
                self._problems.add(raw.problem((doubled[0],), message, hint, code=Code.TWICE))

    def _note_registry(self, raws: Sequence[RawItem]) -> None:
        """Add one warning for all images without `image` if `registry` is not set."""
        if raws:
            number = "1 image has" if len(raws) == 1 else f"{len(raws)} images have"
            message = f"not set, so {number} no reference and no command to pull it, first {raws[0].place}"
            hint = "set it, for example to `ghcr.io/acme`, or add `image: …` to the pages"
            self._add(("registry",), message, hint, Level.WARNING, Code.MISSING_FIELD)

    def _note_undeclared(self, raws: Iterable[RawItem]) -> None:
        """Add a note with the undeclared fields."""
        if counted := Counter(
            key for raw in raws for key in undeclared(self._fields, raw) if not misplaced(self._fields, key)
        ):
            keys = ", ".join(f"{key} ({count})" for key, count in sorted(counted.items()))
            message = f"undeclared keys are not in the API (with the number of {self._name}): {keys}"
            hint = "to publish them, declare them under `fields`"
            self._add((self._name, "fields"), message, hint, Level.INFO, Code.UNKNOWN_FIELD)

    def _add(self, setting: tuple[str, ...], message: str, hint: str, level: Level, code: Code) -> None:
        self._problems.add(self._site.config.problem(setting, message, hint, level, code=code))


def makes_pages(settings: Settings, collection: str) -> bool:
    """Whether items of a data file without a page get one, if the generator is MkDocs."""
    section: CollectionSettings | None = getattr(settings, collection)
    return settings.web is True and getattr(section, "item_pages", False)


def item_uri(collection: str, slug: str) -> str:
    """Return the path in docs_dir of the page that an item gets."""
    return f"{collection}/{slug}.md"


def items_without_page(site: Site, settings: Settings) -> Iterator[tuple[str, dict[str, str], Path]]:
    """Yield path in docs_dir and front matter of the pages that items get, and the data file of the item.

    Problems are left to `load`: entries without a valid slug are errors there, and get no page here.
    """
    for name in WITH_DOCUMENTS:
        section: CollectionSettings = getattr(settings, name)
        for raw in data_entries(site, settings, name, Problems()) if makes_pages(settings, name) else ():
            with suppress(ValueError):
                if raw.values.get("page") is None or "page" in section.fields:
                    title = raw.values.get("name") or raw.values.get("title") or raw.slug
                    keys = {"title": str(title)}
                    if isinstance(description := raw.values.get("description"), str):
                        keys["description"] = description
                    yield item_uri(name, slug(raw.slug)), keys, site.root / (section.data or raw.file)


class WebPages:
    """Finds the web page of each item."""

    def __init__(self, site: Site, settings: Settings, selection: PageSelection) -> None:
        self._site, self._settings = site, settings
        self._pages = {page.url: page for page in site.pages}
        self._landing: dict[str, str] = {}
        self._home: str | None = None
        for page in sorted(site.pages, key=lambda page: page.uri, reverse=True):
            if page.url in ("", "index.html"):
                self._home = page.url
            for name in selection.names():
                if selection.landing(name, page.uri):
                    self._landing[name] = page.url

    def of(self, raw: RawItem, problems: Problems) -> WebPage:
        """Return the page of the item, else the landing page of its collection, else the home page."""
        if raw.own_page is not None:
            return WebPage(raw.own_page.url, own=True)
        collection, urls = raw.collection, self._site.directory_urls
        if urls is not None and makes_pages(self._settings, collection):
            url = address(destination(item_uri(collection, raw.slug), urls), urls)
            if page := self._pages.get(url):
                message = f"{page.file} already has the URL of the item's page, {url}"
                hint = f"add `page: {page.uri}` to the entry, or set `item_pages: false`"
                problems.add(raw.problem((), message, hint, code=Code.PAGE))
            return WebPage(url, own=True)
        listing = self._landing.get(collection, self._home)
        if listing is None:
            message = "neither the item nor its collection has a page"
            hint = f"add a page {collection}/index.md or index.md"
            problems.add(raw.problem((), message, hint, code=Code.PAGE))
        return WebPage(listing or "", own=False)
