"""`catalog-api check`: do everything that a build does, except writing to disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .run import Run, options

if TYPE_CHECKING:
    from ..build import Build


@click.command("check", short_help="Report all problems without writing anything.")
@click.option(
    "--with-mkdocs",
    is_flag=True,
    help="Let MkDocs render the pages, with hooks and plugins. Also finds invalid markers.",
)
@options
def command(run: Run, with_mkdocs: bool) -> None:
    """Report all problems of the catalog without writing anything.

    With `--with-mkdocs`, MkDocs renders the pages in a temporary folder.
    """
    run.finish(
        lambda: _with_mkdocs(run) if with_mkdocs else run.prepare(*run.read(), check_only=True), "checked"
    )


def _with_mkdocs(run: Run) -> Build:
    from ..mkdocs_plugin.check import check

    return check(run.config_file, run.problems, strict=run.strict)
