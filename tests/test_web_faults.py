"""Every page of a catalog of real size, at seven widths: nothing is cut, scrolls or breaks a word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from .browser import Visit, faults, served, violations, visiting
from .crowded import CROWDED, ROWS, write_crowded
from .sites import run

pytestmark = pytest.mark.slow
PAGES = (
    *("", "table/", "charts/", "security/", "cves/", "cves/?id=CVE-2025-51235", "changes/", "updates/"),
    *("roadmap/", f"{CROWDED}/", "images/app-3/", "charts/chart-3/"),
)
WIDTHS = (320, 390, 768, 1024, 1280, 1440, 1920)
_PALETTE = ", ".join(
    f'{{media: "(prefers-color-scheme: {scheme})", scheme: {name}}}'
    for scheme, name in (("light", "default"), ("dark", "slate"))
)
THEMES = {
    "material with tabs": "{name: material, font: false, features: [navigation.tabs]}",
    "material": f"{{name: material, font: false, palette: [{_PALETTE}]}}",
    "mkdocs": "{name: mkdocs, highlightjs: false}",
    "readthedocs": "{name: readthedocs, highlightjs: false}",
}
each_theme = pytest.mark.parametrize("theme", ["material", "mkdocs", "readthedocs"])
one_theme = pytest.mark.parametrize("theme", ["material"])
STOPS = """() => {
  window.unseen = [];
  addEventListener("focusin", ({ target }) => {
    const { width, height } = target.getBoundingClientRect();
    const outlined = ({ outlineStyle }) => outlineStyle !== "none";
    const shown = outlined(getComputedStyle(target)) || outlined(getComputedStyle(target, "::after"));
    if (target.closest(".catalog") && !(width > 2 && height > 2 && shown))
      unseen.push(target.outerHTML.slice(0, 120));
  });
  const part = document.querySelector(".catalog");
  part.tabIndex = -1;
  part.focus();
  unseen.length = 0;
}"""
"""Collects what gets the focus from now on and is not seen to have it."""


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Theme → the address of the crowded catalog in it, built when it is first asked for."""
    folder = tmp_path_factory.mktemp("crowded")
    write_crowded(folder / "source")
    text = (folder / "source/with.yml").read_text("utf-8")
    with ExitStack() as stack:

        @cache
        def home(theme: str) -> str:
            config = folder / f"source/{theme}.yml"
            config.write_text(re.sub(r"theme: .*", f"theme: {THEMES[theme]}", text), "utf-8")
            result = run(config, site_dir=str(folder / theme))
            assert not result.failed, result.logged()
            return stack.enter_context(served(folder / theme))

        yield home


@pytest.fixture
def home(homes: Callable[[str], str], theme: str) -> str:
    return homes(theme)


@pytest.fixture
def visit(browser: Browser, home: str) -> Iterator[Visit]:
    with visiting(browser, home, home) as visit:
        visit.page.clock.set_fixed_time("2025-11-20T00:00:00Z")
        yield visit


@pytest.mark.parametrize("theme", THEMES)
def test_no_table_is_cut_and_no_word_is_broken(visit: Visit, theme: str) -> None:
    found = {}
    for path in PAGES:
        visit.go(path)
        found[path] = faults(visit.page, WIDTHS if "material" in theme else WIDTHS[::3])
    assert not {path: widths for path, widths in found.items() if widths}


@each_theme
def test_every_stop_of_the_tab_key_is_seen(visit: Visit) -> None:
    for path, width in (("", 1280), ("", 390), ("table/", 1280), (f"{CROWDED}/", 1280), ("security/", 390)):
        visit.page.set_viewport_size({"width": width, "height": 900})
        visit.go(path)
        visit.page.evaluate(STOPS)
        for _ in range(40):
            visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("window.unseen") == [], (path, width)


@each_theme
def test_axe_finds_nothing_in_our_part(browser: Browser, home: str, theme: str, node: Path) -> None:
    axe = node / "node_modules/axe-core/axe.min.js"
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes if theme == "material" else schemes[:1]:
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        for path in ("", "security/", f"{CROWDED}/", "images/app-3/", "cves/"):
            found = violations(page, home + path, axe, ".catalog")
            assert not found, (scheme, path, found)
        context.close()


@one_theme
def test_axe_finds_nothing_on_a_phone(browser: Browser, home: str, node: Path) -> None:
    axe = node / "node_modules/axe-core/axe.min.js"
    context = browser.new_context(viewport={"width": 390, "height": 844})
    for path in ("", "table/", "security/", f"{CROWDED}/"):
        assert not violations(context.new_page(), home + path, axe, ".catalog"), path
    context.close()


@one_theme
def test_cards_are_sorted_by_a_native_select(visit: Visit) -> None:
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    visit.go("")
    first = page.locator("tbody tr[data-item]").first
    page.get_by_label("Sort by").select_option("Most vulnerabilities")
    expect(first).to_contain_text("Confidential Computing")
    assert "sort=-risk" in page.url
    page.get_by_label("Sort by").select_option("Sorted by name")
    expect(first).to_contain_text("Confidential Computing")
    page.get_by_label("Sort by").select_option("Newest version")
    expect(first).to_contain_text("The app-0")
    page.reload()
    expect(page.get_by_label("Sort by")).to_have_value("-released")


@one_theme
def test_a_place_is_a_file_or_the_distribution(visit: Visit) -> None:
    visit.go(f"{CROWDED}/")
    places = visit.page.locator(".catalog-targets span")
    expect(places).to_have_count(ROWS)
    expect(places.first).to_contain_text("debian 13.1")
    assert not [text for text in places.all_inner_texts() if "registry.example.org" in text]
    visit.page.locator(".catalog-release select").select_option(index=1)
    expect(visit.page.locator(".catalog-advice")).to_contain_text("Vulnerabilities of")
    assert not [text for text in places.all_inner_texts() if "registry.example.org" in text]


@one_theme
def test_a_platform_is_pulled_by_its_digest(visit: Visit) -> None:
    visit.go(f"{CROWDED}/")
    start = visit.page.locator(".catalog-start")
    command = start.locator("code:visible", has_text="docker pull").first
    digests = visit.page.locator(".catalog-digest code").all_text_contents()
    for platform, digest in zip(("linux/amd64", "linux/arm64/v8"), digests[:2], strict=True):
        start.get_by_label("Platform").select_option(platform)
        expect(command).to_contain_text(f"@{digest}")


@one_theme
def test_age_is_said_once_where_it_concerns_the_whole_list(visit: Visit) -> None:
    page = visit.page
    page.clock.set_fixed_time("2027-01-20T00:00:00Z")
    for path in ("", "table/", "security/"):
        visit.go(path)
        told = page.locator(".catalog-warned, .catalog-when-stale").filter(has_text="older than 30 days")
        expect(told.filter(visible=True)).to_have_count(1)
        expect(page.locator(".catalog-list .catalog-stale:visible")).to_have_count(0)
    page.clock.set_fixed_time("2026-11-20T00:00:00Z")
    visit.go("table/?find=Confidential")
    expect(page.locator(".catalog-warned")).to_have_count(0)
    expect(page.locator(".catalog-stale:visible")).to_have_count(1)


@each_theme
def test_tables_fit_paper_with_headings_and_grades_in_color(visit: Visit) -> None:
    page = visit.page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 800, "height": 1100})  # A4
    cut = """tables => tables.filter(table => {
      const { right, width } = table.closest(".catalog-scroll").getBoundingClientRect();
      const over = table.getBoundingClientRect().right > right + 1;
      return over || right > innerWidth || width < innerWidth * 0.8;
    }).map(table => table.closest(".catalog-scroll").ariaLabel)"""
    for path in ("cves/", "table/"):
        visit.go(path)
        assert page.locator(".catalog-scroll table:visible").evaluate_all(cut) == [], path
        colors = "parts => new Set(parts.map(part => getComputedStyle(part).printColorAdjust)).size"
        graded = page.locator("[class*=catalog-grade]:visible, [class*=catalog-fill]:visible")
        assert graded.evaluate_all(colors) == 1
        assert graded.first.evaluate("part => getComputedStyle(part).printColorAdjust") == "exact"
    head = page.locator("table.catalog-table thead").first
    assert head.evaluate("head => getComputedStyle(head).display") == "table-header-group"
    assert head.locator("th").first.evaluate("cell => getComputedStyle(cell).position") == "static"
    # Chromium repeats no heading that has the box of a button.
    boxes = "buttons => buttons.filter(button => getComputedStyle(button).display !== 'contents').length"
    assert head.locator("button").evaluate_all(boxes) == 0


@each_theme
def test_a_card_has_one_background_and_one_frame(visit: Visit) -> None:
    visit.go("")
    cards = visit.page.locator("tbody tr[data-item]:visible")
    expect(cards).to_have_count(48)
    grounds = """cards => [...new Set(cards.flatMap(card => [card, ...card.cells].map((part, k) => {
      const { backgroundColor, boxShadow } = getComputedStyle(part);
      return `${k ? "cell" : "card"} ${backgroundColor} ${boxShadow}`;
    })))]"""
    assert len(cards.evaluate_all(grounds)) == 2, "as many as there are kinds of boxes"
    frames = """cards => [...new Set(cards.map(card => {
      const framed = box => ["Top", "Right", "Bottom", "Left"].every(
        side => parseFloat(getComputedStyle(box)[`border${side}Width`]));
      const around = [];
      for (let box = card; box.className !== "catalog"; box = box.parentElement) around.push(box);
      return around.filter(framed).length;
    }))]"""
    assert cards.evaluate_all(frames) == [1]
