"""The house: which rooms there are, and that imports only point down."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import mkdocs_catalog_api

PACKAGE = Path(mkdocs_catalog_api.__file__).parent
FLOORS = (
    {"commands"},
    {"mkdocs_plugin"},
    {"web"},
    {"network", "schemas"},
    {"build"},
    {"read", "write", "read_site"},
    {"read_items", "write_items"},
    {"history", "publish", "reports"},
    {"api"},
    {"advisories"},
    {"site"},
    {"settings"},
    {"authored"},
    {"catalog"},
    {"clock"},
    {"problems"},
    {"codes"},
)
"""Rooms from the top to the bottom. A room may use what is in itself and on lower floors."""


def modules() -> dict[tuple[str, ...], Path]:
    """Each module by its path within the package, and its file."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        found[parts[:-1] if parts[-1] == "__init__" else parts] = file
    del found[()]
    return found


MODULES = modules()


def imports(file: Path) -> Iterator[tuple[str, ...]]:
    """The modules of the package that a module imports anywhere in its text, if only for type checkers."""
    inside = file.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = (*inside[: len(inside) - node.level + 1], *(node.module or "").split("."))
        base = tuple(filter(None, base))
        for name in node.names:
            yield (*base, name.name) if (*base, name.name) in MODULES else base


def test_every_room_has_its_floor_and_a_line_in_the_map() -> None:
    rooms = {module[0] for module in MODULES}
    assert rooms == set.union(*FLOORS)
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition("| where | what |")[2].partition("\n\n")[0]
    assert {room for room in rooms if f"`{room}/`" not in table and f"`{room}.py`" not in table} == set()


def test_imports_only_point_down() -> None:
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
    up = [
        f"{'.'.join(module)} imports {'.'.join(other)}"
        for module, file in MODULES.items()
        for other in imports(file)
        if other and other[0] != module[0] and floor[other[0]] <= floor[module[0]]
    ]
    assert up == []


def test_no_imports_go_in_a_circle() -> None:
    graph = {module: {*imports(file)} - {module} for module, file in MODULES.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names them


def test_no_module_is_longer_than_anyone_reads_at_once() -> None:
    lengths = {file: len(file.read_text("utf-8").splitlines()) for file in MODULES.values()}
    assert {file.name: length for file, length in lengths.items() if length > 250} == {}
