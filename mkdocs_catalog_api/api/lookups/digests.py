"""What is this digest? Whose release it is, whether it is current, what an update mends."""

from collections import Counter as Counted
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from ...catalog.join import Image
from .. import addresses
from ..routes import Parameter, Route
from ..security import Assessed
from ..security_totals import security_fields
from ..structs.fields import (
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
from ..structs.items import Day
from ..structs.security import ImageReference, ImageSecurity, ScannedAt
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
        self._left = Counted(digest for image in source.catalog.images for digest in _labels(image))
        """Digest → how many of the images that list it are still to come."""
        self._held: dict[str, list[DigestEntry]] = defaultdict(list)

    def image(self, image: Image, releases: Sequence[Assessed | None]) -> Documents:
        pairs: dict[int, set[tuple[str, str]]] = {}
        for digest, positions in _labels(image).items():
            self._held[digest].append(self._entry(image, releases, positions, pairs))
            self._left[digest] -= 1
            if not self._left[digest]:
                data = self._held.pop(digest)
                algorithm, _, hex_ = digest.partition(":")
                path = _PATH.format(algorithm=algorithm, hex=hex_)
                yield path, DigestDocument("v1", "digests", digest, len(data), data)

    def _entry(
        self,
        image: Image,
        releases: Sequence[Assessed | None],
        positions: Sequence[int],
        pairs: dict[int, set[tuple[str, str]]],
    ) -> DigestEntry:
        first, entry = positions[0], image.entry
        version, newest = entry.versions[first], entry.versions[0]
        found = releases[first]
        upgrade = None
        if first:
            upgrade = Upgrade(
                newest.version,
                newest.only_digest,
                self._at.api(addresses.release(entry.slug, newest.version)),
                *_changes(image, releases, first, pairs),
            )
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
                **security_fields(entry.slug, version.version, found.figures if found else None, self._at),
                scanned_at=found.figures.scanned_at if found else None,
            ),
            upgrade=upgrade,
            href=self._at.api(addresses.release(entry.slug, version.version)),
        )


def _labels(image: Image) -> dict[str, list[int]]:
    """Digest → positions of the releases with it, newest first."""
    found: dict[str, list[int]] = {}
    for position, version in enumerate(image.entry.versions):
        for digest in version.digests:
            found.setdefault(digest, []).append(position)
    return found


def _changes(
    image: Image,
    releases: Sequence[Assessed | None],
    position: int,
    pairs: dict[int, set[tuple[str, str]]],
) -> tuple[int | None, int | None]:
    """How many pairs of id and package go and come from a release to the newest; None when it can't be told.

    `pairs` keeps those of each release.
    """
    for at in (0, position):
        found = releases[at]
        if found is None or found.figures.grade is None:
            return None, None
        if at not in pairs:
            pairs[at] = {(row.id, row.pkg) for row in found.rows}
    scanners = [{scan.scanner for scan in image.releases[at].scans} for at in (0, position)]
    if scanners[0] != scanners[1]:
        return None, None
    return len(pairs[position] - pairs[0]), len(pairs[0] - pairs[position])
