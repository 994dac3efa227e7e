"""The first of the three calls: sources become a catalog, or problems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..authored import nvcmp
from ..authored.clock import latest, now, timestamp
from ..authored.data_files import read_list
from ..authored.folders import name_of
from ..authored.newest import newest_versions
from ..authored.pages import RawItem, select
from ..authored.settings import SECURITY_FOLDERS, Settings
from ..authored.site import Site
from ..authored.validate import read_entry
from ..catalog.freshness import warn_of_abandoned_systems, warn_of_doubtful_joins, warn_of_old_scans
from ..catalog.join import Catalog, Join, RoadmapItem
from ..catalog.models import ChartEntry, ImageEntry, RoadmapEntry, UpdateEntry
from ..catalog.vex_matching import Statements
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .read_items import (
    WebPages,
    check_emptiness,
    check_patterns,
    check_unread_defaults,
    data_file,
    page_selection,
    read_items,
)

if TYPE_CHECKING:
    from .reports.index import Reports


def read(site: Site, settings: Settings, problems: Problems) -> tuple[Catalog, Reports | None]:
    """Read everything. Problems are added, not raised; the catalog counts only if they don't refuse it.

    The reports are given back for reading their findings.
    """
    reports = _reports(site, settings, problems)
    selection = page_selection(settings)
    paged = select(site.pages, selection, problems)
    check_patterns(site, settings, selection, problems)
    check_unread_defaults(site, (raw for raws in paged.values() for raw in raws), problems)
    web = WebPages(site, selection)
    images = read_items(ImageEntry, "images", site, settings, paged.pop("images"), problems)
    charts = read_items(ChartEntry, "charts", site, settings, paged.pop("charts"), problems)
    roadmap = read_items(RoadmapEntry, "roadmap", site, settings, paged.pop("roadmap"), problems)
    whole = not problems.count(Level.ERROR)
    ordered = [newest_versions(entry, raw, problems) for entry, raw in images]
    listed: list[ImageEntry | ChartEntry] = [*(entry for entry, _ in images), *(entry for entry, _ in charts)]
    updates, statements = _updates(site, settings, listed, problems), _statements(site, settings, problems)
    check_emptiness(site, problems, images, charts, roadmap, updates)
    scans = reports.metadata(problems) if reports else []
    time, security = now(), settings.security
    join = Join(ordered, scans, security.scanners, timestamp(latest()), problems, security.accept)
    pages = {entry.slug: web.of(raw, "images", problems) for entry, raw in images}
    catalog_charts = tuple(
        join.chart(
            newest_versions(entry, raw, problems),
            web.of(raw, "charts", problems),
            partial(_at_pin, raw),
        )
        for entry, raw in charts
    )
    if whole:  # else the reports of what could not be read would look unmatched
        join.report_unmatched()
    joined = join.images(pages)
    warn_of_doubtful_joins(joined, problems)
    warn_of_abandoned_systems(joined, timestamp(time)[:10], problems)
    if security.max_age is not None:
        warn_of_old_scans(joined, security.max_age, time, problems)
    catalog = Catalog(
        images=joined,
        charts=catalog_charts,
        roadmap=tuple(
            RoadmapItem(entry, web.of(raw, "roadmap", problems) if raw.own_page else None)
            for entry, raw in roadmap
        ),
        updates=updates,
        statements=statements,
    )
    return catalog, reports


def load_charts(site: Site, settings: Settings, problems: Problems) -> list[tuple[ChartEntry, RawItem]]:
    """The charts alone, as `fetch` needs them, by slug, each with the place it came from."""
    raws = select(site.pages, page_selection(settings), problems)["charts"]
    return read_items(ChartEntry, "charts", site, settings, raws, problems)


def _at_pin(raw: RawItem, position: int) -> Problem:
    return raw.problem(("images", position), "", code=Code.PIN)


def _folder(
    site: Site, setting: Literal["reports", "vex"], settings: Settings, problems: Problems
) -> Path | None:
    """The folder that is set, or the default one if it is there."""
    configured: str | None = getattr(settings.security, setting)
    folder = site.root / (configured or SECURITY_FOLDERS[setting])
    if folder.is_dir() and not folder.resolve().is_relative_to(site.docs_dir.resolve()):
        return folder
    if folder.is_dir():
        message, hint = "the folder lies in docs_dir, so MkDocs would publish it", "move it beside mkdocs.yml"
    elif folder.exists():
        message, hint = f"{folder.name!r} is not a folder", "put the files into a folder of that name"
    else:
        message, hint = f"the folder {configured!r} is missing", "create it or correct the path"
    if configured or folder.exists():
        problems.add(site.config.problem(("security", setting), message, hint, code=Code.MISSING_PATH))
    return None


def _reports(site: Site, settings: Settings, problems: Problems) -> Reports | None:
    folder = _folder(site, "reports", settings, problems)
    if folder is None:
        return None
    from .reports.index import Reports  # only here, as a catalog without reports starts sooner without

    return Reports(folder, name_of(folder, site.root), site.root, settings.security.max_report_size)


def _statements(site: Site, settings: Settings, problems: Problems) -> Statements:
    folder = _folder(site, "vex", settings, problems)
    if folder is None:
        return Statements()
    from .reports.openvex import read_folder  # only here, likewise

    limit = settings.security.max_report_size
    return Statements(read_folder(folder, name_of(folder, site.root), site.root, problems, limit))


def _updates(
    site: Site, settings: Settings, listed: Sequence[ImageEntry | ChartEntry], problems: Problems
) -> tuple[UpdateEntry, ...]:
    section = settings.updates
    path = data_file(site, ("updates", "data"), section.data, "updates", problems)
    if path is None:
        return ()
    raws = read_list(path, name_of(path, site.root), "updates", problems)
    if nvcmp.is_nvcmp(raws):
        decided = data_file(site, ("updates", "decisions"), section.decisions, "decisions", problems)
        decisions = None
        if decided:
            decisions = nvcmp.read_decisions(decided, name_of(decided, site.root), problems)
        read = nvcmp.read_differences(raws, decisions, nvcmp.Listed(listed), problems)
    else:
        read = [(raw, entry) for raw in raws if (entry := _update(raw, problems))]
        if section.decisions:
            message = f"decisions are read beside the output of nvcmp, and {path.name} is none"
            hint = "write `outcome` there"
            problems.add(site.config.problem(("updates", "decisions"), message, hint, code=Code.SETTING))
    found: dict[tuple[str, str | None, str], UpdateEntry] = {}
    for raw, entry in read:
        identity = (entry.application, entry.from_, entry.to)
        if identity in found:
            message = f"the update of {entry.application!r} to {entry.to!r} stands here twice"
            problems.add(raw.problem((), message, "keep one of them", code=Code.TWICE))
        found[identity] = entry
    return tuple(found.values())


def _update(raw: RawItem, problems: Problems) -> UpdateEntry | None:
    values = {key: value for key, value in raw.values.items() if value is not None}
    return read_entry(UpdateEntry, raw, values, problems)
