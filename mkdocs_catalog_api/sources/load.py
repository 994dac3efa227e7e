"""Reads pages, data files, reports, statements, advisories and recorded days."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from ..authored.folders import is_within, name_of, not_followed
from ..authored.front_matter import RawItem, note_ordinary, select
from ..authored.read_items import (
    CollectionReader,
    WebPages,
    check_emptiness,
    check_patterns,
    data_entries,
    page_selection,
)
from ..authored.registry_files import FactsFolder
from ..authored.settings import (
    SECURITY_FOLDERS,
    Settings,
    check_words,
    item_fields,
)
from ..authored.site import Site
from ..authored.validate import read_entry
from ..catalog.recorded import History
from ..catalog.scans import Scan
from ..catalog.statements import Statement
from ..history.days import history_folder
from ..items.collections import ITEM_MODELS, PINNING, WITH_DOCUMENTS
from ..items.fields import ItemFields
from ..items.lines import Cycle
from ..items.models import ChartEntry, ImageEntry, ListedEntry, PinningEntry, RoadmapEntry, UpdateEntry
from ..items.names import Reference
from ..items.registry_facts import RegistryFacts
from ..items.types import product_name
from ..problems import CatalogError, Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from .advisories import read_cycles, read_exploited


class Sources(Struct, frozen=True):
    """All sources of a catalog, as read."""

    fields: Mapping[str, ItemFields[Any]]
    """Collection → the fields of its items."""
    images: Sequence[tuple[ImageEntry, RawItem]]
    """By slug, each with its source. The same applies to the others."""
    pinning: Sequence[tuple[str, PinningEntry, RawItem]]
    """The items that pin images, each with its collection."""
    roadmap: Sequence[tuple[RoadmapEntry, RawItem]]
    updates: tuple[UpdateEntry, ...]
    pages: WebPages
    scans: tuple[Scan, ...]
    """The scans of all reports, in the order of paths."""
    sboms: tuple[Scan, ...]
    """In the same form, and in no count."""
    statements: tuple[Statement, ...]
    facts: Mapping[str, RegistryFacts]
    """Slug → what `sync` knows of the image, also of images that left the catalog."""
    cycles: Mapping[str, Sequence[Cycle]]
    """Product → its release cycles."""
    exploited: Mapping[str, str] | None
    """CVE id → date since when it is known to be exploited; None without the list."""
    history: History | None
    """None if no day is recorded."""
    complete: bool
    """Whether all items are valid. If not, reports of invalid items would appear unmatched."""
    left_out: Mapping[str, str] = {}
    """Name → file of each page in the folder of images that is no item."""


def load(
    site: Site, settings: Settings, problems: Problems, *, past: History | UnsetType | None = UNSET
) -> Sources:
    """Read all sources. Problems are added, not raised; do not use the sources if there are errors.

    `past` is the history if the caller has read it.
    """
    if scanners := settings.security.scanners:
        from .reports.formats import SCANNERS  # catalogs without reports start faster without it

        problems.extend(check_words(("security", "scanners"), scanners, [*SCANNERS], site.config))
    reports = _reports(site, settings, problems)
    selection = page_selection(settings)
    paged, ordinary = select(site.pages, selection, problems)
    check_patterns(site, settings, selection, problems)
    fields = item_fields(settings)
    read = {
        name: CollectionReader(fields[name], name, site, settings, problems).items(paged.pop(name))
        for name in ITEM_MODELS
    }
    complete = not problems.count(Level.ERROR)
    listed = [entry for name in WITH_DOCUMENTS for entry, _ in read[name]]
    named = {raw.named.uri for items in read.values() for _, raw in items if raw.named}
    note_ordinary([raw for raw in ordinary if raw.page and raw.page.uri not in named], selection, problems)
    updates = _updates(site, settings, problems)
    check_emptiness(site, problems, *read.values(), updates)
    images = read["images"]
    return Sources(
        fields,
        images,
        [(name, *item) for name in PINNING for item in read[name]],
        read["roadmap"],
        updates,
        WebPages(site, settings, selection),
        tuple(report for report in reports if not report.is_sbom),
        tuple(report for report in reports if report.is_sbom),
        _statements(site, settings, _repositories(listed), problems),
        _facts(site, settings, images, problems),
        read_cycles(site, images, problems),
        read_exploited(site, settings.security.max_report_size, problems),
        _history(site, problems) if past is UNSET else past,
        complete,
        _left_out(site, {entry.slug for entry, _ in images}) if reports else {},
    )


def _left_out(site: Site, slugs: Set[str]) -> dict[str, str]:
    """Return name → file of each page below `images/` that is none of the items `slugs`."""
    pages = sorted((site.docs_dir / "images").rglob("*.md"))
    return {page.stem: name_of(page, site.root) for page in pages if page.stem not in slugs}


def _facts(
    site: Site, settings: Settings, images: Sequence[tuple[ImageEntry, RawItem]], problems: Problems
) -> dict[str, RegistryFacts]:
    facts = {entry.slug: raw.registry.facts for entry, raw in images if raw.registry}
    listed = {entry.slug for entry, _ in images}
    return facts | dict(FactsFolder(site, settings, "images", problems).others(listed))


def load_charts(site: Site, settings: Settings, problems: Problems) -> list[tuple[ChartEntry, RawItem]]:
    """Return only the charts, for `sync hub`, by slug, each with its source."""
    raws = select(site.pages, page_selection(settings), problems)[0]["charts"]
    fields = settings.charts.item_fields(ChartEntry)
    return CollectionReader(fields, "charts", site, settings, problems).items(raws)


def load_values(
    site: Site, settings: Settings, name: str, problems: Problems
) -> list[tuple[RawItem, dict[str, object]]]:
    """Return the values of each item with defaults, for `sync`. They are not validated."""
    section, model = getattr(settings, name), ITEM_MODELS[name]
    paged = select(site.pages, page_selection(settings), problems)[0][name]
    return [*CollectionReader(section.item_fields(model), name, site, settings, problems).values(paged)]


def load_products(site: Site, settings: Settings, problems: Problems) -> dict[str, list[RawItem]]:
    """Return product → the images with this product. Other fields of the images may be invalid."""
    products: dict[str, list[RawItem]] = {}
    for raw, values in load_values(site, settings, "images", problems):
        if (product := values.get("product")) is None:
            continue
        try:
            products.setdefault(product_name(str(product)), []).append(raw)
        except RefusedError as error:
            problems.add(raw.problem(("product",), error.message, error.hint, code=Code.WRONG_VALUE))
    return products


def _folder(
    site: Site, setting: Literal["reports", "vex"], settings: Settings, problems: Problems
) -> Path | None:
    """Return the folder in the settings, or the default folder if it exists.

    Adds a warning for files in the folder with this name in docs_dir, which are published and not read.
    """
    configured: str | None = getattr(settings.security, setting)
    name = configured or SECURITY_FOLDERS[setting]
    folder, published = site.root / name, site.docs_dir / name
    if any(published.rglob("*.json")):
        message = f"{name_of(published, site.root)} is published as it is, and not read"
        hint = "move it next to mkdocs.yml, or set another folder here"
        path = "security", setting
        problems.add(site.config.problem(path, message, hint, Level.WARNING, code=Code.MISSING_PATH))
    if warning := not_followed(folder, site.root):
        problems.add(warning)
        return None
    if folder.is_dir() and not is_within(folder, site.docs_dir):
        return folder
    if folder.is_dir():
        message, hint = "the folder is in docs_dir, so MkDocs would publish it", "move it next to mkdocs.yml"
    else:
        message, hint = f"{name!r} is not a folder", "create it or correct the path"
    if configured or os.path.lexists(folder):
        problems.add(site.config.problem(("security", setting), message, hint, code=Code.MISSING_PATH))
    return None


def _reports(site: Site, settings: Settings, problems: Problems) -> Sequence[Scan]:
    folder = _folder(site, "reports", settings, problems)
    if folder is None:
        problems.extend(_folder_of_another_name(site))
        return ()
    from .reports.read_reports import read_reports  # for the same reason

    limit = settings.security.max_report_size
    lists = settings.has_lookup("packages") or settings.has_lookup("sbom")
    return read_reports(folder, name_of(folder, site.root), problems, limit, lists=lists)


def _folder_of_another_name(site: Site) -> Iterator[Problem]:
    """Warn of a folder that looks like the one of reports, where there is none."""
    default = SECURITY_FOLDERS["reports"]
    for name in ("scan", "reports", "report", "trivy", "grype"):
        if any((site.root / name).glob("**/*.json")):
            message = f"not read: reports are expected in {default}/"
            hint = f"rename it to {default}, or set `security: {{reports: {name}}}`"
            yield Problem(name, 0, 0, "", message, hint, Level.WARNING, code=Code.MISSING_PATH)


def _repositories(listed: Iterable[ListedEntry]) -> dict[str, list[str]]:
    """Return image name → the repositories with this image, first those of pages, then those of pins."""
    references = [entry.image for entry in listed if isinstance(entry, ImageEntry) and entry.image]
    references += [pin.image for entry in listed if isinstance(entry, PinningEntry) for pin in entry.images]
    by_name: dict[str, list[str]] = defaultdict(list)
    for repository in dict.fromkeys(Reference.parse(reference).repository for reference in references):
        by_name[repository.rpartition("/")[2]].append(repository)
    return by_name


def _statements(
    site: Site, settings: Settings, repositories: Mapping[str, Sequence[str]], problems: Problems
) -> tuple[Statement, ...]:
    folder = _folder(site, "vex", settings, problems)
    if folder is None:
        return ()
    from .reports.openvex import read_folder  # for the same reason

    limit = settings.security.max_report_size
    return tuple(read_folder(folder, name_of(folder, site.root), problems, repositories, limit))


def _history(site: Site, problems: Problems) -> History | None:
    folder = history_folder(site, problems, to_write=False)
    if folder is None:
        return None
    from ..history.past import read_history  # for the same reason

    try:
        return read_history(folder, problems)
    except CatalogError as error:
        problems.extend(error.problems)
        return None


def _updates(site: Site, settings: Settings, problems: Problems) -> tuple[UpdateEntry, ...]:
    updates: dict[tuple[str, str | None, str], UpdateEntry] = {}
    for raw in data_entries(site, settings, "updates", problems):
        values = {key: value for key, value in raw.values.items() if value is not None}
        entry = read_entry(ItemFields(UpdateEntry), raw, values, problems)
        if entry is None:
            continue
        if updates.setdefault((entry.application, entry.from_, entry.to), entry) is not entry:
            message = f"the update of {entry.application!r} to {entry.to!r} is listed twice"
            problems.add(raw.problem((), message, "remove one of them", code=Code.TWICE))
    return tuple(updates.values())
