"""What is published other than its author means is told: a warning or note with its place."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from .pages import page
from .sites import REGISTRY, SiteFolder, built, digest, rendered, row, trivy
from .test_cli import call

CHART = "category: Web\ntier: core\nlicense: MIT"


class Told(NamedTuple):
    """A problem as programs read it."""

    level: str
    code: str
    file: str
    line: int
    field: str
    text: str


def told(site: SiteFolder) -> list[Told]:
    """Every problem of the site, notes too."""
    site.write_config()
    problems = json.loads(call("check", "--json", "-f", site.folder / "mkdocs.yml").stdout)["problems"]
    return [
        Told(
            each["level"],
            each["code"],
            each["file"],
            each["line"],
            each["field"],
            f"{each['message']} ({each['hint']})",
        )
        for each in problems
    ]


def lines(site: SiteFolder, *options: str) -> list[str]:
    """The same as people read it, without the closing line."""
    return call("check", *options, "-f", site.write_config()).stderr.splitlines()[:-1]


# Charts


@pytest.mark.parametrize(
    ("chart", "offered"),
    [
        ("ghcr.io/acme/charts/web", ["`oci://ghcr.io/acme/charts/web`"]),
        ("localhost:5000/web", ["`oci://localhost:5000/web`"]),
        ("charts.acme.org", ["`oci://charts.acme.org/web`", "`https://charts.acme.org`"]),
        ("charts.acme.org:8443", ["`oci://charts.acme.org:8443/web`", "`https://charts.acme.org:8443`"]),
        ("bitnami/web", ["`oci://bitnami/web`"]),
    ],
)
def test_a_chart_without_a_scheme_is_a_warning_and_no_command_that_helm_refuses(
    site: SiteFolder, chart: str, offered: list[str]
) -> None:
    site.page("charts/web.md", f"{CHART}\nchart: {chart}\nversions: [1.0.0]")
    (problem,) = told(site)
    assert problem[:5] == ("warning", "CAT012", "docs/charts/web.md", 5, "chart")
    assert [address for address in offered if address not in problem.text] == []
    tree = page(rendered(site), "charts/web/index.html")
    assert [text for text in tree.xpath("//code//text()") if "helm install" in text] == []


def test_charts_without_a_scheme_are_counted_in_one_line(site: SiteFolder) -> None:
    for number in range(9):
        site.page(f"charts/c{number}.md", f"{CHART}\nchart: ghcr.io/acme/charts/c{number}")
    (line,) = lines(site)
    assert line.startswith("warning: chart: ") and ": 9 times, first docs/charts/c0.md:5:1," in line


@pytest.mark.parametrize("chart", ["oci://ghcr.io/acme/charts/web", "https://charts.acme.org"])
def test_a_chart_with_a_scheme_is_right(site: SiteFolder, chart: str) -> None:
    site.page("charts/web.md", f"{CHART}\nchart: {chart}\nversions: [1.0.0]")
    assert told(site) == []


# Pins


def test_it_joins_by_what_it_means(site: SiteFolder) -> None:
    site.image("nginx", "image: docker.io/library/nginx\nversions: ['1.29']")
    site.report("nginx/1.29.json", trivy([row("CVE-2026-0001")]))
    site.page("charts/web.md", f"{CHART}\nimages: ['nginx:1.29']")
    (pin,) = built(site).json("charts.json")["data"][0]["images"]
    assert (pin["slug"], pin["version"]) == ("nginx", "1.29")


@pytest.mark.parametrize("pin", ["docker.io/library/nginx", "index.docker.io/nginx", "GHCR.IO/acme/nginx:1"])
def test_a_full_name_needs_no_note(site: SiteFolder, pin: str) -> None:
    site.page("charts/web.md", f"{CHART}\nimages: ['{pin}']")
    assert told(site) == []


def test_notes_on_pins_are_counted_by_kind(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1.0']")
    for number in range(20):
        pins = f"{REGISTRY}/nginx:9.{number}, {REGISTRY}/nginx@{digest(number)}"
        site.page(f"charts/c{number:02}.md", f"{CHART}\nimages: [{pins}]")
    notes = lines(site)
    assert [": 20 times, first docs/charts/c00.md:5:" in line for line in notes] == [True] * 2
    assert len({note.partition(": 20 times")[0] for note in notes}) == 2
    assert len(lines(site, "--verbose")) == len(told(site)) == 40


# Items


def test_an_end_of_life_before_the_release_is_a_warning(site: SiteFolder) -> None:
    site.image(
        "nginx",
        """
        versions:
          - {version: '2', released: 2026-02-01, endOfLife: 2026-02-01}
          - version: '1'
            released: 2026-02-01
            endOfLife: 2025-02-01
        """,
    )
    assert [problem[:5] for problem in told(site)] == [
        ("warning", "CAT012", "docs/images/nginx.md", 9, "versions[1].endOfLife")
    ]


@pytest.mark.parametrize(
    "keys", ["status: new", "status: available", "status: deprecated\nlifecycle: available"]
)
def test_another_status_is_the_themes_own(site: SiteFolder, keys: str) -> None:
    site.page("images/nginx.md", f"{CHART}\n{keys}")
    assert told(site) == []


def test_a_status_that_is_declared_is_a_field(site: SiteFolder) -> None:
    site.settings["images"] = {"fields": {"status": "text"}}
    site.page("images/nginx.md", f"{CHART}\nstatus: deprecated")
    assert told(site) == []


@pytest.mark.parametrize("folder", ["image", "Images", "IMAGE", "chart", "Charts"])
def test_a_folder_one_letter_away_is_a_warning(site: SiteFolder, folder: str) -> None:
    resource = f"{folder.lower().rstrip('s')}s"
    site.page(f"{folder}/nginx.md", CHART)
    site.write("roadmap.yml", "- {name: Next, category: Tools}\n")
    warnings = [problem for problem in told(site) if problem.file == "mkdocs.yml"]
    assert [problem[:3] for problem in warnings] == [("warning", "CAT015", "mkdocs.yml")]
    assert warnings[0].field == f"catalog-api.{resource}.pages" and f"{folder}/**/*.md" in warnings[0].text


def test_it_is_a_note_where_a_data_file_has_the_items(site: SiteFolder) -> None:
    site.page("image/nginx.md", "name: NGINX")
    site.write(
        "images.yml", "- {name: NGINX, category: Web, tier: core, license: MIT, page: image/nginx.md}\n"
    )
    assert [problem.level for problem in told(site)] == ["info"]


# Markers


@pytest.mark.parametrize(
    "marker",
    [
        "<!-- catalogue: images -->",
        "<!-- catalogs: images -->",
        "<!-- katalog: images view=table -->",
        "<!- catalog: images ->",
        "<!- catalog: images -->",
        "<!-- catalog: images ->",
        "<-- catalog: images -->",
        "<! catalog: images >",
        "<!-- catalog: images",
    ],
)
def test_a_marker_one_letter_away_is_told_with_page_and_line(site: SiteFolder, marker: str) -> None:
    site.image("nginx")
    site.write("docs/index.md", f"# Home\n\n```\n{marker}\n```\n\nText\n\n{marker}\n")
    result = rendered(site)
    assert result.codes == ["CAT060"]
    assert [line.partition(": ")[0] for line in result.logged()] == ["docs/index.md:9"]
    (checked,) = told(site)
    assert checked[:4] == ("warning", "CAT060", "docs/index.md", 9)


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- catalog images -->",
        "<!-- catalog; images -->",
        "<!-- catalog : images -->",
        "<!--catalog-->",
        "<!-- Catalog\nof all things -->",
    ],
)
def test_a_comment_that_begins_with_catalog_is_a_marker_or_an_error(site: SiteFolder, comment: str) -> None:
    site.image("nginx")
    site.write("docs/index.md", f"# Home\n\n```\n{comment}\n```\n\nText\n\n{comment}\n")
    (checked,) = told(site)
    assert checked[:3] == ("error", "CAT060", "docs/index.md")
    assert checked.line == 8 + comment.count("\n") + 1
    assert checked.text == (
        "a comment that begins with `catalog` is not a marker "
        "(write `<!-- catalog: NAME -->`, or begin the comment with another word)"
    )
    result = site.mkdocs()
    assert result.failed and result.codes == ["CAT060"]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- catalog: images -->",
        "<!-- catalog-images -->",
        "<!-- cataloging -->",
        "<!-- category: images -->",
        "`<!-- catalogue: images -->`",
        "    <!- catalog: images ->",
        "a < catalog: images",
    ],
)
def test_what_is_no_marker_is_left_alone(site: SiteFolder, text: str) -> None:
    site.image("nginx")
    site.write("docs/index.md", f"# Home\n\n{text}\n")
    assert rendered(site).logged() == []
    assert told(site) == []


# VEX


def test_a_file_in_the_folder_of_vex_documents_that_is_not_read_is_named(site: SiteFolder) -> None:
    site.image("nginx")
    site.write("vex/nginx.yml", "statements: []")
    (note,) = told(site)
    assert note[:3] == ("info", "CAT041", "vex/nginx.yml")
    assert "the name of a VEX document must end in .json" in note.text


# Data files

ENTRY = "category: Web, tier: core, license: MIT"


def test_problems_of_a_data_file_name_the_entry_by_its_slug(site: SiteFolder) -> None:
    site.write(
        "images.yml",
        f"""
        - {{name: NGINX Proxy, {ENTRY}, homepage: x}}
        - {{slug: redis, name: Redis, {ENTRY}, homepage: x}}
        - {{{ENTRY}, homepage: x}}
        """,
    )
    site.write("updates.yml", "- {application: Helm, to: '1', outcome: x}\n")
    first, second, nameless, *rest, update = lines(site)
    assert first.startswith("error: images.yml:1:") and ": nginx-proxy: [0].homepage: " in first
    assert second.startswith("error: images.yml:2:") and ": redis: [1].homepage: " in second
    assert ": [2].homepage: " in nameless or ": [2].homepage: " in "".join(rest)
    assert ": helm: [0].outcome: " in update
    problems = json.loads(call("check", "--json", "-f", site.folder / "mkdocs.yml").stdout)["problems"]
    assert [problem["item"] for problem in problems][:2] == ["nginx-proxy", "redis"]


def test_identical_problems_of_entries_name_the_first(site: SiteFolder) -> None:
    entries = "".join(f"- {{name: n{number}, {ENTRY}, homepage: x}}\n" for number in range(9))
    site.write("images.yml", entries)
    (line,) = lines(site)
    assert [f":{number + 1}:" in line and f" n{number}" in line for number in range(4)] == [True] * 3 + [
        False
    ]


@pytest.mark.parametrize(
    ("path", "front_matter", "level", "field"),
    [
        ("images/nginx.md", "title: NGINX", "error", "[0].slug"),
        ("images/nginx.md", CHART, "error", "[0].slug"),
    ],
)
def test_an_entry_of_an_image_that_has_a_page_suggests_it(
    site: SiteFolder, path: str, front_matter: str, level: str, field: str
) -> None:
    site.write("docs/index.md", "# Home\n")
    site.write("images.yml", f"- {{name: NGINX, {ENTRY}}}\n")
    site.page(path, front_matter)
    (problem,) = [problem for problem in told(site) if problem.file == "images.yml"]
    assert (problem.level, problem.field) == (level, field)
    assert f"`page: {path}`" in problem.text


def test_a_page_of_another_item_is_not_suggested(site: SiteFolder) -> None:
    site.write("docs/index.md", "# Home\n")
    site.write("images.yml", f"- {{name: NGINX, {ENTRY}}}\n")
    site.page("charts/nginx.md", CHART)
    assert told(site) == []


# The description of an item

DESCRIPTION = "A server for 1 < 2 pages."


@pytest.mark.parametrize(
    ("body", "times"),
    [
        ("", 1),
        ("# NGINX", 1),
        ("# NGINX\n\n## Usage\n\nMount your site.", 1),
        ("# NGINX\n\n<!-- catalog: item -->\n\nMount your site.", 1),
        ("![logo](logo.png)\n\n## Usage", 1),
        (f"# NGINX\n\n{DESCRIPTION}", 1),
        ("# NGINX\n\n**A server** for 1 < 2\npages.\n\nMore.", 1),
        (f"# NGINX\n\n## Usage\n\n{DESCRIPTION}", 1),
        ("# NGINX\n\nA text of its own.", 1),
        ("A text of its own.", 1),
    ],
)
def test_a_page_has_the_description_of_its_item_once(site: SiteFolder, body: str, times: int) -> None:
    site.write("docs/images/index.md", "# Images\n")
    site.page("images/nginx.md", f"{CHART}\ndescription: '{DESCRIPTION}'", body)
    tree = page(rendered(site), "images/nginx/index.html")
    text = " ".join(tree.xpath("string(//body)").split())
    assert text.count(DESCRIPTION) == times
