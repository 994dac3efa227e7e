"""What a scan has looked at: the parts of a version, what covers them, and what follows from it."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

import pytest

from .sites import REGISTRY, Result, SiteFolder, built, row, trivy

WEB = f"{REGISTRY}/web"
INDEX, AMD64, ARM64 = (f"sha256:{hashlib.sha256(name).hexdigest()}" for name in (b"i", b"a", b"b"))
MANIFESTS = f"manifests: {{linux/amd64: '{AMD64}', linux/arm64: '{ARM64}'}}"
BOTH = ["linux/amd64", "linux/arm64"]


def of_platform(platform: str, *found: str, name: str = f"{WEB}@{INDEX}", **options: str) -> dict[str, Any]:
    """A report of Trivy, of the index unless `name` says otherwise."""
    where = {"tag": name} if "@" not in name else {"digest": name}
    report: dict[str, Any] = trivy([row(id_, "CRITICAL") for id_ in found], **where, **options)
    system, _, architecture = platform.partition("/")
    report["Metadata"]["ImageConfig"] = {"os": system, "architecture": architecture}
    return report


def grype(manifest: str = "", **target: Any) -> dict[str, Any]:
    of = {
        "userInput": f"{WEB}:1",
        "manifestDigest": manifest,
        "os": "linux",
        "architecture": "amd64",
    } | target
    descriptor = {"name": "grype", "version": "0.115", "timestamp": "2026-11-01T06:00:00Z"}
    return {"matches": [], "source": {"type": "image", "target": of}, "descriptor": descriptor}


def record(result: Result) -> Any:
    return result.json("security/web/1.json")


def figures(result: Result) -> Any:
    return result.json("images/web/index.json")["data"]["security"]


def of_digest(result: Result, digest: str) -> Any:
    return result.json(f"digests/{digest.replace(':', '/')}.json")["data"][0]


@pytest.fixture
def index(site: SiteFolder) -> SiteFolder:
    """A version with an index and its two manifests."""
    site.image("web", f"versions: [{{version: '1', digest: '{INDEX}', {MANIFESTS}}}]")
    return site


@pytest.fixture
def listed(site: SiteFolder) -> SiteFolder:
    """A version whose page lists two platforms, and knows no manifest."""
    site.image(
        "web", f"platforms: [linux/amd64, linux/arm64]\nversions: [{{version: '1', digest: '{INDEX}'}}]"
    )
    return site


def test_one_report_by_the_index_covers_only_its_platform(index: SiteFolder) -> None:
    index.report("a.json", of_platform("linux/amd64"))
    result = built(index)
    found, shown = record(result), figures(result)
    assert (found["complete"], found["grade"], found["platformsScanned"]) == (False, None, ["linux/amd64"])
    assert (found["critical"], shown["critical"], shown["total"], shown["scanned"]) == (0, None, None, True)
    (warning,) = result.logged()
    assert f"no scan found for linux/arm64 ({ARM64}) (scan what `catalog-api list` prints" in warning
    amd64, arm64 = of_digest(result, AMD64), of_digest(result, ARM64)
    assert (amd64["security"]["complete"], amd64["security"]["grade"]) == (True, "A+")
    assert (amd64["platform"], amd64["platformsScanned"]) == ("linux/amd64", ["linux/amd64"])
    assert (arm64["security"]["scanned"], arm64["security"]["complete"]) == (False, False)
    index.report("b.json", of_platform("linux/arm64/v8", "CVE-2026-0001", name=f"{WEB}@{ARM64}"))
    result = built(index)
    assert (record(result)["complete"], record(result)["grade"]) == (True, "F")
    assert record(result)["platformsScanned"] == BOTH
    assert of_digest(result, AMD64)["security"]["grade"] == "A+"
    assert of_digest(result, ARM64)["security"]["critical"] == 1
    assert result.logged() == []


def test_a_part_may_be_accepted_but_is_not_complete(index: SiteFolder) -> None:
    index.settings["security"] = {"accept": ["partial"]}
    index.report("a.json", of_platform("linux/amd64"))
    result = built(index, strict=True)
    assert (record(result)["complete"], record(result)["grade"]) == (False, "A+")


def test_a_manifest_digest_of_grype_names_its_part_and_another_one_is_left_aside(index: SiteFolder) -> None:
    index.report("a.json", grype(ARM64))
    assert record(built(index))["platformsScanned"] == ["linux/arm64"]
    index.report("a.json", grype(f"sha256:{'0' * 64}"))
    assert record(built(index))["platformsScanned"] == ["linux/amd64"]


def test_a_scan_without_a_platform_covers_no_particular_part(index: SiteFolder) -> None:
    index.report("a.json", trivy([row("CVE-2026-0001")], digest=f"{WEB}@{INDEX}"))
    result = built(index)
    assert (record(result)["total"], record(result)["complete"], record(result)["grade"]) == (1, False, None)
    assert record(result)["platformsScanned"] == []
    assert [of_digest(result, each)["security"]["total"] for each in (AMD64, ARM64)] == [1, 1]


def test_who_publishes_one_platform_says_so_once(index: SiteFolder) -> None:
    index.image(
        "web", f"platforms: [linux/amd64]\nversions: [{{version: '1', digest: '{INDEX}', {MANIFESTS}}}]"
    )
    index.report("a.json", of_platform("linux/amd64"))
    index.report("b.json", of_platform("linux/arm64", "CVE-2026-0001"))
    result = built(index)
    assert (record(result)["complete"], record(result)["grade"], result.logged()) == (True, "A+", [])
    note = "scans/b.json: not used for web 1: it is of linux/arm64, which `platforms` leaves out"
    assert any(text.startswith(note) for text in result.logged(logging.INFO))
    index.image(
        "web", f"platforms: [linux/s390x]\nversions: [{{version: '1', digest: '{INDEX}', {MANIFESTS}}}]"
    )
    result = built(index)
    assert (record(result)["complete"], record(result)["grade"]) == (True, "F")
    (warning,) = result.logged()
    assert "1 has manifests of linux/amd64, linux/arm64, but of none of these platforms" in warning


def test_platforms_without_digests_are_graded_by_what_was_scanned(listed: SiteFolder) -> None:
    listed.report("a.json", of_platform("linux/amd64"))
    result = built(listed, strict=True)
    found = record(result)
    assert (found["complete"], found["grade"], found["platformsScanned"]) == (False, "A+", ["linux/amd64"])
    notes = [text for text in result.logged(logging.INFO) if "graded without a scan of each platform" in text]
    assert len(notes) == 1 and notes[0].startswith("1 image graded")
    page = (result.folder / "site/images/web/index.html").read_text("utf-8")
    assert 'No known vulnerabilities</b> <span class="catalog-quiet">· linux/amd64</span>' in page
    listed.report("b.json", of_platform("linux/arm64"))
    result = built(listed)
    assert (record(result)["complete"], record(result)["platformsScanned"]) == (True, BOTH)
    page = (result.folder / "site/images/web/index.html").read_text("utf-8")
    assert "· linux/amd64</span>" not in page


def test_a_report_of_another_build_covers_nothing(listed: SiteFolder) -> None:
    listed.report("web/1.json", of_platform("linux/amd64", name=f"{WEB}@{AMD64}"))
    found = record(built(listed))
    assert (found["scanned"], found["complete"], found["grade"]) == (True, False, None)
    assert (found["digest"], found["digestsScanned"]) == (AMD64, 0)


def test_a_path_names_a_part(index: SiteFolder) -> None:
    index.report(f"web/1.{ARM64[7:19]}.json", trivy([row("CVE-2026-0001")]))
    result = built(index)
    assert record(result)["platformsScanned"] == ["linux/arm64"]
    assert of_digest(result, ARM64)["security"]["complete"]


@pytest.mark.parametrize(
    ("platform", "name", "what"),
    [("linux/amd64", f"{WEB}@{INDEX}", "linux/amd64"), ("linux/arm64", f"{WEB}@{AMD64}", AMD64)],
)
def test_a_report_that_contradicts_its_path_is_an_error(
    index: SiteFolder, platform: str, name: str, what: str
) -> None:
    index.report(f"web/1.{ARM64[7:19]}.json", of_platform(platform, name=name))
    result = index.build()
    assert result.failed
    assert f"this report is for {what}, but its path is that of {ARM64}" in result.logged()[0]


@pytest.mark.parametrize("name", [f"{WEB}:1", f"{WEB}@{'sha256:' + '0' * 64}"])
def test_a_report_of_a_former_build_never_counts_by_its_path(index: SiteFolder, name: str) -> None:
    index.report("web/1.0123456789ab.json", of_platform("linux/amd64", "CVE-2026-0001", name=name))
    result = built(index)
    assert not record(result)["scanned"]
    assert "scans/web/1.0123456789ab.json: no version in the catalog matches" in result.logged()[0]


def test_an_operating_system_without_results_gets_no_good_grade(listed: SiteFolder) -> None:
    report = of_platform("linux/amd64")
    report["Metadata"]["OS"] = {"Family": "debian", "Name": "13"}
    for results in ([{"Target": "app", "Class": "lang-pkgs"}], None):
        listed.report("a.json", report | {"Results": results})
        found = record(built(listed))
        assert (found["grade"], found["complete"], found["limits"]) == (None, False, ["no-system-packages"])
    del report["Metadata"]["OS"]
    listed.report("a.json", report | {"Results": None})
    assert record(built(listed))["grade"] == "A+", "an image built from nothing may be clean"


def test_grype_says_that_a_distribution_has_ended(listed: SiteFolder) -> None:
    ended = [{"package": {"name": "libc6"}, "alerts": [{"type": "distro-eol", "message": "debian 10"}]}]
    listed.report("a.json", grype() | {"alertsByPackage": ended})
    result = built(listed)
    found = record(result)
    assert (found["osEndOfLife"], found["grade"], found["limits"]) == (True, None, ["os-end-of-life"])
    assert any("is past its end of life" in text for text in result.logged())


HEADERS = {
    "package": {"name": "linux(-.*)?-headers-.*", "type": "deb", "upstream-name": "linux.*"},
    "match-type": "exact-indirect-match",
}


@pytest.mark.parametrize(
    ("rule", "configured", "counts"),
    [
        (HEADERS, [HEADERS], False),
        (HEADERS | {"package": {"name": "openssl.*", "upstream-name": "openssl"}}, [], True),
        (HEADERS | {"vulnerability": "CVE-2026-0001"}, [], True),
        ({"reason": "DistroPackageFixed"}, [], False),
        (
            {"reason": "DistroPackageFixed"},
            [{"reason": "DistroPackageFixed", "package": {"name": "a"}}],
            True,
        ),
    ],
)
def test_only_rules_of_grype_itself_leave_a_match_out(
    listed: SiteFolder, rule: dict[str, Any], configured: list[Any], counts: bool
) -> None:
    report = grype()
    found = {
        "vulnerability": {"id": "CVE-2026-0001", "severity": "Critical"},
        "artifact": {"name": "openssl"},
    }
    report["ignoredMatches"] = [found | {"appliedIgnoreRules": [rule]}]
    report["descriptor"]["configuration"] = {"ignore": configured}
    listed.report("a.json", report)
    assert record(built(listed))["critical"] == counts


def test_a_file_with_two_formats_is_refused(listed: SiteFolder) -> None:
    listed.report("a.json", of_platform("linux/amd64") | grype())
    result = listed.build()
    assert result.failed
    assert "scans/a.json: a report of both Trivy and Grype (save each report in a file" in result.logged()[0]


def test_a_chart_with_an_unscanned_pin_has_no_count_of_zero(index: SiteFolder) -> None:
    index.report("b.json", of_platform("linux/arm64", name=f"{WEB}@{ARM64}"))
    pins = [f"{WEB}@{ARM64}", "quay.io/acme/proxy:1"]
    index.page("charts/app.md", f"category: Web\ntier: core\nlicense: MIT\nimages: {pins}")
    index.page("charts/arm.md", f"category: Web\ntier: core\nlicense: MIT\nimages: {pins[:1]}")
    app, arm = (each["security"] for each in built(index).json("charts.json")["data"])
    assert (app["pins"], app["pinsScanned"], app["scanned"], app["complete"]) == (2, 1, False, False)
    assert (app["critical"], app["total"], app["grade"]) == (None, None, None)
    assert (arm["complete"], arm["critical"], arm["grade"]) == (True, 0, "A+"), (
        "the pinned manifest's figures"
    )
