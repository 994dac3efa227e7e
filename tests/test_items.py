"""Items: what authors write, and what documents have of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from mkdocs_catalog_api.problems import Level

from .authors import REQUIRED, place
from .sites import REGISTRY, SiteFolder, built, digest, grype, row, trivy

FIELDS = {
    "port": "integer",
    "fips": {"type": "boolean", "card": True},
    "shell": {"values": ["bash", "none"]},
    "notes": {"type": "text", "list": True},
    "upstream": {"type": "url", "card": True},
    "json": "text",
}
UPSTREAM = "https://example.org/up"
OWN = {"port": 1, "fips": True, "shell": "bash", "notes": [], "upstream": UPSTREAM, "json": "a"}
OWN_LINES = "\n".join(f"{key}: {json.dumps(value)}" for key, value in OWN.items() if value != [])
ENTRY = ", ".join(REQUIRED.split("\n")[:-1])
MARKDOWN = "A **fast** [web _server_](https://nginx.org) with `a<b>` & [no](javascript:x)"
PLAIN = "A fast web server with a<b> & no"
ONE = f'versions: [{{version: 1, digest: "{digest(1)}"}}]'
VERSIONS = f"""{REQUIRED}versions:
  - version: "18.1"
    tags: ["18", latest]
    platforms: [linux/amd64]
    sbom: https://example.org/sbom.json
    provenance: https://example.org/provenance.json
    attestations: [provenance, sbom]
    config: {{user: nginx, entrypoint: [nginx, ""], ports: [8080]}}
    variant: slim
  - {{version: "17.3", digest: "{digest(1)}", variant: slim}}"""
MAPPED = """
title: Nginx
tags: [Web, Proxy]
project_url: [https://example.org/nginx, https://example.org/other]
licence_id: MIT
builds: [linux/amd64, linux/arm64]
ports: [80, 443]"""
MAP = {"category": "tags", "homepage": "project_url", "license": "licence_id", "platforms": "builds"}
IDS = ["con", "index", "a/b", "RHSA-2024:1", "RHSA-2024-1", "TEMP-1"]
KEY = "https://example.org/cosign.pub"
NAMES = ["docker.io/library/nginx", "docker.io/bitnami/nginx"]
CYCLES = [
    {"name": "1.28", "eolFrom": "2026-04-30", "isEol": True},
    {"name": "V1.2", "eolFrom": None, "isEol": True},
    {"name": "1", "eolFrom": None, "isEol": False},
]


LATEST = json.dumps(trivy([row("CVE-2026-0001")], tag=f"{REGISTRY}/postgres:latest"))


class Row(NamedTuple):
    """A story."""

    written: Mapping[str, str]
    """Front matter of pages by path without .md, and other files by their whole path."""
    shown: Mapping[str, object]
    """Place (`Result.at`) and value."""
    settings: Mapping[str, Any] = {}
    theme: str = "mkdocs"
    told: tuple[str, ...] = ()
    """Code, file, line:column and field of each warning and note."""


ROWS = {
    "nothing but a name is needed": Row(
        {"images/a": "versions: ['1']\n---\n# The A", "images/b": "license: NOASSERTION\ncategory: []",
         "charts/c": "title: C\ntier:", "roadmap/d": "name: D"},
        {"images name": ["The A", "b"], "images category": [None, None], "images categories": [[], []],
         "images tier": [None, None], "images license": [None, None], "charts/c license": None,
         "charts/c name": "C",
         "renovate/a releases changelogUrl": ["https://example.org/catalog/images/a/"]},
    ),
    "each part of defaults is for some pages": Row(
        {"images/a": "tier:", "images/old/a2": "tier:", "images/old/b": "name: B",
         "images/old/c": "lifecycle: withdrawn", "other/e": "title: E",
         "images.yml": "- name: d\n- {name: e, page: other/e.md}\n"},
        {"images slug": [*("a", "a2", "b", "c", "d", "e")],
         "images tier": ["standard", "low", "none", "low", "standard", "standard"],
         "images lifecycle":
             [*("available", "deprecated", "deprecated", "withdrawn", "available", "available")],
         "images license": ["MIT"] * 6},
        {"images": {"defaults": [
            {"values": {"tier": "standard", "license": "MIT"}},
            {"pages": "images/old/**", "values": {"lifecycle": "deprecated", "tier": "low"}},
            {"pages": ["images/old/b.md"], "values": {"tier": "none"}},
        ]}},
    ),
    "a page overrides its meta file, which overrides defaults": Row(
        {"images/a": "tier: core", "images/b": "name: B", "images/old/c": "name: C",
         "docs/images/old/.meta.yml": "license: ISC\n", "images.yml": "- {name: D, category: Tools}\n"},
        {"images slug": ["a", "b", "c", "d"], "images tier": ["core", "standard", "standard", "standard"],
         "images license": ["MIT", "MIT", "ISC", "MIT"], "images category": ["Web", "Web", "Web", "Tools"],
         "images categories": [["Web", "Proxy"]] * 3 + [["Tools"]]},
        {"images": {"defaults": {"tier": "standard", "license": "MIT", "category": ["Web", "Proxy"]}}},
        theme="material",
    ),
    "a description is plain text": Row(
        {"images/nginx": f"name: Nginx\ndescription: '{MARKDOWN}'"},
        {"images description": [PLAIN], "images/index description": [PLAIN],
         "images/nginx description": PLAIN},
    ),
    "what an item replaces and what replaces it": Row(
        {"images/nginx": "replaces: [nginx, docker.io/bitnami/nginx]",
         "images/old": "replacedBy: nginx\nlifecycle: deprecated",
         "charts/old": "replacedBy: web\nlifecycle: deprecated", "charts/web": "name: Web"},
        {"images/nginx replaces": NAMES, "images/old replacedBy": "nginx", "charts/old replacedBy": "web",
         "search.json replaces": [NAMES, []]},
    ),
    "a pattern takes the slug from the name": Row(
        {"images/docker-nginx": "", "apps/web/caddy/index": "", "more/redis": "", "more/x": "",
         "images/other": "", "ab/x-y": ""},
        {"images slug": ["caddy", "nginx", "redis", "y"]},
        {"images": {"pages": ["images/docker-{slug}.md", "apps/**/{slug}/index.md", "more/[!x]*.md",
                              "a[b]/[a-z]-{slug}.md"]}},
    ),
    "pages can be switched off, and data be JSON": Row(
        {"images/about": "title: No item", "images.json": '[{"name": "A"}]'},
        {"images slug": ["a"]},
        {"images": {"pages": False}},
    ),
    "an entry of a data file names its page, unless the field is its own": Row(
        {"docker/nginx": "title: About it", "images/redis": "title: About it",
         "images.yaml": f"- {{name: Nginx, {ENTRY}, page: docker/nginx.md}}\n"
                        f"- {{name: Redis, {ENTRY}, page: images/redis.md}}\n",
         "charts.yml": "- {name: Web, page: docker/nginx.md}\n"},
        {"images url": ["/catalog/docker/nginx/", "/catalog/images/redis/"],
         "charts url": ["/catalog/charts/web/"], "charts custom page": ["docker/nginx.md"]},
        {"charts": {"fields": {"page": "text"}}},
    ),
    "without pages of items the url is that of the list": Row(
        {"images.yml": f"- {{name: Nginx, {ENTRY}}}\n", "docs/index.md": "<!-- catalog: images -->\n"},
        {"images url": ["/catalog/"]},
        {"images": {"item_pages": False}},
    ),
    "a category may be a list": Row(
        {"images/nginx": "category: [Proxy, Web]",
         "images/caddy": "category: Web\ncategories: [of, another, plugin]"},
        {"images slug": ["caddy", "nginx"], "images category": ["Web", "Proxy"],
         "images categories": [["Web"], ["Proxy", "Web"]]},
        {"images": {"fields": {"category": {"values": ["Web", "Proxy"]}}}},
    ),
    "versions say more, and other tags join pins": Row(
        {"images/postgres": VERSIONS, "charts/db": f"images: ['{REGISTRY}/postgres:18']",
         "scans/postgres/18.1.json": LATEST},
        {"images/postgres versions 0 variant": "slim", "images/postgres versions 0 digests": [],
         "images/postgres versions 0 released": None, "images/postgres versions 0 platforms": ["linux/amd64"],
         "images/postgres versions 0 sbom": "https://example.org/sbom.json",
         "images/postgres versions 0 provenance": "https://example.org/provenance.json",
         "images/postgres versions 0 attestations": ["provenance", "sbom"],
         "images/postgres versions 0 config": {
             "user": "nginx", "entrypoint": ["nginx", ""], "cmd": [], "workingDir": None, "ports": ["8080"]},
         "images/postgres versions 0 href": "/catalog/api/v1/security/postgres/18.1.json",
         "images/postgres versions 0 custom": {"notes": None},
         "images/postgres versions version": ["18.1", "17.3"], "images/postgres versions line": ["18", "17"],
         "images/postgres versions tags": [["18", "latest"], []],
         "images/postgres security high": 1, "charts/db images version": ["18.1"],
         "charts/db security scanned": True},
        {"images": {"version_fields": {"notes": "url", "variant": {"values": ["slim", "full"]}}}},
    ),
    # Own fields
    "own fields are in an object": Row(
        {"images/app": f"{OWN_LINES}\nversions: [{{version: '1', built: 2026-01-02}}]",
         "charts/stack": "notes: [a, b]\nversions: ['1.0.0']", "roadmap/plain": "name: Plain"},
        {"images/app custom": OWN, "images/app versions custom": [{"built": "2026-01-02"}],
         "images/index custom": [{name: OWN[name] for name in ("fips", "shell", "upstream")}],
         "search.json custom": [OWN],
         "charts/stack custom": dict.fromkeys(FIELDS) | {"notes": ["a", "b"]},
         "charts/stack versions custom": [{"built": None}]},
        {name: {"fields": FIELDS, "version_fields": {"built": "date"}} for name in ("images", "charts")},
    ),
    # `from`
    "fields are read from the keys that pages have": Row(
        {"images/nginx": MAPPED},
        {"images/nginx category": "Web", "images/nginx categories": ["Web", "Proxy"],
         "images/nginx homepage": "https://example.org/nginx", "images/nginx license": "MIT",
         "images/nginx platforms": ["linux/amd64", "linux/arm64"], "images/nginx name": "Nginx",
         "images/nginx custom": {"ports": [80, 443], "port": 80}},
        {"images": {"fields": {"ports": {"type": "integer", "list": True},
                               "port": {"type": "integer", "from": "ports"},
                               **{field: {"from": key} for field, key in MAP.items()}}}},
    ),
    "the field itself comes first, and defaults last": Row(
        {"images/a": "category: Own\ntags: [Other]\nlevel: high",
         "images/b": "category:\ntags: [Other]\nlevel: []"},
        {"images category": ["Own", "Other"], "images tier": ["high", "low"]},
        {"images": {"fields": {"tier": {"from": "level"}, "category": {"from": "tags"}},
                    "defaults": {"tier": "low"}}},
    ),
    "entries of data files and fields of versions are mapped too": Row(
        {"charts.yml": "- {id: web, name: Web, kind: Tools}\n",
         "images/a": "versions: [{version: '2', date: 2026-01-02, listens: 80}, '1']"},
        {"charts/web category": "Tools", "images/a versions released": ["2026-01-02", None],
         "images/a versions custom": [{"port": 80}, {"port": None}]},
        {"charts": {"fields": {"slug": {"from": "id"}, "category": {"from": "kind"}}},
         "images": {"version_fields": {"released": {"from": "date"},
                                       "port": {"type": "integer", "from": "listens"}}}},
    ),
    # Lines and variants
    "a default variant for all is none of an image without versions": Row(
        {"images/planned": "lifecycle: planned\nbase: alpine\nlicense: Apache-2.0",
         "images/a": "versions: [1.2.3, 1.2.4-alpine]\nbase: wolfi\nlicense: MIT\nplatforms: [linux/amd64]"},
        {"images latest": ["1.2.3", None], "badge/wolfi message": "1 of 1 images"},
        {"images": {"defaults": {"defaultVariant": ""}}},
    ),
    "rules of the collection and of the page": Row(
        {"advisories/endoflife/nginx.json": json.dumps({"result": {"releases": CYCLES}}),
         "images/a": "lines: patch\nversions: [22.04.1-slim, edge-x]",
         "images/b": "versions: [1.2.3, 1.2.4-alpine]",
         "images/c": "lines: none\nvariants: none\nversions: [1.2.3, edge-x]",
         "images/d": "lines: major\nproduct: nginx\nversions: [1.28.1, 3.0.1]"},
        {"images latest": ["22.04.1-slim", "1.2.4-alpine", "1.2.3", "3.0.1"],
         "images/a versions line": ["22.04.1", "edge"], "images/a versions variant": ["", ""],
         "images/b versions line": ["1.2", "1.2"],
         "images/c versions line": ["", ""], "images/c versions variant": ["", ""],
         "images/d versions line": ["3", "1.28"]},
        {"images": {"lines": "minor", "variants": "none"}},
        told=("CAT014 docs/images/d.md 3:1 product",),
    ),
    "cycles of a product give lines and ends of life": Row(
        {"advisories/endoflife/nginx.json": json.dumps({"result": {"releases": CYCLES}}),
         "images/a": "product: nginx\nversions: [1.28.1, {version: 1.28.0, endOfLife: 2026-01-01}, v1.29,"
                     " 1.2.0, 2.0.1, {version: 1.28.9, line: own}]"},
        {"images/a versions version": ["2.0.1", "v1.29", "1.28.9", "1.28.1", "1.28.0", "1.2.0"],
         "images/a versions line": ["2.0", "1", "own", "1.28", "1.28", "V1.2"],
         "images/a versions endOfLife": [None, None, "2026-04-30", "2026-04-30", "2026-01-01", None]},
        told=("CAT014 docs/images/a.md 2:1 product",) * 2,
    ),
    # Documents
    "an id that can name no file is listed without a document": Row(
        {"images/a": ONE,
         "scans/a/1.json": json.dumps(trivy([row(id_) for id_ in IDS]))},
        {"cves/index id": sorted(IDS),
         "cves/index href": [None, None, "/catalog/api/v1/cves/TEMP-1.json", *[None] * 3]},
    ),
    "if one scan has no time, nobody knows the oldest": Row(
        {"images/a": "versions: [1]", "images/b": "versions: [1]", "scans/a/1.json": json.dumps(trivy([])),
         "scans/b/1.json": json.dumps(grype())},
        {"security.json oldestScan": None, "security.json newestScan": "2026-11-01T06:00:00Z",
         "security.json imagesScanned": 2},
    ),
    "items are verified by their digest, unless withdrawn": Row(
        {"images/a": ONE, "charts/other": "versions: [1.0.0]",
         "images/b": "versions: [1]\nlifecycle: withdrawn",
         "charts/c": f'chart: oci://example.org/c\nversions: [{{version: 1.0.0, digest: "{digest(3)}"}}]'},
        {"images verify": [
            {"tool": "cosign", "identity": None, "identityRegexp": None, "issuer": None, "key": KEY,
             "command": f"cosign verify --key {KEY} {REGISTRY}/a@{digest(1)}"}, None],
         "charts verify": [{
             "tool": "cosign", "identity": "a@example.org", "identityRegexp": None,
             "issuer": "https://example.org", "key": None,
             "command": "cosign verify --certificate-identity a@example.org --certificate-oidc-issuer"
                        f" https://example.org example.org/c@{digest(3)}"}, None]},
        {"images": {"verify": {"key": KEY}},
         "charts": {"verify": {"identity": "a@example.org", "issuer": "https://example.org"}}},
    ),
    "a logo is published as an address": Row(
        {"docs/assets/my tool.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
         **{f"{kind}/{slug}": line for kind in ("images", "charts") for slug, line in {
             "a": "logo: assets/my tool.svg", "b": "logo: https://example.org/b.png", "c": "tier:"}.items()}},
        {f"{document} logo": ["/catalog/assets/my%20tool.svg", "https://example.org/b.png", None]
         for document in ("images.json", "charts.json", "images/index.json", "charts/index.json")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_what_is_written_is_published(site: SiteFolder, name: str) -> None:
    written, shown, settings, theme, told = ROWS[name]
    site.settings |= settings
    site.config["theme"] = {"name": theme}
    if theme == "material":
        site.config["plugins"] = ["material/meta", {"catalog-api": site.settings}]
    site.write("docs/index.md", "# Home\n")
    for path, text in written.items():
        if "." in path:
            site.write(path, text)
        else:
            site.page(f"{path}.md", text)
    result = built(site)
    assert {at: result.at(at) for at in shown} == shown
    notes = [*map(place, result.problems)]
    assert [note for note in notes if "mkdocs.yml" not in note] == [*told]
    assert not any(problem.level > Level.INFO for problem in result.problems)
