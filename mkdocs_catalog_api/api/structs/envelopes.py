"""What stands around the items of collections, pages and item documents."""

from typing import Annotated

from msgspec import Meta

from .fields import Document, Href, PageLink


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
