"""`catalog-api build`: write the same documents as `mkdocs build`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .run import Run, options

if TYPE_CHECKING:
    from ..pipeline import Build


@click.command("build", short_help="Write the API to the site folder.")
@click.option(
    "--replace", is_flag=True, help="Replace existing files with documents, also files of other programs."
)
@click.option("--web", is_flag=True, help="Also fill the pages that another generator has built.")
@options
def command(run: Run, web: bool) -> None:
    """Write the API to the site folder, with the same bytes as `mkdocs build`.

    If another generator builds your site, run this command after it. `--web` also fills markers in the pages
    and completes the pages of items. Run it as often as you like: earlier content is replaced.
    """
    run.finish(lambda: _with_web(run) if web else _api(run), "built")


def _api(run: Run) -> Build:
    build = run.prepare(*run.read())
    build.publish(replace=run.replace)
    return build


def _with_web(run: Run) -> Build:
    from ..authored.read_site import read_site
    from ..publish.site_files import put
    from ..web.html_site import fill_site

    site, settings, strict = read_site(run.config_file, run.problems, site_dir=run.site_dir, web=True)
    run.strict = run.strict or strict
    build = run.prepare(site, settings)
    try:
        feeds = build.feeds.keys()
        files = fill_site(site, settings, build.catalog, build.folder, feeds, run.problems, strict=run.strict)
        build.publish(replace=run.replace, keep=True)
        assert build.staging is not None  # noqa: S101  # this is not a check
        for path, content in files.items():
            if content is None:
                (site.site_dir / path).unlink()
            else:
                put(site.site_dir, path, content, build.staging.folder)
    finally:
        build.drop()
    return build
