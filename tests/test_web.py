"""The catalog's web pages by MkDocs: what they show is what the documents say, and it is safe to show."""

from __future__ import annotations

import gzip
import json
import logging
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import mkdocs_catalog_api.web
from mkdocs_catalog_api.catalog.scans import COUNTERS
from mkdocs_catalog_api.items.collections import ITEM_MODELS
from mkdocs_catalog_api.problems.codes import Code
from mkdocs_catalog_api.web import parts

from .budgets import check_size
from .feeds_of_advisories import kev
from .pages import cells, document, names, page, shown, words
from .sites import REGISTRY, Result, SiteFolder, digest, rendered, row, trivy

WEB = Path(mkdocs_catalog_api.web.__file__).parent
MARKERS = "".join(f"\n<!-- catalog: {name} -->\n" for name in parts.MARKERS if name not in ("item", "cves"))
NGINX = "images/nginx/index.html"
MARKER = "<!-- catalog: nothing -->"
SOME = """
# Some

<!-- catalog: images category="Web servers" tier=core -->

- in a list

    <!-- catalog: images category='Tools' view=table -->

<!-- catalog: updates outcome=held -->

<!-- catalog: images limit=1 -->
"""
FILLED = {"Versions", "Vulnerabilities", "Badges"}
"""Headings of the part of an item's page that the catalog fills in."""


def small_catalog(site: SiteFolder) -> None:
    """Two images (one scanned twice, one not at all), a chart, a plan and an update."""
    site.image(
        "nginx",
        f"versions:\n- {{version: 1.10, digest: '{digest(1)}', size: 24184804}}\n"
        f"- {{version: 1.9, digest: '{digest(2)}'}}\nsource: https://github.com/acme/nginx",
        category="Web servers",
    )
    site.image("curl", "versions: [8.1]")
    rows = [row("CVE-2025-1", "CRITICAL", fixed="3.0.1"), row("CVE-2025-2", "LOW")]
    site.report("nginx/1.10.json", trivy(rows, digest=f"{REGISTRY}/nginx@{digest(1)}"))
    site.report("nginx/1.9.json", trivy([row("CVE-2024-9")], digest=f"{REGISTRY}/nginx@{digest(2)}"))
    pin = f"{REGISTRY}/nginx@{digest(2)}"
    site.page(
        "charts/web.md", f"category: Web\ntier: core\nlicense: MIT\nversions: [2.0.0]\nimages: ['{pin}']"
    )
    site.page("roadmap/harbor.md", "category: Platform\npriority: high\nblocked: true\nblockedReason: Time")
    site.write("updates.yml", "- {application: nginx, from: 1.9, to: 1.10, outcome: shipped}\n")
    site.write("docs/index.md", f"# Home\n{MARKERS}")


def built_small(tmp_path_factory: pytest.TempPathFactory, theme: str) -> Result:
    """The same with pages for what the tests below ask, and a search."""
    site = SiteFolder(tmp_path_factory.mktemp(theme))
    small_catalog(site)
    tables = "# T\n\n<!-- catalog: images view=table -->\n\n<!-- catalog: charts view=table -->\n"
    site.write("docs/tables.md", tables)
    site.write("docs/some.md", SOME)
    site.write("docs/code.md", f"# X\n\n```\n{MARKER}\n```\n\n    {MARKER}\n\nand `{MARKER}`\n")
    site.config |= {"theme": {"name": theme}, "plugins": ["search", {"catalog-api": site.settings}]}
    if theme == "readthedocs":
        site.config["use_directory_urls"] = False
        site.write("docs/assets/catalog-api.css", "/* ours */")
    return rendered(site, strict=True)


@pytest.fixture(scope="module", params=["mkdocs", "material"])
def small(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Result:
    """The small catalog in each theme."""
    return built_small(tmp_path_factory, request.param)


def test_pages_show_the_figures_of_the_documents(small: Result) -> None:
    images, charts = page(small, "tables/index.html").xpath(".//table")
    for table, resource in ((images, "images"), (charts, "charts")):
        expected = []
        for item in small.json(f"{resource}.json")["data"]:
            figures = [item["security"][word] for word in (*COUNTERS, "total")]
            expected.append([item["name"], item["latest"], *("–" if n is None else str(n) for n in figures)])
        newest = shown(table, "./tbody/tr/th//*[@data-f='latest']")
        first = shown(table, "./thead/tr/th").index("Critical")
        rows = zip(shown(table, "./tbody/tr/th//a"), newest, cells(table), strict=True)
        assert [[name, version, *line[first : first + 6]] for name, version, line in rows] == expected


def test_an_item_page_needs_no_body_and_tells_machines_what_it_is(small: Result) -> None:
    html, main = document(small, NGINX), page(small, NGINX)
    versions, *_ = main.xpath(".//table[thead/tr/th[text()='Digest']]")
    assert all(text in words(versions) for text in (digest(1), "1.9", digest(2)))
    listed = main.xpath(".//table[thead/tr/th[text()='Severity']]")[0]
    assert [(line[0].upper(), line[2].split()[0]) for line in cells(listed)] == [
        (cve["severity"], cve["pkg"]) for cve in small.json("security/nginx.json")["latest"]["cves"]
    ]
    (older,) = main.xpath(".//template[@data-version='1.9']")
    assert older.get("data-href").endswith("api/v1/security/nginx/1.9.json")
    assert "Update: 1.10 fixes 1 (1 high), adds 2 (1 critical, 1 low)" in words(main)
    assert "Used by web" in words(main)
    assert "Time" in words(page(small, "roadmap/harbor/index.html"))
    (href,) = html.xpath("/html/head/link[contains(@rel, 'alternate')][@type='application/json']/@href")
    assert json.loads((small.folder / "site/images/nginx" / href).read_bytes())["slug"] == "nginx"
    api = "../../api/v1/images/nginx/index.json"
    assert html.xpath("//nav[@aria-label='Breadcrumb']/a/@href") == ["../../", api]
    for address in ("../../assets/catalog-api.css", "../../assets/catalog-api.js"):
        assert html.xpath(f"//link[@href='{address}'] | //script[@src='{address}']")
    for id_ in ("catalog-releases", "catalog-vulnerabilities"):  # in the theme's table of contents
        assert html.xpath(f"//a[@href='#{id_}'][not(ancestor::*[contains(@class, 'catalog')])]"), id_
    text = (small.folder / "site" / NGINX).read_text("utf-8")
    assert text.count("github.com/acme/nginx") == 1, "a source by its letters"


def test_links_lead_to_documents_and_pages_from_every_depth(
    small: Result, tmp_path_factory: pytest.TempPathFactory
) -> None:
    flat = built_small(tmp_path_factory, "readthedocs")
    assert (flat.folder / "site/images/nginx.html").read_text("utf-8").count("github.com/acme/nginx") == 1
    assert (flat.folder / "site/assets/catalog-api.css").read_text("utf-8") == "/* ours */"
    for result in (small, flat):
        root = result.folder / "site"
        for path in sorted(root.rglob("*.html")):
            html = document(result, path.relative_to(root).as_posix())
            part = "//*[contains(@class, 'catalog')]//a/@href | //link[contains(@rel, 'alternate')]/@href"
            part += " | //*[contains(@href, 'catalog-api')]/@href | //*[contains(@src, 'catalog-api')]/@src"
            found = [] if path.name == "404.html" else html.xpath(part)
            for href in (link.partition("?")[0].partition("#")[0] for link in found if "://" not in link):
                if href:  # else a place on the same page
                    target = (path.parent / href).resolve()
                    assert (target / "index.html" if target.is_dir() else target).is_file(), (path, href)


def test_arguments_narrow_a_collection_and_markers_in_code_stay_as_text(small: Result) -> None:
    main = page(small, "some/index.html")
    tables = main.xpath(".//table")
    assert [names(table) for table in tables] == [["nginx"], ["curl"], ["curl"]]
    assert ["catalog-cards" in table.get("class") for table in tables] == [True, False, True]
    assert main.xpath(".//li//table") == [tables[1]]
    assert "No updates at the moment" in words(main)
    assert words(page(small, "code/index.html")).count(MARKER) == 3


def test_the_search_finds_items_and_not_the_headings_of_what_is_filled_in(small: Result) -> None:
    docs = json.loads((small.folder / "site/search/search_index.json").read_bytes())["docs"]
    texts = {entry["location"]: entry["text"] for entry in docs}
    for word in ("Container image nginx", "Web servers", "1.10", "openssl"):
        assert word in texts["images/nginx/"]
    assert "Helm chart web" in texts["charts/web/"]
    assert not [entry for entry in docs if entry["title"] in FILLED or "CVE-2025-1" in entry["text"]]
    main = page(small, NGINX)
    assert {*shown(main, ".//h2"), *shown(main, ".//h3")} >= FILLED, "the page itself has them"


def test_style_and_scripts_are_small_and_served_without_comments_and_space(small: Result) -> None:
    sources = {path.name: path.read_text("utf-8") for path in (WEB / "assets").iterdir()}
    served = {name: (small.folder / "site/assets" / name).read_text("utf-8") for name in sources}
    for name, source in sources.items():
        lines = [line for line in source.splitlines() if not line.lstrip().startswith(("//", "/*"))]
        assert not [line for line in lines if re.search(r"\s//\s", line)], "it would end a line that goes on"
        assert re.sub(r"[\s;]", "", served[name]) == re.sub(r"[\s;]", "", "".join(lines))
        assert len(served[name]) < len(source)
    size = sum(len(gzip.compress(text.encode())) for text in served.values())
    check_size("style and scripts, compressed,", size, usual=23_900, limit=24_000)


WRONG = {
    "imagez": "unknown marker `imagez` (did you mean `images`?)",
    "images vieww=table": "unknown argument `vieww` (did you mean `view`?)",
    "images view=grid": "images has no view 'grid' (one of cards, table)",
    "images tier=core tier=core": "the argument `tier` is given twice",
    "images category=Web servers": "'servers' is not an argument",
    "images limit=many": "`limit` is 'many'",
    "counts view=full": "unknown argument `view` (remove it)",
    "item": "`item` is on a page that does not belong to an item",
    "": "the marker has no name",
}


def test_each_wrong_marker_is_refused_with_its_line(site: SiteFolder) -> None:
    small_catalog(site)
    markers = [f"<!-- catalog: {marker} -->\n" for marker in WRONG]
    markers.append("Text <!-- catalog: counts --> more\n")
    site.write("docs/wrong.md", f"```\n{''.join(markers[:-1])}```\n\n" + "\n".join(markers))
    site.page("images/c.md", "category: T\ntier: t\nlicense: MIT", "<!-- catalog: item hide=badgs -->")
    result = site.mkdocs()
    assert result.failed
    problems = [text for text in result.logged() if "wrong.md" in text]
    messages = [*WRONG.values(), "the marker is inside a paragraph"]
    for number, (problem, message) in enumerate(zip(problems, messages, strict=True)):
        assert problem.startswith(f"docs/wrong.md:{len(WRONG) + 4 + 2 * number}: ")
        assert message in problem
    assert "unknown section `badgs` (did you mean `badges`?)" in " ".join(result.logged())
    assert not list((result.folder / "site").rglob("*.*"))
    # In the preview, the page is shown as it is.
    result = site.mkdocs(command="serve")
    assert not result.failed
    assert any("unknown marker `imagez`" in text for text in result.logged(logging.ERROR))
    assert (site.folder / "site/index.html").exists()


# Filters, and the values that a warning names; words that a field may have are right on any day.
UNMATCHED = {
    "images category=Webb": ["Web"],
    "images tier=core category=Networking": ["Databases", "Web"],
    "images size=small": [],
    "images lifecycle=planned fips=true shell=bash": None,
    "updates outcome=held": None,
}


def test_a_filter_that_nothing_matches_is_a_warning_with_the_values_that_there_are(site: SiteFolder) -> None:
    fields = {"fips": "boolean", "size": "text", "shell": {"values": ["bash", "none"]}}
    site.settings["images"] = {"fields": fields}
    site.image("a", "shell: none", category="Web")
    site.image("b", category="Databases")
    site.write("docs/index.md", "".join(f"<!-- catalog: {marker} -->\n\n" for marker in UNMATCHED))
    result = site.mkdocs()
    assert [
        (problem.code, problem.file, problem.line, re.findall(r"\b[A-Z]\w+", problem.hint))
        for problem in result.problems
    ] == [
        (Code.MARKER, "docs/index.md", 1 + 2 * number, values)
        for number, values in enumerate(UNMATCHED.values())
        if values is not None
    ]
    assert site.mkdocs(strict=True).failed


MAIN = '{{% extends "base.html" %}}{{% block content %}}<main role="main">\n{}</main>{{% endblock %}}'
# A template of the site, its text, and what the home page has; or the beginning of an error. They are of one
# process: a template counts as it is at each build.
TEMPLATES = [
    ("catalog/counts", "<p>{{ catalog.images | length }} & {{ '<b>' }}</p>", "<p>2 & &lt;b&gt;</p>"),
    ("catalog/counts", "<p>other</p>", "<p>other</p>"),
    ("main", MAIN.format("{{ catalog.security.total }} {{ catalog.image('nginx').latest | e }}"), "2 1.10"),
    ("catalog/counts", "<p>\n{{ nothing.there }}", "error: overrides/catalog/counts.html:2: "),
    ("catalog/counts", "<p>\n\n{% if %}", "error: overrides/catalog/counts.html:3: "),
    ("catalog/counts", "{{ 1 + 'a' }}", "error: overrides/catalog/counts.html:1: "),
    ("main", MAIN.format("{{ catalog.image('nope').name }}"), "error: catalog.image('nope'): the "),
    ("main", MAIN.format("{{ catalog.document('a.json').data }}"), "error: catalog.document('a.json'): the "),
    ("unused", "", "catalog-tiles"),
]


def test_a_template_of_the_site_sees_the_catalog(site: SiteFolder) -> None:
    small_catalog(site)
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    for name, text, wanted in TEMPLATES:
        template = site.write(f"overrides/{name}.html", text)
        result = site.mkdocs()
        template.unlink()
        if result.failed:
            assert [each for each in result.logged(logging.ERROR) if wanted.removeprefix("error: ") in each]
        else:
            assert wanted in (result.folder / "site/index.html").read_text("utf-8")


COMPILED = """
import sys
from pathlib import Path
from jinja2 import Environment
from mkdocs_catalog_api.web.render import environment

def compile(self, source, name, *rest, original=Environment.compile):
    print(name)
    return original(self, source, name, *rest)

Environment.compile = compile
sys.pycache_prefix, sys.dont_write_bytecode = sys.argv[1], "-B" in sys.argv
for name in ("badges", "counts"):
    environment(Path(sys.argv[2])).get_template(f"catalog/{name}.html")
"""


def test_templates_of_the_package_are_compiled_once(tmp_path: Path) -> None:
    """Each call is a process, as a build is."""
    (tmp_path / "overrides/catalog").mkdir(parents=True)
    (tmp_path / "overrides/catalog/counts.html").write_text("the author's")
    ours, theirs = "catalog/badges.html", "catalog/counts.html"

    def compiled(folder: Path, *options: str) -> list[str]:
        command = [sys.executable, "-c", COMPILED, str(folder), str(tmp_path / "overrides"), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    folder, not_a_folder = tmp_path / "code", tmp_path / "file"
    not_a_folder.touch()
    assert compiled(not_a_folder) == compiled(folder, "-B") == compiled(folder) == [ours, theirs]
    assert compiled(folder) == [theirs]
    (kept,) = folder.joinpath(*WEB.parts[1:], "templates").iterdir()
    kept.write_bytes(kept.read_bytes()[:-9])
    assert compiled(folder) == [ours, theirs]
    assert compiled(folder) == [theirs]


@pytest.mark.skipif(sys.platform == "win32", reason="has no such permissions")
def test_code_that_another_user_may_write_is_not_run(tmp_path: Path) -> None:
    """Compiled templates have the permissions of Python's own code, whatever the umask."""

    def compiled(umask: int) -> list[str]:
        command = [sys.executable, "-c", COMPILED, str(tmp_path / "code"), str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, umask=umask)
        return done.stdout.split()

    ours = ["catalog/badges.html", "catalog/counts.html"]
    assert compiled(0) == ours
    kept = [*tmp_path.joinpath("code", *WEB.parts[1:], "templates").iterdir()]
    assert {stat.S_IMODE(file.stat().st_mode) & 0o022 for file in kept} == {0}
    assert compiled(0) == []
    for file in kept:
        file.chmod(0o666)
    assert compiled(0o077) == ours
    assert {stat.S_IMODE(file.stat().st_mode) for file in kept} == {0o600}
    assert compiled(0o077) == []


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_a_page_without_the_catalog_keeps_its_bytes(site: SiteFolder, theme: str) -> None:
    small_catalog(site)
    for path in site.folder.glob("docs/*/*.md"):
        with path.open("a", encoding="utf-8") as item:
            item.write("# With a heading, as pages without one are named after their item\n")
    site.page("about.md", "source: a book", "# About\n\n`<!-- catalog: images -->`\n")
    site.config["theme"] = {"name": theme}
    with_catalog = rendered(site).folder / "site"
    pages = {path: (with_catalog / path).read_bytes() for path in ("about/index.html", "404.html")}
    home = document(Result(site.folder, failed=False, records=[]), "index.html")
    assert home.xpath("//link/@href[.='assets/catalog-api.css'] | //script/@src[.='assets/catalog-api.js']")
    site.config["plugins"] = []
    assert not site.mkdocs().failed
    assert {path: (with_catalog / path).read_bytes() for path in pages} == pages


def test_pages_can_be_left_alone(site: SiteFolder) -> None:
    small_catalog(site)
    site.settings["web"] = False
    result = site.mkdocs()
    assert "catalog-" not in (result.folder / "site" / NGINX).read_text("utf-8")
    assert not (result.folder / "site/assets/catalog-api.css").exists()


def test_markup_in_every_field_shows_as_text(site: SiteFolder) -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}<!-- catalog: nothing -->"
    word = json.dumps(evil)
    site.settings["images"] = {"fields": {"own": {"type": "text", "description": evil}}}
    item = f"tier: {word}\nlicense: MIT\nversions: ['1.0.0']\n"
    pin = f"images: [{{name: {word}, image: '{REGISTRY}/evil:1.0.0'}}]"
    lines = {
        "images": f"{item}description: {word}\nbase: Base\nsignature: sig\nown: {word}\n"
        "homepage: https://e.org/?a=1&b='x'",
        "charts": f"{item}appVersion: {word}\n{pin}",
        "roadmap": f"blocked: true\nblockedReason: {word}\npriority: {word}",
    }
    for collection in ITEM_MODELS:
        of_collection = lines.get(collection, f"{item}{pin}")
        site.page(f"{collection}/evil.md", f"name: {word}\ncategory: {word}\n{of_collection}")
    site.write("updates.yml", f"- {{application: {word}, to: {word}, note: {word}, outcome: held}}\n")
    evil_row = row(evil, pkg=evil, installed=evil, fixed=evil)
    rows = [evil_row | {"Title": evil, "PrimaryURL": "javascript:alert(1)"}]
    site.report("evil/1.0.0.json", trivy(rows, tag=f"{REGISTRY}/evil:1.0.0", target=evil))
    site.write("docs/index.md", f"# Home\n{MARKERS}")
    result = site.mkdocs()
    assert not result.failed, result.logged()
    for path in ["index.html", *(f"{name}/evil/index.html" for name in ITEM_MODELS)]:
        main = page(result, path)
        assert not main.xpath(".//script[text()] | .//img | .//comment() | .//*[@onerror]"), path
        assert not [a for a in main.xpath(".//a/@href") if "script:" in a], path
        assert "{{ 7*7 }}" in words(main)
        assert evil in words(main)


def test_a_page_says_what_is_exploited(site: SiteFolder) -> None:
    site.write("advisories/known_exploited_vulnerabilities.json", kev({"CVE-2025-1000": "2025-03-04"}))
    site.image("nginx", "versions: ['1']")
    rows = [row("CVE-2025-1000", "HIGH"), row("CVE-2025-2000", "LOW")]
    site.report("nginx/1.json", trivy(rows, tag=f"{REGISTRY}/nginx:1"))
    site.write("docs/index.md", "# Home\n\n<!-- catalog: security -->\n\n<!-- catalog: cves -->\n")
    result = site.mkdocs()
    told = "//tr[.//*[normalize-space() = 'exploited since 2025-03-04' and not(@hidden)]]"
    told += "//*[self::b or @data-f='id']"
    assert [shown(page(result, path), told) for path in (NGINX, "index.html")] == [["CVE-2025-1000"]] * 2


@pytest.mark.parametrize("directories", [True, False])
def test_pages_of_48_hold_every_image_once(site: SiteFolder, directories: bool) -> None:
    site.config["use_directory_urls"] = directories
    site.write("docs/images/index.md", "# Images\n\n<!-- catalog: images -->\n")
    expected = [f"i{number:03}" for number in range(100)]
    site.write("images.yml", "".join(f"- {{name: {name}, category: C}}\n" for name in expected))
    site.settings["images"] = {"item_pages": False}
    result = site.mkdocs()
    links = page(result, "images/index.html").xpath(".//nav[@class='catalog-pages']/a/@href")
    paths = ["index.html" if link == "./" else link for link in links]
    assert [name for path in paths for name in names(page(result, f"images/{path}"))] == expected
