"""A small API written by hand: what a build should give for two images, two charts, a plan and 25 checks."""

import hashlib
import json
from pathlib import Path

from tests.contract.api import Json

MOUNT = "/catalog"
BASE = f"{MOUNT}/api/v1"
DIGESTS = {"1.10.0": "sha256:" + "a" * 64, "1.9.0": "sha256:" + "b" * 64}
PAGES = ["index.html", "images/nginx/index.html", "charts/solo.html", "charts/web.html"]
FIGURES = ["critical", "high", "medium", "low", "unknown", "total", "fixable"]
HEAD = {"apiVersion": "v1", "resource": "security"}


def row(cve: str, severity: str, pkg: str, fixed: str) -> Json:
    return {
        "id": cve,
        "severity": severity,
        "pkg": pkg,
        "installed": "1.0",
        "fixed": fixed,
        "title": f"Überlauf in {pkg}",
        "url": "https://example.org/advisory",
        "targets": ["app/a.lock", "app/b.lock"],
    }


def record(
    version: str, rows: list[Json], suppressed: list[Json], figures: Json, grade: str, score: Json
) -> Json:
    return {
        "version": version,
        "scanned": True,
        "total": figures["total"],
        "fixable": figures["fixable"],
        "grade": grade,
        "score": score,
        "cves": rows,
        **{name: figures[name] for name in FIGURES[:5]},
        "findings": len(rows) + 1,
        "unique": len(rows),
        "digest": DIGESTS[version],
        "scannedAt": "2026-11-20T06:00:00Z",
        "scanner": {"name": "Trivy", "version": "0.58.1"},
        "osEndOfLife": False,
        "suppressed": suppressed,
    }


ROWS = [
    row("CVE-2024-0002", "HIGH", "openssl", "1.1"),
    row("CVE-2024-10000", "HIGH", "zlib", ""),
    row("GHSA-aaaa", "LOW", "left-pad", "2"),
]
# Weights 10 (fixable), 5 (no fix) and 1 make a load of 16: 40 + 19 * 20 / 36 = 50.55…
OPEN = dict(zip(FIGURES, [0, 2, 0, 1, 0, 3, 2], strict=True))
CLEAN = dict.fromkeys(FIGURES, 0)
UNKNOWN = dict.fromkeys([*FIGURES, "suppressed", "grade", "score"])


def documents() -> dict[str, Json]:
    """Every document but the manifest. An item is one object in all the documents that hold it."""
    vex = {"status": "not_affected", "justification": "component_not_present", "statement": ""}
    hidden = [row("CVE-2023-0001", "CRITICAL", "curl", "") | vex]
    records = [
        record("1.10.0", json.loads(json.dumps(ROWS)), hidden, OPEN, "D", 50.5),
        record("1.9.0", [], [], CLEAN, "A+", 100),
    ]
    docs: dict[str, Json] = {}
    for name, data in (
        ("images", _images()),
        ("charts", _charts()),
        ("roadmap", _plans()),
        ("updates", _updates()),
    ):
        docs |= _collection(name, data)
    nginx = docs["images.json"]["data"][0]
    place = {"slug": "nginx", "image": nginx["image"]}
    docs["security/nginx.json"] = HEAD | place | {"latest": records[0], "versions": records}
    docs |= {f"security/nginx/{entry['version']}.json": HEAD | place | entry for entry in records}
    graded = {"grade": "D", "score": 50.5}
    entry = {**OPEN, "suppressed": 1, **graded, "version": "1.10.0", "href": f"{BASE}/security/nginx.json"}
    docs["security.json"] = HEAD | {
        "total": 3,
        "bySeverity": {name: OPEN[name] for name in FIGURES[:5]},
        "imagesWithCves": 1,
        "images": {"nginx": entry},
        "scanned": 1,
        "unscanned": ["tool"],
        "fixable": 2,
        "suppressed": 1,
        "unique": 3,
    }
    listed = {"slug": "nginx", "name": "NGINX", "image": nginx["image"], "version": "1.10.0", **graded}
    scan = {"scannedAt": "2026-11-20T06:00:00Z", "href": entry["href"]}
    docs["security/index.json"] = HEAD | {"total": 1, "data": [listed | OPEN | scan]}
    return docs | _badges() | {"index.json": _discovery(docs), "openapi.json": _openapi()}


def write(site: Path, docs: dict[str, Json]) -> None:
    for path, document in docs.items():
        file = site / "api" / "v1" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
        file.write_bytes(f"{text}\n".encode())
    for page in PAGES:
        (site / page).parent.mkdir(parents=True, exist_ok=True)
        (site / page).write_text("<!doctype html>")


def seal(site: Path) -> None:
    """Write the manifest of what lies there."""
    root = site / "api" / "v1"
    files = sorted(p for p in root.rglob("*") if p.is_file() and p.name != "manifest.json")
    listed = {
        file.relative_to(root).as_posix(): {
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "bytes": len(file.read_bytes()),
        }
        for file in files
    }
    generator = {"name": "by hand", "version": "1"}
    manifest = {
        "apiVersion": "v1",
        "generatedAt": "2026-11-20T07:00:00Z",
        "generator": generator,
        "documents": listed,
    }
    write(site, {"manifest.json": manifest})


def _common(slug: str, name: str, lifecycle: str) -> Json:
    about = {"slug": slug, "name": name, "description": None, "category": "web", "tier": "critical"}
    return about | {"license": "MIT", "lifecycle": lifecycle}


def _images() -> list[Json]:
    versions = [
        {
            "version": version,
            "digest": digest,
            "digests": [digest],
            "released": "2026-11-01",
            "endOfLife": None,
            "size": 1024,
            "href": f"{BASE}/security/nginx/{version}.json",
        }
        for version, digest in DIGESTS.items()
    ]
    found = {**OPEN, "suppressed": 1, "grade": "D", "score": 50.5, "href": f"{BASE}/security/nginx.json"}
    return [
        _common("nginx", "NGINX", "available")
        | {
            "image": "ghcr.io/acme/nginx",
            "base": "wolfi",
            "platforms": ["linux/amd64", "linux/arm64/v8"],
            "signature": "cosign",
            "homepage": "https://nginx.org/",
            "source": None,
            "versions": versions,
            "latest": "1.10.0",
            "url": f"{MOUNT}/images/nginx/",
            "href": f"{BASE}/images/nginx/index.json",
            "security": {"scanned": True, "version": "1.10.0", **found},
        },
        _common("tool", "Tool", "deprecated")
        | {
            "image": "ghcr.io/acme/tool",
            "base": None,
            "platforms": ["linux/amd64"],
            "signature": None,
            "homepage": None,
            "source": None,
            "versions": [],
            "latest": None,
            "url": f"{MOUNT}/",
            "href": f"{BASE}/images/tool/index.json",
            "security": {"scanned": False, "version": None, **UNKNOWN, "href": None},
        },
    ]


def _charts() -> list[Json]:
    def release(version: str) -> Json:
        return {"slug": "nginx", "version": version, "href": f"{BASE}/security/nginx/{version}.json"}

    by_digest = {
        "name": "nginx",
        "image": f"ghcr.io/acme/nginx@{DIGESTS['1.10.0']}",
        "digest": DIGESTS["1.10.0"],
    }
    by_tag = {"name": "nginx", "image": "ghcr.io/acme/nginx:1.9.0", "digest": None}
    foreign = {
        "name": "redis",
        "image": "redis:7",
        "digest": None,
        "slug": None,
        "version": None,
        "href": None,
    }
    clean = {
        "scanned": True,
        **CLEAN,
        "suppressed": 0,
        "grade": "A+",
        "score": 100,
        "pins": 1,
        "pinsScanned": 1,
    }
    partly = {
        "scanned": False,
        **OPEN,
        "suppressed": 1,
        "grade": None,
        "score": None,
        "pins": 2,
        "pinsScanned": 1,
    }
    return [
        _chart("solo", "https://artifacthub.io/packages/helm/acme/solo", [by_tag | release("1.9.0")], clean),
        _chart("web", None, [by_digest | release("1.10.0"), foreign], partly),
    ]


def _chart(slug: str, hub: str | None, pins: list[Json], security: Json) -> Json:
    versions = [
        {"version": version, "appVersion": "1.10", "digest": None, "released": None}
        for version in ("v1.0.0", "1.0.0-rc.1")
    ]
    return _common(slug, slug.title(), "available") | {
        "chart": f"oci://ghcr.io/acme/charts/{slug}",
        "appVersion": None,
        "signature": "cosign",
        "homepage": None,
        "source": "https://example.org/git",
        "hub": hub,
        "versions": versions,
        "latest": "v1.0.0",
        "images": pins,
        "url": f"{MOUNT}/charts/{slug}.html",
        "href": f"{BASE}/charts/{slug}/index.json",
        "security": security,
    }


def _plans() -> list[Json]:
    plan = dict.fromkeys(
        ["slug", "name", "description", "category", "tier", "license", "homepage", "priority"]
    )
    named = plan | {"slug": "valkey", "name": "Valkey", "category": "data", "priority": "high"}
    return [
        named
        | {"blocked": False, "blockedReason": None, "url": None, "href": f"{BASE}/roadmap/valkey/index.json"}
    ]


def _updates() -> list[Json]:
    update = {"from": "1.9.0", "to": "1.10.0", "outcome": "shipped", "checked": "2026-11-20", "note": None}
    ours = {"application": "nginx"} | update | {"href": f"{BASE}/images/nginx/index.json"}
    return [
        ours,
        *({"application": f"app{n}"} | update | {"outcome": "held", "href": None} for n in range(24)),
    ]


def _collection(name: str, data: list[Json]) -> dict[str, Json]:
    head = {"apiVersion": "v1", "resource": name}
    docs: dict[str, Json] = {f"{name}.json": head | {"total": len(data), "data": data}}
    last = -(-len(data) // 24)
    addresses = [None, *(f"{BASE}/{name}/{number}.json" for number in range(1, last + 1)), None]
    for number in range(1, last + 1):
        links = {"self": addresses[number], "first": addresses[1], "last": addresses[last]}
        links |= {
            "prev": addresses[number - 1],
            "next": addresses[number + 1],
            "collection": f"{BASE}/{name}.json",
        }
        count = {"page": number, "perPage": 24, "total": len(data), "totalPages": last}
        docs[f"{name}/{number}.json"] = (
            head | count | {"links": links, "data": data[number * 24 - 24 : number * 24]}
        )
    for item in data if name != "updates" else []:
        html = None if item["url"] == f"{MOUNT}/" else item["url"]
        links = {"self": item["href"], "collection": f"{BASE}/{name}.json", "html": html}
        docs[f"{name}/{item['slug']}/index.json"] = head | {
            "slug": item["slug"],
            "links": links,
            "data": item,
        }
        if name == "images":
            badges = {
                badge: f"{BASE}/badge/{item['slug']}/{badge}.json" for badge in ("cves", "grade", "version")
            }
            docs[f"{name}/{item['slug']}/index.json"]["badges"] = badges
    return docs


def _badges() -> dict[str, Json]:
    says = {
        "images": "2 images",
        "charts": "2",
        "cves": "3 open",
        "multiarch": "amd64",
        "license": "MIT",
        "wolfi": "1/2",
        "cosign": "75%",
        "artifacthub": "1 chart",
        "nginx/cves": "3",
        "nginx/grade": "D",
        "nginx/version": "1.10.0",
        "tool/cves": "not scanned",
        "tool/grade": "not scanned",
        "tool/version": "not scanned",
    }
    return {
        f"badge/{name}.json": {
            "schemaVersion": 1,
            "label": name,
            "message": message,
            "color": "lightgrey" if message == "not scanned" else "#0a7",
            "labelColor": "#333",
            "style": "for-the-badge",
            "cacheSeconds": 3600,
            "namedLogo": "docker",
            "logoColor": "white",
        }
        for name, message in says.items()
    }


def _discovery(docs: dict[str, Json]) -> Json:
    names = ("artifacthub", "charts", "cosign", "cves", "images", "license", "multiarch", "wolfi")
    return {
        "apiVersion": "v1",
        "title": "Acme",
        "resources": {
            name: {
                "href": f"{BASE}/{name}.json",
                "total": docs[f"{name}.json"]["total"],
                "totalPages": 2 if name == "updates" else 1,
            }
            for name in ("images", "charts", "roadmap", "updates")
        },
        "security": {"summary": f"{BASE}/security.json", "index": f"{BASE}/security/index.json"},
        "badges": {name: f"{BASE}/badge/{name}.json" for name in names},
        "openapi": f"{BASE}/openapi.json",
        "manifest": f"{BASE}/manifest.json",
    }


def _openapi() -> Json:
    def answer(name: str) -> Json:
        schema = {"$ref": f"#/components/schemas/{name}"}
        content = {"application/json": {"schema": schema}}
        return {"get": {"responses": {"200": {"description": name, "content": content}}}}

    four = [f"{name}.json" for name in ("images", "charts", "roadmap", "updates")]
    envelopes = [
        *four,
        "{resource}/{page}.json",
        "{resource}/{slug}/index.json",
        "security.json",
        "index.json",
    ]
    envelopes += ["security/index.json", "security/{image}.json", "security/{image}/{version}.json"]
    paths = {f"/api/v1/{path}": answer("Envelope") for path in envelopes}
    paths |= {f"/api/v1/badge/{path}.json": answer("Badge") for path in ("{name}", "{slug}/{name}")}
    label = {"type": "string", "maxLength": 20}
    schemas = {
        "Envelope": {"type": "object", "required": ["apiVersion"]},
        "Badge": {"type": "object", "required": ["label"], "properties": {"label": label}},
    }
    info = {"title": "Acme", "version": "v1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}
