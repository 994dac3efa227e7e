"""Documents that answer one question each, and what is known to be exploited, in whole builds."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from mkdocs_catalog_api.publish import hosts

from .contract.lookups import LOOKUPS
from .feeds_of_advisories import kev
from .sites import REGISTRY, SiteFolder, built, digest, grype, match, row, trivy
from .test_build import small

KEV = "advisories/known_exploited_vulnerabilities.json"
ALPHA = f"{REGISTRY}/alpha"


def two_releases(site: SiteFolder) -> None:
    """Alpha's older release has one vulnerability that the newer mends, and the newer two of its own."""
    old = [row("CVE-2026-0007", "CRITICAL"), row("CVE-2026-0001", "LOW")]
    small(site).report("alpha/1.9.json", trivy(old, digest=f"{ALPHA}@{digest(1)}"))


def of(seed: int) -> str:
    return f"digests/{digest(seed).replace(':', '/')}"


def several_digests(site: SiteFolder) -> None:
    versions = f"{{version: '2', digest: ['{digest(2)}', '{digest(3)}']}}, '1'"
    site.image("web", f"versions: [{{version: '3', digest: '{digest(1)}', tags: [stable]}}, {versions}]")
    site.image("two", f"versions: [{{version: '3', digest: '{digest(1)}'}}]")


def strange_ids(site: SiteFolder) -> None:
    site.image("alpha", f'versions: [{{version: 1, digest: "{digest(1)}"}}]')
    ids = ["con", "index", "a/b", "GHSA-aaaa", "ghsa-AAAA", "TEMP-1"]
    site.report("alpha/1.json", trivy([row(id_) for id_ in ids], digest=f"{ALPHA}@{digest(1)}"))


def exploited(site: SiteFolder) -> None:
    small(site).write(KEV, kev({"CVE-2026-0002": "2026-03-04"}))


GHSA = [f"GHSA-{letter * 4}-{letter * 4}-{letter * 4}" for letter in "abc"]


def exploited_by_another_name(site: SiteFolder) -> None:
    site.image("alpha", f'versions: [{{version: 1, digest: "{digest(1)}"}}]')
    aliases = (["CVE-2026-0001"], ["CVE-2026-0001", "CVE-2026-0002"], ["CVE-2026-0002"])
    matches = [match(id_, "High", *names, pkg=id_.lower()) for id_, names in zip(GHSA, aliases, strict=True)]
    scan = grype(*matches, created="2026-11-01T06:00:00Z", userInput=f"{ALPHA}@{digest(1)}")
    site.report("alpha/1.json", scan)
    site.write(KEV, kev({"CVE-2026-0001": "2026-03-04"}))


def plain(site: SiteFolder) -> None:
    site.image("alpha", "versions: [1, 2]")
    site.image("beta")
    site.page("charts/stack.md", "")


def undated(site: SiteFolder) -> None:
    site.image("alpha", "versions: [1]")
    site.image("beta", "versions: [1]")
    site.report("alpha/1.json", trivy([], tag=f"{ALPHA}:1"))
    site.report("beta/1.json", grype(userInput=f"{REGISTRY}/beta:1"))


def signed(site: SiteFolder) -> None:
    site.settings["charts"] = {"verify": {"identity": "release@example.org", "issuer": "https://example.org"}}
    site.settings["images"] = {"verify": {"key": "https://example.org/cosign.pub"}}
    site.image("alpha", f'versions: [{{version: 1, digest: "{digest(1)}"}}]')
    site.image("beta", "versions: [1]\nlifecycle: withdrawn")
    site.page("charts/other.md", "versions: [1.0.0]")
    chart = "chart: oci://registry.example.org/charts/stack"
    site.page("charts/stack.md", f'{chart}\nversions: [{{version: 1.0.0, digest: "{digest(3)}"}}]')


class Row(NamedTuple):
    """A story."""

    write: Callable[[SiteFolder], object]
    shown: Mapping[str, Any]
    """Place (`Result.at`) and value."""


ROWS = {
    "a digest says what an update mends": Row(
        two_releases,
        {f"{of(1)} slug": ["alpha"], f"{of(1)} version": ["1.9"], f"{of(1)} isLatest": [False],
         f"{of(1)} upgrade version": ["1.10"], f"{of(1)} upgrade digest": [digest(2)],
         f"{of(1)} upgrade fixes": [1], f"{of(1)} upgrade adds": [1], f"{of(2)} isLatest": [True],
         f"{of(2)} upgrade": [None], f"{of(2)} security total": [2]},
    ),
    "an update from what nobody scanned promises nothing": Row(
        small,
        {f"{of(1)} upgrade fixes": [None], f"{of(1)} upgrade adds": [None],
         f"{of(1)} security scanned": [False]},
    ),
    "a digest on two pages has both, and a tag the digest to pin": Row(
        several_digests,
        {f"{of(1)} slug": ["two", "web"], f"{of(3)} data digest": [None],
         f"references/{REGISTRY.replace('/', '~')}~web tag": ["3", "stable", "2", "1"],
         f"references/{REGISTRY.replace('/', '~')}~web digest": [digest(1), digest(1), None, None]},
    ),
    "an id that can name no file is listed without a document": Row(
        strange_ids,
        {"cves/index id": ["GHSA-aaaa", "TEMP-1", "a/b", "con", "ghsa-AAAA", "index"],
         "cves/index href": [None, "/catalog/api/v1/cves/TEMP-1.json", *[None] * 4]},
    ),
    "Renovate finds no null": Row(
        small,
        {"renovate/beta releases": [{"version": "2.0", "isDeprecated": False,
                                     "changelogUrl": "https://example.org/catalog/images/beta/"}],
         "renovate/beta tags": {"latest": "2.0"},
         "renovate/alpha releases": [
             {"version": "1.10", "isDeprecated": False, "digest": digest(2),
              "releaseTimestamp": "2026-11-01T00:00:00Z",
              "changelogUrl": "https://example.org/catalog/images/alpha/"},
             {"version": "1.9", "isDeprecated": False, "digest": digest(1),
              "changelogUrl": "https://example.org/catalog/images/alpha/"}]},
    ),
    "what is exploited is marked and counted": Row(
        exploited,
        {"security/alpha/1.10 cves exploited": ["2026-03-04", None], "security.json exploited": 1,
         "images/beta security exploited": None},
    ),
    "without the files nobody claims to have looked": Row(small, {"security.json exploited": None}),
    "what stands for something exploited is exploited": Row(
        exploited_by_another_name,
        {"security/alpha/1 cves id": ["CVE-2026-0001", "CVE-2026-0002", GHSA[1]],
         "security/alpha/1 cves exploited": ["2026-03-04", None, "2026-03-04"],
         "cves/CVE-2026-0001 exploited": "2026-03-04", f"cves/{GHSA[1]} exploited": "2026-03-04",
         "cves/CVE-2026-0002 exploited": None, "security.json exploited": 2},
    ),
    "a catalog without digests, scans or files": Row(
        plain,
        {"cves/index data": [], "cves/index scanned": 0, "cves/index unscanned": 2,
         "security.json scanned": 0, "security.json exploited": None, "security.json oldestScan": None,
         "security.json newestScan": None},
    ),
    "if one scan has no time, nobody knows the oldest": Row(
        undated,
        {"security.json oldestScan": None, "security.json newestScan": "2026-11-01T06:00:00Z",
         "security.json scanned": 2},
    ),
    "items are verified by their digest, unless withdrawn": Row(
        signed,
        {"images verify": [
            {"tool": "cosign", "identity": None, "identityRegexp": None, "issuer": None,
             "key": "https://example.org/cosign.pub",
             "command": f"cosign verify --key https://example.org/cosign.pub {ALPHA}@{digest(1)}"}, None],
         "charts verify": [None, {
             "tool": "cosign", "identity": "release@example.org", "identityRegexp": None,
             "issuer": "https://example.org", "key": None,
             "command": "cosign verify --certificate-identity release@example.org --certificate-oidc-issuer"
                        f" https://example.org registry.example.org/charts/stack@{digest(3)}"}]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_what_a_document_answers(site: SiteFolder, name: str) -> None:
    ROWS[name].write(site)
    result = built(site)
    assert {place: result.at(place) for place in ROWS[name].shown} == ROWS[name].shown


def test_lookups_can_be_left_out(site: SiteFolder) -> None:
    site.settings["lookups"] = []
    result = built(small(site))
    index = result.json("index.json")
    names = {name for lookup in LOOKUPS for name in lookup.addresses}
    assert not names & {*index["documents"], *index["templates"]}
    assert not (result.api / "cves").exists()


def test_a_catalog_without_digests_scans_or_files_answers_without_noise(site: SiteFolder) -> None:
    plain(site)
    result = built(site)
    (told,) = result.logged(logging.INFO)
    assert told.startswith("built: ")
    assert not (result.api / "digests").exists()
    assert [path.name for path in (result.api / "renovate").iterdir()] == ["alpha.json"]


def test_too_many_documents_for_some_hosts_are_noted(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "_MOST", 10)
    result = built(small(site))
    assert any("Cloudflare Pages accepts 20,000" in line for line in result.logged(logging.INFO))
    assert result.logged() == []
    assert json.loads((result.api / "manifest.json").read_bytes())
