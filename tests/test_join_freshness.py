"""Warnings about scans that count but say little; they change no byte."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from .contract import check
from .sites import REGISTRY, Result, SiteFolder, digest, row, trivy

NOW = "1793600000"  # 2026-11-02T06:13:20Z


@pytest.fixture
def dated(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> SiteFolder:
    """A site built at a time that is known."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOW)
    return site


def built(site: SiteFolder, max_age: int | None = None) -> Result:
    site.settings["security"] = {"max_age": max_age} if max_age else {}
    result = site.build()
    assert not result.failed, result.logged()
    assert check(result.folder / "site", "/catalog") == []
    return result


def abandoned(rows: list[dict[str, object]], created: str = "2026-11-01T06:00:00Z") -> dict[str, Any]:
    """A scan of a system past its end of life."""
    report: dict[str, Any] = trivy(rows, created=created)
    report["Metadata"]["OS"] = {"Family": "alpine", "Name": "3.10.9", "EOSL": True}
    return report


def test_max_age_names_each_image_whose_newest_scan_is_older_and_changes_no_byte(dated: SiteFolder) -> None:
    dated.image("fresh", "versions: ['2', '1']")
    dated.image("stale", "versions: ['1']")
    dated.image("never", "versions: ['1']")
    dated.image("later", "versions: ['1']", lifecycle="planned")
    dated.report("fresh/2.json", trivy([], created="2026-10-03T05:00:00Z"))
    dated.report("fresh/1.json", trivy([], created="2020-01-01T00:00:00Z"))
    dated.report("stale/1.json", trivy([], created="2026-10-02T05:00:00Z"))
    dated.report("later/1.json", trivy([], created="2020-01-01T00:00:00Z"))
    plain = built(dated)
    assert plain.logged() == []
    result = built(dated, 30)
    assert result.logged() == [
        "docs/images/never.md:5:1: versions: the newest version, 1, has no scan (scan it; `security.max_age`"
        " requires scans)",
        "scans/stale/1.json: the scan of stale 1 is 31 days old (`security.max_age` is 30)"
        " (scan the image again)",
    ]
    assert result.codes.count("CAT035") == 2
    assert result.bytes() == plain.bytes()
    (warning,) = built(dated, 31).logged()
    assert warning.startswith("docs/images/never.md:5:1: versions: the newest version, 1, has no scan")
    dated.settings["security"] = {"max_age": 30}
    assert dated.build(strict=True).failed


def test_max_age_asks_for_no_scan_in_a_catalog_without_any(dated: SiteFolder) -> None:
    dated.image("never", "versions: ['1']")
    assert built(dated, 30).logged() == []


def test_a_release_is_as_old_as_the_oldest_of_its_parts(dated: SiteFolder) -> None:
    dated.image("web", "versions: ['1']")
    for name, created in (("amd64", "2026-11-01T06:00:00Z"), ("arm64", "2026-06-01T06:00:00Z")):
        report: dict[str, Any] = trivy([], tag="registry.example.org/hardened/web:1", created=created)
        report["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": name}
        dated.report(f"{name}.json", report)
    (warning,) = built(dated, 30).logged()
    assert warning.startswith("scans/arm64.json: the scan of web 1 is 154 days old")


def test_the_age_of_a_scan_without_a_time_is_not_known(dated: SiteFolder) -> None:
    dated.image("web", "versions: ['1']")
    dated.report("web/1.json", trivy([], created=""))
    result = built(dated, 30)
    assert result.logged() == []
    assert result.json("security/web.json")["latest"]["scannedAt"] is None
    assert any("its age is unknown" in text for text in result.logged(logging.INFO))


def test_a_scan_from_before_the_release_warns_unless_it_is_of_its_digest(dated: SiteFolder) -> None:
    web, at = f"{REGISTRY}/web", digest(1)
    dated.image("web", "versions: [{version: '1', released: 2026-10-20, tags: [stable]}]")
    dated.report("stable.json", trivy([], tag=f"{web}:stable", created="2026-10-18T23:00:00Z"))
    (warning,) = built(dated).logged()
    assert warning.startswith(
        "scans/stable.json: scanned at 2026-10-18T23:00:00Z, but web 1 was released on 2026-10-20 (scan the"
    )
    dated.report("stable.json", trivy([], tag=f"{web}:stable", created="2026-10-19T01:00:00Z"))
    assert built(dated).logged() == []
    dated.image("web", f"versions: [{{version: '1', released: 2026-10-20, digest: '{at}'}}]")
    dated.report("stable.json", trivy([], digest=f"{web}@{at}", created="2026-10-01T01:00:00Z"))
    assert built(dated).logged() == []
    manifests = f"digest: '{digest(2)}', manifests: {{linux/amd64: '{at}'}}"
    dated.image("web", f"versions: [{{version: '1', released: 2026-10-20, {manifests}}}]")
    assert built(dated).logged() == []


@pytest.mark.parametrize(
    ("listed", "counts"), [("linux/amd64", False), ("linux/amd64, linux/arm64/v8", True), ("", True)]
)
def test_a_scan_of_a_platform_that_the_page_leaves_out_does_not_count(
    dated: SiteFolder, listed: str, counts: bool
) -> None:
    dated.image("web", f"versions: [{{version: '1', platforms: [{listed}]}}]")
    report: dict[str, Any] = trivy([])
    report["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": "arm64"}
    dated.report("web/1.json", report)
    result = built(dated)
    assert result.json("security/web/1.json")["scanned"] == counts
    note = "scans/web/1.json: not used for web 1: it is of linux/arm64, which `platforms` leaves out"
    assert any(text.startswith(note) for text in result.logged(logging.INFO)) != counts


def test_a_system_past_its_end_of_life_warns_and_gets_no_good_grade(dated: SiteFolder) -> None:
    dated.image("web", "versions: ['3', '2', '1']")
    dated.report("web/3.json", abandoned([]))
    dated.report("web/2.json", abandoned([row("CVE-2026-0001", "UNKNOWN")]))
    dated.report("web/1.json", abandoned([row("CVE-2026-0001", "UNKNOWN", fixed="2")]))
    result = built(dated)
    records = result.json("security/web.json")["versions"]
    assert [(found["osEndOfLife"], found["grade"], found["score"]) for found in records] == [
        (True, None, None),
        (True, None, None),
        (True, "B", 93.3),
    ]
    assert result.json("security/index.json")["data"][0]["grade"] is None
    assert [text.partition(":")[0] for text in result.logged()] == [
        "scans/web/1.json",
        "scans/web/2.json",
        "scans/web/3.json",
    ]
    assert "past its end of life" in result.logged()[0]


@pytest.mark.parametrize("severity", [None, "UNKNOWN", "MEDIUM"])
def test_a_chart_gets_no_grade_while_a_pin_has_none(dated: SiteFolder, severity: str | None) -> None:
    dated.image("old", "versions: ['1']", lifecycle="deprecated")
    dated.image("new", "versions: ['1']")
    dated.report("old/1.json", abandoned([]))
    dated.report("new/1.json", trivy([row("CVE-2026-0001", severity)] if severity else []))
    pins = "images: ['registry.example.org/hardened/old:1', 'registry.example.org/hardened/new:1']"
    dated.page("charts/web.md", f"category: Web\ntier: core\nlicense: MIT\n{pins}")
    security = built(dated).json("charts.json")["data"][0]["security"]
    assert (security["scanned"], security["total"]) == (True, 1 if severity else None)
    assert (security["grade"], security["score"]) == (None, None)


@pytest.mark.parametrize(
    ("lifecycle", "version", "level"),
    [
        ("available", "{version: '1', endOfLife: 2026-11-01}", logging.INFO),
        ("available", "{version: '1', endOfLife: 2026-11-02}", logging.WARNING),
        ("deprecated", "'1'", logging.INFO),
        ("withdrawn", "'1'", logging.INFO),
        ("available", "'1'", logging.WARNING),
    ],
)
def test_it_is_a_note_where_the_page_says_that_the_release_has_had_its_time(
    dated: SiteFolder, lifecycle: str, version: str, level: int
) -> None:
    dated.image("web", f"versions: [{version}]", lifecycle=lifecycle)
    dated.report("web/1.json", abandoned([]))
    result = built(dated)
    assert [found for found, text in result.records if "past its end of life" in text] == [level]
    assert result.json("security/web.json")["latest"]["grade"] is None


def test_what_a_scanner_does_not_say_is_null(dated: SiteFolder) -> None:
    dated.image("web", "versions: ['2', '1']")
    told: dict[str, Any] = trivy([])
    told["Metadata"]["OS"] = {"Family": "wolfi", "Name": "20230201"}
    dated.report("web/2.json", told | {"Trivy": {"Version": "0.69.3"}})
    dated.report("web/1.json", {"matches": [], "descriptor": {"name": "grype"}})
    newest, older = built(dated).json("security/web.json")["versions"]
    assert (newest["osEndOfLife"], newest["scanner"], newest["grade"]) == (False, "Trivy 0.69.3", "A+")
    assert (older["osEndOfLife"], older["scanner"], older["scannedAt"]) == (None, "Grype", None)
