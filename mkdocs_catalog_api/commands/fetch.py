"""`catalog-api fetch`: download the security reports of charts, advisories and release cycles."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from ..authored.folders import project_of
from ..catalog.links import web_link
from ..catalog.names import slug
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
)

if TYPE_CHECKING:
    from ..authored.settings import Settings
    from ..authored.site import Site
    from ..network.client import Client, Limits
    from ..network.fetch import Listing

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _hub(_context: object, _option: object, value: str | None) -> str | None:
    try:
        return web_link(value).rstrip("/") if value else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _names(_context: object, _option: object, value: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(slug(name) for name in value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def secure(_context: object, _option: object, value: str | None) -> str | None:
    """Return an https URL. For this machine, http is accepted."""
    address = _hub(_context, _option, value)
    if address and urlsplit(address).scheme != "https" and urlsplit(address).hostname not in _LOOPBACK:
        raise click.BadParameter("must begin with https://, because it affects security data")
    return address


@click.command("fetch", short_help="Download security reports of charts, advisories and release cycles.")
@config_file_option
@click.option(
    "--repository",
    "repositories",
    multiple=True,
    metavar="NAME",
    callback=_names,
    help="Download the reports of all charts in this repository of the hub."
    " [default: the charts with a `hub` on their page]",
)
@click.option(
    "--hub",
    metavar="URL",
    envvar="CATALOG_API_HUB",
    callback=_hub,
    help="URL of the Artifact Hub. [default: the host in each `hub`, else https://artifacthub.io]",
)
@click.option("--kev", is_flag=True, help="Also download CISA's catalog of known exploited vulnerabilities.")
@click.option(
    "--kev-url",
    metavar="URL",
    envvar="CATALOG_API_KEV",
    callback=secure,
    help="Mirror of the KEV catalog. [default: the site of CISA]",
)
@click.option("--eol", is_flag=True, help="Also download the release cycles of each `product` on a page.")
@click.option(
    "--eol-url",
    metavar="URL",
    envvar="CATALOG_API_EOL",
    callback=secure,
    help="Mirror of the release cycles, with URL/PRODUCT/. [default: https://endoflife.date/api/v1/products]",
)
@quiet_option
@json_option
@click.pass_obj
def command(
    limits: Limits | None,
    config_file: Path,
    repositories: tuple[str, ...],
    hub: str | None,
    kev: bool,
    kev_url: str | None,
    eol: bool,
    eol_url: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Download the security reports of charts from Artifact Hub to the reports folder.

    --kev adds the list of exploited vulnerabilities, --eol the dates when support of products ends.
    Unchanged files are not downloaded again. A build reads these files and never uses the network.
    """
    try:
        from ..network.client import Client
    except ModuleNotFoundError as error:
        raise missing_package("fetch", error, "fetch") from None
    say = None if quiet or as_json else partial(click.echo, err=True)
    problems, counts, files = Problems(), Counter[str](), Counter[str]()
    wanted = {"kev": kev_url} if kev else {}
    try:
        site, settings, _ = read(config_file, problems)
        with Client(limits, say) as client:
            _advisories(client, site, settings, wanted, problems, files)
            if eol:
                _cycles(client, site, settings, eol_url, problems, files)
            alone = not (wanted or eol)
            _reports(client, site, settings, repositories, hub, problems, counts, say, alone=alone)
    except CatalogError as error:
        problems.extend(error.problems)
    except KeyboardInterrupt:
        problems.add(
            Problem("", 0, 0, "", "interrupted", "run the command again to continue", code=Code.NOT_FETCHED)
        )
    except OSError as error:
        message = f"can't be written: {reason(error)}"
        problems.add(Problem(str(error.filename or ""), 0, 0, "", message, code=Code.NOT_WRITTEN))
    if as_json:
        reports = {name: counts[name] for name in ("fetched", "unchanged", "unscanned", "kept")}
        advisories = {name: files[name] for name in ("fetched", "unchanged")}
        summary = {**reports, "advisories": advisories}
        print_object({"problems": as_objects(problems), "summary": summary})
    else:
        print_problems(problems, quiet=quiet)
        if not quiet:
            if wanted or eol:
                click.echo(f"{files['fetched']} files of advisories fetched, {files['unchanged']} unchanged")
            click.echo(
                f"{counts['fetched']} reports fetched, {counts['unchanged']} unchanged, "
                f"{counts['unscanned']} not scanned by the hub, {counts['kept']} kept; {problems.summary()}"
            )
    if problems.refuse(strict=False):
        sys.exit(1)


def _advisories(
    client: Client,
    site: Site,
    settings: Settings,
    wanted: Mapping[str, str | None],
    problems: Problems,
    counts: Counter[str],
) -> None:
    """Download each requested file, from its mirror if one is given."""
    from ..authored.settings import KEV
    from ..network.advisories import ADVISORY_SOURCES, Target, download

    for name, address in wanted.items():
        file = site.root / KEV
        project = project_of(site.root, file.parent)
        target = Target(file, KEV, settings.security.max_report_size, project)
        download(
            client,
            ADVISORY_SOURCES[name],
            address or ADVISORY_SOURCES[name].address,
            target,
            problems,
            counts,
        )


def _cycles(
    client: Client,
    site: Site,
    settings: Settings,
    base: str | None,
    problems: Problems,
    counts: Counter[str],
) -> None:
    """Download the release cycles of the products on the pages."""
    from ..network.cycles import ENDOFLIFE, download_cycles
    from ..sources.load import load_products

    products = load_products(site, settings, problems)
    if not products:
        message, hint = "no page has a `product`, so no release cycles are downloaded", "add `product: …`"
        problems.add(Problem("", 0, 0, "product", message, hint, Level.INFO, code=Code.NOT_FETCHED))
    download_cycles(client, base or ENDOFLIFE, products, site, problems, counts)


def _reports(
    client: Client,
    site: Site,
    settings: Settings,
    repositories: Sequence[str],
    hub: str | None,
    problems: Problems,
    counts: Counter[str],
    say: Callable[[str], None] | None,
    *,
    alone: bool,
) -> None:
    """Download the reports of charts. A catalog without charts is accepted if there are other downloads."""
    from ..authored.settings import SECURITY_FOLDERS
    from ..network.fetch import Fetch
    from ..sources.load import load_charts

    own = Problems()
    charts = load_charts(site, settings, own)
    problems.extend(own)
    if own.refuse(strict=False):
        raise CatalogError(problems)
    if not (alone or repositories or any(chart.hub for chart, _ in charts)):
        return
    label = settings.security.reports or SECURITY_FOLDERS["reports"]
    folder = site.root / label
    fetch = Fetch(client, folder, label, project_of(site.root, folder), problems, counts)
    try:
        for listing in _progress(fetch.listings(charts, repositories, hub), say):
            if not fetch.fetch(listing):
                break
    finally:
        fetch.name_stale()


def _progress(listings: Sequence[Listing], say: Callable[[str], None] | None) -> Iterator[Listing]:
    """Yield each chart. Show a progress bar on a terminal, else print a line for each."""
    if say and sys.stderr.isatty():
        with click.progressbar(listings, label="Charts", file=sys.stderr) as bar:
            yield from bar
        return
    for number, listing in enumerate(listings, 1):
        if say:
            say(f"{number}/{len(listings)} {listing.name}")
        yield listing
