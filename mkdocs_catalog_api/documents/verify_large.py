"""Documents with very many parts, decoded as strictly as others, but a part at a time: as a whole they would
take several times the memory of their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Raw, Struct, defstruct

from ..catalog.vulnerabilities import Suppressed, Vulnerability
from .structs.discovery import Manifest, ManifestEntry
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
    """What `msgspec.json.decode` gives, with rows, records and items decoded when they are looked at.

    Raises:
        msgspec.DecodeError: as it does.
    """
    document = _decoder(struct).decode(body)
    for name, part in _parts(struct).items():
        raw = getattr(document, name)
        if isinstance(raw, dict):  # no rule looks at it
            for one in raw.values():
                decode(one, part)
            raw.clear()
        elif raw is not None:
            setattr(document, name, _Each(raw, part))
    for _ in getattr(document, "suppressed", None) or () if struct in _PARTS else ():
        pass  # what no rule looks at, either
    return document


@cache
def _parts(struct: type[Struct]) -> dict[str, type[Struct]]:
    """Field → what it has very many of."""
    if struct in _PARTS:
        return _PARTS[struct]
    data = get_type_hints(struct).get("data")
    whole = get_origin(data) is not list or hasattr(struct, "faults")  # which look at all of it at once
    return {} if whole else {"data": get_args(data)[0]}


@cache
def _decoder(struct: type[Struct]) -> msgspec.json.Decoder[Any]:
    parts = _parts(struct)
    if not parts:
        return msgspec.json.Decoder(struct)
    hints = get_type_hints(struct, include_extras=True)
    for name, part in parts.items():
        many: Any = dict[str, Raw] if struct is Manifest else list[Raw]
        hints[name] = many | None if part in _ROWS.values() else many
    if struct is SecurityDetail:
        hints["latest"] = Raw  # the bytes of the first record, or a fault
    return msgspec.json.Decoder(
        defstruct(struct.__name__, [*hints.items()], forbid_unknown_fields=True, rename="camel")
    )


_ROWS: dict[str, type[Struct]] = {"cves": Vulnerability, "suppressed": Suppressed}
_PARTS: dict[type[Struct], dict[str, type[Struct]]] = {
    Release: _ROWS,
    ReleaseDocument: _ROWS,
    SecurityDetail: {"versions": Release},
    Manifest: {"documents": ManifestEntry},
}
