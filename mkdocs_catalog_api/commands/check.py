"""`catalog-api check`: everything that a build does, but nothing is written to any disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .run import Run, options

if TYPE_CHECKING:
    from ..build import Build


@click.command("check", short_help="Find every problem and write nothing.")
@click.option(
    "--with-mkdocs",
    is_flag=True,
    help="Have MkDocs make the pages, with hooks and plugins; finds wrong markers.",
)
@options
def command(run: Run, with_mkdocs: bool) -> None:
    """Find every problem of the catalog, and write nothing.

    With `--with-mkdocs` MkDocs runs up to the pages, in a folder that is removed afterwards.
    """
    run.finish(
        lambda: _with_mkdocs(run) if with_mkdocs else run.prepare(*run.read(), check_only=True), "checked"
    )


def _with_mkdocs(run: Run) -> Build:
    from ..mkdocs_plugin.check import check

    return check(run.config_file, run.problems, strict=run.strict)
