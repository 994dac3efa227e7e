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

Value = str | bool | None | list["Value"] | dict[str, "Value"]
"""What text-preserving YAML holds."""
Path = Sequence[str | int]
"""The way to a value: mapping keys and list positions."""

_MAX_VALUES = 100_000
"""A document that expands to more values through its aliases is refused."""
_MAX_DEPTH = 50


class _Loader(yaml.CSafeLoader):
    """Composes nodes whose tags tell null and booleans of YAML 1.2 from text, and nothing else."""


_Loader.yaml_implicit_resolvers = {}  # not those of YAML 1.1


for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:merge", r"^<<$", "<"),
):
    _Loader.add_implicit_resolver(_tag, re.compile(_pattern), list(_first))

_TAGS: dict[type[yaml.Node], tuple[str, ...]] = {
    yaml.ScalarNode: ("str", "bool", "null", "merge"),
    yaml.SequenceNode: ("seq",),
    yaml.MappingNode: ("map",),
}
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_NULL = re.compile(r"~|null|Null|NULL|")
# What looks like a date, a number in base 2 or 16, or the `=` of YAML 1.1.
_DOUBTFUL = re.compile(r"[0-9]{4}-[0-9]|[+-]?0[bx]_|=")

_DOUBTFUL_WORD = re.compile(rf"(?:{_DOUBTFUL.pattern})[^\s,\]}}]*")


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
        doubtful = (match[0] for match in _DOUBTFUL_WORD.finditer(self.text))
        if all(map(_readable, doubtful)) or self.typed or self._root is None:
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
        raise YamlError(1 + offset, 1, "nested too deeply", f"at most {_MAX_DEPTH} levels") from None
    try:
        data = None if root is None else _Builder(offset, "*" in text).build(root)
    except RecursionError:
        raise YamlError(1 + offset, 1, "nested too deeply", f"at most {_MAX_DEPTH} levels") from None
    return Document(text, offset, data)


class _Builder:
    """Turns nodes into values. One object for a document: it counts what aliases expand to."""

    def __init__(self, offset: int, has_aliases: bool) -> None:
        self._offset = offset
        self._open: set[int] = set()
        self._sizes: dict[int, int] = {}
        self._has_aliases = has_aliases

    def build(self, root: yaml.Node) -> Value:
        if self._has_aliases and self._size(root) > _MAX_VALUES:
            raise self._error(root, f"aliases expand to more than {_MAX_VALUES:,} values", "write them out")
        return self._value(root, 0)

    def _error(self, node: yaml.Node, message: str, hint: str) -> YamlError:
        mark = node.start_mark
        return YamlError(mark.line + 1 + self._offset, mark.column + 1, message, hint)

    def _size(self, node: yaml.Node) -> int:
        known = self._sizes.get(id(node))
        if known is not None:
            return known
        if id(node) in self._open:
            raise self._error(node, "an alias contains itself", "remove the alias")
        self._open.add(id(node))
        size = 1 + sum(self._size(child) for child in _children(node))
        self._open.discard(id(node))
        self._sizes[id(node)] = size
        return size

    def _value(self, node: yaml.Node, depth: int) -> Value:
        if depth > _MAX_DEPTH:
            raise self._error(node, "nested too deeply", f"at most {_MAX_DEPTH} levels")
        if node.tag == "tag:yaml.org,2002:str" and type(node) is yaml.ScalarNode:  # nearly every value
            return str(node.value)
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        if tag.removeprefix("!!") not in _TAGS[type(node)] or not _fits(node, tag):
            raise self._error(node, f"the tag {tag[:80]} is not allowed here", "remove it, or use quotes")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(child, depth + 1) for child in node.value]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, depth)
        raise AssertionError(node)

    @staticmethod
    def _scalar(node: yaml.ScalarNode) -> Value:
        if node.tag == "tag:yaml.org,2002:null":
            return None
        text: str = node.value
        return text.lower() == "true" if node.tag == "tag:yaml.org,2002:bool" else text

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Value]:
        own: dict[str, Value] = {}
        merged: dict[str, Value] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._error(key, "a list or mapping can't be a key", "write `key: value`")
            if key.tag == "tag:yaml.org,2002:merge":
                # The first of several merged mappings wins, and the mapping's own keys win over all.
                for source in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    if not isinstance(source, yaml.MappingNode):
                        raise self._error(value, "`<<` takes a mapping", "point it at a mapping's anchor")
                    merged = self._mapping(source, depth + 1) | merged
            elif key.value in own:
                raise self._error(key, f"the key `{key.value}` stands here twice", "keep one of them")
            else:
                own[key.value] = self._value(value, depth + 1)
        return merged | own if merged else own


def _fits(node: yaml.Node, tag: str) -> bool:
    """Whether an explicit `!!bool` or `!!null` stands before a word of that type."""
    pattern = {"!!bool": _BOOL, "!!null": _NULL}.get(tag)
    return pattern is None or bool(pattern.fullmatch(node.value))


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    for child in _children(node):
        yield from _scalars(child)
