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

from .join import Image
from .models import VersionEntry
from .names import Reference
from .purl import Purl
from .statements import Statement
from .vex_exact import Meant, meanings
from .vex_matching import Statements
from .vex_products import ProductMeaning, product_meaning
from .vex_subject import ImagePattern, Subject

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


class Export:
    """The statements by what they may be on, so that an image is held against few of them."""

    def __init__(self, statements: Statements) -> None:
        self._ranked = [*statements.oldest_first()]
        self._rank_at = {position: rank for rank, (position, _) in enumerate(self._ranked)}
        self._ranks_by_image: dict[str, list[int]] = defaultdict(list)
        """Repository or digest → ranks of the statements with a product there."""
        self._contrary: dict[str, list[int]] = defaultdict(list)
        """Id → ranks of the statements that do not suppress and have a product that is a package."""
        self._meant: dict[int, list[Meant]] = {}
        for rank, (_, statement) in enumerate(self._ranked):
            products = [product_meaning(product.component) for product in statement.products]
            known = [meaning for meaning in products if isinstance(meaning, ProductMeaning)]
            for key in sorted({key for meaning in known for key in _keys(meaning)}):
                self._ranks_by_image[key].append(rank)
            if not statement.suppresses and any(not meaning.images for meaning in known):
                for id_ in statement.ids:
                    self._contrary[id_].append(rank)

    def statements_on(
        self, image: Image, matched: Collection[int], related: Collection[frozenset[str]]
    ) -> Iterator[StatementOnReleases]:
        """What is said of the releases that have a digest.

        `matched` are the positions of the statements that speak of a finding in the image: of those on a
        package wherever it is, only these are told. `related` are ids of one finding in the image.
        """
        releases = _Releases(image)
        named = {rank for key in releases.keys for rank in self._ranks_by_image.get(key, ())}
        speaking = {self._rank_at[position] for position in matched}
        told = [
            statement
            for rank in sorted(named | speaking)
            if (statement := self._on(releases, rank, packages=rank in speaking)).products
        ]
        # A statement on a package that matches nothing here is not told, but what it contradicts is not told
        # either.
        ids = {id_ for each in told if each.statement.suppresses for id_ in each.statement.ids}
        ids = ids.union(*(names for names in related if not ids.isdisjoint(names)))
        silent = {rank for id_ in ids for rank in self._contrary.get(id_, ())} - speaking
        untold = [self._on(releases, rank, packages=True) for rank in sorted(silent)]
        return standing(told, untold, related)

    def _on(self, releases: _Releases, rank: int, *, packages: bool) -> StatementOnReleases:
        """The statement on these releases; `packages` says whether products that are packages count."""
        _, statement = self._ranked[rank]
        if rank not in self._meant:
            self._meant[rank] = [*meanings(statement)]
        meant = [product for product in self._meant[rank] if packages or product.images]
        products = dict.fromkeys(
            Exact(releases.purl(digest, product.platform), product.parts)
            for digest in releases.digests
            for product in meant
            if releases.hold(digest, product.images, suppresses=statement.suppresses)
        )
        return StatementOnReleases(rank, statement, tuple(products))


class _Releases:
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


def _keys(meaning: ProductMeaning) -> Iterator[str]:
    """Repository or digests of the image; none when the product is a package wherever it is."""
    for pattern in meaning.images[:1]:
        yield from pattern.digests or (pattern.repository,)


def standing(
    said: Sequence[StatementOnReleases],
    untold: Iterable[StatementOnReleases] = (),
    related: Collection[frozenset[str]] = (),
) -> Iterator[StatementOnReleases]:
    """What no later statement, told or `untold`, contradicts: what suppresses keeps the products left."""
    contrary: dict[str, list[StatementOnReleases]] = defaultdict(list)
    for one in (*said, *untold):
        if not one.statement.suppresses:
            for id_ in one.statement.ids:
                contrary[id_].append(one)
    for one in said:
        if one.statement.suppresses:
            ids = {*one.statement.ids}
            later = [
                product
                for id_ in ids.union(*(names for names in related if not ids.isdisjoint(names)))
                for other in contrary.get(id_, ())
                if other.rank > one.rank
                for product in other.products
            ]
            left = [product for product in one.products if not any(_meet(product, other) for other in later)]
            one = one._replace(products=tuple(left))
        if one.products:
            yield one


def _meet(first: Exact, second: Exact) -> bool:
    """Whether something may be meant by both."""
    if not _compatible(first.purl, second.purl):
        return False
    parts = itertools.product(first.parts, second.parts)
    return not (first.parts and second.parts) or any(_compatible(*pair) for pair in parts)


def _compatible(first: str, second: str) -> bool:
    one, other = Purl.parse(first), Purl.parse(second)
    if one is None or other is None:
        return first == second or one is not other  # a plain name may be that of any package URL
    known = dict(other.qualifiers)
    return (
        one[:3] == other[:3]
        and (one.version == other.version or not (one.version and other.version))
        and all(known.get(key, value) == value for key, value in one.qualifiers)
    )


def _repository(image: str) -> tuple[str, str]:
    """Repository and name as scanners have them, who call Docker Hub by the name of its server."""
    repository = Reference.parse(image).repository
    if repository.startswith(_HUB):
        repository = f"index.{repository}"
    return repository, repository.rpartition("/")[2].lower()
