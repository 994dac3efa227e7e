"""The one serialiser: compact UTF-8 JSON with one trailing newline, parts spliced in as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from pydantic import BaseModel


class Raw(bytes):
    """JSON that is serialised (and checked) already."""


def encode(value: object) -> bytes:
    """Compact JSON of plain values, models, and `Raw` parts one or two levels deep."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, BaseModel):
        return value.__pydantic_serializer__.to_json(value, by_alias=True)
    if isinstance(value, Mapping) and any(isinstance(part, Raw | BaseModel) for part in value.values()):
        return b"{" + b",".join(_plain(key) + b":" + encode(part) for key, part in value.items()) + b"}"
    return _plain(value)


def array(parts: Iterable[bytes]) -> Raw:
    """A JSON array of parts that are serialised already."""
    return Raw(b"[" + b",".join(parts) + b"]")


def members(*objects: bytes) -> Raw:
    """One JSON object with the members of several non-empty ones, in order."""
    return Raw(b"{" + b",".join(part[1:-1] for part in objects) + b"}")


def document(value: object) -> bytes:
    """The bytes of a document."""
    return encode(value) + b"\n"


def _plain(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
