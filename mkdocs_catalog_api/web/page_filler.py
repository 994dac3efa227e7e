"""Fill the pages of a site: markers in Markdown, the catalog's part of each item page, links in the head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from html import escape as html_escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import urlsplit

from markupsafe import escape

from ..authored.front_matter import Page
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog import addresses
from ..catalog.markdown import plain_text
from ..catalog.value import Image
from ..items.collections import COLLECTIONS, WITH_DOCUMENTS
from ..problems import CatalogError, Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from ..publish import feeds
from .logos import SPRITE
from .markers import MARKER, line_of, near_misses, parse, well_formed
from .parts import MARKERS, SECTIONS, ItemPage, Parts, item_pages, sections
from .render import Place
from .replaced_words import unused_words
from .view import CatalogView

STYLE = "assets/catalog-api.css"
SCRIPT = "assets/catalog-api.js"
_COMMENT = re.compile(rb"^ *(?:(?://.*|/\*.*\*/)?\n)?", re.MULTILINE)
_SPACE = {
    ".css": re.compile(rb'("[^"]*")|;?\s*(})\s*|\s*([{;>])\s*|(?<=[:,])\s'),
    ".js": re.compile(
        rb'("[^"\n]*"|`[^`]*`)|;?\n(?=})|(?<=[,;{(\[])\n|\n(?=[]).?:])| ([-+*/<>=!?:&|]{1,3}) |'
        rb"(?<=[,:{)])() | (?=})"
    ),
}
"""Kind of file → the space in it that means nothing, and around it the strings and signs that stay."""


def _served(file: Traversable) -> bytes:
    """A style sheet or script without what is for developers: comments on their own lines, and space."""
    return _SPACE[PurePath(file.name).suffix].sub(rb"\1\2\3", _COMMENT.sub(b"", file.read_bytes()))


ASSETS = {
    f"assets/{file.name}": _served(file)
    for file in sorted((files("mkdocs_catalog_api.web") / "assets").iterdir(), key=lambda file: file.name)
}
"""Path in the site → content of the style sheet and the scripts."""
_TITLE = re.compile(r"<h1\b.*?</h1>", re.DOTALL)
_HEADING = re.compile(r"<h([1-6])\b")
_TAG = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)
_OURS = re.compile(r'<h([1-6]) id="(catalog-[^"]+)">(.*?)</h')


def script_element(url: str) -> str:
    """The element that loads the script, on the page at `url` below the site."""
    return f'<script src="{"../" * url.count("/")}{SCRIPT}" defer></script>'


class FurtherPage(NamedTuple):
    """A further page of a list: a copy of the page with the list, with other rows."""

    path: str
    """Path in the site."""
    first: str
    """HTML of the first page of the list."""
    html: str
    """HTML that replaces it."""


class FilledPage(NamedTuple):
    """A page with the catalog in it."""

    html: str
    findable: str
    """Text for the search index, instead of the whole page."""
    headings: Sequence[tuple[int, str, str]] = ()
    """Level, id and text of the headings that came with the catalog."""
    further: Sequence[FurtherPage] = ()
    links: str = ""
    """Link elements for the head."""
    description: str = ""
    """Description of the item as its author wrote it; generators copy it into meta elements."""
    searched: tuple[str, str] | None = None
    """Title and text of its item for the search index."""
    listed_on: str | None = None
    """Path in docs_dir of the page that lists the collection of this page's item."""
    title: str = ""
    """Name of its item if the page has no heading of the first level; else empty."""

    def with_head(self, html: str) -> str:
        """A whole page with all elements of its head."""
        before, end, after = html.partition("</head>")
        return self.plain(before) + self.links + end + after if end else html

    def plain(self, head: str) -> str:
        """A head whose meta elements have the description without Markdown."""
        text = plain_text(self.description)
        if text != self.description:
            for written in (str, escape, html_escape):  # by a template, by markupsafe, by others
                head = head.replace(str(written(self.description)), str(written(text)))
        return head

    def further_pages(self, html: str) -> dict[str, str]:
        """The further pages of the lists on a whole page: path below the site → HTML."""
        return {
            page.path: html.replace(page.first, page.html, 1) for page in self.further if page.first in html
        }


class PageFiller:
    """Fills the pages of a site that are rendered; `titles` is whether their HTML contains their headings."""

    def __init__(
        self,
        site: Site,
        settings: Settings,
        view: CatalogView,
        feed_paths: Set[str],
        *,
        titles: bool = True,
    ) -> None:
        self.view, self._language = view, site.language
        self._pages = {page.uri: page for page in (*site.pages, *site.item_pages)}
        contents = {uri: page.html for uri, page in self._pages.items() if page.html is not None}
        self._contents = contents if settings.web else {}
        parts = urlsplit(site.site_url or "")
        self._mount = addresses.mount_path(site.site_url)
        self._origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else None
        self._feeds, self._titles = feed_paths, titles
        urls = {page.url.removeprefix(site.language) for page in self._pages.values()}
        self._translated = urls if site.language else frozenset()
        self._list_pages = _list_pages(contents, self._pages)
        self._homes = {name: page.url for name, page in self._list_pages.items()}
        self._parts = Parts(settings, view, site)
        self._unused_words = [*unused_words(site)]
        self._items = item_pages(view)

    @property
    def files(self) -> dict[str, bytes]:
        """Files that pages use in addition to style and script: path below the site → content."""
        sprite = self._parts.logos.sprite if self._contents else None
        return {SPRITE: sprite} if sprite else {}

    def fill(self, problems: Problems, *, strict: bool) -> dict[str, FilledPage]:
        """The changed pages, by their path in docs_dir.

        Raises `CatalogError` if a marker or a template is wrong.
        """
        problems.extend(self._unused_words)
        pages = {
            uri: self._fill(self._pages[uri], content, problems) for uri, content in self._contents.items()
        }
        if problems.refuse(strict=strict):
            raise CatalogError(problems)
        return {uri: page for uri, page in pages.items() if page.html != self._contents[uri]}

    def part(self, content: str, url: str) -> FilledPage:
        """The beginning of a page that another one shows, such as that of a post on a blog's index.

        `url` is that of the other page. Problems are left out: `fill` adds them to the whole page.
        """
        return self._fill(Page("", "", "", url), content, Problems())

    def _fill(self, page: Page, content: str, problems: Problems) -> FilledPage:
        url, own = page.url, self._items.get(page.url.removeprefix(self._language))
        stem = url.rpartition("/")[2].removesuffix(".html") or "index"
        place = Place(
            "../" * url.count("/"),
            self._mount,
            self._origin,
            stem,
            self._homes,
            self._language,
            self._translated,
            " ".join(sorted(self._items.keys() - self._translated)) if self._language else "",
        )
        names: set[str] = set()
        shown: Sequence[str] = SECTIONS
        further: list[FurtherPage] = []

        def warn(text: str, message: str, hint: str) -> None:
            line = line_of(text, page.text)
            problems.add(Problem(page.file, line, 0, "", message, hint, Level.WARNING, code=Code.MARKER))

        def render(match: re.Match[str]) -> str:
            nonlocal shown
            marker = parse(match[1])
            names.add(marker.name)
            shown = sections(marker.arguments) if marker.name == "item" else shown
            before = content[: match.start()]
            if before.rfind("<p>") > before.rfind("</p>"):
                raise RefusedError(
                    "the marker is inside a paragraph",
                    "move it to a separate line, with blank lines around it",
                )
            levels = _HEADING.findall(before)
            level = min(int(levels[-1]) + 1, 6) if levels else 2
            first, *rest = self._parts.marker(marker, own, place, level)
            for unmatched in self._parts.unmatched(marker):
                warn(match[0], unmatched.message, unmatched.hint)
            if marker.name == "item" and own and not self._titles:
                first = self._parts.head(own, place, "", shown, lead=False) + first
            folder = url.rpartition("/")[0].removeprefix("/")
            for number, html in enumerate(rest, 2):
                name = f"{stem}-{marker.name}-{number}.html"
                further.append(FurtherPage(f"{folder}/{name}" if folder else name, first, html))
            return first

        def replace(match: re.Match[str]) -> str:
            line = line_of(match[0], page.text)
            return _or_problem(lambda: render(match), page, line, problems)

        for marker in near_misses(content, MARKERS):
            message = f"{marker!r} looks like a marker but is not one, so the page shows nothing here"
            warn(marker, message, "write `<!-- catalog: NAME -->`")
        html = MARKER.sub(replace, content)
        findable = MARKER.sub("", content)
        if "cves" in names:
            findable += f"<p>{escape(' '.join([*self._parts.ids(), *self._parts.packages]))}</p>"
        if own is None:
            return FilledPage(html, findable, _headings(html), further, self._links(place, names))
        if "item" not in names:
            html += _or_problem(lambda: self._parts.item(own, place, 2), page, 0, problems)
        entry = own.item.entry
        text = own.findable(packages="cves" not in self._homes or not self._parts.packages)
        headings = _headings(html)
        has_title = "<h1" in content
        title = "" if has_title else f"<h1>{escape(entry.name)}</h1>"
        if self._titles:
            before, own_title, after = _around_title(title + html)
            lead = _letters(str(escape(plain_text(entry.description or "")))) not in _letters(content)
            head = _or_problem(
                lambda: self._parts.head(own, place, own_title, shown, lead=lead), page, 0, problems
            )
            html = f"{before}{head or own_title}\n{after}"
        listed_on = self._list_pages.get(own.resource)
        return FilledPage(
            html=html,
            findable=f"{title}{findable}<p>{escape(text)}</p>",
            headings=headings,
            further=further,
            links=self._links(place, names, own),
            description=entry.description or "",
            searched=(entry.name, text),
            listed_on=listed_on.uri if listed_on else None,
            title="" if has_title else entry.name,
        )

    def _links(self, place: Place, markers: Set[str], own: ItemPage | None = None) -> str:
        """Links to the feeds of a page with these markers, and to the document of its item."""
        image = own.slug if own and isinstance(own.item, Image) else None
        # Without the second words Material treats these as translations of the page.
        links = [
            ("alternate feed", feeds.RSS_TYPE, path)
            for path in feeds.feeds_of_page(self._feeds, markers, image)
        ]
        if own and own.resource in WITH_DOCUMENTS:
            path = f"{addresses.PREFIX}/{addresses.item(own.resource, own.slug)}"
            links.append(("alternate describedby", "application/json", path))
        return "".join(
            f'<link rel="{rel}" type="{kind}" href="{escape(place.root + path)}">'
            for rel, kind, path in links
        )


def _or_problem(make: Callable[[], str], page: Page, line: int, problems: Problems) -> str:
    """The result of `make`; nothing, and a problem, for a wrong marker or template."""
    try:
        return make()
    except RefusedError as error:
        if not error.file:  # else it is in a template
            error.line = line
        problems.add(error.problem(page.file, Code.MARKER))
        return ""


def _list_pages(contents: Mapping[str, str], pages: Mapping[str, Page]) -> dict[str, Page]:
    """Collection (and `cves`) → the first page that lists all of it."""
    list_pages: dict[str, Page] = {}
    for uri, content in contents.items():
        for marker in well_formed(content):
            listing = marker.name in (*COLLECTIONS, "cves", "security")
            if listing and marker.arguments.keys() <= {"view"} and marker.arguments.get("view") != "summary":
                list_pages.setdefault(marker.name, pages[uri])
    return list_pages


def _around_title(html: str) -> tuple[str, str, str]:
    """The HTML before the title of a page, the title, and the HTML after it."""
    title = _TITLE.search(html)
    return (html[: title.start()], title[0], html[title.end() :]) if title else ("", "", html)


def _letters(html: str) -> str:
    """The text of some HTML, without spaces."""
    return "".join(_TAG.sub("", html).split())


def _headings(html: str) -> list[tuple[int, str, str]]:
    """Level, id and text of the headings that came with the catalog."""
    return [(int(level), id_, text) for level, id_, text in _OURS.findall(html)]
