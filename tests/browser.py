"""A real Chromium and a server for a built site, for the tests that visit pages as people do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from .programs import need
from .servers import serve

QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)

expect.set_options(timeout=30_000)  # how long a busy machine takes says nothing

_FAULTS = """() => {
  const found = new Set(), range = document.createRange();
  const seen = element => element.checkVisibility({ visibilityProperty: true });
  if (document.documentElement.scrollWidth > innerWidth) found.add("the page is wider than the window");
  for (const box of document.querySelectorAll(".catalog-scroll"))
    if (seen(box) && box.scrollWidth > box.clientWidth + 1) found.add(`scrolls: ${box.ariaLabel}`);
  for (const row of document.querySelectorAll(".catalog-scroll table:not(.catalog-cards) tr"))
    if (seen(row) && row.offsetWidth < row.closest(".catalog-scroll").clientWidth - 4)
      found.add(`narrower than its box: ${row.closest(".catalog-scroll").ariaLabel}`);
  const judged = new Set(); // the same word in the same column fares alike
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
        const key = `${cell.closest(".catalog-scroll")?.ariaLabel} ${cell.cellIndex} ${part[0]}`;
        if (cell.cellIndex >= 0 && judged.size === judged.add(key).size) continue;
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
        const row = cell.closest("tr") ?? cell; // a card is a row
        const edges = [cell, row].map(box => box.getBoundingClientRect().right + 2);
        const edge = Math.min(innerWidth + 1, ...edges);
        if (right > edge) found.add(`cut: ${part[0]}`);
      }
    }
  }
  for (const place of document.querySelectorAll(".catalog-targets span"))
    if (seen(place) && place.clientHeight > 2.2 * parseFloat(getComputedStyle(place).lineHeight))
      found.add(`more than two lines: ${place.textContent}`);
  return [...found];
}"""
# A table that does not fit is stacked some frames after the window has its width.
_SETTLED = f"""async () => {{
  const faults = {_FAULTS};
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  for (let frames = 0; ; frames++) {{
    await frame();
    const found = faults();
    if (!found.length || frames === 30) return found;
  }}
}}"""

_FEWER = """() => {
  scrollTo(0, 0); // a bar that stays in sight may cover a target
  document.querySelectorAll("details").forEach(part => { part.open = true });
  const seen = new Set();
  for (const row of document.querySelectorAll(".catalog tbody tr, .catalog li")) {
    const kinds = [row, ...row.querySelectorAll("*")].map(part => part.tagName + part.getAttribute("class"));
    if (row.rowIndex !== 1 && kinds.every(kind => seen.has(kind))) row.remove();
    kinds.forEach(kind => seen.add(kind));
  }
}"""
"""Unfolds everything, and removes rows that have nothing which a row before them has not."""
_UNSEEN = """() => {
  const outlined = ({ outlineStyle }) => outlineStyle !== "none";
  const stops = ":is(a[href], button, input, select, summary, [tabindex='0'])";
  return [...document.querySelectorAll(`.catalog ${stops}`)].filter(stop => {
    stop.focus();
    if (document.activeElement !== stop) return false; // nobody comes to what is hidden
    const { width, height } = stop.getBoundingClientRect();
    const shown = outlined(getComputedStyle(stop)) || outlined(getComputedStyle(stop, "::after"));
    return !(width > 2 && height > 2 && shown);
  }).map(stop => stop.outerHTML.slice(0, 120));
}"""


@dataclass
class Visit:
    """A page, and what went wrong on it."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)
        expect(self.page.locator("h1")).to_be_visible()

    def json(self, path: str) -> Any:
        """A document of the API."""
        return self.page.request.get(f"{self.base}api/v1/{path}").json()

    def judge(self, wrong: bool, address: str, what: str) -> None:
        """Remember a fault."""
        if wrong:
            self.faults.append(f"{what} {address}")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served."""
    need("chromium")
    with serve(folder) as port:
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that calls nobody by itself."""
    need("chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[*QUIET])
        yield started
        started.close()


@contextmanager
def visiting(browser: Browser, home: str, base: str, **options: Any) -> Iterator[Visit]:
    """A visitor, whose console has to stay empty and whose browser may ask nobody but `home`."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    made = Visit(context.new_page(), base)
    made.page.add_init_script("globalThis.catalogNow = ''")  # the browser's clock, also on the example
    own = (home, "data:", "blob:")
    made.page.on("pageerror", lambda error: made.faults.append(str(error)))
    made.page.on("console", lambda said: made.judge(said.type == "error", said.location["url"], said.text))
    made.page.on("request", lambda asked: made.judge(not asked.url.startswith(own), asked.url, "asked"))
    made.page.on("response", lambda got: made.judge(got.status >= 400, got.url, str(got.status)))
    yield made
    context.close()
    assert made.faults == [], made.faults


def violations(page: Page, axe: Path, *only: str) -> dict[str, list[str]]:
    """Rule → the elements of our part, or of the page as a whole, that break it.

    Of rows that are alike, some are looked at. All rules are asked, or these only: in the dark, no other
    answer than those on color differs.
    """
    page.evaluate(_FEWER)
    # What has scrolled under the theme's bar is smaller than it is; some themes scroll slowly.
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=axe)
    found: dict[str, list[str]] = page.evaluate(
        """async only => {
          const { violations } = await axe.run({
            resultTypes: ["violations"],
            ...(only.length ? { runOnly: only } : { rules: { "target-size": { enabled: true } } }),
          });
          const ours = ({ target }) => {
            const element = document.querySelector(target[0]);
            return element?.closest(".catalog, .bs-sidebar") || element?.matches("html, body, main, article");
          };
          return Object.fromEntries(violations.map(
            ({ id, nodes }) => [id, nodes.filter(ours).map(({ html }) => html)],
          ));
        }""",
        [*only],
    )
    return found


def unseen_stops(page: Page) -> list[str]:
    """What a reader who uses the Tab key does not see to have the focus."""
    page.keyboard.press("Tab")  # from now on, the focus is that of a keyboard
    found: list[str] = page.evaluate(_UNSEEN)
    return found


def faults(page: Page, widths: Sequence[int]) -> dict[str, list[str]]:
    """Width of the window → what is cut, scrolls or breaks a word there; everything is unfolded first."""
    page.evaluate(
        "document.querySelectorAll('details:not(.catalog-pick)').forEach(part => { part.open = true })"
    )
    # A color that is changing may have any contrast.
    page.add_style_tag(content="* { transition: none !important; animation: none !important }")
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        found[str(width)] = page.evaluate(_SETTLED)
    return found
