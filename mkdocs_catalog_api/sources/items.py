"""The items of each collection, from pages and data files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeVar

from msgspec.structs import replace

from ..authored.data_files import read_list
from ..authored.folders import leads_out, name_of, no_file, project_of
from ..authored.messages import resembling, shown
from ..authored.pages import Page, PageSelection, RawItem
from ..authored.settings import ITEM_MODELS, CollectionSettings, Resource, Settings, data_names
from ..authored.site import Site
from ..authored.validate import default_values, read_entry, undeclared, with_mapped
from ..catalog.fields import ItemFields
from ..catalog.join import NO_REGISTRY
from ..catalog.links import SCHEME
from ..catalog.models import ItemEntry
from ..catalog.value import WebPage
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .elsewhere import pages_beside
from .registry_facts import FactsFolder

E = TypeVar("E", bound=ItemEntry)

_META_FILE = ".meta.yml"


def page_selection(settings: Settings) -> PageSelection:
    """Which pages are items, as the settings say."""
    patterns: dict[str, Sequence[str]] = {}
    for name in ITEM_MODELS:
        pages = getattr(settings, name).pages
        patterns[name] = (f"{name}/**/*.md",) if pages is None else pages
    return PageSelection(patterns)


def data_file(
    site: Site, setting: tuple[str, str], configured: str | None, default: str, problems: Problems
) -> Path | None:
    """The data file that is set, or one called `default` with one of the usual endings."""
    usual = [name for name in data_names(default) if os.path.lexists(site.root / name)]
    names = [configured] if configured else usual
    if not names:
        return None
    name, path, code = names[0], site.root / names[0], Code.MISSING_PATH
    hint = "put the data into a file of that name"
    if len(names) > 1:
        message = f"{' and '.join(names)} stand beside each other"
        hint = f"keep one of them, or name it: `{setting[1]}: …`"
    elif path.is_file():
        if not leads_out(path, project_of(site.root, path)):
            return path
        message, code = f"{name!r} is behind a link that leads out of the project", Code.NOT_READ
        hint = "put what it leads to into the project"
    elif os.path.lexists(path):
        message = no_file(path, name)
    else:
        message, hint = f"the data file {name!r} is missing", "create it or correct the path"
    problems.add(site.config.problem(setting, message, hint, code=code))
    return None


def check_patterns(site: Site, settings: Settings, selection: PageSelection, problems: Problems) -> None:
    """A pattern that is set means that there are pages; that it finds none is a slip."""

    def say(name: Resource, message: str, hint: str, level: Level) -> None:
        problems.add(site.config.problem((name, "pages"), message, hint, level, code=Code.NO_ITEMS))

    for name in ITEM_MODELS:
        patterns = getattr(settings, name).pages
        for pattern in patterns or ():
            alone = PageSelection({name: (pattern,)})
            if not (pattern.startswith("!") or any(alone.finds(name, page.uri) for page in site.pages)):
                message = f"no page matches the pattern {pattern!r}"
                say(name, message, "patterns are seen from docs_dir, as in images/**/*.md", Level.WARNING)
        if patterns is not None or any(name in selection.matching(page.uri) for page in site.pages):
            continue
        problems.extend(pages_beside(site, name))
        likely = ((_likely_folder(name, page.uri), page.uri) for page in site.pages)
        folders = Counter(folder for folder, uri in likely if folder and not selection.matching(uri))
        for folder, count in folders.most_common(1):
            hint = f"rename it to {name}, or write `{name}: {{pages: {folder}/**/*.md}}` if those are items"
            beside = "/" not in folder and not any((site.root / file).exists() for file in data_names(name))
            level = Level.WARNING if beside and getattr(settings, name).data is None else Level.INFO
            say(name, f"no page is an item of {name}, but {folder} holds {count}", hint, level)


def _likely_folder(name: str, uri: str) -> str:
    """The folder of a page that is called like the collection; empty when none is."""
    folder = uri.rpartition("/")[0]
    while folder and folder.rpartition("/")[2].lower() not in (name, name.rstrip("s")):
        folder = folder.rpartition("/")[0]
    return folder


def check_unread_defaults(site: Site, raws: Iterable[RawItem], problems: Problems) -> None:
    """Name the `.meta.yml` files that lie about items when no plugin has read any."""
    pages = [raw.page for raw in raws if raw.page]
    if any(page.defaults or page.meta is not None for page in pages):
        return
    own = {PurePosixPath(folder) for folder in {page.uri.rpartition("/")[0] for page in pages}}
    folders = own.union(*(folder.parents for folder in own))
    unread = sorted(path for folder in folders if (path := site.docs_dir / folder / _META_FILE).is_file())
    if unread:
        name = unread[0].as_posix().removeprefix(f"{site.root.as_posix()}/")
        others = f", and {len(unread) - 1} more like it" if unread[1:] else ""
        message = f"nobody reads this file{others}: the plugin `meta` is not on"
        hint = "add it to `plugins` (it comes with Material), or set `defaults` of the collection"
        problems.add(Problem(name, 0, 0, "", message, hint, Level.WARNING, code=Code.IGNORED))


def check_emptiness(site: Site, problems: Problems, *collections: Sequence[object]) -> None:
    """Warn when there is nothing at all to publish."""
    if any(collections) or problems.count(Level.ERROR):
        return
    message = "the catalog has not a single item"
    docs = name_of(site.docs_dir, site.root)
    hint = f"add pages such as {docs}/images/nginx.md, or set `pages` or `data` of a collection"
    problems.add(site.config.problem((), message, hint, Level.WARNING, code=Code.NO_ITEMS))


def raw_items(
    fields: ItemFields[E],
    name: Resource,
    site: Site,
    settings: Settings,
    raws: Sequence[RawItem],
    problems: Problems,
) -> tuple[Sequence[RawItem], list[RawItem]]:
    """The pages and the entries of the data file, with the fields that they have under another key."""
    entries: list[RawItem] = []
    if path := data_file(site, (name, "data"), getattr(settings, name).data, name, problems):
        entries = read_list(path, name_of(path, site.root), name, problems)
    if fields.keys:
        return [with_mapped(raw, fields) for raw in raws], [with_mapped(raw, fields) for raw in entries]
    return raws, entries


def read_items(
    fields: ItemFields[E],
    name: Resource,
    site: Site,
    settings: Settings,
    raws: Sequence[RawItem],
    problems: Problems,
) -> list[tuple[E, RawItem]]:
    """The items of a collection from pages and data file, by slug, each with the place it came from."""
    section: CollectionSettings = getattr(settings, name)
    raws, entries = raw_items(fields, name, site, settings, raws, problems)
    if "page" not in section.fields:
        entries = _with_pages(entries, site, problems)
        raws = _not_pages_of(raws, entries, fields, problems)
        _suggest_pages(entries, name, site, settings, problems)
    raws = [*_not_named(raws, entries, fields, problems), *entries]
    problems.extend(_unused_keys(name, fields, raws, site))
    by_slug: dict[str, tuple[E, RawItem]] = {}
    without_image: list[RawItem] = []
    facts = FactsFolder(site, settings, name, problems)
    for raw in raws:
        values = default_values(raw, settings.registry or NO_REGISTRY, fields.model, section.defaults)
        if settings.registry is None and str(values.get("image", "")).startswith(f"{NO_REGISTRY}/"):
            without_image.append(raw)
        raw, values = facts.fill(raw, values, fields)
        entry = read_entry(fields, raw, values, problems)
        if entry is None:
            continue
        if section.verify is not None and getattr(entry, "verify", None) is None:
            entry = entry.model_copy(update={"verify": section.verify})
        problems.extend(filter(None, [raw.unreadable(), _missing_logo(entry, raw, site)]))
        if entry.slug in by_slug:
            other = by_slug[entry.slug][1]
            message = f"the slug {entry.slug!r} is taken by {other.place}"
            hint = "give one of them another `slug`"
            if other.page and not raw.page:
                hint = f"add `page: {other.page.uri}` to the entry, or {hint}"
            problems.add(raw.problem(("slug",), message, hint, code=Code.TWICE))
        else:
            by_slug[entry.slug] = entry, raw
    _note_registry(without_image, site, problems)
    _note_undeclared(name, fields, [raw for _, raw in by_slug.values()], site, problems)
    return [(entry, raw.emptied()) for _, (entry, raw) in sorted(by_slug.items())]


def _missing_logo(entry: ItemEntry, raw: RawItem, site: Site) -> Problem | None:
    """Why the logo of an item can't be published, if it is a file."""
    logo = getattr(entry, "logo", None)
    if logo is None or SCHEME.match(logo):
        return None
    path, docs = site.docs_dir / logo, name_of(site.docs_dir, site.root)
    if path.is_file() and not leads_out(path, [site.root, site.docs_dir]):
        return None
    message = (
        f"{docs}/{logo} is missing" if not path.exists() else f"{docs}/{logo} is not a file of the project"
    )
    return raw.problem(("logo",), message, "add the file, or correct the path", code=Code.MISSING_PATH)


def _unused_keys(
    name: Resource, fields: ItemFields[E], raws: Sequence[RawItem], site: Site
) -> Iterator[Problem]:
    """Warn of each key in `map` that no item has."""
    present = dict.fromkeys(str(key) for raw in raws for key in raw.values) if fields.keys else {}
    for field, key in fields.keys if raws else ():
        if key not in present:
            near = resembling(key, present)
            hint = f"did you mean `{near}`?" if near else "correct the key, or remove the entry"
            message = f"no item of {name} has the key {key!r}"
            yield site.config.problem((name, "map", field), message, hint, Level.WARNING, code=Code.SETTING)


def _with_pages(entries: Iterable[RawItem], site: Site, problems: Problems) -> list[RawItem]:
    """The entries of a data file with the pages that they name."""
    pages: Mapping[str, Page] = {}
    with_pages: list[RawItem] = []
    first: dict[str, str] = {}
    """Page → the entry that names it."""
    for raw in entries:
        if (named := raw.values.get("page")) is not None:
            pages = pages or {page.uri: page for page in site.pages}
            page = pages.get(named) if isinstance(named, str) else None
            if page is None:
                near = resembling(str(named), pages)
                message = f"{shown(named)} is no page of the site"
                hint = f"perhaps you mean {near!r}" if near else "write its path below docs_dir"
                problems.add(raw.problem(("page",), message, hint, code=Code.PAGE))
            elif first.setdefault(page.uri, raw.place) != raw.place:
                message = f"{page.uri!r} is the page of {first[page.uri]} already"
                hint = "leave it out: the collection's page then stands in"
                problems.add(raw.problem(("page",), message, hint, code=Code.PAGE))
            values = {key: value for key, value in raw.values.items() if key != "page"}
            raw = replace(raw, values=values, named=page)
        with_pages.append(raw)
    return with_pages


def _not_named(
    raws: Iterable[RawItem], entries: Iterable[RawItem], fields: ItemFields[E], problems: Problems
) -> list[RawItem]:
    """The pages that are items by themselves, rather than pages of what a data file holds."""
    named = {raw.named.uri: raw for raw in entries if raw.named}
    left = []
    for raw in raws:
        entry = named.get(raw.page.uri) if raw.page else None
        if entry is None:
            left.append(raw)
        elif doubled := sorted({*raw.values} & {*fields.names} - {"name", "description"}):
            message = (
                f"the item of this page stands in {entry.place}, so its own fields would count for nothing"
            )
            problems.add(raw.problem((doubled[0],), message, "keep the fields in one place", code=Code.TWICE))
    return left


def _not_pages_of(
    raws: Sequence[RawItem], entries: Iterable[RawItem], fields: ItemFields[E], problems: Problems
) -> list[RawItem]:
    """The pages but for those without a field that have the slug of an entry: it should name its page."""
    unnamed = {raw.slug: raw for raw in entries if not raw.named and "page" not in raw.values}
    items = []
    for raw in raws:
        entry = unnamed.get(str(raw.values.get("slug", raw.slug)))
        if raw.page is None or entry is None or {*raw.values} & {*fields.names} - {"name", "description"}:
            items.append(raw)
        else:
            message, hint = f"{raw.file} is an item of its own", f"add `page: {raw.page.uri}`"
            problems.add(entry.problem(("slug",), message, hint, code=Code.TWICE))
    return items


def _suggest_pages(
    entries: Iterable[RawItem], name: Resource, site: Site, settings: Settings, problems: Problems
) -> None:
    """Note the entries without a page that have the name of one page which belongs to no item."""
    unnamed = [raw for raw in entries if not raw.named]
    if not unnamed:
        return
    selection = page_selection(settings)
    by_slug: dict[str, list[Page]] = {}
    for page in site.pages:
        if not selection.matching(page.uri) and not selection.landing(name, page.uri):
            by_slug.setdefault(selection.slug(name, page.uri), []).append(page)
    for raw in unnamed:
        if len(pages := by_slug.get(raw.slug, [])) == 1:
            message, hint = (
                f"{pages[0].file} has its name",
                f"if that is its page, add `page: {pages[0].uri}`",
            )
            group = f"entries of {name} may have a page, which `page` would name"
            problems.add(raw.problem((), message, hint, Level.INFO, code=Code.PAGE, group=group))


def _note_registry(raws: Sequence[RawItem], site: Site, problems: Problems) -> None:
    """One error for all images that give no `image` where no registry makes one."""
    if len(raws) == 1:
        hint = "add `image: …`, or set `registry` in mkdocs.yml"
        problems.add(raws[0].problem(("image",), "required, but not given", hint, code=Code.MISSING_FIELD))
    elif raws:
        message = f"not set, so {len(raws)} images without `image` have no reference, first {raws[0].place}"
        hint = "set it, as in `registry: ghcr.io/acme`"
        problems.add(site.config.problem(("registry",), message, hint, code=Code.MISSING_FIELD))


def _note_undeclared(
    name: Resource, fields: ItemFields[E], raws: list[RawItem], site: Site, problems: Problems
) -> None:
    """One line for an author who forgot to declare a field."""
    counted = Counter(undeclared(fields, raws))
    if counted:
        keys = ", ".join(f"{key} ({count})" for key, count in sorted(counted.items()))
        message = f"keys that are no fields stay out of the API (with how many {name} have them): {keys}"
        hint = "declare those that belong in"
        problems.add(site.config.problem((name, "fields"), message, hint, Level.INFO, code=Code.IGNORED))


class WebPages:
    """Finds the web page of each item."""

    def __init__(self, site: Site, selection: PageSelection) -> None:
        self._landing: dict[str, str] = {}
        self._home: str | None = None
        for page in sorted(site.pages, key=lambda page: page.uri, reverse=True):
            if page.url in ("", "index.html"):
                self._home = page.url
            for name in selection.names():
                if selection.landing(name, page.uri):
                    self._landing[name] = page.url

    def of(self, raw: RawItem, collection: str, problems: Problems) -> WebPage:
        """The item's own page, else the landing page of its collection, else the home page."""
        if raw.own_page is not None:
            return WebPage(raw.own_page.url, own=True)
        url = self._landing.get(collection, self._home)
        if url is None:
            message = "the item has no page, and neither has its collection"
            hint = f"add a page {collection}/index.md or index.md"
            problems.add(raw.problem((), message, hint, code=Code.PAGE))
        return WebPage(url or "", own=False)
