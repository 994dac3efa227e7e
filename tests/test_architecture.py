"""The house: its rooms, and which of them import which."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import mkdocs_catalog_api

PACKAGE = Path(mkdocs_catalog_api.__file__).parent
ROOMS, FLOORS, ARROWS = 14, 9, 62
"""The most there may be: rooms, rooms in a chain of imports, pairs of rooms with an import."""
Module = tuple[str, ...]
FILES = sorted(PACKAGE.rglob("*.py"))


@functools.cache
def tree(file: Path) -> ast.Module:
    """A module's syntax, parsed once."""
    return ast.parse(file.read_text("utf-8"))


def module(file: Path) -> Module:
    """The path of a module within the package."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


MODULES = {module(file) for file in FILES} - {()}
"""Without the package itself, which holds nothing."""


def imports(file: Path) -> Iterator[Module]:
    """The modules of the package that a module imports anywhere in its text, if only for type checkers."""
    folder = file.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = folder[: len(folder) - node.level + 1]
            base = (*above, *(node.module or "").split(".")) if node.module else above
            for name in node.names:
                yield (*base, name.name) if (*base, name.name) in MODULES else base


@functools.cache
def import_graph() -> dict[Module, set[Module]]:
    """Module → the modules that it imports."""
    return {module(file): {*imports(file)} - {module(file), ()} for file in FILES if module(file)}


def rooms() -> dict[str, set[str]]:
    """Room → the rooms that it imports from. A room is a folder of the package, or a module beside them."""
    graph: dict[str, set[str]] = {name[0]: set() for name in MODULES}
    for name, imported in import_graph().items():
        graph[name[0]] |= {other[0] for other in imported} - {name[0]}
    return graph


def test_the_house_is_small() -> None:
    graph = rooms()
    chain: dict[str, int] = {}
    for room in TopologicalSorter(graph).static_order():  # raises CycleError, which names the rooms
        chain[room] = 1 + max((chain[other] for other in graph[room]), default=0)
    imports = sum(map(len, graph.values()))
    counts = (len(graph), max(chain.values()), imports)
    fits = all(count <= most for count, most in zip(counts, (ROOMS, FLOORS, ARROWS), strict=True))
    assert fits, f"{counts} rooms, floors, arrows: move what is imported to a lower room, or into this one"


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(import_graph()).prepare()  # raises CycleError, which names them


def test_no_class_name_exists_twice() -> None:
    classes = (
        (node.name, file) for file in FILES for node in ast.walk(tree(file)) if isinstance(node, ast.ClassDef)
    )
    assert shared(classes) == {}, "rename one of the classes"


READERS = {
    "authored/folders.py": "the helper for the author's folders",
    "commands/new.py": "writes pages that do not exist",
    "network/credentials.py": "docker's configuration",
    "publish/hosts.py": "files of the site",
    "publish/site_files.py": "files of the site",
    "publish/swap.py": "files of the site",
    "web/html_site.py": "files of the site",
    "web/view.py": "documents of this build",
    "web/logos.py": "icons of the theme",
    "web/page_filler.py": "files of the package",
    "web/render.py": "files of the package",
    "documents/openapi.py": "files of the package",
}
"""Modules that open files, with what these are."""


def test_one_helper_reads_the_files_of_the_author() -> None:
    """It follows no link and opens nothing but files."""
    opening = {
        file.relative_to(PACKAGE).as_posix()
        for file in FILES
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call) and _opens(node.func)
    }
    assert opening == READERS.keys(), "read with `read_file` of authored/folders.py"


def _opens(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr in ("read_bytes", "read_text", "open") and not (
            isinstance(function.value, ast.Name) and function.value.id in ("os", "tarfile")
        )
    return isinstance(function, ast.Name) and function.id == "open"


def test_no_file_name_exists_twice() -> None:
    named = ((file.name, file) for file in FILES if file.name != "__init__.py")
    assert shared(named) == {}, "rename one of the modules: its name says what is in it"


def shared(named: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """Name → the files that have it, if there are several."""
    files: dict[str, list[str]] = {}
    for name, file in named:
        files.setdefault(name, []).append(str(file.relative_to(PACKAGE)))
    return {name: paths for name, paths in files.items() if len(paths) > 1}


def test_templates_style_and_scripts_have_no_long_lines() -> None:
    """What chooses or computes is Python."""
    files = [file for file in PACKAGE.rglob("*") if file.suffix in (".html", ".css", ".js")]
    assert len(files) > 20
    long = [str(file) for file in files if max(map(len, file.read_text("utf-8").splitlines())) > 200]
    assert not long, f"break the lines of more than 200 characters in {long}"
