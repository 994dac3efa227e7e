"""The example in MkDocs's own themes: axe finds nothing in our part of the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .browser import served, violations
from .example import copy_example
from .sites import run

pytestmark = pytest.mark.slow
PAGES = (
    *("", "images/", "images/solr/", "images/nginx/", "charts/monitoring/", "roadmap/"),
    *("security/", "updates/", "badges/", "cves/?id=CVE-2025-58187"),
)


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs"])
def test_axe_finds_nothing_in_our_part(browser: Browser, theme: str, tmp_path: Path, node: Path) -> None:
    axe = node / "node_modules/axe-core/axe.min.js"
    copy_example(tmp_path)
    config = tmp_path / "mkdocs.yml"
    block = f"theme:\n  name: {theme}\n" + ("  color_mode: auto\n" if theme == "mkdocs" else "")
    text = re.sub(r"theme:\n.*?\nnav:", f"{block}\nnav:", config.read_text("utf-8"), flags=re.DOTALL)
    config.write_text(text.replace("  - meta #", "  - material/meta #"), "utf-8")
    result = run(config)
    assert not result.failed, result.logged()
    with served(result.folder / "site") as home:
        for scheme in ("light", "dark") if theme == "mkdocs" else ("light",):
            context = browser.new_context(color_scheme=scheme)
            page = context.new_page()
            for path in PAGES:
                for rule, nodes in violations(page, home + path, axe, ".catalog, .bs-sidebar").items():
                    raise AssertionError((scheme, path, rule, nodes))
            context.close()
