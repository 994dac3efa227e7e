"""What is published other than its author means is told: a warning or note with its place."""

from __future__ import annotations

import json

import pytest

from mkdocs_catalog_api.problems import Level, Problem

from .authors import problems
from .pages import page
from .sites import REGISTRY, Result, SiteFolder, digest, rendered
from .test_cli import call

ITEM = "category: Web\ntier: core\nlicense: MIT"
Told = tuple[str, ...]
"""Level, code, line and field of a problem, and parts of what it says; empty without one."""


def told(site: SiteFolder) -> list[Problem]:
    site.write_config()
    return problems(site, level=Level.INFO)[1]


def head(problem: Problem) -> str:
    return f"{problem.level.name.lower()} {problem.code} {problem.line} {problem.field}".rstrip()


# Pages of one catalog, with an image `nginx`

PAGES: dict[str, tuple[str, Told]] = {}
"""Path below docs → text, and what is told of it."""


def add(folder: str, rows: dict[str, Told]) -> None:
    for text, wanted in rows.items():
        PAGES[f"{folder}/n{len(PAGES):02}.md"] = f"---\n{ITEM}\n{text}\n---\n", wanted


UNSCHEMED = "warning CAT012 5 chart"
PIN = "info CAT038 5 images[0]"
add(
    "charts",
    {
        "chart: charts.acme.org:8443\nversions: [1.0.0]": (
            *(UNSCHEMED, "`oci://charts.acme.org:8443/", "`https://charts.acme.org:8443`"),
        ),
        "chart: bitnami/web\nversions: [1.0.0]": (UNSCHEMED, "`oci://bitnami/web`"),
        **{
            f"chart: {chart}\nversions: [1.0.0]": ()
            for chart in ("oci://a.io/web", "https://charts.acme.org")
        },
        **{f"images: ['{pin}']": (PIN,) for pin in (f"nginx@{digest(1)}", f"{REGISTRY}/ngnix@{digest(1)}")},
        **{
            f"images: ['{pin}']": ()
            for pin in ("nginx:1.29", "GHCR.IO/acme/nginx:1", f"{REGISTRY}/ngnix:1.0")
        },
    },
)
# A status is the theme's own, unless a lifecycle may be meant.
DEPRECATED = "status: deprecated"
add(
    "images",
    {
        "status: new": (),
        DEPRECATED: ("warning CAT010 5 status",),
        f"{DEPRECATED}\nlifecycle: available": (),
    },
)
# A marker one letter away; that in the code block is none.
MARKERS: dict[str, Told] = dict.fromkeys(
    (
        "<!-- catalogue: images -->",
        "<!-- katalog: images view=table -->",
        "<!- catalog: images ->",
        "<!-- catalog: images ->",
        "<-- catalog: images -->",
        "<! catalog: images >",
        "<!-- catalog: images",
    ),
    ("warning CAT060 9",),
) | dict.fromkeys(
    (
        "<!-- catalog: images -->",
        "<!-- catalog-images -->",
        "<!-- category: images -->",
        "`<!-- catalogue: images -->`",
        "    <!- catalog: images ->",
        "a < catalog: images",
    ),
    (),
)
IN_TEXT = "# Home\n\n```\n{0}\n```\n\nText\n\n{0}\n"
PAGES |= {
    f"markers/m{number:02}.md": (IN_TEXT.format(marker), wanted)
    for number, (marker, wanted) in enumerate(MARKERS.items())
}
DESCRIPTION = "A server for 1 < 2 pages."
BODIES = (
    *("", "# NGINX\n\nA text of its own.", "![logo](https://example.org/logo.png)\n\n## Usage"),
    "# NGINX\n\n<!-- catalog: item -->\n\nMount your site.",
    "# NGINX\n\n**A server** for 1 < 2\npages.\n\nMore.",
    f"# NGINX\n\n## Usage\n\n{DESCRIPTION}",
)
DESCRIBED = {
    f"images/described{number}.md": f"---\n{ITEM}\ndescription: '{DESCRIPTION}'\n---\n\n{body}\n"
    for number, body in enumerate(BODIES)
}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Result:
    site = SiteFolder(tmp_path_factory.mktemp("pages"))
    site.image("nginx")
    site.write("docs/images/index.md", "# Images\n")
    for path, text in ({path: text for path, (text, _) in PAGES.items()} | DESCRIBED).items():
        site.write(f"docs/{path}", text)
    return rendered(site)


def test_what_is_told_of_a_page(catalog: Result) -> None:
    for path, (_, wanted) in PAGES.items():
        found = [problem for problem in catalog.problems if problem.file == f"docs/{path}"]
        assert [head(problem) for problem in found[:1]] == [*wanted[:1]], path
        assert [part for part in wanted[1:] if part not in str(found[0])] == []
        if UNSCHEMED in wanted:  # and no command is shown that Helm refuses
            tree = page(catalog, f"{path.removesuffix('.md')}/index.html")
            assert [text for text in tree.xpath("//code//text()") if "helm install" in text] == []


def test_a_page_has_the_description_of_its_item_once(catalog: Result) -> None:
    for path in DESCRIBED:
        tree = page(catalog, f"{path.removesuffix('.md')}/index.html")
        text = " ".join(tree.xpath("string(//body)").split())
        assert text.count(DESCRIPTION) == 1, path


COMMENTS = ("catalog images -->", " catalog; images -->", "catalog-->", " Catalog\nof all -->")


def test_a_comment_that_begins_with_catalog_is_a_marker_or_an_error(site: SiteFolder) -> None:
    site.image("nginx")
    for number, comment in enumerate(COMMENTS):
        site.write(f"docs/p{number}.md", IN_TEXT.format(f"<!--{comment}"))
    found = json.loads(call("check", "--json", "-f", site.write_config()).stdout)["problems"]
    assert [(each["level"], each["code"], each["file"], each["line"]) for each in found] == [
        ("error", "CAT060", f"docs/p{number}.md", 9 + comment.count("\n"))
        for number, comment in enumerate(COMMENTS)
    ]
    assert {each["message"] for each in found} == {"a comment that begins with `catalog` is not a marker"}


# Whole sites


def test_a_status_that_is_declared_is_a_field(site: SiteFolder) -> None:
    site.settings["images"] = {"fields": {"status": "text"}}
    site.image("nginx", "status: deprecated")
    assert told(site) == []


def test_a_folder_one_letter_away_is_a_warning(site: SiteFolder) -> None:
    site.page("IMAGE/nginx.md", ITEM)
    site.page("Charts/nginx.md", ITEM)
    site.write("roadmap.yml", "- {name: Next, category: Tools}\n")
    found = [problem for problem in told(site) if problem.file == "mkdocs.yml"]
    assert [(each.level, each.code, each.field) for each in found] == [
        (Level.WARNING, "CAT015", f"catalog-api.{name}.pages") for name in ("charts", "images")
    ]
    assert "IMAGE/**/*.md" in str(found[1])


def test_a_landing_page_beside_a_data_file_is_in_the_right_folder(site: SiteFolder) -> None:
    site.write("docs/images/index.md", "# Images\n")
    site.write("images.yml", f"- {{name: NGINX, {ENTRY}}}\n")
    assert told(site) == []


def test_a_key_like_a_field_is_foreign_beside_that_field(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1']\nversion: 1.27")
    assert [head(problem) for problem in told(site)] == ["info CAT010 7 catalog-api.images.fields"]


def test_a_file_in_the_folder_of_vex_documents_that_is_not_read_is_named(site: SiteFolder) -> None:
    site.image("nginx")
    site.write("vex/nginx.yml", "statements: []")
    (note,) = told(site)
    assert (head(note), note.file) == ("info CAT041 0", "vex/nginx.yml")


# Data files

ENTRY = "category: Web, tier: core, license: MIT"


def test_problems_of_a_data_file_name_the_entry_by_its_slug(site: SiteFolder) -> None:
    names = ("name: NGINX Proxy", "slug: redis, name: Redis", "tier: core")
    site.write("images.yml", "".join(f"- {{{name}, homepage: x}}\n" for name in names))
    site.write("updates.yml", "- {application: Helm, to: '1', outcome: x}\n")
    found = told(site)
    assert [(each.item, each.line, each.field) for each in found if "web link" in each.message] == [
        ("nginx-proxy", 1, "[0].homepage"),
        ("redis", 2, "[1].homepage"),
        ("", 3, "[2].homepage"),
    ]
    assert (found[-1].item, found[-1].field) == ("helm", "[0].outcome")
    first, *_ = call("check", "-f", site.write_config()).stderr.splitlines()
    assert first.startswith("error: images.yml:1:") and ": nginx-proxy: [0].homepage: " in first


@pytest.mark.parametrize(
    ("path", "front_matter", "suggested"),
    [("images/nginx.md", "title: NGINX", True), ("charts/nginx.md", ITEM, False)],
)
def test_an_entry_of_an_image_that_has_a_page_suggests_it(
    site: SiteFolder, path: str, front_matter: str, suggested: bool
) -> None:
    site.write("docs/index.md", "# Home\n")
    site.write("images.yml", f"- {{name: NGINX, {ENTRY}}}\n")
    site.page(path, front_matter)
    found = [problem for problem in told(site) if problem.file == "images.yml"]
    assert [head(problem) for problem in found] == ["error CAT015 1 [0]"] * suggested
    assert all(f"`page: {path}`" in str(problem) for problem in found)
