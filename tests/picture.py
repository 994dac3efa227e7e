"""Take the screenshots of README and guide again: `python -m tests.picture`, which needs Chromium."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

from .browser import chromium
from .example import EXAMPLE, build_as_process, copy_example
from .servers import serve

FOLDER = EXAMPLE / "docs/assets"
WIDTH = 1080
_TOP = 110
"""Height of the part above a heading that no picture needs: the bar of the theme, the end of a list."""


class Picture(NamedTuple):
    """A part of a page of the example, from a heading or the top: `height` pixels with the theme's bar."""

    name: str
    path: str
    height: int = 720
    heading: str = ""


PICTURES = (
    Picture("screenshot-images", "images/", 800),
    Picture("screenshot-item", "images/caddy/"),
    Picture("screenshot-vulnerabilities", "images/solr/", 640, "Vulnerabilities"),
    Picture("screenshot-suppressed", "images/postgresql/", 300, "Suppressed"),
    Picture("screenshot-changes", "changes/"),
)


def _shown(page: Page, picture: Picture) -> None:
    """Bring the heading, the first that begins with these words, to the top."""
    if picture.heading:
        headings = page.locator("article :is(h2, h3, summary)").filter(has_text=picture.heading)
        headings.first.evaluate("node => { node.closest('details')?.setAttribute('open', ''); }")
        headings.first.evaluate("node => scrollTo(0, node.getBoundingClientRect().top + scrollY - 120)")


def take(folder: Path) -> None:
    """Build the example, and save every picture in `folder`."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        root = Path(name)
        copy_example(root)
        build_as_process("mkdocs", root)
        (root / "site").rename(root / "hardened")
        with serve(root) as port:
            for picture in PICTURES:
                page = browser.new_page(color_scheme="light", reduced_motion="reduce")
                page.set_viewport_size({"width": WIDTH, "height": picture.height})
                page.goto(f"http://127.0.0.1:{port}/hardened/{picture.path}", wait_until="networkidle")
                _shown(page, picture)
                top = _TOP if picture.heading else 0
                page.screenshot(
                    path=folder / f"{picture.name}.png",
                    clip={"x": 0, "y": top, "width": WIDTH, "height": picture.height - top},
                )
                page.close()


if __name__ == "__main__":
    take(FOLDER)
