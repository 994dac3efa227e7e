"""The builds of one process: the one under way and, in serve, the last good one, which stays meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.utils import CountHandler

from ..authored.settings import Settings
from ..authored.site import Site
from ..build import Build, prepare, without_garbage_collection
from ..catalog.addresses import mount_path
from ..documents.prove import ContractError
from ..problems import CatalogError, Problems, lines, reason
from ..problems.codes import Code
from ..publish.swap import Stamp
from ..web.pages import FilledPage, PageFiller
from ..web.view import CatalogView

log = get_plugin_logger("catalog-api")


class _NotThereError(PluginError, LookupError):
    """A template asks for what the catalog does not have; MkDocs prints it in one line."""


class Builds:
    """Makes and publishes the API, and removes what waits in staging when it is not wanted any more."""

    def __init__(self) -> None:
        self.serving = False
        self.new: Build | None = None
        self._good: Build | None = None

    @without_garbage_collection()
    def make(
        self,
        site: Site,
        settings: Settings,
        contents: Mapping[str, str],
        problems: Problems,
        *,
        strict: bool,
    ) -> tuple[PageFiller, Mapping[str, FilledPage]]:
        """Read, write and check the catalog; returns what fills its pages, and the pages that it fills.

        `contents` has the HTML of each page. In serve, a catalog that is refused leaves the pages with the
        last good one.

        Raises:
            PluginError: the catalog is refused, or can't be written.
        """
        try:
            self.new = prepare(site, settings, problems, strict=strict)
            filler = _filler(site, settings, contents, self.new)
            pages = filler.fill(problems, strict=strict)
            report(problems)
            return filler, pages
        except CatalogError as error:
            self.drop_new()
            self.refuse(error)
        except (ContractError, MemoryError, OSError) as error:
            self.drop_new()
            self._stop(f"the API can't be written: {reason(error, with_path=True)} [{Code.NOT_WRITTEN}]")
        filler = _filler(site, settings, contents, self._good)
        with suppress(CatalogError):  # pages that can't be filled stay as written
            return filler, filler.fill(Problems(), strict=False)
        return filler, {}

    def put(self, pages: Mapping[str, str]) -> None:
        """Write pages of the new build into the site, in serve those of the last good one: path → HTML.

        Raises:
            PluginError: something other than a file is in the way, the disk is full …
        """
        build = self.new or self._good
        if build is None:
            return
        try:
            build.put(pages)
        except CatalogError as error:
            self.refuse(error)
        except OSError as error:
            self._stop(f"a page can't be written: {reason(error, with_path=True)} [{Code.NOT_WRITTEN}]")

    def publish(self, stamps: Mapping[str, Stamp]) -> None:
        """Move the new documents into the site, in serve the last good ones if there are no new.

        Raises:
            PluginError: something that is not ours is in the way, the disk is full …
        """
        fresh = self.new is not None
        if self.new is not None:
            self._drop_good()
            self._good, self.new = self.new, None
        if self._good is None:
            return
        try:
            report(self._good.publish(keep=self.serving, stamps=stamps))
            if fresh:
                log.info(f"built: {self._good.summary}")
        except CatalogError as error:
            self.refuse(error)
        except OSError as error:
            self._stop(f"the API can't be published: {reason(error, with_path=True)} [{Code.NOT_WRITTEN}]")

    def refuse(self, error: CatalogError) -> None:
        """Log why the catalog is refused, and stop the build.

        Raises:
            PluginError: but for serve, where that makes every request hang.
        """
        report(error.problems)
        self._stop(f"the catalog is refused: {error}")

    def drop_new(self) -> None:
        """Remove what an unfinished build has made."""
        if self.new is not None:
            self.new.drop()
            self.new = None

    def drop_all(self) -> None:
        """Remove what `serve` kept, too."""
        self.drop_new()
        self._drop_good()

    def _drop_good(self) -> None:
        if self._good is not None:
            self._good.drop()
            self._good = None

    def _stop(self, message: str) -> None:
        if not self.serving:
            raise PluginError(message)
        kept = "the last good API is kept" if self._good else "there is no API until this is mended"
        log.error(f"{message}; {kept}")


def _filler(site: Site, settings: Settings, contents: Mapping[str, str], build: Build | None) -> PageFiller:
    catalog, folder = (build.catalog, build.folder) if build else (None, site.site_dir)
    view = CatalogView(catalog, folder, mount_path(site.site_url), _NotThereError)
    return PageFiller(site, settings, contents, view, build.feeds.keys() if build else set())


def report(problems: Problems) -> None:
    """Log all problems, each at its level; with `--verbose` no identical ones are put together."""
    for level, text in lines(problems, every=log.isEnabledFor(logging.DEBUG)):
        log.log(level, text)


def keep_out_of_strict() -> None:
    """Keep our problems from being counted for `strict`: it aborts, and in serve every request then hangs."""
    name = log.logger.name
    for handler in logging.getLogger(name.partition(".")[0]).handlers:
        if isinstance(handler, CountHandler):
            handler.addFilter(lambda record: record.name != name)
