"""What templates see as `catalog`, the documents of this build, and as `gathered`, figures of its images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, cast

import msgspec
from msgspec import Struct, field
from pydantic import JsonValue

from ..catalog import addresses
from ..catalog.assessment import Assessment
from ..catalog.scans import COUNTERS
from ..catalog.value import Catalog, Image, Release
from ..documents.badges import catalog_badges
from ..documents.collections import collection_items
from ..documents.history import day_changes, history_index
from ..documents.security import summary

Item: TypeAlias = Mapping[str, JsonValue]
"""A JSON object of the API. Its keys are those of the contract, so a template writes `image.endOfLife`."""


class CatalogView:
    """The published catalog. Addresses in it are root-relative, as in the API.

    Without a catalog (it is refused, or not read yet) everything is empty. `folder` has the documents;
    `missing` makes the error of a template that asks for what is not there.
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
        """The address of the document at `path` below `api/v1/`, root-relative as all in the API."""
        return self._addresses.api(path)

    def document(self, path: str) -> Item:
        """The document at `path` below `api/v1/`, as in `catalog.document("security/nginx.json")`.

        Raises:
            What `missing` makes of a message: there is no such document.
        """
        if self.value is None:
            return {}
        try:
            return cast(Item, msgspec.json.decode((self._folder / path).read_bytes()))
        except OSError:
            raise self._missing(f"catalog.document({path!r}): the API has no such document") from None

    def lookup(self, path: str) -> Item:
        """The document at `path`, empty when the settings leave it out."""
        there = self.value is not None and (self._folder / path).is_file()
        return self.document(path) if there else {}

    @cached_property
    def images(self) -> Sequence[Item]:
        """Every image, as in `images.json`."""
        return self._items("images")

    @cached_property
    def charts(self) -> Sequence[Item]:
        """Every chart, as in `charts.json`."""
        return self._items("charts")

    @cached_property
    def roadmap(self) -> Sequence[Item]:
        """Every planned application, as in `roadmap.json`."""
        return self._items("roadmap")

    @cached_property
    def updates(self) -> Sequence[Item]:
        """What the latest version check found, as in `updates.json`."""
        return self._items("updates")

    @cached_property
    def security(self) -> Item:
        """The security summary, as in `security.json`."""
        return cast(Item, msgspec.to_builtins(summary(self.value))) if self.value else {}

    @cached_property
    def badges(self) -> Mapping[str, Item]:
        """The badges of the catalog by name, as in `badge/{name}.json`."""
        return msgspec.to_builtins(catalog_badges(self.value)) if self.value else {}

    @cached_property
    def history(self) -> Item | None:
        """The figures of the recorded days, as in `history/index.json`; None when no day is recorded."""
        index = history_index(self.value) if self.value else None
        return cast(Item, msgspec.to_builtins(index)) if index else None

    def changes(self, limit: int) -> Sequence[Item]:
        """The last recorded days on which something changed, as in `changes/{date}.json`, newest first."""
        days = day_changes(self.value) if self.value else []
        changed = [day for day in reversed(days) if day.counts]
        return cast(Sequence[Item], msgspec.to_builtins(changed[:limit]))

    def find_image(self, slug: str) -> Item | None:
        """The image with this slug; None when it has left the catalog."""
        return self._images.get(slug)

    def image(self, slug: str) -> Item:
        """The image with this slug.

        Raises:
            What `missing` makes of a message: there is none.
        """
        if slug not in self._images and self.value is not None:
            raise self._missing(f"catalog.image({slug!r}): the catalog has no such image")
        return self._images.get(slug, {})

    def page_of(self, href: JsonValue) -> JsonValue:
        """The web page of the item whose document is at `href`; None when it has none."""
        return self._web_pages.get(cast(str, href))

    @cached_property
    def _images(self) -> Mapping[str, Item]:
        return {str(image["slug"]): image for image in self.images}

    @cached_property
    def _web_pages(self) -> Mapping[str, JsonValue]:
        return {str(item["href"]): item["url"] for item in (*self.images, *self.charts, *self.roadmap)}

    def _items(self, resource: str) -> Sequence[Item]:
        return msgspec.to_builtins(collection_items(self.value, resource)) if self.value else []


_COUNTS = (*COUNTERS, "total", "fixable")


class Gathered(Struct):
    """Figures of every release."""

    releases: dict[tuple[str, str], dict[str, object]] = field(default_factory=dict)
    """Slug and version → the release's figures."""
    fixed: dict[str, str] = field(default_factory=dict)
    """Slug → the initials of the severities of which the newest release has a row with a fix."""
    scanned_at: dict[str, str] = field(default_factory=dict)
    """Slug → time of the newest release's scan."""
    supported: Counter[str] = field(default_factory=Counter)
    """Figures of the newest releases of available images; also how many are `scanned` and `affected`."""
    listed: Counter[str] = field(default_factory=Counter)
    """Of all else that is listed: older releases, and those of deprecated and withdrawn images."""
    exploited: dict[str, bool] = field(default_factory=dict)
    """Id that is known to be exploited → whether the newest release of an available image has it."""
    older: dict[str, str] = field(default_factory=dict)
    """Slug → the initials of the severities that its older releases have."""
    categories: dict[str, dict[str, list[JsonValue]]] = field(default_factory=dict)
    """Collection → slug → every category of the item."""

    @classmethod
    def of(cls, catalog: Catalog | None) -> Gathered:
        """The figures of a catalog; of none they are empty."""
        gathered = cls()
        for image in catalog.images if catalog else ():
            if image.releases:
                gathered._add(image)
        for name, items in catalog.items.items() if catalog else ():
            gathered.categories[name] = {item.entry.slug: [*item.entry.categories] for item in items}
        return gathered

    def _add(self, image: Image) -> None:
        slug, (newest, *older) = image.entry.slug, image.releases
        for release in image.releases:
            self.releases[slug, release.entry.version] = _figures(release)
            if release.assessment and image.entry.lifecycle != "planned":
                current = release is newest and image.entry.lifecycle == "available"
                self._count(release.assessment, current=current)
        self.older[slug] = _initials(older)
        if newest.figures and newest.figures.scanned_at:
            self.scanned_at[slug] = newest.figures.scanned_at
        rows = newest.assessment.rows if newest.assessment else ()
        self.fixed[slug] = "".join(sorted({row.severity[0].lower() for row in rows if row.fixed}))

    def _count(self, assessment: Assessment, *, current: bool) -> None:
        figures = assessment.figures
        counts = self.supported if current else self.listed
        counts.update({name: figures.fields()[name] for name in _COUNTS})
        counts.update(scanned=1, affected=int(figures.total > 0), suppressed=figures.suppressed)
        for row in assessment.rows:
            if row.exploited:
                self.exploited[row.id] = self.exploited.get(row.id, False) or current

    def facts(self, slugs: Iterable[str]) -> str:
        """Time of the scan, severities with a fix and of older releases of each image, in few characters."""
        tables = (self.scanned_at, self.fixed, self.older)
        return ";".join("=".join([slug, *(table.get(slug, "") for table in tables)]) for slug in slugs)

    @property
    def times(self) -> list[str]:
        """Times of the newest releases' scans, oldest first."""
        return sorted(self.scanned_at.values())


def _figures(release: Release) -> dict[str, object]:
    figures, version = release.figures, release.entry.version
    if figures is None:
        return {**dict.fromkeys((*_COUNTS, "grade", "score", "scannedAt")), "version": version}
    return {**figures.fields(), "version": version, "scannedAt": figures.scanned_at}


def _initials(releases: Iterable[Release]) -> str:
    """The initials of the severities that any of the releases has."""
    have = {
        word for release in releases if release.figures for word, n in release.figures.counters.items() if n
    }
    return "".join(word[0] for word in COUNTERS if word in have)
