"""`catalog-api diff` tells what breaks clients from what they may ignore; the project holds itself to it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.documents.compatibility import POLICY, compare_shapes

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


def differences(old: Path, new: Path, code: int) -> list[str]:
    """The lines of `diff`, which must end with this code."""
    result = call("diff", "-q" if code else "--", old, new)
    assert result.exit_code == code, result.output
    return result.output.splitlines()


def test_a_build_does_not_differ_from_itself(site: SiteFolder) -> None:
    one, two = build(small(site), "one"), build(site, "two")
    assert differences(one, two, 0) == ["0 breaking, 0 compatible"]


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
    assert differences(old, build(site, "new", after), 1) == [f"breaking: {said}"]


def test_a_field_that_becomes_null_breaks(site: SiteFolder) -> None:
    site.image("alpha", "port: 80")
    old = build(site, "old", {"port": {"type": "integer", "required": True}})
    new = build(site, "new", {"port": "integer"})
    assert differences(old, new, 1) == ["breaking: ImageCustom.port: may be null now"]
    assert differences(new, old, 0) == ["0 breaking, 0 compatible"]


def test_a_new_image_is_told_and_passes(site: SiteFolder) -> None:
    old = build(small(site), "old")
    site.image("zeta")
    assert differences(old, build(site, "new"), 0) == [
        "compatible: images/zeta/index.json: zeta is new",
        "0 breaking, 1 compatible",
    ]


def test_what_only_grows_is_told_and_passes(site: SiteFolder) -> None:
    old = build(small(site), "old", {"tier": {"values": ["core"]}})
    new = build(site, "new", {"tier": {"values": ["core", "community"]}, "port": "integer"})
    assert differences(old, new, 0) == [
        "compatible: ImageCustom.port: new field",
        "compatible: Image.tier: new word 'community'",
        "compatible: ImageEntry.tier: new word 'community'",
        "0 breaking, 3 compatible",
    ]
    assert differences(new, old, 1) == ["breaking: ImageCustom.port: removed"]


def test_an_image_that_goes_without_notice_breaks(site: SiteFolder) -> None:
    old = build(small(site), "old")
    (site.folder / "docs/charts/stack.md").unlink()
    (site.folder / "docs/images/beta.md").unlink()
    assert differences(old, build(site, "new"), 1) == [
        "breaking: charts/stack/index.json: stack was removed",
        "breaking: images/beta/index.json: beta was removed",
    ]


def test_what_was_announced_may_go(site: SiteFolder) -> None:
    site.image("alpha", "versions: [{version: 1.0, endOfLife: 2026-10-01}, 2.0]")
    site.image("beta", "lifecycle: withdrawn\nversions: [1.0]")
    site.write("roadmap.yml", "- {name: Gamma, category: Tools}\n")
    old = build(site, "old")
    (site.folder / "docs/images/beta.md").unlink()
    site.image("alpha", "versions: [2.0]")
    site.write("roadmap.yml", "[]\n")
    assert differences(old, build(site, "new"), 0) == [
        "compatible: references/registry.example.org~hardened~beta.json: the document was removed",
        "compatible: roadmap/1.json: the document was removed",
        "compatible: images/beta/index.json: beta was removed",
        "compatible: images/alpha/index.json: version 1.0 was removed",
        "0 breaking, 4 compatible",
    ]


def test_new_versions_are_named(site: SiteFolder) -> None:
    site.image("alpha", "versions: [1.0]")
    old = build(site, "old")
    site.image("alpha", "versions: [1.1, 1.0]")
    assert differences(old, build(site, "new"), 0) == [
        "compatible: images/alpha/index.json: version 1.1 is new",
        "0 breaking, 1 compatible",
    ]


def test_a_version_that_goes_without_notice_breaks(site: SiteFolder) -> None:
    old = build(small(site), "old")
    site.image("alpha", "versions: [1.10]")
    site.write("roadmap.yml", "[]\n")
    (site.folder / "docs/charts/stack.md").unlink()
    found = json.loads(call("diff", "--json", old, build(site, "new")).output)
    gone = [change for change in found["changes"] if change["kind"] == "removed-version"]
    assert gone == [
        {
            "level": "breaking",
            "kind": "removed-version",
            "where": "images/alpha/index.json",
            "message": "version 1.9 was removed",
        }
    ]
    assert found["breaking"] == 2  # the chart, too


def test_a_lost_document_breaks(site: SiteFolder) -> None:
    old, new = build(small(site), "old"), build(site, "new")
    (new / "api/v1/badge/license.json").unlink()
    (new / "api/v1/security/beta.json").unlink()
    assert differences(old, new, 1) == ["breaking: security/beta.json: the document was removed"]


@pytest.mark.parametrize("text", ["{}", "[1]", "x", '{"paths": {"/api/v1/images.json": 1}}'])
def test_folders_that_hold_no_such_api_are_wrong_usage(site: SiteFolder, text: str) -> None:
    good = build(small(site), "good")
    result = call("diff", good, site.folder / "docs")
    assert result.exit_code == 2
    assert "docs/api/v1/openapi.json can't be read: No such file" in " ".join(result.output.split())
    bad = build(site, "bad")
    (bad / "api/v1/openapi.json").write_text(text)
    assert call("diff", bad, good).exit_code == 2


@pytest.mark.parametrize("document", ["openapi.json", "images.json", "charts.json", "roadmap.json"])
@pytest.mark.parametrize("kind", ["missing", "folder", "link", "damaged", "another"])
def test_a_document_that_cannot_be_read_is_named(site: SiteFolder, document: str, kind: str) -> None:
    good, bad = build(small(site), "good"), build(site, "bad")
    file = bad / "api/v1" / document
    file.unlink()
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(file.name)
    elif kind != "missing":
        file.write_text("{" if kind == "damaged" else "[]")
    result = call("diff", good, bad)
    assert result.exit_code == 2
    assert f"bad/api/v1/{document}" in "".join(result.output.split())


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
    assert document == BASELINE, "if that was agreed to: python -m tests.contract, and read the diff"


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
