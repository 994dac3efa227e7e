"""What a catalog knows of its images, and what of it differs from the day before."""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import astuple, replace

from ..catalog.alike import Look, Looks
from ..catalog.assessment import scanner_names
from ..catalog.grading import Grade
from ..catalog.package_urls import package
from ..catalog.scans import Severity
from ..catalog.value import Catalog, Image, Release
from ..items.models import Lifecycle
from ..items.names import DIGEST
from ..items.types import Count

_Digest = Annotated[str, Meta(pattern=rf"\A(?:{DIGEST.pattern})\Z")]
_Time = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")]
_Counter = Literal["critical", "high", "medium", "low", "unknown", "suppressed"]


class _Fact(Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True, gc=False):
    pass


class KnownVersion(_Fact, frozen=True):
    """A version with its digests."""

    digests: tuple[_Digest, ...] = ()
    manifests: tuple[tuple[str, _Digest], ...] = ()
    """Plain platform and digest of each."""
    platforms: tuple[str, ...] = ()
    """Plain ones of its page; of the manifests where these are known."""


class KnownRow(_Fact, frozen=True):
    """A vulnerability in a package; of several installed versions, the worst row."""

    pkg: str
    severity: Severity
    aliases: tuple[str, ...] = ()
    scans: tuple[int, ...] | None = None
    """Positions of the scans that show it; None if all do."""
    suppressed: bool = False


Versions = dict[str, KnownVersion]
"""By label."""
Rows = dict[str, dict[str, KnownRow]]
"""Package, as `packages.Package` prints it → id → row."""


class Facts(Struct, rename="camel", omit_defaults=True, gc=False):
    """What a catalog knows of an image; of scans, those of the newest version."""

    image: str | None = None
    """Its reference without a tag."""
    lifecycle: Lifecycle = "available"
    latest: str | None = None
    versions: Versions = field(default_factory=dict)
    scanner: str | None = None
    """Names and versions of the scanners; None without a scan."""
    scanned_at: str | None = None
    """Time of the oldest scan; None if the time of one is not known."""
    scans: tuple[Look, ...] = ()
    """With the digests that they name beyond those of the version and of its platform's manifest."""
    grade: Grade | None = None
    counts: dict[str, int] = field(default_factory=dict)
    """Severity, or `suppressed` → number of rows, if there are any."""
    rows: Rows = field(default_factory=dict)

    @property
    def newest(self) -> KnownVersion:
        return self.versions.get(self.latest or "", KnownVersion())

    @property
    def digests(self) -> set[tuple[str, str]]:
        """Each version with each of its digests."""
        return {(label, digest) for label, known in self.versions.items() for digest in known.digests}

    @property
    def every_digest(self) -> set[str]:
        """Those of all versions and manifests, and those that only the scans of the newest version name."""
        manifests = {digest for known in self.versions.values() for _, digest in known.manifests}
        return {digest for _, digest in self.digests}.union(manifests, *(look.digests for look in self.scans))

    @property
    def builds(self) -> set[str]:
        """The digests that were scanned; the version if nobody knows any."""
        newest = self.newest
        if len(self.scans) == 1 and not newest.manifests and not self.scans[0].digests:  # the usual case
            return {newest.digests[0] if len(newest.digests) == 1 else self.latest or ""}
        return set[str]().union(*(look.digests for look in self._whole)) or {self.latest or ""}

    @property
    def looks(self) -> Looks:
        newest = self.newest
        platforms = [platform for platform, _ in newest.manifests] or newest.platforms
        return Looks.of(self._whole, self.scanned_at and self.scanned_at[:10], newest.digests, platforms)

    @property
    def _whole(self) -> list[Look]:
        """The scans with every digest of what they looked at: a manifest is one of its index, too."""
        newest = self.newest
        return [replace(look, digests=look.digests | _implied(newest, look.platform)) for look in self.scans]

    def changes(self, before: Facts) -> dict[str, Any]:
        """What differs from what was known before, as `FactChanges` reads it. A time of the scans alone is no
        difference.
        """
        changes = {
            given.encode_name: _difference(getattr(before, given.name), value, getattr(_NOTHING, given.name))
            for given in msgspec.structs.fields(Facts)
            if (value := getattr(self, given.name)) != getattr(before, given.name)
        }
        return {} if [*changes] == ["scannedAt"] else changes


_NOTHING = Facts()


class FactChanges(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """Fields of `Facts` that differ from the day before: null is nothing, and removes an entry."""

    image: str | UnsetType | None = UNSET
    lifecycle: Lifecycle | UnsetType | None = UNSET
    latest: str | UnsetType | None = UNSET
    versions: dict[str, KnownVersion | None] | UnsetType | None = UNSET
    scanner: str | UnsetType | None = UNSET
    scanned_at: _Time | UnsetType | None = UNSET
    scans: tuple[Look, ...] | UnsetType | None = UNSET
    grade: Grade | UnsetType | None = UNSET
    counts: dict[_Counter, Count | None] | UnsetType | None = UNSET
    rows: dict[str, dict[str, KnownRow | None] | None] | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        if isinstance(self.scanned_at, str):
            datetime.fromisoformat(self.scanned_at)

    def apply(self, facts: Facts) -> None:
        """Add them to what is known."""
        for name, value in zip(self.__struct_fields__, astuple(self), strict=True):
            if value is not UNSET:
                known = copy(getattr(_NOTHING, name)) if value is None else value
                setattr(facts, name, _sum(getattr(facts, name), known) if isinstance(value, dict) else known)

    @property
    def concern_figures(self) -> bool:
        return (self.latest, self.scans, self.grade, self.counts) != (UNSET,) * 4

    def every_version(self, facts: Facts) -> list[tuple[str, KnownVersion | None]]:
        """Label and version of those that differ from the facts."""
        if self.versions is UNSET:
            return []
        versions = dict.fromkeys(facts.versions) if self.versions is None else self.versions
        return sorted(versions.items()) if len(versions) > 1 else [*versions.items()]

    def every_row(self, facts: Facts) -> list[tuple[str, str, KnownRow | None]]:
        """Package, id and row of those that differ from the facts."""
        if self.rows is UNSET:
            return []
        packages = dict.fromkeys(facts.rows) if self.rows is None else self.rows
        return [
            (package, id_, row)
            for package, rows in packages.items()
            for id_, row in (dict.fromkeys(facts.rows.get(package, ())) if rows is None else rows).items()
        ]


def _difference(before: Any, now: Any, nothing: Any) -> Any:
    if now == nothing:
        return None
    if not isinstance(now, dict):
        return now
    return {
        key: _difference(before.get(key, {}), now[key], None) if key in now else None
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    }


def _sum(known: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    for key, value in changes.items():
        if value is None:
            known.pop(key, None)
        elif isinstance(value, dict):
            known[key] = _sum(known.get(key, {}), value)
        else:
            known[key] = value
    return known


def known(catalog: Catalog) -> dict[str, Facts]:
    """Slug → what the catalog knows of each image, sorted."""
    facts = {image.entry.slug: _facts(image, catalog.now) for image in catalog.images}
    return dict(sorted(facts.items()))


def _facts(image: Image, now: str) -> Facts:
    entry, newest = image.entry, image.newest
    facts = Facts(
        entry.image,
        entry.lifecycle,
        entry.latest,
        {release.entry.version: _version(release) for release in image.releases},
    )
    if newest is None or newest.assessment is None:
        return facts
    figures = newest.assessment.figures
    of_digests = {digest: platform for platform, digest in facts.newest.manifests}
    looks = [Look.of(scan, of_digests) for scan in newest.scans]
    counts = {**figures.counters, "suppressed": figures.suppressed}
    return replace(
        facts,
        scanner=scanner_names(newest.scans),
        scanned_at=min(scan.scanned_at or "" for scan in newest.scans) if newest.days(now) else None,
        scans=tuple(
            replace(look, digests=look.digests - _implied(facts.newest, look.platform)) for look in looks
        ),
        grade=figures.grade,
        counts={word: count for word, count in counts.items() if count},
        rows=_rows(newest),
    )


def _version(release: Release) -> KnownVersion:
    entry = release.entry
    platforms = tuple(release.platforms)
    manifests = tuple(zip(platforms, (manifest.digest for manifest in entry.manifests), strict=False))
    return KnownVersion(tuple(entry.digests), manifests, () if manifests else platforms)


def _implied(version: KnownVersion, platform: str) -> frozenset[str]:
    """The digests of a scan of the version and platform."""
    manifests = (digest for name, digest in version.manifests if name == platform)
    return frozenset([*manifests, *(version.digests if len(version.digests) == 1 else ())])


def _rows(release: Release) -> Rows:
    shown: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, scan in enumerate(release.scans):
        keys = ((str(package(finding.purl, finding.pkg)), finding.id) for finding in scan.findings)
        for key in dict.fromkeys(keys):
            shown[key].append(position)
    rows: Rows = defaultdict(dict)
    assessment = release.assessment
    for suppressed, listed in ((False, assessment.rows), (True, assessment.suppressed)) if assessment else ():
        for row in listed:  # the worst first
            key = str(row.package), row.id
            scans = tuple(shown[key]) if len(shown[key]) < len(release.scans) else None
            known_row = KnownRow(row.pkg, row.severity, tuple(row.aliases), scans, suppressed)
            rows[key[0]].setdefault(key[1], known_row)
    return dict(rows)
