"""What happened in a catalog as feeds: criticals and highs and their fixes, and the news of each image."""

from __future__ import annotations

import uuid
from collections import defaultdict, deque
from collections.abc import Iterator
from urllib.parse import urljoin

from msgspec import Struct

from ..catalog import events
from ..catalog.events import AnyEvent
from ..catalog.history import RecordedDay
from ..catalog.value import Catalog
from .syndication import Channel, Entry, both, identity, rss

SECURITY_JSON = "feeds/security.json"
SECURITY_RSS = "feeds/security.xml"
_IDENTITIES = uuid.UUID("b1f3e5c7-5f0a-5c54-9f0e-3a7c2d8e4b61")
_SERIOUS = ("CRITICAL", "HIGH")
_LONGEST, _LONGEST_OF_IMAGE = 200, 50
"""Entries that a feed has at most; older ones leave."""


def image_path(slug: str) -> str:
    return f"feeds/images/{slug}.xml"


class _News(Struct, frozen=True):
    """An entry before it is known what its image is called."""

    date: str
    slug: str
    what: str
    """The word that tells what kind of news it is; also its tag."""
    about: str
    """What tells it from others of its kind: an id, a version …"""
    says: str
    """The title after the image's name."""


def feeds(catalog: Catalog, home: str) -> Iterator[tuple[str, bytes]]:
    """Path in the site → bytes of each feed, newest entries first.

    `home` is the address of the site, with a slash at its end. An image that has left keeps its entries in
    the feed of the catalog, and has no feed of its own.
    """
    security: deque[_News] = deque(maxlen=_LONGEST)
    by_slug: dict[str, deque[_News]] = defaultdict(lambda: deque(maxlen=_LONGEST_OF_IMAGE))
    for day in catalog.history.days if catalog.history else ():
        for news, serious in _news(day):
            if serious:
                security.appendleft(news)
            by_slug[news.slug].appendleft(news)
    images = {image.entry.slug: image for image in catalog.images}
    pages = {slug: urljoin(home, catalog.addresses.web(image.page.url)) for slug, image in images.items()}

    def entry(news: _News) -> Entry:
        image = images.get(news.slug)
        title = f"{image.entry.name if image else news.slug} {news.says}"
        return Entry(
            id=identity(_IDENTITIES, [news.date, news.slug, news.what, news.about]),
            date=news.date,
            title=title,
            text=f"{title} ({news.date})",
            tag=news.what,
            link=pages.get(news.slug),
        )

    title = f"{catalog.title}: security"
    description = (
        f"Critical and high vulnerabilities in the newest releases of {catalog.title}, and their fixes"
    )
    yield from both("security", title, description, home, [*map(entry, security)])
    for slug, image in images.items():
        path, name = image_path(slug), image.entry.name
        description = f"Releases, lifecycle, critical and high vulnerabilities of {name}"
        channel = Channel(f"{name} in {catalog.title}", description, pages[slug], home + path)
        yield path, rss(channel, [*map(entry, by_slug[slug])])


def _news(day: RecordedDay) -> Iterator[tuple[_News, bool]]:
    """The news of a day, and whether each belongs into the feed of the whole catalog."""
    packages: dict[tuple[str, str, str], list[events.VulnerabilityEvent]] = {}
    for event in day.events:
        if isinstance(event, events.VulnerabilityEvent):
            if what := _security(event):
                packages.setdefault((event.slug, what, event.id), []).append(event)
        elif told := _other(event):
            yield _News(day.date, event.slug, *told), False
    for (slug, what, id_), found in packages.items():
        names = ", ".join(dict.fromkeys(event.pkg for event in found))
        severity = min((event.severity for event in found), key=_SERIOUS.index)
        says = f"{found[0].version}: {id_} ({severity}) {what} in {names}"
        yield _News(day.date, slug, what, id_, says), True


def _security(event: events.VulnerabilityEvent) -> str | None:
    """The word for what concerns a critical or high vulnerability."""
    if event.severity not in _SERIOUS:
        return None
    match event:
        case events.VulnerabilityFound() | events.VulnerabilityReopened():
            return "found"
        case events.VulnerabilityGone(reason="rebuilt" | "superseded"):
            return "fixed"
        case events.VulnerabilityChanged() if event.from_ not in _SERIOUS:
            return "found"
    return None


def _other(event: AnyEvent) -> tuple[str, str, str] | None:
    """Kind, identity and title of what concerns releases and the lifecycle."""
    match event:
        case events.ReleaseAdded():
            return "release", event.version, f"{event.version} is released"
        case events.ReleaseRebuilt() if event.from_:
            return "rebuild", event.version, f"{event.version} is rebuilt"
        case events.ReleaseRemoved():
            return "removal", event.version, f"{event.version} is no longer listed"
        case events.LifecycleChanged():
            return "lifecycle", event.to, f"is {event.to}, no longer {event.from_}"
    return None
