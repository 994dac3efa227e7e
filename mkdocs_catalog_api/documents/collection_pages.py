"""Collections, their pages, and the documents of their items."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.badge_contents import IMAGE_BADGES
from ..catalog.published import PER_PAGE, Document, Href, PageLink, Total, document_struct, envelope
from ..catalog.value import Catalog, Image, PinningItem
from ..items.base_model import Model
from ..items.collections import COLLECTIONS, Collection
from ..items.fields import ItemFields
from ..items.types import Count, Positive, Slug
from .item_structs import item_struct
from .items import collection_items
from .kinds import SLUG, Documents, Kind, Parameter, Route


class PageLinks(Document):
    """URLs around a page."""

    self: Annotated[Href, "This page."]
    first: Annotated[Href, "The first page."]
    last: Annotated[Href, "The last page."]
    prev: Annotated[Href | None, "The page before; null on the first."]
    next: Annotated[Href | None, "The page after; null on the last."]
    collection: Annotated[Href, "The full collection."]


class ItemLinks(Document):
    """URLs around an item."""

    self: Annotated[Href, "This document."]
    collection: Annotated[Href, "The full collection."]
    html: Annotated[PageLink | None, "Web page of the item."]


class ItemStructs(NamedTuple):
    """The documents of one collection."""

    collection: type[Struct]
    page: type[Struct]
    document: type[Struct] | None
    """Of one item with versions; others have none."""


@cache
def item_structs(name: str, fields: ItemFields[Model]) -> ItemStructs:
    """The Structs of a collection whose items have these fields."""
    of, one = COLLECTIONS[name], item_struct(fields)
    head = envelope(of.name)
    items = list.__class_getitem__(one)
    every = Meta(description=f"Every {of.one} of the catalog, {of.order}.")
    some = Meta(description=f"The items of this page, at most {PER_PAGE}.", max_length=PER_PAGE)
    collection = head | {"total": Total, "data": Annotated[items, every]}
    page = head | {
        "page": Annotated[Positive, "Number of the page, from 1."],
        "per_page": Annotated[Literal[24], "Items on a full page."],
        "total": Total,
        "total_pages": Annotated[Count, "Number of pages; 0 of an empty collection."],
        "links": Annotated[PageLinks, "URLs around the page."],
        "data": Annotated[items, some],
    }
    document = head | {
        "slug": Annotated[Slug, "Identifies the item within its collection."],
        "links": Annotated[ItemLinks, "URLs around the item."],
    }
    if of.name == "images":
        document["badges"] = Annotated[_IMAGE_BADGES, "URLs of its badges."]
    document["data"] = Annotated[one, f"The {of.one}, as in the collection."]
    return ItemStructs(
        document_struct(f"{of.stem}Collection", f"Every {of.one}.", collection),
        document_struct(f"{of.stem}Page", f"One page of {of.spoken}.", page),
        document_struct(f"{of.stem}Document", f"One {of.one}.", document) if of.has_documents else None,
    )


_IMAGE_BADGES = document_struct(
    "ImageBadges",
    "Badges of one image, in the endpoint format of shields.io.",
    {name: Annotated[Href, badge.description] for name, badge in IMAGE_BADGES.items()},
)


def total_pages(total: int) -> int:
    """Number of pages of a collection with so many items. An empty one has a first page nevertheless."""
    return -(-total // PER_PAGE)


def item_document(catalog: Catalog, item: Image | PinningItem, data: object) -> Struct:
    """The document of one item; `data` is the item as it is published, a Struct or its JSON object."""
    name = item.collection
    struct = item_structs(name, catalog.fields[name]).document
    assert struct is not None  # noqa: S101  # it has documents
    at, slug, page = catalog.addresses, item.entry.slug, item.page
    html = at.web(page.url) if page.own else None
    links = ItemLinks(at.api(addresses.item(name, slug)), at.api(addresses.collection(name)), html)
    badges = {}
    if isinstance(item, Image):
        badges["badges"] = _IMAGE_BADGES(
            *(at.api(addresses.image_badge(slug, badge)) for badge in IMAGE_BADGES)
        )
    return struct(api_version="v1", resource=name, slug=slug, links=links, **badges, data=data)


def _documents(name: str, catalog: Catalog) -> Documents:
    structs, at = item_structs(name, catalog.fields[name]), catalog.addresses
    published_items = collection_items(catalog, name)
    total = len(published_items)
    head = {"api_version": "v1", "resource": name}
    yield addresses.collection(name), structs.collection(**head, total=total, data=published_items)
    pages = total_pages(total)
    for number in range(1, max(pages, 1) + 1):
        some = published_items[(number - 1) * PER_PAGE : number * PER_PAGE]
        links = _page_links(name, number, pages, at)
        counts = {"page": number, "per_page": PER_PAGE, "total": total, "total_pages": pages}
        yield addresses.page(name, number), structs.page(**head, **counts, links=links, data=some)
    if structs.document is not None:
        for item, data in zip(catalog.with_documents[name], published_items, strict=True):
            yield addresses.item(name, item.entry.slug), item_document(catalog, item, data)


def _page_links(name: str, number: int, pages: int, at: Addresses) -> PageLinks:
    def link(page: int) -> str:
        return at.api(addresses.page(name, page))

    return PageLinks(
        link(number),
        link(1),
        link(max(pages, 1)),
        link(number - 1) if number > 1 else None,
        link(number + 1) if number < pages else None,
        at.api(addresses.collection(name)),
    )


_PAGE = Parameter("page", "Number of the page: 1, or up to `totalPages`.", Annotated[int, Meta(ge=1)])


def collection_kinds(fields: Mapping[str, ItemFields[Model]]) -> Iterator[Kind]:
    """A kind for each collection; `fields` are those of its items."""
    for name, of in COLLECTIONS.items():
        routes = [*_routes(of, item_structs(name, fields[name]))]
        yield Kind(name, name, routes, partial(_documents, name), fixed=(addresses.page(name, 1),))


def _routes(of: Collection, structs: ItemStructs) -> Iterator[Route]:
    name = of.name
    yield Route(
        f"{name}.json",
        f"list{name.capitalize()}",
        f"Every {of.one}",
        f"The full collection of {name}, {of.order}. Filter it on your side.",
        structs.collection,
    )
    yield Route(
        f"{name}/{{page}}.json",
        f"list{name.capitalize()}Page",
        f"One page of {of.spoken}",
        f"The same items as the full collection, {PER_PAGE} on a page. Follow `links.next` until it "
        "is null. An empty collection has one page without items.",
        structs.page,
        (_PAGE,),
        listed=f"{name}Page",
    )
    if structs.document is not None:
        yield Route(
            f"{name}/{{slug}}/index.json",
            f"get{of.stem}",
            f"One {of.one}",
            f"The {of.one} with this slug, and where its other documents are.",
            structs.document,
            (SLUG,),
            listed=of.one,
        )
