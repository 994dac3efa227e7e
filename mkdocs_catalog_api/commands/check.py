"""`catalog-api check`: everything that a build does, but nothing is published."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .run import Run, options

if TYPE_CHECKING:
    from ..build import Build


@click.command("check", short_help="Find every problem and write nothing.")
@options
def command(run: Run) -> None:
    """Find every problem of the catalog, and write nothing into the site."""

    def work() -> Build:
        site, settings = run.read()
        with tempfile.TemporaryDirectory(prefix="catalog-api-") as folder:
            return run.prepare(replace(site, site_dir=Path(folder) / "site"), settings)

    run.finish(work, "checked")
