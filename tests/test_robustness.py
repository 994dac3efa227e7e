"""Whatever is done to a good catalog, it is published whole or refused with problems, and nothing else."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mkdocs.utils.meta import get_data
from msgspec.structs import replace

from mkdocs_catalog_api.authored.read_site import read_site
from mkdocs_catalog_api.authored.settings import item_fields
from mkdocs_catalog_api.pipeline import prepare
from mkdocs_catalog_api.problems import CatalogError, Problems

from .contract import check
from .sites import REGISTRY, SiteFolder, digest, row, trivy

EXAMPLES = int(os.environ.get("CATALOG_API_EXAMPLES", "40"))
HEAD = "site_name: C\nsite_url: https://example.org/catalog/\nplugins:\n- catalog-api:\n"
SETTINGS = """\
registry: registry.example.org/hardened
images:
  fields:
    tier: {values: [core, standard]}
    port: integer
    upstream: {type: url}
    shell: {values: [bash, "no"], list: true}
    on1: date
charts: {pages: "charts/**/*.md"}
security: {reports: scans, max_age: 30, scanners: [trivy, grype]}
"""
IMAGE = f"""\
---
name: NGINX
category: Web
tier: core
license: MIT
base: wolfi
signature: cosign
platforms: [linux/amd64, linux/arm64]
homepage: https://nginx.org
port: 8080
shell: [bash]
on1: 2026-11-20
latest: 1.9
versions:
  - 1.10
  - {{version: 1.9, digest: "{digest(1)}", released: 2026-11-01, size: 12}}
  - version: 1.8
    digest: ["{digest(2)}", "{digest(3)}"]
---

# NGINX
"""
CHART = f"""\
---
category: Web
tier: core
license: Apache-2.0
hub: https://artifacthub.io/packages/helm/a/b
versions: [1.0.0, {{version: 1.1.0, appVersion: 1.10}}]
images: [{REGISTRY}/nginx:1.10, "{REGISTRY}/nginx@{digest(1)}", {{name: db, image: "postgres:18"}}]
---
"""
FILES = {
    "settings": SETTINGS,
    "docs/index.md": "# Home\n",
    "docs/images/nginx.md": IMAGE,
    "docs/images/redis/index.md": "---\ncategory: Data\ntier: core\nlicense: MIT\n---\n# Redis &amp; *co*\n",
    "docs/charts/stack.md": CHART,
    "roadmap.yml": "- {name: Gamma Ray, category: Tools, blocked: true}\n- {slug: b, name: B, category: C}\n",
    "updates.yml": "- {app: nginx, from: 1.9, to: 1.10, status: Shipped}\n- {app: x, to: 2, result: held}\n",
}
NASTY = [
    *("---\n", "---", "\n", "\t", ": ", "- ", "  ", "&a ", "<<: ", "!!set ", "!!bool ", "? ", "*a", "on"),
    "null",
    *("true", "1.10", "010", ".nan", ".inf", "-1", "1e999", "2026-02-30", "12:30:45", "0x_", "1_0", ".."),
    *("index", "sha256:", "http://[", "https://a:b/", "9" * 5000, "[" * 200, 'name: "\\ud800"\n'),
    "slug: index\n",
    *("catalog: charts\n", "url: x\n", "a: &a [*a]\n", "latest: 3\n", "security: {}\n", "category: ''\n"),
    *("versions:\n", *"[]{}\"'#|>%@`~/", *"\x00\x07\x85\u2028\ufeffé🚀ﬀİ"),
]  # fmt: skip
WORD = re.compile(r"[^\s,\[\]{}]+")
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8)
KNOWN = st.sampled_from([digest(1), f"{REGISTRY}/nginx:1.9", "1.9", "redis", "wolfi", "core"])
KEY = st.text(max_size=6) | st.sampled_from(["version", "image", "url", "type"])
VALUE = st.recursive(
    SCALARS | KNOWN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3),
    max_leaves=5,
)


def edit(text: str, how: str, at: float, length: int, put: str) -> str:
    """The text after one slip of the hand: at a fraction of its length, at a line's beginning, in a word."""
    start = int(at * len(text))
    if how == "line":
        start = text.rfind("\n", 0, start) + 1
    elif how == "word" and (word := WORD.search(text, start)):
        start, length = word.start(), len(word[0])
    return text[:start] + put + text[start + length :]


CHANGE = st.tuples(
    st.sampled_from([name for name in FILES if name != "docs/index.md"]),
    st.sampled_from(["anywhere", "line", "word", "word"]),
    st.floats(0, 1, exclude_max=True),
    st.integers(0, 12) | st.integers(13, 200),
    st.sampled_from(NASTY) | st.text(max_size=4) | VALUE.map(json.dumps),
)


def publish_or_tell(files: dict[str, str], *, mkdocs: bool, strict: bool) -> bool:
    """Build the catalog; it must hold the contract, or be refused with problems. Whether it is published."""
    settings_text = files["settings"].replace("\n", "\n    ")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for path, text in (files | {"mkdocs.yml": f"{HEAD}    {settings_text}\n"}).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode("utf-8", "surrogatepass"))
        report = trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/nginx@{digest(1)}")
        SiteFolder(root).report("a.json", report)
        problems = Problems()
        try:
            site, given_settings, _ = read_site(root / "mkdocs.yml", problems)
            if mkdocs:  # as MkDocs hands pages over: with the front matter as it reads it
                pages = [replace(page, meta=get_data(page.text or "")[1]) for page in site.pages]
                site = replace(site, pages=pages)
            prepare(site, given_settings, problems, strict=strict).publish()
        except CatalogError as error:
            said = [str(problem) for problem in error.problems]
            assert said and all(said)
            assert not (root / "site").exists()
            assert not [path for path in root.iterdir() if path.name.startswith(".")]
            return False
        for page in site.pages:
            html = root / "site" / page.url / "index.html"
            html.parent.mkdir(parents=True, exist_ok=True)
            html.touch()
        custom = {str(name): [*fields.own.rules] for name, fields in item_fields(given_settings).items()}
        del custom["updates"]
        assert check(root / "site", "/catalog", custom) == []
    return True


@settings(max_examples=EXAMPLES, deadline=None)
@given(changes=st.lists(CHANGE, min_size=1, max_size=2), mkdocs=st.booleans(), strict=st.booleans())
def test_a_changed_catalog_is_published_whole_or_refused(
    changes: list[tuple[str, str, float, int, str]], mkdocs: bool, strict: bool
) -> None:
    files = dict(FILES)
    for file, how, at, length, put in changes:
        files[file] = edit(files[file], how, at, length, put)
    publish_or_tell(files, mkdocs=mkdocs, strict=strict)


def test_the_catalog_that_is_changed_is_good() -> None:
    assert publish_or_tell(FILES, mkdocs=True, strict=False)


@pytest.mark.parametrize("value", ["!!bool x", "!!int x", "!!float x", "!!timestamp x", "2026-99-99"])
def test_a_value_that_is_not_of_its_tag(value: str) -> None:
    for mkdocs in (False, True):
        publish_or_tell(
            FILES | {"docs/index.md": f"---\na: {value}\n---\n# Home\n"}, mkdocs=mkdocs, strict=False
        )
        publish_or_tell(
            FILES | {"docs/charts/stack.md": f"---\na: {value}\n{CHART[4:]}"}, mkdocs=mkdocs, strict=False
        )
