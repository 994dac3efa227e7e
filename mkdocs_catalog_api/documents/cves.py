"""Who has this CVE? Every affected release, where statements suppress it, and the charts that pin it."""

import re
from collections import Counter as Counted
from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct, field

from ..catalog import addresses
from ..catalog.assessment import Assessment
from ..catalog.models import Lifecycle
from ..catalog.names import reserved
from ..catalog.published import (
    ApiVersion,
    DigestAgain,
    Document,
    Href,
    HrefAgain,
    LifecycleWord,
    SlugAgain,
    VersionLabelAgain,
)
from ..catalog.scans import SEVERITIES
from ..catalog.types import Count, Slug, Text
from ..catalog.value import Catalog
from ..catalog.vulnerabilities import (
    ExploitedSince,
    Justification,
    SeverityWord,
    Statement,
    Status,
    Suppressed,
    Vulnerability,
    cve_order,
)
from .kinds import Documents, Kind, Parameter, Route

_INDEX, _PATH = "cves/index.json", "cves/{id}.json"
_FILE_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
Resource = Annotated[Literal["cves"], Meta(description="Name of the resource.")]
Id = Annotated[Text, Meta(description="CVE id, else the advisory's id.")]
Severity = Annotated[SeverityWord, Meta(description="The highest that it has in any version.")]
Title = Annotated[str, Meta(description="Summary; empty if it is not known.")]
Url = Annotated[
    str,
    Meta(
        description="Advisory; empty when it is not known.",
        examples=["https://avd.aquasec.com/nvd/cve-2025-9230"],
    ),
]


class CveEntry(Document):
    """One id, and how far it is spread."""

    id: Id
    severity: Severity
    title: Title
    url: Url
    images: Annotated[Count, Meta(description="Images with an affected version.", examples=[2])]
    releases: Annotated[Count, Meta(description="Affected versions.", examples=[3])]
    latest: Annotated[Count, Meta(description="Images whose newest version is affected.", examples=[1])]
    suppressed: Annotated[Count, Meta(description="Versions in which it is suppressed.")]
    fixable: Annotated[Count, Meta(description="Affected packages in versions with a fix.", examples=[3])]
    charts: Annotated[Count, Meta(description="Charts that pin something affected.")]
    exploited: ExploitedSince
    href: Annotated[
        Href | None,
        Meta(
            description="Where it is found; null when its name can't be that of a file.",
            examples=["API/cves/CVE-2025-9230.json"],
        ),
    ]


Scanned = Annotated[
    Count, Meta(description="Listed versions with a scan, of which this is the answer, of all images.")
]
Unscanned = Annotated[
    Count, Meta(description="Listed versions without a scan: nobody looked for vulnerabilities in them.")
]


class CveIndex(Document):
    """Every id that a scan of a listed version, or of an image that a chart pins, has found."""

    api_version: ApiVersion
    resource: Resource
    total: Annotated[Count, Meta(description="Number of ids.")]
    scanned: Scanned
    unscanned: Unscanned
    data: Annotated[list[CveEntry], Meta(description="One entry for each, the worst first.")]


ReportedAs = Annotated[
    str | None,
    Meta(
        description="Id of the row that covers it and other vulnerabilities; null if the row has this id.",
        examples=["DSA-6015-1"],
    ),
]


class AffectedRelease(Document):
    """A version that has it open, in one package."""

    slug: Annotated[SlugAgain, Meta(description="Slug of the image.")]
    version: Annotated[VersionLabelAgain, Meta(description="The version.")]
    is_latest: Annotated[bool, Meta(description="Whether it is the newest.")]
    lifecycle: Annotated[LifecycleWord, Meta(description="Lifecycle stage of the image.")]
    digest: Annotated[DigestAgain | None, Meta(description="Digest of the version, the first of them.")]
    pkg: Annotated[str, Meta(description="Package.")]
    installed: Annotated[str, Meta(description="Version that is installed.")]
    fixed: Annotated[str, Meta(description="Version that has the fix; empty when there is none.")]
    reported_as: ReportedAs
    href: Annotated[
        HrefAgain,
        Meta(description="Document with its vulnerabilities.", examples=["API/security/nginx/1.29.3.json"]),
    ]


class SilencedRelease(AffectedRelease):
    """A version in which a VEX statement takes it out, in one package."""

    status: Status
    justification: Justification
    statement: Statement


class AffectedItem(Document):
    """An item with a pin that has it open."""

    slug: Annotated[Slug, Meta(description="Slug of the item.", examples=["web"])]
    href: Annotated[Href, Meta(description="Item document.", examples=["API/charts/web/index.json"])]


class CveDocument(Document):
    """Where one vulnerability is found."""

    api_version: ApiVersion
    resource: Resource
    id: Id
    severity: Severity
    title: Title
    url: Url
    total: Annotated[Count, Meta(description="Number of affected packages in versions.")]
    scanned: Scanned
    unscanned: Unscanned
    data: Annotated[
        list[AffectedRelease], Meta(description="An entry for each, by slug, newest version first.")
    ]
    suppressed: Annotated[list[SilencedRelease], Meta(description="Where it is suppressed.")]
    charts: Annotated[
        list[AffectedItem],
        Meta(description="Charts with a pin that has it open, also one that is on no page; by slug."),
    ]
    exploited: ExploitedSince


class _Affected(NamedTuple):
    """A release, as its entries begin and end."""

    slug: str
    version: str
    is_latest: bool
    lifecycle: Lifecycle
    digest: str | None
    href: str


class _Spread(Struct):
    """Where one id is found. Places and rows are parallel lists: a pair a row would take twice as much."""

    severity: Severity
    title: str
    url: str
    exploited: str | None
    open: list[Vulnerability] = field(default_factory=list)
    open_in: list[_Affected] = field(default_factory=list)
    suppressed: list[Suppressed] = field(default_factory=list)
    suppressed_in: list[_Affected] = field(default_factory=list)
    pinned_by: set[tuple[str, str]] = field(default_factory=set)
    """Collection and slug of the items with a pin that has it open."""

    def slugs(self, collection: str) -> list[str]:
        """The items of a collection that pin it."""
        return sorted(slug for name, slug in self.pinned_by if name == collection)

    def see(self, row: Vulnerability | Suppressed, exploited: str | None) -> None:
        """Keep the highest severity with its texts, and the first day of known exploitation."""
        worse = SEVERITIES.index(row.severity) < SEVERITIES.index(self.severity)
        if worse:
            self.severity = row.severity
        self.title = row.title or self.title if worse else self.title or row.title
        self.url = row.url or self.url if worse else self.url or row.url
        days = [day for day in (exploited, self.exploited) if day is not None]
        self.exploited = min(days, default=None)


def _spreads(catalog: Catalog) -> dict[str, _Spread]:
    """Id → where it is found."""
    spreads: dict[str, _Spread] = {}
    pinning: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    """Slug and version → the items that pin the release."""
    for item in catalog.pinning:
        for pin in item.pins:
            if pin.slug and pin.version and not pin.outside:
                pinning[pin.slug, pin.version].add((item.collection, item.entry.slug))

    def seen(id_: str, row: Vulnerability | Suppressed, exploited: str | None) -> _Spread:
        spread = spreads.get(id_)
        if spread is None:
            spread = spreads[id_] = _Spread(row.severity, row.title, row.url, exploited)
        else:
            spread.see(row, exploited)
        return spread

    def all_seen(row: Vulnerability | Suppressed, assessment: Assessment) -> list[_Spread]:
        """Of its own id, and of each CVE that it covers."""
        of_row = [seen(row.id, row, row.exploited)]
        if assessment.further:
            days = catalog.exploited or {}
            ids = assessment.further.get((row.id, row.pkg, row.installed), ())
            of_row += [seen(id_, row, days.get(id_)) for id_ in ids]
        return of_row

    for image in catalog.images:
        for release in image.releases:
            if release.assessment is None:
                continue
            entry, version = image.entry, release.entry
            href = catalog.addresses.api(addresses.release(entry.slug, version.version))
            latest = version.version == entry.latest
            place = _Affected(entry.slug, version.version, latest, entry.lifecycle, version.digest, href)
            pinned_by = pinning.get((place.slug, place.version), ())
            for row in release.assessment.rows:
                for spread in all_seen(row, release.assessment):
                    spread.open.append(row)
                    spread.open_in.append(place)
                    spread.pinned_by.update(pinned_by)
            for out in release.assessment.suppressed:
                for spread in all_seen(out, release.assessment):
                    spread.suppressed.append(out)
                    spread.suppressed_in.append(place)
    for item in catalog.pinning:
        for pin in item.pins:
            if pin.outside and pin.assessment:
                for row in pin.assessment.rows:
                    for spread in all_seen(row, pin.assessment):
                        spread.pinned_by.add((item.collection, item.entry.slug))
    return spreads


def _documents(catalog: Catalog) -> Documents:
    spreads = _spreads(catalog)
    releases = [release for image in catalog.images for release in image.releases]
    scanned = sum(release.assessment is not None for release in releases)
    looked_at = scanned, len(releases) - scanned
    named_ids = _file_names(spreads)
    entries: list[CveEntry] = []
    for id_ in sorted(
        spreads, key=lambda id_: (SEVERITIES.index(spreads[id_].severity), cve_order(id_), id_)
    ):
        path = _PATH.format(id=id_) if id_ in named_ids else None
        entries.append(_entry(catalog, id_, spreads[id_], path))
        if path:
            yield path, _document(catalog, id_, spreads[id_], *looked_at)
    yield _INDEX, CveIndex("v1", "cves", len(entries), *looked_at, entries)


def _entry(catalog: Catalog, id_: str, spread: _Spread, path: str | None) -> CveEntry:
    affected = {*spread.open_in}
    return CveEntry(
        id=id_,
        severity=spread.severity,
        title=spread.title,
        url=spread.url,
        images=len({place.slug for place in affected}),
        releases=len(affected),
        latest=sum(place.is_latest for place in affected),
        suppressed=len({*spread.suppressed_in}),
        fixable=sum(row.fixed != "" for row in spread.open),
        charts=len(spread.slugs("charts")),
        exploited=spread.exploited,
        href=catalog.addresses.api(path) if path else None,
    )


def _document(catalog: Catalog, id_: str, spread: _Spread, scanned: int, unscanned: int) -> CveDocument:
    def pinning(collection: str) -> list[AffectedItem]:
        slugs = spread.slugs(collection)
        return [AffectedItem(slug, catalog.addresses.api(addresses.item(collection, slug))) for slug in slugs]

    return CveDocument(
        api_version="v1",
        resource="cves",
        id=id_,
        severity=spread.severity,
        title=spread.title,
        url=spread.url,
        total=len(spread.open),
        scanned=scanned,
        unscanned=unscanned,
        data=[
            AffectedRelease(*_entry_fields(id_, place, row))
            for place, row in zip(spread.open_in, spread.open, strict=True)
        ],
        suppressed=[
            SilencedRelease(*(*_entry_fields(id_, place, row), row.status, row.justification, row.statement))
            for place, row in zip(spread.suppressed_in, spread.suppressed, strict=True)
        ],
        charts=pinning("charts"),
        exploited=spread.exploited,
    )


def _entry_fields(id_: str, place: _Affected, row: Vulnerability | Suppressed) -> tuple[Any, ...]:
    """The fields of an affected release, in their order."""
    reported_as = row.id if row.id != id_ else None
    return *place[:5], row.pkg, row.installed, row.fixed, reported_as, place.href


def _file_names(ids: Iterable[str]) -> set[str]:
    """The ids that can name a file on every system, and no other's file where case is ignored."""
    safe = [id_ for id_ in ids if _FILE_SAFE.fullmatch(id_) and not reserved(id_) and id_.lower() != "index"]
    alike = Counted(id_.lower() for id_ in safe)
    return {id_ for id_ in safe if alike[id_.lower()] == 1}


CVES = Kind(
    "cves",
    "lookups",
    routes=(
        Route(
            _INDEX,
            "listCves",
            "Every vulnerability of the catalog",
            "Every id that scans have found in any listed version of any image, older versions included, "
            "with the number of images and versions that have it.",
            CveIndex,
            listed="cves",
        ),
        Route(
            _PATH,
            "getCve",
            "Who has a vulnerability",
            "The versions that have it open, those in which a VEX statement takes it out, and the charts "
            "that carry it. An id that nothing has, or that can't be the name of a file, has no document.",
            CveDocument,
            (
                Parameter(
                    "id",
                    "CVE id, else the advisory's id.",
                    Annotated[str, Meta(max_length=100)],
                ),
            ),
            listed="cve",
        ),
    ),
    documents=_documents,
    optional=True,
)
