"""What somebody says about vulnerabilities in products, https://github.com/openvex/spec."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, get_args

from msgspec import Struct

StatusWord = Literal["not_affected", "affected", "fixed", "under_investigation"]
STATUSES: tuple[StatusWord, ...] = get_args(StatusWord)
JustificationWord = Literal[
    "component_not_present",
    "vulnerable_code_not_present",
    "vulnerable_code_not_in_execute_path",
    "vulnerable_code_cannot_be_controlled_by_adversary",
    "inline_mitigations_already_exist",
]
JUSTIFICATIONS: tuple[JustificationWord, ...] = get_args(JustificationWord)


class Component(NamedTuple):
    """An image or a package as a document identifies it."""

    id: str
    """Its `@id`, empty when there is none."""
    identifiers: tuple[tuple[str, str], ...] = ()
    """Kind, such as `purl`, and identifier."""
    hashes: tuple[tuple[str, str], ...] = ()
    """Algorithm, such as `sha-256`, and hash."""
    unclear: tuple[str, ...] = ()
    """Keys that OpenVEX does not have, or not with such a value: they may have narrowed what is meant."""


class Product(NamedTuple):
    """A product of a statement."""

    component: Component
    parts: tuple[Component, ...] = ()
    """The subcomponents that the statement is about; all of the product when there are none."""


class Statement(Struct, frozen=True):
    """One statement about one vulnerability, with all that it takes to write it down again."""

    ids: tuple[str, ...]
    """Every id of the vulnerability, aliases included, sorted."""
    name: str
    """The one of them that it goes by."""
    products: tuple[Product, ...]
    status: str
    """One of `STATUSES`. `fixed` means that the product is no longer affected."""
    justification: str
    impact_statement: str
    timestamp: datetime | None
    """UTC, the statement's own or else the document's."""
    document: str
    """`@id` of the document, or its file when it has none."""
    author: str
    """Of the document."""
    index: int
    """Place in the document, from 0."""
    in_future: bool = False
    """Whether the time has not come yet, so that it says nothing about the statement's age."""
    action_statement: str = ""
    """What users of an affected product are to do."""

    @property
    def suppresses(self) -> bool:
        return self.status in ("not_affected", "fixed")

    @property
    def proven_time(self) -> datetime | None:
        """None without a time, and for a time in the future: only a statement that shows more keeps it."""
        return None if self.in_future and self.suppresses else self.timestamp
