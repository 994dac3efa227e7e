"""The shape of `v1` only grows: what clients can rely on stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.documents.openapi import POLICY

from .contract.schemas import FROZEN
from .guide import page
from .past import every_path
from .sites import Result, SiteFolder

BASELINE: dict[str, Any] = json.loads(FROZEN.read_bytes())
FIELDS = [
    (name, field)
    for name, schema in BASELINE["components"]["schemas"].items()
    for field in schema.get("properties", ())
]
TYPES = {"null", "boolean", "integer", "number", "string", "array", "object"}


def promises(described: Any) -> set[str]:
    """What clients can rely on; a later description has all of it, and may have more."""
    found = set[str]()
    for path, item in described["paths"].items():
        for parameter in item["get"].get("parameters", ()):
            found |= {*promised(parameter["schema"], f"{path} {{{parameter['name']}}}")}
        (content,) = item["get"]["responses"]["200"]["content"].values()
        found |= {*promised(content["schema"], path)}
    return found.union(
        *(promised(schema, name) for name, schema in described["components"]["schemas"].items())
    )


def promised(schema: Any, place: str) -> Iterator[str]:
    """What a schema says of a value that comes, or is taken as a parameter."""
    types = set[str]()
    for option in schema.get("anyOf", [schema]):
        kinds = option.get("type", ["object"] if "$ref" in option else TYPES)
        types |= {kinds} if isinstance(kinds, str) else {*kinds}
        if "$ref" in option:
            yield f"{place} is {option['$ref']}"
    types |= {"integer"} if "number" in types else set()
    yield from (f"{place} is never {kind}" for kind in TYPES - types)
    if "format" in schema:
        yield f"{place} has the format {schema['format']}"
    yield from (f"{place} may be {word}" for word in schema.get("enum", ()))
    yield from (
        f"{place} may be {each}" for each in schema.get("discriminator", {}).get("mapping", {}).items()
    )
    yield from (f"{place}.{name} is there" for name in schema.get("required", ()))
    for name, part in schema.get("properties", {}).items():
        yield from promised(part, f"{place}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from promised(schema[key], f"{place}[]")


TEXT: Any = {"type": "string"}
PORT: Any = {"type": "integer"}
GRADE: Any = {"$ref": "#/components/schemas/Grade"}
CHANGES: list[tuple[Any, Any, set[str]]] = [
    (PORT, {"type": "number"}, {"port is never number"}),
    ({"type": "number"}, PORT, set()),
    (GRADE, {"anyOf": [GRADE, {"type": "null"}]}, {"port is never null"}),
    ({"type": "array", "items": TEXT}, {"type": "array", "items": PORT}, {"port[] is never integer"}),
    (TEXT | {"format": "uri"}, TEXT, {"port has the format uri"}),
    (TEXT | {"x-extensible-enum": ["a"]}, TEXT | {"x-extensible-enum": ["a", "b"]}, set()),
    (TEXT | {"enum": ["a", "b"]}, TEXT | {"enum": ["a"]}, {"port may be b"}),
]
"""A schema before and after, and what was promised."""


@pytest.mark.parametrize(("before", "after", "broken"), CHANGES)
def test_what_only_grows_passes_and_all_else_breaks(before: Any, after: Any, broken: set[str]) -> None:
    lost = {*promised(before, "port")} - {*promised(after, "port")}
    assert lost >= broken if broken else not lost


@given(st.sampled_from(FIELDS), st.sampled_from(["remove", "retype", "omit"]))
def test_no_change_for_the_worse_is_missed(field: tuple[str, str], harm: str) -> None:
    old = BASELINE["components"]["schemas"][field[0]]
    known, required = {*promised(old, "x")}, [name for name in old["required"] if name != field[1]]
    grown = {"properties": old["properties"] | {"new": TEXT}, "required": [*old["required"], "new"]}
    assert known < {*promised(old | grown, "x")}
    if harm == "omit":
        assert (known <= {*promised(old | {"required": required}, "x")}) == (required == old["required"])
    else:
        without = {name: part for name, part in old["properties"].items() if name != field[1]}
        worse = {field[1]: {"type": [*TYPES]}} if harm == "retype" else {}
        assert not known <= {*promised(old | {"properties": without | worse}, "x")}


def test_the_contract_has_only_grown(site: SiteFolder, example: Result) -> None:
    """The example has fields and words of its own."""
    for result in (every_path(site), example):
        lost = promises(BASELINE) - promises(result.json("openapi.json"))
        assert not lost, f"clients were promised this (keep it, or freeze an approved change): {sorted(lost)}"


def test_the_guide_and_the_api_document_state_the_same_policy() -> None:
    assert POLICY in page("clients")
