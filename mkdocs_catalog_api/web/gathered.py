"""Figures of images that pages show beyond their items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field
from pydantic import JsonValue

from ..catalog.assessment import Assessment
from ..catalog.scans import COUNTERS
from ..catalog.value import Catalog, Image, Release

_COUNTS = (*COUNTERS, "total", "fixable")


class Gathered(Struct):
    """Figures of every release."""

    releases: dict[tuple[str, str], dict[str, object]] = field(default_factory=dict)
    """Slug and version → the release's figures."""
    fixed: dict[str, str] = field(default_factory=dict)
    """Slug → the initials of the severities of which the newest release has a row with a fix."""
    scanned_at: dict[str, str] = field(default_factory=dict)
    """Slug → time of the newest release's scan."""
    supported: Counter[str] = field(default_factory=Counter)
    """Figures of the newest releases of available images; also how many are `scanned` and `affected`."""
    listed: Counter[str] = field(default_factory=Counter)
    """Of all else that is listed: older releases, and those of deprecated and withdrawn images."""
    exploited: dict[str, bool] = field(default_factory=dict)
    """Id that is known to be exploited → whether the newest release of an available image has it."""
    older: dict[str, str] = field(default_factory=dict)
    """Slug → the initials of the severities that its older releases have."""

    categories: dict[str, dict[str, list[JsonValue]]] = field(default_factory=dict)
    """Collection → slug → every category of the item."""

    @classmethod
    def of(cls, catalog: Catalog | None) -> Gathered:
        """The figures of a catalog; of none they are empty."""
        gathered = cls()
        for image in catalog.images if catalog else ():
            if image.releases:
                gathered._add(image)
        for name, items in catalog.items.items() if catalog else ():
            gathered.categories[name] = {item.entry.slug: [*item.entry.categories] for item in items}
        return gathered

    def _add(self, image: Image) -> None:
        slug, (newest, *older) = image.entry.slug, image.releases
        for release in image.releases:
            self.releases[slug, release.entry.version] = _figures(release)
            if release.assessment and image.entry.lifecycle != "planned":
                current = release is newest and image.entry.lifecycle == "available"
                self._count(release.assessment, current=current)
        self.older[slug] = _initials(older)
        if newest.figures and newest.figures.scanned_at:
            self.scanned_at[slug] = newest.figures.scanned_at
        rows = newest.assessment.rows if newest.assessment else ()
        self.fixed[slug] = "".join(sorted({row.severity[0].lower() for row in rows if row.fixed}))

    def _count(self, assessment: Assessment, *, current: bool) -> None:
        figures = assessment.figures
        counts = self.supported if current else self.listed
        counts.update({name: figures.fields()[name] for name in _COUNTS})
        counts.update(scanned=1, affected=int(figures.total > 0), suppressed=figures.suppressed)
        for row in assessment.rows:
            if row.exploited:
                self.exploited[row.id] = self.exploited.get(row.id, False) or current

    def facts(self, slugs: Iterable[str]) -> str:
        """Time of the scan, severities with a fix and of older releases of each image, in few characters."""
        tables = (self.scanned_at, self.fixed, self.older)
        return ";".join("=".join([slug, *(table.get(slug, "") for table in tables)]) for slug in slugs)

    @property
    def times(self) -> list[str]:
        """Times of the newest releases' scans, oldest first."""
        return sorted(self.scanned_at.values())


def _figures(release: Release) -> dict[str, object]:
    figures, version = release.figures, release.entry.version
    if figures is None:
        return {**dict.fromkeys((*_COUNTS, "grade", "score", "scannedAt")), "version": version}
    return {**figures.fields(), "version": version, "scannedAt": figures.scanned_at}


def _initials(releases: Iterable[Release]) -> str:
    """The initials of the severities that any of the releases has."""
    have = {
        word for release in releases if release.figures for word, n in release.figures.counters.items() if n
    }
    return "".join(word[0] for word in COUNTERS if word in have)
