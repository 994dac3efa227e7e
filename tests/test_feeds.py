"""The feed of updates, held against the rules of RSS 2.0."""

from __future__ import annotations

import html
import json
import re
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import lxml.etree
import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.build import prepare
from mkdocs_catalog_api.catalog.models import UpdateEntry
from mkdocs_catalog_api.catalog.value import Catalog
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.publish.feeds import UPDATES_FEED, feeds
from mkdocs_catalog_api.sources.read_site import read_site

from .sites import SiteFolder

UPDATES = """
- {application: nginx, from: 1.9, to: 1.10, outcome: shipped, checked: 2025-10-31, note: Is <b>out</b> & on}
- {application: nginx, from: 1.9, to: 2.0-rc1, outcome: skipped, checked: 2025-10-30}
- {application: other, to: '1', outcome: held}
"""
ATOM = "{http://www.w3.org/2005/Atom}"


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


def is_absolute(address: str) -> bool:
    return urlsplit(address).scheme in ("http", "https") and bool(urlsplit(address).netloc)


def test_rss_keeps_the_rules_of_its_format(fed: SiteFolder) -> None:
    fed.build(strict=True)
    root = rss(fed)
    assert (root.tag, root.get("version")) == ("rss", "2.0")
    (channel,) = root
    assert all(channel.findtext(tag) for tag in ("title", "link", "description"))
    assert is_absolute(channel.findtext("link"))
    (own,) = channel.findall(f"{ATOM}link")
    assert (own.get("rel"), own.get("href")) == ("self", "https://example.org/catalog/feeds/updates.xml")
    items = channel.findall("item")
    assert len(items) == 3
    for item in items:
        assert item.findtext("title")
        assert item.find("guid").get("isPermaLink") == "false"
        assert item.findtext("link") is None or is_absolute(item.findtext("link"))
        if date := item.findtext("pubDate"):
            assert re.fullmatch(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} 00:00:00 GMT", date)


def test_the_feed_says_what_the_document_says(fed: SiteFolder) -> None:
    updates = fed.build().json("updates.json")["data"]
    entries = rss(fed).findall("channel/item")
    for update, entry in zip(updates, entries, strict=True):
        assert update["application"] in entry.findtext("title")
        assert update["to"] in entry.findtext("title")
        assert entry.findtext("category") == update["outcome"]
        if update["checked"]:
            assert parsedate_to_datetime(entry.findtext("pubDate")).date().isoformat() == update["checked"]
    # A reader takes this text for HTML, and then shows what the author wrote.
    assert entries[0].findtext("description") == "Is &lt;b&gt;out&lt;/b&gt; &amp; on"
    assert entries[0].findtext("link") == "https://example.org/catalog/images/nginx/"


def test_the_same_updates_give_the_same_feeds_and_a_move_keeps_their_identity(fed: SiteFolder) -> None:
    fed.build()
    before = {path.name: path.read_bytes() for path in (fed.folder / "site/feeds").iterdir()}
    ids = [guid.text for guid in rss(fed).findall("channel/item/guid")]
    fed.build()
    assert before == {path.name: path.read_bytes() for path in (fed.folder / "site/feeds").iterdir()}
    fed.config["site_url"] = "https://other.example/"
    fed.build()
    assert [guid.text for guid in rss(fed).findall("channel/item/guid")] == ids


def test_pages_with_updates_point_to_the_feeds(fed: SiteFolder) -> None:
    fed.mkdocs()
    folder = fed.folder / "site/news/updates"
    html = lxml.html.document_fromstring((folder / "index.html").read_text("utf-8"))
    links = html.xpath("/html/head/link[@rel='alternate feed']")
    assert [link.get("type") for link in links] == ["application/rss+xml"]
    assert all((folder / link.get("href")).resolve().is_file() for link in links)
    home = (fed.folder / "site/index.html").read_text("utf-8")
    assert "application/rss+xml" not in home


def test_a_feed_never_replaces_an_authors_file(fed: SiteFolder) -> None:
    fed.write("docs/feeds/updates.xml", "mine")
    result = fed.build()
    assert result.failed
    assert any(text.startswith("docs/feeds/updates.xml: ") for text in result.logged())
    assert not list((fed.folder / "site").rglob("*.*"))


def test_feeds_are_off_unless_asked_for(fed: SiteFolder) -> None:
    del fed.settings["feeds"]
    fed.build()
    assert not (fed.folder / "site/feeds").exists()


def test_feeds_ask_for_the_address_of_the_site(fed: SiteFolder) -> None:
    fed.config["site_url"] = ""
    result = fed.build()
    assert any("feeds need the address of the site" in text for text in result.logged())
    assert not (fed.folder / "site/feeds").exists()


def test_any_text_is_xml(fed: SiteFolder) -> None:
    text = json.dumps("]]> & <x> \uffff \xe9 'q\"")
    fed.write("updates.yml", f"- {{application: {text}, to: {text}, note: {text}, outcome: held}}\n")
    result = fed.build()
    assert not result.failed, result.logged()
    assert "]]> & <x> \ufffd" in html.unescape(rss(fed).findtext("channel/item/description"))


words = st.text(min_size=1, max_size=5).filter(str.strip)
outcomes: st.SearchStrategy[Literal["held", "shipped"]] = st.sampled_from(["held", "shipped"])


@given(st.lists(st.tuples(words, st.none() | words, words, outcomes), unique=True))
def test_no_two_updates_share_an_identity(
    facts: list[tuple[str, str | None, str, Literal["held", "shipped"]]],
) -> None:
    updates = tuple(
        UpdateEntry.model_construct(application=name, from_=old, to=new, outcome=outcome)
        for name, old, new, outcome in facts
    )
    made = feeds(Catalog(updates=updates), "https://example.org/")
    guids = lxml.etree.fromstring(made[UPDATES_FEED]).findall("channel/item/guid")
    assert len({guid.text for guid in guids}) == len(facts)


def test_a_foreign_file_in_the_site_stops_the_command_line(fed: SiteFolder, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from mkdocs_catalog_api.commands.main import main

    fed.build()
    arguments = ["build", "-f", str(fed.folder / "mkdocs.yml")]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    (fed.folder / "site/feeds/updates.xml").write_text("mine", "utf-8")
    assert CliRunner().invoke(main, arguments).exit_code == 1
    assert (fed.folder / "site/feeds/updates.xml").read_text("utf-8") == "mine"


def test_a_feed_is_replaced_as_a_whole(fed: SiteFolder) -> None:
    """What an earlier build wrote is not written into: whoever reads it meanwhile reads all of it."""
    feed = fed.build().folder / "site" / UPDATES_FEED
    reader = fed.folder / "reader"
    reader.hardlink_to(feed)
    before = feed.read_bytes()
    fed.config["site_name"] = "Another"
    problems = Problems()
    site, settings, _ = read_site(fed.write_config(), problems)
    prepare(site, settings, problems, strict=False).publish()
    assert reader.read_bytes() == before
    assert b"Another" in feed.read_bytes()
