"""What somebody says about vulnerabilities in products, https://github.com/openvex/spec."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .purl import Purl

STATUSES = ("not_affected", "affected", "fixed", "under_investigation")
JUSTIFICATIONS = (
    "component_not_present",
    "vulnerable_code_not_present",
    "vulnerable_code_not_in_execute_path",
    "vulnerable_code_cannot_be_controlled_by_adversary",
    "inline_mitigations_already_exist",
)


@dataclass(frozen=True, slots=True)
class Component:
    """A product of a statement, or a part of one."""

    names: tuple[str, ...]
    """Identifiers that are no package URLs: references of images, digests, names."""
    purls: tuple[Purl, ...]
    digests: tuple[str, ...]
    """`sha256:…` of its hashes, sorted."""
    parts: tuple[Component, ...] = ()
    """The subcomponents that the statement is about; all of the product when there are none."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement about one vulnerability."""

    ids: tuple[str, ...]
    """Every id of the vulnerability, aliases included, sorted."""
    products: tuple[Component, ...]
    status: str
    """One of `STATUSES`. `fixed` means that the product is no longer affected."""
    justification: str
    impact_statement: str
    timestamp: datetime | None
    """UTC, the statement's own or else the document's."""
    document: str
    """`@id` of the document, or its file when it has none."""
    index: int
    """Place in the document, from 0."""

    @property
    def suppresses(self) -> bool:
        return self.status in ("not_affected", "fixed")
