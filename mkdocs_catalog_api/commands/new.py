"""`catalog-api new`: create the page of an item, filled from its registry."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
import msgspec
import yaml
from msgspec import Struct
from msgspec.structs import replace

from ..authored.config_file import PLUGIN, ConfigFile, read_mkdocs_yml
from ..authored.folders import not_writable, project_of, read_file, write_whole
from ..authored.from_registry import is_from_registry
from ..authored.pages import RawItem
from ..authored.settings import CollectionSettings, Settings, read_settings
from ..authored.site import Site
from ..authored.yaml_text import YamlDocument
from ..catalog.collections import COLLECTIONS, ITEM_MODELS
from ..catalog.fields import OwnFields, built_in_fields
from ..catalog.names import Reference, repository, slug_from_name
from ..catalog.registry_facts import FACTS_FOLDER
from ..problems import Level, Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from ..sources.items import page_selection
from .run import config_file_option, missing_package, print_problems

if TYPE_CHECKING:
    from ..network.client import Client, Limits

_KINDS = {COLLECTIONS[name].stem.lower(): name for name in ITEM_MODELS}
_SCHEMES = {"image": "", "chart": "oci://"}
"""Prefix of a reference of this kind."""
_WITH_HOST = re.compile(r"(?:localhost|[^/\s]*[.:][^/\s]*)/\S*")
"""A reference with a registry, valid or not. A display name has no such host before a slash."""
_LEARNED = ("description", "homepage", "source", "license", "base")
_KEEP = 5
"""Number of versions of each line and variant on a new page."""


class _Begun(Struct, frozen=True):
    """A page to create."""

    kind: str
    name: str
    slug: str
    label: str
    """Path of the page in problems."""
    reference: str | None
    """None if a display name is given."""


@click.command("new", short_help="Create the page of an image, chart or plan.")
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@config_file_option
@click.pass_obj
def command(limits: Limits | None, kind: str, names: tuple[str, ...], config_file: Path) -> None:
    """Create the pages of images, charts or planned applications.

    A new page has a name, and an empty line for each field that your catalog requires. The first page of a
    folder comes with a page that lists the collection.

    If NAME is a reference such as ghcr.io/acme/images/redis (for a chart, oci://ghcr.io/acme/charts/redis),
    `new` gets data from its registry, as `sync` does. It fills in the page and writes the versions to
    registry/.
    """
    problems = Problems()
    site = read_mkdocs_yml(config_file, problems)
    options = (site and site.options(PLUGIN)) or {}
    settings = read_settings(options, ConfigFile(config_file), problems)
    if site and settings:
        for name in names:
            _begin(kind, name, config_file, f"{site.docs_dir}/{_KINDS[kind]}", settings, limits, problems)
    print_problems(problems, quiet=True)
    if problems.count(Level.ERROR):
        raise SystemExit(1)


def _begin(
    kind: str,
    name: str,
    config_file: Path,
    folder: str,
    settings: Settings,
    limits: Limits | None,
    problems: Problems,
) -> None:
    """Write one page. If a reference is given, also write the data of its registry. Adds problems."""
    file = ""
    try:
        reference = _reference(kind, name)
        if reference:
            name = Reference.parse(reference.removeprefix(_SCHEMES[kind])).path.rpartition("/")[2]
        slug = slug_from_name(name)
        file = f"{folder}/{slug}.md"
        path = config_file.parent / file
        if os.path.lexists(path):
            raise FileExistsError
        begun = _Begun(kind, name, slug, file, reference)
        given = {"name": name}
        if reference:
            learned = _ask(begun, config_file, settings, limits, problems)
            if learned is None:
                return
            given |= learned
        text = _page(begun, settings, given)
        _begin_landing_page(_KINDS[kind], path.parent)
        with path.open("x", encoding="utf-8", newline="\n") as page:
            page.write(text)
        click.echo(f"wrote {path}")
        if kind == "image" and settings.registry is None and not reference:
            click.echo("`registry` is not set (set it in mkdocs.yml, or add `image` to the page)", err=True)
    except RefusedError as error:
        problems.add(Problem(file, 0, 0, "", error.message, error.hint, code=Code.WRONG_VALUE))
    except FileExistsError:
        hint = "choose another name"
        problems.add(Problem(file, 0, 0, "", "already exists", hint, code=Code.IN_THE_WAY))
    except OSError as error:
        message = f"can't be written: {reason(error)}"
        problems.add(Problem(file, 0, 0, "", message, code=Code.NOT_WRITTEN))


def _reference(kind: str, name: str) -> str | None:
    """Return the reference of an image or chart with its registry; None for a display name.

    Raises:
        RefusedError: the reference is invalid or has a tag.
    """
    if kind == "image" and _WITH_HOST.fullmatch(name):
        return repository(name)
    if kind == "chart" and name.startswith("oci://"):
        return f"oci://{repository(name.removeprefix('oci://'))}"
    return None


def _ask(
    begun: _Begun, config_file: Path, settings: Settings, limits: Limits | None, problems: Problems
) -> dict[str, Any] | None:
    """Write the data of the registry on an image or chart, as `sync` does. Returns the fields of the page.

    Without a usable response it adds a problem, writes no file and returns None.
    """
    try:
        from ..network.client import Client
    except ModuleNotFoundError as error:
        raise missing_package("new", error, "sync") from None
    root = config_file.absolute().parent
    name = f"{_KINDS[begun.kind]}/{begun.slug}.json"
    file, label = root / FACTS_FOLDER / name, f"{FACTS_FOLDER}/{name}"
    if fault := not_writable(file, label, project_of(root, root / FACTS_FOLDER)):
        problems.add(fault)
        return None
    answers = Problems()
    with (
        TemporaryDirectory() as folder,
        Client(limits, partial(click.echo, err=True), settings.insecure_registries) as client,
    ):
        synced = Path(folder) / FACTS_FOLDER / name
        if file.exists():
            body = read_file(file)
            if present := _facts_of_another(body, begun):
                hint = "rename that item, or delete the file if there is no such item"
                message = f"not overwritten, because this file contains the facts of {present}"
                problems.add(Problem(label, 0, 0, begun.kind, message, hint, code=Code.IN_THE_WAY))
                return None
            write_whole(synced, body)
        given = _learn(begun, Path(folder), settings, client, answers)
        # The page does not exist yet, so the problem has no line.
        problems.extend(replace(problem, line=0, column=0, item="") for problem in answers)
        if answers.count(Level.ERROR):
            return None
        write_whole(file, synced.read_bytes())
        click.echo(f"wrote {config_file.parent / label}")
    return given


def _facts_of_another(body: bytes, begun: _Begun) -> str | None:
    """Return the image or chart of a file of facts if it is another one. `sync` rejects other files."""
    with suppress(ValueError, RecursionError, LookupError, TypeError):
        present = str(msgspec.json.decode(body)[begun.kind])
        if present.lower() != (begun.reference or "").lower():
            return present
    return None


def _learn(
    begun: _Begun, root: Path, settings: Settings, client: Client, problems: Problems
) -> dict[str, Any]:
    """Run `sync` and a build in a temporary folder. Returns the fields of the page."""
    from ..network.credentials import Credentials
    from ..network.output import Output
    from ..network.registry import Registries
    from ..network.sync import Item, Sync
    from ..sources.registry_facts import FactsFolder

    resource = _KINDS[begun.kind]
    section, model = getattr(settings, resource), ITEM_MODELS[resource]
    reference = begun.reference or ""
    given: dict[str, Any] = {begun.kind: reference}
    if begun.kind == "image" and settings.registry:
        default = f"{settings.registry}/{begun.slug}"
        if Reference.parse(default).repository == Reference.parse(reference).repository:
            given, reference = {}, default
    defaults = section.defaults_for(f"{resource}/{begun.slug}.md")
    if not is_from_registry(defaults.get("versions")):
        given["versions"] = {"from": "registry", "keep": _KEEP}
    values = {**defaults, "slug": begun.slug, begun.kind: reference, **given}
    raw = RawItem(values, begun.label, YamlDocument("", 0, None), slug=begun.slug)
    item = Item(begun.slug, reference, raw, begun.kind == "chart", None)
    host = Reference.parse(settings.registry).domain if settings.registry else None
    output = Output(root, problems)
    with Sync(Registries(client, Credentials(host)), output, FACTS_FOLDER) as sync:
        for _ in sync.run([item]):
            pass
    output.close()
    if problems.count(Level.ERROR):
        return given
    if not (root / FACTS_FOLDER / resource / f"{begun.slug}.json").exists():
        message = f"{item.name}: no tag belongs to {'a chart' if item.is_chart else 'an image'}"
        problems.add(raw.problem((begun.kind,), message, "correct the reference", code=Code.REGISTRY))
        return given
    site = Site(ConfigFile(None), root, root, root, None, "", ())
    facts = FactsFolder(site, settings, resource, problems)
    fields = section.item_fields(model)._replace(own=OwnFields, own_of_versions=OwnFields)
    built_in = {name: value for name, value in values.items() if name in built_in_fields(model)}
    raw, built_in = facts.find(raw, {"name": begun.name, **built_in}, model)
    entry, _ = fields.read(built_in)
    if entry is not None:
        raw, entry = facts.fill(raw, entry)
        given |= {field: getattr(entry, field) for field in _LEARNED if raw.filled and raw.filled.has(field)}
    return given


def _page(begun: _Begun, settings: Settings, given: Mapping[str, Any]) -> str:
    """The page with the values that are known, and the fields that the catalog requires besides."""
    resource = _KINDS[begun.kind]
    section: CollectionSettings = getattr(settings, resource)
    uri = f"{resource}/{begun.slug}.md"
    elsewhere = resource not in page_selection(settings).matching(uri)
    lines = ["---", *([f"catalog: {resource}"] if elsewhere else [])]
    lines += [f"{field}: {_written(value)}" for field, value in given.items()]
    known = {*given, *section.defaults_for(uri)}
    for field, rule in section.fields.items():
        if rule.required and field not in known and not rule.from_:
            choice = f"  # {', '.join(rule.values)}" if rule.values else ""
            lines.append(f"{field}:{choice}")
    return "\n".join([*lines, "---", ""])


def _written(value: object) -> str:
    return yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=10**6).strip()[1:-1]


def _begin_landing_page(resource: str, folder: Path) -> None:
    """Write the page that lists a collection if its folder has no pages yet."""
    if any(folder.glob("**/*.md")):
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "index.md"
    with path.open("x", encoding="utf-8", newline="\n") as page:
        page.write(f"# {resource.capitalize()}\n\n<!-- catalog: {resource} -->\n")
    click.echo(f"wrote {path}")
