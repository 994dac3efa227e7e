"""Small broken catalogs: what an author wrote, and code, line, column and field of each problem in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
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
    "mapping never closed": ("base: {a: b", "CAT001 5:7"),
    "quote never closed": ('base: "it', "CAT001 5:7"),
    "quote within quotes": ("base: 'it's'", "CAT001 5:11"),
    "two colons": ("description: A: B", "CAT001 5:15"),
    "key indented": (" base: wolfi", "CAT001 5:6"),
    "entry out of line": ("versions:\n  - version: 1\n   digest: x", "CAT001 7:4"),
    "no colon": ("base\nsource: x", "CAT001 6:1"),
    "tab": ("base:\n\twolfi", "CAT001 6:1"),
    "bare @": ("base: @x", "CAT001 5:7"),
    "bare *": ("base: *x", "CAT001 5:7"),
    "escape": (r'base: "C:\x"', "CAT001 5:7"),
    "list in the key's line": ("versions: - 1.0", "CAT001 5:11"),
    "same key twice": ("category: X", "CAT001 5:1"),
    "tag": ("base: !!python/name:os.system", "CAT001 5:7"),
    "untrue bool": ("fips: !!bool maybe", "CAT001 5:7"),
    "list as key": ("? [a]\n: b", "CAT001 5:3"),
    "merge of a text": ("<<: x", "CAT001 5:5"),
    "alias of itself": ("base: &a [*a]", "CAT001 5:7"),
    "control character": ("base: a\x07b", "CAT001 5:1"),
}
"""Front matter of an image, from line 5 on, that is not YAML as we read it."""
FIELDS = {
    "list for a text": ("base: [a]", "CAT012 5:1 base"),
    "mapping for a text": ("base: {a: b}", "CAT012 5:1 base"),
    "bool for a text": ("base: true", "CAT012 5:1 base"),
    "empty text": ("base: ' '", "CAT012 5:1 base"),
    "control character in quotes": (r'base: "a\0"', "CAT012 5:1 base"),
    "list without a space": ("versions:\n  -1.0", "CAT012 5:1 versions"),
    "text for a list": ("platforms: linux/amd64", "CAT012 5:1 platforms"),
    "misspelt": ("descripton: x", "CAT010 5:1 descripton"),
    "hyphenated": ("home-page: x", "CAT010 5:1 home-page"),
    "computed url": ("url: https://nginx.org", "CAT010 5:1 url"),
    "slug in upper case": ("slug: Nginx", "CAT012 5:1 slug"),
    "version with /": ("versions: [a/b]", "CAT012 5:12 versions[0]"),
    "version twice": ("versions: [1.0, 1.0]", "CAT013 5:17 versions[1]"),
    "versions that differ in case": ("versions: [1.0-a, 1.0-A]", "CAT013 5:19 versions[1]"),
    "version without label": ("versions: [{}]", "CAT011 5:12 versions[0].version"),
    "version that is null": ("versions: [null]", "CAT012 5:12 versions[0]"),
    "misspelt below": ("versions: [{version: 1, relased: 2026-01-01}]", "CAT010 5:25 versions[0].relased"),
    "unknown below": ("versions: [{version: 1, note: x}]", "CAT010 5:25 versions[0].note"),
    "computed below": ("versions: [{version: 1, href: x}]", "CAT010 5:25 versions[0].href"),
    "digest": ("versions: [{version: 1, digest: abc}]", "CAT012 5:25 versions[0].digest"),
    "digest in a list": (
        f"versions: [{{version: 1, digest: ['{digest(1)}', abc]}}]",
        "CAT012 5:109 versions[0].digest[1]",
    ),
    "digest not the first": (
        f"versions: [{{version: 1, digest: '{digest(1)}', digests: ['{digest(2)}']}}]",
        "CAT012 5:12 versions[0]",
    ),
    "reference": ("image: Nginx", "CAT012 5:1 image"),
    "reference with a tag": ("image: nginx:1.0", "CAT012 5:1 image"),
    "platform": ("platforms: [amd64]", "CAT012 5:13 platforms[0]"),
    "platform twice": ("platforms: [linux/amd64, linux/amd64]", "CAT012 5:1 platforms"),
    "date": ("versions: [{version: 1, released: 2026-13-01}]", "CAT012 5:25 versions[0].released"),
    "size with a unit": ("versions: [{version: 1, size: 12 MB}]", "CAT012 5:25 versions[0].size"),
    "size below zero": ("versions: [{version: 1, size: -1}]", "CAT012 5:25 versions[0].size"),
    "size beyond JSON": ("versions: [{version: 1, size: 99999999999999999}]", "CAT012 5:25 versions[0].size"),
    ".inf": ("versions: [{version: 1, size: .inf}]", "CAT012 5:25 versions[0].size"),
    "link without scheme": ("homepage: nginx.org", "CAT012 5:1 homepage"),
    "base that names no badge": ("base: index", "CAT012 5:1 base"),
    "base that takes a badge": ("base: Images", "CAT013 5:1 base"),
    "latest": ("versions: [1.0]\nlatest: 2.0", "CAT014 6:1 latest"),
    "latest of none": ("latest: 2.0", "CAT014 5:1 latest"),
    "lifecycle": ("lifecycle: depricated", "CAT012 5:1 lifecycle"),
    "collection": ("catalog: image", "CAT015 5:1 catalog"),
    "collections": ("catalog: [images]", "CAT015 5:1 catalog"),
    "replaced by none": ("replacedBy: ngnix", "CAT012 5:1 replacedBy"),
    "replaces a tag": ("replaces: ['nginx:1']", "CAT012 5:12 replaces[0]"),
    "lines": ("lines: mayor", "CAT012 5:1 lines"),
    "lines that are no expression": ("lines: '(['", "CAT012 5:1 lines"),
    "lines of two groups": ("lines: '([0-9])([0-9])'", "CAT012 5:1 lines"),
    "lines in a list": ("lines: [a]", "CAT012 5:1 lines"),
    "variants": ("variants: alpine", "CAT012 5:1 variants"),
    "variants in a list": ("variants: [a]", "CAT012 5:1 variants"),
    "variants with lists": ("variants: {dev: [x]}", "CAT012 5:1 variants"),
    "default variant": (
        "defaultVariant: alpin\nversions: [1.2.3, 1.2.3-alpine]",
        "CAT014 5:1 defaultVariant",
    ),
    "product with /": ("product: nginx/x", "CAT012 5:1 product"),
    "product without its file": ("product: nothere", "CAT021 5:1 product"),
    "manifests beside several digests": (
        f"versions: [{{version: 1, digest: ['{digest(1)}', '{digest(2)}'],"
        f" manifests: {{linux/amd64: '{digest(1)}'}}}}]",
        "CAT012 5:12 versions[0]",
    ),
    "manifest with a broken digest": (
        "versions: [{version: 1, manifests: {linux/amd64: 'sha256:1'}}]",
        "CAT012 5:25 versions[0].manifests[0].digest",
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
    "logo with /": ("logo: /logo.svg", "CAT012 5:1 logo"),
    "logo of another kind": ("logo: logo.gif", "CAT012 5:1 logo"),
    "logo without https": ("logo: 'http://example.org/a.svg'", "CAT012 5:1 logo"),
    "logo that is not there": ("logo: assets/none.svg", "CAT021 5:1 logo"),
}
"""The same with a wrong value."""
PAGES = {
    "no line break at the end": (f"---\n{REQUIRED}---", "CAT001 5:1"),
    "empty line first": (f"\n---\n{REQUIRED}---\n", "CAT001 1:1"),
    "space first": (f" ---\n{REQUIRED}---\n", "CAT001 1:1"),
    "a comment first": (f"<!-- by the team -->\n\n---\n{REQUIRED}---\n", "CAT001 1:1"),
    "never closed": (f"---\n{REQUIRED}\n# NGINX\n", "CAT001 1:1"),
    "no --- at all": ("Title: NGINX\nCategory: Tools\n\n# NGINX\n", "CAT001 1:1"),
    "a list": ("---\n- a\n- b\n---\n", "CAT001 2:1"),
    "a text": ("---\nabc\n---\n", "CAT001 2:1"),
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
    "a text": ("images.yml", "abc\n", "CAT012 1:1"),
    "not UTF-8": ("images.yml", b"- name: \xff\n", "CAT002 0:0"),
    "an entry that is a text": ("images.yml", "- nginx\n", "CAT012 1:3 [0]"),
    "two documents": ("images.yml", "- a: b\n---\n", "CAT001 2:1"),
    "no name": ("roadmap.yml", "- category: a\n", "CAT011 1:3 [0].name"),
    "a name that makes no slug": ("roadmap.yml", "- {name: '!!', category: a}\n", "CAT012 1:3 [0].slug"),
    "computed": ("roadmap.yml", "- {name: A, category: a, href: b}\n", "CAT010 1:26 [0].href"),
    "bool": ("roadmap.yml", "- {name: A, category: a, blocked: maybe}\n", "CAT012 1:26 [0].blocked"),
    "outcome": ("updates.yml", "- {app: a, to: 1, status: done}\n", "CAT012 1:19 [0].status"),
    "one key in two spellings": (
        "updates.yml",
        "- {app: a, name: b, to: 1, status: held}\n",
        "CAT012 1:3 [0]",
    ),
    "misspelt": ("updates.yml", "- {aplication: a, to: 1, outcome: held}\n", "CAT010 1:4 [0].aplication"),
    "the same twice": (
        "updates.yml",
        "- {app: a, to: 1, outcome: held}\n- {app: a, to: 1, outcome: shipped}\n",
        "CAT013 2:3 [1]",
    ),
}
"""Data files."""
SETTINGS = [
    ("images: {fields: {base: {values: ['!']}}}", "CAT020 6:41 images.fields.base.values[0]"),
    ("registy: x", "CAT020 6:7 registy"),
    ("images: {colour: x}", "CAT020 6:16 images.colour"),
    ("registry: on", "CAT020 6:7 registry"),
    ("registry: 'A B'", "CAT020 6:7 registry"),
    ("images: x", "CAT020 6:7 images"),
    ("images: {page: x}", "CAT020 6:16 images.page"),
    ("images: {pages: /x}", "CAT020 6:16 images.pages"),
    ("images: {data: missing.yml}", "CAT021 6:16 images.data"),
    ("images: {data: /etc/hosts}", "CAT020 6:16 images.data"),
    ("images: {fields: [port]}", "CAT020 6:16 images.fields"),
    ("images: {fields: {port: int}}", "CAT020 6:25 images.fields.port.type"),
    ("images: {fields: {port: {typ: integer}}}", "CAT020 6:32 images.fields.port.typ"),
    ("images: {fields: {my_port: integer}}", "CAT020 6:25 images.fields.my_port"),
    ("images: {fields: {tier: text}}", "CAT020 6:25 images.fields.tier"),
    ("images: {fields: {versions: text}}", "CAT020 6:25 images.fields.versions"),
    ("images: {fields: {on: text}}", "CAT020 6:16 images.fields[1]"),
    ("images: {fields: {a: {values: [1.10]}}}", "CAT020 6:38 images.fields.a.values[0]"),
    ("images: {fields: {a: {values: [x, x]}}}", "CAT020 6:25 images.fields.a"),
    ("images: {fields: {a: {type: date, values: [x]}}}", "CAT020 6:25 images.fields.a"),
    ("images: {fields: {a: {required: 'yes'}}}", "CAT020 6:29 images.fields.a.required"),
    ("images: {fields: {a: {list: 1}}}", "CAT020 6:29 images.fields.a.list"),
    ("images: {fields: {teir: {values: [a]}}}", "CAT020 6:25 images.fields.teir"),
    ("images: {fields: {size: {label: Size}}}", "CAT020 6:32 images.fields.size.label"),
    ("images: {fields: {tier: {values: core}}}", "CAT020 6:32 images.fields.tier.values"),
    ("images: {fields: {tier: {values: [on]}}}", "CAT020 6:41 images.fields.tier.values[0]"),
    (
        "images: {fields: {tier: {type: text, values: [a]}}}",
        "CAT020 6:32 images.fields.tier.type",
    ),
    ("images: {fields: {tier: {card: true, from: a}}}", "CAT020 6:32 images.fields.tier.card"),
    ("images: {fields: {tier: {from: 1.10}}}", "CAT020 6:32 images.fields.tier.from"),
    (
        "images: {fields: {lifecycle: {values: [a]}}}",
        "CAT020 6:37 images.fields.lifecycle.values",
    ),
    ("images: {fields: {verify: text}}", "CAT020 6:25 images.fields.verify"),
    ("images: {fields: {categories: {from: tags}}}", "CAT020 6:25 images.fields.categories"),
    ("images: {version_fields: {variant: text}}", "CAT020 6:33 images.version_fields.variant"),
    ("images: {defaults: [{tier: core}]}", "CAT020 6:28 images.defaults[0].tier"),
    ("images: {defaults: [{pages: /a}]}", "CAT020 6:28 images.defaults[0].pages"),
    (
        "images: {defaults: [{values: {tier: 1.10}}]}",
        "CAT020 6:37 images.defaults[0].values.tier",
    ),
    ("images: {defaults: {on: core}}", "CAT020 6:16 images.defaults[1]"),
    ("images: {defaults: on}", "CAT020 6:16 images.defaults"),
    ("security: {reports: nope}", "CAT021 6:18 security.reports"),
    ("security: {reports: docs}", "CAT021 6:18 security.reports"),
    ("security: {max_age: 0}", "CAT020 6:18 security.max_age"),
    ("security: {scanners: [trivvy]}", "CAT020 6:29 security.scanners[0]"),
    ("security: {scanners: [trivy, trivy]}", "CAT020 6:18 security.scanners"),
    ("security: {vex: nope}", "CAT021 6:18 security.vex"),
    ("security: {max_report_size: 512XB}", "CAT020 6:18 security.max_report_size"),
    ("security: {max_report_size: -1}", "CAT020 6:18 security.max_report_size"),
    ("security: {accept: [partial, partial]}", "CAT020 6:18 security.accept"),
    ("lookups: [digest]", "CAT020 6:17 lookups[0]"),
    ("security: {publish_vex: 1}", "CAT020 6:18 security.publish_vex"),
    ("images: {verify: {key: 'http://a.org/k'}}", "CAT020 6:25 images.verify.key"),
    ("images: {verify: {}}", "CAT020 6:16 images.verify"),
    ("images: {verify: {identity: a, identity_regexp: ^a}}", "CAT020 6:16 images.verify"),
    ("images: {verify: {identity: a, key: 'https://a.org/k'}}", "CAT020 6:16 images.verify"),
    (
        "images: {verify: {identity_regexp: a, issuer: 'https://a.org'}}",
        "CAT020 6:25 images.verify.identity_regexp",
    ),
    (
        "images: {verify: {identity_regexp: '^(', issuer: 'https://a.org'}}",
        "CAT020 6:25 images.verify.identity_regexp",
    ),
    ("roadmap: {verify: {key: 'https://a.org/k'}}", "CAT020 6:17 roadmap.verify"),
    ("images: {pages: 'images/{name}.md'}", "CAT020 6:16 images.pages"),
    ("images: {pages: '{slug}/{slug}.md'}", "CAT020 6:16 images.pages"),
    ("images: {pages: 'images/{slug.md'}", "CAT020 6:16 images.pages"),
    ("images: {pages: '!'}", "CAT020 6:16 images.pages"),
    ("images: {pages: '***/a[b-a].md'}", "CAT020 6:16 images.pages"),
    ("images: {pages: [a, /b]}", "CAT020 6:27 images.pages[1]"),
    ("images: {lines: (x}", "CAT020 6:16 images.lines"),
    ("images: {variants: x}", "CAT020 6:16 images.variants"),
    ("charts: {lines: major}", "CAT020 6:16 charts.lines"),
    ("images: {version_fields: {variant: integer}}", "CAT020 6:33 images.version_fields.variant"),
    ("images: {version_fields: {line: text}}", "CAT020 6:33 images.version_fields.line"),
    ("images: {fields: {category: {from: [tags]}}}", "CAT020 6:36 images.fields.category.from"),
]
"""Settings, from line 6 of mkdocs.yml on."""
REPORTS: list[tuple[bytes, str]] = [
    (b"", "CAT030 0:0"),
    (b" \n", "CAT030 0:0"),
    (b"\xef\xbb\xbf", "CAT030 0:0"),
    (b"[0000]  WARN no name given\n" + REPORT, "CAT030 1:0"),
    (b"\n2026-11-20T06:00:00Z\tINFO\x1b[34mVulnerability\n" + PRETTY, "CAT030 2:0"),
    (b"log\n[\n  {}\n]", "CAT030 1:0"),
    (PRETTY + b"\n2026 INFO done\n", "CAT030 17:1"),
    (REPORT + b"\n" + REPORT, "CAT030 2:1"),
    (REPORT[:-20], "CAT030 1:165"),
    (PRETTY[:60], "CAT030 5:15"),
    (b"<!DOCTYPE html><title>Sign in</title>", "CAT030 0:0"),
    (b"apiVersion: v2\n", "CAT030 0:0"),
    ("Größe ".encode() * 20, "CAT030 0:0"),
    (b"\x1f\x8b\x08\x00", "CAT030 0:0"),
    (REPORT.decode().encode("utf-16-le"), "CAT030 1:2"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "CAT030 0:0"),
    (b'"clean"', "CAT030 0:0"),
    (b"17", "CAT030 0:0"),
    (b"[]", "CAT030 0:0"),
    (b"[1, 2]", "CAT030 0:0"),
    (b" {}\n", "CAT030 0:0"),
    (b"null\n", "CAT030 0:0"),
    (b'{"a": 1}', "CAT030 0:0"),
    (b'{"results": [{"status": "passed"}]}', "CAT030 0:0"),
    (b'{"a\\u001b": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}', "CAT030 0:0"),
    (b'{"version": "2.1.0", "runs": []}', "CAT030 0:0"),
    (b'{"bomFormat": "CycloneDX", "components": []}', "CAT030 0:0"),
    (b'{"spdxVersion": "SPDX-2.3"}', "CAT030 0:0"),
    (b'{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"}', "CAT030 0:0"),
    (b'{"@context": "https://openvex.dev/ns/v0.2.0"}', "CAT030 0:0"),
    (b'{"Results": NaN}', "CAT030 1:13"),
    ('{\n  "a": "äöü€", "b": NaN}'.encode(), "CAT030 2:26"),
    ('{\n  "a": "äöü€", "b": NaN}'.encode("utf-16"), "CAT030 2:26"),
    (b'{"a": "x\ny"}', "CAT030 2:0"),
    (b'{"Results": -Infinity}', "CAT030 1:14"),
    (b'{"Results": [], "Metadata": ' + b"7" * 5000 + b"}", "CAT030 1:4330"),
    (b"[" * 10_000 + b"]" * 10_000, "CAT030 1:202"),
    (b'{"Results": ' + b"[" * 10_000, "CAT030 1:213"),
    (b'{"Results": "\x01"}', "CAT030 1:14"),
    (packed({"SchemaVersion": 2, "error": "unauthorized"}), "CAT030 0:0"),
    (packed({"Results": [{"ID": "4.1", "Results": []}]}), "CAT030 0:0"),
    (packed({"SchemaVersion": 3}), "CAT030 0:0"),
    (packed({"SchemaVersion": 2, "ArtifactName": "web:1", "results": []}), "CAT030 0:0"),
    (packed({"Results": [{"Target": "a", "Class": "os-pkgs", "vulnerabilities": []}]}), "CAT030 0:0"),
    (packed({"Results": "none"}), "CAT030 0:0"),
    (packed({"Results": [[]]}), "CAT030 0:0"),
    (packed({"Results": [{"Vulnerabilities": {}}]}), "CAT030 0:0"),
    (packed({"Results": [{"Vulnerabilities": [row(), 5]}]}), "CAT030 0:0"),
    (packed(trivy({"PkgName": "zlib"})), "CAT030 0:0"),
    (packed(trivy(row(VulnerabilityID="\n"))), "CAT030 0:0"),
    (packed({"Results": [{"Class": "secret"}, {"Class": "config", "Misconfigurations": []}]}), "CAT030 0:0"),
]
"""Reports of an image."""

LACKING = tuple(f"CAT011 {PAGE} 2:1 {name}" for name in ("category", "license", "tier"))
DEMANDING = (
    f"registry: {REGISTRY}\nimages: {{fields: {{"
    + ", ".join(f"{name}: {{required: true}}" for name in ("category", "license", "tier"))
    + "}}"
)
PLAIN = f"---\n{REQUIRED}---\n"
SITES: dict[str, tuple[str, dict[str, str | bytes], tuple[str, ...]]] = {
    "replaced by itself": (
        "",
        {PAGE: "---\ncategory: Tools\ntier: core\nlicense: MIT\nreplacedBy: nginx\n---\n"},
        ("CAT012 docs/images/nginx.md 5:1 replacedBy",),
    ),
    # MkDocs itself gives up here.
    "too deep": (
        "",
        {PAGE: f"---\nbase: {'[' * 5000}{']' * 5000}\n---\n"},
        ("CAT001 docs/images/nginx.md 2:57",),
    ),
    "not UTF-8": ("", {PAGE: b"---\nname: Caf\xe9\n---\n"}, ("CAT002 docs/images/nginx.md 0:0",)),
    "an empty front matter": (DEMANDING, {PAGE: "---\n---\n"}, LACKING),
    "a name alone": (DEMANDING, {PAGE: "---\nname: NGINX\n---\n"}, LACKING),
    "a key without a value": (DEMANDING, {PAGE: "---\ncategory:\n---\n"}, LACKING),
    "a misspelt required field": (
        "",
        {PAGE: "---\ncategory: Tools\ntier: core\nlicence: MIT\n---\n"},
        ("CAT010 docs/images/nginx.md 4:1 licence",),
    ),
    "a file name that makes no slug": (
        "",
        {"docs/images/My_Page.md": PLAIN},
        ("CAT012 docs/images/My_Page.md 2:1 slug",),
    ),
    "no registry": (
        "headers: netlify",
        {PAGE: PLAIN, "docs/images/b.md": front_matter("image: a/b")},
        ("CAT011 docs/images/nginx.md 2:1 image",),
    ),
    "a slug in two files": (
        "",
        {
            PAGE: PLAIN,
            "docs/images/web/nginx.md": PLAIN,
            "images.yml": "- {name: Nginx, category: a, tier: b, license: MIT}\n",
        },
        ("CAT013 docs/images/web/nginx.md 2:1 slug", "CAT013 images.yml 1:3 [0].slug"),
    ),
    "a slug twice in one file": (
        "",
        {"roadmap.yml": "- {name: B, category: a}\n\n- {name: b, category: a}\n"},
        ("CAT013 roadmap.yml 3:3 [1].slug",),
    ),
    "a page in two collections": (
        f"registry: {REGISTRY}\ncharts: {{pages: 'images/**'}}",
        {PAGE: PLAIN},
        ("CAT015 docs/images/nginx.md 2:1",),
    ),
    "a page of updates without the list": (
        "updates: {data: docs/updates.md}",
        {"docs/updates.md": "---\nupdate: []\n---\n"},
        ("CAT011 docs/updates.md 1:1 updates",),
    ),
    "settings that are a list": ("[registry]", {}, ("CAT020 mkdocs.yml 4:1 plugins",)),
    "several settings": (
        "registy: x\nimages:\n  fields: {url: url, port: int}\nheaders: 1",
        {},
        (
            "CAT020 mkdocs.yml 6:7 catalog-api.registy",
            "CAT020 mkdocs.yml 8:18 catalog-api.images.fields.url",
            "CAT020 mkdocs.yml 8:28 catalog-api.images.fields.port.type",
            "CAT020 mkdocs.yml 9:7 catalog-api.headers",
        ),
    ),
    "own fields and allowed values": (
        OWN_SETTINGS,
        {
            PAGE: "---\ncategory: Tools\ntier: cor\nlicense: MIT\nport: x\nshells: [zsh, baash, none]\n"
            "ratio: .nan\nfips: maybe\nchecked: soon\ncopy: [a]\n---\n"
        },
        (
            "CAT011 docs/images/nginx.md 2:1 upstream",
            "CAT012 docs/images/nginx.md 3:1 tier",
            "CAT012 docs/images/nginx.md 5:1 port",
            "CAT012 docs/images/nginx.md 6:10 shells[0]",
            "CAT012 docs/images/nginx.md 6:15 shells[1]",
            "CAT012 docs/images/nginx.md 7:1 ratio",
            "CAT012 docs/images/nginx.md 8:1 fips",
            "CAT012 docs/images/nginx.md 9:1 checked",
            "CAT012 docs/images/nginx.md 10:1 copy",
        ),
    ),
    "defaults": (
        f"registry: {REGISTRY}\nimages:\n  defaults: {{slug: x, licence: MIT, tier: 1.10, lifecycle: gone}}",
        {PAGE: PLAIN, "docs/images/b.md": PLAIN},
        (
            "CAT020 mkdocs.yml 8:20 catalog-api.images.defaults.slug",
            "CAT020 mkdocs.yml 8:29 catalog-api.images.defaults.licence",
            "CAT020 mkdocs.yml 8:43 catalog-api.images.defaults.tier",
            "CAT020 mkdocs.yml 8:55 catalog-api.images.defaults.lifecycle",
        ),
    ),
    "fields of versions": (
        "registry: a.org/b\nimages: {version_fields: {digest: text}}\nroadmap: {version_fields: {a: text}}",
        {},
        (
            "CAT020 mkdocs.yml 7:33 catalog-api.images.version_fields.digest",
            "CAT020 mkdocs.yml 8:17 catalog-api.roadmap.version_fields",
        ),
    ),
    "another way to verify": (
        f"registry: {REGISTRY}\nimages: {{verify: {{key: 'https://example.org/cosign.pub'}}}}",
        {
            "docs/images/redis.md": front_matter(
                "verify: {identityRegexp: acme, issuer: https://example.org}"
            ),
            "docs/images/caddy.md": front_matter("verify: {identity: a@example.org}"),
        },
        (
            "CAT012 docs/images/caddy.md 5:1 verify",
            "CAT012 docs/images/redis.md 5:10 verify.identityRegexp",
        ),
    ),
    "pages of entries": (
        "",
        {
            "docs/docker/nginx.md": "---\ntitle: About it\n---\n",
            "docs/images/redis.md": "---\ntitle: About it\ntier: core\n---\n",
            "images.yml": "".join(
                f"- {{name: {name}, category: Web, tier: core, license: MIT, page: {path}}}\n"
                for name, path in (
                    *(("A", "docker/ngin.md"), ("B", "docker/nginx.md"), ("C", "docker/nginx.md")),
                    ("D", "images/redis.md"),
                )
            ),
        },
        (
            "CAT013 docs/images/redis.md 3:1 tier",
            "CAT015 images.yml 1:54 [0].page",
            "CAT015 images.yml 3:54 [2].page",
        ),
    ),
    "categories": (
        f"registry: {REGISTRY}\nimages: {{fields: {{category: {{values: [Web, Proxy], required: true}}}}}}",
        {
            f"docs/images/n{number}.md": f"---\ncategory: {category}\ntier: core\nlicense: MIT\n---\n"
            for number, category in enumerate(("[]", "[Web, Wep]", "[Web, Web]", "Wep"))
        },
        (
            "CAT011 docs/images/n0.md 2:1 category",
            "CAT012 docs/images/n1.md 2:17 category[1]",
            "CAT012 docs/images/n2.md 2:1 category",
            "CAT012 docs/images/n3.md 2:1 category",
        ),
    ),
    "a tag of two releases": (
        "",
        {
            PAGE: front_matter(
                "versions:\n  - {version: '18', tags: [a, x]}\n  - {version: '17', tags: [a, '18']}"
            )
        },
        (
            "CAT013 docs/images/nginx.md 7:28 versions[1].tags[0]",
            "CAT013 docs/images/nginx.md 7:31 versions[1].tags[1]",
        ),
    ),
    "fields of versions and own fields at once": (
        "registry: a.b/c\nimages:\n  fields: {upstream: {type: url, required: true}}\n"
        "  version_fields: {port: integer, flavor: {type: text, required: true}}",
        {
            PAGE: "---\ncategory: Tools\ntier: core\nlicens: MIT\nversions:\n  - '1/2'\n"
            "  - {version: '2', port: x, flavor: a, released: soon}\n"
            "  - {version: '1', flavr: a, relesed: 2026-11-20}\n---\n"
        },
        (
            "CAT011 docs/images/nginx.md 2:1 upstream",
            "CAT010 docs/images/nginx.md 4:1 licens",
            "CAT012 docs/images/nginx.md 6:5 versions[0]",
            "CAT011 docs/images/nginx.md 6:5 versions[0]",
            "CAT012 docs/images/nginx.md 7:20 versions[1].port",
            "CAT012 docs/images/nginx.md 7:40 versions[1].released",
            "CAT011 docs/images/nginx.md 8:5 versions[2].flavor",
            "CAT010 docs/images/nginx.md 8:20 versions[2].flavr",
            "CAT010 docs/images/nginx.md 8:30 versions[2].relesed",
        ),
    ),
    "a catalog demands fields": (
        f"registry: {REGISTRY}\nimages: {{fields: {{platforms: {{required: true}}}},"
        " version_fields: {released: {required: true}, line: {values: ['1']}, variant: {values: [gpu]}}}",
        {
            PAGE: front_matter(
                "versions: ['1', {version: '2', released: 2026-01-02, line: '2', variant: tpu}]"
            )
        },
        (
            "CAT011 docs/images/nginx.md 2:1 platforms",
            "CAT011 docs/images/nginx.md 5:12 versions[0]",
            "CAT012 docs/images/nginx.md 5:54 versions[1].line",
            "CAT012 docs/images/nginx.md 5:65 versions[1].variant",
        ),
    ),
    "a default that the field refuses": (
        f"registry: {REGISTRY}\nimages: {{fields: {{port: integer}}, defaults: {{port: many}}}}",
        {PAGE: PLAIN},
        ("CAT020 mkdocs.yml 7:52 catalog-api.images.defaults.port",),
    ),
    "a value under another key": (
        f"registry: {REGISTRY}\nimages: {{fields: {{homepage: {{from: project_url}},"
        " description: {from: tagz}}, version_fields: {released: {from: date},"
        " port: {type: integer, from: listens}}}",
        {PAGE: front_matter("project_url: [example]\nversions: [{version: '2', date: soon}]")},
        (
            "CAT012 docs/images/nginx.md 5:1 project_url",
            "CAT012 docs/images/nginx.md 6:27 versions[0].date",
        ),
    ),
    "two values of one badge": (
        "",
        {PAGE: front_matter("base: Wolfi OS"), "docs/images/redis.md": front_matter("base: wolfi-os")},
        ("CAT013 docs/images/redis.md 5:1 base",),
    ),
    "no registry for three": (
        "headers: netlify",
        {f"docs/images/{slug}.md": PLAIN for slug in "abc"},
        ("CAT011 mkdocs.yml 6:7 catalog-api.registry",),
    ),
    "two data files beside each other": (
        "",
        {PAGE: PLAIN, "images.yml": "[]\n", "images.json": "[]\n"},
        ("CAT021 mkdocs.yml 6:7 catalog-api.images.data",),
    ),
    **{
        f"cycles {text}": (
            "",
            {PAGE: front_matter("product: nginx"), "advisories/endoflife/nginx.json": text},
            (f"CAT002 advisories/endoflife/nginx.json 0:0 {field}".rstrip(),),
        )
        for text, field in (
            ("[]", ""),
            ("{", ""),
            ('{"result": {"releases": []}}', "result.releases"),
            ('{"result": {"releases": [{"name": 1}]}}', "result.releases[0].name"),
            ('{"result": {"releases": [{"name": "1", "eolFrom": "soon"}]}}', "result.releases[0].eolFrom"),
            ('{"result": {"releases": [{"name": "1", "isEol": 1e400}]}}', "result.releases[0].isEol"),
            (r'{"result": {"releases": [{"name": "\ud800"}]}}', ""),
        )
    },
    "a broken list of what is exploited": (
        "",
        {PAGE: PLAIN, "advisories/known_exploited_vulnerabilities.json": "{}"},
        ("CAT002 advisories/known_exploited_vulnerabilities.json 0:0",),
    ),
    "names that Windows reserves": (
        "",
        {"docs/images/aux.md": front_matter("versions: ['1', nul]")},
        (
            "CAT012 docs/images/aux.md 2:1 slug",
            "CAT012 docs/images/aux.md 5:17 versions[1]",
        ),
    ),
}
"""Settings (empty: a registry), files, and code, file, place and field of each problem."""
WARNINGS: dict[str, tuple[str, dict[str, str | bytes], tuple[str, ...]]] = {
    "an unknown license": (
        "",
        {PAGE: "---\ncategory: Tools\ntier: core\nlicense: Apache 2\n---\n"},
        ("CAT012 docs/images/nginx.md 4:1 license",),
    ),
    "values that are hardly meant": (
        "",
        {
            PAGE: front_matter("versions: [{version: 1, released: 2026-02-01, endOfLife: 2025-02-01}]"),
            CHART: front_matter("chart: ghcr.io/acme/charts/stack\nversions: [1.0.0]"),
        },
        (
            "CAT012 docs/charts/stack.md 5:1 chart",
            "CAT012 docs/images/nginx.md 5:47 versions[0].endOfLife",
        ),
    ),
    "a folder one letter away": (
        "",
        {"docs/image/nginx.md": PLAIN, "roadmap.yml": "- {name: Next, category: Tools}\n"},
        ("CAT015 mkdocs.yml 6:7 catalog-api.images.pages",),
    ),
    "no item": ("", {}, ("CAT015 mkdocs.yml 6:7 catalog-api",)),
    "a pattern without a page": (
        f"registry: {REGISTRY}\nimages: {{pages: ['images/*.md', '!images/x*', 'imgs/{{slug}}.md']}}",
        {PAGE: PLAIN, "docs/images/x1.md": PLAIN},
        ("CAT015 mkdocs.yml 7:16 catalog-api.images.pages",),
    ),
    "versions that say nothing of their order": (
        "",
        {PAGE: front_matter("versions: [main, edge]")},
        ("CAT014 docs/images/nginx.md 5:1 versions",),
    ),
    "versions that fit no line": (
        "",
        {PAGE: front_matter("lines: 'release-([0-9]+)'\nversions: [1.2.3]")},
        ("CAT014 docs/images/nginx.md 5:1 lines",),
    ),
}
"""The same for catalogs that are refused only under `strict`."""


class Broken(NamedTuple):
    """A catalog with problems."""

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
    reports = {f"{number}": row for number, row in enumerate(REPORTS)}
    yield _files("reports", "scans/nginx/{}.json", reports)
    for name, (file, body, place) in DATA_FILES.items():
        yield _broken(f"data: {name}", partial(_data_file, file=file, body=body), file, place)
    for setting, place in SETTINGS:
        code, position, path = place.split()
        place = f"{code} {position} catalog-api.{path}"
        yield _broken(setting, partial(_setting, setting=setting), "mkdocs.yml", place)
    for name, (settings, files, where) in (SITES | WARNINGS).items():
        yield Broken(name, partial(_site, settings=settings, files=files), where, name in SITES)


def _broken(name: str, write: Callable[[SiteFolder], None], file: str, place: str) -> Broken:
    code, _, rest = place.partition(" ")
    return Broken(name, write, (f"{code} {file} {rest}",))


def _files(name: str, path: str, rows: Mapping[str, tuple[str | bytes, str]]) -> Broken:
    """A catalog of files that are named after their rows, with an image that a chart may pin."""
    nginx = front_matter(f"versions: [{{version: 1.0, digest: '{digest(1)}'}}]")
    files: dict[str, str | bytes] = {"docs/images/nginx.md": nginx}
    where = []
    for number, (title, (text, place)) in enumerate(rows.items()):
        code, _, rest = place.partition(" ")
        words = re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")
        file = path.format(f"{number:03}-{words}")
        files[file] = text
        where.append(f"{code} {file} {rest}")
    return Broken(name, partial(_site, settings="", files=files), (*where,))


def _data_file(site: SiteFolder, file: str, body: str | bytes) -> None:
    configure(site)
    site.write(file, body)


def _setting(site: SiteFolder, setting: str) -> None:
    configure(site, setting)
    site.write("roadmap.yml", "- {name: Next, category: Tools}\n")


def _site(site: SiteFolder, settings: str, files: dict[str, str | bytes]) -> None:
    configure(site, settings or f"registry: {REGISTRY}")
    for path, text in files.items():
        site.write(path, text if isinstance(text, bytes) else text.encode())
