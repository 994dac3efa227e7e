"""`catalog-api build`: the documents that `mkdocs build` gives, without MkDocs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .run import Run, options

if TYPE_CHECKING:
    from ..build import Build


@click.command("build", short_help="Write the API into the site.")
@click.option(
    "--replace", is_flag=True, help="Replace files that documents would land on, whoever wrote them."
)
@options
def command(run: Run) -> None:
    """Write the API into the site, byte for byte what `mkdocs build` writes.

    For sites that MkDocs does not build: run it after the other generator.
    """

    def work() -> Build:
        build = run.prepare(*run.read())
        build.publish(replace=run.replace)
        return build

    run.finish(work, "built")
