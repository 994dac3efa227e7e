"""Lists and item pages without a script: what is shown, what is left out, and where it leads."""

from __future__ import annotations

import json

import lxml.html
import pytest

from .sites import REGISTRY, SiteFolder, digest, rendered, row, trivy
from .test_web import page, small_catalog, words


def names(main: lxml.html.HtmlElement) -> list[str]:
    """The names in the rows of all lists."""
    return [words(link) for link in main.xpath(".//tr[@data-item]/th//a")]


def test_pages_of_48_hold_every_image_once_and_link_to_each_other(site: SiteFolder) -> None:
    site.write("docs/images/index.md", "# Images\n\n<!-- catalog: images -->\n")
    expected = [f"i{number:03}" for number in range(100)]
    for slug in expected:
        site.image(slug)
    for directory_urls in (True, False):
        site.config["use_directory_urls"] = directory_urls
        result = site.mkdocs()
        assert not result.failed, result.logged()
        folder = result.folder / "site/images"
        found, path = [], folder / "index.html"
        (pages,) = page(result, "images/index.html").xpath(".//nav[@class='catalog-pages']")
        for link in pages.xpath("./a/@href"):
            path = folder / ("index.html" if link == "./" else link)
            found += names(page(result, f"images/{path.name}"))
        assert found == expected


def test_what_is_not_available_is_left_out_and_folded_below(site: SiteFolder) -> None:
    site.image("fine", "versions: ['1']")
    site.image("old", "versions: ['1']\nlifecycle: deprecated")
    site.image("gone", "versions: ['1']\nlifecycle: withdrawn")
    site.image("next", "lifecycle: planned")
    text = "# Home\n\n<!-- catalog: images -->\n\n## Old\n\n<!-- catalog: images lifecycle=deprecated -->\n"
    site.write("docs/index.md", text)
    result = site.mkdocs(strict=True)
    main = page(result, "index.html")
    assert names(main) == ["fine", "old"]
    folded = main.xpath(".//details[@class='catalog-more']")[0]
    assert words(folded.find("summary")) == "1 deprecated and 1 withdrawn (3 images in all), 1 planned"
    assert [words(link) for link in folded.xpath(".//li/a")] == ["gone", "next", "old"]
    assert "docker pull" in words(page(result, "images/old/index.html"))
    gone = words(page(result, "images/gone/index.html"))
    assert "no longer offered" in gone
    assert "docker pull" not in gone


def test_rows_have_anchors_and_an_older_release_can_be_chosen(site: SiteFolder) -> None:
    small_catalog(site)
    main = page(site.mkdocs(), "images/nginx/index.html")
    assert [line.get("id") for line in main.xpath(".//tbody/tr[@data-item]")] == ["CVE-2025-1", "CVE-2025-2"]
    newest, older = main.xpath(".//p[@class='catalog-release']//option")
    assert (newest.get("data-version"), older.get("data-version")) == ("1.10", "1.9")
    assert older.get("value").endswith("api/v1/security/nginx/1.9.json")
    assert older.get("data-advice") == (
        "Vulnerabilities of 1.9: 1.10 fixes 1 (1 high), adds 2 (1 critical, 1 low)."
    )


def test_an_update_that_changes_nothing_is_not_advised(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.2.1, 1.2.0, 1.1.0]")
    for version, id_ in (("1.2.1", "CVE-2025-1001"), ("1.2.0", "CVE-2025-1001"), ("1.1.0", "CVE-2025-1002")):
        site.report(f"nginx/{version}.json", trivy([row(id_)]))
    main = page(rendered(site), "images/nginx/index.html")
    advice = {
        line.get("data-version"): line.xpath("string(.//p[@class='catalog-update'])")
        for line in main.xpath(".//tr[@data-version]")
    }
    assert advice["1.2.0"] == ""
    assert "1.2.1 is the next line: fixes 1 (1 high), adds 1 (1 high)" in " ".join(advice["1.1.0"].split())


def test_many_versions_are_folded_and_an_update_that_was_not_scanned_is_marked(site: SiteFolder) -> None:
    versions = [f"{line}.{patch}" for line in ("1.3", "1.2") for patch in range(8, 0, -1)]
    site.image("nginx", f"versions: [{', '.join(versions)}]")
    site.report("nginx/1.2.7.json", trivy([row("CVE-2025-1001")]))
    main = page(rendered(site), "images/nginx/index.html")
    shown = main.xpath(".//tr[@data-version and not(ancestor::details)]/@data-version")
    assert shown == [*versions[:5], *versions[8:13]]
    assert sorted(main.xpath(".//tr[@data-version]/@data-version")) == sorted(versions)
    assert "6 older versions" in words(main)
    (update,) = main.xpath(".//tr[@data-version='1.2.7']//p[@class='catalog-update']")
    assert words(update) == "Update: 1.2.8 (not scanned); 1.3.8 is the next line (not scanned)"


def test_a_vulnerability_is_one_row_with_a_line_for_each_package(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1.0']")
    many = [row(f"CVE-2025-{number}", "MEDIUM") for number in range(1002, 1102)]
    site.report(
        "nginx/1.0.json",
        trivy([row("CVE-2025-1001", fixed="3.0.1"), row("CVE-2025-1001", "LOW", pkg="b"), *many]),
    )
    main = page(rendered(site), "images/nginx/index.html")
    (first, *_), rows = main.xpath(".//tbody/tr[@data-item]"), main.xpath(".//tbody/tr[@data-item]")
    assert len(rows) == 100
    assert words(main.xpath(".//output")[0]) == "102 vulnerabilities (101 ids), 100 ids shown"
    assert [words(line) for line in first.xpath("td[@class='catalog-lines']/span")] == [
        "openssl 3.0.0 3.0.1",
        "b 3.0.0 no fix yet",
    ]
    assert words(main.xpath(".//noscript//summary")[0]) == "1.0: 1 vulnerability"


def test_a_chart_shows_what_it_pins_worst_first_with_links_to_pages(site: SiteFolder) -> None:
    site.image("a", f"versions: [{{version: '1', digest: '{digest(1)}'}}]")
    site.image("b", f"versions: [{{version: '1', digest: '{digest(2)}'}}]")
    for slug, severity in (("a", "LOW"), ("b", "CRITICAL")):
        number = 1 if slug == "a" else 2
        report = trivy([row("CVE-2025-1", severity)], digest=f"{REGISTRY}/{slug}@{digest(number)}")
        site.report(f"{slug}/1.json", report)
    pins = ", ".join(f"'{REGISTRY}/{slug}@{digest(number)}'" for number, slug in ((1, "a"), (2, "b")))
    site.page(
        "charts/web.md", f"category: Web\ntier: core\nlicense: MIT\nversions: [1.0.0]\nimages: [{pins}]"
    )
    main = page(site.mkdocs(), "charts/web/index.html")
    pinned = main.xpath(".//h2[@id='catalog-images']/following::table[1]/tbody/tr")
    assert [words(line.find("th")) for line in pinned] == ["b", "a"]
    assert "F" in words(pinned[0])
    assert [line.xpath("./td/a/@href") for line in pinned] == [
        [f"../../images/{slug}/#catalog-vulnerabilities"] for slug in "ba"
    ]


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs", "material"])
def test_a_source_is_not_printed_by_its_letters(site: SiteFolder, theme: str) -> None:
    site.image("a", "versions: ['1']\nsource: https://github.com/acme/a")
    site.config["theme"] = {"name": theme}
    result = site.mkdocs(strict=True)
    html = (result.folder / "site/images/a/index.html").read_text("utf-8")
    assert html.count("github.com/acme/a") == 1  # the address of the link
    assert "/blob/master/h" not in html
    assert result.json("images/a/index.json")["data"]["source"] == "https://github.com/acme/a"


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_our_headings_stand_in_the_table_of_contents(site: SiteFolder, theme: str) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": theme}
    html = lxml.html.parse(str(site.mkdocs().folder / "site/images/nginx/index.html"))
    for id_ in ("catalog-releases", "catalog-vulnerabilities"):
        assert html.xpath(f"//a[@href='#{id_}']"), id_


def test_an_item_page_leads_back_to_its_list(site: SiteFolder) -> None:
    small_catalog(site)
    html = lxml.html.parse(str(site.mkdocs().folder / "site/images/nginx/index.html"))
    assert html.xpath("//nav[@aria-label='Breadcrumb']/a/@href") == ["../../"]


def test_the_newest_updates_come_first(site: SiteFolder) -> None:
    updates = "".join(
        f"- {{application: {name}, to: '1', outcome: held, checked: 2026-11-0{day}}}\n"
        for name, day in (("a", 1), ("b", 3), ("c", 2))
    )
    site.write("updates.yml", updates)
    site.write("docs/index.md", "# Home\n\n<!-- catalog: updates -->\n")
    assert names(page(site.mkdocs(), "index.html")) == ["b", "c", "a"]


def test_an_item_says_its_lifecycle_and_whether_support_has_an_end(site: SiteFolder) -> None:
    site.image("a", "versions: ['1']")
    site.image("b", "versions: [{version: '1', endOfLife: 2030-01-01}]")
    result = site.mkdocs()
    summary = {slug: words(page(result, f"images/{slug}/index.html")) for slug in "ab"}
    assert "No end of support is known." in summary["a"]
    assert "Supported until 2030-01-01." in summary["b"]
    assert "a available" in summary["a"]


def test_a_list_offers_images_whose_support_ended_when_an_end_is_known(site: SiteFolder) -> None:
    for slug in "abcdef":
        site.image(slug, "versions: [{version: '1', endOfLife: 2025-01-01}]" if slug == "a" else "")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n")
    main = page(site.mkdocs(), "index.html")
    assert main.xpath(".//input[@name='lifecycle']/@value")[-1] == "ended"


def choices(main: lxml.html.HtmlElement) -> dict[str, dict[str, str]]:
    """Label of a filter → text of a choice → its count."""
    return {
        group.get("aria-label"): {
            words(label.find("span")): words(label.find("small")) for label in group.findall("label")
        }
        for group in main.xpath(".//div[@role='group']")
    }


def test_a_filter_folds_all_but_six_choices(site: SiteFolder) -> None:
    for number in range(9):
        site.image(f"i{number}", f"versions: ['{number}']", category=f"C{number}")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n")
    main = page(rendered(site), "index.html")
    (group,) = main.xpath(".//div[@role='group'][@aria-label='Category']")
    assert [words(label) for label in group.findall("label")] == [f"C{number} 1" for number in range(6)]
    assert words(group.find("details/summary")) == "3 more"
    assert len(group.findall("details/label")) == 3
    assert words(main.xpath(".//select/option")[0]) == "Sorted by name"
    assert main.xpath(".//a[text()='Skip the filters']/@href") == [
        "#" + main.find_class("catalog-main")[0].get("id")
    ]
    assert "Nobody has looked." in words(main.find_class("catalog-meaning")[0])


def test_a_list_says_how_it_is_and_counts_what_its_filters_show(site: SiteFolder) -> None:
    reports = {"a": [], "b": [row("CVE-2025-1", "HIGH", fixed="2")], "c": [row("CVE-2025-2", "LOW")]}
    for number, slug in enumerate("abcdef", 1):
        lifecycle = "deprecated" if slug == "f" else "available"
        versions = f"versions: [{{version: '1', digest: '{digest(number)}', size: 2500000}}]"
        site.image(slug, f"{versions}\nlifecycle: {lifecycle}\nplatforms: [linux/amd64, linux/arm64]")
        if slug in reports:
            report = trivy(reports[slug], digest=f"{REGISTRY}/{slug}@{digest(number)}")
            site.report(f"{slug}/1.json", report)
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n")
    main = page(site.mkdocs(), "index.html")
    sentence = words(main.xpath(".//p[@class='catalog-headline']")[0])
    assert sentence.startswith("5 available images · 1 without known vulnerabilities · 2 not scanned · ")
    filters = choices(main)
    assert filters["Open vulnerabilities"] == {"High": "1", "Low": "1", "None known": "1"}
    assert filters["Fix"] == {"Only with a fix": "1"}
    assert filters["Lifecycle"] == {"available": "5", "deprecated": "1"}
    assert filters["Grade"]["not scanned"] == "2"
    rows = {words(line.find(".//a")): line for line in main.xpath(".//tr[@data-item]")}
    verdicts = {name: words(line.xpath(".//*[@data-f='verdict']")[0]) for name, line in rows.items()}
    assert verdicts == {
        "a": "No known vulnerabilities in 1", "b": "", "c": "", "d": "Not scanned", "e": "Not scanned"
    }  # fmt: skip
    severities = {name: line.xpath(".//*[local-name()='rect']/@class") for name, line in rows.items()}
    assert severities["b"] == ["catalog-fill-high"]
    assert severities["a"] == severities["d"] == []
    assert words(rows["a"].xpath(".//*[@data-f='build']")[0]) == "2.5 MB · amd64 · arm64"


def test_a_chart_with_a_pin_that_is_not_scanned_is_not_without_vulnerabilities(site: SiteFolder) -> None:
    for number, slug in ((1, "a"), (2, "b")):
        site.image(slug, f"versions: [{{version: '1', digest: '{digest(number)}'}}]")
    site.report("a/1.json", trivy([], digest=f"{REGISTRY}/a@{digest(1)}"))
    front = "category: Web\ntier: core\nlicense: MIT\nversions: [1.0.0]\n"
    for number in range(6):
        pins = ", ".join(
            f"'{REGISTRY}/{slug}@{digest(n)}'" for n, slug in ((1, "a"), (2, "b"))[: 1 + number % 2]
        )
        site.page(f"charts/c{number}.md", f"{front}images: [{pins}]")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: charts -->\n")
    main = page(site.mkdocs(), "index.html")
    sentence = words(main.xpath(".//p[@class='catalog-headline']")[0])
    assert sentence == "6 available charts · 3 without known vulnerabilities · 3 not scanned in full"
    verdicts = [words(one) for one in main.xpath(".//*[@data-f='verdict']")]
    assert verdicts == ["No known vulnerabilities", "None found, not graded"] * 3


def test_a_search_tells_an_image_from_its_chart(site: SiteFolder) -> None:
    small_catalog(site)
    site.config["plugins"] = ["search", {"catalog-api": site.settings}]
    index = json.loads((site.mkdocs().folder / "site/search/search_index.json").read_text("utf-8"))
    texts = {entry["location"]: entry["text"] for entry in index["docs"]}
    assert "Container image nginx" in texts["images/nginx/"]
    assert "Helm chart web" in texts["charts/web/"]


def test_a_list_has_the_order_that_it_names(site: SiteFolder) -> None:
    for slug, name in (
        ("a", "Tool 10"),
        ("b", "tool 9"),
        ("c", "Anchor"),
        ("d", "D"),
        ("e", "E"),
        ("f", "F"),
    ):
        site.image(slug, name=name)
    site.write("docs/index.md", "<!-- catalog: images -->\n")
    main = page(rendered(site), "index.html")
    assert names(main) == ["Anchor", "D", "E", "F", "tool 9", "Tool 10"]
    assert main.xpath("//select[@class='catalog-sort']/option[1]/text()") == ["Sorted by name"]
