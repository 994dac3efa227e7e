"""The builds of one process: the current one and, in `mkdocs serve`, the last good one."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.utils import CountHandler

from ..authored.garbage import without_garbage_collection
from ..authored.kept import KEPT
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog.addresses import PREFIX, mount_path
from ..documents.publication import ContractError
from ..pipeline import Build, prepare
from ..problems import CatalogError, Problems, lines, reason
from ..problems.codes import Code
from ..publish.swap import Stamp
from ..web.page_filler import FilledPage, PageFiller
from ..web.view import CatalogView

log = get_plugin_logger("catalog-api")


class _NotThereError(PluginError, LookupError):
    """A template uses a value that the catalog does not have. MkDocs prints this error in one line."""


class Builds:
    """Builds and publishes the API, and removes unneeded documents from staging."""

    def __init__(self) -> None:
        self.serving = False
        self.new: Build | None = None
        self._good: Build | None = None

    @without_garbage_collection()
    def make(
        self,
        site: Site,
        settings: Settings,
        problems: Problems,
        *,
        strict: bool,
    ) -> tuple[PageFiller, Mapping[str, FilledPage]]:
        """Read, write and check the catalog; returns what fills its pages, and the pages that it fills.

        In serve, a catalog with errors leaves the pages with the last good one. Raises `PluginError` if the
        catalog has errors, or can't be written.
        """
        KEPT.begin()
        with self._reported("the API can't be written"):
            try:
                self.new = prepare(site, settings, problems, strict=strict)
                filler = _filler(site, settings, self.new)
                pages = filler.fill(problems, strict=strict)
                report(problems)
                return filler, pages
            except BaseException:
                self.drop_new()
                raise
        filler = _filler(site, settings, self._good)
        with suppress(CatalogError):  # pages that can't be filled stay as written
            return filler, filler.fill(Problems(), strict=False)
        return filler, {}

    def translate(
        self, site: Site, settings: Settings, problems: Problems, *, strict: bool
    ) -> tuple[PageFiller, Mapping[str, FilledPage]]:
        """Fill the pages of another language with the published catalog.

        Raises `PluginError` if a marker is wrong.
        """
        filler = _filler(site, settings, self._good, published=True)
        with self._reported(""):
            pages = filler.fill(problems, strict=strict)
            report(problems)
            return filler, pages
        return filler, {}

    def put(self, pages: Mapping[str, str]) -> None:
        """Write pages of the new build (path → HTML) to the site. In serve, it may be the last good build.

        Raises `PluginError` if, for example, a folder or link is in the way, or the disk is full.
        """
        if build := self.new or self._good:
            with self._reported("a page can't be written"):
                build.put(pages)

    def publish(self, stamps: Mapping[str, Stamp]) -> None:
        """Move the new documents to the site. In serve without new documents, use the last good ones.

        Raises `PluginError` if, for example, a file of another program is in the way, or the disk is full.
        """
        fresh = self.new is not None
        if self.new is not None:
            self._drop_good()
            self._good, self.new = self.new, None
        if self._good is None:
            return
        with self._reported("the API can't be published"):
            report(self._good.publish(keep=self.serving, stamps=stamps))
            if fresh:
                log.info(f"built: {self._good.summary}")

    @contextmanager
    def _reported(self, what: str) -> Iterator[None]:
        """Stop the build after an error; `what` begins the message for one of the disk."""
        try:
            yield
        except CatalogError as error:
            self.refuse(error)
        except (ContractError, MemoryError, OSError) as error:
            self._stop(f"{what}: {reason(error, with_path=True)} [{Code.NOT_WRITTEN}]")

    def refuse(self, error: CatalogError) -> None:
        """Log the problems of the catalog, and stop the build.

        Raises `PluginError`, except in serve, where it would make every request hang.
        """
        report(error.problems)
        self._stop(f"the catalog is not published: {error}")

    def drop_new(self) -> None:
        """Remove the documents of an unfinished build."""
        if self.new is not None:
            self.new.drop()
            self.new = None

    def drop_all(self) -> None:
        """Remove the documents of all builds, also the last good one."""
        self.drop_new()
        self._drop_good()

    def _drop_good(self) -> None:
        if self._good is not None:
            self._good.drop()
            self._good = None

    def _stop(self, message: str) -> None:
        if not self.serving:
            raise PluginError(message)
        kept = "the last good API is kept" if self._good else "no API is served until this is fixed"
        log.error(f"{message}; {kept}")


def _filler(site: Site, settings: Settings, build: Build | None, *, published: bool = False) -> PageFiller:
    folder = site.site_dir / PREFIX if published or build is None else build.folder
    catalog, feeds = (build.catalog, build.feeds.keys()) if build else (None, set[str]())
    view = CatalogView(catalog, folder, mount_path(site.site_url), _NotThereError)
    return PageFiller(site, settings, view, feeds)


def report(problems: Problems) -> None:
    """Log all problems, each at its level. Without `--verbose`, identical problems share a line."""
    for level, text in lines(problems, every=log.isEnabledFor(logging.DEBUG)):
        log.log(level, text)


def keep_out_of_strict() -> None:
    """Exclude our problems from `strict` of MkDocs: it aborts, and then every request to serve hangs."""
    name = log.logger.name
    for handler in logging.getLogger(name.partition(".")[0]).handlers:
        if isinstance(handler, CountHandler):
            handler.addFilter(lambda record: record.name != name)
