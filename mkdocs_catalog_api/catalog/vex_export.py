"""What others may be told about an image's releases: the author's statements, each on exact digests.

Other tools take any one of a component's identifiers where we ask for all of them, and know nothing of what
we don't understand. So what is told is never wider than what was said: what can't be said exactly is left
out when it suppresses, and said of more when it contradicts. Of statements that contradict each other Trivy
takes the last and Grype the first, by name, time and place, so what was taken back is left out, too.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
    part_meaning,
    product_meaning,
)
from .value import Image
from .vex_matching import Statements

_HUB = "docker.io/"


class Exact(NamedTuple):
    """A release by its digest, and the packages in it that are meant; all of it when there are none."""

    purl: str
    parts: tuple[str, ...]


class StatementOnReleases(NamedTuple):
    """A statement, and the releases of one image that it is on."""

    rank: int
    """Its place among all, the oldest first: where two speak of the same, the last one counts."""
    statement: Statement
    products: tuple[Exact, ...]


def image_id(image: str) -> str:
    """Package URL of an image whatever its version, as scanners write it; `image` has no tag."""
    repository, name = _repository(image)
    return f"pkg:oci/{name}?repository_url={quote(repository, safe='')}"


class _Meant(NamedTuple):
    """What can be told of one product of a statement; nothing of it depends on the image."""

    images: tuple[ImagePattern, ...]
    """Without their platforms, none when the product is a package wherever it is."""
    platform: dict[str, str]
    parts: tuple[str, ...]


class Export:
    """The statements by what they may be on, so that an image is held against few of them."""

    def __init__(self, statements: Statements) -> None:
        self._ranked = [*statements.oldest_first()]
        self._rank_at = {position: rank for rank, (position, _) in enumerate(self._ranked)}
        self._ranks_by_image: dict[str, list[int]] = defaultdict(list)
        """Repository or digest → ranks of the statements with a product there."""
        self._contrary: dict[str, list[int]] = defaultdict(list)
        """Key of an id → ranks of the statements that do not suppress and are on a package."""
        self._meant = [[*_meant(statement)] for _, statement in self._ranked]
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
        """The statements on the releases that have a digest.

        `matched` are the positions of the statements on a finding in the image: of those on a package
        wherever it is, only these are published. `related` are keys of the ids of one finding in the image.
        """
        releases = _ImageDigests(image)
        named = {rank for key in releases.keys for rank in self._ranks_by_image.get(key, ())}
        matching = {self._rank_at[position] for position in matched}
        statements = [
            self._on(releases, rank, packages=rank in matching) for rank in sorted(named | matching)
        ]
        published = [each for each in statements if each.products]
        # A statement on a package that matches nothing here is not published, and neither are those that it
        # contradicts.
        keys = {key for each in published if each.statement.suppresses for key in each.statement.keys}
        ranks = {rank for key in _with_related(keys, related) for rank in self._contrary.get(key, ())}
        silent = [self._on(releases, rank, packages=True) for rank in sorted(ranks - matching)]
        return standing(published, silent, related)

    def _on(self, releases: _ImageDigests, rank: int, *, packages: bool) -> StatementOnReleases:
        """The statement on these releases; `packages` says whether products that are packages count."""
        _, statement = self._ranked[rank]
        meant = [product for product in self._meant[rank] if packages or product.images]
        products = dict.fromkeys(
            Exact(releases.purl(digest, product.platform), product.parts)
            for digest in releases.digests
            for product in meant
            if releases.hold(digest, product.images, suppresses=statement.suppresses)
        )
        return StatementOnReleases(rank, statement, tuple(products))


class _ImageDigests:
    """The releases of an image by their digests."""

    def __init__(self, image: Image) -> None:
        self._repository = Reference.parse(image.entry.image).repository
        repository, self._name = _repository(image.entry.image)
        self._location = quote(repository, safe="")
        self.digests: dict[str, list[VersionEntry]] = {}
        for version in image.entry.versions:
            for digest in version.digests:
                self.digests.setdefault(digest, []).append(version)
        self.keys = {self._repository, *self.digests}
        """What a product that is on one of them names."""

    def hold(self, digest: str, images: Sequence[ImagePattern], *, suppresses: bool) -> bool:
        """Whether all patterns mean the digest. What is said of one label is not said of another on the
        same digest, which has its own rows: what suppresses must mean them all."""
        if not images:
            return True
        # Other tags of a release are a promise of today; only what shows more goes by them.
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

    def purl(self, digest: str, platform: Mapping[str, str]) -> str:
        qualifiers = "".join(f"{key}={quote(value, safe='')}&" for key, value in platform.items())
        version = quote(digest, safe="")
        return f"pkg:oci/{self._name}@{version}?{qualifiers}repository_url={self._location}"


def _meant(statement: Statement) -> Iterator[_Meant]:
    """The products that can be told, and wider than they are where the statement does not suppress."""
    for product in statement.products:
        meaning = product_meaning(product.component)
        if not isinstance(meaning, ProductMeaning):
            continue
        # The platform goes into the package URL: the scan of one platform may be of a digest of several.
        images = tuple(pattern._replace(os="", architecture="", platform="") for pattern in meaning.images)
        platform = _platform(meaning.images)
        parts = _parts(product, meaning, suppresses=statement.suppresses)
        if not statement.suppresses or not (platform is None or parts is None):
            yield _Meant(images, platform or {}, parts or ())


def _keys(meaning: ProductMeaning) -> Iterator[str]:
    """Repository or digests of the image; none when the product is a package wherever it is."""
    for pattern in meaning.images[:1]:
        yield from pattern.digests or (pattern.repository,)


def standing(
    statements: Sequence[StatementOnReleases],
    unpublished: Iterable[StatementOnReleases] = (),
    related: Collection[frozenset[str]] = (),
) -> Iterator[StatementOnReleases]:
    """The statements, without the products that a later one contradicts, published or not.

    A statement that does not suppress is left out for what a later one suppresses as a whole: a reader that
    gives it the time of the published document would take it for the newest.
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
    """Whether something may be meant by both."""
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
    """The qualifiers `arch` and `os`; None when they can't say what is meant."""
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
    """The packages that are meant, none for all of the image; None when they can't be expressed."""
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
    """The one that all others cover; none when there is none, or where others ignore a path in it."""
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
    """Repository and name as scanners have them, who call Docker Hub by the name of its server."""
    repository = Reference.parse(image).repository
    if repository.startswith(_HUB):
        repository = f"index.{repository}"
    return repository, repository.rpartition("/")[2].lower()
