"""Documents about one digest: its image and release, whether it is current, and the fixes in an update."""

from typing import Annotated, Literal

from msgspec import Meta

from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.published import (
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
from ..catalog.value import Catalog, Image, Release
from .item_structs import Day
from .kinds import Documents, Kind, Parameter, Route
from .security import ImageReference, Limits, PlatformsScanned, SecurityFigures, security_figures

_PATH = "digests/{algorithm}/{hex}.json"


class Upgrade(Document):
    """A newer version, and the changes that it brings.

    `fixes` and `adds` count pairs of id and package. They are null if they are not known: a scan is missing
    or incomplete, or the scans are of different scanners, which name packages differently.
    """

    version: Annotated[VersionLabel, Meta(description="Label of that version.")]
    digest: Annotated[Digest | None, Meta(description="Its digest; null unless it has exactly one.")]
    href: Annotated[Href, Meta(description="Its release document.")]
    fixes: Annotated[Counter | None, Meta(description="Open vulnerabilities that the update removes.")]
    adds: Annotated[Counter | None, Meta(description="Open vulnerabilities that the update adds.")]


class DigestEntry(Document):
    """One image that lists the digest."""

    slug: Annotated[Slug, Meta(description="Slug of the image.")]
    name: Annotated[Text, Meta(description="Name for people.")]
    image: ImageReference
    version: Annotated[VersionLabel, Meta(description="The newest label with the digest.")]
    versions: Annotated[
        list[VersionLabel], Meta(min_length=1, description="Every label with it, newest first.")
    ]
    digest: Annotated[
        Digest | None, Meta(description="Digest of the version, to pin; null unless it has exactly one.")
    ]
    latest: Annotated[VersionLabel, Meta(description="Label of the newest release of the image.")]
    is_latest: Annotated[bool, Meta(description="Whether the newest release has the digest.")]
    lifecycle: Annotated[LifecycleWord, Meta(description="Lifecycle stage of the image.")]
    released: Annotated[Day | None, Meta(description="Day of the release.")]
    end_of_life: Annotated[Day | None, Meta(description="Day after which it gets no more updates.")]
    line: Annotated[str, Meta(description="Its release line; empty for none.")]
    variant: Annotated[str, Meta(description="Its variant; empty for none.")]
    platform: Annotated[Text | None, Meta(description="Platform of the manifest; null for other digests.")]
    security: Annotated[
        SecurityFigures, Meta(description="Counts for this release; of a manifest, for it alone.")
    ]
    platforms_scanned: PlatformsScanned
    limits: Limits
    sbom: Annotated[Text | None, Meta(description="Address of its bill of materials.")]
    provenance: Annotated[Text | None, Meta(description="Address of its attestation of how it was built.")]
    upgrade: Annotated[
        Upgrade | None,
        Meta(description="The newest version of its line and variant; null when it is that one."),
    ]
    new_line: Annotated[
        Upgrade | None,
        Meta(description="The newest version of its variant; null when that one is in the same line."),
    ]
    href: Annotated[Href, Meta(description="Release document: its vulnerabilities.")]


class DigestDocument(Document):
    """The images that list one digest, with their data."""

    api_version: ApiVersion
    resource: Annotated[Literal["digests"], Meta(description="Name of the resource.")]
    digest: Annotated[Digest, Meta(description="The digest.")]
    total: Annotated[Counter, Meta(description="Number of images that list it.")]
    data: Annotated[list[DigestEntry], Meta(min_length=1, description="One entry for each, by slug.")]


def _documents(catalog: Catalog) -> Documents:
    entries: dict[str, list[DigestEntry]] = {}
    for image in catalog.images:
        for digest, positions in _positions(image).items():
            entries.setdefault(digest, []).append(digest_entry(catalog, image, positions, digest))
    for digest, data in entries.items():
        algorithm, _, hex_ = digest.partition(":")
        document = DigestDocument("v1", "digests", digest, len(data), data)
        yield _PATH.format(algorithm=algorithm, hex=hex_), document


def _positions(image: Image) -> dict[str, tuple[int, ...]]:
    """Digest → positions of the releases with it, newest first."""
    positions: dict[str, tuple[int, ...]] = {}
    for position, version in enumerate(image.entry.versions):
        for digest in version.every_digest:
            positions[digest] = (*positions.get(digest, ()), position)
    return positions


def digest_entry(
    catalog: Catalog, image: Image, positions: tuple[int, ...], digest: str | None = None
) -> DigestEntry:
    """Entry of the first of the releases at these positions, or of its manifest with the digest; the others
    have the same digest.
    """
    at, entry, first = catalog.addresses, image.entry, positions[0]
    release, newest = image.releases[first], image.releases[0]
    version, looked_at = release.entry, release.of(digest)
    platforms = (each.platform for each in version.manifests if each.digest == digest)
    return DigestEntry(
        slug=entry.slug,
        name=entry.name,
        image=entry.image,
        version=version.version,
        versions=[entry.versions[position].version for position in positions],
        digest=version.only_digest,
        latest=newest.entry.version,
        is_latest=not first,
        lifecycle=entry.lifecycle,
        released=version.released,
        end_of_life=version.end_of_life,
        line=version.line,
        variant=version.variant,
        platform=next(platforms, None),
        security=security_figures(image, looked_at, at),
        platforms_scanned=looked_at.selection.platforms,
        limits=[*looked_at.selection.limits],
        sbom=version.sbom,
        provenance=version.provenance,
        upgrade=_upgrade(image, release, release.advice.upgrade, at),
        new_line=_upgrade(image, release, release.advice.new_line, at),
        href=at.api(addresses.release(entry.slug, version.version)),
    )


def _upgrade(image: Image, release: Release, label: str | None, at: Addresses) -> Upgrade | None:
    if label is None:
        return None
    newer = image.release(label)
    fixes, adds = release.effect_of(newer) or (None, None)
    href = at.api(addresses.release(image.entry.slug, label))
    return Upgrade(label, newer.entry.only_digest, href, fixes, adds)


DIGESTS = Kind(
    "digests",
    routes=(
        Route(
            _PATH,
            "getDigest",
            "lookups",
            "Images of a digest",
            "The images that list this digest: release, whether it is the newest, counts, and the "
            "fixes in an update. A digest that no page lists has no document.",
            DigestDocument,
            (
                Parameter(
                    "algorithm",
                    "Part of the digest before the colon.",
                    Annotated[
                        Literal["sha256", "sha384", "sha512"],
                        Meta(extra_json_schema={"component": "DigestAlgorithm"}),
                    ],
                ),
                Parameter(
                    "hex",
                    "Part of the digest after the colon.",
                    Annotated[str, Meta(pattern="^[0-9a-f]{64,128}$", examples=["0" * 64])],
                ),
            ),
            listed="digest",
            goes_with="contents",
        ),
    ),
    documents=_documents,
    optional=True,
)
