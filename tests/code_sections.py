"""The guide's table of the codes of problems, between `<!-- codes -->` and `<!-- /codes -->`."""

from __future__ import annotations

import re

from mkdocs_catalog_api.problems.codes import Code

_TABLE = re.compile(r"(<!-- codes -->\n).*?(<!-- /codes -->)", re.DOTALL)


def refreshed(text: str) -> str:
    """The text of the page with its table as the codes are now. A code with a section links to it."""
    return _TABLE.sub(lambda found: f"{found[1]}\n{_table(text)}\n{found[2]}", text)


def _table(page: str) -> str:
    rows = ["| code | problem | cause | fix |\n| --- | --- | --- | --- |\n"]
    for code in Code:
        name = f"[{code}](#{code.lower()})" if f"\n### {code}\n" in page else code
        cells = [name, code.topic, code.cause, code.remedy]
        rows.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |\n")
    return "".join(rows)
