"""What has to agree within collections, their pages, the documents of items and badges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from ..catalog.published import PER_PAGE
from .structs.discovery import Badge
from .structs.security import ChartSecurity, ImageSecurity
from .verify_security import chart_security, image_security


def _badge(badge: Badge) -> Iterator[str]:
    named = badge.named_logo is not msgspec.UNSET
    if named == (badge.logo_svg is not msgspec.UNSET) or named != (badge.logo_color is not msgspec.UNSET):
        yield "a badge has a named logo with its colour, or a logo of its own"


def envelope(document: Any) -> Iterator[str]:
    """A collection, a page of one, or the document of one item; they are made for each catalog anew."""
    fields = document.__struct_fields__
    items = [document.data] if isinstance(document.data, Struct) else document.data
    for item in items:
        yield from _item(item)
    if "page" in fields:
        yield from _page(document)
    elif "total" in fields:
        if document.total != len(items):
            yield f"data: {len(items)} items, where total says {document.total}"
    elif document.links.self != (
        f"{document.links.collection.removesuffix('.json')}/{document.slug}/index.json"
    ):
        yield f"links.self: {document.links.self} is not the document of {document.slug}"


def _page(page: Any) -> Iterator[str]:
    number, last = page.page, page.total_pages
    if last != -(-page.total // PER_PAGE) or number > last:
        yield f"page {number} of {last} can't be with {page.total} items"
    if len(page.data) != min(page.total - (number - 1) * PER_PAGE, PER_PAGE):
        yield f"data: {len(page.data)} items can't be on page {number} of {page.total}"
    base, links = page.links.collection.removesuffix(".json"), page.links
    expected = [
        f"{base}/{n}.json" if 1 <= n <= last else None for n in (number, 1, last, number - 1, number + 1)
    ]
    if [links.self, links.first, links.last, links.prev, links.next] != expected:
        yield f"links: they are not those of page {number} of {last}"


def _item(item: Any) -> Iterator[str]:
    security = getattr(item, "security", None)
    if isinstance(security, ImageSecurity):
        yield from image_security(security)
        newest = item.versions[0].version if item.versions else None
        if item.latest != newest or security.version != newest:
            yield f"latest is {item.latest} and security's {security.version}, not {newest}"
    elif isinstance(security, ChartSecurity):
        yield from chart_security(security)


RULES: dict[type[Struct], Callable[[Any], Iterator[str]]] = {Badge: _badge}
