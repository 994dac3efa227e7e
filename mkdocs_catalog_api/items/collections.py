"""The table of collections: names and texts of each, and what its items have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .base_model import Model
from .models import ChartEntry, ImageEntry, ItemEntry, RoadmapEntry, UpdateEntry


class Collection(NamedTuple):
    """A collection: a document of all its items, pages of them, and a marker of its name."""

    name: str
    model: type[Model]
    """Its items as their authors write them."""
    one: str
    """One item in a sentence."""
    summary: str
    """As in discovery."""
    description: str
    """As in the description of the API."""
    noun: str = ""
    """Text that distinguishes items of the same name in search results."""
    order: str = "by slug"
    views: Sequence[str] = ("cards", "table")
    """Views of its marker, the default first."""

    @property
    def has_documents(self) -> bool:
        """Whether its items have a document and counts each, and a page by default: those with versions."""
        return "versions" in self.model.model_fields

    @property
    def pins(self) -> bool:
        """Whether its items pin images."""
        return "images" in self.model.model_fields

    @property
    def stem(self) -> str:
        """Begins the names of its schemas; in lower case, the argument of `catalog-api new`."""
        return self.name.removesuffix("s").capitalize()

    @property
    def spoken(self) -> str:
        """The collection in a sentence."""
        return self.name if self.name.endswith("s") else f"the {self.name}"


_ALL = (
    Collection(
        "images",
        ImageEntry,
        "image",
        "Container images.",
        "Container images of the catalog.",
        "Container image",
    ),
    Collection(
        "charts",
        ChartEntry,
        "chart",
        "Helm charts.",
        "Helm charts of the catalog, with the images that they pin.",
        "Helm chart",
    ),
    Collection(
        "roadmap",
        RoadmapEntry,
        "roadmap item",
        "Planned applications.",
        "Applications that are planned and not built yet.",
        "Planned",
    ),
    Collection(
        "updates",
        UpdateEntry,
        "update",
        "Results of the latest version check.",
        "Results of the latest version check: version and outcome for each application.",
        order="in the order of the check",
        views=("table", "cards"),
    ),
)
COLLECTIONS: Mapping[str, Collection] = {collection.name: collection for collection in _ALL}
ITEM_MODELS: Mapping[str, type[ItemEntry]] = {
    collection.name: collection.model for collection in _ALL if issubclass(collection.model, ItemEntry)
}
"""The collections whose items have a slug, and can have a page."""
WITH_DOCUMENTS = tuple(collection.name for collection in _ALL if collection.has_documents)
PINNING = tuple(collection.name for collection in _ALL if collection.pins)
