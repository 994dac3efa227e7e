"""The web pages of a site built by another generator: each HTML page is filled in place.

A parser finds the exact places in a page (https://html.spec.whatwg.org/multipage/parsing.html): text in a
script, a title or an attribute is never a comment. Inserted HTML is between two comments, and the first one
contains the marker, so the generator's original page can always be restored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from html.parser import HTMLParser
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import msgspec
from markupsafe import escape
from msgspec.structs import replace

from ..authored.folders import walk, without_address
from ..authored.front_matter import Page
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog.value import Catalog
from ..problems import CatalogError, Level, Problem, Problems
from ..problems.codes import Code
from ..publish.site_files import refuse_links
from .markers import MARKER, Marker, well_formed
from .page_filler import ASSETS, STYLE, PageFiller, script_element
from .view import CatalogView

_BUILD_FIRST = "build the site with its generator before this command"
BEGIN = " catalog-api:begin"
END = "<!-- catalog-api:end -->"
FURTHER = b"<!-- catalog-api:further -->\n"
"""Last bytes of a further page of a list: the next run recognizes that the generator did not write it."""
_ITEM = "<!-- catalog: item -->"
_INDEX = "search.json"
"""Search index of Zensical, which indexes the headings and text of Markdown pages."""
_ADDED = "catalog-api"
"""Key of the index with the texts that were changed: location → text before, or null for a new entry."""
_FURTHER_NAME = re.compile(r"-[0-9]+\.html\Z")
_MASKED = "<\0!--"
"""Beginning of a text that is not a comment; HTML pages can't contain this character."""
_SHOWS_CATALOG = re.compile(rb"<!--\s*(catalog-api:begin\s+)?catalog(?!-?\w)", re.IGNORECASE)
_TEXT_ONLY = frozenset({"title", "textarea", "script", "style", "iframe", "noembed", "noframes", "xmp"})


class HtmlComment(NamedTuple):
    """A comment, from `start` up to `end`."""

    start: int
    end: int
    data: str


class _Positions(HTMLParser):
    """Positions of the relevant parts of a page, as offsets."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._html = html
        self._lines = [0, *accumulate(len(line) + 1 for line in html.split("\n"))]
        self._text_only: str | None = None
        self._depth = 0
        self._in_main = False
        self.comments: list[HtmlComment] = []
        self.ends: dict[str, int] = {}
        """End of each relevant element (for head and body, also the beginning)."""
        self.feed(html)
        self.close()

    @property
    def head_end(self) -> int:
        """Position for a new link in the head."""
        return self._first("/head", "body<", "head>", "html>", "doctype>") or 0

    @property
    def body(self) -> tuple[int, int]:
        """Beginning and end of the visible part of the page."""
        return self.ends.get("body>", self.head_end), self.ends.get("/body", len(self._html))

    @property
    def article_end(self) -> int:
        """End of the author's content: the article, else the main part, else the page."""
        end = self._first("/main article", "/main", "/article")
        return self.body[1] if end is None else end

    def _first(self, *names: str) -> int | None:
        """The first of these positions that the page has."""
        return next((self.ends[name] for name in names if name in self.ends), None)

    @property
    def _offset(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_decl(self, decl: str) -> None:
        self.ends.setdefault("doctype>", self._offset + len(decl) + 3)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Ignore self-closing tags; no relevant element is empty."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._text_only:
            return
        if tag in _TEXT_ONLY:
            self._text_only = tag
        elif tag in ("html", "head", "body"):
            self.ends.setdefault(f"{tag}<", self._offset)
            self.ends.setdefault(f"{tag}>", self._offset + len(self.get_starttag_text() or ""))
        elif tag == "main":
            self._in_main = True
        self._depth += tag == "article"

    def handle_endtag(self, tag: str) -> None:
        if self._text_only:
            self._text_only = None if tag == self._text_only else self._text_only
            return
        if tag == "article":
            self._depth = max(self._depth - 1, 0)
            if self._depth == 0:
                self.ends.setdefault("/main article" if self._in_main else "/article", self._offset)
        elif tag in ("head", "body", "main"):
            self._in_main = self._in_main and tag != "main"
            self.ends.setdefault(f"/{tag}", self._offset)

    def handle_comment(self, data: str) -> None:
        start, end = self._offset, self._offset + len(data) + 7
        if not self._text_only and self._html[start:end] == f"<!--{data}-->":
            self.comments.append(HtmlComment(start, end, data))


class HtmlPage(NamedTuple):
    """A page in three parts; `content` is the part to fill."""

    before: str
    content: str
    after: str

    def whole(self, content: str, head: str) -> str:
        """The page with its content filled, and with these links in its head."""
        links = f"<!--{BEGIN} -->{head}{END}"
        split = _Positions(self.before).head_end
        before = self.before[:split] + links + self.before[split:]
        return before + content.removeprefix(_HEADED).replace(_MASKED, "<!--") + self.after


_HEADED = "<h1></h1>"
"""Marks the page as one with a heading, because the generator writes it."""


def without_fillings(html: str) -> str:
    """The original page of the generator."""
    parts, position, marker = [], 0, None
    if BEGIN not in html:
        return html
    for comment in _Positions(html).comments:
        if comment.data.startswith(BEGIN) and marker is None:
            parts.append(html[position : comment.start])
            marker = comment.data.removeprefix(BEGIN)
        elif html[comment.start : comment.end] == END and marker is not None:
            parts.append(f"<!--{marker}-->" if marker.strip() else "")
            position, marker = comment.end, None
    return html if marker is not None else "".join([*parts, html[position:]])


def split_page(html: str, *, item: bool) -> HtmlPage | None:
    """Divide a page, with placeholders for each marker's content and, on an item's page, for the item.

    None if the original could not be restored: the page ends inside a script, a comment or similar.
    """
    positions = _Positions(html)
    start, end = positions.body
    comments = {comment.start: comment for comment in positions.comments}
    changes: list[tuple[int, int, str]] = []
    for match in MARKER.finditer(html, start, end):
        comment = comments.get(match.start())
        if comment is None or comment.end != match.end():
            changes.append((match.start(), match.start() + 4, _MASKED))
        else:
            changes.append((*match.span(), f"<!--{BEGIN}{comment.data}-->{match[0]}{END}"))
            item = item and Marker("item", {}) not in well_formed(match[0])
    if item:
        changes.append((positions.article_end, positions.article_end, f"<!--{BEGIN} -->{_ITEM}{END}"))
    parts, position = [_HEADED], start
    for first, last, text in sorted(changes):
        parts += html[position:first], text
        position = last
    page = HtmlPage(html[:start], "".join([*parts, html[position:end]]), html[end:])
    return page if without_fillings(page.whole(page.content, "")) == html else None


class _BuiltPage(NamedTuple):
    """A page built by the generator."""

    page: Page
    path: str
    """Path in the site's folder."""
    html: str
    divided: HtmlPage | None
    """None if it shows no part of the catalog."""


def fill_site(
    site: Site,
    settings: Settings,
    catalog: Catalog,
    folder: Path,
    feed_paths: Set[str],
    problems: Problems,
    *,
    strict: bool,
) -> dict[str, bytes | None]:
    """The files to write into the site: path in its folder → content, None for a file to remove.

    The pages are those in `site_dir`; those of the catalog have the same addresses as with MkDocs.
    `folder` has the documents of the catalog.

    Raises:
        CatalogError: there are no pages, `web` is off, a marker or template is wrong, or a page is a link.
    """
    every = _paths(site, settings, problems)
    further_before = {
        path
        for path in every
        if _FURTHER_NAME.search(path) and (site.site_dir / path).read_bytes().endswith(FURTHER)
    }
    paths = [path for path in every if path not in further_before]
    items = chain.from_iterable(catalog.items.values())
    item_urls = {item.page.url for item in items if item.page and item.page.own}
    sources = {_target(page.url): page for page in site.pages}
    for path in sorted(sources.keys() - {*paths}):
        if (page := sources[path]).url in item_urls:
            message = "the site has no page of this file"
            problems.add(Problem(page.file, 0, 0, "", message, _BUILD_FIRST, Level.WARNING, code=Code.MARKER))
    pages = [
        sources.get(path) or Page(path, f"{site.site_dir.name}/{path}", None, _url(path)) for path in paths
    ]
    built = [*_read(site, [*zip(paths, pages, strict=True)], item_urls, problems)]
    site = replace(
        site,
        pages=[replace(page, html=divided.content if divided else None) for page, _, _, divided in built],
    )
    view = CatalogView(catalog, folder, catalog.addresses.mount)
    filled = PageFiller(site, settings, view, feed_paths, titles=False).fill(problems, strict=strict)
    written: dict[str, bytes | None] = dict.fromkeys(further_before)
    refused = Problems()
    for page, path, html, divided in built:
        fillings, assets = filled.get(page.uri), _asset_links(page.url)
        if fillings and divided:
            divided = divided._replace(before=fillings.plain(divided.before))
            after = divided.whole(fillings.html, assets + fillings.links)
            further = fillings.further_pages(after)
            for beside, content in further.items():
                written[unquote(beside)] = content.encode() + FURTHER
                if unquote(beside) in paths:
                    refused.add(_in_the_way(site, unquote(beside)))
        else:
            # A page followed by one of the catalog without a page load needs the script, too.
            after = without_fillings(html)
            if (end := _Positions(after).ends.get("/head")) is not None:
                after = f"{after[:end]}<!--{BEGIN} -->{assets}{END}{after[end:]}"
        if after != html:
            written[path] = after.encode()
    written |= {path: content for path, content in ASSETS.items() if not (site.docs_dir / path).exists()}
    if (index := site.site_dir / _INDEX).is_file():
        found = {page.url: filled[page.uri].searched for page, *_ in built if page.uri in filled}
        source = index.read_bytes()
        with_catalog = _with_items(source, {url: item for url, item in found.items() if item})
        written |= {_INDEX: with_catalog} if with_catalog != source else {}
    for path in written:
        refuse_links(site.site_dir, path, refused)
    if list(refused):
        raise CatalogError(refused)
    return written


def _paths(site: Site, settings: Settings, problems: Problems) -> list[str]:
    """The pages of the site, by their path in its folder.

    Raises:
        CatalogError: there are no pages, or none to fill.
    """
    folder, refused, paths = site.site_dir, Problems(), []
    if not settings.web:
        message = "`--web` fills the pages of the site, but this setting turns pages off"
        hint = "remove the setting, or leave out `--web`"
        refused.add(site.config.problem(("web",), message, hint, code=Code.SETTING))
    if folder.is_dir():
        for below, names in walk(folder, folder.name, problems):
            paths += [below + name for name in names if name.endswith(".html")]
        refused.extend(filter(None, (without_address(f"{folder.name}/{path}", path) for path in paths)))
    if not paths:
        message = f"the folder {folder.name!r} has no pages"
        refused.add(Problem("", 0, 0, "--web", message, _BUILD_FIRST, code=Code.MARKER))
    if list(refused) or problems.refuse(strict=False):
        raise CatalogError(refused)
    return paths


def _in_the_way(site: Site, path: str) -> Problem:
    message, hint = "a further page of a list would replace this page", "rename the page"
    return Problem(f"{site.site_dir.name}/{path}", 0, 0, "", message, hint, code=Code.IN_THE_WAY)


def _read(
    site: Site, pages: list[tuple[str, Page]], item_urls: Set[str], problems: Problems
) -> Iterator[_BuiltPage]:
    """The pages in UTF-8; those with a part of the catalog, as each item page, are divided."""
    for path, page in pages:
        source = (site.site_dir / path).read_bytes()
        item = page.url in item_urls
        shows_catalog = item or _SHOWS_CATALOG.search(source) is not None
        reason, divided = "is not UTF-8", None
        try:
            html = source.decode()
            if shows_catalog:
                reason, divided = (
                    "ends inside a script or a comment",
                    split_page(without_fillings(html), item=item),
                )
            yield _BuiltPage(page, path, html, divided)
        except UnicodeDecodeError:
            pass
        if shows_catalog and divided is None:
            message = f"ignored: the page {reason}"
            hint, file = "change the generator's template for it", f"{site.site_dir.name}/{path}"
            problems.add(Problem(file, 0, 0, "", message, hint, Level.WARNING, code=Code.MARKER))


def _asset_links(url: str) -> str:
    return f'<link rel="stylesheet" href="{"../" * url.count("/")}{STYLE}">{script_element(url)}'


def _target(url: str) -> str:
    """The file for an address relative to the site's root."""
    path = unquote(url)
    return path + "index.html" if path.endswith("/") or not path else path


def _url(path: str) -> str:
    return quote(path.removesuffix("index.html") if path.rpartition("/")[2] == "index.html" else path)


def _with_items(index: bytes, found: Mapping[str, tuple[str, str]]) -> bytes:
    """The search index of Zensical with the text of each item page: `found` is location → title and text.

    An index with such text is restored first. Another format is returned unchanged.
    """
    try:
        document: dict[str, Any] = msgspec.json.decode(index, type=dict[str, Any])
        entries = {entry["location"]: entry for entry in document["items"]}
        for location, text in document.pop(_ADDED, {}).items():
            entries[location]["text"] = text
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return index
    entries = {location: entry for location, entry in entries.items() if entry["text"] is not None}
    added: dict[str, str | None] = {}
    for location, (title, text) in found.items():
        new = {"location": location, "level": 1, "title": title, "text": "", "path": [title], "tags": []}
        added[location] = entries[location]["text"] if location in entries else None
        entry = entries.setdefault(location, new)
        entry["text"] += f"<p>{escape(text)}</p>"
    return msgspec.json.encode(document | {"items": [*entries.values()], _ADDED: added})
