"""The example site in Chromium, visited as people do: by mouse or keys, in the dark, on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from mkdocs_catalog_api.web.overview import counted

from .browser import Visit, faults, served, violations
from .example import copy_example
from .sites import run

pytestmark = pytest.mark.slow

PAGES = (
    *("", "images/", "images/solr/", "images/nginx/", "images/varnish/", "charts/", "charts/monitoring/"),
    *("roadmap/", "roadmap/harbor/", "security/", "updates/", "changes/", "badges/"),
    "cves/?id=CVE-2025-58187",
)


@pytest.fixture(scope="module")
def plain(online: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the example with pages that show nothing of the catalog."""
    folder = tmp_path_factory.mktemp("plain")
    copy_example(folder)
    config = folder / "mkdocs.yml"
    config.write_text(config.read_text("utf-8").replace("      feeds: true\n", "      web: false\n"), "utf-8")
    result = run(config, strict=True, site_dir=str(folder / "site"))
    assert not result.failed, result.logged()
    with served(folder / "site") as home:
        yield home


def test_a_visitor_finds_an_image_and_copies_its_digest(visit: Visit) -> None:
    page = visit.page
    visit.go("")
    page.get_by_role("link", name="Browse the images").click()
    page.get_by_label("Databases").check()
    items = page.locator("[data-item]:visible")
    expect(items.first).to_be_visible()
    listed = visit.json("images.json")["data"]
    wanted = [
        image["name"]
        for image in listed
        if image["category"] == "Databases" and image["lifecycle"] == "available"
    ]
    expect(items).to_have_count(len(wanted))
    expect(page.locator(".catalog-controls output")).to_have_text(f"{len(wanted)} available images")
    assert "category=Databases" in page.url
    page.locator("[data-item] a").first.click()
    expect(page.locator(".catalog-trail")).to_be_visible()
    page.go_back()
    expect(items).to_have_count(len(wanted))
    page.locator(".catalog-trail, .catalog-controls [data-clear]").first.click()
    page.locator("input[name=lifecycle]").evaluate_all("boxes => boxes.forEach(box => box.click())")
    page.get_by_label("Find").fill("solr")
    expect(items).to_have_count(1)
    items.get_by_role("link", name="Apache Solr").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Apache Solr¶")
    (solr,) = (image for image in listed if image["slug"] == "solr")
    page.get_by_role("button", name="Copy the digest").first.click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()") == solr["versions"][0]["digest"]
    rows = page.get_by_role("region", name="Vulnerabilities of").locator("tbody tr")
    found = visit.json("security/solr.json")["latest"]["cves"]
    expect(rows).to_have_count(len({row["id"] for row in found}))
    page.get_by_role("checkbox", name="critical").check()
    critical = [row["id"] for row in found if row["severity"] == "CRITICAL"]
    expect(page.locator("tbody tr[data-item]:visible")).to_have_count(len({*critical}))
    expect(page.locator("[data-list=vulnerabilities] output")).to_contain_text(
        counted(len(critical), "vulnerability")
    )
    href = page.locator(".catalog-side").get_by_role("link", name="JSON").get_attribute("href")
    assert href is not None
    address = page.evaluate("href => new URL(href, location).href", href)
    assert json.loads(page.request.get(address).text())["data"] == solr


def test_tables_sort_by_number_and_by_version(visit: Visit) -> None:
    page = visit.page
    visit.go("images/?view=table")
    table = page.get_by_role("region", name="Images").locator("table")
    total = table.get_by_role("columnheader", name="Total")
    for direction in ("descending", "ascending"):
        total.get_by_role("button").press("Enter")
        expect(total).to_have_attribute("aria-sort", direction)
        listed = visit.json("images.json")["data"]
        figures = [one["security"]["total"] for one in listed if one["lifecycle"] == "available"]
        wanted = sorted((n for n in figures if n is not None), reverse=direction == "descending")
        missing = [str(figure) for figure in wanted] + ["–"] * figures.count(None)
        expect(table.locator("tbody tr .catalog-total")).to_have_text(missing)


def test_the_button_of_the_answer_leads_to_as_many_images_as_it_says(visit: Visit) -> None:
    page = visit.page
    for path in ("", "security/"):
        visit.go(path)
        button = page.locator(".catalog-banner .catalog-button")
        count = (button.text_content() or "").split()[2]
        button.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Images¶")
        expect(page.locator(".catalog-list [data-item]:visible")).to_have_count(int(count))


def test_old_scans_come_before_the_answer(visit: Visit) -> None:
    """The scans of the example are of 2025; `visiting` sets the browser's own clock."""
    page = visit.page
    visit.go("security/")
    warning = page.get_by_text(re.compile(r"All \d+ scans are older than 30 days"))
    expect(warning).to_be_visible()
    page.evaluate("globalThis.catalogNow = '2025-11-01'")
    page.get_by_role("navigation", name="Tabs").get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hardened Images¶")
    expect(page.locator(".catalog-banner")).to_be_visible()
    expect(warning).to_be_hidden()


def test_instant_navigation_starts_the_script_again(visit: Visit) -> None:
    page = visit.page
    visit.go("images/")
    page.evaluate("window.stays = true")
    page.locator(".md-tabs").get_by_role("link", name="Charts").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Charts¶")
    expect(page.get_by_label("Find")).to_be_visible()
    assert page.evaluate("window.stays") is True
    page.get_by_label("Find").fill("monitoring")
    expect(page.locator("[data-item]:visible")).to_have_count(1)


def test_the_switch_to_dark_changes_our_colours(visit: Visit) -> None:
    visit.go("images/")
    grade = visit.page.locator(".catalog-grade").first
    light = grade.evaluate("element => getComputedStyle(element).backgroundColor")
    visit.page.get_by_title("Switch to dark mode").click()
    expect(visit.page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert grade.evaluate("element => getComputedStyle(element).backgroundColor") != light


def test_no_table_is_cut_and_no_word_is_broken(visit: Visit) -> None:
    found = {}
    for path in PAGES:
        visit.go(path)
        found[path] = faults(visit.page, (320, 390, 768, 1280, 1440, 1920))
    assert not {path: widths for path, widths in found.items() if widths}


@pytest.mark.parametrize("visit", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
def test_on_a_phone_filters_are_folded_until_one_is_wanted(visit: Visit) -> None:
    page = visit.page
    visit.go("images/")
    fold, category = page.get_by_role("button", name="Filters"), page.locator("summary", has_text="Category")
    active = page.locator(".catalog-active button")
    expect(category).to_be_hidden()
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "true")
    expect(category).to_be_visible()
    fold.click()
    expect(category).to_be_hidden()
    visit.go("images/?find=nginx")
    expect(category).to_be_hidden()
    visit.go("images/?category=Databases")
    expect(active).to_have_text(["Category: Databases"])
    expect(category).to_be_hidden()


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_everything_is_there_without_a_script(visit: Visit) -> None:
    visit.go("images/")
    listed = visit.json("images.json")["data"]
    available = [image for image in listed if image["lifecycle"] == "available"]
    expect(visit.page.locator("[data-item]:visible")).to_have_count(len(available))
    for control in visit.page.locator(".catalog-controls, .catalog-copy").all():
        expect(control).to_be_hidden()


def test_the_example_shows_itself_at_its_own_day_and_says_so(browser: Browser, online: str) -> None:
    page = browser.new_page()
    page.clock.set_fixed_time("2031-01-01T00:00:00Z")
    for path in ("images/", "security/", "images/nginx/"):
        page.goto(f"{online}/{path}")
        expect(page.get_by_text("as of November 1, 2025")).to_have_count(1)
        expect(page.get_by_text("days old").filter(visible=True)).to_have_count(0)
        expect(page.get_by_text("scans are older than").filter(visible=True)).to_have_count(0)
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_that_comes_from_us(
    browser: Browser, online: str, plain: str, scheme: Any, node: Path
) -> None:
    axe = node / "node_modules/axe-core/axe.min.js"
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    every_page = violations(page, plain, axe).keys()  # what the theme itself does everywhere
    for path in PAGES:
        found = violations(page, f"{online}/{path}", axe)
        if not found.keys() <= every_page:
            assert found.keys() <= violations(page, plain + path, axe).keys(), (path, found)
        assert not [node for nodes in found.values() for node in nodes if "catalog" in node], path
    context.close()


def vulnerabilities(pairs: set[tuple[str, str]]) -> str:
    """The number of pairs of id and package, and of ids if it differs."""
    ids = {id_ for id_, _ in pairs}
    more = f" ({counted(len(ids), 'id')})" if len(ids) < len(pairs) else ""
    return counted(len(pairs), "vulnerability") + more


def test_two_versions_are_compared_by_a_shared_address(visit: Visit) -> None:
    page, box = visit.page, visit.page.locator(".catalog-compare")
    visit.go("images/postgresql/?compare=17.5..18.0")
    documents = {
        version: visit.json(f"security/postgresql/{version}.json") for version in ("17.5", "18.0", "17.6")
    }
    pairs = {
        version: {(row["id"], row["pkg"]) for row in document["cves"]}
        for version, document in documents.items()
    }

    def counts(before: str, after: str) -> list[str]:
        old, new = pairs[before], pairs[after]
        groups = [(old - new, "gone"), (old & new, "in both"), (new - old, "new")]
        return [f"{vulnerabilities(rows)} {words}" for rows, words in groups]

    expect(box.locator("summary")).to_have_text(counts("17.5", "18.0"))
    expect(box.locator("details").first.locator("li")).to_have_count(
        len({id_ for id_, _ in pairs["17.5"] - pairs["18.0"]})
    )
    box.get_by_label("From").select_option("17.6")
    expect(box.locator("summary")).to_have_text(counts("17.6", "18.0"))
    assert page.url.endswith("?compare=17.6..18.0")
    page.locator("tr[data-version='17.5'] .catalog-update a").first.click()
    expect(box.locator("summary")).to_have_text(counts("17.5", "17.6"))
    assert "compare=17.5..17.6" in page.url
    visit.go("images/grafana/?compare=12.2.0..12.2.1")
    expect(box.locator("div")).to_have_text("12.2.1 not scanned, so they can't be compared.")


def test_a_version_without_a_scan_has_no_list_of_vulnerabilities(visit: Visit) -> None:
    page, listed = visit.page, visit.page.locator("[data-list=vulnerabilities]")
    said = page.get_by_text("12.2.1 has not been scanned.", exact=True)
    visit.go("images/grafana/")
    expect(said).to_be_visible()
    expect(listed).to_be_hidden()
    page.get_by_label("of version").select_option(label="12.2.0: 5")
    expect(listed.locator("output")).to_have_text("5 vulnerabilities")
    expect(said).to_be_hidden()
    page.get_by_label("of version").select_option(index=0)
    expect(listed).to_be_hidden()
    expect(said).to_be_visible()


def test_the_quick_start_follows_client_version_and_platform(visit: Visit) -> None:
    page, box = visit.page, visit.page.locator(".catalog-start")
    visit.go("images/postgresql/")
    image = visit.json("images/postgresql/index.json")["data"]
    digests = {version["version"]: version["digest"] for version in image["versions"]}
    expect(box.locator("[data-client]:visible")).to_have_count(1)
    box.get_by_role("radio", name="docker", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(box.locator("[data-client]:visible code")).to_have_text(
        f"podman pull {image['image']}@{digests['18.0']}"
    )
    box.get_by_label("Version").select_option("17.6")
    box.get_by_label("Platform").select_option("linux/arm64")
    pull = f"podman pull --platform=linux/arm64 {image['image']}@{digests['17.6']}"
    box.locator("[data-client]:visible button").click()
    expect(box.locator("[data-client]:visible button")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == pull
    expect(box.locator("code").last).to_contain_text(f"{image['image']}@{digests['17.6']}")
    visit.go("images/haproxy/")
    image = visit.json("images/haproxy/index.json")["data"]
    (_, arm) = image["versions"][0]["manifests"]
    box.get_by_label("Platform").select_option(arm["platform"])
    code = f"docker pull {image['image']}:{image['latest']}@{arm['digest']}"
    expect(box.locator("[data-client]:visible code")).to_have_text(code)


@pytest.mark.parametrize(
    ("day", "state", "sentence"),
    [
        ("2025-11-02", "good", "Use 18.0. Supported until 2030-11-14 (5 years). Scanned 2 days ago, signed"),
        (
            "2026-02-01",
            "fair",
            "The scan of 18.0 is old, so more may be known now. Supported until 2030-11-14 (4 y",
        ),
        ("2031-02-01", "bad", "Do not use 18.0. Support ended on 2030-11-14. Scanned"),
    ],
)
def test_the_answer_is_that_of_the_readers_day(visit: Visit, day: str, state: str, sentence: str) -> None:
    visit.page.add_init_script(f"globalThis.catalogNow = '{day}T12:00:00Z'")
    visit.go("images/postgresql/")
    banner = visit.page.locator(".catalog-answer")
    expect(banner).to_contain_class(f"catalog-state-{state}")
    expect(banner).to_contain_text(sentence)


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_an_item_page_is_whole_without_a_script(visit: Visit) -> None:
    page = visit.page
    visit.go("images/haproxy/")
    pulls = page.locator(".catalog-start code:visible", has_text="docker pull")
    expect(pulls).to_have_count(2)
    expect(page.locator(".catalog-start [data-client] code:visible")).to_have_count(4)
    expect(page.locator(".catalog-answer")).to_contain_text("Scanned 2025-10-31")
    expect(page.locator(".catalog-compare:visible, .catalog-choices:visible")).to_have_count(0)
