"""A kind of document: its paths and names, the catalogs that have it, and its generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from ..authored.settings import Settings
from ..catalog.value import Catalog
from ..items.collections import COLLECTIONS
from ..items.types import Slug

S = TypeVar("S", bound=type[Struct])
TAGS = {
    **{collection.name: collection.description for collection in COLLECTIONS.values()},
    "security": "Vulnerabilities of each version, from scans of the published images.",
    "lookups": "Answers in one document each, such as what a digest is, or who has a vulnerability.",
    "vex": "VEX statements on vulnerabilities, for scanners.",
    "history": "Changes from day to day, if the catalog records them.",
    "badges": "Status badges in the endpoint format of shields.io.",
    "discovery": "URLs, hashes and the description of all documents.",
}


class Parameter(NamedTuple):
    """A part of a path that a client fills in; `type` is an annotation."""

    name: str
    description: str
    type: Any


SLUG = Parameter("slug", "Slug of the item.", Slug)
IMAGE_SLUG = Parameter("slug", "Slug of the image.", Slug)


class Route(NamedTuple):
    """One path below `api/v1/`, with its parameters in braces."""

    path: str
    operation: str
    """Name of the function that generated clients have for it."""
    summary: str
    description: str
    struct: type[Struct] | None
    """None of a document that is not JSON."""
    parameters: tuple[Parameter, ...] = ()
    listed: str = ""
    """Name in discovery; collections, which have a place of their own there, and discovery have none."""
    media_type: str = "application/json"


Documents: TypeAlias = Iterable[tuple[str, Struct | bytes]]
"""Path below `api/v1/` and body of each."""


class Kind(Struct, eq=False):
    """One kind of document: first in its file, then its Structs, each with its route, and its generator."""

    name: str
    """The word of an optional kind in the setting `lookups`."""
    tag: str
    """A key of `TAGS`."""
    routes: list[Route] = []
    documents: Callable[[Catalog], Documents] = lambda catalog: ()
    """Set by `generator`."""
    optional: bool = False
    """Whether the setting `lookups` can leave it out."""
    parts: tuple[str, ...] = ()
    """Further words of `lookups`, which can leave out a part of its documents."""
    needs: Callable[[Catalog, Settings], bool] | None = None
    """Whether a catalog with these settings has such documents; None if every catalog has them."""
    fixed: tuple[str, ...] = ()
    """Paths of documents that every catalog has, other than those of routes without parameters."""

    def route(
        self,
        path: str,
        operation: str,
        summary: str,
        description: str,
        *parameters: Parameter,
        listed: str = "",
    ) -> Callable[[S], S]:
        """Publish documents of the Struct below at a path; the arguments are those of `Route`."""

        def published(struct: S) -> S:
            self.routes.append(Route(path, operation, summary, description, struct, parameters, listed))
            return struct

        return published

    def generator(self, documents: Callable[[Catalog], Documents]) -> Callable[[Catalog], Documents]:
        """Make its documents with the function below."""
        self.documents = documents
        return documents

    def enabled(self, settings: Settings) -> bool:
        """Whether the setting `lookups` does not leave it out."""
        return not self.optional or settings.has_lookup(self.name)

    def wanted(self, catalog: Catalog, settings: Settings) -> bool:
        """Whether a catalog with these settings has such documents."""
        return self.enabled(settings) and (self.needs is None or self.needs(catalog, settings))
