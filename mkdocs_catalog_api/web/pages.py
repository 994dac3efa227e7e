"""Fills the pages of a site: markers in Markdown, the catalog's part of each item page, links in the head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from markupsafe import escape

from ..authored.pages import Page
from ..authored.settings import Settings
from ..build import Build
from ..catalog import addresses
from ..documents.write_items import ItemDocuments
from ..problems import CatalogError, Problems
from ..publish import feeds
from . import head
from .filled import Filled, findable, headings, lead, level_below, title
from .gathered import Gathered
from .markers import MARKER, Marker, MarkerError, line_of, parse
from .parts import COLLECTIONS, Parts
from .render import Place
from .view import CatalogView


class Web:
    """The web pages of one build; `contents` has the HTML of each page by its path below docs_dir.

    `missing` as in `CatalogView`.
    """

    def __init__(
        self,
        settings: Settings,
        site_url: str | None,
        pages: Sequence[Page],
        contents: Mapping[str, str],
        custom_dir: str | None,
        missing: Callable[[str], Exception],
    ) -> None:
        self._settings, self._missing, self._contents = settings, missing, contents
        self._overrides = Path(custom_dir) if custom_dir else None
        self._mount, self._origin = _split(site_url)
        self._pages = {page.uri: page for page in pages}
        self._by_url = {page.url: page for page in pages}
        self.catalog = CatalogView(self._mount, missing)
        self._gathered = Gathered()
        self._parts = Parts(settings, self.catalog, self._gathered, self._overrides)
        self._homes = _homes(contents, self._pages) if settings.web else {}
        # Templates of the site's own may ask for any document, so with them every page waits for all.
        self._waits = bool(self._overrides and (self._overrides / "catalog").exists())
        self._own: dict[str, ItemDocuments] = {}
        """Address of each item's own page → what is known of the item."""
        self._rendered: dict[str, str] = {}
        """Address of an item's page → the catalog's part of it."""
        self._findable: dict[str, str] = {}
        self._problems = Problems()
        self._shown: dict[str, set[str]] = {}
        """Address of a page → the markers on it."""
        self._feeds: Set[str] = set()
        self._further: dict[str, list[tuple[str, str, str]]] = {}
        """Address of a page → for each further page of a list its name, the first one's HTML and its own."""

    def take(self, item: ItemDocuments) -> None:
        """Render the page of an image while its documents are at hand."""
        if item.detail is not None:
            data: Any = item.document
            self._gathered.add(item.slug, data.data.lifecycle, item.detail)
        if item.page is None or not item.page.own:
            return
        url = item.page.url
        if self._settings.web and url in self._by_url:
            self._findable[url] = findable(item)
            if item.resource == "images" and not self._waits:
                self._rendered[url] = self._item(item, self._by_url[url])
                item = item._replace(detail=None)
        self._own[url] = item

    def fill(self, build: Build | None, problems: Problems, *, strict: bool) -> dict[str, Filled]:
        """The pages that change. Without a build (the catalog is refused) the catalog is empty.

        Raises:
            CatalogError: a marker or a template is wrong.
        """
        if build is not None and build.staging is not None:
            folder = build.staging.documents
            self.catalog.show(build.contents, folder)
            self._feeds = build.feeds.keys()
        filled: dict[str, Filled] = {}
        for uri, content in self._contents.items() if self._settings.web else ():
            page = self._pages.get(uri) or Page(uri, uri, None, "\0")
            after = self._fill(page, content)
            if after.html != content:
                filled[uri] = after
        problems.extend(self._problems)
        if problems.refuse(strict=strict):
            raise CatalogError(problems)
        return filled

    def head(self, url: str, html: str) -> str:
        """A whole page with what belongs in its head; `url` is below the site's root."""
        before, end, after = html.partition("</head>")
        place, more = self._place(url), ""
        own = self._own[url].slug if url in self._own and self._own[url].resource == "images" else None
        shown = self._shown.get(url, set())
        # The second words keep Material from taking these for translations of the page.
        found = [
            ("alternate feed", feeds.media_type(path), path)
            for path in feeds.feeds_of_page(self._feeds, shown, own if self._settings.web else None)
        ]
        if url in self._own and self._settings.web:
            item = self._own[url]
            path = f"{addresses.PREFIX}/{addresses.item(item.resource, item.slug)}"
            found.append(("alternate describedby", "application/json", path))
            more = head.described(item.document, place, before)
        links = "".join(
            f'<link rel="{rel}" type="{kind}" href="{escape(place.root + path)}">'
            for rel, kind, path in found
        )
        return before + links + more + end + after if end else html

    def further(self, url: str, html: str) -> dict[str, str]:
        """The further pages of the lists on a whole page: path below the site → HTML."""
        folder = url if not url or url.endswith("/") else url.rpartition("/")[0] + "/"
        folder = folder.removeprefix("/")
        return {
            folder + name: html.replace(first, own, 1)
            for name, first, own in self._further.get(url, ())
            if first in html
        }

    def list_of(self, url: str) -> str | None:
        """Path below docs_dir of the page that lists the collection of the item on this page."""
        item = self._own.get(url)
        home = self._homes.get(item.resource) if item else None
        return self._by_url[home].uri if home in self._by_url else None

    def _place(self, url: str) -> Place:
        stem = url.rpartition("/")[2].removesuffix(".html") or "index"
        return Place("../" * url.count("/"), self._mount, self._origin, stem, self._homes)

    def _item(self, item: ItemDocuments, page: Page) -> str:
        content = self._contents.get(page.uri, "")
        at = next((found for found in MARKER.finditer(content) if _names_item(found)), None)
        level = level_below(content[: at.start()]) if at else 2
        return self._or_problem(lambda: self._parts.item(item, self._place(page.url), level), page, 0)

    def _fill(self, page: Page, content: str) -> Filled:
        place, own = self._place(page.url), self._own.get(page.url)
        names: set[str] = set()

        def render(match: re.Match[str]) -> str:
            marker = parse(match[1])
            names.add(marker.name)
            before = content[: match.start()]
            if before.rfind("<p>") > before.rfind("</p>"):
                raise MarkerError("the marker stands within a paragraph", "give it a line of its own")
            if marker == _ITEM and page.url in self._rendered:
                return self._rendered[page.url]
            first, *rest = self._parts.marker(marker, own, place, level_below(before))
            for number, html in enumerate(rest, 2):
                name = f"{place.stem}-{marker.name}-{number}.html"
                self._further.setdefault(page.url, []).append((name, first, html))
            return first

        def replace(match: re.Match[str]) -> str:
            return self._or_problem(lambda: render(match), page, line_of(match[0], page.text))

        html = MARKER.sub(replace, content)
        self._shown[page.url] = names
        found = MARKER.sub("", content)
        if "cves" in names:
            found += f"<p>{escape(' '.join(self._parts.ids()))}</p>"
        if own is None:
            return Filled(html, found, headings(html))
        if "item" not in names:
            html += self._rendered[page.url] if page.url in self._rendered else self._item(own, page)
        heading = "" if "<h1" in content else f"<h1>{escape(title(own))}</h1>\n"
        trail = self._or_problem(lambda: self._parts.trail(own, place), page, 0)
        found = heading + found + self._findable.get(page.url, "")
        return Filled(heading + html, found, headings(html), trail, lead(own))

    def _or_problem(self, make: Callable[[], str], page: Page, line: int) -> str:
        try:
            return make()
        except MarkerError as error:
            self._problems.add(error.problem(page.file, line))
            return ""


_ITEM = Marker("item", {})


def _names_item(match: re.Match[str]) -> bool:
    try:
        return parse(match[1]) == _ITEM
    except MarkerError:
        return False


def _homes(contents: Mapping[str, str], pages: Mapping[str, Page]) -> dict[str, str]:
    """Collection (and `cves`) → address of the first page that lists all of it."""
    found: dict[str, str] = {}
    for uri, content in contents.items():
        for match in MARKER.finditer(content):
            try:
                marker = parse(match[1])
            except MarkerError:
                continue
            whole = marker.name in (*COLLECTIONS, "cves", "security") and not marker.arguments.keys() - {
                "view"
            }
            if whole and uri in pages and marker.arguments.get("view") != "summary":
                found.setdefault(marker.name, pages[uri].url)
    return found


def _split(site_url: str | None) -> tuple[str, str | None]:
    """Mount path and origin of the site."""
    parts = urlsplit(site_url or "")
    return addresses.mount_path(site_url), f"{parts.scheme}://{parts.netloc}" if parts.netloc else None
