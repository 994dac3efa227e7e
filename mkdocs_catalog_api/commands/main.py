"""`catalog-api`: the command line, for CI and for sites that MkDocs does not build.

Each command is a module in this folder. Exit codes: 0 success, 1 problems, 2 usage error.
"""

from __future__ import annotations

import io
import sys
from difflib import get_close_matches
from importlib import import_module

import click

from ..publish.staging import exit_on_signals

_COMMANDS = ("new", "build", "check", "list", "record", "sync")


_INSTEAD = {
    "init": "write mkdocs.yml as in the guide's first page; `catalog-api new` adds pages",
    "serve": "use `mkdocs serve`",
    "watch": "use `mkdocs serve`",
    "lint": "use `catalog-api check`",
    "validate": "use `catalog-api check`",
    "publish": "copy the site that `mkdocs build` writes to a host",
}
"""Commands that people try → what to use instead."""


class _Commands(click.Group):
    """Imports a command when it is called, so that its dependencies do not slow or break other commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in _INSTEAD:
            ctx.fail(f"there is no command {name!r} ({_INSTEAD[name]})")
        if name not in _COMMANDS:
            if near := get_close_matches(name, _COMMANDS, n=1):
                ctx.fail(f"there is no command {name!r} (did you mean `{near[0]}`?)")
            return None
        module = import_module(f".{name.replace('-', '_')}", __package__)
        command: click.Command = module.command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mkdocs-catalog-api")
def main() -> None:
    """Build, check and maintain the JSON API of a catalog of images and charts."""
    exit_on_signals()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # file names may contain any bytes
