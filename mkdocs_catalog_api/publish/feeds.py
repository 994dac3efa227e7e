"""The updates as feeds: JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) and RSS 2.0
(https://www.rssboard.org/rss-specification). The same updates give the same bytes.
"""

from __future__ import annotations

import datetime
import html
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

import msgspec

from ..problems import CatalogError, Level, Problem, Problems
from ..site import Site
from .site_files import put, refuse_links

JSON_FEED = "feeds/updates.json"
RSS = "feeds/updates.xml"
TYPES = {JSON_FEED: "application/feed+json", RSS: "application/rss+xml"}
"""Path in the site → media type."""
_GENERATOR = "mkdocs-catalog-api"
_OURS = f'"_generator":"{_GENERATOR}"'.encode(), f"<generator>{_GENERATOR}</generator>".encode()
_IDENTITIES = uuid.UUID("6f2f1d4e-4a8e-5b0c-9a57-0d3f5b1c7a10")
_ATOM = "http://www.w3.org/2005/Atom"
# What XML 1.0 can't hold, even escaped: https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Channel:
    """What the feeds say of themselves; `home` is the site's address with a slash at its end."""

    title: str
    home: str

    @property
    def description(self) -> str:
        return f"Version checks of {self.title}: what was shipped, held or skipped"


def feeds(items: Mapping[str, Sequence[Any]], title: str, site_url: str) -> dict[str, bytes]:
    """Path in the site → bytes of each feed of the updates; `items` has every collection as published."""
    channel = Channel(title, site_url.rstrip("/") + "/")
    pages = {item.href: item.url for name in ("images", "charts", "roadmap") for item in items[name]}
    updates = items["updates"]
    links = [urljoin(channel.home, page) if (page := pages.get(update.href)) else None for update in updates]
    return {JSON_FEED: _json(updates, links, channel), RSS: _rss(updates, links, channel)}


def identity(update: Any) -> str:
    """The same for the same application, versions and outcome, also when the site moves."""
    parts = [update.application, update.from_, update.to, update.outcome]
    return uuid.uuid5(_IDENTITIES, msgspec.json.encode(parts).decode()).urn


def _title(update: Any) -> str:
    versions = f"{update.from_} → {update.to}" if update.from_ else update.to
    return f"{update.application} {versions}: {update.outcome}"


def _text(update: Any) -> str:
    return update.note or _title(update)


def _checked(update: Any) -> datetime.datetime | None:
    """Midnight UTC of the day of the check."""
    if update.checked is None:
        return None
    return datetime.datetime.fromisoformat(update.checked).replace(tzinfo=datetime.UTC)


def _json(updates: Sequence[Any], links: Sequence[str | None], channel: Channel) -> bytes:
    items = []
    for update, link in zip(updates, links, strict=True):
        checked = _checked(update)
        optional = {"url": link, "date_published": checked and checked.strftime("%Y-%m-%dT%H:%M:%SZ")}
        items.append(
            {"id": identity(update), "title": _title(update), "content_text": _text(update)}
            | {key: value for key, value in optional.items() if value}
            | {"tags": [update.outcome]}
        )
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "home_page_url": channel.home,
        "feed_url": channel.home + JSON_FEED,
        "description": channel.description,
        "_generator": _GENERATOR,
        "items": items,
    }
    return msgspec.json.encode(feed) + b"\n"


def _rss(updates: Sequence[Any], links: Sequence[str | None], channel: Channel) -> bytes:
    root = ET.Element("rss", {"version": "2.0", "xmlns:atom": _ATOM})
    top = ET.SubElement(root, "channel")
    dates = [checked for update in updates if (checked := _checked(update))]
    _add(top, "title", channel.title)
    _add(top, "link", channel.home)
    _add(top, "description", channel.description)
    if dates:
        _add(top, "lastBuildDate", format_datetime(max(dates), usegmt=True))
    _add(top, "generator", _GENERATOR)
    ET.SubElement(top, "atom:link", {"href": channel.home + RSS, "rel": "self", "type": TYPES[RSS]})
    for update, link in zip(updates, links, strict=True):
        item, checked = ET.SubElement(top, "item"), _checked(update)
        _add(item, "title", _title(update))
        if link:
            _add(item, "link", link)
        # The format takes this text for HTML (https://www.rssboard.org/rss-specification).
        _add(item, "description", html.escape(_text(update), quote=False))
        _add(item, "category", update.outcome)
        _add(item, "guid", identity(update)).set("isPermaLink", "false")
        if checked:
            _add(item, "pubDate", format_datetime(checked, usegmt=True))
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def _add(parent: ET.Element, tag: str, text: str) -> ET.Element:
    element = ET.SubElement(parent, tag)
    element.text = _NOT_XML.sub("\ufffd", text)
    return element


def check(site: Site, problems: Problems) -> None:
    """Add a problem for each of the author's files that would become a feed, and for a missing `site_url`."""
    for path in TYPES:
        if (site.docs_dir / path).exists():
            shown = (
                site.docs_dir.relative_to(site.root) if site.docs_dir.is_relative_to(site.root) else Path()
            )
            problems.add(_in_the_way((shown / path).as_posix(), path))
    if site.site_url is None:
        message, hint = "feeds need the address of the site", "set `site_url`, or remove `feeds`"
        problems.add(site.config.problem(("feeds",), message, hint, Level.WARNING))


def write(made: dict[str, bytes], site_dir: Path, staging: Path) -> None:
    """Write the feeds into the site, each as a whole; `staging` is a folder on the same disk.

    Raises:
        CatalogError: a link, or a file that is not ours, stands there.
    """
    problems = Problems()
    for path in made:
        target = site_dir / path
        refuse_links(site_dir, path, problems)
        if target.exists() and not (target.is_file() and any(mark in target.read_bytes() for mark in _OURS)):
            problems.add(_in_the_way(path, path))
    if list(problems):
        raise CatalogError(problems)
    for path, body in made.items():
        put(site_dir, path, body, staging)


def _in_the_way(file: str, path: str) -> Problem:
    return Problem(
        file, 0, 0, "", f"the feed {path} would land on this file", "move it, or set `feeds: false`"
    )
