"""Examples for the OpenAPI document: documents of this very catalog, their lists cut to one entry."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ..catalog import addresses

# Objects that are maps: their keys are data, so one entry shows the shape.
_MAPS = {addresses.SUMMARY: "images", addresses.INDEX: "badges"}


class Example(NamedTuple):
    """Values of a path's parameters, and the body that they lead to."""

    parameters: Mapping[str, str | int]
    body: object


class Samples:
    """Documents that may become examples, taken as they are made."""

    def __init__(self) -> None:
        self._documents: dict[str, Struct] = {}
        self._first: dict[type[Struct], tuple[str, object]] = {}
        self._image: tuple[int, str, str | None, Mapping[str, Struct]] | None = None

    def take(self, path: str, document: Struct) -> None:
        """Keep a document of which there is one."""
        self._documents[path] = document

    def take_first(self, path: str, document: Struct) -> None:
        """Keep the first document of its kind, cut."""
        if type(document) not in self._first:
            self._first[type(document)] = path, cut(document)

    def take_image(
        self, slug: str, version: str | None, total: int | None, found: Mapping[str, Struct]
    ) -> None:
        """Keep an image's documents if they have more to show than those that are kept.

        `version` is its newest, `total` its open vulnerabilities, None when it has not been scanned (or is
        only planned).
        """
        rank = 2 if total is None else 1 if not total else 0
        if self._image is None or rank < self._image[0]:
            self._image = rank, slug, version, found

    def examples(
        self, generator: Struct, badge: bytes, templates: Mapping[type[Struct], str]
    ) -> dict[str, Example]:
        """Path with parameters in braces → example, for each path that the catalog has a document of.

        `badge` is the body of the badge `images`, `templates` has the path of each kind of document.
        """
        found = dict(self._collections()) | dict(self._security()) | dict(self._history())
        for struct, (path, body) in self._first.items():
            found[templates[struct]] = Example(_parameters(templates[struct], path), body)
        for path in (addresses.SUMMARY, addresses.SECURITY_INDEX, addresses.INDEX):
            found[path] = Example({}, self._cut(path))
        found[addresses.badge("{name}")] = Example({"name": "cves"}, self._cut(addresses.badge("cves")))
        shell = {"openapi": "3.1.0", "info": {"title": "…", "version": "v1"}}
        found[addresses.OPENAPI] = Example({}, shell | {"paths": {"…": {}}, "components": {"schemas": {}}})
        # The real one holds the time of the build, but the same catalog gives the same OpenAPI document.
        manifest = {"apiVersion": "v1", "generatedAt": "2026-01-01T00:00:00Z", "generator": generator}
        listed = {
            addresses.badge("images"): {"sha256": hashlib.sha256(badge).hexdigest(), "bytes": len(badge)}
        }
        found[addresses.MANIFEST] = Example({}, manifest | {"documents": listed})
        return found

    def _collections(self) -> Iterator[tuple[str, Example]]:
        for name in ("images", "charts", "roadmap", "updates"):
            if addresses.page(name, 1) not in self._documents:
                yield addresses.collection(name), Example({}, self._cut(addresses.collection(name)))
                continue
            page = self._cut(addresses.page(name, 1))
            full = {key: page[key] for key in ("apiVersion", "resource", "total", "data")}
            yield addresses.collection(name), Example({}, full)
            yield f"{name}/{{page}}.json", Example({"page": 1}, page)

    def _security(self) -> Iterator[tuple[str, Example]]:
        """Of the first image that has something to show."""
        if self._image is None:
            return
        _, slug, version, documents = self._image
        badge = cut(documents[addresses.image_badge(slug, "cves")])
        yield addresses.image_badge("{slug}", "{name}"), Example({"slug": slug, "name": "cves"}, badge)
        if past := documents.get(addresses.image_history(slug)):
            yield addresses.image_history("{slug}"), Example({"slug": slug}, cut(past))
        if version is not None:
            detail, release = documents[addresses.detail(slug)], documents[addresses.release(slug, version)]
            yield addresses.detail("{image}"), Example({"image": slug}, cut(detail))
            parameters = {"image": slug, "version": version}
            yield addresses.release("{image}", "{version}"), Example(parameters, cut(release))

    def _history(self) -> Iterator[tuple[str, Example]]:
        """Of the last recorded day."""
        if addresses.HISTORY in self._documents:
            for path in (addresses.CHANGES, addresses.HISTORY):
                yield path, Example({}, self._cut(path))
            day = self._cut(addresses.changes("{date}"))
            yield addresses.changes("{date}"), Example({"date": day["date"]}, day)

    def _cut(self, path: str) -> Any:
        return cut(self._documents[path], _MAPS.get(path))


def _parameters(template: str, path: str) -> dict[str, str | int]:
    """What stands in a path for each of the parameters that a template has in braces."""
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(template))
    match = re.fullmatch(pattern, path)
    return {**match.groupdict()} if match else {}


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
