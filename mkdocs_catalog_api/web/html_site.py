"""The web pages of a site that another generator has built: each page of HTML is filled where it stands."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from urllib.parse import quote, unquote

from markupsafe import escape
from msgspec.structs import replace

from ..authored.folders import walk
from ..authored.pages import Page
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog.value import Catalog, Chart, Image, RoadmapItem
from ..problems import CatalogError, Level, Problem, Problems
from ..problems.codes import Code
from ..publish.site_files import put, refuse_links
from . import assets
from .html_page import HtmlPage, split_page, with_links, without_fillings
from .pages import Web

_BUILD_FIRST = "build the site with its generator before this command"


class HtmlSite:
    """The pages below `site_dir`; those of the catalog are found at the addresses that MkDocs gives them.

    Raises:
        CatalogError: there are no pages, or `web` is off.
    """

    def __init__(self, site: Site, settings: Settings, problems: Problems) -> None:
        self._site, self._settings, self._problems = site, settings, problems
        self._built: dict[str, str] = {}
        """Path below the site's folder → HTML."""
        self._paths: dict[str, str] = {}
        """`uri` of a page → path of its HTML."""
        self._divided: dict[str, HtmlPage] = {}
        self._contents: dict[str, str] = {}
        refused = Problems()
        if not settings.web:
            refused.add(
                site.config.problem(
                    ("web",), "no page is to be filled", "remove it, or `--web`", code=Code.SETTING
                )
            )
        sources = {_target(page.url): page for page in site.pages}
        self._by_url = {page.url: page for page in site.pages}
        pages = []
        for path in self._walk(refused):
            page = sources.get(path) or Page(path, f"{site.site_dir.name}/{path}", None, _url(path))
            pages.append(page)
            self._paths[page.uri] = path
        if not pages:
            message = f"the folder {site.site_dir.name!r} has no pages"
            refused.add(Problem("", 0, 0, "--web", message, _BUILD_FIRST, code=Code.HTML))
        if list(refused):
            raise CatalogError(refused)
        for page in pages:
            self._read(page)
        self._pages = pages

    def _walk(self, problems: Problems) -> list[str]:
        folder = self._site.site_dir
        if not folder.is_dir():
            return []
        found = walk(folder, folder.name, (folder,), problems, suffixes=(".html",))
        return [below + name for below, files in found for name in files if name.endswith(".html")]

    def _read(self, page: Page, *, item: bool = False) -> None:
        """Make a page ready if it shows something of the catalog, as each of an item does."""
        path = self._paths[page.uri]
        source = (self._site.site_dir / path).read_bytes()
        concerned = item or b"catalog:" in source.lower()
        try:
            html = source.decode()
        except UnicodeDecodeError:
            if concerned:
                self._warn(path, "the page is not UTF-8, so nothing is filled in it")
            return
        self._built[path] = html
        if concerned:
            parts = split_page(without_fillings(html), item=item)
            if parts is None:
                self._warn(path, "the page ends within a script or a comment, so nothing is filled in it")
                return
            self._divided[page.uri], self._contents[page.uri] = parts, parts.content

    def _warn(self, path: str, message: str) -> None:
        file = f"{self._site.site_dir.name}/{path}"
        hint = "have the generator write it otherwise"
        self._problems.add(Problem(file, 0, 0, "", message, hint, Level.WARNING, code=Code.HTML))

    def _read_items(self, catalog: Catalog) -> None:
        """Make the pages of items ready, markers or not."""
        items: list[Image | Chart | RoadmapItem] = [*catalog.images, *catalog.charts, *catalog.roadmap]
        for item in items:
            if item.page is None or not item.page.own:
                continue
            page = self._by_url[item.page.url]
            if page.uri in self._paths:
                self._read(page, item=True)
            else:
                message = "the site has no page of this file"
                self._problems.add(
                    Problem(page.file, 0, 0, "", message, _BUILD_FIRST, Level.WARNING, code=Code.HTML)
                )

    def fill(self, catalog: Catalog, folder: Path, feeds: Set[str], *, strict: bool) -> dict[str, bytes]:
        """What is to be written: path below the site's folder → content.

        `folder` has the documents of the catalog, `feeds` are the paths of its feeds.

        Raises:
            CatalogError: a marker or a template is wrong, or a page is a link.
        """
        self._read_items(catalog)
        site = replace(self._site, pages=self._pages)
        web = Web(self._settings, site, self._contents, catalog, folder, feeds)
        filled = web.fill(self._problems, strict=strict)
        files: dict[str, bytes] = {}
        for page in self._pages:
            path = self._paths[page.uri]
            if page.uri in filled:
                after = self._divided[page.uri].whole(filled[page.uri].html, _head(web, page.url))
            elif path in self._built:
                # A page that is left for one of the catalog without loading anew needs the script, too.
                after = with_links(without_fillings(self._built[path]), _head(web, page.url))
            else:
                continue
            if after != self._built[path]:
                files[path] = after.encode()
            further = web.further(page.url, after)
            files |= {unquote(beside): html.encode() for beside, html in further.items()}
        own = {path for path in assets.FILES if (self._site.docs_dir / path).exists()}
        files |= {path: content for path, content in assets.FILES.items() if path not in own}
        refused = Problems()
        for path in files:
            refuse_links(self._site.site_dir, path, refused)
        if list(refused):
            raise CatalogError(refused)
        return files


def _head(web: Web, url: str) -> str:
    root = "../" * url.count("/")
    style = f'<link rel="stylesheet" href="{escape(root + assets.STYLE)}">'
    script = f'<script src="{escape(root + assets.SCRIPT)}" defer></script>'
    return style + script + web.head(url, "</head>").removesuffix("</head>")


def write(files: dict[str, bytes], site_dir: Path, staging: Path) -> None:
    """Each file by a rename, never through a link.

    Raises:
        CatalogError, OSError: as `site_files.put`.
    """
    for path, content in files.items():
        put(site_dir, path, content, staging)


def _target(url: str) -> str:
    """The file that is served at an address below the site's root."""
    path = unquote(url)
    return path + "index.html" if path.endswith("/") or not path else path


def _url(path: str) -> str:
    return quote(path.removesuffix("index.html") if path.rpartition("/")[2] == "index.html" else path)
