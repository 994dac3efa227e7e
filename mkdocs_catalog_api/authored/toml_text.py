"""TOML with its places: as the nodes that YAML has, so that one way leads to the place of a value in either.

The grammar is that of https://toml.io/en/v1.0.0; what is wrong with a text is for `tomllib` to say.
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
    """The table `project` with its places, and its values; of a text without that table the whole.

    Raises:
        YamlError: it is not TOML.
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


def _explain(said: str) -> NoReturn:
    at = _AT.search(said)
    line, column = (int(at[1]), int(at[2])) if at and at[1] else (0, 0)
    raise YamlError(line, column, f"not valid TOML: {_AT.sub('', said)}")


class _Scan:
    """One pass over a text that is known to be TOML; `root` is all of it."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str, yaml.Mark]] = []
        start = line = 0
        for found in _TOKEN.finditer(text):
            mark = yaml.Mark("", found.start(), line, found.start() - start, None, 0)
            if found.lastgroup:
                self._tokens.append((found.lastgroup, found[0], mark))
            if newlines := found[0].count("\n"):
                line, start = line + newlines, found.start() + found[0].rindex("\n") + 1
        self._at = 0
        self.root = yaml.MappingNode("", [], yaml.Mark("", 0, 0, 0, None, 0))
        table = self.root
        while self._at < len(self._tokens):
            kind, said, mark = self._next()
            if said in ("[", "[["):
                table = self._table(self._keys(("]", "]]")), mark, listed=said == "[[")
            elif kind != "newline":
                self._at -= 1
                self._pair(table)

    def _next(self) -> tuple[str, str, yaml.Mark]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else "\n"

    def _keys(self, ends: tuple[str, ...]) -> list[yaml.ScalarNode]:
        """The keys of `a."b c".d`, and the mark that ends them passed over."""
        keys = []
        while (token := self._next())[1] not in ends:
            if token[1] != ".":
                said = token[1] if token[0] == "bare" else str(_read(token[1]))
                keys.append(yaml.ScalarNode("", said, token[2]))
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
            tables = next((value for found, value in table.value if found.value == keys[-1].value), None)
            if tables is None:
                tables = yaml.SequenceNode("", [], mark)
                table.value.append((keys[-1], tables))
            table = yaml.MappingNode("", [], mark)
            tables.value.append(table)
        return table

    def _value(self) -> yaml.Node:
        kind, said, mark = self._next()
        if said in ("[", "[["):
            if said == "[[":  # a list in a list, no table
                self._at -= 1
                self._tokens[self._at : self._at + 1] = [("mark", "[", mark), ("mark", "[", mark)]
                self._at += 1
            entries: list[yaml.Node] = []
            while not self._ends("]"):
                entries.append(self._value())
            return yaml.SequenceNode("", entries, mark)
        if said == "{":
            inner = yaml.MappingNode("", [], mark)
            while not self._ends("}"):
                self._pair(inner)
            return inner
        if kind == "text":
            return yaml.ScalarNode("", str(_read(said)), mark)
        while self._peek() not in (",", "]", "]]", "}", "\n", "\r\n"):
            said += self._next()[1]  # 1.5, or the parts of a time
        return yaml.ScalarNode("", said, mark)

    def _ends(self, end: str) -> bool:
        """Whether the list or table ends here, with what stands between entries passed over."""
        while self._peek() in (",", "\n", "\r\n"):
            self._at += 1
        if self._peek() == end * 2 and end == "]":  # of two lists at once
            mark = self._tokens[self._at][2]
            self._tokens[self._at : self._at + 1] = [("mark", "]", mark), ("mark", "]", mark)]
        if self._peek() != end:
            return False
        self._at += 1
        return True


def _below(table: yaml.MappingNode, key: yaml.ScalarNode) -> yaml.MappingNode:
    """The table at `key`, made where it is not there; of a list of tables the last."""
    for found, value in table.value:
        if found.value == key.value:
            last = value.value[-1] if isinstance(value, yaml.SequenceNode) else value
            assert isinstance(last, yaml.MappingNode)  # noqa: S101  # else it would be no TOML
            return last
    made = yaml.MappingNode("", [], key.start_mark)
    table.value.append((key, made))
    return made


def _read(text: str) -> object:
    return tomllib.loads(f"value = {text}")["value"]
