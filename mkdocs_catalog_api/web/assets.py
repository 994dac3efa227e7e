"""The one style and the one script of the web pages, without what browsers don't need."""

from __future__ import annotations

import re
from importlib.resources import files
from string import ascii_letters

STYLE = "assets/catalog-api.css"
SCRIPT = "assets/catalog-api.js"
_FOLDER = files("mkdocs_catalog_api") / "assets"
_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|/\*.*?\*/|(?<!:)//[^\n]*|;\s*(?=\})|\b(?P<const>const)\b|(?P<blank>\s+)""",
    re.DOTALL,
)


def _script(text: str) -> str:
    """Keeps texts and patterns as they are, and a line break wherever it may end a statement."""

    def small(match: re.Match[str]) -> str:
        if match["blank"] is None:
            return match["text"] or ("let" if match["const"] else "")  # which is shorter, and no less here
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if "\n" in match["blank"]:
            return "" if before in "{};,([" or after in "}).?:" else "\n"
        return " " if (before + after).replace("_", "a").replace("$", "a").isalnum() else ""

    return _short_names(_TOKEN.sub(small, text).strip())


def _short_names(text: str) -> str:
    """Local names in one letter; only those that are nowhere a property, a key or part of a text."""
    words = re.findall(r"\w+", text)
    used = re.findall(r"[.#](\w+)|(?<=[{,])(\w+)(?=[,}=:])", text)
    used += [(word,) for match in _TOKEN.finditer(text) for word in re.findall(r"\w+", match["text"] or "")]
    kept = {word for found in used for word in found}
    declared = re.findall(r"\blet (\w{3,})(?==| of )|(?<![\w.$])(\w{3,})=>", text)
    own = {word for found in declared for word in found} - {*kept, ""}
    free = [letter for letter in ascii_letters if letter not in words]
    ranked = sorted(own, key=lambda word: (-words.count(word) * len(word), word))
    short = dict(zip(ranked, free, strict=False))
    return re.sub(r"\w+", lambda word: short.get(word[0], word[0]), text)


def _style(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\s*([{};,>~+])\s*|(?<=:) | (?=!)", r"\1", re.sub(r"\s+", " ", text)).replace(";}", "}")


FILES = {
    STYLE: _style((_FOLDER / "catalog.css").read_text("utf-8")).encode(),
    SCRIPT: _script((_FOLDER / "catalog.js").read_text("utf-8")).encode(),
}
"""Address in the site → content."""
