"""Whatever an author gets wrong on a page, a clear answer names the place, the fault and the way out."""

from __future__ import annotations

import json
import re

import pytest

from mkdocs_catalog_api.commands.run import as_objects
from mkdocs_catalog_api.problems import Level, Problem, Problems
from mkdocs_catalog_api.problems.codes import Code

from .authors import REQUIRED, configure, places, told
from .broken import Broken, catalogs
from .guide import page
from .refresh import CODES
from .sites import REGISTRY, SiteFolder, digest, row, trivy, vex
from .test_cli import call

CATALOGS = [*catalogs()]


@pytest.mark.parametrize("broken", CATALOGS, ids=[broken.name for broken in CATALOGS])
def test_problems_are_found_where_they_are(site: SiteFolder, broken: Broken) -> None:
    broken.write(site)
    assert places(site) == (broken.refused, [*broken.where])
    if not broken.refused:
        assert places(site, strict=True) == (True, [*broken.where])


def test_a_password_in_the_address_of_the_site_is_told_to_nobody(site: SiteFolder) -> None:
    site.config["site_url"] = "https://u:secret@e.example/catalog/"
    result = site.mkdocs()
    assert result.failed and result.codes[0] == "CAT020"
    assert not any("secret" in text for text in result.logged()), result.logged()


def test_a_problem_is_one_line_whatever_it_names() -> None:
    """A name with an escape sequence must not command the terminal of who reads the log."""
    file, message = "scans/a\nb\x1b[2J.json", "says \x85 and\u2028more \udc80 é 👩‍💻"
    problem = Problem(file, 1, 0, "x\u202e", message, "mend\x7fit", code=Code.BROKEN_REPORT)
    shown = r"scans/a\nb\x1b[2J.json:1: x\u202e: says \x85 and\u2028more \udc80 é 👩‍💻 (mend\x7fit)"
    assert str(problem) == shown
    problems = Problems()
    problems.add(problem)
    (found,) = as_objects(problems)
    assert found["file"] == file, "programs get what is there"


def test_json_is_read_as_programs_write_it(site: SiteFolder) -> None:
    site.settings["roadmap"] = {"data": "roadmap.json"}
    name = '"\\ud83d\\ude80 \\\\ud83d C:\\\\x \\/"'
    site.write("roadmap.json", f'[\n\t{{"name": {name}, "slug": "a", "category": "b", "blocked": true}}\n]\n')
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    assert result.at("roadmap name") == ["🚀 \\ud83d C:\\x /"] and result.at("roadmap blocked") == [True]


def test_own_fields_may_have_any_name_and_yaml_words(site: SiteFolder) -> None:
    fields = {"on": "text", "copy": "text", "json": "text", "no": {"values": ["true", "off"]}}
    site.settings["images"] = {"fields": fields}
    site.page("images/nginx.md", REQUIRED + "on: yes\ncopy: 1.10\njson: 010\nno: true")
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    custom = result.at("images/nginx custom")
    assert [*custom.items()] == [("on", "yes"), ("copy", "1.10"), ("json", "010"), ("no", "true")]


def test_undeclared_keys_are_noted_once_for_the_collection(site: SiteFolder) -> None:
    configure(site)
    for name in ("a", "b"):
        site.page(f"images/{name}.md", f"{REQUIRED}upstream: x\nhide: [toc]\ntags: [web]")
    site.page("images/c.md", f"{REQUIRED}port: 80")
    said = "undeclared keys are not in the API (with the number of images)"
    hint = "to publish them, declare them under `fields`"
    noted = [f"mkdocs.yml:6:7: catalog-api.images.fields: {said}: port (1), upstream (2) ({hint})"]
    assert told(site, strict=True, level=Level.INFO) == (False, noted)
    site.page("images/c.md", f"{REQUIRED}port: 80\nendOfLife: 2027-01-01")  # has a warning of its own
    assert told(site, level=Level.INFO)[1][1:] == noted


def test_a_code_stays_and_is_never_used_again() -> None:
    given = dict(line.split() for line in CODES.read_text("utf-8").splitlines())
    assert {code: given[code] for code in Code} == {code.value: code.name for code in Code}
    assert Code.__members__.keys() == {code.name for code in Code}, "two kinds have one code"


def test_the_guide_explains_codes_in_a_dozen_words_and_those_that_there_are() -> None:
    assert [code for code in Code if len(code.meaning.split()) > 12] == []
    assert {*re.findall(r"CAT\d+", page("problems"))} == {*Code}


TAKEN = {
    "api/v1/images.json": "images.json",
    "api/v1/Images.JSON": "Images.JSON",
    "api/v1/images/nginx/index.json": "images/nginx/index.json",
    "api/v1/charts.json.md": "charts.json/index.html",  # A page where a document lands.
    "api/v1/security": "security",  # A file where a folder goes.
}


def test_an_author_s_own_file_is_never_overwritten(site: SiteFolder) -> None:
    """A page that is beside the documents is fine."""
    site.image("nginx", "versions: [1.0]")
    site.page("charts/web.md", "category: Web")
    site.write("docs/api/v1/images.md", "# About these documents\n")
    assert not site.mkdocs().failed
    for path in TAKEN:
        site.write(f"docs/{path}", "# Mine\n")
    result = site.mkdocs()
    assert result.failed and not (result.folder / "site/api").exists()
    logged = [text for text in result.logged() if "becomes" in text]
    assert logged == [
        f"docs/{path}: this file becomes api/v1/{TAKEN[path]}, where the build writes a document of the API"
        " (move or rename the file)"
        for path in sorted(TAKEN)
    ]


def test_a_name_in_capital_letters_is_a_name(site: SiteFolder) -> None:
    """No registry takes it, so a report of it is not of what its path names."""
    site.image("nginx", "versions: ['1.0']")
    site.report("nginx/1.0.json", trivy([], tag=f"{REGISTRY}/Redis:9.9"))
    result = site.build()
    assert [(problem.code, problem.file) for problem in result.problems] == [
        ("CAT031", "scans/nginx/1.0.json")
    ]
    assert result.at("images/nginx security")["scanned"] is False


def test_the_reports_of_a_page_with_a_fault_are_no_strays(site: SiteFolder) -> None:
    site.image("redis", "versions: [1.0]")
    site.report("nginx/1.0.json", trivy([], tag=f"{REGISTRY}/nginx:1.0"))
    site.report("other.json", trivy([], tag=f"{REGISTRY}/other:1.0"))
    for fault, wanted in (("homepage: x", ["docs/images/nginx.md"]), ("", ["scans/other.json"])):
        site.image("nginx", f"versions: [1.0]\n{fault}")
        assert [problem.file for problem in site.build().problems] == wanted


def test_an_inherited_fault_is_told_where_it_is(site: SiteFolder) -> None:
    """Also of a file that only the catalog refuses; not of one that no item inherits."""
    site.config = {"theme": {"name": "material"}, "plugins": ["meta", {"catalog-api": site.settings}]}
    site.page("images/nginx.md", "name: NGINX")
    site.page("images/web/redis.md", "name: Redis\nhomepage: https://redis.io")
    site.write("docs/images/.meta.yml", f"{REQUIRED}homepage: nginx.org\n")
    site.write("docs/images/web/.meta.yml", "tier: x\ntier: y\n")
    site.write("docs/blog/.meta.yml", "a: b\na: c\n")
    assert [f"{each.file}:{each.line}:{each.column} {each.field}" for each in site.mkdocs().problems] == [
        "docs/images/.meta.yml:4:1 homepage",
        "docs/images/web/.meta.yml:2:1 ",
    ]


@pytest.mark.parametrize("base", ["float('nan')", "object"])
def test_what_another_plugin_sets_is_checked(site: SiteFolder, base: str) -> None:
    site.config = {"hooks": ["hook.py"]}
    site.write("hook.py", f"def on_page_markdown(markdown, page, **_):\n    page.meta['base'] = {base}\n")
    site.image("nginx")
    assert "base: expected text, got" in site.mkdocs().logged()[0]


def test_the_key_that_brings_a_page_in_may_stand_anywhere_in_front_matter(site: SiteFolder) -> None:
    site.page("one.md", f"{REQUIRED}'catalog': images")
    site.page("two.md", f"{REQUIRED}description: {'long ' * 1000}\ncatalog: images")
    for result in (site.mkdocs(), site.build()):
        assert result.at("images slug") == ["one", "two"]


def test_without_registry_no_reference_is_made_up(site: SiteFolder) -> None:
    del site.settings["registry"]
    site.image("alpha", f"versions: [{{version: '1.0', digest: '{digest(1)}'}}, '0.9']")
    site.image("beta", "versions: ['2.0', latest]")
    site.image("gamma", f"image: {REGISTRY}/gamma\nversions: [{{version: '3.0', digest: '{digest(3)}'}}]")
    pins = (f"alpha@{digest(1)}", f"other@{digest(3)}", "beta:9", f"nowhere@{digest(9)}")
    site.page("charts/web.md", "\n- ".join((f"{REQUIRED}images:", *(f"{REGISTRY}/{pin}" for pin in pins))))
    site.report("alpha/1.0.json", trivy([row("CVE-2026-1")], digest=f"{REGISTRY}/alpha@{digest(1)}"))
    site.report("alpha/0.9.json", trivy([row("CVE-2026-1")], tag=f"{REGISTRY}/alpha:0.9"))
    site.report("beta/2.0.json", trivy([], tag=f"{REGISTRY}/something-else:8"))
    site.report("gamma/3.0.json", trivy([], tag=f"{REGISTRY}/beta:2.0"))
    site.report("stray.json", trivy([], tag=f"{REGISTRY}/stray:1"))
    vex(site, {"products": [{"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha"}]}, {"products": []})
    done = call("check", "--json", "-f", site.write_config())
    assert "registry.invalid" not in done.output
    problems = json.loads(done.stdout)["problems"]
    named = [(each["code"], each["file"], each["field"]) for each in problems if each["level"] != "info"]
    assert named == [
        ("CAT041", "", "security.vex"),
        ("CAT038", "docs/charts/web.md", "images[1]"),
        ("CAT011", "mkdocs.yml", "catalog-api.registry"),
        ("CAT031", "scans/gamma/3.0.json", ""),
        ("CAT031", "scans/stray.json", ""),
        ("CAT041", "vex/a.json", "statements[1].products"),
    ], "nothing is compared with references that are not known"
