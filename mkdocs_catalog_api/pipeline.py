"""Read the catalog, write its documents to staging, and publish them.

Both the MkDocs plugin and the command line use this module; it does not depend on MkDocs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from .authored import clock
from .authored.kept import KEPT
from .authored.settings import Settings, check_words
from .authored.site import Site
from .catalog.value import Catalog
from .documents import vex
from .documents.discovery import ManifestEntry
from .documents.publication import Encoded, publication
from .documents.table import LOOKUP_NAMES
from .items.links import site_address_fault
from .problems import CatalogError, Level, Problem, Problems
from .problems.codes import Code
from .publish import feeds
from .publish.hosts import HeaderFile, note_number
from .publish.site_files import (
    VEX_FILES,
    check_vex_repository,
    put,
    refuse_links,
    refuse_occupied,
    vex_repository_file,
)
from .publish.staging import Staging, save
from .publish.swap import Stamp, publish
from .sources.assemble import assemble
from .sources.load import load


class Build(Struct, frozen=True):
    """A catalog with its documents in staging."""

    site: Site
    catalog: Catalog
    staging: Staging | None
    """None when the catalog was only checked."""
    written: Mapping[str, ManifestEntry]
    """Path below `api/v1/` → hash and size of each document."""
    problems: Problems
    """Warnings and notes that do not prevent publication."""
    header_file: HeaderFile | None
    """The file that configures the headers of the host."""
    feeds: Mapping[str, bytes]
    """Path in the site → content of the feed."""
    vex_repository: Mapping[str, bytes]
    """Path in the site → the file that points scanners to the author's statements, if they are published."""

    @property
    def folder(self) -> Path:
        """The folder of the documents in staging."""
        assert self.staging is not None  # noqa: S101  # not used after a check
        return self.staging.documents

    @property
    def documents(self) -> int:
        """Number of documents."""
        return len(self.written)

    @property
    def size(self) -> int:
        """Size of all documents in bytes."""
        return sum(entry.bytes for entry in self.written.values())

    @property
    def summary(self) -> str:
        """The closing line: `30 documents, 0.2 MB; 5 images, 0 scanned; no problems`."""
        images = self.catalog.images
        scanned = sum(image.figures is not None for image in images)
        return (
            f"{self.documents:,} documents, {self.size / 1e6:,.1f} MB; {len(images):,} "
            f"image{'' if len(images) == 1 else 's'}, {scanned:,} scanned; {self.problems.summary()}"
        )

    def drop(self) -> None:
        """Remove the documents in staging."""
        if self.staging:
            self.staging.remove()

    def put(self, pages: Mapping[str, str]) -> None:
        """Write pages to the site, each of them atomically.

        Raises `CatalogError` if a link, or an object that is not a file, is in the place of a page.
        """
        assert self.staging is not None  # noqa: S101  # not used after a check
        for path, html in pages.items():
            put(self.site.site_dir, path, html.encode(), self.staging.folder)

    def publish(
        self, *, keep: bool = False, replace: bool = False, stamps: Mapping[str, Stamp] | None = None
    ) -> Problems:
        """Move documents, feeds and the header file of the host to the site. `keep` allows a second call.

        `replace` and `stamps` are those of `swap.publish`. Adds and returns warnings about files that other
        plugins have written to the site since the build was prepared. Raises `CatalogError` if a file of
        another program, or a link, is in the place of a file of this build.
        """
        file, site_dir, staging = self.header_file, self.site.site_dir, self.staging
        assert staging is not None  # noqa: S101  # not used after a check
        try:
            late = Problems()
            if file:
                late.extend(set(file.check(self.site)) - set(self.problems))
                refuse_links(site_dir, file.name, late)
                if late.refuse(strict=False):
                    raise CatalogError(late)
                self.problems.extend(late)
            feeds.FILES.write(self.feeds, self.site, site_dir, staging.folder)
            VEX_FILES.write(self.vex_repository, self.site, site_dir, staging.folder)
            publish(staging, site_dir, keep=keep, replace=replace, stamps=stamps)
            if file and not file.author_has_one(self.site):
                put(site_dir, file.name, file.body(), staging.folder)
            return late
        finally:
            if not keep:
                staging.remove()


def prepare(
    site: Site, settings: Settings, problems: Problems, *, strict: bool, check_only: bool = False
) -> Build:
    """Load, assemble, document, prove and stage: everything except rendering pages and publication.

    With `check_only` nothing is written to disk. Raises `CatalogError` if the catalog has errors; staging has
    been removed. Raises `ContractError` if a document breaks the contract (a bug of the plugin). Raises
    `OSError` if a file can't be written, for example because the disk is full.
    """
    # Staging comes first: it restores an API that a killed build was replacing.
    staging = None if check_only else Staging(site.site_dir)
    try:
        return _prepare(site, settings, problems, staging, strict)
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
) -> Build:
    if site.site_url is None:
        message = "not set, so all links in the API start at the root of the host"
        hint, place = "set it to the site's public URL", (site.config.name, 0, 0, "site_url")
        problems.add(Problem(*place, message, hint, Level.INFO, code=Code.SETTING))
    elif fault := site_address_fault(site.site_url):
        # Without the value, as it may have a password.
        place = site.config.key("site_url")
        problems.add(Problem(*place, "not the address of a site", fault, code=Code.SETTING))
    clock.check(problems)
    problems.extend(check_words(("lookups",), settings.lookups, LOOKUP_NAMES, site.config))
    catalog = assemble(load(site, settings, problems), site, settings, problems)
    header_file = HeaderFile(settings.headers, catalog.addresses.mount) if settings.headers else None
    if header_file:
        problems.extend(header_file.check(site))
    if settings.feeds:
        feeds.check_address(site, problems)
    if settings.security.publish_vex:
        check_vex_repository(site, problems)
    if problems.refuse(strict=strict):
        raise CatalogError(problems)
    written: dict[str, ManifestEntry] = {}
    documents: Iterable[Encoded] = publication(catalog, settings, clock.timestamp(clock.now()))
    if KEPT.keeps:
        sources, made = (catalog.content, settings), documents
        documents = KEPT.of_equal("documents", sources, lambda: [*made])
    for document in documents:
        written[document.path] = document.entry
        if staging:
            save(staging.documents, document.path, document.body)
    note_number(written.values(), site, problems)
    refuse_occupied(written, site.occupied_paths, problems)
    feed_files: dict[str, bytes] = {}
    if settings.feeds and site.site_url:
        feed_files = feeds.feeds(catalog, site.site_url)
        feeds.FILES.check(feed_files, site, problems)
    vex_repository: dict[str, bytes] = {}
    if settings.security.publish_vex and site.site_url:
        vex_repository = vex_repository_file(site.title, vex.repository(site.site_url))
    if problems.refuse(strict=strict):
        raise CatalogError(problems)
    return Build(site, catalog, staging, written, problems, header_file, feed_files, vex_repository)
