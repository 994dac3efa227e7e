"""The example and its most crowded page, in three themes: nothing is cut, axe finds nothing."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from .browser import Visit, faults, served, unseen_stops, violations, visiting
from .example import copy_example
from .sites import REGISTRY, SiteFolder, digest, row, run, trivy

THEMES = {
    "material": "name: material\n  font: false\n  palette:\n"
    "    - {media: '(prefers-color-scheme: light)', toggle: {icon: material/cube, name: L}}\n"
    "    - {scheme: slate, media: '(prefers-color-scheme: dark)', toggle: {icon: material/cube, name: D}}\n",
    "mkdocs": "name: mkdocs\n  highlightjs: false\n",
    "readthedocs": "name: readthedocs\n  highlightjs: false\n",
}
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("theme", THEMES, scope="module")]
WIDTHS = (320, 390, 768, 1024, 1280, 1440, 1920)
SLUG = "confidential-computing-attestation-operator"
CROWDED = f"images/{SLUG}/"
"""The page with long names, many rows and two platforms."""
PAGES = (
    *("images/", "images/?view=table", CROWDED, "charts/monitoring/", "roadmap/harbor/", "security/"),
    *("changes/", "cves/?id=CVE-2025-58187", "charts/"),
)
"""Each kind of part at least once."""
OTHERS = (
    *("", "images/solr/", "images/long/", "images/varnish/", "charts/?view=table"),
    *("roadmap/", "updates/", "badges/", "cves/"),
)
"""Further pages, visited in one theme."""
LABELS = [f"2.{20 - k // 2}.{k}{'' if k % 2 else '-debian13-hardened'}" for k in range(6)]
LONG = "2026.11.20-rc.1-build.20261120T101112Z-3f2a91cdeadbeef"
PLATFORMS = "linux/amd64", "linux/arm64/v8"
PACKAGES = "linux-libc-dev", "github.com/hashicorp/terraform-plugin-sdk/v2", "org.springframework:spring-web"
ROWS = [
    row(
        f"CVE-2025-{51234 + number}" if number % 7 else f"GHSA-7f3{number:x}-4xq8-99wh",
        ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")[number % 5],
        pkg=PACKAGES[number % 3],
        installed="v2.26.1" if number % 3 else "1:2.41-12+deb13u1~bpo12+1",
        fixed="1:2.41-12+deb13u2, 2.27.0-rc1, 2.28.0" if number % 4 else "",
    )
    for number in range(47)
]


def write_crowded(folder: Path) -> None:
    """Copy the example without its guide, and add the crowded page with two scans of each version."""
    copy_example(folder)
    shutil.rmtree(folder / "docs/guide")
    site, entries = SiteFolder(folder), []
    for k, label in enumerate(LABELS):
        manifests = {platform: digest(f"{label} {platform}") for platform in PLATFORMS}
        dates = {"released": f"202{5 - k // 2}-0{k + 1}-15", "endOfLife": f"202{7 - k // 2}-03-31"}
        entries.append({"version": label, "manifests": manifests, "size": 124184804} | dates)
        for number, built in enumerate(manifests.values()):
            report = trivy(ROWS, digest=f"{REGISTRY}/{SLUG}@{built}", created="2025-11-01T06:00:00Z")
            report["ArtifactName"] = tag = f"{REGISTRY}/{SLUG}:{label}"
            report["Results"][0] |= {"Target": f"{tag} (debian 13.1)", "Type": "debian"}
            report["Results"] += [
                {"Target": path, "Class": "lang-pkgs", "Type": "gobinary", "Vulnerabilities": ROWS[:20]}
                for path in ("usr/local/bin/attestation-operator", "usr/local/lib/python3.13/site-packages")
            ]
            site.report(f"{SLUG}/{label}-{number}.json", report)
    site.image("long", f"versions: [{LONG}]")
    name = "name: Confidential Computing Attestation Operator for Kubernetes Clusters"
    site.image(SLUG, f"{name}\nplatforms: {json.dumps(PLATFORMS)}\nversions: {json.dumps(entries)}")


@pytest.fixture(scope="module")
def home(theme: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the crowded example in a theme."""
    folder = tmp_path_factory.mktemp(theme)
    write_crowded(folder)
    config = folder / "mkdocs.yml"
    text = re.sub(r"(?ms)^theme:.*?(?=^nav:)", f"theme:\n  {THEMES[theme]}\n", config.read_text("utf-8"))
    text = text.replace("  - meta #", "  - material/meta #").replace("strict: true\n", "")
    text = re.sub(r"(?m)^extra_javascript:\n(  - .*\n)+", "", text)  # of the reference, and a clock
    config.write_text(text, "utf-8")
    result = run(config)
    assert not result.failed, result.logged()
    with served(folder / "site") as address:
        yield address


@pytest.fixture
def visit(browser: Browser, home: str) -> Iterator[Visit]:
    with visiting(browser, home, home) as visit:
        visit.page.clock.set_fixed_time("2025-11-20T00:00:00Z")
        yield visit


def darken(page: Page, theme: str) -> None:
    """Switch to the theme's dark colors, as a reader does."""
    page.emulate_media(color_scheme="dark")
    if theme == "mkdocs":
        page.evaluate("document.documentElement.dataset.bsTheme = 'dark'")
    else:
        page.evaluate("document.querySelector('input[data-md-color-scheme=slate]').click()")
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


def test_nothing_is_cut_every_stop_is_seen_and_axe_finds_nothing(
    visit: Visit, theme: str, node: Path
) -> None:
    page, axe = visit.page, node / "node_modules/axe-core/axe.min.js"
    color = "color-contrast", "link-in-text-block"
    wrong: dict[str, Any] = {}
    for path in PAGES + OTHERS * (theme == "material"):
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        page.set_viewport_size({"width": 1280, "height": 900})
        visit.go(path)
        if "?" in path:  # whose rows the script fetches
            page.wait_for_load_state("networkidle")
        if theme != "material":  # whose title may be too wide
            page.add_style_tag(content="h1 { font-size: 2rem !important }")
        found: dict[str, Any] = {"unseen": unseen_stops(page)}
        found |= faults(page, WIDTHS if theme == "material" else WIDTHS[::3])
        page.set_viewport_size({"width": 390, "height": 900})
        found |= {"unseen on a phone": unseen_stops(page)}
        found |= {f"{rule} on a phone": each for rule, each in violations(page, axe).items()}
        page.set_viewport_size({"width": 1280, "height": 900})
        found |= violations(page, axe)
        if theme != "readthedocs":
            darken(page, theme)
            found |= {f"{rule} in the dark": each for rule, each in violations(page, axe, *color).items()}
        wrong |= {f"{path} {kind}": each for kind, each in found.items() if each}
    assert wrong == {}


def test_axe_sees_faults_of_our_part(visit: Visit, theme: str, node: Path) -> None:
    visit.go("images/")
    html = "<img src='data:,'><p style='color: #bbb; background: #fff'>hard to read</p>"
    add = "(part, html) => part.insertAdjacentHTML('afterbegin', html)"
    visit.page.locator(".catalog").first.evaluate(add, html)
    found = violations(visit.page, node / "node_modules/axe-core/axe.min.js")
    assert found.keys() == {"image-alt", "color-contrast"}


def test_a_page_fits_paper_with_headings_and_grades_in_color(visit: Visit, theme: str) -> None:
    page = visit.page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720 if theme == "material" else 800, "height": 1000})  # A4, about
    cut = """tables => tables.filter(table => {
      const box = table.closest(".catalog-scroll"), { right, width } = box.getBoundingClientRect();
      const scrolls = innerWidth === 720 && box.scrollWidth > box.clientWidth + 1;
      const over = table.getBoundingClientRect().right > right + 1 || scrolls;
      return over || right > innerWidth || width < innerWidth * 0.8;
    }).map(table => table.closest(".catalog-scroll").ariaLabel)"""
    for path in ("images/?view=table", "security/", "images/postgresql/", "cves/"):
        visit.go(path)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator(".catalog-scroll table:visible").evaluate_all(cut) == [], path
        colors = "parts => parts.map(part => getComputedStyle(part).printColorAdjust)"
        graded = page.locator("[class*=catalog-grade]:visible, [class*=catalog-fill]:visible")
        assert {*graded.evaluate_all(colors)} == {"exact"}
        assert page.locator(".catalog details:not([open]):not(.catalog-pick)").count() == 0
    head = page.locator("table.catalog-table thead").first
    assert head.evaluate("head => getComputedStyle(head).display") == "table-header-group"
    # Chromium repeats no heading that has the box of a button.
    boxes = "buttons => buttons.filter(button => getComputedStyle(button).display !== 'contents').length"
    assert head.locator("button").evaluate_all(boxes) == 0


def test_a_place_is_a_file_or_the_distribution(visit: Visit) -> None:
    visit.go(CROWDED)
    places = visit.page.locator(".catalog-targets span")
    expect(places).to_have_count(len(ROWS))
    for _ in range(2):
        assert not [text for text in places.all_inner_texts() if REGISTRY in text]
        visit.page.locator("select[name=version]").select_option(LABELS[1])
        expect(visit.page.get_by_role("region", name=f"Vulnerabilities of {LABELS[1]}")).to_be_visible()
