"""The items of the hand-written API, and their collections, pages and item documents."""

from tests.contract.api import Json

MOUNT = "/catalog"
BASE = f"{MOUNT}/api/v1"
DIGESTS = {"1.10.0": "sha256:" + "a" * 64, "1.9.0": "sha256:" + "b" * 64}
FIGURES = ["critical", "high", "medium", "low", "unknown", "total", "fixable"]
# Weights 10 (fixable), 5 (no fix) and 1 make a load of 16: 40 + 19 * 20 / 36 = 50.55…
OPEN = dict(zip(FIGURES, [0, 2, 0, 1, 0, 3, 2], strict=True))
CLEAN = dict.fromkeys(FIGURES, 0)
UNKNOWN = dict.fromkeys([*FIGURES, "suppressed", "grade", "score"])


def _common(slug: str, name: str, lifecycle: str) -> Json:
    about = {"slug": slug, "name": name, "description": None, "category": "web"}
    about |= {"categories": ["web"], "tier": "critical"}
    return about | {"license": "MIT", "lifecycle": lifecycle}


def images() -> list[Json]:
    versions = [
        {
            "version": version,
            "digest": digest,
            "digests": [digest],
            "released": "2026-11-01",
            "endOfLife": None,
            "size": 1024,
            "tags": [],
            "platforms": ["linux/amd64"],
            "sbom": None,
            "provenance": None,
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


def charts() -> list[Json]:
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


def plans() -> list[Json]:
    plan = dict.fromkeys(
        ["slug", "name", "description", "category", "categories", "tier", "license", "homepage", "priority"]
    )
    named = plan | {
        "slug": "valkey",
        "name": "Valkey",
        "category": "data",
        "categories": ["data"],
        "priority": "high",
    }
    return [
        named
        | {"blocked": False, "blockedReason": None, "url": None, "href": f"{BASE}/roadmap/valkey/index.json"}
    ]


def updates() -> list[Json]:
    update = {"from": "1.9.0", "to": "1.10.0", "outcome": "shipped", "checked": "2026-11-20", "note": None}
    ours = {"application": "nginx"} | update | {"href": f"{BASE}/images/nginx/index.json"}
    return [
        ours,
        *({"application": f"app{n}"} | update | {"outcome": "held", "href": None} for n in range(24)),
    ]


def collection(name: str, data: list[Json]) -> dict[str, Json]:
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
