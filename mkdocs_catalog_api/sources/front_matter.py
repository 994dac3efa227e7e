"""YAML read as text, with the line and column of every value.

MkDocs reads front matter with YAML 1.1 types, which turns `1.10` into 1.1, `010` into 8 and `NO` into
False, swallows every error and keeps the last of two equal keys. Here a plain scalar stays the text that
the author wrote (YAML 1.2's `true`, `false` and `null` aside); the models type it later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import yaml

Value = str | bool | None | list["Value"] | dict[str, "Value"]
"""What text-preserving YAML holds."""
Path = Sequence[str | int]
"""The way to a value: mapping keys and list positions."""

_MAX_VALUES = 100_000
"""A document that expands to more values through its aliases is refused."""
_MAX_DEPTH = 50

# The line MkDocs takes for front matter (mkdocs/utils/meta.py), and looser ones that authors mean as such.
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_EMPTY = re.compile(r"\A---[ \t]*\n(?:---|\.\.\.)[ \t]*\n")
_UNCLOSED_AT_END = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*\Z", re.DOTALL)
_OPENING = re.compile(r"\A---[ \t]*(?:\n|\Z)")
_LATE_OPENING = re.compile(r"\A(?:[ \t]*\n)+---[ \t]*\n|\A[ \t]+---[ \t]*\n")
_MULTIMARKDOWN = re.compile(r"\A {0,3}[A-Za-z0-9_-]+:(?:\s|\Z)")


class YamlError(ValueError):
    """The text is not YAML that can be used; `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.line, self.column, self.message, self.hint = line, column, message, hint


class _Loader(yaml.CSafeLoader):
    """Composes nodes whose tags tell null and booleans of YAML 1.2 from text, and nothing else."""


_Loader.yaml_implicit_resolvers = {}  # not those of YAML 1.1


for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:merge", r"^<<$", "<"),
):
    _Loader.add_implicit_resolver(_tag, re.compile(_pattern), list(_first))

_KNOWN_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("str", "bool", "null", "map", "seq", "merge")}


@dataclass(frozen=True)
class Document:
    """A parsed YAML document; `offset` is the number of lines that stand before it in its file."""

    text: str
    offset: int
    root: yaml.Node | None
    data: Value

    def place(self, path: Path) -> tuple[int, int]:
        """Line and column of the value at `path`, or of the nearest value around it that exists."""
        node, mark = self.root, None if self.root is None else self.root.start_mark
        for step in path:
            found = child(node, step)
            if found is None:
                break
            key, node = found
            mark = key.start_mark
        return (1 + self.offset, 1) if mark is None else (mark.line + 1 + self.offset, mark.column + 1)

    @cached_property
    def typed(self) -> dict[str, object]:
        """The same mapping as YAML 1.1 types it, for comparing with what MkDocs read; {} when it can't."""
        try:
            data = yaml.load(self.text, yaml.CSafeLoader)
        except (yaml.YAMLError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}


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
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1 + offset, mark.column + 1) if mark else (1 + offset, 1)
        raise YamlError(line, column, *_explain(error, text, mark.line if mark else 0)) from None
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
    return Document(text, offset, root, data)


def _explain(error: yaml.MarkedYAMLError, text: str, line: int) -> tuple[str, str]:
    """A message and a hint that a person who does not know YAML's grammar can act on."""
    lines = text.split("\n")
    content = lines[line] if line < len(lines) else ""
    problem = error.problem or "it can't be read"
    if "\t" in content[: len(content) - len(content.lstrip())] or "'\\t'" in problem:
        return "a tab at the start of a line, which YAML does not allow", "indent with spaces"
    if "mapping values are not allowed" in problem:
        return "a second `: ` in one line", 'put the value in quotes: key: "A: B"'
    if "undefined alias" in problem:
        return f"not valid YAML: {problem}", "a value that starts with * must stand in quotes"
    if "cannot start any token" in problem:
        return f"not valid YAML: {problem}", "put the value in quotes"
    context = f" {error.context}" if error.context else ""
    return f"not valid YAML: {problem}{context}", "check indentation, quotes and brackets around this line"


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
        if node.tag not in _KNOWN_TAGS:
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            raise self._error(node, f"the tag {tag} is not allowed here", "remove the tag")
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


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


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
        raise YamlError(line, 1, "no new line after the closing ---", "end the file with a new line")
    if _OPENING.match(text):
        raise YamlError(1, 1, "front matter that is never closed", "add a line --- after the last key")
    if _LATE_OPENING.match(text):
        message = "front matter must begin in the first line, at its start"
        raise YamlError(1, 1, message, "remove what stands before the ---")
    if _MULTIMARKDOWN.match(text):
        raise YamlError(1, 1, "front matter without --- lines", "put a line --- before and after the keys")
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
        return Document(yaml_text, 1, document.root, {})
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise YamlError(2, 1, f"front matter is {kind}, not keys and values", "write `key: value` lines")
    return document
