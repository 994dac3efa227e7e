"""The one style and the one script of the web pages, without what browsers don't need."""

from __future__ import annotations

import re
from importlib.resources import files

STYLE = "assets/catalog-api.css"
SCRIPT = "assets/catalog-api.js"
_FOLDER = files("mkdocs_catalog_api.web") / "assets"
_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|/\*.*?\*/|(?<!:)//[^\n]*|;\s*(?=\})|(?P<blank>\s+)""",
    re.DOTALL,
)


def _script(text: str) -> str:
    """Keeps texts and patterns as they are. Statements end with semicolons, so no line break matters."""
    text = text.replace("const ", "let ")  # `const` is for who reads the source

    def small(match: re.Match[str]) -> str:
        if match["blank"] is None:
            return match["text"] or ""
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        return " " if (before + after).replace("_", "a").replace("$", "a").isalnum() else ""

    return _TOKEN.sub(small, text).strip()


def _style(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return (
        re.sub(r"\s*([{};,>~+])\s*|(?<=:) | (?=!)", r"\1", re.sub(r"\s+", " ", text))
        .replace(";}", "}")
        .strip()
    )


FILES = {
    STYLE: _style((_FOLDER / "catalog.css").read_text("utf-8")).encode(),
    SCRIPT: _script((_FOLDER / "catalog.js").read_text("utf-8")).encode(),
}
"""Address in the site → content."""
