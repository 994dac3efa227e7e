"""The feed of updates, by the rules of RSS 2.0, and the calendar of ends of life."""

from __future__ import annotations

import datetime
import html
import json
import re
from email.utils import parsedate_to_datetime
from typing import Any

import icalendar
import lxml.etree
import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.addresses import UPDATES_FEED
from mkdocs_catalog_api.catalog.value import Catalog, Image
from mkdocs_catalog_api.items.models import UpdateEntry, VersionEntry
from mkdocs_catalog_api.publish.feeds import calendar, feeds

from .sites import SiteFolder, built, image_value
from .test_cli import call

UPDATES = """
- {application: nginx, from: 1.9, to: 1.10, outcome: shipped, checked: 2025-10-31, note: Is <b>out</b> & on}
- {application: nginx, from: 1.9, to: 2.0-rc1, outcome: skipped, checked: 2025-10-30}
- {application: other, to: '1', outcome: held}
"""
HOME = "https://example.org/catalog/"


@pytest.fixture
def fed(site: SiteFolder) -> SiteFolder:
    """A site with updates and feeds."""
    site.settings["feeds"] = True
    site.image("nginx", "name: NGINX\nversions: [1.10]")
    site.write("updates.yml", UPDATES)
    site.write("docs/index.md", "# Home\n")
    site.write("docs/news/updates.md", "# Updates\n\n<!-- catalog: updates -->\n")
    return site


def rss(site: SiteFolder) -> Any:
    return lxml.etree.parse(site.folder / "site/feeds/updates.xml").getroot()


def test_rss_keeps_its_rules_and_says_what_the_document_says(fed: SiteFolder) -> None:
    updates = fed.build(strict=True).json("updates.json")["data"]
    root = rss(fed)
    assert (root.tag, root.get("version")) == ("rss", "2.0")
    (channel,) = root
    assert channel.findtext("title") and channel.findtext("description")
    assert channel.findtext("link").startswith(HOME)
    (own,) = channel.findall("{http://www.w3.org/2005/Atom}link")
    assert (own.get("rel"), own.get("href")) == ("self", f"{HOME}feeds/updates.xml")
    entries = channel.findall("item")
    for update, entry in zip(updates, entries, strict=True):
        assert update["application"] in entry.findtext("title") and update["to"] in entry.findtext("title")
        assert entry.findtext("category") == update["outcome"]
        assert entry.find("guid").get("isPermaLink") == "false"
        assert (entry.findtext("pubDate") is None) == (update["checked"] is None)
        if date := entry.findtext("pubDate"):
            assert re.fullmatch(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} 00:00:00 GMT", date)
            assert parsedate_to_datetime(date).date().isoformat() == update["checked"]
    # A reader takes this text for HTML, and then shows what the author wrote.
    assert entries[0].findtext("description") == "Is &lt;b&gt;out&lt;/b&gt; &amp; on"
    assert [entry.findtext("link") for entry in entries] == [f"{HOME}images/nginx/"] * 2 + [None]
    text = json.dumps("]]> & <x> \uffff \xe9 'q\"")
    fed.write("updates.yml", f"- {{application: {text}, to: {text}, note: {text}, outcome: held}}\n")
    assert not fed.build().failed
    assert "]]> & <x> \ufffd" in html.unescape(rss(fed).findtext("channel/item/description")), "any text"


def test_a_move_of_the_site_keeps_the_identity_of_updates(fed: SiteFolder) -> None:
    fed.build()
    ids = [guid.text for guid in rss(fed).findall("channel/item/guid")]
    fed.config["site_url"] = "https://other.example/"
    fed.build()
    assert [guid.text for guid in rss(fed).findall("channel/item/guid")] == ids


def test_pages_with_updates_point_to_the_feeds(fed: SiteFolder) -> None:
    fed.mkdocs()
    folder = fed.folder / "site/news/updates"
    html = lxml.html.document_fromstring((folder / "index.html").read_text("utf-8"))
    (link,) = html.xpath("/html/head/link[@rel='alternate feed']")
    assert link.get("type") == "application/rss+xml"
    assert (folder / link.get("href")).resolve().is_file()
    assert "application/rss+xml" not in (fed.folder / "site/index.html").read_text("utf-8")


def test_discovery_names_feeds_and_calendar_where_they_are(fed: SiteFolder) -> None:
    documents = built(fed).at("index documents")
    assert documents["feeds"] == ["/catalog/feeds/updates.xml"] and "calendar" not in documents
    fed.image("ending", "versions: [{version: '1', endOfLife: 2027-01-01}]")
    assert built(fed).at("index documents")["calendar"] == "/catalog/eol.ics"
    del fed.settings["feeds"]
    assert not {"feeds", "calendar"} & built(fed).at("index documents").keys()


def test_a_feed_never_replaces_an_authors_file(fed: SiteFolder) -> None:
    fed.write("docs/feeds/updates.xml", "mine")
    result = fed.build()
    assert result.failed
    assert any(text.startswith("docs/feeds/updates.xml: ") for text in result.logged())
    assert not list((fed.folder / "site").rglob("*.*"))


def test_feeds_are_off_unless_asked_for_with_the_address_of_the_site(fed: SiteFolder) -> None:
    fed.config["site_url"] = ""
    assert any("feeds need the address of the site" in text for text in fed.build().logged())
    assert not (fed.folder / "site/feeds").exists()
    del fed.settings["feeds"], fed.config["site_url"]
    assert fed.build(strict=True).logged() == []
    assert not (fed.folder / "site/feeds").exists()


words = st.text(min_size=1, max_size=5).filter(str.strip)


@given(
    st.lists(st.tuples(words, st.none() | words, words, st.sampled_from(["held", "shipped"])), unique=True)
)
@settings(max_examples=25)
def test_no_two_updates_share_an_identity(facts: list[tuple[Any, ...]]) -> None:
    keys = ("application", "from_", "to", "outcome")
    updates = tuple(UpdateEntry.model_construct(None, **dict(zip(keys, each, strict=True))) for each in facts)
    made = feeds(Catalog(updates=updates), HOME)
    guids = lxml.etree.fromstring(made[UPDATES_FEED]).findall("channel/item/guid")
    assert len({guid.text for guid in guids}) == len(facts)


def test_a_foreign_file_in_the_site_stops_the_command_line(fed: SiteFolder) -> None:
    fed.build()
    arguments = "build", "-f", fed.folder / "mkdocs.yml"
    assert call(*arguments).exit_code == 0
    (fed.folder / "site/feeds/updates.xml").write_text("mine", "utf-8")
    assert call(*arguments).exit_code == 1
    assert (fed.folder / "site/feeds/updates.xml").read_text("utf-8") == "mine"


# The calendar of ends of life, read by a real parser


def image(name: str = "NGINX", slug: str = "nginx", **versions: str | None) -> Image:
    """An image with versions that end on a day."""
    listed = [VersionEntry.model_construct(version=label, end_of_life=end) for label, end in versions.items()]
    return image_value(slug, name, versions=listed)


def ends(*images: Image, title: str = "Catalog", home: str = HOME) -> bytes | None:
    """The calendar of a catalog with these images."""
    return calendar(Catalog(title=title, site_url=home, images=images), home)


def events(body: bytes | None) -> list[Any]:
    assert body is not None
    parsed = icalendar.Calendar.from_ical(body)
    assert parsed["VERSION"] == "2.0"
    assert parsed["PRODID"]
    found = parsed.walk("VEVENT")
    assert all(not event.errors for event in (parsed, *found))
    return found


def test_the_calendar_of_a_catalog(site: SiteFolder) -> None:
    ending = "versions: [{version: '1.27', endOfLife: 2026-12-01}, '1.28']"
    site.image("nginx", f"name: 'NGINX, the server'\n{ending}")
    site.settings["feeds"] = True
    assert not site.build(strict=True).failed
    (event,) = events((site.folder / "site/eol.ics").read_bytes())
    assert event["SUMMARY"] == "NGINX, the server 1.27: end of life"
    assert event["DTSTART"].dt == datetime.date(2026, 12, 1)
    assert event["DTSTAMP"].dt == datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)
    assert event["URL"] == "https://example.org/catalog/images/nginx/"
    assert "registry.example.org/hardened/nginx:1.27" in event["DESCRIPTION"]


def test_identities_of_events_last_and_differ() -> None:
    assert ends(image(a=None)) is None, "nothing ends"
    first = events(ends(image(a="2026-01-01", b="2026-01-01"), image(slug="x", a="2026-01-01")))
    moved = events(ends(image("Renamed", a="2027-02-03"), title="D", home="https://elsewhere.example/"))
    assert len({event["UID"] for event in first}) == 3
    assert moved[0]["UID"] == first[0]["UID"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_name_comes_through_and_no_line_is_too_long(name: str) -> None:
    body = ends(image(f"{name}\r\nb\x00c", a="2028-02-29"), title=name)
    (event,) = events(body)
    assert event["SUMMARY"] == f"{name}\nb\ufffdc a: end of life"
    assert body and body.endswith(b"END:VCALENDAR\r\n")
    for line in body.split(b"\r\n"):
        assert len(line) <= 75
        line.decode()
