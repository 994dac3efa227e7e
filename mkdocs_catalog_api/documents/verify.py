"""The last look before anything is published: each document's bytes, decoded strictly into its Struct.

A violation is a fault of this plugin, never of an author, so it stops the build with the document and the
place. What the types can't say (sums, counts, what belongs together) say the modules `verify_…`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from ..catalog import addresses
from . import verify_history, verify_items, verify_large, verify_security

_REFERENCE = re.compile(rb'"\$ref":"#/components/schemas/([^"]+)"')
_PARAMETER = re.compile(r"\\\{\w+\\\}")
_RULES = verify_security.RULES | verify_history.RULES | verify_items.RULES


class ContractError(Exception):
    """A document breaks the contract of the API. This is a bug of the plugin."""

    def __init__(self, document: str, message: str) -> None:
        super().__init__(document, message)

    def __str__(self) -> str:
        document, message = self.args
        return f"{document}: {message}; this is a bug of mkdocs-catalog-api, please report it"


class Verifier:
    """Checks the bytes of documents; the links in them are compared with what was written at the end."""

    def __init__(self) -> None:
        self._decoders: dict[type[Struct], msgspec.json.Decoder[Any]] = {}

    def check(self, path: str, body: bytes, struct: type[Struct]) -> None:
        """Decode a document into its Struct, and see that its parts agree.

        Raises:
            ContractError: they don't.
        """
        decoder = self._decoders.get(struct)
        if decoder is None:
            decoder = self._decoders[struct] = msgspec.json.Decoder(struct)
        try:
            many = len(body) > verify_large.LEAST
            document = verify_large.decode(body, struct) if many else decoder.decode(body)
            fault = next(_faults(document, struct), None)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ContractError(path, str(error)) from error
        if fault is not None:
            raise ContractError(path, fault)


def check_links(linked: set[str], documents: Iterable[str]) -> None:
    """Every link leads to one of the documents of this build; `linked` are the paths that links lead to.

    Raises:
        ContractError: one does not.
    """
    for missing in sorted(linked.difference(documents)):
        raise ContractError(missing, "documents link to it, but it has not been written")


def check_openapi(
    body: bytes, paths: Iterable[str], schemas: Iterable[str], documents: Iterable[str]
) -> None:
    """The OpenAPI document has every schema that it refers to, and describes each of the documents.

    Raises:
        ContractError: it does not.
    """
    for name in sorted({found.decode() for found in _REFERENCE.findall(body)}.difference(schemas)):
        raise ContractError(addresses.OPENAPI, f"components.schemas has no {name}")
    templates = (_PARAMETER.sub("[^/]+", re.escape(path)) for path in paths)
    known = re.compile("|".join(templates))
    for path in documents:
        if not known.fullmatch(f"/{addresses.PREFIX}/{path}"):
            raise ContractError(addresses.OPENAPI, f"paths: none describes {path}")


def _faults(document: Any, struct: type[Struct]) -> Iterator[str]:
    rule = _RULES.get(struct)
    if rule is not None:
        yield from rule(document)
    elif hasattr(document, "faults"):
        yield from document.faults()
    elif hasattr(document, "data"):
        yield from verify_items.envelope(document)
