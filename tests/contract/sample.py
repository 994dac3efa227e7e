"""A small API written by hand: what a build should give for two images, two charts, a plan and 25 checks."""

import hashlib
import json
from pathlib import Path

from tests.contract.api import Json
from tests.contract.sample_items import (
    BASE,
    CLEAN,
    DIGESTS,
    FIGURES,
    OPEN,
    charts,
    collection,
    images,
    plans,
    updates,
)

PAGES = ["index.html", "images/nginx/index.html", "charts/solo.html", "charts/web.html"]
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


SAYS = {
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
        ("images", images()),
        ("charts", charts()),
        ("roadmap", plans()),
        ("updates", updates()),
    ):
        docs |= collection(name, data)
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
    return _finish(docs | _badges(SAYS))


def empty() -> dict[str, Json]:
    """The API of a catalog with nothing in it."""
    docs: dict[str, Json] = {}
    for name in ("images", "charts", "roadmap", "updates"):
        docs |= collection(name, [])
    nothing = {"scanned": 0, "unscanned": [], "fixable": 0, "suppressed": 0, "unique": 0}
    counts = {"total": 0, "bySeverity": dict.fromkeys(FIGURES[:5], 0), "imagesWithCves": 0, "images": {}}
    docs |= {"security.json": HEAD | counts | nothing, "security/index.json": HEAD | {"total": 0, "data": []}}
    says = {"images": "0", "charts": "0", "cves": "not scanned", "multiarch": "none", "license": "none"}
    return _finish(docs | _badges(says))


def _finish(docs: dict[str, Json]) -> dict[str, Json]:
    return docs | {"index.json": _discovery(docs), "openapi.json": _openapi()}


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


def _badges(says: dict[str, str]) -> dict[str, Json]:
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
    badges = sorted(path[6:-5] for path in docs if path.startswith("badge/") and path.count("/") == 1)
    return {
        "apiVersion": "v1",
        "title": "Acme",
        "resources": {
            name: {
                "href": f"{BASE}/{name}.json",
                "total": docs[f"{name}.json"]["total"],
                "totalPages": -(-docs[f"{name}.json"]["total"] // 24),
            }
            for name in ("images", "charts", "roadmap", "updates")
        },
        "security": {"summary": f"{BASE}/security.json", "index": f"{BASE}/security/index.json"},
        "badges": {name: f"{BASE}/badge/{name}.json" for name in badges},
        "openapi": f"{BASE}/openapi.json",
        "manifest": f"{BASE}/manifest.json",
    }


def _openapi() -> Json:
    def answer(name: str) -> Json:
        return {"get": {"responses": {"200": {"$ref": f"#/components/responses/{name}"}}}}

    def response(name: str) -> Json:
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
        return {"description": name, "content": content}

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
    components = {"schemas": schemas, "responses": {name: response(name) for name in schemas}}
    info = {"title": "Acme", "version": "v1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": components}
