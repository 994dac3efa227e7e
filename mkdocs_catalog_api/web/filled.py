"""A filled page: its HTML, what a search should find of it, and the headings that came with the catalog."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import escape

from ..documents.write_items import ItemDocuments

_KINDS = {"images": "Container image", "charts": "Helm chart", "roadmap": "Planned"}
"""What tells an image and its chart of the same name apart among the hits of a search."""
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


def lead(item: ItemDocuments) -> str:
    """The description, which comes before all else."""
    text = item.document.data.description  # type: ignore[attr-defined]
    return f'<p class="catalog catalog-lead">{escape(text)}</p>\n' if text else ""


def title(item: ItemDocuments) -> str:
    """What people call it."""
    return str(item.document.data.name)  # type: ignore[attr-defined]


def findable(item: ItemDocuments) -> str:
    """What people look for: name, description, category, and what is open in the newest release."""
    data = item.document.data  # type: ignore[attr-defined]
    words = [_KINDS[item.resource], data.name, data.description, data.category]
    if item.detail is not None:
        words += dict.fromkeys(row.id for row in item.detail.latest.cves or ())
    return f"<p>{escape(' '.join(filter(None, words)))}</p>"
