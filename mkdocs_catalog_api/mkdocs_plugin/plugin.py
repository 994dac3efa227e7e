"""MkDocs events → build. Glue only: no rule of the catalog lives here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority

from ..authored.settings import Settings, read_settings
from ..authored.site import own_files
from ..build import Build
from ..catalog.addresses import Addresses, mount_path
from ..problems import CatalogError, Problems
from ..publish.swap import Stamp, remember
from ..web.filled import Filled
from ..web.pages import Web
from ..web.view import CatalogView
from .builds import Builds
from .docs_files import refuse_unreadable
from .log import keep_out_of_strict
from .page_parts import active_list, fill, keep_source, rendered, write_further
from .pages import Pages, builds_here, config_file, describe, occupied_paths, root
from .serve import Watch, with_headers
from .site_files import add_assets, add_documents, link_assets, point_to

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.base import ConfigErrors, ConfigWarnings
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page as MkDocsPage
    from mkdocs.utils.templates import TemplateContext


class CheckedError(Exception):
    """Ends a build that was only to check: what it made so far."""

    def __init__(self, build: Build) -> None:
        super().__init__("the catalog is checked")
        self.build = build


class CatalogApiPlugin(BasePlugin):  # type: ignore[no-untyped-call,type-arg,unused-ignore]
    """Publishes the catalog's JSON API beside the site."""

    check_only = False
    """End the build, by a `CheckedError`, once the pages are filled."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._pages = Pages()
        self._builds = Builds()
        self._watch: Watch | None = None
        self._stamps: Mapping[str, Stamp] = {}
        self._reset()

    def _reset(self) -> None:
        self._pages.begin()
        self._problems = Problems()
        self._settings: Settings | None = None
        self._occupied: dict[str, str] = {}
        self._filled: dict[str, Filled] = {}
        self._web: Web | None = None
        self._active: MkDocsPage | None = None
        """The page that lists the collection of the item whose page is being made."""

    @property
    def problems(self) -> Problems:
        """What the last build found."""
        return self._problems

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[ConfigErrors, ConfigWarnings]:
        """Keep the options as they are; `on_config` validates them, with all problems at once."""
        self._options = options
        return super().load_config({}, config_file_path)

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """`startup`: having this event keeps the plugin alive between the builds of `mkdocs serve`."""
        self._builds.serving = command == "serve"
        self._pages = Pages(dirty=dirty)

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """`config`: validate the settings. In serve, watch the files that they name from now on."""
        self._reset()
        if self._builds.serving:
            keep_out_of_strict()
        self._settings = read_settings(self._options, config_file(config), self._problems)
        if self._settings is None:
            self._builds.refuse(CatalogError(self._problems))
            return config
        if self._watch:
            self._watch.renew(own_files(root(config), self._settings))
        if self._settings.web:
            link_assets(config)
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """`pre_build`: MkDocs clears the site next, so look when each document was written."""
        if builds_here(config):
            self._stamps = remember(Path(config.site_dir))

    @event_priority(-200)  # after static-i18n, which can't take generated files before its own event
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """`files`: register what will be written, unless the author's own files stand there."""
        if not builds_here(config):
            return files
        refuse_unreadable(files, config, self._problems)
        if self._settings is not None and self._problems.refuse(strict=False):
            self._builds.refuse(CatalogError(self._problems))
        self._occupied = occupied_paths(files, config)
        if self._settings and self._settings.web:
            add_assets(files, config)
        add_documents(files, self._occupied, config)
        return files

    @event_priority(10_000)  # what other plugins answer counts
    def on_page_read_source(self, *, page: MkDocsPage, config: MkDocsConfig) -> str:
        """`page_read_source`: read the text and remember it; for MkDocs a page that is not UTF-8 is empty."""
        try:
            return self._pages.text(page.file, config) or ""
        except OSError as error:
            raise PluginError(str(error)) from error

    @event_priority(10_000)
    def on_page_markdown(self, markdown: str, /, *, page: MkDocsPage, **_: Any) -> None:
        """`page_markdown`: remember the page before any plugin has changed it."""
        self._pages.read(page, markdown)

    @event_priority(-100)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """`env`: every page is final and nothing is written yet, so read, write and check."""
        if self._settings is None or not builds_here(config):
            env.globals["catalog"] = CatalogView()
            return env
        site = describe(config, self._pages.collect(files, config), self._occupied)
        contents = rendered(files)
        self._web, self._filled = self._builds.make(
            site, self._settings, contents, self._problems, strict=bool(config.strict)
        )
        if new := self._builds.new:
            point_to(new, files)
            if self.check_only:
                raise CheckedError(new)
        env.globals["catalog"] = self._web.catalog
        fill(files, self._filled)
        return env

    @event_priority(-100)  # after the search, which reads the page here
    def on_page_context(
        self, context: TemplateContext, /, *, page: MkDocsPage, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """`page_context`: show the whole page, of which a search has read what people look for."""
        if filled := self._filled.get(page.file.src_uri):
            page.content = filled.whole
        if self._web:
            keep_source(page)
            self._active = active_list(page, self._web, nav.pages)
        if self._active:
            self._active.active = True

    @event_priority(100)  # before plugins that drop what HTML may leave out
    def on_post_page(self, output: str, /, *, page: MkDocsPage, config: MkDocsConfig) -> str:
        """`post_page`: point from the head of an item's page to its document."""
        if self._active:
            self._active.active = False
        if self._web is None:
            return output
        url = "" if page.url == "./" else page.url
        html = self._web.head(url, output)
        write_further(self._web.further(url, html), Path(config.site_dir))
        return html

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """`post_build`: move the documents into the site, in serve the last good ones if there are no new."""
        if builds_here(config):
            self._builds.publish(self._stamps)

    def on_build_error(self, *, error: Exception) -> None:
        """`build_error`: leave nothing of ours behind."""
        self._builds.drop_new()

    def on_serve(
        self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Callable[..., Any]
    ) -> LiveReloadServer:
        """`serve`: send the headers that browsers need, and watch the catalog's own files.

        With `mkdocs serve --clean` this is the first event that tells of serving.
        """
        self._builds.serving = True
        base = Addresses(mount_path(config.site_url)).api("")
        if app := server.get_app():
            server.set_app(with_headers(app, base))
        self._watch = Watch(server)
        if self._settings is not None:
            self._watch.renew(own_files(root(config), self._settings))
        return server

    def on_shutdown(self) -> None:
        """`shutdown`: remove what `serve` kept, and what an interrupted build left."""
        self._builds.drop_all()
