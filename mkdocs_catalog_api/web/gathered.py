"""What pages say of images beyond their items, gathered while the documents of each are at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from ..catalog.scans import COUNTERS
from ..documents.structs.security import Release, SecurityDetail

_COUNTS = (*COUNTERS, "total", "fixable")
_FIGURES = (*_COUNTS, "version", "grade", "score", "scanned_at")


class Gathered(Struct):
    """Figures of every release that has been shown to it."""

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

    def add(self, slug: str, lifecycle: str, detail: SecurityDetail) -> None:
        """Take the figures of an image."""
        for number, record in enumerate(detail.versions):
            figures = {name: getattr(record, name) for name in _FIGURES}
            figures["scannedAt"] = figures.pop("scanned_at")
            self.releases[slug, record.version] = figures
            if record.scanned and lifecycle != "planned":
                current = not number and lifecycle == "available"
                counts = self.supported if current else self.listed
                counts.update({name: getattr(record, name) for name in _COUNTS})
                suppressed = len(record.suppressed or ())
                counts.update(scanned=1, affected=int(bool(record.total)), suppressed=suppressed)
                for row in record.cves or ():
                    if row.exploited:
                        self.exploited[row.id] = self.exploited.get(row.id, False) or current
        self.older[slug] = "".join(
            word[0] for word in COUNTERS if any(getattr(record, word) for record in detail.versions[1:])
        )
        newest = detail.latest
        if newest.scanned_at:
            self.scanned_at[slug] = newest.scanned_at
        self.fixed[slug] = "".join(
            sorted({row.severity[0].lower() for row in newest.cves or () if row.fixed})
        )

    def facts(self, slugs: Iterable[str]) -> str:
        """Time of the scan, severities with a fix and of older releases of each image, in few characters."""
        tables = (self.scanned_at, self.fixed, self.older)
        return ";".join("=".join([slug, *(table.get(slug, "") for table in tables)]) for slug in slugs)

    @property
    def times(self) -> list[str]:
        """Times of the newest releases' scans, oldest first."""
        return sorted(self.scanned_at.values())


def update_effects(detail: SecurityDetail) -> dict[str, tuple[int, int]]:
    """Version → how many (id, package) an update to the newest release mends, and how many it brings."""
    newest = _open(detail.latest)
    if newest is None:
        return {}
    found = {}
    for record in detail.versions:
        have = _open(record)
        if have is not None and record.version != detail.latest.version:
            found[record.version] = (len(have - newest), len(newest - have))
    return found


def _open(record: Release) -> set[tuple[str, str]] | None:
    return None if record.cves is None else {(row.id, row.pkg) for row in record.cves}
