"""Documents about one digest: its image and release, whether it is current, and the fixes in an update."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from ..catalog import addresses
from ..catalog.published import ApiVersion, Day, Document, Href, LifecycleWord
from ..catalog.value import Catalog, FormerDigest, Image, Release
from ..catalog.verdict import Concern, concerns
from ..catalog.vulnerabilities import open_words
from ..items.types import Count, Digest, Slug, Text, VersionLabel
from .kinds import Documents, Kind, Parameter, Route
from .sboms import sbom_address
from .security import Limits, PlatformsScanned, SecurityFigures, security_figures


class Upgrade(Document):
    """A newer version, and the changes that it brings.

    `fixes` and `adds` count pairs of vulnerability and package. They are null unless the scans of both looked
    at the same: of the same scanners, each platform and kind of packages without a further limit, and not on
    an earlier day.
    """

    version: Annotated[VersionLabel, Meta(description="The version.")]
    digest: Annotated[Digest | None, Meta(description="Its digest; null unless it has exactly one.")]
    href: Annotated[Href, Meta(description="Document with its vulnerabilities.")]
    fixes: Annotated[Count | None, Meta(description="Open vulnerabilities that the update removes.")]
    adds: Annotated[Count | None, Meta(description="Open vulnerabilities that the update adds.")]


class DigestEntry(Document):
    """One image that lists a digest, or listed it; in the document of a reference, the version of a tag."""

    tag: Annotated[
        VersionLabel | None,
        Meta(description="The tag in documents of references; null in documents of digests."),
    ]
    slug: Annotated[Slug, Meta(description="Slug of the image.")]
    name: Annotated[Text, Meta(description="Name for people.")]
    image: Annotated[
        Text | None, Meta(description="Reference of the image without a tag; null if it is not known.")
    ]
    version: Annotated[VersionLabel, Meta(description="The newest version with the digest.")]
    versions: Annotated[
        list[VersionLabel], Meta(min_length=1, description="Every version with it, newest first.")
    ]
    digest: Annotated[
        Digest | None,
        Meta(
            description="Digest that the version has now, to pin; null unless it has exactly one, and if no "
            "page lists the version any more."
        ),
    ]
    latest: Annotated[
        VersionLabel | None,
        Meta(description="The newest version of the image; of an image that left, the last recorded one."),
    ]
    is_latest: Annotated[bool, Meta(description="Whether the newest version has the digest.")]
    lifecycle: Annotated[
        LifecycleWord | None,
        Meta(description="Lifecycle stage of the image; of an image that left, the last recorded one."),
    ]
    released: Annotated[Day | None, Meta(description="Release day.")]
    end_of_life: Annotated[Day | None, Meta(description="Day after which it gets no more updates.")]
    line: Annotated[str, Meta(description="Its release line; empty for none.")]
    variant: Annotated[str, Meta(description="Its variant; empty for none.")]
    listed: Annotated[bool, Meta(description="Whether a version has the digest now; false of a former one.")]
    until: Annotated[
        Day | None,
        Meta(
            description="Day on which the version got another digest, or left; null if the digest is "
            "listed, or the day is unknown."
        ),
    ]
    platform: Annotated[Text | None, Meta(description="Platform of the manifest; null for other digests.")]
    concerns: Annotated[
        list[Annotated[Concern, open_words(Concern)]],
        Meta(
            description="What speaks against running it, apart from its end of life and the age of its scan; "
            "empty if nothing does."
        ),
    ]
    security: Annotated[
        SecurityFigures,
        Meta(description="Counts for this version or manifest; of a former digest, by its last scan."),
    ]
    platforms_scanned: PlatformsScanned
    limits: Limits
    sbom: Annotated[Text | None, Meta(description="URL of its bill of materials.")]
    provenance: Annotated[Text | None, Meta(description="URL of its attestation of how it was built.")]
    upgrade: Annotated[
        Upgrade | None,
        Meta(
            description="The newest version of its line and variant; null when it is that one. Of a former "
            "digest at least its own version, which has another digest now."
        ),
    ]
    new_line: Annotated[
        Upgrade | None,
        Meta(description="The newest version of its variant; null when that one is in the same line."),
    ]
    href: Annotated[
        Href | None,
        Meta(description="Document with its vulnerabilities; null if no page lists the version any more."),
    ]


class DigestDocument(Document):
    """The images that list one digest or listed it, with their data."""

    api_version: ApiVersion
    resource: Annotated[Literal["digests"], Meta(description="Name of the resource.")]
    digest: Annotated[Digest, Meta(description="The digest.")]
    total: Annotated[Count, Meta(description="Number of these images.")]
    data: Annotated[list[DigestEntry], Meta(min_length=1, description="One entry for each, by slug.")]


_OF_VERSION = ("released", "end_of_life", "line", "variant", "provenance")
"""Fields of the release's version; it has the last recorded ones of a former digest."""


def _documents(catalog: Catalog) -> Documents:
    entries: dict[str, list[DigestEntry]] = {}
    for image in catalog.images:
        for digest, positions in _positions(image).items():
            entries.setdefault(digest, []).append(digest_entry(catalog, image, positions, digest))
    images = {image.entry.slug: image for image in catalog.images}
    builds: dict[str, dict[str, list[FormerDigest]]] = {}
    for former in catalog.former if catalog.publishes_former else ():
        for digest in former.release.entry.every_digest:
            builds.setdefault(digest, {}).setdefault(former.slug, []).append(former)
    for digest, of_slugs in builds.items():
        if digest not in entries:  # a manifest may be in the present build, too
            entries[digest] = [
                _former_entry(catalog, images.get(slug), of, digest) for slug, of in of_slugs.items()
            ]
    for digest, data in entries.items():
        document = DigestDocument("v1", "digests", digest, len(data), data)
        yield addresses.digest(digest), document


def _former_entry(
    catalog: Catalog, image: Image | None, builds: Sequence[FormerDigest], digest: str
) -> DigestEntry:
    """Entry of a former digest; `builds` are those with it, of the newest version first."""
    former = builds[0]
    present = image.release(former.label).entry if image and former.label else None
    record = catalog.history.images.get(former.slug) if catalog.history else None
    lifecycle = image.entry.lifecycle if image else record and record.lifecycle
    return DigestEntry(
        tag=None,
        slug=former.slug,
        name=image.entry.name if image else former.slug,
        image=image.entry.image if image else None,
        version=former.version,
        versions=list(dict.fromkeys(each.version for each in builds)),
        digest=present.only_digest if present else None,
        latest=image.entry.latest if image else record and record.latest,
        is_latest=False,
        lifecycle=lifecycle,
        listed=False,
        until=former.until,
        concerns=concerns(former.release.of(digest), lifecycle, listed=False, until=former.until),
        href=catalog.addresses.api(addresses.release(former.slug, present.version)) if present else None,
        **_of_release(catalog, image, former.release, digest),
    )


def _of_release(
    catalog: Catalog, image: Image | None, release: Release, digest: str | None
) -> dict[str, Any]:
    """The fields of an entry that follow from the release with the digest."""
    looked_at = release.of(digest)
    platforms = (each.platform for each in release.entry.manifests if each.digest == digest)
    return {name: getattr(release.entry, name) for name in _OF_VERSION} | {
        "platform": next(platforms, None),
        "sbom": sbom_address(catalog, image.entry.slug, release) if image else release.entry.sbom,
        "security": security_figures(image, looked_at, catalog.addresses),
        "platforms_scanned": looked_at.selection.platforms,
        "limits": [*looked_at.selection.limits],
        "upgrade": _upgrade(catalog, image, release, release.advice.upgrade),
        "new_line": _upgrade(catalog, image, release, release.advice.new_line),
    }


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
    entry, first = image.entry, positions[0]
    release, newest = image.releases[first], image.releases[0]
    version = release.entry
    return DigestEntry(
        tag=None,
        slug=entry.slug,
        name=entry.name,
        image=entry.image,
        version=version.version,
        versions=[entry.versions[position].version for position in positions],
        digest=version.only_digest,
        latest=newest.entry.version,
        is_latest=not first,
        lifecycle=entry.lifecycle,
        listed=True,
        until=None,
        concerns=concerns(release.of(digest), entry.lifecycle),
        href=catalog.addresses.api(addresses.release(entry.slug, version.version)),
        **_of_release(catalog, image, release, digest),
    )


def _upgrade(catalog: Catalog, image: Image | None, release: Release, label: str | None) -> Upgrade | None:
    if image is None or label is None:
        return None
    newer = image.release(label)
    fixes, adds = map(len, effect) if (effect := catalog.effect(release, newer)) else (None, None)
    href = catalog.addresses.api(addresses.release(image.entry.slug, label))
    return Upgrade(label, newer.entry.only_digest, href, fixes, adds)


DIGESTS = Kind(
    "digests",
    "lookups",
    routes=(
        Route(
            addresses.DIGEST,
            "getDigest",
            "Images of a digest",
            "The images that list this digest or listed it: version, whether it is the newest, counts, and "
            "the fixes in an update. A digest that neither a page nor a record knows has no document.",
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
                    Annotated[str, Meta(pattern="^[0-9a-f]{64,128}$")],
                ),
            ),
            listed="digest",
        ),
    ),
    documents=_documents,
    optional=True,
    parts=("former",),
)
