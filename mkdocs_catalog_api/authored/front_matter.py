"""Front matter of pages: found as MkDocs finds it, and refused where MkDocs would pass it over in silence."""

from __future__ import annotations

import re

from msgspec.structs import replace

from .yaml_errors import YamlError
from .yaml_text import Document, parse

# The lines that MkDocs takes for those of front matter (mkdocs/utils/meta.py), and looser ones that authors
# mean as such.
_OPENING = re.compile(r"\A---[ \t]*(?:\n|\Z)")
_CLOSING = re.compile(r"\n(?:---|\.\.\.)[ \t]*(\n|\Z)")
_EMPTY = re.compile(r"(?:---|\.\.\.)[ \t]*\n")
_LATE_OPENING = re.compile(r"\A(?:[ \t]*\n)+---[ \t]*\n|\A[ \t]+---[ \t]*\n")
_COMMENTED = re.compile(
    r"(?:\s*<!--(?:(?!-->).)*-->)+\s*\n---[ \t]*\n[A-Za-z0-9_-]+:\s.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_MULTIMARKDOWN = re.compile(r"\A {0,3}[A-Za-z0-9_-]+:(?:\s|\Z)")


def split(text: str) -> str | None:
    """The YAML text between the `---` lines of a page, None when the page has no front matter.

    Raises:
        YamlError: something that looks like front matter, but that MkDocs does not read as such.
    """
    if opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        if closing and closing[1]:
            return text[opening.end() : closing.start() + 1]
        if _EMPTY.match(text, opening.end()):
            return ""
        if closing is None:
            raise YamlError(1, 1, "the front matter is never closed", "add a line --- after its last key")
        message = "the file ends right after the closing ---, so MkDocs takes its front matter for text"
        raise YamlError(text.count("\n") + 1, 1, message, "end that line with a line break")
    late = _LATE_OPENING.match(text)
    if late or _COMMENTED.match(text):
        message = "front matter must begin at the very start of the file, or MkDocs takes it for text"
        hint = "remove the space or empty lines before the ---" if late else "move the comment below it"
        raise YamlError(1, 1, message, hint)
    if _MULTIMARKDOWN.match(text):
        message, hint = "keys without --- lines around them", "put a line --- before and after the keys"
        raise YamlError(1, 1, message, hint)
    return None


def front_matter(text: str) -> Document | None:
    """The front matter of a page, None when it has none.

    Raises:
        YamlError: as `split` and `parse`; or the front matter is not a mapping.
    """
    yaml_text = split(text)
    if yaml_text is None:
        return None
    document = parse(yaml_text, offset=1)
    if document.data is None:
        return replace(document, data={})
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise YamlError(2, 1, f"front matter is {kind}, not keys and values", "write `key: value` lines")
    return document
