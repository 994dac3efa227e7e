"""Reads YAML as text, with line and column of each value, and with error messages for authors.

MkDocs reads front matter with YAML 1.1 types: `1.10` becomes 1.1, `010` becomes 8, and `NO` becomes False. It
ignores errors, and uses the last of duplicate keys. Here, plain scalars are text, except for `true`, `false`
and `null` of YAML 1.2; the models convert them later.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import yaml
from msgspec import Struct

from ..problems import Problem, RefusedError

_SYNTAX_ERROR = ("a syntax error", "check indentation, quotes and brackets up to here")
_SYNTAX_ERRORS = {
    "mapping values are not allowed": (
        "a colon is not allowed here",
        "check the indentation, and the colon of the line above; "
        'put a text with a colon in quotes: key: "A: B"',
    ),
    "cannot start any token": (
        "a value can't begin with this character",
        "put the value in quotes, and indent with spaces",
    ),
    "tab character": ("a tab in the indentation", "indent with spaces"),
    "undefined alias": ("no anchor has this name", "put a value that begins with * in quotes"),
    "unexpected end of stream": ("the quote is never closed", "close it with the same quote"),
    "escape": ("an unknown escape in double quotes", "write two backslashes, or use single quotes"),
    "flow sequence": ("the list is not closed, or a comma is missing", "close it with ]"),
    "flow mapping": ("the mapping is not closed, or a comma is missing", "close it with }"),
    "expected ':'": ("the key has no colon", "write `key: value`, or indent the line as part of a text"),
    "block sequence entries": ("a list can't begin here", "begin it on the next line"),
    "'-' indicator": ("this does not belong to the list above", "check the indentation"),
    "expected key": ("this does not belong to the keys above", "check the indentation, and the quotes above"),
    "another document": ("a second document begins here", "remove the line ---"),
    "unhashable key": ("a list or mapping can't be a key", "use `key: value`"),
    "for the tag": ("an unknown tag", "remove it, or put the value in quotes"),
    "has no value": ("no such date, or not a value of its tag", "put it in quotes"),
}
"""Words of the parser, which no message repeats → message and hint. The first that match are used."""
_BEGINS = ("a flow ", "a quoted scalar")
"""For errors in these contexts, the start of the context is shown, not where the parser gives up."""


def refused(error: Exception, text: str, offset: int = 0) -> RefusedError:
    """Return the refusal of a text for which a loader raised an error, with place and words for authors."""
    words, mark, end = "", None, len(text)
    if isinstance(error, yaml.MarkedYAMLError):
        words, mark = f"{error.context} {error.problem}", error.problem_mark or error.context_mark
        end = mark.index if mark else end
        if error.context_mark and any(begin in (error.context or "") for begin in _BEGINS):
            mark = error.context_mark
    if too_deep := _first_too_deep(text[:end]):
        return _at(too_deep.start_mark, offset, *_TOO_DEEP)
    if isinstance(error, yaml.reader.ReaderError):
        before = text.encode()[: error.position].decode(errors="ignore")
        message = f"the character {text[len(before) : len(before) + 1]!r} is not allowed in YAML"
        return RefusedError(message, "remove it", before.count("\n") + 1 + offset, 1)
    words = "tab character" if mark and text[mark.index : mark.index + 1] == "\t" else words
    message, hint = next((known for key, known in _SYNTAX_ERRORS.items() if key in words), _SYNTAX_ERROR)
    return _at(mark or yaml.Mark("", 0, 0, 0, None, 0), offset, f"not valid YAML: {message}", hint)


def _at(mark: Any, offset: int, message: str, hint: str) -> RefusedError:
    return RefusedError(message, hint, mark.line + 1 + offset, mark.column + 1)


def _first_too_deep(text: str) -> yaml.Event | None:
    """Return the start of the first value with too many levels above it, up to the first syntax error."""
    depth = 0
    with suppress(yaml.YAMLError, UnicodeEncodeError):
        for event in yaml.parse(text, yaml.CSafeLoader):
            if isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif isinstance(event, yaml.NodeEvent):
                if depth > _MAX_DEPTH:
                    return event
                depth += isinstance(event, yaml.CollectionStartEvent)
    return None


Value = str | bool | None | list["Value"] | dict[str, "Value"]
"""A value of YAML that is read as text."""

_MAX_DEPTH = 50
_TOO_DEEP = ("nested too deeply", f"use at most {_MAX_DEPTH} levels")

Path = Sequence[str | int]
"""Path of a value: mapping keys and list positions."""

_TEXT, _BOOL, _NULL, _MERGE = (f"tag:yaml.org,2002:{name}" for name in ("str", "bool", "null", "merge"))
_WORDS = {
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), _BOOL),
    **dict.fromkeys(("~", "null", "Null", "NULL", ""), _NULL),
    "<<": _MERGE,
}


class LimitedLoader(yaml.CSafeLoader):
    """Stops at the maximum depth: some versions of libyaml would overflow the stack and crash the program.

    No tag depends on the place of a value, so the two methods only count levels.
    """

    _depth = -1

    def descend_resolver(self, current_node: object, current_index: object) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RecursionError

    def ascend_resolver(self) -> None:
        self._depth -= 1


class _TextLoader(LimitedLoader):
    """Composes nodes with tags that only distinguish null, booleans of YAML 1.2 and text."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Sequence[bool]) -> str:
        if kind is yaml.ScalarNode:
            return _WORDS.get(value, self.DEFAULT_SCALAR_TAG) if implicit[0] else self.DEFAULT_SCALAR_TAG
        return self.DEFAULT_SEQUENCE_TAG if kind is yaml.SequenceNode else self.DEFAULT_MAPPING_TAG


class _ValueBuilder:
    """Turns the nodes of one document into values. The value of an alias is that of its anchor."""

    def __init__(self, offset: int) -> None:
        self._offset = offset
        self._built: dict[int, Value] = {}

    def _error(self, node: yaml.Node, message: str, hint: str) -> RefusedError:
        return _at(node.start_mark, self._offset, message, hint)

    def value(self, node: yaml.Node, depth: int) -> Value:
        if depth > _MAX_DEPTH:
            raise self._error(node, *_TOO_DEEP)
        if type(node) is yaml.ScalarNode:
            if node.tag in (_TEXT, _MERGE):  # the common case
                return str(node.value)
            if node.tag == _WORDS.get(node.value):
                return None if node.tag == _NULL else bool(node.value.lower() == "true")
        elif id(node) in self._built:
            return self._built[id(node)]
        elif isinstance(node, yaml.SequenceNode) and node.tag == _TextLoader.DEFAULT_SEQUENCE_TAG:
            self._built[id(node)] = values = [self.value(child, depth + 1) for child in node.value]
            return values
        elif isinstance(node, yaml.MappingNode) and node.tag == _TextLoader.DEFAULT_MAPPING_TAG:
            self._built[id(node)] = mapping = self._mapping(node, depth)
            return mapping
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        raise self._error(
            node, f"the tag {tag[:80]} is not allowed here", "remove it, or put the value in quotes"
        )

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Value]:
        own: dict[str, Value] = {}
        merged: dict[str, Value] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._error(key, "a list or mapping can't be a key", "use `key: value`")
            if key.tag == _MERGE:
                # The mapping's own keys take precedence, then those of the first merged mapping.
                for source in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    if not isinstance(source, yaml.MappingNode):
                        raise self._error(value, "`<<` requires a mapping", "use an alias of a mapping")
                    merged = self._mapping(source, depth + 1) | merged
            elif key.value in own:
                raise self._error(key, f"duplicate key `{key.value}`", "remove one of them")
            else:
                own[key.value] = self.value(value, depth + 1)
        return merged | own if merged else own


class YamlDocument(Struct, frozen=True, dict=True):
    """A parsed YAML document; `offset` is the number of lines before it in its file."""

    text: str
    offset: int
    data: Value
    file: str = ""
    """Name of the file in problems, if it is not the file of the item."""
    problem: Problem | None = None
    """The reason if the file could not be read."""

    def depth(self, path: Path) -> int:
        """Return how many steps of `path` lead to a value, also if `data` was released."""
        node, depth = self._root, 0
        for step in path:
            if (pair := child(node, step) if node else None) is None:
                break
            node, depth = pair[1], depth + 1
        return depth

    def place(self, path: Path) -> tuple[int, int]:
        """Return line and column of the value at `path`, or of its nearest existing parent."""
        line, column = place(self._root, path)
        return line + self.offset, column

    @cached_property
    def _root(self) -> yaml.Node | None:
        """Return the root node. It is not kept in memory, as the nodes of all pages need a lot of it."""
        return yaml.compose(self.text, _TextLoader)

    @cached_property
    def typed(self) -> dict[object, object]:
        """Return the mapping with YAML 1.1 types, to compare it with that of MkDocs; {} if that fails."""
        try:
            data = yaml.load(self.text, yaml.CSafeLoader)
        except _FAULTS_OF_VALUES:
            return {}
        return data if isinstance(data, dict) else {}


_FAULTS_OF_VALUES = (yaml.YAMLError, ValueError, KeyError, AttributeError, RecursionError)
"""What PyYAML raises for values that are not of their tag: `!!bool x` and `!!timestamp x` the third and the
fourth."""


def place(root: yaml.Node | None, path: Path) -> tuple[int, int]:
    """Return line and column of the value at `path` in `root`, or of its nearest existing parent."""
    node, mark = root, None if root is None else root.start_mark
    for step in path:
        pair = child(node, step)
        if pair is None:
            break
        key, node = pair
        mark = key.start_mark
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


def child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the nodes of a key and its value (for a list, the entry twice), or None if missing."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == step:
                return key, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        return node.value[step], node.value[step]
    return None


def parse(text: str, offset: int = 0) -> YamlDocument:
    """Parse one YAML document; `offset` is the number of lines before it in its file.

    Raises `RefusedError` for invalid syntax, a duplicate key, an unknown tag, a mapping key that is not text,
    or an alias that contains itself.
    """
    try:
        root = yaml.compose(text, _TextLoader)
        data = None if root is None else _ValueBuilder(offset).value(root, 0)
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
        raise refused(error, text, offset) from None
    return YamlDocument(text, offset, data)
