"""Our words for the errors of JSON decoders, whose own words change with their releases."""

from __future__ import annotations

import re

import msgspec

_KINDS = {
    "array": "a list",
    "bool": "true or false",
    "datetime": "a time",
    "date": "a day",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "text",
}
_MALFORMED = {
    "trailing characters": "text after its end",
    "recursion": "nested too deeply",
    "control character": "a control character in a text",
    "number": "a number that is not one of JSON, or has too many digits",
}
"""Words of a decoder → ours. The first that match are used."""


def explain_decoding(error: Exception) -> tuple[str, str]:
    """Return why JSON can't be used, and the path of the value, such as `rows[0].id`; empty for the whole.

    Errors of our own decoders, which are a plain `ValueError`, keep their message.
    """
    words, _, path = str(error).partition(" - at `$")
    path = path.rstrip("`").removeprefix(".")
    if isinstance(error, msgspec.ValidationError):
        return _of_value(words), path
    if isinstance(error, msgspec.DecodeError):
        return malformed(words), path
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8", ""
    return "nested too deeply" if isinstance(error, RecursionError) else words, path


def decoding_reason(error: Exception) -> str:
    """Return the same in one text that begins with the path."""
    message, path = explain_decoding(error)
    return f"{path}: {message}" if path else message


def malformed(words: str) -> str:
    """Return what is wrong with JSON of which a decoder says this."""
    if is_incomplete(words):
        return "the JSON ends too early"
    details = next((f": {ours}" for theirs, ours in _MALFORMED.items() if theirs in words), "")
    return f"not valid JSON{details}"


def is_incomplete(words: str) -> bool:
    """Whether a decoder says that the JSON ends too early."""
    return "truncated" in words or "EOF while parsing" in words


def _of_value(words: str) -> str:
    if missing := re.match(r"Object missing required field `(.+?)`", words):
        return f"`{missing[1]}` is missing"
    if unknown := re.match(r"Object contains unknown field `(.+?)`", words):
        return f"unknown field `{unknown[1]}`"
    if kinds := re.match(r"Expected `(.+?)`, got `(.+?)`", words):
        expected = [_KINDS.get(kind, kind) for kind in kinds[1].split(" | ") if kind != "null"]
        return f"expected {' or '.join(expected)}, got {_KINDS.get(kinds[2], kinds[2])}"
    return "the list is too short" if "`array` of length >" in words else "not a valid value"
