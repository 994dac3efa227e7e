"""What stands in the address of a page: filters, releases and ids, restored however a reader comes back."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from mkdocs_catalog_api.catalog.scans import COUNTERS

from .browser import Visit

pytestmark = pytest.mark.slow
ID = "CVE-2025-58187"


def rows(page: Page) -> list[str]:
    """The names in the rows that are shown."""
    expect(page.locator(".catalog-controls output").first).not_to_be_empty()
    return page.locator("tbody tr[data-item]:visible th a:first-child").all_inner_texts()


def test_an_address_brings_back_filters_and_order(visit: Visit) -> None:
    page, data = visit.page, visit.json("images.json")["data"]
    chosen = [
        one for one in data if one["lifecycle"] == "available" and one["security"]["grade"] in ("D", "C")
    ]
    worst = sorted(one["security"]["score"] for one in chosen)
    visit.go("images/?grade=C,D&sort=score&view=table")
    items = page.locator("tbody tr[data-item]")
    expect(items).to_have_count(len(chosen))
    names = {one["name"]: one["security"]["score"] for one in chosen}
    assert [names[name] for name in rows(page)] == worst
    expect(page.get_by_role("button", name="Table")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("input[name=grade]:checked")).to_have_count(2)
    page.get_by_role("button", name="Clear all").click()
    assert "grade" not in page.url
    assert "sort=score" in page.url


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
            told = page.locator(".catalog-controls output").first
            expect(told).to_have_text(re.compile(rf"(^|of ){words.count(word)} "))
            box.evaluate("box => box.click()")


def test_back_and_forward_restore_a_list_page_by_page_and_without_loading(visit: Visit) -> None:
    page = visit.page
    visit.go("images/?category=Databases")
    databases = page.locator("tbody tr[data-item]")
    expect(databases.first).to_be_visible()
    before = rows(page)
    page.get_by_label("Messaging").check()
    expect(databases).not_to_have_count(len(before))
    both = rows(page)
    page.go_back()
    expect(databases).to_have_count(len(before))
    expect(page.get_by_label("Messaging")).not_to_be_checked()
    page.go_forward()
    expect(databases).to_have_count(len(both))
    page.locator("tbody a").first.click()  # instant navigation, which loads no page
    expect(page.locator(".catalog-trail")).to_be_visible()
    page.locator(".catalog-trail a").click()
    expect(databases).to_have_count(len(both))
    page.goto("about:blank")
    page.go_back()  # a page that is loaded again, or comes out of the browser's memory
    expect(databases).to_have_count(len(both))
    assert rows(page) == both


def test_a_list_without_a_match_names_the_filters_that_empty_it(visit: Visit) -> None:
    page, listed = visit.page, visit.json("images.json")["data"]
    visit.go("images/?find=no-such-thing")
    expect(page.get_by_text("No image matches.")).to_be_visible()
    page.get_by_role("button", name="Remove “no-such-thing”").click()
    expect(page.locator("tbody tr[data-item]").first).to_be_visible()
    databases = [one for one in listed if one["category"] == "Databases" and one["lifecycle"] == "available"]
    assert not any(one["security"]["critical"] for one in databases)
    visit.go("images/?category=Databases&severity=critical")
    expect(page.get_by_role("button", name=re.compile("^Remove Category: Databases: "))).to_have_count(0)
    page.get_by_role("button", name=f"Remove Open vulnerabilities: Critical: {len(databases)} images").click()
    expect(page.locator(".catalog-status output")).to_have_text(f"{len(databases)} available images")
    assert "severity" not in page.url


def test_active_filters_are_chips_and_choices_have_counts(visit: Visit) -> None:
    page, listed = visit.page, visit.json("images.json")["data"]
    available = [one for one in listed if one["lifecycle"] == "available"]
    visit.go("images/")
    category = page.get_by_role("group", name="Category")
    counts = {
        label.locator("span").text_content(): int(label.locator("small").text_content() or "")
        for label in category.locator("label").all()
    }
    assert counts == Counter(one["category"] for one in available)
    page.get_by_role("group", name="Tier").get_by_label("core").check()
    core = [one for one in available if one["tier"] == "core"]
    databases = sum(one["category"] == "Databases" for one in core)
    expect(category.locator("label", has_text="Databases").locator("small")).to_have_text(str(databases))
    category.get_by_label("Databases").check()
    chips = page.locator(".catalog-active button")
    expect(chips).to_have_text(["Category: Databases", "Tier: core"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="Remove Category: Databases").click()
    expect(page.locator(".catalog-status output")).to_have_text(f"{len(core)} available images")
    assert "category" not in page.url


def test_the_search_explains_versions_digests_and_ids(visit: Visit) -> None:
    page = visit.page
    rows = visit.json("references/registry.example.org~hardened~nginx.json")["data"]
    image = visit.json("images/nginx/index.json")["data"]
    (row,) = (one for one in rows if one["version"] == "1.28.0")
    digest = next(one["digest"] for one in image["versions"] if one["version"] == "1.28.0")
    counts = ", ".join(f"{row['security'][word]} {word}" for word in COUNTERS if row["security"][word])
    to = next(one for one in image["versions"] if one["version"] == row["newLine"]["version"])
    assert row["newLine"] | {"fixes": row["security"]["total"], "adds": 0} == row["newLine"]
    advice = (
        f"You are on NGINX 1.28.0. Update to {to['version']}. "
        f"{row['security']['total']} known vulnerabilities ({counts}). "
        f"{to['version']} (next line) fixes {row['security']['total']} ({counts}) and adds none. "
        f"1.28.0 is supported until {row['endOfLife']}."
        f"registry.example.org/hardened/nginx:{to['version']}@{to['digest']}"
        f"CopyCompare 1.28.0 with {to['version']}"
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.set_fixed_time("2025-11-01T00:00:00Z")  # before the end of support
    visit.go("images/")
    assert not [url for url in asked if url.endswith("search.json")]
    page.keyboard.press("/")
    box, result = page.get_by_role("searchbox", name="Find"), page.locator(".catalog-result")
    expect(box).to_be_focused()
    expect(page.locator("[data-md-toggle=search]")).not_to_be_checked()
    digits = digest.partition(":")[2]
    for text, told in (
        ("nginx 1.28.0", advice),
        ("registry.example.org/hardened/nginx:1.28.0", advice),
        (digest, advice),
        (digits[:12], advice),
        (f"registry.example.org/hardened/nginx@{digest}", advice),
    ):
        box.fill(text)
        expect(result).to_have_text(told)
        expect(page.locator("tbody tr[data-item]:visible")).to_have_count(1)
    expect(page.locator("tbody tr[data-item]:visible")).to_contain_text(f"in {image['latest']}")
    result.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()").endswith(to["digest"])
    box.fill("nginx 1.0.0")
    expect(result).to_contain_text(f"NGINX has no version 1.0.0. Its versions: {image['latest']} · ")
    box.fill(f"nginx {image['license']}")
    expect(page.locator("tbody tr[data-item]:visible")).to_have_count(1)
    box.fill("sha256:" + "f" * 64)
    expect(result).to_have_text("No version has this digest, or is known to have had it.")
    box.fill("CVE-1999-0001")
    expect(result).to_contain_text("CVE-1999-0001 is not in the catalog")
    found = visit.json(f"cves/{ID}.json")
    data, charts = found["data"], found["charts"]
    affected = {one["slug"] for one in data}
    box.fill(ID)
    expect(result).to_contain_text(f"in {len(affected)} images")
    expect(page.locator(".catalog-status output")).to_have_text(
        f"{len({one['slug'] for one in data if one['lifecycle'] == 'available'})} available images"
    )
    result.get_by_role("link", name=ID).click()
    expect(page.get_by_role("heading", name=ID)).to_be_visible()
    visit.go(f"charts/?find={ID}")
    expect(page.locator(".catalog-result")).to_contain_text(f"in {len(charts)} charts")


def test_a_digest_that_only_begins_like_a_listed_one_is_not_taken_for_it(visit: Visit) -> None:
    image = visit.json("images/nginx/index.json")["data"]
    visit.go(f"images/?find={image['versions'][0]['digest'][:-8]}00000000")
    expect(visit.page.locator(".catalog-result")).to_have_text(
        "No version has this digest, or is known to have had it."
    )
    visit.faults.clear()  # the missing document


def test_an_older_release_has_an_address_and_its_own_rows(visit: Visit) -> None:
    page, older = visit.page, visit.json("security/postgresql/17.5.json")
    listed = older["cves"]
    visit.go("images/postgresql/?release=17.5")
    found = page.locator("[data-list=vulnerabilities] tbody tr")
    ids = [*dict.fromkeys(row["id"] for row in listed)]
    expect(found).to_have_count(len(ids))
    assert found.locator("[data-f=id]").all_inner_texts() == ids
    assert found.locator(".catalog-lines > span").count() == len(listed) > len(ids)
    expect(page.get_by_text("Vulnerabilities of 17.5: 17.6 fixes")).to_be_visible()
    expect(page.get_by_role("region", name="Vulnerabilities of 17.5")).to_be_visible()
    page.get_by_label("of version").select_option(index=0)
    page.get_by_role("link", name="17.5", exact=True).first.click()
    expect(found).to_have_count(len(ids))
    page.get_by_label("of version").select_option(index=0)
    newest = visit.json("security/postgresql.json")["latest"]
    expect(found).to_have_count(len({row["id"] for row in newest["cves"]}))
    page.go_back()
    expect(found).to_have_count(len(ids))


def test_an_id_in_the_address_shows_who_has_it(visit: Visit) -> None:
    page, found = visit.page, visit.json(f"cves/{ID}.json")
    data = found["data"]
    visit.go(f"cves/?id={ID.lower()}")
    who = page.get_by_role("region", name="Who has it").locator("tbody tr")
    expect(who).to_have_count(len({(row["slug"], row["version"]) for row in data}))
    newest = {row["slug"] for row in data if row["isLatest"]}
    images = {row["slug"] for row in data}
    total = f"n {len(images)} images, {len(newest)} of them in the newest version"
    expect(page.get_by_text(f"I{total}")).to_be_visible()
    expect(page.get_by_text("Version without it: ")).to_be_visible()
    column = who.locator("[data-f=without]").all_inner_texts()
    assert column[0] == "none yet"
    assert column[-1] not in ("", "–")
    expect(page.get_by_role("region", name="Cves")).to_be_hidden()
    who.filter(has_text="older").first.locator("a").click()
    expect(page.locator(f"[id='{ID}']").first).to_be_in_viewport()
    page.go_back()
    expect(who).to_have_count(len({(row["slug"], row["version"]) for row in data}))
    page.get_by_role("link", name="All vulnerabilities").click()
    expect(page.get_by_role("region", name="Cves")).to_be_visible()
    page.get_by_role("link", name=ID).click()
    expect(who).to_have_count(len({(row["slug"], row["version"]) for row in data}))


def test_an_address_leads_to_an_id_beyond_the_rows_shown_at_first(visit: Visit) -> None:
    visit.go("images/php-fpm/?release=8.2.8#CVE-2005-2541")
    row = visit.page.locator("[id='CVE-2005-2541']")
    expect(row).to_be_in_viewport()
    expect(row).to_have_attribute("aria-current", "true")
    assert visit.page.locator("tr[data-item]").count() > 100


def test_an_id_that_nothing_has_is_told(visit: Visit) -> None:
    visit.go("cves/?id=CVE-1999-0001")
    expect(visit.page.get_by_text("No scan of a listed version has found it.")).to_be_visible()


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_ids_and_older_releases_can_be_read_without_a_script(visit: Visit) -> None:
    page = visit.page
    visit.go("cves/")
    row = page.locator("tbody tr", has_text=ID)
    href = row.get_by_role("link", name="JSON").get_attribute("href")
    assert href is not None
    assert visit.json(href.partition("api/v1/")[2])["id"] == ID
    visit.go("images/postgresql/")
    page.locator("noscript summary", has_text="17.5: 16 vulnerabilities (").click()
    rows = visit.json("security/postgresql/17.5.json")["cves"]
    expect(page.locator("noscript li:visible")).to_have_count(len({row["id"] for row in rows}))


@pytest.mark.parametrize("visit", [{"viewport": {"width": 1440, "height": 900}}], indirect=True)
def test_tables_fit_a_desktop_and_keep_their_headings_in_sight(visit: Visit) -> None:
    page = visit.page
    lists = ("images/?view=table", "charts/?view=table")
    for path in (*lists, "images/solr/", "charts/monitoring/", "security/", "cves/"):
        visit.go(path)
        wide = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth + 1).map(box => box.ariaLabel)"
        assert page.locator(".catalog-scroll:visible").evaluate_all(wide) == [], path
    visit.go("images/?view=table")
    page.locator("tbody tr").nth(30).scroll_into_view_if_needed()
    expect(page.locator("thead th").first).to_be_in_viewport()


@pytest.mark.parametrize("width", [1440, 390])
def test_no_link_in_a_table_breaks_within_a_word(visit: Visit, width: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    broken = """links => links.map(link => [link.textContent, link.getClientRects().length])
        .filter(([text, lines]) => /^\\w+$/.test(text) && lines > 1)"""
    for path in ("cves/", "images/?view=table", "images/postgresql/", "charts/monitoring/"):
        visit.go(path)
        links = visit.page.locator("table.catalog-table a:visible")
        expect(links.first).to_be_visible()
        assert links.evaluate_all(broken) == [], path


def test_on_paper_digests_are_whole_and_nothing_is_folded(visit: Visit) -> None:
    page = visit.page
    visit.go("images/postgresql/")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    cut = "codes => codes.filter(code => code.scrollWidth > code.clientWidth + 1).length"
    assert page.locator(".catalog-digest code").evaluate_all(cut) == 0
    assert page.locator(".catalog details:not([open]):not(.catalog-pick)").count() == 0
    expect(page.locator(".catalog-top").first).to_be_hidden()
    page.set_viewport_size({"width": 720, "height": 1000})  # A4 between its margins
    for path in ("images/postgresql/", "security/", "images/?view=table"):
        visit.go(path)
        wide = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth + 1).map(box => box.ariaLabel)"
        assert page.locator(".catalog-scroll:visible").evaluate_all(wide) == [], path


def test_an_old_scan_and_the_end_of_support_take_the_green_from_a_grade(visit: Visit) -> None:
    page = visit.page
    page.clock.set_fixed_time("2025-11-01T00:00:00Z")
    colour = "getComputedStyle(document.querySelector('.catalog-summary .catalog-grade')).backgroundColor"
    visit.go("images/envoy/")
    answer = page.locator(".catalog-answer")
    expect(answer).to_contain_text("Supported until 2026-10-14 (347 days).")
    fresh = page.evaluate(colour)
    for later, headline in (("2025-12-24", "The scan of"), ("2026-10-20", "Do not use")):
        page.clock.set_fixed_time(f"{later}T00:00:00Z")
        visit.go("images/envoy/")
        expect(answer.locator("b")).to_contain_text(headline)
        expect(answer).to_contain_text("(stale)")
        assert page.evaluate(colour) != fresh


def test_a_second_choice_stays_where_it_was(visit: Visit) -> None:
    page = visit.page
    visit.go("images/")
    boxes = page.get_by_role("group", name="Category").locator("label")
    before = boxes.nth(1).bounding_box()
    boxes.nth(0).click()
    expect(page.locator(".catalog-active button")).to_have_count(1)
    assert boxes.nth(1).bounding_box() == before
    boxes.nth(1).click()
    expect(page.locator(".catalog-active button")).to_have_count(2)


def test_keys_walk_a_list_and_the_order_is_shown(visit: Visit) -> None:
    page, orders = visit.page, visit.page.get_by_label("Sort by")
    visit.go("images/")
    expect(orders.locator("option:checked")).to_have_text("Sorted by name")
    orders.select_option("Largest")
    sizes = [
        entry["size"] or 0
        for entry in visit.json("images/index.json")["data"]
        if entry["lifecycle"] == "available"
    ]
    rows = page.locator("tbody tr[data-item]:visible")
    expect(rows.first).to_contain_text(f"{max(sizes) / 1e6:.1f} MB")
    page.keyboard.press("/")
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    expect(rows.first.locator("th a")).to_be_focused()
    visit.go("images/?view=table&sort=-total")
    expect(orders.locator("option:checked")).to_have_text("Sorted by total")


def test_a_tile_leads_to_what_it_counts(visit: Visit) -> None:
    page = visit.page
    visit.go("security/")
    listed = visit.json("images.json")["data"]
    figures = [one["security"] for one in listed if one["lifecycle"] == "available"]
    for label, counts in (
        ("Critical or high", [(one["critical"] or 0) + (one["high"] or 0) for one in figures]),
        ("Open vulnerabilities", [one["total"] or 0 for one in figures]),
        ("With a fix", [one["fixable"] or 0 for one in figures]),
        ("Images without any", [one["grade"] == "A+" for one in figures]),
    ):
        tile = page.locator(".catalog-tiles > div", has_text=label).locator("a")
        expect(tile).to_have_text(str(sum(counts)))
        tile.click()
        images = sum(map(bool, counts))
        expect(page.locator(".catalog-controls output").first).to_have_text(f"{images} available images")
        visit.go("security/")
    page.get_by_role("link", name="which ones").click()
    expect(page.locator(".catalog-controls output").first).to_have_text("4 vulnerabilities")


def test_images_whose_support_ended_can_be_found(visit: Visit) -> None:
    visit.page.clock.set_fixed_time("2026-10-20T00:00:00Z")
    visit.go("images/?lifecycle=ended")
    expect(visit.page.locator("tbody tr[data-item]:visible").filter(has_text="Envoy")).to_have_count(1)
    marks = visit.page.locator("tbody tr[data-item]:visible").get_by_text("support ended")
    expect(marks).to_have_count(len(rows(visit.page)))


def test_a_release_leads_to_its_vulnerabilities_below_the_bar(visit: Visit) -> None:
    page = visit.page
    visit.go("images/postgresql/")
    page.get_by_role("link", name="17.5", exact=True).first.click()
    bar, heading = page.locator(".md-header").bounding_box(), page.locator("#catalog-vulnerabilities")
    expect(page.get_by_label("of version")).to_be_in_viewport()
    place = heading.bounding_box()
    assert bar and place and place["y"] >= bar["y"] + bar["height"]


def test_an_id_that_the_search_has_marked_is_looked_up(visit: Visit) -> None:
    visit.go(f"cves/?h={ID}")
    expect(visit.page.get_by_role("heading", name=ID)).to_be_visible()
    visit.go("cves/?h=zlib")
    expect(visit.page.get_by_role("region", name="Cves")).to_be_visible()
