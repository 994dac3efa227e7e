"""The OpenAPI 3.1 document of the API, made from the Structs that the documents are checked with."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args

from msgspec import Struct, field
from msgspec.json import schema as json_schema
from msgspec.json import schema_components

from ..authored.settings import OpenApiSettings
from ..catalog.addresses import PREFIX
from ..catalog.events import AnyEvent
from ..catalog.value import Catalog
from .compatibility import POLICY
from .examples import Example
from .kinds import TAGS, Kind, Parameter, Route

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
_REFERENCE = "#/components/schemas/{name}"
_HEADERS = {
    "ETag": "Names these bytes: ask again with `If-None-Match`. Most hosts send it.",
    "Last-Modified": "When they were last written: ask again with `If-Modified-Since`. Most hosts send it.",
    "Cache-Control": "How long a copy may be kept: an hour, unless the host has a lifetime of its own.",
}
_RESPONSES = {
    "NotModified": {
        "description": "Nothing has changed since the copy that `If-None-Match` or "
        "`If-Modified-Since` speaks of."
    },
    "NotFound": {
        "description": "There is no such document. The body is the host's own error page, not "
        "JSON, so look at the status before you parse."
    },
}


class About(Struct, frozen=True):
    """What the document says of the API beside its paths."""

    title: str
    contact: Mapping[str, str] = field(default_factory=dict)
    """`name`, `url`, `email` of who answers questions; empty when nobody is named."""
    license: Mapping[str, str] = field(default_factory=dict)
    """`name` with `identifier` or `url`: on what terms the documents may be used; empty when not said."""
    mount: str = ""
    """Mount path of the site."""
    site_url: str | None = None
    """Its address, when it is known."""


def about(catalog: Catalog, settings: OpenApiSettings) -> About:
    """What the settings say of the API."""
    contact, terms = settings.contact, settings.license
    return About(
        catalog.title,
        contact.model_dump(exclude_none=True) if contact else {},
        terms.model_dump(exclude_none=True) if terms else {},
        catalog.addresses.mount,
        catalog.site_url,
    )


_BINARY: Mapping[str, Any] = {"type": "string", "format": "binary"}


class Described(NamedTuple):
    """What can be said of the documents before there are any."""

    routes: list[tuple[Route, Mapping[str, Any], list[dict[str, Any]]]]
    """Each with the schemas of its documents and of its parameters."""
    schemas: dict[str, dict[str, Any]]
    """Name of each component → the schema."""


def describe(kinds: Iterable[Kind]) -> Described:
    """Every path of these kinds of documents, with its schema."""
    table = [route for kind in kinds for route in kind.routes]
    found, schemas = schema_components(
        [route.struct for route in table if route.struct], ref_template=_REFERENCE
    )
    references = iter(found)
    bodies = [next(references) if route.struct else _BINARY for route in table]
    words: dict[str, dict[str, Any]] = {}
    opened = {name: _open(part, words) for name, part in schemas.items()}
    opened["Badge"]["dependentRequired"] = {"namedLogo": ["logoColor"], "logoColor": ["namedLogo"]}
    for event in get_args(AnyEvent):
        opened[event.__name__]["properties"]["kind"]["description"] = "What happened."
    parameters = [[_simpler(json_schema(one.type), words) for one in route.parameters] for route in table]
    described = [*zip(table, bodies, parameters, strict=True)]
    return Described(described, dict(sorted((opened | words).items())))


def openapi(described: Described, about: About, examples: Mapping[str, Example]) -> dict[str, Any]:
    """OpenAPI 3.1 of every path."""
    paths = {
        f"/{PREFIX}/{route.path}": {"get": _operation(route, schema, parameters, examples.get(route.path))}
        for route, schema, parameters in described.routes
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
        "servers": _servers(about),
        "security": [],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": described.schemas,
            "headers": {
                name: {"description": text, "schema": {"type": "string"}} for name, text in _HEADERS.items()
            },
            "responses": _RESPONSES,
        },
    }


def _servers(about: About) -> list[dict[str, str]]:
    """The mount path, which is right on any host, and where the site is."""
    servers = [{"url": about.mount or "/", "description": "The site that this document is on."}]
    if about.site_url:
        servers.append({"url": about.site_url.rstrip("/"), "description": "The site at its own address."})
    return servers


def _open(schema: dict[str, Any], words: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A schema for clients: new fields may come, which the check of documents forbids.

    `words` gets the schema of each closed list of words, by its name.
    """
    if schema.pop("additionalProperties", True):
        schema["additionalProperties"] = True  # foreign ones too, as in an OpenAPI document
    schema.pop("title", None)
    # A docstring, which Python keeps with its indentation before 3.13.
    schema["description"] = inspect.cleandoc(schema["description"])
    for name, part in schema["properties"].items():
        schema["properties"][name] = _simpler(part, words)
    return schema


def _simpler(part: dict[str, Any], words: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A schema as generators like it: words have names, and a whole number is a number, too."""
    options = part.get("anyOf", [])
    for option in (part, part.get("items", {}), *options):
        if "enum" in option:
            _name_words(option, words)
    if {"type": "integer"} in options and {"type": "number"} in options:
        options.remove({"type": "integer"})
    if len(options) == 1:
        del part["anyOf"]
        part |= options[0]
    return part


def _name_words(part: dict[str, Any], words: dict[str, dict[str, Any]]) -> None:
    """Give a list of words its type and, when it is of the contract, a schema of its own.

    With names for its words: `A+` and `A` make no two names in most languages. An author's words are a hint,
    as there may be more at any time.
    """
    listed = part.pop("enum")
    listed = part.pop("words", listed)  # in their own order, not sorted
    kind = _WORD_TYPES[type(listed[0])]
    if part.pop("open", False):
        part |= {"type": kind, "x-extensible-enum": listed}
    elif name := part.pop("component", ""):
        part["$ref"] = _REFERENCE.format(name=name)
        words[name] = {
            "description": f"One of {', '.join(f'`{word}`' for word in listed)}.",
            "type": kind,
            "enum": listed,
            "x-enum-varnames": [_variable(word) for word in listed],
        }
    else:
        part |= {"enum": listed, "type": kind}


def _variable(word: str) -> str:
    return re.sub(r"\W", "_", word.replace("+", "_PLUS")).upper()


def _operation(
    route: Route, schema: Mapping[str, Any], schemas: list[dict[str, Any]], example: Example | None
) -> dict[str, Any]:
    values = example.parameters if example else {}
    parameters = [
        _parameter(parameter, one, values) for parameter, one in zip(route.parameters, schemas, strict=True)
    ]
    content: dict[str, Any] = {"schema": schema, **({"example": example.body} if example else {})}
    return {
        "operationId": route.operation,
        "tags": [route.tag],
        "summary": route.summary,
        "description": route.description,
        **({"parameters": parameters} if parameters else {}),
        "responses": {
            "200": {
                "description": ((route.struct and route.struct.__doc__) or route.summary).partition("\n")[0],
                "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS},
                "content": {route.media_type: content},
            },
            "304": {"$ref": "#/components/responses/NotModified"},
            "404": {"$ref": "#/components/responses/NotFound"},
        },
    }


def _parameter(
    parameter: Parameter, schema: Mapping[str, Any], values: Mapping[str, str | int]
) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "path",
        "required": True,
        "description": parameter.description,
        "schema": schema,
        **({"example": values[parameter.name]} if parameter.name in values else {}),
    }
