"""Every path of the API: what it is called, what it is for, and the Struct of its body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ..catalog import addresses
from ..catalog.published import PER_PAGE, Slug, VersionLabel
from ..catalog.vulnerabilities import vocabulary
from .badges import PER_IMAGE
from .structs.discovery import Badge, Discovery, Manifest, OpenApi
from .structs.envelopes import COLLECTIONS, ItemStructs, Words
from .structs.history import Changes, Date, DayChanges, HistoryIndex, ImageHistory
from .structs.security import ReleaseDocument, SecurityDetail, SecurityIndex, SecuritySummary
from .structs.vex import ImageVex

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


class Parameter(Struct, frozen=True):
    """A part of a path that a client fills in; `type` is an annotation."""

    name: str
    description: str
    type: Any


_PAGE = Parameter("page", "Number of the page, from 1 to `totalPages`.", Annotated[int, Meta(ge=1)])
SLUG = Parameter("slug", "Slug of the item.", Slug)
IMAGE_SLUG = Parameter("slug", "Slug of the image.", Slug)
_IMAGE = Parameter("image", "Slug of the image.", Slug)
_VERSION = Parameter("version", "Label of the release, as in the image's `versions`.", VersionLabel)
_BADGE = Parameter("name", "Name of the badge, as in `badges` of `index.json`.", Slug)
_DAY = Parameter("date", "A recorded day, as in `changes.json`.", Date)
_IMAGE_BADGES: Any = Literal.__getitem__(PER_IMAGE)
_IMAGE_BADGE = Parameter(
    "name",
    "What the badge says.",
    Annotated[_IMAGE_BADGES, vocabulary("ImageBadgeName", _IMAGE_BADGES)],
)


class Route(Struct, frozen=True):
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


def routes(items: Mapping[str, ItemStructs]) -> Iterator[Route]:
    """Every route; `items` has the Structs of each collection."""
    for name, structs in items.items():
        yield from _collection_routes(name, COLLECTIONS[name], structs)
    yield from _SECURITY
    yield from _VEX
    yield from _HISTORY
    yield from _OTHERS


def _collection_routes(name: str, words: Words, structs: ItemStructs) -> Iterator[Route]:
    yield Route(
        f"{name}.json",
        f"list{words.plural}",
        name,
        f"Every {words.one}",
        f"The full collection of {name}, {words.order}. Filter it on your side.",
        structs.collection,
    )
    yield Route(
        f"{name}/{{page}}.json",
        f"list{words.plural}Page",
        name,
        f"One page of {name}",
        f"The same items as the full collection, {PER_PAGE} on a page. Follow `links.next` until it "
        "is null. An empty collection has no page.",
        structs.page,
        (_PAGE,),
    )
    if structs.document is not None:
        yield Route(
            f"{name}/{{slug}}/index.json",
            f"get{words.stem}" if name != "roadmap" else "getRoadmapItem",
            name,
            f"One {words.one}",
            f"The {words.one} with this slug, and where its other documents are.",
            structs.document,
            (SLUG,),
        )


_SECURITY = (
    Route(
        "security.json",
        "getSecuritySummary",
        "security",
        "Figures of the catalog and of each image",
        "Open vulnerabilities across the catalog, and for each scanned image by its slug.",
        SecuritySummary,
    ),
    Route(
        "security/index.json",
        "getSecurityIndex",
        "security",
        "Every scanned image",
        "Every scanned image with its grade, its figures and the address of its detail.",
        SecurityIndex,
    ),
    Route(
        "security/{image}.json",
        "getImageSecurity",
        "security",
        "Vulnerabilities of all releases of an image",
        "A release record with its vulnerabilities for every version that the image lists.",
        SecurityDetail,
        (_IMAGE,),
    ),
    Route(
        "security/{image}/{version}.json",
        "getReleaseSecurity",
        "security",
        "Vulnerabilities of one release of an image",
        "The release record of one version, with its vulnerabilities.",
        ReleaseDocument,
        (_IMAGE, _VERSION),
    ),
)
_VEX = (
    Route(
        "vex/{slug}.json",
        "getImageVex",
        "vex",
        "What is said of one image",
        "The author's statements on the image's releases, as OpenVEX, for `--vex` of a scanner. Only where "
        "the catalog publishes its statements, and of images that any of them is on.",
        ImageVex,
        (IMAGE_SLUG,),
    ),
    Route(
        "vex/repository.tar.gz",
        "getVexRepository",
        "vex",
        "What is said of all images",
        "The same documents as a VEX Repository v0.1. Scanners find it by "
        "`.well-known/vex-repository.json` of the site. Only where the catalog publishes its statements.",
        None,
        media_type="application/gzip",
    ),
)
_HISTORY = (
    Route(
        addresses.CHANGES,
        "listChanges",
        "history",
        "Every recorded day",
        "How much changed on each day, newest first. A catalog without a history has no such documents.",
        Changes,
    ),
    Route(
        addresses.changes("{date}"),
        "getDayChanges",
        "history",
        "What changed on one day",
        "The events of the day by image; of the first day, which is the baseline, their number alone.",
        DayChanges,
        (_DAY,),
    ),
    Route(
        addresses.HISTORY,
        "getHistory",
        "history",
        "Figures of every recorded day",
        "Open vulnerabilities, images and grades at the end of each day, and how long fixes took.",
        HistoryIndex,
    ),
    Route(
        addresses.image_history("{slug}"),
        "getImageHistory",
        "history",
        "The history of one image",
        "Its figures over time, and since when each vulnerability was open, when it was fixed and in what.",
        ImageHistory,
        (IMAGE_SLUG,),
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
        Badge,
        (_BADGE,),
    ),
    Route(
        "badge/{slug}/{name}.json",
        "getImageBadge",
        "badges",
        "One badge of an image",
        "For a badge renderer's endpoint mode.",
        Badge,
        (SLUG, _IMAGE_BADGE),
    ),
    Route(
        "index.json",
        "getIndex",
        "discovery",
        "Where everything is",
        "Addresses of the collections, the security documents and the badges of the catalog.",
        Discovery,
    ),
    Route("openapi.json", "getOpenapi", "discovery", "This document", "The API in OpenAPI 3.1.", OpenApi),
    Route(
        "manifest.json",
        "getManifest",
        "discovery",
        "Every document with its hash",
        "Tells a mirror what has changed: path, SHA-256 and size of every other document.",
        Manifest,
    ),
)
