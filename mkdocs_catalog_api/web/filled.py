"""A filled page: its HTML, what a search should find of it, and the headings that came with the catalog."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_HEADING = re.compile(r"<h([1-6])\b")
_OURS = re.compile(r'<h([1-6]) id="(catalog-[^"]+)">(.*?)</h')


class Filled(NamedTuple):
    """A page with the catalog in it."""

    html: str
    findable: str
    """What a search should find of it, in place of the whole."""
    headings: Sequence[tuple[int, str, str]] = ()
    """Level, id and text of the headings that came with the catalog."""
    trail: str = ""
    """On an item's page the way back to its list."""
    lead: str = ""
    """On an item's page its description, for below the title."""

    @property
    def whole(self) -> str:
        """With what stands around the title, which another generator has written already."""
        return self.trail + self.html.replace("</h1>", "</h1>\n" + self.lead, 1)


def level_below(before: str) -> int:
    """The level of headings below what stands before."""
    levels = _HEADING.findall(before)
    return min(int(levels[-1]) + 1, 6) if levels else 2


def headings(html: str) -> list[tuple[int, str, str]]:
    """Level, id and text of the headings that came with the catalog."""
    return [(int(level), id_, text) for level, id_, text in _OURS.findall(html)]
