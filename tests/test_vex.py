"""What OpenVEX documents suppress, and their warnings: rows of tables, each on an image in one catalog."""

from __future__ import annotations

import json
import logging
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.sources.reports.openvex import read_vex

from .pages import cells, page
from .report_files import damaged
from .sites import (
    REGISTRY,
    Result,
    SiteFolder,
    built,
    digest,
    grype,
    match,
    not_affected,
    openvex,
    rendered,
    row,
    trivy,
    vex,
)

HOST, IMAGE, DIGEST, OTHER = REGISTRY.partition("/")[0], f"{REGISTRY}/web", digest("one"), digest("two")
WEB = f"pkg:oci/web?repository_url={IMAGE}"
ONE, TWO, GHSA = "CVE-2026-0001", "CVE-2026-0002", "GHSA-cfh5-3ghh-wfjx"
HEX, OTHER_HEX = DIGEST[7:], OTHER[7:]
CPE = "cpe:2.3:a:acme:web:1:*:*:*:*:*:*:*"
MARCH, FUTURE = "2026-03-01T00:00:00Z", "2999-01-01T00:00:00Z"
UNUSED = "is unknown or has a wrong type, so the statement is not used"
VERSIONS = f"[{{version: '1', tags: ['1.2'], digest: '{DIGEST}'}}]"
Json = dict[str, Any]


def found(id_: str = ONE, *related: str, pkg: str = "zlib1g", kind: str = "deb", **package: Any) -> Json:
    return match(id_, "High", *related, pkg=pkg, version="1.3", type=kind, **package)


ZLIB = found(ONE, GHSA, purl="pkg:deb/debian/zlib1g@1.3?arch=amd64&distro=debian-13")
OPENSSL = found(TWO, pkg="openssl", purl="pkg:deb/debian/openssl@1.3")


class Row(NamedTuple):
    """Statements on the image `web` with the digest `DIGEST`; each row has its own name, digests and CVEs."""

    documents: list[Json]
    shown: tuple[str, ...]
    """What is shown as suppressed."""
    warned: tuple[str, ...] = ()
    """File, field and a part of each warning."""
    findings: tuple[Json, ...] = (ZLIB, OPENSSL)
    """Of Grype, in a report by the digest."""
    platform: str = "linux/amd64"


def document(*changes: Json, **fields: Any) -> Json:
    """A document whose statements suppress ONE, but for these changes."""
    usual = not_affected(ONE, {"@id": WEB})
    return openvex(*(usual | change for change in changes), **{"@id": ""} | fields)


def outcome(change: Json, expected: bool | str, place: str, **row: Any) -> Row:
    """A row of one statement that suppresses (True) or not, with a warning if the reason is given."""
    warned = (f"a {place}{expected}",) if isinstance(expected, str) else ()
    return Row([document(change)], (ONE,) if expected is True else (), warned, **row)


ELSEWHERE = f"pkg:oci/elsewhere?repository_url={REGISTRY}/elsewhere"
PRODUCTS: dict[bool | str, list[Any]] = {
    True: [
        f"{WEB} {WEB}&tag=1 {WEB}&Tag=1.2 {WEB}&arch=amd64 {WEB}&os=linux {WEB}&platform=linux/amd64",
        f"{WEB}&tag=1&arch=amd64&os=linux pkg:oci/web?repository_url={REGISTRY}",
        f"pkg:oci/web?repository_url={IMAGE.upper().replace('WEB', 'web').replace('HARDENED', 'hardened')}/",
        f"pkg:docker/hardened/web?repository_url={HOST} pkg:docker/hardened/web@1.2?repository_url={HOST}",
        f"{IMAGE} {IMAGE}:1.2 {IMAGE}:2@{DIGEST} {DIGEST} pkg:oci/web@{DIGEST} pkg:oci/renamed@{DIGEST}",
        f"pkg:oci/web@{DIGEST}?repository_url={IMAGE} pkg:oci/web@{DIGEST}?tag=1",
        f"pkg:docker/acme/web@{DIGEST}?platform=linux/amd64",
        {"@id": f" {WEB} "},
        {"@id": WEB, "@type": "Product", "x-ticket": 1},
        {"hashes": {"sha-256": HEX}},
        {"@id": WEB, "hashes": {"sha-256": HEX.upper()}},
        {"@id": "https://acme.example/web", "hashes": {"sha-256": HEX}},
        *({"@id": name, "identifiers": {"purl": WEB}} for name in ("web", f"{IMAGE}:1")),
    ],
    False: [
        f"{WEB}&tag=2 {WEB}&tag=2&arch=amd64 {WEB}&arch=arm64 {WEB}&os=windows {WEB}&platform=linux%2Farm64",
        f"{WEB}&platform=linux/amd64/v2 pkg:docker/hardened/web@9?repository_url={HOST} {IMAGE}:2 {OTHER}",
        f"{ELSEWHERE} pkg:oci/elsewhere?repository_url=docker.io/library/elsewhere",
        f"pkg:oci/renamed@{DIGEST}?repository_url=quay.io/x/renamed quay.io/x/renamed@{DIGEST}",
        f"pkg:oci/web@{OTHER}?repository_url={IMAGE} pkg:oci/web@{DIGEST}?tag=2",
        f"pkg:docker/acme/web@{DIGEST}?platform=linux/arm64",
        {"hashes": {"sha-256": OTHER_HEX}},
        {"@id": WEB, "hashes": {"sha-256": OTHER_HEX}},
        {"@id": ELSEWHERE, "hashes": {"sha-256": HEX}},
        {"@id": f"{IMAGE}:2", "identifiers": {"purl": WEB}},
        {"@id": WEB, "identifiers": {"purl": f"pkg:oci/web@{OTHER}"}},
    ],
    # A registry is part of the name. A hint names the one that would match.
    f"it has no registry (use `repository_url={IMAGE}`)": ["pkg:oci/web pkg:oci/web?tag=1"],
    f"its repository is docker.io/acme/web (use `repository_url={IMAGE}`)": ["pkg:docker/acme/web"],
    f"its repository is docker.io/library/web (use `pkg:oci/web?repository_url={IMAGE}`)": ["web:1"],
    f"(use `repository_url={IMAGE}`)": [
        *(f"pkg:oci/web{of}?repository_url=docker.io/library/web" for of in ("", f"@{DIGEST}")),
        {"@id": "pkg:docker/web", "hashes": {"sha-256": HEX}},
    ],
    "it has no registry (add `?repository_url=REGISTRY/NAME`)": ["pkg:oci/nowhere"],
    "its hashes are not digests of an image": [
        {"@id": WEB, "hashes": hashes}
        for hashes in ({"md5": "0"}, {"sha256": HEX}, {"sha-256": HEX, "sha-512": "b"})
    ],
    "its `sha-512` is empty or not text": [{"@id": WEB, "hashes": {"sha-256": HEX, "sha-512": 5}}],
    "scans contain no hashes of packages": [{"@id": "pkg:deb/debian/zlib1g", "hashes": {"sha-256": HEX}}],
    # A qualifier that is not understood may narrow it, too.
    "the qualifier `variant` is unknown (allowed: `arch`, `os`, `platform`, ": [f"{WEB}&variant=v8"],
    "the qualifier `channel` is unknown": [f"pkg:oci/web@{DIGEST}?repository_url={IMAGE}&channel=stable"],
    "one of its qualifiers is given twice": [f"{WEB}&tag=1&tag=2"],
    "'arm64' is not a platform": [f"{WEB}&platform=arm64"],
    "a path in an image is not allowed": [f"{WEB}#usr/bin"],
    'its version "sha256:abc" is not a digest': ["pkg:oci/web@sha256:abc"],
    "is not a repository": [f"pkg:oci/web?repository_url=https://{IMAGE}"],
    "its version or a qualifier is empty": [
        f"{WEB}&tag= {WEB}&tag {WEB}&tag=# {WEB}&&tag=1 pkg:oci/web@?repository_url={IMAGE}",
        f"pkg:oci/web?tag=&repository_url={IMAGE}",
    ],
    "this is not a package URL": ["pkg:oci", {"@id": WEB, "identifiers": {"purl": IMAGE}}],
    "its `purl` is empty or not text": [
        {"@id": WEB, "identifiers": {"purl": given}} for given in ("", " ", None, [WEB])
    ],
    "identifiers of the kind `swid` are unknown": [{"@id": WEB, "identifiers": {"swid": "x"}}],
    "scans contain no CPEs": [
        *({"@id": WEB, "identifiers": cpe} for cpe in ({"cpe22": "cpe:/a:b"}, {"cpe23": "b"}, {"purl": CPE})),
        {"@id": CPE, "identifiers": {"purl": WEB}},
        {"@id": CPE, "hashes": {"sha-256": HEX}},
    ],
    "`hashes` is unknown here": [{"@id": WEB, "hashes": ["x"]}],
    "`identifiers` is unknown here": [{"@id": WEB, "identifiers": [WEB]}],
    "`@id` is unknown here": [{"@id": ""}, *({"@id": id_, "identifiers": {"purl": WEB}} for id_ in (5, ""))],
    "`subComponents` is unknown here": [{"@id": WEB, "subComponents": [{"@id": "pkg:deb/debian/a"}]}],
    "names neither an image nor a package": [
        "https://acme.example/web",
        {"supplier": "Acme"},
        {"@id": f"{REGISTRY}/Web:2", "identifiers": {"purl": WEB}},
    ],
}
"""Whether it is the image, or why it is of no effect → products, and names of products."""

NO_PURL, CORE = found(), found(pkg="core", purl="pkg:npm/%40angular/core@1.0")
GO, GO_MODULE = found(purl="pkg:golang/example.org/a@v1#cmd/b"), found(pkg="github.com/a/b", kind="go-module")
ZLIB1G = "pkg:deb/debian/zlib1g"
PARTS: list[tuple[Json, bool | str, list[Any]]] = [
    (ZLIB, True, [f"{ZLIB1G} {ZLIB1G}@1.3 PKG:DEB/debian/zlib1g@1%2E3?Arch=amd64"]),
    (ZLIB, True, [{"@id": ZLIB1G, "identifiers": {"purl": f"{ZLIB1G}@1.3"}}]),
    (ZLIB, False, [f"{ZLIB1G}?arch=arm64 {ZLIB1G}?os_name=debian {ZLIB1G}@1.2 pkg:deb/debian/zlib"]),
    (ZLIB, True, ["pkg:deb/ubuntu/zlib1g"]),
    (ZLIB, False, ["pkg:apk/debian/zlib1g"]),
    (ZLIB, False, [{"@id": ZLIB1G, "identifiers": {"purl": f"{ZLIB1G}@1.2"}}]),
    (CORE, True, ["pkg:npm/@angular/core pkg:npm/%40angular/core@1.0"]),
    (found(pkg="x", purl="pkg:pypi/flask-login@1%2Bx"), True, ["pkg:pypi/Flask_Login@1+x"]),
    (found(pkg="x", purl="pkg:pypi/a@1?b=1%2B2"), True, ["pkg:pypi/a@1?b=1+2"]),
    # A path within a package narrows it.
    (GO, True, ["pkg:golang/example.org/a@v1 pkg:golang/example.org/a@v1#cmd/b/"]),
    (GO, False, ["pkg:golang/example.org/a@v1#cmd/c"]),
    # Without a package URL in the scan, type and name must be those of the result; nothing else is known.
    (NO_PURL, True, [f"{ZLIB1G} {ZLIB1G}@1.3 zlib1g"]),
    (NO_PURL, False, [f"{ZLIB1G}@1.4 {ZLIB1G}?arch=amd64 zlib"]),
    (found(kind="npm"), False, [ZLIB1G]),
    (found(kind=""), False, [ZLIB1G]),
    (found(kind=""), True, ["zlib1g"]),
    (found(pkg="@angular/core", kind="npm"), True, ["pkg:npm/%40angular/core"]),
    (found(pkg="core", kind="npm"), False, ["pkg:npm/%40angular/core"]),
    (found(pkg="@angular/core", kind="npm"), False, ["pkg:npm/core"]),
    (found(pkg="org.apache:httpclient", kind="java-archive"), True, ["pkg:maven/org.apache/httpclient@1.3"]),
    (GO_MODULE, True, ["pkg:golang/github.com/a/b"]),
    (GO_MODULE, False, ["pkg:golang/github.com/a/b#cmd"]),
    (found(pkg="Flask_Login", kind="python"), True, ["pkg:pypi/flask-login"]),
    (ZLIB, "scans contain no CPEs", [CPE, {"@id": "zlib1g", "identifiers": {"cpe23": CPE}}]),
    (ZLIB, "its `purl` is empty or not text", [{"@id": "z", "identifiers": {"purl": p}} for p in (5, "")]),
    (ZLIB, "scans contain no hashes of packages", [{"@id": "zlib1g", "hashes": {"md5": "0"}}]),
    (ZLIB, "`@id` is unknown here", [{"@id": ""}]),
    (ZLIB, "`name` is unknown here", [{"name": "zlib1g"}]),
    (ZLIB, "this is not a package URL", ["pkg:deb"]),
    (ZLIB, "an image can't be a package in another image", [WEB]),
    (ZLIB, "it does not name a package", ["https://a.b/c urn:zlib SWID:zlib"]),
]
"""Finding, whether the parts are its package, or why they are of no effect, and the parts."""


def each(every: list[Any]) -> Iterable[Any]:
    """Its values, of text the words."""
    return (one for given in every for one in (given.split() if isinstance(given, str) else [given]))


VULNERABILITIES: dict[bool | str, list[Any]] = {
    True: [
        *(ONE, f" {ONE.lower()}", GHSA, GHSA.upper()),
        *({"name": name} for name in (ONE.lower(), "CVE-2026 -0001\n")),
        {"name": "X-1", "aliases": [ONE.lower()]},
        {"@id": f"https://nvd.nist.gov/vuln/detail/{ONE.lower()}"},
        {"name": ONE, "@id": f"https://nvd.nist.gov/vuln/detail/{ONE.lower()}"},
        {"name": ONE, "@id": "https://acme.example/advisories/1"},
        {"name": ONE, "description": 5},
    ],
    False: [{"name": "CVE-2026-00010"}],
    # Which of two CVEs is meant is not known.
    f".vulnerability: the ids are of {ONE} and {TWO}, so the statement matches nothing": [
        *(
            {"name": ONE, "@id": id_}
            for id_ in (TWO, f"https://nvd.nist.gov/vuln/detail/{TWO.lower()}", f"https://x.y/{TWO}?a")
        ),
        *({"name": TWO, "aliases": [id_]} for id_ in (ONE, f" {ONE.lower()}")),
        {"name": "X-1", "aliases": [TWO, ONE]},
    ],
    ".vulnerability: the statement has no vulnerability (add its `name`)": [{}],
    f": `nme` {UNUSED}": [{"name": ONE, "nme": "x"}],
    f": `aliases` {UNUSED}": [{"name": ONE, "aliases": "x"}],
}
"""Whether it is the finding's, or where and why the statement is left out → vulnerabilities."""

STATEMENTS: dict[bool | str, list[Json]] = {
    True: [
        {"justification": "", "impact_statement": "Not built in."},
        {"status": "fixed", "justification": ""},
        {"x-ticket": "A-1", "acme:id": 1, "_id": 2, "$schema": 3},
        {"timestamp": "", "last_updated": None},
        {"timestamp": "0001-01-01T00:00:00Z"},
        {"products": [WEB], "subcomponents": ["zlib1g"]},
    ],
    False: [
        {"status": "affected", "justification": ""},
        {"status": "under_investigation"},
        {"products": [WEB], "subcomponents": ["zlib"]},
    ],
    ".products: the statement has no product": [{"products": [], "subcomponents": [{"@id": "zlib1g"}]}],
    f": the statement on {ONE} has no reason why": [{"justification": given} for given in ("", 5)],
    '.justification: unknown justification "not_presnt"': [{"justification": "not_presnt"}],
    '.status: unknown status "ok"': [{"status": "ok"}],
    '.status: unknown status ""': [{"status": None}],
    '.status: unknown status "not-affected" (did you mean `not_affected`?)': [{"status": "not-affected"}],
    f": `impact_statement` {UNUSED}": [{"impact_statement": 5}],
    f": `subComponents` {UNUSED}": [{"subComponents": []}],
    f": `impact_statment` {UNUSED}": [{"impact_statment": "x"}],
    ": `impact_statment` is unknown or has a wrong type (use": [
        {"status": "affected", "impact_statment": "x"}
    ],
    '.timestamp: "15 Jan 2026" is not a time, so the statement is not used': [{"timestamp": "15 Jan 2026"}],
    '.timestamp: "5" is not a time, so the statement is not used': [{"timestamp": 5}],
    f".timestamp: {FUTURE} is in the future, so the statement is not used": [{"timestamp": FUTURE}],
}
"""Whether it suppresses, or where and why not → changes of a statement."""

AFFECTED = {"status": "affected"}
CONTESTED = "a statements[0]: "


def times(exception: Json, other: Json, *warned: str, wins: bool = False) -> Row:
    """An exception in one document, and a statement in another that does not suppress."""
    documents = [document(exception, timestamp=""), document(AFFECTED | other, timestamp="")]
    return Row(documents, (ONE,) if wins else (), warned)


SAME_ID = ("a @id: ",)


def editions(*given: tuple[Json, object], shown: tuple[str, ...] = (), warned: Any = SAME_ID) -> Row:
    """Two documents with one `@id`, and their versions."""
    head = {"@id": "https://example.org/web"}
    documents = [document(change, **head, version=version) for change, version in given]
    return Row(documents, shown, warned)


ON_TWO = {"vulnerability": TWO}
# The order of times is the oracle's; these are what it does not tell of.
WHEN: dict[str, Row] = {
    "of the same time": times({"timestamp": MARCH}, {"timestamp": "2026-03-01T01:00:00+01:00"}, CONTESTED),
    "a nanosecond newer": times(
        {"timestamp": "2026-03-01T00:00:00.500Z"}, {"timestamp": "2026-03-01T00:00:00,500000001Z"}),
    "a contradiction without a time": times({"timestamp": MARCH}, {}, CONTESTED),
    "an exception without a time": times({}, {"timestamp": MARCH}, CONTESTED),
    "times that Go has not set": times({"timestamp": "0001-01-01T00:00:00Z"}, {"timestamp": None}, CONTESTED),
    "a contradiction of an unreadable time": times(
        {"timestamp": MARCH}, {"timestamp": "yesterday"}, CONTESTED,
        'b statements[0].timestamp: "yesterday" is not a time, so the statement is treated as the newest'),
    "a contradiction of an unreadable update": times(
        {"timestamp": MARCH}, {"timestamp": "2026-01-01T00:00:00Z", "last_updated": 20260401}, CONTESTED,
        "b statements[0].last_updated: "),
    "a contradiction of the future": times(
        {"timestamp": MARCH}, {"last_updated": FUTURE},
        f"b statements[0].last_updated: {FUTURE} is in the future, so the statement is treated as"),
    "the document's time is unreadable": Row(
        [document({}, ON_TWO | {"timestamp": MARCH}, timestamp="last week")], (TWO,),
        ('a timestamp: "last week" is not a time, so the statement is not used',)),
    "the document is of the future": Row(
        [document({"timestamp": "0001-01-01T00:00:00Z"}, timestamp=FUTURE)], (),
        (f"a timestamp: {FUTURE} is in the future, so the statement is not used",)),
    "two contradictions of one document are one warning": Row(
        [document({}, ON_TWO), document(AFFECTED, AFFECTED | ON_TWO)], (), (CONTESTED,)),
    "one `@id` and another content": editions(({}, 2), (ON_TWO, 2)),
    "one `@id`, and a contradiction": editions(({"timestamp": MARCH}, 1), (AFFECTED | ON_TWO, 2)),
    "the same document twice": editions(({}, 2), ({}, 2), shown=(ONE,), warned=()),
    "the same in another version": editions(({}, "1"), ({}, 2), shown=(ONE,), warned=()),
}  # fmt: skip


def packages(*products: Any, shown: tuple[str, ...] = ()) -> Row:
    """One row of two findings, of npm's and PyPI's package of a name."""
    findings = [
        found(ONE, alias, pkg="lib", purl=f"pkg:{kind}/lib@1.3", locations=[{"path": f"/{kind}"}])
        for kind, alias in (("npm", "GHSA-aaaa-aaaa-aaaa"), ("pypi", "GHSA-bbbb-bbbb-bbbb"))
    ]
    return Row([document({"products": [*products]})], shown, findings=(*findings,))


FINDINGS: dict[str, Row] = {
    "several CVEs: one statement on each": Row(
        [document({"vulnerability": ONE}, {"vulnerability": TWO})], ("DSA-1",),
        findings=(found("DSA-1", ONE, TWO, GHSA),)),
    "an id of Amazon in another case": Row(
        [document({"vulnerability": "alas2-2026-1"})], ("ALAS2-2026-1",), findings=(found("ALAS2-2026-1"),)),
    "one of two packages of a name": packages("pkg:npm/lib", shown=(ONE,)),
    "both packages of a name": packages(
        {"@id": WEB, "subcomponents": [{"@id": "pkg:npm/lib"}, {"@id": "pkg:pypi/lib"}]}, shown=(ONE, ONE)),
    "a package without a package URL has that of its type": Row(
        [document({"products": ["pkg:deb/debian/zlib1g"]})], (ONE,), findings=(NO_PURL,)),
    "an unknown platform": Row(
        [document({"products": [f"{WEB}&platform=linux/amd64", f"{WEB}&arch=amd64&os=linux"]})], (),
        findings=(NO_PURL,), platform=""),
    "every arm64 is a v8": Row(
        [document({"products": [f"{WEB}&platform=linux/arm64"]})], (ONE,),
        findings=(NO_PURL,), platform="linux/arm64/v8"),
}  # fmt: skip


TABLES: dict[str, dict[str, Row]] = {
    "products": {
        f"{product}": outcome({"products": [product]}, expected, "statements[0].products[0]: ")
        for expected, every in PRODUCTS.items()
        for product in each(every)
    },
    "parts": {
        f"{part} {finding}": outcome(
            {"products": [{"@id": WEB, "subcomponents": [{"@id": "pkg:x/y"}, part]}]}, expected,
            "statements[0].products[0].subcomponents[1]: ", findings=(finding,))
        for finding, expected, every in PARTS
        for part in each(every)
    },
    "vulnerabilities": {
        f"{given}": outcome({"vulnerability": given}, expected, "statements[0]")
        for expected, every in VULNERABILITIES.items()
        for given in every
    },
    "statements": {
        f"{change}": outcome(change, expected, "statements[0]")
        for expected, every in STATEMENTS.items()
        for change in every
    },
    "when": WHEN,
    "findings": FINDINGS,
}  # fmt: skip
NAMED = {
    (table, name): f"w{number:03}"
    for number, (table, name) in enumerate((t, n) for t in TABLES for n in TABLES[t])
}
"""Table and name of a row → its image."""


def of_its_own(value: object, slug: str) -> Any:
    """The value of a row, with its own name, digests and CVEs."""
    text = re.sub(r"\bweb\b", slug, json.dumps(value))
    text = re.sub("-000(?=[0-9])", f"-{int(slug[1:]) + 1000}", text)
    for seed in ("one", "two"):
        old, new = digest(seed)[7:], digest(f"{slug} {seed}")[7:]
        text = text.replace(old, new).replace(old.upper(), new.upper())
    return json.loads(text)


def prepared(folder: Path) -> SiteFolder:
    """All rows, without their documents; what they state is published."""
    site = SiteFolder(folder)
    site.settings["security"] = {"publish_vex": True}
    for (table, name), slug in NAMED.items():
        row = TABLES[table][name]
        system, _, architecture = row.platform.partition("/")
        names: Json = {"repoDigests": [f"{IMAGE}@{DIGEST}"], "os": system, "architecture": architecture}
        site.image(slug, f"versions: {of_its_own(VERSIONS, slug)}")
        site.report(f"{slug}/1.json", of_its_own(grype(*row.findings, **names), slug))
    return site


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Result:
    site = prepared(tmp_path_factory.mktemp("vex"))
    for (table, name), slug in NAMED.items():
        for letter, written in zip("ab", TABLES[table][name].documents, strict=False):
            site.write(f"vex/{slug}/{letter}.json", json.dumps(of_its_own(written, slug)))
    return built(site)


def warnings(catalog: Result) -> dict[str, list[str]]:
    """Image → file, field and text of its warnings."""
    told = defaultdict[str, list[str]](list)
    for text in catalog.logged():
        if place := re.match(r"vex/(w\d+)/(\w)\.json: ", text):
            told[place[1]].append(f"{place[2]} {text[place.end() :]}")
    return told


def seen(catalog: Result, slug: str) -> tuple[str, ...]:
    """The ids that are shown as suppressed, everywhere the same."""
    record = catalog.json(f"security/{slug}.json")["latest"]
    for name, number in (("cves", "releases"), ("suppressions", "suppressed")):
        entries = {entry["id"]: entry[number] for entry in catalog.at("cves/index")}
        assert all(entries[each["id"]] for each in record[name])
    return tuple(each["id"] for each in record["suppressions"])


@pytest.mark.parametrize("table", TABLES)
def test_what_is_suppressed_and_told(catalog: Result, table: str) -> None:
    told, got, wanted = warnings(catalog), {}, {}
    for name, line in TABLES[table].items():
        slug = NAMED[table, name]
        shown, expected = of_its_own(line.shown, slug), of_its_own(line.warned, slug)
        wanted[name] = (*shown,), expected
        got[name] = seen(catalog, slug), [_expected(text, expected) for text in told[slug]]
    assert got == wanted


def _expected(text: str, expected: Iterable[str]) -> str:
    """The expected warning with the place of this one and a part of its message, else the warning itself."""
    for each in expected:
        place, _, part = each.partition(": ")
        if text.startswith(f"{place}: ") and part in text:
            return each
    return text


def test_published_statements_suppress_no_more_than_the_catalog_shows(
    catalog: Result, tmp_path: Path
) -> None:
    """Read again as the only ones."""
    site = prepared(tmp_path)
    shutil.copytree(catalog.api / "vex", tmp_path / "vex", ignore=shutil.ignore_patterns("*.gz"))
    again = site.build()
    for (table, _), slug in NAMED.items():
        before, after = seen(catalog, slug), seen(again, slug)
        assert {*after} <= {*before}, slug
        assert after == before or table not in ("vulnerabilities", "statements"), slug


@pytest.fixture
def nginx(site: SiteFolder) -> SiteFolder:
    """An image with one scanned release and two findings."""
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    site.report("nginx/1.27.3.json", trivy([row(ONE), row(TWO)], digest=f"{REGISTRY}/nginx@{digest(1)}"))
    return site


def test_the_page_shows_since_when_a_statement_holds(nginx: SiteFolder) -> None:
    """That of the statement, else of its document."""
    vex(nginx, {"timestamp": "2026-03-05T08:00:00Z"}, {"vulnerability": {"name": TWO}})
    main = page(rendered(nginx), "images/nginx/index.html")
    (table,) = main.xpath("//table[.//th[normalize-space()='Since']]")
    assert [line[5] for line in cells(table)] == ["2026-03-05", "2026-01-01"]


def test_the_same_bytes_without_a_document_that_applies(nginx: SiteFolder) -> None:
    plain = built(nginx).bytes()
    vex(nginx, {"vulnerability": "CVE-1999-0001"}, {"products": ["pkg:oci/other?repository_url=x.io/other"]})
    result = built(nginx)
    assert result.bytes() == plain
    assert any("2 of 2 VEX statements match no finding" in text for text in result.logged(logging.INFO))


NARROWED = "pkg:deb/debian/openssl?os_name=debian&os_version=12"
IDLE: dict[str, Json] = {
    "no scan has found CVE-1999-0001": {"vulnerability": "CVE-1999-0001"},
    f"in {REGISTRY}/nginx, which is not the product 'x.io/other'": {"products": ["x.io/other"]},
    "found in the package pkg:deb/debian/openssl@3, not in zlib": {
        "products": [{"@id": f"{REGISTRY}/nginx", "subcomponents": ["zlib"]}]},
    "the scanner does not report `os_name` as the statement does": {
        "products": [{"@id": f"{REGISTRY}/nginx", "subcomponents": [NARROWED]}]},
}  # fmt: skip


@pytest.mark.parametrize("why", IDLE)
def test_a_note_says_why_the_first_statement_matches_nothing(nginx: SiteFolder, why: str) -> None:
    found = row(ONE) | {"PkgIdentifier": {"PURL": "pkg:deb/debian/openssl@3"}}
    nginx.report("nginx/1.27.3.json", trivy([found], digest=f"{REGISTRY}/nginx@{digest(1)}"))
    vex(nginx, IDLE[why])
    (note,) = [text for text in built(nginx).logged(logging.INFO) if "VEX statements match no" in text]
    assert "statements[0] in vex/a.json" in note and why in note


def test_a_folder_of_another_name_whose_document_has_no_id(nginx: SiteFolder) -> None:
    vex(nginx, {}, name="../statements/x", **{"@id": ""})
    nginx.settings["security"] = {"vex": "statements"}
    (suppressed,) = built(nginx).json("security/nginx.json")["latest"]["suppressions"]
    assert suppressed["statement"] == "statements/x.json"
    nginx.write("docs/vex/a.json", b"{}")
    nginx.settings["security"] = {"vex": "docs/vex"}
    (text,) = nginx.build().logged(logging.ERROR)[:-1]
    assert "security.vex: " in text and "the folder is in docs_dir" in text


def test_the_registry_of_a_pin_would_match_too(nginx: SiteFolder) -> None:
    pinned = f"quay.io/acme/proxy@{digest(7)}"
    nginx.page("charts/web.md", f"category: Web\ntier: core\nlicense: MIT\nimages: ['{pinned}']")
    vex(nginx, {"products": ["pkg:oci/proxy"]})
    (text,) = built(nginx).logged()
    assert "repository_url=quay.io/acme/proxy`" in text


# Documents


def written(*statements: Json, **fields: Any) -> bytes:
    return json.dumps(document(*statements, **fields)).encode()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_documents_that_only_the_patient_reading_understands_say_the_same(encoding: str) -> None:
    products = [WEB, {"@id": WEB, "identifiers": {"purl": WEB}, "subcomponents": ["pkg:apk/wolfi/zlib"]}]
    whole = document({"products": products}, {"vulnerability": TWO}, author="Acme", version=1)
    text = json.dumps(whole)
    assert read_vex(text.encode(encoding)) == read_vex(text.encode())
    assert read_vex(json.dumps(whole | {"x-a": 1}).encode()) == read_vex(text.encode())
    wrapped = {"predicateType": "https://openvex.dev/ns/v0.2.0", "predicate": whole}
    assert read_vex(json.dumps(wrapped).encode()) == read_vex(text.encode())


REFUSED = [
    (b"nope", "not JSON"),
    (b"\xff\xfe", "the file is empty"),
    (b"[]", "not an OpenVEX document"),
    (b'{"statements": [{"status": "affected", "status": "not_affected"}]}', "a key stands twice"),
    (b'{"@context": "https://example.org", "statements": []}', "not an OpenVEX document"),
    (b'{"@context": "https://openvex.dev/ns/v0.2.0"}', "`statements` is missing"),
    (written(statements={}), "`statements` is not a list"),
    (written(statements=[5]), "`statements[0]` is not an object"),
    (written({"products": {}}), "`statements[0].products` is not a list"),
    (written({"products": [{"subcomponents": ""}]}), "`statements[0].products[0].subcomponents` is not"),
]
"""Documents that can't be read: without a part of its lists, a statement would cover more."""


def test_documents_that_cannot_be_read_refuse_the_catalog(site: SiteFolder) -> None:
    site.image("nginx")
    for number, (content, _) in enumerate(REFUSED):
        site.write(f"vex/{number}.json", content)
    result = site.build()
    assert result.failed
    assert not result.api.exists()
    told = [text for text in result.logged() if text.startswith("vex/")]
    for number, (text, (_, reason)) in enumerate(zip(told, REFUSED, strict=True)):
        assert text.startswith(f"vex/{number}.json: ") and reason in text and "OpenVEX" in text


@given(seed=st.randoms(use_true_random=False))
def test_damaged_documents(seed: random.Random) -> None:
    try:
        read_vex(damaged(document({}, {"vulnerability": TWO}), seed))
    except RefusedError as error:
        assert error.hint
