"""Turns the errors of pydantic into messages for authors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ..items import names as references
from ..items.fields import COMPUTED, OwnFields
from ..problems import RefusedError
from ..problems.codes import Code

_INTERNAL = frozenset({"int", "float", "str", "bool", "constrained-str", "nullable"})
_WORD = re.compile(r"'((?:[^'\\]|\\.)*)'")
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_type": "keys and values",
    "model_attributes_type": "keys and values",
    "dict_type": "keys and values",
}


@cache
def field_names(model: type[BaseModel]) -> Sequence[str]:
    """Return the names of a model's fields as written by authors."""
    return [info.alias or name for name, info in model.model_fields.items()]


def names_at(model: type[BaseModel], path: Sequence[str | int]) -> Sequence[str]:
    """Return the allowed names of the mapping at `path` in the input of the model."""
    if issubclass(model, OwnFields):
        return field_names(model)
    if path and path[0] not in field_names(model):
        return []
    for step in path:
        fields = {info.alias or name: info for name, info in model.model_fields.items()}
        # A position in a list or a custom name in a mapping does not change the model.
        inner = models_in(fields[str(step)].annotation) if str(step) in fields else [model]
        if not inner:
            return []
        model = inner[0]
    return field_names(model)


def models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def resembling(word: str, names: Iterable[str]) -> str | None:
    """Return the name that `word` probably means, or None."""
    plain = {_plain(name): name for name in sorted(names)}
    near = get_close_matches(_plain(word), plain, n=1, cutoff=0.75)
    return plain[near[0]] if near else None


def _plain(word: str) -> str:
    return str(word).lower().replace("_", "").replace("-", "").replace(" ", "")


def suggestion(word: str, names: Sequence[str], otherwise: str) -> str:
    """Return a hint with the nearest name, else with all names after `otherwise`."""
    near = resembling(word, names)
    if near:
        return f"did you mean `{near}`?"
    return f"{otherwise} {', '.join(names)}" if names else "remove it"


def location(details: ErrorDetails) -> tuple[str | int, ...]:
    """Return the path of the error, without pydantic's functions and unions."""
    return tuple(
        step
        for step in details["loc"]
        if isinstance(step, int) or ("[" not in step and step not in _INTERNAL)
    )


def code_of(details: ErrorDetails) -> Code:
    kinds = {"missing": Code.MISSING_FIELD, "extra_forbidden": Code.UNKNOWN_FIELD}
    return kinds.get(details["type"], Code.WRONG_VALUE)


def message_and_hint(details: ErrorDetails, models: Sequence[type[BaseModel]] = ()) -> tuple[str, str]:
    """Return the message of an error and the hint to fix it.

    `models` are those that validated the values; they provide the names.
    """
    kind, value, context, path = details["type"], details["input"], details.get("ctx", {}), location(details)
    name = str(path[-1]) if path else ""
    match kind:
        case "missing":
            return "missing required field", f"add `{name}: …`"
        case "value_error":
            error = context["error"]
            return (error.message, error.hint) if isinstance(error, RefusedError) else (str(error), "")
        case "literal_error":
            return not_among(value, _WORD.findall(str(context["expected"])))
        case "extra_forbidden" if name in COMPUTED:
            return f"`{name}` is computed and can't be set", "remove it"
        case "extra_forbidden":
            names = [known for model in models for known in names_at(model, path[:-1])]
            return "unknown key", suggestion(name, names, "use one of")
        case "invalid_key" | "string_type" if kind == "invalid_key" or "[key]" in details["loc"]:
            return f"the key {shown(value)} is not text", "put it in quotes"
        case "string_unicode":
            return "text with characters that are not valid Unicode", "remove them"
        case "string_too_short":
            return "empty text", "add text or remove the field"
        case "too_short":
            return "empty list", "add an entry or remove the field"
        case "greater_than_equal":
            return f"{value} is too small", f"write {context['ge']} or more"
        case "less_than_equal":
            return f"{value} is too large", f"write {context['le']} or less"
        case "byte_size" | "byte_size_unit":
            return f"{shown(value)} is not a size", "write a number and a unit, such as 512MB"
        case "finite_number":
            return f"{value} is not a finite number", "use plain digits, such as 0.5"
        case _ if kind in _EXPECTED:
            expected = _EXPECTED[kind]
            return f"expected {expected}, got {shown(value)}", _hint(expected, value, name)
        case _:
            return f"{shown(value)}: {details['msg'][0].lower()}{details['msg'][1:]}", ""


def not_among(value: object, words: Sequence[str]) -> tuple[str, str]:
    return f"{shown(value)} is not allowed", suggestion(str(value), words, "allowed:")


def _hint(expected: str, value: object, name: str) -> str:
    match expected:
        case "text":
            return "put it in quotes" if isinstance(value, bool | int | float) else "write one value"
        case "a list" if isinstance(value, str | int | float):
            return f"write `{name}: [{_entry(name, shown(value).strip(chr(39)))}]`"
        case "a list":
            return "write `[a, b]`, or one `- a` line for each"
        case "keys and values":
            return "write `key: value`, one line for each"
        case _:
            return f"write {expected} without quotes" if isinstance(value, str) else f"write {expected}"


def _entry(name: str, value: str) -> str:
    """Return a value as an entry of a list of this name, so that the list is accepted."""
    if name == "platforms":
        try:
            return references.platform(value)
        except RefusedError as error:
            near = re.search("`(.+)`", error.hint)
            return near[1] if near else "linux/amd64"
    if name == "replaces":
        return value.partition("@")[0].rpartition("/")[0] + "/" * ("/" in value) + _without_tag(value)
    return value


def _without_tag(reference: str) -> str:
    """Return the last part of a reference, without tag and digest."""
    return reference.partition("@")[0].rpartition("/")[2].partition(":")[0]


def shown(value: object) -> str:
    """Return an invalid value as text for a message."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return "a list"
        case dict():
            return "keys and values"
        case str():
            return repr(value if len(value) <= 80 else f"{value[:80]}…")
        case _:
            return str(value)[:80]
