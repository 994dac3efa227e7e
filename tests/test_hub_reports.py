"""Reports saved from a chart hub: what it scanned, what it found nothing in, and what it says nothing of."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from .sites import REGISTRY, SiteFolder, digest, row, trivy

CREATED = 1_793_512_800
"""2026-11-01T06:00:00Z"""
ALPHA = f"{REGISTRY}/alpha:1.0"
BETA = f"{REGISTRY}/beta:2.0@{digest('beta')}"


def package(*images: str | dict[str, Any], created: int | None = CREATED, **more: Any) -> bytes:
    """The hub's answer about a package with these images."""
    listed = [{"name": "main", "image": image} if isinstance(image, str) else image for image in images]
    answer: dict[str, Any] = {
        "package_id": "8d7f3f3e-4c1b-4b55-9a3a-6f4a2a1f0c11",
        "name": "stack",
        "version": "1.0.0",
        "containers_images": listed,
        "readme": "# Stack",
    }
    if created is not None:
        answer["security_report_created_at"] = created
    return json.dumps(answer | more).encode()


@pytest.fixture
def hub(site: SiteFolder) -> SiteFolder:
    """Two images, neither scanned by anything but the hub."""
    site.image("alpha", "versions: ['1.0']")
    site.image("beta", f"versions: [{{version: '2.0', digest: '{digest('beta')}'}}]")
    return site


def save(site: SiteFolder, report: object, answer: bytes, *, version: str = "1.0.0") -> None:
    site.report(f"hub/acme/stack/{version}.json", report)
    site.write(f"scans/hub/acme/stack/{version}.package", answer)


def record(site: SiteFolder, slug: str, version: str) -> Any:
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    return result.json(f"security/{slug}/{version}.json")


def test_an_image_that_is_absent_from_the_map_was_scanned_and_nothing_found(hub: SiteFolder) -> None:
    save(hub, {ALPHA: trivy([row("CVE-2026-0001")])}, package(ALPHA, BETA))
    assert record(hub, "alpha", "1.0")["total"] == 1
    beta = record(hub, "beta", "2.0")
    assert (beta["scanned"], beta["total"], beta["grade"], beta["cves"]) == (True, 0, "A+", [])
    assert (beta["scannedAt"], beta["digest"]) == ("2026-11-01T06:00:00Z", digest("beta"))


def test_null_with_a_time_of_the_scan_means_that_nothing_was_found_in_any_image(hub: SiteFolder) -> None:
    save(hub, None, package(ALPHA, BETA))
    result = hub.build(strict=True)
    summary = result.json("security.json")
    assert (summary["scanned"], summary["total"], summary["unscanned"]) == (2, 0, [])
    assert any("could not pull an image" in text for text in result.logged(logging.INFO))


def test_null_without_a_time_of_the_scan_says_nothing(hub: SiteFolder) -> None:
    save(hub, None, package(ALPHA, BETA, created=None))
    result = hub.build(strict=True)
    assert result.json("security.json")["unscanned"] == ["alpha", "beta"]


def test_a_whitelisted_image_is_not_scanned(hub: SiteFolder) -> None:
    save(hub, None, package(ALPHA, {"name": "b", "image": BETA, "whitelisted": True}))
    assert hub.build(strict=True).json("security.json")["unscanned"] == ["beta"]


def test_silence_never_displaces_a_report_however_old(hub: SiteFolder) -> None:
    save(hub, {ALPHA: trivy([row("CVE-2026-0001")], created="2026-01-01T00:00:00Z")}, package(ALPHA))
    save(hub, None, package(ALPHA, version="1.0.1"), version="1.0.1")
    assert record(hub, "alpha", "1.0")["total"] == 1


def test_the_time_of_the_scan_is_the_report_s_own_if_it_has_one(hub: SiteFolder) -> None:
    old: dict[str, object] = {"Results": []}
    save(hub, {ALPHA: old, BETA: trivy([], created="2026-10-31T01:02:03Z")}, package(ALPHA, BETA))
    assert record(hub, "alpha", "1.0")["scannedAt"] == "2026-11-01T06:00:00Z"
    assert record(hub, "beta", "2.0")["scannedAt"] == "2026-10-31T01:02:03Z"


def test_the_folder_of_a_chart_is_no_folder_of_an_image(hub: SiteFolder) -> None:
    """Not even for an image that is called as the folder is."""
    hub.image("hub", "versions: ['9.0']")
    save(hub, {ALPHA: trivy([row("CVE-2026-0001")])}, package(ALPHA))
    assert record(hub, "alpha", "1.0")["total"] == 1


def test_what_a_fetched_chart_contains_beside_the_catalog_is_no_reason_to_refuse(hub: SiteFolder) -> None:
    save(hub, {f"{REGISTRY}/alpha:0.9": trivy([row("CVE-2026-0001")])}, package(f"{REGISTRY}/alpha:0.9"))
    result = hub.build(strict=True)
    assert result.logged() == []
    (note,) = [text for text in result.logged(logging.INFO) if "1.0.0.json" in text]
    assert "no version and no pin in the catalog matches an image in this report" in note


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (b"<html>", "a web page"),
        (b"[]", "not a response on a package"),
        (package(ALPHA, package_id="../../etc"), "`package_id`"),
        (package({"name": "a", "image": 1}), "`containers_images[0].image`"),
        (package(ALPHA, created=10**20), "`security_report_created_at`"),
    ],
)
def test_a_broken_answer_about_the_package_is_refused_by_name(
    hub: SiteFolder, answer: bytes, what: str
) -> None:
    save(hub, None, answer)
    result = hub.build()
    assert result.failed
    (message,) = [text for text in result.logged() if "scans/hub/acme/stack/1.0.0.package" in text]
    assert what in message


def test_an_error_of_the_hub_is_no_report(hub: SiteFolder) -> None:
    save(hub, {"message": "internal error"}, package(ALPHA))
    assert hub.build().failed
