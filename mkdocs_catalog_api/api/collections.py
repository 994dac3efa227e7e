"""Collections, their pages, and item documents. An item is serialised once and spliced into all three."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from ..catalog.join import WebPage
from ..catalog.models import ItemEntry
from ..documents.serialise import Raw, array, document, encode
from . import addresses
from . import structs as models
from .addresses import Addresses
from .badges import PER_IMAGE
from .items import published
from .verify import Gate


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


def item(
    resource: str,
    entry: ItemEntry,
    page: WebPage | None,
    computed: dict[str, object],
    model: type[BaseModel],
    at: Addresses,
    gate: Gate,
) -> tuple[Raw, Raw]:
    """An item as it stands in its collection, and what its own document begins with before the item."""
    path = addresses.item(resource, entry.slug)
    data = Raw(encode(published(entry, computed)))
    gate.check(model, data, path)
    html = at.web(page.url) if page and page.own else None
    links = {"self": at.api(path), "collection": at.api(addresses.collection(resource)), "html": html}
    head: dict[str, object] = {"apiVersion": "v1", "resource": resource, "slug": entry.slug, "links": links}
    if resource == "images":
        head["badges"] = {name: at.api(addresses.image_badge(entry.slug, name)) for name in PER_IMAGE}
    begins = Raw(encode(head))
    gate.item(models.ImageItemHead if resource == "images" else models.ItemHead, begins, path)
    return data, begins
