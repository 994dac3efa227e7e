"""The documents that close a build: discovery, and the manifest with the hashes of all others."""

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal
from urllib.parse import urljoin

from msgspec import UNSET, Meta, UnsetType

from ..authored.settings import Settings
from ..catalog import addresses
from ..catalog.published import (
    AddressTemplate,
    ApiDocument,
    Document,
    Href,
    PageLink,
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


class FixedAddresses(Document):
    """URL of each other document with one URL, and of files of the site; what the catalog lacks is absent."""

    images_index: Annotated[Href | UnsetType, "Images, with what a list needs."] = UNSET
    charts_index: Annotated[Href | UnsetType, "Charts, with what a list needs."] = UNSET
    security_summary: Annotated[Href | UnsetType, "Counts of vulnerabilities."] = UNSET
    security_index: Annotated[Href | UnsetType, "Every scanned image with its grade and counts."] = UNSET
    search: Annotated[Href | UnsetType, "What the search box of the site's pages finds."] = UNSET
    cves: Annotated[Href | UnsetType, "Every vulnerability."] = UNSET
    packages: Annotated[Href | UnsetType, "Every package."] = UNSET
    changes: Annotated[Href | UnsetType, "Every recorded day."] = UNSET
    fixes: Annotated[Href | UnsetType, "Times to fix."] = UNSET
    openapi: Annotated[Href | UnsetType, "The description of all documents."] = UNSET
    manifest: Annotated[Href | UnsetType, "Every other document with its hash."] = UNSET
    llms: Annotated[Href | UnsetType, "The catalog for assistants, as text."] = UNSET
    feeds: Annotated[list[PageLink] | UnsetType, "RSS feeds of the whole catalog."] = UNSET
    calendar: Annotated[PageLink | UnsetType, "Ends of life, as a calendar (iCalendar)."] = UNSET
    vex_repository: Annotated[Href | UnsetType, "The exceptions of all images, as an archive."] = UNSET


@CLOSING.route(
    "index.json",
    "getIndex",
    "URLs of all documents",
    "The URL of every document, and `contents`, by which a mirror sees whether any has changed.",
)
class Discovery(ApiDocument):
    """URLs of all documents."""

    title: Annotated[str, "Name of the site."]
    contents: Annotated[
        Sha256,
        "Changes exactly if another document changes: SHA-256 of the lines `PATH SHA256` of "
        "all documents except this one and the manifest, sorted by path, each with a line feed.",
    ]
    resources: Annotated[_RESOURCES, "The paged collections."]  # type: ignore[valid-type]
    documents: Annotated[FixedAddresses, "URL of each other document that has one URL."]
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
class Manifest(ApiDocument):
    """Every other document, with its hash and size."""

    generated_at: Annotated[Timestamp, "UTC time of the build."]
    generator: Annotated[GeneratedBy, "The program that wrote the documents."]
    base: Annotated[
        str,
        "URL of the API; without a host if the site has no URL of its own.",
        Meta(min_length=1, extra_json_schema={"format": "uri-reference"}),
    ]
    documents: Annotated[dict[str, ManifestEntry], "Path below `api/v1/` → hash and size."]


def _files_of_site(catalog: Catalog, settings: Settings) -> dict[str, Any]:
    """The addresses of feeds and calendar, if the settings ask for them."""
    if catalog.site_url is None or not settings.feeds:
        return {}
    at = catalog.addresses
    found: dict[str, Any] = {}
    feeds = [addresses.UPDATES_FEED]
    if catalog.history:
        feeds.append(addresses.SECURITY_FEED)
    found["feeds"] = [at.web(feed) for feed in feeds]
    if any(version.end_of_life for image in catalog.images for version in image.entry.versions):
        found["calendar"] = at.web(addresses.CALENDAR)
    return found


def _fixed(catalog: Catalog, settings: Settings, listed: Iterable[Route]) -> FixedAddresses:
    """The addresses of documents that these routes have without parameters, and of files of the site."""
    found: dict[str, Any] = {}
    for route in listed:
        if not route.parameters:
            attribute = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", route.listed)
            found[attribute] = catalog.addresses.api(route.path)
    return FixedAddresses(**found, **_files_of_site(catalog, settings))


def discovery(
    catalog: Catalog,
    settings: Settings,
    kinds: Iterable[Kind],
    badges: Iterable[str],
    written: Mapping[str, ManifestEntry],
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
        _fixed(catalog, settings, listed),
        {route.listed: at.api(route.path) for route in listed if route.parameters},
        {name: at.api(addresses.badge(name)) for name in badges},
    )


def manifest(
    catalog: Catalog, written: Mapping[str, ManifestEntry], generated_at: str, generator: GeneratedBy
) -> Manifest:
    base = urljoin(catalog.site_url or "", catalog.addresses.api("").rstrip("/"))
    return Manifest("v1", generated_at, generator, base, {path: written[path] for path in sorted(written)})
