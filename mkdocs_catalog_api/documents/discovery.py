"""The documents that close a build: discovery, and the manifest with the hashes of all others."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal
from urllib.parse import urljoin

from msgspec import Meta

from ..catalog import addresses
from ..catalog.published import (
    AddressTemplate,
    ApiVersion,
    Document,
    Href,
    Timestamp,
    Total,
    document_struct,
)
from ..catalog.value import Catalog
from ..items.collections import COLLECTIONS
from ..items.types import Count, Positive, Text
from .collection_pages import total_pages
from .kinds import Kind, Route

CLOSING = Kind("discovery", "discovery")


class ResourceLink(Document):
    """Where a collection is and how large it is."""

    href: Annotated[Href, "The full collection."]
    total: Total
    total_pages: Annotated[Count, "Number of its pages."]


_RESOURCES = document_struct(
    "Resources",
    "The paged collections.",
    {name: Annotated[ResourceLink, collection.summary] for name, collection in COLLECTIONS.items()},
)
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


@CLOSING.route(
    "index.json",
    "getIndex",
    "URLs of all documents",
    "The URL of every document, and `contents`, by which a mirror sees whether any has changed.",
)
class Discovery(Document):
    """URLs of all documents."""

    api_version: ApiVersion
    title: Annotated[str, "Name of the site."]
    contents: Annotated[
        Sha256,
        "Changes exactly if another document changes: SHA-256 of the lines `PATH SHA256` of "
        "all documents except this one and the manifest, sorted by path, each with a line feed.",
    ]
    resources: Annotated[_RESOURCES, "The paged collections."]  # type: ignore[valid-type]
    documents: Annotated[
        dict[str, Href], "Name → URL of each other document with one URL; others are absent."
    ]
    templates: Annotated[
        dict[str, AddressTemplate],
        "Name → URL of the documents that have parameters, which are in braces.",
    ]
    badges: Annotated[dict[str, Href], "Name → URL of each badge of the catalog."]


class OpenApiInfo(Document, forbid_unknown_fields=False):
    """Name and version of the API."""

    title: Annotated[str, "Name of the API."]
    version: Annotated[str, "Version of the API."]


@CLOSING.route("openapi.json", "getOpenapi", "This document", "The API in OpenAPI 3.1.", listed="openapi")
class OpenApi(Document, forbid_unknown_fields=False):
    """An OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html)."""

    openapi: Annotated[Literal["3.1.0"], "Version of the OpenAPI format."]
    info: Annotated[OpenApiInfo, "Name and version of the API."]
    paths: Annotated[dict[str, Any], "Path → operations.", Meta(min_length=1)]
    components: Annotated[dict[str, Any], "Schemas.", Meta(min_length=1)]


CLOSING.routes.append(
    Route(
        addresses.LLMS,
        "getLlms",
        "The catalog for assistants",
        "What the catalog is and where its documents are, as text in the form of llmstxt.org.",
        None,
        listed="llms",
        media_type="text/plain",
    )
)


class GeneratedBy(Document):
    """The program that wrote the documents."""

    name: Annotated[Text, "Name of the program."]
    version: Annotated[Text, "Its version."]


class ManifestEntry(Document):
    """A document's content."""

    sha256: Annotated[Sha256, "SHA-256 of its bytes."]
    bytes: Annotated[Positive, "Size in bytes."]


@CLOSING.route(
    "manifest.json",
    "getManifest",
    "Every document with its hash",
    "Path, SHA-256 and size of every other document. A mirror compares them to find changes.",
    listed="manifest",
)
class Manifest(Document):
    """Every other document, with its hash and size."""

    api_version: ApiVersion
    generated_at: Annotated[Timestamp, "UTC time of the build."]
    generator: Annotated[GeneratedBy, "The program that wrote the documents."]
    base: Annotated[
        str,
        "URL of the API; without a host if the site has no URL of its own.",
        Meta(min_length=1, extra_json_schema={"format": "uri-reference"}),
    ]
    documents: Annotated[dict[str, ManifestEntry], "Path below `api/v1/` → hash and size."]


def discovery(
    catalog: Catalog, kinds: Iterable[Kind], badges: Iterable[str], written: Mapping[str, ManifestEntry]
) -> Discovery:
    """Where the documents of these kinds are; `badges` are names, `written` has all other documents."""
    at = catalog.addresses
    listed = [route for kind in kinds for route in kind.routes if route.listed]
    contents = "".join(f"{path} {written[path].sha256}\n" for path in sorted(written))
    return Discovery(
        "v1",
        catalog.title,
        sha256(contents.encode()).hexdigest(),
        _RESOURCES(
            **{
                name: ResourceLink(at.api(addresses.collection(name)), total, total_pages(total))
                for name, total in catalog.totals().items()
            }
        ),
        {route.listed: at.api(route.path) for route in listed if not route.parameters},
        {route.listed: at.api(route.path) for route in listed if route.parameters},
        {name: at.api(addresses.badge(name)) for name in badges},
    )


def manifest(
    catalog: Catalog, written: Mapping[str, ManifestEntry], generated_at: str, generator: GeneratedBy
) -> Manifest:
    """Path, SHA-256 and size of every other document."""
    base = urljoin(catalog.site_url or "", catalog.addresses.api("").rstrip("/"))
    return Manifest("v1", generated_at, generator, base, {path: written[path] for path in sorted(written)})
