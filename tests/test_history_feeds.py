"""The feeds of a history, read by a real parser."""

from __future__ import annotations

from typing import Any

import feedparser
import pytest

from mkdocs_catalog_api.catalog.value import Catalog, Image
from mkdocs_catalog_api.history.statistics import read_history
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.publish.feeds import news

from .past import ONE, THREE, TWO, Past
from .sites import SiteFolder, image_value, row

HOME = "https://example.org/catalog/"
IMAGES = image_value("nginx", "NGINX <1> & more"), image_value("other", "Other")


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """A baseline, a day of finds, a day with a new release that fixes one of them."""
    past = Past(SiteFolder(tmp_path_factory.mktemp("past")))
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [row("CVE-2020-0001", "CRITICAL")])
    past.day("2026-11-01")
    rows = [row(ONE, "HIGH", pkg="a"), row(ONE, "CRITICAL", pkg="b"), row(TWO, "LOW"), row(THREE, "MEDIUM")]
    past.scan("nginx", "1.0", [row("CVE-2020-0001", "CRITICAL"), *rows])
    past.day("2026-11-02")
    past.image("nginx", "1.0", "1.1", lifecycle="deprecated")
    past.scan("nginx", "1.1", [row("CVE-2020-0001", "CRITICAL"), row(THREE, "HIGH")])
    past.day("2026-11-03")
    return past


@pytest.fixture
def past(three_days: Past, site: SiteFolder) -> Past:
    return Past.copy(three_days, site)


def feeds(past: Past, images: tuple[Image, ...] = IMAGES) -> dict[str, bytes]:
    history = read_history(past.folder, Problems())
    catalog = Catalog(title="Catalog", site_url=HOME, images=images, history=history)
    return news(catalog, HOME)


def parsed(body: bytes) -> Any:
    feed = feedparser.parse(body)
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version == "rss20"
    return feed


def test_criticals_and_highs_come_and_are_fixed(three_days: Past) -> None:
    feed = parsed(feeds(three_days)["feeds/security.xml"])
    name = "NGINX <1> & more"
    assert [(entry.title, entry.published) for entry in feed.entries] == [
        (f"{name} 1.1: {THREE} (HIGH) found in openssl", "Tue, 03 Nov 2026 00:00:00 GMT"),
        (f"{name} 1.1: {ONE} (CRITICAL) fixed in a, b", "Tue, 03 Nov 2026 00:00:00 GMT"),
        (f"{name} 1.0: {ONE} (CRITICAL) found in a, b", "Mon, 02 Nov 2026 00:00:00 GMT"),
    ]
    assert {entry.link for entry in feed.entries} == {"https://example.org/catalog/images/nginx/"}
    assert feed.feed.link == "https://example.org/catalog/"


def test_an_image_has_its_releases_and_lifecycle_too(three_days: Past) -> None:
    made = feeds(three_days)
    feed = parsed(made["feeds/images/nginx.xml"])
    assert feed.feed.title == "NGINX <1> & more in Catalog"
    assert [entry.tags[0].term for entry in feed.entries] == [
        "found",
        "fixed",
        "release",
        "lifecycle",
        "found",
    ]
    assert feed.entries[3].title == "NGINX <1> & more is deprecated, no longer available"
    assert parsed(made["feeds/images/other.xml"]).entries == []


def test_going_back_to_an_older_version_is_no_news_of_a_fix(past: Past) -> None:
    past.image("nginx", "1.0", "1.1", "1.2")
    past.scan("nginx", "1.2", [row("CVE-2026-0009", "CRITICAL")])
    past.day("2026-11-04")
    past.image("nginx", "1.0", "1.1")
    past.unscan("nginx", "1.2")
    events = past.day("2026-11-05")
    assert ("vulnerability-gone", "CVE-2026-0009", "superseded") in {
        (event["kind"], event.get("id"), event.get("reason")) for event in events
    }
    entries = parsed(feeds(past)["feeds/security.xml"]).entries
    assert not [entry.title for entry in entries if "CVE-2026-0009" in entry.title and "fixed" in entry.title]


def test_identities_last_and_another_build_is_news(past: Past) -> None:
    def identities(path: str) -> list[str]:
        return [entry.id for entry in parsed(feeds(past)[path]).entries]

    paths = ("feeds/security.xml", "feeds/images/nginx.xml")
    before = {path: identities(path) for path in paths}
    assert all(len(set(found)) == len(found) for found in before.values())
    past.image("nginx", "1.0", "1.1", lifecycle="deprecated", v1_0="again")
    past.day("2026-11-04")
    newest = parsed(feeds(past)["feeds/images/nginx.xml"]).entries[0]
    assert (newest.title, newest.tags[0].term) == ("NGINX <1> & more 1.0 is rebuilt", "rebuild")
    past.image("nginx", "1.1")
    past.scan("nginx", "1.1", [])
    past.day("2026-11-05")
    for path in paths:
        assert identities(path)[-len(before[path]) :] == before[path]


def test_an_image_that_has_left_keeps_its_entries_without_a_link(three_days: Past) -> None:
    made = feeds(three_days, ())
    assert set(made) == {"feeds/security.xml"}
    entry = parsed(made["feeds/security.xml"]).entries[-1]
    assert entry.title == f"nginx 1.0: {ONE} (CRITICAL) found in a, b"
    assert "link" not in entry
