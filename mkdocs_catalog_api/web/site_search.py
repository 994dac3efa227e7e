"""Adds the catalog to the search index of Zensical, which indexes the headings and text of Markdown pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from markupsafe import escape

INDEX = "search.json"
_ADDED = "catalog-api"
"""Key of the index with the texts that were changed: location → text before, or null for a new entry."""


def with_items(index: bytes, found: Mapping[str, tuple[str, str]]) -> bytes:
    """Return the index with the text of each item page: `found` is location → title and text.

    An index that this module changed before is restored first. Another format is returned unchanged.
    """
    try:
        document: dict[str, Any] = msgspec.json.decode(index, type=dict[str, Any])
        entries = {entry["location"]: entry for entry in document["items"]}
        for location, text in document.pop(_ADDED, {}).items():
            entries[location]["text"] = text
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return index
    entries = {location: entry for location, entry in entries.items() if entry["text"] is not None}
    added: dict[str, str | None] = {}
    for location, (title, text) in found.items():
        new = {"location": location, "level": 1, "title": title, "text": "", "path": [title], "tags": []}
        added[location] = entries[location]["text"] if location in entries else None
        entry = entries.setdefault(location, new)
        entry["text"] += f"<p>{escape(text)}</p>"
    return msgspec.json.encode(document | {"items": [*entries.values()], _ADDED: added})
