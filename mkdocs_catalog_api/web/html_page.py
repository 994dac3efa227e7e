"""One page that a generator has built, and the exact places in it where something of ours may stand.

The places come from a parser (https://html.spec.whatwg.org/multipage/parsing.html): what looks like a comment
in a script, in a title or in an attribute is none. What is filled stands between two comments, the first of
which keeps the marker, so a page can always be led back to what the generator wrote.
"""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import accumulate
from typing import NamedTuple

from .markers import MARKER, Marker, MarkerError, parse

BEGIN = " catalog-api:begin"
END = "<!-- catalog-api:end -->"
_ITEM = "<!-- catalog: item -->"
_MASKED = "<\0!--"
"""What a comment begins with that is none: a page can't hold this character."""
_TEXT_ONLY = frozenset({"title", "textarea", "script", "style", "iframe", "noembed", "noframes", "xmp"})


class Comment(NamedTuple):
    """A comment, from `start` up to `end`."""

    start: int
    end: int
    data: str


class Places(HTMLParser):
    """Where everything stands in a page, as offsets into it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._html = html
        self._lines = [0, *accumulate(len(line) + 1 for line in html.split("\n"))]
        self._text_only: str | None = None
        self._depth = 0
        self._in_main = False
        self.comments: list[Comment] = []
        self._ends: dict[str, int] = {}
        """Where each of the elements that matter here ends (head and body: also where they begin)."""
        self.feed(html)
        self.close()

    @property
    def head_end(self) -> int:
        """Where a link of the head may be added."""
        places = [self._ends.get(name) for name in ("/head", "body<", "head>", "html>", "doctype>")]
        return next((place for place in places if place is not None), 0)

    @property
    def written_head_end(self) -> int | None:
        """Where the head ends, if that is written."""
        return self._ends.get("/head")

    @property
    def body(self) -> tuple[int, int]:
        """What a reader sees of the page, from and to."""
        return self._ends.get("body>", self.head_end), self._ends.get("/body", len(self._html))

    @property
    def article_end(self) -> int:
        """Where what the author wrote ends: the article, else the main part, else the page."""
        places = [self._ends.get(name) for name in ("/main article", "/main", "/article")]
        return next((place for place in places if place is not None), self.body[1])

    @property
    def _offset(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_decl(self, decl: str) -> None:
        self._ends.setdefault("doctype>", self._offset + len(decl) + 3)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Nothing that matters here is empty."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._text_only:
            return
        if tag in _TEXT_ONLY:
            self._text_only = tag
        elif tag in ("html", "head", "body"):
            self._ends.setdefault(f"{tag}<", self._offset)
            self._ends.setdefault(f"{tag}>", self._offset + len(self.get_starttag_text() or ""))
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
                self._ends.setdefault("/main article" if self._in_main else "/article", self._offset)
        elif tag in ("head", "body", "main"):
            self._in_main = self._in_main and tag != "main"
            self._ends.setdefault(f"/{tag}", self._offset)

    def handle_comment(self, data: str) -> None:
        start, end = self._offset, self._offset + len(data) + 7
        if not self._text_only and self._html[start:end] == f"<!--{data}-->":
            self.comments.append(Comment(start, end, data))


class HtmlPage(NamedTuple):
    """A page in three parts, of which `content` goes to be filled."""

    before: str
    content: str
    after: str

    def whole(self, content: str, head: str) -> str:
        """The page with its content filled, and with these links in its head."""
        links = f"<!--{BEGIN} -->{head}{END}"
        split = Places(self.before).head_end
        before = self.before[:split] + links + self.before[split:]
        return before + content.removeprefix(_HEADED).replace(_MASKED, "<!--") + self.after


_HEADED = "<h1></h1>"
"""Says that the page has a heading: that is for the generator to write."""


def without_fillings(html: str) -> str:
    """The page as the generator wrote it."""
    parts, at, marker = [], 0, None
    if BEGIN not in html:
        return html
    for comment in Places(html).comments:
        if comment.data.startswith(BEGIN) and marker is None:
            parts.append(html[at : comment.start])
            marker = comment.data.removeprefix(BEGIN)
        elif html[comment.start : comment.end] == END and marker is not None:
            parts.append(f"<!--{marker}-->" if marker.strip() else "")
            at, marker = comment.end, None
    return html if marker is not None else "".join([*parts, html[at:]])


def split_page(html: str, *, item: bool) -> HtmlPage | None:
    """Such a page with room for what fills each marker and, if it is an item's own, for the item.

    None when the page could not be led back: it ends within a script, a comment or the like.
    """
    places = Places(html)
    start, end = places.body
    comments = {comment.start: comment for comment in places.comments}
    changes: list[tuple[int, int, str]] = []
    for found in MARKER.finditer(html, start, end):
        comment = comments.get(found.start())
        if comment is None or comment.end != found.end():
            changes.append((found.start(), found.start() + 4, _MASKED))
        else:
            changes.append((*found.span(), f"<!--{BEGIN}{comment.data}-->{found[0]}{END}"))
            item = item and _marker(found[1]) != Marker("item", {})
    if item:
        changes.append((places.article_end, places.article_end, f"<!--{BEGIN} -->{_ITEM}{END}"))
    parts, at = [_HEADED], start
    for first, last, text in sorted(changes):
        parts += html[at:first], text
        at = last
    page = HtmlPage(html[:start], "".join([*parts, html[at:end]]), html[end:])
    return page if without_fillings(page.whole(page.content, "")) == html else None


def with_links(html: str, head: str) -> str:
    """Such a page that shows nothing of the catalog, with these links if it has a head of its own."""
    place = Places(html).written_head_end
    return html if place is None else f"{html[:place]}<!--{BEGIN} -->{head}{END}{html[place:]}"


def _marker(inside: str) -> Marker | None:
    try:
        return parse(inside)
    except MarkerError:
        return None
