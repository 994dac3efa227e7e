"""Front matter of pages: found as MkDocs finds it, and refused where MkDocs would pass it over in silence."""

from __future__ import annotations

import re
from dataclasses import replace

from ..problems import Problems
from ..sources.cache import Cache
from ..sources.store import Kept, Store, content_key
from .yaml_errors import YamlError
from .yaml_text import Document, Value, parse

# The line MkDocs takes for front matter (mkdocs/utils/meta.py), and looser ones that authors mean as such.
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_OFFSET = 1
"""Lines before the YAML text."""
_EMPTY = re.compile(r"\A---[ \t]*\n(?:---|\.\.\.)[ \t]*\n")
_UNCLOSED_AT_END = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*\Z", re.DOTALL)
_OPENING = re.compile(r"\A---[ \t]*(?:\n|\Z)")
_LATE_OPENING = re.compile(r"\A(?:[ \t]*\n)+---[ \t]*\n|\A[ \t]+---[ \t]*\n")
_MULTIMARKDOWN = re.compile(r"\A {0,3}[A-Za-z0-9_-]+:(?:\s|\Z)")


def split(text: str) -> str | None:
    """The YAML text between the `---` lines of a page, None when the page has no front matter.

    Raises:
        YamlError: something that looks like front matter, but that MkDocs does not read as such.
    """
    if match := _FRONT_MATTER.match(text):
        return match.group(1)
    if _EMPTY.match(text):
        return ""
    if _UNCLOSED_AT_END.match(text):
        line = text.count("\n") + 1
        message = "the file ends right after the closing ---, so MkDocs takes its front matter for text"
        raise YamlError(line, 1, message, "end that line with a line break")
    if _OPENING.match(text):
        raise YamlError(1, 1, "the front matter is never closed", "add a line --- after its last key")
    if _LATE_OPENING.match(text):
        message = "front matter must begin at the very start of the file, or MkDocs takes it for text"
        raise YamlError(1, 1, message, "remove the space or empty lines before the ---")
    if _MULTIMARKDOWN.match(text):
        raise YamlError(
            1, 1, "keys without --- lines around them", "put a line --- before and after the keys"
        )
    return None


def front_matter(text: str) -> Document | None:
    """The front matter of a page, None when it has none.

    Raises:
        YamlError: as `split` and `parse`; or the front matter is not a mapping.
    """
    yaml_text = split(text)
    return None if yaml_text is None else _mapping(yaml_text)


def _mapping(yaml_text: str) -> Document:
    document = parse(yaml_text, offset=_OFFSET)
    if document.data is None:
        return replace(document, data={})
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise YamlError(2, 1, f"front matter is {kind}, not keys and values", "write `key: value` lines")
    return document


class FrontMatter:
    """`front_matter` that does not parse again what an earlier build has parsed."""

    def __init__(self, cache: Cache[Value], store: Store) -> None:
        self._cache, self._store = cache, store
        self._earlier = cache.load(store)
        self._read: dict[str, tuple[Kept[Value], ...]] = {}

    def of(self, text: str) -> Document | None:
        """As `front_matter`."""
        yaml_text = split(text)
        if yaml_text is None:
            return None
        key = content_key(yaml_text.encode(errors="surrogatepass"))
        if found := self._earlier.get(key):
            document = Document(yaml_text, _OFFSET, found[0].about)
        else:
            document = _mapping(yaml_text)
            found = (Kept(document.data, "", 0, 0, ""),)
        self._read[key] = found
        return document

    def save(self, problems: Problems) -> None:
        """Keep what was asked for, and nothing else, for the next build."""
        self._cache.save(self._store, self._read, problems)
