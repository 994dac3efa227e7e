"""Reads TOML as YAML nodes with the places of its keys, so that both formats share the code for places.

`tomllib` shows no places: a key is where its name next occurs after that of its table.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, NoReturn

import yaml

from ..problems import RefusedError

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def load(source: bytes) -> tuple[yaml.Node | None, dict[str, Any]]:
    """Return the table `project` with its places, and its values. Without that table, return all.

    Raises:
        RefusedError: not valid TOML.
    """
    try:
        text = source.decode()
        data: dict[str, Any] = tomllib.loads(text)
    except UnicodeDecodeError:
        raise RefusedError("the file is not UTF-8", "save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        _explain(str(error))
    root = _node(data, text, 0)
    if isinstance(data.get("project"), dict):
        return next(value for key, value in root.value if key.value == "project"), data["project"]
    return root, data


def _explain(message: str) -> NoReturn:
    place = _AT.search(message)
    line, column = (int(place[1]), int(place[2])) if place and place[1] else (0, 0)
    raise RefusedError(f"not valid TOML: {_AT.sub('', message)}", "", line, column)


def _node(value: object, text: str, start: int) -> yaml.Node:
    """Return the node of a value that is behind `start` in the text."""
    mark = _mark(text, start)
    if isinstance(value, list):
        return yaml.SequenceNode("", [_node(entry, text, start) for entry in value], mark)
    if not isinstance(value, dict):
        written = str(value).lower() if isinstance(value, bool) else str(value)
        return yaml.ScalarNode("", written, mark)
    pairs = []
    for key, inner in value.items():
        name = re.compile(rf"(?<![\w-]){re.escape(key)}(?=[\w\s.\"'-]*[]=])").search(text, start)
        found = name.start() if name else start
        pairs.append((yaml.ScalarNode("", key, _mark(text, found)), _node(inner, text, found)))
    return yaml.MappingNode("", pairs, mark)


def _mark(text: str, position: int) -> yaml.Mark:
    line_start = text.rfind("\n", 0, position) + 1
    return yaml.Mark("", position, text.count("\n", 0, position), position - line_start, None, 0)
