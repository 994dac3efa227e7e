"""`python -m mkdocs_catalog_api.schemas`: write the schemas, with a mkdocs.yml those of its own fields."""

from __future__ import annotations

from pathlib import Path

import click

from ..commands.run import tell
from ..problems import Problems
from ..settings import Settings, read_settings
from ..sources.config_file import PLUGIN, ConfigFile
from ..sources.mkdocs_yml import read_mkdocs_yml
from . import DRAFT_7, schemas, write


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path(__file__).parent)
@click.option(
    "-f",
    "--config-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A mkdocs.yml whose own fields and vocabularies the schemas shall know.",
)
@click.option("--draft-7", "draft_7", is_flag=True, help="Say draft 7, for tools that know no later one.")
def main(folder: Path, config_file: Path | None, draft_7: bool) -> None:
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
    made = schemas(settings, inherited=inherited)
    write(folder, {name: schema | {"$schema": DRAFT_7} for name, schema in made.items()} if draft_7 else made)


main(prog_name="python -m mkdocs_catalog_api.schemas")
