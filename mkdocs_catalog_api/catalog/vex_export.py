"""Export of VEX: the author's statements about an image's releases, each for exact digests.

Other tools match any identifier of a component, while the build requires all of them, and they ignore keys
that the build doesn't know. So an exported statement never covers more than its original: one without an
exact form is left out if it suppresses, and covers more if it contradicts. Of contradicting statements Trivy
takes the last and Grype the first, by name, time and position, so withdrawn statements are left out, too.
"""

from __future__ import annotations

import itertools
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


class Export:
    """The statements indexed by possible products, so that each image is compared with few of them."""

    def __init__(self, statements: Statements) -> None:
        self._ranked = [*statements.oldest_first()]
        self._rank_at = {position: rank for rank, (position, _) in enumerate(self._ranked)}
        self._ranks_by_image: dict[str, list[int]] = defaultdict(list)
        """Repository or digest → ranks of the statements with such a product."""
        self._contrary: dict[str, list[int]] = defaultdict(list)
        """Key of an id → ranks of statements about a package that do not suppress."""
        self._meant: dict[int, list[_Meant]] = {}
        """Rank → products, filled on demand: few statements of a vendor's feed match an image."""
        for rank, (_, statement) in enumerate(self._ranked):
            meanings = [product_meaning(product.component) for product in statement.products]
            known = [meaning for meaning in meanings if isinstance(meaning, ProductMeaning)]
            for key in sorted({key for meaning in known for key in _keys(meaning)}):
                self._ranks_by_image[key].append(rank)
            if not statement.suppresses and any(not meaning.images for meaning in known):
                for key in dict.fromkeys(statement.keys):
                    self._contrary[key].append(rank)

    def statements_on(
        self, image: Image, matched: Collection[int], related: Collection[frozenset[str]]
    ) -> Iterator[StatementOnReleases]:
        """The statements about the releases with a digest.

        `matched` are the positions of the statements that match a finding in the image; statements about a
        package in any image are published only if they are among these. `related` are keys of the ids of one
        finding in the image.
        """
        releases = _ImageDigests(image)
        named = {rank for key in releases.keys for rank in self._ranks_by_image.get(key, ())}
        matching = {self._rank_at[position] for position in matched}
        statements = [
            self._on(releases, rank, packages=rank in matching) for rank in sorted(named | matching)
        ]
        published = [each for each in statements if each.products]
        # A statement about a package without a match is not published, and neither are those that it
        # contradicts.
        keys = {key for each in published if each.statement.suppresses for key in each.statement.keys}
        ranks = {rank for key in _with_related(keys, related) for rank in self._contrary.get(key, ())}
        silent = [self._on(releases, rank, packages=True) for rank in sorted(ranks - matching)]
        return standing(published, silent, related)

    def _on(self, releases: _ImageDigests, rank: int, *, packages: bool) -> StatementOnReleases:
        """The statement for these releases; `packages` includes products that are packages."""
        _, statement = self._ranked[rank]
        if rank not in self._meant:
            self._meant[rank] = [*_meant(statement)]
        meant = [product for product in self._meant[rank] if packages or product.images]
        products = dict.fromkeys(
            Exact(releases.purl(digest, product.platform), product.parts)
            for digest in releases.digests
            for product in meant
            if releases.hold(digest, product.images, suppresses=statement.suppresses)
            and not (statement.suppresses and releases.have_unnamed(digest, product.packages))
        )
        return StatementOnReleases(rank, statement, tuple(products))


class _ImageDigests:
    """The releases of an image by their digests."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._repository = Reference.parse(image.entry.image).repository
        repository, self._name = _repository(image.entry.image)
        self._location = quote(repository, safe="")
        self.digests: dict[str, list[VersionEntry]] = {}
        for version in image.entry.versions:
            for digest in version.digests:
                self.digests.setdefault(digest, []).append(version)
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
            for version in self.digests[digest]
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


def _keys(meaning: ProductMeaning) -> Iterator[str]:
    """Repository or digests of the image; none if the product is a package in any image."""
    for pattern in meaning.images[:1]:
        yield from pattern.digests or (pattern.repository,)


def standing(
    statements: Sequence[StatementOnReleases],
    unpublished: Iterable[StatementOnReleases] = (),
    related: Collection[frozenset[str]] = (),
) -> Iterator[StatementOnReleases]:
    """The statements, without products that a later statement contradicts, published or not.

    A statement that does not suppress is left out for products that a later one suppresses as a whole: a
    reader that gives it the time of the published document would take it for the newest.
    """
    contrary: dict[str, list[StatementOnReleases]] = defaultdict(list)
    for each in (*statements, *unpublished):
        if not each.statement.suppresses:
            for key in dict.fromkeys(each.statement.keys):
                contrary[key].append(each)
    suppressed: dict[tuple[str, Exact], int] = {}
    """Key of an id and product → rank of the newest statement that suppresses it."""
    still: list[StatementOnReleases] = []
    for each in statements:
        products = each.products
        if each.statement.suppresses:
            later = [
                product
                for key in _with_related({*each.statement.keys}, related)
                for other in contrary.get(key, ())
                if other.rank > each.rank
                for product in other.products
            ]
            products = tuple(product for product in products if not any(_meet(product, p) for p in later))
            suppressed |= {(key, product): each.rank for key in each.statement.keys for product in products}
        still.append(each._replace(products=products))
    for each in still:
        products = each.products
        if not each.statement.suppresses:
            products = tuple(
                product
                for product in products
                if any(
                    each.rank
                    > max(suppressed.get((key, whole), -1) for whole in (product, Exact(product.purl, ())))
                    for key in each.statement.keys
                )
            )
        if products:
            yield each._replace(products=products)


def _with_related(keys: set[str], related: Iterable[frozenset[str]]) -> set[str]:
    return keys.union(*(others for others in related if not keys.isdisjoint(others)))


def _meet(first: Exact, second: Exact) -> bool:
    """Whether both may match the same."""
    if not _compatible(first.purl, second.purl):
        return False
    parts = itertools.product(first.parts, second.parts)
    return not (first.parts and second.parts) or any(_compatible(*pair) for pair in parts)


def _compatible(first: str, second: str) -> bool:
    purl, other = Purl.parse(first), Purl.parse(second)
    if purl is None or other is None:
        return first == second or purl is not other  # a plain name may be that of any package URL
    known = dict(other.qualifiers)
    return (
        purl[:3] == other[:3]
        and (purl.version == other.version or not (purl.version and other.version))
        and all(known.get(key, value) == value for key, value in purl.qualifiers)
    )


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
