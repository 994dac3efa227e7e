"""Documents about one digest: its image and release, whether it is current, and the fixes in an update."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from ..catalog import addresses
from ..catalog.described import open_words
from ..catalog.published import ApiVersion, Day, Document, Href, LifecycleWord
from ..catalog.value import Catalog, FormerDigest, Image, Release
from ..catalog.verdict import Concern, concerns
from ..items.types import Count, Digest, Slug, Text, VersionLabel
from .kinds import Documents, Kind, Parameter
from .sboms import sbom_address
from .security import Limits, PlatformsScanned, SecurityFigures, security_figures

DIGESTS = Kind("digests", "lookups", optional=True, parts=("former",))


class Upgrade(Document):
    """A newer version, and the changes that it brings.

    `fixes` and `adds` count pairs of vulnerability and package. They are null unless the scans of both looked
    at the same: of the same scanners, each platform and kind of packages without a further limit, and not on
    an earlier day.
    """

    version: Annotated[VersionLabel, "The version."]
    digest: Annotated[Digest | None, "Its digest; null unless it has exactly one."]
    href: Annotated[Href, "Document with its vulnerabilities."]
    fixes: Annotated[Count | None, "Open vulnerabilities that the update removes."]
    adds: Annotated[Count | None, "Open vulnerabilities that the update adds."]


class DigestEntry(Document):
    """One image that lists a digest, or listed it; in the document of a reference, the version of a tag."""

    tag: Annotated[VersionLabel | None, "The tag in documents of references; null in documents of digests."]
    slug: Annotated[Slug, "Slug of the image."]
    name: Annotated[Text, "Name for people."]
    image: Annotated[Text | None, "Reference of the image without a tag; null if it is not known."]
    version: Annotated[VersionLabel, "The newest version with the digest."]
    versions: Annotated[list[VersionLabel], "Every version with it, newest first.", Meta(min_length=1)]
    digest: Annotated[
        Digest | None,
        "Digest that the version has now, to pin; null unless it has exactly one, and if no "
        "page lists the version any more.",
    ]
    latest: Annotated[
        VersionLabel | None, "The newest version of the image; of an image that left, the last recorded one."
    ]
    is_latest: Annotated[bool, "Whether the newest version has the digest."]
    lifecycle: Annotated[
        LifecycleWord | None, "Lifecycle stage of the image; of an image that left, the last recorded one."
    ]
    released: Annotated[Day | None, "Release day."]
    end_of_life: Annotated[Day | None, "Day after which it gets no more updates."]
    line: Annotated[str, "Its release line; empty for none."]
    variant: Annotated[str, "Its variant; empty for none."]
    listed: Annotated[bool, "Whether a version has the digest now; false of a former one."]
    until: Annotated[
        Day | None,
        "Day on which the version got another digest, or left; null if the digest is "
        "listed, or the day is unknown.",
    ]
    platform: Annotated[Text | None, "Platform of the manifest; null for other digests."]
    concerns: Annotated[
        list[Annotated[Concern, open_words(Concern)]],
        "What speaks against running it, apart from its end of life and the age of its scan; "
        "empty if nothing does.",
    ]
    security: Annotated[
        SecurityFigures, "Counts for this version or manifest; of a former digest, by its last scan."
    ]
    platforms_scanned: PlatformsScanned
    limits: Limits
    sbom: Annotated[Text | None, "URL of its bill of materials."]
    provenance: Annotated[Text | None, "URL of its attestation of how it was built."]
    upgrade: Annotated[
        Upgrade | None,
        "The newest version of its line and variant; null when it is that one. Of a former "
        "digest at least its own version, which has another digest now.",
    ]
    new_line: Annotated[
        Upgrade | None, "The newest version of its variant; null when that one is in the same line."
    ]
    href: Annotated[
        Href | None, "Document with its vulnerabilities; null if no page lists the version any more."
    ]


@DIGESTS.route(
    addresses.DIGEST,
    "getDigest",
    "Images of a digest",
    "The images that list this digest or listed it: version, whether it is the newest, counts, and "
    "the fixes in an update. A digest that neither a page nor a record knows has no document.",
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
    listed="digest",
)
class DigestDocument(Document):
    """The images that list one digest or listed it, with their data."""

    api_version: ApiVersion
    resource: Annotated[Literal["digests"], "Name of the resource."]
    digest: Annotated[Digest, "The digest."]
    total: Annotated[Count, "Number of these images."]
    data: Annotated[list[DigestEntry], "One entry for each, by slug.", Meta(min_length=1)]


@DIGESTS.generator
def _documents(catalog: Catalog) -> Documents:
    entries: dict[str, list[DigestEntry]] = {}
    for image in catalog.images:
        with_digest: dict[str, list[Release]] = {}
        for release in image.releases:
            for digest in release.entry.every_digest:
                with_digest.setdefault(digest, []).append(release)
        for digest, releases in with_digest.items():
            entry = digest_entry(catalog, image.entry.slug, image, releases, digest)
            entries.setdefault(digest, []).append(entry)
    images = {image.entry.slug: image for image in catalog.images}
    builds: dict[str, dict[str, list[FormerDigest]]] = {}
    for former in catalog.former if catalog.publishes_former else ():
        for digest in former.release.entry.every_digest:
            builds.setdefault(digest, {}).setdefault(former.slug, []).append(former)
    for digest, of_slugs in builds.items():
        if digest not in entries:  # a manifest may be in the present build, too
            entries[digest] = [
                digest_entry(
                    catalog, slug, images.get(slug), [build.release for build in of], digest, former=of[0]
                )
                for slug, of in of_slugs.items()
            ]
    for digest, data in entries.items():
        document = DigestDocument("v1", "digests", digest, len(data), data)
        yield addresses.digest(digest), document


def digest_entry(
    catalog: Catalog,
    slug: str,
    image: Image | None,
    releases: Sequence[Release],
    digest: str | None = None,
    *,
    former: FormerDigest | None = None,
) -> DigestEntry:
    """Entry of an image, or of one that left: of the first of its releases with the digest, or of its
    manifest with it. Those of a former digest, the first of which is `former`, had it before.
    """
    release, listed, at = releases[0], former is None, catalog.addresses
    version, looked_at = release.entry, release.of(digest)
    present = version if listed else None
    if image and former and former.label:
        present = image.release(former.label).entry
    known = image.entry if image else catalog.history and catalog.history.images.get(slug)
    lifecycle, until = known.lifecycle if known else None, former.until if former else None
    platforms = (manifest.platform for manifest in version.manifests if manifest.digest == digest)
    return DigestEntry(
        tag=None,
        slug=slug,
        name=image.entry.name if image else slug,
        image=image.entry.image if image else None,
        version=version.version,
        versions=[*dict.fromkeys(release.entry.version for release in releases)],
        digest=present.only_digest if present else None,
        latest=known.latest if known else None,
        is_latest=image is not None and release is image.newest,
        lifecycle=lifecycle,
        released=version.released,
        end_of_life=version.end_of_life,
        line=version.line,
        variant=version.variant,
        listed=listed,
        until=until,
        platform=next(platforms, None),
        concerns=concerns(looked_at, lifecycle, listed=listed, until=until),
        security=security_figures(image, looked_at, at),
        platforms_scanned=looked_at.selection.platforms,
        limits=[*looked_at.selection.limits],
        sbom=sbom_address(catalog, slug, release) if image else version.sbom,
        provenance=version.provenance,
        upgrade=_upgrade(catalog, image, release, release.advice.upgrade),
        new_line=_upgrade(catalog, image, release, release.advice.new_line),
        href=at.api(addresses.release(slug, present.version)) if present else None,
    )


def _upgrade(catalog: Catalog, image: Image | None, release: Release, label: str | None) -> Upgrade | None:
    if image is None or label is None:
        return None
    newer = image.release(label)
    fixes, adds = map(len, effect) if (effect := catalog.effect(release, newer)) else (None, None)
    href = catalog.addresses.api(addresses.release(image.entry.slug, label))
    return Upgrade(label, newer.entry.only_digest, href, fixes, adds)
