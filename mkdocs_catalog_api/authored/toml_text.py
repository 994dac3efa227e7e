"""Reads TOML with the places of all values, as YAML nodes, so that both formats share the code for places.

The grammar is https://toml.io/en/v1.0.0. `tomllib` reports syntax errors.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, NoReturn

import yaml

from .yaml_text import YamlError

_TOKEN = re.compile(
    r'''[ \t]+|\#[^\n]*|(?P<newline>\r?\n)|(?P<text>"""(?:\\.|[^\\])*?"{3,5}|\'{3}.*?\'{3,5}'''
    r"""|"(?:\\.|[^"\\\n])*"|'[^'\n]*')|(?P<mark>\[\[|\]\]|[][{}=,.])|(?P<bare>[^\s\[\]{}=,."'\#]+)""",
    re.DOTALL,
)
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def load(source: bytes) -> tuple[yaml.Node | None, dict[str, Any]]:
    """Return the table `project` with its places, and its values. Without that table, return all.

    Raises:
        YamlError: not valid TOML.
    """
    try:
        text = source.decode()
        data: dict[str, Any] = tomllib.loads(text)
    except UnicodeDecodeError:
        raise YamlError(0, 0, "the file is not UTF-8", "save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        _explain(str(error))
    root = _Scan(text).root
    if isinstance(data.get("project"), dict):
        return next(value for key, value in root.value if key.value == "project"), data["project"]
    return root, data


def _explain(message: str) -> NoReturn:
    place = _AT.search(message)
    line, column = (int(place[1]), int(place[2])) if place and place[1] else (0, 0)
    raise YamlError(line, column, f"not valid TOML: {_AT.sub('', message)}")


class _Scan:
    """Scans valid TOML text; `root` is the whole document."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str, yaml.Mark]] = []
        start = line = 0
        for match in _TOKEN.finditer(text):
            mark = yaml.Mark("", match.start(), line, match.start() - start, None, 0)
            if match.lastgroup:
                self._tokens.append((match.lastgroup, match[0], mark))
            if newlines := match[0].count("\n"):
                line, start = line + newlines, match.start() + match[0].rindex("\n") + 1
        self._at = 0
        self.root = yaml.MappingNode("", [], yaml.Mark("", 0, 0, 0, None, 0))
        table = self.root
        while self._at < len(self._tokens):
            kind, symbol, mark = self._next()
            if symbol in ("[", "[["):
                table = self._table(self._keys(("]", "]]")), mark, listed=symbol == "[[")
            elif kind != "newline":
                self._at -= 1
                self._pair(table)

    def _next(self) -> tuple[str, str, yaml.Mark]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else "\n"

    def _keys(self, ends: tuple[str, ...]) -> list[yaml.ScalarNode]:
        """Return the keys of `a."b c".d`, and skip the token after them."""
        keys = []
        while (token := self._next())[1] not in ends:
            if token[1] != ".":
                symbol = token[1] if token[0] == "bare" else str(_read(token[1]))
                keys.append(yaml.ScalarNode("", symbol, token[2]))
        return keys

    def _pair(self, table: yaml.MappingNode) -> None:
        *above, key = self._keys(("=",))
        for each in above:
            table = _below(table, each)
        table.value.append((key, self._value()))

    def _table(self, keys: list[yaml.ScalarNode], mark: yaml.Mark, *, listed: bool) -> yaml.MappingNode:
        table = self.root
        for key in keys[:-1] if listed else keys:
            table = _below(table, key)
        if listed:
            tables = next((value for name, value in table.value if name.value == keys[-1].value), None)
            if tables is None:
                tables = yaml.SequenceNode("", [], mark)
                table.value.append((keys[-1], tables))
            table = yaml.MappingNode("", [], mark)
            tables.value.append(table)
        return table

    def _value(self) -> yaml.Node:
        kind, symbol, mark = self._next()
        if symbol in ("[", "[["):
            if symbol == "[[":  # a list in a list, not a table
                self._at -= 1
                self._tokens[self._at : self._at + 1] = [("mark", "[", mark), ("mark", "[", mark)]
                self._at += 1
            entries: list[yaml.Node] = []
            while not self._ends("]"):
                entries.append(self._value())
            return yaml.SequenceNode("", entries, mark)
        if symbol == "{":
            inner = yaml.MappingNode("", [], mark)
            while not self._ends("}"):
                self._pair(inner)
            return inner
        if kind == "text":
            return yaml.ScalarNode("", str(_read(symbol)), mark)
        while self._peek() not in (",", "]", "]]", "}", "\n", "\r\n"):
            symbol += self._next()[1]  # 1.5, or a time
        return yaml.ScalarNode("", symbol, mark)

    def _ends(self, end: str) -> bool:
        """Whether the list or table ends here. Skips the separators between entries."""
        while self._peek() in (",", "\n", "\r\n"):
            self._at += 1
        if self._peek() == end * 2 and end == "]":  # end of two lists
            mark = self._tokens[self._at][2]
            self._tokens[self._at : self._at + 1] = [("mark", "]", mark), ("mark", "]", mark)]
        if self._peek() != end:
            return False
        self._at += 1
        return True


def _below(table: yaml.MappingNode, key: yaml.ScalarNode) -> yaml.MappingNode:
    """Return the table at `key`, in a list of tables the last one. A missing table is created."""
    for name, value in table.value:
        if name.value == key.value:
            last = value.value[-1] if isinstance(value, yaml.SequenceNode) else value
            assert isinstance(last, yaml.MappingNode)  # noqa: S101  # otherwise it is not valid TOML
            return last
    added = yaml.MappingNode("", [], key.start_mark)
    table.value.append((key, added))
    return added


def _read(text: str) -> object:
    return tomllib.loads(f"value = {text}")["value"]
