"""What holds for any statements and findings, against a plain reading of the rules."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.scans import Finding
from mkdocs_catalog_api.catalog.statements import Statement, Subject
from mkdocs_catalog_api.catalog.vex_matching import Applied, Statements
from mkdocs_catalog_api.catalog.vulnerabilities import deduplicate
from mkdocs_catalog_api.sources.reports.openvex import read_vex

from .report_files import DIGEST
from .sites import not_affected, openvex

WEB, OTHER = "pkg:oci/web?repository_url=ghcr.io/acme/web", "sha256:" + "b" * 64
FUTURE = "2999-01-01T00:00:00Z"
SUPPRESSING = ("not_affected", "fixed")
IMAGES = [
    Subject("ghcr.io/acme/web", frozenset({"1"}), frozenset({DIGEST}), "linux/amd64"),
    Subject("ghcr.io/acme/web", frozenset({"1"}), frozenset({OTHER}), "linux/arm64"),
    Subject("ghcr.io/acme/web", frozenset({"2"})),
]
Test = Callable[[Finding, Subject], bool]


def of_type(kind: str) -> Test:
    """The package is foo of this type, by its package URL or else by the class of result."""
    return lambda finding, _: (
        finding.pkg == "foo"
        and (finding.purl.startswith(f"pkg:{kind}/") if finding.purl else finding.ecosystem == kind)
    )


PRODUCTS: dict[str, Test] = {
    WEB: lambda finding, image: True,
    f"{WEB}&arch=amd64": lambda finding, image: image.platform == "linux/amd64",
    f"{WEB}&platform=linux/arm64": lambda finding, image: image.platform == "linux/arm64",
    f"{WEB}&colour=red": lambda finding, image: False,
    DIGEST: lambda finding, image: DIGEST in image.digests,
    f"pkg:oci/web@{OTHER}?os=linux": lambda finding, image: OTHER in image.digests,
    "ghcr.io/acme/web:2": lambda finding, image: "2" in image.tags,
    "ghcr.io/acme/other": lambda finding, image: False,
    "pkg:npm/foo": lambda finding, image: bool(finding.purl) and of_type("npm")(finding, image),
    "pkg:pypi/foo@2": lambda finding, image: finding.purl == "pkg:pypi/foo@2",
}
PARTS: dict[str, Test] = {
    "pkg:npm/foo": of_type("npm"),
    "pkg:pypi/foo": of_type("pypi"),
    "pkg:pypi/foo@2": lambda finding, image: of_type("pypi")(finding, image) and finding.installed == "2",
    "pkg:pypi/foo?os=x": lambda finding, image: False,
    "foo": lambda finding, image: finding.pkg == "foo",
    "pkg:foo": lambda finding, image: False,
}
NAMES = ("CVE-1999-0001", "CVE-1999-0002", "GHSA-a", "DSA-1")


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    pkg, installed, kind = (
        draw(st.sampled_from(choice)) for choice in (("foo", "bar"), ("1", "2"), ("npm", "pypi"))
    )
    purl = draw(st.sampled_from(["", f"pkg:{kind}/{pkg}@{installed}"]))
    ecosystem = draw(st.sampled_from(["", kind]))
    aliases, scan = tuple(sorted(names[1:])), draw(st.integers(0, len(IMAGES) - 1))
    return Finding(names[0], 1, pkg, installed, "", "", "", "", aliases, purl, ecosystem, scan)


class Said(NamedTuple):
    """A statement, and the documents' order."""

    number: int
    name: str
    products: dict[str, list[str]]
    """Product → parts."""
    status: str
    time: str

    def read(self) -> Sequence[Statement]:
        """The statement; none of one that suppresses and has a time in the future."""
        products: list[dict[str, Any]] = [
            {"@id": product, "subcomponents": parts} for product, parts in self.products.items()
        ]
        change = {"vulnerability": self.name, "products": products, "status": self.status}
        statement = not_affected("") | change | {"timestamp": self.time}
        return read_vex(json.dumps(openvex(statement, **{"@id": self.id})).encode()).statements

    @property
    def id(self) -> str:
        return f"document-{self.number:03}"

    @property
    def age(self) -> tuple[str, bool, int]:
        return self.time, self.status not in SUPPRESSING, self.number

    def speaks_of(self, finding: Finding) -> bool:
        image, counts = IMAGES[finding.scan], self.time != FUTURE or self.status not in SUPPRESSING
        return counts and any(
            PRODUCTS[product](finding, image)
            and (not parts or any(PARTS[part](finding, image) for part in parts))
            for product, parts in self.products.items()
        )


parts = st.lists(st.sampled_from(list(PARTS)), max_size=2)
products = st.dictionaries(st.sampled_from(list(PRODUCTS)), parts, min_size=1, max_size=2)
statements = st.builds(
    Said,
    number=st.integers(0, 999),
    name=st.sampled_from(NAMES),
    products=products,
    status=st.sampled_from([*SUPPRESSING, "affected", "not_affected"]),
    time=st.sampled_from(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", FUTURE]),
)
many_said = st.lists(statements, max_size=8, unique_by=lambda said: said.number)
many_found = st.lists(findings(), min_size=1, max_size=6)


def deciding(finding: Finding, said: Sequence[Said]) -> list[Said]:
    """Those that cover the finding, none when it is not covered."""

    def newest(names: set[str], against: set[str] = frozenset()) -> Said | None:  # type: ignore[assignment]
        speaking = [
            one
            for one in said
            if one.speaks_of(finding)
            and (one.name in names or (one.name in against and one.status not in SUPPRESSING))
        ]
        last = max(speaking, key=lambda one: one.age, default=None)
        return last if last and last.status in SUPPRESSING else None

    names = {finding.id, *finding.aliases}
    cves = {name for name in names if name.startswith("CVE-")}
    if len(cves) < 2:
        decided = [newest(names)]
    else:
        decided = [newest({finding.id, cve}, names - cves) for cve in sorted(cves)]
    covering = [one for one in decided if one]
    return covering if len(covering) == len(decided) else []


def apply(said: Sequence[Said], found: Sequence[Finding]) -> Applied:
    return Statements(each for one in said for each in one.read()).apply(deduplicate([*found]), IMAGES)


@given(many_said, many_found)
def test_a_row_goes_when_the_rules_read_one_by_one_say_so(said: list[Said], found: list[Finding]) -> None:
    applied = apply(said, found)
    opened, suppressed = [], []
    for row, group in deduplicate([*found]):
        decided = [deciding(finding, said) for finding in group]
        if all(decided):
            last = max((one for covering in decided for one in covering), key=lambda one: one.age)
            suppressed.append((row.id, row.pkg, row.installed, last.status, last.id))
        else:
            opened.append(row)
    assert applied.open == opened
    shown = [(row.id, row.pkg, row.installed, row.status, row.statement) for row in applied.suppressed]
    assert shown == suppressed
    kept = [one for one in said if one.read()]
    speaking = {
        position
        for position, one in enumerate(kept)
        for finding in found
        if one.name in (finding.id, *finding.aliases) and one.speaks_of(finding)
    }
    assert applied.matched == speaking


@given(many_said, many_found, st.data(), st.randoms(use_true_random=False))
def test_only_more_suppressing_statements_or_fewer_findings_take_more_out(
    said: list[Said], found: list[Finding], data: st.DataObject, chance: random.Random
) -> None:
    """In whatever order they come."""

    def some(every: list[Any]) -> list[Any]:
        return [one for one in every if data.draw(st.booleans())]

    def open_keys(applied: Applied) -> set[tuple[str, str, str]]:
        return {(row.id, row.pkg, row.installed) for row in applied.open}

    before = apply(said, found)
    chance.shuffle(said)
    chance.shuffle(found)
    after = apply(said, found)
    assert (after.open, after.suppressed) == (before.open, before.suppressed)
    contradicting = [one for one in said if one.status not in SUPPRESSING]
    suppressing = [one for one in said if one.status in SUPPRESSING]
    still_open = apply([*contradicting, *some(suppressing)], found).open
    assert all(row in still_open for row in before.open)
    assert open_keys(apply([*some(contradicting), *suppressing], found)) <= open_keys(before)
    assert open_keys(apply(said, some(found))) <= open_keys(before)
