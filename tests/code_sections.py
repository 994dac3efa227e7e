"""The guide's sections on the codes of problems.

The generated part of a section is between `<!-- code: CAT012 -->` and `<!-- /code -->`, the table of codes
between `<!-- codes -->` and `<!-- /codes -->`. The rest of a section is written by hand.
"""

from __future__ import annotations

import re

from mkdocs_catalog_api.problems.codes import Code

from .code_examples import message
from .guide import page

CODES = {code.value: code for code in Code}
_SECTION = re.compile(r"(<!-- code: (CAT\d{3}) -->\n).*?(<!-- /code -->)", re.DOTALL)
_TABLE = re.compile(r"(<!-- codes -->\n).*?(<!-- /codes -->)", re.DOTALL)


def sections() -> list[str]:
    """The codes that have a section, in order."""
    return [found[2] for found in _SECTION.finditer(page("problems"))]


def refreshed(text: str) -> str:
    """The text of the page with sections and table as the list has them now."""
    rows = "".join(f"| [{code}](#{code.lower()}) | {code.topic} |\n" for code in Code)
    text = _TABLE.sub(lambda found: f"{found[1]}\n| code | meaning |\n|---|---|\n{rows}\n{found[2]}", text)
    return _SECTION.sub(lambda found: f"{found[1]}\n{_section(CODES[found[2]])}\n{found[3]}", text)


def _section(code: Code) -> str:
    heading = f"### {code}: {code.topic} {{ #{code.lower()} }}"
    example = f"```text\n{message(code)}\n```"
    return f"{heading}\n\n{example}\n\n{code.cause}\n\n**What to do:** {code.remedy}\n"
