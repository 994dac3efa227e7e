"""Reads YAML as text, with line and column of each value, and with error messages for authors.

MkDocs reads front matter with YAML 1.1 types: `1.10` becomes 1.1, `010` becomes 8, and `NO` becomes False. It
ignores errors, and uses the last of duplicate keys. Here, plain scalars are text, except for `true`, `false`
and `null` of YAML 1.2; the models convert them later.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import yaml
from msgspec import Struct

from ..problems import Problem, RefusedError

_HINTS = {
    "mapping values are not allowed": 'check the indentation; put a text with a colon in quotes: key: "A: B"',
    "cannot start any token": "put the value in quotes, and indent with spaces",
    "undefined alias": "put a value that begins with * in quotes",
    "unexpected end of stream": "close it with the same quote",
}
"""Words of libyaml → how to fix the error."""
_BEGINS = ("a flow ", "a quoted scalar")
"""For errors in these contexts, the start of the context is shown, not where the parser gives up."""


def mark(error: yaml.MarkedYAMLError) -> yaml.Mark:
    """Return the place of an error for authors."""
    if error.context_mark and any(begin in (error.context or "") for begin in _BEGINS):
        return error.context_mark
    return error.problem_mark or error.context_mark or yaml.Mark("", 0, 0, 0, None, 0)


def explain(error: yaml.MarkedYAMLError) -> tuple[str, str]:
    """Return message and hint of an error; the message has the words of the parser."""
    problem = ", ".join(filter(None, (error.context, error.problem))) or "can't be read"
    hints = (hint for words, hint in _HINTS.items() if words in problem)
    return f"not valid YAML: {problem}", next(hints, "check indentation, quotes and brackets up to here")


Value = str | bool | None | list["Value"] | dict[str, "Value"]
"""A value of YAML that is read as text."""

_MAX_DEPTH = 50

Path = Sequence[str | int]
"""Path of a value: mapping keys and list positions."""

_TEXT, _BOOL, _NULL, _MERGE = (f"tag:yaml.org,2002:{name}" for name in ("str", "bool", "null", "merge"))
_WORDS = {
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), _BOOL),
    **dict.fromkeys(("~", "null", "Null", "NULL", ""), _NULL),
    "<<": _MERGE,
}


class _TextLoader(yaml.CSafeLoader):
    """Composes nodes with tags that only distinguish null, booleans of YAML 1.2 and text."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Sequence[bool]) -> str:
        if kind is yaml.ScalarNode:
            return _WORDS.get(value, self.DEFAULT_SCALAR_TAG) if implicit[0] else self.DEFAULT_SCALAR_TAG
        return self.DEFAULT_SEQUENCE_TAG if kind is yaml.SequenceNode else self.DEFAULT_MAPPING_TAG

    def descend_resolver(self, current_node: object, current_index: object) -> None:
        """Do nothing: no tag depends on the place of a value."""

    def ascend_resolver(self) -> None: ...


class _ValueBuilder:
    """Turns the nodes of one document into values. The value of an alias is that of its anchor."""

    def __init__(self, offset: int) -> None:
        self._offset = offset
        self._built: dict[int, Value] = {}

    def _error(self, node: yaml.Node, message: str, hint: str) -> RefusedError:
        mark = node.start_mark
        return RefusedError(message, hint, mark.line + 1 + self._offset, mark.column + 1)

    def value(self, node: yaml.Node, depth: int) -> Value:
        if depth > _MAX_DEPTH:
            raise self._error(node, "nested too deeply", f"the maximum is {_MAX_DEPTH} levels")
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

    def has(self, key: str | int) -> bool:
        """Whether it is a mapping with this key, also if `data` was released."""
        if isinstance(self.data, dict):
            return key in self.data
        return isinstance(self._root, yaml.MappingNode) and child(self._root, key) is not None

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
        except (yaml.YAMLError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}


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

    Raises:
        RefusedError: invalid syntax, a duplicate key, an unknown tag, a mapping key that is not text, or an
            alias that contains itself.
    """
    try:
        root = yaml.compose(text, _TextLoader)
        data = None if root is None else _ValueBuilder(offset).value(root, 0)
    except RefusedError:
        raise
    except yaml.MarkedYAMLError as error:
        where = mark(error)
        line, column = where.line + 1 + offset, where.column + 1
        raise RefusedError(*explain(error), line, column) from None
    except (yaml.YAMLError, ValueError) as error:
        # A reader error: characters that YAML does not allow.
        position = getattr(error, "position", 0)
        before = text[:position] if isinstance(position, int) and position >= 0 else ""
        reason = f"a character that YAML does not allow ({getattr(error, 'reason', error)})"
        raise RefusedError(reason, "remove it", before.count("\n") + 1 + offset, 1) from None
    except RecursionError:
        hint = f"the maximum is {_MAX_DEPTH} levels"
        raise RefusedError("nested too deeply", hint, 1 + offset, 1) from None
    return YamlDocument(text, offset, data)
