"""Examples in the OpenAPI document: the values of one imaginary image, `nginx`, and of one chart, `web`.

They agree with each other, and their links lead from one to the next. In links, `API` and `SITE` stand for
the addresses of the catalog.
"""

from collections.abc import Mapping
from typing import Any

from ..catalog.addresses import Addresses

_DIGEST, _OLD_DIGEST, _MANIFEST = (
    f"sha256:{digits}"
    for digits in (
        "01d9c2f1ab5f7c0e6b2f4b9d3ce8a4d7f0b6e1958c2a7d43f98b1e06c5d2a7e4",
        "7be04c1d92f3a85e6d10b7c4f8a29e3b5c6d1f047a8e92b3d4c5f6071829a3be",
        "c4a8f3e27d10b965e8f2a7c31d4b60592e8f7a1c3d5b94e06f8a2c7d1e5b3a90",
    )
)
_REFERENCE = "registry.example.org/hardened/nginx"
_TIME = "2026-01-30T02:25:15Z"
_FIGURES = {
    "scanned": True,
    "complete": True,
    "version": "1.29.3",
    "critical": 0,
    "high": 1,
    "medium": 2,
    "low": 0,
    "unknown": 0,
    "total": 3,
    "fixable": 3,
    "suppressed": 1,
    "exploited": 0,
    "grade": "D",
    "score": 50.5,
    "scannedAt": _TIME,
    "osEndOfLife": False,
    "href": "API/security/nginx.json",
}
"""The figures of the newest version of the image."""


def _links(resource: str, of_item: str = "") -> dict[str, str | None]:
    collection = f"API/{resource}.json"
    if of_item:
        own = {"self": f"API/{resource}/{of_item}/index.json"}
        return {**own, "collection": collection, "html": f"SITE/{resource}/{of_item}/"}
    first = f"API/{resource}/1.json"
    return {
        "self": first,
        "first": first,
        "last": first,
        "prev": None,
        "next": None,
        "collection": collection,
    }


_FIELDS: Mapping[str, Any] = {
    "@id": "pkg:deb/debian/openssl",
    "action_statement": "Do not load scripts from other sites.",
    "adds": 0,
    "aliases": "GHSA-4fh9-h7wg-q85m",
    "appVersion": "1.29.3",
    "application": "nginx",
    "author": "Example Catalog",
    "base": "Debian 12",
    "baseline": False,
    "blockedReason": "an upstream release that is not out yet",
    "bytes": 48213,
    "categories": "Web servers",
    "category": "Web servers",
    "changelogUrl": "https://example.org/catalog/images/nginx/",
    "chart": "oci://registry.example.org/charts/web",
    "charts": 1,
    "checked": "2026-01-31",
    "color": "#e05d44",
    "command": f"cosign verify --key https://example.org/cosign.pub {_REFERENCE}@{_DIGEST}",
    "contents": "9f2c4e6a8b0d1f3e5a7c9b2d4f6081a3c5e7092b4d6f8a1c3e5f708192a3b4c5",
    "date": "2026-01-31",
    "days": 6,
    "days7": 0.625,
    "days30": 0.875,
    "days90": 1,
    "description": "Web server and reverse proxy",
    "digest": _DIGEST,
    "digests": _DIGEST,
    "digestsScanned": 1,
    "endOfLife": "2027-04-30",
    "findings": 4,
    "firstSeen": "2026-01-24",
    "fixed": "3.0.18-1~deb12u1",
    "fixedIn": "1.29.3",
    "fixes": 2,
    "from": "1.29.2",
    "generatedAt": "2026-01-31T06:00:00Z",
    "homepage": "https://nginx.org",
    "hub": "https://artifacthub.io/packages/helm/example/web",
    "id": "CVE-2025-9230",
    "identity": "https://github.com/example/images/.github/workflows/build.yml@refs/heads/main",
    "identityRegexp": "^https://github.com/example/",
    "image": _REFERENCE,
    "images": 2,
    "imagesWithCves": 24,
    "impact_statement": "The image does not load scripts.",
    "installed": "3.0.17-1~deb12u2",
    "isDeprecated": False,
    "isLatest": True,
    "issuer": "https://token.actions.githubusercontent.com",
    "justification": "vulnerable_code_not_in_execute_path",
    "key": "https://example.org/cosign.pub",
    "label": "cves",
    "labelColor": "#555",
    "latest": "1.29.3",
    "license": "BSD-2-Clause",
    "limits": "no-system-packages",
    "line": "1.29",
    "logo": "SITE/assets/nginx.svg",
    "logoColor": "white",
    "median": 6,
    "message": "3",
    "name": "nginx",
    "namedLogo": "trivy",
    "newestScan": "2026-01-30T02:54:47Z",
    "note": "tests of the new release fail",
    "oldestScan": "2026-01-30T02:05:22Z",
    "page": 1,
    "percentile90": 21.5,
    "pins": 3,
    "pinsScanned": 3,
    "pkg": "openssl",
    "platform": "linux/amd64",
    "platforms": "linux/amd64",
    "platformsScanned": "linux/amd64",
    "provenance": "https://example.org/attestations/nginx-1.29.3.json",
    "releaseTimestamp": "2026-01-28T00:00:00Z",
    "released": "2026-01-28",
    "releases": 3,
    "replacedBy": "nginx",
    "replaces": "docker.io/library/nginx",
    "sbom": "https://example.org/sboms/nginx-1.29.3.spdx.json",
    "scanned": 96,
    "scanner": "trivy 0.69.1",
    "sha256": "5e1f7a90c3b2d4e6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f",
    "signature": "cosign",
    "size": 23068672,
    "slug": "nginx",
    "source": "https://github.com/nginx/nginx",
    "sourceUrl": "https://github.com/nginx/nginx",
    "statement": "The image does not load scripts.",
    "suppressed": 1,
    "tag": "1.29",
    "tags": "1.29",
    "targets": "registry.example.org/hardened/nginx (debian 12.12)",
    "timestamp": "2026-01-15T09:00:00Z",
    "title": "openssl: Out-of-bounds read and write in RFC 3211 KEK unwrap",
    "to": "1.29.3",
    "tool": "cosign",
    "total": 3,
    "totalPages": 1,
    "unique": 3,
    "unscanned": 4,
    "until": "2026-01-28",
    "url": "SITE/images/nginx/",
    "variant": "",
    "version": "1.29.3",
    "versions": "1.29.3",
    "was": "MEDIUM",
    # Parameters of paths.
    "algorithm": "sha256",
    "hex": _DIGEST.partition(":")[2],
    "reference": "registry.example.org~hardened~nginx",
}
"""Field, or parameter of a path → its value in every schema without one of its own."""

_ADVISORY = "https://avd.aquasec.com/nvd/cve-2025-9230"
_IMAGE, _CHART = "API/images/nginx/index.json", "API/charts/web/index.json"
_RELEASE = "API/security/nginx/1.29.3.json"
_CHART_FIGURES = _FIGURES | {"version": None, "href": None, "pins": 3, "pinsScanned": 3}
_PER_SCHEMA: Mapping[str, Mapping[str, Any]] = {
    "AffectedChart": {"slug": "web", "href": _CHART},
    "AffectedRelease": {"href": _RELEASE, "reportedAs": "DSA-6015-1"},
    "ChangedDay": {"href": "API/changes/2026-01-31.json"},
    "ChangesLinks": {"prev": "API/changes/2026-01-30.json", "collection": "API/changes.json"},
    "Chart": {
        "slug": "web",
        "name": "Web",
        "description": "nginx with a cache",
        "license": "MIT",
        "homepage": "https://example.org/web",
        "source": "https://github.com/example/charts",
        "logo": None,
        "latest": "2.4.0",
        "replacedBy": None,
        "url": "SITE/charts/web/",
        "href": _CHART,
        "security": _CHART_FIGURES,
    },
    "ChartDocument": {"slug": "web", "links": _links("charts", "web")},
    "ChartEntry": {
        "slug": "web",
        "name": "Web",
        "description": "nginx with a cache",
        "license": "MIT",
        "logo": None,
        "latest": "2.4.0",
        "url": "SITE/charts/web/",
        "href": _CHART,
        "security": _CHART_FIGURES,
    },
    "ChartPage": {"links": _links("charts")},
    "ChartVersion": {"version": "2.4.0", "digest": _MANIFEST},
    "Counters": {"critical": 1, "high": 12, "medium": 30, "low": 41, "unknown": 0},
    "CveDocument": {"url": _ADVISORY, "total": 3, "exploited": None},
    "CveEntry": {
        "url": _ADVISORY,
        "images": 2,
        "releases": 3,
        "latest": 1,
        "suppressed": 1,
        "fixable": 3,
        "exploited": None,
        "href": "API/cves/CVE-2025-9230.json",
    },
    "DigestDocument": {"digest": _OLD_DIGEST, "total": 1},
    "Discovery": {"title": "Example Catalog"},
    "FixShares": {"fixed": 16},
    "FixTimes": {"fixed": 16},
    "GeneratedBy": {"name": "mkdocs-catalog-api", "version": "1.0.0"},
    "Image": {
        "replacedBy": None,
        "url": "SITE/images/nginx/",
        "href": _IMAGE,
        "security": _FIGURES,
    },
    "ImageBadges": {name: f"API/badge/nginx/{name}.json" for name in ("cves", "grade", "version")},
    "ImageDocument": {"links": _links("images", "nginx")},
    "ImageEntry": {"url": "SITE/images/nginx/", "href": _IMAGE, "security": _FIGURES},
    "ImageFigures": _FIGURES,
    "ImagePage": {"links": _links("images")},
    "ImageVersion": {"href": _RELEASE},
    "ImageVex": {"@id": "https://example.org/catalog/api/v1/vex/nginx.json"},
    "ItemLinks": _links("images", "nginx"),
    "KnownDigest": {"digest": _OLD_DIGEST, "version": "1.29", "from": "2026-01-10"},
    "OpenAges": {"critical": 2, "high": 9},
    "OpenApiInfo": {"title": "Catalog API", "version": "v1"},
    "PageLinks": _links("images"),
    "Pin": {"href": _RELEASE},
    "Pinned": {"total": 84, "releases": 24, "unscanned": 2},
    "PlatformManifest": {"digest": _MANIFEST},
    "PopulationFigures": {"total": 84, "fixable": 51, "exploited": 0, "images": 50, "scanned": 48},
    "Release": _FIGURES,
    "ReleaseDocument": _FIGURES,
    "ReleaseRebuilt": {"from": _OLD_DIGEST, "to": _DIGEST},
    "ResourceLink": {"href": "API/images.json", "total": 50, "totalPages": 3},
    "RoadmapItem": {
        "slug": "caddy",
        "name": "Caddy",
        "description": "Web server with automatic HTTPS",
        "homepage": "https://caddyserver.com",
        "license": "Apache-2.0",
        "url": "SITE/roadmap/caddy/",
    },
    "RoadmapPage": {"links": _links("roadmap")},
    "CountedScan": {"scannedAt": _TIME},
    "ScanChanged": {"scanned": True},
    "SearchVersion": {"digests": _DIGEST[7:19]},
    "SecurityFigures": _FIGURES,
    "SecurityIndexEntry": _FIGURES,
    "SecuritySummary": {
        "total": 84,
        "fixable": 51,
        "suppressed": 6,
        "unique": 51,
        "exploited": 0,
        "scanned": 48,
        "unscanned": "caddy",
    },
    "SilencedRelease": {"href": _RELEASE, "reportedAs": "DSA-6015-1"},
    "SummaryEntry": _FIGURES,
    "Suppressed": {"url": _ADVISORY, "exploited": "2026-01-20"},
    "Update": {"href": _IMAGE, "from": "1.29.2"},
    "UpdatePage": {"links": _links("updates")},
    "Upgrade": {"href": _RELEASE},
    "VexProduct": {"@id": f"pkg:oci/nginx@{_DIGEST.replace(':', '%3A')}?repository_url={_REFERENCE}"},
    "VexVulnerability": {"name": "CVE-2025-9230"},
    "Vulnerability": {"url": _ADVISORY, "exploited": "2026-01-20"},
    "DigestEntry": {
        "tag": "1.29.2",
        "version": "1.29.2",
        "digest": _OLD_DIGEST,
        "versions": "1.29.2",
        "isLatest": False,
        "released": "2026-01-10",
        "newLine": None,
        "href": "API/security/nginx/1.29.2.json",
        "security": _FIGURES | {"version": "1.29.2"},
    },
    **{name: {"fixed": "2026-01-30"} for name in ("Episode", "FixEntry")},
}
"""Schema → field → value, where it differs."""

_WORDS = {"Grade": "D", "Severity": "HIGH"}
"""List of words → one of them, if it is not the first."""
_CUSTOM = {
    "date": "2026-01-31",
    "uri": "https://example.org/",
    "string": "text",
    "integer": 1,
    "number": 1.5,
}
"""Format or type of a custom field → a value."""


_MAPS: Mapping[str, Mapping[str, Any]] = {
    "ChangedDayCounts": {"vulnerability-found": 2, "vulnerability-gone": 5},
    "DiscoveryBadges": {"cves": "API/badge/cves.json", "images": "API/badge/images.json"},
    "DiscoveryDocuments": {"imagesIndex": "API/images/index.json", "search": "API/search.json"},
    "DiscoveryTemplates": {"image": "API/images/{slug}/index.json", "cve": "API/cves/{id}.json"},
}
"""Schema of a map → a few of its entries."""


def add_examples(schemas: Mapping[str, dict[str, Any]], addresses: Addresses) -> None:
    """Give every text and number in these schemas an example, and objects where those would not fit."""
    for name, schema in schemas.items():
        if "enum" in schema:
            schema["examples"] = [_WORDS.get(name, schema["enum"][0])]
        elif name in _MAPS:
            schema["examples"] = [_addressed(_MAPS[name], addresses)]
            schema["additionalProperties"]["examples"] = [*schema["examples"][0].values()][:1]
        for field, part in schema.get("properties", {}).items():
            inner = part
            while "$ref" not in inner and isinstance(inner.get("items"), dict):
                inner = inner["items"]
            known = _PER_SCHEMA.get(name, {})
            if inner.keys() & {"$ref", "anyOf", "const"} and (inner is not part or field not in known):
                continue  # with an example of its own
            value = known.get(field, _FIELDS.get(field))
            if name.endswith("Custom") or (value is None and field not in known):
                value = _unknown(inner)
            if value is not None or field in known:
                inner["examples"] = [_addressed(value, addresses)]


def add_example(parameter: str, schema: dict[str, Any]) -> None:
    """Give a parameter of paths an example, unless it has one."""
    if parameter in _FIELDS and "$ref" not in schema:
        schema.setdefault("examples", [_FIELDS[parameter]])


def _unknown(schema: Mapping[str, Any]) -> Any:
    """A value for a field of the catalog, or for a list of words."""
    if words := schema.get("x-extensible-enum"):
        return words[0]
    types = schema.get("type", ())
    names = [schema.get("format"), *([types] if isinstance(types, str) else types)]
    return next((_CUSTOM[name] for name in names if name in _CUSTOM), None)


def _addressed(value: Any, addresses: Addresses) -> Any:
    """The value with the addresses of the catalog in its links."""
    if isinstance(value, Mapping):
        return {key: _addressed(part, addresses) for key, part in value.items()}
    if isinstance(value, str) and value.startswith("API/"):
        return addresses.api(value.removeprefix("API/"))
    if isinstance(value, str) and value.startswith("SITE/"):
        return addresses.web(value.removeprefix("SITE/"))
    return value
