"""Every kind of document, in the order of the API's description."""

from __future__ import annotations

from ..authored.settings import Settings
from ..catalog.value import Catalog
from .badges import BADGES
from .collections import collection_kinds
from .cves import CVES
from .digests import DIGESTS
from .discovery import CLOSING
from .epss import EPSS
from .history import HISTORY
from .kinds import Kind
from .renovate import RENOVATE
from .security import SECURITY
from .vex import VEX


def kinds(catalog: Catalog) -> list[Kind]:
    """Every kind, whether the catalog has such documents or not: clients are the same for every catalog."""
    collections = collection_kinds(catalog.fields)
    return [*collections, SECURITY, VEX, HISTORY, BADGES, CLOSING, DIGESTS, CVES, RENOVATE, EPSS]


def wanted_kinds(catalog: Catalog, settings: Settings) -> list[Kind]:
    """The kinds of documents that the catalog has."""
    return [kind for kind in kinds(catalog) if kind.wanted(catalog, settings)]
