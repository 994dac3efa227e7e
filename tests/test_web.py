"""The catalog's web pages: what they show is what the documents say, and it is safe to show."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path

import lxml.html
import pytest

import mkdocs_catalog_api.web
from mkdocs_catalog_api.catalog.collections import COLLECTIONS, ITEM_MODELS

from .budgets import check_size
from .feeds_of_advisories import kev
from .sites import REGISTRY, Result, SiteFolder, digest, row, trivy

WEB = Path(mkdocs_catalog_api.web.__file__).parent
MARKERS = [*COLLECTIONS, "security", "badges", "counts"]
THEMES = ("mkdocs", "material")


def page(result: Result, path: str) -> lxml.html.HtmlElement:
    """The main part of a page of the built site."""
    html = lxml.html.document_fromstring((result.folder / "site" / path).read_text("utf-8"))
    return html.xpath("//*[@role='main'] | //article")[0]


def words(element: lxml.html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def cells(table: lxml.html.HtmlElement) -> list[list[str]]:
    """The texts of a table's body."""
    return [[words(cell) for cell in line.xpath("./td | ./th")] for line in table.xpath("./tbody/tr")]


def small_catalog(site: SiteFolder) -> None:
    """Two images (one scanned twice, one not at all), a chart, a plan and an update."""
    site.image(
        "nginx",
        f"versions:\n- {{version: 1.10, digest: '{digest(1)}', size: 24184804}}\n"
        f"- {{version: 1.9, digest: '{digest(2)}'}}",
        category="Web servers",
    )
    site.image("curl", "versions: [8.1]")
    site.report(
        "nginx/1.10.json",
        trivy(
            [row("CVE-2025-1", "CRITICAL", fixed="3.0.1"), row("CVE-2025-2", "LOW")],
            digest=f"{REGISTRY}/nginx@{digest(1)}",
        ),
    )
    site.report("nginx/1.9.json", trivy([row("CVE-2024-9")], digest=f"{REGISTRY}/nginx@{digest(2)}"))
    pin = f"{REGISTRY}/nginx@{digest(2)}"
    site.page(
        "charts/web.md", f"category: Web\ntier: core\nlicense: MIT\nversions: [2.0.0]\nimages: ['{pin}']"
    )
    site.page("roadmap/harbor.md", "category: Platform\npriority: high\nblocked: true\nblockedReason: Time")
    site.write("updates.yml", "- {application: nginx, from: 1.9, to: 1.10, outcome: shipped}\n")
    site.write("docs/index.md", "# Home\n" + "".join(f"\n<!-- catalog: {name} -->\n" for name in MARKERS))
    site.write(
        "docs/tables.md", "# T\n\n<!-- catalog: images view=table -->\n\n<!-- catalog: charts view=table -->"
    )


@pytest.mark.parametrize("theme", THEMES)
def test_tables_show_the_figures_of_the_documents(site: SiteFolder, theme: str) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": theme}
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    images, charts = page(result, "tables/index.html").xpath(".//table")
    for table, resource in ((images, "images"), (charts, "charts")):
        expected = []
        for item in result.json(f"{resource}.json")["data"]:
            figures = item["security"]
            counts = [figures[word] for word in ("critical", "high", "medium", "low", "unknown", "total")]
            expected.append([item["name"], item["latest"], *("–" if n is None else str(n) for n in counts)])
        names = [words(link) for link in table.xpath("./tbody/tr/th//a")]
        newest = [words(label) for label in table.xpath("./tbody/tr/th//*[@data-f='latest']")]
        first = [words(heading) for heading in table.xpath("./thead/tr/th")].index("Critical")
        rows = zip(names, newest, cells(table), strict=True)
        shown = [[name, version, *line[first : first + 6]] for name, version, line in rows]
        assert shown == expected


def test_the_summary_shows_the_figures_of_the_document(site: SiteFolder) -> None:
    small_catalog(site)
    result = site.mkdocs()
    summary = result.json("security.json")
    home = page(result, "index.html")
    tiles = {words(tile.find("dt")): words(tile.find("dd")) for tile in home.xpath(".//dl/div")}
    total, fixable, unscanned = summary["total"], summary["fixable"], len(summary["unscanned"])
    assert tiles["Open vulnerabilities"] == f"{total} in available images"
    assert tiles["With a fix"] == f"{fixable} in available images"
    assert f", {unscanned} not scanned" in words(home)
    legend = words(home.xpath(".//ul[contains(@class, 'catalog-legend')]")[0])
    counts = summary["bySeverity"].items()
    assert legend == " ".join(f"{word.capitalize()} {n}" for word, n in counts)


def test_an_item_page_needs_no_body(site: SiteFolder) -> None:
    small_catalog(site)
    result = site.mkdocs()
    main = page(result, "images/nginx/index.html")
    assert words(main.xpath(".//h1")[0]) == "nginx"
    newest, *_ = main.xpath(".//table[thead/tr/th[text()='Digest']]")
    assert digest(1) in words(newest)
    found = main.xpath(".//table[thead/tr/th[text()='Severity']]")[0]
    detail = result.json("security/nginx.json")
    assert [(line[0].upper(), line[2].split()[0]) for line in cells(found)] == [
        (cve["severity"], cve["pkg"]) for cve in detail["latest"]["cves"]
    ]
    assert "1.9" in words(newest)
    assert digest(2) in words(newest)
    (mended,) = (line[-2] for line in cells(newest) if line[0] == "1.9 JSON")
    assert mended.endswith("Update: 1.10 fixes 1 (1 high), adds 2 (1 critical, 1 low)")
    assert "Used by web" in words(main)
    assert "has not been scanned" in words(page(result, "images/curl/index.html"))
    assert REGISTRY in words(page(result, "charts/web/index.html"))
    assert "Time" in words(page(result, "roadmap/harbor/index.html"))


def test_a_version_without_a_scan_has_no_count_and_nothing_to_filter(site: SiteFolder) -> None:
    site.image("web", "versions: ['2', '1']")
    site.report("web/1.json", trivy([row("CVE-2026-0001")], tag=f"{REGISTRY}/web:1"))
    main = page(site.mkdocs(), "images/web/index.html")
    assert "2 has not been scanned." in words(main) and "0 vulnerabilities" not in words(main)
    (listed,) = main.xpath(".//div[@data-list='vulnerabilities']")
    assert "hidden" in listed.attrib
    options = main.xpath(".//p[@class='catalog-release']//option")
    assert [(words(option), "data-scanned" in option.attrib) for option in options] == [
        ("2 (newest): not scanned", False),
        ("1: 1", True),
    ]


def test_an_item_part_stands_where_its_marker_does_or_last(site: SiteFolder) -> None:
    site.page("images/a.md", "category: C\ntier: t\nlicense: MIT\nversions: ['1']", "# A\n\nOwn text")
    marked = "# B\n\n## Facts\n\n<!-- catalog: item -->\n\nOwn text"
    site.page("images/b.md", "category: C\ntier: t\nlicense: MIT\nversions: ['1']", marked)
    result = site.mkdocs()
    last, first = ((result.folder / f"site/images/{name}/index.html").read_text("utf-8") for name in "ab")
    assert last.index("Own text") < last.index('id="catalog-releases"')
    assert first.index("Own text") > first.index('id="catalog-releases"')
    assert [tag.tag for tag in page(result, "images/b/index.html").xpath(".//h3 | .//h2")][:2] == ["h2", "h3"]


def test_a_marker_leaves_out_sections_and_their_links(site: SiteFolder) -> None:
    small_catalog(site)
    for slug, argument in (
        ("a", "hide=compare,badges"),
        ("b", "show=overview,vulnerabilities"),
        ("c", "hide=badgs"),
    ):
        site.page(
            f"images/{slug}.md",
            "category: T\ntier: t\nlicense: MIT\nversions: ['2', '1']",
            f"<!-- catalog: item {argument} -->",
        )
    result = site.mkdocs()
    assert "unknown section `badgs` (did you mean `badges`?)" in " ".join(result.logged())
    (site.folder / "docs/images/c.md").unlink()
    result = site.mkdocs()
    left = {}
    for slug in "ab":
        main = page(result, f"images/{slug}/index.html")
        links = {
            link.removeprefix("#catalog-")
            for link in main.xpath(".//nav[contains(@class, 'catalog-sections')]/a/@href")
        }
        assert links == {
            name
            for name in {"start", "releases", "vulnerabilities", "compare", "badges"}
            if main.xpath(f".//*[@id='catalog-{name}']")
        }
        left[slug] = links
    assert left == {"a": {"start", "releases", "vulnerabilities"}, "b": {"start", "vulnerabilities"}}


def test_links_lead_to_documents_and_pages_from_every_depth(site: SiteFolder) -> None:
    small_catalog(site)
    for directory_urls in (True, False):
        site.config["use_directory_urls"] = directory_urls
        result = site.mkdocs()
        root = result.folder / "site"
        for path in sorted(root.rglob("*.html")):
            if path.name == "404.html":
                continue
            html = lxml.html.document_fromstring(path.read_text("utf-8"))
            found = html.xpath(
                "//*[contains(@class, 'catalog')]//a/@href | //link[contains(@rel, 'alternate')]/@href"
            )
            for href in (link.partition("?")[0].partition("#")[0] for link in found if "://" not in link):
                if not href:  # a place on the same page
                    continue
                target = (path.parent / href).resolve()
                assert (target / "index.html" if target.is_dir() else target).is_file(), (path, href)


def test_the_head_of_an_item_page_names_its_document(site: SiteFolder) -> None:
    small_catalog(site)
    for theme in THEMES:
        site.config["theme"] = {"name": theme}
        result = site.mkdocs()
        path = result.folder / "site/images/nginx/index.html"
        html = lxml.html.document_fromstring(path.read_text("utf-8"))
        (href,) = html.xpath("/html/head/link[contains(@rel, 'alternate')][@type='application/json']/@href")
        assert json.loads((path.parent / href).read_bytes())["slug"] == "nginx"


def test_arguments_narrow_a_collection(site: SiteFolder) -> None:
    small_catalog(site)
    site.write(
        "docs/some.md",
        """
        # Some

        <!-- catalog: images category="Web servers" tier=core -->

        - in a list

            <!-- catalog: images category='Tools' view=table -->

        <!-- catalog: updates outcome=held -->

        <!-- catalog: images limit=1 -->
        """,
    )
    result = site.mkdocs(strict=True)
    main = page(result, "some/index.html")
    tables = main.xpath(".//table")
    assert [[words(a) for a in one.xpath(".//th//a")] for one in tables] == [["nginx"], ["curl"], ["curl"]]
    assert ["catalog-cards" in one.get("class") for one in tables] == [True, False, True]
    assert main.xpath(".//li//table") == [tables[1]]
    assert "No updates at the moment" in words(main)


WRONG = {
    "imagez": "unknown marker `imagez` (did you mean `images`?)",
    "images vieww=table": "unknown argument `vieww` (did you mean `view`?)",
    "images view=grid": "images has no view 'grid' (one of cards, table)",
    'images category="Web server"': "(did you mean `Web servers`?)",
    "images tier=core tier=core": "the argument `tier` is given twice",
    "images category=Web servers": "'servers' is not an argument",
    "images limit=many": "`limit` is 'many'",
    "counts view=full": "unknown argument `view` (remove it)",
    "item": "`item` is on a page that does not belong to an item",
    "": "the marker has no name",
}


def test_each_wrong_marker_is_refused_with_its_line(site: SiteFolder) -> None:
    small_catalog(site)
    code = "".join(f"<!-- catalog: {marker} -->\n" for marker in WRONG)
    text = "".join(f"<!-- catalog: {marker} -->\n\n" for marker in WRONG)
    site.write("docs/wrong.md", f"```\n{code}```\n\n{text}")
    result = site.mkdocs()
    assert result.failed
    problems = [text for text in result.logged() if "wrong.md" in text]
    first = len(WRONG) + 4
    for number, (problem, message) in enumerate(zip(problems, WRONG.values(), strict=True)):
        assert problem.startswith(f"docs/wrong.md:{first + 2 * number}: ")
        assert message in problem
    assert not list((result.folder / "site").rglob("*.*"))


def test_a_marker_within_a_paragraph_is_refused(site: SiteFolder) -> None:
    site.write("docs/index.md", "# X\n\nText <!-- catalog: counts --> more\n")
    result = site.mkdocs()
    assert any("docs/index.md:3: the marker is inside a paragraph" in text for text in result.logged())


def test_markers_in_code_stay_as_text(site: SiteFolder) -> None:
    marker = "<!-- catalog: nothing -->"
    code = f"# X\n\n```\n{marker}\n```\n\n    {marker}\n\nand `{marker}`\n"
    site.write("docs/index.md", code)
    site.write("roadmap.yml", "- {name: Next, category: Tools}\n")
    result = site.mkdocs(strict=True)
    assert words(page(result, "index.html")).count(marker) == 3


def test_a_template_of_the_site_comes_first(site: SiteFolder) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    site.write("overrides/catalog/counts.html", "<p>{{ catalog.images | length }} & {{ '<b>' }}</p>")
    result = site.mkdocs()
    assert "<p>2 & &lt;b&gt;</p>" in (result.folder / "site/index.html").read_text("utf-8")


def test_a_template_counts_as_it_is_at_each_build_of_a_process(site: SiteFolder) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    (site.folder / "overrides").mkdir()
    home = site.mkdocs().folder / "site/index.html"
    assert "catalog-tiles" in home.read_text("utf-8")
    for text in ("<p>first</p>", "<p>other</p>"):
        site.write("overrides/catalog/counts.html", text)
        site.mkdocs()
        assert text in home.read_text("utf-8")
    (site.folder / "overrides/catalog/counts.html").unlink()
    site.mkdocs()
    assert "catalog-tiles" in home.read_text("utf-8")


@pytest.mark.parametrize(
    ("template", "line"), [("<p>\n{{ nothing.there }}", 2), ("<p>\n\n{% if %}", 3), ("{{ 1 + 'a' }}", 1)]
)
def test_a_broken_template_is_a_problem_with_its_line(site: SiteFolder, template: str, line: int) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    site.write("overrides/catalog/counts.html", template)
    result = site.mkdocs()
    assert result.failed
    assert any(text.startswith(f"overrides/catalog/counts.html:{line}: ") for text in result.logged())


def test_every_template_sees_the_catalog(site: SiteFolder) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    site.write(
        "overrides/main.html",
        '{% extends "base.html" %}{% block content %}'
        "<main role='main'>{{ catalog.security.total }} {{ catalog.image('nginx').latest | e }}</main>"
        "{% endblock %}",
    )
    result = site.mkdocs()
    assert words(page(result, "index.html")) == f"{result.json('security.json')['total']} 1.10"


@pytest.mark.parametrize("asked", ["catalog.image('nope').name", "catalog.document('nope.json').data"])
def test_a_template_that_asks_for_what_is_not_there_is_told_in_one_line(site: SiteFolder, asked: str) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    site.write(
        "overrides/main.html", '{% extends "base.html" %}{% block content %}{{ ' + asked + " }}{% endblock %}"
    )
    result = site.mkdocs()
    assert result.failed
    assert any(f"{asked.rpartition('.')[0]}: the " in text for text in result.logged(logging.ERROR))


@pytest.mark.parametrize("theme", THEMES)
def test_the_search_index_has_what_was_filled_in(site: SiteFolder, theme: str) -> None:
    small_catalog(site)
    site.config |= {"theme": {"name": theme}, "plugins": ["search", {"catalog-api": site.settings}]}
    result = site.mkdocs()
    index = (result.folder / "site/search/search_index.json").read_text("utf-8")
    assert "openssl" in index
    assert "CVE-2025-1" not in index
    assert "Web servers" in index


def test_pages_can_be_left_alone(site: SiteFolder) -> None:
    small_catalog(site)
    site.settings["web"] = False
    result = site.mkdocs()
    assert "catalog-" not in (result.folder / "site/images/nginx/index.html").read_text("utf-8")
    assert not (result.folder / "site/assets/catalog-api.css").exists()


def test_style_and_scripts_are_small_and_served_as_they_are(site: SiteFolder) -> None:
    small_catalog(site)
    folder = site.mkdocs().folder / "site/assets"
    sources = {path.name: path.read_bytes() for path in (WEB / "assets").iterdir()}
    assert {name: (folder / name).read_bytes() for name in sources} == sources
    size = sum(len(gzip.compress(source)) for source in sources.values())
    check_size("style and scripts, compressed,", size, usual=23_900, limit=24_000)


def test_lines_of_templates_scripts_and_styles_can_be_read() -> None:
    files = [
        path for folder in ("assets", "templates") for path in (WEB / folder).rglob("*") if path.is_file()
    ]
    lines = [(path.name, len(line)) for path in files for line in path.read_text("utf-8").splitlines()]
    assert len(files) > 20
    assert [line for line in lines if line[1] > 200] == []


def test_tiles_count_available_images_and_all_beside_them(site: SiteFolder) -> None:
    small_catalog(site)
    site.image("old", f"versions: [{{version: '1', digest: '{digest(3)}'}}]\nlifecycle: deprecated")
    report = trivy([row("CVE-2025-3", "CRITICAL")], digest=f"{REGISTRY}/old@{digest(3)}")
    site.report("old/1.json", report)
    site.write("docs/index.md", "# Home\n\n<!-- catalog: security -->\n")
    home = page(site.mkdocs(), "index.html")
    tiles = {words(tile.find("dt")): words(tile.find("dd")) for tile in home.xpath(".//dl/div")}
    assert tiles["Critical or high"] == "1 in available images, 2 in all"
    assert tiles["Open vulnerabilities"] == "2 in available images, 3 in all"
    assert tiles["Images without any"] == "0 of 1 scanned in available images"
    (legend,) = home.xpath(".//ul[contains(@class, 'catalog-legend')]")
    assert words(legend).startswith("Critical 1 2 in all High 0 Medium")
    assert "newest versions of the 2 available images" in words(home)
    assert "1 without a grade" in words(home)


def test_our_style_and_script_can_be_replaced(site: SiteFolder) -> None:
    small_catalog(site)
    site.write("docs/assets/catalog-api.css", "/* ours */")
    result = site.mkdocs(strict=True)
    assert (result.folder / "site/assets/catalog-api.css").read_text("utf-8") == "/* ours */"
    html = lxml.html.document_fromstring((result.folder / "site/images/nginx/index.html").read_text("utf-8"))
    for address in ("../../assets/catalog-api.css", "../../assets/catalog-api.js"):
        assert html.xpath(f"//link[@href='{address}'] | //script[@src='{address}']")


def hostile(text: str) -> str:
    return json.dumps(text)


@pytest.mark.parametrize("theme", THEMES)
def test_markup_in_every_field_shows_as_text(site: SiteFolder, theme: str) -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}<!-- catalog: nothing -->"
    word = hostile(evil)
    site.page(
        "images/evil.md",
        f"name: {word}\ncategory: {word}\ntier: {word}\nlicense: MIT\ndescription: {word}\nbase: Base\n"
        f"signature: sig\nown: {word}\nversions: ['1']\nhomepage: https://e.org/?a=1&b='x'",
    )
    site.settings["images"] = {"fields": {"own": {"type": "text", "description": evil}}}
    chart = (
        f"name: {word}\ncategory: {word}\ntier: {word}\nlicense: MIT\nappVersion: {word}\nversions: [1.0.0]"
    )
    site.page("charts/evil.md", f"{chart}\nimages: [{{name: {word}, image: '{REGISTRY}/evil:1'}}]")
    site.page(
        "roadmap/evil.md",
        f"name: {word}\ncategory: {word}\nblocked: true\nblockedReason: {word}\npriority: {word}",
    )
    site.write("updates.yml", f"- {{application: {word}, to: {word}, note: {word}, outcome: held}}\n")
    rows = [
        row(evil, pkg=evil, installed=evil, fixed=evil) | {"Title": evil, "PrimaryURL": "javascript:alert(1)"}
    ]
    site.report("evil/1.json", trivy(rows, tag=f"{REGISTRY}/evil:1", target=evil))
    site.write("docs/index.md", "# Home\n" + "".join(f"\n<!-- catalog: {name} -->\n" for name in MARKERS))
    site.config["theme"] = {"name": theme}
    result = site.mkdocs()
    assert not result.failed, result.logged()
    paths = ["index.html", *(f"{name}/evil/index.html" for name in ITEM_MODELS)]
    for path in paths:
        main = page(result, path)
        assert not main.xpath(".//script | .//img | .//comment() | .//*[@onerror]"), path
        assert not [a for a in main.xpath(".//a/@href") if "script:" in a], path
        assert "{{ 7*7 }}" in words(main)
        assert evil in " ".join(main.text_content().split())


def test_a_wrong_marker_does_not_stop_the_preview(site: SiteFolder) -> None:
    site.image("alpha")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: count -->\n")
    result = site.mkdocs(command="serve")
    assert not result.failed
    assert any("unknown marker `count`" in text for text in result.logged(logging.ERROR))
    assert (site.folder / "site/index.html").exists()


def test_a_page_says_how_to_verify_what_is_exploited_and_how_much_was_scanned(site: SiteFolder) -> None:
    site.settings["images"] = {"verify": {"key": "https://example.org/cosign.pub"}}
    site.write("advisories/known_exploited_vulnerabilities.json", kev({"CVE-2025-1000": "2025-03-04"}))
    site.image("nginx", f"versions: [{{version: '1', digests: ['{digest(1)}', '{digest(2)}']}}]")
    found = trivy(
        [row("CVE-2025-1000", "HIGH"), row("CVE-2025-2000", "LOW")], digest=f"{REGISTRY}/nginx@{digest(1)}"
    )
    site.report("nginx/1.json", found)
    site.write("docs/index.md", "# Home\n\n<!-- catalog: security -->\n\n<!-- catalog: cves -->\n")
    result = site.mkdocs()
    image = page(result, "images/nginx/index.html")
    assert result.json("images/nginx/index.json")["data"]["verify"]["command"] in words(image)
    assert "Only 1 of 2 platforms of 1 are scanned." in words(image)
    marked = "//tr[.//*[normalize-space() = 'exploited since 2025-03-04' and not(@hidden)]]"
    marked += "//*[self::b or @data-f='id']"
    home = page(result, "index.html")
    assert [words(id_) for id_ in image.xpath(marked)] == ["CVE-2025-1000"]
    assert [words(id_) for id_ in home.xpath(marked)] == ["CVE-2025-1000"]
    assert "Known to be exploited 1" in words(home)


def test_a_page_is_silent_about_what_nobody_says(site: SiteFolder) -> None:
    small_catalog(site)
    result = site.mkdocs()
    image = page(result, "images/nginx/index.html")
    assert "Verify" not in words(image)
    assert "platforms scanned" not in words(image)
    assert not image.xpath("//*[contains(., 'exploited since')][not(*)]")
    assert "exploited" not in words(page(result, "index.html"))
