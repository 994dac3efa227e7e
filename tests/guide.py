"""The guide's pages, and the code that they print."""

from __future__ import annotations

import re
from typing import NamedTuple

from .example import EXAMPLE

GUIDE = EXAMPLE / "docs/guide"
PAGES = sorted(path.stem for path in GUIDE.glob("*.md"))
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """One block of code; its title is the file that it is the text of, or says what it is."""

    language: str
    title: str
    text: str


def page(name: str) -> str:
    return (GUIDE / f"{name}.md").read_text("utf-8")


def script(name: str) -> str:
    """A program that the pages offer."""
    return (GUIDE / name).read_text("utf-8")


def blocks(name: str, language: str = "") -> list[Block]:
    """The blocks of a page, in order; with a language only those in it."""
    found = [Block(*match.groups(default="")) for match in _BLOCK.finditer(page(name))]
    return [block for block in found if language in ("", block.language)]


def requirements() -> list[str]:
    """The lines that the pages put into requirements.txt."""
    files = [found.text for name in PAGES for found in blocks(name) if found.title == "requirements.txt"]
    return [line for text in files for line in text.splitlines()]


def block(name: str, title: str) -> str:
    """The text of the one block with this title."""
    (found,) = [block.text for block in blocks(name) if block.title == title]
    return found
