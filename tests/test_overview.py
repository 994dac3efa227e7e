"""The security page begins with a sentence that answers, and shows how its figures changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import lxml.html
import pytest

from .feeds_of_advisories import kev
from .past import ONE, THREE, TWO, Past
from .sites import REGISTRY, SiteFolder, digest, rendered, row, trivy
from .test_lookups import KEV
from .test_web import page, words


@pytest.fixture
def past(site: SiteFolder) -> Past:
    """A site with the marker `security`, and a list of images."""
    site.write("docs/index.md", "# Home\n\n<!-- catalog: security -->\n")
    site.write("docs/images/index.md", "# Images\n\n<!-- catalog: images -->\n")
    return Past(site)


def image(
    past: Past, slug: str, rows: Sequence[Mapping[str, object]] | None = None, lifecycle: str = "available"
) -> None:
    """An image with a digest of its own, and the scan of it that found these rows."""
    past.image(slug, "1.0", lifecycle=lifecycle, v1_0=slug)
    if rows is not None:
        past.scan(slug, "1.0", rows, build=slug)


def home(past: Past) -> lxml.html.HtmlElement:
    return page(rendered(past.site), "index.html")


def banner(main: lxml.html.HtmlElement) -> str:
    """The answer and what follows it, without what is shown for old scans only."""
    (box,) = main.xpath(".//*[contains(@class, 'catalog-banner')]/div")
    return "; ".join(words(part) for part in box.xpath("./p | ./ul/li[not(@class)]"))


def color(main: lxml.html.HtmlElement) -> str:
    (found,) = main.xpath(".//*[contains(@class, 'catalog-banner')]/@class")
    return str(found).split()[1].removeprefix("catalog-worst-")


def tiles(main: lxml.html.HtmlElement) -> dict[str, str]:
    return {words(tile.find("dt")): words(tile.find("dd")) for tile in main.xpath(".//dl/div")}


def test_nothing_is_scanned(past: Past) -> None:
    past.image("a")
    main = home(past)
    assert banner(main) == "No image has been scanned yet, so nothing is known."
    assert color(main) == "unknown"
    assert not tiles(main)


def test_no_available_image_is_scanned(past: Past) -> None:
    image(past, "a")
    image(past, "old", [row(ONE, "CRITICAL"), row(TWO)], "deprecated")
    assert banner(home(past)) == (
        "No available image has been scanned yet, so nothing is known.; "
        "Deprecated and withdrawn images have 2 open, 1 of them critical"
    )


def test_no_vulnerability_is_open(past: Past) -> None:
    for slug in "ab":
        image(past, slug, [])
    main = home(past)
    assert banner(main) == "No known vulnerability is open in 2 images."
    assert color(main) == "none"
    assert "Fix these first" not in words(main)


def test_what_no_scan_has_seen_is_never_good(past: Past) -> None:
    """Part of the images, and part of an image: one without a scan, one with one of two digests."""
    image(past, "a", [])
    image(past, "b")
    main = home(past)
    more = "1 image is not scanned"
    assert banner(main) == f"No known vulnerability is open in 1 image.; {more}"
    assert color(main) == "unknown"
    past.site.image("b", f"versions: [{{version: 1.0, digest: ['{digest(20)}', '{digest(21)}']}}]")
    past.site.report("b/1.0.json", trivy([], digest=f"{REGISTRY}/b@{digest(20)}"))
    main = home(past)
    more = "The scans of 1 image can't show everything"
    assert banner(main) == f"No known vulnerability is open in 2 images.; {more}"
    assert color(main) == "unknown"
    assert tiles(main)["Images without any"] == "1 of 2 scanned in available images"


@pytest.mark.parametrize(
    ("severities", "answer", "worst"),
    [
        (
            ("CRITICAL",),
            "1 critical vulnerability is open in 1 of 2 images. None of them have a fix.",
            "critical",
        ),
        (
            ("CRITICAL", "HIGH", "HIGH", "LOW"),
            "1 critical and 2 high vulnerabilities are open in 1 of 2 images. 1 of them has a fix.",
            "critical",
        ),
        (
            ("HIGH", "HIGH", "MEDIUM"),
            "2 high vulnerabilities are open in 1 of 2 images. 1 of them has a fix.",
            "high",
        ),
        (
            ("LOW", "UNKNOWN"),
            "2 vulnerabilities are open in 1 of 2 images, none critical or high. 1 of them has a fix.",
            "low",
        ),
    ],
)
def test_the_worst_severity_decides_the_answer(
    past: Past, severities: tuple[str, ...], answer: str, worst: str
) -> None:
    """The second row of a report has a fix."""
    rows = [
        row(f"CVE-2026-000{number}", severity, fixed="4" if number == 1 else "")
        for number, severity in enumerate(severities)
    ]
    image(past, "a", rows)
    image(past, "clean", [])
    main = home(past)
    assert banner(main) == answer
    assert color(main) == worst


def test_other_lifecycles_and_exploits_stand_beside_it(past: Past) -> None:
    past.site.write(KEV, kev({ONE: "2026-03-04"}))
    image(past, "a", [row(ONE)])
    image(past, "old", [row(TWO, "CRITICAL"), row(THREE, "LOW")], "withdrawn")
    main = home(past)
    assert banner(main) == (
        "1 high vulnerability is open in 1 of 1 image. None of them have a fix. 1 is known to be exploited.; "
        "Deprecated and withdrawn images have 2 more, 1 of them critical"
    )
    assert "Known to be exploited 1 in available images" in words(main)


def test_a_available_chart_with_a_critical_vulnerability_is_counted(past: Past) -> None:
    image(past, "a", [])
    image(past, "old", [row(TWO, "CRITICAL")], "deprecated")
    for name, lifecycle in (("web", "available"), ("gone", "withdrawn")):
        keys = f"category: Web\ntier: core\nlicense: MIT\nlifecycle: {lifecycle}\nversions: [1.0.0]"
        past.site.page(f"charts/{name}.md", f"{keys}\nimages: ['{REGISTRY}/old:1.0']")
    assert "1 chart installs a version with a critical vulnerability" in banner(home(past))


def test_the_button_counts_the_rows_of_the_list_that_it_leads_to(past: Past) -> None:
    for number in range(7):
        lifecycle = "deprecated" if number == 6 else "available"
        image(past, f"i{number}", [row(ONE, "HIGH" if number % 2 == 0 else "LOW")], lifecycle)
    main = home(past)
    (button,) = main.xpath(".//a[@class='catalog-button']")
    assert words(button) == "Show the 3 images"
    assert button.get("href") == "images/?severity=critical,high&sort=-risk"
    first = main.xpath(".//ol[@class='catalog-first']/li//a")
    assert [words(link) for link in first] == ["i0", "i2", "i4", "i1", "i3", "i5"]


def test_a_list_without_filters_has_no_button(past: Past) -> None:
    past.image("a")
    past.scan("a", "1.0", [row(ONE)])
    assert not home(past).xpath(".//a[@class='catalog-button']")


def two_days(past: Past, first: str) -> None:
    """Three vulnerabilities on the first day, two now; the scans are of 2026-11-01."""
    past.image("a")
    past.scan("a", "1.0", [row(ONE, "CRITICAL", fixed="2"), row(TWO), row(THREE, "LOW")])
    past.day(first)
    past.image("a", "1.0", "1.1")
    past.scan("a", "1.1", [row(TWO), row(THREE, "LOW")], made="2026-11-01")


@pytest.mark.parametrize(
    ("first", "since", "than"),
    [
        ("2026-10-04", "in 4 weeks", "four weeks earlier"),
        ("2026-09-28", "in 4 weeks", "four weeks earlier"),
        ("2026-09-27", "since 2026-09-27", "on 2026-09-27"),
    ],
)
def test_figures_say_how_they_changed(past: Past, first: str, since: str, than: str) -> None:
    two_days(past, first)
    past.day("2026-10-20")
    main = home(past)
    assert f"2 of any severity, 1 fewer than {than}" in banner(main)
    figures = tiles(main)
    assert figures["Critical or high"] == f"1 ▼ 1 fewer {since} in available images"
    assert figures["Open vulnerabilities"] == f"2 ▼ 1 fewer {since} in available images"
    assert figures["With a fix"] == f"0 ▼ 1 fewer {since} in available images"
    assert len(main.xpath(".//*[local-name()='svg'][contains(@class, 'catalog-area')]")) == 2
    past.scan("a", "1.1", [row(f"CVE-2026-001{number}") for number in range(4)], made="2026-11-01")
    assert f"4 of any severity, 1 more than {than}" in banner(home(past))
    past.scan("a", "1.1", [row(f"CVE-2026-001{number}") for number in range(3)], made="2026-11-01")
    main = home(past)
    assert f"3 of any severity, as many as {than}" in banner(main)
    assert f"no change {since}" in tiles(main)["Open vulnerabilities"]


def test_without_a_day_that_is_old_enough_nothing_is_compared(past: Past) -> None:
    two_days(past, "2026-10-05")
    main = home(past)
    assert "of any severity" not in banner(main)
    assert tiles(main)["Open vulnerabilities"] == "2 in available images"


def test_days_with_more_scans_are_not_compared(past: Past) -> None:
    image(past, "gone", [row(ONE)])
    two_days(past, "2026-10-01")
    past.unscan("gone", "1.0")
    assert "fewer" not in words(home(past)), "a scan that is gone fixes nothing"
    image(past, "gone", [])
    assert "2 fewer" in banner(home(past))


def test_time_to_fix_is_shown_as_bars_and_a_figure(past: Past) -> None:
    past.image("a")
    past.day("2026-09-01")
    past.scan("a", "1.0", [row(ONE, "CRITICAL")])
    past.day("2026-09-11")
    main = home(past)
    assert tiles(main)["Median time to fix critical"] == "– none fixed in 365 days"
    assert "No fix has been recorded yet." in words(main)
    past.image("a", "1.0", "1.1")
    past.scan("a", "1.1", [])
    past.day("2026-09-21")
    main = home(past)
    assert tiles(main)["Median time to fix critical"] == "10 days 1 fixed of all images, in 90 days"
    (line,) = main.xpath(".//ul[@class='catalog-times']/li")
    assert words(line) == "Critical 10 days 1 fixed"
    times = json.loads((past.site.folder / "site/api/v1/fixes.json").read_bytes())["timeToFix"]
    assert times["critical"]["days365"]["median"] == 10


def test_the_summary_has_the_answer_and_no_lists(past: Past) -> None:
    past.image("a")
    past.scan("a", "1.0", [row(ONE)])
    past.site.write("docs/index.md", "# Home\n\n<!-- catalog: security view=summary -->\n")
    main = home(past)
    assert banner(main).startswith("1 high vulnerability is open")
    assert main.xpath(".//ol[@class='catalog-columns']")
    assert not main.xpath(".//dl | .//*[@data-list]")
