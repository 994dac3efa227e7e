"""`catalog-api new`: create the page of an item."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import yaml

from ..authored.folders import not_writable, read_text
from ..authored.from_registry import is_from_registry
from ..authored.front_matter import front_matter
from ..authored.read_items import page_selection
from ..authored.settings import CollectionSettings, Settings
from ..items.collections import COLLECTIONS, ITEM_MODELS
from ..items.names import Reference, repository, slug_from_name
from ..problems import CatalogError, Level, Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from .run import config_file_option, print_problems, read

_KINDS = {COLLECTIONS[name].stem.lower(): name for name in ITEM_MODELS}
_WITH_HOST = re.compile(r"(?:localhost|[^/\s]*[.:][^/\s]*)/\S*")
"""A reference with a registry, valid or not. A display name has no such host before a slash."""
_KEEP = 5
"""Number of lines on a new page."""


@click.command("new", short_help="Create the page of an image, chart or plan.")
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@config_file_option
def command(kind: str, names: tuple[str, ...], config_file: Path) -> None:
    """Create the pages of images, charts or planned applications.

    A new page has a name, and an empty line for each field that your catalog requires. The first page of a
    folder comes with a page that lists the collection.

    If NAME is a reference such as ghcr.io/acme/images/redis (for a chart, oci://ghcr.io/acme/charts/redis),
    the page takes its versions from the registry. Run `catalog-api sync` to get them. If another repository
    has a page of that name, the new one is called after more of its path, as in web-server.
    """
    problems = Problems()
    try:
        site, settings, _ = read(config_file, problems)
        folder = f"{os.path.relpath(site.docs_dir, site.root)}/{_KINDS[kind]}"
        for name in names:
            _begin(kind, name, config_file.parent, folder, settings, problems)
    except CatalogError as error:
        problems.extend(error.problems)
    print_problems(problems, quiet=True)
    if problems.count(Level.ERROR):
        raise SystemExit(1)


def _begin(kind: str, name: str, root: Path, folder: str, settings: Settings, problems: Problems) -> None:
    """Write one page. Adds problems."""
    file = ""
    try:
        reference = _reference(kind, name)
        for short_name in _names(name, reference):
            slug = slug_from_name(short_name)
            file = f"{folder}/{slug}.md"
            path = root / file
            if not os.path.lexists(path):
                break
            if reference and _reference_of(path, kind, slug, settings) == _normalized(reference):
                click.echo(f"kept {path}, which is already {reference}")
                return
        else:
            raise FileExistsError
        if fault := not_writable(path, file, root):
            problems.add(fault)
            return
        text = _page(kind, short_name, slug, reference, settings)
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
        if reference:
            hint = f"create {folder}/NAME.md with `{kind}: {reference}`"
        problems.add(Problem(file, 0, 0, "", "already exists", hint, code=Code.IN_THE_WAY))
    except OSError as error:
        message = f"can't be written: {reason(error)}"
        problems.add(Problem(file, 0, 0, "", message, code=Code.NOT_WRITTEN))


def _reference(kind: str, name: str) -> str | None:
    """Return the reference of an image or chart with its registry; None for a display name.

    Raises `RefusedError` if the reference is invalid or has a tag, or is the URL of a classic chart
    repository.
    """
    if kind == "chart" and name.startswith(("https://", "http://")):
        message = f"{name[:200]} is a repository of several charts"
        raise RefusedError(
            message, f"run `catalog-api new chart NAME`, and write `chart: {name[:200]}` on the page"
        )
    if kind == "image" and _WITH_HOST.fullmatch(name):
        return repository(name)
    bare = name.removeprefix("oci://")
    if kind == "chart" and (bare != name or _WITH_HOST.fullmatch(name)):
        return f"oci://{repository(bare)}"
    return None


def _names(name: str, reference: str | None) -> Iterator[str]:
    """Yield the names that an item can have: for a repository `server`, else `web-server`, and so on."""
    if reference is None:
        yield name
        return
    _, *parts = reference.removeprefix("oci://").split("/")
    for number in range(1, len(parts) + 1):
        yield "-".join(parts[-number:])


def _reference_of(path: Path, kind: str, slug: str, settings: Settings) -> str | None:
    """Return the normalized reference of an existing page, if it can be read."""
    with suppress(OSError, ValueError):
        document = front_matter(read_text(path))
        values = document.data if document and isinstance(document.data, dict) else {}
        default = f"{settings.registry}/{slug}" if kind == "image" and settings.registry else ""
        return _normalized(str(values.get(kind) or default))
    return None


def _normalized(reference: str) -> str:
    return Reference.parse(reference.removeprefix("oci://")).repository


def _page(kind: str, name: str, slug: str, reference: str | None, settings: Settings) -> str:
    """Return the page with its name, its reference, and the fields that the catalog requires."""
    resource = _KINDS[kind]
    section: CollectionSettings = getattr(settings, resource)
    uri = f"{resource}/{slug}.md"
    defaults = section.defaults_for(uri)
    given: dict[str, object] = {"name": name}
    if reference:
        default = f"{settings.registry}/{slug}" if kind == "image" and settings.registry else None
        if default is None or Reference.parse(default).repository != Reference.parse(reference).repository:
            given[kind] = reference
        if not is_from_registry(defaults.get("versions")):
            given["versions"] = {"from": "registry", "keep": _KEEP}
    elsewhere = resource not in page_selection(settings).matching(uri)
    lines = ["---", *([f"catalog: {resource}"] if elsewhere else [])]
    lines += [f"{field}: {_written(value)}" for field, value in given.items()]
    for field, rule in section.fields.items():
        if rule.required and field not in {*given, *defaults} and not rule.from_:
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
