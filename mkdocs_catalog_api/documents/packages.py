"""Which images contain this package? Every package that a list or a scan names, vulnerable or not."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from itertools import groupby
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ..catalog.causes import by_severity, fixes, package_order
from ..catalog.contents import PackageVersion
from ..catalog.package_urls import Package, bare_url, plain_name, plain_version
from ..catalog.published import (
    ApiDocument,
    Counters,
    Document,
    Fixable,
    Href,
    UncheckedDigest,
    UncheckedSlug,
    UncheckedVersionLabel,
)
from ..catalog.value import Catalog
from ..catalog.vulnerabilities import Vulnerability
from ..items.names import reserved
from ..items.types import Count, Text
from .kinds import Documents, Kind, Parameter

_INDEX, _PATH = "packages/index.json", "packages/{type}/{name}.json"
_FILE_SAFE = re.compile(r"[a-z0-9~][a-z0-9~._-]{0,99}")
_SEPARATORS = str.maketrans("/:@+", "~~~~")

PACKAGES = Kind("packages", "lookups", optional=True)
Resource = Annotated[Literal["packages"], "Name of the resource."]
PackageType = Annotated[str, "Type of its package URL; empty if it is not known.", Meta(examples=["deb"])]
PackageName = Annotated[
    str,
    "Name, with its namespace where that is part of it: `@babel/core`, "
    "`org.apache.logging.log4j:log4j-core`. The distribution is not part of it. Empty if it is not known.",
    Meta(examples=["libssl3"]),
]
ReleasesKnown = Annotated[
    Count, "Listed versions, of all images, whose packages are known.", Meta(examples=[96])
]
ReleasesInPart = Annotated[
    Count, "Listed versions with a list of packages that lacks some.", Meta(examples=[12])
]
ReleasesUnknown = Annotated[
    Count, "Listed versions without a list, so only their vulnerable packages are here.", Meta(examples=[4])
]


class PackageEntry(Document):
    """One package, and how far it is spread: also what is made of it, if it is a source package."""

    type: PackageType
    name: PackageName
    images: Annotated[Count, "Images with a version that has it.", Meta(examples=[2])]
    releases: Annotated[Count, "Versions that have it.", Meta(examples=[3])]
    latest_releases: Annotated[Count, "Images whose newest version has it.", Meta(examples=[1])]
    open: Annotated[Counters, "Its open vulnerabilities in newest versions of available images."]
    fixable: Fixable
    href: Annotated[
        Href | None,
        "Where it is; null if its name can't be that of a file.",
        Meta(examples=["API/packages/deb/libssl3.json"]),
    ]


@PACKAGES.route(
    _INDEX,
    "listPackages",
    "Every package of the catalog",
    "Every package in any listed version of any image, vulnerable or not, with the number of images "
    "and versions that have it. What nobody has a list of is counted.",
    listed="packages",
)
class PackageIndex(ApiDocument):
    """Every package of the listed versions: of their package lists, and of their vulnerabilities."""

    resource: Resource
    total: Annotated[Count, "Number of packages."]
    releases_known: ReleasesKnown
    releases_in_part: ReleasesInPart
    releases_unknown: ReleasesUnknown
    data: Annotated[list[PackageEntry], "One entry for each, by type and name."]


class PackageUpdate(Document):
    """A version without what another one has."""

    version: Annotated[UncheckedVersionLabel, "The version."]
    digest: Annotated[UncheckedDigest | None, "Digest to pin; null unless it has exactly one."]


class PackageImage(Document):
    """An image that has a version of a package."""

    slug: Annotated[UncheckedSlug, "Slug of the image."]
    versions: Annotated[
        list[UncheckedVersionLabel], "Its versions that have it, newest first.", Meta(min_length=1)
    ]
    is_latest: Annotated[bool, "Whether its newest version is one of them."]
    update: Annotated[
        PackageUpdate | None,
        "Its newest version, if that certainly has neither this version of the package nor any of the `ids`. "
        "Its scans looked at the same and don't find the ids, or its packages are known and, if there are "
        "ids, no version of the package is among them.",
    ]


class PackageRelease(Document):
    """One version of a package, and the images that have it."""

    name: PackageName
    version: Annotated[str, "Version; empty if it is not known.", Meta(examples=["3.0.17-1~deb12u2"])]
    purl: Annotated[str, "Package URL, without qualifiers and subpath; empty if it is not known."]
    licenses: Annotated[
        list[Text], "Licenses, as SPDX expressions or names, sorted.", Meta(examples=[["Apache-2.0"]])
    ]
    source: Annotated[
        str, "Source package; empty if it has the same name or is not known.", Meta(examples=["openssl"])
    ]
    ids: Annotated[
        list[Text], "Its open vulnerabilities in any of the versions.", Meta(examples=[["CVE-2025-9230"]])
    ]
    fixed: Annotated[
        list[Text],
        "Versions that scanners name as their fix, newest first.",
        Meta(examples=[["3.0.18-1~deb12u1"]]),
    ]
    images: Annotated[list[PackageImage], "The images, by slug.", Meta(min_length=1)]


@PACKAGES.route(
    _PATH,
    "getPackage",
    "Which images contain a package",
    "The versions of a package, and the images that have each of them. A source package leads to the "
    "packages made of it. A package that no version has, or whose name can't be that of a file, has "
    "no document.",
    Parameter(
        "type",
        "Type of its package URL in lower case, or `unknown`.",
        Annotated[str, Meta(max_length=100, examples=["deb"])],
    ),
    Parameter(
        "name",
        "Name in lower case, with `~` for `/`, `:`, `@` and `+`.",
        Annotated[str, Meta(max_length=100, examples=["libssl3"])],
    ),
    listed="package",
)
class PackageDocument(ApiDocument):
    """Which images have a package, or the packages made of a source package."""

    resource: Resource
    type: PackageType
    name: PackageName
    releases_known: ReleasesKnown
    releases_in_part: ReleasesInPart
    releases_unknown: ReleasesUnknown
    total: Annotated[Count, "Number of versions of the package."]
    data: Annotated[list[PackageRelease], "An entry for each, newest first.", Meta(min_length=1)]


class _Presence(Struct):
    """Where one version of a package is, and what is said of it."""

    package: Package
    versions: set[str] = field(default_factory=set)
    """As lists and scans write it."""
    purls: set[str] = field(default_factory=set)
    licenses: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    rows: list[Vulnerability] = field(default_factory=list)
    """The open rows that name it."""
    open_in: list[int] = field(default_factory=list)
    """For each of them, the position of its release. Lists of numbers take a tenth of the memory of sets."""
    listed_in: Sequence[int] = ()
    """Positions of the releases with a list that has it, ascending."""
    suppressed_in: list[int] = field(default_factory=list)
    """For each suppressed row, the position of its release."""

    @property
    def places(self) -> Sequence[int]:
        """Positions of the releases that have it, ascending."""
        if not (self.open_in or self.suppressed_in):
            return self.listed_in
        return sorted({*self.listed_in, *self.open_in, *self.suppressed_in})

    def list(self, entry: PackageVersion, positions: Sequence[int]) -> None:
        """Add an object of it, and where it is."""
        self.listed_in = sorted({*self.listed_in, *positions}) if self.listed_in else positions
        self.versions.add(entry.version)
        self.licenses.update(entry.licenses)
        self.purls.update(filter(None, [bare_url(entry.purl)]))
        self.sources.update(filter(None, [entry.source]))


def package_path(type_: str, name: str) -> str | None:
    """Path of the document of a package; None if its name can't be that of a file."""
    parts = [text.lower().translate(_SEPARATORS) for text in (type_ or "unknown", name)]
    if any(not _FILE_SAFE.fullmatch(part) or reserved(part) or part == "index" for part in parts):
        return None
    return None if parts[0] == "index.json" else _PATH.format(type=parts[0], name=parts[1])


class Inventory:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._places = [(image, release) for image in catalog.images for release in image.releases]
        self._slugs = [image.entry.slug for image, _ in self._places]
        self._labels = [release.entry.version for _, release in self._places]
        self._newest_of = {
            image.entry.slug: position
            for position, (image, release) in enumerate(self._places)
            if release is image.newest
        }
        self._updates = {
            position: PackageUpdate(self._labels[position], self._places[position][1].entry.only_digest)
            for position in self._newest_of.values()
        }
        self._newest = {*self._newest_of.values()}
        self._available = {
            position for position in self._newest if self._places[position][0].entry.lifecycle == "available"
        }
        contents = [release.contents for _, release in self._places]
        known = sum(each is not None and each.complete for each in contents)
        unknown = contents.count(None)
        self.looked_at = known, len(contents) - known - unknown, unknown
        self._ids: dict[int, Set[str]] = {}
        self._with: dict[tuple[str, str], set[int]] = defaultdict(set)
        """Type and name as in `_groups`, in lower case → positions of the newest releases that have it."""
        self._alike: dict[str, list[tuple[_Presence, Set[int]]]] = defaultdict(list)
        """Plain name → packages of this name, each with the positions of the newest releases that have it."""
        self._groups: dict[tuple[str, str], list[_Presence]] = defaultdict(list)
        """Type and name of a package or source package → its versions."""
        presences = self._presences()
        # A row does not say of what its package is made, but a list may.
        sources: dict[Package, set[str]] = defaultdict(set)
        for presence in presences:
            sources[presence.package].update(presence.sources)
        for presence in presences:
            package = presence.package
            in_newest = self._newest.intersection(presence.places)
            for name in {catalog.name_of(package), *sources[package]}:
                self._groups[package.type, name].append(presence)
                self._with[package.type, name.lower()] |= in_newest
            self._alike[plain_name(package.full_name)].append((presence, in_newest))

    def _presences(self) -> Collection[_Presence]:
        # All releases with a package share one object of its version.
        objects: dict[int, PackageVersion] = {}
        places: dict[int, list[int]] = defaultdict(list)
        presences: dict[tuple[Package, str], _Presence] = {}

        def presence(package: Package, version: str) -> _Presence:
            found = presences.get((package, version))
            if found is None:
                found = presences[package, version] = _Presence(package)
            return found

        for position, (_, release) in enumerate(self._places):
            for entry in release.contents.packages if release.contents else ():
                places[id(entry)].append(position)
                objects[id(entry)] = entry
        for key, entry in objects.items():
            presence(*entry.key[:2]).list(entry, places[key])
        for position, (_, release) in enumerate(self._places):
            for row in release.rows:
                found = presence(row.package, plain_version(row.installed))
                found.rows.append(row)
                found.open_in.append(position)
                _see(found, row)
            for out in release.suppressed:
                found = presence(out.package, plain_version(out.installed))
                found.suppressed_in.append(position)
                _see(found, out)
        return presences.values()

    def entries(self) -> Iterator[PackageEntry]:
        """Every package and source package, by type and name."""
        for (type_, name), presences in sorted(self._groups.items()):
            places = set[int]().union(*(each.places for each in presences))
            rows = [
                row
                for each in presences
                for row, position in zip(each.rows, each.open_in, strict=True)
                if position in self._available
            ]
            path = package_path(type_, name)
            yield PackageEntry(
                type=type_,
                name=name,
                images=len({*map(self._slugs.__getitem__, places)}),
                releases=len(places),
                latest_releases=len(places & self._newest),
                open=Counters(*by_severity(rows)),
                fixable=sum(bool(row.fixed) for row in rows),
                href=self._catalog.addresses.api(path) if path else None,
            )

    def documents(self) -> Iterator[tuple[str, PackageDocument]]:
        """The document of each address: several names may have one."""
        of_paths: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for group in sorted(self._groups):
            if path := package_path(*group):
                of_paths[path].append(group)
        for path, groups in of_paths.items():
            presences = {id(each): each for group in groups for each in self._groups[group]}
            data = [self._release(each) for each in presences.values()]
            data.sort(key=lambda entry: (entry.name, entry.purl))
            data.sort(key=lambda entry: package_order(entry.version), reverse=True)
            type_, name = groups[0]
            yield path, PackageDocument("v1", "packages", type_, name, *self.looked_at, len(data), data)

    def _release(self, presence: _Presence) -> PackageRelease:
        rows = presence.rows
        ids = {self._catalog.identities.of(row) for row in rows}
        return PackageRelease(
            name=self._catalog.name_of(presence.package),
            version=min(presence.versions, default=""),
            purl=min(presence.purls, default=""),
            licenses=sorted(presence.licenses),
            source=min(presence.sources, default=""),
            ids=sorted(ids),
            fixed=fixes(rows),
            images=[*self._images(presence, self._listed(rows))],
        )

    def _images(self, presence: _Presence, ids: Set[str]) -> Iterator[PackageImage]:
        for slug, group in groupby(presence.places, self._slugs.__getitem__):
            positions, newest = [*group], self._newest_of[slug]
            yield PackageImage(
                slug,
                [*map(self._labels.__getitem__, positions)],
                newest == positions[0],
                self._updates[newest] if self._is_without(newest, presence, ids, positions) else None,
            )

    def _is_without(self, newest: int, presence: _Presence, ids: Set[str], positions: Sequence[int]) -> bool:
        """Whether the newest release certainly has nothing of what these releases with the package have.

        - It has not this version of the package, and none of the ids in any package.
        - Its contents are known; if there are ids, also without another version, which might have them, too.
          Or its scans looked at what those of each of the releases looked at.
        """
        if newest in positions or ids & self._ids_of(newest):
            return False
        contents = self._places[newest][1].contents
        names = {self._catalog.name_of(presence.package), *presence.sources} if ids else ()
        return (
            contents is not None
            and contents.complete
            and not self._may_be_in(newest, presence, any_version=bool(ids))
            and not any(newest in self._with[presence.package.type, name.lower()] for name in names)
        ) or (
            {*presence.open_in}.issuperset(positions)
            and all(self._shows_fixes(newest, position) for position in positions)
        )

    def _may_be_in(self, newest: int, presence: _Presence, *, any_version: bool) -> bool:
        """Whether the newest release has a package of this name that may be this one, as one has no URL."""
        versions = {*map(plain_version, presence.versions)}
        return any(
            newest in positions
            and other.package.may_be(presence.package)
            and (any_version or not versions.isdisjoint(map(plain_version, other.versions)))
            for other, positions in self._alike[plain_name(presence.package.full_name)]
        )

    def _ids_of(self, position: int) -> Set[str]:
        """The open ids of a release."""
        if position not in self._ids:
            self._ids[position] = self._listed(self._places[position][1].rows)
        return self._ids[position]

    def _listed(self, rows: Iterable[Vulnerability]) -> Set[str]:
        """The ids under which the vulnerabilities of these rows are found."""
        return {id_ for row in rows for id_ in self._catalog.identities.listed_under(row)}

    def _shows_fixes(self, newer: int, older: int) -> bool:
        return self._catalog.shows_fixes(self._places[newer][1], self._places[older][1])


def _see(presence: _Presence, row: Vulnerability) -> None:
    presence.versions.add(row.installed)
    presence.purls.update(filter(None, [row.purl]))


@PACKAGES.generator
def _documents(catalog: Catalog) -> Documents:
    inventory = Inventory(catalog)
    entries = [*inventory.entries()]
    yield _INDEX, PackageIndex("v1", "packages", len(entries), *inventory.looked_at, entries)
    yield from inventory.documents()
