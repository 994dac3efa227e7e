"""Generators other than MkDocs: the same API and useful pages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .browser import Visit, served, visiting
from .example import copy_example, documents
from .sites import SiteFolder, rendered
from .test_cli import call, tree

pytestmark = pytest.mark.slow
LAYOUT = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title></head>
<body><main><article>{{ if not (in .Content "<h1") }}<h1>{{ .Title }}</h1>{{ end }}
{{ .Content }}</article></main></body></html>
"""
HUGO = """baseURL: https://catalog.example.org/hardened/
title: Hardened Images
contentDir: docs
disableKinds: [taxonomy, term, rss]
markup: {goldmark: {renderer: {unsafe: true}}}
"""


def ran(program: str, *arguments: str, folder: Path) -> None:
    path = Path(sys.executable).parent / program
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1795154400"}
    done = subprocess.run([path, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def visited(browser: Browser, folder: Path) -> Iterator[Visit]:
    """A visitor of the site in `folder`; anything that fails to load or run fails the test."""
    (folder / "favicon.ico").touch()
    with served(folder) as home, visiting(browser, home, home) as visit:
        yield visit


def test_zensical(browser: Browser, tmp_path: Path, example_bytes: dict[str, bytes]) -> None:
    copy_example(tmp_path)
    ran("zensical", "build", folder=tmp_path)
    ran("catalog-api", "build", "--web", "--strict", folder=tmp_path)
    assert documents(tmp_path) == example_bytes
    before = {path: path.read_bytes() for path in tmp_path.rglob("site/**/*.html")}
    ran("catalog-api", "build", "--web", folder=tmp_path)
    assert {path: path.read_bytes() for path in before} == before
    with visited(browser, tmp_path / "site") as visit:
        page = visit.go("images/solr/")
        expect(page.locator("article .catalog-card .catalog-grade")).to_be_visible()
        visit.go("guide/")
        page.evaluate("window.stays = true")
        page.locator(".md-tabs").get_by_role("link", name="Images", exact=True).click()
        page.get_by_label("Find").fill("nginx")
        expect(page.locator("[data-item]:visible")).to_have_count(1)
        expect(page.locator(".catalog-controls output")).to_have_text("1 available image")
        page.locator("[data-item]").get_by_role("link", name="NGINX", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("NGINX")
        expect(page.get_by_role("button", name="Copy the digest").first).to_be_visible()
        assert page.evaluate("window.stays"), "a page was loaded as a whole"


def test_hugo(browser: Browser, tmp_path: Path, example_bytes: dict[str, bytes]) -> None:
    """The same pages as Hugo's content, a layout of a few lines, and the settings in a file of their own."""
    copy_example(tmp_path)
    shutil.rmtree(tmp_path / "docs/guide")
    for landing in [tmp_path / "docs/index.md", *tmp_path.glob("docs/*/index.md")]:
        text = landing.read_text("utf-8")
        text = text.removeprefix("---\n") if text.startswith("---\n") else f"---\n{text}"
        landing.with_name("_index.md").write_text(f"---\ncatalog: false\n{text}", encoding="utf-8")
        landing.unlink()
    (tmp_path / "hugo.yaml").write_text(HUGO)
    for name in ("single", "list", "home"):
        path = tmp_path / f"layouts/_default/{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LAYOUT)
    ran("hugo", "--quiet", "--destination", "site", folder=tmp_path)
    ran("catalog-api", "build", "--web", folder=tmp_path)
    assert documents(tmp_path) == example_bytes
    with visited(browser, tmp_path / "site") as visit:
        visit.go("images/solr/")
        expect(visit.page.locator("article .catalog-card .catalog-grade")).to_be_visible()
        visit.go("security/")
        expect(visit.page.locator("article .catalog").first).to_be_visible()


def test_both_generators_give_the_same_api_and_the_search_of_zensical_finds_items(site: SiteFolder) -> None:
    site.image("nginx", "description: Serves files\nversions: ['1.29.3']")
    site.page("images/valkey.md", "category: Tools\ntier: core\nlicense: MIT", "# Valkey\n\nMine.\n")
    site.write("images.yml", "- {name: Redis, category: X, tier: y, license: MIT, versions: ['8.2']}\n")
    site.page("index.md", "title: Home", "<!-- catalog: images -->")
    site.config["plugins"] = ["search", {"catalog-api": site.settings}]
    site.config["theme"] = {"name": "material", "font": False}
    expected = rendered(site).bytes()
    shutil.rmtree(site.folder / "site")
    ran("zensical", "build", folder=site.folder)
    for _ in range(2):
        result = call("build", "--web", "--strict", "-f", site.folder / "mkdocs.yml")
        assert result.exit_code == 0, result.output
        index = json.loads((site.folder / "site/search.json").read_bytes())
        found = {entry["location"]: (entry["title"], entry["text"]) for entry in index["items"]}
        assert found["images/nginx/"] == ("nginx", "<p>Container image nginx Serves files Tools 1.29.3</p>")
        assert found["images/valkey/"] == ("Valkey", "<p>Mine.</p><p>Container image Valkey Tools</p>")
    documents = {path.removeprefix("v1/"): body for path, body in tree(site.folder / "site/api").items()}
    assert documents.keys() == {*expected, "manifest.json"}
    assert b'"url":"/catalog/images/redis/"' in expected["images.json"]
    for path in expected.keys() - {"index.json"}:  # which has the hash of all others
        alike = expected[path].replace(b'"html":"/catalog/images/redis/"', b'"html":null')
        alike = alike.replace(b"/catalog/images/redis/", b"/catalog/")
        assert documents[path] == alike, path
