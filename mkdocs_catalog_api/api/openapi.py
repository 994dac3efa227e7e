"""The OpenAPI 3.1 document of the API, made from the Structs that the documents are checked with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec.json import schema as json_schema
from msgspec.json import schema_components

from .addresses import PREFIX
from .compatibility import POLICY
from .examples import Example
from .lookups.table import lookup_routes
from .routes import TAGS, Parameter, Route, routes
from .structs.items import ItemStructs

_DESCRIPTION = f"""\
Read-only, static JSON, written whenever the catalog is published: every response is a document that is
addressed by its path. Any origin may read it, nothing needs a key, and query strings are not read.

**Null** means that something is not known; `0` and `[]` mean that somebody looked and found none. What has
no scan has no figures, so it never looks clean.

**Filter** on your side: fetch a collection, or follow `links.next` from its page 1.

**Cache** for an hour: documents change when the catalog is published, on most days once.

In the examples, lists and maps are cut to one entry.

## Compatibility

{POLICY}"""

_WORD_TYPES = {str: "string", int: "integer"}


@dataclass(frozen=True, slots=True)
class About:
    """What the document says of the API beside its paths."""

    title: str
    contact: Mapping[str, str] = field(default_factory=dict)
    """`name`, `url`, `email` of who answers questions; empty when nobody is named."""
    license: Mapping[str, str] = field(default_factory=dict)
    """`name` with `identifier` or `url`: on what terms the documents may be used; empty when not said."""


class Described(NamedTuple):
    """What can be said of the documents before there are any."""

    routes: list[tuple[Route, Mapping[str, Any]]]
    """Each with the schema of its documents."""
    schemas: dict[str, dict[str, Any]]
    """Name of each component → the schema."""


def describe(items: Mapping[str, ItemStructs]) -> Described:
    """Every path with its schema; `items` has the Structs of each collection."""
    table = [*routes(items), *lookup_routes()]
    references, schemas = schema_components(
        [route.struct for route in table], ref_template="#/components/schemas/{name}"
    )
    opened = {name: _open(part) for name, part in schemas.items()}
    opened["Badge"]["dependentRequired"] = {"namedLogo": ["logoColor"], "logoColor": ["namedLogo"]}
    return Described([*zip(table, references, strict=True)], dict(sorted(opened.items())))


def openapi(described: Described, about: About, examples: Mapping[str, Example]) -> dict[str, Any]:
    """OpenAPI 3.1 of every path."""
    paths = {
        f"/{PREFIX}/{route.path}": {"get": _operation(route, schema, examples.get(route.path))}
        for route, schema in described.routes
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": about.title,
            "version": "v1",
            "description": _DESCRIPTION,
            **({"contact": dict(about.contact)} if about.contact else {}),
            **({"license": dict(about.license)} if about.license else {}),
        },
        # Relative to this document, so that it is right under every mount path.
        "servers": [{"url": "../..", "description": "The site that this document is on."}],
        "security": [],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": described.schemas,
            "responses": {
                "NotFound": {
                    "description": "There is no such document. The body is the host's own error page, not "
                    "JSON, so look at the status before you parse."
                }
            },
        },
    }


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema for clients: new fields may come, which the check of documents forbids."""
    if schema.pop("additionalProperties", True):
        schema["additionalProperties"] = True  # foreign ones too, as in an OpenAPI document
    schema.pop("title", None)
    for name, part in schema["properties"].items():
        schema["properties"][name] = _simpler(part)
    return schema


def _simpler(part: dict[str, Any]) -> dict[str, Any]:
    """A schema as generators like it: words say their type, and a whole number is a number, too."""
    options = part.get("anyOf", [])
    for option in (part, part.get("items", {}), *options):
        if "enum" in option:
            option["enum"] = option.pop("words", option["enum"])  # in their own order, not sorted
            option["type"] = _WORD_TYPES[type(option["enum"][0])]
    if {"type": "integer"} in options and {"type": "number"} in options:
        options.remove({"type": "integer"})
    if len(options) == 1:
        del part["anyOf"]
        part |= options[0]
    return part


def _operation(route: Route, schema: Mapping[str, Any], example: Example | None) -> dict[str, Any]:
    values = example.parameters if example else {}
    parameters = [_parameter(parameter, values) for parameter in route.parameters]
    content: dict[str, Any] = {"schema": schema, **({"example": example.body} if example else {})}
    return {
        "operationId": route.operation,
        "tags": [route.tag],
        "summary": route.summary,
        "description": route.description,
        **({"parameters": parameters} if parameters else {}),
        "responses": {
            "200": {
                "description": (route.struct.__doc__ or route.summary).partition("\n")[0],
                "content": {"application/json": content},
            },
            "404": {"$ref": "#/components/responses/NotFound"},
        },
    }


def _parameter(parameter: Parameter, values: Mapping[str, str | int]) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "path",
        "required": True,
        "description": parameter.description,
        "schema": _simpler(json_schema(parameter.type)),
        **({"example": values[parameter.name]} if parameter.name in values else {}),
    }
