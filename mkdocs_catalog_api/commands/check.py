"""`catalog-api check`: everything that a build does, but nothing is written to any disk."""

from __future__ import annotations

import click

from .run import Run, options


@click.command("check", short_help="Find every problem and write nothing.")
@options
def command(run: Run) -> None:
    """Find every problem of the catalog, and write nothing."""
    run.finish(lambda: run.prepare(*run.read(), check_only=True), "checked")
