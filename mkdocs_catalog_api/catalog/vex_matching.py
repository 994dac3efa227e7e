"""Which rows of a scanned image the statements of the OpenVEX documents take out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from msgspec.structs import asdict

from .purl import Purl
from .scans import Finding
from .statements import Statement
from .vex_index import Claim, Index, Key, index, keys
from .vex_subject import Subject
from .vulnerabilities import Suppressed, Vulnerability

__all__ = ["Applied", "Statements", "Subject"]

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_NONE = -1
"""The rank of no statement."""


class Applied(NamedTuple):
    """Rows after the statements have been applied, each list in the order of the rows."""

    open: list[Vulnerability]
    suppressed: list[Suppressed]
    matched: set[int]
    """Positions of the statements that speak of any finding, also of those that take nothing out."""
    related: set[frozenset[str]]
    """Ids of one finding, where statements are on several of them."""


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
        self._indexes: dict[str, Index] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._all)

    def concerns(self, findings: Iterable[Finding]) -> bool:
        """Whether any statement is on one of these vulnerabilities, in whatever product."""
        known = self._ranks_by_id
        return any(one.id in known or not known.keys().isdisjoint(one.aliases) for one in findings)

    def oldest_first(self) -> Iterator[tuple[int, Statement]]:
        """Every statement with its position: where two speak of the same, the last one counts."""
        return ((position, self._all[position]) for position in self._positions)

    def apply(
        self, rows: Iterable[tuple[Vulnerability, Sequence[Finding]]], subjects: Sequence[Subject]
    ) -> Applied:
        """Take out the rows of which every finding is covered by a statement.

        `subjects[finding.scan]` is what the finding was found in. A suppressed row shows the newest of the
        statements that decided.
        """
        applied = Applied([], [], set(), set())
        matcher = _Matcher(subjects)
        for row, findings in rows:
            decided = [self._decision(finding, matcher) for finding in findings]
            if min(decided, default=_NONE) == _NONE:
                applied.open.append(row)
            else:
                applied.suppressed.append(_suppressed(row, self._at(max(decided))))
        applied.matched.update(self._positions[rank] for rank in matcher.matched())
        applied.related.update(matcher.related)
        return applied

    def _at(self, rank: int) -> Statement:
        return self._all[self._positions[rank]]

    def _decision(self, finding: Finding, matcher: _Matcher) -> int:
        """Rank of the newest statement that covers the finding, `_NONE` when it is not covered.

        A finding that stands for several CVEs is covered when for each of them the newest statement, on it
        or on the finding's own id, suppresses. Its other aliases may mean one of the CVEs alone, so what is
        said on them never suppresses, but may contradict.
        """
        names = (finding.id, *finding.aliases)
        known = {name: self._index(name) for name in names if name in self._ranks_by_id}
        if not known:
            return _NONE
        if len(known) > 1:
            matcher.related.add(frozenset(known))
        said = matcher.newest(finding, known)
        cves = [name for name in names if name.startswith("CVE-")]
        if len(cves) < 2:
            return self._deciding(rank for ranks in said.values() for rank in ranks)
        unclear = [rank for name in finding.aliases if name not in cves for rank in said.get(name, ())]
        own = [*said.get(finding.id, ()), *(rank for rank in unclear if not self._at(rank).suppresses)]
        decided = [self._deciding([*own, *said.get(cve, ())]) for cve in cves]
        return _NONE if _NONE in decided else max(decided)

    def _deciding(self, ranks: Iterable[int]) -> int:
        """The last of them; `_NONE` when it does not suppress or there is none."""
        last = max(ranks, default=_NONE)
        return last if last != _NONE and self._at(last).suppresses else _NONE

    def _index(self, name: str) -> Index:
        """The claims on one vulnerability, taken apart at the first question for it: most are never asked."""
        if name not in self._indexes:
            self._indexes[name] = index((rank, self._at(rank)) for rank in self._ranks_by_id[name])
        return self._indexes[name]


class _Matcher:
    """What is said of findings in the same images."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._in_image: dict[tuple[int, str, Key], list[tuple[Claim, list[int]]]] = {}
        """Scan, vulnerability and key → the claims that hold in the image, whatever the package."""
        self._matched: dict[int, list[int]] = {}
        self.related: set[frozenset[str]] = set()
        """See `Applied`."""

    def newest(self, finding: Finding, known: dict[str, Index]) -> dict[str, list[int]]:
        """Of each claim on the finding the newest statement, by the name of the vulnerability."""
        image, package = self._subjects[finding.scan], Purl.parse(finding.purl)
        places = keys(finding, package, image)
        said: dict[str, list[int]] = defaultdict(list)
        for name, claims in known.items():
            for key in places:
                if key not in claims:
                    continue
                at = finding.scan, name, key
                if at not in self._in_image:
                    holding = [item for item in claims[key].items() if item[0].product.holds_in(image)]
                    self._in_image[at] = holding
                for claim, ranks in self._in_image[at]:
                    if claim.holds(finding, package):
                        self._matched[id(ranks)] = ranks
                        said[name].append(ranks[-1])
        return said

    def matched(self) -> Iterator[int]:
        """All that spoke of a finding."""
        return (rank for ranks in self._matched.values() for rank in ranks)


def _age(statement: Statement) -> tuple[datetime, str, int, bool, str, str]:
    place = statement.document, statement.index
    time = statement.proven_time or _LONG_AGO
    return time, *place, not statement.suppresses, statement.status, statement.justification


def _suppressed(row: Vulnerability, by: Statement) -> Suppressed:
    status: Literal["fixed", "not_affected"] = "fixed" if by.status == "fixed" else "not_affected"
    return Suppressed(**asdict(row), status=status, justification=by.justification, statement=by.document)
