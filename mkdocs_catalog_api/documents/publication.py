"""A catalog becomes documents: each is made, encoded, proven and handed on, the closing ones last."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from typing import NamedTuple

from msgspec import Struct

from ..authored.settings import Settings
from ..catalog import addresses
from ..catalog.addresses import GENERATOR
from ..catalog.value import Catalog
from .badges import catalog_badges
from .discovery import GeneratedBy, ManifestEntry, discovery, manifest
from .openapi import openapi
from .prove import encode, prove, prove_links
from .table import wanted_kinds


class Encoded(NamedTuple):
    """A document, ready to be saved."""

    path: str
    """Below `api/v1/`."""
    body: bytes
    entry: ManifestEntry
    """Its hash and size."""


def publication(catalog: Catalog, settings: Settings, generated_at: str) -> Iterator[Encoded]:
    """Every document of the catalog, proven; `generated_at` is the UTC time of the build.

    Raises:
        ContractError: a document breaks the contract (a bug of the plugin).
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
    yield proven(addresses.INDEX, discovery(catalog, wanted, catalog_badges(catalog), written))
    yield proven(addresses.MANIFEST, manifest(catalog, written, generated_at, generator))
    prove_links(links, catalog.addresses.api(""), written)
