"""Examples for the OpenAPI document: documents of this very catalog, their lists cut to one entry."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from . import addresses

# Objects that are maps: their keys are data, so one entry shows the shape.
_MAPS = {addresses.SUMMARY: "images", addresses.INDEX: "badges"}


class Example(NamedTuple):
    """Values of a path's parameters, and the body that they lead to."""

    parameters: Mapping[str, str | int]
    body: object


def examples(folder: Path, generator: Mapping[str, str]) -> dict[str, Example]:
    """Path with parameters in braces → example, for each path that the catalog has a document of.

    `folder` holds all documents but the OpenAPI document and the manifest.
    """
    found = dict(_collections(folder))
    found |= dict(_security(folder))
    for path in (addresses.SUMMARY, addresses.SECURITY_INDEX, addresses.INDEX):
        found[path] = Example({}, _read(folder, path))
    found[addresses.badge("{name}")] = Example({"name": "cves"}, _read(folder, addresses.badge("cves")))
    shell = {"openapi": "3.1.0", "info": {"title": "…", "version": "v1"}}
    found[addresses.OPENAPI] = Example({}, shell | {"paths": {"…": {}}, "components": {"schemas": {}}})
    some = addresses.badge("images")
    body = (folder / some).read_bytes()
    # The real one holds the time of the build, but the same catalog gives the same OpenAPI document.
    manifest = {"apiVersion": "v1", "generatedAt": "2026-01-01T00:00:00Z", "generator": dict(generator)}
    listed = {some: {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}}
    found[addresses.MANIFEST] = Example({}, manifest | {"documents": listed})
    return found


def _collections(folder: Path) -> Iterator[tuple[str, Example]]:
    for name in ("images", "charts", "roadmap", "updates"):
        first = folder / addresses.page(name, 1)
        if not first.exists():
            yield addresses.collection(name), Example({}, _read(folder, addresses.collection(name)))
            continue
        page = _read(folder, addresses.page(name, 1))
        # Cut from the page: the collection of a large catalog is not read again for one item of it.
        full = {key: page[key] for key in ("apiVersion", "resource", "total", "data")}
        yield addresses.collection(name), Example({}, full)
        yield f"{name}/{{page}}.json", Example({"page": 1}, page)
        if slug := page["data"][0].get("slug"):
            document = _read(folder, addresses.item(name, slug))
            yield addresses.item(name, "{slug}"), Example({"slug": slug}, document)


def _security(folder: Path) -> Iterator[tuple[str, Example]]:
    """Of the first image that has something to show."""
    index = json.loads((folder / addresses.SECURITY_INDEX).read_bytes())["data"]
    first = folder / addresses.page("images", 1)
    listed = json.loads(first.read_bytes())["data"] if first.exists() else []
    chosen = [*(entry for entry in index if entry["total"]), *index, *listed]
    if not chosen:
        return
    slug, version = chosen[0]["slug"], chosen[0].get("version") or chosen[0]["latest"]
    badge = Example({"slug": slug, "name": "cves"}, _read(folder, addresses.image_badge(slug, "cves")))
    yield addresses.image_badge("{slug}", "{name}"), badge
    if version is None:
        return
    detail = _read(folder, addresses.detail(slug))
    yield addresses.detail("{image}"), Example({"image": slug}, detail)
    release = _read(folder, addresses.release(slug, version))
    yield addresses.release("{image}", "{version}"), Example({"image": slug, "version": version}, release)


def _read(folder: Path, path: str) -> Any:
    document = json.loads((folder / path).read_bytes())
    if name := _MAPS.get(path):
        document[name] = dict(list(document[name].items())[:1])
    return _cut(document)


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cut(part) for key, part in value.items()}
    return [_cut(part) for part in value[:1]] if isinstance(value, list) else value
