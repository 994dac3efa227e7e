"""Documents about references: the version of every label and tag of each repository of the catalog, and what
replaces a repository of others.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, structs

from ..catalog import addresses
from ..catalog.published import ApiVersion, Document, Href
from ..catalog.value import Catalog, Image
from ..items.names import Reference, reserved
from ..items.types import Count, Slug
from .digests import DigestEntry, digest_entry
from .kinds import Documents, Kind, Parameter
from .security import ImageReference

_PATH = "references/{reference}.json"
_LONGEST_NAME = 250
"""Bytes of a file name without `.json` that every file system takes."""


REFERENCES = Kind("references", "lookups", optional=True)


class Replacement(Document):
    """An image that takes the place of a repository."""

    slug: Annotated[Slug, "Slug of the image."]
    image: Annotated[ImageReference | None, "Its reference without a tag; null if unknown."]
    href: Annotated[Href, "Item document.", Meta(examples=["API/images/nginx/index.json"])]


@REFERENCES.route(
    _PATH,
    "getReference",
    "Versions of the tags of a repository",
    "For every tag of the repository: its version, whether it is the newest, its counts "
    "and the newest update. For a repository that images of this catalog replace: these images. Any "
    "other repository has no document.",
    Parameter(
        "reference",
        "The repository without tag, as in `docker.io/library/nginx`; each `/` is written `~`, "
        "and the colon of a port `_`.",
        Annotated[str, Meta(pattern="^[a-z0-9._~-]+$")],
    ),
    listed="reference",
)
class ReferenceDocument(Document):
    """The tags of one repository, with their versions, or the images that replace it."""

    api_version: ApiVersion
    resource: Annotated[Literal["references"], "Name of the resource."]
    image: Annotated[ImageReference, "The repository, normalized."]
    slug: Annotated[
        Slug | None, "Slug of the image; the first of several. Null if it is not of this catalog."
    ]
    replacements: Annotated[list[Replacement], "Images of this catalog that replace it, by slug."]
    total: Annotated[Count, "Number of tags."]
    data: Annotated[list[DigestEntry], "One entry for each tag, the newest version first."]


def reference_name(repository: str) -> str:
    """The name of a normalized repository in addresses: `registry.example.org~acme~nginx`.

    `~` is in no reference, and `_` in no host, so that no two repositories have one name.
    """
    host, _, path = repository.partition("/")
    return f"{host.replace(':', '_')}~{path.replace('/', '~')}"


@REFERENCES.generator
def _documents(catalog: Catalog) -> Documents:
    by_repository: dict[str, list[Image]] = {}
    replaced: dict[str, list[Replacement]] = {}
    for image in catalog.images:
        entry = image.entry
        if image.releases and entry.repository:
            by_repository.setdefault(entry.repository, []).append(image)
        href = catalog.addresses.api(addresses.item("images", entry.slug))
        for repository in dict.fromkeys(Reference.parse(each).repository for each in entry.replaces):
            replaced.setdefault(repository, []).append(Replacement(entry.slug, entry.image, href))
    for repository in by_repository | replaced:
        images = by_repository.get(repository, [])
        name = reference_name(repository)
        if len(name) > _LONGEST_NAME or reserved(name):
            continue  # no file can have this name
        entries = [entry for image in images for entry in _entries(catalog, image)]
        document = ReferenceDocument(
            "v1",
            "references",
            repository,
            images[0].entry.slug if images else None,
            replaced.get(repository, []),
            len(entries),
            entries,
        )
        yield _PATH.format(reference=name), document


def _entries(catalog: Catalog, image: Image) -> Iterator[DigestEntry]:
    slug = image.entry.slug
    for release in image.releases:
        entry = digest_entry(catalog, slug, image, [release])
        for tag in (release.entry.version, *release.entry.tags):
            yield structs.replace(entry, tag=tag)
        for manifest in release.entry.manifests:
            for tag in image.manifest_tags.get(manifest.digest, ()):
                of_manifest = digest_entry(catalog, slug, image, [release], manifest.digest)
                yield structs.replace(of_manifest, tag=tag)
