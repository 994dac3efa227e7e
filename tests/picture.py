"""Take the README's picture anew: `python -m tests.picture`, which needs Chromium."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from .example import EXAMPLE, build_as_process, copy_example
from .servers import serve

PICTURE = EXAMPLE / "docs/assets/screenshot-images.png"

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        copy_example(folder)
        build_as_process("mkdocs", folder)
        (folder / "site").rename(folder / "hardened")
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        with serve(folder) as port:
            page.goto(f"http://127.0.0.1:{port}/hardened/images/", wait_until="networkidle")
            page.screenshot(path=PICTURE)
        browser.close()
