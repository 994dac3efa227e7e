"""Collections, their pages, and the documents of their items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.join import WebPage
from ..catalog.models import ItemEntry
from ..catalog.published import PER_PAGE
from .badges import PER_IMAGE
from .structs.envelopes import ImageBadges, ItemLinks, ItemStructs, PageLinks


def total_pages(total: int) -> int:
    return -(-total // PER_PAGE)


def documents(
    resource: str, items: Sequence[Struct], structs: ItemStructs, at: Addresses
) -> Iterator[tuple[str, Struct]]:
    """Path and body of the full collection and of each of its pages."""
    total, pages = len(items), total_pages(len(items))
    head = {"api_version": "v1", "resource": resource}
    yield addresses.collection(resource), structs.collection(**head, total=total, data=items)

    def link(number: int) -> str:
        return at.api(addresses.page(resource, number))

    for number in range(1, pages + 1):
        links = PageLinks(
            link(number),
            link(1),
            link(pages),
            link(number - 1) if number > 1 else None,
            link(number + 1) if number < pages else None,
            at.api(addresses.collection(resource)),
        )
        some = items[(number - 1) * PER_PAGE : number * PER_PAGE]
        yield (
            addresses.page(resource, number),
            structs.page(
                **head, page=number, per_page=PER_PAGE, total=total, total_pages=pages, links=links, data=some
            ),
        )


def item(
    resource: str,
    entry: ItemEntry,
    page: WebPage | None,
    data: Struct,
    structs: ItemStructs,
    at: Addresses,
) -> tuple[str, Struct]:
    """Path and body of the document of one item."""
    assert structs.document is not None  # noqa: S101  # for the type checker
    path = addresses.item(resource, entry.slug)
    html = at.web(page.url) if page and page.own else None
    links = ItemLinks(at.api(path), at.api(addresses.collection(resource)), html)
    badges = {}
    if resource == "images":
        badges["badges"] = ImageBadges(
            *(at.api(addresses.image_badge(entry.slug, name)) for name in PER_IMAGE)
        )
    return path, structs.document(
        api_version="v1", resource=resource, slug=entry.slug, links=links, **badges, data=data
    )
