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
@click.option("--web", is_flag=True, help="Fill the pages that another generator has built, too.")
@options
def command(run: Run, web: bool) -> None:
    """Write the API into the site, byte for byte what `mkdocs build` writes.

    For sites that MkDocs does not build: run it after the other generator. With `--web` markers in the pages
    are filled and pages of items completed; what was filled before is made anew.
    """
    run.finish(lambda: _with_web(run) if web else _api(run), "built")


def _api(run: Run) -> Build:
    build = run.prepare(*run.read())
    build.publish(replace=run.replace)
    return build


def _with_web(run: Run) -> Build:
    from ..publish.site_files import put
    from ..web.html_site import fill_site

    site, settings = run.read()
    build = run.prepare(site, settings)
    try:
        feeds = build.feeds.keys()
        files = fill_site(site, settings, build.catalog, build.folder, feeds, run.problems, strict=run.strict)
        build.publish(replace=run.replace, keep=True)
        assert build.staging is not None  # noqa: S101  # nothing was only checked
        for path, content in files.items():
            if content is None:
                (site.site_dir / path).unlink()
            else:
                put(site.site_dir, path, content, build.staging.folder)
    finally:
        build.drop()
    return build
