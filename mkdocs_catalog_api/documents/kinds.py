"""What a kind of document is: where it is, what it is called, when a catalog has it, and what makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from ..authored.settings import Settings
from ..catalog.published import Slug
from ..catalog.value import Catalog

TAGS = {
    "images": "Hardened container images of the catalog.",
    "charts": "Signed Helm charts of the catalog, with the images that they pin.",
    "roadmap": "Applications that are planned and not built yet.",
    "updates": "The latest version check: what was found for each application, and what was done about it.",
    "security": "Vulnerabilities of each release, from scans of what is published.",
    "lookups": "One question, one document: what a digest is, who has a vulnerability, what to update to.",
    "vex": "What the author says about vulnerabilities, for other people's scanners.",
    "history": "What changed from day to day, where the catalog records it.",
    "badges": "Status badges in the endpoint format of shields.io.",
    "discovery": "Where everything is, and what it is.",
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
    tag: str
    summary: str
    description: str
    struct: type[Struct] | None
    """None of a document that is no JSON."""
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "application/json"


Documents: TypeAlias = Iterable[tuple[str, Struct | bytes]]
"""Path below `api/v1/` and body of each."""


class Kind(NamedTuple):
    """One kind of document."""

    routes: tuple[Route, ...]
    documents: Callable[[Catalog], Documents]
    wanted: Callable[[Catalog, Settings], bool] = lambda catalog, settings: True
    """Whether a catalog with these settings has such documents."""
    addresses: Mapping[str, str] = {}
    """Name in discovery → path below `api/v1/`, with its parameters in braces."""


def named(slug: str) -> Callable[[Catalog, Settings], bool]:
    """Whether the setting `lookups` has this name."""
    return lambda catalog, settings: slug in settings.lookups
