"""The whole job in three calls: load the catalog, compose its documents, publish them.

Used by the MkDocs plugin and by the command line alike; nothing here knows MkDocs.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath

from . import clock
from .api import addresses, badges
from .api.badges import Look
from .authored.logos import read_logo
from .authored.messages import perhaps
from .catalog.join import Catalog
from .parallel import drop_all
from .problems import CatalogError, Level, Problem, Problems
from .publish import feeds
from .publish.earlier import Stamp
from .publish.host_headers import HeaderFile
from .publish.site_files import put, refuse_links
from .publish.staging import Staging
from .publish.swap import publish
from .read import load
from .settings import SECURITY_FOLDERS, Settings
from .site import Site
from .sources.cache import Cache
from .sources.store import Store
from .web.view import CatalogView
from .write import Composition, compose

_SIMPLE_ICON = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Build:
    """A catalog whose documents wait in staging."""

    site: Site
    staging: Staging
    documents: int
    """How many there are."""
    size: int
    """Bytes of all of them."""
    pages: Mapping[str, tuple[str, str]]
    """Address of each item's own page → its collection and slug."""
    problems: Problems
    """What did not refuse the catalog: warnings and notes."""
    header_file: HeaderFile | None
    """What the site's host has to be told."""
    images: Mapping[str, str]
    """Slug → a hash of all that the image's documents are made of; empty where nothing is kept."""
    feeds: dict[str, bytes]
    """Path in the site → the feed."""

    def publish(
        self, *, keep: bool = False, replace: bool = False, stamps: Mapping[str, Stamp] | None = None
    ) -> None:
        """Move documents, feeds and the host's header file into the site. With `keep` it can be done again.

        `replace` and `stamps` as in `swap.publish`.

        Raises:
            CatalogError: a file that is not ours, or a link, stands where one of ours would land, or the
                author's header file can't be merged with ours.
        """
        file, site_dir = self.header_file, self.site.site_dir
        try:
            header = b""
            if file:
                header = file.merged(site_dir, self.site.root)
                problems = Problems()
                refuse_links(site_dir, file.name, problems)
                if list(problems):
                    raise CatalogError(problems)
            feeds.write(self.feeds, site_dir, self.staging.folder)
            publish(self.staging, site_dir, keep=keep, replace=replace, stamps=stamps)
            if file:
                put(site_dir, file.name, header, self.staging.folder)
        finally:
            if not keep:
                self.staging.remove()


def _say_nothing(_stage: str) -> None:
    """For who does not ask what is being done."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Nearly nothing here is cyclic, but the collector would look through all of it again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@uncollected()
def prepare(
    site: Site,
    settings: Settings,
    problems: Problems,
    *,
    strict: bool,
    cached: bool = True,
    progress: Callable[[str], None] = _say_nothing,
    staging: Staging | None = None,
) -> Build:
    """Load and compose: every document rendered and checked in staging, nothing published.

    With `cached`, reports that an earlier build has parsed are not parsed again. `progress` is told what
    is being done. `staging` is for who has to know it beforehand.

    Raises:
        CatalogError: the catalog is refused; nothing is left behind.
        ContractError: a document breaks the contract (a bug of the plugin).
        OSError: the disk is full …
    """
    if site.site_url is None:
        message = "site_url is not set, so all links of the API begin at the host's root"
        problems.add(Problem(site.config.name, 0, 0, "site_url", message, level=Level.INFO))
    clock.check(problems)
    staging = staging or Staging(site.site_dir)
    store = Store(staging.folder)
    try:
        progress(f"reading {len(site.pages):,} pages and the reports")
        catalog = load(site, settings, store, problems, cached=cached)
        looks = _looks(site, settings, catalog, problems)
        file = HeaderFile(settings.headers, addresses.mount_path(site.site_url)) if settings.headers else None
        if file:
            # MkDocs copies the author's file from docs_dir; without MkDocs it is in the site already.
            own = site.docs_dir if (site.docs_dir / file.name).exists() else site.site_dir
            try:
                file.merged(own, site.root)
            except CatalogError as error:
                problems.extend(error.problems)
        if settings.feeds:
            feeds.check(site, problems)
        if problems.refuse(strict=strict):
            raise CatalogError(problems)
        given = Composition(
            settings=settings,
            looks=looks,
            mount=addresses.mount_path(site.site_url),
            title=site.title,
            generated_at=clock.timestamp(clock.now()),
            folder=staging.documents,
            reports=site.root / (settings.security.reports or SECURITY_FOLDERS["reports"]),
            store=store,
            cache=Cache("images", site.origin, lambda about: about) if cached else None,
            problems=problems,
        )
        progress(f"writing the documents of {len(catalog.images):,} images")
        written, images = compose(catalog, given)
        paths = (document.path for document in written)
        problems.extend(_lands_on(_taken(paths, site.taken), site.taken))
        if problems.refuse(strict=strict):
            raise CatalogError(problems)
        made: dict[str, bytes] = {}
        if settings.feeds and site.site_url:
            made = feeds.feeds(CatalogView(staging.documents, given.mount), site.title, site.site_url)
    except BaseException:
        drop_all()
        staging.remove()
        raise
    finally:
        store.close()
    size, pages = sum(document.bytes for document in written), dict(_own_pages(catalog))
    return Build(site, staging, len(written), size, pages, problems, file, images, made)


def _own_pages(catalog: Catalog) -> Iterator[tuple[str, tuple[str, str]]]:
    for resource in ("images", "charts", "roadmap"):
        for item in getattr(catalog, resource):
            if item.page is not None and item.page.own:
                yield item.page.url, (resource, item.entry.slug)


def _lands_on(paths: set[str], files: Mapping[str, str]) -> Problems:
    problems = Problems()
    for path in paths:
        target = f"{addresses.PREFIX}/{path}"
        message = f"a document of the API would land on {target}, which this file becomes"
        problems.add(Problem(files.get(path, target), 0, 0, "", message, "move or rename the file"))
    return problems


def _taken(documents: Iterable[str], taken: Collection[str]) -> set[str]:
    """The files that stand where documents, or the folders of documents, go; also when case is ignored.

    The last matters on the file systems of Windows and macOS.
    """
    if not taken:
        return set()
    ours = {path.casefold() for path in documents}
    folders = {str(parent) for path in ours for parent in PurePosixPath(path).parents}
    found = set()
    for path in taken:
        folded = path.casefold()
        above = {str(parent) for parent in PurePosixPath(folded).parents}
        if folded in ours or folded in folders or ours & above:
            found.add(path)
    return found


def _looks(site: Site, settings: Settings, catalog: Catalog, problems: Problems) -> dict[str, Look]:
    """The look of each badge that the settings name, its logo read from its file."""
    names = set(badges.FIXED)
    for name, value, kind in badges.value_names(catalog):
        if name in names:
            message = f"the {kind} {value!r} would take the badge name {name!r} of another value"
            problems.add(Problem("", 0, 0, kind, message, "write both alike, or one of them another way"))
        names.add(name)
    looks: dict[str, Look] = {}
    for name, given in settings.badges.items():
        if name not in names:
            hint = perhaps(name, sorted(names), "the badges are")
            message = f"no badge is called {name!r}"
            problems.add(site.config.problem(("badges", name), message, hint, Level.WARNING))
        svg, logo = None, given.logo
        if logo is not None and not _SIMPLE_ICON.fullmatch(logo):
            svg, logo = _svg(site, name, logo, problems), None
        looks[name] = Look(given.label, given.color, given.label_color, logo, svg, given.logo_color)
    return looks


def _svg(site: Site, name: str, logo: str, problems: Problems) -> str | None:
    """The content of a logo's file below docs_dir."""
    message = f"{logo!r} is neither a simple-icons slug nor an SVG file below docs_dir"
    hint = "as in assets/wolfi.svg"
    try:
        path = (site.docs_dir / logo).resolve()
        if path.suffix == ".svg" and path.is_relative_to(site.docs_dir.resolve()) and path.is_file():
            hint = "save it as a plain SVG of one picture"
            return read_logo(path)
    except OSError as error:
        message = f"{logo!r} can't be read: {error.strerror}"
    except ValueError as why:
        if "\0" not in logo:
            message = f"{logo!r} {why}"
    problems.add(site.config.problem(("badges", name, "logo"), message, hint))
    return None


__all__ = ["Build", "Site", "prepare"]
