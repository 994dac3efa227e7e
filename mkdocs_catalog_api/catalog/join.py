"""Which scan counts for which release, and which release each chart pins.

The order of trust is digest, then normalised reference and tag, then the report's path below the reports
folder. Whatever is passed over, doubtful or contradictory becomes a problem that names the report or page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field

from ..problems import Level, Problem, Problems
from .models import ChartEntry, ImageEntry, RoadmapEntry, UpdateEntry, VersionEntry
from .path_join import doubts
from .pins import Pin, PinJoin
from .releases import Key, Releases
from .scan_choice import Choice, covered
from .scans import ScanMetadata
from .versions import newest_first
from .vex_matching import Statements


class Release(Struct, frozen=True):
    """One version of an image and the scans that count for it; none when it is unscanned."""

    entry: VersionEntry
    scans: tuple[ScanMetadata, ...]
    digests_scanned: int = 0
    """How many of its digests have a scan."""
    in_part: bool = False
    """Some of several digests have no scan, and the catalog does not accept that: there is no grade."""


class WebPage(Struct, frozen=True):
    """Where people read about an item."""

    url: str
    """Address below the site's root: `images/nginx/`."""
    own: bool
    """False when the item has no page of its own and this is the page of its collection."""


class Image(Struct, frozen=True):
    """An image with its releases, newest first."""

    entry: ImageEntry
    page: WebPage
    releases: tuple[Release, ...]


class Chart(Struct, frozen=True):
    """A chart with its pins."""

    entry: ChartEntry
    page: WebPage
    pins: tuple[Pin, ...]


class RoadmapItem(Struct, frozen=True):
    """A planned application."""

    entry: RoadmapEntry
    page: WebPage | None


class Catalog(Struct, frozen=True):
    """Everything that is published: images, charts and roadmap by slug, updates in the order of the source.

    Versions stand newest first, each scan at the release that it counts for, each pin at its release.
    """

    images: tuple[Image, ...] = ()
    charts: tuple[Chart, ...] = ()
    roadmap: tuple[RoadmapItem, ...] = ()
    updates: tuple[UpdateEntry, ...] = ()
    statements: Statements = field(default_factory=Statements)
    """What VEX documents say about findings."""


class Join:
    """Joins the images of a catalog with scans and pins.

    `scanners` is the order in which scanners are preferred, `accept` what is taken without a warning; `now`
    (UTC, `2026-11-20T06:00:00Z`) only tells which scans claim a time in the future.
    """

    def __init__(
        self,
        images: Sequence[ImageEntry],
        heads: Iterable[ScanMetadata],
        scanners: Sequence[str],
        now: str,
        problems: Problems,
        accept: Collection[str] = (),
    ) -> None:
        self._images, self._problems, self._accept = images, problems, accept
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
            if head.system_only_named:
                message = "the report names an operating system, but its packages were not looked at"
                self._say(head, message, "scan with `trivy image --scanners vuln --format json`")
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
        scans = self._choice.among(self._candidates.get(key, ()), str(key), entry.digests)
        seen = covered(scans, entry.digests)
        missing = [digest for digest in entry.digests if digest not in seen]
        in_part = bool(scans) and len(entry.digests) > 1 and bool(missing)
        accepted = "partial" in self._accept
        if in_part:
            message = f"{key} is scanned in part: there is no scan of {', '.join(missing)}"
            hint = "scan each of its digests, or say `accept: [partial]` under `security`"
            level = Level.INFO if accepted else Level.WARNING
            self._say(scans[0], message, "" if accepted else hint, level)
        return Release(entry, scans, len(seen), in_part and not accepted)

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
            for message, hint in doubts(head, by_path, self._releases, self._accept):
                self._say(head, message, hint)
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
        found = self._releases.labelled(parts[0], parts[1].removesuffix(".json")) if len(parts) == 2 else None
        return parts[0], found

    def _by_digests(self, head: ScanMetadata) -> Iterator[Key]:
        for digest in head.digests:
            yield from self._releases.with_digest(digest)

    def _by_names(self, head: ScanMetadata) -> Iterator[Key]:
        """Releases of the same repository and tag, unless both sides have digests: then those decide."""
        for repository, tag in head.names:
            for key in self._releases.with_tag(repository, tag) if tag else ():
                if not (head.digests and self._releases.entries[key].digests):
                    yield key

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
