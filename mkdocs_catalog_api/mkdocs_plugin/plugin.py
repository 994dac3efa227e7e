"""MkDocs events → engine. Glue only: no rule of the catalog lives here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.utils import CountHandler

from ..ahead import Ahead, worth_it
from ..api import addresses, badges
from ..api.verify import ContractError
from ..build import Build, prepare, uncollected
from ..parallel import uninterrupted
from ..problems import CatalogError, Problems, lines
from ..settings import Settings, read_settings
from ..site import own_files
from ..web import assets
from ..web.pages import Web
from ..web.view import CatalogView
from .pages import Pages, builds_here, config_file, describe, root, taken
from .serve import Watch, with_headers

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.base import ConfigErrors, ConfigWarnings
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.pages import Page as MkDocsPage

log = get_plugin_logger("catalog-api")

FIXED = (
    *(addresses.collection(name) for name in ("images", "charts", "roadmap", "updates")),
    *(addresses.SUMMARY, addresses.SECURITY_INDEX),
    *(addresses.INDEX, addresses.OPENAPI, addresses.MANIFEST),
    *(addresses.badge(name) for name in badges.FIXED),
)
"""Documents that every catalog has, so that Markdown may link to them."""


class ApiFile(File):
    """A document that MkDocs knows the address of, so that links to it resolve; the engine writes it."""

    def copy_file(self, dirty: bool = False) -> None:
        """Leave it to `on_post_build`, which publishes all documents at once."""


class _NotThereError(PluginError, LookupError):
    """A template asks for what the catalog does not have; MkDocs tells it in one line."""


class CatalogApiPlugin(BasePlugin):  # type: ignore[no-untyped-call,type-arg,unused-ignore]
    """Publishes the catalog's JSON API beside the site."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._serving = False
        self._pages = Pages()
        self._watch: Watch | None = None
        self._ahead: Ahead | None = None
        self._build: Build | None = None
        self._good: Build | None = None
        self._reset()

    def _reset(self) -> None:
        self._pages.begin()
        self._problems = Problems()
        self._settings: Settings | None = None
        self._taken: dict[str, str] = {}
        self._web: Web | None = None

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

    @event_priority(-200)  # after static-i18n, which can't take generated files before its own event
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """`files`: register the documents with fixed names, unless the author's own files stand there."""
        if not builds_here(config):
            return files
        self._taken = taken(files, config)
        if self._settings and self._settings.web:
            _add_assets(files, config)
        for path in FIXED:
            if path not in self._taken:
                files.append(_api_file(path, config))
        if self._settings and not self._serving:
            self._begin(self._settings, files, config)
        return files

    def _begin(self, settings: Settings, files: Files, config: MkDocsConfig) -> None:
        """Begin to build in another process; `_compose` sees whether the pages have stayed as they are."""
        self._forget_ahead()
        if not worth_it(len(files.documentation_pages())):
            return
        with suppress(OSError):  # MkDocs has yet to meet the page that can't be read
            site = describe(config, self._pages.written(files, config), self._taken)
            with uninterrupted():
                self._ahead = Ahead(site, settings, self._problems, strict=bool(config.strict))

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
        if self._pages.changed:
            self._forget_ahead()

    @event_priority(-100)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """`env`: every page is final and nothing is written yet, so collect, compose and check."""
        if self._settings is None or not builds_here(config):
            env.globals["catalog"] = CatalogView(None)
            return env
        try:
            with uncollected():
                self._compose(self._settings, env, config, files)
        except CatalogError as error:
            self._forget_unfinished()
            self._refuse(error)
        except (ContractError, MemoryError, OSError) as error:
            self._forget_unfinished()
            self._stop(f"the API can't be written: {str(error) or 'memory ran out'}")
        if self._build is None:
            # What is wrong has been told; pages that can't be filled with the last good API stay as written.
            with suppress(CatalogError):
                self._show(self._good, Problems(), env, config, files)
        return env

    def _compose(self, settings: Settings, env: Environment, config: MkDocsConfig, files: Files) -> None:
        site = describe(config, self._pages.collect(files, config), self._taken)
        if self._ahead is not None:
            self._build = self._ahead.build(site)
            self._ahead = None
        if self._build is None:
            self._build = prepare(site, settings, self._problems, strict=bool(config.strict))
        self._problems = self._build.problems
        self._show(self._build, self._problems, env, config, files)
        _report(self._problems)
        _point_to(self._build.staging.documents, files)

    def _show(
        self, build: Build | None, problems: Problems, env: Environment, config: MkDocsConfig, files: Files
    ) -> None:
        """Give templates the catalog, and fill the pages with it."""
        self._web = Web(self._settings or Settings(), build, config.theme.custom_dir, _NotThereError)
        env.globals["catalog"] = self._web.catalog
        pages = {file.src_uri: file.page for file in files.documentation_pages() if file.page is not None}
        contents = {uri: page.content for uri, page in pages.items() if page.content is not None}
        for uri, content in self._web.fill(contents, problems, strict=bool(config.strict)).items():
            pages[uri].content = content

    @event_priority(100)  # before plugins that drop what HTML may leave out
    def on_post_page(self, output: str, /, *, page: MkDocsPage, config: MkDocsConfig) -> str:
        """`post_page`: point from the head of an item's page to its document."""
        return self._web.head("" if page.url == "./" else page.url, output) if self._web else output

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """`post_build`: move the documents into the site, in serve the last good ones if there are no new."""
        if not builds_here(config):
            return
        if self._build is not None:
            self._forget_good()
            self._good, self._build = self._build, None
        if self._good is None:
            return
        try:
            self._good.publish(keep=self._serving)
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

    def _forget_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.drop()
            self._ahead = None

    def _forget_unfinished(self) -> None:
        self._forget_ahead()
        if self._build is not None:
            self._build.staging.remove()
            self._build = None

    def _forget_good(self) -> None:
        if self._good is not None:
            self._good.staging.remove()
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


def _point_to(documents: Path, files: Files) -> None:
    """Let other plugins that look into the registered documents find what was rendered."""
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
