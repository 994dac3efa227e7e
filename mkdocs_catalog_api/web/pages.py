"""Fills the pages of a site: markers in Markdown, the catalog's part of each item page, links in the head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from markupsafe import escape

from ..api import addresses
from ..authored.pages import Page
from ..build import Build
from ..parallel import in_chunks
from ..problems import CatalogError, Problems
from ..publish import feeds
from ..settings import Settings
from ..sources.store import Kept
from .item_parts import ItemParts
from .markers import MARKER, MarkerError, line_of, parse
from .parts import ItemPage, Parts
from .render import Place
from .view import CatalogView

_HEADING = re.compile(r"<h([1-6])\b")
_NOWHERE = Page("", "", "", "")


class _Changed(NamedTuple):
    """What filling some pages comes to."""

    contents: dict[str, str]
    with_updates: set[str]
    """Addresses of those that show the updates."""
    problems: Problems
    kept: dict[str, tuple[Kept[None], ...]]
    """As `ItemParts.taken` gives it."""


class Web:
    """The web pages of one build. Without a build (the catalog is refused) the catalog is empty.

    `missing` as in `CatalogView`.
    """

    def __init__(
        self,
        settings: Settings,
        build: Build | None,
        custom_dir: str | None,
        missing: Callable[[str], Exception],
    ) -> None:
        self._on = settings.web
        self._mount, self._origin = _split(build.site.site_url if build else None)
        self.catalog = CatalogView(build.staging.documents if build else None, self._mount, missing)
        overrides = Path(custom_dir) if custom_dir else None
        self._parts = Parts(settings, self.catalog, overrides)
        self._item_parts = ItemParts(
            settings, self._parts, self.catalog, build if self._on else None, overrides
        )
        self._pages: dict[str, Page] = {}
        self._own: dict[str, ItemPage] = {}
        self._with_updates: set[str] = set()
        self._feeds = [(path, feeds.TYPES[path]) for path in build.feeds] if build else []
        if build is not None:
            self._pages = {page.uri: page for page in build.site.pages}
            self._own = {url: ItemPage(*item) for url, item in build.pages.items()}

    def fill(self, contents: Mapping[str, str], problems: Problems, *, strict: bool) -> dict[str, str]:
        """The pages that change, filled; `contents` has the HTML of each page by its path below docs_dir.

        Raises:
            CatalogError: a marker or a template is wrong.
        """
        filled: dict[str, str] = {}
        kept: dict[str, tuple[Kept[None], ...]] = {}
        try:
            for changed in in_chunks(self._fill_all, [*contents.items()] if self._on else [], least=64):
                filled |= changed.contents
                self._with_updates |= changed.with_updates
                problems.extend(changed.problems)
                kept |= changed.kept
            self._item_parts.save(kept, problems)
        finally:
            self._item_parts.close()
        if problems.refuse(strict=strict):
            raise CatalogError(problems)
        return filled

    def head(self, url: str, html: str) -> str:
        """A whole page with the links that belong in its head; `url` is below the site's root."""
        root = self._place(url).root
        found = [("alternate", kind, path) for path, kind in self._feeds if url in self._with_updates]
        if url in self._own and self._on:
            # The second word keeps Material from taking the document for a translation of the page.
            path = f"{addresses.PREFIX}/{addresses.item(*self._own[url])}"
            found.append(("alternate describedby", "application/json", path))
        links = "".join(
            f'<link rel="{rel}" type="{kind}" href="{escape(root + path)}">' for rel, kind, path in found
        )
        return html.replace("</head>", links + "</head>", 1) if links else html

    def _place(self, url: str) -> Place:
        return Place("../" * url.count("/"), self._mount, self._origin)

    def _fill_all(self, contents: Sequence[tuple[str, str]]) -> _Changed:
        """Some pages; runs in a worker."""
        changed = _Changed({}, set(), Problems(), {})
        for uri, content in contents:
            page = self._pages.get(uri, _NOWHERE)
            if (after := self._fill(page, content, changed)) != content:
                changed.contents[uri] = after
        return changed._replace(kept=self._item_parts.taken())

    def _fill(self, page: Page, content: str, changed: _Changed) -> str:
        place, own = self._place(page.url), self._own.get(page.url) if page.uri else None
        names: set[str] = set()

        def render(match: re.Match[str]) -> str:
            marker = parse(match[1])
            names.add(marker.name)
            before = content[: match.start()]
            if before.rfind("<p>") > before.rfind("</p>"):
                raise MarkerError("the marker stands within a paragraph", "give it a line of its own")
            levels = _HEADING.findall(before)
            return self._parts.marker(marker, own, place, min(int(levels[-1]) + 1, 6) if levels else 2)

        def replace(match: re.Match[str]) -> str:
            line = line_of(match[0], page.text)
            return _or_problem(lambda: render(match), page.file, line, changed.problems)

        filled = MARKER.sub(replace, content)
        if "updates" in names:
            changed.with_updates.add(page.url)
        if own is None:
            return filled
        if "item" not in names:
            filled += _or_problem(
                lambda: self._item_parts.html(own, place, 2), page.file, 0, changed.problems
            )
        return filled if "<h1" in content else self._parts.title(own) + filled


def _or_problem(make: Callable[[], str], file: str, line: int, problems: Problems) -> str:
    try:
        return make()
    except MarkerError as error:
        problems.add(error.problem(file, line))
        return ""


def _split(site_url: str | None) -> tuple[str, str | None]:
    """Mount path and origin of the site."""
    parts = urlsplit(site_url or "")
    return addresses.mount_path(site_url), f"{parts.scheme}://{parts.netloc}" if parts.netloc else None
