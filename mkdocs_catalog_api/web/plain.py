"""Markers in the text of pages, checked where MkDocs does not render them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from markdown import Markdown

from ..engine import Build
from ..problems import Problems
from ..settings import Settings
from ..sources.pages import Page, body
from .markers import MARKER
from .pages import Web

_EXTENSIONS = ("extra", "admonition", "toc")
"""Enough to tell a marker from one that stands in code, whatever extensions the site has."""


def check(build: Build, settings: Settings, problems: Problems, *, strict: bool) -> None:
    """Fill the pages that have markers, and forget them.

    Raises:
        CatalogError: a marker is wrong.
    """
    # Without the images' keys: what `mkdocs build` keeps of pages stays as it is.
    web = Web(settings, replace(build, images={}), None, LookupError)
    web.fill(dict(_rendered(build.site.pages)), problems, strict=strict)


def _rendered(pages: Sequence[Page]) -> Iterator[tuple[str, str]]:
    renderer = Markdown(extensions=_EXTENSIONS)
    for page in pages:
        if page.text and MARKER.search(page.text):
            with suppress(RecursionError):  # nested too deeply; MkDocs fails on it
                yield page.uri, renderer.reset().convert(body(page.text))
