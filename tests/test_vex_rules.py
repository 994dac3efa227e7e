"""The rules of VEX matching, each over a whole build: what is counted, and what a warning names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, match, row, trivy
from .test_vex_build import DOCUMENT, NGINX, ONE, TWO, ids, vex

AFFECTED = {"status": "affected"}
JANUARY, MARCH = "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"


@pytest.fixture
def nginx(site: SiteFolder) -> SiteFolder:
    """An image with one release that has two vulnerabilities, and published statements."""
    site.settings["security"] = {"publish_vex": True}
    site.image("nginx", f"versions: [{{version: '1', digest: '{digest(1)}'}}]")
    report = trivy([row(ONE), row(TWO)], digest=f"{REGISTRY}/nginx@{digest(1)}")
    site.report("nginx/1.json", report)
    return site


def suppressed(result: Result) -> list[str]:
    """What the catalog shows as suppressed, everywhere the same."""
    record = result.json("security/nginx.json")["latest"]
    shown: list[str] = ids(record, "suppressed")
    for id_ in (ONE, TWO):
        document = result.json(f"cves/{id_}.json")
        assert [bool(document["data"]), bool(document["suppressed"])] == [id_ not in shown, id_ in shown]
    hex_ = digest(1).removeprefix("sha256:")
    (entry,) = result.json(f"digests/sha256/{hex_}.json")["data"]
    assert (entry["security"]["total"], entry["security"]["suppressed"]) == (2 - len(shown), len(shown))
    file = result.api / "vex/nginx.json"
    published = json.loads(file.read_bytes())["statements"] if file.exists() else []
    told = {
        id_
        for each in published
        if each["status"] in ("not_affected", "fixed")
        for id_ in (each["vulnerability"]["name"], *each["vulnerability"]["aliases"])
    }
    assert told & {ONE, TWO} == {*shown}
    return shown


def warned(result: Result) -> list[tuple[str, str]]:
    """Code and place (file and field) of each warning."""
    places = [": ".join(text.split(": ")[:2]) for text in result.logged()]
    return list(zip(result.codes[-len(places) :] if places else [], places, strict=True))


CONTESTED = [("CAT041", "vex/a.json: statements[0]")]


@pytest.mark.parametrize(
    ("exception", "other", "wins", "places"),
    [
        ({"timestamp": MARCH}, {"timestamp": JANUARY}, True, []),
        ({"timestamp": JANUARY}, {"timestamp": MARCH}, False, []),
        ({"timestamp": JANUARY}, {"timestamp": JANUARY, "last_updated": MARCH}, False, []),
        ({"timestamp": JANUARY, "last_updated": MARCH}, {"timestamp": "2026-02-01T00:00:00Z"}, False, []),
        ({"timestamp": MARCH}, {"timestamp": MARCH}, False, CONTESTED),
        ({"timestamp": MARCH}, {"timestamp": "2026-03-01T01:00:00+01:00"}, False, CONTESTED),
        ({"timestamp": MARCH}, {"timestamp": "2026-03-01T00:30:00+01:00"}, True, []),
        ({"timestamp": "2026-03-01T00:00:00.000000002Z"}, {"timestamp": MARCH}, True, []),
        (
            {"timestamp": "2026-03-01T00:00:00.000000002Z"},
            {"timestamp": "2026-03-01T00:00:00.000000010Z"},
            False,
            [],
        ),
        ({"timestamp": MARCH}, {}, False, CONTESTED),
        ({}, {"timestamp": MARCH}, False, CONTESTED),
        ({}, {}, False, CONTESTED),
        ({"timestamp": "0001-01-01T00:00:00Z"}, {"timestamp": None}, False, CONTESTED),
        (
            {"timestamp": MARCH},
            {"timestamp": "yesterday"},
            False,
            [*CONTESTED, ("CAT041", "vex/b.json: statements[0].timestamp")],
        ),
        (
            {"timestamp": MARCH},
            {"timestamp": JANUARY, "last_updated": 20260401},
            False,
            [*CONTESTED, ("CAT041", "vex/b.json: statements[0].last_updated")],
        ),
        (
            {"timestamp": "yesterday"},
            {"timestamp": JANUARY},
            False,
            [("CAT041", "vex/a.json: statements[0].timestamp")],
        ),
    ],
)
def test_the_times_of_statements(
    nginx: SiteFolder,
    exception: dict[str, Any],
    other: dict[str, Any],
    wins: bool,
    places: list[tuple[str, str]],
) -> None:
    vex(nginx, exception, timestamp="")
    vex(nginx, AFFECTED | other, name="b", timestamp="")
    result = built(nginx)
    assert suppressed(result) == [ONE] * wins
    assert warned(result) == places


@pytest.mark.parametrize(
    ("status", "fields", "wins"),
    [
        ("not_affected", {"timestamp": MARCH}, True),
        ("not_affected", {"timestamp": JANUARY, "last_updated": MARCH}, False),
        ("affected", {"timestamp": JANUARY, "last_updated": MARCH}, False),
        ("affected", {"timestamp": MARCH}, False),
    ],
)
def test_the_time_of_a_document(nginx: SiteFolder, status: str, fields: dict[str, str], wins: bool) -> None:
    """`last_updated` refreshes only what does not suppress."""
    vex(nginx, {"status": status}, **fields)
    other = "affected" if status == "not_affected" else "not_affected"
    vex(nginx, {"status": other, "timestamp": "2026-02-01T00:00:00Z"}, name="b", timestamp="")
    result = built(nginx)
    assert suppressed(result) == [ONE] * wins
    assert result.logged() == []


def test_a_document_that_is_issued_again_does_not_refresh_the_time_of_an_exception(nginx: SiteFolder) -> None:
    vex(nginx, {"timestamp": JANUARY}, timestamp=MARCH, last_updated=MARCH)
    vex(nginx, AFFECTED, name="b", timestamp="2026-02-01T00:00:00Z")
    assert suppressed(built(nginx)) == []


def test_ties_of_two_documents_are_one_warning(nginx: SiteFolder) -> None:
    vex(nginx, {}, {"vulnerability": TWO})
    vex(nginx, AFFECTED, AFFECTED | {"vulnerability": TWO}, name="b")
    result = built(nginx)
    assert suppressed(result) == []
    assert warned(result) == CONTESTED


VERSION = [("CAT041", f"vex/{name}.json: version") for name in "ab"]


@pytest.mark.parametrize(
    ("first", "second", "shown", "places"),
    [
        (({}, 1), ({"vulnerability": TWO}, 2), [TWO], []),
        (({}, 10), ({"vulnerability": TWO}, 9), [ONE], []),
        ((AFFECTED | {"timestamp": MARCH}, 1), ({}, 2), [ONE], []),
        (({"timestamp": MARCH}, 2), (AFFECTED, 2), [], [*CONTESTED, *VERSION]),
        (({}, 2), ({"vulnerability": TWO}, 2), [ONE, TWO], VERSION),
        (({}, 2), ({}, 2), [ONE], []),
        (({}, None), ({}, None), [ONE], []),
        (({}, None), ({"vulnerability": TWO}, None), [], VERSION),
        (({}, 2), ({"vulnerability": TWO}, None), [], VERSION),
        (({}, "2"), (AFFECTED | {"vulnerability": TWO}, 1), [], VERSION),
        (({}, True), (AFFECTED, 2), [], VERSION),
        (({"timestamp": MARCH}, 2), (AFFECTED, []), [], VERSION),
    ],
)
def test_versions_of_one_document(
    nginx: SiteFolder,
    first: tuple[dict[str, Any], object],
    second: tuple[dict[str, Any], object],
    shown: list[str],
    places: list[tuple[str, str]],
) -> None:
    for name, (statement, version) in (("a", first), ("b", second)):
        given = {} if version is None else {"version": version}
        vex(nginx, statement, name=name, **{"@id": DOCUMENT}, **given)
    result = built(nginx)
    assert suppressed(result) == shown
    assert warned(result) == places


def test_an_older_version_is_named_in_a_note(nginx: SiteFolder) -> None:
    vex(nginx, {}, version=1)
    vex(nginx, {}, name="b", version=2, **{"@id": DOCUMENT})
    result = built(nginx)
    assert [text for text in result.logged(20) if text.startswith("vex/a.json: version: ")]
    assert result.json("security.json")["suppressed"] == 1


CPE = "cpe:2.3:a:acme:nginx:1:*:*:*:*:*:*:*"
PART = "pkg:wolfi/openssl"


@pytest.mark.parametrize(
    "product",
    [
        {"@id": NGINX, "identifiers": {"cpe23": CPE}},
        {"@id": NGINX, "identifiers": {"cpe22": "cpe:/a:acme:nginx:1"}},
        {"@id": CPE, "identifiers": {"purl": NGINX}},
        {"@id": CPE, "hashes": {"sha-256": digest(1)[7:]}},
        {"@id": NGINX, "identifiers": {"purl": NGINX, "cpe23": CPE}},
        {"@id": NGINX, "identifiers": {"purl": [NGINX]}},
        {"@id": NGINX, "identifiers": {"purl": None}},
        {"@id": NGINX, "identifiers": {"purl": " "}},
        {"@id": NGINX, "identifiers": {"name": "nginx"}},
        {"@id": NGINX, "identifiers": NGINX},
        {"@id": 7, "identifiers": {"purl": NGINX}},
        {"@id": "", "identifiers": {"purl": NGINX}},
        {"@id": NGINX, "hashes": {"sha-256": digest(1)[7:], "sha-512": 1}},
        {"@id": f"{NGINX}&channel=stable"},
        {"@id": f"{NGINX}&tag="},
        {"@id": f"pkg:oci/nginx@{digest(1)}?repository_url={REGISTRY}/nginx&channel=stable"},
    ],
)
def test_a_product_with_an_identifier_that_is_not_understood_matches_nothing(
    nginx: SiteFolder, product: dict[str, Any]
) -> None:
    vex(nginx, {"products": [product]})
    result = built(nginx)
    assert suppressed(result) == []
    assert warned(result) == [("CAT041", "vex/a.json: statements[0].products[0]")]


@pytest.mark.parametrize(
    "part",
    [
        {"@id": "openssl", "identifiers": {"cpe23": CPE}},
        {"@id": "openssl", "identifiers": {"purl": 5}},
        {"@id": "openssl", "identifiers": {"purl": ""}},
        {"@id": CPE},
        {"@id": ""},
    ],
)
def test_a_subcomponent_with_an_identifier_that_is_not_understood_matches_nothing(
    nginx: SiteFolder, part: dict[str, Any]
) -> None:
    vex(nginx, {"products": [{"@id": NGINX, "subcomponents": [part]}]})
    result = built(nginx)
    assert suppressed(result) == []
    assert warned(result) == [("CAT041", "vex/a.json: statements[0].products[0].subcomponents[0]")]


@pytest.mark.parametrize(
    ("vulnerability", "matches"),
    [
        ({"name": "cve-2026-0001"}, True),
        ({"name": " CVE-2026-0001 "}, True),
        ({"name": "CVE-2026 -0001\n"}, True),
        ({"@id": "https://nvd.nist.gov/vuln/detail/cve-2026-0001"}, True),
        ({"name": "X", "aliases": ["Cve-2026-0001"]}, True),
        ({"name": ONE, "@id": f"https://nvd.nist.gov/vuln/detail/{ONE.lower()}"}, True),
        ({"name": ONE, "@id": "https://acme.example/advisories/1"}, True),
        (" cve-2026-0001", True),
        ({"name": "CVE-2026-00011"}, False),
    ],
)
def test_ids_are_compared_without_regard_to_case_and_blanks(
    nginx: SiteFolder, vulnerability: object, matches: bool
) -> None:
    vex(nginx, {"vulnerability": vulnerability})
    result = built(nginx)
    assert suppressed(result) == [ONE] * matches
    assert result.logged() == []


def test_another_scanner_s_id_is_compared_likewise(nginx: SiteFolder) -> None:
    report = trivy([row("ALAS2-2026-1"), row(ONE), row(TWO)], digest=f"{REGISTRY}/nginx@{digest(1)}")
    nginx.report("nginx/1.json", report)
    vex(nginx, {"vulnerability": {"name": "alas2-2026-1"}})
    assert ids(built(nginx).json("security/nginx.json")["latest"], "suppressed") == ["ALAS2-2026-1"]


@pytest.mark.parametrize("status", ["not_affected", "affected"])
@pytest.mark.parametrize(
    "id_", [TWO, f"https://nvd.nist.gov/vuln/detail/{TWO.lower()}", f"https://x.y/{TWO}?a"]
)
def test_an_id_and_a_name_of_different_cves_match_nothing(nginx: SiteFolder, id_: str, status: str) -> None:
    vex(nginx, {"vulnerability": {"name": ONE, "@id": id_}, "status": status})
    result = built(nginx)
    assert suppressed(result) == []
    assert warned(result) == [("CAT041", "vex/a.json: statements[0].vulnerability")]


@pytest.mark.parametrize(
    "product",
    [
        "pkg:oci/nginx",
        "pkg:oci/nginx?tag=1",
        "pkg:oci/nginx?repository_url=docker.io/library/nginx",
        "pkg:oci/nginx?repository_url=registry.example.org/nginx",
        f"pkg:oci/nginx@{digest(1)}?repository_url=docker.io/library/nginx",
        "nginx:1",
        "docker.io/library/nginx",
        {"hashes": {"sha-256": digest(1)[7:]}, "@id": "pkg:docker/nginx"},
    ],
)
def test_a_product_of_another_registry_is_told_which_would_match(nginx: SiteFolder, product: object) -> None:
    vex(nginx, {"products": [product]})
    result = built(nginx)
    assert suppressed(result) == []
    (text,) = result.logged()
    assert text.startswith("vex/a.json: statements[0].products[0]: ")
    assert f"repository_url={REGISTRY}/nginx`" in text


def test_the_registry_of_a_pin_would_match_too(nginx: SiteFolder) -> None:
    pinned = f"quay.io/acme/proxy@{digest(7)}"
    nginx.page("charts/web.md", f"category: Web\ntier: core\nlicense: MIT\nimages: ['{pinned}']")
    vex(nginx, {"products": ["pkg:oci/proxy"]})
    (text,) = built(nginx).logged()
    assert "repository_url=quay.io/acme/proxy`" in text


@pytest.mark.parametrize(
    "product", ["pkg:oci/other?repository_url=docker.io/library/other", f"pkg:oci/renamed@{digest(1)}", NGINX]
)
def test_a_product_of_no_image_of_the_catalog_is_no_warning(nginx: SiteFolder, product: str) -> None:
    vex(nginx, {"products": [product]})
    assert built(nginx).logged() == []


def test_a_digest_covers_scans_of_that_digest_only(nginx: SiteFolder) -> None:
    nginx.image("nginx", f"versions: [{{version: '1', digest: ['{digest(1)}', '{digest(2)}']}}]")
    nginx.report("nginx/2.json", trivy([row(ONE)], digest=f"{REGISTRY}/nginx@{digest(2)}"))
    for products, shown in (
        ([digest(1)], 0),
        ([digest(1), f"pkg:oci/nginx@{digest(2)}"], 1),
        ([f"{REGISTRY}/nginx@{digest(2)}"], 0),
    ):
        vex(nginx, {"products": products})
        assert built(nginx).json("security.json")["suppressed"] == shown, products


def test_a_finding_of_several_cves_is_covered_by_its_own_id_or_all_of_them(site: SiteFolder) -> None:
    site.image("nginx", f"versions: [{{version: '1', digest: '{digest(1)}'}}]")
    found = match("GHSA-aaaa-bbbb-cccc", "High", ONE, TWO, pkg="a", type="npm", purl="pkg:npm/a@1")
    site.report("nginx/1.json", grype(found, repoDigests=[f"{REGISTRY}/nginx@{digest(1)}"]))
    for names, shown in (
        ([ONE], 0),
        ([TWO], 0),
        ([ONE.lower(), TWO.lower()], 1),
        (["ghsa-AAAA-bbbb-cccc"], 1),
    ):
        vex(site, *({"vulnerability": {"name": name}} for name in names))
        assert built(site).json("security.json")["suppressed"] == shown, names


@pytest.mark.parametrize(
    "later",
    [
        AFFECTED | {"timestamp": MARCH},
        AFFECTED | {"timestamp": MARCH, "vulnerability": {"name": ONE.lower()}},
        AFFECTED | {"timestamp": MARCH, "products": [f"{REGISTRY}/nginx:1"]},
        AFFECTED,
        AFFECTED | {"timestamp": "soon"},
        {"status": "under_investigation", "last_updated": MARCH},
    ],
)
def test_what_a_later_statement_contradicts_is_nowhere_shown_as_suppressed(
    nginx: SiteFolder, later: dict[str, Any]
) -> None:
    vex(nginx, {}, {"vulnerability": TWO}, later)
    assert suppressed(built(nginx)) == [TWO]


def test_a_feed_of_package_statements_is_published_for_what_it_matches(site: SiteFolder) -> None:
    """As vendors publish it: hundreds of statements on packages, of which few are in an image."""
    site.settings["security"] = {"publish_vex": True}
    names = [f"app-{number}" for number in range(20)]
    for number, name in enumerate(names):
        site.image(name, f"versions: [{{version: '1', digest: '{digest(number)}'}}]")
        found = row(f"CVE-2026-{number:04}", pkg=f"pkg{number}", installed="1")
        purl = {"PkgIdentifier": {"PURL": f"pkg:deb/debian/pkg{number}@1?arch=amd64"}}
        site.report(f"{name}/1.json", trivy([found | purl], digest=f"{REGISTRY}/{name}@{digest(number)}"))
    for start in range(0, 400, 100):
        statements = [
            {
                "vulnerability": {"name": f"CVE-2026-{number:04}"},
                "products": [{"@id": f"pkg:deb/debian/pkg{number}{suffix}"} for suffix in ("", "-doc")],
                **({} if number % 4 else {"status": "under_investigation"}),
            }
            for number in range(start, start + 100)
        ]
        vex(site, *statements, name=str(start))
    result = built(site)
    assert result.json("security.json")["suppressed"] == 15
    published = {name for name in names if (result.api / f"vex/{name}.json").exists()}
    assert published == {*names}
    for number, name in enumerate(names):
        (statement,) = result.json(f"vex/{name}.json")["statements"]
        assert statement["vulnerability"]["name"] == f"CVE-2026-{number:04}"
        assert statement["status"] == ("not_affected" if number % 4 else "under_investigation")
