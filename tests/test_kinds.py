"""Each kind of document is complete: a half-added one fails here, with its name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import permutations
from pkgutil import iter_modules
from typing import Any

import pytest

from mkdocs_catalog_api import documents
from mkdocs_catalog_api.authored.settings import Settings, item_fields
from mkdocs_catalog_api.catalog.addresses import INDEX
from mkdocs_catalog_api.catalog.collections import COLLECTIONS
from mkdocs_catalog_api.documents.kinds import TAGS, Kind, Route
from mkdocs_catalog_api.documents.renovate import RENOVATE
from mkdocs_catalog_api.documents.table import KINDS, kinds

from .sites import Result
from .test_contract_check import MUTATIONS, every_kind

TABLE = kinds(item_fields(Settings()))
(ROUTE,) = RENOVATE.routes
OTHER = ROUTE._replace(path="other/{slug}.json", operation="getOther", listed="other")


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return every_kind(tmp_path_factory.mktemp("site"))


def _fits(route: Route, path: str) -> bool:
    """Whether it is a path of this route."""
    return bool(re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(route.path)), path))


def route_of(path: str) -> Route | None:
    """The route of a document: the one with the fewest parameters that fits."""
    fitting = [route for kind in TABLE for route in kind.routes if _fits(route, path)]
    return min(fitting, key=lambda route: len(route.parameters), default=None)


def test_every_kind_in_a_file_is_in_the_table() -> None:
    names = [module.name for module in iter_modules(documents.__path__)]
    parts = [part for name in names for part in vars(import_module(f"{documents.__name__}.{name}")).values()]
    assert {part.name for part in parts if isinstance(part, Kind)} == {kind.name for kind in KINDS}


def test_the_table_is_complete_with_the_collections() -> None:
    check_table(TABLE)


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
        if kind.tag not in TAGS:
            raise ValueError(f"{kind.name}: the tag {kind.tag!r} is not in TAGS")
        for path in kind.fixed:
            if not any(_fits(route, path) for route in kind.routes):
                raise ValueError(f"{kind.name}: the fixed path {path} is not of a route of the kind")
    for route in routes:
        _check_route(route)
    for one, other in permutations(routes, 2):
        if one.struct is not None and one.struct is other.struct and _fits(one, other.path):
            raise ValueError(f"{one.path}, {other.path}: one Struct, and a path can be of either route")


def _once(what: str, words: Iterable[str]) -> None:
    for word, number in Counter(words).items():
        if number > 1:
            raise ValueError(f"{word}: the {what} is used {number} times")


def _check_route(route: Route) -> None:
    for name in ("path", "operation", "summary", "description"):
        if not getattr(route, name):
            raise ValueError(f"{route.path or route.operation}: the route has no {name}")
    if not (route.listed or route.path.removesuffix(".json") in COLLECTIONS or route.path == INDEX):
        raise ValueError(f"{route.path}: the route has no name in discovery")
    if re.findall(r"{(\w+)}", route.path) != [parameter.name for parameter in route.parameters]:
        raise ValueError(f"{route.path}: the parameters are other than those in braces")


def other(**fields: Any) -> Kind:
    """A kind with one route, which is complete but for these fields."""
    return Kind("other", RENOVATE.tag, (OTHER._replace(**fields),), RENOVATE.documents)


HALF = {
    "a name twice": (other()._replace(name="renovate"), "renovate"),
    "a path twice": (other(path=ROUTE.path), ROUTE.path),
    "an operation twice": (other(operation=ROUTE.operation), ROUTE.operation),
    "a name in discovery twice": (other(listed="cve"), "cve"),
    "no route": (other()._replace(routes=()), "other"),
    "no path": (other(path=""), OTHER.operation),
    "no operation": (other(operation=""), OTHER.path),
    "no summary": (other(summary=""), OTHER.path),
    "no description": (other(description=""), OTHER.path),
    "an unknown tag": (other()._replace(tag="licenses"), "other"),
    "a parameter without a description": (other(parameters=()), OTHER.path),
    "no name in discovery": (other(listed=""), OTHER.path),
    "a fixed path without a route": (other()._replace(fixed=("x.json",)), "x.json"),
    "two routes that one path fits": (other(path="renovate/all.json", parameters=()), "renovate/all.json"),
}


@pytest.mark.parametrize(("kind", "named"), HALF.values(), ids=HALF)
def test_a_kind_that_is_half_there_is_refused(kind: Kind, named: str) -> None:
    check_table([*KINDS, other()])
    with pytest.raises(ValueError, match=re.escape(named)):
        check_table([*KINDS, kind])


def test_every_route_has_a_document(rich: Result) -> None:
    paths = [file.relative_to(rich.api).as_posix() for file in rich.api.rglob("*") if file.is_file()]
    routes = {route.path: route for kind in TABLE for route in kind.routes}
    used = {route.path for path in paths if (route := route_of(path))}
    assert routes.keys() - used == set(), "test_contract_check.every_kind has no such document"


def test_discovery_lists_every_document_once(rich: Result) -> None:
    index = rich.json("index.json")
    collections = [resource["href"] for resource in index["resources"].values()]
    listed = [*collections, *index["documents"].values(), *index["templates"].values()]
    paths = [route.path for kind in TABLE for route in kind.routes if route.path != "index.json"]
    assert sorted(listed) == sorted(f"/catalog/api/v1/{path}" for path in paths)


@pytest.mark.parametrize("kind", [kind.name for kind in TABLE])
def test_the_contract_check_looks_at_every_kind(kind: str) -> None:
    (routes,) = (set(each.routes) for each in TABLE if each.name == kind)
    documents = {path.partition(" ")[0] for _, path, _, _ in MUTATIONS}
    assert {route_of(path) for path in documents} & routes, f"MUTATIONS of test_contract_check lacks {kind}"
