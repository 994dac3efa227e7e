"""The exceptions that took effect: VEX statements for other people's scanners, never wider than the catalog.

- Every row of a listed release that a statement suppresses is one, with the statement's status and reason.
- It is about the digest of each part that a scan covers, and about the digest of their index with the part's
  architecture, and its operating system if the index has several (Trivy's own URLs have none, so they would
  not match); without a platform only if the release is complete.
- It is about the row's package URL. A row without one is left out, and so is a release without a digest: it
  would silence a later build.
- Its ids are those of the row; of a row that stands for several vulnerabilities, its own id alone.
- It is left out for a digest that has the same package, with one of these ids, open in any release.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from ..items.names import Reference
from .ids import stands_for_several
from .statements import Statement
from .value import Catalog, Image, Release
from .vulnerabilities import Suppressed

_HUB = "docker.io/"


class EffectiveException(NamedTuple):
    """One suppressed vulnerability of one digest."""

    statement: Statement
    """The statement that suppresses it."""
    id: str
    aliases: tuple[str, ...]
    product: str
    """Package URL of the image with a digest."""
    package: str
    """Package URL of the package in it."""


class ImageExceptions(NamedTuple):
    """The exceptions of one image."""

    slug: str
    image: str
    """Package URL of the image, without a version."""
    exceptions: list[EffectiveException]
    """In the order of releases and rows."""


def effective_exceptions(catalog: Catalog) -> Iterator[ImageExceptions]:
    """Yield those of each image that has any."""
    contrary = _open(catalog)
    for image in catalog.images:
        exceptions: list[EffectiveException] = []
        for release in image.releases:
            subjects = [*_subjects(image, release)]
            for row, statement in _suppressed(release):
                ids = (row.id,) if stands_for_several(row.id, row.aliases) else (row.id, *row.aliases)
                exceptions += [
                    EffectiveException(statement, row.id, ids[1:], product, row.purl)
                    for digest, product in subjects
                    if row.purl and not any((row.purl, id_) in contrary[digest] for id_ in ids)
                ]
        if exceptions and image.entry.image:
            yield ImageExceptions(image.entry.slug, _image_url(image.entry.image), exceptions)


def unpublished(catalog: Catalog) -> int:
    """How many rows a statement suppresses that no exception can name: their package or part is not known."""
    releases = [(image, release) for image in catalog.images for release in image.releases]
    return sum(
        not row.purl or not any(_subjects(image, release))
        for image, release in releases
        for row, _ in _suppressed(release)
    )


def _suppressed(release: Release) -> Iterator[tuple[Suppressed, Statement]]:
    """Yield the rows that a statement suppresses."""
    if release.assessment:
        for row, statement in zip(release.suppressed, release.assessment.applied.by, strict=True):
            if statement is not None:
                yield row, statement


def _open(catalog: Catalog) -> dict[str, set[tuple[str, str]]]:
    """Digest → package URL and id of each open row, by all its ids."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    if len(catalog.statements):
        for release in (release for image in catalog.images for release in image.releases):
            pairs = {(row.purl, id_) for row in release.rows for id_ in (row.id, *row.aliases)}
            for digest in release.entry.every_digest:
                found[digest] |= pairs
    return found


def _subjects(image: Image, release: Release) -> Iterator[tuple[str, str]]:
    """Yield each covered digest of the release, with the package URL that stands for it or a part of it."""
    selection, entry, reference = release.selection, release.entry, image.entry.image
    if reference is None:
        return  # scanners find exceptions by it
    several = len({part.platform.partition("/")[0] for part in selection.parts}) > 1
    covered = dict.fromkeys(part for scan in selection.part_scans for part in scan.covered)
    for part in covered:
        if part.digest:
            yield part.digest, _product(reference, part.digest)
        if entry.only_digest and entry.only_digest != part.digest and (part.platform or selection.complete):
            system, architecture, *_ = (*part.platform.split("/"), "", "")
            of_platform = {"arch": architecture, "os": system if several else ""}
            yield entry.only_digest, _product(reference, entry.only_digest, **of_platform)


def _product(image: str, digest: str, **qualifiers: str) -> str:
    """`pkg:oci/nginx@sha256%3A…?arch=amd64&repository_url=ghcr.io%2Facme%2Fnginx`."""
    repository, name = _repository(image)
    qualifiers["repository_url"] = repository
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in qualifiers.items() if value)
    return f"pkg:oci/{name}@{quote(digest, safe='')}?{query}"


def _image_url(image: str) -> str:
    """Package URL of an image without a version, as scanners write it; `image` has no tag."""
    repository, name = _repository(image)
    return f"pkg:oci/{name}?repository_url={quote(repository, safe='')}"


def _repository(image: str) -> tuple[str, str]:
    """Repository and name as in scan reports, which use the server name of Docker Hub."""
    repository = Reference.parse(image).repository
    if repository.startswith(_HUB):
        repository = f"index.{repository}"
    return repository, repository.rpartition("/")[2].lower()
