"""Documents with very many rows, decoded as strictly as others, but a record and a row at a time: as a whole
they would take several times the memory of their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_type_hints

import msgspec
from msgspec import Raw, Struct, defstruct

from ..catalog.vulnerabilities import Suppressed, Vulnerability
from .structs.security import Release, ReleaseDocument, SecurityDetail

LEAST = 16_000_000
"""Bytes from which on a document is decoded so."""


class _Each:
    """The parts of a list, decoded one after another whenever somebody goes through them."""

    def __init__(self, raw: list[Raw], struct: type[Struct]) -> None:
        self._raw, self._struct = raw, struct

    def __len__(self) -> int:
        return len(self._raw)

    def __iter__(self) -> Iterator[Any]:
        return (decode(raw, self._struct) for raw in self._raw)

    def __getitem__(self, index: int) -> Raw:
        """The bytes of one of them."""
        return self._raw[index]


def decode(body: bytes | Raw, struct: type[Struct]) -> Any:
    """What `msgspec.json.decode` gives, with rows and records that are decoded when they are looked at.

    Raises:
        msgspec.DecodeError: as it does.
    """
    document = _decoder(struct).decode(body)
    for name, part in _LISTS.get(struct, {}).items():
        if (raw := getattr(document, name)) is not None:
            setattr(document, name, _Each(raw, part))
    for _ in getattr(document, "suppressed", None) or () if struct in _LISTS else ():
        pass  # what no rule looks at, either
    return document


@cache
def _decoder(struct: type[Struct]) -> msgspec.json.Decoder[Any]:
    parts = _LISTS.get(struct)
    if not parts:
        return msgspec.json.Decoder(struct)
    hints = get_type_hints(struct, include_extras=True)
    if struct is SecurityDetail:
        hints["latest"] = Raw  # the bytes of the first record, or a fault
    fields = [(name, list[Raw] | None if name in parts else hint) for name, hint in hints.items()]
    return msgspec.json.Decoder(
        defstruct(struct.__name__, fields, forbid_unknown_fields=True, rename="camel")
    )


_ROWS: dict[str, type[Struct]] = {"cves": Vulnerability, "suppressed": Suppressed}
_LISTS: dict[type[Struct], dict[str, type[Struct]]] = {
    Release: _ROWS,
    ReleaseDocument: _ROWS,
    SecurityDetail: {"versions": Release},
}
