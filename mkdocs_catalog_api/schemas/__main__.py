"""`python -m mkdocs_catalog_api.schemas`: write the schemas, with a mkdocs.yml those of its own fields."""

from __future__ import annotations

from pathlib import Path

import click

from ..commands.run import tell
from ..problems import Problems
from ..settings import Settings, read_settings
from ..sources.config_file import PLUGIN, ConfigFile
from ..sources.mkdocs_yml import read_mkdocs_yml
from . import schemas, write


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path(__file__).parent)
@click.option(
    "-f",
    "--config-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A mkdocs.yml whose own fields and vocabularies the schemas shall know.",
)
def main(folder: Path, config_file: Path | None) -> None:
    """Write the JSON Schemas for editors into FOLDER (default: the package's own)."""
    settings, inherited = Settings(), False
    if config_file is not None:
        problems = Problems()
        site = read_mkdocs_yml(config_file, problems)
        options = (site and site.options(PLUGIN)) or {}
        given = read_settings(options, ConfigFile(config_file), problems)
        if site is None or given is None:
            tell(problems, quiet=True)
            raise SystemExit(1)
        settings, inherited = given, site.options("meta") is not None
    write(folder, schemas(settings, inherited=inherited))


main(prog_name="python -m mkdocs_catalog_api.schemas")
