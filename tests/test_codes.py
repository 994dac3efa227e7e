"""The codes of problems: each stays what it is, and the guide and the shell tell what it means."""

from __future__ import annotations

import json
import re

from mkdocs_catalog_api.problems.codes import Code

from .guide import page
from .refresh import CODES
from .sites import SiteFolder
from .test_cli import call


def test_a_code_stays_and_is_never_used_again() -> None:
    given = dict(line.split() for line in CODES.read_text("utf-8").splitlines())
    assert {code: given[code] for code in Code} == {code.value: code.name for code in Code}
    assert Code.__members__.keys() == {code.name for code in Code}, "two kinds have one code"


def test_the_guide_has_every_code_with_its_cause_and_fix() -> None:
    lines = re.findall(r"^\| \[?CAT.*$", page("problems"), re.MULTILINE)
    rows = [line.strip("| ").split(" | ") for line in lines]
    assert [re.sub(r"\W.*", "", code.removeprefix("[")) for code, *_ in rows] == [*Code]
    assert all(len(row) == 4 and all(cell.strip() for cell in row) for row in rows)


def test_check_and_mkdocs_print_the_code(site: SiteFolder) -> None:
    site.image("nginx", license="Apache 2")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: nothing -->\n")
    assert site.mkdocs().codes == ["CAT012", "CAT060"]
    result = call("check", "--json", "-f", site.write_config())
    problems = json.loads(result.stdout)["problems"]
    printed = call("check", "-f", site.folder / "mkdocs.yml").stderr.splitlines()
    assert [each["code"] for each in problems] == ["CAT012", "CAT060"]
    assert [line[-8:] for line in printed[:2]] == ["[CAT012]", "[CAT060]"]
