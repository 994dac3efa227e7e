"""What a theme gets to see of a page beside its text: headings, front matter, the active entry of the nav."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

from mkdocs.structure.toc import AnchorLink

from ..web.filled import Filled
from ..web.pages import Web
from .pages import Files


def rendered(files: Files) -> dict[str, str]:
    """The HTML of each page that has been rendered, by its path below docs_dir."""
    pages = [file.page for file in files.documentation_pages() if file.page is not None]
    return {page.file.src_uri: page.content for page in pages if page.content is not None}


def fill(files: Files, filled: Mapping[str, Filled]) -> None:
    """Show a search what people look for on the pages that the catalog fills, and add their headings."""
    for file in files.documentation_pages():
        if (page := filled.get(file.src_uri)) and file.page is not None:
            file.page.content = page.findable
            _add_headings(file.page, page.headings)


def _add_headings(page: Any, headings: Sequence[tuple[int, str, str]]) -> None:
    """Add the catalog's headings (level, id, text) to the table of contents of an `mkdocs` page."""
    for level, id_, text in headings:
        within = page.toc.items
        while within and within[-1].level < level:
            within = within[-1].children
        within.append(AnchorLink(unescape(text), id_, level))


def active_list(page: Any, web: Web, pages: Sequence[Any]) -> Any | None:
    """The page of the nav that lists the collection of the item on this page."""
    home = web.list_of(page.url)
    return next((other for other in pages if other.file.src_uri == home and other is not page), None)


def keep_source(page: Any) -> None:
    """Keep an item's `source` from the theme: MkDocs's own take it for a list and print it by its letters."""
    if isinstance(page.meta.get("source"), str):
        page.meta = {name: value for name, value in page.meta.items() if name != "source"}


def write_further(pages: Mapping[str, str], site_dir: Path) -> None:
    """Write the further pages of the lists on a page: path below the site → HTML."""
    for path, html in pages.items():
        target = site_dir / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(html, encoding="utf-8", newline="\n")
