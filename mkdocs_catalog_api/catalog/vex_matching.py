"""Which rows of a scanned image the statements of the OpenVEX documents take out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec.structs import asdict

from .purl import Purl, normalised
from .scans import Finding
from .statements import Product, Statement
from .vex_products import (
    NotUnderstood,
    PartMeaning,
    ProductMeaning,
    part_meaning,
    product_meaning,
)
from .vex_subject import Subject
from .vulnerabilities import Suppressed, Vulnerability

__all__ = ["Applied", "Statements", "Subject"]

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_NONE = -1
"""The rank of no statement."""

_Key = str | tuple[str, ...] | None
"""What a subject or finding must have for a claim to hold: repository or digest of an image; name of a
package; type, namespace, name and version of a package URL; type, name and version without such a URL."""


class Applied(NamedTuple):
    """Rows after the statements have been heard, each list in the order of the rows."""

    open: list[Vulnerability]
    suppressed: list[Suppressed]
    matched: set[int]
    """Positions of the statements that speak of any finding, also of those that take nothing out."""


class _Claim(NamedTuple):
    """What a statement says of one product, or of one part of it."""

    product: ProductMeaning
    part: PartMeaning | None
    suppresses: bool

    def holds(self, finding: Finding, package: Purl | None, image: Subject) -> bool:
        return self.product.holds(package, image) and (self.part is None or self.part.holds(finding, package))


_Index = dict[tuple[_Key, _Key], dict[_Claim, list[int]]]
"""Keys of product and part → claims → ranks of the statements that make it, ascending.

Statements that say the same are one claim, so a finding is held against each claim once.
"""


class Statements:
    """The statements of all documents, found by the ids of a vulnerability.

    Inside, a statement is known by its rank: its place among all, the oldest first. The newest decides; of
    equally old ones that is the last by document id and place in it.
    """

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._all = tuple(statements)
        self._positions = sorted(range(len(self._all)), key=lambda position: _age(self._all[position]))
        self._ranks_by_id: dict[str, list[int]] = defaultdict(list)
        for rank in range(len(self._all)):
            for name in self._at(rank).ids:
                self._ranks_by_id[name].append(rank)
        self._indexes: dict[str, _Index] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._all)

    def concerns(self, findings: Iterable[Finding]) -> bool:
        """Whether any statement is on one of these vulnerabilities, in whatever product."""
        known = self._ranks_by_id
        return any(one.id in known or not known.keys().isdisjoint(one.aliases) for one in findings)

    def about(self, image: Subject) -> Iterator[tuple[Statement, list[Product]]]:
        """The statements that name the image, each with those of its products that do."""
        for statement in self._all:
            if products := [product for product in statement.products if _names(product, image)]:
                yield statement, products

    def apply(
        self, rows: Iterable[tuple[Vulnerability, Sequence[Finding]]], subjects: Sequence[Subject]
    ) -> Applied:
        """Take out the rows of which every finding is covered by a statement.

        `subjects[finding.scan]` is what the finding was found in. A suppressed row shows the newest of the
        statements that decided.
        """
        applied = Applied([], [], set())
        heard: dict[int, list[int]] = {}
        for row, findings in rows:
            decided = [self._decision(finding, subjects[finding.scan], heard) for finding in findings]
            if min(decided, default=_NONE) == _NONE:
                applied.open.append(row)
            else:
                applied.suppressed.append(_suppressed(row, self._at(max(decided))))
        applied.matched.update(self._positions[rank] for ranks in heard.values() for rank in ranks)
        return applied

    def _at(self, rank: int) -> Statement:
        return self._all[self._positions[rank]]

    def _decision(self, finding: Finding, image: Subject, heard: dict[int, list[int]]) -> int:
        """Rank of the newest statement that covers the finding, `_NONE` when it is not covered.

        A finding that stands for several CVEs is covered when for each of them the newest statement, on it
        or on the finding's own id, suppresses. Its other aliases may mean one of the CVEs alone, so what is
        said on them never suppresses, but may contradict.
        """
        names = (finding.id, *finding.aliases)
        known = [name for name in names if name in self._ranks_by_id]
        if not known:
            return _NONE
        said: dict[str, list[int]] = {}
        package = Purl.parse(finding.purl)
        keys = _keys(finding, package, image)
        for name in known:
            claims = list(self._claims(name, keys, finding, package, image))
            heard.update((id(ranks), ranks) for _, ranks in claims)
            said[name] = [ranks[-1] for _, ranks in claims]
        cves = [name for name in names if name.startswith("CVE-")]
        if len(cves) < 2:
            return self._newest([rank for ranks in said.values() for rank in ranks])
        unclear = [name for name in finding.aliases if name not in cves]
        against = [rank for name in unclear for rank in said.get(name, ()) if not self._at(rank).suppresses]
        own = [*said.get(finding.id, ()), *against]
        newest = [self._newest([*own, *said.get(cve, ())]) for cve in cves]
        return _NONE if _NONE in newest else max(newest)

    def _newest(self, ranks: list[int]) -> int:
        """The last of them; `_NONE` when it does not suppress or there is none."""
        last = max(ranks, default=_NONE)
        return last if last != _NONE and self._at(last).suppresses else _NONE

    def _claims(
        self,
        name: str,
        keys: Sequence[tuple[_Key, _Key]],
        finding: Finding,
        package: Purl | None,
        image: Subject,
    ) -> Iterator[tuple[_Claim, list[int]]]:
        """The claims on the vulnerability of this name that speak of the finding."""
        if name not in self._indexes:  # most are never asked for
            self._indexes[name] = self._index(name)
        index = self._indexes[name]
        for key in keys:
            for claim, ranks in index.get(key, {}).items():
                if claim.holds(finding, package, image):
                    yield claim, ranks

    def _index(self, name: str) -> _Index:
        index: _Index = defaultdict(lambda: defaultdict(list))
        for rank in self._ranks_by_id[name]:
            statement = self._at(rank)
            claims = {claim for product in statement.products for claim in _claimed(product, statement)}
            for claim in claims:
                for product_key in _product_keys(claim.product):
                    for part_key in _part_keys(claim.part):
                        index[product_key, part_key][claim].append(rank)
        return index


def _age(statement: Statement) -> tuple[datetime, str, int, bool, str, str]:
    """What in the future says it is not so is the oldest; what says it is so is believed."""
    time = statement.timestamp
    if time is None or (statement.in_future and statement.suppresses):
        time = _LONG_AGO
    place = statement.document, statement.index
    return time, *place, not statement.suppresses, statement.status, statement.justification


def _claimed(product: Product, statement: Statement) -> Iterator[_Claim]:
    """Nothing of what is not understood."""
    meaning = product_meaning(product.component)
    if isinstance(meaning, NotUnderstood):
        return
    if not product.parts:
        yield _Claim(meaning, None, statement.suppresses)
    for part in map(part_meaning, product.parts):
        if isinstance(part, PartMeaning):
            yield _Claim(meaning, part, statement.suppresses)


def _names(product: Product, image: Subject) -> bool:
    meaning = product_meaning(product.component)
    return (
        isinstance(meaning, ProductMeaning)
        and bool(meaning.images)
        and all(pattern.holds(image) for pattern in meaning.images)
    )


def _product_keys(product: ProductMeaning) -> tuple[_Key, ...]:
    if not product.images:
        return (product.packages[0][:4],)
    image = product.images[0]
    return image.digests or (image.repository,)


def _part_keys(part: PartMeaning | None) -> tuple[_Key, ...]:
    if part is None:
        return (None,)
    if not part.purls:
        return (part.name,)
    first = part.purls[0]
    return first[:4], *((first.type, name, first.version) for name in first.spellings)


def _keys(finding: Finding, package: Purl | None, image: Subject) -> list[tuple[_Key, _Key]]:
    """Under which a claim on the finding may stand; one without a version is on all of them."""
    products: list[_Key] = [image.repository, *image.digests]
    packages: list[_Key]
    if package:
        packages = list(dict.fromkeys([package[:4], (*package[:3], "")]))
        products += packages
    else:
        name = normalised(finding.ecosystem, finding.pkg)
        packages = [(finding.ecosystem, name, version) for version in {finding.installed, ""}]
    return [(product, part) for product in products for part in (None, finding.pkg, *packages)]


def _suppressed(row: Vulnerability, by: Statement) -> Suppressed:
    return Suppressed(**asdict(row), status=by.status, justification=by.justification, statement=by.document)
