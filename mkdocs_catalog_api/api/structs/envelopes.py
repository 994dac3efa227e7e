"""Envelopes: what stands around the items of collections, pages and item documents."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ...catalog.models import Model
from ...catalog.types import Slug
from .fields import PER_PAGE, ApiVersion, Counter, Href, PageLink, Positive, Resource
from .security import SecurityIndexEntry

Total = Annotated[Counter, Field(description="Number of items in the collection.")]
Named = Annotated[Resource, Field(description="Name of the collection.")]


class CollectionHead(Model):
    """A collection without its items."""

    api_version: ApiVersion
    resource: Named
    total: Total


class SecurityIndex(Model):
    """Every scanned image."""

    api_version: ApiVersion
    resource: Annotated[Literal["security"], Field(description="Name of the resource.")]
    total: Annotated[Counter, Field(description="Number of scanned images.")]
    data: Annotated[list[SecurityIndexEntry], Field(description="One entry for each, by slug.")]

    @model_validator(mode="after")
    def _total_holds(self) -> Self:
        if self.total != len(self.data):
            raise ValueError(f"total is {self.total}, but data has {len(self.data)} items")
        return self


class PageLinks(Model):
    """Addresses around a page."""

    self: Annotated[Href, Field(description="This page.")]
    first: Annotated[Href, Field(description="The first page.")]
    last: Annotated[Href, Field(description="The last page.")]
    prev: Annotated[Href | None, Field(description="The page before; null on the first.")]
    next: Annotated[Href | None, Field(description="The page after; null on the last.")]
    collection: Annotated[Href, Field(description="The full collection.")]


class PageHead(Model):
    """A page of a collection without its items."""

    api_version: ApiVersion
    resource: Named
    page: Annotated[Positive, Field(description="Number of the page, from 1.")]
    per_page: Annotated[Literal[24], Field(description="Items on a full page.")]
    total: Total
    total_pages: Annotated[Positive, Field(description="Number of pages.")]
    links: Annotated[PageLinks, Field(description="Addresses around the page.")]

    @model_validator(mode="after")
    def _pages_are_counted(self) -> Self:
        if self.total_pages != -(-self.total // PER_PAGE) or self.page > self.total_pages:
            raise ValueError(f"page {self.page} of {self.total_pages} can't be with {self.total} items")
        base = self.links.collection.removesuffix(".json")

        def link(number: int) -> str | None:
            return f"{base}/{number}.json" if 1 <= number <= self.total_pages else None

        found = (self.links.self, self.links.first, self.links.last, self.links.prev, self.links.next)
        if found != tuple(map(link, (self.page, 1, self.total_pages, self.page - 1, self.page + 1))):
            raise ValueError(f"links: {found} are not those of page {self.page} of {self.total_pages}")
        return self


class ItemLinks(Model):
    """Addresses around an item."""

    self: Annotated[Href, Field(description="This document.")]
    collection: Annotated[Href, Field(description="The full collection.")]
    html: Annotated[PageLink | None, Field(description="Web page of the item.")]


class ImageBadges(Model):
    """Badges of one image, in the endpoint format of shields.io."""

    cves: Annotated[Href, Field(description="Open vulnerabilities.")]
    grade: Annotated[Href, Field(description="Letter for the worst of them.")]
    version: Annotated[Href, Field(description="The newest version.")]


class ItemHead(Model):
    """An item document without the item."""

    api_version: ApiVersion
    resource: Named
    slug: Annotated[Slug, Field(description="Identifies the item within its collection.")]
    links: Annotated[ItemLinks, Field(description="Addresses around the item.")]

    @model_validator(mode="after")
    def _links_name_the_item(self) -> Self:
        if self.links.self != f"{self.links.collection.removesuffix('.json')}/{self.slug}/index.json":
            raise ValueError(f"links.self: {self.links.self} is not the document of {self.slug}")
        return self


class ImageItemHead(ItemHead):
    """An image's document without the image."""

    badges: Annotated[ImageBadges, Field(description="Addresses of its badges.")]
