"""The catalog: all published documents are functions of this value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from msgspec import Struct, field

from ..items.base_model import Model
from ..items.collections import PINNING
from ..items.fields import ItemFields
from ..items.lines import Advice
from ..items.models import (
    ImageEntry,
    PinEntry,
    PinningEntry,
    PlatformManifest,
    RoadmapEntry,
    UpdateEntry,
    VersionEntry,
)
from ..problems import Problem
from .addresses import Addresses, mount_path
from .alike import Look, Looks
from .assessment import Assessment, Figures
from .contents import Contents
from .covers import ScanSelection
from .ids import Identities
from .package_urls import Package
from .recorded import History
from .scans import Scan, plain_platform
from .vex_matching import Statements
from .vulnerabilities import Suppressed, Vulnerability


class Assessed(Struct, frozen=True, kw_only=True):
    """What scans may have looked at."""

    selection: ScanSelection = ScanSelection()
    """The scans that count for it."""
    assessment: Assessment | None = None
    """None without a scan."""

    @property
    def scans(self) -> tuple[Scan, ...]:
        return self.selection.scans

    @property
    def figures(self) -> Figures | None:
        return self.assessment.figures if self.assessment else None

    @property
    def rows(self) -> Sequence[Vulnerability]:
        """The open ones; empty without a scan, too."""
        return self.assessment.rows if self.assessment else ()

    @property
    def suppressed(self) -> Sequence[Suppressed]:
        return self.assessment.suppressed if self.assessment else ()


class Release(Assessed, frozen=True):
    """One version of an image with the scans that count for it."""

    entry: VersionEntry
    contents: Contents | None = None
    """The packages in it; None if they are not known."""
    advice: Advice = Advice()
    """The versions to update to."""
    gone: bool = False
    """Whether it was deleted from its registry."""
    manifests: Mapping[str, Release] = field(default_factory=dict)
    """Digest → the same for this manifest alone; empty where there is only one part."""

    @property
    def platforms(self) -> list[str]:
        """Plain ones: of its manifests, else those on its page."""
        listed = [manifest.platform for manifest in self.entry.manifests] or self.entry.platforms
        return [*map(plain_platform, listed)]

    def days(self, now: str) -> list[str]:
        """The days of its scans, in order; none if the time of one is not known, as one after `now`."""
        days = [scan.scanned_at[:10] for scan in self.scans if scan.scanned_at and scan.scanned_at <= now]
        return sorted(days) if len(days) == len(self.scans) else []

    def looks(self, now: str, manifests: Iterable[PlatformManifest]) -> Looks:
        """What its scans looked at; `manifests` are the known ones, also of other releases."""
        of_digests = {manifest.digest: manifest.platform for manifest in manifests}
        looks = [Look.of(scan, of_digests) for scan in self.scans]
        return Looks.of(looks, next(iter(self.days(now)), None), self.entry.digests, self.platforms)

    def of(self, digest: str | None) -> Release:
        """What is known of the manifest with this digest, else the release."""
        return self.manifests.get(digest or "", self)


class Effect(NamedTuple):
    """What an update fixes and adds: the worst open row of each vulnerability in each package."""

    fixes: Sequence[Vulnerability]
    adds: Sequence[Vulnerability]


class FormerDigest(Struct, frozen=True):
    """A digest that a version of an image had before, and that no version has now."""

    slug: str
    image: str | None
    """Reference of the image without a tag; None if it left the catalog, and is not known."""
    digest: str
    until: str | None
    """The day on which the version got another digest, or left; None if it is not known."""
    label: str | None
    """The version of the catalog that has the label or tag now; None if there is none."""
    release: Release
    """The former build, with its manifests. Its version is the label or tag that had the digest."""

    @property
    def version(self) -> str:
        return self.release.entry.version


class WebPage(Struct, frozen=True):
    url: str
    """Address relative to the site's root: `images/nginx/`."""
    own: bool
    """False if the item has no page and this is the page of its collection."""


class Image(Struct, frozen=True):
    """An image with its releases, newest first."""

    collection: ClassVar[str] = "images"
    entry: ImageEntry
    page: WebPage
    releases: tuple[Release, ...]
    manifest_tags: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Digest of a manifest → the tags in the registry that name it alone."""

    @property
    def newest(self) -> Release | None:
        return self.releases[0] if self.releases else None

    def release(self, version: str) -> Release:
        return next(release for release in self.releases if release.entry.version == version)

    @property
    def figures(self) -> Figures | None:
        """Those of the newest release."""
        return self.releases[0].figures if self.releases else None


class Pin(Assessed, frozen=True):
    """A pinned image, and the matching release of the catalog, if any; with the scans of that release or
    manifest, or its own outside the catalog.
    """

    entry: PinEntry
    key: str
    """The same for pins of the same image: its digest, else its normalized reference."""
    slug: str | None
    version: str | None
    former: FormerDigest | None = None
    """The former digest that is pinned, as index or manifest."""
    problem: Problem | None = None
    """What to know about a pin outside the catalog, without a place."""

    @property
    def outside(self) -> bool:
        """Whether no release of the catalog is pinned."""
        return self.slug is None or self.version is None or self.former is not None


class PinningItem(Struct, frozen=True):
    """An item that pins images, such as a chart, with its pins."""

    collection: str
    entry: PinningEntry
    page: WebPage
    pins: tuple[Pin, ...] = ()


class RoadmapItem(Struct, frozen=True):
    """A planned application."""

    collection: ClassVar[str] = "roadmap"
    entry: RoadmapEntry
    page: WebPage | None


class Catalog(Struct, frozen=True):
    """The whole catalog: items by collection and slug, updates in the order of the source.

    Versions are newest first, each scan is at the release that it counts for, each pin at its release.
    """

    title: str = ""
    """Name of the site."""
    site_url: str | None = None
    images: tuple[Image, ...] = ()
    pinning: tuple[PinningItem, ...] = ()
    """The items of all collections that pin images."""
    roadmap: tuple[RoadmapItem, ...] = ()
    updates: tuple[UpdateEntry, ...] = ()
    statements: Statements = field(default_factory=Statements)
    """The statements of VEX documents."""
    exploited: Mapping[str, str] | None = None
    """Id → day on which it became known to be exploited; None without the list."""
    history: History | None = None
    """None without a recorded day."""
    fields: Mapping[str, ItemFields[Model]] = field(default_factory=dict)
    """Collection → the fields of its items."""
    former: tuple[FormerDigest, ...] = ()
    """By slug, those of the newest version first, then the last ones first."""
    publishes_former: bool = False
    """Whether former digests have documents."""
    publishes_packages: bool = False
    """Whether packages have documents."""
    publishes_sboms: bool = False
    """Whether versions whose packages are known have an SBOM."""
    now: str = ""
    """UTC, `2026-11-20T06:00:00Z`; a later scan is dated in the future, so its time is not known."""
    identities: Identities = Identities({}, {}, {})
    """Which of the rows are the same vulnerability."""
    package_names: Mapping[Package, str] = field(default_factory=dict)
    """Package → its name, where that is spelled in another way than it is compared."""
    _shown: dict[tuple[int, int], bool] = field(default_factory=dict)
    """What `shows_fixes` has answered, by the identities of its releases: all are in this value."""
    _effects: dict[tuple[int, int], Effect | None] = field(default_factory=dict)
    """The same for `effect`."""

    @property
    def content(self) -> tuple[object, ...]:
        """All that documents and pages show. A later time of the same day shows nothing else, unless a scan
        is no longer dated in the future.
        """
        left_out = {"now", "_shown", "_effects"}
        shown = (getattr(self, name) for name in self.__struct_fields__ if name not in left_out)
        releases = [*(release for image in self.images for release in image.releases)]
        releases += [each.release for each in self.former]
        times = {scan.scanned_at or "" for release in releases for scan in release.scans}
        return (self.now[:10], {time for time in times if time > self.now}, *shown)

    @property
    def addresses(self) -> Addresses:
        return Addresses(mount_path(self.site_url))

    @property
    def with_documents(self) -> dict[str, Sequence[Image | PinningItem]]:
        """Collection → its items, of the collections whose items have documents."""
        pinning = {name: [item for item in self.pinning if item.collection == name] for name in PINNING}
        return {"images": self.images, **pinning}

    @property
    def items(self) -> Mapping[str, Sequence[Image | PinningItem | RoadmapItem]]:
        """Collection → its items, without updates."""
        return {**self.with_documents, "roadmap": self.roadmap}

    def totals(self) -> dict[str, int]:
        """Collection → number of its items."""
        return {**{name: len(items) for name, items in self.items.items()}, "updates": len(self.updates)}

    def shows_fixes(self, newer: Release, older: Release) -> bool:
        """Whether the scans of `newer` are of the same scanners as those of `older`, of no earlier day, and
        looked at the same, as `Looks.show_fixes` says.
        """
        pair = id(newer), id(older)
        if pair not in self._shown:
            manifests = [*newer.entry.manifests, *older.entry.manifests]
            looks, others = (release.looks(self.now, manifests) for release in (newer, older))
            newest = max(older.days(self.now), default=None)
            same = looks.scanners == others.scanners
            self._shown[pair] = same and looks.show_fixes(others.named, newest)
        return self._shown[pair]

    def effect(self, older: Release, newer: Release) -> Effect | None:
        """What an update from one release of an image to another one fixes and adds; None unless the scans
        show it.
        """
        pair = id(older), id(newer)
        if pair not in self._effects:
            self._effects[pair] = self._effect(older, newer)
        return self._effects[pair]

    def _effect(self, older: Release, newer: Release) -> Effect | None:
        if older.figures is None or newer.figures is None or not self.shows_fixes(newer, older):
            return None
        of = self.identities.of
        before, after = (
            {(of(row), row.package): row for row in reversed(release.rows)} for release in (older, newer)
        )
        return Effect(_missing(before, after), _missing(after, before))

    def name_of(self, package: Package) -> str:
        """The full name of a package, as it is shown."""
        return self.package_names.get(package, package.full_name)

    def by_name(self) -> dict[str, Image | PinningItem]:
        """Slug or name → item: a slug before a name, then by collection."""
        items = [item for listed in self.with_documents.values() for item in listed]
        # Later keys replace earlier ones.
        names = {item.entry.name: item for item in reversed(items)}
        return names | {item.entry.slug: item for item in reversed(items)}

    def users(self) -> dict[str, list[PinningItem]]:
        """Slug of an image → the items that pin it."""
        users: dict[str, list[PinningItem]] = {}
        for item in self.pinning:
            for slug in dict.fromkeys(pin.slug for pin in item.pins if pin.slug):
                users.setdefault(slug, []).append(item)
        return users

    def assessed(self) -> Iterator[Assessed]:
        """Every release, and every pin outside the catalog, also several pins of the same image."""
        for image in self.images:
            yield from image.releases
        for item in self.pinning:
            yield from (pin for pin in item.pins if pin.outside)

    def assessments(self) -> Iterator[Assessment]:
        """Those of all that has a scan."""
        return filter(None, (assessed.assessment for assessed in self.assessed()))


_Rows = Mapping[tuple[str, Package], Vulnerability]
"""Id and package → row."""


def _missing(rows: _Rows, others: _Rows) -> Sequence[Vulnerability]:
    """The rows that certainly none of the others is."""
    packages: dict[str, list[Package]] = {}
    for id_, package in others:
        packages.setdefault(id_, []).append(package)
    return [
        row
        for (id_, package), row in rows.items()
        if not any(package.may_be(other) for other in packages.get(id_, ()))
    ]
