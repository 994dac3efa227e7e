"""What a marker shows of a whole catalog: lists, and the security page with the sentence that answers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, NamedTuple

import lxml.html
import pytest

from .feeds_of_advisories import kev
from .pages import filled, shown, tiles, words
from .past import ONE, THREE, TWO, Past
from .sites import REGISTRY, SiteFolder, digest, row, trivy
from .test_lookups import KEV

BANNER = ".//*[contains(@class, 'catalog-banner')]/div/*[self::p or self::ul]/descendant-or-self::*"
BANNER += "[self::p or self::li[not(@class)]]"
"""The answer and what follows it, without what is shown for old scans only."""
COLOR = "substring-after(.//*[contains(@class, 'catalog-banner')]/@class, 'worst-')"
BUTTON = ".//a[@class='catalog-button']"
NAMES = ".//tr[@data-item]/th//a"
CHOICES = ".//div[@role='group'][@aria-label='{}']/label"
HEADLINE = ".//p[@class='catalog-headline']"
VERDICTS = ".//*[@data-f='verdict']"
IN_ALL = " in available images"
LIST: dict[str, str | bytes] = {"docs/images/index.md": "<!-- catalog: images -->\n"}
Scan = str | None
"""The severities of what a scan finds, with + if a fix is known; None if there is no scan."""


class Story(NamedTuple):
    """Images (their scan, after further front matter), and what a page with a marker shows."""

    images: Mapping[str, Scan | tuple[str, Scan]]
    shown: dict[str, list[str]]
    """XPath → its texts."""
    says: tuple[str, ...] = ()
    files: dict[str, str | bytes] = {}
    marker: str = "security"


def charts(*pins: str, lifecycle: str = "available", **slugs: str) -> dict[str, str | bytes]:
    """Charts, and the images that each installs."""
    text = f"category: Web\ntier: core\nlicense: MIT\nlifecycle: {lifecycle}\nversions: [1.0.0]\n"
    pinned = {
        slug: ", ".join(f"'{REGISTRY}/{pin}@{digest(pin)}'" for pin in pins.split())
        for slug, pins in slugs.items()
    }
    return {
        f"docs/charts/{slug}.md": f"---\n{text}images: [{images}]\n---\n" for slug, images in pinned.items()
    }


def facts(slug: str, lifecycle: str = "available") -> str:
    return (
        f"versions: [{{version: 1.0, digest: '{digest(slug)}', size: 2500000}}]\n"
        f"lifecycle: {lifecycle}\nplatforms: [linux/amd64, linux/arm64]"
    )


CAUSES = ".//*[@id='catalog-causes']/../.."

STORIES = {
    # The security page
    "nothing is scanned": Story(
        {"a": None},
        {BANNER: ["No image has been scanned yet, so nothing is known."], COLOR: ["unknown"], ".//dl": []},
    ),
    "no available image is scanned": Story(
        {"a": None, "old": ("lifecycle: deprecated", "critical high")},
        {BANNER: ["No available image has been scanned yet, so nothing is known.",
                  "Deprecated and withdrawn images have 2 open, 1 of them critical"]},
    ),
    "no vulnerability is open": Story(
        {"a": "", "b": ""},
        {BANNER: ["No known vulnerability is open in 2 images."], COLOR: ["none catalog-state-good"],
         ".//ol[@class='catalog-first']": []},
    ),
    "an image without a scan is never good": Story(
        {"a": "", "b": None},
        {BANNER: ["No known vulnerability is open in 1 image.", "1 image is not scanned"],
         COLOR: ["unknown"]},
    ),
    "an image scanned in part is never good": Story(
        {"a": "", "b": (f"versions: [{{version: 1.0, digest: ['{digest('b')}', '{digest(2)}']}}]", "")},
        {BANNER: ["No known vulnerability is open in 2 images.",
                  "The scans of 1 image can't show everything"], COLOR: ["unknown"]},
        says=(f"Images without any 1 of 2 scanned{IN_ALL}",),
    ),
    "critical and high": Story(
        {"a": "critical high+ high low", "b": ""},
        {BANNER: ["1 critical and 2 high vulnerabilities are open in 1 of 2 images. 1 of them has a fix."],
         COLOR: ["critical"]},
    ),
    "high": Story(
        {"a": "high high+ medium", "b": ""},
        {BANNER: ["2 high vulnerabilities are open in 1 of 2 images. 1 of them has a fix."], COLOR: ["high"]},
    ),
    "none critical or high": Story(
        {"a": "low unknown+", "b": ""},
        {BANNER: ["2 vulnerabilities are open in 1 of 2 images, none critical or high. 1 of them has a fix."],
         COLOR: ["low"]},
    ),
    "other lifecycles and exploits are beside it": Story(
        {"a": "high", "old": ("lifecycle: withdrawn", "critical low")},
        {BANNER: ["1 high vulnerability is open in 1 of 1 image. None of them have a fix. 1 is known to be "
                  "exploited.", "Deprecated and withdrawn images have 2 more, 1 of them critical"]},
        files={KEV: kev({ONE: "2026-03-04"})},
    ),
    "an available chart with a critical vulnerability is counted": Story(
        {"a": "", "old": ("lifecycle: deprecated", "critical")}, {},
        says=("1 chart installs a version with a critical vulnerability",),
        files=charts(web="old") | charts(gone="old", lifecycle="withdrawn"),
    ),
    "the button counts the rows of the list that it leads to": Story(
        {f"i{n}": "low" if n % 2 else "high" for n in range(6)} | {"i6": ("lifecycle: deprecated", "high")},
        {BUTTON: ["Show the 3 images"], f"{BUTTON}/@href": ["images/?severity=critical,high&sort=-risk"],
         ".//ol[@class='catalog-first']/li//a": ["i0", "i2", "i4", "i1", "i3", "i5"]},
        files=LIST,
    ),
    "what is exploited is fixed first, and further concerns are named": Story(
        {"a": "critical", "b": (facts("b"), "high")},
        {".//ol[@class='catalog-first']/li//a": ["b", "a"],
         ".//ol[@class='catalog-first']/li//span[contains(., '·')]": [
             "· core", "· known to be exploited", "· scanned in part", "· core"]},
        files={KEV: kev({"CVE-2026-0002": "2026-03-04"})},
    ),
    "packages behind the counts": Story(
        {"a": "high+ high+ low", "b": "high+", "old": ("lifecycle: deprecated", "high+")},
        {f"{CAUSES}/p": ["Updating one package fixes 3 of 4. "
                         "4 ids in the newest versions of available images"],
         f"{CAUSES}/ol/li": ["openssl apk 4 3 high, 1 low 2 of 2 images 4"],
         f"{CAUSES}//a/@href": ["cves/?package=apk/openssl"]},
        files={"docs/cves/index.md": "<!-- catalog: cves -->\n"},
    ),
    "a list without filters has no button": Story({"a": "high"}, {BUTTON: []}, files=LIST),
    "the summary has the answer and no lists": Story(
        {"a": "high"},
        {BANNER: ["1 high vulnerability is open in 1 of 1 image. None of them have a fix."],
         ".//ol/@class": ["catalog-columns"], ".//dl | .//*[@data-list]": []},
        marker="security view=summary",
    ),
    # Lists
    "a filter folds all but six choices": Story(
        {f"i{n}": (f"category: C{n}", None) for n in range(9)},
        {CHOICES.format("Category"): [f"C{n} 1" for n in range(6)],
         ".//div[@aria-label='Category']/details/label": [f"C{n} 1" for n in range(6, 9)],
         ".//div[@aria-label='Category']/details/summary": ["3 more"],
         ".//a[text()='Skip the filters']/@href": ["#catalog-images-rows"],
         ".//*[@class='catalog-main']/@id": ["catalog-images-rows"],
         ".//input[@name='lifecycle']/@value": []},
        says=("Nobody has looked.",),
        marker="images",
    ),
    "an end of support adds a choice to a filter": Story(
        {**dict.fromkeys("abcde"), "f": ("versions: [{version: '1', endOfLife: 2025-01-01}]", None)},
        {"(.//input[@name='lifecycle'])[last()]/@value": ["ended"]},
        marker="images",
    ),
    "a list has the order that it names": Story(
        {"a": ("name: Tool 10", None), "b": ("name: tool 9", None), "c": ("name: Anchor", None),
         **dict.fromkeys("def")},
        {NAMES: ["Anchor", "d", "e", "f", "tool 9", "Tool 10"],
         ".//select[@class='catalog-sort']/option[1]": ["Sorted by name"]},
        marker="images",
    ),
    "a list says how it is and counts what its filters show": Story(
        {slug: (facts(slug), scan)
         for slug, scan in {"a": "", "b": "high+ high", "c": "low", "d": None, "e": None}.items()}
        | {"f": (facts("f", "deprecated"), None)},
        {CHOICES.format("Open vulnerabilities"): ["High 1", "Low 1", "None known 1"],
         CHOICES.format("Fix"): ["Only with a fix 1"],
         CHOICES.format("Lifecycle"): ["available 5", "deprecated 1"],
         f"{CHOICES.format('Grade')}[contains(., 'not scanned')]": ["not scanned 2"],
         NAMES: [*"abcde"],
         VERDICTS: ["No known vulnerabilities in 1.0", "", "", "Not scanned", "Not scanned"],
         ".//tr[@data-item][1]//*[local-name()='rect']": [],
         ".//*[local-name()='rect']/@width": ["100", "50"],
         ".//tr[@data-item][2]//*[local-name()='rect']/@class": ["catalog-fill-high"],
         ".//tr[@data-item][1]//*[@data-f='build']": ["2.5 MB · amd64 · arm64"]},
        says=("5 available images · 1 without known vulnerabilities · 2 not scanned · ",),
        marker="images",
    ),
    "a chart with a pin that is not scanned is not without vulnerabilities": Story(
        {"a": "", "b": None},
        {HEADLINE: ["6 available charts · 3 without known vulnerabilities · 3 not scanned in full · API"],
         VERDICTS: ["No known vulnerabilities", "None found, not graded"] * 3},
        files=charts(**{f"c{n}": "a b" if n % 2 else "a" for n in range(6)}),
        marker="charts",
    ),
    "a list of what nobody scanned has words and no empty columns": Story(
        {"a": None},
        {".//thead//th": ["Image", "Category", "Tier", "Grade", "Severities", "Scanned"],
         ".//td[@class='catalog-is-grade']": ["Grade not scanned"]},
        marker="images view=table",
    ),
    "a catalog of charts counts no images": Story(
        {}, {".//dt": ["Charts"]}, files=charts(web="elsewhere"), marker="counts"
    ),
    "a thousand is written in one way": Story(
        {"a": "low " * 1_200}, {".//dd/*[1]": ["1", "1", "1 200"]}, marker="counts"
    ),
    "what is not available is left out and folded below": Story(
        {"fine": None, "old": ("lifecycle: deprecated", None), "gone": ("lifecycle: withdrawn", None),
         "next": ("versions: []\nlifecycle: planned", None)},
        {NAMES: ["fine"],
         ".//details[@class='catalog-more']/summary": [
             "1 deprecated and 1 withdrawn (3 images in all), 1 planned"],
         ".//details[@class='catalog-more']//li/a": ["gone", "next", "old"]},
        marker="images",
    ),
    "a list of what is deprecated": Story(
        {"fine": None, "old": ("lifecycle: deprecated", None)}, {NAMES: ["old"]},
        marker="images lifecycle=deprecated",
    ),
    "the newest updates come first": Story(
        {}, {NAMES: ["b", "c", "a"]},
        files={"updates.yml": "".join(
            f"- {{application: {name}, to: '1', outcome: held, checked: 2026-11-0{day}}}\n"
            for name, day in (("a", 1), ("b", 3), ("c", 2))
        )},
        marker="updates",
    ),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_marker_shows(site: SiteFolder, story: Story) -> None:
    numbers = count(1)
    for slug, scan in story.images.items():
        matter, scan = scan if isinstance(scan, tuple) else ("", scan)
        version = "" if "version" in matter else f"versions: [{{version: 1.0, digest: '{digest(slug)}'}}]\n"
        required = "" if "category" in matter else "category: Tools\n"
        site.page(f"images/{slug}.md", f"tier: core\nlicense: MIT\n{required}{version}{matter}")
        if scan is not None:
            rows = [
                row(f"CVE-2026-{next(numbers):04}", word.strip("+").upper(), fixed="4" * word.endswith("+"))
                for word in scan.split()
            ]
            site.report(f"{slug}/1.0.json", trivy(rows, digest=f"{REGISTRY}/{slug}@{digest(slug)}"))
    for path, text in story.files.items():
        site.write(path, text)
    main = filled(site, story.marker)
    assert {xpath: found(main, xpath) for xpath in story.shown} == story.shown
    assert [text for text in story.says if text not in words(main)] == []


def found(main: lxml.html.HtmlElement, xpath: str) -> list[str]:
    """The texts of all that an XPath finds; an XPath of a string has one."""
    value: Any = main.xpath(xpath)
    return [value] if isinstance(value, str) else shown(main, xpath)


def two_days(past: Past, first: str, count: int = 2) -> lxml.html.HtmlElement:
    """The security page after three vulnerabilities on the first day, and `count` now."""
    past.image("a")
    past.scan("a", "1.0", [row(ONE, "CRITICAL", fixed="2"), row(TWO), row(THREE, "LOW")], made="")
    past.day(first)
    past.image("a", "1.0", "1.1")
    past.scan("a", "1.1", [row(f"CVE-2026-{n:04}") for n in range(2, 2 + count)], made="2026-11-01")
    past.day("2026-10-20")
    return filled(past.site, "security")


@pytest.mark.parametrize(
    ("first", "count", "sentence", "figures"),
    [
        (
            "2026-10-04",
            1,
            "1 of any severity, 2 fewer than four weeks earlier",
            {
                "Critical or high": f"1 ▼ 1 fewer in 4 weeks{IN_ALL}",
                "Open vulnerabilities": f"1 ▼ 2 fewer in 4 weeks{IN_ALL}",
                "With a fix": f"0 ▼ 1 fewer in 4 weeks{IN_ALL}",
            },
        ),
        ("2026-09-28", 4, "4 of any severity, 1 more than four weeks earlier", {}),
        (
            "2026-09-27",
            3,
            "3 of any severity, as many as on 2026-09-27",
            {"Open vulnerabilities": f"3 no change since 2026-09-27{IN_ALL}"},
        ),
        ("2026-10-05", 2, "", {"Open vulnerabilities": f"2{IN_ALL}"}),
    ],
    ids=["four weeks", "to the day", "since the first day", "too young to be compared"],
)
def test_figures_say_how_they_changed(
    site: SiteFolder, first: str, count: int, sentence: str, figures: dict[str, str]
) -> None:
    main = two_days(Past(site), first, count)
    told = "; ".join(shown(main, BANNER))
    assert sentence in told and ("of any severity" in told) == bool(sentence)
    assert figures.items() <= tiles(main).items()
    if sentence:
        assert len(main.xpath(".//*[local-name()='svg'][contains(@class, 'catalog-area')]")) == 2


def test_days_with_more_scans_are_not_compared(site: SiteFolder) -> None:
    past = Past(site)
    past.image("gone", v1_0="gone")
    past.scan("gone", "1.0", [row(ONE)], build="gone", made="")
    two_days(past, "2026-10-01")
    past.unscan("gone", "1.0")
    assert "fewer" not in words(filled(site, "security")), "a scan that is gone fixes nothing"
    past.scan("gone", "1.0", [], build="gone", made="")
    assert "2 fewer" in "; ".join(shown(filled(site, "security"), BANNER))


def test_time_to_fix_is_shown_as_bars_and_a_figure(site: SiteFolder) -> None:
    past = Past(site)
    past.image("a")
    past.day("2026-09-01")
    past.scan("a", "1.0", [row(ONE, "CRITICAL")])
    past.day("2026-09-11")
    main = filled(site, "security")
    assert tiles(main)["Median time to fix critical"] == "– none fixed in 365 days"
    assert "No fix has been recorded yet." in words(main)
    past.image("a", "1.0", "1.1")
    past.scan("a", "1.1", [])
    past.day("2026-09-21")
    main = filled(site, "security")
    assert tiles(main)["Median time to fix critical"] == "10 days 1 fixed of all images, in 90 days"
    assert shown(main, ".//ul[@class='catalog-times']/li") == ["Critical 10 days 1 fixed"]
