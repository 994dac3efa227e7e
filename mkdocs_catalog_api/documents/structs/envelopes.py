"""What stands around the items of collections, pages and item documents."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct, defstruct
from pydantic import BaseModel

from ...catalog.published import PER_PAGE, ApiVersion, Document, Href, PageLink, Positive, Slug, Total
from .items import published


class PageLinks(Document):
    """Addresses around a page."""

    self: Annotated[Href, Meta(description="This page.")]
    first: Annotated[Href, Meta(description="The first page.")]
    last: Annotated[Href, Meta(description="The last page.")]
    prev: Annotated[Href | None, Meta(description="The page before; null on the first.")]
    next: Annotated[Href | None, Meta(description="The page after; null on the last.")]
    collection: Annotated[Href, Meta(description="The full collection.")]


class ItemLinks(Document):
    """Addresses around an item."""

    self: Annotated[Href, Meta(description="This document.")]
    collection: Annotated[Href, Meta(description="The full collection.")]
    html: Annotated[PageLink | None, Meta(description="Web page of the item.")]


class ImageBadges(Document):
    """Badges of one image, in the endpoint format of shields.io."""

    cves: Annotated[Href, Meta(description="Open vulnerabilities.")]
    grade: Annotated[Href, Meta(description="Letter for the worst of them.")]
    version: Annotated[Href, Meta(description="The newest version.")]


class ItemStructs(NamedTuple):
    """The documents of one collection."""

    one: type[Struct]
    collection: type[Struct]
    page: type[Struct]
    document: type[Struct] | None
    """Of one item; updates have none."""


class Words(NamedTuple):
    """What a collection is called in sentences and schemas."""

    one: str
    stem: str
    """Begins the names of its schemas."""
    plural: str
    order: str


COLLECTIONS: Mapping[str, Words] = {
    "images": Words("image", "Image", "Images", "by slug"),
    "charts": Words("chart", "Chart", "Charts", "by slug"),
    "roadmap": Words("roadmap item", "Roadmap", "Roadmap", "by slug"),
    "updates": Words("update", "Update", "Updates", "in the order of the check"),
}


def item_structs(models: Mapping[str, type[BaseModel]]) -> dict[str, ItemStructs]:
    """The Structs of each collection; `models` has the model of its entries."""
    return {name: _item_structs(name, words, published(models[name])) for name, words in COLLECTIONS.items()}


def _item_structs(name: str, words: Words, one: type[Struct]) -> ItemStructs:
    head: dict[str, Any] = {
        "api_version": ApiVersion,
        "resource": Annotated[Literal.__getitem__(name), Meta(description="Name of the collection.")],
    }
    items = list.__class_getitem__(one)
    every = Meta(description=f"Every {words.one} of the catalog, {words.order}.")
    some = Meta(description=f"The items of this page, at most {PER_PAGE}.", min_length=1, max_length=PER_PAGE)
    collection = head | {"total": Total, "data": Annotated[items, every]}
    page = head | {
        "page": Annotated[Positive, Meta(description="Number of the page, from 1.")],
        "per_page": Annotated[Literal[24], Meta(description="Items on a full page.")],
        "total": Total,
        "total_pages": Annotated[Positive, Meta(description="Number of pages.")],
        "links": Annotated[PageLinks, Meta(description="Addresses around the page.")],
        "data": Annotated[items, some],
    }
    document = head | {
        "slug": Annotated[Slug, Meta(description="Identifies the item within its collection.")],
        "links": Annotated[ItemLinks, Meta(description="Addresses around the item.")],
    }
    if name == "images":
        document["badges"] = Annotated[ImageBadges, Meta(description="Addresses of its badges.")]
    document["data"] = Annotated[one, Meta(description=f"The {words.one}, as in the collection.")]
    return ItemStructs(
        one,
        _struct(f"{words.stem}Collection", f"Every {words.one}.", collection),
        _struct(f"{words.stem}Page", f"One page of {name}.", page),
        _struct(f"{words.stem}Document", f"One {words.one}.", document) if name != "updates" else None,
    )


def _struct(name: str, doc: str, fields: Mapping[str, Any]) -> type[Struct]:
    return defstruct(name, [*fields.items()], bases=(Document,), module=__name__, namespace={"__doc__": doc})
