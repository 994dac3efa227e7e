"""Each kind of document is complete: a half-added one fails here, with its name."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import permutations
from pkgutil import iter_modules

import pytest

from mkdocs_catalog_api import documents
from mkdocs_catalog_api.authored.settings import Settings, item_fields
from mkdocs_catalog_api.catalog.addresses import INDEX
from mkdocs_catalog_api.catalog.collections import COLLECTIONS
from mkdocs_catalog_api.documents.kinds import TAGS, Kind, Route
from mkdocs_catalog_api.documents.table import KINDS, kinds

from .sites import Result
from .test_contract_check import MUTATIONS, every_kind

TABLE = kinds(item_fields(Settings()))


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return every_kind(tmp_path_factory.mktemp("site"))


def fits(route: Route, path: str) -> bool:
    """Whether it is a path of this route."""
    return bool(re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(route.path)), path))


def route_of(path: str) -> Route | None:
    """The route of a document: the one with the fewest parameters that fits."""
    fitting = [route for kind in TABLE for route in kind.routes if fits(route, path)]
    return min(fitting, key=lambda route: len(route.parameters), default=None)


def test_every_kind_in_a_file_is_in_the_table() -> None:
    names = [module.name for module in iter_modules(documents.__path__)]
    parts = [part for name in names for part in vars(import_module(f"{documents.__name__}.{name}")).values()]
    assert {part.name for part in parts if isinstance(part, Kind)} == {kind.name for kind in KINDS}


def test_the_table_is_complete_with_the_collections() -> None:
    """No kind is incomplete, and no two collide."""
    routes = [route for kind in TABLE for route in kind.routes]
    for names in (
        [kind.name for kind in TABLE],
        [route.path for route in routes],
        [route.operation for route in routes],
        [route.listed for route in routes if route.listed],
    ):
        assert len(names) == len({*names})
    for kind in TABLE:
        assert kind.routes and kind.tag in TAGS, kind.name
        for path in kind.fixed:
            assert any(fits(route, path) for route in kind.routes), path
    for route in routes:
        assert all((route.path, route.operation, route.summary, route.description)), route
        assert route.listed or route.path.removesuffix(".json") in COLLECTIONS or route.path == INDEX, route
        assert re.findall(r"{(\w+)}", route.path) == [parameter.name for parameter in route.parameters]
    for one, other in permutations(routes, 2):
        alike = one.struct is not None and one.struct is other.struct
        assert not (alike and fits(one, other.path)), f"a path can be of {one.path} or of {other.path}"


def test_every_route_has_a_document(rich: Result) -> None:
    paths = [file.relative_to(rich.api).as_posix() for file in rich.api.rglob("*") if file.is_file()]
    routes = {route.path: route for kind in TABLE for route in kind.routes}
    used = {route.path for path in paths if (route := route_of(path))}
    assert routes.keys() - used == set(), "test_contract_check.every_kind has no such document"


@pytest.mark.parametrize("kind", [kind.name for kind in TABLE])
def test_the_contract_check_looks_at_every_kind(kind: str) -> None:
    (routes,) = (set(each.routes) for each in TABLE if each.name == kind)
    documents = {path.partition(" ")[0] for _, path, _, _ in MUTATIONS}
    assert {route_of(path) for path in documents} & routes, f"MUTATIONS of test_contract_check lacks {kind}"
