"""What a build publishes of the recorded days: documents, feeds, graphs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.web.history_graphs import Point, trend

from .pages import cells, document, words
from .past import ONE, TWO, Past
from .sites import Result, SiteFolder, built, rendered, row
from .test_cli import call

FIRST, SECOND, THIRD = "2026-11-01", "2026-11-02", "2026-11-03"


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """A baseline, a find, a fix; an image that leaves; a page with every marker."""
    site = SiteFolder(tmp_path_factory.mktemp("past"))
    past = Past(site)
    site.settings["feeds"] = True
    site.write("docs/index.md", "# Home\n")
    markers = [f"<!-- catalog: {name} -->" for name in ("trend", "changes limit=2", "time-to-fix")]
    site.write("docs/past.md", "# Past\n\n" + "\n\n".join(markers) + "\n")
    site.write("docs/ids.md", "# Ids\n\n<!-- catalog: cves -->\n")
    past.image("nginx", "1.0")
    past.image("other", "2.0")
    past.scan("nginx", "1.0", [row(TWO, "LOW")])
    past.day(FIRST)
    past.scan("nginx", "1.0", [row(ONE, "HIGH", pkg="a"), row(ONE, "CRITICAL", pkg="b"), row(TWO, "LOW")])
    past.day(SECOND)
    past.image("nginx", "1.0", "1.1")
    past.scan("nginx", "1.1", [row(TWO, "LOW")])
    (site.folder / "docs/images/other.md").unlink()
    past.day(THIRD)
    return past


@pytest.fixture
def past(three_days: Past, site: SiteFolder) -> Past:
    return Past.copy(three_days, site)


@pytest.fixture(scope="module")
def result(three_days: Past, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Its site."""
    past = Past.copy(three_days, SiteFolder(tmp_path_factory.mktemp("site")))
    return rendered(past.site, strict=True)


def parsed(path: Path) -> Any:
    feed = feedparser.parse(path.read_bytes())
    assert (feed.bozo, feed.version) == (False, "rss20")
    return feed


def build(site: SiteFolder) -> None:
    built = call("build", "-f", site.write_config())
    assert built.exit_code == 0, built.output


def test_a_day_of_changes_has_an_address_totals_and_links_to_its_vulnerabilities(result: Result) -> None:
    html = document(result, "past/index.html")
    for day, totals, id_ in ((SECOND, "+2 found, −0 fixed", ONE), (THIRD, "+0 found, −2 fixed", ONE)):
        (part,) = html.xpath(f"//*[@id='{day}']")
        assert part.xpath(f".//a[@href='#{day}']"), "a day can be linked to"
        assert totals in words(part)
        assert {*part.xpath(f".//a[normalize-space()='{id_}']/@href")} == {f"../ids/?id={id_}"}


def test_pages_point_to_feeds_of_what_came_and_was_fixed(result: Result) -> None:
    site = result.folder / "site"
    feed = parsed(site / "feeds/security.xml")
    assert [(entry.title, entry.published) for entry in feed.entries] == [
        (f"nginx 1.1: {ONE} (CRITICAL) fixed in a, b", "Tue, 03 Nov 2026 00:00:00 GMT"),
        (f"nginx 1.0: {ONE} (CRITICAL) found in a, b", "Mon, 02 Nov 2026 00:00:00 GMT"),
    ]
    assert {entry.link for entry in feed.entries} == {"https://example.org/catalog/images/nginx/"}
    assert feed.feed.link == "https://example.org/catalog/"
    of_image = parsed(site / "feeds/images/nginx.xml")
    assert of_image.feed.title == "nginx in Catalog"
    assert [entry.tags[0].term for entry in of_image.entries] == ["fixed", "release", "found"]
    for path, wanted in (("past", "feeds/security.xml"), ("images/nginx", "feeds/images/nginx.xml")):
        html = document(result, f"{path}/index.html")
        (link,) = html.xpath("/html/head/link[@rel='alternate feed']/@href")
        assert (site / path / link).resolve() == site / wanted
        assert link in html.xpath("//body//a/@href")


def test_graphs_are_read_without_a_script(result: Result) -> None:
    html = document(result, "past/index.html")
    (graph,) = html.xpath("//figure//*[local-name()='svg'][@role='img']")
    label = graph.get("aria-label")
    assert label.startswith(f"Open vulnerabilities from {FIRST} to {THIRD}: at most 3; at the end 1 (1 low)")
    (table,) = html.xpath("//*[@aria-label='Open vulnerabilities by day']//table")
    assert cells(table) == [
        [THIRD, "0", "0", "0", "1", "0", "1", "1"],
        [SECOND, "1", "1", "0", "1", "0", "3", "3"],
        [FIRST, "0", "0", "0", "1", "0", "1", "1"],
    ]
    text = words(html)
    assert f"fixed: {ONE} (" in text
    assert "other left the catalog" in text
    assert FIRST not in "".join(html.xpath("//section//time/text()")), "the limit is two days"
    (fixed,) = html.xpath("//*[@aria-label='Time to fix']//tbody/tr[1]")
    assert [cell.text_content() for cell in fixed][1:4] == ["1", "1 day", "1 day"]


def test_an_images_page_has_its_own(past: Past) -> None:
    past.image("nginx", "1.1")
    past.unscan("nginx", "1.1")
    past.day("2026-11-04")
    html = document(past.site.mkdocs(), "images/nginx/index.html")
    (graph,) = html.xpath("//figure//*[local-name()='svg'][@role='img']")
    assert graph.get("aria-label").endswith("at the end not scanned")
    gap = html.xpath("//*[local-name()='path'][@class='catalog-gap']")
    assert gap, "no scan never looks like nothing found"
    fixed = html.xpath("//*[@aria-label='Fixed vulnerabilities']//tbody/tr")
    assert [ONE in line.text_content() for line in fixed] == [True] * 2


def test_without_a_history_there_is_nothing_of_it(past: Past) -> None:
    shutil.rmtree(past.site.folder / "history")
    result = past.site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    assert not {"changes", "fixes"} & result.json("index.json")["documents"].keys()
    for path in ("api/v1/changes.json", "api/v1/history", "feeds/security.xml"):
        assert not (result.folder / "site" / path).exists()
    assert document(result, "past/index.html").text_content().count("No day has been recorded yet.") == 3


def test_a_build_is_refused_for_a_damaged_day_and_a_folder_that_mkdocs_would_publish(past: Past) -> None:
    path = past.file(SECOND)
    path.write_bytes(path.read_bytes()[:-4])
    assert any(text.startswith(f"history/{SECOND}.json:") for text in past.site.build().logged())
    past.site.config["docs_dir"] = "history"
    assert any("MkDocs would publish it" in text for text in past.site.build().logged())
    assert not (past.site.folder / "site/api").exists()


@pytest.mark.parametrize("slug", ["index", "../../x", "con", "x.json"])
def test_no_image_of_the_history_lands_elsewhere(past: Past, slug: str) -> None:
    path = past.file(THIRD)
    text = path.read_text("utf-8").replace('"images":{\n', f'"images":{{\n{json.dumps(slug)}:{{}},\n')
    path.write_text(text, "utf-8", newline="\n")
    result = past.site.build()
    assert [(each.code, each.line) for each in result.problems] == [("CAT050", 2)]
    assert not list(past.site.folder.rglob("x.json*"))


def test_the_calendar_needs_no_history_and_replaces_no_file(site: SiteFolder) -> None:
    site.settings["feeds"] = True
    site.image("nginx", "versions: [{version: '1.27', endOfLife: 2026-12-01}]")
    result = site.mkdocs()
    assert (site.folder / "site/eol.ics").read_bytes().startswith(b"BEGIN:VCALENDAR")
    assert document(result, "images/nginx/index.html").xpath("//a[@href='../../eol.ics']")
    site.write("docs/eol.ics", "mine")
    result = site.mkdocs()
    assert result.failed
    assert any(text.startswith("docs/eol.ics: ") for text in result.logged())


def test_feeds_that_are_no_longer_made_leave_the_site_and_others_stay(past: Past) -> None:
    site = past.site.folder / "site"

    def feeds() -> set[str]:
        build(past.site)
        return {path.relative_to(site).as_posix() for path in (site / "feeds").rglob("*") if path.is_file()}

    past.image("other", "2.0")
    made = feeds()
    assert {"feeds/images/nginx.xml", "feeds/images/other.xml", "feeds/security.xml"} <= made
    ours = (site / "feeds/images/other.xml").read_bytes()
    past.site.write("site/feeds/images/theirs.xml", "<rss/>")
    for folder in ("docs", "site"):
        past.site.write(f"{folder}/feeds/kept.xml", ours)
    (past.site.folder / "docs/images/other.md").unlink()
    theirs = {"feeds/images/theirs.xml", "feeds/kept.xml"}
    assert feeds() == made - {"feeds/images/other.xml"} | theirs
    past.site.settings["feeds"] = False
    assert feeds() == theirs


def test_no_feed_is_removed_through_a_link(past: Past) -> None:
    build(past.site)
    feeds = past.site.folder / "site/feeds"
    feeds.symlink_to(feeds.rename(past.site.folder / "elsewhere"))
    past.site.settings["feeds"] = False
    build(past.site)
    assert (past.site.folder / "elsewhere/security.xml").is_file()


def test_identities_last_and_another_build_is_news(past: Past) -> None:
    site = past.site.folder / "site"
    paths = [site / name for name in ("feeds/security.xml", "feeds/images/nginx.xml")]

    def identities() -> list[list[str]]:
        build(past.site)
        return [[entry.id for entry in parsed(path).entries] for path in paths]

    before = identities()
    assert [len({*found}) for found in before] == [len(found) for found in before]
    past.image("nginx", "1.0", "1.1", "1.2", lifecycle="deprecated", v1_0="again")
    past.scan("nginx", "1.2", [row("CVE-2026-0009", "CRITICAL")])
    past.day("2026-11-04")
    build(past.site)
    entries = parsed(paths[1]).entries
    assert {"nginx 1.0 is rebuilt", "nginx is deprecated, no longer available"} <= {e.title for e in entries}
    past.image("nginx", "1.0", "1.1", lifecycle="deprecated", v1_0="again")
    past.unscan("nginx", "1.2")
    past.day("2026-11-05")
    after = identities()
    assert [found[-len(old) :] for found, old in zip(after, before, strict=True)] == before
    news = [entry.title for entry in parsed(paths[0]).entries if "CVE-2026-0009" in entry.title]
    assert news == ["nginx 1.2: CVE-2026-0009 (CRITICAL) found in openssl"], "going back fixes nothing"


@pytest.fixture
def counted(site: SiteFolder) -> Past:
    """One day of an available image, a deprecated one, a planned one, and one that nobody scanned."""
    past = Past(site)
    site.write("docs/past.md", "# Past\n\n<!-- catalog: trend -->\n")
    past.image("nginx", "1.0")
    # One vulnerability in two versions of one package counts twice, as on every other page.
    past.scan("nginx", "1.0", [row(ONE, fixed="2"), row(ONE) | {"InstalledVersion": "9"}])
    for slug, lifecycle in (("old", "deprecated"), ("plan", "planned"), ("unscanned", "available")):
        past.image(slug, "1.0", lifecycle=lifecycle, v1_0=slug)
        if slug != "unscanned":
            past.scan(slug, "1.0", [row(TWO, "LOW")], slug)
    past.day(FIRST)
    return past


def test_a_day_stores_the_counts_of_the_summary(counted: Past) -> None:
    result = rendered(counted.site)
    stored, summary = json.loads(counted.file(FIRST).read_bytes())["figures"], result.json("security.json")
    for name, at, count in (("all", summary, 3), ("available", summary["available"], 2)):
        assert (stored[name].pop("images"), stored[name]["total"]) == (count, count)
        assert stored[name].items() <= at.items()
    assert "2 open in available images, 3 in all images" in words(document(result, "past/index.html"))


def test_a_new_day_changes_no_document_of_an_older_one(counted: Past) -> None:
    def changes() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (built(counted.site).api / "changes").iterdir()}

    counted.day(SECOND)
    before = changes()
    counted.scan("old", "1.0", [], "old")
    counted.day(THIRD)
    after = changes()
    assert {name: after[name] for name in before} == before


COUNTERS = st.fixed_dictionaries(
    dict.fromkeys(("critical", "high", "medium", "low", "unknown"), st.integers(0, 5000))
)


@given(st.lists(COUNTERS | st.none(), min_size=2, max_size=6))
def test_a_trend_never_shows_less_than_there_was(days: list[dict[str, int] | None]) -> None:
    points = [Point(f"2026-01-{n + 1:02}", each) for n, each in enumerate(days)]
    graph = trend(points, points[-1].date)
    if graph is None:
        assert days == [None] * len(days)
        return
    totals = [sum(each.values()) for each in days if each]
    assert graph.most >= max(totals)
    assert graph.most % 2 == 0
    shown = {word for word, _ in graph.areas}
    assert shown == {word for each in days if each for word, count in each.items() if count}
    assert bool(graph.gaps) == (None in days)
