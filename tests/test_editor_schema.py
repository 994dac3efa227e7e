"""The schemas for editors take what the plugin takes, refuse what it refuses, and are fresh."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from jsonschema import Draft7Validator, Draft202012Validator  # type: ignore[import-untyped]

from mkdocs_catalog_api.catalog.collections import COLLECTIONS, ITEM_MODELS

from .refresh import SCHEMAS as FOLDER
from .sites import digest

EXAMPLE = Path(__file__).parent.parent / "example_site"
NAMES = (*COLLECTIONS, "mkdocs")
REQUIRED = {"category": "Tools", "tier": "core", "license": "MIT"}


class Yaml12(yaml.CSafeLoader):
    """Plain scalars as editors read them: no dates, and only true and false are booleans."""


Yaml12.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if not tag.endswith(("timestamp", "bool"))]
    for first, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
Yaml12.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


class Tagged(yaml.CSafeLoader):
    """A mkdocs.yml, whose tags of Python nobody looks at here."""


Tagged.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def errors(name: str, value: object) -> list[str]:
    schema = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(value)
    ]


def front_matter(path: Path) -> dict[str, Any]:
    matter: dict[str, Any] = yaml.load(path.read_text("utf-8").split("---\n")[1], Yaml12)  # noqa: S506
    return matter


def test_every_committed_schema_is_made_from_the_code() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_in_both_drafts(name: str) -> None:
    schema = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft7Validator.check_schema(schema)


@pytest.mark.parametrize("name", ITEM_MODELS)
def test_the_example_s_pages_hold(name: str) -> None:
    meta = EXAMPLE / f"docs/{name}/.meta.yml"
    inherited: dict[str, Any] = yaml.load(meta.read_text("utf-8"), Yaml12) if meta.exists() else {}  # noqa: S506
    pages = [path for path in (EXAMPLE / "docs" / name).glob("*.md") if path.name != "index.md"]
    assert pages
    for path in pages:
        assert errors(name, inherited | front_matter(path)) == [], path


@pytest.mark.parametrize("name", ["roadmap", "updates", "mkdocs"])
def test_the_example_s_data_files_and_settings_hold(name: str) -> None:
    loader = Tagged if name == "mkdocs" else Yaml12
    assert errors(name, yaml.load((EXAMPLE / f"{name}.yml").read_text("utf-8"), loader)) == []  # noqa: S506


ITEMS: list[tuple[str, object, str]] = [
    ("images", {"versions": [1.10, "1.9-r1", {"version": 1, "digest": digest(1)}]}, ""),
    (
        "images",
        {"versions": [{"version": "1", "digest": [digest(1), digest(2)], "endOfLife": "2026-11-20"}]},
        "",
    ),
    ("images", {"description": None, "versions": None, "hide": ["toc"], "catalog": "images"}, ""),
    ("images", {"versions": "registry"}, ""),
    ("images", {"versions": {"from": "registry", "tags": "[0-9.]+", "keep": 5}}, ""),
    ("images", {"slug": "Nginx"}, "$.slug"),
    ("images", {"url": "https://nginx.org"}, "$: False schema does not allow 'https://nginx.org'"),
    ("images", {"versions": [{"version": "1", "relased": "2026-11-20"}]}, "$.versions[0]"),
    ("images", {"versions": ["a/b"]}, "$.versions[0]"),
    ("images", {"versions": "registri"}, "$.versions"),
    ("images", {"versions": {"from": "registry", "keep": 0}}, "$.versions"),
    ("images", {"platforms": ["amd64"]}, "$.platforms"),
    ("images", {"lifecycle": "old"}, "$.lifecycle"),
    ("charts", {"versions": {"from": "registry", "tags": ["1.*"]}}, ""),
    ("charts", {"images": ["nginx:1.10", {"name": "db", "image": "postgres:18"}], "versions": ["1.0.0"]}, ""),
    ("charts", {"images": [{"image": "postgres:18"}]}, ""),
    ("charts", {"versions": ["1.0"]}, "$.versions[0]"),
    ("charts", {"images": [{"name": "db"}]}, "$.images[0]"),
    ("roadmap", {"blocked": "yes"}, ""),
    ("roadmap", {"blocked": "maybe"}, "$.blocked"),
]
"""Collection, keys of an item, and where an editor marks an error; empty: nowhere."""
FIELDS = {"port": "integer", "os": {"values": ["a"]}, "tier": {"from": "a"}}
DEFAULTS = [{"pages": "images/old/**", "values": {"tier": "a"}}]
DOCUMENTS: list[tuple[str, object, bool]] = [
    ("images", {}, True),
    ("roadmap", [{"category": "Tools"}], False),
    *(
        ("updates", value, good)
        for row, good in (
            ({"application": "a", "to": 1.10, "outcome": "held"}, True),
            ({"app": "a", "from": 1, "to": "2", "status": "Shipped", "checked": "2026-11-20"}, True),
            ({"name": "a", "to": "2", "result": "SUSPENDED"}, True),
            ({"app": "a", "to": "2", "status": "done"}, False),
            ({"app": "a", "status": "held"}, False),
            ({"to": "2", "status": "held"}, False),
            ({"app": "a", "to": "2", "status": "held", "url": "x"}, False),
        )
        for value in ([row], {"updates": [row]})
    ),
    *(
        ("mkdocs", {"plugins": plugins}, good)
        for settings, good in (
            (None, True),
            ({"registry": "ghcr.io/acme", "images": None, "lookups": []}, True),
            ({"images": {"fields": FIELDS, "defaults": DEFAULTS}}, True),
            ({"registy": "x"}, False),
            ({"images": {"fields": {"port": "int"}}}, False),
            ({"images": {"fields": {"tier": {"values": [1.10]}}}}, False),
            ({"security": {"max_age": "30"}}, False),
        )
        for plugins in cast(
            "tuple[object, ...]", (["search", {"catalog-api": settings}], {"catalog-api": settings})
        )
    ),
]
"""Schema, a whole file, and whether it holds."""


@pytest.mark.parametrize(("name", "keys", "marked"), ITEMS)
def test_what_is_wrong_is_marked_and_nothing_else(name: str, keys: dict[str, object], marked: str) -> None:
    found = errors(name, REQUIRED | keys)
    assert bool(found) == bool(marked)
    assert marked or errors(name, [REQUIRED | keys | {"name": "X"}]) == [], "in a data file"
    assert not found or found[0].startswith(marked)


@pytest.mark.parametrize(("name", "value", "good"), DOCUMENTS)
def test_whole_files(name: str, value: object, good: bool) -> None:
    assert (errors(name, value) == []) is good
