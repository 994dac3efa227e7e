"""The shape of `v1` only grows: the comparison of shapes, and the frozen shape."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.documents.openapi import POLICY

from .contract.compatibility import compare_shapes
from .contract.schemas import FROZEN
from .guide import page
from .past import every_path
from .sites import SiteFolder
from .test_build import small
from .test_cli import EXAMPLE, call, config

BASELINE: dict[str, Any] = json.loads(FROZEN.read_bytes())
FIELDS = [
    (name, field)
    for name, schema in BASELINE["components"]["schemas"].items()
    for field in schema.get("properties", ())
]


def build(site: SiteFolder, name: str, fields: Any = None) -> Path:
    """Build the site into a folder of that name."""
    site.settings["images"] = {"fields": fields or {}}
    result = call("build", "-q", "-f", config(site), "--site-dir", name)
    assert result.exit_code == 0, result.output
    return site.folder / name


def differences(old: Path, new: Path) -> list[str]:
    """The changes between the descriptions of two builds."""
    described = (json.loads((folder / "api/v1/openapi.json").read_bytes()) for folder in (old, new))
    return [str(change) for change in compare_shapes(*described)]


def test_a_build_does_not_differ_from_itself(site: SiteFolder) -> None:
    one, two = build(small(site), "one"), build(site, "two")
    assert differences(one, two) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"port": "integer"}, {}, "ImageCustom.port: removed"),
        ({"port": "integer"}, {"port": "text"}, "ImageCustom.port: integer became string"),
        ({"port": "integer"}, {"port": "number"}, "ImageCustom.port: integer became number"),
        ({"port": "text"}, {"port": {"type": "text", "list": True}}, "ImageCustom.port: string became array"),
        ({"port": "url"}, {"port": "text"}, "ImageCustom.port: format uri became any"),
        ({"port": {"type": "text", "list": True}}, {"port": "text"}, "ImageCustom.port: array became string"),
    ],
)
def test_a_field_that_goes_or_changes_its_type_breaks(
    site: SiteFolder, before: Any, after: Any, said: str
) -> None:
    old = build(small(site), "old", before)
    assert differences(old, build(site, "new", after)) == [f"breaking: {said}"]


def test_a_field_that_becomes_null_breaks(site: SiteFolder) -> None:
    site.image("alpha", "port: 80")
    old = build(site, "old", {"port": {"type": "integer", "required": True}})
    new = build(site, "new", {"port": "integer"})
    assert differences(old, new) == ["breaking: ImageCustom.port: may be null now"]
    assert differences(new, old) == []


def test_what_only_grows_is_told_and_passes(site: SiteFolder) -> None:
    old = build(small(site), "old", {"tier": {"values": ["core"]}})
    new = build(site, "new", {"tier": {"values": ["core", "community"]}, "port": "integer"})
    assert differences(old, new) == [
        "compatible: ImageCustom.port: new field",
        "compatible: Image.tier: new word 'community'",
        "compatible: ImageEntry.tier: new word 'community'",
    ]
    assert [line for line in differences(new, old) if line.startswith("breaking")] == [
        "breaking: ImageCustom.port: removed"
    ]


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


def test_a_catalog_s_own_fields_and_words_break_nobody_who_knows_the_contract(tmp_path: Path) -> None:
    assert call("build", "-q", "-f", EXAMPLE, "--site-dir", tmp_path / "site").exit_code == 0
    document = json.loads((tmp_path / "site/api/v1/openapi.json").read_bytes())
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
