"""The example in MkDocs's own themes: axe finds nothing in our part of the pages, nothing is cut."""

from __future__ import annotations

import re
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


each_theme = pytest.mark.parametrize("theme", ["mkdocs", "readthedocs"], scope="module")


@pytest.fixture(scope="module")
def home(theme: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The example in a theme."""
    folder = tmp_path_factory.mktemp(theme)
    copy_example(folder)
    config = folder / "mkdocs.yml"
    block = f"theme:\n  name: {theme}\n" + ("  color_mode: auto\n" if theme == "mkdocs" else "")
    text = re.sub(r"theme:\n.*?\nnav:", f"{block}\nnav:", config.read_text("utf-8"), flags=re.DOTALL)
    config.write_text(text.replace("  - meta #", "  - material/meta #"), "utf-8")
    result = run(config)
    assert not result.failed, result.logged()
    with served(folder / "site") as home:
        yield home


@each_theme
def test_axe_finds_nothing_in_our_part(browser: Browser, home: str, theme: str, node: Path) -> None:
    axe = node / "node_modules/axe-core/axe.min.js"
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes if theme == "mkdocs" else schemes[:1]:
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        for path in PAGES:
            found = violations(page, home + path, axe, ".catalog, .bs-sidebar")
            assert not found, (scheme, path, found)
        context.close()


@each_theme
def test_no_table_is_cut_and_no_word_is_broken(browser: Browser, home: str) -> None:
    page, found = browser.new_page(), {}
    for path in PAGES:
        page.goto(home + path)
        page.add_style_tag(
            content="h1 { font-size: 2rem !important }"
        )  # else a title of the theme is too wide
        found[path] = faults(page, (320, 1024, 1440))
    page.close()
    assert not {path: widths for path, widths in found.items() if widths}
