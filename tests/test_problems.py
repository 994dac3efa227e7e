"""Whatever an author gets wrong on a page, a clear answer names the place, the fault and the way out."""

from __future__ import annotations

import pytest

from mkdocs_catalog_api.commands.run import as_objects
from mkdocs_catalog_api.problems import Level, Problem, Problems
from mkdocs_catalog_api.problems.codes import Code

from .authors import REQUIRED, configure, places, told
from .broken import Broken, catalogs
from .sites import REGISTRY, SiteFolder

CATALOGS = [*catalogs()]


@pytest.mark.parametrize("broken", CATALOGS, ids=[broken.name for broken in CATALOGS])
def test_problems_are_found_where_they_are(site: SiteFolder, broken: Broken) -> None:
    broken.write(site)
    assert places(site) == (broken.refused, [*broken.where])
    if not broken.refused:
        assert places(site, strict=True) == (True, [*broken.where])


def test_a_problem_is_one_line_whatever_it_names() -> None:
    """A name with an escape sequence must not command the terminal of who reads the log."""
    problem = Problem(
        "scans/a\nb\x1b[2J.json",
        1,
        0,
        "x\u202e",
        "says \x85 and\u2028more \udc80 é 👩‍💻",
        "mend\x7fit",
        code=Code.BROKEN_REPORT,
    )
    assert str(problem) == (
        r"scans/a\nb\x1b[2J.json:1: x\u202e: says \x85 and\u2028more \udc80 é 👩‍💻 (mend\x7fit)"
    )
    problems = Problems()
    problems.add(problem)
    (found,) = as_objects(problems)
    assert found["file"] == "scans/a\nb\x1b[2J.json", "programs get what is there"


def test_json_is_read_as_programs_write_it(site: SiteFolder) -> None:
    site.settings["roadmap"] = {"data": "roadmap.json"}
    name = '"\\ud83d\\ude80 \\\\ud83d C:\\\\x \\/"'
    site.write("roadmap.json", f'[\n\t{{"name": {name}, "slug": "a", "category": "b", "blocked": true}}\n]\n')
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    (item,) = result.json("roadmap.json")["data"]
    assert (item["name"], item["blocked"]) == ("🚀 \\ud83d C:\\x /", True)


def test_own_fields_may_have_any_name_and_yaml_words(site: SiteFolder) -> None:
    site.settings = {
        "registry": REGISTRY,
        "images": {
            "fields": {"on": "text", "copy": "text", "json": "text", "no": {"values": ["true", "off"]}}
        },
    }
    site.page("images/nginx.md", REQUIRED + "on: yes\ncopy: 1.10\njson: 010\nno: true")
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    image = result.json("images/nginx/index.json")["data"]
    assert image["custom"] == {"on": "yes", "copy": "1.10", "json": "010", "no": "true"}
    assert [*image["custom"]] == ["on", "copy", "json", "no"]


def test_undeclared_keys_are_noted_once_for_the_collection(site: SiteFolder) -> None:
    configure(site)
    for name in ("a", "b"):
        site.page(f"images/{name}.md", f"{REQUIRED}upstream: x\nhide: [toc]\ntags: [web]")
    site.page("images/c.md", f"{REQUIRED}port: 80")
    said = "undeclared keys are not in the API (with the number of images)"
    hint = "to publish them, declare them under `fields`"
    assert told(site, strict=True, level=Level.INFO) == (
        False,
        [f"mkdocs.yml:6:7: catalog-api.images.fields: {said}: port (1), upstream (2) ({hint})"],
    )
