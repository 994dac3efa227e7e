"""Finds the problems of markers and templates without writing a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property

import msgspec
from markdown import Markdown
from msgspec.structs import replace

from ..authored import clock
from ..authored.config_file import read_mkdocs_yml
from ..authored.front_matter import Page, body
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog.value import Catalog
from ..documents.publication import publication
from ..problems import Problems
from .markers import in_text
from .page_filler import PageFiller
from .view import CatalogView, Item


class _UnwrittenView(CatalogView):
    """The catalog before its documents are written. They are encoded if the author's templates read one."""

    def __init__(self, catalog: Catalog, settings: Settings) -> None:
        super().__init__(catalog, mount=catalog.addresses.mount)
        self._settings = settings

    @cached_property
    def _bodies(self) -> Mapping[str, bytes]:
        assert self.value is not None  # noqa: S101  # this view has a catalog
        time = clock.timestamp(clock.now())
        return {document.path: document.body for document in publication(self.value, self._settings, time)}

    def document(self, path: str) -> Item:
        if path not in self._bodies:
            raise self._missing(f"catalog.document({path!r}): the API has no such document")
        document: Item = msgspec.json.decode(self._bodies[path])
        return document

    def lookup(self, path: str) -> Item:
        """Return nothing: whether a marker is valid does not depend on the rows of its list."""
        return {}


def check_pages(
    site: Site, settings: Settings, catalog: Catalog, problems: Problems, *, strict: bool
) -> None:
    """Add the problems of the pages that show the catalog.

    Raises `CatalogError` if a marker or a template is wrong.
    """
    for each in (site, *site.translations) if settings.web else ():
        own_templates = each.custom_dir is not None and (each.custom_dir / "catalog").is_dir()
        pages = {
            page.uri: page
            for page in (*each.pages, *each.item_pages)
            if own_templates or in_text(page.text or "") or in_text(page.html or "")
        }
        rendered = [page for page in pages.values() if page.html is not None]
        rendered += _rendered([page for page in pages.values() if page.html is None], each)
        view, shown = _UnwrittenView(catalog, settings), replace(each, pages=rendered, item_pages=())
        PageFiller(shown, settings, view, set()).fill(problems, strict=strict)


def _rendered(pages: Iterable[Page], site: Site) -> Iterable[Page]:
    """Yield the pages as HTML, with the Markdown extensions of the site that are installed."""
    config = read_mkdocs_yml(site.config.path, Problems()) if site.config.path else None
    markdown = Markdown(extensions=["toc", "tables", "fenced_code"])
    for name, options in config.markdown_extensions if config else ():
        with suppress(Exception):  # not installed, or with a value that only MkDocs can read
            markdown.registerExtensions([name], {name: options})
    for page in pages:
        with suppress(RecursionError):
            yield replace(page, html=markdown.reset().convert(body(page.text or "")))
