"""`catalog-api check`: do everything that a build does, except writing to disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .run import Run, options

if TYPE_CHECKING:
    from ..pipeline import Build


@click.command("check", short_help="Report all problems without writing anything.")
@options
def command(run: Run) -> None:
    """Report all problems that `mkdocs build` would find, markers included. Nothing is written."""
    run.finish(lambda: _check(run), "checked")


def _check(run: Run) -> Build:
    from ..web.marker_problems import check_pages

    site, settings = run.read(translations=True)
    build = run.prepare(site, settings, check_only=True)
    check_pages(site, settings, build.catalog, run.problems, strict=run.strict)
    return build
