"""What readers and calendar programs subscribe to: the updates, what happened, the ends of life."""

from __future__ import annotations

import uuid
from collections.abc import Set
from pathlib import PurePosixPath
from urllib.parse import urljoin

from ..authored.site import Site
from ..catalog.models import UpdateEntry
from ..catalog.value import Catalog
from ..problems import Level, Problems
from ..problems.codes import Code
from . import calendar, history_feeds, syndication
from .site_files import OwnFiles

JSON_FEED = "feeds/updates.json"
RSS = "feeds/updates.xml"
_UPDATES = uuid.UUID("6f2f1d4e-4a8e-5b0c-9a57-0d3f5b1c7a10")
TYPES = {".json": "application/feed+json", ".xml": "application/rss+xml", ".ics": calendar.TYPE}
"""Ending of a feed's path → media type."""
FILES = OwnFiles(
    called="the feed {path}",
    places=("feeds/*.json", "feeds/*.xml", "feeds/images/*.xml", calendar.PATH),
    marks=(
        f'"_generator":"{syndication.GENERATOR}"'.encode(),
        f"<generator>{syndication.GENERATOR}</generator>".encode(),
        calendar.PRODUCT.encode(),
    ),
    unless="feeds: false",
)


def feeds(catalog: Catalog, site_url: str) -> dict[str, bytes]:
    """Path in the site → bytes of each feed, and of the calendar if any release has an end of life."""
    home = site_url.rstrip("/") + "/"
    items, at = catalog.by_name(), catalog.addresses
    pages = {name: urljoin(home, at.web(item.page.url)) for name, item in items.items()}
    updates = [_update(update, pages.get(update.application)) for update in catalog.updates]
    description = f"Version checks of {catalog.title}: what was shipped, held or skipped"
    made = dict(syndication.both("updates", catalog.title, description, home, updates))
    if catalog.history:
        made |= history_feeds.feeds(catalog, home)
    if dates := calendar.calendar(catalog, home):
        made[calendar.PATH] = dates
    return made


def _update(update: UpdateEntry, page: str | None) -> syndication.Entry:
    versions = f"{update.from_} → {update.to}" if update.from_ else update.to
    title = f"{update.application} {versions}: {update.outcome}"
    return syndication.Entry(
        # The same for the same application, versions and outcome, also when the site moves.
        id=syndication.identity(_UPDATES, [update.application, update.from_, update.to, update.outcome]),
        date=update.checked,
        title=title,
        text=update.note or title,
        tag=update.outcome,
        link=page,
    )


def media_type(path: str) -> str:
    return TYPES[PurePosixPath(path).suffix]


def feeds_of_page(made: Set[str], markers: Set[str], image: str | None) -> list[str]:
    """Which of the feeds belong to a page with these markers, or to the page of an image, by its slug."""
    wanted: list[str] = []
    if "updates" in markers:
        wanted += [JSON_FEED, RSS]
    if markers & {"changes", "trend", "time-to-fix"}:
        wanted += [history_feeds.SECURITY_JSON, history_feeds.SECURITY_RSS]
    if image is not None:
        wanted.append(history_feeds.image_path(image))
    return [path for path in wanted if path in made]


def check_address(site: Site, problems: Problems) -> None:
    """Warn when the site has no address, which feeds need."""
    if site.site_url is None:
        message, hint = "feeds need the address of the site", "set `site_url`, or remove `feeds`"
        problems.add(site.config.problem(("feeds",), message, hint, Level.WARNING, code=Code.SITE_URL))
