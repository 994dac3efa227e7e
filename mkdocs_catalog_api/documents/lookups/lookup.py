"""What every lookup is: shown each image while its releases are at hand, it gives documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from msgspec import Struct

from ...catalog.addresses import Addresses
from ...catalog.join import Catalog, Image
from ...catalog.pins import Pin
from ...sources.advisories.epss import Epss
from ..routes import Route
from ..security import Assessed
from ..structs.security import Release

Documents: TypeAlias = Iterable[tuple[str, Struct]]
"""Path below `api/v1/` and body of each; its Struct may say in a method `faults` how its parts disagree."""


class Source(NamedTuple):
    """What lookups are made of, beside what they are shown."""

    catalog: Catalog
    at: Addresses
    site_url: str | None
    scores: Epss | None
    """None without the file."""


class Lookup:
    """Answers one question; this base answers none. Images come by slug, then pins, then the end."""

    addresses: ClassVar[Mapping[str, str]]
    """Name in discovery → path below `api/v1/`, with its parameters in braces."""
    routes: ClassVar[tuple[Route, ...]]

    def __init__(self, source: Source) -> None:
        self._at = source.at

    def image(self, image: Image, records: Sequence[Release]) -> Documents:
        """Is shown an image with the record of each of its releases."""
        return ()

    def outside(self, pin: Pin, found: Assessed) -> None:
        """Is shown a pin that is no release of the catalog, once, with what its scans say."""

    def end(self) -> Documents:
        """What can only be said when everything has been seen."""
        return ()
