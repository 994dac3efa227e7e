"""`catalog-api diff`: list the changes between two builds of a site that affect clients."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from ..authored.folders import read_file
from ..authored.settings import Settings, item_fields
from ..catalog import addresses
from ..documents.compatibility import Change, Level, compare_shapes
from ..documents.table import kinds
from ..problems import reason
from ..sources.reports.normalise import text
from .run import print_object

T = TypeVar("T")
# The compatibility policy allows the removal of a version or an item after one of these states.
_ANNOUNCED = ("deprecated", "withdrawn", "planned")


class _Version(Struct, rename="camel"):
    version: str
    end_of_life: str | None = None


class _Item(Struct):
    slug: str
    lifecycle: str = "available"
    versions: list[_Version] = []


class _Collection(Struct):
    data: list[_Item]


class _Site(NamedTuple):
    """The compared parts of a published API."""

    described: dict[str, Any]
    items: dict[str, dict[str, _Item]]
    """Resource → slug → item, for the resources with a URL for each item."""
    documents: set[str]


def _site(folder: Path) -> _Site:
    base = folder / addresses.PREFIX
    described = _decoded(base / addresses.OPENAPI, dict[str, Any])
    collections = {name: base / addresses.collection(name) for name in ("images", "charts")}
    items = {
        name: {item.slug: item for item in _decoded(file, _Collection).data}
        for name, file in collections.items()
    }
    return _Site(described, items, {path.relative_to(base).as_posix() for path in base.rglob("*.json")})


def _decoded(file: Path, kind: type[T]) -> T:
    """Decode a document of the API. A missing or other document is a usage error."""
    try:
        return msgspec.json.decode(read_file(file), type=kind)
    except OSError as error:
        raise click.UsageError(
            f"{file} can't be read: {reason(error)} (pass the folder of a built site)"
        ) from None
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{file} is not a document of this API: {text(str(error))[:300]}") from None


def compare(old: _Site, new: _Site) -> list[Change]:
    """Return all changes, breaking changes first."""
    return sorted([*compare_shapes(old.described, new.described), *_contents(old, new)])


def _contents(old: _Site, new: _Site) -> Iterator[Change]:
    routes = [route for kind in kinds(item_fields(Settings())) for route in kind.routes]
    of_image = [route for route in routes if route.goes_with in ("image", "release")]
    of_release = [route for route in routes if route.goes_with == "release"]
    fleeting = [route for route in routes if route.goes_with == "contents"]
    explained: list[str] = []
    for resource, items in old.items.items():
        for slug, item in items.items():
            now = new.items[resource].get(slug)
            announced = item.lifecycle in _ANNOUNCED
            where = addresses.item(resource, slug)
            if now is None:
                yield _removed("slug", where, f"{slug} was removed", announced)
                explained += [f"{resource}/{slug}/"]
                if resource == "images":
                    explained += [route.begin(slug) for route in of_image]
                continue
            kept = {version.version for version in now.versions}
            for version in item.versions:
                if version.version not in kept:
                    due = announced or version.end_of_life is not None
                    yield _removed("version", where, f"version {version.version} was removed", due)
                    explained += [
                        route.begin(slug, version.version)
                        for route in of_release
                        if len(route.parameters) == 2
                    ]
            known = {version.version for version in item.versions}
            for version in now.versions:
                if version.version not in known:
                    message = f"version {version.version} is new"
                    yield Change("compatible", "added-version", where, message)
            if not kept:
                explained += [route.begin(slug) for route in of_release]
    for resource in ("images", "charts"):
        for slug in new.items[resource].keys() - old.items[resource].keys():
            where = addresses.item(resource, slug)
            yield Change("compatible", "added-slug", where, f"{slug} is new")
    for path in old.documents - new.documents:
        if not path.startswith(tuple(explained)):
            announced = any(route.match(path) for route in fleeting)
            yield _removed("document", path, "the document was removed", announced)


def _removed(what: str, where: str, message: str, announced: bool) -> Change:
    level: Level = "compatible" if announced else "breaking"
    return Change(level, f"removed-{what}", where, message)


@click.command("diff", short_help="Compare two builds of a site.")
@click.argument("old", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("new", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-q", "--quiet", is_flag=True, help="Print breaking changes only.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(old: Path, new: Path, quiet: bool, as_json: bool) -> None:
    """Compare two site folders: OLD is the published site, NEW is the next one.

    The exit code is 1 if a change breaks the compatibility policy: a field is removed or changes its type, or
    a document, image, chart or version is removed without notice.
    """
    try:
        changes = compare(_site(old), _site(new))
    except OSError as error:
        raise click.UsageError(f"a site can't be read: {reason(error, with_path=True)}") from None
    except (KeyError, TypeError, AttributeError):
        raise click.UsageError(
            f"one of the two {addresses.OPENAPI} is not a description of this API"
        ) from None
    breaking = sum(change.level == "breaking" for change in changes)
    shown = [change for change in changes if change.level == "breaking" or not quiet]
    if as_json:
        counted = {"breaking": breaking, "compatible": len(changes) - breaking}
        print_object({**counted, "changes": [asdict(change) for change in shown]})
    else:
        for change in shown:
            click.echo(str(change))
        if not quiet:
            click.echo(f"{breaking} breaking, {len(changes) - breaking} compatible")
    sys.exit(1 if breaking else 0)
