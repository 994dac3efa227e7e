"""Entries as feeds: JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) and RSS 2.0
(https://www.rssboard.org/rss-specification). The same entries give the same bytes.
"""

from __future__ import annotations

import datetime
import html
import re
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

GENERATOR = "mkdocs-catalog-api"
_ATOM = "http://www.w3.org/2005/Atom"
_RSS = "application/rss+xml"
# What XML 1.0 can't hold, even escaped: https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Channel(Struct, frozen=True):
    """What a feed says of itself."""

    title: str
    description: str
    home: str
    """Address of the page that it belongs to."""
    address: str
    """Its own."""


class Entry(Struct, frozen=True):
    """One entry of a feed."""

    id: str
    """A URN that never changes."""
    date: str | None
    """Day in UTC, as in 2026-11-20."""
    title: str
    text: str
    tag: str
    link: str | None = None

    @property
    def time(self) -> datetime.datetime | None:
        """Midnight UTC of its day."""
        if self.date is None:
            return None
        return datetime.datetime.fromisoformat(self.date).replace(tzinfo=datetime.UTC)


def identity(namespace: uuid.UUID, parts: Sequence[str | None]) -> str:
    """The id of an entry that these parts tell from all others of its kind."""
    return uuid.uuid5(namespace, msgspec.json.encode(parts).decode()).urn


def both(
    name: str, title: str, description: str, home: str, entries: Sequence[Entry]
) -> Iterator[tuple[str, bytes]]:
    """Path in the site → bytes of a feed in both formats; `home` is the site's address, with a slash."""
    for ending, write in ((".json", json_feed), (".xml", rss)):
        path = f"feeds/{name}{ending}"
        yield path, write(Channel(title, description, home, home + path), entries)


def json_feed(channel: Channel, entries: Sequence[Entry]) -> bytes:
    """The bytes of a JSON Feed."""
    items = [
        {"id": entry.id}
        | ({"url": entry.link} if entry.link else {})
        | {"title": entry.title, "content_text": entry.text}
        | ({"date_published": f"{entry.date}T00:00:00Z"} if entry.date else {})
        | {"tags": [entry.tag]}
        for entry in entries
    ]
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "home_page_url": channel.home,
        "feed_url": channel.address,
        "description": channel.description,
        "_generator": GENERATOR,
        "items": items,
    }
    return msgspec.json.encode(feed) + b"\n"


def rss(channel: Channel, entries: Sequence[Entry]) -> bytes:
    """The bytes of an RSS feed."""
    from email.utils import format_datetime  # few catalogs have feeds, and these take their time
    from xml.etree import ElementTree as ET

    root = ET.Element("rss", {"version": "2.0", "xmlns:atom": _ATOM})
    top = ET.SubElement(root, "channel")
    _add(top, "title", channel.title)
    _add(top, "link", channel.home)
    _add(top, "description", channel.description)
    if times := [entry.time for entry in entries if entry.time]:
        _add(top, "lastBuildDate", format_datetime(max(times), usegmt=True))
    _add(top, "generator", GENERATOR)
    ET.SubElement(top, "atom:link", {"href": channel.address, "rel": "self", "type": _RSS})
    for entry in entries:
        item = ET.SubElement(top, "item")
        _add(item, "title", entry.title)
        if entry.link:
            _add(item, "link", entry.link)
        # The format takes this text for HTML.
        _add(item, "description", html.escape(entry.text, quote=False))
        _add(item, "category", entry.tag)
        _add(item, "guid", entry.id).set("isPermaLink", "false")
        if entry.time:
            _add(item, "pubDate", format_datetime(entry.time, usegmt=True))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'.encode()


def _add(parent: ET.Element, tag: str, text: str) -> ET.Element:
    element = parent.makeelement(tag, {})
    parent.append(element)
    element.text = _NOT_XML.sub("\ufffd", text)
    return element
