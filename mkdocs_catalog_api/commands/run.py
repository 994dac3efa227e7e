"""Shared code of the commands: options, output and errors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct, field

from ..authored.garbage import without_garbage_collection
from ..problems import CatalogError, Level, Problem, Problems, lines, reason
from ..problems.codes import Code

if TYPE_CHECKING:
    from ..authored.settings import Settings
    from ..authored.site import Site
    from ..pipeline import Build

REQUIREMENT = "./mkdocs-catalog-api[sync]"
"""The line of requirements.txt that installs this package, as in the guide."""
_COLORS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.INFO: "blue"}


CONFIG_FILES = ("mkdocs.yml", "mkdocs.yaml", "properdocs.yml", "properdocs.yaml", "zensical.toml")
"""Default names of the configuration file, in order."""


def _config_file(_context: object, _option: object, given: Path | None) -> Path:
    """Return the given file, or the first existing file of the default names."""
    for path in [given] if given else map(Path, CONFIG_FILES):
        if path.is_file():
            return path
    if given is None:
        found = sorted(path.as_posix() for name in CONFIG_FILES for path in Path().glob(f"*/{name}"))
        there = f"`-f {found[0]}`" if found else "`-f FOLDER/mkdocs.yml`"
        raise click.BadParameter(
            f"there is no mkdocs.yml in this folder (run it where it is, or use {there})"
        )
    if given.is_dir():
        raise click.BadParameter(f"{given} is a folder (write `-f {given / 'mkdocs.yml'}`)")
    raise click.BadParameter(f"{given} does not exist (check the path)")


config_file_option = click.option(
    "-f",
    "--config-file",
    type=click.Path(path_type=Path),
    callback=_config_file,
    help="Path of mkdocs.yml. [default: ./mkdocs.yml, else ./properdocs.yml, else ./zensical.toml]",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print warnings and errors only.")
verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="Print each problem on its own line, with its place."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")


def print_problems(problems: Problems, *, quiet: bool, verbose: bool = False) -> None:
    """Print the problems for people. `quiet` leaves out notes, `verbose` prints one problem in each line."""
    for level, text in lines(problems, every=verbose):
        if level > Level.INFO or not quiet:
            click.echo(f"{click.style(level.name.lower(), fg=_COLORS[level])}: {text}", err=True)


def count_problems(run: Run) -> None:
    """Print the problems of a command that asks for something else than them: in one line, which counts them,
    unless they stop the command. A run of several commands prints each problem once.
    """
    problems = run.problems
    if run.verbose or problems.refuse(strict=run.strict):
        print_problems(problems, quiet=run.quiet, verbose=run.verbose)
    elif problems.count(Level.WARNING):
        text = f"{problems.summary()} (run `catalog-api check` to read them)"
        click.echo(f"{click.style('warning', fg=_COLORS[Level.WARNING])}: {text}", err=True)


def as_objects(problems: Problems) -> list[dict[str, Any]]:
    """Return the problems as JSON objects."""
    return [
        {
            "level": problem.level.name.lower(),
            "code": problem.code,
            "file": problem.file,
            "line": problem.line,
            "column": problem.column,
            "item": problem.item,
            "field": problem.field,
            "message": problem.message,
            "hint": problem.hint,
        }
        for problem in problems
    ]


def print_object(body: dict[str, Any]) -> None:
    """Print the JSON object of a command."""
    # A file name may contain bytes that are not UTF-8: Python's surrogates for them become JSON escapes.
    click.echo(json.dumps(body, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace"))


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a command that reads the whole catalog, and pass it a `Run`."""

    def run(**given: Any) -> None:
        own = {name: given.pop(name) for name in [*given] if name not in Run.__struct_fields__}
        with without_garbage_collection():
            command(Run(**given), **own)

    run.__dict__.update(command.__dict__)  # the command's own options
    for option in (
        json_option,
        quiet_option,
        verbose_option,
        click.option("--strict", is_flag=True, help="Treat warnings as errors."),
        click.option("--site-dir", metavar="DIR", help="Site folder, relative to the folder of mkdocs.yml."),
        config_file_option,
    ):
        run = option(run)
    run.__doc__ = command.__doc__
    return run


def read(
    config_file: Path, problems: Problems, site_dir: str | None = None, *, translations: bool = False
) -> tuple[Site, Settings, bool]:
    """Return the site as `mkdocs build` sees it, the settings, and `strict` of mkdocs.yml.

    Raises `CatalogError`: see `read_site` and `read_with_mkdocs`.
    """
    from ..authored.read_site import needs_mkdocs, read_site

    if needs_mkdocs(config_file, problems):
        from ..mkdocs_plugin.read import read_with_mkdocs

        return read_with_mkdocs(config_file, problems, site_dir=site_dir, translations=translations)
    return read_site(config_file, problems, site_dir=site_dir)


class Run(Struct):
    """One run of a command over the catalog of a site."""

    config_file: Path
    site_dir: str | None
    strict: bool
    quiet: bool
    verbose: bool
    as_json: bool
    replace: bool = False
    """Used by `build` only."""
    problems: Problems = field(default_factory=Problems)

    def read(self, *, translations: bool = False) -> tuple[Site, Settings]:
        """Return the site and the settings. Sets `strict` if mkdocs.yml has it.

        With `translations`, the pages in other languages are read, too. Raises `CatalogError`: see `read`.
        """
        site, settings, strict = read(
            self.config_file, self.problems, self.site_dir, translations=translations
        )
        self.strict = self.strict or strict
        return site, settings

    def prepare(self, site: Site, settings: Settings, *, check_only: bool = False) -> Build:
        """Write and check the documents of the site.

        Raises what `pipeline.prepare` raises.
        """
        from ..pipeline import prepare

        return prepare(site, settings, self.problems, strict=self.strict, check_only=check_only)

    def finish(self, work: Callable[[], Build], did: str) -> None:
        """Do the work and print the problems. Ends the program with exit code 1 if the catalog has errors."""
        from ..documents.publication import ContractError

        build: Build | None = None
        try:
            build = work()
        except CatalogError as error:
            self.problems.extend(error.problems)
        except (ContractError, MemoryError, OSError) as error:
            message = f"the API can't be written: {reason(error, with_path=True)}"
            self.problems.add(Problem("", 0, 0, "", message, code=Code.NOT_WRITTEN))
        if self.as_json:
            print_object(self._object(build))
        else:
            self._print(build, did)
        if build is None:
            sys.exit(1)

    def _print(self, build: Build | None, did: str) -> None:
        print_problems(self.problems, quiet=self.quiet, verbose=self.verbose)
        if build is None:
            click.secho(f"the catalog is not published: {self.problems.summary()}", fg="red", err=True)
        elif not self.quiet:
            summary = build.summary
            if did == "checked":
                # What only MkDocs finds, such as a theme that is not installed, is not looked for.
                summary = summary.replace("no problems", "no problems in the catalog")
            click.echo(f"{did}: {summary}", err=True)

    def _object(self, build: Build | None) -> dict[str, Any]:
        return {
            "problems": as_objects(self.problems),
            "summary": {
                "refused": build is None,
                "errors": self.problems.count(Level.ERROR),
                "warnings": self.problems.count(Level.WARNING),
                "documents": build.documents if build else 0,
                "bytes": build.size if build else 0,
            },
        }
