"""Which scan counts for which release, and which release each chart pins.

The order of trust is digest, then normalised reference and tag, then the report's path below the reports
folder. Whatever is passed over, doubtful or contradictory becomes a problem that names the report or page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..problems import Level, Problem, Problems
from .models import ChartEntry, ImageEntry, RoadmapEntry, UpdateEntry, VersionEntry
from .pins import Pin, PinJoin
from .releases import Key, Releases
from .scan_choice import Choice
from .scans import ScanMetadata
from .versions import newest_first
from .vex_matching import Statements


@dataclass(frozen=True, slots=True)
class Release:
    """One version of an image and the scans that count for it; none when it is unscanned."""

    entry: VersionEntry
    scans: tuple[ScanMetadata, ...]


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


_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".oci")


class Join:
    """Joins the images of a catalog with scans and pins.

    `scanners` is the order in which scanners are preferred; `now` (UTC, `2026-11-20T06:00:00Z`) only tells
    which scans claim a time in the future.
    """

    def __init__(
        self,
        images: Sequence[ImageEntry],
        heads: Iterable[ScanMetadata],
        scanners: Sequence[str],
        now: str,
        problems: Problems,
    ) -> None:
        self._images, self._problems = images, problems
        self._releases = Releases(images)
        self._choice = Choice(scanners, now, problems)
        self._pins = PinJoin(self._releases, self._choice, problems)
        self._candidates: dict[Key, list[ScanMetadata]] = defaultdict(list)
        self._unplaced: list[ScanMetadata] = []
        self._useful: set[str] = set()
        """Paths of the reports of which any scan belongs to a release."""
        heads = list(heads)
        for head in heads:
            if self._choice.in_future(head):
                message = f"scanned at {head.scanned_at}, which is in the future"
                self._say(head, message, "check the clock of the scanner")
            self._place(head)
        self._pins.index(heads)

    def images(self, pages: Mapping[str, WebPage]) -> tuple[Image, ...]:
        """Every image with the scans that count for each release; `pages` by slug."""
        return tuple(
            Image(
                image,
                pages[image.slug],
                tuple(self._release(Key(image.slug, entry.version), entry) for entry in image.versions),
            )
            for image in self._images
        )

    def _release(self, key: Key, entry: VersionEntry) -> Release:
        return Release(entry, self._choice.among(self._candidates.get(key, ()), str(key), entry.digests))

    def chart(self, entry: ChartEntry, page: WebPage, at: Callable[[int], Problem]) -> Chart:
        """The chart with its pins resolved; `at` makes a blank problem at the pin in that position."""
        pins = (self._pins.resolve(pin, partial(at, position)) for position, pin in enumerate(entry.images))
        return Chart(entry, page, tuple(pins))

    def _place(self, head: ScanMetadata) -> None:
        """Find the releases that the scan belongs to."""
        folder, by_path = self._path_says(head)
        keys = list(dict.fromkeys([*self._by_digests(head), *self._by_names(head)]))
        named = {key.slug for key in keys}.union(*(self._releases.slugs(name) for name, _ in head.names))
        if folder and named and folder not in named:
            message = f"the report lies in the folder of {folder!r}, but is of {', '.join(sorted(named))}"
            self._say(head, message, "move it to the folder of the image that it is of", Level.ERROR)
            return
        if by_path and not keys:
            keys = [by_path]
            self._check_path_join(head, by_path)
        elif by_path and by_path not in keys:
            message = f"the path says version {by_path.version}, but the report is of {keys[0]}"
            self._say(head, message, "rename it")
        for key in keys:
            self._candidates[key].append(head)
        if keys:
            self._useful.add(head.path)
        else:
            self._unplaced.append(head)

    def _path_says(self, head: ScanMetadata) -> tuple[str | None, Key | None]:
        """The image whose folder the report lies in and, if its name is a version, the release."""
        parts = head.path.split("/")
        if not head.alone or len(parts) == 1 or parts[0] not in self._releases.repositories:
            return None, None
        key = Key(parts[0], parts[1].removesuffix(".json"))
        return key.slug, key if len(parts) == 2 and key in self._releases.entries else None

    def _by_digests(self, head: ScanMetadata) -> Iterator[Key]:
        for digest in head.digests:
            yield from self._releases.with_digest(digest)

    def _by_names(self, head: ScanMetadata) -> Iterator[Key]:
        """Releases of the same repository and tag, unless both sides have digests: then those decide."""
        for repository, tag in head.names:
            for key in self._releases.with_tag(repository, tag) if tag else ():
                if not (head.digests and self._releases.entries[key].digests):
                    yield key

    def _check_path_join(self, head: ScanMetadata, key: Key) -> None:
        """Warn when the path says that the report is of the release, and the report itself says otherwise."""
        if head.digests and self._releases.entries[key].digests:
            message = f"the digest that was scanned, {head.digests[0]}, is not on the page of {key.slug!r}"
            self._say(head, message, f"scan {key} again or add the digest to the page")
        own = self._releases.repositories[key.slug]
        # A mirror, a registry of the build or an archive has another name for the same image.
        others = {
            name for name, _ in head.names if _last(name) != _last(own) and not name.endswith(_ARCHIVES)
        }
        if others and len(others) == len({name for name, _ in head.names}):
            message = f"the report is of {', '.join(sorted(others))}, but its path says {key.slug}"
            self._say(head, message, f"move it away or scan {own} again")
        tags = {tag for repository, tag in head.names if tag and repository == own}
        if tags and key.version not in tags:
            message = f"the report is of the tag {', '.join(sorted(tags))}, but its path says {key.version}"
            self._say(head, message, "rename the file or scan the release again")

    def report_strays(self) -> None:
        """Warn about reports that belong to no release and no pin; call it after all charts."""
        claimed = self._pins.claimed
        useful = self._useful.union(path for path, _ in claimed)
        for head in self._unplaced:
            if (head.path, head.position) in claimed:
                continue
            if head.path in useful:
                # A hub's map has all images of a chart, wanted or not.
                self._say(
                    head, f"the entry{_subject(head)} belongs to no release and no pin", level=Level.INFO
                )
            elif head.alone:
                hint = "list its digest or tag on a page, or name it <slug>/<version>.json"
                self._say(head, f"the report{_subject(head)} belongs to no release of the catalog", hint)
            else:
                # An old version of a chart that is fetched may contain what the catalog no longer lists.
                level = Level.INFO if head.of_hub else Level.WARNING
                message = "no image in the report belongs to a release or pin of the catalog"
                self._say(head, message, level=level)

    def _say(self, head: ScanMetadata, message: str, hint: str = "", level: Level = Level.WARNING) -> None:
        self._problems.add(Problem(head.file, 0, 0, "", message, hint, level))


def _subject(head: ScanMetadata) -> str:
    if head.names:
        repository, tag = head.names[0]
        return f" of {repository}:{tag}" if tag else f" of {repository}@{head.digests[0]}"
    return f" of {head.digests[0]}" if head.digests else ""


def in_order(labels: Iterable[str], latest: str | None) -> list[str]:
    """Version labels, newest first; the one that the page names as its latest stands before all."""
    ordered = newest_first(labels)
    return ordered if latest is None else [latest, *(label for label in ordered if label != latest)]


def _last(repository: str) -> str:
    """The last part of a repository's path."""
    return repository.rpartition("/")[2]
