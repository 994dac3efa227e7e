"""Which scan counts for which release, and which release each chart pins.

The order of trust is digest, then normalised reference and tag, then the report's path below the reports
folder. Whatever is passed over, doubtful or contradictory becomes a problem that names the report or page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import PurePosixPath

from ..problems import Level, Problem, Problems
from .models import ChartEntry, ImageEntry, PinEntry, RoadmapEntry, UpdateEntry, VersionEntry
from .references import Reference
from .scans import ScanHead
from .versions import newest_first
from .vex import Statements


class How(IntEnum):
    """How a scan was joined to a release, the most trusted first."""

    DIGEST = 0
    TAG = 1
    PATH = 2


@dataclass(frozen=True, slots=True)
class Release:
    """One version of an image and the scans that count for it; none when it is unscanned."""

    entry: VersionEntry
    scans: tuple[ScanHead, ...]


@dataclass(frozen=True, slots=True)
class WebPage:
    """Where people read about an item."""

    url: str
    """Address below the site's root: `images/nginx/`."""
    own: bool
    """False when the item has no page of its own and this is the page of its collection."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image with its releases, newest first."""

    entry: ImageEntry
    page: WebPage
    releases: tuple[Release, ...]


@dataclass(frozen=True, slots=True)
class Pin:
    """An image that a chart pins, and the release of the catalog that it is, if it is one."""

    entry: PinEntry
    key: str
    """Equal for pins of the same thing: its digest, else its normalised reference."""
    slug: str | None
    version: str | None
    scans: tuple[ScanHead, ...]
    """Scans of a pin that is no release of the catalog."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its pins."""

    entry: ChartEntry
    page: WebPage
    pins: tuple[Pin, ...]


@dataclass(frozen=True, slots=True)
class RoadmapItem:
    """A planned application."""

    entry: RoadmapEntry
    page: WebPage | None


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that is published: images, charts and roadmap by slug, updates in the order of the source.

    Versions stand newest first, each scan at the release that it counts for, each pin at its release.
    """

    images: tuple[Image, ...] = ()
    charts: tuple[Chart, ...] = ()
    roadmap: tuple[RoadmapItem, ...] = ()
    updates: tuple[UpdateEntry, ...] = ()
    statements: Statements = field(default_factory=Statements)
    """What VEX documents say about findings."""


@dataclass(frozen=True, slots=True)
class _Key:
    slug: str
    version: str


class Join:
    """Joins the images of a catalog with scans and pins.

    `scanners` is the order in which scanners are trusted; `now` (UTC, `2026-11-20T06:00:00Z`) only tells
    which scans claim a time in the future.
    """

    def __init__(
        self,
        images: Sequence[ImageEntry],
        heads: Sequence[ScanHead],
        scanners: Sequence[str],
        now: str,
        problems: Problems,
    ) -> None:
        self._scanners, self._now, self._problems = scanners, now, problems
        self._images = {image.slug: image for image in images}
        self._by_digest: dict[str, list[_Key]] = defaultdict(list)
        self._by_tag: dict[tuple[str, str], list[_Key]] = defaultdict(list)
        self._by_repository: dict[str, list[str]] = defaultdict(list)
        self._entries: dict[_Key, VersionEntry] = {}
        self._candidates: dict[_Key, list[tuple[How, ScanHead]]] = defaultdict(list)
        self._unplaced: list[ScanHead] = []
        for image in images:
            repository = Reference.parse(image.image).repository
            self._by_repository[repository].append(image.slug)
            # Newest first, so that of several labels of one digest the newest comes first.
            for entry in image.versions:
                key = _Key(image.slug, entry.version)
                self._entries[key] = entry
                self._by_tag[repository, entry.version].append(key)
                for digest in entry.digests:
                    self._by_digest[digest].append(key)
        for head in heads:
            self._place(head)
        self._claimed_heads: set[tuple[str, int]] = set()
        self._unplaced_by_digest: dict[str, list[ScanHead]] = defaultdict(list)
        self._unplaced_by_tag: dict[tuple[str, str | None], list[ScanHead]] = defaultdict(list)
        for head in self._unplaced:
            for digest in head.digests:
                self._unplaced_by_digest[digest].append(head)
            for name in head.names:
                self._unplaced_by_tag[name].append(head)

    def images(self, pages: Mapping[str, WebPage]) -> tuple[Image, ...]:
        """Every image with the scans that count for each release; `pages` by slug."""
        return tuple(
            Image(
                image,
                pages[image.slug],
                tuple(
                    Release(entry, self._counting(self._candidates[_Key(image.slug, entry.version)]))
                    for entry in image.versions
                ),
            )
            for image in self._images.values()
        )

    def _place(self, head: ScanHead) -> None:
        """Find the releases that the scan belongs to."""
        parts = PurePosixPath(head.path).parts
        folder = parts[0] if head.alone and len(parts) > 1 and parts[0] in self._images else None
        by_path = _Key(folder, parts[1].removesuffix(".json")) if folder and len(parts) == 2 else None
        if by_path not in self._entries:
            by_path = None
        keys = self._by_digests(head)
        how = How.DIGEST
        if not keys:
            keys, how = self._by_names(head), How.TAG
        named = {key.slug for key in keys} | {
            slug for repository, _ in head.names for slug in self._by_repository.get(repository, ())
        }
        if folder and named and folder not in named:
            self._warn(
                head,
                f"the report lies in the folder of {folder!r}, but is of {', '.join(sorted(named))}",
                "move it to the folder of the image that it is of",
                Level.ERROR,
            )
            return
        if not keys and by_path:
            keys, how = [by_path], How.PATH
            self._check_path_join(head, by_path)
        elif by_path and by_path not in keys:
            found = f"{keys[0].slug} {keys[0].version}"
            self._warn(
                head, f"the path says version {by_path.version}, but the report is of {found}", "rename it"
            )
        for key in keys:
            self._candidates[key].append((how, head))
        if not keys:
            self._unplaced.append(head)

    def _by_digests(self, head: ScanHead) -> list[_Key]:
        return list(
            dict.fromkeys(key for digest in sorted(head.digests) for key in self._by_digest.get(digest, ()))
        )

    def _by_names(self, head: ScanHead) -> list[_Key]:
        keys = (
            key for repository, tag in head.names if tag for key in self._by_tag.get((repository, tag), ())
        )
        return [key for key in dict.fromkeys(keys) if not (head.digests and self._entries[key].digests)]

    def _check_path_join(self, head: ScanHead, key: _Key) -> None:
        if head.digests and self._entries[key].digests:
            digest = min(head.digests)
            self._warn(
                head,
                f"the digest that was scanned, {digest}, is not on the page of {key.slug!r}",
                f"scan the release {key.version} again or add the digest to the page",
            )
        tags = {
            tag
            for repository, tag in head.names
            if tag and key.slug in self._by_repository.get(repository, ())
        }
        if tags and key.version not in tags:
            self._warn(
                head,
                f"the report is of the tag {', '.join(sorted(tags))}, but its path says {key.version}",
                "rename the file or scan the release again",
            )

    def _warn(self, head: ScanHead, message: str, hint: str = "", level: Level = Level.WARNING) -> None:
        self._problems.add(Problem(head.file, 0, 0, "", message, hint, level))

    def _counting(self, candidates: Sequence[tuple[How, ScanHead]]) -> tuple[ScanHead, ...]:
        """The scans of one release that count: one scanner's, united over digests and platforms."""
        if len(candidates) == 1 and (candidates[0][1].scanned_at or "") <= self._now:
            head = candidates[0][1]
            return (head,) if head.scanner in self._scanners else ()
        trusted = [head for how, head in candidates if how is not How.PATH]
        heads = trusted or [head for _, head in candidates]
        scanner = next((name for name in self._scanners if any(head.scanner == name for head in heads)), None)
        kept: list[ScanHead] = []
        for head in sorted((head for head in heads if head.scanner == scanner), key=self._age_and_path):
            if all(_different(head, other) for other in kept):
                kept.append(head)
        for _, head in candidates:
            if head not in kept:
                counts = kept[0].file if kept else "none of this scanner, by the setting `scanners`"
                self._warn(head, f"passed over; what counts is {counts}", level=Level.INFO)
        return tuple(sorted(kept, key=lambda head: (head.path, head.position)))

    def _age_and_path(self, head: ScanHead) -> tuple[bool, bool, tuple[int, ...], str, int]:
        """Sorts the newest first, scans without a time or from the future last, then by path.

        A report of its own comes before the silence of a hub, which may also mean that its scan failed.
        """
        time = head.scanned_at
        if time is not None and time > self._now:
            self._warn(head, f"scanned at {time}, which is in the future", "check the clock of the scanner")
            time = None
        return (
            head.inferred,
            time is None,
            tuple(-ord(char) for char in time or ""),
            head.path,
            head.position,
        )

    def chart(self, entry: ChartEntry, page: WebPage, places: Sequence[Problem]) -> Chart:
        """The chart with its pins resolved; `places` has a blank problem at each pin."""
        pins = (self._pin(pin, at) for pin, at in zip(entry.images, places, strict=True))
        return Chart(entry, page, tuple(pins))

    def _pin(self, pin: PinEntry, at: Problem) -> Pin:
        reference = Reference.parse(pin.image)
        repository = reference.repository
        if pin.digest is None:
            tag = reference.tag or "latest"
            key = next(iter(self._by_tag.get((repository, tag), ())), None)
            if key is None:
                slug = self._only_slug(repository)
                scans = self._claimed(self._unplaced_by_tag.get((repository, tag), ()))
                return Pin(pin, f"{repository}:{tag}", slug, None, scans)
            digest = self._entries[key].digest
            return Pin(pin, digest or f"{repository}:{tag}", key.slug, key.version, ())
        keys = self._by_digest.get(pin.digest, [])
        key = next((key for key in keys if self._repository(key.slug) == repository), None)
        if key is not None:
            return Pin(pin, pin.digest, key.slug, key.version, ())
        if keys:
            other = self._images[keys[0].slug]
            self._problems.add(
                _at(
                    at,
                    f"the digest belongs to {other.image} {keys[0].version}, not to {repository}",
                    "pin the digest of the image that the chart uses",
                )
            )
        else:
            self._problems.add(
                _at(at, f"the digest {pin.digest} is on no page of the catalog", level=Level.INFO)
            )
        scans = self._claimed(self._unplaced_by_digest.get(pin.digest, ()))
        return Pin(pin, pin.digest, self._only_slug(repository), None, scans)

    def _claimed(self, scans: Iterable[ScanHead]) -> tuple[ScanHead, ...]:
        """The scans that count among those of a pin that is no release of the catalog."""
        candidates = [(How.DIGEST, head) for head in scans]
        self._claimed_heads.update((head.path, head.position) for _, head in candidates)
        return self._counting(candidates)

    def report_strays(self) -> None:
        """Warn about reports that belong to no release and no pin; call it after all charts."""
        strays = [head for head in self._unplaced if (head.path, head.position) not in self._claimed_heads]
        for head in strays:
            what = _subject(head)
            if head.alone:
                hint = "list its digest or tag on a page, or name it <slug>/<version>.json"
                self._warn(head, f"the report{what} belongs to no release of the catalog", hint)
            else:
                # A hub's map has all images of a chart, wanted or not.
                self._warn(head, f"the entry{what} belongs to no release and no pin", level=Level.INFO)

    def _repository(self, slug: str) -> str:
        return Reference.parse(self._images[slug].image).repository

    def _only_slug(self, repository: str) -> str | None:
        slugs = self._by_repository.get(repository, [])
        return slugs[0] if len(slugs) == 1 else None


def _different(one: ScanHead, other: ScanHead) -> bool:
    """Whether two scans are of different parts of a release: other digests or other platforms of it."""
    if one.platform and other.platform and one.platform != other.platform:
        return True
    return bool(one.digests and other.digests and not one.digests & other.digests)


def _subject(head: ScanHead) -> str:
    if head.names:
        repository, tag = head.names[0]
        return f" of {repository}:{tag}" if tag else f" of {repository}@{min(head.digests)}"
    return f" of {min(head.digests)}" if head.digests else ""


def _at(at: Problem, message: str, hint: str = "", level: Level = Level.ERROR) -> Problem:
    return Problem(at.file, at.line, at.column, at.field, message, hint, level)


def in_order(labels: Iterable[str], latest: str | None) -> list[str]:
    """Version labels, newest first; the one that the page names as its latest stands before all."""
    ordered = newest_first(labels)
    return ordered if latest is None else [latest, *(label for label in ordered if label != latest)]
