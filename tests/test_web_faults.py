"""Every page of a catalog of real size, at seven widths: nothing is cut, scrolls or breaks a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .browser import Visit, served, violations, visiting
from .crowded import CROWDED, ROWS, write_crowded
from .servers import node_folder
from .sites import run

pytestmark = pytest.mark.slow
PAGES = (
    *("", "table/", "charts/", "security/", "cves/", "cves/?id=CVE-2025-51235", "changes/", "updates/"),
    *("roadmap/", f"{CROWDED}/", "images/app-3/", "charts/chart-3/"),
)
WIDTHS = (320, 390, 768, 1024, 1280, 1440, 1920)
THEMES = {
    "material with tabs": "{name: material, font: false, features: [navigation.tabs]}",
    "material": "{name: material, font: false}",
    "mkdocs": "{name: mkdocs, highlightjs: false}",
    "readthedocs": "{name: readthedocs, highlightjs: false}",
}
FAULTS = """() => {
  const found = new Set(), range = document.createRange();
  const seen = element => element.checkVisibility({ visibilityProperty: true });
  if (document.documentElement.scrollWidth > innerWidth) found.add("the page is wider than the window");
  for (const box of document.querySelectorAll(".catalog-scroll"))
    if (seen(box) && box.scrollWidth > box.clientWidth + 1) found.add(`scrolls: ${box.ariaLabel}`);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    const cell = element.closest(".catalog :is(th, td, li)");
    if (!cell || element.closest(".catalog-sr, .catalog-title, code, svg, select")) continue;
    if (!seen(element)) continue;
    for (const word of node.data.matchAll(/\\S+/g)) {
      const whole = /^(CVE|GHSA)-|^v?\\d/.test(word[0]);
      const parts = whole ? [word] : [...word[0].matchAll(/[^-]+/g)];
      for (const part of parts) {
        const start = whole ? word.index : word.index + part.index;
        range.setStart(node, start);
        range.setEnd(node, start + part[0].length);
        const boxes = [...range.getClientRects()].filter(({ width }) => width);
        if (!boxes.length) continue;
        // At the least width, the path of a Go module does not fit beside the label of its cell.
        const room = innerWidth > 320 ? cell.clientWidth - 20 : cell.clientWidth * 0.7;
        const long = boxes.reduce((sum, { width }) => sum + width, 0) > room;
        if (boxes.at(-1).top > boxes[0].top + 3 && !long) found.add(`broken: ${part[0]}`);
        const right = Math.max(...boxes.map(box => box.right));
        const edge = Math.min(innerWidth + 1, cell.getBoundingClientRect().right + 2);
        if (right > edge) found.add(`cut: ${part[0]}`);
      }
    }
  }
  for (const place of document.querySelectorAll(".catalog-targets span"))
    if (seen(place) && place.clientHeight > 2.2 * parseFloat(getComputedStyle(place).lineHeight))
      found.add(`more than two lines: ${place.textContent}`);
  return [...found];
}"""
STOP = """() => {
  const element = document.activeElement;
  if (!element.closest(".catalog")) return null;
  const { width, height } = element.getBoundingClientRect();
  const outlined = ({ outlineStyle }) => outlineStyle !== "none";
  const shown = outlined(getComputedStyle(element)) || outlined(getComputedStyle(element, "::after"));
  return width > 2 && height > 2 && shown ? null : element.outerHTML.slice(0, 120);
}"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crowded")
    write_crowded(folder)
    return folder


@pytest.fixture(scope="module", params=list(THEMES))
def home(source: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The crowded catalog in each theme."""
    theme = THEMES[request.param]
    text = (source / "with.yml").read_text("utf-8")
    config = source / f"{request.param}.yml"
    config.write_text(re.sub(r"theme: .*", f"theme: {theme}", text), "utf-8")
    www = source.parent / f"www {request.param}"
    result = run(config, site_dir=str(www))
    assert not result.failed, result.logged()
    with served(www) as home:
        yield home


@pytest.fixture
def visit(browser: Browser, home: str) -> Iterator[Visit]:
    with visiting(browser, home, home) as visit:
        visit.page.clock.set_fixed_time("2025-11-20T00:00:00Z")
        yield visit


def open_folds(page: Page) -> None:
    page.evaluate(
        "document.querySelectorAll('details:not(.catalog-pick)').forEach(part => { part.open = true })"
    )


def test_no_table_is_cut_and_no_word_is_broken(visit: Visit, request: pytest.FixtureRequest) -> None:
    faults = {}
    widths = WIDTHS if "material" in request.node.callspec.id.lower() else WIDTHS[::3]
    for path in PAGES:
        visit.go(path)
        open_folds(visit.page)
        for width in widths:
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
            if found := visit.page.evaluate(FAULTS):
                faults[path, width] = found
    assert not faults


def test_every_stop_of_the_tab_key_is_seen(visit: Visit) -> None:
    for path, width in (("", 1280), ("", 390), ("table/", 1280), (f"{CROWDED}/", 1280), ("security/", 390)):
        visit.page.set_viewport_size({"width": width, "height": 900})
        visit.go(path)
        visit.page.locator(".catalog").first.evaluate("part => { part.tabIndex = -1; part.focus() }")
        for _ in range(40):
            visit.page.keyboard.press("Tab")
            assert visit.page.evaluate(STOP) is None, (path, width)


def test_axe_finds_nothing_in_our_part(
    browser: Browser, home: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    axe = node_folder(tmp_path_factory.mktemp("axe") / "node") / "node_modules/axe-core/axe.min.js"
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
        for path in ("", "security/", f"{CROWDED}/", "images/app-3/", "cves/", "changes/"):
            found = violations(context.new_page(), home + path, axe, ".catalog")
            assert not found, (scheme, path, found)
        context.close()


def test_cards_are_sorted_by_a_native_select(visit: Visit) -> None:
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    visit.go("")
    first = page.locator("tbody tr[data-item]").first
    page.get_by_label("Sort by").select_option("Most vulnerabilities")
    expect(first).to_contain_text("Confidential Computing")
    assert "sort=-risk" in page.url
    page.get_by_label("Sort by").select_option("Name")
    expect(first).to_contain_text("Confidential Computing")
    page.get_by_label("Sort by").select_option("Newest version")
    expect(first).to_contain_text("The app-0")
    page.reload()
    expect(page.get_by_label("Sort by")).to_have_value("-released")


def test_a_place_is_a_file_or_the_distribution(visit: Visit) -> None:
    visit.go(f"{CROWDED}/")
    places = visit.page.locator(".catalog-targets span")
    expect(places).to_have_count(ROWS)
    expect(places.first).to_contain_text("debian 13.1")
    assert not [text for text in places.all_inner_texts() if "registry.example.org" in text]
    visit.page.locator(".catalog-release select").select_option(index=1)
    expect(visit.page.locator(".catalog-advice")).to_contain_text("These are of")
    assert not [text for text in places.all_inner_texts() if "registry.example.org" in text]


def test_a_platform_is_pulled_by_its_digest(visit: Visit) -> None:
    visit.go(f"{CROWDED}/")
    commands = visit.page.locator("[data-platform]:visible .catalog-pull code")
    first = commands.first.inner_text()
    visit.page.get_by_label("Platform").first.select_option("linux/arm64/v8")
    expect(commands.first).not_to_have_text(first)
    expect(commands.first).to_contain_text("@sha256:")


def test_age_is_said_once_where_it_concerns_the_whole_list(visit: Visit) -> None:
    page = visit.page
    page.clock.set_fixed_time("2027-01-20T00:00:00Z")
    for path in ("", "table/", "security/"):
        visit.go(path)
        expect(page.locator(".catalog-warned").filter(has_text="scans are older than 30 days")).to_have_count(
            1
        )
        expect(page.locator(".catalog-list .catalog-stale:visible")).to_have_count(0)
    page.clock.set_fixed_time("2026-11-20T00:00:00Z")
    visit.go("table/?find=Confidential")
    expect(page.locator(".catalog-warned")).to_have_count(0)
    expect(page.locator(".catalog-stale:visible")).to_have_count(1)


def test_the_timeline_has_years_and_today(visit: Visit) -> None:
    visit.page.clock.set_fixed_time("2029-05-01T00:00:00Z")
    visit.go(f"{CROWDED}/")
    timeline = visit.page.locator(".catalog-timeline")
    years = [int(year) for year in timeline.locator(".catalog-years span").all_inner_texts()]
    assert years == [*range(2023, 2030)]
    today, box = timeline.locator(".catalog-today").bounding_box(), timeline.bounding_box()
    assert today and box
    assert abs((today["x"] - box["x"]) / box["width"] - (6 + 120 / 366) / 7) < 0.01
    assert timeline.locator(".catalog-past-end").count() == 6


def test_every_page_of_paper_has_the_headings(visit: Visit) -> None:
    visit.go("table/")
    visit.page.emulate_media(media="print")
    head = visit.page.locator("table.catalog-table thead").first
    assert head.evaluate("head => getComputedStyle(head).display") == "table-header-group"
    assert head.locator("th").first.evaluate("cell => getComputedStyle(cell).position") == "static"
    # Chromium repeats no heading that has the box of a button.
    boxes = "buttons => buttons.filter(button => getComputedStyle(button).display !== 'contents').length"
    assert head.locator("button").evaluate_all(boxes) == 0
