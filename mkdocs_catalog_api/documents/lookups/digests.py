"""What is this digest? Whose release it is, whether it is current, what an update mends."""

import itertools
from collections import Counter as Counted
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from ...catalog import addresses
from ...catalog.join import Image
from ...catalog.published import (
    ApiVersion,
    Counter,
    Digest,
    Document,
    Href,
    LifecycleWord,
    Slug,
    Text,
    VersionLabel,
)
from ..routes import Parameter, Route
from ..structs.items import Day
from ..structs.security import ImageReference, ImageSecurity, Release, ScannedAt
from ..verify_security import image_security
from .lookup import Documents, Lookup, Source

_PATH = "digests/{algorithm}/{hex}.json"


class DigestSecurity(ImageSecurity):
    """Figures of the release with this digest. All null when it has no scan."""

    scanned_at: ScannedAt


class Upgrade(Document):
    """The newest release, and what changes with it.

    `fixes` and `adds` count pairs of id and package. They are null when they can't be told: a scan is missing
    or proves little, or different scanners looked, which name packages differently.
    """

    version: Annotated[VersionLabel, Meta(description="The newest release.")]
    digest: Annotated[Digest | None, Meta(description="Its digest; null unless it has exactly one.")]
    href: Annotated[Href, Meta(description="Its release document.")]
    fixes: Annotated[Counter | None, Meta(description="Open vulnerabilities of packages that go.")]
    adds: Annotated[Counter | None, Meta(description="Open vulnerabilities of packages that come.")]


class DigestEntry(Document):
    """One image that lists the digest."""

    slug: Annotated[Slug, Meta(description="Slug of the image.")]
    name: Annotated[Text, Meta(description="Name for people.")]
    image: ImageReference
    version: Annotated[VersionLabel, Meta(description="The newest label with the digest.")]
    versions: Annotated[
        list[VersionLabel], Meta(min_length=1, description="Every label with it, newest first.")
    ]
    latest: Annotated[VersionLabel, Meta(description="Label of the newest release of the image.")]
    is_latest: Annotated[bool, Meta(description="Whether the newest release has the digest.")]
    lifecycle: Annotated[LifecycleWord, Meta(description="Where the image stands.")]
    released: Annotated[Day | None, Meta(description="Day of the release.")]
    end_of_life: Annotated[Day | None, Meta(description="Day after which it gets no more updates.")]
    security: Annotated[DigestSecurity, Meta(description="Figures of this release.")]
    upgrade: Annotated[Upgrade | None, Meta(description="What to update to; null when it is the newest.")]
    href: Annotated[Href, Meta(description="Release document: its vulnerabilities.")]


class DigestDocument(Document):
    """Which images list one digest, and what is known of it."""

    api_version: ApiVersion
    resource: Annotated[Literal["digests"], Meta(description="Name of the resource.")]
    digest: Annotated[Digest, Meta(description="The digest.")]
    total: Annotated[Counter, Meta(description="Number of images that list it.")]
    data: Annotated[list[DigestEntry], Meta(min_length=1, description="One entry for each, by slug.")]

    def faults(self) -> Iterator[str]:
        if self.total != len(self.data):
            yield f"data: {len(self.data)} entries, where total says {self.total}"
        for entry in self.data:
            yield from image_security(entry.security)
            if entry.is_latest != (entry.version == entry.latest) or entry.is_latest != (not entry.upgrade):
                yield f"{entry.slug}: isLatest is {entry.is_latest} of {entry.version}, not as upgrade says"
            if entry.upgrade and (entry.upgrade.fixes is None) != (entry.upgrade.adds is None):
                yield f"{entry.slug}: fixes and adds come together"
            if entry.security.scanned_at is not None and not entry.security.scanned:
                yield f"{entry.slug}: not scanned, but at {entry.security.scanned_at}"


class Digests(Lookup):
    """A document for each digest of each listed version."""

    addresses = {"digests": _PATH}
    routes = (
        Route(
            _PATH,
            "getDigest",
            "lookups",
            "What a digest is",
            "The images that list this digest: release, whether it is the newest, figures, and what an "
            "update would mend. A digest that no page lists has no document.",
            DigestDocument,
            (
                Parameter(
                    "algorithm",
                    "What stands before the colon.",
                    Annotated[
                        Literal["sha256", "sha384", "sha512"],
                        Meta(extra_json_schema={"component": "DigestAlgorithm"}),
                    ],
                ),
                Parameter(
                    "hex", "What stands behind it.", Annotated[str, Meta(pattern="^[0-9a-f]{64,128}$")]
                ),
            ),
        ),
    )

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        listed = Counted(digest for image in source.catalog.images for digest in _labels(image))
        self._several = {digest: list[DigestEntry]() for digest, images in listed.items() if images > 1}
        """What several images list → their entries so far."""

    def image(self, image: Image, records: Sequence[Release]) -> Documents:
        made: dict[tuple[int, ...], DigestEntry] = {}  # those of a release with several digests are equal
        for digest, positions in _labels(image).items():
            labels = tuple(positions)
            entry = made.get(labels) or made.setdefault(labels, self._entry(image, records, labels))
            if digest in self._several:
                self._several[digest].append(entry)
            else:
                yield _document(digest, [entry])

    def end(self) -> Documents:
        return itertools.starmap(_document, self._several.items())

    def _entry(self, image: Image, records: Sequence[Release], positions: Sequence[int]) -> DigestEntry:
        first, entry = positions[0], image.entry
        version, newest, found = entry.versions[first], entry.versions[0], records[first]
        upgrade = None
        if first:
            href = self._at.api(addresses.release(entry.slug, newest.version))
            upgrade = Upgrade(newest.version, newest.only_digest, href, *_changes(image, records, first))
        return DigestEntry(
            slug=entry.slug,
            name=entry.name,
            image=entry.image,
            version=version.version,
            versions=[entry.versions[position].version for position in positions],
            latest=newest.version,
            is_latest=not first,
            lifecycle=entry.lifecycle,
            released=version.released,
            end_of_life=version.end_of_life,
            security=DigestSecurity(
                scanned=found.scanned,
                version=version.version,
                critical=found.critical,
                high=found.high,
                medium=found.medium,
                low=found.low,
                unknown=found.unknown,
                total=found.total,
                fixable=found.fixable,
                suppressed=None if found.suppressed is None else len(found.suppressed),
                grade=found.grade,
                score=found.score,
                href=self._at.api(addresses.detail(entry.slug)),
                exploited=found.exploited,
                scanned_at=found.scanned_at,
            ),
            upgrade=upgrade,
            href=self._at.api(addresses.release(entry.slug, version.version)),
        )


def _document(digest: str, data: list[DigestEntry]) -> tuple[str, DigestDocument]:
    algorithm, _, hex_ = digest.partition(":")
    path = _PATH.format(algorithm=algorithm, hex=hex_)
    return path, DigestDocument("v1", "digests", digest, len(data), data)


def _labels(image: Image) -> dict[str, list[int]]:
    """Digest → positions of the releases with it, newest first."""
    found: dict[str, list[int]] = {}
    for position, version in enumerate(image.entry.versions):
        for digest in version.digests:
            found.setdefault(digest, []).append(position)
    return found


def _changes(image: Image, records: Sequence[Release], position: int) -> tuple[int, int] | tuple[None, None]:
    """How many pairs of id and package go and come with the newest release; None when it can't be told."""
    newest, before = records[0], records[position]
    if newest.grade is None or before.grade is None:
        return None, None
    scanners = [{scan.scanner for scan in image.releases[at].scans} for at in (0, position)]
    if scanners[0] != scanners[1]:
        return None, None
    new, old = ({(row.id, row.pkg) for row in found.cves or ()} for found in (newest, before))
    return len(old - new), len(new - old)
