"""A list of a thousand images: small pages, few nodes, nothing that jumps, and all of it found."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .benchmarks.catalog import write_catalog
from .browser import served, visiting
from .test_cli import call

pytestmark = pytest.mark.slow
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""
HOME = """<html><head><link rel="icon" href="data:,"></head><body><main><h1>Catalog</h1>
<!-- catalog: images -->
</main></body></html>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose one page lists a thousand images."""
    folder = tmp_path_factory.mktemp("large")
    write_catalog(folder, 1_000, 1, 3, 0)
    (folder / "docs/index.md").write_text("# Catalog\n\n<!-- catalog: images -->\n")
    (folder / "www").mkdir()
    (folder / "www/index.html").write_text(HOME)
    built = call("build", "--web", "-q", "-f", folder / "with.yml", "--site-dir", folder / "www")
    assert built.exit_code == 0, built.output
    return folder / "www"


def test_a_thousand_are_found_sorted_and_shown_in_turn_and_nothing_jumps(
    browser: Browser, folder: Path
) -> None:
    assert (folder / "index.html").stat().st_size <= 250_000
    assert len([*folder.glob("index-images-*.html")]) == 20  # of 48, but for the first page
    with served(folder) as home, visiting(browser, home, home) as visit:
        page = visit.page
        page.add_init_script(SHIFTS)
        visit.go("")
        items, told = page.locator("tbody tr[data-item]"), page.locator(".catalog-controls output")
        expect(told).to_contain_text("48 of 1")
        expect(items).to_have_count(48)
        items.nth(40).scroll_into_view_if_needed()
        expect(items.nth(40)).to_be_in_viewport()
        assert page.evaluate("window.shifted") <= 0.05
        page.get_by_role("button", name="Show more").click()
        expect(items).to_have_count(96)
        page.get_by_label("Find").fill("app-99")
        expect(items).to_have_count(11)  # 99 and 990 to 999
        page.get_by_label("Find").fill("")
        page.set_viewport_size({"width": 1600, "height": 900})
        page.get_by_role("button", name="Table").click()
        by_name = page.get_by_role("columnheader", name="Image").get_by_role("button")
        for first in ("The app-0", "The app-999"):
            by_name.click()
            expect(items.first).to_contain_text(first)
        expect(items).to_have_count(48)
        assert page.evaluate("document.querySelectorAll('*').length") <= 6_000
