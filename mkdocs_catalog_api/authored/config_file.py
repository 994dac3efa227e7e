"""mkdocs.yml or zensical.toml, as far as problems have to point into it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

import yaml
from msgspec import Struct

from ..problems import Level, Problem
from ..problems.codes import Code
from .pages import dotted
from .yaml_text import child

PLUGIN = "catalog-api"
MAX_PARENTS = 20
"""How many files mkdocs.yml may inherit from, one from another."""


class ConfigFile(Struct, frozen=True, dict=True):
    """The configuration of the site; `path` is None when it did not come from a file."""

    path: Path | None

    @property
    def name(self) -> str:
        """How problems name it."""
        return self.path.name if self.path else "mkdocs.yml"

    @property
    def generator(self) -> str:
        """Who builds the site's pages from this file."""
        return "Zensical" if self.path and self.path.suffix == ".toml" else "MkDocs"

    @cached_property
    def _sections(self) -> list[tuple[str, yaml.Node]]:
        """The plugin's own settings in this file and in those that it inherits from, each with the name of
        the file; the first that has a setting is the one that counts.
        """
        found: list[tuple[str, yaml.Node]] = []
        path, name = self.path, self.name
        for _ in range(MAX_PARENTS + 1):
            root = _composed(path)
            if (section := _settings(root)) is not None:
                found.append((name, section))
            parent = child(root, "INHERIT")
            if path is None or parent is None:
                break
            name = inherited(name, str(parent[1].value))
            path = path.parent / str(parent[1].value)
        return found

    def _section(self, path: Sequence[str | int]) -> tuple[str, yaml.Node | None]:
        """The first that has all of `path`, else the first at all, else this file and nothing."""
        for name, section in self._sections:
            node: yaml.Node | None = section
            for step in path:
                found = _child(node, step)
                node = found[1] if found else None
            if node is not None:
                return name, section
        return self._sections[0] if self._sections else (self.name, None)

    def problem(
        self,
        path: Sequence[str | int],
        message: str,
        hint: str = "",
        level: Level = Level.ERROR,
        *,
        code: Code,
    ) -> Problem:
        """A problem of the plugin's setting at `path`, or of the nearest one around it that stands here."""
        name, node = self._section(path)
        mark = None if node is None else node.start_mark
        field: list[str | int] = [PLUGIN]
        for step in path:
            found = _child(node, step)
            in_mapping = found is not None and found[0] is not found[1]
            field.append(found[0].value if found and in_mapping else step)
            node = found[1] if found else None
            mark = found[0].start_mark if found else mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        return Problem(name, line, column, dotted(field), message, hint, level, code=code)

    def written(self, path: Sequence[str | int], *, key: bool = False) -> str:
        """The scalar at `path`, or the key that leads to it, as it is written; "" when there is none."""
        found: tuple[yaml.Node, yaml.Node] | None = None
        _, node = self._section(path)
        for step in path:
            found = _child(node, step)
            node = found[1] if found else None
        scalar = found[0 if key else 1] if found else None
        return scalar.value if isinstance(scalar, yaml.ScalarNode) else ""


def inherited(name: str, parent: str) -> str:
    """How problems name the file that the file of this name inherits from."""
    return str(PurePosixPath(name).parent / parent)


def _composed(path: Path | None) -> yaml.Node | None:
    try:
        if path and path.suffix == ".toml":
            from .toml_text import load  # few sites are built from TOML

            return load(path.read_bytes())[0]
        return yaml.compose(path.read_bytes(), yaml.CSafeLoader) if path else None
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return None


def _settings(root: yaml.Node | None) -> yaml.Node | None:
    found = child(root, "plugins")
    if found is None:
        return None
    entries = found[1].value if isinstance(found[1], yaml.SequenceNode) else [found[1]]
    return next((inner[1] for entry in entries if (inner := child(entry, PLUGIN))), None)


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """As `child`, where a key that YAML reads as another type than text is found by what it is read as."""
    found = child(node, step)
    if found is None and isinstance(node, yaml.MappingNode) and not isinstance(step, str):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and _read(key.value) == step:
                return key, value
    return found


def _read(text: str) -> object:
    try:
        return yaml.load(text, yaml.CSafeLoader)
    except (ValueError, yaml.YAMLError):
        return None
