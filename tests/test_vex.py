"""What OpenVEX documents suppress, and their warnings: rows of tables, each on an image in one catalog."""

from __future__ import annotations

import json
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

from .report_files import damaged
from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, match, not_affected, openvex

IMAGE, DIGEST, OTHER = f"{REGISTRY}/web", digest("one"), digest("two")
WEB = f"pkg:oci/web?repository_url={IMAGE}"
ONE, TWO, GHSA = "CVE-2026-0001", "CVE-2026-0002", "GHSA-cfh5-3ghh-wfjx"
HEX, OTHER_HEX = DIGEST[7:], OTHER[7:]
CPE = "cpe:2.3:a:acme:web:1:*:*:*:*:*:*:*"
JANUARY, FEBRUARY, MARCH, FUTURE = (
    f"{day}T00:00:00Z" for day in ("2026-01-01", "2026-02-01", "2026-03-01", "2999-01-01")
)
VERSIONS = f"[{{version: '1', tags: ['1.2'], digest: '{DIGEST}'}}]"
Json = dict[str, Any]


def scan(*matches: Json, of: str = DIGEST, platform: str = "linux/amd64") -> Json:
    """A report of the image with this digest."""
    system, _, architecture = platform.partition("/")
    names = {"repoDigests": [f"{IMAGE}@{of}"]} if of else {"userInput": f"{IMAGE}:1"}
    return grype(*matches, os=system, architecture=architecture, **names)


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
    scans: tuple[Json, ...] = (scan(ZLIB, OPENSSL),)
    versions: str = VERSIONS


def document(*changes: Json, **fields: Any) -> Json:
    """A document whose statements suppress ONE, but for these changes."""
    usual = not_affected(ONE, {"@id": WEB})
    return openvex(*(usual | change for change in changes), **{"@id": ""} | fields)


def outcome(change: Json, expected: bool | str, place: str = "", **row: Any) -> Row:
    """A row of one statement that suppresses (True) or not, with a warning if the reason is given."""
    warned = (f"a {place}: {expected}",) if isinstance(expected, str) else ()
    return Row([document(change)], (ONE,) if expected is True else (), warned, **row)


PRODUCTS: list[tuple[Any, bool | str]] = [
    (WEB, True),
    (f"pkg:oci/web?repository_url={REGISTRY}", True),
    (
        f"pkg:oci/web?repository_url={IMAGE.upper().replace('WEB', 'web').replace('HARDENED', 'hardened')}/",
        True,
    ),
    (f"pkg:docker/hardened/web?repository_url={REGISTRY.partition('/')[0]}", True),
    (f"pkg:docker/hardened/web@1.2?repository_url={REGISTRY.partition('/')[0]}", True),
    (f"pkg:docker/hardened/web@9?repository_url={REGISTRY.partition('/')[0]}", False),
    (f"pkg:oci/elsewhere?repository_url={REGISTRY}/elsewhere", False),
    (IMAGE, True),
    (f"{IMAGE}:1.2", True),
    (f"{IMAGE}:2", False),
    ({"@id": f" {WEB} "}, True),
    # A registry is part of the name. A hint names the one that would match.
    ("pkg:oci/web", f'"pkg:oci/web" matches nothing: it has no registry (use `repository_url={IMAGE}`)'),
    ("pkg:oci/web?tag=1", f"it has no registry (use `repository_url={IMAGE}`)"),
    ("pkg:docker/acme/web", f"its repository is docker.io/acme/web (use `repository_url={IMAGE}`)"),
    ("pkg:oci/web?repository_url=docker.io/library/web", f"(use `repository_url={IMAGE}`)"),
    (f"pkg:oci/web@{DIGEST}?repository_url=docker.io/library/web", f"(use `repository_url={IMAGE}`)"),
    ("web:1", f"its repository is docker.io/library/web (use `pkg:oci/web?repository_url={IMAGE}`)"),
    ({"@id": "pkg:docker/web", "hashes": {"sha-256": HEX}}, f"(use `repository_url={IMAGE}`)"),
    ("pkg:oci/nowhere", "it has no registry (add `?repository_url=REGISTRY/NAME`)"),
    ("pkg:oci/elsewhere?repository_url=docker.io/library/elsewhere", False),
    # The digest decides.
    (DIGEST, True),
    (OTHER, False),
    (f"pkg:oci/web@{DIGEST}", True),
    (f"pkg:oci/renamed@{DIGEST}", True),
    (f"pkg:oci/renamed@{DIGEST}?repository_url=quay.io/x/renamed", False),
    (f"pkg:oci/web@{DIGEST}?repository_url={IMAGE}", True),
    (f"pkg:oci/web@{OTHER}?repository_url={IMAGE}", False),
    (f"pkg:oci/web@{DIGEST}?tag=1", True),
    (f"pkg:oci/web@{DIGEST}?tag=2", False),
    (f"pkg:docker/acme/web@{DIGEST}?platform=linux/amd64", True),
    (f"pkg:docker/acme/web@{DIGEST}?platform=linux/arm64", False),
    (f"{IMAGE}:2@{DIGEST}", True),
    (f"quay.io/x/renamed@{DIGEST}", False),
    ({"hashes": {"sha-256": HEX}}, True),
    ({"hashes": {"sha-256": OTHER_HEX}}, False),
    ({"@id": WEB, "hashes": {"sha-256": HEX.upper()}}, True),
    ({"@id": WEB, "hashes": {"sha-256": OTHER_HEX}}, False),
    ({"@id": f"pkg:oci/elsewhere?repository_url={REGISTRY}/elsewhere", "hashes": {"sha-256": HEX}}, False),
    ({"@id": "https://acme.example/web", "hashes": {"sha-256": HEX}}, True),
    ({"@id": WEB, "hashes": {"md5": "0"}}, "its hashes are not digests of an image"),
    ({"@id": WEB, "hashes": {"sha256": HEX}}, "its hashes are not digests of an image"),
    ({"@id": WEB, "hashes": {"sha-256": HEX, "sha-512": "b"}}, "its hashes are not digests of an image"),
    ({"@id": WEB, "hashes": {"sha-256": HEX, "sha-512": 5}}, "its `sha-512` is empty or not text"),
    ({"@id": WEB, "hashes": ["x"]}, "`hashes` is unknown here"),
    ({"@id": "pkg:deb/debian/zlib1g", "hashes": {"sha-256": HEX}}, "scans contain no hashes of packages"),
    # Qualifiers narrow it; one that is not understood may, too.
    (f"{WEB}&tag=1", True),
    (f"{WEB}&Tag=1.2", True),
    (f"{WEB}&tag=2", False),
    (f"{WEB}&arch=amd64", True),
    (f"{WEB}&arch=arm64", False),
    (f"{WEB}&os=linux", True),
    (f"{WEB}&os=windows", False),
    (f"{WEB}&platform=linux/amd64", True),
    (f"{WEB}&platform=linux%2Farm64", False),
    (f"{WEB}&platform=linux/amd64/v2", False),
    (f"{WEB}&tag=1&arch=amd64&os=linux", True),
    (f"{WEB}&tag=2&arch=amd64", False),
    (f"{WEB}&variant=v8", "the qualifier `variant` is unknown (allowed: `arch`, `os`, `platform`, "),
    (f"pkg:oci/web@{DIGEST}?repository_url={IMAGE}&channel=stable", "the qualifier `channel` is unknown"),
    (f"{WEB}&tag=1&tag=2", "one of its qualifiers is given twice"),
    (f"{WEB}&platform=arm64", "'arm64' is not a platform"),
    (f"{WEB}#usr/bin", "a path in an image is not allowed"),
    ("pkg:oci/web@sha256:abc", 'its version "sha256:abc" is not a digest'),
    (f"pkg:oci/web?repository_url=https://{IMAGE}", "is not a repository"),
    *(
        (f"{WEB}{empty}", "its version or a qualifier is empty")
        for empty in ("&tag=", "&tag", "&tag=#", "&&tag=1")
    ),
    (f"pkg:oci/web@?repository_url={IMAGE}", "its version or a qualifier is empty"),
    (f"pkg:oci/web?tag=&repository_url={IMAGE}", "its version or a qualifier is empty"),
    ("pkg:oci", "this is not a package URL"),
    # All identifiers must match.
    ({"@id": "web", "identifiers": {"purl": WEB}}, True),
    ({"@id": f"{IMAGE}:1", "identifiers": {"purl": WEB}}, True),
    ({"@id": f"{IMAGE}:2", "identifiers": {"purl": WEB}}, False),
    ({"@id": f"{REGISTRY}/Web:2", "identifiers": {"purl": WEB}}, "names neither an image nor a package"),
    ({"@id": WEB, "identifiers": {"purl": f"pkg:oci/web@{OTHER}"}}, False),
    ({"@id": WEB, "identifiers": {"purl": IMAGE}}, "this is not a package URL"),
    ({"@id": WEB, "identifiers": {"purl": ""}}, "its `purl` is empty or not text"),
    ({"@id": WEB, "identifiers": {"purl": " "}}, "its `purl` is empty or not text"),
    ({"@id": WEB, "identifiers": {"purl": None}}, "its `purl` is empty or not text"),
    ({"@id": WEB, "identifiers": {"purl": [WEB]}}, "its `purl` is empty or not text"),
    ({"@id": WEB, "identifiers": {"swid": "x"}}, "identifiers of the kind `swid` are unknown"),
    ({"@id": WEB, "identifiers": {"cpe22": "cpe:/a:acme:web:1"}}, "scans contain no CPEs"),
    ({"@id": WEB, "identifiers": {"cpe23": "acme"}}, "scans contain no CPEs"),
    ({"@id": WEB, "identifiers": {"purl": CPE}}, "scans contain no CPEs"),
    ({"@id": CPE, "identifiers": {"purl": WEB}}, "scans contain no CPEs"),
    ({"@id": CPE, "hashes": {"sha-256": HEX}}, "scans contain no CPEs"),
    ({"@id": WEB, "identifiers": [WEB]}, "`identifiers` is unknown here"),
    ({"@id": 5, "identifiers": {"purl": WEB}}, "`@id` is unknown here"),
    ({"@id": "", "identifiers": {"purl": WEB}}, "`@id` is unknown here"),
    ({"@id": WEB, "subComponents": [{"@id": "pkg:deb/debian/a"}]}, "`subComponents` is unknown here"),
    ({"@id": WEB, "@type": "Product", "x-ticket": 1}, True),
    ("https://acme.example/web", '"https://acme.example/web" names neither an image nor a package'),
    ("", '"" matches nothing: `@id` is unknown here'),
    ({"supplier": "Acme"}, "it names neither an image nor a package"),
]
"""Product → whether it is the image, or why it is of no effect."""

PARTS: list[tuple[Any, Json, bool | str]] = [
    ("pkg:deb/debian/zlib1g", ZLIB, True),
    ("pkg:deb/debian/zlib1g@1.3", ZLIB, True),
    ("PKG:DEB/debian/zlib1g@1%2E3?Arch=amd64", ZLIB, True),
    ("pkg:deb/debian/zlib1g?arch=arm64", ZLIB, False),
    ("pkg:deb/debian/zlib1g?os_name=debian", ZLIB, False),
    ("pkg:deb/debian/zlib1g@1.2", ZLIB, False),
    ("pkg:deb/ubuntu/zlib1g", ZLIB, False),
    ("pkg:apk/debian/zlib1g", ZLIB, False),
    ("pkg:deb/debian/zlib", ZLIB, False),
    ("pkg:npm/@angular/core", found(pkg="core", purl="pkg:npm/%40angular/core@1.0"), True),
    ("pkg:npm/%40angular/core@1.0", found(pkg="core", purl="pkg:npm/@angular/core@1.0"), True),
    ("pkg:pypi/Flask_Login@1+x", found(pkg="x", purl="pkg:pypi/flask-login@1%2Bx"), True),
    ("pkg:pypi/a@1?b=1+2", found(pkg="x", purl="pkg:pypi/a@1?b=1%2B2"), True),
    # A path within a package narrows it.
    *(
        (f"pkg:golang/example.org/a@v1{path}", found(purl="pkg:golang/example.org/a@v1#cmd/b"), matches)
        for path, matches in (("", True), ("#cmd/b/", True), ("#cmd/c", False))
    ),
    # Without a package URL in the scan, type and name must be those of the result; nothing else is known.
    ("pkg:deb/debian/zlib1g", found(), True),
    ("pkg:deb/debian/zlib1g@1.3", found(), True),
    ("pkg:deb/debian/zlib1g@1.4", found(), False),
    ("pkg:deb/debian/zlib1g?arch=amd64", found(), False),
    ("pkg:deb/debian/zlib1g", found(kind="npm"), False),
    ("pkg:deb/debian/zlib1g", found(kind=""), False),
    ("pkg:npm/%40angular/core", found(pkg="@angular/core", kind="npm"), True),
    ("pkg:npm/%40angular/core", found(pkg="core", kind="npm"), False),
    ("pkg:npm/core", found(pkg="@angular/core", kind="npm"), False),
    ("pkg:maven/org.apache/httpclient@1.3", found(pkg="org.apache:httpclient", kind="java-archive"), True),
    ("pkg:golang/github.com/a/b", found(pkg="github.com/a/b", kind="go-module"), True),
    ("pkg:golang/github.com/a/b#cmd", found(pkg="github.com/a/b", kind="go-module"), False),
    ("pkg:pypi/flask-login", found(pkg="Flask_Login", kind="python"), True),
    # A plain name is the package's name.
    ("zlib1g", found(), True),
    ("zlib1g", found(kind=""), True),
    ("zlib", found(), False),
    # Several identifiers must all match.
    ({"@id": "pkg:deb/debian/zlib1g", "identifiers": {"purl": "pkg:deb/debian/zlib1g@1.3"}}, ZLIB, True),
    ({"@id": "pkg:deb/debian/zlib1g", "identifiers": {"purl": "pkg:deb/debian/zlib1g@1.2"}}, ZLIB, False),
    ({"@id": "zlib1g", "identifiers": {"cpe23": CPE}}, ZLIB, "scans contain no CPEs"),
    ({"@id": "zlib1g", "identifiers": {"purl": 5}}, ZLIB, "its `purl` is empty or not text"),
    ({"@id": "zlib1g", "identifiers": {"purl": ""}}, ZLIB, "its `purl` is empty or not text"),
    ({"@id": "zlib1g", "hashes": {"md5": "0"}}, ZLIB, "scans contain no hashes of packages"),
    ({"@id": CPE}, ZLIB, "scans contain no CPEs"),
    ({"@id": ""}, ZLIB, "`@id` is unknown here"),
    ({"name": "zlib1g"}, ZLIB, "`name` is unknown here"),
    ("pkg:deb", ZLIB, "this is not a package URL"),
    (WEB, ZLIB, "an image can't be a package in another image"),
    *((iri, ZLIB, "it does not name a package") for iri in ("https://a.b/c", "urn:zlib", "SWID:zlib")),
]
"""Subcomponent, finding → whether it is the finding's package, or why it is of no effect."""

VULNERABILITIES: list[tuple[Any, bool | str]] = [
    (ONE, True),
    (f" {ONE.lower()}", True),
    ({"name": ONE.lower()}, True),
    ({"name": "CVE-2026 -0001\n"}, True),
    ({"name": "CVE-2026-00010"}, False),
    (GHSA, True),
    (GHSA.upper(), True),
    ({"name": "X-1", "aliases": [ONE.lower()]}, True),
    ({"@id": f"https://nvd.nist.gov/vuln/detail/{ONE.lower()}"}, True),
    ({"name": ONE, "@id": f"https://nvd.nist.gov/vuln/detail/{ONE.lower()}"}, True),
    ({"name": ONE, "@id": "https://acme.example/advisories/1"}, True),
    # Which of two CVEs is meant is not known.
    *(
        (
            {"name": ONE, "@id": id_},
            f"the `@id` is {TWO}, but the `name` is {ONE}, so the statement matches nothing",
        )
        for id_ in (TWO, f"https://nvd.nist.gov/vuln/detail/{TWO.lower()}", f"https://x.y/{TWO}?a")
    ),
    ({}, "the statement has no vulnerability (add its `name`)"),
]
"""Vulnerability → whether it is the finding's, or why the statement is left out."""

STATEMENTS: list[tuple[Json, bool | str]] = [
    ({"justification": "", "impact_statement": "Not built in."}, True),
    ({"status": "fixed", "justification": ""}, True),
    ({"status": "affected", "justification": ""}, False),
    ({"status": "under_investigation"}, False),
    ({"x-ticket": "A-1", "acme:id": 1, "_id": 2, "$schema": 3}, True),
    ({"timestamp": "", "last_updated": None}, True),
    ({"timestamp": "0001-01-01T00:00:00Z"}, True),
    ({"products": [], "subcomponents": [{"@id": "zlib1g"}]}, ".products: the statement has no product"),
    ({"products": [WEB], "subcomponents": ["zlib1g"]}, True),
    ({"products": [WEB], "subcomponents": ["zlib"]}, False),
    ({"justification": ""}, f": the statement on {ONE} has no reason why the product is not affected"),
    ({"justification": "not_presnt"}, '.justification: unknown justification "not_presnt"'),
    ({"justification": 5}, f": the statement on {ONE} has no reason why"),
    (
        {"impact_statement": 5},
        ": `impact_statement` is unknown or has a wrong type, so the statement is not used",
    ),
    ({"status": "ok"}, '.status: unknown status "ok"'),
    ({"status": None}, '.status: unknown status ""'),
    ({"status": "not-affected"}, '.status: unknown status "not-affected" (did you mean `not_affected`?)'),
    ({"subComponents": []}, ": `subComponents` is unknown or has a wrong type, so the statement is not used"),
    (
        {"impact_statment": "x"},
        ": `impact_statment` is unknown or has a wrong type, so the statement is not used",
    ),
    (
        {"status": "affected", "impact_statment": "x"},
        ": `impact_statment` is unknown or has a wrong type (use",
    ),
    (
        {"vulnerability": {"name": ONE, "nme": "x"}},
        ": `nme` is unknown or has a wrong type, so the statement is not used",
    ),
    ({"vulnerability": {"name": ONE, "description": 5}}, True),
    (
        {"vulnerability": {"name": ONE, "aliases": "x"}},
        ": `aliases` is unknown or has a wrong type, so the statement",
    ),
    ({"timestamp": "15 Jan 2026"}, '.timestamp: "15 Jan 2026" is not a time, so the statement is not used'),
    ({"timestamp": 5}, '.timestamp: "5" is not a time, so the statement is not used'),
    ({"timestamp": FUTURE}, f".timestamp: {FUTURE} is in the future, so the statement is not used"),
]
"""Changes of a statement → whether it suppresses, or where and why not."""

AFFECTED = {"status": "affected"}
CONTESTED = "a statements[0]: "


def times(exception: Json, other: Json, *, wins: bool = False, warned: tuple[str, ...] = ()) -> Row:
    """An exception in one document, and a statement in another that does not suppress."""
    documents = [document(exception, timestamp=""), document(AFFECTED | other, timestamp="")]
    return Row(documents, (ONE,) if wins else (), warned)


def both(status: str, *, wins: bool, **fields: str) -> Row:
    """A document with its own times, and a contradiction of February."""
    other = "affected" if status == "not_affected" else "not_affected"
    contradiction = {"status": other, "timestamp": FEBRUARY}
    return Row(
        [document({"status": status}, **fields), document(contradiction, timestamp="")],
        (ONE,) if wins else (),
    )


def editions(
    first: tuple[Json, object],
    second: tuple[Json, object],
    shown: tuple[str, ...],
    warned: tuple[str, ...] = (),
) -> Row:
    """Two documents with one `@id`, and their versions."""
    head = {"@id": "https://example.org/web"}
    given = [(change, {} if version is None else {"version": version}) for change, version in (first, second)]
    return Row([document(change, **head, **version) for change, version in given], shown, warned)


SAME_VERSION = ("a version: ", "b version: ")
WHEN: dict[str, Row] = {
    "the newest counts": times({"timestamp": MARCH}, {"timestamp": JANUARY}, wins=True),
    "a newer one contradicts": times({"timestamp": JANUARY}, {"timestamp": MARCH}),
    "an update contradicts": times({"timestamp": FEBRUARY}, {"timestamp": JANUARY, "last_updated": MARCH}),
    "an update does not renew an exception": times(
        {"timestamp": JANUARY, "last_updated": MARCH}, {"timestamp": FEBRUARY}
    ),
    "of the same time": times({"timestamp": MARCH}, {"timestamp": MARCH}, warned=(CONTESTED,)),
    "the same time in another zone": times(
        {"timestamp": MARCH}, {"timestamp": "2026-03-01T01:00:00+01:00"}, warned=(CONTESTED,)
    ),
    "an older one in another zone": times(
        {"timestamp": MARCH}, {"timestamp": "2026-03-01T00:30:00+01:00"}, wins=True
    ),
    "a nanosecond older": times(
        {"timestamp": "2026-03-01T00:00:00.5Z"},
        {"timestamp": "2026-03-01T01:00:00.499999999+01:00"},
        wins=True,
    ),
    "a nanosecond newer": times(
        {"timestamp": "2026-03-01T00:00:00.500Z"}, {"timestamp": "2026-03-01T00:00:00,500000001Z"}
    ),
    "nanoseconds of different lengths": times(
        {"timestamp": "2026-03-01T00:00:00.000000002Z"}, {"timestamp": "2026-03-01T00:00:00.00000001Z"}
    ),
    "a contradiction without a time": times({"timestamp": MARCH}, {}, warned=(CONTESTED,)),
    "an exception without a time": times({}, {"timestamp": MARCH}, warned=(CONTESTED,)),
    "none has a time": times({}, {}, warned=(CONTESTED,)),
    "times that Go has not set": times(
        {"timestamp": "0001-01-01T00:00:00Z"}, {"timestamp": None}, warned=(CONTESTED,)
    ),
    "a contradiction of an unreadable time": times(
        {"timestamp": MARCH},
        {"timestamp": "yesterday"},
        warned=(
            CONTESTED,
            'b statements[0].timestamp: "yesterday" is not a time, so the statement is treated as the newest',
        ),
    ),
    "a contradiction of an unreadable update": times(
        {"timestamp": MARCH},
        {"timestamp": JANUARY, "last_updated": 20260401},
        warned=(CONTESTED, "b statements[0].last_updated: "),
    ),
    "a contradiction of the future": times(
        {"timestamp": MARCH},
        {"last_updated": FUTURE},
        warned=(f"b statements[0].last_updated: {FUTURE} is in the future, so the statement is treated as",),
    ),
    "a contradiction elsewhere": times({}, {"products": [f"{REGISTRY}/other:1"]}, wins=True),
    "a contradiction of the main id, an exception of an alias": times(
        {"vulnerability": GHSA, "timestamp": MARCH}, {"timestamp": JANUARY}, wins=True
    ),
    "a contradiction under an alias": times(
        {"timestamp": JANUARY}, {"vulnerability": GHSA, "timestamp": MARCH}
    ),
    "it is being investigated": times(
        {"timestamp": JANUARY}, {"status": "under_investigation", "timestamp": MARCH}
    ),
    "the document's time": both("not_affected", wins=True, timestamp=MARCH),
    "the update of a document does not renew its exceptions": both(
        "not_affected", wins=False, timestamp=JANUARY, last_updated=MARCH
    ),
    "the update of a document renews its contradictions": both(
        "affected", wins=False, timestamp=JANUARY, last_updated=MARCH
    ),
    "the document's time of a contradiction": both("affected", wins=False, timestamp=MARCH),
    "an older contradiction": both("affected", wins=True, timestamp=JANUARY),
    "a document issued again does not renew times of its exceptions": Row(
        [
            document({"timestamp": JANUARY}, timestamp=MARCH, last_updated=MARCH),
            document(AFFECTED, timestamp=FEBRUARY),
        ],
        (),
    ),
    "the document's time is unreadable": Row(
        [document({}, {"vulnerability": TWO, "timestamp": MARCH}, timestamp="last week")],
        (TWO,),
        ('a timestamp: "last week" is not a time, so the statement is not used',),
    ),
    "the document is of the future": Row(
        [document({"timestamp": "0001-01-01T00:00:00Z"}, timestamp=FUTURE)],
        (),
        (f"a timestamp: {FUTURE} is in the future, so the statement is not used",),
    ),
    "two contradictions of one document are one warning": Row(
        [document({}, {"vulnerability": TWO}), document(AFFECTED, AFFECTED | {"vulnerability": TWO})],
        (),
        (CONTESTED,),
    ),
    "a higher version": editions(({}, 1), ({"vulnerability": TWO}, 2), (TWO,)),
    "versions are numbers": editions(({}, 10), ({"vulnerability": TWO}, 9), (ONE,)),
    "a higher version without what an older one contradicts": editions(
        (AFFECTED | {"timestamp": MARCH}, 1), ({}, 2), (ONE,)
    ),
    "the same version contradicts": editions(
        ({"timestamp": MARCH}, 2), (AFFECTED, 2), (), (CONTESTED, *SAME_VERSION)
    ),
    "the same version of other content": editions(
        ({}, 2), ({"vulnerability": TWO}, 2), (ONE, TWO), SAME_VERSION
    ),
    "the same document twice": editions(({}, 2), ({}, 2), (ONE,)),
    "the same twice without a version": editions(({}, None), ({}, None), (ONE,)),
    "no version": editions(({}, None), ({"vulnerability": TWO}, None), (), SAME_VERSION),
    "one version": editions(({}, 2), ({"vulnerability": TWO}, None), (), SAME_VERSION),
    "a version that is text": editions(({}, "2"), (AFFECTED | {"vulnerability": TWO}, 1), (), SAME_VERSION),
    "a version that is true": editions(({}, True), (AFFECTED, 2), (), SAME_VERSION),
    "a version that is a list": editions(({"timestamp": MARCH}, 2), (AFFECTED, []), (), SAME_VERSION),
}


def several(*changes: Json, shown: tuple[str, ...] = ("DSA-1",)) -> Row:
    """Statements on a finding DSA-1 that stands for two CVEs."""
    return Row([document(*changes)], shown, scans=(scan(found("DSA-1", ONE, TWO, GHSA)),))


def on(id_: str, **change: str) -> Json:
    return {"vulnerability": id_} | change


def two_architectures(*products: Any, shown: tuple[str, ...] = ()) -> Row:
    """Scans of two digests of one version, for amd64 and arm64."""
    versions = f"[{{version: '1', digest: ['{DIGEST}', '{OTHER}']}}]"
    scans = (scan(found()), scan(found(), of=OTHER, platform="linux/arm64"))
    return Row([document({"products": [*products]})], shown, (), scans, versions)


def digests(listed: list[str], scanned: str, stated: str, *, matches: bool) -> Row:
    """Digests on the page, in the scan, and in the statement."""
    versions = f"[{{version: '1', digest: {json.dumps(listed) if listed[1:] else json.dumps(listed[0])}}}]"
    versions = versions if listed[0] else "['1']"
    return Row(
        [document({"products": [stated]})],
        (ONE,) if matches else (),
        (),
        (scan(found(), of=scanned),),
        versions,
    )


def twice(*products: Any, shown: tuple[str, ...] = ()) -> Row:
    """One row of two findings, of npm's and PyPI's package of a name."""
    findings = [
        found(ONE, alias, pkg="lib", purl=f"pkg:{kind}/lib@1.3", locations=[{"path": f"/{kind}"}])
        for kind, alias in (("npm", "GHSA-aaaa-aaaa-aaaa"), ("pypi", "GHSA-bbbb-bbbb-bbbb"))
    ]
    return Row([document({"products": [*products]})], shown, scans=(scan(*findings),))


NPM, PYPI = {"@id": "pkg:npm/lib"}, {"@id": "pkg:pypi/lib"}
FINDINGS: dict[str, Row] = {
    "several CVEs: its own id": several(on("dsa-1")),
    "several CVEs: one of them": several(on(ONE), shown=()),
    "several CVEs: the other": several(on(TWO), shown=()),
    "several CVEs: another alias": several(on(GHSA), shown=()),
    "several CVEs: one and another alias": several(on(ONE), on(GHSA), shown=()),
    "several CVEs: all of them": several(on(ONE.lower()), on(TWO)),
    "several CVEs: one statement with both": several({"vulnerability": {"name": ONE, "aliases": [TWO]}}),
    "several CVEs: one is affected": several(
        on("DSA-1"), on(ONE, status="affected", timestamp=MARCH), shown=()
    ),
    "several CVEs: its own id is affected": several(
        on(ONE), on(TWO), on("DSA-1", status="affected", timestamp=MARCH), shown=()
    ),
    "several CVEs: another alias is affected": several(
        on(ONE), on(TWO), on(GHSA, status="affected", timestamp=MARCH), shown=()
    ),
    "several CVEs: one was affected": several(
        on(ONE, status="affected", timestamp=FEBRUARY), on("DSA-1", timestamp=MARCH)
    ),
    "a CVE among the aliases of another is not it": Row(
        [document(on(ONE))], (ONE,), scans=(scan(found(ONE, TWO)),)
    ),
    "nor is it covered by it": Row([document(on(TWO))], (), scans=(scan(found(ONE, TWO)),)),
    "but it contradicts": Row(
        [document(on(ONE), on(TWO, status="affected", timestamp=MARCH))], (), scans=(scan(found(ONE, TWO)),)
    ),
    "an id of Amazon in another case": Row(
        [document({"vulnerability": "alas2-2026-1"})], ("ALAS2-2026-1",), scans=(scan(found("ALAS2-2026-1")),)
    ),
    "one package of a row": twice({"@id": WEB, "subcomponents": [NPM]}),
    "one package as the product": twice("pkg:npm/lib"),
    "all packages of a row": twice({"@id": WEB, "subcomponents": [NPM, PYPI]}, shown=(ONE,)),
    "all packages as products": twice("pkg:npm/lib", "pkg:pypi/lib", shown=(ONE,)),
    "an alias of one finding": Row(
        [document({"vulnerability": "GHSA-bbbb-bbbb-bbbb"})], (), scans=twice().scans
    ),
    "a package needs a package URL": Row(
        [document({"products": ["pkg:deb/debian/zlib1g"]})], (), scans=(scan(found()),)
    ),
    "one architecture": two_architectures(f"{WEB}&platform=linux/amd64"),
    "the other architecture": two_architectures(f"{WEB}&platform=linux/arm64"),
    "both architectures": two_architectures(
        *(f"{WEB}&platform=linux/{name}" for name in ("amd64", "arm64/v8")), shown=(ONE,)
    ),
    "one digest of two": two_architectures(f"pkg:oci/web@{DIGEST}"),
    "one digest in two forms": two_architectures(f"{WEB}&arch=amd64", DIGEST),
    "both digests": two_architectures(f"pkg:oci/web@{DIGEST}", OTHER, shown=(ONE,)),
    "all of the image": two_architectures(WEB, shown=(ONE,)),
    "an unknown platform": Row(
        [document({"products": [f"{WEB}&platform=linux/amd64", f"{WEB}&arch=amd64&os=linux"]})],
        (),
        scans=(scan(found(), platform=""),),
    ),
    "every arm64 is a v8": Row(
        [document({"products": [f"{WEB}&platform=linux/arm64"]})],
        (ONE,),
        scans=(scan(found(), platform="linux/arm64/v8"),),
    ),
    "the page's only digest": digests([DIGEST], "", DIGEST, matches=True),
    "one of the page's digests, not known which": digests([DIGEST, OTHER], "", DIGEST, matches=False),
    "the scan's digest": digests([DIGEST, OTHER], OTHER, OTHER, matches=True),
    "the scan's other digest": digests([DIGEST, OTHER], OTHER, DIGEST, matches=False),
    "a scan of another digest than the page's": digests([DIGEST], OTHER, DIGEST, matches=False),
    "the digest of a scan of another": digests([DIGEST], OTHER, OTHER, matches=True),
    "a digest only in the scan": digests([""], OTHER, OTHER, matches=True),
}


TABLES: dict[str, dict[str, Row]] = {
    "products": {
        f"{product}": outcome({"products": [product]}, expected, "statements[0].products[0]")
        for product, expected in PRODUCTS
    },
    "parts": {
        f"{part} {finding}": outcome(
            {"products": [{"@id": WEB, "subcomponents": [{"@id": "pkg:x/y"}, part]}]},
            expected,
            "statements[0].products[0].subcomponents[1]",
            scans=(scan(finding),),
        )
        for part, finding, expected in PARTS
    },
    "vulnerabilities": {
        f"{vulnerability}": outcome({"vulnerability": vulnerability}, expected, "statements[0].vulnerability")
        for vulnerability, expected in VULNERABILITIES
    },
    "statements": {
        f"{change}": Row(
            [document(change)],
            (ONE,) if expected is True else (),
            (f"a statements[0]{expected}",) if isinstance(expected, str) else (),
        )
        for change, expected in STATEMENTS
    },
    "when": WHEN,
    "findings": FINDINGS,
}
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
        site.image(slug, f"versions: {of_its_own(row.versions, slug)}")
        for number, report in enumerate(row.scans):
            path = f"{slug}/1.json" if len(row.scans) == 1 else f"{slug}-{number}.json"
            site.report(path, of_its_own(report, slug))
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
    for name, places in (("cves", "data"), ("suppressed", "suppressed")):
        for id_ in {each["id"] for each in record[name]}:
            assert slug in {place["slug"] for place in catalog.json(f"cves/{id_}.json")[places]}, id_
    return tuple(each["id"] for each in record["suppressed"])


def check_table(catalog: Result, table: str) -> None:
    told, got, wanted = warnings(catalog), {}, {}
    for name, row in TABLES[table].items():
        slug = NAMED[table, name]
        shown, expected = of_its_own(row.shown, slug), of_its_own(row.warned, slug)
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


def test_products(catalog: Result) -> None:
    check_table(catalog, "products")


def test_subcomponents(catalog: Result) -> None:
    check_table(catalog, "parts")


def test_vulnerabilities(catalog: Result) -> None:
    check_table(catalog, "vulnerabilities")


def test_what_a_statement_needs(catalog: Result) -> None:
    check_table(catalog, "statements")


def test_the_newest_statement_counts(catalog: Result) -> None:
    check_table(catalog, "when")


def test_every_finding_of_a_row_must_be_covered(catalog: Result) -> None:
    check_table(catalog, "findings")


def test_published_documents_read_again_suppress_no_more(catalog: Result, tmp_path: Path) -> None:
    site = prepared(tmp_path)
    shutil.copytree(catalog.api / "vex", tmp_path / "vex", ignore=shutil.ignore_patterns("*.gz"))
    again = site.build()
    for (table, _), slug in NAMED.items():
        before, after = seen(catalog, slug), seen(again, slug)
        assert {*after} <= {*before}, slug
        assert after == before or table not in ("vulnerabilities", "statements"), slug


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


REFUSED = [
    (b"", "the file is empty"),
    (b"nope", "not JSON"),
    (b"\xff\xfe", "the file is empty"),
    (b"[]", "not an OpenVEX document"),
    (b'{"@context": "https://example.org", "statements": []}', "not an OpenVEX document"),
    (b'{"@context": "https://openvex.dev/ns/v0.2.0"}', "`statements` is missing"),
    (written(statements={}), "`statements` is not a list"),
    (written(statements=[5]), "`statements[0]` is not an object"),
    (written({"products": {}}), "`statements[0].products` is not a list"),
    (
        written({"products": [{"subcomponents": "zlib"}]}),
        "`statements[0].products[0].subcomponents` is not a list",
    ),
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
