"""Export of VEX: the author's statements about an image's releases, each for exact digests.

Other tools match any identifier of a component, while the build requires all of them, and they ignore keys
that the build doesn't know. So an exported statement never covers more than its original: one without an
exact form is left out if it suppresses, and covers more if it contradicts. Of contradicting statements Trivy
takes the last and Grype the first, by name, time and position. So of a digest nothing is suppressed that a
later statement contradicts in any part of the image.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote

from .models import VersionEntry
from .names import Reference
from .statements import (
    ImagePattern,
    PartMeaning,
    Product,
    ProductMeaning,
    Purl,
    Statement,
    Subject,
    normalised,
    part_meaning,
    product_meaning,
)
from .value import Image
from .vex_matching import Statements

_HUB = "docker.io/"


class Exact(NamedTuple):
    """A release by its digest, with the affected packages; without any, the whole release."""

    purl: str
    parts: tuple[str, ...]


class StatementOnReleases(NamedTuple):
    """A statement with the affected releases of one image."""

    rank: int
    """Its position among all, the oldest first: of two about the same, the last one counts."""
    statement: Statement
    products: tuple[Exact, ...]


def image_id(image: str) -> str:
    """Package URL of an image without a version, as scanners write it; `image` has no tag."""
    repository, name = _repository(image)
    return f"pkg:oci/{name}?repository_url={quote(repository, safe='')}"


class _Meant(NamedTuple):
    """The exportable part of one product of a statement; it does not depend on the image."""

    images: tuple[ImagePattern, ...]
    """Images without their platforms; none if the product is a package in any image."""
    platform: dict[str, str]
    parts: tuple[str, ...]
    packages: tuple[Purl, ...]
    """Packages as products, which never match a finding without a package URL."""

    def may_meet(self, other: _Meant) -> bool:
        """Whether both may be on the same package."""
        names, others = ({purl[:3] for purl in product.packages} for product in (self, other))
        return not (names and others) or not names.isdisjoint(others)


class Export:
    """The statements indexed by possible products, so that each image is compared with few of them."""

    def __init__(self, statements: Statements, images: Iterable[Image]) -> None:
        self._ranked = [*statements.oldest_first()]
        self._rank_at = {position: rank for rank, (position, _) in enumerate(self._ranked)}
        self._ranks_by_image: dict[str, list[int]] = defaultdict(list)
        """Repository or digest → ranks of the statements with such a product."""
        self._contrary: dict[str, list[int]] = defaultdict(list)
        """Key of an id → ranks of statements that do not suppress."""
        self._meant: dict[int, list[_Meant]] = {}
        """Rank → products, filled on demand: few statements of a vendor's feed match an image."""
        self._versions: dict[tuple[str, str], list[VersionEntry]] = defaultdict(list)
        """Repository and digest → the versions with it, of all items of this image."""
        for rank, (_, statement) in enumerate(self._ranked):
            meanings = [product_meaning(product.component) for product in statement.products]
            known = [meaning for meaning in meanings if isinstance(meaning, ProductMeaning)]
            for key in sorted({key for meaning in known for key in meaning.keys}):
                self._ranks_by_image[key].append(rank)
            for key in () if statement.suppresses else dict.fromkeys(statement.keys):
                self._contrary[key].append(rank)
        for image in images:
            repository = image.entry.repository or ""
            for version in image.entry.versions:
                for digest in version.digests:
                    self._versions[repository, digest].append(version)

    def statements_on(
        self, image: Image, matched: Collection[int], related: Collection[frozenset[str]]
    ) -> Iterator[StatementOnReleases]:
        """The statements about the releases with a digest, without those that another one contradicts.

        `matched` are the positions of the statements that match a finding in the image; statements about a
        package in any image are published only if they are among these. `related` are keys of the ids of one
        finding in the image. None without a reference, by which scanners find the statements.
        """
        if (reference := image.entry.image) is None:
            return
        releases = _ImageDigests(image, reference, self._versions)
        named = {rank for key in releases.keys for rank in self._ranks_by_image.get(key, ())}
        matching = {self._rank_at[position] for position in matched}
        suppressed: dict[tuple[str, str], int] = {}
        """Key of an id and digest → rank of the newest statement that suppresses it."""
        exported: list[tuple[int, dict[str, list[Exact]]]] = []
        for rank in sorted(named | matching):
            statement = self._ranked[rank][1]
            ids = {*statement.keys}.union(*(each for each in related if not each.isdisjoint(statement.keys)))
            products = {
                digest: exact
                for digest in releases.digests
                if (exact := self._on(releases, digest, rank, ids, packages=rank in matching))
            }
            if statement.suppresses:
                suppressed |= {(key, digest): rank for key in statement.keys for digest in products}
            exported.append((rank, products))
        for rank, products in exported:
            statement = self._ranked[rank][1]
            # A reader that gives it the time of the published document would take it for the newest.
            kept = dict.fromkeys(
                exact
                for digest, of_digest in products.items()
                if statement.suppresses
                or any(rank > suppressed.get((key, digest), -1) for key in statement.keys)
                for exact in of_digest
            )
            if kept:
                yield StatementOnReleases(rank, statement, tuple(kept))

    def _products(self, rank: int) -> list[_Meant]:
        if rank not in self._meant:
            self._meant[rank] = [*_meant(self._ranked[rank][1])]
        return self._meant[rank]

    def _on(
        self, releases: _ImageDigests, digest: str, rank: int, ids: Iterable[str], *, packages: bool
    ) -> list[Exact]:
        """The products of the statement for this digest; `packages` includes packages in any image."""
        suppresses = self._ranked[rank][1].suppresses
        return [
            Exact(releases.purl(digest, product.platform), product.parts)
            for product in self._products(rank)
            if (product.images or packages)
            and releases.hold(digest, product.images, suppresses=suppresses)
            and not (suppresses and releases.have_unnamed(digest, product.packages))
            and not (suppresses and self._contradicted(releases, digest, rank, ids, product))
        ]

    def _contradicted(
        self, releases: _ImageDigests, digest: str, rank: int, ids: Iterable[str], product: _Meant
    ) -> bool:
        """Whether a later statement on one of the ids does not suppress, in whatever part of the image."""
        return any(
            releases.hold(digest, other.images, suppresses=False) and other.may_meet(product)
            for key in ids
            for later in self._contrary.get(key, ())
            if later > rank
            for other in self._products(later)
        )


class _ImageDigests:
    """The releases of an image by their digests."""

    def __init__(
        self, image: Image, reference: str, versions: Mapping[tuple[str, str], Sequence[VersionEntry]]
    ) -> None:
        self._image, self._versions = image, versions
        self._repository = Reference.parse(reference).repository
        repository, self._name = _repository(reference)
        self._location = quote(repository, safe="")
        self.digests = dict.fromkeys(digest for each in image.entry.versions for digest in each.digests)
        self.keys = {self._repository, *self.digests}
        """Patterns of a product that matches one of them."""

    def hold(self, digest: str, images: Sequence[ImagePattern], *, suppresses: bool) -> bool:
        """Whether all patterns match the digest. A statement about one label does not cover another label of
        the same digest, which has its own rows: a suppressing one must match them all."""
        if not images:
            return True
        # Other tags of a release may move; they only count if that shows more vulnerabilities.
        subjects = [
            Subject(
                self._repository,
                frozenset({version.version, *(() if suppresses else version.tags)}),
                frozenset([digest]),
            )
            for version in self._versions[self._repository, digest]
        ]
        held = (all(pattern.holds(subject) for pattern in images) for subject in subjects)
        return all(held) if suppresses else any(held)

    def have_unnamed(self, digest: str, packages: Sequence[Purl]) -> bool:
        """Whether a scan found such a package without a package URL: a subcomponent would match it, too."""
        return any((purl.type, name) in self._unnamed[digest] for purl in packages for name in purl.spellings)

    @cached_property
    def _unnamed(self) -> dict[str, set[tuple[str, str]]]:
        """Digest → type and name of the packages without a package URL in the scans."""
        unnamed: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for release in self._image.releases:
            names = {
                (finding.ecosystem, normalised(finding.ecosystem, finding.pkg))
                for scan in release.scans
                for finding in scan.findings
                if not finding.purl
            }
            for digest in release.entry.digests:
                unnamed[digest] |= names
        return unnamed

    def purl(self, digest: str, platform: Mapping[str, str]) -> str:
        qualifiers = "".join(f"{key}={quote(value, safe='')}&" for key, value in platform.items())
        version = quote(digest, safe="")
        return f"pkg:oci/{self._name}@{version}?{qualifiers}repository_url={self._location}"


def _meant(statement: Statement) -> Iterator[_Meant]:
    """The exportable products; those of a statement that does not suppress may cover more."""
    for product in statement.products:
        meaning = product_meaning(product.component)
        if not isinstance(meaning, ProductMeaning):
            continue
        # The package URL includes the platform: the scan of one platform may have a digest of several.
        images = tuple(pattern._replace(os="", architecture="", platform="") for pattern in meaning.images)
        platform = _platform(meaning.images)
        parts = _parts(product, meaning, suppresses=statement.suppresses)
        if not statement.suppresses or not (platform is None or parts is None):
            yield _Meant(images, platform or {}, parts or (), meaning.packages)


def _platform(images: tuple[ImagePattern, ...]) -> dict[str, str] | None:
    """The qualifiers `arch` and `os`; None if they can't express the platform."""
    architectures, systems = set[str](), set[str]()
    for pattern in images:
        system, architecture, variant, *_ = (*pattern.platform.split("/"), "", "", "")
        if variant:
            return None
        architectures |= {pattern.architecture, architecture} - {""}
        systems |= {pattern.os, system} - {""}
    if len(architectures) > 1 or len(systems) > 1:
        return None
    return {key: value for key, values in (("arch", architectures), ("os", systems)) for value in values}


def _parts(product: Product, meaning: ProductMeaning, *, suppresses: bool) -> tuple[str, ...] | None:
    """The affected packages, none for the whole image; None if they can't be expressed."""
    if meaning.packages:
        packages = () if product.parts else _exact(meaning.packages, suppresses=suppresses)
        return packages or None
    if not product.parts:
        return ()
    parts: dict[str, None] = {}
    for part in map(part_meaning, product.parts):
        if isinstance(part, PartMeaning):
            if not part.purls:
                parts[part.name] = None
            elif suppresses:
                parts |= dict.fromkeys(_exact(part.purls, suppresses=True))
            else:
                parts |= dict.fromkeys(map(_written, part.purls))
    return tuple(parts) or None


def _exact(purls: tuple[Purl, ...], *, suppresses: bool) -> tuple[str, ...]:
    """The one that all others cover; empty without one, or if other tools ignore its path."""
    if suppresses and any(purl.subpath for purl in purls):
        return ()
    narrowest = (purl for purl in purls if all(other.covers(purl) for other in purls))
    return tuple(map(_written, narrowest))[:1]


def _written(purl: Purl) -> str:
    path = "/".join(quote(part, safe="") for part in (*purl.namespace.split("/"), purl.name) if part)
    version = f"@{quote(purl.version, safe='')}" if purl.version else ""
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in sorted(purl.qualifiers))
    subpath = f"#{quote(purl.subpath)}" if purl.subpath else ""
    return f"pkg:{purl.type}/{path}{version}{'?' if query else ''}{query}{subpath}"


def _repository(image: str) -> tuple[str, str]:
    """Repository and name as in scan reports, which use the server name of Docker Hub."""
    repository = Reference.parse(image).repository
    if repository.startswith(_HUB):
        repository = f"index.{repository}"
    return repository, repository.rpartition("/")[2].lower()
