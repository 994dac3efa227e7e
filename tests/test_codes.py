"""The codes of problems: each stays what it is, and the guide and the shell tell what it means."""

from __future__ import annotations

import json
import re

from mkdocs_catalog_api.problems.codes import Code

from .guide import page
from .refresh import CODES
from .sites import SiteFolder, trivy
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


def test_check_tells_the_code_and_where_the_guide_explains_it(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1', '1']\nhomepage: x\nlicence: MIT")
    site.report("broken.json", {})
    site.report("stray.json", trivy([], tag="example.org/other:1"))
    site.settings = {"registri": "x"}
    assert codes(site) == {"registri": "CAT020"}
    site.settings = {}
    assert codes(site) == {
        "": "CAT030",
        "homepage": "CAT012",
        "image": "CAT011",
        "licence": "CAT010",
    }
    site.settings = {"registry": "ghcr.io/acme"}
    (site.folder / "scans/broken.json").unlink()
    site.image("nginx", "versions: ['1', '1']")
    assert codes(site) == {"": "CAT031", "versions[1]": "CAT013"}


def codes(site: SiteFolder) -> dict[str, str]:
    """Field → code of what `check` tells of the site."""
    result = call("check", "--json", "-f", site.write_config())
    assert result.exit_code == 1
    problems = json.loads(result.stdout)["problems"]
    told = call("check", "-f", site.folder / "mkdocs.yml").stderr.splitlines()
    assert [line.endswith(f"[{each['code']}]") for line, each in zip(told, problems, strict=False)] == [
        True
    ] * len(problems)
    return {each["field"].removeprefix("catalog-api."): each["code"] for each in problems}


def test_mkdocs_tells_the_code_too(site: SiteFolder) -> None:
    site.image("nginx", license="Apache 2")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: nothing -->\n")
    assert site.mkdocs().codes == ["CAT012", "CAT060"]
