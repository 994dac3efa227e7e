"""A real Chromium and a server for a built site, for the tests that visit pages as people do."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from .programs import need

QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@dataclass
class Visit:
    """A page, and what went wrong on it."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)
        expect(self.page.locator("h1")).to_be_visible()

    def judge(self, wrong: bool, address: str, what: str) -> None:
        """Remember a fault."""
        if wrong:
            self.faults.append(f"{what} {address}")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served."""
    need("chromium")
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


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


def violations(page: Page, address: str, axe: Path, within: str = "html") -> dict[str, list[str]]:
    """Rule → the elements that break it; everything that is folded is unfolded first."""
    page.goto(address, wait_until="networkidle")
    page.add_script_tag(path=axe)
    page.evaluate("document.querySelectorAll('details').forEach(element => { element.open = true })")
    part = f"[...document.querySelectorAll({within!r})]"
    result = page.evaluate(f"axe.run({{include: {part}}}, {{resultTypes: ['violations']}})")
    return {
        broken["id"]: [f"{node['target']} {node['html']}" for node in broken["nodes"]]
        for broken in result["violations"]
    }
