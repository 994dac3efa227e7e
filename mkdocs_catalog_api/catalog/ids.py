"""Ids of vulnerabilities. A vulnerability is a set of ids: different databases name the same one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

CVE_ID = "CVE-[0-9]{4}-[0-9]{4,19}"
"""Pattern of a CVE id (https://github.com/CVEProject/cve-schema, version 5)."""
DATABASES = ("CVE", "GHSA", "GO", "PYSEC", "RUSTSEC", "MAL", "OSV")
"""Prefixes of the databases whose ids name single vulnerabilities. Every other id is an advisory, such as
`DSA-5514-1` or `RHSA-2024:1234`, and may stand for several."""
_CVE = re.compile("CVE-([0-9]{4})-([0-9]{4,19})")
_NAME = re.compile(f"(?:{'|'.join(DATABASES)})-.+", re.IGNORECASE | re.DOTALL)
_NO_CVE = 10**24 - 1  # sorts after every CVE, which is one number from year and number


class Identified(Protocol):
    """A finding or a row."""

    id: str

    @property
    def aliases(self) -> Sequence[str]: ...


@lru_cache(maxsize=65_536)
def is_cve(id_: str) -> bool:
    return _CVE.fullmatch(id_) is not None


@lru_cache(maxsize=65_536)
def is_name(id_: str) -> bool:
    """Whether the id is of a database that names single vulnerabilities."""
    return _NAME.fullmatch(id_) is not None


@lru_cache(maxsize=65_536)
def cve_order(id_: str) -> int:
    """A sort number from a CVE's year and number; every other id sorts after them."""
    cve = _CVE.fullmatch(id_)
    return int(cve[1]) * 10**19 + int(cve[2]) if cve else _NO_CVE


@lru_cache(maxsize=65_536)
def id_key(id_: str) -> str:
    """The id without regard to case and blanks."""
    return "".join(id_.split()).casefold()


@lru_cache(maxsize=65_536)
def usual(id_: str) -> str:
    """The id without blanks at its ends, and CVE and GHSA ids in their usual case."""
    prefix, dash, rest = id_.strip().partition("-")
    match prefix.upper():
        case "CVE":
            return f"CVE{dash}{rest}"
        case "GHSA":
            return f"GHSA{dash}{rest.lower()}"
    return id_.strip()


@lru_cache(maxsize=65_536)
def identity(printed: str, others: tuple[str, ...] = ()) -> tuple[str, tuple[str, ...]]:
    """Return the canonical id of a finding, and its other ids, sorted, all in their usual form.

    - Its set has the printed id, and every other id that is a name; an advisory that is only mentioned may
      stand for other vulnerabilities, too.
    - The canonical id is the CVE if the set has exactly one, else the printed id.
    """
    printed = usual(printed)
    ids = {printed, *filter(is_name, map(usual, others))}
    cves = [*filter(is_cve, ids)]
    canonical = cves[0] if len(cves) == 1 else printed
    return canonical, tuple(sorted(ids - {canonical}))


def stands_for_several(id_: str, aliases: Iterable[str]) -> bool:
    """Whether a canonical id with these aliases is not one vulnerability: an advisory without exactly one
    CVE, or a set with several CVEs.
    """
    return not is_name(id_) or is_cve(id_) + sum(map(is_cve, aliases)) > 1


class Identities(NamedTuple):
    """Which rows of a catalog are the same vulnerability. Each has a canonical id."""

    canonical: dict[str, str]
    """Id of rows without a CVE → canonical id of their vulnerability, where that is another id."""
    aliases: dict[str, list[str]]
    """Canonical id → its other ids, sorted; only vulnerabilities that have any."""
    claims: dict[str, list[str]]
    """Alias → canonical ids of the vulnerabilities that claim it, sorted."""

    def of(self, row: Identified) -> str:
        """Canonical id of the row's vulnerability; of an advisory or a set with several CVEs, its own id."""
        if is_cve(row.id) or stands_for_several(row.id, row.aliases):
            return row.id
        return self.canonical.get(row.id) or self._named(row.id)

    def listed_under(self, row: Identified) -> list[str]:
        """The same, and canonical ids of the vulnerabilities that a row standing for several names."""
        main = self.of(row)
        if not row.aliases or not stands_for_several(row.id, row.aliases):
            return [main]
        return [*dict.fromkeys((main, *map(self._named, row.aliases)))]

    def _named(self, id_: str) -> str:
        """Canonical id of the one vulnerability that claims the id as an alias, else the id."""
        claims = self.claims.get(id_, ())
        return claims[0] if len(claims) == 1 and not is_cve(id_) else id_


def identities(rows: Iterable[Identified]) -> Identities:
    """Unite the sets of all rows.

    - Sets with the same single CVE are one vulnerability.
    - Sets without a CVE that share an id are one. It is that of a CVE if they share an id with the sets of
      this CVE, and with those of no other; else its canonical id is the smallest that is one of a row.
    - A set with several CVEs, and an advisory without exactly one, joins nothing.
    """
    of_cve: dict[str, set[str]] = defaultdict(set)
    groups: dict[str, set[str]] = {}
    of_rows: set[str] = set()
    for id_, *aliases in {(row.id, *row.aliases) for row in rows}:
        if stands_for_several(id_, aliases):
            continue
        if is_cve(id_):
            of_cve[id_].update(aliases)
            continue
        of_rows.add(id_)
        group = {id_, *aliases}.union(*(groups[name] for name in (id_, *aliases) if name in groups))
        groups.update(dict.fromkeys(group, group))
    cves: dict[str, set[str]] = defaultdict(set)
    for cve, names in of_cve.items():
        for name in names:
            cves[name].add(cve)
    canonical: dict[str, str] = {}
    for group in {id(group): group for group in groups.values()}.values():
        shared = set[str]().union(*(cves.get(name, ()) for name in group))
        main = shared.pop() if len(shared) == 1 else min(group & of_rows)
        of_cve[main].update(group - {main})
        canonical |= {name: main for name in group & of_rows if name != main}
    claims: dict[str, list[str]] = defaultdict(list)
    for main, names in sorted(of_cve.items()):
        for name in names:
            claims[name].append(main)
    aliases_of = {main: sorted(names) for main, names in of_cve.items() if names}
    return Identities(canonical, aliases_of, dict(claims))
