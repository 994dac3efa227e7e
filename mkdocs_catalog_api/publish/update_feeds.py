"""The updates as feeds."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

import msgspec

from .syndication import Channel, Entry, json_feed, rss

JSON_FEED = "feeds/updates.json"
RSS = "feeds/updates.xml"
_IDENTITIES = uuid.UUID("6f2f1d4e-4a8e-5b0c-9a57-0d3f5b1c7a10")


def feeds(items: Mapping[str, Sequence[Any]], title: str, home: str) -> Iterator[tuple[str, bytes]]:
    """Path in the site → bytes; `items` has every collection as published, `home` ends with a slash."""
    pages = {item.href: item.url for name in ("images", "charts", "roadmap") for item in items[name]}
    entries = [_entry(update, pages.get(update.href), home) for update in items["updates"]]
    description = f"Version checks of {title}: what was shipped, held or skipped"
    for path, write in ((JSON_FEED, json_feed), (RSS, rss)):
        yield path, write(Channel(title, description, home, home + path), entries)


def _entry(update: Any, page: str | None, home: str) -> Entry:
    # The same for the same application, versions and outcome, also when the site moves.
    parts = [update.application, update.from_, update.to, update.outcome]
    versions = f"{update.from_} → {update.to}" if update.from_ else update.to
    title = f"{update.application} {versions}: {update.outcome}"
    return Entry(
        id=uuid.uuid5(_IDENTITIES, msgspec.json.encode(parts).decode()).urn,
        date=update.checked,
        title=title,
        text=update.note or title,
        tag=update.outcome,
        link=urljoin(home, page) if page else None,
    )
