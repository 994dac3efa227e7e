"""What a marker shows of a whole catalog: lists, and the security page with the sentence that answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import lxml.html
import pytest

from .feeds_of_advisories import kev
from .pages import page, shown, tiles, words
from .past import ONE, THREE, TWO, Past
from .sites import REGISTRY, SiteFolder, digest, rendered, row, trivy
from .test_lookups import KEV

BANNER = ".//*[contains(@class, 'catalog-banner')]/div/*[self::p or self::ul]/descendant-or-self::*"
BANNER += "[self::p or self::li[not(@class)]]"
"""The answer and what follows it, without what is shown for old scans only."""
COLOR = "substring-after(.//*[contains(@class, 'catalog-banner')]/@class, 'worst-')"
NAMES = ".//tr[@data-item]/th//a"
CHOICES = ".//div[@role='group'][@aria-label='{}']/label"
HEADLINE = ".//p[@class='catalog-headline']"
VERDICTS = ".//*[@data-f='verdict']"
HIGH, CRITICAL, LOW = row(ONE), row(ONE, "CRITICAL"), row(ONE, "LOW")
FEED = kev({ONE: "2026-03-04"})
IN_ALL = " in available images"


class Story(NamedTuple):
    """Images (further front matter, and rows of the scan or None), and what a page with a marker shows."""

    images: Mapping[str, tuple[str, Sequence[dict[str, object]] | None]]
    shown: dict[str, list[str]]
    """XPath → its texts."""
    says: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    tiles: dict[str, str] = {}
    files: dict[str, str | bytes] = {}
    marker: str = "security"


def plain(*slugs: str) -> dict[str, tuple[str, Any]]:
    return dict.fromkeys(slugs, ("", None))


def chart(slug: str, *pins: str, lifecycle: str = "available") -> dict[str, str | bytes]:
    text = f"category: Web\ntier: core\nlicense: MIT\nlifecycle: {lifecycle}\nversions: [1.0.0]\n"
    images = ", ".join(f"'{REGISTRY}/{pin}@{digest(pin)}'" for pin in pins)
    return {f"docs/charts/{slug}.md": f"---\n{text}images: [{images}]\n---\n"}


STORIES = {
    # The security page
    "nothing is scanned": Story(
        plain("a"),
        {BANNER: ["No image has been scanned yet, so nothing is known."], COLOR: ["unknown"], ".//dl": []},
    ),
    "no available image is scanned": Story(
        plain("a") | {"old": ("lifecycle: deprecated", [CRITICAL, row(TWO)])},
        {
            BANNER: [
                "No available image has been scanned yet, so nothing is known.",
                "Deprecated and withdrawn images have 2 open, 1 of them critical",
            ]
        },
    ),
    "no vulnerability is open": Story(
        dict.fromkeys("ab", ("", [])),
        {BANNER: ["No known vulnerability is open in 2 images."], COLOR: ["none catalog-state-good"]},
        silent=("Fix these first",),
    ),
    "an image without a scan is never good": Story(
        {"a": ("", [])} | plain("b"),
        {
            BANNER: ["No known vulnerability is open in 1 image.", "1 image is not scanned"],
            COLOR: ["unknown"],
        },
    ),
    "an image scanned in part is never good": Story(
        {"a": ("", []), "b": (f"versions: [{{version: 1.0, digest: ['{digest('b')}', '{digest(2)}']}}]", [])},
        {
            BANNER: [
                "No known vulnerability is open in 2 images.",
                "The scans of 1 image can't show everything",
            ],
            COLOR: ["unknown"],
        },
        tiles={"Images without any": f"1 of 2 scanned{IN_ALL}"},
    ),
    "one critical": Story(
        {"a": ("", [CRITICAL]), "b": ("", [])},
        {
            BANNER: ["1 critical vulnerability is open in 1 of 2 images. None of them have a fix."],
            COLOR: ["critical"],
        },
    ),
    "critical and high": Story(
        {"a": ("", [CRITICAL, row(TWO, fixed="4"), row(THREE), row("CVE-2026-0004", "LOW")]), "b": ("", [])},
        {
            BANNER: ["1 critical and 2 high vulnerabilities are open in 1 of 2 images. 1 of them has a fix."],
            COLOR: ["critical"],
        },
    ),
    "high": Story(
        {"a": ("", [HIGH, row(TWO, fixed="4"), row(THREE, "MEDIUM")]), "b": ("", [])},
        {BANNER: ["2 high vulnerabilities are open in 1 of 2 images. 1 of them has a fix."], COLOR: ["high"]},
    ),
    "none critical or high": Story(
        {"a": ("", [LOW, row(TWO, "UNKNOWN", fixed="4")]), "b": ("", [])},
        {
            BANNER: [
                "2 vulnerabilities are open in 1 of 2 images, none critical or high. 1 of them has a fix."
            ],
            COLOR: ["low"],
        },
    ),
    "other lifecycles and exploits are beside it": Story(
        {"a": ("", [HIGH]), "old": ("lifecycle: withdrawn", [row(TWO, "CRITICAL"), row(THREE, "LOW")])},
        {
            BANNER: [
                "1 high vulnerability is open in 1 of 1 image. None of them have a fix. 1 is known to be "
                "exploited.",
                "Deprecated and withdrawn images have 2 more, 1 of them critical",
            ]
        },
        says=("Known to be exploited 1 in available images",),
        files={KEV: FEED},
    ),
    "an available chart with a critical vulnerability is counted": Story(
        {"a": ("", []), "old": ("lifecycle: deprecated", [row(TWO, "CRITICAL")])},
        {},
        says=("1 chart installs a version with a critical vulnerability",),
        files=chart("web", "old") | chart("gone", "old", lifecycle="withdrawn"),
    ),
    "the button counts the rows of the list that it leads to": Story(
        {
            f"i{n}": (f"lifecycle: {'deprecated' if n == 6 else 'available'}", [LOW if n % 2 else HIGH])
            for n in range(7)
        },
        {
            ".//a[@class='catalog-button']": ["Show the 3 images"],
            ".//a[@class='catalog-button']/@href": ["images/?severity=critical,high&sort=-risk"],
            ".//ol[@class='catalog-first']/li//a": ["i0", "i2", "i4", "i1", "i3", "i5"],
        },
        files={"docs/images/index.md": "<!-- catalog: images -->\n"},
    ),
    "a list without filters has no button": Story(
        {"a": ("", [HIGH])},
        {".//a[@class='catalog-button']": []},
        files={"docs/images/index.md": "<!-- catalog: images -->\n"},
    ),
    "the summary has the answer and no lists": Story(
        {"a": ("", [HIGH])},
        {
            BANNER: ["1 high vulnerability is open in 1 of 1 image. None of them have a fix."],
            ".//ol/@class": ["catalog-columns"],
            ".//dl | .//*[@data-list]": [],
        },
        marker="security view=summary",
    ),
    "tiles count available images, and all beside them": Story(
        {
            "nginx": ("", [row(ONE, "CRITICAL", fixed="3.0.1"), row(TWO, "LOW")]),
            "old": ("lifecycle: deprecated", [row(THREE, "CRITICAL")]),
        }
        | plain("curl"),
        {
            ".//ul[contains(@class, 'catalog-legend')]": [
                "Critical 1 2 in all High 0 Medium 0 Low 1 Unknown 0"
            ]
        },
        says=("newest versions of the 2 available images", "1 without a grade"),
        tiles={
            "Critical or high": f"1{IN_ALL}, 2 in all",
            "Open vulnerabilities": f"2{IN_ALL}, 3 in all",
            "Images without any": f"0 of 1 scanned{IN_ALL}",
        },
    ),
    # Lists
    "a filter folds all but six choices": Story(
        {f"i{n}": (f"category: C{n}", None) for n in range(9)},
        {
            CHOICES.format("Category"): [f"C{n} 1" for n in range(6)],
            ".//div[@aria-label='Category']/details/label": [f"C{n} 1" for n in range(6, 9)],
            ".//div[@aria-label='Category']/details/summary": ["3 more"],
            ".//select/option[1]": ["Sorted by name"],
            ".//a[text()='Skip the filters']/@href": ["#catalog-images-rows"],
            ".//*[@class='catalog-main']/@id": ["catalog-images-rows"],
            ".//input[@name='lifecycle']/@value": [],
        },
        says=("Nobody has looked.",),
        marker="images",
    ),
    # An end of support adds a choice to a filter.
    "images whose support ended can be found": Story(
        plain(*"abcde") | {"f": ("versions: [{version: '1', endOfLife: 2025-01-01}]", None)},
        {"(.//input[@name='lifecycle'])[last()]/@value": ["ended"]},
        marker="images",
    ),
    "a list has the order that it names": Story(
        {
            "a": ("name: Tool 10", None),
            "b": ("name: tool 9", None),
            "c": ("name: Anchor", None),
            **plain("d", "e", "f"),
        },
        {
            NAMES: ["Anchor", "d", "e", "f", "tool 9", "Tool 10"],
            ".//select[@class='catalog-sort']/option[1]": ["Sorted by name"],
        },
        marker="images",
    ),
    "a list says how it is and counts what its filters show": Story(
        {
            slug: (
                f"versions: [{{version: 1.0, digest: '{digest(slug)}', size: 2500000}}]\n"
                f"lifecycle: {lifecycle}\nplatforms: [linux/amd64, linux/arm64]",
                rows,
            )
            for slug, lifecycle, rows in (
                ("a", "available", []),
                ("b", "available", [row(ONE, fixed="2")]),
                ("c", "available", [row(TWO, "LOW")]),
                *((slug, "available", None) for slug in "de"),
                ("f", "deprecated", None),
            )
        },
        {
            CHOICES.format("Open vulnerabilities"): ["High 1", "Low 1", "None known 1"],
            CHOICES.format("Fix"): ["Only with a fix 1"],
            CHOICES.format("Lifecycle"): ["available 5", "deprecated 1"],
            f"{CHOICES.format('Grade')}[contains(., 'not scanned')]": ["not scanned 2"],
            NAMES: [*"abcde"],
            VERDICTS: ["No known vulnerabilities in 1.0", "", "", "Not scanned", "Not scanned"],
            ".//tr[@data-item][1]//*[local-name()='rect']": [],
            ".//tr[@data-item][2]//*[local-name()='rect']/@class": ["catalog-fill-high"],
            ".//tr[@data-item][1]//*[@data-f='build']": ["2.5 MB · amd64 · arm64"],
        },
        says=("5 available images · 1 without known vulnerabilities · 2 not scanned · ",),
        marker="images",
    ),
    "a chart with a pin that is not scanned is not without vulnerabilities": Story(
        {"a": ("", [])} | plain("b"),
        {
            HEADLINE: ["6 available charts · 3 without known vulnerabilities · 3 not scanned in full"],
            VERDICTS: ["No known vulnerabilities", "None found, not graded"] * 3,
        },
        files={path: text for n in range(6) for path, text in chart(f"c{n}", *"ab"[: 1 + n % 2]).items()},
        marker="charts",
    ),
    "what is not available is left out and folded below": Story(
        {
            "fine": ("versions: ['1']", None),
            "old": ("versions: ['1']\nlifecycle: deprecated", None),
            "gone": ("versions: ['1']\nlifecycle: withdrawn", None),
            "next": ("lifecycle: planned", None),
        },
        {
            NAMES: ["fine"],
            ".//details[@class='catalog-more']/summary": [
                "1 deprecated and 1 withdrawn (3 images in all), 1 planned"
            ],
            ".//details[@class='catalog-more']//li/a": ["gone", "next", "old"],
        },
        marker="images",
    ),
    "a list of what is deprecated": Story(
        {"fine": ("", None), "old": ("lifecycle: deprecated", None)},
        {NAMES: ["old"]},
        marker="images lifecycle=deprecated",
    ),
    "the newest updates come first": Story(
        {},
        {NAMES: ["b", "c", "a"]},
        files={
            "updates.yml": "".join(
                f"- {{application: {name}, to: '1', outcome: held, checked: 2026-11-0{day}}}\n"
                for name, day in (("a", 1), ("b", 3), ("c", 2))
            )
        },
        marker="updates",
    ),
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_marker_shows(site: SiteFolder, story: Story) -> None:
    for slug, (matter, rows) in story.images.items():
        version = "" if "version" in matter else f"versions: [{{version: 1.0, digest: '{digest(slug)}'}}]\n"
        category = {} if "category:" not in matter else {"category": matter.removeprefix("category: ")}
        site.image(slug, version + ("" if category else matter), **category)
        if rows is not None:
            site.report(f"{slug}/1.0.json", trivy([*rows], digest=f"{REGISTRY}/{slug}@{digest(slug)}"))
    for path, text in story.files.items():
        site.write(path, text)
    site.write("docs/index.md", f"# Home\n\n<!-- catalog: {story.marker} -->\n")
    main = page(rendered(site), "index.html")
    assert {xpath: found(main, xpath) for xpath in story.shown} == story.shown
    assert story.tiles.items() <= tiles(main).items()
    assert [text for text in story.says if text not in words(main)] == []
    assert [text for text in story.silent if text in words(main)] == []


def found(main: lxml.html.HtmlElement, xpath: str) -> list[str]:
    """The texts of all that an XPath finds; an XPath of a string has one."""
    value: Any = main.xpath(xpath)
    return [value] if isinstance(value, str) else shown(main, xpath)


def two_days(past: Past, first: str) -> None:
    """Three vulnerabilities on the first day, two now; the scans are of 2026-11-01."""
    past.site.write("docs/index.md", "# Home\n\n<!-- catalog: security -->\n")
    past.image("a")
    past.scan("a", "1.0", [row(ONE, "CRITICAL", fixed="2"), row(TWO), row(THREE, "LOW")])
    past.day(first)
    past.image("a", "1.0", "1.1")
    past.scan("a", "1.1", [row(TWO), row(THREE, "LOW")], made="2026-11-01")


def home(site: SiteFolder) -> lxml.html.HtmlElement:
    return page(rendered(site), "index.html")


@pytest.mark.parametrize(
    ("first", "since", "than"),
    [
        ("2026-10-04", "in 4 weeks", "four weeks earlier"),
        ("2026-09-28", "in 4 weeks", "four weeks earlier"),
        ("2026-09-27", "since 2026-09-27", "on 2026-09-27"),
    ],
)
def test_figures_say_how_they_changed(site: SiteFolder, first: str, since: str, than: str) -> None:
    past = Past(site)
    two_days(past, first)
    past.day("2026-10-20")
    main = home(site)
    assert f"2 of any severity, 1 fewer than {than}" in "; ".join(shown(main, BANNER))
    figures = tiles(main)
    assert figures["Critical or high"] == f"1 ▼ 1 fewer {since}{IN_ALL}"
    assert figures["Open vulnerabilities"] == f"2 ▼ 1 fewer {since}{IN_ALL}"
    assert figures["With a fix"] == f"0 ▼ 1 fewer {since}{IN_ALL}"
    assert len(main.xpath(".//*[local-name()='svg'][contains(@class, 'catalog-area')]")) == 2
    for count, change in ((4, f"1 more than {than}"), (3, f"as many as {than}")):
        past.scan("a", "1.1", [row(f"CVE-2026-001{n}") for n in range(count)], made="2026-11-01")
        main = home(site)
        assert f"{count} of any severity, {change}" in "; ".join(shown(main, BANNER))
    assert f"no change {since}" in tiles(main)["Open vulnerabilities"]


def test_without_a_day_that_is_old_enough_nothing_is_compared(site: SiteFolder) -> None:
    two_days(Past(site), "2026-10-05")
    main = home(site)
    assert "of any severity" not in "; ".join(shown(main, BANNER))
    assert tiles(main)["Open vulnerabilities"] == f"2{IN_ALL}"


def test_days_with_more_scans_are_not_compared(site: SiteFolder) -> None:
    past = Past(site)
    past.image("gone", v1_0="gone")
    past.scan("gone", "1.0", [row(ONE)], build="gone")
    two_days(past, "2026-10-01")
    past.unscan("gone", "1.0")
    assert "fewer" not in words(home(site)), "a scan that is gone fixes nothing"
    past.scan("gone", "1.0", [], build="gone")
    assert "2 fewer" in "; ".join(shown(home(site), BANNER))


def test_time_to_fix_is_shown_as_bars_and_a_figure(site: SiteFolder) -> None:
    past = Past(site)
    site.write("docs/index.md", "# Home\n\n<!-- catalog: security -->\n")
    past.image("a")
    past.day("2026-09-01")
    past.scan("a", "1.0", [row(ONE, "CRITICAL")])
    past.day("2026-09-11")
    main = home(site)
    assert tiles(main)["Median time to fix critical"] == "– none fixed in 365 days"
    assert "No fix has been recorded yet." in words(main)
    past.image("a", "1.0", "1.1")
    past.scan("a", "1.1", [])
    past.day("2026-09-21")
    result = rendered(site)
    main = page(result, "index.html")
    assert tiles(main)["Median time to fix critical"] == "10 days 1 fixed of all images, in 90 days"
    assert shown(main, ".//ul[@class='catalog-times']/li") == ["Critical 10 days 1 fixed"]
    assert result.json("fixes.json")["timeToFix"]["critical"]["days365"]["median"] == 10
