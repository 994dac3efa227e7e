"""Feeds and a calendar: version checks, news of vulnerabilities and images, ends of life.

The formats are RSS 2.0 (https://www.rssboard.org/rss-specification) and iCalendar (RFC 5545).
The same catalog gives the same bytes.
"""

from __future__ import annotations

import datetime
import html
import re
import uuid
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Set
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import msgspec
from msgspec import Struct

from ..authored.site import Site
from ..catalog import events
from ..catalog.addresses import CALENDAR, GENERATOR, SECURITY_FEED, UPDATES_FEED
from ..catalog.recorded import RecordedDay
from ..catalog.scans import URGENT
from ..catalog.value import Catalog
from ..items.models import ImageEntry, UpdateEntry
from ..problems import Level, Problems
from ..problems.codes import Code
from .site_files import OwnFiles

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

RSS_TYPE = "application/rss+xml"
_PRODUCT = f"PRODID:-//{GENERATOR}//EN"
FILES = OwnFiles(
    called="the feed {path}",
    places=("feeds/*.xml", "feeds/images/*.xml", CALENDAR),
    marks=(f"<generator>{GENERATOR}</generator>".encode(), _PRODUCT.encode()),
    unless="feeds: false",
)

# The namespaces of ids, which never change.
_OF_UPDATES = uuid.UUID("6f2f1d4e-4a8e-5b0c-9a57-0d3f5b1c7a10")
_OF_NEWS = uuid.UUID("b1f3e5c7-5f0a-5c54-9f0e-3a7c2d8e4b61")
_OF_ENDS_OF_LIFE = uuid.UUID("0c6cf3c5-6a0f-5d6e-8a3f-6c1f0b9a7d42")

_KINDS: Mapping[type, str] = {
    events.ReleaseAdded: "release",
    events.ReleaseRebuilt: "rebuild",
    events.ReleaseRemoved: "removal",
    events.LifecycleChanged: "lifecycle",
}
"""Events of images in feeds, each with its tag."""
_LONGEST, _LONGEST_OF_IMAGE = 200, 50
"""Maximum number of entries in a feed of news; the oldest are dropped."""
# Characters that XML 1.0 can't contain, even escaped: https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LINE = 75
"""Maximum octets in a line of a calendar, https://www.rfc-editor.org/rfc/rfc5545#section-3.1."""


class FeedEntry(Struct, frozen=True):
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


def feeds(catalog: Catalog, site_url: str) -> dict[str, bytes]:
    """Path in the site → bytes of each feed, and of the calendar if any release has an end of life."""
    home = site_url.rstrip("/") + "/"
    pages = {
        name: urljoin(home, catalog.addresses.web(item.page.url)) for name, item in catalog.by_name().items()
    }
    updates = [_update(update, pages.get(update.application)) for update in catalog.updates]
    description = f"Version checks of {catalog.title}: shipped, held and skipped versions"
    files = {UPDATES_FEED: rss(home + UPDATES_FEED, catalog.title, description, home, updates)}
    if catalog.history:
        files |= news(catalog, home)
    if dates := calendar(catalog, home):
        files[CALENDAR] = dates
    return files


def feeds_of_page(paths: Set[str], markers: Set[str], image: str | None) -> list[str]:
    """The feeds of a page with these markers, or of an image's page, by its slug."""
    wanted: list[str] = []
    if "updates" in markers:
        wanted.append(UPDATES_FEED)
    if markers & {"changes", "trend", "time-to-fix"}:
        wanted.append(SECURITY_FEED)
    if image is not None:
        wanted.append(_image_path(image))
    return [path for path in wanted if path in paths]


def check_address(site: Site, problems: Problems) -> None:
    """Warn if the site has no address, which feeds require."""
    if site.site_url is None:
        message, hint = "feeds need the address of the site", "set `site_url`, or remove `feeds`"
        problems.add(site.config.problem(("feeds",), message, hint, Level.WARNING, code=Code.SETTING))


def _update(update: UpdateEntry, page: str | None) -> FeedEntry:
    versions = f"{update.from_} → {update.to}" if update.from_ else update.to
    title = f"{update.application} {versions}: {update.outcome}"
    return FeedEntry(
        # The same for the same application, versions and outcome, also when the site moves.
        id=_identity(_OF_UPDATES, update.application, update.from_, update.to, update.outcome),
        date=update.checked,
        title=title,
        text=update.note or title,
        tag=update.outcome,
        link=page,
    )


def news(catalog: Catalog, home: str) -> dict[str, bytes]:
    """Path in the site → bytes of each feed of events, newest entries first.

    `home` is the address of the site, with a slash at its end. The entries of a removed image remain in
    the feed of the catalog; it has no feed of its own.
    """
    serious_news: deque[FeedEntry] = deque(maxlen=_LONGEST)
    by_slug: dict[str, deque[FeedEntry]] = defaultdict(lambda: deque(maxlen=_LONGEST_OF_IMAGE))
    names = {image.entry.slug: image.entry.name for image in catalog.images}
    pages = {
        image.entry.slug: urljoin(home, catalog.addresses.web(image.page.url)) for image in catalog.images
    }
    description = (
        f"Critical and high vulnerabilities in the newest versions of all images of {catalog.title}, "
        "deprecated and withdrawn ones included, and their fixes"
    )
    days = catalog.history.days if catalog.history else ()
    for day in days[1:]:  # on the first, everything is new
        for slug, entry, serious in _news(day, names, pages):
            if serious:
                serious_news.appendleft(entry)
            by_slug[slug].appendleft(entry)
    title = f"{catalog.title}: security"
    files = {SECURITY_FEED: rss(home + SECURITY_FEED, title, description, home, serious_news)}
    for slug, name in names.items():
        path = _image_path(slug)
        description = f"Versions, lifecycle, critical and high vulnerabilities of {name}"
        title = f"{name} in {catalog.title}"
        files[path] = rss(home + path, title, description, pages[slug], by_slug[slug])
    return files


def _image_path(slug: str) -> str:
    return f"feeds/images/{slug}.xml"


def _news(
    day: RecordedDay, names: Mapping[str, str], pages: Mapping[str, str]
) -> Iterator[tuple[str, FeedEntry, bool]]:
    """The news of a day: image, entry, and whether it belongs in the feed of the whole catalog."""

    def entry(slug: str, kind: str, about: str, words: str) -> FeedEntry:
        title = f"{names.get(slug, slug)} {words}"
        id_ = _identity(_OF_NEWS, day.date, slug, kind, about)
        return FeedEntry(id_, day.date, title, f"{title} ({day.date})", kind, pages.get(slug))

    packages: dict[tuple[str, str, str], list[events.VulnerabilityEvent]] = {}
    for event in day.events:
        if isinstance(event, events.VulnerabilityEvent):
            if kind := _kind(event, day):
                packages.setdefault((event.slug, kind, event.id), []).append(event)
        elif (kind := _KINDS.get(type(event))) and (words := events.in_words(event)):
            about = event.to if isinstance(event, events.LifecycleChanged) else getattr(event, "version", "")
            yield event.slug, entry(event.slug, kind, about, words), False
    for (slug, kind, id_), same in packages.items():
        affected = ", ".join(dict.fromkeys(event.pkg for event in same))
        severity = min((event.severity for event in same), key=URGENT.index)
        words = f"{same[0].version}: {id_} ({severity}) {kind} in {affected}"
        yield slug, entry(slug, kind, id_, words), True


def _kind(event: events.VulnerabilityEvent, day: RecordedDay) -> str | None:
    """The verb for an event of a critical or high vulnerability."""
    if event.severity not in URGENT:
        return None
    match event:
        case events.VulnerabilityFound() if event.reason == "renamed":
            return None
        case events.VulnerabilityFound() | events.VulnerabilityReopened():
            return "found"
        case events.VulnerabilityGone() if (event.slug, event.id, event.pkg) in day.fixes:
            return "fixed"
        case events.VulnerabilityChanged() if event.from_ not in URGENT:
            return "found"
    return None


def _identity(namespace: uuid.UUID, *parts: str | None) -> str:
    """The id of an entry; these parts distinguish it from all others of its kind."""
    return uuid.uuid5(namespace, msgspec.json.encode(parts).decode()).urn


def rss(address: str, title: str, description: str, page: str, entries: Collection[FeedEntry]) -> bytes:
    """The bytes of an RSS feed that is published at `address`; `page` is the address of its page."""
    from email.utils import format_datetime  # slow to import, and few catalogs have feeds
    from xml.etree import ElementTree as ET

    root = ET.Element("rss", {"version": "2.0", "xmlns:atom": "http://www.w3.org/2005/Atom"})
    channel = ET.SubElement(root, "channel")
    _add(channel, "title", title)
    _add(channel, "link", page)
    _add(channel, "description", description)
    if times := [entry.time for entry in entries if entry.time]:
        _add(channel, "lastBuildDate", format_datetime(max(times), usegmt=True))
    _add(channel, "generator", GENERATOR)
    ET.SubElement(channel, "atom:link", {"href": address, "rel": "self", "type": RSS_TYPE})
    for entry in entries:
        item = ET.SubElement(channel, "item")
        _add(item, "title", entry.title)
        if entry.link:
            _add(item, "link", entry.link)
        # Readers treat this text as HTML.
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


def calendar(catalog: Catalog, home: str) -> bytes | None:
    """The ends of life of all releases as a calendar; None without any.

    `home` is the address of the site, with a slash at its end.
    """
    ends = [
        line
        for image in catalog.images
        for line in _ends_of_life(image.entry, urljoin(home, catalog.addresses.web(image.page.url)))
    ]
    if not ends:
        return None
    name = f"X-WR-CALNAME:{_escaped(f'End of life: {catalog.title}')}"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", _PRODUCT, name, *ends, "END:VCALENDAR"]
    return b"".join(map(_folded, lines))


def _ends_of_life(image: ImageEntry, page: str) -> Iterator[str]:
    for version in image.versions:
        if version.end_of_life is None:
            continue
        day = version.end_of_life.replace("-", "")
        reference = f"{image.image or image.slug}:{version.version}"
        yield from (
            "BEGIN:VEVENT",
            f"UID:{uuid.uuid5(_OF_ENDS_OF_LIFE, reference)}",
            f"DTSTAMP:{day}T000000Z",
            f"DTSTART;VALUE=DATE:{day}",
            f"SUMMARY:{_escaped(f'{image.name} {version.version}: end of life')}",
            f"DESCRIPTION:{_escaped(f'{reference} gets no more updates after this day.')}",
            f"URL:{page}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        )


def _escaped(text: str) -> str:
    """A text of a calendar, https://www.rfc-editor.org/rfc/rfc5545#section-3.3.11."""
    text = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    return re.sub(r"([\\;,])", r"\\\1", text).replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """A line, folded if it is too long, never within a character."""
    parts: list[bytes] = []
    part = b""
    for char in line:
        octets = char.encode()
        if len(part) + len(octets) > _LINE - bool(parts):  # the leading space of a continued line
            parts.append(part)
            part = b""
        part += octets
    return b"\r\n ".join([*parts, part]) + b"\r\n"
