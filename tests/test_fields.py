"""Fields: what authors write and what is published agree, and each has what schemas, guide and pages show."""

from __future__ import annotations

import html
import re
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import markdown
from pydantic import BaseModel

from mkdocs_catalog_api.authored.front_matter import heading
from mkdocs_catalog_api.authored.read_site import read_site
from mkdocs_catalog_api.authored.settings import item_fields
from mkdocs_catalog_api.documents.item_structs import published
from mkdocs_catalog_api.items import models
from mkdocs_catalog_api.items.base_model import Model
from mkdocs_catalog_api.items.collections import COLLECTIONS
from mkdocs_catalog_api.items.fields import ItemFields
from mkdocs_catalog_api.items.models import ChartVersionEntry, PinEntry, VersionEntry
from mkdocs_catalog_api.items.shown import Shown, shown_fields
from mkdocs_catalog_api.items.types import WebLink
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.web.render import environment

from .authors import places
from .sites import Result, SiteFolder
from .test_build import small

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
    shown = {field.name: field.shown for field in shown_fields(entry)}
    places = ("page", "card", "filter", "column", "elsewhere", "hidden")
    lacking = {
        "Field(description=…)": [name for name in fields if not fields[name].get("description")],
        "Field(examples=[…])": [
            name for name in fields if not has_example(fields[name], schema.get("$defs"))
        ],
        "Shown(page=…) or Shown(hidden=…)": [
            name for name in fields if not any(getattr(shown.get(name), place, None) for place in places)
        ],
    }
    assert not any(lacking.values()), lacking


COMPUTED = {
    "Image": ["verify", "url", "href", "security", "custom"],
    "ImageVersion": ["href", "custom"],
    "Chart": ["verify", "url", "href", "security", "custom"],
    "ChartVersion": ["custom"],
    "Pin": ["slug", "version", "until", "href"],
    "RoadmapItem": ["url", "custom"],
    "Update": ["href"],
}
NESTED = {"ImageVersion": VersionEntry, "ChartVersion": ChartVersionEntry, "Pin": PinEntry}
NAMES = {name: published(each.model).__name__ for name, each in COLLECTIONS.items()}
"""Collection → name of its items in OpenAPI."""
OWN = {
    "ports": {"type": "integer", "list": True, "description": "Ports it listens on."},
    "upstream": {"type": "url", "required": True},
    "fips": "boolean",
}


Published = tuple[Result, dict[str, ItemFields[Any]]]


@pytest.fixture(scope="module")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """A site with fields and words of its own, and what authors write there by name in OpenAPI."""
    site = SiteFolder(tmp_path_factory.mktemp("site"))
    site.settings["images"] = {"fields": OWN, "defaults": {"upstream": "https://example.org/"}}
    site.settings["roadmap"] = {"fields": {"quarter": "text", "priority": {"values": ["high", "low"]}}}
    small(site).image("gamma", "ports: [80]\nfips: true\nhomepage: https://example.org/")
    site.write_config()
    _, settings, _ = read_site(site.folder / "mkdocs.yml", Problems())
    found = item_fields(settings)
    nested: dict[str, ItemFields[Any]] = {name: ItemFields(model) for name, model in NESTED.items()}
    return site.build(), nested | {name: found[collection] for collection, name in NAMES.items()}


def names(model: type[BaseModel]) -> dict[str, Any]:
    return {info.alias or key: info for key, info in model.model_fields.items() if not info.exclude}


def test_names_order_descriptions_and_null_are_those_of_what_is_written(built_site: Published) -> None:
    result, models = built_site
    schemas = result.json("openapi.json")["components"]["schemas"]
    for name, fields in models.items():
        built_in, own, properties = names(fields.model), names(fields.own), schemas[name]["properties"]
        assert [*properties] == [*built_in, *COMPUTED[name]], name
        assert schemas[name]["required"] == [*properties]
        if "custom" in properties:
            custom = schemas[f"{name}Custom"]
            assert [*custom["properties"]] == custom.get("required", []) == [*own]
            properties = properties | custom["properties"]
        for field, info in (built_in | own).items():
            assert properties[field]["description"] == info.description
            nullable = "null" in str(properties[field].get("type") or properties[field].get("anyOf"))
            assert nullable == (NoneType in get_args(info.annotation)), f"{name}.{field}"


def test_a_logo_behind_a_link_is_refused(site: SiteFolder, tmp_path: Path) -> None:
    site.write("docs/index.md", "# Home")
    outside = tmp_path.parent / "outside.svg"
    outside.write_text("<svg/>")
    (site.folder / "docs/linked.svg").symlink_to(outside)
    site.image("a", "logo: linked.svg")
    site.write_config()
    assert places(site) == (True, ["CAT021 docs/images/a.md 5:1 logo", "CAT002 docs/linked.svg 0:0"])


@given(
    st.text("aZé7 .,+/()-_*#`&<[\\:", max_size=12),
    st.sampled_from(["", "\n", "\nText\n", "\n---\n", "\n: x\n", "\n***\n"]),
)
def test_a_heading_is_read_as_markdown_has_it(title: str, rest: str) -> None:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", markdown(f"# {title}{rest}", extensions=["extra"]), re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]*>", "", found[1])).strip() if found else None
    assert heading(f"---\ntier: core\n---\n\n# {title}{rest}") == (text or None)


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
