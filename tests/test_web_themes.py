"""The example in MkDocs's own themes: axe finds nothing in our part of the pages, nothing is cut."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from .browser import faults, served, violations
from .example import copy_example
from .sites import run

pytestmark = pytest.mark.slow
PAGES = (
    *("", "images/", "images/solr/", "images/nginx/", "charts/monitoring/", "roadmap/"),
    *("security/", "updates/", "badges/", "cves/?id=CVE-2025-58187"),
)


@pytest.fixture(scope="module", params=["mkdocs", "readthedocs"])
def home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """A theme, and the address of the example in it, without its guide."""
    folder, theme = tmp_path_factory.mktemp(request.param), request.param
    copy_example(folder)
    shutil.rmtree(folder / "docs/guide")
    config = folder / "mkdocs.yml"
    block = f"theme:\n  name: {theme}\n" + ("  color_mode: auto\n" if theme == "mkdocs" else "")
    text = re.sub(r"theme:\n.*?\nnav:", f"{block}\nnav:", config.read_text("utf-8"), flags=re.DOTALL)
    text = text.replace("  - meta #", "  - material/meta #").replace("strict: true\n", "")
    config.write_text(text, "utf-8")
    result = run(config)
    assert not result.failed, result.logged()
    with served(folder / "site") as home:
        yield theme, home


def test_axe_finds_nothing_in_our_part_and_nothing_is_cut(
    browser: Browser, home: tuple[str, str], node: Path
) -> None:
    theme, address = home
    axe = node / "node_modules/axe-core/axe.min.js"
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    page = browser.new_page()
    for scheme in schemes if theme == "mkdocs" else schemes[:1]:
        page.emulate_media(color_scheme=scheme)
        for path in PAGES:
            page.set_viewport_size({"width": 1280, "height": 720})
            broken = violations(page, address + path, axe, ".catalog, .bs-sidebar")
            assert not broken, (scheme, path, broken)
            if scheme == "light":
                # Else a title of the theme is too wide.
                page.add_style_tag(content="h1 { font-size: 2rem !important }")
                assert not (found := faults(page, (320, 1024, 1440))), (path, found)
    page.close()
