"""The builds of one process: the one under way and, in serve, the last good one, which stays meanwhile."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError

from ..authored.settings import Settings
from ..authored.site import Site
from ..build import Build, prepare
from ..documents.prove import ContractError
from ..problems import CatalogError, Problems
from ..problems.codes import Code
from ..publish.summary import summary
from ..publish.swap import Stamp
from ..web.filled import Filled
from ..web.pages import Web
from .log import log, report

if TYPE_CHECKING:
    pass


class _NotThereError(PluginError, LookupError):
    """A template asks for what the catalog does not have; MkDocs tells it in one line."""


class Builds:
    """Makes and publishes the API, and removes what waits in staging when it is not wanted any more."""

    def __init__(self) -> None:
        self.serving = False
        self.new: Build | None = None
        self._good: Build | None = None
        self._seconds = 0.0
        """How long the new build has taken so far."""

    def make(
        self,
        site: Site,
        settings: Settings,
        contents: Mapping[str, str],
        problems: Problems,
        *,
        strict: bool,
    ) -> tuple[Web, dict[str, Filled]]:
        """Read, write and check the catalog; returns the web pages that it fills.

        `contents` has the HTML of each page. In serve, a catalog that is refused leaves the pages with the
        last good one.

        Raises:
            PluginError: the catalog is refused, or can't be written.
        """
        began = time.perf_counter()
        try:
            self.new = prepare(site, settings, problems, strict=strict)
            web = _web(site, settings, contents, self.new)
            filled = web.fill(problems, strict=strict)
            report(problems)
            self._seconds = time.perf_counter() - began
            return web, filled
        except CatalogError as error:
            self.drop_new()
            self.refuse(error)
        except (ContractError, MemoryError, OSError) as error:
            self.drop_new()
            self._stop(f"the API can't be written: {str(error) or 'memory ran out'} [{Code.NOT_WRITTEN}]")
        web = _web(site, settings, contents, self._good)
        with suppress(CatalogError):  # pages that can't be filled stay as written
            return web, web.fill(Problems(), strict=False)
        return web, {}

    def publish(self, stamps: Mapping[str, Stamp]) -> None:
        """Move the new documents into the site, in serve the last good ones if there are no new.

        Raises:
            PluginError: something that is not ours is in the way, the disk is full …
        """
        began, fresh = time.perf_counter(), self.new is not None
        if self.new is not None:
            self._drop_good()
            self._good, self.new = self.new, None
        if self._good is None:
            return
        try:
            report(self._good.publish(keep=self.serving, stamps=stamps))
            if fresh:
                seconds = self._seconds + time.perf_counter() - began
                log.info(summary(self._good.catalog.totals(), self._good.documents, seconds))
        except CatalogError as error:
            self.refuse(error)
        except OSError as error:
            self._stop(f"the API can't be published: {error} [{Code.NOT_WRITTEN}]")

    def refuse(self, error: CatalogError) -> None:
        """Say why the catalog is refused, and stop the build.

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


def _web(site: Site, settings: Settings, contents: Mapping[str, str], build: Build | None) -> Web:
    if build is None:
        return Web(settings, site, contents, None, missing=_NotThereError)
    return Web(settings, site, contents, build.catalog, build.folder, build.feeds.keys(), _NotThereError)
