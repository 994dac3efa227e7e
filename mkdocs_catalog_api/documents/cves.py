"""Who has this vulnerability? The images that have it, under any of its ids, and what is without it."""

from __future__ import annotations

import re
from collections import Counter as Counted
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated, Literal, TypeVar

from msgspec import Meta, Struct, field

from ..catalog import addresses
from ..catalog.ids import cve_order
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
from ..catalog.value import Catalog
from ..catalog.vulnerabilities import (
    ExploitedSince,
    Justification,
    SeverityWord,
    Statement,
    Status,
    Suppressed,
    Vulnerability,
    open_words,
    row_order,
)
from ..items.names import reserved
from ..items.types import Count, Slug, Text
from .kinds import Documents, Kind, Parameter, Route

_INDEX, _PATH = "cves/index.json", "cves/{id}.json"
_FILE_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
Resource = Annotated[Literal["cves"], Meta(description="Name of the resource.")]
Id = Annotated[Text, Meta(description="CVE id, else the id as the scanner printed it.")]
Aliases = Annotated[
    list[Text],
    Meta(description="Its other ids, sorted.", examples=[["GHSA-xqr8-7jwr-rhp7"]]),
]
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
    """One vulnerability, and how far it is spread."""

    id: Id
    aliases: Aliases
    severity: Severity
    title: Title
    url: Url
    images: Annotated[Count, Meta(description="Images with an affected version.", examples=[2])]
    releases: Annotated[Count, Meta(description="Affected versions.", examples=[3])]
    latest_releases: Annotated[
        Count, Meta(description="Images whose newest version is affected.", examples=[1])
    ]
    suppressed: Annotated[Count, Meta(description="Versions in which it is suppressed.")]
    exploited_since: ExploitedSince
    href: Annotated[
        Href | None,
        Meta(
            description="Where it is found; null when its name can't be that of a file.",
            examples=["API/cves/CVE-2025-9230.json"],
        ),
    ]


ReleasesScanned = Annotated[
    Count, Meta(description="Listed versions with a scan, of which this is the answer, of all images.")
]
ReleasesInPart = Annotated[
    Count, Meta(description="How many of these are scanned in part: not each part of them without a limit.")
]
ReleasesUnscanned = Annotated[
    Count, Meta(description="Listed versions without a scan: nobody looked for vulnerabilities in them.")
]


class CveIndex(Document):
    """Every vulnerability that a scan of a listed version, or of an image that a chart pins, has found."""

    api_version: ApiVersion
    resource: Resource
    total: Annotated[Count, Meta(description="Number of vulnerabilities.")]
    releases_scanned: ReleasesScanned
    releases_in_part: ReleasesInPart
    releases_unscanned: ReleasesUnscanned
    data: Annotated[list[CveEntry], Meta(description="One entry for each, the worst first.")]


class AffectedPackage(Document):
    """A package with the vulnerability."""

    pkg: Annotated[str, Meta(description="Package.")]
    installed: Annotated[str, Meta(description="Version that is installed.")]
    fixed: Annotated[str, Meta(description="Version that has the fix; empty when there is none.")]
    purl: Annotated[str, Meta(description="Package URL; empty if it is not known.")]


class FixedIn(Document):
    """A version of the image without the vulnerability."""

    version: Annotated[VersionLabelAgain, Meta(description="The version.")]
    digest: Annotated[DigestAgain | None, Meta(description="Digest to pin; null unless it has exactly one.")]
    href: Annotated[
        HrefAgain,
        Meta(description="Document with its vulnerabilities.", examples=["API/security/nginx/1.29.3.json"]),
    ]


class AffectedRelease(Document):
    """A version that has it open."""

    version: Annotated[VersionLabelAgain, Meta(description="The version.")]
    digest: Annotated[DigestAgain | None, Meta(description="Digest of the version, the first of them.")]
    href: Annotated[
        HrefAgain,
        Meta(description="Document with its vulnerabilities.", examples=["API/security/nginx/1.29.3.json"]),
    ]
    reported_as: Annotated[
        str | None,
        Meta(
            description="Id of the row that covers it and other vulnerabilities; null if the row is this "
            "vulnerability.",
            examples=["DSA-6015-1"],
        ),
    ]
    packages: Annotated[list[AffectedPackage], Meta(min_length=1, description="The packages that have it.")]
    fixed_in: Annotated[
        FixedIn | None,
        Meta(
            description="The version to update to that is without it: in the same line, else in the next; "
            "null if there is none, or its scans don't show that."
        ),
    ]


class SuppressedRelease(Document):
    """A version in which it is suppressed, in one package."""

    version: Annotated[VersionLabelAgain, Meta(description="The version.")]
    href: Annotated[
        HrefAgain,
        Meta(description="Document with its vulnerabilities.", examples=["API/security/nginx/1.29.3.json"]),
    ]
    pkg: Annotated[str, Meta(description="Package.")]
    status: Status
    justification: Justification
    statement: Statement


ImageStatus = Literal["affected", "fixed", "unknown"]


class AffectedImage(Document):
    """An image with a version that has it open."""

    slug: Annotated[SlugAgain, Meta(description="Slug of the image.")]
    name: Annotated[Text, Meta(description="Name for people.")]
    lifecycle: Annotated[LifecycleWord, Meta(description="Lifecycle stage of the image.")]
    href: Annotated[HrefAgain, Meta(description="Item document.", examples=["API/images/nginx/index.json"])]
    status: Annotated[
        ImageStatus,
        open_words(ImageStatus),
        Meta(
            description="`affected`: the newest version has it. `fixed`: only older versions have it, and "
            "the newest one's scans, which looked at the same, don't find it. `unknown`: all else."
        ),
    ]
    affected: Annotated[
        list[AffectedRelease], Meta(min_length=1, description="The versions that have it, newest first.")
    ]
    suppressed: Annotated[
        list[SuppressedRelease], Meta(description="The versions in which it is suppressed, newest first.")
    ]


class AffectedItem(Document):
    """An item with a pin that has it open."""

    slug: Annotated[Slug, Meta(description="Slug of the item.", examples=["web"])]
    href: Annotated[Href, Meta(description="Item document.", examples=["API/charts/web/index.json"])]


class CveDocument(Document):
    """Where one vulnerability is found. The same document is at the URL of each of its ids."""

    api_version: ApiVersion
    resource: Resource
    id: Id
    aliases: Aliases
    severity: Severity
    title: Title
    url: Url
    exploited_since: ExploitedSince
    releases_scanned: ReleasesScanned
    releases_in_part: ReleasesInPart
    releases_unscanned: ReleasesUnscanned
    total: Annotated[Count, Meta(description="Number of images that have it open.")]
    data: Annotated[list[AffectedImage], Meta(description="An entry for each, by slug.")]
    charts: Annotated[
        list[AffectedItem],
        Meta(description="Charts with a pin that has it open, also one that is on no page; by slug."),
    ]


class _Spread(Struct):
    """Where one vulnerability is found. Places and rows are parallel lists: a pair a row would take twice as
    much."""

    severity: Severity = "UNKNOWN"
    title: str = ""
    url: str = ""
    exploited: str | None = None
    open: list[Vulnerability] = field(default_factory=list)
    open_in: list[int] = field(default_factory=list)
    """Positions of the releases in the list of all."""
    suppressed: list[Suppressed] = field(default_factory=list)
    suppressed_in: list[int] = field(default_factory=list)
    pinned_by: set[tuple[str, str]] = field(default_factory=set)
    """Collection and slug of the items with a pin that has it open."""

    @property
    def places(self) -> set[int]:
        """Where it is, open or suppressed."""
        return {*self.open_in, *self.suppressed_in}

    def see(self, row: Vulnerability | _Spread, exploited: str | None) -> None:
        """Keep the highest severity with its texts, and the first day of known exploitation."""
        worse = SEVERITIES.index(row.severity) < SEVERITIES.index(self.severity)
        if worse:
            self.severity = row.severity
        self.title = row.title or self.title if worse else self.title or row.title
        self.url = row.url or self.url if worse else self.url or row.url
        if exploited is not None:
            self.exploited = min(exploited, self.exploited or exploited)


class Answers:
    """All vulnerabilities of a catalog, and the document of each id."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._places = [(image, release) for image in catalog.images for release in image.releases]
        self._position = {
            (image.entry.slug, release.entry.version): position
            for position, (image, release) in enumerate(self._places)
        }
        self._newest = {
            image.entry.slug: self._position[image.entry.slug, image.releases[0].entry.version]
            for image in catalog.images
            if image.releases
        }
        self.spreads: dict[str, _Spread] = {}
        """Canonical id → where it is found."""
        self._collect()
        scanned = [release for _, release in self._places if release.assessment]
        in_part = sum(not release.selection.complete for release in scanned)
        self.looked_at = len(scanned), in_part, len(self._places) - len(scanned)
        api = catalog.addresses.api
        self._releases = [
            FixedIn(
                release.entry.version,
                release.entry.only_digest,
                api(addresses.release(image.entry.slug, release.entry.version)),
            )
            for image, release in self._places
        ]
        """Version, digest and address of each place."""
        self._slugs = [image.entry.slug for image, _ in self._places]
        self._hrefs = {
            image.entry.slug: api(addresses.item("images", image.entry.slug)) for image in catalog.images
        }

    def _collect(self) -> None:
        catalog, pinning = self._catalog, defaultdict[tuple[str, str], set[tuple[str, str]]](set)
        for item in catalog.pinning:
            for pin in item.pins:
                owner = item.collection, item.entry.slug
                if pin.outside and pin.assessment:
                    for row in pin.assessment.rows:
                        for spread in self._of(row):
                            spread.pinned_by.add(owner)
                elif pin.slug and pin.version and not pin.outside:
                    pinning[pin.slug, pin.version].add(owner)
        for position, (image, release) in enumerate(self._places):
            if release.assessment is None:
                continue
            owners = pinning.get((image.entry.slug, release.entry.version), ())
            for row in release.assessment.rows:
                for spread in self._of(row):
                    spread.open.append(row)
                    spread.open_in.append(position)
                    spread.pinned_by.update(owners)
            for out in release.assessment.suppressed:
                for spread in self._of(out):
                    spread.suppressed.append(out)
                    spread.suppressed_in.append(position)

    def _of(self, row: Vulnerability) -> Iterator[_Spread]:
        """Of the row's vulnerability, and of each that an advisory names."""
        known = self._catalog.exploited or {}
        for position, id_ in enumerate(self._catalog.identities.listed_under(row)):
            spread = self.spreads.get(id_)
            if spread is None:
                spread = self.spreads[id_] = _Spread()
            spread.see(row, known.get(id_) if position else row.exploited_since)
            yield spread

    def entries(self) -> Iterator[CveEntry]:
        """The vulnerabilities, the worst first."""
        paths, spreads = self.paths(), self.spreads
        order = [(SEVERITIES.index(spreads[id_].severity), cve_order(id_), id_) for id_ in spreads]
        for _, _, id_ in sorted(order):
            spread = spreads[id_]
            affected = {*spread.open_in}
            images = [self._places[position][0] for position in affected]
            yield CveEntry(
                id=id_,
                aliases=self._catalog.identities.aliases.get(id_, []),
                severity=spread.severity,
                title=spread.title,
                url=spread.url,
                images=len({image.entry.slug for image in images}),
                releases=len(affected),
                latest_releases=len(affected.intersection(self._newest.values())),
                suppressed=len({*spread.suppressed_in}),
                exploited_since=spread.exploited,
                href=self._catalog.addresses.api(paths[id_]) if id_ in paths else None,
            )

    def paths(self) -> dict[str, str]:
        """Each id of each vulnerability → path of its document, if the id can name a file."""
        aliases = self._catalog.identities.aliases
        ids = dict.fromkeys(id_ for main in self.spreads for id_ in (main, *aliases.get(main, ())))
        names = {id_: id_.replace(":", "-") for id_ in ids}
        alike = Counted(name.lower() for name in names.values())
        return {
            id_: _PATH.format(id=name)
            for id_, name in names.items()
            if _FILE_SAFE.fullmatch(name)
            and not reserved(name)
            and name.lower() != "index"
            # No other's file where case is ignored.
            and alike[name.lower()] == 1
        }

    def document(self, id_: str) -> CveDocument:
        """The document of an id: of the vulnerability that has it, or of all that claim it."""
        identities = self._catalog.identities
        mains = [main for main in (id_, *identities.claims.get(id_, ())) if main in self.spreads]
        if len(mains) == 1:
            return self._document(mains[0], identities.aliases.get(mains[0], []), mains)
        return self._document(id_, [main for main in mains if main != id_], mains)

    def _document(self, id_: str, aliases: list[str], mains: list[str]) -> CveDocument:
        """`mains` are canonical ids: several for an id that all of these vulnerabilities claim."""
        spreads = {main: self.spreads[main] for main in mains}
        whole = _Spread()
        for spread in spreads.values():
            whole.see(spread, spread.exploited)
        having = set[int]().union(*(spread.places for spread in spreads.values()))
        data = [*self._images(id_, spreads, having)]
        pinned_by = sorted(set[tuple[str, str]]().union(*(spread.pinned_by for spread in spreads.values())))
        return CveDocument(
            "v1",
            "cves",
            id_,
            aliases,
            whole.severity,
            whole.title,
            whole.url,
            whole.exploited,
            *self.looked_at,
            len(data),
            data,
            [
                AffectedItem(slug, self._catalog.addresses.api(addresses.item(collection, slug)))
                for collection, slug in pinned_by
                if collection == "charts"
            ],
        )

    def _images(
        self, id_: str, spreads: Mapping[str, _Spread], having: Collection[int]
    ) -> Iterator[AffectedImage]:
        """The images that have it open, by slug; `having` are the positions of all releases with it."""
        found: dict[int, dict[str, list[Vulnerability]]] = {}
        """Position → `reported_as` or "" → rows."""
        suppressed: dict[str, list[tuple[int, Suppressed]]] = defaultdict(list)
        title = next(iter(spreads)) if len(spreads) == 1 else id_
        for position, row in _once((each.open_in, each.open) for each in spreads.values()):
            own = self._catalog.identities.of(row)
            found.setdefault(position, {}).setdefault(own if own != title else "", []).append(row)
        for position, out in _once((each.suppressed_in, each.suppressed) for each in spreads.values()):
            suppressed[self._slugs[position]].append((position, out))
        for slug, positions in groupby(sorted(found), self._slugs.__getitem__):
            image, affected = self._places[self._newest[slug]][0], [*positions]
            yield AffectedImage(
                slug,
                image.entry.name,
                image.entry.lifecycle,
                self._hrefs[slug],
                self._status(affected, having),
                [
                    self._affected(position, reported_as or None, rows, having)
                    for position in affected
                    for reported_as, rows in sorted(found[position].items())
                ],
                [self._suppressed(position, out) for position, out in suppressed[slug]],
            )

    def _status(self, affected: Sequence[int], having: Container[int]) -> ImageStatus:
        """Of an image with these affected releases.

        - `affected`: the newest is one of them.
        - `fixed`: the newest has it neither open nor suppressed, and was looked at like each of them.
        - `unknown`: any other.
        """
        newest = self._newest[self._slugs[affected[0]]]
        if newest in affected:
            return "affected"
        fixed = newest not in having and all(self._shows_fixes(newest, position) for position in affected)
        return "fixed" if fixed else "unknown"

    def _affected(
        self,
        position: int,
        reported_as: str | None,
        rows: Iterable[Vulnerability],
        having: Container[int],
    ) -> AffectedRelease:
        image, release = self._places[position]
        fixed_in = None
        for label in filter(None, release.advice):
            newer = self._position[image.entry.slug, label]
            if newer not in having and self._shows_fixes(newer, position):
                fixed_in = self._releases[newer]
                break
        entry = release.entry
        packages = [AffectedPackage(row.pkg, row.installed, row.fixed, row.purl) for row in rows]
        return AffectedRelease(
            entry.version, entry.digest, self._releases[position].href, reported_as, packages, fixed_in
        )

    def _suppressed(self, position: int, row: Suppressed) -> SuppressedRelease:
        release, reason = self._releases[position], (row.status, row.justification, row.statement)
        return SuppressedRelease(release.version, release.href, row.pkg, *reason)

    def _shows_fixes(self, newer: int, older: int) -> bool:
        return self._catalog.shows_fixes(self._places[newer][1], self._places[older][1])


_R = TypeVar("_R", bound=Vulnerability)


def _once(found: Iterable[tuple[Sequence[int], Sequence[_R]]]) -> Iterable[tuple[int, _R]]:
    """Return each row with its position once, in order: an advisory may name several vulnerabilities."""
    [first, *others] = found
    if not others:
        return zip(*first, strict=True)
    pairs = {
        id(row): (position, row) for each in (first, *others) for position, row in zip(*each, strict=True)
    }
    return sorted(pairs.values(), key=lambda pair: (pair[0], row_order(pair[1])))


def _documents(catalog: Catalog) -> Documents:
    answers = Answers(catalog)
    entries = [*answers.entries()]
    yield _INDEX, CveIndex("v1", "cves", len(entries), *answers.looked_at, entries)
    for id_, path in answers.paths().items():
        yield path, answers.document(id_)


CVES = Kind(
    "cves",
    "lookups",
    routes=(
        Route(
            _INDEX,
            "listCves",
            "Every vulnerability of the catalog",
            "Every vulnerability that scans have found in any listed version of any image, older versions "
            "included, with its ids and the number of images and versions that have it.",
            CveIndex,
            listed="cves",
        ),
        Route(
            _PATH,
            "getCve",
            "Who has a vulnerability",
            "The images with versions that have it open, the version that is without it, and the charts "
            "that carry it, under any of its ids. Each colon of an id is a hyphen in the URL. An id that "
            "nothing has, or that can't be the name of a file, has no document.",
            CveDocument,
            (
                Parameter(
                    "id",
                    "Any of its ids, colons as hyphens.",
                    Annotated[str, Meta(max_length=100)],
                ),
            ),
            listed="cve",
        ),
    ),
    documents=_documents,
    optional=True,
)
