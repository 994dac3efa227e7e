"""The example site in Chromium, visited as people do: by mouse or keys, by an address, on a phone."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mkdocs_catalog_api.web.overview import counted

from . import test_former as former
from .benchmarks.catalog import write_catalog
from .browser import Visit, served, visiting
from .example import EXAMPLE
from .servers import free_port, running
from .sites import REGISTRY, SiteFolder, digest, rendered, row, trivy
from .test_cli import call

pytestmark = pytest.mark.slow
ID = "CVE-2025-58187"
no_script = pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
on_a_phone = pytest.mark.parametrize("visit", [{"viewport": {"width": 390, "height": 844}}], indirect=True)


def rows(page: Page) -> Locator:
    """The rows or cards that a list shows."""
    return page.locator("tbody tr[data-item]:visible")


def told(page: Page) -> Locator:
    """The sentence that counts what a list shows."""
    return page.locator(".catalog-controls output").first


def names(page: Page) -> list[str]:
    expect(told(page)).not_to_be_empty()
    return [*rows(page).locator("th a:first-child").all_inner_texts()]


def available(visit: Visit) -> list[dict[str, Any]]:
    """The images that a list shows at first."""
    return [image for image in visit.json("images.json")["data"] if image["lifecycle"] == "available"]


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [*dict.fromkeys(row["id"] for row in found)]


# Lists


def test_a_visitor_finds_an_image_and_copies_its_digest(visit: Visit) -> None:
    page = visit.go("")
    page.get_by_role("link", name="Browse the images").click()
    page.get_by_label("Databases").check()
    wanted = sum(image["category"] == "Databases" for image in available(visit))
    expect(rows(page)).to_have_count(wanted)
    expect(told(page)).to_have_text(f"{wanted} available images")
    page.locator(".catalog-controls [data-clear]").first.click()
    page.locator("input[name=lifecycle]").evaluate_all("boxes => boxes.forEach(box => box.click())")
    page.get_by_label("Find").fill("solr")
    expect(rows(page)).to_have_count(1)
    rows(page).get_by_role("link", name="Apache Solr").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Apache Solr¶")
    solr = visit.json("images/solr/index.json")["data"]
    page.get_by_role("button", name="Copy the digest").first.click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()") == solr["versions"][0]["digest"]
    found = visit.json("security/solr.json")["latest"]["cves"]
    listed = page.get_by_role("region", name="Vulnerabilities of").locator("tbody tr")
    expect(listed).to_have_count(len(ids(found)))
    page.get_by_role("checkbox", name="critical").check()
    critical = [row for row in found if row["severity"] == "CRITICAL"]
    expect(rows(page)).to_have_count(len(ids(critical)))
    expect(told(page)).to_contain_text(counted(len(critical), "vulnerability"))


def test_an_address_brings_back_filters_and_order(visit: Visit) -> None:
    page = visit.page
    graded = [image for image in available(visit) if image["security"]["grade"] in ("D", "C")]
    chosen = {image["name"]: image["security"]["score"] for image in graded}
    visit.go("images/?grade=C,D&sort=score&view=table")
    expect(rows(page)).to_have_count(len(chosen))
    assert [chosen[name] for name in names(page)] == sorted(chosen.values())
    expect(page.get_by_role("button", name="Table")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("input[name=grade]:checked")).to_have_count(2)
    page.get_by_role("button", name="Clear all").click()
    assert "grade" not in page.url and "sort=score" in page.url


def test_every_word_that_a_list_offers_finds_what_has_it(visit: Visit) -> None:
    page = visit.page
    images, cves = (visit.json(path)["data"] for path in ("images.json", "cves/index.json"))
    unknown = {True: "not scanned", False: "not graded"}
    grades = [one["security"]["grade"] or unknown[not one["security"]["scanned"]] for one in images]
    severities = [row["severity"].lower() for row in cves]
    everything = f"images/?lifecycle={','.join(sorted({one['lifecycle'] for one in images}))}"
    for where, name, words in ((everything, "grade", grades), ("cves/", "severity", severities)):
        visit.go(where)
        boxes = page.locator(f"input[name={name}]")
        offered = boxes.evaluate_all("fields => fields.map(field => field.value)")
        assert sorted(offered) == sorted({*words})
        for word in offered:
            box = page.locator(f"input[name={name}][value='{word}']")
            box.evaluate("box => box.click()")
            expect(told(page)).to_have_text(re.compile(rf"(^|of ){words.count(word)} "))
            box.evaluate("box => box.click()")


def test_instant_navigation_brings_style_and_script_to_the_first_page_that_needs_them(visit: Visit) -> None:
    page = visit.go("guide/ask/")
    assert not page.locator("[href*='catalog-api.css'], [src*='catalog-api.js']").count()
    page.evaluate("window.stays = true")
    for name, word in (("Images", "opensearch"), ("Charts", "monitoring")):
        page.locator(".md-tabs").get_by_role("link", name=name).click()
        expect(page.locator(f"[data-list={name.lower()}]")).to_be_visible()
        page.get_by_label("Find").fill(word)
        expect(rows(page)).to_have_count(1)
        expect(page.locator(".catalog").first).to_have_css("--c-ink", "#fff")
    assert page.evaluate("window.stays") is True


def test_back_and_forward_restore_a_list_page_by_page_and_without_loading(visit: Visit) -> None:
    page = visit.go("images/?category=Databases")
    expect(rows(page).first).to_be_visible()
    before = names(page)
    page.get_by_label("Messaging").check()
    expect(rows(page)).not_to_have_count(len(before))
    both = names(page)
    page.go_back()
    expect(rows(page)).to_have_count(len(before))
    expect(page.get_by_label("Messaging")).not_to_be_checked()
    page.go_forward()
    page.evaluate("window.stays = true")
    page.locator("tbody a").first.click()
    page.locator(".catalog-trail a").first.click()
    expect(rows(page)).to_have_count(len(both))
    page.locator(".md-tabs").get_by_role("link", name="Charts").click()
    expect(page.locator("[data-list=charts]")).to_be_visible()
    page.get_by_label("Find").fill("monitoring")  # the script works on the page that it did not load
    expect(rows(page)).to_have_count(1)
    assert page.evaluate("window.stays") is True, "instant navigation loads no page"
    page.goto(visit.base)
    page.go_back()  # a page that is loaded again, or comes out of the browser's memory
    expect(page.get_by_label("Find")).to_have_value("monitoring")
    expect(rows(page)).to_have_count(1)


def test_a_list_without_a_match_names_the_filters_that_empty_it(visit: Visit) -> None:
    page = visit.page
    databases = [one for one in available(visit) if one["category"] == "Databases"]
    assert not any(one["security"]["critical"] for one in databases)
    visit.go("images/?category=Databases&severity=critical")
    expect(page.get_by_text("No image matches.")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Remove Category: Databases: "))).to_have_count(0)
    page.get_by_role("button", name=f"Remove Open vulnerabilities: Critical: {len(databases)} images").click()
    expect(told(page)).to_have_text(f"{len(databases)} available images")
    assert "severity" not in page.url


def test_active_filters_are_chips_and_choices_have_counts(visit: Visit) -> None:
    page = visit.go("images/")
    category = page.get_by_role("group", name="Category")
    words, numbers = (category.locator(f"label {part}").all_text_contents() for part in ("span", "small"))
    counts = Counter(one["category"] for one in available(visit))
    assert dict(zip(words, map(int, numbers), strict=True)) == counts
    first, second, *_ = category.locator("label").all()
    before = second.bounding_box()
    first.click()
    expect(page.locator(".catalog-active button")).to_have_count(1)
    assert second.bounding_box() == before, "a second choice stays where it was"
    first.click()
    page.get_by_role("group", name="Tier").get_by_label("core").check()
    core = [one for one in available(visit) if one["tier"] == "core"]
    databases = sum(one["category"] == "Databases" for one in core)
    expect(category.locator("label", has_text="Databases").locator("small")).to_have_text(str(databases))
    category.get_by_label("Databases").check()
    expect(page.locator(".catalog-active button")).to_have_text(["Category: Databases", "Tier: core"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="Remove Category: Databases").click()
    expect(told(page)).to_have_text(f"{len(core)} available images")
    assert "category" not in page.url


def test_lists_are_sorted_and_keys_walk_them(visit: Visit) -> None:
    page, orders = visit.page, visit.page.get_by_label("Sort by")
    visit.go("images/?view=table&sort=-total")
    expect(orders.locator("option:checked")).to_have_text("Sorted by total")
    total = page.get_by_role("columnheader", name="Total")
    figures = [image["security"]["total"] for image in available(visit)]
    for direction in ("ascending", "descending"):
        total.get_by_role("button").press("Enter")
        expect(total).to_have_attribute("aria-sort", direction)
        wanted = sorted((n for n in figures if n is not None), reverse=direction == "descending")
        missing = [str(figure) for figure in wanted] + ["–"] * figures.count(None)
        expect(page.locator("tbody tr .catalog-total")).to_have_text(missing)
    rows(page).nth(30).scroll_into_view_if_needed()
    expect(page.locator("thead th").first).to_be_in_viewport()
    visit.go("images/")
    expect(orders.locator("option:checked")).to_have_text("Sorted by name")
    orders.select_option("Largest")
    largest = max(image["size"] or 0 for image in visit.json("images/index.json")["data"])
    expect(rows(page).first).to_contain_text(f"{largest / 1e6:.1f} MB")
    page.keyboard.press("/")
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    expect(rows(page).first.locator("th a")).to_be_focused()
    page.reload()
    expect(orders).to_have_value("-size")
    visit.go("images/")
    for text, first in (("go", "Go"), ("post", "PostgreSQL")):  # others have it in their names or texts
        page.get_by_label("Find").fill(text)
        expect(rows(page).locator("th a").first).to_have_text(first)
        expect(rows(page)).to_have_count(2)


@on_a_phone
def test_on_a_phone_filters_are_folded_until_one_is_wanted(visit: Visit) -> None:
    page = visit.go("images/")
    fold, category = page.get_by_role("button", name="Filters"), page.locator("summary", has_text="Category")
    for shown in (False, True, False):
        expect(category).to_be_visible(visible=shown)
        expect(fold).to_have_attribute("aria-expanded", str(shown).lower())
        fold.click()
    visit.go("images/?category=Databases")
    expect(page.locator(".catalog-active button")).to_have_text(["Category: Databases"])
    expect(category).to_be_hidden()


def test_images_whose_support_ended_can_be_found(visit: Visit) -> None:
    visit.page.clock.set_fixed_time("2026-10-20T00:00:00Z")
    page = visit.go("images/?lifecycle=ended")
    expect(rows(page).filter(has_text="Envoy")).to_have_count(1)
    expect(rows(page).get_by_text("support ended")).to_have_count(len(names(page)))


@no_script
def test_everything_is_there_without_a_script(visit: Visit) -> None:
    page = visit.go("images/")
    expect(rows(page)).to_have_count(len(available(visit)))
    for control in page.locator(".catalog-controls, .catalog-copy").all():
        expect(control).to_be_hidden()
    visit.go("cves/")
    href = page.locator("tbody tr", has_text=ID).get_by_role("link", name="JSON").get_attribute("href")
    assert href and visit.json(href.partition("api/v1/")[2])["id"] == ID
    visit.go("images/postgresql/")
    page.locator("noscript summary", has_text="17.5: 16 vulnerabilities (").click()
    older = ids(visit.json("security/postgresql/17.5.json")["cves"])
    expect(page.locator("noscript li:visible")).to_have_count(len(older))
    visit.go("images/haproxy/")
    expect(page.locator(".catalog-start [data-client] code:visible")).to_have_count(5)
    expect(page.locator(".catalog-answer")).to_contain_text("Scanned 2025-10-31")
    expect(page.locator(".catalog-compare:visible, .catalog-choices:visible")).to_have_count(0)


# What the search box explains


def test_the_search_explains_versions_digests_and_ids(visit: Visit) -> None:
    page = visit.page
    image = visit.json("images/nginx/index.json")["data"]
    references = visit.json("references/registry.example.org~hardened~nginx.json")["data"]
    (row,) = (one for one in references if one["version"] == "1.28.0")
    (digest,) = (one["digest"] for one in image["versions"] if one["version"] == "1.28.0")
    (to,) = (one for one in image["versions"] if one["version"] == row["newLine"]["version"])
    total = row["security"]["total"]
    assert (row["newLine"]["fixes"], row["newLine"]["adds"]) == (total, 0)
    page.clock.set_fixed_time("2025-11-01T00:00:00Z")  # before the end of support
    visit.go("images/")
    page.keyboard.press("/")
    box, result = page.get_by_role("searchbox", name="Find"), page.locator(".catalog-result")
    expect(box).to_be_focused()
    expect(page.locator("[data-md-toggle=search]")).not_to_be_checked()
    here = "registry.example.org/hardened/nginx"
    for text in ("nginx 1.28.0", f"{here}:1.28.0", digest, digest[7:19], f"{here}@{digest}"):
        box.fill(text)
        expect(result).to_contain_text(
            f"You are on NGINX 1.28.0. Update to {to['version']}. {total} known vul"
        )
        expect(result).to_contain_text(f"{to['version']} (next line) fixes {total} and adds none")
        expect(result).to_contain_text(f"and adds none. 1.28.0 is supported until {row['endOfLife']}.")
        expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text(f"in {image['latest']}")
    result.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == f"{here}:{to['version']}@{to['digest']}"
    box.fill(f"nginx {image['license']}")
    expect(rows(page)).to_have_count(1)
    for text, answer in (
        ("node 20", "The newest Node.js 20 is 20.19.5."),
        ("node 20", "20.19.5 is supported until 2026-04-30."),
        ("node v22", "The newest Node.js v22 is 22.21.1."),
        ("nginx 1.0.0", "NGINX has no version 1.0.0."),
        (f"{digest[:-8]}00000000", "No version has or had this digest."),
        ("CVE-1999-0001", "No scan of a listed version has CVE-1999-0001"),
        ("solr 8.11.0", "Concerns: withdrawn, exploited, critical."),
    ):
        box.fill(text)
        expect(result).to_contain_text(answer)
    visit.faults.clear()  # documents of digests that nothing has
    found = visit.json(f"cves/{ID}.json")
    shown = {one["slug"] for one in found["data"] if one["lifecycle"] == "available"}
    box.fill(ID)
    expect(result).to_contain_text(f"in {len({one['slug'] for one in found['data']})} images")
    expect(told(page)).to_have_text(f"{len(shown)} available images")
    result.get_by_role("link", name=ID).click()
    expect(page.get_by_role("heading", name=ID)).to_be_visible()
    visit.go(f"charts/?find={ID}")
    expect(result).to_contain_text(f"in {len(found['charts'])} charts")


def test_an_id_in_the_address_shows_who_has_it(visit: Visit) -> None:
    page, data = visit.page, visit.json(f"cves/{ID}.json")["data"]
    visit.go(f"cves/?id={ID.lower()}")
    who = page.get_by_role("region", name="Who has it").locator("tbody tr")
    versions = sum(len(image["affected"]) + len(image["suppressed"]) for image in data)
    expect(who).to_have_count(versions)
    newest = sum(image["status"] == "affected" for image in data)
    expect(page.get_by_text(f"In {len(data)} images, {newest} in the newest")).to_be_visible()
    status = Counter(image["status"] for image in data)
    counts = [str(status[word]) for word in ("affected", "fixed", "unknown")]
    expect(page.locator(".catalog-found dl b")).to_have_text(counts)
    without = [(part["fixedIn"] or {}).get("version") for image in data for part in image["affected"]]
    column = who.locator("[data-f=without]").all_inner_texts()
    assert len(column) == versions and {*filter(None, without)} <= {*column}
    packages = [part for image in data for affected in image["affected"] for part in affected["packages"]]
    expect(who.get_by_text("no fix yet")).to_have_count(sum(not part["fixed"] for part in packages))
    every = page.get_by_role("region", name="Cves")
    expect(every).to_be_hidden()
    who.filter(has_text="older").first.locator("a").click()
    expect(page.locator(f"[id='{ID}']").first).to_be_in_viewport()
    page.go_back()
    expect(who).to_have_count(versions)
    page.get_by_role("link", name="All vulnerabilities").click()
    expect(every).to_be_visible()
    visit.go(f"cves/?h={'+'.join(sorted(ID.lower().split('-')))}")  # as the theme's search marks it
    expect(page.get_by_role("heading", name=ID)).to_be_visible()
    visit.go("cves/?id=CVE-1999-0001")
    expect(page.get_by_text("No scan of a listed version has ")).to_be_visible()


def test_any_id_of_a_vulnerability_shows_who_has_it(site: SiteFolder, browser: Browser) -> None:
    """With the ecosystem of a package if another one has its name."""
    alias = "GHSA-jfh8-c2jp-5v3q"
    for kind in ("deb", "apk"):
        finding = row(ID, pkg="openssl", installed="3.0.0") | {"VendorIDs": [alias]}
        finding["PkgIdentifier"] = {"PURL": f"pkg:{kind}/any/openssl@3.0.0"}
        only = row(ID, pkg=kind, installed="1") | {"PkgIdentifier": {"PURL": f"pkg:{kind}/any/{kind}@1"}}
        site.image(kind, f"versions: [{{version: 1.0, digest: '{digest(kind)}'}}]")
        site.report(f"{kind}.json", trivy([finding, only], digest=f"{REGISTRY}/{kind}@{digest(kind)}"))
    site.write("docs/cves.md", "# Vulnerabilities\n\n<!-- catalog: cves -->\n")
    site.config["theme"] = {"name": "material", "font": False}
    folder = site.mkdocs().folder / "site"
    with served(folder) as home, visiting(browser, home, home) as visit:
        for id_ in (ID, alias, alias.lower()):
            visit.go(f"cves/?id={id_}")
            expect(visit.page.get_by_role("heading", name=ID)).to_be_visible()
            who = visit.page.get_by_role("region", name="Who has it").locator("tbody tr")
            expect(who).to_have_count(2)
            for number, kind in enumerate(("apk", "deb")):
                expect(who.nth(number)).to_contain_text(f"openssl ({kind})")
                expect(who.nth(number)).not_to_contain_text(f"{kind} ({kind})")


def test_a_package_shows_which_images_have_it_and_what_to_update_to(visit: Visit) -> None:
    page, data = visit.page, visit.json("packages/apk/libcrypto3.json")["data"]
    heading = page.get_by_role("heading", name="libcrypto3 (apk)")
    visit.go("security/")
    page.get_by_role("link", name="libcrypto3").click()
    page.get_by_role("link", name="Packages that cause most").click()
    expect(page.get_by_role("heading", name="What causes them")).to_be_in_viewport()
    page.go_back()
    expect(heading).to_be_visible()
    who = page.get_by_role("region", name="Who has it").locator("tbody tr")
    having = [image for part in data for image in part["images"]]
    expect(who).to_have_count(sum(len(image["versions"]) for image in having))
    slugs = {image["slug"] for image in having}
    newest = {image["slug"] for part in data if part["ids"] for image in part["images"] if image["isLatest"]}
    affected = {image["slug"] for part in data if part["ids"] for image in part["images"]}
    counts = [int(text) for text in page.locator(".catalog-found dl b").all_inner_texts()]
    assert (counts[0], sum(counts)) == (len(newest), len(affected))
    updates = [(part["ids"], image["update"]) for part in data for image in part["images"]]
    update = next(update for ids, update in updates if ids and update)
    who.filter(has_text=update["version"]).first.get_by_role("button", name="Copy the digest").click()
    assert page.evaluate("navigator.clipboard.readText()") == update["digest"]
    page.get_by_role("searchbox", name="Find another").fill(ID)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=ID)).to_be_visible()
    for path in ("cves/?package=libcrypto3", "cves/?id=LIBCRYPTO3", "cves/?h=libcrypto3"):
        visit.go(path)
        expect(heading).to_be_visible()
    visit.go("images/?find=libcrypto3")
    shown = [image for image in available(visit) if image["slug"] in slugs]
    expect(told(page)).to_have_text(f"{len(shown)} available images")
    expect(page.locator(".catalog-result").get_by_role("link", name="libcrypto3")).to_be_visible()
    page.get_by_role("searchbox", name="Find").press("Enter")
    expect(heading).to_be_visible()


def test_the_packages_of_the_chosen_version_are_opened_and_found(visit: Visit) -> None:
    page = visit.page
    for query, version in (("", "18.0"), ("?release=17.5", "17.5")):
        visit.go(f"images/postgresql/{query}")
        page.get_by_text("All packages").click()
        rows = page.get_by_role("region", name="Packages").locator("tbody tr")
        components = visit.json(f"sbom/postgresql/{version}.json")["components"]
        names = {part["name"] for part in components if part["type"] == "library"}
        expect(rows).to_have_count(len(names))
        cves = visit.json(f"security/postgresql/{version}.json")["cves"]
        vulnerable = {cve["pkg"] for cve in cves}
        expect(rows.filter(has_text=re.compile("CVE-"))).to_have_count(len(vulnerable))
        assert set(rows.locator("th").all_inner_texts()[: len(vulnerable)]) == vulnerable
    page.locator(".catalog-inside").get_by_role("searchbox").fill("libc6")
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_text(re.compile("libc6.*CVE-2025-4802"))
    rows.get_by_role("link", name="libc6").click()
    expect(page.get_by_role("heading", name="libc6 (deb)")).to_be_visible()


# Security


def test_the_button_and_the_tiles_lead_to_what_they_count(visit: Visit) -> None:
    page = visit.page
    for path in ("", "security/"):
        visit.go(path)
        button = page.locator(".catalog-banner .catalog-button")
        count = (button.text_content() or "").split()[2]
        button.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Images¶")
        expect(rows(page)).to_have_count(int(count))
        page.go_back()
    figures = [image["security"] for image in available(visit)]
    for label, counts in (
        ("Critical or high", [(one["critical"] or 0) + (one["high"] or 0) for one in figures]),
        ("Open vulnerabilities", [one["total"] or 0 for one in figures]),
        ("With a fix", [one["fixable"] or 0 for one in figures]),
        ("Images without any", [one["grade"] == "A+" for one in figures]),
    ):
        tile = page.locator(".catalog-tiles > div", has_text=label).locator("a")
        expect(tile).to_have_text(str(sum(counts)))
        tile.click()
        expect(told(page)).to_have_text(f"{sum(map(bool, counts))} available images")
        page.go_back()
    page.get_by_role("link", name="which ones").click()
    expect(told(page)).to_have_text("4 vulnerabilities")


def test_old_scans_are_told_of_once_and_before_the_answer(visit: Visit) -> None:
    """The scans of the example are of 2025; `visiting` sets the browser's own clock."""
    page = visit.page
    for path in ("images/", "images/?view=table", "security/"):
        visit.go(path)
        old = page.locator(".catalog-warned, .catalog-when-stale").filter(has_text="older than 30 days")
        expect(old.filter(visible=True)).to_have_count(1)
        expect(page.locator(".catalog-list .catalog-stale:visible")).to_have_count(0)
    expect(page.get_by_text(re.compile(r"All \d+ scans are older than 30 days"))).to_be_visible()
    page.evaluate("globalThis.catalogNow = '2025-11-01'")
    page.get_by_role("navigation", name="Tabs").get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hardened Images¶")
    expect(page.locator(".catalog-banner")).to_be_visible()
    expect(old.filter(visible=True)).to_have_count(0)


def test_the_example_shows_itself_at_its_own_day_and_says_so(browser: Browser, online: str) -> None:
    page = browser.new_page()
    page.clock.set_fixed_time("2031-01-01T00:00:00Z")
    for path in ("images/", "security/", "images/nginx/"):
        page.goto(f"{online}/{path}")
        expect(page.get_by_text("as of November 1, 2025")).to_have_count(1)
        old = page.get_by_text(re.compile("days old|scans are older than"))
        expect(old.filter(visible=True)).to_have_count(0)
    page.close()


# The page of an item


def test_the_answer_is_that_of_the_readers_day(visit: Visit) -> None:
    page, banner = visit.page, visit.page.locator(".catalog-answer")
    color = "getComputedStyle(document.querySelector('.catalog-card .catalog-grade')).backgroundColor"
    colors = []
    supported = "Use 18.0. Supported until 2030-11-14 (5 years). Scanned 2 days ago, sig"
    for day, state, sentence, grade in (
        ("2025-11-02", "good", supported, ""),
        ("2026-02-01", "fair", "The scan of 18.0 is old, so more may be known now.", "(stale)"),
        ("2031-02-01", "bad", "Do not use 18.0. Support ended on 2030-11-14. Scanned", "(stale)"),
    ):
        page.clock.set_fixed_time(f"{day}T12:00:00Z")
        visit.go("images/postgresql/")
        expect(banner).to_contain_class(f"catalog-state-{state}")
        expect(banner).to_contain_text(sentence)
        expect(banner).to_contain_text(grade)
        colors.append(page.evaluate(color))
    assert colors[0] not in colors[1:], "the green of a grade is gone"


def test_an_older_release_has_an_address_and_its_own_rows(visit: Visit) -> None:
    page = visit.page
    newest = visit.json("security/postgresql.json")["latest"]["cves"]
    older = visit.json("security/postgresql/17.5.json")["cves"]
    visit.go("images/postgresql/?release=17.5")
    found = page.locator("[data-list=vulnerabilities] tbody tr")
    expect(found).to_have_count(len(ids(older)))
    assert found.locator("[data-f=id]").all_inner_texts() == ids(older)
    assert found.locator(".catalog-lines > span").count() == len(older) > len(ids(older))
    card, image = page.locator(".catalog-card"), visit.json("images/postgresql/index.json")["data"]
    digests = {version["version"]: version["digest"] for version in image["versions"]}
    expect(card.locator("b").first).to_have_text("Update 17.5 to 17.6.")
    expect(card.locator(".catalog-grade")).to_have_text("Grade D")
    expect(card.locator("code:visible")).to_contain_text(f":17.5@{digests['17.5']}")
    card.get_by_label("Version").select_option("17.6")
    expect(page.get_by_role("region", name="Vulnerabilities of 17.6")).to_be_visible()
    expect(card.locator("code:visible")).to_contain_text(f":17.6@{digests['17.6']}")
    page.go_back()
    expect(page.get_by_role("region", name="Vulnerabilities of 17.5")).to_be_visible()
    card.get_by_label("Version").select_option(index=0)
    expect(found).to_have_count(len(ids(newest)))
    page.get_by_role("link", name="17.5", exact=True).first.click()
    expect(found).to_have_count(len(ids(older)))
    bar, place = (page.locator(it).bounding_box() for it in (".md-header", "#catalog-vulnerabilities"))
    assert bar and place and place["y"] >= bar["y"] + bar["height"], "below the bar"
    page.go_back()
    expect(found).to_have_count(len(ids(newest)))
    visit.go("images/php-fpm/?release=8.2.8#CVE-2005-2541")  # it is beyond the rows shown at first
    row = page.locator("[id='CVE-2005-2541']")
    expect(row).to_be_in_viewport()
    expect(row).to_have_attribute("aria-current", "true")
    assert page.locator("tr[data-item]").count() > 100


def test_a_version_without_a_scan_has_no_list_of_vulnerabilities(visit: Visit) -> None:
    page, listed = visit.page, visit.page.locator("[data-list=vulnerabilities]")
    unscanned = page.get_by_text("12.2.1, not scanned", exact=True)
    visit.go("images/grafana/")
    expect(unscanned).to_be_visible()
    expect(listed).to_be_hidden()
    page.locator("select[name=version]").select_option("12.2.0")
    expect(listed.locator("output")).to_have_text("5 vulnerabilities")
    expect(unscanned).to_be_hidden()
    page.locator("select[name=version]").select_option(index=0)
    expect(listed).to_be_hidden()


def test_two_versions_are_compared_by_a_shared_address(visit: Visit) -> None:
    page, box = visit.page, visit.page.locator(".catalog-compare")
    pairs = {}
    for version in ("17.5", "18.0", "17.6"):
        found = visit.json(f"security/postgresql/{version}.json")["cves"]
        pairs[version] = {(row["id"], row["pkg"]) for row in found}

    def counts(before: str, after: str) -> list[str]:
        old, new = pairs[before], pairs[after]
        texts = []
        for group, words in ((old - new, "gone"), (old & new, "in both"), (new - old, "new")):
            number = len({id_ for id_, _ in group})
            more = f" ({counted(number, 'id')})" if number < len(group) else ""
            texts.append(f"{counted(len(group), 'vulnerability')}{more} {words}")
        return texts

    visit.go("images/postgresql/?compare=17.5..18.0")
    expect(box.locator("summary")).to_have_text(counts("17.5", "18.0"))
    expect(
        box.get_by_text("Updating to 18.0 removes all 7 high vulnerabilities and adds 3 low.")
    ).to_be_visible()
    expect(box.get_by_text("1.3 MB larger. The end of support moves from 2029-11-08 to")).to_be_visible()
    expect(box.locator(".catalog-bars li")).to_have_text(
        [re.compile(r"^17\.5\s*16 · 7 high, 2 medium, 7 low$"), re.compile(r"^18\.0\s*9 · 9 low$")]
    )
    gone = {id_ for id_, _ in pairs["17.5"] - pairs["18.0"]}
    expect(box.locator("details").first.locator("li")).to_have_count(len(gone))
    box.get_by_label("From").select_option("17.6")
    expect(box.locator("summary")).to_have_text(counts("17.6", "18.0"))
    assert page.url.endswith("?compare=17.6..18.0")
    page.locator("tr[data-version='17.5'] .catalog-update a").first.click()
    expect(box.locator("summary")).to_have_text(counts("17.5", "17.6"))
    assert "compare=17.5..17.6" in page.url
    visit.go("images/grafana/?compare=12.2.0..12.2.1")
    expect(box.locator("div")).to_have_text("12.2.1 not scanned, so they can't be compared.")


def test_a_former_digest_is_compared_with_its_update(site: SiteFolder, browser: Browser) -> None:
    former.rebuilt_twice(site)
    site.config["theme"] = {"name": "material", "font": False}
    folder = rendered(site).folder / "site"
    with served(folder) as home, visiting(browser, home, home) as visit:
        box = visit.page.locator(".catalog-compare")
        visit.go(f"images/nginx/?compare={former.digest('a')}..1.1")
        present = former.digest("c")[7:19]
        expect(box.locator("div")).to_have_text(
            f"1.0 was replaced on 2026-11-02 by {present}…. Update: 1.1 (not scanned)."
        )
        expect(box.get_by_label("to")).to_be_disabled()
        box.get_by_label("From").select_option(former.digest("old"))
        expect(box.locator("div")).to_have_text(
            "0.9 was replaced. Update: 1.1 is the next line (not scanned)."
        )
        box.get_by_label("From").select_option("1.0")
        expect(box.locator("div")).to_have_text("1.0 and 1.1 not scanned, so they can't be compared.")


def test_the_quick_start_follows_client_version_and_platform(visit: Visit) -> None:
    page, box = visit.page, visit.page.locator(".catalog-start")
    image = visit.json("images/postgresql/index.json")["data"]
    digests = {version["version"]: version["digest"] for version in image["versions"]}
    command = box.locator("[data-client]:visible code")
    visit.go("images/postgresql/")
    expect(command).to_have_count(1)
    box.get_by_role("radio", name="docker", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(command).to_have_text(f"podman pull {image['image']}@{digests['18.0']}")
    box.get_by_label("Version").select_option("17.6")
    box.get_by_label("Platform").select_option("linux/arm64")
    box.locator("[data-client]:visible button").click()
    expect(box.locator("[data-client]:visible button")).to_have_text("Copied")
    pull = f"podman pull --platform=linux/arm64 {image['image']}@{digests['17.6']}"
    assert page.evaluate("navigator.clipboard.readText()") == pull
    expect(box.locator("code").last).to_contain_text(f"{image['image']}@{digests['17.6']}")
    visit.go("images/haproxy/")
    _, arm = visit.json("images/haproxy/index.json")["data"]["versions"][0]["manifests"]
    box.get_by_label("Platform").select_option(arm["platform"])
    expect(command).to_contain_text(f"@{arm['digest']}")


# The page with the reference of the API


@pytest.fixture
def previewed(tmp_path: Path) -> Iterator[str]:
    """Where `mkdocs serve` has the example."""
    port = free_port()
    config = str(EXAMPLE / "mkdocs.yml")
    command = [sys.executable, "-m", "mkdocs", "serve", "-q", "-f", config, "-a", f"127.0.0.1:{port}"]
    with running(command, port, tmp_path / "log"):
        yield f"http://127.0.0.1:{port}/hardened"


@pytest.mark.parametrize(("fixture", "scheme"), [("online", "dark"), ("previewed", "light")])
def test_try_it_out_gets_the_data_wherever_the_site_is_served(
    browser: Browser, fixture: str, scheme: str, request: pytest.FixtureRequest
) -> None:
    home = request.getfixturevalue(fixture)
    host = home.removesuffix("hardened")
    with visiting(browser, host, f"{home}/", color_scheme=scheme) as visit:
        page, asked = visit.page, list[str]()
        page.on("request", lambda request: asked.append(request.url))
        visit.go("")  # then by a click, so that the page comes by Material's instant navigation
        page.get_by_role("link", name="API", exact=True).first.click()
        page.wait_for_url("**/hardened/api/")
        page.wait_for_function("!!window.update_swagger_ui_iframe_height")  # the whole page has loaded
        visit.faults.clear()
        reference = page.frame_locator("iframe.swagger-ui-iframe")
        operation = reference.locator("#operations-images-listImagesPage")
        operation.locator(".opblock-summary").click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()
        response = operation.locator(".live-responses-table tbody tr.response")
        assert response.locator("td.response-col_status").inner_text().strip() == "200"
        body = json.loads(response.locator(".highlight-code code").inner_text())
        assert (body["resource"], body["page"], len(body["data"])) == ("images", 1, 24)
        dark = reference.locator("html").evaluate("html => html.classList.contains('dark-mode')")
        assert dark == (scheme == "dark")
        assert f"{home}/api/v1/images/1.json" in asked


# A list of a thousand images

SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""
HOME = """<html><head><link rel="icon" href="data:,"></head><body><main><h1>Catalog</h1>
<!-- catalog: images -->
</main></body></html>"""


def test_a_thousand_are_found_sorted_and_shown_in_turn_and_nothing_jumps(
    browser: Browser, tmp_path: Path
) -> None:
    write_catalog(tmp_path, 1_000, 1, 3, 0)
    (tmp_path / "docs/index.md").write_text("# Catalog\n\n<!-- catalog: images -->\n")
    www = tmp_path / "www"
    www.mkdir()
    (www / "index.html").write_text(HOME)
    built = call("build", "--web", "-q", "-f", tmp_path / "with.yml", "--site-dir", www)
    assert built.exit_code == 0, built.output
    assert (www / "index.html").stat().st_size <= 250_000
    assert len([*www.glob("index-images-*.html")]) == 20  # of 48, but for the first page
    with served(www) as home, visiting(browser, home, home) as visit:
        page = visit.page
        page.add_init_script(SHIFTS)
        visit.go("")
        items = page.locator("tbody tr[data-item]")
        expect(told(page)).to_contain_text("48 of 1")
        expect(items).to_have_count(48)
        items.nth(40).scroll_into_view_if_needed()
        expect(items.nth(40)).to_be_in_viewport()
        assert page.evaluate("window.shifted") <= 0.05
        page.get_by_role("button", name="Show more").click()
        expect(items).to_have_count(96)
        page.get_by_label("Find").fill("app-99")
        expect(items).to_have_count(11)  # 99 and 990 to 999
        page.get_by_label("Find").fill("")
        page.set_viewport_size({"width": 1600, "height": 900})
        page.get_by_role("button", name="Table").click()
        by_name = page.get_by_role("columnheader", name="Image").get_by_role("button")
        for first in ("The app-0", "The app-999"):
            by_name.click()
            expect(items.first).to_contain_text(first)
        expect(items).to_have_count(48)
        assert page.evaluate("document.querySelectorAll('*').length") <= 6_000
