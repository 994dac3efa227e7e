"""The documents that close a build: discovery, and the manifest with the hashes of all others."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urljoin

from msgspec import Meta

from ..catalog import addresses
from ..catalog.published import (
    AddressTemplate,
    ApiVersion,
    Counter,
    Document,
    Href,
    Positive,
    Text,
    Timestamp,
    Total,
)
from ..catalog.value import Catalog
from .collections import total_pages
from .kinds import Documents, Kind, Route


class ResourceLink(Document):
    """Where a collection is and how large it is."""

    href: Annotated[Href, Meta(description="The full collection.")]
    total: Total
    total_pages: Annotated[Counter, Meta(description="Number of its pages.")]


class Resources(Document):
    """The paged collections."""

    images: Annotated[ResourceLink, Meta(description="Hardened container images.")]
    charts: Annotated[ResourceLink, Meta(description="Signed Helm charts.")]
    roadmap: Annotated[ResourceLink, Meta(description="Planned applications.")]
    updates: Annotated[ResourceLink, Meta(description="Results of the latest version check.")]


class SecurityLinks(Document):
    """Where vulnerability data begins."""

    summary: Annotated[Href, Meta(description="Counts for the catalog and for each image.")]
    index: Annotated[Href, Meta(description="Every scanned image.")]


class HistoryLinks(Document):
    """Where the recorded days are."""

    changes: Annotated[Href, Meta(description="Changes of each day.")]
    index: Annotated[Href, Meta(description="Counts for every day.")]
    fixes: Annotated[Href, Meta(description="Critical and high vulnerabilities, and when they were fixed.")]


class Discovery(Document):
    """Addresses of all documents."""

    api_version: ApiVersion
    title: Annotated[str, Meta(description="Name of the site.")]
    resources: Annotated[Resources, Meta(description="The paged collections.")]
    security: Annotated[SecurityLinks, Meta(description="Where vulnerability data begins.")]
    history: Annotated[
        HistoryLinks | None, Meta(description="Where the recorded days are; null when none is recorded.")
    ]
    badges: Annotated[dict[str, Href], Meta(description="Name → address of each badge of the catalog.")]
    templates: Annotated[
        dict[str, AddressTemplate],
        Meta(description="Name → address of other documents, with parameters in braces."),
    ]
    lookups: Annotated[
        dict[str, AddressTemplate],
        Meta(description="Name → address of each lookup, with parameters in braces."),
    ]
    openapi: Annotated[Href, Meta(description="OpenAPI document.")]
    manifest: Annotated[Href, Meta(description="Every document with its hash.")]


class GeneratedBy(Document):
    """The program that wrote the documents."""

    name: Annotated[Text, Meta(description="Name of the program.")]
    version: Annotated[Text, Meta(description="Its version.")]


class ManifestEntry(Document):
    """A document's content."""

    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of its bytes.")]
    bytes: Annotated[Positive, Meta(description="Size in bytes.")]


class Manifest(Document):
    """Every other document, with its hash and size."""

    api_version: ApiVersion
    generated_at: Annotated[Timestamp, Meta(description="UTC time of the build.")]
    generator: Annotated[GeneratedBy, Meta(description="The program that wrote the documents.")]
    base: Annotated[
        str,
        Meta(
            min_length=1,
            extra_json_schema={"format": "uri-reference"},
            description="Address of the API; without a host if the site has no address of its own.",
        ),
    ]
    documents: Annotated[dict[str, ManifestEntry], Meta(description="Path below `api/v1/` → hash and size.")]


class OpenApiInfo(Document, forbid_unknown_fields=False):
    """Name and version of the API."""

    title: Annotated[str, Meta(description="Name of the API.")]
    version: Annotated[str, Meta(description="Version of the API.")]


class OpenApi(Document, forbid_unknown_fields=False):
    """An OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html)."""

    openapi: Annotated[Literal["3.1.0"], Meta(description="Version of the OpenAPI format.")]
    info: Annotated[OpenApiInfo, Meta(description="Name and version of the API.")]
    paths: Annotated[dict[str, Any], Meta(min_length=1, description="Path → operations.")]
    components: Annotated[dict[str, Any], Meta(min_length=1, description="Schemas.")]


def discovery(
    catalog: Catalog,
    lookups: Mapping[str, str],
    templates: Mapping[str, str],
    badges: Iterable[str],
) -> Discovery:
    """Where everything is; `lookups` and `templates` have the path of each name, `badges` are names."""
    at = catalog.addresses
    return Discovery(
        "v1",
        catalog.title,
        Resources(
            **{
                name: ResourceLink(at.api(addresses.collection(name)), total, total_pages(total))
                for name, total in catalog.totals().items()
            }
        ),
        SecurityLinks(at.api(addresses.SUMMARY), at.api(addresses.SECURITY_INDEX)),
        HistoryLinks(*map(at.api, (addresses.CHANGES, addresses.HISTORY, addresses.FIXES)))
        if catalog.history
        else None,
        {name: at.api(addresses.badge(name)) for name in badges},
        {name: at.api(path) for name, path in templates.items()},
        {name: at.api(path) for name, path in lookups.items()},
        at.api(addresses.OPENAPI),
        at.api(addresses.MANIFEST),
    )


def manifest(
    catalog: Catalog, written: Mapping[str, ManifestEntry], generated_at: str, generator: GeneratedBy
) -> Manifest:
    """Path, SHA-256 and size of every other document."""
    base = urljoin(catalog.site_url or "", catalog.addresses.api("").rstrip("/"))
    return Manifest("v1", generated_at, generator, base, {path: written[path] for path in sorted(written)})


def _none(_: Catalog) -> Documents:
    """They are made of what all other documents are, by `publication`."""
    return ()


CLOSING = Kind(
    "discovery",
    routes=(
        Route(
            "index.json",
            "getIndex",
            "discovery",
            "Addresses of all documents",
            "Addresses of the collections, the security documents and the badges of the catalog.",
            Discovery,
        ),
        Route("openapi.json", "getOpenapi", "discovery", "This document", "The API in OpenAPI 3.1.", OpenApi),
        Route(
            "manifest.json",
            "getManifest",
            "discovery",
            "Every document with its hash",
            "Path, SHA-256 and size of every other document. A mirror compares them to find changes.",
            Manifest,
        ),
    ),
    documents=_none,
)
