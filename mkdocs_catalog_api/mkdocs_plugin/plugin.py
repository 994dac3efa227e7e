"""MkDocs events → build. Glue only: no rule of the catalog lives here."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.utils import CountHandler

from ..api import addresses, badges
from ..api.verify import ContractError
from ..build import Build, prepare
from ..problems import CatalogError, Problems, lines
from ..publish.earlier import Stamp, remember
from ..settings import Settings, read_settings
from ..site import Site, own_files
from ..summary import summary
from ..web import assets
from ..web.filled import Filled
from ..web.pages import Web
from ..web.view import CatalogView
from .docs_files import refuse_unreadable
from .page_parts import active_list, add_headings, keep_source, write_further
from .pages import Pages, builds_here, config_file, describe, occupied_paths, root
from .serve import Watch, with_headers

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.base import ConfigErrors, ConfigWarnings
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page as MkDocsPage
    from mkdocs.utils.templates import TemplateContext

log = get_plugin_logger("catalog-api")

FIXED = (
    *(addresses.collection(name) for name in ("images", "charts", "roadmap", "updates")),
    *(addresses.SUMMARY, addresses.SECURITY_INDEX),
    *(addresses.INDEX, addresses.OPENAPI, addresses.MANIFEST),
    *(addresses.badge(name) for name in badges.FIXED),
)
"""Documents that every catalog has, so that Markdown may link to them."""


class ApiFile(File):
    """A document that MkDocs knows the address of, so that links to it resolve; the build writes it."""

    def copy_file(self, dirty: bool = False) -> None:
        """Leave it to `on_post_build`, which publishes all documents at once."""


class _NotThereError(PluginError, LookupError):
    """A template asks for what the catalog does not have; MkDocs tells it in one line."""


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
        self._serving = False
        self._pages = Pages()
        self._watch: Watch | None = None
        self._stamps: Mapping[str, Stamp] = {}
        self._seconds = 0.0
        self._build: Build | None = None
        self._good: Build | None = None
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
        self._serving = command == "serve"
        self._pages = Pages(dirty=dirty)

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """`config`: validate the settings. In serve, watch the files that they name from now on."""
        self._reset()
        if self._serving:
            _spare_the_count()
        self._settings = read_settings(self._options, config_file(config), self._problems)
        if self._settings is None:
            self._refuse(CatalogError(self._problems))
            return config
        if self._watch:
            self._watch.renew(own_files(root(config), self._settings))
        if self._settings.web:
            _link_assets(config)
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """`pre_build`: MkDocs clears the site next, so look when each document was written."""
        if builds_here(config):
            self._stamps = remember(Path(config.site_dir))

    @event_priority(-200)  # after static-i18n, which can't take generated files before its own event
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """`files`: register the documents with fixed names, unless the author's own files stand there."""
        if not builds_here(config):
            return files
        refuse_unreadable(files, config, self._problems)
        if self._settings is not None and self._problems.refuse(strict=False):
            self._refuse(CatalogError(self._problems))
        self._occupied = occupied_paths(files, config)
        if self._settings and self._settings.web:
            _add_assets(files, config)
        for path in FIXED:
            if path not in self._occupied:
                files.append(_api_file(path, config))
        return files

    def on_page_read_source(self, *, page: MkDocsPage, config: MkDocsConfig) -> str | None:
        """`page_read_source`: remember the text as written; answer for a page that MkDocs can't read."""
        try:
            return "" if self._pages.text(page.file, config) is None else None
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
        self._seconds = -time.perf_counter()
        site = describe(config, self._pages.collect(files, config), self._occupied)
        pages = {file.src_uri: file.page for file in files.documentation_pages() if file.page is not None}
        contents = {uri: page.content for uri, page in pages.items() if page.content is not None}
        custom_dir = config.theme.custom_dir
        try:
            web = Web(self._settings, site.site_url, site.pages, contents, custom_dir, _NotThereError)
            self._build = prepare(
                site, self._settings, self._problems, strict=bool(config.strict), on_item=web.take
            )
            self._filled = web.fill(self._build, self._problems, strict=bool(config.strict))
            self._web = web
            _report(self._problems)
            _point_to(self._build, files)
        except CatalogError as error:
            self._forget_unfinished()
            self._refuse(error)
        except (ContractError, MemoryError, OSError) as error:
            self._forget_unfinished()
            self._stop(f"the API can't be written: {str(error) or 'memory ran out'}")
        if self.check_only and self._build is not None:
            raise CheckedError(self._build)
        if self._web is None:
            self._web = self._last_good(site, contents, custom_dir)
        env.globals["catalog"] = self._web.catalog
        for uri, filled in self._filled.items():
            pages[uri].content = filled.findable
            add_headings(pages[uri], filled.headings)
        self._seconds += time.perf_counter()
        return env

    def _last_good(self, site: Site, contents: Mapping[str, str], custom_dir: str | None) -> Web:
        """The pages with the last good catalog; what is wrong with the present one has been told."""
        settings = self._settings or Settings()
        web = Web(settings, site.site_url, site.pages, contents, custom_dir, _NotThereError)
        with suppress(CatalogError):  # pages that can't be filled stay as written
            self._filled = web.fill(self._good, Problems(), strict=False)
        return web

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
        if not builds_here(config):
            return
        began, fresh = time.perf_counter(), self._build is not None
        if self._build is not None:
            self._forget_good()
            self._good, self._build = self._build, None
        if self._good is None:
            return
        try:
            self._good.publish(keep=self._serving, stamps=self._stamps)
            if fresh:
                seconds = self._seconds + time.perf_counter() - began
                log.info(summary(self._good.contents.items, self._good.documents, seconds))
        except CatalogError as error:
            self._refuse(error)
        except OSError as error:
            self._stop(f"the API can't be published: {error}")

    def on_build_error(self, *, error: Exception) -> None:
        """`build_error`: leave nothing of ours behind."""
        self._forget_unfinished()

    def on_serve(
        self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Callable[..., Any]
    ) -> LiveReloadServer:
        """`serve`: send the headers that browsers need, and watch the catalog's own files.

        With `mkdocs serve --clean` this is the first event that tells of serving.
        """
        self._serving = True
        base = addresses.Addresses(addresses.mount_path(config.site_url)).api("")
        if app := server.get_app():
            server.set_app(with_headers(app, base))
        self._watch = Watch(server)
        if self._settings is not None:
            self._watch.renew(own_files(root(config), self._settings))
        return server

    def on_shutdown(self) -> None:
        """`shutdown`: remove what `serve` kept, and what an interrupted build left."""
        self._forget_unfinished()
        self._forget_good()

    def _forget_unfinished(self) -> None:
        if self._build is not None:
            self._build.drop()
            self._build = None

    def _forget_good(self) -> None:
        if self._good is not None:
            self._good.drop()
            self._good = None

    def _refuse(self, error: CatalogError) -> None:
        _report(error.problems)
        self._stop(f"the catalog is refused: {error}")

    def _stop(self, message: str) -> None:
        """Stop the build. In serve, where that makes every request hang, go on with the last good API."""
        if not self._serving:
            raise PluginError(message)
        kept = "the last good API is kept" if self._good else "there is no API until this is mended"
        log.error(f"{message}; {kept}")


def _link_assets(config: MkDocsConfig) -> None:
    """Before the author's own, which then have the last word; once, as static-i18n asks for each language."""
    if assets.STYLE not in config.extra_css:
        config.extra_css.insert(0, assets.STYLE)
        config.extra_javascript.insert(0, assets.SCRIPT)


def _add_assets(files: Files, config: MkDocsConfig) -> None:
    for uri, content in assets.FILES.items():
        if files.get_file_from_path(uri) is None:  # else the author's own stands in for ours
            files.append(File.generated(config, uri, content=content))


def _api_file(path: str, config: MkDocsConfig) -> ApiFile:
    uri = f"{addresses.PREFIX}/{path}"
    file = ApiFile(uri, None, config.site_dir, config.use_directory_urls, inclusion=InclusionLevel.INCLUDED)
    file.generated_by = "catalog-api"
    return file


def _point_to(build: Build, files: Files) -> None:
    """Let other plugins that look into the registered documents find what was written."""
    assert build.staging is not None  # noqa: S101  # for the type checker
    documents = build.staging.documents
    for file in files:
        if isinstance(file, ApiFile):
            file.abs_src_path = str(documents / file.src_uri.removeprefix(addresses.PREFIX + "/"))


def _spare_the_count() -> None:
    """Keep our problems from being counted for `strict`: it aborts, and then every request hangs."""
    name = log.logger.name
    for handler in logging.getLogger(name.partition(".")[0]).handlers:
        if isinstance(handler, CountHandler):
            handler.addFilter(lambda record: record.name != name)


def _report(problems: Problems) -> None:
    for level, text in lines(problems, every=log.isEnabledFor(logging.DEBUG)):
        log.log(level, text)
