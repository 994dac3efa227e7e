"""The codes of problems: each stays what it is, and the guide and the shell tell what it means."""

from __future__ import annotations

import json
import re

from mkdocs_catalog_api.problems.codes import Code

from .guide import page
from .sites import SiteFolder
from .test_cli import call

FROZEN = {
    "CAT001": "SYNTAX",
    "CAT002": "NOT_READ",
    "CAT010": "UNKNOWN_FIELD",
    "CAT011": "MISSING_FIELD",
    "CAT012": "WRONG_VALUE",
    "CAT013": "TWICE",
    "CAT014": "NEWEST",
    "CAT015": "PAGE",
    "CAT016": "NO_ITEMS",
    "CAT017": "IGNORED",
    "CAT019": "LINES",
    "CAT020": "SETTING",
    "CAT021": "MISSING_PATH",
    "CAT022": "SITE_URL",
    "CAT023": "PLUGINS",
    "CAT029": "NO_REPORT",
    "CAT030": "BROKEN_REPORT",
    "CAT031": "UNMATCHED_REPORT",
    "CAT032": "MISPLACED_REPORT",
    "CAT033": "PASSED_OVER",
    "CAT034": "UNDATED",
    "CAT035": "SCAN_AGE",
    "CAT036": "IN_PART",
    "CAT037": "END_OF_LIFE",
    "CAT038": "PIN",
    "CAT039": "DOUBTFUL_FINDINGS",
    "CAT040": "BROKEN_VEX",
    "CAT041": "STATEMENT",
    "CAT042": "ADVISORIES",
    "CAT050": "HISTORY",
    "CAT051": "DAY",
    "CAT060": "MARKER",
    "CAT061": "TEMPLATE",
    "CAT062": "HTML",
    "CAT070": "IN_THE_WAY",
    "CAT071": "NOT_WRITTEN",
    "CAT072": "MANY_DOCUMENTS",
    "CAT073": "HEADER_FILE",
    "CAT074": "NOT_SIGNED",
    "CAT080": "NOT_FETCHED",
    "CAT081": "ARRIVED",
    "CAT082": "HEADERS",
    "CAT083": "REGISTRY",
    "CAT084": "MOVED_TAG",
}
"""Every code that was ever given, to what. A line is added for a new kind; none is changed or removed."""
GONE = frozenset(
    f"CAT{number:03}" for number in (16, 17, 19, 22, 24, 29, 32, 34, 40, 42, 51, 61, 62, 72, 74, 81, 82)
)
"""Codes of kinds that are no longer told; they stay in `FROZEN`, so that no other kind gets them."""


def test_a_code_stays_and_is_never_used_again() -> None:
    assert len({*FROZEN.values()}) == len(FROZEN)
    assert {code.value: code.name for code in Code} == {
        code: name for code, name in FROZEN.items() if code not in GONE
    }


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
