"""Collections, their pages, and item documents. An item is serialised once and spliced into all three."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import addresses, models
from .addresses import Addresses
from .gate import Gate
from .serialise import Raw, array, document, encode


def total_pages(total: int) -> int:
    return -(-total // models.PER_PAGE)


def collection_documents(
    resource: str, items: Sequence[Raw], at: Addresses, gate: Gate
) -> Iterator[tuple[str, bytes]]:
    """Path and body of the full collection and of each of its pages; the items have passed the gate."""
    total, pages = len(items), total_pages(len(items))
    path = addresses.collection(resource)
    full = Raw(encode({"apiVersion": "v1", "resource": resource, "total": total}))
    data = array(items)
    gate.collection(full, path, items, data)
    yield path, document(full, data=data)

    def link(number: int) -> str | None:
        return at.api(addresses.page(resource, number)) if 1 <= number <= pages else None

    for number in range(1, pages + 1):
        links = {
            "self": link(number),
            "first": link(1),
            "last": link(pages),
            "prev": link(number - 1),
            "next": link(number + 1),
            "collection": at.api(addresses.collection(resource)),
        }
        head = {
            "apiVersion": "v1",
            "resource": resource,
            "page": number,
            "perPage": models.PER_PAGE,
            "total": total,
            "totalPages": pages,
            "links": links,
        }
        path = addresses.page(resource, number)
        part = items[(number - 1) * models.PER_PAGE : number * models.PER_PAGE]
        data = array(part)
        gate.page(encode(head), path, part, data)
        yield path, document(head, data=data)


def item_document(
    resource: str,
    slug: str,
    html: str | None,
    item: Raw,
    at: Addresses,
    gate: Gate,
    badges: Sequence[str] = (),
) -> tuple[str, bytes]:
    """Path and body of one item's document; `badges` are the names of its own badges."""
    path = addresses.item(resource, slug)
    links = {"self": at.api(path), "collection": at.api(addresses.collection(resource)), "html": html}
    head: dict[str, object] = {"apiVersion": "v1", "resource": resource, "slug": slug, "links": links}
    if badges:
        head["badges"] = {name: at.api(addresses.image_badge(slug, name)) for name in badges}
    gate.item(models.ImageItemHead if badges else models.ItemHead, encode(head), path)
    return path, document(head, data=item)
