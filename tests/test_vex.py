"""OpenVEX documents: what is read of them, and which statement speaks of which finding."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.purl import Purl
from mkdocs_catalog_api.reports import ReportError
from mkdocs_catalog_api.reports.openvex import VexDocument, read_vex
from tests.report_files import damaged

ID = "https://acme.example/vex/1"
STATEMENT = {
    "vulnerability": {"name": "CVE-2026-0001"},
    "products": [{"@id": "pkg:oci/web?repository_url=ghcr.io/acme/web"}],
    "status": "not_affected",
    "justification": "component_not_present",
}


def document(*statements: Any, **fields: Any) -> dict[str, Any]:
    head = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": ID, "timestamp": "2026-01-01T00:00:00Z"}
    return {**head, "statements": list(statements), **fields}


def read(*statements: Any, **fields: Any) -> VexDocument:
    return read_vex(json.dumps(document(*statements, **fields)).encode())


def test_a_statement() -> None:
    (statement,) = read(
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
                    "identifiers": {"purl": "pkg:oci/web@sha256%3Aabc"},
                    "hashes": {"sha-256": "ABC", "md5": "0"},
                    "subcomponents": [{"@id": "pkg:deb/debian/zlib1g@1.3%2Bdfsg"}],
                }
            ],
            "status": "not_affected",
            "justification": "component_not_present",
            "impact_statement": "Not\nthere",
        }
    ).statements
    (product,) = statement.products
    assert statement.ids == ("CVE-2026-0001", "GHSA-cfh5-3ghh-wfjx")
    assert (statement.status, statement.suppresses) == ("not_affected", True)
    assert (statement.justification, statement.impact_statement) == ("component_not_present", "Not there")
    assert statement.timestamp is not None
    assert statement.timestamp.isoformat() == "2026-02-01T00:00:00.250000+00:00"
    assert (statement.document, statement.index) == (ID, 0)
    assert product.names == ("ghcr.io/acme/web:1",)
    assert product.purls == (Purl("oci", "", "web", "sha256:abc", {}),)
    assert product.digests == ("sha256:abc",)
    assert [part.purls for part in product.parts] == [(Purl("deb", "debian", "zlib1g", "1.3+dfsg", {}),)]


def test_the_time_of_the_document_stands_for_that_of_a_statement() -> None:
    (statement,) = read(STATEMENT).statements
    assert statement.timestamp is not None
    assert statement.timestamp.isoformat() == "2026-01-01T00:00:00+00:00"


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
    assert [[part.purls[0].name for part in product.parts] for product in statement.products] == [
        ["zlib"],
        ["zlib"],
    ]


@pytest.mark.parametrize(
    ("statement", "field", "message"),
    [
        ({**STATEMENT, "vulnerability": {}}, "statements[0].vulnerability", "names no vulnerability"),
        ({**STATEMENT, "status": "ok"}, "statements[0].status", 'no status "ok" is known'),
        ({**STATEMENT, "status": None}, "statements[0].status", 'no status "" is known'),
        ({**STATEMENT, "justification": ""}, "statements[0]", "on CVE-2026-0001 does not say why"),
        ({**STATEMENT, "justification": "not_presnt"}, "statements[0].justification", "no justification"),
        ({**STATEMENT, "products": []}, "statements[0].products", "names no product"),
        ({**STATEMENT, "timestamp": "15 Jan 2026"}, "statements[0].timestamp", '"15 Jan 2026" is no time'),
    ],
)
def test_a_statement_that_says_too_little_is_left_out(
    statement: dict[str, Any], field: str, message: str
) -> None:
    found = read(statement, STATEMENT)
    assert [kept.index for kept in found.statements] == [1]
    (fault,) = found.faults
    assert fault.field == field
    assert message in fault.message
    assert fault.hint


@pytest.mark.parametrize("unset", [None, "", "0001-01-01T00:00:00Z"])
def test_a_time_that_is_not_set_is_none(unset: str | None) -> None:
    (statement,) = read({**STATEMENT, "timestamp": unset}).statements
    assert statement.timestamp == read(STATEMENT).statements[0].timestamp


def test_without_a_time_that_can_be_read_no_statement_of_the_document_counts() -> None:
    own = {**STATEMENT, "timestamp": "2026-03-01T00:00:00Z"}
    found = read(STATEMENT, own, timestamp="last week")
    assert [kept.index for kept in found.statements] == [1]
    assert [fault.field for fault in found.faults] == ["timestamp"]


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
    with pytest.raises(ReportError, match="^" + reason.replace("[", r"\[").replace("]", r"\]")) as caught:
        read_vex(data)
    assert "OpenVEX" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("pkg:deb/debian/lz4@1.10.0-4?arch=amd64", ("deb", "debian", "lz4", "1.10.0-4", {"arch": "amd64"})),
        ("PKG:npm/%40angular/core@1.0", ("npm", "@angular", "core", "1.0", {})),
        ("pkg:npm/@angular/core", ("npm", "@angular", "core", "", {})),
        ("pkg:golang/github.com/a/b@v1.2.3#sub/dir", ("golang", "github.com/a", "b", "v1.2.3", {})),
        ("pkg:pypi/Flask_Login@1+x", ("pypi", "", "flask-login", "1+x", {})),
        (
            "pkg:oci/web@sha256%3Aab?repository_url=ghcr.io%2Facme/web&Tag=1+2",
            ("oci", "", "web", "sha256:ab", {"repository_url": "ghcr.io/acme/web", "tag": "1+2"}),
        ),
    ],
)
def test_package_urls(text: str, parts: tuple[Any, ...]) -> None:
    assert Purl.parse(text) == Purl(*parts)


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
    except ReportError as error:
        assert error.hint
