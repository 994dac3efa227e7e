"""The OpenAPI 3.1 document of the API, made from the Structs that check the documents."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias, get_args

import msgspec
from msgspec.json import schema as json_schema
from msgspec.json import schema_components

from ..catalog.addresses import PREFIX, Addresses
from ..catalog.events import AnyEvent
from ..catalog.value import Catalog
from .item_structs import AUTHORED_EXAMPLE
from .kinds import TAGS, Kind, Parameter, Route

POLICY = """\
- Within `v1` the shape of the documents only grows: new documents, new fields, new kinds of events, and new
  words in open lists (`x-extensible-enum`). No field is removed, renamed or given another type, and no field
  becomes null that was not null before. Closed lists (`enum`) keep their words.
- Clients ignore unknown fields and events of an unknown kind, and accept an unknown word in an open list.
- A field or document is marked `deprecated` in `openapi.json` and announced in the changelog before it is
  removed. It is removed in `/api/v2` at the earliest, and `/api/v1` is then published for six more months.
- The `lifecycle` of an image or chart is `deprecated` or `withdrawn` before its documents are removed, and a
  version has an `endOfLife` date. Roadmap items, updates and pages can be removed at any time.
"""
"""What clients can rely on."""
_TITLE = "Catalog API"
"""The same for every site, since generators name packages after it."""
_DESCRIPTION = f"""\
Read-only, static JSON, written whenever the catalog is published. Every path is a document. Any origin may
read it, no request needs a key, and query strings have no effect.

**Null** means that something is not known; `0` and `[]` mean that a scan found
none. Without a scan, every count is null: do not show such an image as clean.

**Filter** on your side: fetch a collection, or follow `links.next` from its page 1.

**Cache** for an hour: documents change when the catalog is published, about once a day.

## Compatibility

{POLICY}"""

_WORD_TYPES = {str: "string", int: "integer"}
_CONSTRAINTS = ("pattern", "minLength", "maxLength", "minimum", "maximum")
_REFERENCE = "#/components/schemas/{name}"
_HEADERS = {
    "ETag": "Identifies these bytes: send it back in `If-None-Match`. Most hosts send it.",
    "Last-Modified": "Time of the last change: send it back in `If-Modified-Since`. Most hosts send it.",
    "Cache-Control": "Lifetime of a copy: an hour, unless the host sets another.",
}
_RESPONSES = {
    "NotModified": {
        "description": "The document has not changed since the copy that `If-None-Match` or "
        "`If-Modified-Since` identifies."
    },
    "NotFound": {
        "description": "There is no such document. The body is the host's own error page, not "
        "JSON, so check the status before you parse."
    },
}


_EVENT = (
    "One change between two recorded days, of the kind that `kind` names. Later versions add kinds: ignore "
    "those that you do not know."
)
_BODIES: Mapping[str, Mapping[str, Any]] = {
    "application/gzip": {"type": "string", "format": "binary"},
    "text/plain": {"type": "string"},
}
"""Media type → schema of documents that are not JSON."""
Schema: TypeAlias = dict[str, Any]


def openapi(catalog: Catalog, kinds: Sequence[Kind]) -> dict[str, Any]:
    """OpenAPI 3.1 of every route of these kinds.

    It depends on the site and the settings alone: catalogs with the same ones have the same description.
    """
    routes = [route for kind in kinds for route in kind.routes]
    tags = [kind.tag for kind in kinds for _ in kind.routes]
    bodies, parameters, schemas = msgspec.json.decode(_schemas(tuple(routes)))
    _add_examples(schemas, catalog.addresses)
    paths = {
        f"/{PREFIX}/{route.path}": {"get": _operation(tag, route, body, of_path)}
        for tag, route, body, of_path in zip(tags, routes, bodies, parameters, strict=True)
    }
    servers = [{"url": catalog.addresses.mount or "/", "description": "The site that this document is on."}]
    if catalog.site_url:
        servers.append({"url": catalog.site_url.rstrip("/"), "description": "The site at its own URL."})
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in _HEADERS.items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": _TITLE, "summary": catalog.title, "version": "v1", "description": _DESCRIPTION},
        "servers": servers,
        "security": [],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {"schemas": schemas, "headers": headers, "responses": _RESPONSES},
    }


@cache
def _schemas(routes: tuple[Route, ...]) -> bytes:
    """The schema of each route's documents, its parameters, and the named schemas by their names, as JSON.

    They take most of a small build's time, and are the same for every catalog with the same fields.
    """
    references, schemas = schema_components(
        [route.struct for route in routes if route.struct], ref_template=_REFERENCE
    )
    remaining = iter(references)
    bodies = [next(remaining) if route.struct else _BODIES[route.media_type] for route in routes]
    named: dict[str, Schema] = {}
    for name, schema in schemas.items():
        named[name] = _open(name, schema, named)
    for event in get_args(AnyEvent):
        if event.__name__ in named:
            schema = named[event.__name__]
            schema["properties"]["kind"]["description"] = "Kind of the event."
            schema["required"] = [*schema["properties"]]  # only a recorded day may lack a field
            for part in schema["properties"].values():
                part.pop("default", None)
    parameters = [[_parameter(parameter, named) for parameter in route.parameters] for route in routes]
    return msgspec.json.encode((bodies, parameters, dict(sorted(named.items()))))


def _open(name: str, schema: Schema, named: dict[str, Schema]) -> Schema:
    """A schema for clients: new fields may come, which the check of documents forbids.

    `named` gets the schemas of words, events and maps in it, by their names.
    """
    if schema.pop("additionalProperties", True):
        schema["additionalProperties"] = True  # foreign ones too, as in an OpenAPI document
    schema.pop("title", None)
    # A docstring, which Python keeps with its indentation before 3.13.
    schema["description"] = inspect.cleandoc(schema["description"])
    for field, part in schema["properties"].items():
        simpler = _simpler(part, named)
        if simpler.get("type") == "object":  # a map, for which some generators would make up a name
            map_name = f"{name}{field[0].upper()}{field[1:]}"
            named[map_name] = {"additionalProperties": True, **simpler}
            simpler = {
                "description": simpler["description"],
                "$ref": _REFERENCE.format(name=map_name),
            }
        schema["properties"][field] = simpler
    return schema


def _simpler(part: Schema, named: dict[str, Schema]) -> Schema:
    """A schema that generators read well: words and events have names, and null is one of the types."""
    if "discriminator" in part:
        named["Event"] = {
            "description": _EVENT,
            "oneOf": part["anyOf"],
            "discriminator": part["discriminator"],
        }
        return {"$ref": _REFERENCE.format(name="Event")}
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            part[key] = _simpler(part[key], named)
            # Some generators would make a class of a constrained entry, with a name of their own.
            for constraint in _CONSTRAINTS:
                part[key].pop(constraint, None)
    part.pop("propertyNames", None)  # closed lists of words have names, which the keys of a map can't have
    options = part.pop("anyOf", [])
    null = {"type": "null"} in options
    for option in options:
        if option.get("type") != "null":  # of an integer and a number the last counts, which is any number
            part |= _simpler(option, named)
    if part.get("type") == "integer":
        part["format"] = "int64"  # sizes in bytes
    elif part.get("type") == "number":
        part.pop("format", None)
    if "enum" in part:
        _name_words(part, named)
    if null and "$ref" in part:
        part["anyOf"] = [{"$ref": part.pop("$ref")}, {"type": "null"}]
    elif null:
        part["type"] = [part["type"], "null"]
    return part


def _name_words(part: Schema, named: dict[str, Schema]) -> None:
    """Give a list of words its type and, when clients can rely on no other word, a schema of its own.

    With names for its words: `A+` and `A` make no two names in most languages. An open list is a hint: there
    may be more words at any time.
    """
    listed = part.pop("enum")
    listed = part.pop("words", listed)  # in their own order, not sorted
    kind = _WORD_TYPES[type(listed[0])]
    if part.pop("open", False):
        part |= {"type": kind, "x-extensible-enum": listed}
    elif name := part.pop("component", ""):
        part.pop("type", None)
        part["$ref"] = _REFERENCE.format(name=name)
        named[name] = {
            "description": f"One of {', '.join(f'`{word}`' for word in listed)}.",
            "type": kind,
            "enum": listed,
            "x-enum-varnames": [re.sub(r"\W", "_", word.replace("+", "_PLUS")).upper() for word in listed],
        }
    else:
        (word,) = listed
        part |= {"type": kind, "const": word}


def _operation(
    tag: str, route: Route, body: Mapping[str, Any], parameters: Sequence[Schema]
) -> dict[str, Any]:
    return {
        "operationId": route.operation,
        "tags": [tag],
        "summary": route.summary,
        "description": route.description,
        **({"parameters": parameters} if parameters else {}),
        "responses": {
            "200": {
                "description": ((route.struct and route.struct.__doc__) or route.summary).partition("\n")[0],
                "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS},
                "content": {route.media_type: {"schema": body}},
            },
            "304": {"$ref": "#/components/responses/NotModified"},
            "404": {"$ref": "#/components/responses/NotFound"},
        },
    }


def _parameter(parameter: Parameter, named: dict[str, Schema]) -> Schema:
    schema, fields = _simpler(json_schema(parameter.type), named), _examples()["fields"]
    if parameter.name in fields and "$ref" not in schema:
        schema.setdefault("examples", [fields[parameter.name]])
    return {
        "name": parameter.name,
        "in": "path",
        "required": True,
        "description": parameter.description,
        "schema": schema,
        **({"example": schema["examples"][0]} if "examples" in schema else {}),
    }


@cache
def _examples() -> dict[str, dict[str, Any]]:
    """The values of one imaginary image, `nginx`, and of one chart, `web`.

    They agree with each other, and their links lead from one to the next:

    - `fields`: field, or parameter of a path → its value in every schema without one of its own
    - `schemas`: schema → field → value, where it differs and the field's `Meta` has no example
    - `words`: list of words → one of them, if it is not the first
    - `custom`: format or type of a custom field → a value
    - `maps`: schema of a map → a few of its entries

    A field `*` stands for each field of its schema; its value has the field's name as `{field}`.
    `{"like": "figures"}` has those of the image's newest version. In links, `API` and `SITE` stand for the
    addresses of the catalog.
    """
    return msgspec.json.decode(
        (files(__package__) / "examples.json").read_bytes(), type=dict[str, dict[str, Any]]
    )


def _add_examples(schemas: Mapping[str, dict[str, Any]], addresses: Addresses) -> None:
    """Give every text and number in these schemas an example, and objects where those would not fit."""
    fields, by_schema, words, maps = (_examples()[key] for key in ("fields", "schemas", "words", "maps"))
    for name, schema in schemas.items():
        known = _addressed(by_schema.get(name, {}), addresses)
        if each := known.pop("*", ""):
            known |= {field: each.replace("{field}", field) for field in schema["properties"]}
        if "enum" in schema:
            schema["examples"] = [words.get(name, schema["enum"][0])]
        elif name in maps:
            schema["examples"] = [_addressed(maps[name], addresses)]
            schema["additionalProperties"]["examples"] = [*schema["examples"][0].values()][:1]
        for field, part in schema.get("properties", {}).items():
            inner, own = part, part.pop("examples", [None])[0]
            authored = part.pop(AUTHORED_EXAMPLE, None)
            while "$ref" not in inner and isinstance(inner.get("items"), dict):
                inner = inner["items"]
                own, authored = (each[0] if isinstance(each, list) else each for each in (own, authored))
                own = inner.pop("examples", [own])[0]
            if inner.keys() & {"$ref", "anyOf", "const"} and (inner is not part or field not in known):
                continue  # with an example of its own
            value = known.get(field, fields.get(field, authored) if own is None else own)
            if name.endswith("Custom") or (value is None and field not in known):
                value = _unknown(inner)
            if value is not None or field in known:
                inner["examples"] = [_addressed(value, addresses)]


def _unknown(schema: Mapping[str, Any]) -> Any:
    """A value for a field of the catalog, or for a list of words."""
    if words := schema.get("x-extensible-enum"):
        return words[0]
    types = schema.get("type", ())
    names = [schema.get("format"), *([types] if isinstance(types, str) else types)]
    custom = _examples()["custom"]
    return next((custom[name] for name in names if name in custom), None)


def _addressed(value: Any, addresses: Addresses) -> Any:
    """The value with the addresses of the catalog in its links."""
    if isinstance(value, Mapping):
        whole = {**_examples()["figures"], **value} if "like" in value else value
        return {key: _addressed(part, addresses) for key, part in whole.items() if key != "like"}
    if isinstance(value, str) and value.startswith("API/"):
        return addresses.api(value.removeprefix("API/"))
    if isinstance(value, str) and value.startswith("SITE/"):
        return addresses.web(value.removeprefix("SITE/"))
    return value
