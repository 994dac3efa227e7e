"""The values of YAML nodes: text, null and the booleans of YAML 1.2, in lists and mappings."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from .yaml_errors import YamlError

Value = str | bool | None | list["Value"] | dict[str, "Value"]
"""What text-preserving YAML holds."""

_MAX_VALUES = 100_000
"""A document that expands to more values through its aliases is refused."""
MAX_DEPTH = 50

_TAGS: dict[type[yaml.Node], tuple[str, ...]] = {
    yaml.ScalarNode: ("str", "bool", "null", "merge"),
    yaml.SequenceNode: ("seq",),
    yaml.MappingNode: ("map",),
}
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_NULL = re.compile(r"~|null|Null|NULL|")


def value_of(root: yaml.Node, offset: int, *, has_aliases: bool) -> Value:
    """What a document holds; `offset` lines stand before it in its file.

    Raises:
        YamlError: a key twice, an unknown tag, a mapping key that is not text, aliases that contain
            themselves or expand to more than 100,000 values.
        RecursionError: nested too deeply, while aliases are counted.
    """
    builder = _Builder(offset)
    if has_aliases:
        builder.count(root)
    return builder.value(root, 0)


class _Builder:
    """Turns nodes into values. One object for a document: it counts what aliases expand to."""

    def __init__(self, offset: int) -> None:
        self._offset = offset
        self._open: set[int] = set()
        self._sizes: dict[int, int] = {}

    def count(self, root: yaml.Node) -> None:
        if self._size(root) > _MAX_VALUES:
            raise self._error(root, f"aliases expand to more than {_MAX_VALUES:,} values", "write them out")

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
        size = 1 + sum(self._size(child) for child in children(node))
        self._open.discard(id(node))
        self._sizes[id(node)] = size
        return size

    def value(self, node: yaml.Node, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise self._error(node, "nested too deeply", f"at most {MAX_DEPTH} levels")
        if node.tag == "tag:yaml.org,2002:str" and type(node) is yaml.ScalarNode:  # nearly every value
            return str(node.value)
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        if tag.removeprefix("!!") not in _TAGS[type(node)] or not _fits(node, tag):
            raise self._error(node, f"the tag {tag[:80]} is not allowed here", "remove it, or use quotes")
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, depth + 1) for child in node.value]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, depth)
        if tag == "!!null":
            return None
        text: str = node.value
        return text.lower() == "true" if tag == "!!bool" else text

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
                own[key.value] = self.value(value, depth + 1)
        return merged | own if merged else own


def _fits(node: yaml.Node, tag: str) -> bool:
    """Whether an explicit `!!bool` or `!!null` stands before a word of that type."""
    pattern = {"!!bool": _BOOL, "!!null": _NULL}.get(tag)
    return pattern is None or bool(pattern.fullmatch(node.value))


def children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value
