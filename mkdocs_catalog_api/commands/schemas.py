"""`catalog-api schemas`: write the JSON Schemas for editors, also with the custom fields of a mkdocs.yml."""

from __future__ import annotations

from pathlib import Path

import click

from ..authored.config_file import PLUGIN, ConfigFile, read_mkdocs_yml
from ..authored.schemas import DRAFT_7, PACKAGE, schemas, write
from ..authored.settings import Settings, read_settings
from ..documents.table import LOOKUP_NAMES
from ..problems import Problem, Problems, reason
from ..problems.codes import Code
from ..sources.reports.formats import SCANNERS
from .run import print_problems


@click.command("schemas", short_help="Write JSON Schemas for editors.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option(
    "-f",
    "--config-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A mkdocs.yml, to include its custom fields and allowed values.",
)
@click.option(
    "--draft-7",
    "draft_7",
    is_flag=True,
    help="Write JSON Schema draft 7, for tools that do not support a later draft.",
)
def command(folder: Path | None, config_file: Path | None, draft_7: bool) -> None:
    """Write the JSON Schemas for editors to FOLDER. The default is the package itself."""
    settings, inherited = Settings(), False
    if config_file is not None:
        problems = Problems()
        site = read_mkdocs_yml(config_file, problems)
        options = (site and site.options(PLUGIN)) or {}
        read = read_settings(options, ConfigFile(config_file), problems)
        if site is None or read is None:
            print_problems(problems, quiet=True)
            raise SystemExit(1)
        settings, inherited = read, site.options("meta") is not None
    by_name = schemas(settings, lookups=LOOKUP_NAMES, scanners=[*SCANNERS], inherited=inherited)
    if draft_7:
        by_name = {name: schema | {"$schema": DRAFT_7} for name, schema in by_name.items()}
    try:
        write(folder or PACKAGE, by_name)
    except OSError as error:
        problems, message = Problems(), f"the schemas can't be written: {reason(error)}"
        problems.add(Problem(str(error.filename or folder), 0, 0, "", message, code=Code.NOT_WRITTEN))
        print_problems(problems, quiet=True)
        raise SystemExit(1) from None
