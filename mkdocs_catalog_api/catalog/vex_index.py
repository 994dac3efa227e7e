"""What VEX statements claim of one vulnerability, found by what a finding and its image must have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .purl import Purl, normalised
from .scans import Finding
from .statements import Product, Statement
from .vex_products import NotUnderstood, PartMeaning, ProductMeaning, part_meaning, product_meaning
from .vex_subject import Subject

Key = tuple[str | tuple[str, ...], str | tuple[str, ...] | None]
"""Of the product: repository or digest of an image, or type, namespace, name and version of a package.
Of the part: none, a name, or of a package URL the same four or, for scans without, type, name and version."""


class Claim(NamedTuple):
    """What a statement says of one product, or of one part of it."""

    product: ProductMeaning
    part: PartMeaning | None
    suppresses: bool

    def holds(self, finding: Finding, package: Purl | None) -> bool:
        """Whether it speaks of the finding, of which `package` is the package URL, in the right image."""
        return self.product.holds_of(package) and (self.part is None or self.part.holds(finding, package))


Index = dict[Key, dict[Claim, list[int]]]
"""Key → claims → ranks of the statements that make it, ascending.

Statements that say the same are one claim, so that a finding is held against each claim once.
"""


def index(ranked: Iterable[tuple[int, Statement]]) -> Index:
    """The claims of the statements, given by ascending rank."""
    found: Index = defaultdict(lambda: defaultdict(list))
    for rank, statement in ranked:
        for claim in {claim for product in statement.products for claim in _claims(product, statement)}:
            for product in _product_keys(claim.product):
                for part in _part_keys(claim.part):
                    found[product, part][claim].append(rank)
    return found


def keys(finding: Finding, package: Purl | None, image: Subject) -> list[Key]:
    """Under which a claim on the finding may stand."""
    products: list[str | tuple[str, ...]] = [image.repository, *image.digests]
    packages: set[tuple[str, ...]]
    if package:
        packages = {package[:4], (*package[:3], "")}  # a claim without a version is on all of them
        products += packages
    else:
        name = normalised(finding.ecosystem, finding.pkg)
        packages = {(finding.ecosystem, name, version) for version in (finding.installed, "")}
    return [(product, part) for product in products for part in (None, finding.pkg, *packages)]


def _claims(product: Product, statement: Statement) -> Iterator[Claim]:
    """None of what is not understood."""
    meaning = product_meaning(product.component)
    if isinstance(meaning, NotUnderstood):
        return
    if not product.parts:
        yield Claim(meaning, None, statement.suppresses)
    for part in map(part_meaning, product.parts):
        if isinstance(part, PartMeaning):
            yield Claim(meaning, part, statement.suppresses)


def _product_keys(product: ProductMeaning) -> tuple[str | tuple[str, ...], ...]:
    if not product.images:
        return (product.packages[0][:4],)
    image = product.images[0]
    return image.digests or (image.repository,)


def _part_keys(part: PartMeaning | None) -> tuple[str | tuple[str, ...] | None, ...]:
    if part is None:
        return (None,)
    if not part.purls:
        return (part.name,)
    first = part.purls[0]
    return first[:4], *((first.type, name, first.version) for name in first.spellings)
