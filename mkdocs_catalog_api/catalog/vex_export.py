"""What others may be told about an image's releases: the author's statements, each on exact digests.

Other tools take any one of a component's identifiers where we ask for all of them, and know nothing of what
we don't understand. So what is told is never wider than what was said: what can't be said exactly is left
out when it suppresses, and said of more when it contradicts. Of statements that contradict each other Trivy
takes the last and Grype the first, by name, time and place, so what was taken back is left out, too.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from .models import VersionEntry
from .names import Reference
from .purl import Purl
from .statements import Product, Statement
from .value import Image
from .vex_matching import Statements
from .vex_products import NotUnderstood, PartMeaning, ProductMeaning, part_meaning, product_meaning
from .vex_subject import ImagePattern, Subject

_HUB = "docker.io/"
_ANY = ""
"""Stands for every image where a product is a package."""


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
        self._ranks: dict[str, list[int]] = defaultdict(list)
        for rank, (_, statement) in enumerate(self._ranked):
            for key in sorted({key for product in statement.products for key in _keys(product)}):
                self._ranks[key].append(rank)

    def statements_on(
        self, image: Image, matched: Collection[int], related: Collection[frozenset[str]]
    ) -> Iterator[StatementOnReleases]:
        """What is said of the releases that have a digest.

        `matched` are the positions of the statements that speak of a finding in the image: of those on a
        package wherever it is, only these are told. `related` are ids of one finding in the image.
        """
        entry = image.entry
        repository = Reference.parse(entry.image).repository
        labels: dict[str, list[VersionEntry]] = {}
        for version in entry.versions:
            for digest in version.digests:
                labels.setdefault(digest, []).append(version)
        keys = {repository, _ANY, *labels}
        said, untold = list[StatementOnReleases](), list[StatementOnReleases]()
        for rank in sorted({rank for key in keys for rank in self._ranks.get(key, ())}):
            position, statement = self._ranked[rank]
            exact, wide = dict[Exact, None](), dict[Exact, None]()
            for digest, versions in labels.items():
                # Other tags of a release are a promise of today; only what shows more goes by them.
                subjects = [
                    Subject(
                        repository,
                        frozenset({each.version, *(() if statement.suppresses else each.tags)}),
                        frozenset([digest]),
                    )
                    for each in versions
                ]
                for product in statement.products:
                    meaning = product_meaning(product.component)
                    if isinstance(meaning, NotUnderstood):
                        continue
                    release = _exact(product, meaning, statement.suppresses, subjects, digest, entry.image)
                    if release:
                        (exact if position in matched or meaning.images else wide)[release] = None
            if exact:
                said.append(StatementOnReleases(rank, statement, tuple(exact)))
            if wide:
                untold.append(StatementOnReleases(rank, statement, tuple(wide)))
        return standing(said, untold, related)


def _keys(product: Product) -> Iterator[str]:
    meaning = product_meaning(product.component)
    if isinstance(meaning, ProductMeaning):
        for pattern in meaning.images[:1]:
            yield from pattern.digests or (pattern.repository,)
        if not meaning.images:
            yield _ANY


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


def _exact(
    product: Product,
    meaning: ProductMeaning,
    suppresses: bool,
    subjects: Sequence[Subject],
    digest: str,
    image: str,
) -> Exact | None:
    """The product as this digest, which `subjects` have, one for each label; None if it means something
    else, or what can't be said."""
    # The platform goes into the package URL: the scan of one platform may be of a digest of several.
    images = [pattern._replace(os="", architecture="", platform="") for pattern in meaning.images]
    held = [all(pattern.holds(subject) for pattern in images) for subject in subjects]
    # What is said of one label is not said of another on the same digest, which has its own rows.
    if not (all(held) if suppresses else any(held)):
        return None
    platform = _platform(meaning.images)
    parts = _parts(product, meaning, suppresses=suppresses)
    if suppresses and (platform is None or parts is None):
        return None
    repository, name = _repository(image)
    qualifiers = "".join(f"{key}={quote(value, safe='')}&" for key, value in (platform or {}).items())
    version = quote(digest, safe="")
    purl = f"pkg:oci/{name}@{version}?{qualifiers}repository_url={quote(repository, safe='')}"
    return Exact(purl, parts or ())


def _platform(images: tuple[ImagePattern, ...]) -> dict[str, str] | None:
    """The qualifiers `arch` and `os`; None when they can't say what is meant."""
    found: dict[str, set[str]] = {"arch": set(), "os": set()}
    for pattern in images:
        system, architecture, variant, *_ = (*pattern.platform.split("/"), "", "", "")
        if variant:
            return None
        found["arch"] |= {pattern.architecture, architecture} - {""}
        found["os"] |= {pattern.os, system} - {""}
    if any(len(values) > 1 for values in found.values()):
        return None
    return {key: value for key, values in found.items() for value in values}


def _parts(product: Product, meaning: ProductMeaning, *, suppresses: bool) -> tuple[str, ...] | None:
    """The packages that are meant, none for all of the image; None when they can't be said."""
    if meaning.packages:
        if product.parts:
            return None
        one = _narrowest(meaning.packages)
        unsaid = suppresses and any(purl.subpath for purl in meaning.packages)  # others leave it aside
        return (one,) if one and not unsaid else None
    if not product.parts:
        return ()
    found: dict[str, None] = {}
    for part in product.parts:
        means = part_meaning(part)
        if not isinstance(means, PartMeaning):
            continue
        if not means.purls:
            found[means.name] = None
        elif suppresses:
            if not any(purl.subpath for purl in means.purls):  # others leave it aside
                found |= dict.fromkeys(filter(None, [_narrowest(means.purls)]))
        else:
            found |= dict.fromkeys(map(_written, means.purls))
    return tuple(found) or None


def _narrowest(purls: tuple[Purl, ...]) -> str | None:
    """The one that all others cover, None when there is none."""
    return next((_written(one) for one in purls if all(other.covers(one) for other in purls)), None)


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
