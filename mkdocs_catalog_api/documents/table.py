"""Every kind of document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..authored.settings import Settings, item_fields
from ..catalog.value import Catalog
from ..items.base_model import Model
from ..items.fields import ItemFields
from .badges import BADGES
from .collection_pages import collection_kinds
from .cves import CVES
from .digests import DIGESTS
from .discovery import CLOSING
from .history import HISTORY
from .kinds import Kind
from .packages import PACKAGES
from .references import REFERENCES
from .renovate import RENOVATE
from .sboms import SBOMS
from .security import SECURITY
from .slim import slim_kinds
from .vex import VEX

KINDS = (SECURITY, VEX, HISTORY, BADGES, CLOSING, DIGESTS, REFERENCES, CVES, PACKAGES, SBOMS, RENOVATE)
"""In the order of the API's description, where they follow the collections."""
LOOKUP_NAMES = tuple(word for kind in KINDS if kind.optional for word in (kind.name, *kind.parts))
"""The words of the setting `lookups`."""


def kinds(fields: Mapping[str, ItemFields[Model]]) -> list[Kind]:
    """Every kind, whether a catalog has such documents or not: clients are the same for every catalog.

    `fields` are those of the items of each collection.
    """
    return [*collection_kinds(fields), *slim_kinds(fields), *KINDS]


def wanted_kinds(catalog: Catalog, settings: Settings) -> list[Kind]:
    return [kind for kind in kinds(catalog.fields) if kind.wanted(catalog, settings)]


def fixed_paths(settings: Settings) -> Iterator[str]:
    """Paths of the documents that every catalog with these settings has."""
    for kind in kinds(item_fields(settings)):
        if kind.needs is None and kind.enabled(settings):
            yield from (route.path for route in kind.routes if not route.parameters)
            yield from kind.fixed
