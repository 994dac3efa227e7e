"""`catalog-api sync`: get what a catalog names from registries, chart hubs, CISA and endoflife.date."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..problems import CatalogError, Level, Problem, Problems, reason
from ..problems.codes import Code
from .run import (
    REQUIREMENT,
    as_objects,
    config_file_option,
    json_option,
    print_object,
    print_problems,
    quiet_option,
    read,
    verbose_option,
)

if TYPE_CHECKING:
    from ..authored.front_matter import RawItem
    from ..authored.settings import Settings
    from ..authored.site import Site
    from ..network.client import Client, Limits
    from ..network.orders import Item, Listed, Order
    from ..network.output import Output

_HUB, _KEV, _EOL = "CATALOG_API_HUB", "CATALOG_API_KEV", "CATALOG_API_EOL"
"""Variables of the environment with the URL of a mirror."""


@click.command("sync", short_help="Get data from registries, Artifact Hub, CISA and endoflife.date.")
@click.argument(
    "sources",
    metavar="[registry|hub|kev|eol]...",
    nargs=-1,
    type=click.Choice(["registry", "hub", "kev", "eol"]),
)
@config_file_option
@click.option("--dry-run", is_flag=True, help="Print what would change, and write nothing.")
@click.option(
    "--prune",
    is_flag=True,
    help="Turn versions that the registry no longer has into former ones. Forget those older than a year.",
)
@quiet_option
@verbose_option
@json_option
@click.pass_obj
def command(
    limits: Limits | None,
    sources: tuple[str, ...],
    config_file: Path,
    dry_run: bool,
    prune: bool,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Get everything that the catalog names, or only the given sources.

    \b
    registry  versions, digests, platforms, sizes and dates of images and charts
    hub       security reports of charts with a `hub`
    kev       CISA's list of known exploited vulnerabilities (by default, if its file is there)
    eol       release cycles of each `product`, from endoflife.date

    A build uses these files and never uses the network. Known data is not requested again.

    Credentials for registries come from Docker's configuration file (`docker login`). For the host of the
    setting `registry`, you can set CATALOG_REGISTRY_USER and CATALOG_REGISTRY_TOKEN instead.
    CATALOG_API_HUB, CATALOG_API_KEV and CATALOG_API_EOL are URLs of mirrors.
    """
    try:
        from ..network.client import Client
        from ..network.output import Output
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"sync requires the package {error.name}, which is part of the extra `sync`"
            f" (add `{REQUIREMENT}` to requirements.txt, and run `pip install -r requirements.txt`)"
        ) from None
    problems, requests = Problems(), 0
    say = None if quiet or as_json else partial(click.echo, err=True)
    output = Output(config_file.absolute().parent, problems, dry_run=dry_run)
    try:
        site, settings, _ = read(config_file, problems)
        output.root = site.root
        with Client(limits, say, settings.insecure_registries) as client:
            try:
                _sync(site, settings, client, output, sources, say, prune=prune)
            finally:
                requests = client.requests
    except CatalogError as error:
        problems.extend(error.problems)
    except KeyboardInterrupt:
        problems.add(
            Problem("", 0, 0, "", "interrupted", "run the command again to continue", code=Code.NOT_FETCHED)
        )
    except OSError as error:
        message = f"can't be written: {reason(error)}"
        problems.add(Problem(str(error.filename or ""), 0, 0, "", message, code=Code.NOT_WRITTEN))
    output.close()
    if as_json:
        summary = {
            "changed": output.changes,
            "unchanged": output.unchanged,
            "requests": requests,
            "written": not dry_run,
        }
        print_object({"problems": as_objects(problems), "summary": summary})
    else:
        print_problems(problems, quiet=quiet, verbose=verbose)
        for file, details in output.changes.items() if dry_run or not quiet else ():
            for detail in details or ("",):
                click.echo(f"{file}: {detail}" if detail else file)
        if not quiet:
            number = len(output.changes)
            did = f"{number} file{'s' if number != 1 else ''} {'would change' if dry_run else 'changed'}"
            counts = f"{did}, {output.unchanged} unchanged; {requests} request{'s' if requests != 1 else ''}"
            click.echo(f"{counts}; {problems.summary()}", err=True)
    if problems.refuse(strict=False):
        sys.exit(1)


def _sync(
    site: Site,
    settings: Settings,
    client: Client,
    output: Output,
    sources: Collection[str],
    say: Callable[[str], None] | None,
    *,
    prune: bool,
) -> None:
    """Run `sync` for the sources, by default for all that the catalog names."""
    from ..authored.settings import KEV
    from ..network.downloads import CISA, ENDOFLIFE, download_cycles, download_kev
    from ..sources.load import load_products

    if not sources or "eol" in sources:  # first, as cycles decide which versions an item lists
        products = load_products(site, settings, output.problems)
        download_cycles(client, output, products, os.environ.get(_EOL) or ENDOFLIFE)
        if "eol" in sources and not products:
            _nothing(output, "product")
    if not sources or "registry" in sources:
        _registry(site, settings, client, output, say, prune=prune)
    if not sources or "hub" in sources:
        found = _hub(site, settings, client, output, say)
        if "hub" in sources and not found:
            _nothing(output, "hub")
    if "kev" in sources or (not sources and (site.root / KEV).exists()):
        download_kev(client, output, os.environ.get(_KEV) or CISA)


def _nothing(output: Output, field: str) -> None:
    message, hint = f"no page has a `{field}`, so nothing is requested", f"add `{field}: …`"
    output.problems.add(Problem("", 0, 0, field, message, hint, Level.INFO, code=Code.NOT_FETCHED))


def _registry(
    site: Site,
    settings: Settings,
    client: Client,
    output: Output,
    say: Callable[[str], None] | None,
    *,
    prune: bool,
) -> None:
    """Get the data of registries on images and charts."""
    from ..items.names import Reference
    from ..items.registry_facts import FACTS_FOLDER
    from ..network.credentials import Credentials
    from ..network.registry import Registries
    from ..network.registry_sync import Sync

    items = [*_items(site, settings, output.problems)]
    host = Reference.parse(f"{settings.registry}/slug").domain if settings.registry else None
    output.problems.extend(_unused_login(host, {item.host for item in items}, site))
    registries = Registries(client, Credentials(host))
    with Sync(registries, output, FACTS_FOLDER, prune=prune) as sync:
        _show_progress(sync.run(items), len(items), say)


def _unused_login(host: str | None, hosts: Collection[str], site: Site) -> Iterator[Problem]:
    """Warn of a login in the environment that no registry gets; `host` is the one that would."""
    from ..network.credentials import TOKEN, USER

    user, token = os.environ.get(USER), os.environ.get(TOKEN)
    if not token:
        return
    if not user:
        message, hint = f"not used, because {USER} is not set", f"set {USER}, too"
    elif host is None or host not in hosts:
        others = ", ".join(sorted(hosts)) or "none"
        message = (
            f"not used: it is for the host of `registry`, {host or 'which is not set'}, not for {others}"
        )
        hint = "run `docker login` for the others"
    else:
        return
    yield Problem("", 0, 0, TOKEN, message, hint, Level.WARNING, code=Code.REGISTRY)


def _hub(
    site: Site, settings: Settings, client: Client, output: Output, say: Callable[[str], None] | None
) -> bool:
    """Get the reports of the charts that are on a hub. Returns whether there are any."""
    from ..authored.settings import SECURITY_FOLDERS
    from ..network.hub import Hub, listings
    from ..sources.load import load_charts, load_values

    if not any(values.get("hub") for _, values in load_values(site, settings, "charts", Problems())):
        return False
    charts = load_charts(site, settings, output.problems)
    hub = Hub(client, output, settings.security.reports or SECURITY_FOLDERS["reports"])
    listed = [*listings(charts, os.environ.get(_HUB), output)]

    def fetched() -> Iterator[str]:
        for listing in listed:
            hub.fetch(listing)
            yield listing.name

    _show_progress(fetched(), len(listed), say)
    return True


def _show_progress(names: Iterable[str], total: int, say: Callable[[str], None] | None) -> None:
    """Process the items, and print a line for each."""
    for number, name in enumerate(names, 1):
        if say:
            say(f"{number}/{total} {name}")


def _items(site: Site, settings: Settings, problems: Problems) -> Iterator[Item]:
    """Yield the images and charts to request. Only slug, reference and versions of a page must be valid."""
    from ..authored.from_registry import is_from_registry
    from ..authored.registry_files import read_choice
    from ..items.names import chart_reference, repository, slug
    from ..network.orders import Item
    from ..sources.load import load_values

    slugs: set[tuple[str, str]] = set()
    kinds: tuple[tuple[str, str, Callable[[str], str]], ...] = (
        ("images", "image", repository),
        ("charts", "chart", chart_reference),
    )
    for name, field, check in kinds:
        for raw, values in load_values(site, settings, name, problems):
            reference = values.get(field)
            if values.get("versions") == []:
                continue
            if reference is None:
                if name == "images":
                    message, hint = (
                        "skipped, because the registry is not known",
                        "add `image`, or set `registry`",
                    )
                    problems.add(raw.problem((field,), message, hint, Level.WARNING, code=Code.REGISTRY))
                continue
            try:
                item_slug, reference = slug(str(values.get("slug"))), check(str(reference))
            except ValueError as error:
                problems.add(raw.problem((), f"skipped: {error}", code=Code.WRONG_VALUE))
                continue
            is_chart = name == "charts"
            order, choice = _order(raw, values, site, settings, is_chart=is_chart), None
            if is_from_registry(values.get("versions")):
                choice = read_choice(raw, values["versions"], problems)
                if choice is None:
                    continue
            listed = _listed(values.get("versions"), is_chart=is_chart)
            if is_chart and "://" not in reference:
                message, hint = f"skipped, because {reference} has no scheme", f"write oci://{reference}"
                problems.add(raw.problem((field,), message, hint, Level.WARNING, code=Code.REGISTRY))
            elif not (choice or listed):
                message = "skipped, because the page lists no versions"
                hint = "add `versions: registry` to take them from the registry"
                group = f"skipped pages without versions ({hint})"
                problem = raw.problem(
                    ("versions",), message, hint, Level.INFO, code=Code.REGISTRY, group=group
                )
                problems.add(problem)
            elif (name, item_slug) not in slugs:  # a build reports the second one
                slugs.add((name, item_slug))
                yield Item(item_slug, reference, raw, order, listed, choice)


def _order(
    raw: RawItem, values: Mapping[str, object], site: Site, settings: Settings, *, is_chart: bool
) -> Order:
    """Return what decides which version is the newest. Invalid fields are as if they were missing, as a build
    reports them.
    """
    from ..authored.registry_files import placing
    from ..items.models import ChartEntry, ImageEntry
    from ..network.orders import Order
    from ..sources.advisories import read_cycles
    from ..sources.assemble import line_rules

    if is_chart:
        return Order(latest=placing(ChartEntry, values).latest, is_chart=True)
    image = placing(ImageEntry, values)
    rules = line_rules(image, settings, read_cycles(site, [(image, raw)], Problems()))
    return Order(rules, image.latest, image.default_variant)


def _listed(versions: object, *, is_chart: bool) -> tuple[Listed, ...]:
    """Return the readable versions of a page."""
    from ..network.orders import Listed

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
