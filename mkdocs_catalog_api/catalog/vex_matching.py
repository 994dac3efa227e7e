"""The rows of a scanned image that OpenVEX statements suppress."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from ..problems import RefusedError
from .ids import id_key
from .package_urls import Package, Purl
from .scans import Finding
from .statements import (
    PartMeaning,
    Product,
    ProductMeaning,
    Statement,
    Subject,
    part_meaning,
    product_meaning,
)
from .vulnerabilities import Suppressed, Vulnerability

_NEWEST = "~"
"""Sorts after every time."""
_NONE = -2
"""The rank for no statement."""
_BY_SCANNER = -1
"""The rank of findings ignored by the scanner itself."""
_Key = str | Package
"""Repository or digest of an image, or a package."""


class Claim(NamedTuple):
    """The claim of a statement about one product, or about one part of it."""

    product: ProductMeaning
    part: PartMeaning | None
    suppresses: bool

    def holds(self, finding: Finding, package: Purl | None, image: Subject) -> bool:
        """Whether it matches the finding in this image; `package` is the finding's package URL."""
        return (
            all(pattern.holds(image) for pattern in self.product.images)
            and all(package is not None and purl.covers(package) for purl in self.product.packages)
            and (self.part is None or self.part.holds(finding, package))
        )


_Claims = dict[_Key, dict[Claim, list[int]]]
"""Of a product → its claims → ranks of the statements with that claim, ascending.

Equal claims of several statements are one, so that a finding is compared with each claim once.
"""


class Applied(Struct, frozen=True):
    """Rows after the statements have been applied, each list in the order of the rows."""

    open: list[Vulnerability]
    suppressed: list[Suppressed] = []
    by: list[Statement | None] = []
    """The statement that suppressed each of these; None for a rule in the scanner's report."""
    matched: set[int] = set()
    """Ranks of the statements that match any finding, also of those that suppress none."""
    contested: set[tuple[int, int]] = set()
    """Ranks of a statement that would suppress a finding, and of the one that keeps it although it may be
    older."""


class Statements:
    """The statements of all documents, the oldest first, found by the ids of a vulnerability.

    A statement is identified by its rank: its position among all. The newest decides. Of equally old ones,
    and if a time is missing, that is one that does not suppress.
    """

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._all = sorted(statements, key=_age)
        self._ranks_by_id: dict[str, list[int]] = defaultdict(list)
        for rank, statement in enumerate(self._all):
            for key in dict.fromkeys(statement.keys):
                self._ranks_by_id[key].append(rank)
        self._claims_by_id: dict[str, _Claims] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statements) and self._all == other._all

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._all)

    def __getitem__(self, rank: int) -> Statement:
        return self._all[rank]

    def concerns(self, findings: Iterable[Finding]) -> bool:
        """Whether any statement is about one of these vulnerabilities, in any product."""
        known = self._ranks_by_id
        return any(
            id_key(finding.id) in known or any(id_key(alias) in known for alias in finding.aliases)
            for finding in findings
        )

    def apply(
        self, rows: Iterable[tuple[Vulnerability, Sequence[Finding]]], subjects: Sequence[Subject]
    ) -> Applied:
        """Suppress the rows whose findings are all covered by a statement or ignored by their scanner.

        `subjects[finding.scan]` is the image of the finding. A suppressed row shows the newest of the
        statements that decided.
        """
        applied = Applied([])
        for row, findings in rows:
            ranks = [self._cover(finding, subjects[finding.scan], applied) for finding in findings]
            if min(ranks, default=_NONE) == _NONE:
                applied.open.append(row)
            elif (newest := max(ranks)) == _BY_SCANNER:
                applied.suppressed.append(_set_aside(row, findings))
                applied.by.append(None)
            else:
                applied.suppressed.append(_suppressed(row, self[newest]))
                applied.by.append(self[newest])
        return applied

    def _cover(self, finding: Finding, image: Subject, applied: Applied) -> int:
        """Rank of the reason that suppresses the finding. A statement that does not suppress takes precedence
        over the scanner's own rules, which have no time.
        """
        rank = self._decision(finding, image, applied)
        if rank != _NONE or finding.set_aside is None:
            return rank
        keys = dict.fromkeys(map(id_key, (finding.id, *finding.aliases)))
        known = [key for key in keys if key in self._ranks_by_id]
        newest = self._newest(finding, image, known, applied)
        contradicted = any(self._deciding(ranks, applied) == _NONE for ranks in newest.values() if ranks)
        return _NONE if contradicted else _BY_SCANNER

    def _decision(self, finding: Finding, image: Subject, applied: Applied) -> int:
        """Rank of the newest statement that covers the finding, `_NONE` when it is not covered.

        A finding with several CVEs is covered if for each of them the newest statement about it or about the
        finding's own id suppresses. Its other aliases may mean only one of the CVEs, so a statement about
        them never suppresses, but may contradict.
        """
        own_key, *other_keys = keys = [*dict.fromkeys(map(id_key, (finding.id, *finding.aliases)))]
        known = [key for key in keys if key in self._ranks_by_id]
        if not known:
            return _NONE
        ranks = self._newest(finding, image, known, applied)
        cves = [key for key in keys if key.startswith("cve-")]
        if len(cves) < 2:
            return self._deciding([rank for newest in ranks.values() for rank in newest], applied)
        unclear = [rank for key in other_keys if key not in cves for rank in ranks.get(key, ())]
        own = [*ranks.get(own_key, ()), *(rank for rank in unclear if not self[rank].suppresses)]
        decided = [self._deciding([*own, *ranks.get(cve, ())], applied) for cve in cves]
        return _NONE if _NONE in decided else max(decided)

    def _newest(
        self, finding: Finding, image: Subject, ids: Iterable[str], applied: Applied
    ) -> dict[str, list[int]]:
        """The rank of the newest statement with each claim on the finding, by the key of its id."""
        package = Purl.parse(finding.purl)
        keys: list[_Key] = [image.repository, *image.digests, *([package.package] if package else ())]
        newest: dict[str, list[int]] = defaultdict(list)
        for id_ in ids:
            claims_by_key = self._claims(id_)
            for key in keys:
                for claim, ranks in claims_by_key.get(key, {}).items():
                    if claim.holds(finding, package, image):
                        applied.matched.update(ranks)
                        newest[id_].append(ranks[-1])
        return newest

    def _deciding(self, ranks: Sequence[int], applied: Applied) -> int:
        """The last of them; `_NONE` if it does not suppress, or without any."""
        last = max(ranks, default=_NONE)
        if last == _NONE or self[last].suppresses:
            return last
        suppressing = max((rank for rank in ranks if self[rank].suppresses), default=_NONE)
        if suppressing != _NONE and not "" < self[suppressing].timestamp < self[last].timestamp:
            applied.contested.add((suppressing, last))
        return _NONE

    def _claims(self, id_: str) -> _Claims:
        """The claims about one vulnerability, read on demand, since most are never needed."""
        if id_ not in self._claims_by_id:
            claims: _Claims = defaultdict(lambda: defaultdict(list))
            for rank in self._ranks_by_id[id_]:
                statement = self[rank]
                for claim in {each for product in statement.products for each in _claims(product, statement)}:
                    for key in claim.product.keys or (claim.product.packages[0].package,):
                        claims[key][claim].append(rank)
            self._claims_by_id[id_] = claims
        return self._claims_by_id[id_]


def _claims(product: Product, statement: Statement) -> Iterator[Claim]:
    """Yield what a statement claims of a product: nothing if the product, or the part, is not understood."""
    meaning = product_meaning(product.component)
    if isinstance(meaning, RefusedError):
        return
    if not product.parts:
        yield Claim(meaning, None, statement.suppresses)
    for part in map(part_meaning, product.parts):
        if isinstance(part, PartMeaning):
            yield Claim(meaning, part, statement.suppresses)


def _age(statement: Statement) -> tuple[str, bool, str, str, str, int]:
    time = statement.timestamp or ("" if statement.suppresses else _NEWEST)
    shown = statement.document, statement.status, statement.justification
    return time, not statement.suppresses, *shown, statement.index


def _set_aside(row: Vulnerability, findings: Sequence[Finding]) -> Suppressed:
    """The weakest of the reasons of a row's findings: `ignored`, then by code point."""
    reasons = [finding.set_aside for finding in findings if finding.set_aside]
    return Suppressed(**asdict(row), **min(reasons, key=lambda by: (by.status != "ignored", by))._asdict())


def _suppressed(row: Vulnerability, by: Statement) -> Suppressed:
    status: Literal["fixed", "not_affected"] = "fixed" if by.status == "fixed" else "not_affected"
    return Suppressed(**asdict(row), status=status, justification=by.justification, statement=by.document)
