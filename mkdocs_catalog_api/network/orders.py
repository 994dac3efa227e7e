"""The images and charts to request, as their pages describe them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from ..authored.from_registry import FromRegistry
from ..authored.front_matter import RawItem
from ..items.lines import LineRules, listed, newest_label
from ..items.models import VersionEntry
from ..items.names import Reference
from ..items.registry_facts import FormerFacts, RegistryFacts, VersionFacts
from ..items.versions import in_order


class Listed(Struct, frozen=True):
    """A version on a page."""

    position: int
    tags: tuple[str, ...]
    """Its name and its other tags, as in a registry."""
    digests: tuple[str, ...]


class Order(Struct, frozen=True):
    """What decides which version of an item is the newest."""

    rules: LineRules = LineRules()
    latest: str | None = None
    default_variant: str | None = None
    is_chart: bool = False

    def newest(self, versions: Sequence[VersionFacts]) -> str | None:
        """Return the newest of these versions that is not gone; of all, if all are gone."""
        present = [version for version in versions if not version.gone] or versions
        return self.newest_of([(version.version, *version.tags) for version in present])

    def newest_of(self, names: Sequence[Sequence[str]]) -> str | None:
        """Return the newest of versions, each given by its label and other tags; None without any."""
        labels = [label for label, *_ in names]
        if not labels:
            return None
        if latest := next((label for label, *tags in names if self.latest in (label, *tags)), None):
            return latest
        return (
            in_order(labels, None)[0]
            if self.is_chart
            else newest_label(self.in_lines(names), self.default_variant)
        )

    def in_lines(self, names: Iterable[Sequence[str]]) -> list[VersionEntry]:
        """Return the versions with their lines and variants."""
        return [
            VersionEntry.model_construct(
                version=label, line=self.rules.line(label), variant=self.rules.variant(label), tags=tags
            )
            for label, *tags in names
        ]


class Item(Struct, frozen=True):
    """An image or chart to request."""

    slug: str
    reference: str
    """`image` or `chart` of the page."""
    raw: RawItem
    order: Order
    listed: tuple[Listed, ...] = ()
    """The versions on the page."""
    choice: FromRegistry | None = None
    """Selects versions in the registry instead: `versions` of the page."""

    @property
    def is_chart(self) -> bool:
        return self.order.is_chart

    @property
    def is_classic(self) -> bool:
        return self.reference.startswith(("https://", "http://"))

    @property
    def repository(self) -> Reference:
        return Reference.parse(self.reference.removeprefix("oci://"))

    @property
    def host(self) -> str:
        return urlsplit(self.reference).netloc if self.is_classic else self.repository.domain

    @property
    def name(self) -> str:
        return self.reference.removeprefix("oci://")

    def chosen(self, choice: FromRegistry, names: Sequence[Sequence[str]]) -> set[str]:
        """Return the labels that are listed of versions, each given by its label and other tags."""
        return listed(self.order.in_lines(names), choice.keep, self.order.newest_of(names))

    def facts(
        self,
        versions: tuple[VersionFacts, ...],
        unlisted: tuple[VersionFacts, ...] = (),
        former: tuple[FormerFacts, ...] = (),
    ) -> RegistryFacts:
        """Return the content of its file."""
        image, chart = ("", self.reference) if self.is_chart else (self.reference, "")
        return RegistryFacts(image=image, chart=chart, versions=versions, unlisted=unlisted, former=former)
