"""Items of the collections: what authors wrote, and what is computed."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from ...catalog.models import (
    ChartEntry,
    ChartVersionEntry,
    ImageEntry,
    Model,
    PinEntry,
    RoadmapEntry,
    UpdateEntry,
    VersionEntry,
)
from ...catalog.types import Slug, VersionLabel
from .fields import (
    GRADE,
    SCORE,
    Counter,
    CountersIfScanned,
    Grade,
    Href,
    PageLink,
    Score,
    always_present,
)


class FiguresIfScanned(CountersIfScanned):
    """What scans counted, after deduplication; all null without a scan."""

    total: Annotated[Counter | None, Field(description="Open vulnerabilities: the sum of the five.")]
    fixable: Annotated[Counter | None, Field(description="How many of them have a fix.")]
    suppressed: Annotated[Counter | None, Field(description="How many more VEX statements took out.")]
    grade: Annotated[Grade | None, GRADE]
    score: Annotated[Score | None, SCORE]

    @model_validator(mode="after")
    def _sums_hold(self) -> Self:
        counters = (self.critical, self.high, self.medium, self.low, self.unknown)
        counted = [count for count in counters if count is not None]
        if self.total is None:
            if counted or (self.fixable, self.suppressed, self.grade, self.score) != (None,) * 4:
                raise ValueError("not scanned, but with figures")
        elif len(counted) < 5 or self.fixable is None or self.suppressed is None:
            raise ValueError("scanned, but without figures")
        elif self.total != sum(counted):
            raise ValueError(f"total is {self.total}, but the severities add up to {sum(counted)}")
        if (self.grade is None) != (self.score is None):
            raise ValueError("grade and score come together")
        return self


class _NewestScan(Model):
    scanned: Annotated[bool, Field(description="Whether the newest version has a scan.")]
    version: Annotated[
        VersionLabel | None, Field(description="The newest version; null when there is none yet.")
    ]


class ImageSecurity(FiguresIfScanned, _NewestScan):
    """Figures of an image: those of its newest version. All null when that has no scan."""

    href: Annotated[
        Href | None, Field(description="Security detail of the image; null when it has no version yet.")
    ]

    @model_validator(mode="after")
    def _scanned_has_figures(self) -> Self:
        if self.scanned != (self.total is not None):
            raise ValueError(f"scanned is {self.scanned}, but total is {self.total}")
        if (self.version is None) != (self.href is None):
            raise ValueError("version and href come together")
        return self


class _PinnedScan(Model):
    scanned: Annotated[bool, Field(description="Whether it pins something and every pin has a scan.")]


class ChartSecurity(FiguresIfScanned, _PinnedScan):
    """Sums over the distinct images that a chart pins, each of the release that is pinned.

    With some of them unscanned, the counts cover the scanned ones; grade and score are null.
    """

    pins: Annotated[Counter, Field(description="Distinct images that it pins.")]
    pins_scanned: Annotated[Counter, Field(description="How many of them have a scan.")]

    @model_validator(mode="after")
    def _pins_are_counted(self) -> Self:
        if self.pins_scanned > self.pins or self.scanned != (self.pins == self.pins_scanned > 0):
            raise ValueError(
                f"scanned is {self.scanned} with {self.pins_scanned} of {self.pins} pins scanned"
            )
        if (self.pins_scanned > 0) != (self.total is not None) or (self.grade and not self.scanned):
            raise ValueError(f"these figures can't come from {self.pins_scanned} of {self.pins} pins")
        return self


@always_present
class Version(VersionEntry):
    """One published release of an image."""

    href: Annotated[Href, Field(description="Release document: the vulnerabilities of this release.")]


@always_present
class ChartVersion(ChartVersionEntry):
    """One published release of a chart."""


@always_present
class Pin(PinEntry):
    """An image that a chart pins."""

    slug: Annotated[Slug | None, Field(description="Slug of the image; null when it is not of this catalog.")]
    version: Annotated[
        VersionLabel | None, Field(description="The release that is pinned; null when no page lists it.")
    ]
    href: Annotated[Href | None, Field(description="Release document of what is pinned.")]


@always_present
class Image(ImageEntry):
    """A hardened container image."""

    versions: Annotated[list[Version], Field(description="Releases, newest first.")]  # type: ignore[assignment]
    url: Annotated[PageLink, Field(description="Web page.")]
    href: Annotated[Href, Field(description="Item document.")]
    security: Annotated[ImageSecurity, Field(description="Figures of the newest version.")]

    @model_validator(mode="after")
    def _newest_is_first(self) -> Self:
        newest = self.versions[0].version if self.versions else None
        if self.latest != newest or self.security.version != newest:
            raise ValueError(f"latest is {self.latest} and security's {self.security.version}, not {newest}")
        return self


@always_present
class Chart(ChartEntry):
    """A signed Helm chart."""

    versions: Annotated[list[ChartVersion], Field(description="Releases, newest first.")]  # type: ignore[assignment]
    images: Annotated[list[Pin], Field(description="The images that it pins.")]  # type: ignore[assignment]
    url: Annotated[PageLink, Field(description="Web page.")]
    href: Annotated[Href, Field(description="Item document.")]
    security: Annotated[ChartSecurity, Field(description="Sums over the images that it pins.")]


@always_present
class RoadmapItem(RoadmapEntry):
    """An application that is planned."""

    url: Annotated[PageLink | None, Field(description="Web page.")]
    href: Annotated[Href, Field(description="Item document.")]


@always_present
class Update(UpdateEntry):
    """What the latest version check found for one application, and what was done about it."""

    href: Annotated[
        Href | None, Field(description="Item document of the image or chart; null when there is none.")
    ]
