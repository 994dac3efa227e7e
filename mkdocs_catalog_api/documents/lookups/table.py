"""Every lookup, and which of them a catalog has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...authored.settings import Settings
from ..routes import Route
from .cves import Cves
from .digests import Digests
from .epss import EpssScores
from .lookup import Lookup, Source
from .renovate import Renovate

LOOKUPS: Mapping[str, type[Lookup]] = {
    "digests": Digests,
    "cves": Cves,
    "renovate": Renovate,
    "epss": EpssScores,
}


def lookup_routes() -> Iterator[Route]:
    """The routes of every lookup, written or not: clients are the same for every catalog."""
    for lookup in LOOKUPS.values():
        yield from lookup.routes


def lookups(settings: Settings, source: Source) -> list[Lookup]:
    """Those that the settings ask for, and the scores when there is a file of them."""
    names = [name for name in LOOKUPS if name in settings.lookups or (name == "epss" and source.scores)]
    return [LOOKUPS[name](source) for name in names]
