"""A catalog becomes documents: each is made, encoded, proven and handed on, the closing ones last.

The proof is the gate: each document's bytes are decoded strictly into its Struct, and every link leads to a
document. A violation is a bug of this plugin, never an error of an author, so it stops the build with the
document and the place. Sums and joins are proven by the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from ..authored.settings import Settings
from ..catalog import addresses
from ..catalog.addresses import GENERATOR
from ..catalog.published import Link
from ..catalog.value import Catalog
from .badges import catalog_badges
from .discovery import GeneratedBy, ManifestEntry, discovery, manifest
from .llms import llms
from .openapi import openapi
from .table import wanted_kinds

_ENCODER = msgspec.json.Encoder()


class Encoded(NamedTuple):
    """A document, ready to be saved."""

    path: str
    """Below `api/v1/`."""
    body: bytes
    entry: ManifestEntry
    """Its hash and size."""


def publication(catalog: Catalog, settings: Settings, generated_at: str) -> Iterator[Encoded]:
    """Every document of the catalog, proven; `generated_at` is the UTC time of the build.

    Raises `ContractError` if a document breaks the contract (a bug of the plugin).
    """
    wanted = wanted_kinds(catalog, settings)
    links: set[str] = set()
    written: dict[str, ManifestEntry] = {}

    def finished(path: str, body: bytes) -> Encoded:
        written[path] = ManifestEntry(sha256(body).hexdigest(), len(body))
        return Encoded(path, body, written[path])

    def proven(path: str, document: Struct) -> Encoded:
        body = encode(document)
        prove(path, body, type(document), links)
        return finished(path, body)

    for kind in wanted:
        for path, document in kind.documents(catalog):
            yield finished(path, document) if isinstance(document, bytes) else proven(path, document)
    generator = GeneratedBy(GENERATOR, version(GENERATOR))
    yield finished(addresses.OPENAPI, encode(openapi(catalog, wanted)))
    yield finished(addresses.LLMS, llms(catalog, wanted))
    yield proven(addresses.INDEX, discovery(catalog, settings, wanted, catalog_badges(catalog), written))
    yield proven(addresses.MANIFEST, manifest(catalog, written, generated_at, generator))
    prove_links(links, catalog.addresses.api(""), written)


class ContractError(Exception):
    """A document breaks the contract of the API. This is a bug of the plugin."""

    def __init__(self, document: str, message: str) -> None:
        super().__init__(document, message)

    def __str__(self) -> str:
        document, message = self.args
        return f"{document}: {message}; this is a bug of mkdocs-catalog-api, please report it"


def encode(document: object) -> bytes:
    """The bytes of a document: compact JSON and one line break."""
    return _ENCODER.encode_lines([document])  # does not copy them for the line break


def prove(path: str, body: bytes, struct: type[Struct], links: set[str]) -> None:
    """Decode a document's bytes strictly into its Struct, and add the links in it to `links`.

    Raises `ContractError` if they are not such a document.
    """
    try:
        document = _decoder(struct).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ContractError(path, str(error)) from error
    if collect := _collector(struct):
        collect(document, links)


def prove_links(links: Iterable[str], base: str, documents: Iterable[str]) -> None:
    """Every link leads to one of the documents of this build; `base` is the address of the API.

    Raises `ContractError` if one does not.
    """
    there = {base + path for path in documents}
    for link in sorted(link for link in links if link not in there and "{" not in link):
        raise ContractError(link, "documents link to it, but it has not been written")


@cache
def _decoder(struct: type[Struct]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(struct)


_Collect = Callable[[Any, set[str]], None]
"""Adds the links in a value to a set."""


@cache
def _collector(struct: type[Struct]) -> _Collect | None:
    """What collects the links in documents of this Struct, by its fields' types; None if it has none."""
    hints = get_type_hints(struct, include_extras=True)
    fields = [(name, collect) for name, hint in hints.items() if (collect := _collector_of(hint))]

    def of_struct(document: Struct, links: set[str]) -> None:
        for name, collect in fields:
            value = getattr(document, name)
            if value is not None and value is not msgspec.UNSET:
                collect(value, links)

    return of_struct if fields else None


def _collector_of(hint: Any) -> _Collect | None:
    """What collects the links in values of this type; None if it has none."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return (lambda link, links: links.add(link)) if Link in parts else _collector_of(parts[0])
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _collector(hint)
    inner = next((collect for part in parts if (collect := _collector_of(part))), None)
    if inner is None or origin not in (list, dict):
        return inner

    def of_many(values: Any, links: set[str]) -> None:
        for value in values.values() if origin is dict else values:
            inner(value, links)

    return of_many
