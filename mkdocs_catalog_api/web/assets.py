"""The one style and the one script of the web pages, without what browsers don't need."""

from __future__ import annotations

import re
from importlib.resources import files

STYLE = "assets/catalog-api.css"
SCRIPT = "assets/catalog-api.js"
_FOLDER = files("mkdocs_catalog_api") / "assets"
_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|/\*.*?\*/|(?<!:)//[^\n]*|;\s*(?=\})|(?P<blank>\s+)""",
    re.DOTALL,
)


def _script(text: str) -> str:
    """Keeps texts and patterns as they are, and a line break wherever it may end a statement."""

    def small(match: re.Match[str]) -> str:
        if match["blank"] is None:
            return match["text"] or ""
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if "\n" in match["blank"]:
            return "" if before in "{};,([" or after in "}).?:" else "\n"
        return " " if (before + after).replace("_", "a").replace("$", "a").isalnum() else ""

    return _TOKEN.sub(small, text).strip()


def _style(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\s*([{};,>~+])\s*|(?<=:) | (?=!)", r"\1", re.sub(r"\s+", " ", text)).replace(";}", "}")


FILES = {
    STYLE: _style((_FOLDER / "catalog.css").read_text("utf-8")).encode(),
    SCRIPT: _script((_FOLDER / "catalog.js").read_text("utf-8")).encode(),
}
"""Address in the site → content."""
