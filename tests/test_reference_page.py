"""The reference page in a real browser: *Try it out* works wherever the site is served, and stays there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .example import EXAMPLE
from .servers import free_port, running

pytestmark = pytest.mark.slow


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """Where `mkdocs serve` has the example."""
    port = free_port()
    config = str(EXAMPLE / "mkdocs.yml")
    command = [sys.executable, "-m", "mkdocs", "serve", "-q", "-f", config, "-a", f"127.0.0.1:{port}"]
    with running(command, port, tmp_path / "log"):
        yield f"http://127.0.0.1:{port}/hardened"


@pytest.mark.parametrize(("host", "scheme"), [("online", "light"), ("online", "dark"), ("served", "light")])
def test_try_it_out_gets_the_data(
    browser: Browser, host: str, scheme: str, request: pytest.FixtureRequest
) -> None:
    host = request.getfixturevalue(host).removesuffix("/hardened")
    page = browser.new_context(color_scheme=scheme).new_page()  # type: ignore[arg-type]
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
    page.context.close()
