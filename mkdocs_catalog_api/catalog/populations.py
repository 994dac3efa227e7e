"""The two populations that counts are of: *all* images, and the *supported* ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .assessment import Figures, total
from .value import Catalog, Image, Release


class Population(NamedTuple):
    """Images, scanned or not, and the sums over the newest releases that are scanned."""

    images: Sequence[Image]
    figures: Figures
    scanned: int
    """How many of the images have a scan of their newest release."""
    affected: int
    """How many have an open vulnerability in it."""

    def newest(self) -> Iterator[tuple[Image, Release, Figures]]:
        """Each image with a scan of its newest release, that release and its figures."""
        for image in self.images:
            release, figures = image.newest, image.figures
            if release is not None and figures is not None:
                yield image, release, figures


class Populations(NamedTuple):
    """Every count that is published is of one of these two."""

    all: Population
    """Every image that is not planned."""
    supported: Population
    """Of these, the ones whose lifecycle is `available`."""


def populations(catalog: Catalog) -> Populations:
    """Both populations of the catalog, images in its order."""
    listed = [image for image in catalog.images if image.entry.lifecycle != "planned"]
    return Populations(
        _population(listed), _population([image for image in listed if image.entry.lifecycle == "available"])
    )


def _population(images: Sequence[Image]) -> Population:
    parts = [image.figures for image in images if image.figures is not None]
    return Population(images, total(parts), len(parts), sum(part.total > 0 for part in parts))
