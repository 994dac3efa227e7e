"""Every document of the API as a model: what the schemas are generated from, and what the gate checks.

Items derive from what authors write (`catalog.models`) and add what is computed. Fields stand in the order
of the contract; a declared field is always present, null only where its type says so.
"""

from __future__ import annotations

from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import Field, WithJsonSchema, model_validator

from ..catalog.models import (
    ChartEntry,
    ImageEntry,
    Model,
    Outcome,
    PinEntry,
    RoadmapEntry,
    UpdateEntry,
    VersionEntry,
)
from ..catalog.types import Count, Digest, Slug, Text, VersionLabel

PER_PAGE = 24

Href = Annotated[str, Field(pattern=r"^(?:/|\.)", description="Address below the host of the site.")]
Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
Grade = Literal["A+", "A", "B", "C", "D", "F"]
Score = Annotated[
    int | float,
    Field(ge=0, le=100, description="0 (worst) to 100, to one decimal."),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 100}),
]
ApiVersion = Annotated[Literal["v1"], Field(description="Version of the API.")]
Total = Annotated[Count, Field(description="Number of items in the collection.")]

T = TypeVar("T")


class Counters(Model):
    """Open vulnerabilities by severity."""

    critical: Count
    high: Count
    medium: Count
    low: Count
    unknown: Count


class Figures(Counters):
    """What a scan of a release counted, after deduplication and without what VEX statements took out."""

    total: Annotated[Count, Field(description="Sum of the five severities.")]
    fixable: Annotated[Count, Field(description="How many have a fix.")]
    suppressed: Annotated[Count, Field(description="How many a VEX statement took out.")]
    grade: Annotated[Grade | None, Field(description="Letter by the worst; null when it can't be told.")]
    score: Score | None


class ImageSecurity(Model):
    """Figures of an image: those of its newest version. All null when that has no scan."""

    scanned: Annotated[bool, Field(strict=True, description="Whether the newest version has a scan.")]
    version: Annotated[VersionLabel | None, Field(description="The newest version.")]
    critical: Count | None
    high: Count | None
    medium: Count | None
    low: Count | None
    unknown: Count | None
    total: Count | None
    fixable: Count | None
    suppressed: Count | None
    grade: Grade | None
    score: Score | None
    href: Annotated[Href | None, Field(description="Security detail of the image.")]


class ChartSecurity(Model):
    """Sums over the distinct images that a chart pins, each of the release that is pinned."""

    scanned: Annotated[bool, Field(strict=True, description="It pins something and every pin has a scan.")]
    critical: Count | None
    high: Count | None
    medium: Count | None
    low: Count | None
    unknown: Count | None
    total: Count | None
    fixable: Count | None
    suppressed: Count | None
    grade: Grade | None
    score: Score | None
    pins: Annotated[Count, Field(description="Distinct images that it pins.")]
    pins_scanned: Annotated[Count, Field(description="How many of them have a scan.")]


class Version(VersionEntry):
    """One published release of an image."""

    href: Annotated[Href, Field(description="Release document.")]


class Pin(PinEntry):
    """An image that a chart pins."""

    slug: Annotated[Slug | None, Field(description="Slug of the image in this catalog.")] = None
    version: Annotated[VersionLabel | None, Field(description="The release that is pinned.")] = None
    href: Annotated[Href | None, Field(description="Release document.")] = None


class Image(ImageEntry):
    """A hardened container image."""

    versions: Annotated[list[Version], Field(description="Releases, newest first.")] = []  # type: ignore[assignment]
    url: Annotated[str, Field(description="Web page.")]
    href: Annotated[Href, Field(description="Item document.")]
    security: ImageSecurity


class Chart(ChartEntry):
    """A signed Helm chart."""

    images: Annotated[list[Pin], Field(description="The images that it pins.")] = []  # type: ignore[assignment]
    url: Annotated[str, Field(description="Web page.")]
    href: Annotated[Href, Field(description="Item document.")]
    security: ChartSecurity


class RoadmapItem(RoadmapEntry):
    """An application that is planned."""

    url: Annotated[str | None, Field(description="Web page.")] = None
    href: Annotated[Href, Field(description="Item document.")]


class Update(UpdateEntry):
    """What the latest version check found for one application, and what was done about it."""

    outcome: Outcome
    href: Annotated[Href | None, Field(description="Item document of the application.")] = None


class CollectionHead(Model):
    """A collection without its items."""

    api_version: ApiVersion
    resource: str
    total: Total


class Collection(CollectionHead, Generic[T]):
    """Every item of a collection."""

    data: list[T]

    @model_validator(mode="after")
    def _total_holds(self) -> Self:
        if self.total != len(self.data):
            raise ValueError(f"total is {self.total}, but data has {len(self.data)} items")
        return self


class PageLinks(Model):
    """Addresses around a page."""

    self: Href
    first: Href
    last: Href
    prev: Href | None
    next: Href | None
    collection: Href


class PageHead(Model):
    """A page of a collection without its items."""

    api_version: ApiVersion
    resource: str
    page: Annotated[Count, Field(description="Number of the page, from 1.")]
    per_page: Annotated[Literal[24], Field(description="Items on a full page.")]
    total: Total
    total_pages: Annotated[Count, Field(description="Number of pages.")]
    links: PageLinks


class Page(PageHead, Generic[T]):
    """One page of a collection."""

    data: Annotated[list[T], Field(min_length=1, max_length=PER_PAGE)]


class ItemLinks(Model):
    """Addresses around an item."""

    self: Href
    collection: Href
    html: Annotated[str | None, Field(description="Web page of the item.")]


class ImageBadges(Model):
    """Badges of one image, in the endpoint format of shields.io."""

    cves: Href
    grade: Href
    version: Href


class ItemHead(Model):
    """An item document without the item."""

    api_version: ApiVersion
    resource: str
    slug: Slug
    links: ItemLinks


class Item(ItemHead, Generic[T]):
    """One item of a collection."""

    data: T


class ImageItemHead(ItemHead):
    """An image's document without the image."""

    badges: ImageBadges


class ImageItem(ImageItemHead, Generic[T]):
    """One image."""

    data: T


class Vulnerability(Model):
    """One vulnerability of one package. A text that is not known is empty."""

    id: Annotated[str, Field(min_length=1, description="CVE id, else the advisory's id.")]
    severity: Severity
    pkg: Annotated[str, Field(description="Package.")]
    installed: Annotated[str, Field(description="Version that is installed.")]
    fixed: Annotated[str, Field(description="Version that has the fix.")]
    title: str
    url: Annotated[str, Field(description="Advisory.")]
    targets: Annotated[list[str], Field(description="Parts of the image where it was found.")]


class Suppressed(Vulnerability):
    """A vulnerability that a VEX statement took out."""

    status: Literal["not_affected", "fixed"]
    justification: str
    statement: Annotated[str, Field(description="Id of the VEX document that says so.")]


class ReleaseFields(Model):
    """Vulnerability data of one release. Not scanned: all but `version` and `scanned` is null."""

    version: VersionLabel
    scanned: Annotated[bool, Field(strict=True)]
    total: Annotated[Count | None, Field(description="Vulnerabilities, deduplicated.")]
    fixable: Annotated[Count | None, Field(description="How many have a fix.")]
    grade: Annotated[Grade | None, Field(description="Letter by the worst; null when it can't be told.")]
    score: Score | None
    cves: Annotated[list[Vulnerability] | None, Field(description="The vulnerabilities, worst first.")]
    critical: Count | None
    high: Count | None
    medium: Count | None
    low: Count | None
    unknown: Count | None
    findings: Annotated[Count | None, Field(description="Raw findings, before deduplication.")]
    unique: Annotated[Count | None, Field(description="Distinct ids.")]
    digest: Annotated[Digest | None, Field(description="What was scanned.")]
    scanned_at: Annotated[
        str | None, Field(description="UTC time of the scan.", json_schema_extra={"format": "date-time"})
    ]
    scanner: Annotated[Text | None, Field(description="Name and version of the scanner.")]
    os_end_of_life: Annotated[
        bool | None,
        Field(
            strict=True,
            description="The operating system gets no more advisories: finding nothing then means little.",
        ),
    ]
    suppressed: Annotated[
        list[Suppressed] | None, Field(description="Vulnerabilities that VEX statements took out.")
    ]

    @model_validator(mode="after")
    def _sums_hold(self) -> Self:
        counters = (self.critical, self.high, self.medium, self.low, self.unknown)
        if not self.scanned:
            rest = (self.total, self.fixable, self.grade, self.score, self.cves, *counters, self.suppressed)
            if any(value is not None for value in rest):
                raise ValueError("not scanned, but with figures")
            return self
        if self.cves is None or self.suppressed is None or None in counters:
            raise ValueError("scanned, but without figures")
        words = [row.severity for row in self.cves]
        found = tuple(words.count(word) for word in ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"))
        if found != counters or self.total != len(words):
            raise ValueError(f"counters {counters} and total {self.total}, but the rows give {found}")
        if self.fixable != sum(row.fixed != "" for row in self.cves):
            raise ValueError(f"fixable is {self.fixable}, but other rows have a fix")
        return self


class Release(ReleaseFields):
    """Vulnerability data of one release."""


class SecurityHead(Model):
    """What the documents of one image begin with."""

    api_version: ApiVersion
    resource: Literal["security"]
    slug: Slug
    image: Annotated[str, Field(description="Reference of the image without a tag.")]


class ReleaseDocument(ReleaseFields, SecurityHead):
    """Vulnerability data of one release of one image."""


class SecurityDetail(SecurityHead):
    """Vulnerability data of every release of one image."""

    latest: Annotated[Release, Field(description="Record of the newest version.")]
    versions: Annotated[list[Release], Field(min_length=1, description="Newest first.")]


class SummaryEntry(Figures):
    """Figures of one scanned image."""

    version: VersionLabel
    href: Annotated[Href, Field(description="Security detail of the image.")]


class SecuritySummary(Model):
    """Open vulnerabilities across the catalog: those of the newest version of each image."""

    api_version: ApiVersion
    resource: Literal["security"]
    total: Annotated[Count, Field(description="Open vulnerabilities.")]
    by_severity: Counters
    images_with_cves: Annotated[Count, Field(description="Images with at least one.")]
    images: Annotated[dict[str, SummaryEntry], Field(description="Slug of each scanned image → figures.")]
    scanned: Annotated[Count, Field(description="Images whose newest version has a scan.")]
    unscanned: Annotated[list[Slug], Field(description="Slugs of the images without one.")]
    fixable: Count
    suppressed: Count
    unique: Annotated[Count, Field(description="Distinct ids.")]

    @model_validator(mode="after")
    def _sums_hold(self) -> Self:
        if self.total != sum(entry.total for entry in self.images.values()):
            raise ValueError("total is not the sum of the images' totals")
        return self


class SecurityIndexEntry(Model):
    """One scanned image."""

    slug: Slug
    name: Text
    image: str
    version: VersionLabel
    grade: Grade | None
    score: Score | None
    critical: Count
    high: Count
    medium: Count
    low: Count
    unknown: Count
    total: Count
    fixable: Count
    scanned_at: Annotated[str | None, Field(json_schema_extra={"format": "date-time"})]
    href: Annotated[Href, Field(description="Security detail of the image.")]


class Badge(Model):
    """A badge in the endpoint format of shields.io: absent keys are absent, never null."""

    schema_version: Literal[1]
    label: str
    message: Text
    color: Text
    label_color: Text
    style: Literal["for-the-badge"]
    cache_seconds: Literal[3600]
    named_logo: Annotated[str, Field(min_length=1)] | None = None
    logo_color: Annotated[str, Field(min_length=1)] | None = None
    logo_svg: Annotated[str, Field(min_length=1)] | None = None


class ResourceLink(Model):
    """Where a collection is and how large it is."""

    href: Href
    total: Total
    total_pages: Count


class Resources(Model):
    """The paged collections."""

    images: ResourceLink
    charts: ResourceLink
    roadmap: ResourceLink
    updates: ResourceLink


class SecurityLinks(Model):
    """Where vulnerability data begins."""

    summary: Href
    index: Href


class Discovery(Model):
    """Where everything is."""

    api_version: ApiVersion
    title: Annotated[str, Field(description="Name of the site.")]
    resources: Resources
    security: SecurityLinks
    badges: Annotated[dict[str, Href], Field(description="Name → address of each badge of the catalog.")]
    openapi: Href
    manifest: Href


class Generator(Model):
    """What wrote the documents."""

    name: str
    version: str


class ManifestEntry(Model):
    """A document's content."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    bytes: Count


class Manifest(Model):
    """Every other document, with its hash and size."""

    api_version: ApiVersion
    generated_at: Annotated[
        str, Field(description="UTC time of the build.", json_schema_extra={"format": "date-time"})
    ]
    generator: Generator
    documents: dict[str, ManifestEntry]
