"""Examples in the OpenAPI document: the values of one imaginary image, `nginx`, and of one chart, `web`.

They are in `examples.json`, agree with each other, and their links lead from one to the next:

- `fields`: field, or parameter of a path → its value in every schema without one of its own
- `schemas`: schema → field → value, where it differs
- `words`: list of words → one of them, if it is not the first
- `custom`: format or type of a custom field → a value
- `maps`: schema of a map → a few of its entries

`{"like": "figures"}` has those of the image's newest version. In links, `API` and `SITE` stand for the
addresses of the catalog.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from ..catalog.addresses import Addresses


@cache
def _examples() -> dict[str, dict[str, Any]]:
    return msgspec.json.decode(
        (files(__package__) / "examples.json").read_bytes(), type=dict[str, dict[str, Any]]
    )


def add_examples(schemas: Mapping[str, dict[str, Any]], addresses: Addresses) -> None:
    """Give every text and number in these schemas an example, and objects where those would not fit."""
    fields, by_schema, words, maps = (_examples()[key] for key in ("fields", "schemas", "words", "maps"))
    for name, schema in schemas.items():
        known = _addressed(by_schema.get(name, {}), addresses)
        if "enum" in schema:
            schema["examples"] = [words.get(name, schema["enum"][0])]
        elif name in maps:
            schema["examples"] = [_addressed(maps[name], addresses)]
            schema["additionalProperties"]["examples"] = [*schema["examples"][0].values()][:1]
        for field, part in schema.get("properties", {}).items():
            inner = part
            while "$ref" not in inner and isinstance(inner.get("items"), dict):
                inner = inner["items"]
            if inner.keys() & {"$ref", "anyOf", "const"} and (inner is not part or field not in known):
                continue  # with an example of its own
            value = known.get(field, fields.get(field))
            if name.endswith("Custom") or (value is None and field not in known):
                value = _unknown(inner)
            if value is not None or field in known:
                inner["examples"] = [_addressed(value, addresses)]


def add_example(parameter: str, schema: dict[str, Any]) -> None:
    """Give a parameter of paths an example, unless it has one."""
    fields = _examples()["fields"]
    if parameter in fields and "$ref" not in schema:
        schema.setdefault("examples", [fields[parameter]])


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
