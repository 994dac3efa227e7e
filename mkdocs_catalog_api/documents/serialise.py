"""The one serialiser: compact UTF-8 JSON with one trailing newline, parts spliced in as bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NewType

from pydantic import BaseModel
from pydantic_core import to_json

Raw = NewType("Raw", bytes)
"""JSON that is serialised (and checked) already. There are no other bytes in what is serialised."""


def encode(value: object) -> bytes:
    """Compact JSON of plain values, models, and `Raw` parts one or two levels deep."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, BaseModel):
        return value.__pydantic_serializer__.to_json(value, by_alias=True)
    if isinstance(value, Mapping):
        return b"{" + b",".join(_members(value)) + b"}"
    return to_json(value)


def _members(value: Mapping[str, object]) -> Iterator[bytes]:
    """The members of an object; the plain ones between two parts at once."""
    plain: dict[str, object] = {}
    for key, part in value.items():
        if not isinstance(part, bytes | BaseModel):
            plain[key] = part
            continue
        if plain:
            yield to_json(plain)[1:-1]
            plain = {}
        yield to_json(key) + b":" + encode(part)
    if plain:
        yield to_json(plain)[1:-1]


def array(parts: Iterable[bytes]) -> Raw:
    """A JSON array of parts that are serialised already."""
    return Raw(b"[%b]" % b",".join(parts))


def members(*objects: bytes) -> Raw:
    """One JSON object with the members of several non-empty ones, in order."""
    return Raw(b"{%b}" % b",".join([part[1:-1] for part in objects]))


def document(value: object, **parts: bytes) -> bytes:
    """The bytes of a document: an object, and after its own members large parts that are copied only once."""
    head = encode(value)
    if not parts:
        return head + b"\n"
    pieces = [head[:-1]]
    for name, part in parts.items():
        pieces += [b',"', name.encode(), b'":', part]
    return b"".join([*pieces, b"}\n"])
