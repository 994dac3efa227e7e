"""Fills the pages of a site: markers in Markdown, the catalog's part of each item page, links in the head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
from markupsafe import escape

from ..api import addresses
from ..authored.pages import Page
from ..build import Build
from ..problems import CatalogError, Problems
from ..publish import feeds
from ..settings import Settings
from ..write import ItemDocuments
from .markers import MARKER, Marker, MarkerError, line_of, parse
from .parts import Parts
from .render import Place
from .view import CatalogView

_HEADING = re.compile(r"<h([1-6])\b")


class Filled(NamedTuple):
    """A page with the catalog in it."""

    html: str
    findable: str
    """What a search should find of it, in place of the whole."""


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
        self._parts = Parts(settings, self.catalog, self._overrides)
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

    def take(self, item: ItemDocuments) -> None:
        """Render the page of an image while its documents are at hand."""
        if item.page is None or not item.page.own:
            return
        url = item.page.url
        if self._settings.web and url in self._by_url:
            self._findable[url] = _findable(item)
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
        """A whole page with the links that belong in its head; `url` is below the site's root."""
        root = self._place(url).root
        own = self._own[url].slug if url in self._own and self._own[url].resource == "images" else None
        shown = self._shown.get(url, set())
        found = [
            ("alternate", feeds.media_type(path), path)
            for path in feeds.belonging(self._feeds, shown, own if self._settings.web else None)
        ]
        if url in self._own and self._settings.web:
            # The second word keeps Material from taking the document for a translation of the page.
            item = self._own[url]
            path = f"{addresses.PREFIX}/{addresses.item(item.resource, item.slug)}"
            found.append(("alternate describedby", "application/json", path))
        links = "".join(
            f'<link rel="{rel}" type="{kind}" href="{escape(root + path)}">' for rel, kind, path in found
        )
        return html.replace("</head>", links + "</head>", 1) if links else html

    def _place(self, url: str) -> Place:
        return Place("../" * url.count("/"), self._mount, self._origin)

    def _item(self, item: ItemDocuments, page: Page) -> str:
        content = self._contents.get(page.uri, "")
        at = next((found for found in MARKER.finditer(content) if _names_item(found)), None)
        level = _level(content[: at.start()]) if at else 2
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
            return self._parts.marker(marker, own, place, _level(before))

        def replace(match: re.Match[str]) -> str:
            return self._or_problem(lambda: render(match), page, line_of(match[0], page.text))

        html = MARKER.sub(replace, content)
        self._shown[page.url] = names
        findable = MARKER.sub("", content)
        if own is None:
            return Filled(html, findable)
        if "item" not in names:
            html += self._rendered[page.url] if page.url in self._rendered else self._item(own, page)
        title = "" if "<h1" in content else f"<h1>{escape(_name(own))}</h1>\n"
        return Filled(title + html, title + findable + self._findable.get(page.url, ""))

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


def _level(before: str) -> int:
    """The level of headings below what stands before."""
    levels = _HEADING.findall(before)
    return min(int(levels[-1]) + 1, 6) if levels else 2


def _name(item: ItemDocuments) -> str:
    return str(item.document.data.name)  # type: ignore[attr-defined]


def _findable(item: ItemDocuments) -> str:
    """What people look for: name, description, category, and what is open in the newest release."""
    data = msgspec.to_builtins(item.document)["data"]
    words = [data["name"], data["description"], data["category"]]
    if item.detail is not None:
        words += dict.fromkeys(row.id for row in item.detail.latest.cves or ())
    return f"<p>{escape(' '.join(filter(None, words)))}</p>"


def _split(site_url: str | None) -> tuple[str, str | None]:
    """Mount path and origin of the site."""
    parts = urlsplit(site_url or "")
    return addresses.mount_path(site_url), f"{parts.scheme}://{parts.netloc}" if parts.netloc else None
