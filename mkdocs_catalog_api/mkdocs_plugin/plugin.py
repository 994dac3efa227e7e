"""Connects MkDocs events to the build. It contains no rule of the catalog."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.toc import AnchorLink

from ..authored.kept import KEPT
from ..authored.settings import Settings, read_settings
from ..authored.site import Site, own_files
from ..catalog.addresses import Addresses, mount_path
from ..problems import CatalogError, Problems
from ..publish.swap import Stamp, remember
from ..web.markers import MARKER
from ..web.page_filler import ASSETS, STYLE, FilledPage, PageFiller, script_element
from ..web.view import CatalogView
from .builds import Builds, keep_out_of_strict
from .mkdocs_pages import (
    Pages,
    add_documents,
    add_generated,
    add_item_pages,
    config_file,
    describe,
    has_languages,
    language,
    occupied_paths,
    point_to,
    root,
    uri,
    without_replaced,
)

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from jinja2 import Environment
    from mkdocs.config.base import ConfigErrors, ConfigWarnings
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page as MkDocsPage
    from mkdocs.utils.templates import TemplateContext

_HEADERS = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
"""What `mkdocs serve` sends with documents: any origin may read them, and no cache stores them."""


class SiteRead(BaseException):
    """Ends a build that only reads the site, and holds the result. It is no error, so that no plugin handles
    it as one.
    """

    def __init__(self, site: Site, settings: Settings, *, strict: bool) -> None:
        self.result = site, settings, strict


class CatalogApiPlugin(BasePlugin):  # type: ignore[no-untyped-call,type-arg,unused-ignore]
    """Publishes the JSON API of the catalog with the site."""

    read_only = False
    """Whether to end the build with `SiteRead` once all pages are final."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._pages = Pages()
        self._builds = Builds()
        self._server: LiveReloadServer | None = None
        self._watched: list[str] = []
        self._stamps: Mapping[str, Stamp] = {}
        self._reset()

    def _reset(self) -> None:
        self._pages.begin()
        self._problems = Problems()
        self._settings: Settings | None = None
        self._occupied: dict[str, str] = {}
        self._item_pages: Set[str] = frozenset()
        """Paths in docs_dir of the pages that the plugin makes."""
        self._site_dir = ""
        self._filler: PageFiller | None = None
        self._filled: dict[str, FilledPage] = {}
        """The filled pages, by their path in docs_dir."""
        self._lists: dict[str, MkDocsPage] = {}
        """Path of an item's page → the page that lists its collection."""

    @property
    def problems(self) -> Problems:
        """The problems of the last build."""
        return self._problems

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[ConfigErrors, ConfigWarnings]:
        """Keep the options unchanged; `on_config` validates them and reports all problems together."""
        self._options = options
        return super().load_config({}, config_file_path)

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """`startup`: the presence of this event keeps the plugin alive between builds of `mkdocs serve`."""
        self._builds.serving = KEPT.keeps = command == "serve"
        self._pages = Pages(dirty=dirty)

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """`config`: validate the settings. In serve, start to watch their files."""
        self._reset()
        if self._builds.serving:
            keep_out_of_strict()
        self._settings = read_settings(self._options, config_file(config), self._problems)
        if self._settings is None:
            self._builds.refuse(CatalogError(self._problems))
            return config
        self._watch(config)
        if self.read_only:  # MkDocs clears the folder of the site next
            self._site_dir, config.site_dir = config.site_dir, str(Path(config.site_dir, "nothing to clear"))
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """`pre_build`: remember the time of each document, as MkDocs clears the site next."""
        if not language(config):
            self._stamps = remember(Path(config.site_dir))

    @event_priority(50)  # before redirects and htmlproofer, which look pages up in this event
    def _on_files_early(self, files: Files, *, config: MkDocsConfig) -> Files:
        """`files`: make the pages of items, unless static-i18n, which can't handle them yet, comes first."""
        if self._settings and self._settings.web and not has_languages(config):
            self._item_pages = add_item_pages(files, self._settings, config)
        return files

    @event_priority(-200)  # after static-i18n, and after plugins that make pages
    def _on_files_late(self, files: Files, *, config: MkDocsConfig) -> Files:
        """`files`: register the output files, except those that the author provides."""
        self._occupied = occupied_paths(files, config)
        if self._settings and self._settings.web:
            add_generated(files, ASSETS, config)
            if has_languages(config):
                self._item_pages = add_item_pages(files, self._settings, config)
            else:
                self._item_pages = without_replaced(files, self._item_pages)
        if not language(config) and self._settings is not None and self._problems.refuse(strict=False):
            self._builds.refuse(CatalogError(self._problems))
        add_documents(files, self._occupied, self._settings or Settings(), config)
        return files

    on_files = CombinedEvent(_on_files_early, _on_files_late)

    @event_priority(10_000)  # text of other plugins takes precedence
    def on_page_read_source(self, *, page: MkDocsPage, config: MkDocsConfig) -> str:
        """`page_read_source`: read and remember the text. MkDocs gets an empty page if it is not UTF-8."""
        try:
            return self._pages.text(page.file, config) or ""
        except OSError as error:
            raise PluginError(str(error)) from error

    @event_priority(10_000)
    def on_page_markdown(self, markdown: str, /, *, page: MkDocsPage, **_: Any) -> None:
        """`page_markdown`: remember the page before plugins change it."""
        self._pages.read(page, markdown)

    @event_priority(-100)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """`env`: read, write and check the catalog; all pages are final, and none is written yet."""
        if self._settings is None:
            env.globals["catalog"] = CatalogView()
            return env
        strict = bool(config.strict)
        if self.read_only:
            config.site_dir = self._site_dir
        pages = self._pages.collect(files, config)
        site = describe(config, files, pages, self._item_pages, self._occupied)
        if self.read_only:
            raise SiteRead(site, self._settings, strict=strict)
        build = self._builds.translate if site.language else self._builds.make
        filler, filled_pages = build(site, self._settings, self._problems, strict=strict)
        self._filler, self._filled = filler, {**filled_pages}
        env.globals["catalog"] = filler.view
        add_generated(files, filler.files, config)
        if new := self._builds.new:
            point_to(new, files)
        by_path = {uri(file): file.page for file in files.documentation_pages() if file.page is not None}
        for path, filled in self._filled.items():
            page = by_path[path]
            page.content = filled.findable
            if filled.description:
                page.meta.setdefault("description", filled.description)
            if filled.title:
                # For tab, navigation and search; else MkDocs makes a title of the file's name.
                page.meta.setdefault("title", filled.title)
            _add_headings(page, filled.headings)
            if filled.listed_on is not None and filled.listed_on != path:
                self._lists[path] = by_path[filled.listed_on]
        if not self._builds.serving:
            # The catalog lasts as long as the build, so that garbage collection need not visit it.
            gc.freeze()
        return env

    @event_priority(-200)  # after the search plugin, which reads the page in this event, and after blogs
    def on_page_context(
        self, context: TemplateContext, /, *, page: MkDocsPage, config: MkDocsConfig, **_: Any
    ) -> None:
        """`page_context`: show the whole page; the search has indexed only a part of it.

        Themes link the style before the author's. The script is in the content, which instant navigation
        replaces and runs: the rest of a page stays as it was on the first page that a reader has opened.
        """
        if filled := self._filled.get(uri(page.file)):
            page.content = filled.html
            # The built-in themes of MkDocs treat `source` of an item as a list, and print each letter.
            if isinstance(page.meta.get("source"), str):
                page.meta = {name: value for name, value in page.meta.items() if name != "source"}
        if self._fill_posts(context, page) or filled:
            page.content = (page.content or "") + script_element(page.url)
            config.extra_css.insert(0, STYLE)
        if list_page := self._lists.get(uri(page.file)):
            list_page.active = True

    def _fill_posts(self, context: Mapping[str, Any], page: MkDocsPage) -> bool:
        """Fill the markers of the posts that a page of Material's blog begins with: whether any."""
        if not (self._filler and self._settings and self._settings.web):
            return False
        path, url = uri(page.file), page.file.url.removeprefix("./")
        posts = [post for post in context.get("posts") or () if MARKER.search(post.content)]
        for post in posts:
            part = self._filler.part(post.content, url)
            post.content = part.html
            filled = self._filled.get(path) or FilledPage("", "")
            self._filled[path] = filled._replace(further=[*filled.further, *part.further])
        return bool(posts)

    @event_priority(100)  # before plugins that remove optional parts of HTML
    def on_post_page(self, output: str, /, *, page: MkDocsPage, config: MkDocsConfig, **_: Any) -> str:
        """`post_page`: complete the head, and write the additional pages of lists."""
        if list_page := self._lists.get(uri(page.file)):
            list_page.active = False
        filled = self._filled.get(uri(page.file))
        if filled is None:
            return output
        config.extra_css.remove(STYLE)
        html = filled.with_head(output)
        self._builds.put(filled.further_pages(html))
        return html

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """`post_build`: move the documents to the site; in serve, it may be the last good ones."""
        gc.unfreeze()
        if not language(config):
            self._builds.publish(self._stamps)

    def on_build_error(self, *, error: Exception) -> None:
        """`build_error`: remove the documents of this build."""
        self._builds.drop_new()

    def on_serve(
        self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Callable[..., Any]
    ) -> LiveReloadServer:
        """`serve`: send the headers that browsers need, and watch the files of the catalog.

        With `mkdocs serve --clean`, no earlier event indicates that MkDocs serves.
        """
        self._builds.serving = True
        base = Addresses(mount_path(config.site_url)).api("")
        if app := server.get_app():
            server.set_app(_with_headers(app, base))
        self._server = server
        self._watch(config)
        return server

    def _watch(self, config: MkDocsConfig) -> None:
        """Make the server rebuild when a file of the catalog changes.

        Each path is registered again, as the server silently stops watching a file that is removed.
        """
        if self._server is None or self._settings is None:
            return
        for path in self._watched:
            self._server.unwatch(path)
        self._watched = [str(path) for path in own_files(root(config), self._settings) if path.exists()]
        for path in self._watched:
            self._server.watch(path)

    def on_shutdown(self) -> None:
        """`shutdown`: remove the documents of `serve` and of an interrupted build."""
        self._builds.drop_all()


def _add_headings(page: MkDocsPage, headings: Sequence[tuple[int, str, str]]) -> None:
    """Add the catalog's headings (level, id, text) to the table of contents of a page."""
    for level, id_, text in headings:
        within = page.toc.items
        while within and within[-1].level < level:
            within = within[-1].children
        within.append(AnchorLink(unescape(text), id_, level))


def _with_headers(app: WSGIApplication, base: str) -> WSGIApplication:
    """Add the headers to documents under the path `base`."""
    ours = {name.lower() for name in _HEADERS}
    path = re.compile(re.escape(base) + r".*\.json")

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            asked = environ.get("PATH_INFO", "").encode("latin-1").decode(errors="replace")  # PEP 3333
            if path.fullmatch(asked):
                headers = [pair for pair in headers if pair[0].lower() not in ours] + [*_HEADERS.items()]
            return start_response(status, headers, *exc_info)

        return app(environ, start)

    return serve
