"""Every field of an entry says all that schemas, the guide and pages make of it."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from mkdocs_catalog_api.catalog import models
from mkdocs_catalog_api.catalog.model import Model
from mkdocs_catalog_api.catalog.shown import Shown, shown_fields
from mkdocs_catalog_api.catalog.types import Platform, Text, WebLink
from mkdocs_catalog_api.web.render import environment

ENTRIES = [
    entry
    for name, entry in vars(models).items()
    if isinstance(entry, type) and name == entry.__name__ and name.endswith("Entry") and name != "ItemEntry"
]


def has_example(schema: Any, definitions: Any) -> bool:
    """Whether a schema, or the first type that it allows, gives an example; closed words are examples."""
    if "$ref" in schema:
        return has_example(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if schema.keys() & {"examples", "enum", "properties"} or schema.get("type") == "boolean":
        return True
    inner = schema.get("items") or next(iter(schema.get("anyOf", ())), None)
    return inner is not None and has_example(inner, definitions)


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_field_has_a_description_an_example_and_a_place(entry: type[Model]) -> None:
    schema = entry.model_json_schema()
    fields = schema["properties"]
    bare = [name for name, field in fields.items() if not field.get("description")]
    assert bare == [], "Field(description=…) is missing"
    bare = [name for name, field in fields.items() if not has_example(field, schema.get("$defs"))]
    assert bare == [], "Field(examples=[…]) is missing"
    placed = {
        field.name
        for field in shown_fields(entry)
        if field.shown.page or field.shown.card or field.shown.filter or field.shown.column
        or field.shown.elsewhere or field.shown.hidden
    }  # fmt: skip
    assert [name for name in fields if name not in placed] == [], (
        "Shown(page=…) or Shown(hidden=…) is missing"
    )


class Team(Model):
    name: Text
    url: WebLink


class Entry(Model):
    source: Annotated[WebLink | None, Shown(page="Source", card="Source")] = None
    team: Annotated[Team | None, Shown(page="Team", card="Team", caption="team")] = None
    platforms: Annotated[list[Platform], Shown(page="Platforms", card="Platforms")] = []
    tier: Annotated[Text | None, Shown(page="Tier", card="Tier", first=True)] = None


ITEM = {
    "source": "https://e.org/src",
    "team": {"name": "A & B", "url": "https://e.org/team"},
    "platforms": ["linux/amd64", "linux/arm64"],
    "tier": "core",
}


def test_the_page_of_an_item_shows_a_fact_by_its_type() -> None:
    parts: Any = environment(None).get_template("catalog/parts.html").module
    facts = parts.facts(ITEM, shown_fields(Entry)).split("\n")
    assert list(filter(None, facts)) == [
        '<div><dt>Team</dt> <dd><a href="https://e.org/team" rel="noopener">A &amp; B</a></dd></div>',
        "<div><dt>Platforms</dt> <dd>linux/amd64, linux/arm64</dd></div>",
    ]
    links = parts.links(ITEM, shown_fields(Entry)).strip()
    assert links == '<li><a href="https://e.org/src" rel="noopener">Source</a></li>'
    nothing = dict.fromkeys(ITEM)
    assert parts.facts(nothing, shown_fields(Entry)).strip() == ""
    assert parts.links(nothing, shown_fields(Entry)).strip() == ""


def test_the_row_of_a_version_has_the_columns_that_its_model_declares() -> None:
    class Version(Model):
        notes: Annotated[WebLink | None, Shown(column="Notes")] = None
        ports: Annotated[list[int], Shown(column="Ports")] = []
        signed: Annotated[bool | None, Shown(column="Signed")] = None
        size: Annotated[int | None, Shown(column="Size", style="catalog-date")] = None

    parts: Any = environment(None).get_template("catalog/parts.html").module
    version = {"notes": "https://e.org/1", "ports": [80, 443], "signed": False, "size": None}
    assert parts.cells(version, shown_fields(Version)).split("</td>")[:-1] == [
        '<td data-label="notes"><a href="https://e.org/1" rel="noopener">e.org/1</a>',
        '<td data-label="ports">80, 443',
        '<td data-label="signed">no',
        '<td class="catalog-date" data-label="size">–',
    ]


def test_the_row_of_an_item_has_what_the_script_needs_for_further_rows() -> None:
    lists: Any = environment(None).get_template("catalog/lists.html").module
    tier, source, team, platforms = lists.cells(ITEM, shown_fields(Entry)).split("</td>")[:-1]
    assert 'data-f="tier"' in tier and tier.endswith(">core")
    assert 'data-to="{source}" href="https://e.org/src"' in source and source.endswith(">Source</a>")
    assert 'data-label="team"' in team and 'data-f="team.name"' in team
    assert 'data-to="{team.url}" href="https://e.org/team"' in team and team.endswith(">A &amp; B</a>")
    assert platforms.endswith(">linux/amd64, linux/arm64")
    _, source, team, platforms = lists.cells(dict.fromkeys(ITEM), shown_fields(Entry)).split("</td>")[:-1]
    assert "href" not in source + team and " hidden" in source and " data-empty" in team
