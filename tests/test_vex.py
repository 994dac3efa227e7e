"""OpenVEX documents: what is read of them, and which statement speaks of which finding."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.statements import Component, Purl
from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.sources.reports.openvex import VexDocument, read_vex
from tests.report_files import DIGEST, damaged
from tests.sites import openvex

ID = "https://acme.example/vex/1"
WEB = "pkg:oci/web?repository_url=ghcr.io/acme/web"
STATEMENT: dict[str, Any] = {
    "vulnerability": {"name": "CVE-2026-0001"},
    "products": [{"@id": WEB}],
    "status": "not_affected",
    "justification": "component_not_present",
}


def document(*statements: Any, **fields: Any) -> dict[str, Any]:
    return openvex(*statements, **{"@id": ID} | fields)


def read(*statements: Any, **fields: Any) -> VexDocument:
    return read_vex(json.dumps(document(*statements, **fields)).encode())


def test_a_statement() -> None:
    found = read(
        {
            "vulnerability": {
                "@id": "https://nvd.nist.gov/vuln/detail/CVE-2026-0001",
                "name": "CVE-2026-0001",
                "aliases": ["GHSA-cfh5-3ghh-wfjx"],
            },
            "timestamp": "2026-02-01T01:00:00.25+01:00",
            "products": [
                {
                    "@id": "ghcr.io/acme/web:1",
                    "identifiers": {"purl": f"pkg:oci/web@{DIGEST}"},
                    "hashes": {"sha-256": "A" * 64, "md5": "0"},
                    "subcomponents": [{"@id": "pkg:deb/debian/zlib1g@1.3%2Bdfsg"}],
                }
            ],
            "status": "not_affected",
            "justification": "component_not_present",
            "impact_statement": "Not\nthere",
        },
        author="Acme",
    )
    (statement,), () = found.statements, found.problems
    (product,) = statement.products
    assert (statement.name, statement.author) == ("CVE-2026-0001", "Acme")
    assert statement.ids == ("CVE-2026-0001", "GHSA-cfh5-3ghh-wfjx")
    assert (statement.status, statement.suppresses) == ("not_affected", True)
    assert (statement.justification, statement.impact_statement) == ("component_not_present", "Not there")
    assert statement.timestamp == "2026-02-01T00:00:00.25"
    assert (statement.document, statement.index) == (ID, 0)
    assert product.component == Component(
        "ghcr.io/acme/web:1", (("purl", f"pkg:oci/web@{DIGEST}"),), (("sha-256", "A" * 64), ("md5", "0"))
    )
    assert product.parts == (Component("pkg:deb/debian/zlib1g@1.3%2Bdfsg"),)


def test_the_time_of_the_document_stands_for_that_of_a_statement() -> None:
    (statement,) = read(STATEMENT).statements
    assert statement.timestamp == "2026-01-01T00:00:00"


def test_old_forms_in_plain_text() -> None:
    (statement,) = read(
        {
            "vulnerability": "CVE-2026-0001",
            "products": ["pkg:oci/a?repository_url=b", "pkg:oci/c?repository_url=d"],
            "subcomponents": ["pkg:apk/wolfi/zlib"],
            "status": "fixed",
        }
    ).statements
    assert statement.ids == ("CVE-2026-0001",)
    assert [product.parts for product in statement.products] == [(Component("pkg:apk/wolfi/zlib"),)] * 2


@pytest.mark.parametrize(
    ("statement", "field", "message"),
    [
        ({**STATEMENT, "vulnerability": {}}, "statements[0].vulnerability", "has no vulnerability"),
        ({**STATEMENT, "status": "ok"}, "statements[0].status", 'unknown status "ok"'),
        ({**STATEMENT, "status": None}, "statements[0].status", 'unknown status ""'),
        ({**STATEMENT, "justification": ""}, "statements[0]", "on CVE-2026-0001 has no reason why"),
        (
            {**STATEMENT, "justification": "not_presnt"},
            "statements[0].justification",
            "unknown justification",
        ),
        ({**STATEMENT, "products": []}, "statements[0].products", "has no product"),
        ({**STATEMENT, "timestamp": "15 Jan 2026"}, "statements[0].timestamp", '"15 Jan 2026" is not a time'),
        ({**STATEMENT, "timestamp": 5}, "statements[0].timestamp", '"5" is not a time'),
        ({**STATEMENT, "subComponents": []}, "statements[0]", "`subComponents` is not a key of OpenVEX"),
        ({**STATEMENT, "vulnerability": {"nme": "X", "@id": "CVE-1"}}, "statements[0]", "`nme` is not a key"),
    ],
)
def test_a_statement_that_says_too_little_is_left_out(
    statement: dict[str, Any], field: str, message: str
) -> None:
    found = read(statement, STATEMENT)
    assert [kept.index for kept in found.statements] == [1]
    (fault,) = found.problems
    assert fault.field == field
    assert message in fault.message
    assert fault.hint


@pytest.mark.parametrize("unset", [None, "", "0001-01-01T00:00:00Z"])
def test_a_time_that_is_not_set_is_none(unset: str | None) -> None:
    (statement,) = read({**STATEMENT, "timestamp": unset}).statements
    assert statement.timestamp == read(STATEMENT).statements[0].timestamp


def test_the_time_of_the_document_is_the_one_that_is_told_where_a_statement_has_none() -> None:
    unset = {**STATEMENT, "timestamp": "0001-01-01T00:00:00Z"}
    for time, message in [
        ("2999-01-01T00:00:00Z", "is in the future"),
        ("soon", '"soon" is not a time'),
    ]:
        (fault,) = read(unset, timestamp=time).problems
        assert (fault.field, message in fault.message) == ("timestamp", True)


def test_without_a_time_that_can_be_read_no_statement_of_the_document_counts() -> None:
    own = {**STATEMENT, "timestamp": "2026-03-01T00:00:00Z"}
    found = read(STATEMENT, own, timestamp="last week")
    assert [kept.index for kept in found.statements] == [1]
    assert [fault.field for fault in found.problems] == ["timestamp"]


@pytest.mark.parametrize(
    ("change", "suppresses"),
    [
        ({"justification": "", "impact_statement": "It is not built in"}, True),
        ({"status": "fixed", "justification": ""}, True),
        ({"status": "affected", "justification": ""}, False),
        ({"status": "under_investigation", "justification": ""}, False),
    ],
)
def test_what_a_status_means(change: dict[str, str], suppresses: bool) -> None:
    (statement,) = read({**STATEMENT, **change}).statements
    assert statement.suppresses is suppresses


def test_a_misspelt_key_is_told_and_does_not_silence_what_shows_more() -> None:
    found = read({**STATEMENT, "status": "affected", "impact_statment": "x"}, author="me", authr="you")
    assert [kept.status for kept in found.statements] == ["affected"]
    assert [(fault.field, fault.message) for fault in found.problems] == [
        ("", "`authr` is not a key of OpenVEX"),
        ("statements[0]", "`impact_statment` is not a key of OpenVEX"),
    ]
    assert [fault.hint for fault in found.problems] == [
        "did you mean `author`?",
        "did you mean `impact_statement`?",
    ]


def test_keys_that_say_that_they_are_an_extension_are_left_alone() -> None:
    product = {"@id": "ghcr.io/acme/web", "@type": "Product"}
    found = read({**STATEMENT, "products": [product], "x-ticket": "A-1", "acme:id": 1, "_id": 2})
    assert (len(found.statements), found.problems) == (1, ())


@pytest.mark.parametrize(
    ("product", "field", "message"),
    [
        ("pkg:oci/web", "", '"pkg:oci/web" matches nothing: it has no registry'),
        (f"{WEB}&arch=amd64&variant=v8", "", "the qualifier `variant` is unknown"),
        (f"{WEB}&tag=1&tag=2", "", "one of its qualifiers is given twice"),
        (f"{WEB}#usr/bin", "", "a path in an image is not allowed"),
        (f"{WEB}&platform=arm64", "", "'arm64' is not a platform"),
        ("pkg:oci/web@sha256:abc", "", 'its version "sha256:abc" is not a digest'),
        ("pkg:oci/web?repository_url=https://ghcr.io/acme/web", "", "is not a repository"),
        ("pkg:oci", "", "this is not a package URL"),
        ("https://acme.example/web", "", "names neither an image nor a package"),
        ("cpe:2.3:a:acme:web:1:*:*:*:*:*:*:*", "", "no CPEs of images"),
        ("", "", '"" matches nothing: `@id` is unknown here'),
        ({"@id": WEB, "subComponents": ["zlib"]}, "", "`subComponents` is unknown here"),
        ({"@id": WEB, "hashes": ["x"]}, "", "`hashes` is unknown here"),
        ({"@id": WEB, "hashes": {"md5": "0"}}, "", "its hashes are not digests of an image"),
        ({"@id": "pkg:deb/debian/a", "hashes": {"sha-256": "0" * 64}}, "", "hashes of packages"),
        ({"@id": WEB, "subcomponents": ["pkg:deb"]}, ".subcomponents[0]", "this is not a package URL"),
        ({"@id": WEB, "subcomponents": [{"name": "a"}]}, ".subcomponents[0]", "`name` is unknown"),
        ({"@id": WEB, "subcomponents": ["https://a.b/c"]}, ".subcomponents[0]", "does not name a package"),
        ({"@id": WEB, "subcomponents": [WEB]}, ".subcomponents[0]", "an image can't be a package"),
        (
            {"@id": WEB, "subcomponents": [{"@id": "a", "hashes": {"md5": "0"}}]},
            ".subcomponents[0]",
            "scans contain no hashes of packages",
        ),
    ],
)
def test_a_product_that_is_not_understood_is_named(product: Any, field: str, message: str) -> None:
    (fault,) = read({**STATEMENT, "products": [STATEMENT["products"][0], product]}).problems
    assert fault.field == f"statements[0].products[1]{field}"
    assert message in fault.message
    assert fault.hint


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("not_affected", "2999-01-01T00:00:00Z is in the future, so the statement is not used"),
        ("affected", "2999-01-01T00:00:00Z is in the future, so the statement is treated as the newest"),
    ],
)
@pytest.mark.parametrize("of", ["statements[0].timestamp", "timestamp"])
def test_a_time_in_the_future_is_told(status: str, message: str, of: str) -> None:
    time = {"timestamp": "2999-01-01T00:00:00Z"}
    said = {**STATEMENT, "status": status}
    found = read(said, **time) if of == "timestamp" else read({**said, **time})
    assert [(fault.field, fault.message) for fault in found.problems] == [(of, message)]
    assert [kept.status for kept in found.statements] == [status] * (status == "affected")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_documents_that_only_the_patient_reading_understands_say_the_same(encoding: str) -> None:
    statement = {
        **STATEMENT,
        "products": [
            WEB,
            {"@id": WEB, "identifiers": {"purl": WEB}, "subcomponents": ["pkg:apk/wolfi/zlib"]},
        ],
    }
    whole = document(statement, {**STATEMENT, "vulnerability": "CVE-2026-0002"}, author="Acme", version=1)
    assert read_vex(json.dumps(whole).encode(encoding)) == read_vex(json.dumps(whole).encode())
    assert read_vex(json.dumps(whole | {"x-a": 1}).encode()) == read_vex(json.dumps(whole).encode())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"nope", "not JSON"),
        (b"[]", "not an OpenVEX document"),
        (b'{"@context": "https://example.org", "statements": []}', "not an OpenVEX document"),
        (b'{"@context": "https://openvex.dev/ns/v0.2.0"}', "`statements` is missing"),
        (json.dumps(document(statements={})).encode(), "`statements` is not a list"),
        (json.dumps(document(5)).encode(), "`statements[0]` is not an object"),
        (
            json.dumps(document({**STATEMENT, "products": {}})).encode(),
            "`statements[0].products` is not a list",
        ),
        (
            json.dumps(document({**STATEMENT, "products": [{"subcomponents": "zlib"}]})).encode(),
            "`statements[0].products[0].subcomponents` is not a list",
        ),
    ],
)
def test_what_is_no_openvex_document_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(RefusedError, match="^" + reason.replace("[", r"\[").replace("]", r"\]")) as caught:
        read_vex(data)
    assert "OpenVEX" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("pkg:deb/debian/lz4@1.10.0-4?arch=amd64", ("deb", "debian", "lz4", "1.10.0-4", {"arch": "amd64"})),
        ("PKG:npm/%40angular/core@1.0", ("npm", "@angular", "core", "1.0", {})),
        ("pkg:npm/@angular/core", ("npm", "@angular", "core", "", {})),
        (
            "pkg:golang/github.com/a/b@v1.2.3#sub/dir",
            ("golang", "github.com/a", "b", "v1.2.3", {}, "sub/dir"),
        ),
        ("pkg:pypi/Flask_Login@1+x", ("pypi", "", "flask-login", "1+x", {})),
        (
            "pkg:oci/web@sha256%3Aab?repository_url=ghcr.io%2Facme/web&Tag=1+2",
            ("oci", "", "web", "sha256:ab", {"repository_url": "ghcr.io/acme/web", "tag": "1+2"}),
        ),
    ],
)
def test_package_urls(text: str, parts: tuple[Any, ...]) -> None:
    kind, namespace, name, version, qualifiers, *subpath = parts
    assert Purl.parse(text) == Purl(kind, namespace, name, version, frozenset(qualifiers.items()), *subpath)


@pytest.mark.parametrize(
    "text", ["", "pkg:", "pkg:deb", "pkg:/x", "pkg:deb/", "ghcr.io/acme/web:1", "pkg:deb/@1/"]
)
def test_what_is_no_package_url(text: str) -> None:
    found = Purl.parse(text)
    assert found is None or found.name == "@1"


@given(seed=st.randoms(use_true_random=False))
def test_damaged_documents(seed: random.Random) -> None:
    whole = document(STATEMENT, {**STATEMENT, "vulnerability": "CVE-2026-0002"})
    try:
        read_vex(damaged(whole, seed))
    except RefusedError as error:
        assert error.hint
