"""The catalog's part of each item page, rendered again only when something that it shows has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic_core import to_json

from ..api import addresses
from ..build import Build
from ..problems import Problems
from ..settings import Settings
from ..sources.cache import Cache
from ..sources.store import Kept, Store, content_key
from .parts import ItemPage, Parts
from .render import Place
from .view import CatalogView, Item


class ItemParts:
    """Renders the parts, or takes them from the cache of an earlier build.

    Templates of the site's own may show anything, so with them nothing is kept.
    """

    def __init__(
        self,
        settings: Settings,
        parts: Parts,
        catalog: CatalogView,
        build: Build | None,
        overrides: Path | None,
    ) -> None:
        self._settings, self._parts, self._catalog = settings, parts, catalog
        self._images: Mapping[str, str] = {}
        self._earlier: Mapping[str, tuple[Kept[None], ...]] = {}
        self._store: Store | None = None
        self._kept: dict[str, tuple[Kept[None], ...]] = {}
        if build is not None and build.images and not (overrides and (overrides / "catalog").exists()):
            self._images = build.images
            self._store = Store(build.staging.folder)
            self._cache = Cache("parts", build.site.origin, lambda about: about)
            self._earlier = self._cache.load(self._store)

    def html(self, own: ItemPage, place: Place, level: int) -> str:
        """The part for the page of this item; `level` is that of its headings."""
        if self._store is None:
            return self._parts.item(own, place, level)
        key = content_key(to_json([own.resource, place, level, *self._shown(own)]))
        found = self._earlier.get(key)
        if found and (pieces := self._store.read(found[0])):
            html = pieces[0].decode()
        else:
            html = self._parts.item(own, place, level)
            found = (self._store.put([html.encode()], None),)
        self._kept[key] = found
        return html

    def _shown(self, own: ItemPage) -> list[object]:
        """All that the template may show of an item, or what stands for it."""
        resource, slug = own
        if resource != "images":
            document = self._catalog.document(addresses.item(resource, slug))
            pins = cast(Sequence[Item], cast(Item, document["data"]).get("images") or ())
            pages = [self._catalog.image(str(pin["slug"]))["url"] for pin in pins if pin["slug"]]
            return [document, pages, getattr(self._settings, resource).fields]
        users = ([chart["url"], chart["name"]] for chart in self._catalog.users.get(slug, ()))
        return [self._images[slug], *users]

    def taken(self) -> dict[str, tuple[Kept[None], ...]]:
        """Where the parts that were asked for since the last time are kept."""
        if self._store is not None:
            self._store.flush()
        kept, self._kept = self._kept, {}
        return kept

    def save(self, kept: Mapping[str, tuple[Kept[None], ...]], problems: Problems) -> None:
        """Keep these, and nothing else, for the next build."""
        if self._store is not None:
            self._cache.save(self._store, kept, problems)

    def close(self) -> None:
        """Let go of all files."""
        if self._store is not None:
            self._store.close()
