"""Whatever an author gets wrong on a page, a clear answer names the place, the fault and the way out."""

from __future__ import annotations

import pytest

from mkdocs_catalog_api.commands.run import as_objects
from mkdocs_catalog_api.problems import Problem, Problems
from mkdocs_catalog_api.problems.codes import Code

from .authors import places
from .broken import Broken, catalogs
from .sites import SiteFolder

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
