"""YAML read as text, with the line and column of every value.

MkDocs reads front matter with YAML 1.1 types, which turns `1.10` into 1.1, `010` into 8 and `NO` into
False, swallows every error and keeps the last of two equal keys. Here a plain scalar stays the text that
the author wrote (YAML 1.2's `true`, `false` and `null` aside); the models type it later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property

import yaml
from msgspec import Struct

from ..problems import Problem
from .yaml_errors import YamlError, explain, mark
from .yaml_values import MAX_DEPTH, Value, children, value_of

Path = Sequence[str | int]
"""The way to a value: mapping keys and list positions."""


_BOOL, _NULL, _MERGE = (f"tag:yaml.org,2002:{name}" for name in ("bool", "null", "merge"))
_TAGS = {
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), _BOOL),
    **dict.fromkeys(("~", "null", "Null", "NULL", ""), _NULL),
    "<<": _MERGE,
}


class _Loader(yaml.CSafeLoader):
    """Composes nodes whose tags tell null and booleans of YAML 1.2 from text, and nothing else."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Sequence[bool]) -> str:
        if kind is yaml.ScalarNode:
            return _TAGS.get(value, self.DEFAULT_SCALAR_TAG) if implicit[0] else self.DEFAULT_SCALAR_TAG
        return self.DEFAULT_SEQUENCE_TAG if kind is yaml.SequenceNode else self.DEFAULT_MAPPING_TAG

    def descend_resolver(self, current_node: object, current_index: object) -> None:
        """No tag depends on where a value stands."""

    def ascend_resolver(self) -> None: ...


# What looks like a date, a number in base 2 or 16, or the `=` of YAML 1.1.
_DOUBTFUL = re.compile(r"[0-9]{4}-[0-9]|[+-]?0[bx]_|=")
# The same in a text; what begins with a literal is found many times as fast.
_DATE = re.compile(r"-(?<=[0-9]{4}-)[0-9][^\s,\]}]*")
_OTHER_DOUBTFUL = re.compile(r"_(?<=0[bx]_)|=(?![^\s,\]}])")


@cache
def _readable(word: str) -> bool:
    """Whether YAML 1.1 can type it; the same dates stand on many pages."""
    try:
        yaml.load(word, yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        return False
    return True


class Document(Struct, frozen=True, dict=True):
    """A parsed YAML document; `offset` is the number of lines that stand before it in its file."""

    text: str
    offset: int
    data: Value
    file: str = ""
    """How problems name the file, where that is not the item's own."""
    problem: Problem | None = None
    """Why the file could not be read."""

    def has(self, key: str | int) -> bool:
        """Whether it is a mapping with this key, also when `data` has been let go of."""
        if isinstance(self.data, dict):
            return key in self.data
        return isinstance(self._root, yaml.MappingNode) and child(self._root, key) is not None

    def place(self, path: Path) -> tuple[int, int]:
        """Line and column of the value at `path`, or of the nearest value around it that exists."""
        line, column = place(self._root, path)
        return line + self.offset, column

    @cached_property
    def _root(self) -> yaml.Node | None:
        """Composed anew when a place is asked for: the nodes of all pages take more memory than all else."""
        return yaml.compose(self.text, _Loader)

    @cached_property
    def typed(self) -> dict[object, object]:
        """The same mapping as YAML 1.1 types it, for comparing with what MkDocs read; {} when it can't."""
        try:
            data = yaml.load(self.text, yaml.CSafeLoader)
        except (yaml.YAMLError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}

    def unreadable(self) -> tuple[int, int, str] | None:
        """Line, column and text of the value that YAML 1.1 can't type (`2026-13-45`), None without one."""
        dates = (self.text[found.start() - 4 : found.end()] for found in _DATE.finditer(self.text))
        doubtful = _OTHER_DOUBTFUL.search(self.text) or not all(map(_readable, dates))
        if not doubtful or self.typed or self._root is None:
            return None
        for node in _scalars(self._root):
            if _DOUBTFUL.match(node.value) and not node.style and not _readable(node.value):
                mark = node.start_mark
                return mark.line + 1 + self.offset, mark.column + 1, node.value
        return None


def place(root: yaml.Node | None, path: Path) -> tuple[int, int]:
    """Line and column of the value at `path` below `root`, or of the nearest value around it that exists."""
    node, mark = root, None if root is None else root.start_mark
    for step in path:
        found = child(node, step)
        if found is None:
            break
        key, node = found
        mark = key.start_mark
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


def child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """The nodes of a mapping's key and its value (of a list's entry, that twice), None when absent."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == step:
                return key, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        return node.value[step], node.value[step]
    return None


def parse(text: str, offset: int = 0) -> Document:
    """Parse one YAML document; `offset` lines stand before it in its file.

    Raises:
        YamlError: bad syntax, a key twice, an unknown tag, a mapping key that is not text, aliases that
            contain themselves or expand to more than 100,000 values.
    """
    try:
        root = yaml.compose(text, _Loader)
    except yaml.MarkedYAMLError as error:
        where = mark(error)
        line, column = where.line + 1 + offset, where.column + 1
        raise YamlError(line, column, *explain(error, text)) from None
    except (yaml.YAMLError, ValueError) as error:
        # A reader error: characters that YAML does not allow.
        position = getattr(error, "position", 0)
        before = text[:position] if isinstance(position, int) and position >= 0 else ""
        reason = f"a character that YAML does not allow ({getattr(error, 'reason', error)})"
        raise YamlError(before.count("\n") + 1 + offset, 1, reason, "remove it") from None
    except RecursionError:
        raise YamlError(1 + offset, 1, "nested too deeply", f"at most {MAX_DEPTH} levels") from None
    try:
        data = None if root is None else value_of(root, offset, has_aliases="*" in text)
    except RecursionError:
        raise YamlError(1 + offset, 1, "nested too deeply", f"at most {MAX_DEPTH} levels") from None
    return Document(text, offset, data)


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    for child in children(node):
        yield from _scalars(child)
