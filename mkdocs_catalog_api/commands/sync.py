"""`catalog-api sync`: write data of registries on images and charts to the folder `registry/`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from ..authored.folders import project_of
from ..problems import CatalogError, Level, Problem, Problems, reason
from ..problems.codes import Code
from .run import (
    as_objects,
    config_file_option,
    json_option,
    missing_package,
    print_object,
    print_problems,
    quiet_option,
    read,
    verbose_option,
)

if TYPE_CHECKING:
    from ..authored.pages import RawItem
    from ..authored.settings import Resource, Settings
    from ..authored.site import Site
    from ..network.client import Limits
    from ..network.sync import FileChange, Item, Listed

_SECONDS = 3600
"""Seconds after which no request is started. The next run continues from there."""
_MANY = 500
"""If there are more requests, their number is printed first."""


class _Outcome(Struct):
    changes: list[FileChange] = []
    unchanged: int = 0
    requests: int = 0


@click.command("sync", short_help="Get versions, digests and dates from registries.")
@config_file_option
@click.option("--dry-run", is_flag=True, help="Print what would change, and write nothing.")
@click.option("--prune", is_flag=True, help="Remove the versions that the registry no longer has.")
@quiet_option
@verbose_option
@json_option
@click.pass_obj
def command(
    limits: Limits | None,
    config_file: Path,
    dry_run: bool,
    prune: bool,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Get versions, digests, platforms, sizes and dates from registries, and write them to registry/.

    A build uses these files for the values that the pages leave out. It never uses the network. A known
    digest is not requested again.

    Credentials come from Docker's configuration file (`docker login`). For the host of the setting
    `registry`, you can set CATALOG_REGISTRY_USER and CATALOG_REGISTRY_TOKEN instead.
    """
    try:
        from ..network import sync as _  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_package("sync", error, "fetch") from None
    problems, outcome = Problems(), _Outcome()
    say = None if quiet or as_json else partial(click.echo, err=True)
    try:
        _sync(config_file, limits, problems, outcome, say, prune=prune, dry_run=dry_run)
    except CatalogError as error:
        problems.extend(error.problems)
    except KeyboardInterrupt:
        problems.add(
            Problem("", 0, 0, "", "interrupted", "run the command again to continue", code=Code.NOT_FETCHED)
        )
    except OSError as error:
        message = f"can't be written: {reason(error)}"
        problems.add(Problem(str(error.filename or ""), 0, 0, "", message, code=Code.NOT_WRITTEN))
    changes = outcome.changes
    if as_json:
        summary = {
            "changed": {change.file: change.versions for change in changes},
            "unchanged": outcome.unchanged,
            "requests": outcome.requests,
            "written": not dry_run,
        }
        print_object({"problems": as_objects(problems), "summary": summary})
    else:
        print_problems(problems, quiet=quiet, verbose=verbose)
        for change in changes if dry_run or not quiet else ():
            for version in change.versions or ("no versions",):
                click.echo(f"{change.file}: {version}")
        if not quiet:
            files = f"{len(changes)} file{'s' if len(changes) != 1 else ''}"
            did = "would change" if dry_run else "changed"
            counts = f"{files} {did}, {outcome.unchanged} unchanged; {outcome.requests} requests"
            click.echo(f"{counts}; {problems.summary()}", err=True)
    if problems.refuse(strict=False):
        sys.exit(1)


def _sync(
    config_file: Path,
    limits: Limits | None,
    problems: Problems,
    outcome: _Outcome,
    say: Callable[[str], None] | None,
    *,
    prune: bool,
    dry_run: bool,
) -> None:
    """Run `sync`. `outcome` is filled even if the run ends early."""
    from ..catalog.names import Reference
    from ..catalog.registry_facts import FACTS_FOLDER
    from ..network.credentials import Credentials
    from ..network.registry import Registries
    from ..network.sync import Sync

    site, settings, _ = read(config_file, problems)
    items = [*_items(site, settings, problems)]
    folder = site.root / FACTS_FOLDER
    host = Reference.parse(settings.registry).domain if settings.registry else None
    with Registries(limits, say, Credentials(host), settings.insecure_registries, _SECONDS) as registries:
        project = project_of(site.root, folder)
        sync = Sync(registries, folder, FACTS_FOLDER, project, problems, prune=prune, dry_run=dry_run)
        try:
            work, requests = sync.begin(items)
            if say and requests > _MANY:
                say(f"about {requests:,} requests at most; an interrupted run is continued by the next one")
            _show_progress(sync.run(work), len(work), say)
        finally:
            sync.close()
            outcome.changes, outcome.unchanged = sync.changes, sync.unchanged
            outcome.requests = sum(registries.requests.values())


def _show_progress(names: Iterator[str], total: int, say: Callable[[str], None] | None) -> None:
    """Process the items. Show a progress bar on a terminal, else print a line for each."""
    if say and sys.stderr.isatty():
        with click.progressbar(names, total, label="Repositories", file=sys.stderr) as bar:
            for _ in bar:
                pass
        return
    for number, name in enumerate(names, 1):
        if say:
            say(f"{number}/{total} {name}")


def _items(site: Site, settings: Settings, problems: Problems) -> Iterator[Item]:
    """Yield the images and charts to request. Only slug, reference and versions of a page must be valid."""
    from ..catalog.join import NO_REGISTRY
    from ..catalog.names import chart_reference, repository, slug
    from ..network.sync import Item
    from ..sources.load import load_values

    slugs: set[tuple[str, str]] = set()
    kinds: tuple[tuple[Resource, str, Callable[[str], str]], ...] = (
        ("images", "image", repository),
        ("charts", "chart", chart_reference),
    )
    for name, field, check in kinds:
        for raw, values in load_values(site, settings, name, problems):
            reference = values.get(field)
            if reference is None or values.get("versions") == []:
                continue
            if str(reference).startswith(f"{NO_REGISTRY}/"):
                message, hint = "skipped, because the registry is not known", "add `image`, or set `registry`"
                problems.add(raw.problem((field,), message, hint, Level.WARNING, code=Code.REGISTRY))
                continue
            try:
                item_slug, reference = slug(str(values.get("slug"))), check(str(reference))
            except ValueError as error:
                problems.add(raw.problem((), f"skipped: {error}", code=Code.WRONG_VALUE))
                continue
            is_chart = name == "charts"
            listed = _listed(values.get("versions"), is_chart=is_chart)
            if is_chart and "://" not in reference:
                message, hint = f"skipped, because {reference} has no scheme", f"write oci://{reference}"
                problems.add(raw.problem((field,), message, hint, Level.WARNING, code=Code.REGISTRY))
            elif listed == ():
                _note_without_versions(raw, problems)
            elif (name, item_slug) not in slugs:  # a build reports the second one
                slugs.add((name, item_slug))
                yield Item(item_slug, reference, raw, is_chart, listed)


def _note_without_versions(raw: RawItem, problems: Problems) -> None:
    message = "skipped, because the page lists no versions"
    hint = "add `versions: registry` to take them from the registry"
    group = f"skipped pages without versions ({hint})"
    problems.add(raw.problem(("versions",), message, hint, Level.INFO, code=Code.REGISTRY, group=group))


def _listed(versions: object, *, is_chart: bool) -> tuple[Listed, ...] | None:
    """Return the readable versions of a page; None stands for all versions of the registry."""
    from ..network.sync import Listed

    if versions == "registry" or isinstance(versions, Mapping):
        return None
    listed: list[Listed] = []
    for position, entry in enumerate(versions if isinstance(versions, list) else ()):
        fields = entry if isinstance(entry, Mapping) else {"version": entry}
        label = str(fields.get("version"))
        tags = [label, *_texts(fields.get("tags"))]
        if is_chart:  # Helm pushes without the `v` if Chart.yaml has none, and writes + as _
            tags = [name.replace("+", "_") for name in (label, label.removeprefix("v"), f"v{label}")]
        digests = _texts(fields.get("digest")) or _texts(fields.get("digests"))
        listed.append(Listed(position, tuple(dict.fromkeys(tags)), tuple(digests)))
    return tuple(listed)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]
