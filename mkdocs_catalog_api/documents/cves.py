"""Who has this vulnerability? The images that have it, under any of its ids, and what is without it."""

import re
from collections import Counter as Counted
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ..catalog import addresses
from ..catalog.described import open_words
from ..catalog.ids import cve_order
from ..catalog.published import (
    ApiVersion,
    Document,
    Href,
    LifecycleWord,
    UncheckedDigest,
    UncheckedHref,
    UncheckedSlug,
    UncheckedVersionLabel,
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
    row_order,
)
from ..items.names import reserved
from ..items.types import Count, Slug, Text
from .kinds import Documents, Kind, Parameter

_INDEX, _PATH = "cves/index.json", "cves/{id}.json"
_FILE_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
CVES = Kind("cves", "lookups", optional=True)
Resource = Annotated[Literal["cves"], "Name of the resource."]
Id = Annotated[Text, "CVE id, else the id as the scanner printed it."]
Aliases = Annotated[list[Text], "Its other ids, sorted.", Meta(examples=[["GHSA-xqr8-7jwr-rhp7"]])]
Severity = Annotated[SeverityWord, "The highest that it has in any version."]
Title = Annotated[str, "Summary; empty if it is not known."]
Url = Annotated[
    str, "Advisory; empty when it is not known.", Meta(examples=["https://avd.aquasec.com/nvd/cve-2025-9230"])
]


class CveEntry(Document):
    """One vulnerability, and how far it is spread."""

    id: Id
    aliases: Aliases
    severity: Severity
    title: Title
    url: Url
    images: Annotated[Count, "Images with an affected version.", Meta(examples=[2])]
    releases: Annotated[Count, "Affected versions.", Meta(examples=[3])]
    latest_releases: Annotated[Count, "Images whose newest version is affected.", Meta(examples=[1])]
    suppressed: Annotated[Count, "Versions in which it is suppressed."]
    exploited_since: ExploitedSince
    href: Annotated[
        Href | None,
        "Where it is found; null when its name can't be that of a file.",
        Meta(examples=["API/cves/CVE-2025-9230.json"]),
    ]


ReleasesScanned = Annotated[Count, "Listed versions with a scan, of which this is the answer, of all images."]
ReleasesInPart = Annotated[
    Count, "How many of these are scanned in part: not each part of them without a limit."
]
ReleasesUnscanned = Annotated[
    Count, "Listed versions without a scan: nobody looked for vulnerabilities in them."
]


@CVES.route(
    _INDEX,
    "listCves",
    "Every vulnerability of the catalog",
    "Every vulnerability that scans have found in any listed version of any image, older versions "
    "included, with its ids and the number of images and versions that have it.",
    listed="cves",
)
class CveIndex(Document):
    """Every vulnerability that a scan of a listed version, or of an image that a chart pins, has found."""

    api_version: ApiVersion
    resource: Resource
    total: Annotated[Count, "Number of vulnerabilities."]
    releases_scanned: ReleasesScanned
    releases_in_part: ReleasesInPart
    releases_unscanned: ReleasesUnscanned
    data: Annotated[list[CveEntry], "One entry for each, the worst first."]


class AffectedPackage(Document):
    """A package with the vulnerability."""

    pkg: Annotated[str, "Package."]
    installed: Annotated[str, "Version that is installed."]
    fixed: Annotated[str, "Version that has the fix; empty when there is none."]
    purl: Annotated[str, "Package URL; empty if it is not known."]


class FixedIn(Document):
    """A version of the image without the vulnerability."""

    version: Annotated[UncheckedVersionLabel, "The version."]
    digest: Annotated[UncheckedDigest | None, "Digest to pin; null unless it has exactly one."]
    href: Annotated[
        UncheckedHref, "Document with its vulnerabilities.", Meta(examples=["API/security/nginx/1.29.3.json"])
    ]


class AffectedRelease(Document):
    """A version that has it open."""

    version: Annotated[UncheckedVersionLabel, "The version."]
    digest: Annotated[UncheckedDigest | None, "Digest of the version, the first of them."]
    href: Annotated[
        UncheckedHref, "Document with its vulnerabilities.", Meta(examples=["API/security/nginx/1.29.3.json"])
    ]
    reported_as: Annotated[
        str | None,
        "Id of the row that covers it and other vulnerabilities; null if the row is this vulnerability.",
        Meta(examples=["DSA-6015-1"]),
    ]
    packages: Annotated[list[AffectedPackage], "The packages that have it.", Meta(min_length=1)]
    fixed_in: Annotated[
        FixedIn | None,
        "The version to update to that is without it: in the same line, else in the next; "
        "null if there is none, or its scans don't show that.",
    ]


class SuppressedRelease(Document):
    """A version in which it is suppressed, in one package."""

    version: Annotated[UncheckedVersionLabel, "The version."]
    href: Annotated[
        UncheckedHref, "Document with its vulnerabilities.", Meta(examples=["API/security/nginx/1.29.3.json"])
    ]
    pkg: Annotated[str, "Package."]
    status: Status
    justification: Justification
    statement: Statement


ImageStatus = Literal["affected", "fixed", "unknown"]


class AffectedImage(Document):
    """An image with a version that has it open."""

    slug: Annotated[UncheckedSlug, "Slug of the image."]
    name: Annotated[Text, "Name for people."]
    lifecycle: Annotated[LifecycleWord, "Lifecycle stage of the image."]
    href: Annotated[UncheckedHref, "Item document.", Meta(examples=["API/images/nginx/index.json"])]
    status: Annotated[
        ImageStatus,
        open_words(ImageStatus),
        "`affected`: the newest version has it. `fixed`: only older versions have it, and "
        "the newest one's scans, which looked at the same, don't find it. `unknown`: all else.",
    ]
    affected: Annotated[list[AffectedRelease], "The versions that have it, newest first.", Meta(min_length=1)]
    suppressed: Annotated[list[SuppressedRelease], "The versions in which it is suppressed, newest first."]


class AffectedItem(Document):
    """An item with a pin that has it open."""

    slug: Annotated[Slug, "Slug of the item.", Meta(examples=["web"])]
    href: Annotated[Href, "Item document.", Meta(examples=["API/charts/web/index.json"])]


@CVES.route(
    _PATH,
    "getCve",
    "Who has a vulnerability",
    "The images with versions that have it open, the version that is without it, and the charts "
    "that carry it, under any of its ids. Each colon of an id is a hyphen in the URL. An id that "
    "nothing has, or that can't be the name of a file, has no document.",
    Parameter("id", "Any of its ids, colons as hyphens.", Annotated[str, Meta(max_length=100)]),
    listed="cve",
)
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
    total: Annotated[Count, "Number of images that have it open."]
    data: Annotated[list[AffectedImage], "An entry for each, by slug."]
    charts: Annotated[
        list[AffectedItem], "Charts with a pin that has it open, also one that is on no page; by slug."
    ]


class _Spread(Struct):
    """Where one vulnerability is found, such as CVE-2025-9230 in two images. Rows and places are parallel
    lists: a pair a row would take twice as much.
    """

    severity: Severity = "UNKNOWN"
    title: str = ""
    url: str = ""
    exploited: str | None = None
    rows: list[Vulnerability] = field(default_factory=list)
    """The open and the suppressed ones."""
    places: list[int] = field(default_factory=list)
    """Position of each row's release in the list of all."""
    pinned_by: set[tuple[str, str]] = field(default_factory=set)
    """Collection and slug of the items with a pin that has it open."""

    def pairs(self) -> Iterator[tuple[int, Vulnerability]]:
        """Each row with its place."""
        return zip(self.places, self.rows, strict=True)

    def see(self, row: "Vulnerability | _Spread", exploited: str | None) -> None:
        """Keep the highest severity with its texts, and the first day of known exploitation."""
        pair: tuple[Vulnerability | _Spread, Vulnerability | _Spread] = (self, row)
        if SEVERITIES.index(row.severity) < SEVERITIES.index(self.severity):
            pair = row, self
        worse, other = pair
        self.severity = worse.severity
        self.title = worse.title or other.title
        self.url = worse.url or other.url
        if exploited is not None:
            self.exploited = min(exploited, self.exploited or exploited)


class Answers:
    """All vulnerabilities of a catalog, and the document of each id."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog, self._api = catalog, catalog.addresses.api
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

    def _collect(self) -> None:
        catalog, pinning = self._catalog, defaultdict[tuple[str, str], set[tuple[str, str]]](set)
        for item in catalog.pinning:
            for pin in item.pins:
                owner = item.collection, item.entry.slug
                if pin.outside:
                    for row in pin.rows:
                        for spread in self._of(row):
                            spread.pinned_by.add(owner)
                elif pin.slug and pin.version:
                    pinning[pin.slug, pin.version].add(owner)
        for position, (image, release) in enumerate(self._places):
            owners = pinning.get((image.entry.slug, release.entry.version), ())
            for rows, pinned_by in ((release.rows, owners), (release.suppressed, ())):
                for row in rows:
                    for spread in self._of(row):
                        spread.rows.append(row)
                        spread.places.append(position)
                        spread.pinned_by.update(pinned_by)

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
            suppressed = {place for place, row in spread.pairs() if isinstance(row, Suppressed)}
            affected = {place for place, row in spread.pairs() if not isinstance(row, Suppressed)}
            yield CveEntry(
                id=id_,
                aliases=self._catalog.identities.aliases.get(id_, []),
                severity=spread.severity,
                title=spread.title,
                url=spread.url,
                images=len({self._slug(position) for position in affected}),
                releases=len(affected),
                latest_releases=len(affected.intersection(self._newest.values())),
                suppressed=len(suppressed),
                exploited_since=spread.exploited,
                href=self._api(paths[id_]) if id_ in paths else None,
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
        aliases = [main for main in mains if main != id_]
        if len(mains) == 1:
            id_, aliases = mains[0], identities.aliases.get(mains[0], [])
        spread = self._united([self.spreads[main] for main in mains])
        data = [*self._images(id_, spread)]
        return CveDocument(
            "v1",
            "cves",
            id_,
            aliases,
            spread.severity,
            spread.title,
            spread.url,
            spread.exploited,
            *self.looked_at,
            len(data),
            data,
            [
                AffectedItem(slug, self._api(addresses.item(collection, slug)))
                for collection, slug in sorted(spread.pinned_by)
                if collection == "charts"
            ],
        )

    def _united(self, spreads: Sequence[_Spread]) -> _Spread:
        """Where any of them is found. A row of an advisory that names several of them is one row."""
        if len(spreads) == 1:
            return spreads[0]
        whole, rows = _Spread(), dict[int, tuple[int, Vulnerability]]()
        for spread in spreads:
            whole.see(spread, spread.exploited)
            whole.pinned_by |= spread.pinned_by
            rows |= {id(row): (place, row) for place, row in spread.pairs()}
        for place, row in sorted(rows.values(), key=lambda pair: (pair[0], row_order(pair[1]))):
            whole.places.append(place)
            whole.rows.append(row)
        return whole

    def _images(self, id_: str, spread: _Spread) -> Iterator[AffectedImage]:
        """The images that have it open, by slug."""
        found: dict[int, dict[str, list[Vulnerability]]] = {}
        """Position → `reported_as` or "" → rows."""
        suppressed: dict[str, list[SuppressedRelease]] = defaultdict(list)
        for position, row in spread.pairs():
            if isinstance(row, Suppressed):
                version, reason = self._places[position][1].entry.version, (row.status, row.justification)
                suppressed[self._slug(position)].append(
                    SuppressedRelease(version, self._href(position), row.pkg, *reason, row.statement)
                )
            else:
                own = self._catalog.identities.of(row)
                found.setdefault(position, {}).setdefault(own if own != id_ else "", []).append(row)
        having = {*spread.places}
        for slug, positions in groupby(sorted(found), self._slug):
            image, affected = self._places[self._newest[slug]][0], [*positions]
            yield AffectedImage(
                slug,
                image.entry.name,
                image.entry.lifecycle,
                self._api(addresses.item("images", slug)),
                self._status(affected, having),
                [
                    self._affected(position, reported_as or None, rows, having)
                    for position in affected
                    for reported_as, rows in sorted(found[position].items())
                ],
                suppressed[slug],
            )

    def _status(self, affected: Sequence[int], having: Container[int]) -> ImageStatus:
        """Of an image with these affected releases; `having` are the positions of all releases with it.

        - `affected`: the newest is one of them.
        - `fixed`: the newest has it neither open nor suppressed, and was looked at like each of them.
        - `unknown`: any other.
        """
        newest = self._newest[self._slug(affected[0])]
        if newest in affected:
            return "affected"
        fixed = newest not in having and all(self._shows_fixes(newest, position) for position in affected)
        return "fixed" if fixed else "unknown"

    def _affected(
        self, position: int, reported_as: str | None, rows: Iterable[Vulnerability], having: Container[int]
    ) -> AffectedRelease:
        entry, fixed_in = self._places[position][1].entry, None
        for label in filter(None, self._places[position][1].advice):
            newer = self._position[self._slug(position), label]
            if newer not in having and self._shows_fixes(newer, position):
                digest = self._places[newer][1].entry.only_digest
                fixed_in = FixedIn(label, digest, self._href(newer))
                break
        packages = [AffectedPackage(row.pkg, row.installed, row.fixed, row.purl) for row in rows]
        href = self._href(position)
        return AffectedRelease(entry.version, entry.digest, href, reported_as, packages, fixed_in)

    def _slug(self, position: int) -> str:
        return self._places[position][0].entry.slug

    def _href(self, position: int) -> str:
        image, release = self._places[position]
        return self._api(addresses.release(image.entry.slug, release.entry.version))

    def _shows_fixes(self, newer: int, older: int) -> bool:
        return self._catalog.shows_fixes(self._places[newer][1], self._places[older][1])


@CVES.generator
def _documents(catalog: Catalog) -> Documents:
    answers = Answers(catalog)
    entries = [*answers.entries()]
    yield _INDEX, CveIndex("v1", "cves", len(entries), *answers.looked_at, entries)
    for id_, path in answers.paths().items():
        yield path, answers.document(id_)
