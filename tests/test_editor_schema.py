"""The schemas for editors take what the plugin takes, refuse what it refuses, and are fresh."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

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


def errors(name: str, value: object, folder: Path = FOLDER) -> list[str]:
    schema = json.loads((folder / f"{name}.json").read_text("utf-8"))
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
    inherited: dict[str, Any] = {}
    if (EXAMPLE / f"docs/{name}/.meta.yml").exists():
        inherited = yaml.load((EXAMPLE / f"docs/{name}/.meta.yml").read_text("utf-8"), Yaml12)  # noqa: S506
    pages = [path for path in (EXAMPLE / "docs" / name).glob("*.md") if path.name != "index.md"]
    assert pages
    for path in pages:
        assert errors(name, inherited | front_matter(path)) == [], path


@pytest.mark.parametrize("name", ["roadmap", "updates"])
def test_the_example_s_data_files_hold(name: str) -> None:
    assert errors(name, yaml.load((EXAMPLE / f"{name}.yml").read_text("utf-8"), Yaml12)) == []  # noqa: S506


def test_the_example_s_settings_hold() -> None:
    settings = yaml.load((EXAMPLE / "mkdocs.yml").read_text("utf-8"), Tagged)  # noqa: S506
    assert errors("mkdocs", settings) == []


GOOD: list[tuple[str, object]] = [
    ("images", {"versions": [1.10, "1.9-r1", {"version": 1, "digest": digest(1)}]}),
    ("images", {"versions": [{"version": "1", "digest": [digest(1), digest(2)], "endOfLife": "2026-11-20"}]}),
    ("images", {"description": None, "versions": None, "hide": ["toc"], "catalog": "images"}),
    ("images", {"versions": "registry"}),
    ("images", {"versions": {"from": "registry", "tags": "[0-9.]+", "keep": 5}}),
    ("charts", {"versions": {"from": "registry", "tags": ["1.*"]}}),
    ("charts", {"images": ["nginx:1.10", {"name": "db", "image": "postgres:18"}], "versions": ["1.0.0"]}),
    ("charts", {"images": [{"image": "postgres:18"}]}),
    ("roadmap", {"blocked": "yes"}),
]
BAD: list[tuple[str, object, str]] = [
    ("images", {"slug": "Nginx"}, "$.slug"),
    ("images", {"url": "https://nginx.org"}, "$: False schema does not allow 'https://nginx.org'"),
    ("images", {"versions": [{"version": "1", "relased": "2026-11-20"}]}, "$.versions[0]"),
    ("images", {"versions": ["a/b"]}, "$.versions[0]"),
    ("images", {"versions": "registri"}, "$.versions"),
    ("images", {"versions": {"from": "registry", "keep": 0}}, "$.versions"),
    ("images", {"platforms": ["amd64"]}, "$.platforms"),
    ("images", {"lifecycle": "old"}, "$.lifecycle"),
    ("charts", {"versions": ["1.0"]}, "$.versions[0]"),
    ("charts", {"images": [{"name": "db"}]}, "$.images[0]"),
    ("roadmap", {"blocked": "maybe"}, "$.blocked"),
]


@pytest.mark.parametrize(("name", "keys"), GOOD)
def test_what_is_right_is_taken(name: str, keys: dict[str, object]) -> None:
    assert errors(name, REQUIRED | keys) == []
    assert errors(name, [REQUIRED | keys | {"name": "X"}]) == []


@pytest.mark.parametrize(("name", "keys", "said"), BAD)
def test_what_is_wrong_is_marked(name: str, keys: dict[str, object], said: str) -> None:
    found = errors(name, REQUIRED | keys)
    assert found
    assert found[0].startswith(said)


def test_what_is_missing_is_marked() -> None:
    assert errors("images", {}) == []
    assert errors("roadmap", [{"category": "Tools"}]) != []


@pytest.mark.parametrize(
    ("row", "good"),
    [
        ({"application": "a", "to": 1.10, "outcome": "held"}, True),
        ({"app": "a", "from": 1, "to": "2", "status": "Shipped", "checked": "2026-11-20"}, True),
        ({"name": "a", "to": "2", "result": "SUSPENDED"}, True),
        ({"app": "a", "to": "2", "status": "done"}, False),
        ({"app": "a", "status": "held"}, False),
        ({"to": "2", "status": "held"}, False),
        ({"app": "a", "to": "2", "status": "held", "url": "x"}, False),
    ],
)
def test_updates(row: dict[str, object], good: bool) -> None:
    assert (errors("updates", [row]) == []) is good
    assert (errors("updates", {"updates": [row]}) == []) is good


@pytest.mark.parametrize(
    ("settings", "good"),
    [
        (None, True),
        ({"registry": "ghcr.io/acme", "images": None, "lookups": []}, True),
        (
            {
                "images": {
                    "fields": {"port": "integer", "os": {"values": ["a"]}, "tier": {"from": "a"}},
                    "defaults": [{"pages": "images/old/**", "values": {"tier": "a"}}],
                }
            },
            True,
        ),
        ({"registy": "x"}, False),
        ({"images": {"fields": {"port": "int"}}}, False),
        ({"images": {"fields": {"tier": {"values": [1.10]}}}}, False),
        ({"security": {"max_age": "30"}}, False),
    ],
)
def test_settings(settings: object, good: bool) -> None:
    assert (errors("mkdocs", {"plugins": ["search", {"catalog-api": settings}]}) == []) is good
    assert (errors("mkdocs", {"plugins": {"catalog-api": settings}}) == []) is good
