"""Small broken catalogs: what an author wrote, and code, line, column and field of each problem in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from .authors import OWN_SETTINGS, REQUIRED, configure
from .report_files import row, trivy
from .sites import REGISTRY, SiteFolder, digest

PAGE, CHART = "docs/images/nginx.md", "docs/charts/stack.md"


def front_matter(lines: str) -> str:
    """A page with all that is required, and these lines."""
    return f"---\n{REQUIRED}{lines}\n---\n"


def packed(report: object) -> bytes:
    return json.dumps(report).encode()


REPORT = packed(trivy(row()))
PRETTY = json.dumps(trivy(row()), indent=2).encode()


UNREADABLE = {
    "list never closed": ("versions: [1.10", "CAT001 5:11"),
    "quote never closed": ('base: "it', "CAT001 5:7"),
    "two colons": ("description: A: B", "CAT001 5:15"),
    "bare @": ("base: @x", "CAT001 5:7"),
    "bare *": ("base: *x", "CAT001 5:7"),
    "same key twice": ("category: X", "CAT001 5:1"),
    "tag": ("base: !!python/name:os.system", "CAT001 5:7"),
    "list as key": ("? [a]\n: b", "CAT001 5:3"),
    "merge of a text": ("<<: x", "CAT001 5:5"),
    "alias of itself": ("base: &a [*a]", "CAT001 5:7"),
    "control character": ("base: a\x07b", "CAT001 5:1"),
}
"""Front matter of an image, from line 5 on, that is not YAML as we read it."""
FIELDS = {
    "list for a text": ("base: [a]", "CAT012 5:1 base"),
    "bool for a text": ("base: true", "CAT012 5:1 base"),
    "empty text": ("base: ' '", "CAT012 5:1 base"),
    "control character in quotes": (r'base: "a\0"', "CAT012 5:1 base"),
    "list without a space": ("versions:\n  -1.0", "CAT012 5:1 versions"),
    "misspelt": ("descripton: x", "CAT010 5:1 descripton"),
    "computed url": ("url: https://nginx.org", "CAT010 5:1 url"),
    "slug in upper case": ("slug: Nginx", "CAT012 5:1 slug"),
    "version twice": ("versions: [1.0, 1.0]", "CAT013 5:17 versions[1]"),
    "versions that differ in case": ("versions: [1.0-a, 1.0-A]", "CAT013 5:19 versions[1]"),
    "version without label": ("versions: [{}]", "CAT011 5:12 versions[0].version"),
    "version that is null": ("versions: [null]", "CAT012 5:12 versions[0]"),
    "unknown below": ("versions: [{version: 1, note: x}]", "CAT010 5:25 versions[0].note"),
    "computed below": ("versions: [{version: 1, href: x}]", "CAT010 5:25 versions[0].href"),
    "digest in a list": (
        f"versions: [{{version: 1, digest: ['{digest(1)}', abc]}}]",
        "CAT012 5:109 versions[0].digest[1]",
    ),
    "digest not the first": (
        f"versions: [{{version: 1, digest: '{digest(1)}', digests: ['{digest(2)}']}}]",
        "CAT012 5:12 versions[0]",
    ),
    "reference with a tag": ("image: nginx:1.0", "CAT012 5:1 image"),
    "platform": ("platforms: [amd64]", "CAT012 5:13 platforms[0]"),
    "platform twice": ("platforms: [linux/amd64, linux/amd64]", "CAT012 5:1 platforms"),
    "size below zero": ("versions: [{version: 1, size: -1}]", "CAT012 5:25 versions[0].size"),
    "size beyond JSON": ("versions: [{version: 1, size: 99999999999999999}]", "CAT012 5:25 versions[0].size"),
    "link without scheme": ("homepage: nginx.org", "CAT012 5:1 homepage"),
    "base that names no badge": ("base: index", "CAT012 5:1 base"),
    "base that takes a badge": ("base: Images", "CAT013 5:1 base"),
    "latest": ("versions: [1.0]\nlatest: 2.0", "CAT014 6:1 latest"),
    "lifecycle": ("lifecycle: depricated", "CAT012 5:1 lifecycle"),
    "collection": ("catalog: image", "CAT015 5:1 catalog"),
    "collections": ("catalog: [images]", "CAT015 5:1 catalog"),
    "replaced by none": ("replacedBy: ngnix", "CAT012 5:1 replacedBy"),
    "lines": ("lines: mayor", "CAT012 5:1 lines"),
    "variants": ("variants: alpine", "CAT012 5:1 variants"),
    "default variant": ("defaultVariant: alpin\nversions: [1.2, 1.2-alpine]", "CAT014 5:1 defaultVariant"),
    "accept": ("accept: [partial]", "CAT012 5:10 accept[0]"),
    "product with /": ("product: nginx/x", "CAT012 5:1 product"),
    "product without its file": ("product: nothere", "CAT021 5:1 product"),
    "manifests beside several digests": (
        f"versions: [{{version: 1, digest: ['{digest(1)}', '{digest(2)}'],"
        f" manifests: {{linux/amd64: '{digest(1)}'}}}}]",
        "CAT012 5:12 versions[0]",
    ),
    "manifest of no platform": (
        f"versions: [{{version: 1, manifests: {{linux: '{digest(1)}'}}}}]",
        "CAT012 5:25 versions[0].manifests[0].platform",
    ),
    "manifest of two platforms": (
        f"versions: [{{version: 1, manifests: {{linux/amd64: '{digest(1)}', linux/arm64: '{digest(1)}'}}}}]",
        "CAT012 5:25 versions[0].manifests",
    ),
    "logo above docs": ("logo: ../logo.svg", "CAT012 5:1 logo"),
    "logo without https": ("logo: 'http://example.org/a.svg'", "CAT012 5:1 logo"),
    "logo that is not there": ("logo: assets/none.svg", "CAT021 5:1 logo"),
    "attestation twice": (
        "versions: [{version: 1, attestations: [sbom, sbom]}]",
        "CAT012 5:25 versions[0].attestations",
    ),
    "configuration that is text": ("versions: [{version: 1, config: x}]", "CAT012 5:25 versions[0].config"),
}
"""The same with a wrong value."""
PAGES = {
    "no line break at the end": (f"---\n{REQUIRED}---", "CAT001 5:1"),
    "empty line first": (f"\n---\n{REQUIRED}---\n", "CAT001 1:1"),
    "never closed": (f"---\n{REQUIRED}\n# NGINX\n", "CAT001 1:1"),
    "no --- at all": ("Title: NGINX\nCategory: Tools\n\n# NGINX\n", "CAT001 1:1"),
    "TOML": ('+++\nname = "NGINX"\n+++\n', "CAT001 1:1"),
}
"""Whole pages."""
CHARTS = {
    "version": ("versions: [1.0]", "CAT012 5:12 versions[0]"),
    "pin": ("images: ['Nginx:1']", "CAT012 5:10 images[0]"),
    "pin with a broken digest": ("images: ['a@sha256:1']", "CAT012 5:10 images[0]"),
    "pin without image": ("images: [{name: x}]", "CAT011 5:10 images[0].image"),
    "two digests": (f"images: [{{image: 'a@{digest(1)}', digest: '{digest(2)}'}}]", "CAT012 5:10 images[0]"),
    "digest of another image": (f"images: ['{REGISTRY}/redis@{digest(1)}']", "CAT038 5:10 images[0]"),
}
"""Front matter of a chart, from line 5 on."""
DATA_FILES: dict[str, tuple[str, str | bytes, str]] = {
    "not a list": ("images.yml", "a: b\n", "CAT012 1:1"),
    "not UTF-8": ("images.yml", b"- name: \xff\n", "CAT002 0:0"),
    "an entry that is a text": ("images.yml", "- nginx\n", "CAT012 1:3 [0]"),
    "two documents": ("images.yml", "- a: b\n---\n", "CAT001 2:1"),
    "no name": ("roadmap.yml", "- category: a\n", "CAT011 1:3 [0].name"),
    "a name that makes no slug": ("roadmap.yml", "- {name: '!!', category: a}\n", "CAT012 1:3 [0].slug"),
    "outcome": ("updates.yml", "- {app: a, to: 1, status: done}\n", "CAT012 1:19 [0].status"),
    "two spellings": ("updates.yml", "- {app: a, name: b, to: 1, status: held}\n", "CAT012 1:3 [0]"),
    "the same twice": (
        "updates.yml",
        "- {app: a, to: 1, outcome: held}\n- {app: a, to: 1, outcome: shipped}\n",
        "CAT013 2:3 [1]",
    ),
}
"""Data files."""
SETTINGS = [
    ("images: {fields: {base: {values: ['!']}}}", "CAT020 6:41 images.fields.base.values[0]"),
    ("images: {colour: x}", "CAT020 6:16 images.colour"),
    ("registry: on", "CAT020 6:7 registry"),
    ("registry: 'A B'", "CAT020 6:7 registry"),
    ("images: x", "CAT020 6:7 images"),
    ("images: {data: missing.yml}", "CAT021 6:16 images.data"),
    ("images: {data: /etc/hosts}", "CAT020 6:16 images.data"),
    ("images: {fields: [port]}", "CAT020 6:16 images.fields"),
    ("images: {fields: {my_port: integer}}", "CAT020 6:25 images.fields.my_port"),
    ("images: {fields: {tier: text}}", "CAT020 6:25 images.fields.tier"),
    ("images: {fields: {on: text}}", "CAT020 6:16 images.fields[1]"),
    ("images: {fields: {a: {values: [1.10]}}}", "CAT020 6:38 images.fields.a.values[0]"),
    ("images: {fields: {a: {values: [x, x]}}}", "CAT020 6:25 images.fields.a"),
    ("images: {fields: {a: {type: date, values: [x]}}}", "CAT020 6:25 images.fields.a"),
    ("images: {fields: {a: {required: 'yes'}}}", "CAT020 6:29 images.fields.a.required"),
    ("images: {fields: {teir: {values: [a]}}}", "CAT020 6:25 images.fields.teir"),
    ("images: {fields: {tier: {values: core}}}", "CAT020 6:32 images.fields.tier.values"),
    ("images: {fields: {tier: {type: text, values: [a]}}}", "CAT020 6:32 images.fields.tier.type"),
    ("images: {fields: {lifecycle: {values: [a]}}}", "CAT020 6:37 images.fields.lifecycle.values"),
    ("images: {fields: {categories: {from: tags}}}", "CAT020 6:25 images.fields.categories"),
    ("images: {defaults: [{tier: core}]}", "CAT020 6:28 images.defaults[0].tier"),
    ("images: {defaults: [{pages: /a}]}", "CAT020 6:28 images.defaults[0].pages"),
    ("security: {reports: nope}", "CAT021 6:18 security.reports"),
    ("security: {reports: docs}", "CAT021 6:18 security.reports"),
    ("security: {max_age: 0}", "CAT020 6:18 security.max_age"),
    ("security: {max_age: 30d}", "CAT020 6:18 security.max_age"),
    ("security: {max_age: true}", "CAT020 6:18 security.max_age"),
    ("security: {scanners: [trivvy]}", "CAT020 6:29 security.scanners[0]"),
    ("security: {vex: nope}", "CAT021 6:18 security.vex"),
    ("security: {max_report_size: 512XB}", "CAT020 6:18 security.max_report_size"),
    ("security: {accept: [partial, partial]}", "CAT020 6:18 security.accept"),
    ("lookups: [digest]", "CAT020 6:17 lookups[0]"),
    ("security: {publish_vex: 1}", "CAT020 6:18 security.publish_vex"),
    ("images: {verify: {}}", "CAT020 6:16 images.verify"),
    ("images: {verify: {identity: a, key: 'https://a.org/k'}}", "CAT020 6:16 images.verify"),
    (
        "images: {verify: {identity_regexp: '^(', issuer: 'https://a.org'}}",
        "CAT020 6:25 images.verify.identity_regexp",
    ),
    (
        "images: {verify: {identity_regexp: '^a{99999999999}', issuer: 'https://a.org'}}",
        "CAT020 6:25 images.verify.identity_regexp",
    ),
    ("roadmap: {verify: {key: 'https://a.org/k'}}", "CAT020 6:17 roadmap.verify"),
    ("images: {pages: '{slug}/{slug}.md'}", "CAT020 6:16 images.pages"),
    ("images: {pages: 'images/{slug.md'}", "CAT020 6:16 images.pages"),
    ("images: {pages: '***/a[b-a].md'}", "CAT020 6:16 images.pages"),
    ("images: {pages: [a, /b]}", "CAT020 6:27 images.pages[1]"),
    ("images: {lines: mayor}", "CAT020 6:16 images.lines"),
    ("charts: {lines: major}", "CAT020 6:16 charts.lines"),
    ("images: {version_fields: {line: text}}", "CAT020 6:33 images.version_fields.line"),
    ("security: {max_age: 5}\nsecurity: {accept: [ignored]}", "CAT001 7:7 security"),
]
"""Settings, from line 6 of mkdocs.yml on."""
REPORTS: list[tuple[bytes, str]] = [
    (b"", "CAT030 0:0"),
    (b"\xef\xbb\xbf", "CAT030 0:0"),
    (b"[0000]  WARN no name given\n" + REPORT, "CAT030 1:0"),
    (b"\n2026-11-20T06:00:00Z\tINFO\x1b[34mVulnerability\n" + PRETTY, "CAT030 2:0"),
    (PRETTY + b"\n2026 INFO done\n", "CAT030 17:1"),
    (REPORT + b"\n" + REPORT, "CAT030 2:1"),
    (REPORT[:-20], "CAT030 1:165"),
    (PRETTY[:60], "CAT030 5:15"),
    (b"<!DOCTYPE html><title>Sign in</title>", "CAT030 0:0"),
    (b"apiVersion: v2\n", "CAT030 0:0"),
    ("Größe ".encode() * 20, "CAT030 0:0"),
    (b"\x1f\x8b\x08\x00", "CAT030 0:0"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "CAT030 0:0"),
    (b'"clean"', "CAT030 0:0"),
    (b"[]", "CAT030 0:0"),
    (b" {}\n", "CAT030 0:0"),
    (b"null\n", "CAT030 0:0"),
    (b'{"a": 1}', "CAT030 0:0"),
    (b'{"results": [{"status": "passed"}]}', "CAT030 0:0"),
    (b'{"a\\u001b": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}', "CAT030 0:0"),
    (b'{"version": "2.1.0", "runs": []}', "CAT030 0:0"),
    (b'{"@context": "https://openvex.dev/ns/v0.2.0"}', "CAT030 0:0"),
    (b'{"Results": NaN}', "CAT030 1:13"),
    ('{\n  "a": "äöü€", "b": NaN}'.encode(), "CAT030 2:26"),
    ('{\n  "a": "äöü€", "b": NaN}'.encode("utf-16"), "CAT030 2:26"),
    (b'{"a": "x\ny"}', "CAT030 2:0"),
    (b'{"Results": -Infinity}', "CAT030 1:14"),
    (b'{"Results": [], "Metadata": ' + b"7" * 5000 + b"}", "CAT030 1:4330"),
    (b"[" * 10_000 + b"]" * 10_000, "CAT030 1:202"),
    (packed({"SchemaVersion": 2, "error": "unauthorized"}), "CAT030 0:0"),
    (packed({"Results": [{"ID": "4.1", "Results": []}]}), "CAT030 0:0"),
    (packed({"SchemaVersion": 3}), "CAT030 0:0"),
    (packed({"SchemaVersion": 2, "ArtifactName": "web:1", "results": []}), "CAT030 0:0"),
    (packed({"Results": [{"Target": "a", "Class": "os-pkgs", "vulnerabilities": []}]}), "CAT030 0:0"),
    (packed({"Results": "none"}), "CAT030 0:0"),
    (packed({"Results": [{"Vulnerabilities": [row(), 5]}]}), "CAT030 0:0"),
    (packed(trivy({"PkgName": "zlib"})), "CAT030 0:0"),
    (packed(trivy(row(VulnerabilityID="\n"))), "CAT030 0:0"),
    (packed({"Results": [{"Class": "secret"}, {"Class": "config", "Misconfigurations": []}]}), "CAT030 0:0"),
]
"""Reports of an image."""

LACKING = " | ".join(f"CAT011 2:1 {name}" for name in ("category", "license", "tier"))
REQUIRE = ", ".join(f"{name}: {{required: true}}" for name in ("category", "license", "tier"))
DEMANDING = f"registry: {REGISTRY}\nimages: {{fields: {{{REQUIRE}}}}}"
PLAIN = f"---\n{REQUIRED}---\n"
KEV, CYCLES = "advisories/known_exploited_vulnerabilities.json", "advisories/endoflife/nginx.json"
ADDRESSES = (
    "https://e.example//evil.example/",
    "https://u:secret@e.example/",
    "https://e.example/a//b/",
    "https://e.example/a/../b/",
    "https://e.example/%2e%2e/b/",
    "https://e.example/%2F/b",
    "https://e.example/?a=b",
    "ftp://e.example/",
)
"""Addresses of sites that are none."""
SITES: dict[str, tuple[str, dict[str, str | bytes], str]] = {
    "replaced by itself": ("", {PAGE: front_matter("replacedBy: nginx")}, "CAT012 5:1 replacedBy"),
    # MkDocs itself gives up here.
    "too deep": ("", {PAGE: f"---\nbase: {'[' * 200_000}\n---\n"}, "CAT001 2:57"),
    "not UTF-8": ("", {PAGE: b"---\nname: Caf\xe9\n---\n"}, "CAT002 0:0"),
    "no keys on pages that the settings name": (
        f"registry: {REGISTRY}\nimages: {{pages: 'images/*.md', fields: {{{REQUIRE}}}}}",
        {PAGE: "---\n---\n", "docs/images/a.md": "---\n- a\n---\n", "docs/images/z.md": "---\nabc\n---\n"},
        f"CAT001 docs/images/a.md 2:1 | {LACKING} | CAT001 docs/images/z.md 2:1"
    ),
    "a key without a value": (DEMANDING, {PAGE: "---\ncategory:\n---\n"}, LACKING),
    "a file name that makes no slug": (
        "", {"docs/images/My_Page.md": PLAIN}, "CAT012 docs/images/My_Page.md 2:1 slug"
    ),
    "a slug in two files": (
        "", {PAGE: PLAIN, "docs/images/web/nginx.md": PLAIN, "images.yml": "- {name: Nginx, category: a}\n"},
        "CAT013 docs/images/web/nginx.md 2:1 slug | CAT013 images.yml 1:3 [0].slug"
    ),
    "a slug twice in one file": (
        "", {"roadmap.yml": "- {name: B, category: a}\n\n- {name: b, category: a}\n"},
        "CAT013 roadmap.yml 3:3 [1].slug"
    ),
    "a page in two collections": (
        f"registry: {REGISTRY}\ncharts: {{pages: 'images/**'}}", {PAGE: PLAIN}, "CAT015 2:1"
    ),
    "a page of updates without the list": (
        "updates: {data: docs/updates.md}", {"docs/updates.md": "---\nupdate: []\n---\n"},
        "CAT011 docs/updates.md 1:1 updates"
    ),
    "settings that are a list": ("[registry]", {}, "CAT020 mkdocs.yml 5:5 plugins"),
    "several settings": (
        "registy: x\nimages:\n  fields: {url: url, port: int}\nheaders: 1", {},
        "CAT020 mkdocs.yml 6:7 catalog-api.registy | CAT020 mkdocs.yml 8:18 catalog-api.images.fields.url"
        " | CAT020 mkdocs.yml 8:28 catalog-api.images.fields.port.type"
        " | CAT020 mkdocs.yml 9:7 catalog-api.headers"
    ),
    "own fields and allowed values": (
        OWN_SETTINGS,
        {PAGE: "---\ncategory: Tools\ntier: cor\nlicense: MIT\nport: x\nshells: [zsh, baash, none]\n"
         "ratio: .nan\nfips: maybe\nchecked: soon\ncopy: [a]\n---\n"},
        "CAT011 2:1 upstream | CAT012 3:1 tier | CAT012 5:1 port | CAT012 6:10 shells[0]"
        " | CAT012 6:15 shells[1] | CAT012 7:1 ratio | CAT012 8:1 fips | CAT012 9:1 checked"
        " | CAT012 10:1 copy"
    ),
    "defaults": (
        "registry: a.org/b\nimages:\n  defaults: {slug: x, licence: M, tier: 1, lifecycle: a, version: 1}",
        {PAGE: PLAIN, "docs/images/b.md": PLAIN},
        "CAT020 mkdocs.yml 8:20 catalog-api.images.defaults.slug"
        " | CAT020 mkdocs.yml 8:29 catalog-api.images.defaults.licence"
        " | CAT020 mkdocs.yml 8:41 catalog-api.images.defaults.tier"
        " | CAT020 mkdocs.yml 8:50 catalog-api.images.defaults.lifecycle"
        " | CAT020 mkdocs.yml 8:64 catalog-api.images.defaults.version"
    ),
    "a default that the field refuses": (
        f"registry: {REGISTRY}\nimages: {{fields: {{port: integer}}, defaults: {{port: many}}}}",
        {PAGE: PLAIN}, "CAT020 mkdocs.yml 7:52 catalog-api.images.defaults.port"
    ),
    "fields of versions": (
        "registry: a.org/b\nimages: {version_fields: {digest: text}}\nroadmap: {version_fields: {a: text}}",
        {},
        "CAT020 mkdocs.yml 7:33 catalog-api.images.version_fields.digest"
        " | CAT020 mkdocs.yml 8:17 catalog-api.roadmap.version_fields"
    ),
    "another way to verify": (
        f"registry: {REGISTRY}\nimages: {{verify: {{key: 'https://example.org/cosign.pub'}}}}",
        {"docs/images/b.md": front_matter("verify: {identity: a@example.org}"),
         PAGE: front_matter("verify: {identityRegexp: acme, issuer: https://example.org}")},
        "CAT012 docs/images/b.md 5:1 verify | CAT012 5:10 verify.identityRegexp"
    ),
    "pages of entries": (
        "",
        {"docs/docker/nginx.md": "---\ntitle: About it\n---\n",
         PAGE: "---\ntitle: About it\ntier: core\n---\n",
         "images.yml": "- {name: A, page: docker/ngin.md}\n- {name: B, page: docker/nginx.md}\n"
         "- {name: C, page: docker/nginx.md}\n- {name: D, tier: core, page: images/nginx.md}\n"},
        "CAT013 3:1 tier | CAT015 images.yml 1:13 [0].page | CAT015 images.yml 3:13 [2].page"
    ),
    "categories": (
        f"registry: {REGISTRY}\nimages: {{fields: {{category: {{values: [Web, Proxy], required: true}}}}}}",
        {f"docs/images/n{number}.md": f"---\ncategory: {category}\ntier: core\nlicense: MIT\n---\n"
         for number, category in enumerate(("[]", "[Web, Wep]", "[Web, Web]", "Wep"))},
        "CAT011 docs/images/n0.md 2:1 category | CAT012 docs/images/n1.md 2:17 category[1]"
        " | CAT012 docs/images/n2.md 2:1 category | CAT012 docs/images/n3.md 2:1 category"
    ),
    "a tag of two releases": (
        "",
        {PAGE: front_matter(
            "versions:\n  - {version: '18', tags: [a, x]}\n  - {version: '17', tags: [a, '18']}"
        )},
        "CAT013 7:28 versions[1].tags[0] | CAT013 7:31 versions[1].tags[1]"
    ),
    "a tag with other digests on another page": (
        "",
        {PAGE: front_matter(f"versions: [{{version: 1.2, digest: '{digest(1)}'}}, '1']"),
         "docs/images/other.md": front_matter(
             f"image: {REGISTRY}/nginx\nversions:\n  - {{version: 2, tags: ['1.2'], digest: '{digest(2)}'}}\n"
             f"  - {{version: 1, digest: '{digest(3)}'}}"
         ),
         "docs/images/same.md": front_matter(
             f"image: {REGISTRY}/nginx\n"
             f"versions: [{{version: 1.2, manifests: {{linux/amd64: '{digest(1)}'}}}}]"
         )},
        "CAT013 docs/images/other.md 7:33 versions[0].digest"
    ),
    "fields of versions and own fields at once": (
        "registry: a.b/c\nimages:\n  fields: {upstream: {type: url, required: true}}\n"
        "  version_fields: {port: integer, flavor: {type: text, required: true}}",
        {PAGE: "---\ncategory: Tools\ntier: core\nlicens: MIT\nversions:\n  - '1/2'\n"
         "  - {version: '2', port: x, flavor: a, released: soon}\n"
         "  - {version: '1', flavr: a, relesed: 2026-11-20}\n---\n"},
        "CAT011 2:1 upstream | CAT010 4:1 licens | CAT012 6:5 versions[0] | CAT011 6:5 versions[0]"
        " | CAT012 7:20 versions[1].port | CAT012 7:40 versions[1].released | CAT011 8:5 versions[2].flavor"
        " | CAT010 8:20 versions[2].flavr | CAT010 8:30 versions[2].relesed"
    ),
    "a catalog demands a digest, in any form": (
        f"registry: {REGISTRY}\nimages: {{version_fields: {{digest: {{required: true}}}}}}",
        {PAGE: front_matter(
            f"versions: ['1', {{version: 2, digest: x}}, {{version: 3, digest: [{digest(3)}, x]}},"
            f" {{version: 4, digests: [{digest(4)}]}}]"
        )},
        "CAT011 5:12 versions[0] | CAT012 5:30 versions[1].digest | CAT012 5:137 versions[2].digest[1]"
    ),
    "a catalog demands fields": (
        f"registry: {REGISTRY}\nimages: {{fields: {{platforms: {{required: true}}}},"
        " version_fields: {released: {required: true}, line: {values: ['1']}, variant: {values: [gpu]}}}",
        {PAGE: front_matter("versions: ['1', {version: 2, released: 2026-01-02, line: '2', variant: tpu}]")},
        "CAT011 2:1 platforms | CAT011 5:12 versions[0] | CAT012 5:52 versions[1].line"
        " | CAT012 5:63 versions[1].variant"
    ),
    "a value under another key": (
        f"registry: {REGISTRY}\nimages: {{fields: {{homepage: {{from: project_url}},"
        " description: {from: tagz}}, version_fields: {released: {from: date},"
        " port: {type: integer, from: listens}}}",
        {PAGE: front_matter("project_url: [example]\nversions: [{version: '2', date: soon}]")},
        "CAT012 5:1 project_url | CAT012 6:27 versions[0].date"
    ),
    "two values of one badge": (
        "", {"docs/images/b.md": front_matter("base: Wolfi OS"), PAGE: front_matter("base: wolfi-os")},
        "CAT013 5:1 base"
    ),
    "two data files beside each other": (
        "", {PAGE: PLAIN, "images.yml": "[]\n", "images.json": "[]\n"},
        "CAT021 mkdocs.yml 6:7 catalog-api.images.data"
    ),
    **{
        f"cycles {text}": (
            "", {PAGE: front_matter("product: nginx"), CYCLES: text}, f"CAT002 {CYCLES} 0:0 {field}"
        )
        for text, field in (
            ("[]", ""),
            ("{", ""),
            ('{"result": {"releases": []}}', "result.releases"),
            ('{"result": {"releases": [{"name": "1", "eolFrom": "soon"}]}}', "result.releases[0].eolFrom"),
            ('{"result": {"releases": [{"name": "1", "isEol": 1e400}]}}', "result.releases[0].isEol"),
            (r'{"result": {"releases": [{"name": "\ud800"}]}}', ""),
        )
    },
    "a broken list of what is exploited": ("", {PAGE: PLAIN, KEV: "{}"}, f"CAT002 {KEV} 0:0"),
    "names that Windows reserves": (
        "", {"docs/images/aux.md": front_matter("versions: ['1', nul]")},
        "CAT012 docs/images/aux.md 2:1 slug | CAT012 docs/images/aux.md 5:17 versions[1]"
    ),
}  # fmt: skip
"""Settings (empty: a registry), files, and code, file (else the page), place and field of each problem."""
WARNINGS: dict[str, tuple[str, dict[str, str | bytes], str]] = {
    "an unknown license": (
        "", {PAGE: "---\ncategory: Tools\ntier: core\nlicense: Apache 2\n---\n"}, "CAT012 4:1 license"
    ),
    "values that are hardly meant": (
        "",
        {PAGE: front_matter("versions: [{version: 1, released: 2026-02-01, endOfLife: 2025-02-01}]"),
         CHART: front_matter("chart: ghcr.io/acme/charts/stack\nversions: [1.0.0]")},
        f"CAT012 {CHART} 5:1 chart | CAT012 5:47 versions[0].endOfLife"
    ),
    "no registry": (
        "headers: netlify", {f"docs/images/{slug}.md": PLAIN for slug in "abc"},
        "CAT011 mkdocs.yml 6:7 catalog-api.registry"
    ),
    "no field but a misspelled one": (
        "", {PAGE: PLAIN, "docs/images/b.md": "---\ntitle: B\nversion: 1\n---\n"},
        "CAT010 docs/images/b.md 3:1 version"
    ),
    "a folder one letter away": (
        "", {"docs/image/nginx.md": PLAIN, "roadmap.yml": "- {name: Next, category: Tools}\n"},
        "CAT015 mkdocs.yml 6:7 catalog-api.images.pages"
    ),
    "a folder of reports in docs": (
        "", {PAGE: PLAIN, "docs/scans/nginx/1.0.json": packed(trivy())},
        "CAT021 mkdocs.yml 7:7 catalog-api.security.reports"
    ),
    "a folder without a report": ("", {PAGE: PLAIN, "scans/notes.txt": ""}, "CAT030 scans 0:0"),
    "no item": ("", {}, "CAT015 mkdocs.yml 6:7 catalog-api"),
    "a pattern without a page": (
        f"registry: {REGISTRY}\nimages: {{pages: ['images/*.md', '!images/x*', 'imgs/{{slug}}.md']}}",
        {PAGE: PLAIN, "docs/images/x1.md": PLAIN}, "CAT015 mkdocs.yml 7:16 catalog-api.images.pages"
    ),
    "versions that say nothing of their order": (
        "", {PAGE: front_matter("versions: [main, edge]")}, "CAT014 5:1 versions"
    ),
    "fields of a version on the page": (
        "", {PAGE: front_matter("versions: [1.2.3]\nendOfLife: 2027-01-01\ntag: 1.2.3\nowner: me")},
        "CAT010 6:1 endOfLife | CAT010 7:1 tag"
    ),
}  # fmt: skip
"""The same for catalogs that are refused only under `strict`."""


class Broken(NamedTuple):
    name: str
    write: Callable[[SiteFolder], None]
    where: tuple[str, ...]
    """Code, file, line:column and field of each problem; 0 where a line or column is not known."""
    refused: bool = True
    """False: only under `strict`."""


def catalogs() -> Iterator[Broken]:
    """Every broken catalog; what has one place in a file of its own is one catalog."""
    pages = {name: (front_matter(lines), place) for name, (lines, place) in (UNREADABLE | FIELDS).items()}
    yield _files("pages", "docs/images/{}.md", pages | PAGES)
    charts = {name: (front_matter(lines), place) for name, (lines, place) in CHARTS.items()}
    yield _files("charts", "docs/charts/{}.md", charts)
    yield _files("reports", "scans/nginx/{}.json", {f"{number}": row for number, row in enumerate(REPORTS)})
    for name, (file, body, place) in DATA_FILES.items():
        yield _site(f"data: {name}", "", {file: body}, _at(place, file))
    item = {"roadmap.yml": "- {name: Next, category: Tools}\n"}
    for address in ADDRESSES:
        yield Broken(f"site_url: {address}", _at_address(address), ("CAT020 mkdocs.yml 2:1 site_url",))
    for setting, place in SETTINGS:
        code, position, path = place.split()
        yield _site(setting, setting, item, f"{code} mkdocs.yml {position} catalog-api.{path}")
    for name, catalog in (SITES | WARNINGS).items():
        yield _site(name, *catalog, refused=name in SITES)


def _at_address(address: str) -> Callable[[SiteFolder], None]:
    def write(site: SiteFolder) -> None:
        configure(site)
        config = site.folder / "mkdocs.yml"
        config.write_text(config.read_text("utf-8").replace("https://example.org/catalog/", address), "utf-8")

    return write


def _at(place: str, file: str) -> str:
    code, _, rest = place.partition(" ")
    return f"{code} {file} {rest}"


def _files(name: str, path: str, rows: Mapping[str, tuple[str | bytes, str]]) -> Broken:
    """A catalog of files that are named after their rows, with an image that a chart may pin."""
    files: dict[str, str | bytes] = {
        PAGE: front_matter(f"versions: [{{version: 1.0, digest: '{digest(1)}'}}]")
    }
    where = []
    for number, (title, (text, place)) in enumerate(rows.items()):
        words = re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")
        file = path.format(f"{number:03}-{words}")
        files[file] = text
        where.append(_at(place, file))
    return _site(name, "", files, " | ".join(where))


def _site(
    name: str, settings: str, files: Mapping[str, str | bytes], where: str, *, refused: bool = True
) -> Broken:
    def write(site: SiteFolder) -> None:
        configure(site, settings or f"registry: {REGISTRY}")
        for path, text in files.items():
            site.write(path, text if isinstance(text, bytes) else text.encode())

    places = [place if re.search(r" \D\S* \d+:", place) else _at(place, PAGE) for place in where.split(" | ")]
    return Broken(name, write, tuple(place.rstrip() for place in places), refused)
