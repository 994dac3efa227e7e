"""The reference page in a real browser: *Try it out* works wherever the site is served, and stays there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from .programs import need
from .servers import free_port, running, serve
from .sites import run
from .test_cli import EXAMPLE

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.slow
Served = Callable[[Path], AbstractContextManager[int]]
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@contextmanager
def static(folder: Path) -> Iterator[int]:
    """The built example below /hardened on a plain static server."""
    result = run(EXAMPLE, site_dir=str(folder / "hardened"))
    assert not result.failed, result.logged()
    with serve(folder) as port:
        yield port


@contextmanager
def preview(folder: Path) -> Iterator[int]:
    """`mkdocs serve` of the example."""
    port = free_port()
    command = [sys.executable, "-m", "mkdocs", "serve", "-q", "-f", str(EXAMPLE), "-a", f"127.0.0.1:{port}"]
    with running(command, port, folder / "log"):
        yield port


@pytest.mark.parametrize("served", [static, preview], ids=["static server", "mkdocs serve"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_try_it_out_gets_the_data(tmp_path: Path, served: Served, scheme: str) -> None:
    need("chromium")
    with ExitStack() as stack:
        host = f"http://127.0.0.1:{stack.enter_context(served(tmp_path))}"
        driver = stack.enter_context(playwright.sync_playwright())
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=QUIET)
        stack.callback(browser.close)
        page = browser.new_context(color_scheme=scheme).new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))

        # By a click, so that the page comes by Material's instant navigation.
        page.goto(f"{host}/hardened/")
        page.get_by_role("link", name="API", exact=True).first.click()
        page.wait_for_url("**/hardened/api/")
        page.wait_for_function("!!window.update_swagger_ui_iframe_height")  # the whole page has loaded
        errors.clear()
        reference = page.frame_locator("iframe.swagger-ui-iframe")
        operation = reference.locator("#operations-images-listImagesPage")
        operation.locator(".opblock-summary").click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()
        response = operation.locator(".live-responses-table tbody tr.response")
        assert response.locator("td.response-col_status").inner_text().strip() == "200"
        body = json.loads(response.locator(".highlight-code code").inner_text())
        assert (body["resource"], body["page"], len(body["data"])) == ("images", 1, 24)

        dark = reference.locator("html").evaluate("html => html.classList.contains('dark-mode')")
        assert dark == (scheme == "dark")
        assert f"{host}/hardened/api/v1/images/1.json" in requests
        assert [url for url in requests if not url.startswith((f"{host}/", "data:", "blob:"))] == []
        assert errors == []
