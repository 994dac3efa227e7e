"""The first of the three calls: sources become a catalog, or problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from .authored import nvcmp
from .authored.data_files import read_list
from .authored.messages import perhaps
from .authored.pages import RawItem, Selection, select
from .authored.validate import default_values, read_entry, undeclared
from .catalog.fields import extend
from .catalog.freshness import warn_of_abandoned_systems, warn_of_old_scans
from .catalog.join import Catalog, Join, RoadmapItem, WebPage, in_order
from .catalog.models import ChartEntry, ImageEntry, ItemEntry, RoadmapEntry, UpdateEntry
from .catalog.vex_matching import Statements
from .clock import latest, now, timestamp
from .problems import Level, Problem, Problems
from .reports.index import Reports
from .reports.openvex import read_folder
from .settings import ITEM_MODELS, SECURITY_FOLDERS, CollectionSettings, Resource, Settings
from .site import Site

E = TypeVar("E", bound=ItemEntry)


def read(site: Site, settings: Settings, problems: Problems) -> tuple[Catalog, Reports | None]:
    """Read everything. Problems are added, not raised; the catalog counts only if they don't refuse it.

    The reports are given back for reading their findings.
    """
    reports = _reports(site, settings, problems)
    selection = _selection(settings)
    paged = select(site.pages, selection, problems)
    _check_patterns(site, settings, selection, problems)
    web = _WebPages(site, selection)
    images = _items(ImageEntry, "images", site, settings, paged.pop("images"), problems)
    charts = _items(ChartEntry, "charts", site, settings, paged.pop("charts"), problems)
    roadmap = _items(RoadmapEntry, "roadmap", site, settings, paged.pop("roadmap"), problems)
    whole = not problems.count(Level.ERROR)
    ordered = [_newest_first(entry, raw, problems) for entry, raw in images]
    listed: list[ImageEntry | ChartEntry] = [*(entry for entry, _ in images), *(entry for entry, _ in charts)]
    updates, statements = _updates(site, settings, listed, problems), _statements(site, settings, problems)
    scans = reports.metadata(problems) if reports else []
    time = now()
    join = Join(ordered, scans, settings.security.scanners, timestamp(latest()), problems)
    pages = {entry.slug: web.of(raw, "images", problems) for entry, raw in images}
    catalog_charts = tuple(
        join.chart(
            _newest_first(entry, raw, problems),
            web.of(raw, "charts", problems),
            partial(_at_pin, raw),
        )
        for entry, raw in charts
    )
    if whole:  # else the reports of what could not be read would look like strays
        join.report_strays()
    joined = join.images(pages)
    warn_of_abandoned_systems(joined, timestamp(time)[:10], problems)
    if settings.security.max_age is not None:
        warn_of_old_scans(joined, settings.security.max_age, time, problems)
    catalog = Catalog(
        images=joined,
        charts=catalog_charts,
        roadmap=tuple(
            RoadmapItem(entry, WebPage(raw.page.url, own=True) if raw.page else None)
            for entry, raw in roadmap
        ),
        updates=updates,
        statements=statements,
    )
    return catalog, reports


def load_charts(site: Site, settings: Settings, problems: Problems) -> list[tuple[ChartEntry, RawItem]]:
    """The charts alone, as `fetch` needs them, by slug, each with the place it came from."""
    raws = select(site.pages, _selection(settings), problems)["charts"]
    return _items(ChartEntry, "charts", site, settings, raws, problems)


def _selection(settings: Settings) -> Selection:
    return Selection({name: _section(settings, name).pages or f"{name}/**/*.md" for name in ITEM_MODELS})


def _section(settings: Settings, resource: Resource) -> CollectionSettings:
    section: CollectionSettings = getattr(settings, resource)
    return section


def _data_file(
    site: Site, setting: tuple[str, str], given: str | None, default: str, problems: Problems
) -> Path | None:
    """The data file that is set, or the default one if it is there."""
    path = site.root / (given or default)
    if path.is_file():
        return path
    if path.exists():
        message = f"{given or default!r} is not a file"
        problems.add(site.config.problem(setting, message, "put the data into a file of that name"))
    elif given:
        message = f"the data file {given!r} is missing"
        problems.add(site.config.problem(setting, message, "create it or correct the path"))
    return None


def _check_patterns(site: Site, settings: Settings, selection: Selection, problems: Problems) -> None:
    """A pattern that is set means that there are pages; that it finds none is a slip."""
    for name in ITEM_MODELS:
        given = _section(settings, name).pages
        if given and not any(selection.finds(name, page.uri) for page in site.pages):
            message = f"no page matches the pattern {given!r}"
            hint = "patterns are seen from docs_dir, as in images/**/*.md"
            problems.add(site.config.problem((name, "pages"), message, hint, Level.WARNING))


def _items(
    base: type[E], name: Resource, site: Site, settings: Settings, raws: list[RawItem], problems: Problems
) -> list[tuple[E, RawItem]]:
    """The items of a collection from pages and data file, by slug."""
    section = _section(settings, name)
    model = extend(base, section.fields, section.vocabulary)
    if path := _data_file(site, (name, "data"), section.data, f"{name}.yml", problems):
        raws = raws + read_list(path, path.relative_to(site.root).as_posix(), name, problems)
    found: dict[str, tuple[E, RawItem]] = {}
    for raw in raws:
        entry = read_entry(model, raw, default_values(raw, settings.registry, model), problems)
        if entry is None:
            continue
        if entry.slug in found:
            other = found[entry.slug][1].place
            message = f"the slug {entry.slug!r} is taken by {other}"
            problems.add(raw.problem(("slug",), message, "give one of them another `slug`"))
        else:
            found[entry.slug] = entry, raw
    _note_undeclared(name, model, [raw for _, raw in found.values()], site, problems)
    return [(entry, raw.emptied()) for _, (entry, raw) in sorted(found.items())]


def _note_undeclared(
    name: Resource, model: type[ItemEntry], raws: list[RawItem], site: Site, problems: Problems
) -> None:
    """One line for an author who forgot to declare a field."""
    counted = Counter(key for raw in raws for key in undeclared(model, raw))
    if counted:
        keys = ", ".join(f"{key} ({count})" for key, count in sorted(counted.items()))
        message = (
            f"keys that are no fields stay out of the API (with the number of {name} that have them): {keys}"
        )
        problems.add(
            site.config.problem((name, "fields"), message, "declare those that belong in", Level.INFO)
        )


def _at_pin(raw: RawItem, position: int) -> Problem:
    return raw.problem(("images", position), "")


V = TypeVar("V", ImageEntry, ChartEntry)


def _newest_first(entry: V, raw: RawItem, problems: Problems) -> V:
    """The entry with its versions newest first and `latest` filled in."""
    by_label: dict[str, int] = {}
    folded: dict[str, str] = {}
    for position, version in enumerate(entry.versions):
        label = version.version
        if label.casefold() in folded:
            message = f"the version {label!r} stands here twice"
            if folded[label.casefold()] != label:
                message = f"{label!r} and {folded[label.casefold()]!r} differ only in case"
            problems.add(raw.problem(("versions", position), message, "keep one of them"))
        folded[label.casefold()] = label
        by_label[label] = position
    if entry.latest is not None and entry.latest not in by_label:
        message = f"no version is called {entry.latest!r}"
        hint = perhaps(entry.latest, [*by_label], "it has") if by_label else "list it under `versions`"
        problems.add(raw.problem(("latest",), message, hint))
        return entry
    labels = in_order(by_label, entry.latest)
    versions = [entry.versions[by_label[label]] for label in labels]
    return entry.model_copy(update={"versions": versions, "latest": labels[0] if labels else None})


def _folder(
    site: Site, setting: Literal["reports", "vex"], settings: Settings, problems: Problems
) -> Path | None:
    """The folder that is set, or the default one if it is there."""
    given: str | None = getattr(settings.security, setting)
    folder = site.root / (given or SECURITY_FOLDERS[setting])
    if folder.is_dir() and not folder.resolve().is_relative_to(site.docs_dir.resolve()):
        return folder
    if folder.is_dir():
        message, hint = "the folder lies in docs_dir, so MkDocs would publish it", "move it beside mkdocs.yml"
    elif folder.exists():
        message, hint = f"{folder.name!r} is not a folder", "put the files into a folder of that name"
    else:
        message, hint = f"the folder {given!r} is missing", "create it or correct the path"
    if given or folder.exists():
        problems.add(site.config.problem(("security", setting), message, hint))
    return None


def _reports(site: Site, settings: Settings, problems: Problems) -> Reports | None:
    folder = _folder(site, "reports", settings, problems)
    return Reports(folder, _label(folder, site), site.root) if folder else None


def _statements(site: Site, settings: Settings, problems: Problems) -> Statements:
    folder = _folder(site, "vex", settings, problems)
    return Statements(read_folder(folder, _label(folder, site), site.root, problems) if folder else ())


def _label(folder: Path, site: Site) -> str:
    """How problems name a folder."""
    return folder.relative_to(site.root).as_posix()


def _updates(
    site: Site, settings: Settings, listed: Sequence[ImageEntry | ChartEntry], problems: Problems
) -> tuple[UpdateEntry, ...]:
    given = settings.updates
    path = _data_file(site, ("updates", "data"), given.data, "updates.yml", problems)
    if path is None:
        return ()
    raws = read_list(path, path.relative_to(site.root).as_posix(), "updates", problems)
    if nvcmp.is_nvcmp(raws):
        decided = _data_file(site, ("updates", "decisions"), given.decisions, "decisions.yml", problems)
        file = decided.relative_to(site.root).as_posix() if decided else ""
        decisions = nvcmp.read_decisions(decided, file, problems) if decided else None
        read = nvcmp.read_differences(raws, decisions, nvcmp.Listed(listed), problems)
    else:
        read = [(raw, entry) for raw in raws if (entry := _update(raw, problems))]
        if given.decisions:
            message = f"decisions are read beside the output of nvcmp, and {path.name} is none"
            problems.add(site.config.problem(("updates", "decisions"), message, "write `outcome` there"))
    found: dict[tuple[str, str | None, str], UpdateEntry] = {}
    for raw, entry in read:
        identity = (entry.application, entry.from_, entry.to)
        if identity in found:
            message = f"the update of {entry.application!r} to {entry.to!r} stands here twice"
            problems.add(raw.problem((), message, "keep one of them"))
        found[identity] = entry
    return tuple(found.values())


def _update(raw: RawItem, problems: Problems) -> UpdateEntry | None:
    values = {key: value for key, value in raw.values.items() if value is not None}
    return read_entry(UpdateEntry, raw, values, problems)


class _WebPages:
    """Finds the web page of each item."""

    def __init__(self, site: Site, selection: Selection) -> None:
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
        if raw.page is not None:
            return WebPage(raw.page.url, own=True)
        url = self._landing.get(collection, self._home)
        if url is None:
            message = "the item has no page, and neither has its collection"
            problems.add(raw.problem((), message, f"add a page {collection}/index.md or index.md"))
        return WebPage(url or "", own=False)
