"""The one pass: read the catalog, write its documents into staging, publish them.

Used by the MkDocs plugin and by the command line alike; nothing here knows MkDocs.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from msgspec import Struct

from .authored import clock
from .authored.settings import Settings
from .authored.site import Site
from .catalog import addresses
from .documents import vex
from .documents.write import Contents, Context, write
from .documents.write_items import ItemDocuments
from .history.configured import history_folder
from .problems import CatalogError, Level, Problem, Problems
from .problems.codes import Code
from .publish import feeds, well_known
from .publish.earlier import Stamp
from .publish.file_limits import note_number
from .publish.history_feeds import News
from .publish.host_headers import HeaderFile
from .publish.occupied import refuse_occupied
from .publish.site_files import put, refuse_links
from .publish.staging import Staging, save
from .publish.swap import publish
from .sources.advisories.configured import read_advisories
from .sources.badge_styles import read_badge_styles
from .sources.read import read


class Build(Struct, frozen=True):
    """A catalog whose documents wait in staging."""

    site: Site
    staging: Staging | None
    """None when the catalog was only checked."""
    contents: Contents
    problems: Problems
    """What did not refuse the catalog: warnings and notes."""
    header_file: HeaderFile | None
    """What the site's host has to be told."""
    feeds: dict[str, bytes]
    """Path in the site → the feed."""
    vex_repository: dict[str, bytes]
    """Likewise what tells scanners where the author's statements are, when they are published."""

    @property
    def documents(self) -> int:
        """How many there are."""
        return len(self.contents.written)

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(document.bytes for document in self.contents.written.values())

    def drop(self) -> None:
        """Remove what waits in staging."""
        if self.staging:
            self.staging.remove()

    def publish(
        self, *, keep: bool = False, replace: bool = False, stamps: Mapping[str, Stamp] | None = None
    ) -> None:
        """Move documents, feeds and the host's header file into the site. With `keep` it can be done again.

        `replace` and `stamps` as in `swap.publish`.

        Raises:
            CatalogError: a file that is not ours, or a link, stands where one of ours would land, or the
                author's header file can't be merged with ours.
        """
        file, site_dir, staging = self.header_file, self.site.site_dir, self.staging
        assert staging is not None  # noqa: S101  # nobody publishes what was only checked
        try:
            header = b""
            if file:
                header = file.merged(site_dir, self.site.root)
                problems = Problems()
                refuse_links(site_dir, file.name, problems)
                if list(problems):
                    raise CatalogError(problems)
            feeds.FILES.write(self.feeds, self.site, site_dir, staging.folder)
            well_known.FILES.write(self.vex_repository, self.site, site_dir, staging.folder)
            publish(staging, site_dir, keep=keep, replace=replace, stamps=stamps)
            if file:
                put(site_dir, file.name, header, staging.folder)
        finally:
            if not keep:
                staging.remove()


def _ignore(_: object) -> None:
    """For who does not ask what is being done."""


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Nearly nothing here is cyclic, but the collector would look through all of it again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@without_garbage_collection()
def prepare(
    site: Site,
    settings: Settings,
    problems: Problems,
    *,
    strict: bool,
    check_only: bool = False,
    progress: Callable[[str], None] = _ignore,
    on_item: Callable[[ItemDocuments], None] = _ignore,
    history: bool = True,
) -> Build:
    """Read and write: every document made and checked, in staging, and nothing published.

    With `check_only` nothing is written to any disk. `progress` is told what is being done, `on_item` is
    shown the documents of each item. Without `history`, the recorded days are left alone.

    Raises:
        CatalogError: the catalog is refused; nothing is left behind.
        ContractError: a document breaks the contract (a bug of the plugin).
        OSError: the disk is full …
    """
    # First of all, as it puts back an API that a killed build was replacing.
    staging = None if check_only else Staging(site.site_dir)
    try:
        return _prepare(site, settings, problems, staging, strict, progress, on_item, history=history)
    except BaseException:
        if staging:
            staging.remove()
        raise


def _prepare(
    site: Site,
    settings: Settings,
    problems: Problems,
    staging: Staging | None,
    strict: bool,
    progress: Callable[[str], None],
    on_item: Callable[[ItemDocuments], None],
    *,
    history: bool,
) -> Build:
    if site.site_url is None:
        message = "site_url is not set, so all links of the API begin at the host's root"
        problems.add(
            Problem(site.config.name, 0, 0, "site_url", message, level=Level.INFO, code=Code.SITE_URL)
        )
    clock.check(problems)
    progress(f"reading {len(site.pages):,} pages and the reports")
    catalog, reports = read(site, settings, problems)
    advisories = read_advisories(site, settings, problems)
    exploited = advisories.exploited is not None
    styles = read_badge_styles(site, settings, catalog, problems, exploited=exploited)
    file = HeaderFile(settings.headers, addresses.mount_path(site.site_url)) if settings.headers else None
    if file:
        # MkDocs copies the author's file from docs_dir; without MkDocs it is in the site already.
        own = site.docs_dir if (site.docs_dir / file.name).exists() else site.site_dir
        try:
            file.merged(own, site.root)
        except CatalogError as error:
            problems.extend(error.problems)
    if settings.feeds:
        feeds.check_address(site, problems)
    if settings.security.publish_vex:
        well_known.check(site, problems)
    past = history_folder(site, settings, problems, to_write=False) if history else None
    if problems.refuse(strict=strict):
        raise CatalogError(problems)
    news = News()
    progress(f"writing the documents of {len(catalog.images):,} images")
    context = Context(
        settings=settings,
        styles=styles,
        mount=addresses.mount_path(site.site_url),
        title=site.title,
        site_url=site.site_url,
        advisories=advisories,
        generated_at=clock.timestamp(clock.now()),
        read=reports.findings if reports else lambda _: [],
        save=partial(save, staging.documents) if staging else lambda *_: None,
        problems=problems,
        on_item=on_item,
        history=past,
        on_day=news.add if settings.feeds else _ignore,
    )
    try:
        contents = write(catalog, context)
    except CatalogError as error:
        problems.extend(error.problems)
        raise CatalogError(problems) from None
    note_number(contents.written.values(), site.config, problems)
    refuse_occupied(contents.written, site.occupied_paths, problems)
    made: dict[str, bytes] = {}
    if settings.feeds and site.site_url:
        made = feeds.feeds(contents.items, news if contents.history else None, site.title, site.site_url)
        feeds.FILES.check(made, site, problems)
    known: dict[str, bytes] = {}
    if settings.security.publish_vex and site.site_url:
        known = well_known.vex_repository(site.title, vex.repository(site.site_url))
    if problems.refuse(strict=strict):
        raise CatalogError(problems)
    return Build(site, staging, contents, problems, file, made, known)
