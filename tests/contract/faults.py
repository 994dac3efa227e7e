"""Faults to put into the hand-written API, each with the place where the check must find it."""

from collections.abc import Callable

from tests.contract.api import Json
from tests.contract.sample import documents
from tests.contract.sample_items import BASE, MOUNT

ROWS = "versions 0 cves"
GONE = object()


def change(docs: dict[str, Json], document: str, path: str, value: object) -> None:
    """Put `value` at a place: the keys of `path` with a space between. A function gets what stands there."""
    if not path:
        docs[document] = value(docs[document]) if callable(value) else value
        return
    *steps, last = [int(step) if step.isdigit() else step for step in path.split()]
    place = docs[document]
    for step in steps:
        place = place[step]
    if value is GONE:
        del place[last]
    else:
        place[last] = value(place[last]) if callable(value) else value


def reverse(value: list[Json]) -> list[Json]:
    return value[::-1]


def keys_reversed(value: dict[str, Json]) -> dict[str, Json]:
    return dict(reversed(value.items()))


def plus(**keys: Json) -> Callable[[Json], Json]:
    return lambda value: value | keys


def without_logo(badge: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in badge.items() if key not in ("namedLogo", "logoColor")}


# Where a fault is put, what is put there, and where the check must find it ("" is the same place).
FAULTS: list[tuple[str, str, object, str]] = [
    # envelopes and pages
    ("images.json", "total", 3, ""),
    ("images.json", "total", 2.0, ""),
    ("images.json", "total", True, ""),
    ("images.json", "apiVersion", "v2", ""),
    ("charts.json", "resource", "images", ""),
    ("images.json", "next", None, ""),
    ("updates/1.json", "perPage", 25, ""),
    ("updates/2.json", "page", 1, ""),
    ("updates/1.json", "totalPages", 1, ""),
    ("updates/1.json", "links prev", BASE + "/updates/1.json", ""),
    ("updates/1.json", "links next", None, ""),
    ("updates/2.json", "links next", BASE + "/updates/2.json", ""),
    ("updates/2.json", "links first", "/api/v1/updates/1.json", ""),
    ("updates/1.json", "data", reverse, "updates/1.json $.data[0]"),
    ("updates/2.json", "data", [], ""),
    ("images.json", "data", reverse, ""),
    ("updates.json", "data 1", lambda _: documents()["updates.json"]["data"][0], ""),
    # items
    ("images/nginx/index.json", "data", plus(tier="low"), "images/nginx/index.json $.data.tier"),
    ("images/nginx/index.json", "links html", MOUNT + "/", ""),
    ("images/nginx/index.json", "badges cves", BASE + "/badge/cves.json", ""),
    ("charts/web/index.json", "slug", "solo", ""),
    ("images.json", "data 0 cves", [], ""),
    ("images.json", "data 0 name", None, ""),
    ("images.json", "data 0 tier", GONE, ""),
    ("images.json", "data 0", keys_reversed, ""),
    ("images.json", "data 0 slug", "NGINX", ""),
    ("images.json", "data 0 lifecycle", "gone", ""),
    ("images.json", "data 0 image", "ghcr.io/acme/nginx:1", ""),
    ("images.json", "data 0 homepage", "javascript:alert(1)", ""),
    ("images.json", "data 0 url", "/catalog/images/none/", ""),
    ("images.json", "data 0 url", "/images/nginx/", ""),
    ("images.json", "data 0 href", BASE + "/images/tool/index.json", ""),
    ("images.json", "data 0 href", "https://example.org/catalog/api/v1/images.json", ""),
    ("images.json", "data 0 latest", "1.9.0", ""),
    ("images.json", "data 0 platforms", None, ""),
    ("images.json", "data 0 versions", reverse, ""),
    ("images.json", "data 0 versions 0 digest", "sha256:" + "A" * 64, ""),
    ("images.json", "data 0 versions 0 digests", [], "images.json $.data[0].versions[0].digest"),
    ("images.json", "data 0 versions 0 released", "2026-13-01", ""),
    ("images.json", "data 0 versions 0 size", "1 KB", ""),
    ("images.json", "data 0 versions 0 href", BASE + "/security/nginx/1.9.0.json", ""),
    ("charts.json", "data 0 versions 0 version", "1", ""),
    ("charts.json", "data 0 versions", reverse, ""),
    ("roadmap.json", "data 0 blocked", None, ""),
    ("updates.json", "data 0 outcome", "suspended", ""),
    ("updates.json", "data 0 href", None, ""),
    ("updates.json", "data 1 href", BASE + "/images/nginx/index.json", ""),
    # security of items
    ("images.json", "data 0 security total", 4, ""),
    ("images.json", "data 0 security suppressed", 0, ""),
    ("images.json", "data 0 security score", 50, ""),
    ("images.json", "data 0 security version", "1.9.0", ""),
    ("images.json", "data 1 security critical", 0, ""),
    ("images.json", "data 1 security href", BASE + "/security/nginx.json", ""),
    ("charts.json", "data 0 security pins", 2, ""),
    ("charts.json", "data 1 security pinsScanned", 3, ""),
    ("charts.json", "data 1 security scanned", True, ""),
    ("charts.json", "data 1 security grade", "D", ""),
    ("charts.json", "data 1 security high", 3, ""),
    ("charts.json", "data 0 security grade", "A", ""),
    ("charts.json", "data 1 images 0 version", "1.9.0", "charts.json $.data[1].images[0]"),
    ("charts.json", "data 1 images 0 href", None, ""),
    ("charts.json", "data 1 images 0 digest", None, ""),
    ("charts.json", "data 1 images 1 slug", "nginx", ""),
    # release records
    ("security/nginx.json", "image", "ghcr.io/acme/tool", ""),
    (
        "security/nginx.json",
        "latest",
        lambda record: record | {"version": "1.9.0"},
        "security/nginx.json $.latest",
    ),
    ("security/nginx.json", "versions", reverse, ""),
    ("security/nginx.json", "versions 0 total", 2, ""),
    ("security/nginx.json", "versions 0 fixable", 3, ""),
    ("security/nginx.json", "versions 0 high", 2.0, ""),
    ("security/nginx.json", "versions 0 unknown", None, ""),
    ("security/nginx.json", "versions 0 grade", "C", ""),
    ("security/nginx.json", "versions 0 grade", "E", ""),
    ("security/nginx.json", "versions 0 score", 50.6, ""),
    ("security/nginx.json", "versions 1 osEndOfLife", True, "security/nginx.json $.versions[1].grade"),
    ("security/nginx.json", "versions 1 scanned", False, "security/nginx.json $.versions[1].total"),
    ("security/nginx.json", "versions 0 findings", 2, ""),
    ("security/nginx.json", "versions 0 unique", 2, ""),
    ("security/nginx.json", "versions 0 suppressed", 1, ""),
    ("security/nginx.json", "versions 0 suppressed 0 status", "affected", ""),
    ("security/nginx.json", "versions 0 suppressed 0 statement", None, ""),
    (
        "security/nginx.json",
        ROWS,
        lambda rows: [rows[1], rows[0], rows[2]],
        "security/nginx.json $.versions[0].cves[0]",
    ),
    ("security/nginx.json", ROWS, lambda rows: [rows[0], *rows], "security/nginx.json $.versions[0].cves[1]"),
    ("security/nginx.json", f"{ROWS} 0 severity", "IMPORTANT", ""),
    ("security/nginx.json", f"{ROWS} 0 fixed", None, ""),
    ("security/nginx.json", f"{ROWS} 0 title", "x" * 1001, ""),
    ("security/nginx.json", f"{ROWS} 0 title", "a\x1b[31m", ""),
    ("security/nginx.json", f"{ROWS} 0 url", "ftp://example.org/", ""),
    ("security/nginx.json", f"{ROWS} 0 targets", reverse, ""),
    ("security/nginx.json", f"{ROWS} 0", keys_reversed, ""),
    ("security/nginx/1.9.0.json", "scannedAt", "2026-11-19T06:00:00Z", ""),
    ("security/nginx/1.9.0.json", "slug", "tool", ""),
    # summary and index
    ("security.json", "total", 4, ""),
    ("security.json", "bySeverity high", 1, ""),
    ("security.json", "imagesWithCves", 2, ""),
    ("security.json", "images nginx total", 2, ""),
    ("security.json", "images nginx href", BASE + "/security/nginx/1.10.0.json", ""),
    ("security.json", "images tool", None, ""),
    ("security.json", "scanned", 2, ""),
    ("security.json", "unscanned", [], ""),
    ("security.json", "unique", 2, ""),
    ("security/index.json", "total", 2, ""),
    ("security/index.json", "data 0 name", "nginx", ""),
    ("security/index.json", "data 0 scannedAt", None, ""),
    # discovery and OpenAPI
    ("index.json", "resources updates totalPages", 1, ""),
    ("index.json", "badges wolfi", GONE, ""),
    ("index.json", "openapi", BASE + "/index.json", ""),
    ("index.json", "manifest", "/api/v1/manifest.json", ""),
    ("openapi.json", "openapi", "3.0.3", ""),
    ("openapi.json", "paths /api/v1/security/index.json", GONE, "openapi.json $.paths"),
    ("openapi.json", "paths /api/v1/badge/{slug}/{name}.json", GONE, "openapi.json $.paths"),
    ("openapi.json", "components schemas Envelope", {}, "openapi.json $.paths['/api/v1/images.json']"),
    (
        "openapi.json",
        "components schemas Badge properties label",
        {"maxLength": 3},
        "badge/charts.json $.label",
    ),
    # badges
    ("badge/images.json", "message", "3 images", ""),
    ("badge/charts.json", "message", "", ""),
    ("badge/cves.json", "message", "0", ""),
    ("badge/multiarch.json", "message", "amd64 | arm64", ""),
    ("badge/license.json", "message", "Apache-2.0", ""),
    ("badge/wolfi.json", "message", "2/2", ""),
    ("badge/cosign.json", "message", "50%", ""),
    ("badge/artifacthub.json", "message", "2 charts", ""),
    ("badge/nginx/cves.json", "message", "2", ""),
    ("badge/nginx/grade.json", "message", "A", ""),
    ("badge/nginx/version.json", "message", "1.9.0", ""),
    ("badge/tool/cves.json", "message", "0", ""),
    ("badge/tool/cves.json", "color", "brightgreen", ""),
    ("badge/images.json", "schemaVersion", "1", ""),
    ("badge/images.json", "logoSvg", "<svg/>", ""),
    ("badge/images.json", "namedLogo", GONE, ""),
    ("badge/images.json", "cacheSeconds", 300, ""),
    ("badge/images.json", "link", None, ""),
    ("badge/images.json", "logoSvg", "", ""),
    (
        "badge/cosign.json",
        "",
        lambda badge: without_logo(badge) | {"logoSvg": "logo.svg"},
        "badge/cosign.json $.logoSvg",
    ),
    ("badge/nginx/cves.json", "", without_logo, "badge/nginx/cves.json $"),
    ("badge/tool/grade.json", "message", "A+", ""),
    ("badge/tool/version.json", "message", "", ""),
    # the rest of what the check can say
    ("images.json", "data 1 slug", "nginx", "images.json $.data"),
    ("images.json", "data 0 versions 1 version", "1.10.0", "images.json $.data[0].versions"),
    ("images.json", "data 0 versions 0 digests", lambda digests: digests * 2, ""),
    ("images.json", "data 0 versions 0 endOfLife", "2027-02-30", ""),
    ("charts.json", "data 0 hub", "https://hub.example.org/solo", "badge $"),
    ("charts.json", "data 0 hub", "https://[hub", ""),
    ("updates.json", "data 0 checked", "yesterday", ""),
    ("roadmap.json", "data 0 priority", 1.5, ""),
    ("security.json", "images", [], ""),
    (
        "security.json",
        "images",
        lambda images: {"tool": images["nginx"], **images},
        "security.json $.images: is not in",
    ),
    ("security/nginx.json", "versions 0 scannedAt", "2026-11-20", ""),
    ("security/nginx.json", "versions 0 scanner", {"name": "Trivy"}, ""),
    ("security/nginx.json", "versions 0 suppressed 0", plus(id="CVE-2024-0002", pkg="openssl"), ""),
    ("openapi.json", "paths", [], ""),
    ("openapi.json", "paths /api/v1/index.json get", {}, "openapi.json $.paths['/api/v1/index.json']"),
]


def address(document: str, path: str) -> str:
    steps = (f"[{step}]" if step.isdigit() else f".{step}" for step in path.split())
    return f"{document} ${''.join(steps)}"
