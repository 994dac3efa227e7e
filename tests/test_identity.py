"""What is the same: vulnerabilities by their ids, packages by their URLs."""

from __future__ import annotations

import pytest

from .sites import REGISTRY, SiteFolder, built, digest, grype, match, row, trivy, vex

TIME = "2026-11-01T06:00:00Z"
LOG4SHELL, GHSA = "CVE-2021-44228", "GHSA-jfh8-c2jp-5v3q"


def named(row: dict[str, object], *others: str) -> dict[str, object]:
    """A finding of Trivy with the other names that its report gives."""
    return row | {"VendorIDs": [*others]}


def test_who_has_it_is_answered_under_each_id(site: SiteFolder) -> None:
    site.image("old", "versions: [1]")
    site.image("new", "versions: [1]")
    site.report("old/1.json", grype(match(GHSA, "Critical", pkg="log4j")))  # before it got its CVE
    site.report("new/1.json", trivy([named(row(LOG4SHELL, pkg="log4j"), GHSA, "DSA-5020-1")]))
    result = built(site)
    document = result.json(f"cves/{LOG4SHELL}.json")
    assert document == result.json(f"cves/{GHSA}.json")
    assert (document["aliases"], [image["slug"] for image in document["data"]]) == ([GHSA], ["new", "old"])
    assert result.at("cves/index id") == [LOG4SHELL]


@pytest.mark.parametrize("other", ["cve-2026-0001", " Cve-2026-0001 "])
def test_ids_in_another_case_are_one_vulnerability(site: SiteFolder, other: str) -> None:
    site.image("web", "versions: [1, 2, 3, 4]")
    site.report("web/1.json", trivy([named(row("CVE-2026-0001"), GHSA.lower()), row(other)]))
    site.report("web/2.json", grype(match(f"{GHSA.upper()} ", "High", other)))
    harbors = {"id": other, "severity": "High", "package": "zlib", "version": "1"}
    media = "application/vnd.security.vulnerability.report; version=1.1"
    site.report("web/3.json", {media: {"vulnerabilities": [harbors]}})
    record = {"id": "DSA-1", "related": [other, "CVE-2026-0001"]}
    package = {"package": {"name": "zlib", "version": "1"}, "vulnerabilities": [record]}
    site.report("web/4.json", {"results": [{"packages": [package]}]})
    result = built(site)
    assert result.at("cves/index id") == ["CVE-2026-0001"]
    document = result.json("cves/CVE-2026-0001.json")
    assert document["aliases"] == ["DSA-1", GHSA]
    assert len(document["data"][0]["affected"]) == 4


@pytest.mark.parametrize(
    ("others", "suppressed"),
    [(["GHSA-a"], True), (["DSA-1"], False), (["GHSA-a", "CVE-2026-0002"], False)],
)
def test_a_statement_suppresses_by_a_name_and_by_no_advisory_nor_by_one_of_two_cves(
    site: SiteFolder, others: list[str], suppressed: bool
) -> None:
    """Whoever writes a wrong report can't make a statement on one vulnerability suppress another."""
    site.image("nginx", "versions: [1]")
    site.report("nginx/1.json", trivy([named(row("CVE-2026-0001"), *others)]))
    vex(site, {"vulnerability": {"name": others[0]}})
    record = built(site).json("security/nginx/1.json")
    assert bool(record["suppressions"]) == suppressed


@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [
        (("pkg:rpm/oracle/openssl@3.0", "3.0"), ("pkg:rpm/ol/openssl@3.0?arch=x86_64", "0:3.0"), 1),
        (("pkg:golang/stdlib@v1.25.1", "v1.25.1"), ("pkg:golang/stdlib@1.25.1", "go1.25.1"), 1),
        (("pkg:rpm/rhel/lib@10:1", "10:1"), ("pkg:rpm/rhel/lib@11", "11"), 2),
        (("pkg:deb/debian/lib@1", "1"), ("pkg:npm/lib@1", "1"), 2),
        (("pkg:npm/%40a/lib@1", "1"), ("pkg:npm/lib@1", "1"), 2),
    ],
)
def test_what_two_scanners_write_of_one_package_is_one_row(
    site: SiteFolder, first: tuple[str, str], second: tuple[str, str], rows: int
) -> None:
    site.image("web", f"versions: [{{version: '1', digest: '{digest('web')}'}}]")
    for name, (purl, installed) in (("a", first), ("b", second)):
        found = row("CVE-2026-0001", pkg="lib", installed=installed) | {"PkgIdentifier": {"PURL": purl}}
        site.report(f"{name}.json", trivy([found], digest=f"{REGISTRY}/web@{digest('web')}"))
    assert built(site).at("security/web/1 total") == rows


def test_an_upstream_repository_leads_to_what_replaces_it(site: SiteFolder) -> None:
    site.image("nginx", "replaces: [nginx]\nversions: [1]")
    document = built(site).json("references/docker.io~library~nginx.json")
    assert (document["slug"], document["data"]) == (None, [])
    assert [each["slug"] for each in document["replacements"]] == ["nginx"]


# fmt: off
SPELLINGS = [
    ("pkg:pypi/ruamel.yaml@1", "pkg:pypi/Ruamel_YAML@1", True),
    ("pkg:golang/github.com/Azure/go-autorest@v1", "pkg:golang/github.com/azure/go-autorest@1", True),
    ("pkg:golang/golang.org%2Fx%2Fnet@v1", "pkg:golang/golang.org/x/net@v1", True),
    ("pkg:npm/@Babel/core@1", "pkg:npm/%40babel/core@1", True),
    ("pkg:nuget/Newtonsoft.Json@1", "pkg:nuget/newtonsoft.json@1", True),
    ("pkg:nuget/Newtonsoft.Json@1", "pkg:nuget/newtonsoft-json@1", False),
    ("pkg:maven/org.X/a@1", "pkg:maven/org.x/a@1", False),
    ("pkg:gem/a_b@1", "pkg:gem/a-b@1", False),
    ("pkg:deb/debian/curl@1", "pkg:deb/ubuntu/curl@1", True),
    ("pkg:cargo/a@1", "pkg:gem/a@1", False),
]
# fmt: on


@pytest.mark.parametrize(("one", "other", "same"), SPELLINGS)
def test_names_are_compared_as_their_type_spells_them(
    site: SiteFolder, one: str, other: str, same: bool
) -> None:
    """Also by statements. Documents show the first of the spellings by code point."""
    site.image("nginx", "versions: ['1', '2']")
    for version, purl in (("1", one), ("2", other)):
        site.report(f"nginx/{version}.json", grype(match("CVE-2026-0001", purl=purl)))
    image = f"pkg:oci/nginx?repository_url={REGISTRY}/nginx"
    vex(site, {"products": [{"@id": image, "subcomponents": [{"@id": one.rpartition("@")[0]}]}]})
    result = built(site)
    assert len(result.json("packages/index.json")["data"]) == (1 if same else 2)
    records = [result.json(f"security/nginx/{version}.json") for version in "12"]
    assert [len(record["suppressions"]) for record in records] == [1, int(same)]


def test_documents_show_the_first_spelling(site: SiteFolder) -> None:
    site.image("web", "versions: ['1', '2']")
    for version, name in (("1", "github.com/azure/a"), ("2", "github.com/Azure/a")):
        found = match("CVE-2026-0001", pkg=name, purl=f"pkg:golang/{name}@1")
        site.report(f"web/{version}.json", grype(found))
    result = built(site)
    assert result.at("packages/index name") == ["github.com/Azure/a"]
    assert result.at("packages/index href") == ["/catalog/api/v1/packages/golang/github.com~azure~a.json"]
    assert result.at("security.json causes name") == ["github.com/Azure/a"]


@pytest.mark.parametrize(
    "purl", ["pkg:maven/@1.3.4", "pkg:n&g/a@1", "pkg:1a/a@1", "pkg:npm/a@1?in%20b=true", "pkg:npm", "npm/a"]
)
def test_what_is_no_package_url_is_a_name(site: SiteFolder, purl: str) -> None:
    site.image("web", "versions: ['1']")
    site.report("web/1.json", grype(match("CVE-2026-0001", pkg="a", version="1", purl=purl)))
    assert [(entry["type"], entry["name"]) for entry in built(site).at("packages/index")] == [("", "a")]


@pytest.mark.parametrize(("name", "counts"), [("zlib", [0, 0]), ("zlib1g", [1, 1])])
def test_a_package_without_url_may_be_any_of_its_name(site: SiteFolder, name: str, counts: list[int]) -> None:
    """Its report does not show that the other one is gone."""
    old, new = (f"{{version: '1.{number}', digest: '{digest(number)}'}}" for number in (1, 2))
    site.image("web", f"versions: [{new}, {old}]")
    site.report(
        "web/1.1.json", grype(match("CVE-2026-0001", pkg="zlib", purl="pkg:deb/debian/zlib@1"), created=TIME)
    )
    site.report("web/1.2.json", grype(match("CVE-2026-0001", pkg=name, purl=""), created=TIME))
    upgrade = built(site).at(f"digests/{digest(1).replace(':', '/')} upgrade")[0]
    assert [upgrade["fixes"], upgrade["adds"]] == counts
