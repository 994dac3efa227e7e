"""Documents that answer one question each, and what is known to be exploited, in whole builds."""

from __future__ import annotations

import json
import logging

import pytest

from mkdocs_catalog_api.publish import hosts

from .feeds_of_advisories import kev
from .sites import REGISTRY, SiteFolder, built, digest, grype, match, row, trivy, vex
from .test_build import small

KEV = "advisories/known_exploited_vulnerabilities.json"


def two_releases(site: SiteFolder) -> SiteFolder:
    """Alpha's older release has one vulnerability that the newer mends, and the newer two of its own."""
    old = [row("CVE-2026-0007", "CRITICAL"), row("CVE-2026-0001", "LOW")]
    small(site).report("alpha/1.9.json", trivy(old, digest=f"{REGISTRY}/alpha@{digest(1)}"))
    return site


def of(seed: int) -> str:
    return f"digests/{digest(seed).replace(':', '/')}.json"


def test_a_digest_says_what_an_update_mends(site: SiteFolder) -> None:
    result = built(two_releases(site))
    (old,), (new,) = (result.json(of(seed))["data"] for seed in (1, 2))
    assert (old["slug"], old["version"], old["isLatest"]) == ("alpha", "1.9", False)
    upgrade = old["upgrade"]
    assert (upgrade["version"], upgrade["digest"]) == ("1.10", digest(2))
    assert (upgrade["fixes"], upgrade["adds"]) == (1, 1)
    assert (new["isLatest"], new["upgrade"], new["security"]["total"]) == (True, None, 2)


def test_an_update_from_what_nobody_scanned_promises_nothing(site: SiteFolder) -> None:
    (old,) = built(small(site)).json(of(1))["data"]
    assert (old["upgrade"]["fixes"], old["upgrade"]["adds"]) == (None, None)
    assert old["security"]["scanned"] is False


def test_a_digest_on_two_pages_has_both(site: SiteFolder) -> None:
    site.image("one", f'versions: [{{version: 1, digest: "{digest(5)}"}}]')
    site.image("two", f'versions: [{{version: 2, digest: "{digest(5)}"}}]')
    assert [entry["slug"] for entry in built(site).json(of(5))["data"]] == ["one", "two"]


def test_a_tag_has_the_digest_to_pin(site: SiteFolder) -> None:
    several = f"['{digest(2)}', '{digest(3)}']"
    site.image(
        "web",
        f"versions: [{{version: '3', digest: '{digest(1)}', tags: [stable]}}, "
        f"{{version: '2', digest: {several}}}, '1']",
    )
    result = built(site)
    path = f"references/{REGISTRY.replace('/', '~')}~web.json"
    tags = {entry["tag"]: entry["digest"] for entry in result.json(path)["data"]}
    assert tags == {"3": digest(1), "stable": digest(1), "2": None, "1": None}
    assert [entry["digest"] for entry in result.json(of(3))["data"]] == [None]


def test_an_image_says_when_its_newest_version_was_scanned(site: SiteFolder) -> None:
    site.image("web", "versions: ['2', '1']")
    site.image("other", "versions: ['1']")
    for version, day in (("2", "01"), ("1", "09")):
        site.report(
            f"web/{version}.json",
            trivy([], tag=f"{REGISTRY}/web:{version}", created=f"2025-11-{day}T06:00:00Z"),
        )
    result = built(site)
    times = {item["slug"]: item["security"]["scannedAt"] for item in result.json("images.json")["data"]}
    assert times == {"web": "2025-11-01T06:00:00Z", "other": None}
    assert result.json("images/web/index.json")["data"]["security"]["scannedAt"] == times["web"]


def test_a_cve_says_who_has_it(site: SiteFolder) -> None:
    result = built(two_releases(site))
    document = result.json("cves/CVE-2026-0001.json")
    assert [(place["version"], place["isLatest"]) for place in document["data"]] == [
        ("1.10", True),
        ("1.9", False),
    ]
    assert [chart["slug"] for chart in document["charts"]] == ["stack"]
    listed = result.json("cves/index.json")["data"]
    assert [entry["id"] for entry in listed] == ["CVE-2026-0007", "CVE-2026-0002", "CVE-2026-0001"]
    assert (listed[0]["latest"], listed[0]["charts"]) == (0, 0)


def test_a_pin_on_no_page_is_found_by_its_cve(site: SiteFolder) -> None:
    outside = f"docker.io/library/redis:7@{digest(9)}"
    site.page("charts/stack.md", f"category: T\ntier: core\nlicense: MIT\nimages: ['{outside}']")
    site.report("redis.json", trivy([row("CVE-2026-0009")], digest=f"docker.io/library/redis@{digest(9)}"))
    document = built(site).json("cves/CVE-2026-0009.json")
    assert (document["total"], [chart["slug"] for chart in document["charts"]]) == (0, ["stack"])


def test_an_id_that_can_name_no_file_is_listed_without_a_document(site: SiteFolder) -> None:
    ids = ["con", "index", "a/b", "GHSA-aaaa", "ghsa-AAAA", "TEMP-1"]
    site.image("alpha", f'versions: [{{version: 1, digest: "{digest(1)}"}}]')
    site.report("alpha/1.json", trivy([row(id_) for id_ in ids], digest=f"{REGISTRY}/alpha@{digest(1)}"))
    listed = built(site).json("cves/index.json")["data"]
    assert {entry["id"] for entry in listed} == {*ids}
    assert [entry["href"] for entry in listed if entry["href"]] == ["/catalog/api/v1/cves/TEMP-1.json"]


def test_renovate_finds_no_null(site: SiteFolder) -> None:
    result = built(small(site))
    assert b"null" not in (result.api / "renovate/alpha.json").read_bytes()
    assert result.json("renovate/beta.json") == {
        "releases": [
            {
                "version": "2.0",
                "isDeprecated": False,
                "changelogUrl": "https://example.org/catalog/images/beta/",
            }
        ],
        "tags": {"latest": "2.0"},
    }


def test_lookups_can_be_left_out(site: SiteFolder) -> None:
    site.settings["lookups"] = []
    result = built(small(site))
    index = result.json("index.json")
    assert not {"digest", "reference", "cves", "cve", "renovate"} & {*index["documents"], *index["templates"]}
    assert not (result.api / "cves").exists()


def test_an_unknown_lookup_is_reported_with_all_other_errors(site: SiteFolder) -> None:
    site.settings["lookups"] = ["cves", "digest"]
    site.page("images/broken.md", "lifecycle: gone")
    result = small(site).build()
    assert result.failed
    lines = result.logged()
    assert any("catalog-api.lookups[1]" in line and "`digests`" in line for line in lines)
    assert any(line.startswith("docs/images/broken.md") for line in lines)


def test_what_is_exploited_is_marked_and_counted(site: SiteFolder) -> None:
    small(site).write(KEV, kev({"CVE-2026-0002": "2026-03-04"}))
    result = built(site)
    rows = result.json("security/alpha/1.10.json")["cves"]
    assert [row_["exploited"] for row_ in rows] == ["2026-03-04", None]
    assert result.json("security.json")["exploited"] == 1
    assert result.json("images/beta/index.json")["data"]["security"]["exploited"] is None


def test_without_the_files_nobody_claims_to_have_looked(site: SiteFolder) -> None:
    result = built(small(site))
    assert result.json("security.json")["exploited"] is None


def test_a_broken_list_refuses_the_catalog(site: SiteFolder) -> None:
    small(site).write(KEV, b"{}")
    result = site.build()
    assert result.failed
    assert any(line.startswith(f"{KEV}: ") for line in result.logged())


def test_the_summary_covers_what_charts_pin(site: SiteFolder) -> None:
    summary = built(small(site)).json("security.json")
    assert summary["pinned"] == {
        "total": 2,
        "bySeverity": {"critical": 0, "high": 1, "medium": 0, "low": 1, "unknown": 0},
        "releases": 2,
        "unscanned": 1,
    }
    assert summary["oldestScan"] == summary["newestScan"] == "2026-11-01T06:00:00Z"


def test_a_cve_says_where_it_is_silenced_and_why(site: SiteFolder) -> None:
    product = {"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha&tag=1.9"}
    vex(two_releases(site), {"vulnerability": {"name": "CVE-2026-0001"}, "products": [product]})
    result = built(site)
    document = result.json("cves/CVE-2026-0001.json")
    (place,) = document["suppressed"]
    assert (place["slug"], place["version"], place["isLatest"]) == ("alpha", "1.9", False)
    assert (place["status"], place["justification"]) == ("not_affected", "vulnerable_code_not_present")
    assert place["href"] == "/catalog/api/v1/security/alpha/1.9.json"
    assert [(row_["version"], document["total"]) for row_ in document["data"]] == [("1.10", 1)]
    entries = {entry["id"]: entry for entry in result.json("cves/index.json")["data"]}
    assert (entries["CVE-2026-0001"]["releases"], entries["CVE-2026-0001"]["suppressed"]) == (1, 1)


def test_what_is_silenced_everywhere_keeps_its_entry_with_zeros(site: SiteFolder) -> None:
    product = {"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha"}
    vex(small(site), {"vulnerability": {"name": "CVE-2026-0001"}, "products": [product]})
    result = built(site)
    (entry,) = (one for one in result.json("cves/index.json")["data"] if one["id"] == "CVE-2026-0001")
    counters = {"images", "releases", "latest", "fixable", "charts"}
    assert {name: entry[name] for name in counters} == dict.fromkeys(counters, 0)
    document = result.json("cves/CVE-2026-0001.json")
    assert (document["data"], document["charts"], len(document["suppressed"])) == ([], [], 1)


def test_what_stands_for_something_exploited_is_exploited(site: SiteFolder) -> None:
    one, two, three = (f"GHSA-{letter * 4}-{letter * 4}-{letter * 4}" for letter in "abc")
    related = {one: ["CVE-2026-0001"], two: ["CVE-2026-0001", "CVE-2026-0002"], three: ["CVE-2026-0002"]}
    matches = [match(id_, "High", *aliases, pkg=id_.lower()) for id_, aliases in related.items()]
    image = f"{REGISTRY}/alpha@{digest(1)}"
    site.report("alpha/1.json", grype(*matches, created="2026-11-01T06:00:00Z", userInput=image))
    site.image("alpha", f'versions: [{{version: 1, digest: "{digest(1)}"}}]')
    site.write(KEV, kev({"CVE-2026-0001": "2026-03-04"}))
    result = built(site)
    found = {one["id"]: one["exploited"] for one in result.json("security/alpha/1.json")["cves"]}
    assert found == {"CVE-2026-0001": "2026-03-04", "CVE-2026-0002": None, two: "2026-03-04"}
    assert {id_: result.json(f"cves/{id_}.json")["exploited"] for id_ in found} == found
    assert result.json("security.json")["exploited"] == 2


def test_a_catalog_without_digests_scans_or_files_answers_without_noise(site: SiteFolder) -> None:
    site.image("alpha", "versions: [1, 2]")
    site.image("beta")
    site.page("charts/stack.md", "category: T\ntier: core\nlicense: MIT")
    result = built(site)
    mkdocs = ("Cleaning", "Building", "Documentation built")
    (told,) = (line for line in result.logged(logging.INFO) if not line.startswith(mkdocs))
    assert told.startswith("built: ")
    assert result.json("cves/index.json") == {
        "apiVersion": "v1",
        "resource": "cves",
        "total": 0,
        "data": [],
        "scanned": 0,
        "unscanned": 2,
    }
    assert not (result.api / "digests").exists()
    assert [path.name for path in (result.api / "renovate").iterdir()] == ["alpha.json"]
    summary = result.json("security.json")
    assert (summary["scanned"], summary["exploited"]) == (0, None)
    assert (summary["oldestScan"], summary["newestScan"]) == (None, None)


def test_a_chart_is_verified_by_its_digest(site: SiteFolder) -> None:
    site.settings["charts"] = {"verify": {"identity": "release@example.org", "issuer": "https://example.org"}}
    chart = "category: T\ntier: core\nlicense: MIT\nchart: oci://registry.example.org/charts/stack"
    site.page("charts/stack.md", f'{chart}\nversions: [{{version: 1.0.0, digest: "{digest(3)}"}}]')
    site.page("charts/other.md", "category: T\ntier: core\nlicense: MIT\nversions: [1.0.0]")
    charts = {item["slug"]: item for item in built(site).json("charts.json")["data"]}
    verify = charts["stack"]["verify"]
    assert (verify["tool"], verify["identity"], verify["key"]) == ("cosign", "release@example.org", None)
    assert verify["command"].endswith(f" registry.example.org/charts/stack@{digest(3)}")
    assert [*charts["stack"]].index("verify") == [*charts["stack"]].index("url") - 1
    assert charts["other"]["verify"] is None


def test_verification_is_published_unless_withdrawn(site: SiteFolder) -> None:
    site.settings["images"] = {"verify": {"key": "https://example.org/cosign.pub"}}
    site.image("alpha", f'versions: [{{version: 1, digest: "{digest(1)}"}}]')
    site.image("beta", "versions: [1]\nlifecycle: withdrawn")
    result = built(site)
    found = {item["slug"]: item["verify"] for item in result.json("images.json")["data"]}
    command = f"cosign verify --key https://example.org/cosign.pub {REGISTRY}/alpha@{digest(1)}"
    assert (found["alpha"]["command"], found["alpha"]["identity"]) == (command, None)
    assert found["beta"] is None


def test_too_many_documents_for_some_hosts_are_noted(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "_MOST", 10)
    result = built(small(site))
    assert any("Cloudflare Pages accepts 20,000" in line for line in result.logged(logging.INFO))
    assert result.logged() == []
    assert json.loads((result.api / "manifest.json").read_bytes())
