"""The example's catalog with generators that are not MkDocs: the same API, and pages that people can use."""

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

from .browser import Visit, served
from .example import copy_example

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


def call(program: str, *arguments: str, folder: Path) -> None:
    path = Path(sys.executable).parent / program
    done = subprocess.run(
        [path, *arguments],
        cwd=folder,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1795154400"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def documents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.json")}


@contextmanager
def visited(browser: Browser, folder: Path) -> Iterator[Visit]:
    """A visitor of the site in `folder`; anything that fails to load or run fails the test."""
    with served(folder) as home:
        visit = Visit(browser.new_page(), home)
        visit.page.on("pageerror", lambda error: visit.faults.append(str(error)))
        visit.page.on("response", lambda got: visit.judge(got.status >= 400, got.url, str(got.status)))
        yield visit
        visit.page.close()
    assert [fault for fault in visit.faults if not fault.endswith("favicon.ico")] == []


def test_zensical(browser: Browser, tmp_path: Path, example_bytes: dict[str, bytes]) -> None:
    copy_example(tmp_path)
    call("zensical", "build", folder=tmp_path)
    call("catalog-api", "build", "--web", "--strict", folder=tmp_path)
    assert documents(tmp_path / "site/api/v1") == {
        path: body for path, body in example_bytes.items() if path.endswith(".json")
    }
    before = {path: path.read_bytes() for path in tmp_path.rglob("site/**/*.html")}
    call("catalog-api", "build", "--web", folder=tmp_path)
    assert {path: path.read_bytes() for path in before} == before
    with visited(browser, tmp_path / "site") as visit:
        visit.go("images/solr/")
        expect(visit.page.locator("article .catalog-head .catalog-summary")).to_be_visible()
        listed = json.loads(example_bytes["images.json"])["data"]
        available = sum(image["lifecycle"] == "available" for image in listed)
        visit.go("guide/")
        visit.page.evaluate("window.stays = true")
        visit.page.locator(".md-tabs").get_by_role("link", name="Images", exact=True).click()
        told = visit.page.locator(".catalog-controls output")
        expect(told).to_have_text(f"{available} available images")
        assert visit.page.evaluate("window.stays"), "a page was loaded as a whole"
        visit.page.get_by_label("Find").fill("nginx")
        expect(visit.page.locator("[data-item]:visible")).to_have_count(1)
        expect(told).to_have_text("1 available image")
        visit.page.locator("[data-item]").get_by_role("link", name="NGINX", exact=True).click()
        expect(visit.page.get_by_role("heading", level=1)).to_contain_text("NGINX")
        expect(visit.page.locator(".catalog-head .catalog-summary")).to_be_visible()
        expect(visit.page.get_by_role("button", name="Copy the digest").first).to_be_visible()
        assert visit.page.evaluate("window.stays"), "a page was loaded as a whole"


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
    call("hugo", "--quiet", "--destination", "site", folder=tmp_path)
    call("catalog-api", "build", "--web", folder=tmp_path)
    assert documents(tmp_path / "site/api/v1") == {
        path: body for path, body in example_bytes.items() if path.endswith(".json")
    }
    with visited(browser, tmp_path / "site") as visit:
        visit.go("images/solr/")
        expect(visit.page.locator("article .catalog-head .catalog-summary")).to_be_visible()
        visit.go("security/")
        expect(visit.page.locator("article .catalog").first).to_be_visible()
