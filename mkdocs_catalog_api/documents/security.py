"""Vulnerability data: release records, the detail of each image, the summary and the index."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from ..catalog import addresses, value
from ..catalog.addresses import Addresses
from ..catalog.assessment import Figures, os_end_of_life, scanner_names, total, worse
from ..catalog.causes import MOST, causes
from ..catalog.covers import ScanSelection
from ..catalog.described import open_words
from ..catalog.package_urls import Package
from ..catalog.populations import Population, populations
from ..catalog.published import (
    ApiDocument,
    Counters,
    Critical,
    Document,
    ExploitedIfKnown,
    Fixable,
    Grade,
    High,
    Href,
    Low,
    Medium,
    OpenTotal,
    ScoreIfGraded,
    SuppressedTotal,
    Timestamp,
    TotalIfScanned,
    Unknown,
    document_struct,
    fields_of,
)
from ..catalog.recorded import PopulationFigures
from ..catalog.scans import COUNTERS, Limit
from ..catalog.vulnerabilities import Suppressed, Vulnerability
from ..items.types import Count, Digest, Slug, Text, VersionLabel
from .kinds import IMAGE_SLUG, Documents, Kind, Parameter
from .packages import PackageName, PackageType, package_path

SECURITY = Kind("security", "security")
_VERSION = Parameter("version", "Version, as in the image's `versions`.", VersionLabel)
Resource = Annotated[Literal["security"], "Name of the resource."]
ImageReference = Annotated[Text, "Reference of the image without a tag."]
ImageSlug = Annotated[Slug, "Slug of the image."]

ScannedAt = Annotated[Timestamp | None, "UTC time of the scan."]
Scanner = Annotated[Text | None, "Names and versions of the scanners."]
PlatformsScanned = Annotated[list[Text], "The platforms of its scans, as far as they are known."]
Limits = Annotated[
    list[Annotated[Limit, open_words(Limit)]],
    "Reasons why its scans may lack vulnerabilities. There is no A+ or A then.",
]
Complete = Annotated[bool, "Whether every part of it has a scan without limits."]
OsEndOfLife = Annotated[
    bool | None, "The operating system gets no more advisories: finding nothing then means little."
]


class SecurityFigures(Document):
    """Counts for one version, or sums over the distinct images that a chart pins, each of the pinned version.

    All are null without a scan. Without a grade, a count that would be 0 is null, since not everything was
    looked at. If some of a chart's images are not scanned, its counts cover the others.
    """

    scanned: Annotated[bool, "Whether it has a scan; of a chart, whether every pin has one."]
    complete: Complete
    version: Annotated[VersionLabel | None, "The version; null for a chart, and when there is none yet."]
    critical: Critical | None
    high: High | None
    medium: Medium | None
    low: Low | None
    unknown: Unknown | None
    total: TotalIfScanned
    fixable: Fixable | None
    suppressed: SuppressedTotal | None
    exploited: ExploitedIfKnown
    grade: Grade
    score: ScoreIfGraded
    scanned_at: ScannedAt
    os_end_of_life: OsEndOfLife
    href: Annotated[
        Href | None, "Security detail of the image; null for a chart, and when nothing is listed."
    ]
    pins: Annotated[Count | UnsetType, "Distinct images that a chart pins; charts alone have it."] = UNSET
    pins_scanned: Annotated[Count | UnsetType, "How many of these have a scan; charts alone have it."] = UNSET


class SummaryEntry(Counters):
    """Counts for the newest version of one scanned image."""

    total: OpenTotal
    fixable: Fixable
    suppressed: SuppressedTotal
    grade: Grade
    score: ScoreIfGraded
    version: Annotated[VersionLabel, "The newest version."]
    href: Annotated[Href, "Security detail of the image."]
    exploited: ExploitedIfKnown


class PackageCause(Document):
    """A package behind the counts."""

    type: PackageType
    name: PackageName
    open: Annotated[Counters, "Its open vulnerabilities in newest versions, by severity."]
    total: Annotated[Count, "The same, added up.", Meta(examples=[12])]
    fixable: Fixable
    images: Annotated[Count, "Images whose newest version has one of them.", Meta(examples=[4])]
    fixed: Annotated[
        list[Text],
        "Versions of the package that fix most of them, newest first: one for each line.",
        Meta(examples=[["3.0.18-1~deb12u1"]]),
    ]
    href: Annotated[
        Href | None,
        "The images that have it; null if packages have no documents.",
        Meta(examples=["API/packages/deb/libssl3.json"]),
    ]


Causes = Annotated[
    list[PackageCause], "The packages with most open vulnerabilities, at most 20.", Meta(max_length=MOST)
]


class AvailableFigures(PopulationFigures, kw_only=True):
    """Counts for available images, and the packages behind them."""

    causes: Causes


class Pinned(Document):
    """Open vulnerabilities of the distinct versions that charts pin."""

    total: Annotated[Count, "Open vulnerabilities of those that have a scan."]
    by_severity: Annotated[Counters, "Open vulnerabilities by severity."]
    releases: Annotated[Count, "How many distinct versions charts pin."]
    releases_unscanned: Annotated[Count, "How many of them have no scan."]


@SECURITY.route(
    "security.json",
    "getSecuritySummary",
    "Counts for the catalog and for each image",
    "Open vulnerabilities of all images that are not planned, of the available ones, and of each "
    "scanned image by its slug.",
    listed="securitySummary",
)
class SecuritySummary(ApiDocument):
    """Open vulnerabilities of all images but planned ones: those of the newest version of each.

    Deprecated and withdrawn images count; `available` has the counts without them.
    """

    resource: Resource
    total: Annotated[Count, "Open vulnerabilities: the sum over the images."]
    by_severity: Annotated[Counters, "Open vulnerabilities by severity."]
    images_with_cves: Annotated[Count, "Images with at least one."]
    images: Annotated[dict[str, SummaryEntry], "Slug of each scanned image → counts."]
    images_scanned: Annotated[Count, "Images whose newest version has a scan."]
    images_unscanned: Annotated[list[Slug], "Slugs of the images without one."]
    fixable: Annotated[Count, "How many of all vulnerabilities have a fix."]
    fixable_by_severity: Annotated[Counters, "Those with a fix, by severity."]
    suppressed: SuppressedTotal
    unique: Annotated[Count, "Distinct ids of all vulnerabilities."]
    oldest_scan: Annotated[
        Timestamp | None, "UTC time of the oldest scan of a newest version; null when one has no known time."
    ]
    newest_scan: Annotated[Timestamp | None, "UTC time of the newest one; null when none is known."]
    exploited: ExploitedIfKnown
    pinned: Annotated[Pinned, "The same counts for the versions that charts pin."]
    causes: Causes
    available: Annotated[AvailableFigures, "The same counts of available images alone."]


class SecurityIndexEntry(Document):
    """One scanned image: counts for its newest version."""

    slug: ImageSlug
    name: Annotated[Text, "Name for people."]
    image: ImageReference | None
    version: Annotated[VersionLabel, "The newest version."]
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
    href: Annotated[Href, "Security detail of the image."]
    exploited: ExploitedIfKnown


@SECURITY.route(
    "security/index.json",
    "getSecurityIndex",
    "Every scanned image",
    "Every scanned image that is not planned, with its grade, its counts and the URL of its detail.",
    listed="securityIndex",
)
class SecurityIndex(ApiDocument):
    """Every scanned image that is not planned; deprecated and withdrawn ones are in it."""

    resource: Resource
    total: Annotated[Count, "Number of scanned images."]
    data: Annotated[list[SecurityIndexEntry], "One entry for each, by slug."]


class ReleaseRecord(Document):
    """Vulnerability data of one version. Without a scan, all counts and texts but `version` are null."""

    version: Annotated[VersionLabel, "The version."]
    scanned: Annotated[bool, "Whether the version has a scan."]
    total: TotalIfScanned
    fixable: Fixable | None
    grade: Grade
    score: ScoreIfGraded
    cves: Annotated[list[Vulnerability] | None, "The vulnerabilities, worst first."]
    critical: Critical | None
    high: High | None
    medium: Medium | None
    low: Low | None
    unknown: Unknown | None
    findings: Annotated[Count | None, "Raw findings, before deduplication."]
    unique: Annotated[Count | None, "Distinct ids of the vulnerabilities."]
    digest: Annotated[Digest | None, "Digest of the scanned image."]
    scanned_at: ScannedAt
    scanner: Scanner
    digests_scanned: Annotated[Count | None, "How many of the version's digests have a scan."]
    platforms_scanned: PlatformsScanned
    limits: Limits
    complete: Complete
    os_end_of_life: OsEndOfLife
    suppressions: Annotated[list[Suppressed] | None, "Vulnerabilities that VEX statements took out."]
    exploited: ExploitedIfKnown


ReleaseRecord.__name__ = "Release"  # in schemas; in the code, that is the version in the catalog


class SecurityHead(ApiDocument):
    """The first fields of the documents of one image."""

    resource: Resource
    slug: ImageSlug
    image: ImageReference | None


@SECURITY.route(
    "security/{slug}.json",
    "getImageSecurity",
    "Vulnerabilities of all versions of an image",
    "A record with the vulnerabilities of each version that the image lists.",
    IMAGE_SLUG,
    listed="imageSecurity",
)
class SecurityDetail(SecurityHead):
    """Vulnerability data of every version of one image."""

    latest: Annotated[ReleaseRecord, "Record of the newest version."]
    versions: Annotated[list[ReleaseRecord], "A record for each version, newest first.", Meta(min_length=1)]


ReleaseDocument = SECURITY.route(
    "security/{slug}/{version}.json",
    "getReleaseSecurity",
    "Vulnerabilities of one version of an image",
    "The record of one version, with its vulnerabilities.",
    IMAGE_SLUG,
    _VERSION,
    listed="release",
)(
    document_struct(
        "ReleaseDocument",
        "Vulnerability data of one version of one image. Without a scan, every count is null.",
        fields_of(SecurityHead) | fields_of(ReleaseRecord),
    )
)


_NOTHING: dict[str, Any] = dict.fromkeys(ReleaseRecord.__struct_fields__) | {
    "scanned": False,
    "platforms_scanned": [],
    "limits": [],
    "complete": False,
}
NO_FIGURES: dict[str, Any] = dict.fromkeys(
    (*COUNTERS, "total", "fixable", "suppressed", "exploited", "grade", "score")
)


def _of_figures(figures: Figures, struct: type[Struct]) -> dict[str, Any]:
    """The counts, the grade and the time of the scan, as far as documents of this kind have them."""
    known = figures.fields() | {"scanned_at": figures.scanned_at}
    return {name: known[name] for name in struct.__struct_fields__ if name in known}


def record(release: value.Release) -> ReleaseRecord:
    assessment, version = release.assessment, release.entry.version
    if assessment is None:
        return ReleaseRecord(**_NOTHING | {"version": version})
    selection = release.selection
    return ReleaseRecord(
        version=version,
        scanned=True,
        cves=assessment.rows,
        findings=assessment.findings,
        unique=len({row.id for row in assessment.rows}),
        digest=selection.scanned_digest,
        scanner=scanner_names(selection.scans),
        digests_scanned=selection.digests_scanned,
        platforms_scanned=selection.platforms,
        limits=[*selection.limits],
        complete=selection.complete,
        os_end_of_life=os_end_of_life(selection.scans),
        suppressions=assessment.suppressed,
        **_of_figures(assessment.figures, ReleaseRecord),
    )


def security_figures(
    image: value.Image | None, release: value.Release | None, at: Addresses
) -> SecurityFigures:
    """The figures of a release or manifest of an image; None for an image without versions, or that left."""
    figures = release.figures if release else None
    selection = release.selection if release else ScanSelection()
    return SecurityFigures(
        scanned=figures is not None,
        complete=selection.complete,
        version=release.entry.version if release else None,
        **(figures.known_fields() if figures else NO_FIGURES),
        scanned_at=figures.scanned_at if figures else None,
        os_end_of_life=os_end_of_life(selection.scans),
        href=at.api(addresses.detail(image.entry.slug)) if image and image.releases else None,
    )


def item_security(item: value.Image | value.PinningItem, at: Addresses) -> SecurityFigures:
    if isinstance(item, value.Image):
        return security_figures(item, item.newest, at)
    pins = _pinned_figures([item])
    scanned = [figures for figures in pins.values() if figures is not None]
    sums = total(scanned)
    if len(scanned) < len(pins):
        sums = sums._replace(grade=None, score=None)
    times = [figures.scanned_at for figures in scanned]
    return SecurityFigures(
        scanned=bool(pins) and len(scanned) == len(pins),
        complete=bool(pins) and all(pin.selection.complete for pin in item.pins),
        version=None,
        **(sums.known_fields() if scanned else NO_FIGURES),
        scanned_at=min(filter(None, times), default=None) if all(times) else None,
        os_end_of_life=os_end_of_life([scan for pin in item.pins for scan in pin.selection.scans]),
        href=None,
        pins=len(pins),
        pins_scanned=len(scanned),
    )


def _pinned_figures(items: Iterable[value.PinningItem]) -> dict[str, Figures | None]:
    """The figures of each distinct thing that the items pin."""
    figures: dict[str, Figures | None] = {}
    for item in items:
        for pin in item.pins:
            figures[pin.key] = worse(figures.get(pin.key), pin.figures)
    return figures


def summary(catalog: value.Catalog) -> SecuritySummary:
    """The security summary; planned images are not in it."""
    at = catalog.addresses
    everything, available = populations(catalog)
    entries = {
        image.entry.slug: SummaryEntry(
            **figures.fields(),
            version=release.entry.version,
            href=at.api(addresses.detail(image.entry.slug)),
        )
        for image, release, figures in everything.newest()
    }
    sums, times = everything.figures, everything.times
    return SecuritySummary(
        api_version="v1",
        resource="security",
        total=sums.total,
        by_severity=Counters(**sums.counters),
        images_with_cves=everything.affected,
        images=entries,
        images_scanned=everything.scanned,
        images_unscanned=[image.entry.slug for image in everything.images if image.figures is None],
        fixable=sums.fixable,
        fixable_by_severity=Counters(*sums.counts.fixable),
        suppressed=sums.suppressed,
        unique=len(everything.ids),
        oldest_scan=times[0] if times and len(times) == everything.scanned else None,
        newest_scan=times[-1] if times else None,
        exploited=sums.exploited,
        pinned=_pinned(catalog.pinning),
        causes=_causes(catalog, everything),
        available=AvailableFigures(**structs.asdict(available.published), causes=_causes(catalog, available)),
    )


def _causes(catalog: value.Catalog, population: Population) -> list[PackageCause]:
    def href(package: Package) -> str | None:
        path = package_path(package.type, catalog.name_of(package)) if catalog.publishes_packages else None
        return catalog.addresses.api(path) if path else None

    return [
        PackageCause(
            type=cause.package.type,
            name=catalog.name_of(cause.package),
            open=Counters(*cause.counts),
            total=sum(cause.counts),
            fixable=cause.fixable,
            images=cause.images,
            fixed=cause.fixed,
            href=href(cause.package),
        )
        for cause in causes(population)
    ]


def _pinned(items: Iterable[value.PinningItem]) -> Pinned:
    pinned = _pinned_figures(items)
    scanned = [figures for figures in pinned.values() if figures is not None]
    sums = total(scanned)
    return Pinned(sums.total, Counters(**sums.counters), len(pinned), len(pinned) - len(scanned))


def _index(catalog: value.Catalog) -> SecurityIndex:
    """Every scanned image that is not planned."""
    at = catalog.addresses
    entries = [
        SecurityIndexEntry(
            slug=image.entry.slug,
            name=image.entry.name,
            image=image.entry.image,
            version=release.entry.version,
            href=at.api(addresses.detail(image.entry.slug)),
            **_of_figures(figures, SecurityIndexEntry),
        )
        for image, release, figures in populations(catalog).all.newest()
    ]
    return SecurityIndex("v1", "security", len(entries), entries)


def detail(image: value.Image) -> SecurityDetail:
    """The vulnerabilities of all releases of an image that lists any."""
    records = [record(release) for release in image.releases]
    return SecurityDetail("v1", "security", image.entry.slug, image.entry.image, records[0], records)


@SECURITY.generator
def _documents(catalog: value.Catalog) -> Documents:
    yield addresses.SUMMARY, summary(catalog)
    yield addresses.SECURITY_INDEX, _index(catalog)
    for image in catalog.images:
        if not image.releases:
            continue
        slug, whole = image.entry.slug, detail(image)
        head = {"api_version": "v1", "resource": "security", "slug": slug, "image": image.entry.image}
        yield addresses.detail(slug), whole
        for entry in whole.versions:
            body = ReleaseDocument(**head, **structs.asdict(entry))
            yield addresses.release(slug, entry.version), body
