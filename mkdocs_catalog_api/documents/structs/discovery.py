"""Documents about the API itself, and badges."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from ...catalog.published import (
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


class Badge(Document, kw_only=True):
    """A badge in the endpoint format of shields.io: what does not apply is absent, never null."""

    schema_version: Annotated[Literal[1], Meta(description="Version of the badge format.")]
    label: Annotated[Text, Meta(description="Left half.")]
    message: Annotated[Text, Meta(description="Right half.")]
    color: Annotated[Text, Meta(description="Colour of the right half.")]
    label_color: Annotated[Text, Meta(description="Colour of the left half.")]
    named_logo: Annotated[Text | UnsetType, Meta(description="Slug of simple-icons.")] = UNSET
    logo_color: Annotated[Text | UnsetType, Meta(description="Colour of the named logo.")] = UNSET
    logo_svg: Annotated[Text | UnsetType, Meta(description="The logo itself.")] = UNSET
    style: Annotated[Literal["for-the-badge"], Meta(description="Shape of the badge.")]
    cache_seconds: Annotated[Literal[3600], Meta(description="How long renderers may keep it.")]


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

    summary: Annotated[Href, Meta(description="Figures of the catalog and of each image.")]
    index: Annotated[Href, Meta(description="Every scanned image.")]


class HistoryLinks(Document):
    """Where the recorded days are."""

    changes: Annotated[Href, Meta(description="What changed on each day.")]
    index: Annotated[Href, Meta(description="Figures of every day.")]


class Discovery(Document):
    """Where everything is."""

    api_version: ApiVersion
    title: Annotated[str, Meta(description="Name of the site.")]
    resources: Annotated[Resources, Meta(description="The paged collections.")]
    security: Annotated[SecurityLinks, Meta(description="Where vulnerability data begins.")]
    history: Annotated[
        HistoryLinks | None, Meta(description="Where the recorded days are; null when none is recorded.")
    ]
    badges: Annotated[dict[str, Href], Meta(description="Name → address of each badge of the catalog.")]
    lookups: Annotated[
        dict[str, AddressTemplate],
        Meta(description="Name → address of each lookup, with what a client fills in in braces."),
    ]
    openapi: Annotated[Href, Meta(description="OpenAPI document.")]
    manifest: Annotated[Href, Meta(description="Every document with its hash.")]


class GeneratedBy(Document):
    """What wrote the documents."""

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
    generator: Annotated[GeneratedBy, Meta(description="What wrote the documents.")]
    documents: Annotated[dict[str, ManifestEntry], Meta(description="Path below `api/v1/` → hash and size.")]


class OpenApiInfo(Document, forbid_unknown_fields=False):
    """What the API is."""

    title: Annotated[str, Meta(description="Name of the API.")]
    version: Annotated[str, Meta(description="Version of the API.")]


class OpenApi(Document, forbid_unknown_fields=False):
    """An OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html)."""

    openapi: Annotated[Literal["3.1.0"], Meta(description="Version of the OpenAPI format.")]
    info: Annotated[OpenApiInfo, Meta(description="What the API is.")]
    paths: Annotated[dict[str, Any], Meta(min_length=1, description="Path → operations.")]
    components: Annotated[dict[str, Any], Meta(min_length=1, description="Schemas.")]
