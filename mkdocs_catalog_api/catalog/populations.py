"""The two populations of all counts: *all* items, and the *available* ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from .assessment import Figures, total
from .grading import Grade
from .published import Counters
from .recorded import PopulationFigures
from .value import Catalog, Image, PinningItem, Release

Item = TypeVar("Item", Image, PinningItem)


class Population(NamedTuple):
    """Images, scanned or not, and the sums over their scanned newest releases."""

    images: Sequence[Image]
    figures: Figures
    scanned: int
    """How many of the images have a scan of their newest release."""
    affected: int
    """How many have an open vulnerability in it."""

    @property
    def published(self) -> PopulationFigures:
        """The counts that a recorded day has as well."""
        sums = self.figures
        return PopulationFigures(
            total=sums.total,
            by_severity=Counters(**sums.counters),
            fixable=sums.fixable,
            exploited=sums.exploited,
            images=len(self.images),
            images_scanned=self.scanned,
        )

    @property
    def releases(self) -> int:
        """How many releases the images list, scanned or not."""
        return sum(len(image.releases) for image in self.images)

    @property
    def grades(self) -> Counter[Grade]:
        """How many images have each grade."""
        return Counter(figures.grade for _, _, figures in self.newest() if figures.grade is not None)

    @property
    def times(self) -> list[str]:
        """Known times of the scans of the newest releases, oldest first."""
        return sorted(figures.scanned_at for _, _, figures in self.newest() if figures.scanned_at)

    @property
    def ids(self) -> set[str]:
        """Ids of the vulnerabilities that are open in the newest releases."""
        return {row.id for _, release, _ in self.newest() for row in release.rows}

    def newest(self) -> Iterator[tuple[Image, Release, Figures]]:
        """Each image with a scan of its newest release, that release and its figures."""
        for image in self.images:
            release, figures = image.newest, image.figures
            if release is not None and figures is not None:
                yield image, release, figures


class Populations(NamedTuple):
    """The populations; each published count belongs to one of them."""

    all: Population
    """Every image that is not planned."""
    available: Population
    """Of these, the ones whose lifecycle is `available`."""


def populations(catalog: Catalog) -> Populations:
    """Both populations of the catalog, images in its order."""
    return Populations(_population(all_of(catalog.images)), _population(available(catalog.images)))


def all_of(items: Iterable[Item]) -> list[Item]:
    """Those that are not planned."""
    return [item for item in items if item.entry.lifecycle != "planned"]


def available(items: Iterable[Item]) -> list[Item]:
    """Those that are available."""
    return [item for item in items if item.entry.lifecycle == "available"]


def _population(images: Sequence[Image]) -> Population:
    parts = [image.figures for image in images if image.figures is not None]
    return Population(images, total(parts), len(parts), sum(part.total > 0 for part in parts))


def newest_scan(catalog: Catalog) -> str:
    """Time of the newest scan of any image's newest version; empty without one. It is never after today."""
    times = (image.figures.scanned_at for image in catalog.images if image.figures)
    return max(filter(None, times), default="")
