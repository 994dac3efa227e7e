"""The guide's sections on the codes of problems.

Of a section, between `<!-- code: CAT012 -->` and `<!-- /code -->`, the example is generated; the table of
codes, between `<!-- codes -->` and `<!-- /codes -->`, has their headings.
"""

from __future__ import annotations

import re

from mkdocs_catalog_api.problems.codes import Code

from .code_examples import message
from .guide import page

CODES = {code.value: code for code in Code}
_SECTION = re.compile(
    r"(<!-- code: (CAT\d{3}) -->\n+### \2: ([^\n]*) \{ #\w+ \}\n+```text\n).*?(\n```\n\n.*?<!-- /code -->)",
    re.DOTALL,
)
_TABLE = re.compile(r"(<!-- codes -->\n).*?(<!-- /codes -->)", re.DOTALL)


def sections() -> list[str]:
    """The codes that have a section, in order."""
    return [found[2] for found in _SECTION.finditer(page("problems"))]


def refreshed(text: str) -> str:
    """The text of the page with sections and table as the list has them now."""
    sections = [*_SECTION.finditer(text)]
    rows = "".join(f"| [{found[2]}](#{found[2].lower()}) | {found[3]} |\n" for found in sections)
    text = _TABLE.sub(lambda found: f"{found[1]}\n| code | meaning |\n|---|---|\n{rows}\n{found[2]}", text)
    return _SECTION.sub(lambda found: f"{found[1]}{message(CODES[found[2]])}{found[4]}", text)
