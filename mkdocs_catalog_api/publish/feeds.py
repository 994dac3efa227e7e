"""What readers and calendar programs subscribe to: the updates, what happened, the ends of life."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path, PurePosixPath
from typing import Any

from ..codes import Code
from ..problems import CatalogError, Level, Problem, Problems
from ..site import Site
from . import calendar, history_feeds, syndication, update_feeds
from .history_feeds import FeedImage, News
from .site_files import put, refuse_links, remove, says, source_of

TYPES = {".json": "application/feed+json", ".xml": "application/rss+xml", ".ics": calendar.TYPE}
"""Ending of a feed's path → media type."""
_PLACES = ("feeds/*.json", "feeds/*.xml", "feeds/images/*.xml", calendar.PATH)
"""Where a feed of an earlier build may be."""
_OURS = (
    f'"_generator":"{syndication.GENERATOR}"'.encode(),
    f"<generator>{syndication.GENERATOR}</generator>".encode(),
    calendar.PRODUCT.encode(),
)


def feeds(
    items: Mapping[str, Sequence[Any]], news: News | None, title: str, site_url: str
) -> dict[str, bytes]:
    """Path in the site → bytes of each feed, and of the calendar if any release has an end of life.

    `items` has every collection as published; `news` what happened, None when nobody has recorded it.
    """
    home = site_url.rstrip("/") + "/"
    made = dict(update_feeds.feeds(items, title, home))
    if news is not None:
        images = {image.slug: FeedImage(image.name, image.url) for image in items["images"]}
        made |= news.feeds(images, title, home)
    if dates := calendar.calendar(items["images"], title, home):
        made[calendar.PATH] = dates
    return made


def media_type(path: str) -> str:
    return TYPES[PurePosixPath(path).suffix]


def feeds_of_page(made: Set[str], markers: Set[str], image: str | None) -> list[str]:
    """Which of the feeds belong to a page with these markers, or to the page of an image, by its slug."""
    wanted: list[str] = []
    if "updates" in markers:
        wanted += [update_feeds.JSON_FEED, update_feeds.RSS]
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


def check(site: Site, made: Mapping[str, bytes], problems: Problems) -> None:
    """Add a problem for each of the author's files that would become a feed."""
    for path in made:
        if file := source_of(site, path):
            problems.add(_in_the_way(file, path))


def write(made: Mapping[str, bytes], site: Site, site_dir: Path, staging: Path) -> None:
    """Write the feeds into the site, each as a whole; `staging` is a folder on the same disk.

    Those that an earlier build has written, and this one has not, go.

    Raises:
        CatalogError: a link, or a file that is not ours, stands there.
    """
    problems = Problems()
    for path in made:
        target = site_dir / path
        refuse_links(site_dir, path, problems)
        if target.exists() and not says(target, _OURS):
            problems.add(_in_the_way(path, path))
    if list(problems):
        raise CatalogError(problems)
    for path, body in made.items():
        put(site_dir, path, body, staging)
    for target in sorted({target for pattern in _PLACES for target in site_dir.glob(pattern)}):
        path = target.relative_to(site_dir).as_posix()
        if path not in made and not (site.docs_dir / path).exists():
            remove(site_dir, path, _OURS)


def _in_the_way(file: str, path: str) -> Problem:
    message = f"the feed {path} would land on this file"
    hint = "move it, or set `feeds: false`"
    return Problem(file, 0, 0, "", message, hint, code=Code.IN_THE_WAY)
