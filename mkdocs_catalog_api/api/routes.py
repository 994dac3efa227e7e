"""Every path of the API: what it is called, what it is for, and the model of its body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from ..catalog.types import Slug, VersionLabel
from . import structs as models
from .badges import PER_IMAGE

TAGS = {
    "images": "Hardened container images of the catalog.",
    "charts": "Signed Helm charts of the catalog, with the images that they pin.",
    "roadmap": "Applications that are planned and not built yet.",
    "updates": "The latest version check: what was found for each application, and what was done about it.",
    "security": "Vulnerabilities of each release, from scans of what is published.",
    "badges": "Status badges in the endpoint format of shields.io.",
    "discovery": "Where everything is, and what it is.",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A part of a path that a client fills in; `type` is an annotation."""

    name: str
    description: str
    type: Any


_PAGE = Parameter("page", "Number of the page, from 1 to `totalPages`.", Annotated[int, Field(ge=1)])
_SLUG = Parameter("slug", "Slug of the item.", Slug)
_IMAGE = Parameter("image", "Slug of the image.", Slug)
_VERSION = Parameter("version", "Label of the release, as in the image's `versions`.", VersionLabel)
_BADGE = Parameter("name", "Name of the badge, as in `badges` of `index.json`.", Slug)
_IMAGE_BADGE = Parameter("name", "What the badge says.", Literal.__getitem__(PER_IMAGE))


@dataclass(frozen=True, slots=True)
class Route:
    """One path below `api/v1/`, with its parameters in braces."""

    path: str
    operation: str
    """Name of the function that generated clients have for it."""
    tag: str
    summary: str
    description: str
    model: type[BaseModel]
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class _Collection:
    one: str
    """An item in a sentence."""
    stem: str
    """Begins the names of its schemas and operations."""
    plural: str
    order: str


_COLLECTIONS = {
    "images": _Collection("image", "Image", "Images", "by slug"),
    "charts": _Collection("chart", "Chart", "Charts", "by slug"),
    "roadmap": _Collection("roadmap item", "Roadmap", "Roadmap", "by slug"),
    "updates": _Collection("update", "Update", "Updates", "in the order of the check"),
}


def routes(items: Mapping[str, type[BaseModel]]) -> Iterator[Route]:
    """Every route; `items` has the model of each collection's items."""
    for name, model in items.items():
        yield from _collection_routes(name, _COLLECTIONS[name], model)
    yield from _SECURITY
    yield from _OTHERS


def _collection_routes(name: str, words: _Collection, item: type[BaseModel]) -> Iterator[Route]:
    every = _list(item, f"Every {words.one} of the catalog, {words.order}.", 0)
    full = _filled(models.CollectionHead, name, f"{words.stem}Collection", f"Every {words.one}.", every)
    yield Route(
        f"{name}.json",
        f"list{words.plural}",
        name,
        f"Every {words.one}",
        f"The full collection of {name}, {words.order}. Filter it on your side.",
        full,
    )
    some = _list(item, f"The items of this page, at most {models.PER_PAGE}.", models.PER_PAGE)
    page = _filled(models.PageHead, name, f"{words.stem}Page", f"One page of {name}.", some)
    yield Route(
        f"{name}/{{page}}.json",
        f"list{words.plural}Page",
        name,
        f"One page of {name}",
        f"The same items as the full collection, {models.PER_PAGE} on a page. Follow `links.next` until it "
        "is null. An empty collection has no page.",
        page,
        (_PAGE,),
    )
    if name == "updates":
        return
    head = models.ImageItemHead if name == "images" else models.ItemHead
    data = (item, Field(description=f"The {words.one}, as in the collection."))
    yield Route(
        f"{name}/{{slug}}/index.json",
        f"get{words.stem}" if name != "roadmap" else "getRoadmapItem",
        name,
        f"One {words.one}",
        f"The {words.one} with this slug, and where its other documents are.",
        _filled(head, name, f"{words.stem}Document", f"One {words.one}.", data),
        (_SLUG,),
    )


def _list(item: type[BaseModel], description: str, most: int) -> tuple[Any, Any]:
    limits: dict[str, Any] = {"min_length": 1, "max_length": most} if most else {}
    return list.__class_getitem__(item), Field(description=description, **limits)


def _filled(head: type[BaseModel], resource: str, name: str, doc: str, data: Any) -> type[BaseModel]:
    """An envelope with its data, under the name that it has in the schemas."""
    named: Any = Literal.__getitem__(resource)
    field = Field(description="Name of the collection.")
    return create_model(name, __base__=head, __doc__=doc, resource=(named, field), data=data)


_SECURITY = (
    Route(
        "security.json",
        "getSecuritySummary",
        "security",
        "Figures of the catalog and of each image",
        "Open vulnerabilities across the catalog, and for each scanned image by its slug.",
        models.SecuritySummary,
    ),
    Route(
        "security/index.json",
        "getSecurityIndex",
        "security",
        "Every scanned image",
        "Every scanned image with its grade, its figures and the address of its detail.",
        models.SecurityIndex,
    ),
    Route(
        "security/{image}.json",
        "getImageSecurity",
        "security",
        "Vulnerabilities of all releases of an image",
        "A release record with its vulnerabilities for every version that the image lists.",
        models.SecurityDetail,
        (_IMAGE,),
    ),
    Route(
        "security/{image}/{version}.json",
        "getReleaseSecurity",
        "security",
        "Vulnerabilities of one release of an image",
        "The release record of one version, with its vulnerabilities.",
        models.ReleaseDocument,
        (_IMAGE, _VERSION),
    ),
)
_OTHERS = (
    Route(
        "badge/{name}.json",
        "getBadge",
        "badges",
        "One badge of the catalog",
        "`images`, `charts`, `cves`, `multiarch`, `license`, and one for each base, signing tool and chart "
        "hub: `badges` of `index.json` lists them. For a badge renderer's endpoint mode.",
        models.Badge,
        (_BADGE,),
    ),
    Route(
        "badge/{slug}/{name}.json",
        "getImageBadge",
        "badges",
        "One badge of an image",
        "For a badge renderer's endpoint mode.",
        models.Badge,
        (_SLUG, _IMAGE_BADGE),
    ),
    Route(
        "index.json",
        "getIndex",
        "discovery",
        "Where everything is",
        "Addresses of the collections, the security documents and the badges of the catalog.",
        models.Discovery,
    ),
    Route(
        "openapi.json", "getOpenapi", "discovery", "This document", "The API in OpenAPI 3.1.", models.OpenApi
    ),
    Route(
        "manifest.json",
        "getManifest",
        "discovery",
        "Every document with its hash",
        "Tells a mirror what has changed: path, SHA-256 and size of every other document.",
        models.Manifest,
    ),
)
