"""Security documents: release records, details, the summary and the index."""

from typing import Annotated, Literal, get_type_hints

from msgspec import Meta, Struct, defstruct

from ...catalog.published import (
    ApiVersion,
    Counter,
    Counters,
    Critical,
    CriticalIfScanned,
    Digest,
    Document,
    ExploitedIfKnown,
    Fixable,
    FixableIfScanned,
    Grade,
    High,
    HighIfScanned,
    Href,
    Low,
    LowIfScanned,
    Medium,
    MediumIfScanned,
    OpenTotal,
    ScoreIfGraded,
    Slug,
    SuppressedIfScanned,
    SuppressedTotal,
    Text,
    Timestamp,
    TotalIfScanned,
    Unknown,
    UnknownIfScanned,
    VersionLabel,
)
from ...catalog.vulnerabilities import Suppressed, Vulnerability

Named = Annotated[Literal["security"], Meta(description="Name of the resource.")]
ImageReference = Annotated[str, Meta(min_length=1, description="Reference of the image without a tag.")]
ImageSlug = Annotated[Slug, Meta(description="Slug of the image.")]

Label = Annotated[VersionLabel, Meta(description="Label of the release.")]
Scanned = Annotated[bool, Meta(description="Whether the release has a scan.")]
Rows = Annotated[list[Vulnerability] | None, Meta(description="The vulnerabilities, worst first.")]
RawFindings = Annotated[Counter | None, Meta(description="Raw findings, before deduplication.")]
DistinctIds = Annotated[Counter | None, Meta(description="Distinct ids of the vulnerabilities.")]
ScannedDigest = Annotated[Digest | None, Meta(description="What was scanned.")]
ScannedAt = Annotated[Timestamp | None, Meta(description="UTC time of the scan.")]
Scanner = Annotated[Text | None, Meta(description="Names and versions of the scanners.")]
DigestsScanned = Annotated[
    Counter | None,
    Meta(description="How many of the version's digests have a scan. Fewer than all of several: no grade."),
]
OsEndOfLife = Annotated[
    bool | None,
    Meta(description="The operating system gets no more advisories: finding nothing then means little."),
]
SuppressedRows = Annotated[
    list[Suppressed] | None, Meta(description="Vulnerabilities that VEX statements took out.")
]


class Release(Document):
    """Vulnerability data of one release. Not scanned: all but `version` and `scanned` is null."""

    version: Label
    scanned: Scanned
    total: TotalIfScanned
    fixable: FixableIfScanned
    grade: Grade
    score: ScoreIfGraded
    cves: Rows
    critical: CriticalIfScanned
    high: HighIfScanned
    medium: MediumIfScanned
    low: LowIfScanned
    unknown: UnknownIfScanned
    findings: RawFindings
    unique: DistinctIds
    digest: ScannedDigest
    scanned_at: ScannedAt
    scanner: Scanner
    digests_scanned: DigestsScanned
    os_end_of_life: OsEndOfLife
    suppressed: SuppressedRows
    exploited: ExploitedIfKnown


class SecurityHead(Document):
    """What the documents of one image begin with."""

    api_version: ApiVersion
    resource: Named
    slug: ImageSlug
    image: ImageReference


def _fields(struct: type[Struct]) -> list[tuple[str, object]]:
    return [*get_type_hints(struct, include_extras=True).items()]


ReleaseDocument = defstruct(
    "ReleaseDocument",
    [*_fields(SecurityHead), *_fields(Release)],
    bases=(Document,),
    module=__name__,
    namespace={
        "__doc__": "Vulnerability data of one release of one image. Not scanned: every figure is null."
    },
)


class SecurityDetail(SecurityHead):
    """Vulnerability data of every release of one image."""

    latest: Annotated[Release, Meta(description="Record of the newest version.")]
    versions: Annotated[
        list[Release], Meta(min_length=1, description="A record for each version, newest first.")
    ]


class ImageSecurity(Document):
    """Figures of an image: those of its newest version. All null when that has no scan."""

    scanned: Annotated[bool, Meta(description="Whether the newest version has a scan.")]
    version: Annotated[
        VersionLabel | None, Meta(description="The newest version; null when there is none yet.")
    ]
    critical: CriticalIfScanned
    high: HighIfScanned
    medium: MediumIfScanned
    low: LowIfScanned
    unknown: UnknownIfScanned
    total: TotalIfScanned
    fixable: FixableIfScanned
    suppressed: SuppressedIfScanned
    grade: Grade
    score: ScoreIfGraded
    href: Annotated[
        Href | None, Meta(description="Security detail of the image; null when it has no version yet.")
    ]
    exploited: ExploitedIfKnown


class ChartSecurity(Document):
    """Sums over the distinct images that a chart pins, each of the release that is pinned.

    With some of them unscanned, the counts cover the scanned ones; grade and score are null.
    """

    scanned: Annotated[bool, Meta(description="Whether it pins something and every pin has a scan.")]
    critical: CriticalIfScanned
    high: HighIfScanned
    medium: MediumIfScanned
    low: LowIfScanned
    unknown: UnknownIfScanned
    total: TotalIfScanned
    fixable: FixableIfScanned
    suppressed: SuppressedIfScanned
    grade: Grade
    score: ScoreIfGraded
    pins: Annotated[Counter, Meta(description="Distinct images that it pins.")]
    pins_scanned: Annotated[Counter, Meta(description="How many of them have a scan.")]
    exploited: ExploitedIfKnown


class SummaryEntry(Counters):
    """Figures of one scanned image: those of its newest version."""

    total: OpenTotal
    fixable: Fixable
    suppressed: SuppressedTotal
    grade: Grade
    score: ScoreIfGraded
    version: Annotated[VersionLabel, Meta(description="The newest version.")]
    href: Annotated[Href, Meta(description="Security detail of the image.")]
    exploited: ExploitedIfKnown


class Pinned(Document):
    """Open vulnerabilities of the distinct releases that charts pin."""

    total: Annotated[Counter, Meta(description="Open vulnerabilities of those that have a scan.")]
    by_severity: Annotated[Counters, Meta(description="The same by severity.")]
    releases: Annotated[Counter, Meta(description="How many distinct releases charts pin.")]
    unscanned: Annotated[Counter, Meta(description="How many of them have no scan.")]


class SecuritySummary(Document):
    """Open vulnerabilities across the catalog: those of the newest version of each image."""

    api_version: ApiVersion
    resource: Named
    total: Annotated[Counter, Meta(description="Open vulnerabilities: the sum over the images.")]
    by_severity: Annotated[Counters, Meta(description="The same by severity.")]
    images_with_cves: Annotated[Counter, Meta(description="Images with at least one.")]
    images: Annotated[dict[str, SummaryEntry], Meta(description="Slug of each scanned image → figures.")]
    scanned: Annotated[Counter, Meta(description="Images whose newest version has a scan.")]
    unscanned: Annotated[list[Slug], Meta(description="Slugs of the images without one.")]
    fixable: Annotated[Counter, Meta(description="How many of all vulnerabilities have a fix.")]
    suppressed: SuppressedTotal
    unique: Annotated[Counter, Meta(description="Distinct ids of all vulnerabilities.")]
    oldest_scan: Annotated[
        Timestamp | None,
        Meta(description="UTC time of the oldest scan of a newest version; null when one has no known time."),
    ]
    newest_scan: Annotated[
        Timestamp | None, Meta(description="UTC time of the newest one; null when none is known.")
    ]
    exploited: ExploitedIfKnown
    pinned: Annotated[Pinned, Meta(description="The same figures of what charts pin.")]


class SecurityIndexEntry(Document):
    """One scanned image: figures of its newest version."""

    slug: ImageSlug
    name: Annotated[Text, Meta(description="Name for people.")]
    image: ImageReference
    version: Annotated[VersionLabel, Meta(description="The newest version.")]
    grade: Grade
    score: ScoreIfGraded
    critical: Critical
    high: High
    medium: Medium
    low: Low
    unknown: Unknown
    total: OpenTotal
    fixable: Fixable
    scanned_at: ScannedAt
    href: Annotated[Href, Meta(description="Security detail of the image.")]
    exploited: ExploitedIfKnown


class SecurityIndex(Document):
    """Every scanned image."""

    api_version: ApiVersion
    resource: Named
    total: Annotated[Counter, Meta(description="Number of scanned images.")]
    data: Annotated[list[SecurityIndexEntry], Meta(description="One entry for each, by slug.")]
