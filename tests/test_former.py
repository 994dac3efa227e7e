"""Former digests: builds that versions had before, from files of `sync` and from recorded days."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

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

    def built_to(label: str, seed: str) -> dict[str, Any]:
        return {"version": label, "digest": digest(seed), "manifests": parts(seed)}

    facts = {
        "image": f"{REGISTRY}/{slug}",
        "versions": [built_to(*version) for version in versions.items()],
        "former": [built_to(label, seed) | {"until": until} for label, seed, until in former],
    }
    site.write(f"registry/images/{slug}.json", json.dumps(facts))


def entry(result: Result, seed: str) -> Any:
    [only] = result.json(path(seed))["data"]
    return only


def listed(past: Past, seed: str, slug: str = "nginx", lifecycle: str = "available") -> None:
    """Write a page with 1.0 as it was built from the seed."""
    past.site.image(slug, f"lifecycle: {lifecycle}\nversions: [{{version: '1.0', digest: '{digest(seed)}'}}]")


def test_former_digests_have_bounds(site: SiteFolder) -> None:
    """The 20 newest of a label, and none that ended more than a year before the newest date in the files."""
    site.image("nginx", "versions: ['1.0', '1.1']")
    nights = [("1.0", f"night {number}", f"2026-11-{number:02}") for number in range(1, 26)]
    years = [("1.1", "kept", "2025-11-25"), ("1.1", "too old", "2025-11-24")]
    know(site, {"1.0": "now", "1.1": "also"}, *nights, *years)
    result = built(site)
    kept = [seed for _, seed, _ in (*nights, *years) if (result.api / path(seed)).exists()]
    assert kept == [*(f"night {number}" for number in range(6, 26)), "kept"]


@pytest.fixture
def past(site: SiteFolder) -> Past:
    return Past(site)


@pytest.fixture
def rebuilt(site: SiteFolder) -> SiteFolder:
    return rebuilt_twice(site)


def rebuilt_twice(site: SiteFolder) -> SiteFolder:
    """1.0 was rebuilt twice, 1.1 never, and 0.9 is no longer listed."""
    site.image("nginx", "versions: ['1.0', '1.1']")
    versions = {"0.9": "old", "1.0": "c", "1.1": "d"}
    know(site, versions, ("1.0", "b", "2026-11-03"), ("1.0", "a", "2026-11-02"))
    return site


def twelve(seed: str) -> str:
    """The digits of a digest that paths and the search index have."""
    return digest(seed).partition(":")[2][:12]


def facts(entry: Any, names: str) -> list[Any]:
    return [entry[name] for name in names.split()]


def test_a_former_digest_and_its_manifests_lead_to_the_present_one(rebuilt: SiteFolder) -> None:
    result = built(rebuilt)
    a, old = entry(result, "a"), entry(result, "old")
    assert facts(a, "listed until isLatest") == [False, "2026-11-02", False]
    assert facts(a, "version digest") == ["1.0", digest("c")]
    assert a["href"].endswith("/security/nginx/1.0.json")
    assert facts(a["upgrade"], "version digest") == ["1.1", digest("d")]
    assert entry(result, "b")["until"] == "2026-11-03"
    assert entry(result, "a arm64")["platform"] == "linux/arm64"
    assert entry(result, "c")["listed"] is True
    assert facts(old, "until digest href upgrade") == [None] * 4
    assert old["newLine"]["version"] == "1.1"
    hexes = [twelve(f"{seed}{part}") for seed in "ba" for part in ("", " amd64", " arm64")]
    assert result.at("search.json 0 former 0") == {"version": "1.0", "digestPrefixes": hexes}


def test_the_update_of_a_former_build_of_the_newest_version_is_its_present_build(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1.0']")
    know(site, {"1.0": "b"}, ("1.0", "a", "2026-11-02"))
    rows = [row("CVE-2026-0001"), row("CVE-2026-0002")]
    for seed, found in (("a", rows), ("b", rows[:1])):
        for part in ("amd64", "arm64"):
            scan = trivy([*found], digest=f"{REGISTRY}/nginx@{digest(f'{seed} {part}')}")
            site.report(f"nginx/1.0.{twelve(f'{seed} {part}')}.json", scan)
    result = built(site, strict=True)
    assert facts(entry(result, "a")["upgrade"], "version digest fixes adds") == ["1.0", digest("b"), 1, 0]
    assert facts(entry(result, "a amd64")["security"], "scanned complete total") == [True, True, 2]
    assert result.json("security.json")["total"] == 1, "former builds are in no sum"


@pytest.mark.parametrize("path", ["kept/old", f"nginx/1.0.{twelve('a')}", "nginx/1.1"])
def test_a_report_of_a_former_digest_belongs_to_it_alone(rebuilt: SiteFolder, path: str) -> None:
    """Wherever it lies, and it is never called unused."""
    rebuilt.report(f"{path}.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/nginx@{digest('a')}"))
    result = built(rebuilt)
    assert entry(result, "a")["security"]["total"] == 1
    assert [entry(result, seed)["security"]["scanned"] for seed in "bc"] == [False, False]
    assert entry(result, "d")["security"]["grade"] is None
    assert result.logged() == []


def test_digits_of_a_former_digest_in_a_path_find_nothing(rebuilt: SiteFolder) -> None:
    """`list` prints the paths of what is listed; what lies at another one has to name its digest."""
    rebuilt.report(f"nginx/1.0.{twelve('a')}.json", trivy([row("CVE-2026-0001")]))
    result = built(rebuilt)
    assert [entry(result, seed)["security"]["scanned"] for seed in "abcd"] == [False] * 4
    assert result.codes == ["CAT031"]


def test_a_pin_of_a_former_digest_names_its_version_and_the_day(rebuilt: SiteFolder) -> None:
    rebuilt.report("kept/a.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/nginx@{digest('a')}"))
    pins = [f"{REGISTRY}/nginx@{digest(seed)}" for seed in ("a", "b arm64", "c", "unknown")]
    rebuilt.page("charts/stack.md", f"images: {json.dumps(pins)}")
    result = rendered(rebuilt)
    hrefs: list[str | None] = [f"/catalog/api/v1/{path(seed)}" for seed in ("a", "b arm64")]
    hrefs += ["/catalog/api/v1/security/nginx/1.0.json", None]
    assert result.at("charts/stack images version") == ["1.0", "1.0", "1.0", None]
    assert result.at("charts/stack images until") == ["2026-11-02", "2026-11-03", None, None]
    assert result.at("charts/stack images href") == hrefs
    assert facts(result.at("charts/stack security"), "pinsScanned high") == [1, 1]
    assert result.at("cves/CVE-2026-0001 charts slug") == ["stack"]
    page = " ".join((result.folder / "site/charts/stack/index.html").read_text().split())
    assert "pins a former build of before 2026-11-02; 1.0 was rebuilt" in page
    assert "2 former digests" not in page
    page = (result.folder / "site/images/nginx/index.html").read_text()
    assert "3 former digests" in page and digest("a") in page


def test_without_the_word_former_pins_have_no_link(rebuilt: SiteFolder) -> None:
    rebuilt.settings["lookups"] = ["digests"]
    rebuilt.page("charts/stack.md", f"images: [{REGISTRY}/nginx@{digest('a')}]")
    result = built(rebuilt)
    assert not (result.api / path("a")).exists() and (result.api / path("c")).exists()
    assert result.at("charts 0 images 0 href") is None


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
    left, known = entry(result, "r"), entry(result, "known")
    assert facts(left, "name image latest lifecycle") == ["redis", None, "1.0", "deprecated"]
    assert facts(left, "until listed upgrade href") == ["2026-11-02", False, None, None]
    assert left["security"]["href"] is None
    assert facts(known, "slug latest lifecycle until") == ["valkey", None, None, None]


def test_record_knows_the_former_digests_of_earlier_days(past: Past) -> None:
    listed(past, "a")
    past.day("2026-11-01")
    listed(past, "b")
    past.site.report("kept/a.json", trivy([], digest=f"{REGISTRY}/nginx@{digest('a')}"))
    result = past.run("--strict", "--date", "2026-11-02")
    assert result.exit_code == 0, result.output
