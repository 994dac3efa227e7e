"""Former digests: builds that versions had before, from files of `sync` and from recorded days."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from mkdocs_catalog_api.commands.main import main

from .browser import served, visiting
from .past import Past
from .sites import REGISTRY, Result, SiteFolder, built, rendered, row, trivy


def digest(seed: str) -> str:
    return f"sha256:{hashlib.sha256(seed.encode()).hexdigest()}"


def path(seed: str) -> str:
    return f"digests/{digest(seed).replace(':', '/')}.json"


def parts(seed: str) -> list[dict[str, str]]:
    return [{"platform": f"linux/{arch}", "digest": digest(f"{seed} {arch}")} for arch in ("amd64", "arm64")]


def know(
    site: SiteFolder, versions: dict[str, str], *former: tuple[str, str, str], slug: str = "nginx"
) -> None:
    """Write the file of `sync`: label → seed of its digest; label, seed and last day of each former one."""
    facts = {
        "image": f"{REGISTRY}/{slug}",
        "versions": [
            {"version": v, "digest": digest(seed), "manifests": parts(seed)} for v, seed in versions.items()
        ],
        "former": [
            {"version": v, "digest": digest(seed), "manifests": parts(seed), "until": until}
            for v, seed, until in former
        ],
    }
    site.write(f"registry/images/{slug}.json", json.dumps(facts))


def entry(result: Result, seed: str) -> Any:
    [only] = result.json(path(seed))["data"]
    return only


def listed(past: Past, seed: str, slug: str = "nginx", lifecycle: str = "available") -> None:
    """Write a page with 1.0 as it was built from the seed."""
    past.site.image(slug, f"lifecycle: {lifecycle}\nversions: [{{version: '1.0', digest: '{digest(seed)}'}}]")


@pytest.fixture
def past(site: SiteFolder) -> Past:
    return Past(site)


@pytest.fixture
def rebuilt(site: SiteFolder) -> SiteFolder:
    """1.0 was rebuilt twice, 1.1 never, and 0.9 is no longer listed."""
    site.image("nginx", "versions: ['1.0', '1.1']")
    know(
        site,
        {"0.9": "old", "1.0": "c", "1.1": "d"},
        ("1.0", "b", "2026-11-03"),
        ("1.0", "a", "2026-11-02"),
    )
    return site


def test_a_former_digest_and_its_manifests_lead_to_the_present_one(rebuilt: SiteFolder) -> None:
    result = built(rebuilt)
    a = entry(result, "a")
    assert (a["listed"], a["until"], a["isLatest"], a["version"]) == (False, "2026-11-02", False, "1.0")
    assert a["digest"] == digest("c") and a["href"].endswith("/security/nginx/1.0.json")
    assert (a["upgrade"]["version"], a["upgrade"]["digest"]) == ("1.1", digest("d"))
    assert entry(result, "b")["until"] == "2026-11-03"
    assert entry(result, "a arm64")["platform"] == "linux/arm64"
    assert entry(result, "c")["listed"] is True
    old = entry(result, "old")
    assert (old["until"], old["digest"], old["href"], old["upgrade"]) == (None, None, None, None)
    assert old["newLine"]["version"] == "1.1"
    assert result.json("search.json")["data"][0]["former"][0] == {
        "version": "1.0",
        "digests": [
            digest(seed).partition(":")[2][:12]
            for seed in ("b", "b amd64", "b arm64", "a", "a amd64", "a arm64")
        ],
    }


def test_the_update_of_a_former_build_of_the_newest_version_is_its_present_build(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1.0']")
    know(site, {"1.0": "b"}, ("1.0", "a", "2026-11-02"))
    rows = [row("CVE-2026-0001"), row("CVE-2026-0002")]
    for seed, found in (("a", rows), ("b", rows[:1])):
        for part in parts(seed):
            name = f"nginx/1.0.{part['digest'].partition(':')[2][:12]}.json"
            site.report(name, trivy([*found], digest=f"{REGISTRY}/nginx@{part['digest']}"))
    result = built(site, strict=True)
    update = entry(result, "a")["upgrade"]
    assert (update["version"], update["digest"], update["fixes"], update["adds"]) == (
        "1.0",
        digest("b"),
        1,
        0,
    )
    security = entry(result, "a amd64")["security"]
    assert (security["scanned"], security["complete"], security["total"]) == (True, True, 2)
    assert result.json("security.json")["total"] == 1, "former builds are in no sum"


@pytest.mark.parametrize("named", [True, False])
def test_a_report_of_a_former_digest_belongs_to_it(rebuilt: SiteFolder, named: bool) -> None:
    """By the digest in the report, or by the digits in its path."""
    found = trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/nginx@{digest('a')}" if named else "")
    name = "kept/old.json" if named else f"nginx/1.0.{digest('a').partition(':')[2][:12]}.json"
    rebuilt.report(name, found)
    result = built(rebuilt)
    assert entry(result, "a")["security"]["total"] == 1
    assert entry(result, "b")["security"]["scanned"] is False
    assert entry(result, "c")["security"]["scanned"] is False
    assert result.logged() == []


def test_a_report_of_a_former_digest_at_the_path_of_its_version_still_withholds_the_grade(
    rebuilt: SiteFolder,
) -> None:
    rebuilt.report("nginx/1.1.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/nginx@{digest('a')}"))
    result = built(rebuilt)
    assert any("a former build of nginx" in line for line in result.logged())
    assert entry(result, "d")["security"]["grade"] is None
    assert entry(result, "a")["security"]["total"] == 1


def test_a_pin_of_a_former_digest_names_its_version_and_the_day(rebuilt: SiteFolder) -> None:
    rebuilt.report("kept/a.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/nginx@{digest('a')}"))
    pins = [f"{REGISTRY}/nginx@{digest(seed)}" for seed in ("a", "b arm64", "c", "unknown")]
    rebuilt.page("charts/stack.md", f"images: {json.dumps(pins)}")
    result = rendered(rebuilt)
    a, b, c, unknown = result.json("charts.json")["data"][0]["images"]
    assert (a["slug"], a["version"], a["until"]) == ("nginx", "1.0", "2026-11-02")
    assert a["href"] == f"/catalog/api/v1/{path('a')}" and b["href"] == f"/catalog/api/v1/{path('b arm64')}"
    assert (c["until"], c["href"]) == (None, "/catalog/api/v1/security/nginx/1.0.json")
    assert (unknown["version"], unknown["until"], unknown["href"]) == (None, None, None)
    security = result.json("charts.json")["data"][0]["security"]
    assert (security["pinsScanned"], security["high"]) == (1, 1)
    assert result.json("cves/CVE-2026-0001.json")["charts"][0]["slug"] == "stack"
    page = " ".join((result.folder / "site/charts/stack/index.html").read_text().split())
    assert "pins a former build of before 2026-11-02; 1.0 was rebuilt" in page
    assert "2 former digests" not in page
    page = (result.folder / "site/images/nginx/index.html").read_text()
    assert "3 former digests" in page and digest("a") in page


@pytest.mark.slow
def test_a_former_digest_is_compared_with_its_update(rebuilt: SiteFolder, browser: Browser) -> None:
    rebuilt.config["theme"] = {"name": "material", "font": False}
    folder = rendered(rebuilt).folder / "site"
    with served(folder) as home, visiting(browser, home, home) as visit:
        box = visit.page.locator(".catalog-compare")
        visit.go(f"images/nginx/?compare={digest('a')}..1.1")
        present = digest("c")[7:19]
        expect(box.locator("div")).to_have_text(
            f"1.0 was replaced on 2026-11-02 by {present}…. Update: 1.1 (not scanned)."
        )
        expect(box.get_by_label("to")).to_be_disabled()
        box.get_by_label("From").select_option(digest("old"))
        expect(box.locator("div")).to_have_text(
            "0.9 was replaced. Update: 1.1 is the next line (not scanned)."
        )
        box.get_by_label("From").select_option("1.0")
        expect(box.locator("div")).to_have_text("1.0 and 1.1 not scanned, so they can't be compared.")


def test_without_the_word_former_pins_have_no_link(rebuilt: SiteFolder) -> None:
    rebuilt.settings["lookups"] = ["digests"]
    rebuilt.page("charts/stack.md", f"images: [{REGISTRY}/nginx@{digest('a')}]")
    result = built(rebuilt)
    assert not (result.api / path("a")).exists() and (result.api / path("c")).exists()
    pin = result.json("charts.json")["data"][0]["images"][0]
    assert (pin["until"], pin["href"]) == ("2026-11-02", None)


def test_a_digest_that_any_page_lists_is_not_former(rebuilt: SiteFolder) -> None:
    rebuilt.image("renamed", f"versions: [{{version: '1.0', digest: '{digest('a')}'}}]")
    assert entry(built(rebuilt), "a")["slug"] == "renamed"


def test_recorded_days_know_former_digests_too(past: Past) -> None:
    listed(past, "a")
    past.day("2026-11-01")
    listed(past, "b")
    past.day("2026-11-02")
    listed(past, "c")
    result = built(past.site)
    assert (entry(result, "a")["until"], entry(result, "b")["until"]) == ("2026-11-02", None)
    assert entry(result, "a")["upgrade"]["digest"] == digest("c")
    know(past.site, {"1.0": "c"}, ("1.0", "b", "2026-11-03"), ("1.0", "a", "2026-11-03"))
    result = built(past.site)
    assert (entry(result, "a")["until"], entry(result, "b")["until"]) == ("2026-11-02", "2026-11-03")


def test_the_digests_of_an_image_that_left_stay(past: Past) -> None:
    listed(past, "a")
    listed(past, "r", "redis", lifecycle="deprecated")
    past.day("2026-11-01")
    (past.site.folder / "docs/images/redis.md").unlink()
    past.day("2026-11-02")
    know(past.site, {"7.0": "known"}, slug="valkey")
    result = built(past.site)
    left = entry(result, "r")
    assert (left["name"], left["image"], left["latest"], left["lifecycle"]) == (
        "redis",
        None,
        "1.0",
        "deprecated",
    )
    assert (left["until"], left["listed"], left["upgrade"], left["href"]) == ("2026-11-02", False, None, None)
    assert left["security"]["href"] is None
    known = entry(result, "known")
    assert (known["slug"], known["latest"], known["lifecycle"], known["until"]) == (
        "valkey",
        None,
        None,
        None,
    )


def test_record_knows_the_former_digests_of_earlier_days(past: Past) -> None:
    listed(past, "a")
    past.day("2026-11-01")
    listed(past, "b")
    past.site.report("kept/a.json", trivy([], digest=f"{REGISTRY}/nginx@{digest('a')}"))
    config = str(past.site.write_config())
    result = CliRunner().invoke(main, ["record", "--strict", "-f", config, "--date", "2026-11-02"])
    assert result.exit_code == 0, result.output
