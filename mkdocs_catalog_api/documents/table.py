"""Every kind of document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations

from ..authored.settings import Settings, item_fields
from ..catalog.addresses import INDEX
from ..catalog.fields import ItemFields
from ..catalog.model import Model
from ..catalog.value import Catalog
from .badges import BADGES
from .collections import COLLECTIONS, collection_kinds
from .cves import CVES
from .digests import DIGESTS
from .discovery import CLOSING
from .history import HISTORY
from .kinds import TAGS, Kind, Route
from .references import REFERENCES
from .renovate import RENOVATE
from .security import SECURITY
from .slim import slim_kinds
from .vex import VEX

KINDS = (SECURITY, VEX, HISTORY, BADGES, CLOSING, DIGESTS, REFERENCES, CVES, RENOVATE)
"""In the order of the API's description, where they follow the collections."""
LOOKUP_NAMES = tuple(kind.name for kind in KINDS if kind.optional)
"""The words of the setting `lookups`, which by default has them all."""


def kinds(fields: Mapping[str, ItemFields[Model]]) -> list[Kind]:
    """Every kind, whether a catalog has such documents or not: clients are the same for every catalog.

    `fields` are those of the items of each collection.
    """
    return [*collection_kinds(fields), *slim_kinds(fields), *KINDS]


def wanted_kinds(catalog: Catalog, settings: Settings) -> list[Kind]:
    """The kinds of documents that the catalog has."""
    return [kind for kind in kinds(catalog.fields) if kind.wanted(catalog, settings)]


def fixed_paths(settings: Settings) -> Iterator[str]:
    """Paths of the documents that every catalog with these settings has."""
    for kind in kinds(item_fields(settings)):
        if kind.needs is None and kind.enabled(settings):
            yield from (route.path for route in kind.routes if not route.parameters)
            yield from kind.fixed


def check_table(table: Sequence[Kind]) -> None:
    """Reject kinds that are incomplete or collide.

    Raises:
        ValueError: it names the kind or path, and the error.
    """
    routes = [route for kind in table for route in kind.routes]
    _once("name of a kind", [kind.name for kind in table])
    _once("path", [route.path for route in routes])
    _once("operation", [route.operation for route in routes])
    _once("name in discovery", [route.listed for route in routes if route.listed])
    for kind in table:
        if not kind.routes:
            raise ValueError(f"{kind.name}: the kind has no routes")
        for path in kind.fixed:
            if not any(route.match(path) for route in kind.routes):
                raise ValueError(f"{kind.name}: the fixed path {path} is not of a route of the kind")
    for route in routes:
        _check_route(route)
    for one, other in permutations(routes, 2):
        if one.struct is not None and one.struct is other.struct and one.match(other.path):
            raise ValueError(f"{one.path}, {other.path}: one Struct, and a path can be of either route")


def _once(what: str, words: Iterable[str]) -> None:
    for word, number in Counter(words).items():
        if number > 1:
            raise ValueError(f"{word}: the {what} is used {number} times")


def _check_route(route: Route) -> None:
    for name in ("path", "operation", "tag", "summary", "description"):
        if not getattr(route, name):
            raise ValueError(f"{route.path or route.operation}: the route has no {name}")
    if route.tag not in TAGS:
        raise ValueError(f"{route.path}: the tag {route.tag!r} is not in TAGS")
    if not (route.listed or route.path.removesuffix(".json") in COLLECTIONS or route.path == INDEX):
        raise ValueError(f"{route.path}: the route has no name in discovery")
    if re.findall(r"{(\w+)}", route.path) != [parameter.name for parameter in route.parameters]:
        raise ValueError(f"{route.path}: the parameters are other than those in braces")


check_table(KINDS)
