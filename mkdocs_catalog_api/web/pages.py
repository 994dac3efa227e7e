"""Fills the pages of a site: markers in Markdown, the catalog's part of each item page, links in the head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from urllib.parse import urlsplit

from markupsafe import escape

from ..authored.pages import Page
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog import addresses
from ..catalog.value import Catalog
from ..problems import CatalogError, Problems
from ..publish import feeds
from . import head
from .filled import Filled, headings, level_below
from .item_pages import item_pages
from .markers import MARKER, MarkerError, line_of, parse
from .parts import COLLECTIONS, Parts
from .render import Place
from .view import CatalogView


class Web:
    """The web pages of one build, filled from its catalog; without one (it is refused) that is empty.

    `contents` has the HTML of each page by its path below docs_dir, `folder` the documents, `made_feeds` the
    paths of the feeds. `missing` as in `CatalogView`.
    """

    def __init__(
        self,
        settings: Settings,
        site: Site,
        contents: Mapping[str, str],
        catalog: Catalog | None,
        folder: Path = Path(),
        made_feeds: Set[str] = frozenset(),
        missing: Callable[[str], Exception] = LookupError,
    ) -> None:
        self._settings, self._contents, self._feeds = settings, contents, made_feeds
        self._mount, self._origin = _split(site.site_url)
        self._pages = {page.uri: page for page in site.pages}
        self._by_url = {page.url: page for page in site.pages}
        self.catalog = CatalogView(catalog, folder, self._mount, missing)
        self._parts = Parts(settings, catalog, self.catalog, site.custom_dir)
        self._homes = _homes(contents, self._pages) if settings.web else {}
        self._own = item_pages(catalog) if catalog else {}
        """Address of each item's own page → what is known of the item."""
        self._shown: dict[str, set[str]] = {}
        """Address of a page → the markers on it."""
        self._further: dict[str, list[tuple[str, str, str]]] = {}
        """Address of a page → for each further page of a list its name, the first one's HTML and its own."""

    def fill(self, problems: Problems, *, strict: bool) -> dict[str, Filled]:
        """The pages that change, by their path below docs_dir.

        Raises:
            CatalogError: a marker or a template is wrong.
        """
        filled: dict[str, Filled] = {}
        for uri, content in self._contents.items() if self._settings.web else ():
            page = self._pages.get(uri) or Page(uri, uri, None, "\0")
            after = self._fill(page, content, problems)
            if after.html != content:
                filled[uri] = after
        if problems.refuse(strict=strict):
            raise CatalogError(problems)
        return filled

    def head(self, url: str, html: str) -> str:
        """A whole page with what belongs in its head; `url` is below the site's root."""
        before, end, after = html.partition("</head>")
        place, more = self._place(url), ""
        item = self._own.get(url)
        own = item.slug if item and item.resource == "images" else None
        shown = self._shown.get(url, set())
        # The second words keep Material from taking these for translations of the page.
        found = [
            ("alternate feed", feeds.media_type(path), path)
            for path in feeds.feeds_of_page(self._feeds, shown, own if self._settings.web else None)
        ]
        if item and self._settings.web:
            path = f"{addresses.PREFIX}/{addresses.item(item.resource, item.slug)}"
            found.append(("alternate describedby", "application/json", path))
            more = head.described(item.data, place, before)
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

    def _fill(self, page: Page, content: str, problems: Problems) -> Filled:
        place, own = self._place(page.url), self._own.get(page.url)
        names: set[str] = set()

        def render(match: re.Match[str]) -> str:
            marker = parse(match[1])
            names.add(marker.name)
            before = content[: match.start()]
            if before.rfind("<p>") > before.rfind("</p>"):
                raise MarkerError("the marker stands within a paragraph", "give it a line of its own")
            first, *rest = self._parts.marker(marker, own, place, level_below(before))
            for number, html in enumerate(rest, 2):
                name = f"{place.stem}-{marker.name}-{number}.html"
                self._further.setdefault(page.url, []).append((name, first, html))
            return first

        def replace(match: re.Match[str]) -> str:
            line = line_of(match[0], page.text)
            return _or_problem(lambda: render(match), page, line, problems)

        html = MARKER.sub(replace, content)
        self._shown[page.url] = names
        found = MARKER.sub("", content)
        if "cves" in names:
            found += f"<p>{escape(' '.join(self._parts.ids()))}</p>"
        if own is None:
            return Filled(html, found, headings(html))
        if "item" not in names:
            html += _or_problem(lambda: self._parts.item(own, place, 2), page, 0, problems)
        entry = own.item.entry
        heading = "" if "<h1" in content else f"<h1>{escape(entry.name)}</h1>\n"
        lead = (
            f'<p class="catalog catalog-lead">{escape(entry.description)}</p>\n' if entry.description else ""
        )
        trail = _or_problem(lambda: self._parts.trail(own, place), page, 0, problems)
        words = " ".join(filter(None, own.findable()))
        return Filled(heading + html, f"{heading}{found}<p>{escape(words)}</p>", headings(html), trail, lead)


def _or_problem(make: Callable[[], str], page: Page, line: int, problems: Problems) -> str:
    """What it makes; nothing and a problem for a wrong marker or template."""
    try:
        return make()
    except MarkerError as error:
        problems.add(error.problem(page.file, line))
        return ""


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
