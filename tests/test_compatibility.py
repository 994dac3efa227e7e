"""The shape of `v1` only grows: the comparison of shapes, and the frozen shape."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.documents.openapi import POLICY

from .contract.compatibility import compare_shapes
from .contract.schemas import FROZEN
from .guide import page
from .past import every_path
from .sites import Result, SiteFolder
from .test_build import small

BASELINE: dict[str, Any] = json.loads(FROZEN.read_bytes())
FIELDS = [
    (name, field)
    for name, schema in BASELINE["components"]["schemas"].items()
    for field in schema.get("properties", ())
]


def described(site: SiteFolder, fields: Any) -> Any:
    """The description of a catalog whose images have these fields."""
    site.settings["images"] = {
        "fields": fields,
        "defaults": {"port": 80} if "required" in str(fields) else {},
    }
    return small(site).build().json("openapi.json")


def port(kind: Any, *, many: bool = False) -> Any:
    return {"port": {"type": kind, "list": True} if many else kind}


PORT = port("integer")
GROWN = PORT | {"tier": {"values": ["core", "community"]}}
CHANGES: list[tuple[Any, Any, list[str]]] = [
    ({}, {}, []),
    (PORT, {}, ["breaking: ImageCustom.port: removed"]),
    (PORT, port("text"), ["breaking: ImageCustom.port: integer became string"]),
    (PORT, port("number"), ["breaking: ImageCustom.port: integer became number"]),
    (port("text"), port("text", many=True), ["breaking: ImageCustom.port: string became array"]),
    (port("text", many=True), port("text"), ["breaking: ImageCustom.port: array became string"]),
    ({"at": "url"}, {"at": "text"}, ["breaking: ImageCustom.at: format uri became any"]),
    (
        {"port": {"type": "integer", "required": True}},
        PORT,
        ["breaking: ImageCustom.port: may be null now"],
    ),
    (PORT, {"port": {"type": "integer", "required": True}}, []),
    (
        {"tier": {"values": ["core"]}},
        GROWN,
        [
            "compatible: ImageCustom.port: new field",
            "compatible: Image.tier: new word 'community'",
            "compatible: ImageEntry.tier: new word 'community'",
        ],
    ),
]


@pytest.mark.parametrize(("before", "after", "told"), CHANGES)
def test_what_only_grows_passes_and_all_else_breaks(
    site: SiteFolder, before: Any, after: Any, told: list[str]
) -> None:
    assert [*map(str, compare_shapes(described(site, before), described(site, after)))] == told


@given(st.sampled_from(FIELDS), st.sampled_from(["remove", "retype", "null"]))
def test_no_change_for_the_worse_is_missed(field: tuple[str, str], harm: str) -> None:
    new = copy.deepcopy(BASELINE)
    schema = new["components"]["schemas"][field[0]]
    properties = schema["properties"]
    if harm == "remove":
        del properties[field[1]]
    elif harm == "retype":
        properties[field[1]] = {"type": "another"}
    else:
        before = properties[field[1]]
        properties[field[1]] = {"anyOf": [before, {"type": "null"}]}
    found = compare_shapes(BASELINE, new)
    already = "null" in json.dumps(BASELINE["components"]["schemas"][field[0]]["properties"][field[1]])
    if harm != "null" or not already:
        assert [change.where for change in found if change.level == "breaking"] == [".".join(field)]


@given(st.sampled_from(FIELDS))
def test_a_new_field_breaks_nothing(field: tuple[str, str]) -> None:
    new = copy.deepcopy(BASELINE)
    new["components"]["schemas"][field[0]]["properties"]["brandNew"] = {"type": "string"}
    assert [change.message for change in compare_shapes(BASELINE, new)] == ["new field"]


def test_the_contract_has_only_grown(site: SiteFolder) -> None:
    document = every_path(site).json("openapi.json")
    breaking = [str(change) for change in compare_shapes(BASELINE, document) if change.level == "breaking"]
    assert breaking == []


def test_a_catalog_s_own_fields_and_words_break_nobody_who_knows_the_contract(example: Result) -> None:
    document = example.json("openapi.json")
    published = {path: item for path, item in BASELINE["paths"].items() if path in document["paths"]}
    assert BASELINE["paths"].keys() - published.keys() == set()
    assert [str(change) for change in compare_shapes({**BASELINE, "paths": published}, document)] == [
        f"compatible: {name}.{field}: new field"
        for name, fields in (
            ("ImageCustom", ("fips", "port", "shell", "upstream")),
            ("ImageEntryCustom", ("fips", "shell")),
        )
        for field in fields
    ]


def test_the_guide_and_the_api_document_state_the_same_policy() -> None:
    assert POLICY in page("clients")
