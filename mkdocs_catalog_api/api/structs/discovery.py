"""Documents about the API itself, and badges."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ...catalog.models import Model
from ...catalog.types import Text
from .envelopes import Total
from .fields import ApiVersion, Counter, Href, Positive, Timestamp


def _or_absent(schema: dict[str, Any]) -> None:
    del schema["default"]


class Badge(Model):
    """A badge in the endpoint format of shields.io: what does not apply is absent, never null."""

    model_config = ConfigDict(
        json_schema_extra={"dependentRequired": {"namedLogo": ["logoColor"], "logoColor": ["namedLogo"]}}
    )

    schema_version: Annotated[Literal[1], Field(description="Version of the badge format.")]
    label: Annotated[Text, Field(description="Left half.")]
    message: Annotated[Text, Field(description="Right half.")]
    color: Annotated[Text, Field(description="Colour of the right half.")]
    label_color: Annotated[Text, Field(description="Colour of the left half.")]
    named_logo: Annotated[
        str, Field(min_length=1, description="Slug of simple-icons.", json_schema_extra=_or_absent)
    ] = ""
    logo_color: Annotated[
        str, Field(min_length=1, description="Colour of the named logo.", json_schema_extra=_or_absent)
    ] = ""
    logo_svg: Annotated[
        str, Field(min_length=1, description="The logo itself.", json_schema_extra=_or_absent)
    ] = ""
    style: Annotated[Literal["for-the-badge"], Field(description="Shape of the badge.")]
    cache_seconds: Annotated[Literal[3600], Field(description="How long renderers may keep it.")]

    @model_validator(mode="after")
    def _one_logo(self) -> Self:
        if bool(self.named_logo) == bool(self.logo_svg) or bool(self.named_logo) != bool(self.logo_color):
            raise ValueError("a badge has a named logo with its colour, or a logo of its own")
        return self


class ResourceLink(Model):
    """Where a collection is and how large it is."""

    href: Annotated[Href, Field(description="The full collection.")]
    total: Total
    total_pages: Annotated[Counter, Field(description="Number of its pages.")]


class Resources(Model):
    """The paged collections."""

    images: Annotated[ResourceLink, Field(description="Hardened container images.")]
    charts: Annotated[ResourceLink, Field(description="Signed Helm charts.")]
    roadmap: Annotated[ResourceLink, Field(description="Planned applications.")]
    updates: Annotated[ResourceLink, Field(description="Results of the latest version check.")]


class SecurityLinks(Model):
    """Where vulnerability data begins."""

    summary: Annotated[Href, Field(description="Figures of the catalog and of each image.")]
    index: Annotated[Href, Field(description="Every scanned image.")]


class Discovery(Model):
    """Where everything is."""

    api_version: ApiVersion
    title: Annotated[str, Field(description="Name of the site.")]
    resources: Annotated[Resources, Field(description="The paged collections.")]
    security: Annotated[SecurityLinks, Field(description="Where vulnerability data begins.")]
    badges: Annotated[dict[str, Href], Field(description="Name → address of each badge of the catalog.")]
    openapi: Annotated[Href, Field(description="OpenAPI document.")]
    manifest: Annotated[Href, Field(description="Every document with its hash.")]


class Generator(Model):
    """What wrote the documents."""

    name: Annotated[Text, Field(description="Name of the program.")]
    version: Annotated[Text, Field(description="Its version.")]


class ManifestEntry(Model):
    """A document's content."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of its bytes.")]
    bytes: Annotated[Positive, Field(description="Size in bytes.")]


class Manifest(Model):
    """Every other document, with its hash and size."""

    api_version: ApiVersion
    generated_at: Annotated[Timestamp, Field(description="UTC time of the build.")]
    generator: Annotated[Generator, Field(description="What wrote the documents.")]
    documents: Annotated[dict[str, ManifestEntry], Field(description="Path below `api/v1/` → hash and size.")]


class OpenApiInfo(Model):
    """What the API is."""

    model_config = ConfigDict(extra="allow")

    title: Annotated[str, Field(description="Name of the API.")]
    version: Annotated[str, Field(description="Version of the API.")]


class OpenApi(Model):
    """An OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html)."""

    model_config = ConfigDict(extra="allow")

    openapi: Annotated[Literal["3.1.0"], Field(description="Version of the OpenAPI format.")]
    info: Annotated[OpenApiInfo, Field(description="What the API is.")]
    paths: Annotated[dict[str, Any], Field(min_length=1, description="Path → operations.")]
    components: Annotated[dict[str, Any], Field(min_length=1, description="Schemas.")]
