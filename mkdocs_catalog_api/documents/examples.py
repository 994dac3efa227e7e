"""Examples for the OpenAPI document: documents of this very catalog, their lists cut to one entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ..catalog.value import Catalog, Image
from .kinds import Route


class Example(NamedTuple):
    """Values of a path's parameters, and the body that they lead to."""

    parameters: Mapping[str, str | int]
    body: Any


class Examples:
    """Takes the documents of a catalog as they are made, and keeps one for each route, cut."""

    def __init__(self, catalog: Catalog, routes: Iterable[Route]) -> None:
        self._of_struct: dict[type[Struct] | None, list[Route]] = {}
        self._paths: dict[str, str] = {}
        """Path with parameters in braces → path of the document that a route wants as its example."""
        self.by_route: dict[str, Example] = {}
        """Path with parameters in braces → example."""
        for route in routes:
            self._of_struct.setdefault(route.struct, []).append(route)
            if path := route.example(catalog):
                self._paths[route.path] = path

    def take(self, path: str, document: Struct) -> None:
        """Keep the document if it is the example of its route."""
        for route in self._of_struct.get(type(document), ()):
            if route.path in self.by_route or self._paths.get(route.path, path) != path:
                continue
            if match := route.match(path):  # else another route has documents of the same Struct
                values = {
                    each.name: msgspec.convert(match[each.name], each.type, strict=False)
                    for each in route.parameters
                }
                self.by_route[route.path] = Example(values, cut(document, route.map))


def example_image(catalog: Catalog) -> Image | None:
    """The image that shows the most: one with open vulnerabilities, else one with a scan, else the first."""
    return min(catalog.images, key=_rank, default=None)


def _rank(image: Image) -> int:
    figures = image.figures
    if figures is None or image.entry.lifecycle == "planned":
        return 2
    return 0 if figures.total else 1


def cut(document: Struct, one_of: str | None = None) -> Any:
    """A document as plain values, its lists cut to one entry, and so the map of this name."""
    values = msgspec.to_builtins(document)
    if one_of is not None:
        values[one_of] = dict([*values[one_of].items()][:1])
    return _cut(values)


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cut(part) for key, part in value.items()}
    return [_cut(part) for part in value[:1]] if isinstance(value, list) else value
