"""`catalog-api fetch`: the security reports of a chart hub into the reports folder."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..catalog.links import web_link
from ..catalog.names import slug
from ..problems import CatalogError, Problem, Problems
from .run import as_objects, config_file_option, json_option, quiet_option, tell

if TYPE_CHECKING:
    from ..network.artifact_hub import Listing
    from ..network.client import HubClient, Limits


def _hub(_context: object, _option: object, given: str | None) -> str | None:
    try:
        return web_link(given).rstrip("/") if given else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _names(_context: object, _option: object, given: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(slug(name) for name in given)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command("fetch", short_help="Get the security reports of charts from their hub.")
@config_file_option
@click.option(
    "--repository",
    "repositories",
    multiple=True,
    metavar="NAME",
    callback=_names,
    help="All charts of this repository on the hub. [default: the charts whose pages give a `hub`]",
)
@click.option(
    "--hub",
    metavar="URL",
    envvar="CATALOG_API_HUB",
    callback=_hub,
    help="Ask this Artifact Hub. [default: the host in each `hub`, else https://artifacthub.io]",
)
@quiet_option
@json_option
@click.pass_obj
def command(
    limits: Limits | None,
    config_file: Path,
    repositories: tuple[str, ...],
    hub: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Bring the security reports of charts from Artifact Hub to the reports folder.

    Only what is new is asked for. A build reads what is there and never asks anyone.
    """
    try:
        from ..network.client import HubClient
    except ModuleNotFoundError as error:
        message = f"fetch needs one more package ({error.name}): pip install 'mkdocs-catalog-api[fetch]'"
        raise click.ClickException(message) from None
    say = None if quiet or as_json else partial(click.echo, err=True)
    problems, counts = Problems(), Counter[str]()
    try:
        with HubClient(limits, say) as client:
            _fetch(client, config_file, repositories, hub, problems, counts, say)
    except CatalogError as error:
        problems.extend(error.problems)
    except OSError as error:
        problems.add(Problem(str(error.filename or ""), 0, 0, "", f"can't be written: {error.strerror}"))
    if as_json:
        summary = {name: counts[name] for name in ("fetched", "unchanged", "unscanned")}
        click.echo(
            json.dumps({"problems": as_objects(problems), "summary": summary}, ensure_ascii=False, indent=2)
        )
    else:
        tell(problems, quiet=quiet)
        if not quiet:
            click.echo(
                f"{counts['fetched']} reports fetched, {counts['unchanged']} unchanged, "
                f"{counts['unscanned']} not scanned by the hub; {problems.summary()}"
            )
    if problems.refuse(strict=False):
        sys.exit(1)


def _fetch(
    client: HubClient,
    config_file: Path,
    repositories: Sequence[str],
    hub: str | None,
    problems: Problems,
    counts: Counter[str],
    say: Callable[[str], None] | None,
) -> None:
    from ..network.fetch import Fetch
    from ..read import load_charts
    from ..read_site import read_site
    from ..settings import SECURITY_FOLDERS

    site, settings, _ = read_site(config_file, problems, trusted=None)
    charts = load_charts(site, settings, problems)
    if problems.refuse(strict=False):
        raise CatalogError(problems)
    label = settings.security.reports or SECURITY_FOLDERS["reports"]
    fetch = Fetch(client, site.root / label, label, problems, counts)
    try:
        listings = fetch.listings(charts, repositories, hub)
        for listing in _progress(listings, say):
            if not fetch.fetch(listing):
                break
    except KeyboardInterrupt:
        problems.add(Problem("", 0, 0, "", "interrupted", "run it again for the rest"))
    finally:
        fetch.name_stale()


def _progress(listings: Sequence[Listing], say: Callable[[str], None] | None) -> Iterator[Listing]:
    """Each chart in turn, under a bar on a terminal and with plain lines elsewhere."""
    if say and sys.stderr.isatty():
        with click.progressbar(listings, label="Charts", file=sys.stderr) as bar:
            yield from bar
        return
    for number, listing in enumerate(listings, 1):
        if say:
            say(f"{number}/{len(listings)} {listing.name}")
        yield listing
