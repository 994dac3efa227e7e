"""Says in plain words what msgspec and pydantic report about JSON."""

from __future__ import annotations

import re

_TYPES = {
    "object": "an object",
    "array": "a list",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}
_TYPE = re.compile(r"`(\w+)(?: \| null)?`")
_PHRASES = (
    (r"Expected `(?:array|str)(?: \| null)?` of length >= 1", "empty"),
    (r"Object missing required field (`.*`)", r"\1 is missing"),
    (r"Input data was truncated|EOF while parsing.*", "the file is incomplete"),
    (r"recursion limit exceeded.*|.*recursion.*", "nested too deeply"),
    (r"trailing characters.*", "there is text after the end"),
    (r"(?i)number out of range.*", "a number in it is too large"),
    (r"JSON is malformed.*", "not valid JSON"),
    (r"Invalid RFC3339.*", "not a date, such as 2026-11-20"),
)


def known_fault(message: str) -> str:
    """Return the fault that the message of a decoder is about; "" for others."""
    matches = ((re.fullmatch(pattern, message), words) for pattern, words in _PHRASES)
    return next((match.expand(words) for match, words in matches if match), "")


def in_plain_words(message: str) -> str:
    """Return the message of a decoder for people who don't know it."""
    if fault := known_fault(message):
        return fault
    message = _TYPE.sub(lambda found: _TYPES.get(found[1], found[0]), message)
    return message[:1].lower() + message[1:]
