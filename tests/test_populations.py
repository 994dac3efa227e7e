"""Pages, badges, feeds and documents count *all* images or the *available* ones, and agree."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import lxml.html

from mkdocs_catalog_api.web import parts

from .feeds_of_advisories import kev
from .pages import cells, page, words
from .past import Past
from .sites import REGISTRY, Result, SiteFolder, digest, rendered, row, trivy
from .test_lookups import KEV

SEVERITIES = ("critical", "high", "medium", "low", "unknown")
GRADES = ("A+", "A", "B", "C", "D", "F")
LIFECYCLES = ("available", "deprecated", "withdrawn", "planned")


class Figures(NamedTuple):
    """What the published items of one population add up to."""

    images: int
    releases: int
    scanned: int
    counts: dict[str, int]
    fixable: int
    exploited: int | None
    grades: Counter[str]
    ids: set[str]
    charts: int

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def figures(result: Result, lifecycles: tuple[str, ...]) -> Figures:
    """The sums over the images and charts in these lifecycles; a count that is null adds nothing."""
    images = [image for image in result.json("images.json")["data"] if image["lifecycle"] in lifecycles]
    known = {image["slug"]: image["security"] for image in images if image["security"]["scanned"]}
    exploited = [each["exploited"] for each in known.values() if each["exploited"] is not None]
    return Figures(
        images=len(images),
        releases=sum(len(image["versions"]) for image in images),
        scanned=len(known),
        counts={word: sum(each[word] or 0 for each in known.values()) for word in SEVERITIES},
        fixable=sum(each["fixable"] or 0 for each in known.values()),
        exploited=sum(exploited) if exploited else None,
        grades=Counter(each["grade"] for each in known.values() if each["grade"]),
        ids={id_ for slug in known for id_ in result.at(f"security/{slug}.json latest cves id")},
        charts=sum(chart["lifecycle"] in lifecycles for chart in result.json("charts.json")["data"]),
    )


def check_agreement(result: Result, pages: dict[str, str]) -> None:
    """All figures of a built site are those of the two populations; `pages` has the page of each marker."""
    every, available = figures(result, LIFECYCLES[:3]), figures(result, LIFECYCLES[:1])
    main = {marker: page(result, path) for marker, path in pages.items()}
    assert _tiles(main["counts"])["Images"] == (str(available.images), every.images)
    assert _tiles(main["counts"]).get("Charts", ("0", 0)) == (str(available.charts), every.charts)
    assert _tiles(main["counts"])["Versions"] == (str(available.releases), every.releases)
    lists = main["images"].xpath(".//div[@data-list='images']")[0]
    assert len(lists.xpath(".//tr[@data-item]")) == min(available.images, 48)
    shown = lists.xpath(".//output")
    assert not shown or f"{available.images} available image" in words(shown[0])
    others = [words(each) for each in lists.xpath(".//div[contains(@class, 'catalog-main')]/details/summary")]
    assert not every.images > available.images > 0 or f"({every.images} images in all)" in others[0]
    _check_trend(main["trend"], every, available)
    _check_security(main["security"], every, available)
    total = str(available.total) if available.scanned else "–"
    assert _tiles(main["counts"])["Open vulnerabilities"] == (total, every.total)
    ids = len(available.ids), len(every.ids)
    assert re.search(f"{ids[0]} ids? in available images{in_all(*ids)}", words(main["cves"]))


def _check_security(main: lxml.html.HtmlElement, every: Figures, available: Figures) -> None:
    known = available.scanned > 0
    serious = [figures.counts["critical"] + figures.counts["high"] for figures in (available, every)]
    wanted = {
        "Critical or high": (serious[0], serious[1]),
        "Open vulnerabilities": (available.total, every.total),
        "With a fix": (available.fixable, every.fixable),
        "Images without any": (available.grades["A+"], every.grades["A+"]),
    }
    texts = {label: (str(number) if known else "–", of) for label, (number, of) in wanted.items()}
    assert _tiles(main).items() >= texts.items()
    shown = words(main)
    if every.exploited is not None:
        exploited = in_all(available.exploited if known else None, every.exploited)
        in_available = f"{available.exploited or 'None'} in available images{exploited}"
        assert f"Known to be exploited {in_available}" in shown
    assert f"· {available.scanned} scanned" in shown
    legends = main.xpath(".//ul[@class='catalog-legend'][.//b]")
    assert legends or not every.total
    for legend in legends:
        assert [words(line) for line in legend] == [
            f"{word.capitalize()} {available.counts[word] if known else '–'}"
            + in_all(available.counts[word] if known else None, every.counts[word], " ")
            for word in SEVERITIES
        ]
    columns = main.xpath(".//ol[@class='catalog-columns']/li")
    assert [words(column) for column in columns] == [
        f"{available.grades[grade]} Grade {grade}" + in_all(available.grades[grade], every.grades[grade], " ")
        for grade in GRADES
    ]


def _check_trend(main: lxml.html.HtmlElement, every: Figures, available: Figures) -> None:
    """What the trend says of today, and its last point, are the figures of the tiles."""
    text = words(main)
    if "No day has been recorded yet." in text:
        return
    known = available.scanned > 0
    in_available = f"{available.total} open" if known else "not scanned"
    if not main.xpath(".//*[contains(@class, 'catalog-security')]"):  # which says it in its tiles
        assert f"{in_available} in available images" in text
        assert (f", {every.total} in all images" in text) == (not known or available.total != every.total)
    for table in main.xpath(".//*[@aria-label='Open vulnerabilities by day']/table"):
        assert [words(cell) for cell in table.xpath("./thead//th")][-2:] == ["Available", "In all"]
        last, *_ = cells(table)
        counts = [str(count) for count in available.counts.values()]
        shown = [*counts, str(available.total)] if known else ["Not scanned"]
        assert last[1:] == [*shown, str(every.total)]


def in_all(available: object, every: object, before: str = ", ") -> str:
    """The number of all items, which pages show where it differs."""
    return "" if available == every else f"{before}{every} in all"


def _tiles(main: lxml.html.HtmlElement) -> dict[str, tuple[str, int]]:
    """Label → the figure of available items and that of all."""
    tiles = {}
    for tile in main.xpath(".//dl[contains(@class, 'catalog-tiles')]/div"):
        if found := re.fullmatch(r"(\S+) .*?(?:, (\d+) in all)?", words(tile.find("dd"))):
            tiles[words(tile.find("dt"))] = (found[1], int(found[2] or found[1].replace("–", "0")))
    return tiles


def write_pages(site: SiteFolder) -> dict[str, str]:
    """A page for each marker."""
    markers = [marker for marker in parts.MARKERS if marker != "item"]
    for marker in markers:
        site.write(f"docs/{marker}.md", f"# Page\n\n<!-- catalog: {marker} -->\n")
    return {marker: f"{marker}/index.html" for marker in markers}


def mixed_catalog(site: SiteFolder) -> dict[str, str]:
    """Images in every lifecycle, scanned, partly scanned and not, with older releases; three charts."""
    site.settings["feeds"] = True
    site.write(KEV, kev({"CVE-2026-0003": "2026-03-04"}))
    scans: dict[str, tuple[str, list[dict[str, object]]]] = {
        "fine": ("available", [row("CVE-2026-0001", "HIGH", fixed="2"), row("CVE-2026-0002", "LOW")]),
        "clean": ("available", []),
        "old": ("deprecated", [row("CVE-2026-0001", "HIGH"), row("CVE-2026-0003", "CRITICAL", fixed="2")]),
        "gone": ("withdrawn", [row("CVE-2026-0004", "MEDIUM")]),
        "next": ("planned", [row("CVE-2026-0005", "CRITICAL")]),
    }
    for number, (slug, (lifecycle, rows)) in enumerate(scans.items()):
        versions = f"[{{version: 2.0, digest: '{digest(number)}'}}, 1.0]"
        site.image(slug, f"lifecycle: {lifecycle}\nversions: {versions}")
        site.report(f"{slug}/2.0.json", trivy(rows, digest=f"{REGISTRY}/{slug}@{digest(number)}"))
        site.report(f"{slug}/1.0.json", trivy([row("CVE-2025-0009")], tag=f"{REGISTRY}/{slug}:1.0"))
    site.image("partly", f"versions: [{{version: 1.0, digest: ['{digest(20)}', '{digest(21)}']}}]")
    report = trivy([row("CVE-2026-0006", "MEDIUM")], digest=f"{REGISTRY}/partly@{digest(20)}")
    site.report("partly/1.0.json", report)
    site.image("unscanned", "versions: [1.0]")
    site.image("unscanned-old", "lifecycle: deprecated\nversions: [1.0]")
    site.image("empty")
    for slug, lifecycle in (("web", "available"), ("old-web", "deprecated"), ("next-web", "planned")):
        head = f"category: Web\ntier: core\nlicense: MIT\nlifecycle: {lifecycle}\nversions: [1.0.0]\n"
        site.page(f"charts/{slug}.md", f"{head}images: ['{REGISTRY}/fine@{digest(0)}']")
    return write_pages(site)


def test_a_mixed_catalog_agrees(site: SiteFolder) -> None:
    pages = mixed_catalog(site)
    result = rendered(site)
    check_agreement(result, pages)
    summary = result.json("security.json")
    assert (summary["total"], summary["exploited"]) == (6, 1)
    available = {"total": 3, "exploited": 0, "images": 5, "imagesScanned": 3}
    assert summary["available"].items() >= available.items()


def test_without_a_scan_of_an_available_image_no_page_shows_zero(site: SiteFolder) -> None:
    pages = write_pages(site)
    site.image("old", f"lifecycle: deprecated\nversions: [{{version: 1.0, digest: '{digest(1)}'}}]")
    site.report("old/1.0.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/old@{digest(1)}"))
    site.image("new", "versions: [1.0]")
    check_agreement(rendered(site), pages)


def test_the_last_point_of_a_trend_is_the_tile_whatever_was_recorded(site: SiteFolder) -> None:
    """With recorded days, and once the catalog has changed since."""
    pages, past = mixed_catalog(site), Past(site)
    past.day("2026-11-01")
    site.report("clean/2.0.json", trivy([row("CVE-2026-0007")], digest=f"{REGISTRY}/clean@{digest(1)}"))
    past.day("2026-11-02")
    result = rendered(site)
    check_agreement(result, pages)
    summary, (last, *_) = result.json("security.json"), result.json("changes.json")["data"]
    assert last["all"]["total"] == summary["total"]
    assert last["available"] == {name: summary["available"][name] for name in last["available"]}
    assert "all images" in (result.folder / "site/feeds/security.xml").read_text("utf-8")
    recorded = days(result)
    assert recorded == [
        ["2026-11-02", "0", "2", "1", "1", "0", "4", "7"],
        ["2026-11-01", "0", "1", "1", "1", "0", "3", "6"],
    ]
    site.image("fine", f"lifecycle: deprecated\nversions: [{{version: 2.0, digest: '{digest(0)}'}}, 1.0]")
    result = rendered(site)
    check_agreement(result, pages)
    assert days(result) == [["This build", "0", "1", "1", "0", "0", "2", "7"], *recorded]


def test_a_package_that_is_installed_twice_counts_as_in_the_summary(site: SiteFolder) -> None:
    """A recorded day has the counts of the summary, also of an image."""
    pages, past = write_pages(site), Past(site)
    site.image("a", f"versions: [{{version: 1.0, digest: '{digest(1)}'}}]")
    rows = [row("CVE-2026-0001", installed=version) for version in ("1", "2")]
    site.report("a/1.0.json", trivy(rows, digest=f"{REGISTRY}/a@{digest(1)}"))
    past.day("2026-11-01")
    past.day("2026-11-02")
    result = rendered(site)
    check_agreement(result, pages)
    assert [line[-1] for line in days(result)] == ["2", "2"]
    assert result.at("history/a figures total") == [2]


def days(result: Result, path: str = "trend/index.html") -> list[list[str]]:
    """The rows below a trend, newest first."""
    (table,) = page(result, path).xpath(".//*[@aria-label='Open vulnerabilities by day']/table")
    return cells(table)


def test_the_example_agrees(example: Result) -> None:
    pages = {name: f"{name}/index.html" for name in ("images", "charts", "security", "changes", "cves")}
    check_agreement(example, pages | {"counts": "index.html", "trend": "security/index.html"})
