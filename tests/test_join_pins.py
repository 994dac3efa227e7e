"""Which release each pin of a chart is, and what the chart's figures add up to."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from .sites import REGISTRY, Result, SiteFolder, built, digest, row, trivy

NGINX, REDIS = f"{REGISTRY}/nginx", f"{REGISTRY}/redis"


@pytest.fixture
def catalog(site: SiteFolder) -> SiteFolder:
    """nginx with a scanned release under two labels and an older one, redis without digest or scan."""
    site.image(
        "nginx",
        f"""
        versions:
          - {{version: 1.27.3, digest: '{digest(3)}'}}
          - {{version: '1.27', digest: '{digest(3)}'}}
          - {{version: 1.27.2, digest: ['{digest(2)}', '{digest(22)}']}}
        """,
    )
    site.image("redis", "versions: ['8.2', latest]")
    rows = [row("CVE-2026-0001", "CRITICAL", fixed="2"), row("CVE-2026-0002", "LOW")]
    site.report("nginx/1.27.3.json", trivy(rows, digest=f"{NGINX}@{digest(3)}"))
    site.report("nginx/1.27.2.json", trivy(rows[1:], digest=f"{NGINX}@{digest(2)}"))
    site.report("nginx/arm64.json", trivy([], digest=f"{NGINX}@{digest(22)}"))
    return site


def chart(site: SiteFolder, *pins: str, slug: str = "web") -> None:
    lines = ["category: Web", "tier: core", "license: MIT", "images:", *(f"  - {pin}" for pin in pins)]
    site.page(f"charts/{slug}.md", "\n".join(lines))


def data(result: Result) -> Any:
    return result.json("charts.json")["data"][0]


def joined(result: Result) -> list[tuple[str | None, str | None]]:
    return [(pin["slug"], pin["version"]) for pin in data(result)["images"]]


@pytest.mark.parametrize(
    ("pin", "release"),
    [
        (f"{NGINX}@{digest(3)}", ("nginx", "1.27.3")),
        (f"{NGINX}:1.27@{digest(3)}", ("nginx", "1.27.3")),
        (f"{NGINX}:1.27.3@{digest(22)}", ("nginx", "1.27.2")),
        (f"{NGINX}:1.27", ("nginx", "1.27")),
        (f"{{image: {NGINX}, digest: '{digest(2)}'}}", ("nginx", "1.27.2")),
        (f"{NGINX}:1.0", ("nginx", None)),
        (f"{NGINX}:1.27.3@{digest(9)}", ("nginx", None)),
        (REDIS, ("redis", "latest")),
        (f"{REDIS}:8.2", ("redis", "8.2")),
        ("redis:8.2", (None, None)),
        ("quay.io/acme/web:1.27.3", (None, None)),
    ],
)
def test_what_a_pin_is(catalog: SiteFolder, pin: str, release: tuple[str, str | None]) -> None:
    chart(catalog, pin, slug="redis")
    result = built(catalog)
    assert joined(result) == [release]
    (entry,) = data(result)["images"]
    address = f"/catalog/api/v1/security/{release[0]}/{release[1]}.json"
    assert entry["href"] == (address if release[1] else None)


def test_a_digest_on_no_page_is_named_at_its_line(catalog: SiteFolder) -> None:
    chart(catalog, f"{NGINX}:1.27.3", f"{NGINX}:1.27.3@{digest(9)}")
    result = built(catalog)
    notes = [text for text in result.logged(logging.INFO) if "on no page" in text]
    assert notes == [
        f"docs/charts/web.md:7:5: images[1]: the digest {digest(9)} is on no page of the catalog"
    ]
    security = data(result)["security"]
    assert (security["scanned"], security["pins"], security["pinsScanned"]) == (False, 2, 1)


def test_a_version_that_the_page_does_not_have_is_named_at_its_line(catalog: SiteFolder) -> None:
    chart(catalog, f"{NGINX}:1.27.4", f"{NGINX}:1.0", NGINX, "quay.io/acme/web:1")
    catalog.report("old.json", trivy([], tag=f"{NGINX}:1.0"))
    assert [text for text in built(catalog).logged(logging.INFO) if "no version" in text] == [
        "docs/charts/web.md:6:5: images[0]: the page of 'nginx' has no version '1.27.4', "
        "and there is no scan of it (it has versions 1.27.3, 1.27.2, 1.27)"
    ]


def test_a_digest_of_another_repository_refuses_the_catalog(catalog: SiteFolder) -> None:
    chart(catalog, f"{REDIS}:8.2@{digest(3)}")
    result = catalog.build()
    assert result.failed
    (error, *_) = result.logged(logging.ERROR)
    assert error.startswith(
        f"docs/charts/web.md:6:5: images[0]: the digest belongs to {NGINX} 1.27.3, not to {REDIS}"
    )


def test_a_digest_on_pages_of_two_repositories_is_the_one_that_the_pin_names(catalog: SiteFolder) -> None:
    catalog.image("mirror", f"versions: [{{version: '9', digest: '{digest(3)}'}}]")
    chart(catalog, f"{REGISTRY}/mirror@{digest(3)}", f"{NGINX}@{digest(3)}")
    assert joined(built(catalog)) == [("mirror", "9"), ("nginx", "1.27.3")]


def test_figures_are_sums_over_the_releases_that_are_pinned(catalog: SiteFolder) -> None:
    chart(catalog, f"{NGINX}@{digest(3)}", f"{NGINX}:1.27.2")
    security = data(built(catalog))["security"]
    assert security == {
        "scanned": True,
        "critical": 1,
        "high": 0,
        "medium": 0,
        "low": 2,
        "unknown": 0,
        "total": 3,
        "fixable": 1,
        "suppressed": 0,
        "grade": "F",
        "score": 12.7,
        "pins": 2,
        "pinsScanned": 2,
        "exploited": None,
        "complete": True,
        "scannedAt": "2026-11-01T06:00:00Z",
        "osEndOfLife": None,
        "version": None,
        "href": None,
    }


def test_the_same_image_pinned_twice_counts_once(catalog: SiteFolder) -> None:
    """By its digest, and where there is none by its reference."""
    chart(catalog, f"{NGINX}@{digest(3)}", f"{NGINX}:1.27.3@{digest(3)}", f"{NGINX}:1.27.3")
    assert [data(built(catalog))["security"][key] for key in ("pins", "total")] == [1, 2]
    chart(
        catalog,
        f"{REDIS}:8.2",
        f"{{name: cache, image: '{REDIS}:8.2'}}",
        "busybox",
        "docker.io/library/busybox:latest",
    )
    security = data(built(catalog))["security"]
    assert (security["pins"], security["pinsScanned"], security["total"]) == (2, 0, None)


def test_with_some_pins_unscanned_counts_cover_the_others_and_no_grade_is_given(catalog: SiteFolder) -> None:
    chart(catalog, f"{NGINX}@{digest(3)}", f"{REDIS}:8.2")
    security = data(built(catalog))["security"]
    assert (security["scanned"], security["pins"], security["pinsScanned"]) == (False, 2, 1)
    assert (security["total"], security["critical"]) == (2, 1)
    assert (security["high"], security["suppressed"]) == (None, None), "none found is not none there"
    assert (security["grade"], security["score"]) == (None, None)


@pytest.mark.parametrize("pins", [(), (f"{REDIS}:8.2",)])
def test_without_a_scan_every_figure_is_null(catalog: SiteFolder, pins: tuple[str, ...]) -> None:
    chart(catalog, *pins) if pins else catalog.page(
        "charts/web.md", "category: Web\ntier: core\nlicense: MIT"
    )
    security = data(built(catalog))["security"]
    said = [security.pop(name) for name in ("scanned", "complete", "pins", "pinsScanned")]
    assert said == [False, False, len(pins), 0]
    assert set(security.values()) == {None}


@pytest.mark.parametrize(
    ("pin", "scanned"),
    [
        (f"quay.io/acme/proxy:1@{digest(7)}", f"quay.io/acme/proxy:1@{digest(7)}"),
        (f"quay.io/acme/proxy@{digest(7)}", f"elsewhere.io/x@{digest(7)}"),
        ("quay.io/acme/proxy:1", "quay.io/acme/proxy:1"),
        ("docker.io/library/proxy:1", "proxy:1"),
        (f"{NGINX}@{digest(7)}", f"{NGINX}@{digest(7)}"),
    ],
)
def test_a_pin_off_the_catalog_that_a_hub_scanned_counts_for_the_chart_only(
    catalog: SiteFolder, pin: str, scanned: str
) -> None:
    chart(catalog, pin)
    before = catalog.build().json("security.json")
    catalog.report("hub/web.json", {scanned: trivy([row("CVE-2026-0009", "MEDIUM")])})
    result = built(catalog)
    security = data(result)["security"]
    assert (security["scanned"], security["total"], security["medium"], security["grade"]) == (
        True,
        1,
        1,
        "C",
    )
    after = result.json("security.json")
    assert after.pop("pinned") != before.pop("pinned")
    assert after == before
    assert result.logged() == []


def test_only_that_very_digest_counts_as_a_scan_of_a_pinned_digest(catalog: SiteFolder) -> None:
    chart(catalog, f"quay.io/acme/proxy:1@{digest(7)}")
    report = trivy(
        [row("CVE-2026-0009")], tag="quay.io/acme/proxy:1", digest=f"quay.io/acme/proxy@{digest(8)}"
    )
    catalog.report("proxy.json", report)
    result = built(catalog)
    assert data(result)["security"]["pinsScanned"] == 0
    (warning,) = result.logged()
    assert warning.startswith(
        "scans/proxy.json: no version in the catalog matches this report of quay.io/acme/proxy:1"
    )


def test_a_scan_that_counts_for_a_release_counts_for_a_pin_of_its_digest_too(catalog: SiteFolder) -> None:
    """The page does not list the digest, so the pin is no release of the catalog, but it was scanned."""
    catalog.report(
        "redis/8.2.json", trivy([row("CVE-2026-0009")], tag=f"{REDIS}:8.2", digest=f"{REDIS}@{digest(5)}")
    )
    chart(catalog, f"{REDIS}:8.2@{digest(5)}")
    result = built(catalog)
    assert joined(result) == [("redis", None)]
    assert data(result)["security"]["total"] == 1
    assert result.json("security/redis/8.2.json")["digest"] == digest(5)
