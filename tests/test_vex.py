"""What OpenVEX documents suppress, and their warnings."""

from __future__ import annotations

import base64
import json
import logging
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.sources.reports.openvex import read_vex

from .pages import cells, page
from .report_files import damaged
from .sites import (
    REGISTRY,
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


def document(*changes: Json, **fields: Any) -> Json:
    """A document whose statements suppress ONE, but for these changes."""
    usual = not_affected(ONE, {"@id": WEB})
    return openvex(*(usual | change for change in changes), **{"@id": ""} | fields)


def shown(
    site: SiteFolder,
    *documents: Json,
    findings: Sequence[Json] = (ZLIB, OPENSSL),
    platform: str = "linux/amd64",
) -> tuple[list[str], list[str]]:
    """What is shown as suppressed of the image, and the warnings about these documents, a.json, b.json."""
    system, _, architecture = platform.partition("/")
    names: Json = {"repoDigests": [f"{IMAGE}@{DIGEST}"], "os": system, "architecture": architecture}
    site.image("web", f"versions: {VERSIONS}")
    site.report("web/1.json", grype(*findings, **names))
    for letter, written in zip("ab", documents, strict=False):
        site.write(f"vex/{letter}.json", json.dumps(written))
    result = built(site)
    record = result.json("security/web.json")["latest"]
    for name, number in (("cves", "releases"), ("suppressions", "suppressed")):
        entries = {entry["id"]: entry[number] for entry in result.at("cves/index")}
        assert all(entries[each["id"]] for each in record[name]), "the list of vulnerabilities says otherwise"
    told = [text.removeprefix("vex/") for text in result.logged() if text.startswith("vex/")]
    return [each["id"] for each in record["suppressions"]], told


def expect(found: tuple[list[str], list[str]], ids: Sequence[str], *told: tuple[str, str]) -> None:
    """Fail unless these ids are suppressed, and each warning begins with its place and has its part."""
    wanted = f"{[*ids]}, with the warnings {told}"
    fits = [
        text.startswith(f"{place}: ") and part in text
        for (place, part), text in zip(told, found[1], strict=False)
    ]
    right = found[0] == [*ids] and all(fits) and len(found[1]) == len(told)
    assert right, f"suppressed, with warnings:\nfound:  {found[0]}, {found[1]}\nwanted: {wanted}"


OCI, DOCKER = "pkg:oci/web", f"pkg:docker/hardened/web?repository_url={HOST}"
ELSEWHERE = f"pkg:oci/elsewhere?repository_url={REGISTRY}/elsewhere"
SHA = {"sha-256": HEX}
SAME: list[Any] = [
    WEB,
    f" {WEB} ",
    *(f"{WEB}&{more}" for more in ("tag=1", "Tag=1.2", "arch=amd64", "os=linux", "platform=linux/amd64")),
    f"{OCI}?repository_url={REGISTRY}",
    f"{OCI}?repository_url={IMAGE.upper().replace('WEB', 'web').replace('HARDENED', 'hardened')}/",
    *(DOCKER, DOCKER.replace("web?", "web@1.2?")),
    *(IMAGE, f"{IMAGE}:1.2", f"{IMAGE}:2@{DIGEST}", DIGEST),
    *(f"{OCI}@{DIGEST}", f"pkg:oci/renamed@{DIGEST}", f"{OCI}@{DIGEST}?repository_url={IMAGE}"),
    *(f"{OCI}@{DIGEST}?tag=1", f"pkg:docker/acme/web@{DIGEST}?platform=linux/amd64"),
    {"@id": WEB, "@type": "Product", "x-ticket": 1},
    *({"hashes": SHA}, {"@id": WEB, "hashes": {"sha-256": HEX.upper()}}),
    {"@id": "https://acme.example/web", "hashes": SHA},
    *({"@id": name, "identifiers": {"purl": WEB}} for name in ("web", f"{IMAGE}:1")),
]
"""Products that are the image."""
ANOTHER: list[Any] = [
    *(f"{WEB}&{more}" for more in ("tag=2", "tag=2&arch=amd64", "arch=arm64", "os=windows")),
    *(f"{WEB}&platform={name}" for name in ("linux%2Farm64", "linux/amd64/v2")),
    *(DOCKER.replace("web?", "web@9?"), f"{IMAGE}:2", OTHER),
    *(ELSEWHERE, "pkg:oci/elsewhere?repository_url=docker.io/library/elsewhere"),
    *(f"pkg:oci/renamed@{DIGEST}?repository_url=quay.io/x/renamed", f"quay.io/x/renamed@{DIGEST}"),
    *(f"{OCI}@{OTHER}?repository_url={IMAGE}", f"{OCI}@{DIGEST}?tag=2"),
    f"pkg:docker/acme/web@{DIGEST}?platform=linux/arm64",
    *({"@id": name, "hashes": {"sha-256": OTHER_HEX}} for name in (OTHER, WEB)),
    {"@id": ELSEWHERE, "hashes": SHA},
    {"@id": f"{IMAGE}:2", "identifiers": {"purl": WEB}},
    {"@id": WEB, "identifiers": {"purl": f"{OCI}@{OTHER}"}},
]
"""Products that are not."""
UNCLEAR: list[tuple[Any, str]] = [
    # A registry is part of the name. A hint names the one that would match.
    (f"{OCI}?tag=1", f"it has no registry (use `repository_url={IMAGE}`)"),
    ("pkg:docker/acme/web", f"its repository is docker.io/acme/web (use `repository_url={IMAGE}`)"),
    ("web:1", f"its repository is docker.io/library/web (use `{WEB}`)"),
    (f"{OCI}?repository_url=docker.io/library/web", f"(use `repository_url={IMAGE}`)"),
    ({"@id": "pkg:docker/web", "hashes": SHA}, f"(use `repository_url={IMAGE}`)"),
    ("pkg:oci/nowhere", "it has no registry (add `?repository_url=REGISTRY/NAME`)"),
    *(
        ({"@id": WEB, "hashes": hashes}, "its hashes are not digests of an image")
        for hashes in ({"md5": "0"}, {"sha256": HEX}, SHA | {"sha-512": "b"})
    ),
    ({"@id": WEB, "hashes": SHA | {"sha-512": 5}}, "its `sha-512` is empty or not text"),
    ({"@id": "pkg:deb/debian/zlib1g", "hashes": SHA}, "scans contain no hashes of packages"),
    # A qualifier that is not understood may narrow it, too.
    (f"{WEB}&variant=v8", "the qualifier `variant` is unknown (allowed: `arch`, `os`, `platform`, "),
    (f"{OCI}@{DIGEST}?repository_url={IMAGE}&channel=stable", "the qualifier `channel` is unknown"),
    (f"{WEB}&tag=1&tag=2", "one of its qualifiers is given twice"),
    (f"{WEB}&platform=arm64", "'arm64' is not a platform"),
    (f"{WEB}#usr/bin", "a path in an image is not allowed"),
    (f"{OCI}@sha256:abc", 'its version "sha256:abc" is not a digest'),
    (f"{OCI}?repository_url=https://{IMAGE}", "is not a repository"),
    *(
        (product, "its version or a qualifier is empty")
        for product in (f"{WEB}&tag=", f"{WEB}&tag", f"{WEB}&tag=#", f"{WEB}&&tag=1", WEB.replace("?", "@?"))
    ),
    *(
        (product, "this is not a package URL")
        for product in ("pkg:oci", {"@id": WEB, "identifiers": {"purl": IMAGE}})
    ),
    *(
        ({"@id": WEB, "identifiers": {"purl": given}}, "its `purl` is empty or not text")
        for given in ("", " ", None, [WEB])
    ),
    ({"@id": WEB, "identifiers": {"swid": "x"}}, "identifiers of the kind `swid` are unknown"),
    *(
        ({"@id": WEB, "identifiers": cpe}, "scans contain no CPEs")
        for cpe in ({"cpe22": "cpe:/a:b"}, {"cpe23": "b"}, {"purl": CPE})
    ),
    *(
        ({"@id": CPE} | more, "scans contain no CPEs")
        for more in ({"identifiers": {"purl": WEB}}, {"hashes": SHA})
    ),
    ({"@id": WEB, "hashes": ["x"]}, "`hashes` is unknown here"),
    ({"@id": WEB, "identifiers": [WEB]}, "`identifiers` is unknown here"),
    *(({"@id": id_, "identifiers": {"purl": WEB}}, "`@id` is unknown here") for id_ in (5, "")),
    ({"@id": WEB, "subComponents": [{"@id": "pkg:deb/debian/a"}]}, "`subComponents` is unknown here"),
    *(
        (product, "names neither an image nor a package")
        for product in ("https://acme.example/web", {"supplier": "Acme"}, {"@id": f"{REGISTRY}/Web:2"})
    ),
]
"""Products of no effect, and why."""


@pytest.mark.parametrize(
    ("product", "same"),
    [(product, True) for product in SAME] + [(product, False) for product in ANOTHER],
    ids=str,
)
def test_which_products_are_the_image(site: SiteFolder, product: Any, same: bool) -> None:
    expect(shown(site, document({"products": [product]})), [ONE] * same)


@pytest.mark.parametrize(("product", "why"), UNCLEAR, ids=str)
def test_a_product_that_is_unclear_has_no_effect(site: SiteFolder, product: Any, why: str) -> None:
    expect(shown(site, document({"products": [product]})), [], ("a.json: statements[0].products[0]", why))


ZLIB1G, GO = "pkg:deb/debian/zlib1g", found(purl="pkg:golang/example.org/a@v1#cmd/b")
BARE, CORE = found(), found(pkg="core", purl="pkg:npm/%40angular/core@1.0")
GO_MODULE = found(pkg="github.com/a/b", kind="go-module")
PARTS: list[tuple[Json, bool, list[Any]]] = [
    (
        ZLIB,
        True,
        [ZLIB1G, f"{ZLIB1G}@1.3", "PKG:DEB/debian/zlib1g@1%2E3?Arch=amd64", "pkg:deb/ubuntu/zlib1g"],
    ),
    (ZLIB, True, [{"@id": ZLIB1G, "identifiers": {"purl": f"{ZLIB1G}@1.3"}}]),
    (
        ZLIB,
        False,
        [*(f"{ZLIB1G}{more}" for more in ("?arch=arm64", "?os_name=debian", "@1.2")), "pkg:deb/debian/zlib"],
    ),
    (ZLIB, False, ["pkg:apk/debian/zlib1g", {"@id": ZLIB1G, "identifiers": {"purl": f"{ZLIB1G}@1.2"}}]),
    (CORE, True, ["pkg:npm/@angular/core", "pkg:npm/%40angular/core@1.0"]),
    (found(pkg="x", purl="pkg:pypi/flask-login@1%2Bx"), True, ["pkg:pypi/Flask_Login@1+x"]),
    (found(pkg="x", purl="pkg:pypi/a@1?b=1%2B2"), True, ["pkg:pypi/a@1?b=1+2"]),
    # A path within a package narrows it.
    (GO, True, ["pkg:golang/example.org/a@v1", "pkg:golang/example.org/a@v1#cmd/b/"]),
    (GO, False, ["pkg:golang/example.org/a@v1#cmd/c"]),
    # Without a package URL in the scan, type and name must be those of the result; nothing else is known.
    (BARE, True, [ZLIB1G, f"{ZLIB1G}@1.3", "zlib1g"]),
    (BARE, False, [f"{ZLIB1G}@1.4", f"{ZLIB1G}?arch=amd64", "zlib"]),
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
]
"""A finding, whether parts of the image are its package, and the parts."""
UNCLEAR_PARTS: list[tuple[Any, str]] = [
    *((part, "scans contain no CPEs") for part in (CPE, {"@id": "zlib1g", "identifiers": {"cpe23": CPE}})),
    *(({"@id": "z", "identifiers": {"purl": purl}}, "its `purl` is empty or not text") for purl in (5, "")),
    ({"@id": "zlib1g", "hashes": {"md5": "0"}}, "scans contain no hashes of packages"),
    ({"@id": ""}, "`@id` is unknown here"),
    ({"name": "zlib1g"}, "`name` is unknown here"),
    ("pkg:deb", "this is not a package URL"),
    (WEB, "an image can't be a package in another image"),
    *((part, "it does not name a package") for part in ("https://a.b/c", "urn:zlib", "SWID:zlib")),
]
"""Parts of no effect, and why."""


def in_web(part: Any) -> Json:
    return document({"products": [{"@id": WEB, "subcomponents": [{"@id": "pkg:x/y"}, part]}]})


@pytest.mark.parametrize(
    ("finding", "same", "part"),
    [(finding, same, part) for finding, same, parts in PARTS for part in parts],
    ids=str,
)
def test_which_parts_are_the_package(site: SiteFolder, finding: Json, same: bool, part: Any) -> None:
    expect(shown(site, in_web(part), findings=[finding]), [ONE] * same)


@pytest.mark.parametrize(("part", "why"), UNCLEAR_PARTS, ids=str)
def test_a_part_that_is_unclear_has_no_effect(site: SiteFolder, part: Any, why: str) -> None:
    place = "a.json: statements[0].products[0].subcomponents[1]"
    expect(shown(site, in_web(part), findings=[ZLIB]), [], (place, why))


NVD = "https://nvd.nist.gov/vuln/detail/"
SUPPRESSING: list[Json] = [
    *({"vulnerability": id_} for id_ in (ONE, f" {ONE.lower()}", GHSA, GHSA.upper())),
    *({"vulnerability": {"name": name}} for name in (ONE.lower(), "CVE-2026 -0001\n")),
    {"vulnerability": {"name": "X-1", "aliases": [ONE.lower()]}},
    {"vulnerability": {"@id": f"{NVD}{ONE.lower()}"}},
    *({"vulnerability": {"name": ONE, "@id": f"{of}{ONE.lower()}"}} for of in (NVD, "https://acme.example/")),
    {"vulnerability": {"name": ONE, "description": 5}},
    {"justification": "", "impact_statement": "Not built in."},
    {"status": "fixed", "justification": ""},
    {"x-ticket": "A-1", "acme:id": 1, "_id": 2, "$schema": 3},
    {"timestamp": "", "last_updated": None},
    {"timestamp": "0001-01-01T00:00:00Z"},
    {"products": [WEB], "subcomponents": ["zlib1g"]},
]
"""Changes of a statement that still suppresses."""
SILENT: list[Json] = [
    {"vulnerability": {"name": "CVE-2026-00010"}},
    {"status": "affected", "justification": ""},
    {"status": "under_investigation"},
    {"products": [WEB], "subcomponents": ["zlib"]},
]
"""Of one that does not, without a warning."""
BOTH = f"the ids are of {ONE} and {TWO}, so the statement matches nothing"  # which of two CVEs is not known
REFUSING: list[tuple[Json, str, str]] = [
    *(
        ({"vulnerability": given}, ".vulnerability", BOTH)
        for given in (
            *({"name": ONE, "@id": id_} for id_ in (TWO, f"{NVD}{TWO.lower()}", f"https://x.y/{TWO}?a")),
            *({"name": TWO, "aliases": [id_]} for id_ in (ONE, f" {ONE.lower()}")),
            {"name": "X-1", "aliases": [TWO, ONE]},
        )
    ),
    ({"vulnerability": {}}, ".vulnerability", "the statement has no vulnerability (add its `name`)"),
    ({"vulnerability": {"name": ONE, "nme": "x"}}, "", f"`nme` {UNUSED}"),
    ({"vulnerability": {"name": ONE, "aliases": "x"}}, "", f"`aliases` {UNUSED}"),
    ({"products": [], "subcomponents": [{"@id": "zlib1g"}]}, ".products", "the statement has no product"),
    *(({"justification": given}, "", f"the statement on {ONE} has no reason why") for given in ("", 5)),
    ({"justification": "not_presnt"}, ".justification", 'unknown justification "not_presnt"'),
    ({"status": None}, ".status", 'unknown status ""'),
    ({"status": "not-affected"}, ".status", 'unknown status "not-affected" (did you mean `not_affected`?)'),
    ({"impact_statement": 5}, "", f"`impact_statement` {UNUSED}"),
    ({"subComponents": []}, "", f"`subComponents` {UNUSED}"),
    ({"impact_statment": "x"}, "", f"`impact_statment` {UNUSED}"),
    (
        {"status": "affected", "impact_statment": "x"},
        "",
        "`impact_statment` is unknown or has a wrong type (use",
    ),
    ({"timestamp": "15 Jan 2026"}, ".timestamp", '"15 Jan 2026" is not a time, so the statement is not used'),
    ({"timestamp": 5}, ".timestamp", '"5" is not a time, so the statement is not used'),
    ({"timestamp": FUTURE}, ".timestamp", f"{FUTURE} is in the future, so the statement is not used"),
]
"""Of one that does not: where and why."""


@pytest.mark.parametrize(
    ("change", "suppresses"), [(change, change in SUPPRESSING) for change in SUPPRESSING + SILENT], ids=str
)
def test_which_statements_suppress(site: SiteFolder, change: Json, suppresses: bool) -> None:
    expect(shown(site, document(change)), [ONE] * suppresses)


@pytest.mark.parametrize(("change", "place", "why"), REFUSING, ids=str)
def test_a_statement_with_a_fault_is_not_used(site: SiteFolder, change: Json, place: str, why: str) -> None:
    expect(shown(site, document(change)), [], (f"a.json: statements[0]{place}", why))


CONTESTED = ("a.json: statements[0]", "")
UNREADABLE = '"yesterday" is not a time, so the statement is treated as the newest'
AT_MARCH, LATER = {"timestamp": MARCH}, {"timestamp": "2026-03-01T00:00:00,500000001Z"}
TIMES: dict[str, tuple[Json, Json, list[tuple[str, str]]]] = {
    "the same time": (AT_MARCH, {"timestamp": "2026-03-01T01:00:00+01:00"}, [CONTESTED]),
    "a nanosecond newer": ({"timestamp": "2026-03-01T00:00:00.500Z"}, LATER, []),
    "no time": (AT_MARCH, {}, [CONTESTED]),
    "an exception without a time": ({}, AT_MARCH, [CONTESTED]),
    "times that Go has not set": ({"timestamp": "0001-01-01T00:00:00Z"}, {"timestamp": None}, [CONTESTED]),
    "an unreadable time": (
        AT_MARCH, {"timestamp": "yesterday"}, [CONTESTED, ("b.json: statements[0].timestamp", UNREADABLE)]),
    "an unreadable update": (
        AT_MARCH, {"timestamp": "2026-01-01T00:00:00Z", "last_updated": 20260401},
        [CONTESTED, ("b.json: statements[0].last_updated", "")]),
    "the future": (
        AT_MARCH, {"last_updated": FUTURE},
        [("b.json: statements[0].last_updated", f"{FUTURE} is in the future, so the statement is treated")]),
}  # fmt: skip
"""Times of an exception, and of a statement that contradicts it: the order of times is the oracle's."""
ON_TWO, AFFECTED = {"vulnerability": TWO}, {"status": "affected"}


@pytest.mark.parametrize(("exception", "other", "told"), TIMES.values(), ids=TIMES)
def test_a_contradiction_wins_unless_it_is_certainly_older(
    site: SiteFolder, exception: Json, other: Json, told: list[tuple[str, str]]
) -> None:
    documents = [document(exception, timestamp=""), document(AFFECTED | other, timestamp="")]
    expect(shown(site, *documents), [], *told)


def test_the_time_of_a_document_is_that_of_statements_without_one(site: SiteFolder) -> None:
    told = ("a.json: timestamp", '"last week" is not a time, so the statement is not used')
    expect(shown(site, document({}, ON_TWO | {"timestamp": MARCH}, timestamp="last week")), [TWO], told)
    unset = document({"timestamp": "0001-01-01T00:00:00Z"}, timestamp=FUTURE)
    told = ("a.json: timestamp", f"{FUTURE} is in the future, so the statement is not used")
    expect(shown(site, unset), [], told)


def test_two_contradictions_of_one_document_are_one_warning(site: SiteFolder) -> None:
    documents = [document({}, ON_TWO), document(AFFECTED, AFFECTED | ON_TWO)]
    expect(shown(site, *documents), [], CONTESTED)


@pytest.mark.parametrize(
    ("first", "second", "ids", "told"),
    [
        (document({}, version=2), document(ON_TWO, version=2), [], [("a.json: @id", "")]),
        (document({"timestamp": MARCH}, version=1), document(AFFECTED | ON_TWO), [], [("a.json: @id", "")]),
        (document({}, version=2), document({}, version=2), [ONE], []),
        (document({}, version="1"), document({}, version=2), [ONE], []),
    ],
)
def test_of_documents_with_one_id_and_another_content_neither_suppresses(
    site: SiteFolder, first: Json, second: Json, ids: list[str], told: list[tuple[str, str]]
) -> None:
    head = {"@id": "https://example.org/web"}
    expect(shown(site, first | head, second | head), ids, *told)


def test_several_cves_of_an_advisory_need_a_statement_each(site: SiteFolder) -> None:
    advisory = found("DSA-1", ONE, TWO, GHSA)
    every = document({"vulnerability": ONE}, {"vulnerability": TWO})
    expect(shown(site, every, findings=[advisory]), ["DSA-1"])


def test_an_id_of_amazon_has_any_case(site: SiteFolder) -> None:
    written = document({"vulnerability": "alas2-2026-1"})
    expect(shown(site, written, findings=[found("ALAS2-2026-1")]), ["ALAS2-2026-1"])


@pytest.mark.parametrize(
    ("products", "platform", "ids"),
    [
        ([ZLIB1G], "linux/amd64", [ONE]),
        ([f"{WEB}&platform=linux/amd64", f"{WEB}&arch=amd64&os=linux"], "", []),
        ([f"{WEB}&platform=linux/arm64"], "linux/arm64/v8", [ONE]),
    ],
)
def test_a_platform_matches_that_of_the_scan(
    site: SiteFolder, products: list[str], platform: str, ids: list[str]
) -> None:
    """An unknown one matches none, and every arm64 is a v8."""
    expect(shown(site, document({"products": products}), findings=[BARE], platform=platform), ids)


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
    _, text = built(nginx).logged()
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
    assert read_vex(text.encode()).statements[0].timestamp == "2026-01-01T00:00:00"
    assert read_vex(json.dumps(whole | {"x-a": 1}).encode()) == read_vex(text.encode())
    wrapped = {"predicateType": "https://openvex.dev/ns/v0.2.0", "predicate": whole}
    assert read_vex(json.dumps(wrapped).encode()) == read_vex(text.encode())
    envelope = {"payloadType": "x", "payload": base64.b64encode(json.dumps(wrapped).encode()).decode()}
    assert read_vex(json.dumps(envelope).encode()) == read_vex(text.encode())
    assert read_vex(json.dumps({"dsseEnvelope": envelope}).encode()) == read_vex(text.encode())


REFUSED = [
    (b"nope", "not JSON"),
    (b"\xff\xfe", "the file is empty"),
    (b"[]", "not an OpenVEX document"),
    (b'{"statements": [{"status": "affected", "status": "not_affected"}]}', "a key stands twice"),
    (b'{"@context": "https://example.org", "statements": []}', "not an OpenVEX document"),
    (b'{"payloadType": "", "payload": "eyJhIjoxLCJhIjoxfQ=="}', "a key stands twice"),
    (b'{"@context": "https://openvex.dev/ns/v0.2.0"}', "`statements` is missing"),
    (written(statements={}), "`statements` is not a list"),
    (written(statements=[5]), "`statements[0]` is not an object"),
    (written({"products": {}}), "`statements[0].products` is not a list"),
    (written({"products": [{"subcomponents": ""}]}), "`statements[0].products[0].subcomponents` is not"),
]
"""Documents that can't be read: without a part of its lists, a statement would cover more."""


def test_a_repository_that_somebody_else_made_may_be_there_as_it_is(nginx: SiteFolder) -> None:
    """Its two own files are no documents. What only looks like them is refused."""
    image = f"pkg:oci/nginx?repository_url={REGISTRY}/nginx"
    hub: dict[str, Any] = {"index.json": {"packages": [{"id": image, "location": "pkg/vex.json"}]}}
    hub |= {"vex-repository.json": {"name": "Hub", "versions": [{"spec_version": "0.1"}]}}
    for name, body in hub.items():
        nginx.write(f"vex/hub/{name}", json.dumps(body))
    nginx.write("vex/hub/pkg/vex.json", json.dumps(openvex(not_affected(ONE, {"@id": image}))))
    assert built(nginx).codes == []
    for name, text in (("index.json", "{}"), ("vex-repository.json", '{"versions": 1}'), ("index.json", "[")):
        nginx.write(f"vex/other/{name}", text)
        result = nginx.build()
        assert result.failed and [each.file for each in result.problems] == [f"vex/other/{name}"]
        (nginx.folder / f"vex/other/{name}").unlink()


def test_documents_that_cannot_be_read_refuse_the_catalog(site: SiteFolder) -> None:
    site.image("nginx")
    for number, (content, _) in enumerate(REFUSED):
        site.write(f"vex/{number:02}.json", content)
    result = site.build()
    assert result.failed
    assert not result.api.exists()
    told = [text for text in result.logged() if text.startswith("vex/")]
    for number, (text, (_, reason)) in enumerate(zip(told, REFUSED, strict=True)):
        assert text.startswith(f"vex/{number:02}.json: ") and reason in text and "OpenVEX" in text


@given(seed=st.randoms(use_true_random=False))
def test_damaged_documents(seed: random.Random) -> None:
    try:
        read_vex(damaged(document({}, {"vulnerability": TWO}), seed))
    except RefusedError as error:
        assert error.hint
