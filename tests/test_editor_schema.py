"""The schemas for editors take what the plugin takes, and refuse what it refuses."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator, Draft202012Validator  # type: ignore[import-untyped]

from mkdocs_catalog_api.items.collections import COLLECTIONS, ITEM_MODELS

from .example import EXAMPLE
from .refresh import SCHEMAS as FOLDER
from .sites import digest

REQUIRED = {"category": "Tools", "tier": "core", "license": "MIT"}


class Yaml12(yaml.CSafeLoader):
    """Plain scalars as editors read them: no dates, and only true and false are booleans; no tags."""


Yaml12.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if not tag.endswith(("timestamp", "bool"))]
    for first, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
Yaml12.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))
Yaml12.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def read(text: str) -> Any:
    return yaml.load(text, Yaml12)  # noqa: S506


def schema(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_bytes())


def errors(name: str, value: object) -> list[str]:
    found = Draft202012Validator(schema(name)).iter_errors(value)
    return [f"{error.json_path}: {error.message}" for error in found]


@pytest.mark.parametrize("name", [*COLLECTIONS, "mkdocs"])
def test_a_schema_is_valid_in_both_drafts_and_the_example_holds(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    Draft7Validator.check_schema(schema(name))
    file = EXAMPLE / f"{name}.yml"
    assert not file.exists() or errors(name, read(file.read_text("utf-8"))) == []
    meta = EXAMPLE / f"docs/{name}/.meta.yml"
    inherited = read(meta.read_text("utf-8")) if meta.exists() else {}
    pages = [path for path in (EXAMPLE / "docs" / name).glob("*.md") if path.name != "index.md"]
    assert bool(pages) == (name in ITEM_MODELS)
    for path in pages:
        assert errors(name, inherited | read(path.read_text("utf-8").split("---\n")[1])) == [], path


ITEMS: list[tuple[str, object, str]] = [
    ("images", {"versions": [1.10, "1.9-r1", {"version": 1, "digest": digest(1)}]}, ""),
    ("images", {"versions": [{"version": "1", "digest": [digest(1)], "endOfLife": "2026-11-20"}]}, ""),
    ("images", {"description": None, "versions": None, "hide": ["toc"], "catalog": "images"}, ""),
    ("images", {"versions": "registry"}, ""),
    ("images", {"versions": {"from": "registry", "tags": "[0-9.]+", "keep": 5}}, ""),
    ("images", {"slug": "Nginx"}, "$.slug"),
    ("images", {"url": "https://nginx.org"}, "$: False schema does not allow 'https://nginx.org'"),
    ("images", {"versions": [{"version": "1", "relased": "2026-11-20"}]}, "$.versions[0]"),
    ("images", {"versions": ["a/b"]}, "$.versions[0]"),
    ("images", {"versions": "registri"}, "$.versions"),
    ("images", {"versions": {"from": "registry", "keep": {"lines": 5, "each": 2}}}, ""),
    ("images", {"versions": {"from": "registry", "keep": 0}}, "$.versions"),
    ("images", {"platforms": ["amd64"]}, "$.platforms"),
    ("images", {"lifecycle": "old"}, "$.lifecycle"),
    ("charts", {"images": ["nginx:1.10", {"name": "db", "image": "postgres:18"}], "versions": ["1.0.0"]}, ""),
    ("charts", {"images": [{"image": "postgres:18"}]}, ""),
    ("charts", {"versions": ["1.0"]}, "$.versions[0]"),
    ("charts", {"images": [{"name": "db"}]}, "$.images[0]"),
    ("roadmap", {"blocked": "yes"}, ""),
    ("roadmap", {"blocked": "maybe"}, "$.blocked"),
]
"""Collection, keys of an item, and where an editor marks an error; empty: nowhere."""


@pytest.mark.parametrize(("name", "keys", "marked"), ITEMS)
def test_what_is_wrong_is_marked_and_nothing_else(name: str, keys: dict[str, object], marked: str) -> None:
    found = errors(name, REQUIRED | keys)
    assert bool(found) == bool(marked)
    assert marked or errors(name, [REQUIRED | keys | {"name": "X"}]) == [], "in a data file"
    assert not found or found[0].startswith(marked)


UPDATES: list[tuple[dict[str, object], bool]] = [
    ({"application": "a", "to": 1.10, "outcome": "held"}, True),
    ({"app": "a", "from": 1, "to": "2", "status": "Shipped", "checked": "2026-11-20"}, True),
    ({"name": "a", "to": "2", "result": "SUSPENDED"}, True),
    ({"app": "a", "to": "2", "status": "done"}, False),
    ({"app": "a", "status": "held"}, False),
    ({"to": "2", "status": "held"}, False),
    ({"app": "a", "to": "2", "status": "held", "url": "x"}, False),
]
FIELDS = {"port": "integer", "os": {"values": ["a"]}, "tier": {"from": "a"}}
DEFAULTS = [{"pages": "images/old/**", "values": {"tier": "a"}}]
SETTINGS: list[tuple[object, bool]] = [
    (None, True),
    ({"registry": "ghcr.io/acme", "images": None, "lookups": []}, True),
    ({"images": {"fields": FIELDS, "defaults": DEFAULTS}}, True),
    ({"registy": "x"}, False),
    ({"images": {"fields": {"port": "int"}}}, False),
    ({"images": {"fields": {"tier": {"values": [1.10]}}}}, False),
    ({"security": {"max_age": "30"}}, False),
]


def test_whole_files() -> None:
    assert errors("images", {}) == []
    assert errors("roadmap", [{"category": "Tools"}]) != [], "an entry without a name"
    for update, good in UPDATES:
        assert (errors("updates", [update]) == [], errors("updates", {"updates": [update]}) == []) == (
            good,
            good,
        )
    for settings, good in SETTINGS:
        plugin = {"catalog-api": settings}
        for plugins in (["search", plugin], plugin):
            assert (errors("mkdocs", {"plugins": plugins}) == []) == good, settings
