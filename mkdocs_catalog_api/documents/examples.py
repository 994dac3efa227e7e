"""Examples for the OpenAPI document: documents of this very catalog, their lists cut to one entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ..catalog import addresses
from ..catalog.value import Catalog, Image
from .kinds import Route

# Objects that are maps: their keys are data, so one entry shows the shape.
_MAPS = {addresses.SUMMARY: "images", addresses.INDEX: "badges"}
_COLLECTIONS = ("images", "charts", "roadmap", "updates")


class Example(NamedTuple):
    """Values of a path's parameters, and the body that they lead to."""

    parameters: Mapping[str, str | int]
    body: Any


class Examples:
    """Takes the documents of a catalog as they are made, and keeps one for each route, cut.

    That is the first of the route's Struct, unless a document shows more: `_chosen`.
    """

    def __init__(self, catalog: Catalog, routes: Iterable[Route]) -> None:
        self._chosen = dict(_chosen(catalog))
        chosen = set(self._chosen.values())
        self._by_struct = {route.struct: route.path for route in routes if route.path not in chosen}
        self.by_route: dict[str, Example] = {}
        """Path with parameters in braces → example."""

    def take(self, path: str, document: Struct) -> None:
        """Keep the document if it is the example of its route."""
        route = self._chosen.get(path) or self._by_struct.get(type(document))
        if route is None or route in self.by_route:
            return
        parameters = _parameters(route, path)
        if parameters is not None:  # else another route has documents of the same Struct
            self.by_route[route] = Example(parameters, cut(document, _MAPS.get(path)))

    def complete(self, generator: Struct, badge: Struct) -> dict[str, Example]:
        """All examples; `generator` wrote the documents, `badge` is the manifest's entry of one."""
        examples = dict(self.by_route)
        for name in _COLLECTIONS:
            if page := examples.get(f"{name}/{{page}}.json"):
                examples[f"{name}/{{page}}.json"] = Example({"page": 1}, page.body)
                keys = ("apiVersion", "resource", "total", "data")
                full = {key: page.body[key] for key in keys}
                examples[addresses.collection(name)] = Example({}, full)
        shell = {"openapi": "3.1.0", "info": {"title": "…", "version": "v1"}}
        shell |= {"paths": {"…": {}}, "components": {"schemas": {}}}
        examples[addresses.OPENAPI] = Example({}, shell)
        # The real one holds the time of the build, but the same catalog gives the same OpenAPI document.
        manifest = {"apiVersion": "v1", "generatedAt": "2026-01-01T00:00:00Z", "generator": generator}
        listed = {addresses.badge("images"): badge}
        examples[addresses.MANIFEST] = Example({}, manifest | {"documents": listed})
        return examples


def _chosen(catalog: Catalog) -> Iterable[tuple[str, str]]:
    """Path of a document → path of the route that it is the example of."""
    yield addresses.badge("cves"), addresses.badge("{name}")
    if catalog.history:
        last = catalog.history.head.date
        yield addresses.changes(last), addresses.changes("{date}")
    if catalog.images:
        image = min(catalog.images, key=_rank)
        slug = image.entry.slug
        yield addresses.image_badge(slug, "cves"), addresses.image_badge("{slug}", "{name}")
        yield addresses.image_history(slug), addresses.image_history("{slug}")
        if image.newest:
            yield addresses.detail(slug), addresses.detail("{image}")
            release = addresses.release(slug, image.newest.entry.version)
            yield release, addresses.release("{image}", "{version}")


def _rank(image: Image) -> int:
    """Which image has the most to show: 0 is one with open vulnerabilities, 2 one without a scan."""
    figures = image.figures
    if figures is None or image.entry.lifecycle == "planned":
        return 2
    return 0 if figures.total else 1


def _parameters(template: str, path: str) -> dict[str, str | int] | None:
    """The part of a path for each parameter of a template; None if the template has no such path."""
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(template))
    match = re.fullmatch(pattern, path)
    return {**match.groupdict()} if match else None


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
