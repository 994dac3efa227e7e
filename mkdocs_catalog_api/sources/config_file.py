"""mkdocs.yml, as far as problems have to point into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from ..problems import Level, Problem
from .front_matter import child
from .pages import dotted

PLUGIN = "catalog-api"


@dataclass(frozen=True)
class ConfigFile:
    """The configuration of the site; `path` is None when it did not come from a file."""

    path: Path | None

    @property
    def name(self) -> str:
        """How problems name it."""
        return self.path.name if self.path else "mkdocs.yml"

    @cached_property
    def _section(self) -> yaml.Node | None:
        """The plugin's own settings, None when they stand in no mapping of this file."""
        try:
            root = yaml.compose(self.path.read_bytes(), yaml.CSafeLoader) if self.path else None
        except (OSError, ValueError, RecursionError, yaml.YAMLError):
            return None
        found = child(root, "plugins")
        if found is None:
            return None
        entries = found[1].value if isinstance(found[1], yaml.SequenceNode) else [found[1]]
        return next((inner[1] for entry in entries if (inner := child(entry, PLUGIN))), None)

    def problem(
        self, path: Sequence[str | int], message: str, hint: str = "", level: Level = Level.ERROR
    ) -> Problem:
        """A problem of the plugin's setting at `path`, or of the nearest one around it that stands here."""
        node = self._section
        mark = None if node is None else node.start_mark
        for step in path:
            found = child(node, step)
            if found is None:
                break
            key, node = found
            mark = key.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        return Problem(self.name, line, column, dotted((PLUGIN, *path)), message, hint, level)
