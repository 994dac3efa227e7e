"""JSON Schemas for editors: of items on pages and in data files, and of mkdocs.yml.

The schemas are draft 2020-12. They only use keywords of draft 7, since many editors support that draft.
An editor reads `version: 1.10` as a number, the plugin reads it as text. So the schemas allow numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from mkdocs_catalog_api.authored.config_file import PLUGIN
from mkdocs_catalog_api.authored.from_registry import REGISTRY, FromRegistry
from mkdocs_catalog_api.authored.settings import CollectionSettings, Settings
from mkdocs_catalog_api.items.collections import ITEM_MODELS
from mkdocs_catalog_api.items.fields import COMPUTED, FieldType
from mkdocs_catalog_api.items.models import Outcome, UpdateEntry

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DEFAULTED = frozenset({"slug", "name", "image"})
"""Required fields of an item that have a default by convention."""


class _Generator(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        """Omit titles, as they only repeat the names of the fields."""
        return False


def schemas(
    settings: Settings | None = None, *, lookups: Sequence[str] = (), scanners: Sequence[str] = ()
) -> dict[str, Schema]:
    """Return file name → schema. With `settings`, the collections have the fields and rules of a catalog.

    `lookups` and `scanners` are the allowed values of these settings.
    """
    collections = {
        f"{name}.json": _items(name, getattr(settings or Settings(), name)) for name in ITEM_MODELS
    }
    return collections | {"updates.json": _updates(), "mkdocs.json": _mkdocs(lookups, scanners)}


def _items(name: str, section: CollectionSettings) -> Schema:
    fields = section.item_fields(ITEM_MODELS[name])
    item, definitions = _generate(fields.model)
    category, listed = item["properties"]["category"], item["properties"].pop("categories")
    description = category.pop("description")
    item["properties"]["category"] = {
        "anyOf": [
            *category.get("anyOf", [category]),
            {**listed, "description": "All categories; the first is the main category."},
        ],
        "description": description,
    }
    if listed := item["properties"].get("versions"):
        choice, definitions_of_choice = _generate(FromRegistry)
        definitions |= definitions_of_choice
        item["properties"]["versions"] = {
            "description": listed.pop("description"),
            "type": ["array", "string", "object"],
            "if": {"type": "array"},
            "then": listed,
            "else": {"anyOf": [{"const": REGISTRY}, choice, {"type": "null"}]},
        }
    versions = [part for part in definitions.values() if "version" in part["properties"]]
    for schema, own in [(item, fields.own), *((part, fields.own_of_versions) for part in versions)]:
        declared, _ = _generate(own)
        schema["properties"] |= declared["properties"]
        schema["required"] += declared.get("required", ())
    read_elsewhere = {*_DEFAULTED, *dict(fields.keys)}
    required = [field for field in item.pop("required") if field not in read_elsewhere]
    properties = {
        field: schema if field in required else _or_null(schema)
        for field, schema in item["properties"].items()
    }
    item |= {
        "properties": properties
        | {"catalog": {"enum": [False, *ITEM_MODELS], "description": "The collection of the page."}}
        | dict.fromkeys(sorted(COMPUTED), False),
        "additionalProperties": True,
    }
    named: Schema = {"anyOf": [{"required": [key]} for key in ("slug", "name", "title")]}
    full: Schema = {"allOf": [{"$ref": "#/$defs/Item"}, {"required": required}]}
    return {
        "$schema": _DIALECT,
        "title": f"Front matter of {name}, or a data file of them",
        "type": ["object", "array"],
        "if": {"type": "array"},
        "then": {"items": {"allOf": [*full["allOf"], named]}},
        "else": full,
        "$defs": {"Item": item, **definitions},
    }


def _or_null(schema: Schema) -> Schema:
    """Allow an empty value, which is the same as a missing one."""
    if {"type": "null"} in schema.get("anyOf", ()):
        return schema
    if "type" in schema and "enum" not in schema:
        given = schema["type"]
        return schema | {"type": [*(given if isinstance(given, list) else [given]), "null"]}
    rest = {key: value for key, value in schema.items() if key != "description"}
    described = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [rest, {"type": "null"}], **described}


def _updates() -> Schema:
    item, definitions = _generate(UpdateEntry)
    required = item.pop("required")
    keys = {field: [field] for field in item["properties"]}
    for key, field in UpdateEntry.spellings.items():
        keys[field].append(key)
    words = [*get_args(Outcome), "suspended"]
    any_case = "|".join("".join(f"[{c.upper()}{c}]" for c in word) for word in words)
    item["properties"]["outcome"] = {
        "anyOf": [{"enum": words}, {"type": "string", "pattern": f"^(?:{any_case})$"}],
        "description": item["properties"]["outcome"]["description"],
    }
    item["properties"] = {key: item["properties"][field] for field in keys for key in keys[field]}
    item["allOf"] = [{"anyOf": [{"required": [key]} for key in keys[field]]} for field in required]
    entries: Schema = {"type": "array", "items": {"$ref": "#/$defs/Update"}}
    return {
        "$schema": _DIALECT,
        "title": "Updates: a data file, or a page with the list under `updates`",
        "type": ["object", "array"],
        "if": {"type": "array"},
        "then": entries,
        "else": {"properties": {"updates": entries}, "required": ["updates"]},
        "$defs": {"Update": item, **definitions},
    }


def _mkdocs(lookups: Sequence[str], scanners: Sequence[str]) -> Schema:
    """Return the schema of mkdocs.yml, which only describes the settings of this plugin."""
    settings = Settings.model_json_schema(schema_generator=_Generator)
    definitions: Schema = settings.pop("$defs")
    for model in _models(Settings):
        schema = settings if model is Settings else definitions[model.__name__]
        for name, value in schema["properties"].items():
            # An empty section has the default values.
            if "$ref" in value:
                value = {"anyOf": [{"$ref": value["$ref"]}, {"type": "null"}]}
            value.pop("default", None)
            schema["properties"][name] = value
    collection = definitions["CollectionSettings"]["properties"]
    short: Schema = {"enum": list(get_args(FieldType))}
    for name in ("fields", "version_fields"):
        collection[name]["additionalProperties"] = {"anyOf": [short, {"$ref": "#/$defs/FieldRule"}]}
    security = definitions["SecuritySettings"]["properties"]
    security["scanners"]["items"] = {"enum": [*scanners], "type": "string"}
    settings["properties"]["lookups"]["items"] = {"enum": [*lookups], "type": "string"}
    plugin: Schema = {PLUGIN: {"anyOf": [{"$ref": "#/$defs/Settings"}, {"type": "null"}]}}
    return {
        "$schema": _DIALECT,
        "title": f"mkdocs.yml with the settings of {PLUGIN}",
        "type": "object",
        "properties": {
            "plugins": {
                "type": ["array", "object"],
                "items": {"type": ["string", "object"], "properties": plugin},
                "properties": plugin,
            }
        },
        "$defs": {"Settings": settings, **definitions},
    }


def _generate(model: type[BaseModel]) -> tuple[Schema, Schema]:
    """Return the schema of a model's input in front matter, and its definitions."""
    schema: Schema = _as_written(model.model_json_schema(schema_generator=_Generator))
    definitions: Schema = schema.pop("$defs", {})
    for definition in definitions.values():
        properties = definition["properties"]
        if "image" in properties:  # a pin, which gets its name from its reference
            definition["required"].remove("name")
        if "digests" in properties:  # a list under `digest` is its short form
            properties["digest"]["anyOf"].append({"type": "array", "items": properties["digests"]["items"]})
    return schema, definitions


def _as_written(node: Any) -> Any:
    """Return the schema for plain YAML scalars, which the plugin reads as text."""
    if isinstance(node, list):
        return [_as_written(part) for part in node]
    if not isinstance(node, dict):
        return node
    node = {key: _as_written(part) for key, part in node.items() if key != "default"}
    if node.get("type") == "string" and not node.keys() & {"format", "enum", "const"}:
        node["type"] = ["string", "number"]
    elif node.get("type") == "boolean":
        node = {key: part for key, part in node.items() if key != "type"}
        node["enum"] = [True, False, "yes", "no", "on", "off"]
    return node


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Yield the models in a type, also nested ones."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for info in annotation.model_fields.values():
            yield from _models(info.annotation)
    for part in get_args(annotation):
        yield from _models(part)
