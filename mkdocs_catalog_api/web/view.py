"""The value `catalog` of templates: the documents of this build."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, cast

import msgspec
from pydantic import JsonValue

from ..catalog import addresses
from ..catalog.populations import Populations, populations
from ..catalog.recorded import RecordedDay
from ..catalog.value import Catalog
from ..documents.badges import catalog_badges
from ..documents.items import collection_items
from ..documents.security import summary
from ..items.collections import COLLECTIONS, WITH_DOCUMENTS

Item: TypeAlias = Mapping[str, JsonValue]
"""A JSON object of the API. Its keys are those of the contract, so a template writes `image.endOfLife`."""


class CatalogView:
    """The published catalog. Addresses in it are root-relative, as in the API.

    Without a catalog (invalid, or not read yet) everything is empty. `folder` has the documents; `missing`
    creates the error for a template that asks for a missing document.
    """

    def __init__(
        self,
        catalog: Catalog | None = None,
        folder: Path = Path(),
        mount: str = "",
        missing: Callable[[str], Exception] = LookupError,
    ) -> None:
        self.value, self._folder, self._missing = catalog, folder, missing
        self._addresses = addresses.Addresses(mount)

    def href(self, path: str) -> str:
        """The address of the document at `path` in `api/v1/`, root-relative as in the API."""
        return self._addresses.api(path)

    def document(self, path: str) -> Item:
        """The document at `path` in `api/v1/`, as in `catalog.document("security/nginx.json")`.

        Raises the error from `missing` if there is no such document.
        """
        if self.value is None:
            return {}
        try:
            return cast(Item, msgspec.json.decode((self._folder / path).read_bytes()))
        except OSError:
            raise self._missing(f"catalog.document({path!r}): the API has no such document") from None

    def lookup(self, path: str) -> Item:
        """The document at `path`; empty if the settings leave it out."""
        there = self.value is not None and (self._folder / path).is_file()
        return self.document(path) if there else {}

    def __getattr__(self, name: str) -> Sequence[Item]:
        """The items of a collection: `images` as in `images.json`."""
        if name not in COLLECTIONS:
            raise AttributeError(name)
        items = msgspec.to_builtins(collection_items(self.value, name)) if self.value else []
        self.__dict__[name] = items  # found there the next time
        return cast(Sequence[Item], items)

    @cached_property
    def security(self) -> Item:
        """The security summary, as in `security.json`."""
        return cast(Item, msgspec.to_builtins(summary(self.value))) if self.value else {}

    @cached_property
    def populations(self) -> Populations:
        """All images and the available ones, with the sums over each."""
        return populations(self.value or Catalog())

    @cached_property
    def badges(self) -> Mapping[str, Item]:
        """The badges of the catalog by name, as in `badge/{name}.json`."""
        return msgspec.to_builtins(catalog_badges(self.value)) if self.value else {}

    @cached_property
    def history(self) -> Item | None:
        """The recorded `days`, oldest first, and `timeToFix` of `fixes.json`; None without a day."""
        history = self.value.history if self.value else None
        if history is None:
            return None
        return {
            "days": [day.date for day in history.days],
            "timeToFix": msgspec.to_builtins(history.time_to_fix),
        }

    def changes(self, limit: int) -> Sequence[RecordedDay]:
        """The last recorded days with changes, newest first."""
        days = self.value.history.days if self.value and self.value.history else ()
        return [day for day in reversed(days) if day.events][:limit]

    def find_image(self, slug: str) -> Item | None:
        """The image with this slug; None if it was removed from the catalog."""
        return self._images.get(slug)

    def image(self, slug: str) -> Item:
        """The image with this slug. Raises the error from `missing` if there is no such image."""
        if slug not in self._images and self.value is not None:
            raise self._missing(f"catalog.image({slug!r}): the catalog has no such image")
        return self._images.get(slug, {})

    def page_of(self, href: JsonValue) -> JsonValue:
        """The web page of the item with the document at `href`; None without a page."""
        return self._web_pages.get(cast(str, href))

    @cached_property
    def _images(self) -> Mapping[str, Item]:
        return {str(image["slug"]): image for image in self.images}

    @cached_property
    def _web_pages(self) -> Mapping[str, JsonValue]:
        return {str(item["href"]): item["url"] for name in WITH_DOCUMENTS for item in getattr(self, name)}
