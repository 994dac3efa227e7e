"""Which scan counts for which release, and which release each chart pins.

The order of trust is digest, then normalised reference and tag, then the report's path below the reports
folder. Whatever is passed over, doubtful or contradictory becomes a problem that names the report or page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .models import ChartEntry, ImageEntry, VersionEntry
from .path_join import mismatches
from .pins import PinJoin
from .releases import Key, Releases
from .scan_selection import ScanSelector, covered
from .scans import Scan
from .value import Chart, Image, Release, WebPage


class Join:
    """Joins the images of a catalog with scans and pins.

    `scanners` is the order in which scanners are preferred, `accept` what is taken without a warning; `now`
    (UTC, `2026-11-20T06:00:00Z`) only tells which scans claim a time in the future.
    """

    def __init__(
        self,
        images: Sequence[ImageEntry],
        scans: Iterable[Scan],
        scanners: Sequence[str],
        now: str,
        problems: Problems,
        accept: Collection[str] = (),
    ) -> None:
        self._images, self._problems, self._accept = images, problems, accept
        self._releases = Releases(images)
        self._selector = ScanSelector(scanners, now, problems)
        self._pins = PinJoin(self._releases, self._selector, problems)
        self._candidates: dict[Key, list[Scan]] = defaultdict(list)
        self._unmatched: list[Scan] = []
        self._useful: set[str] = set()
        """Paths of the reports of which any scan belongs to a release."""
        scans = list(scans)
        for scan in scans:
            if self._selector.in_future(scan):
                message = f"scanned at {scan.scanned_at}, which is in the future"
                self._say(scan, message, "check the clock of the scanner", code=Code.SCAN_AGE)
            if scan.system_only_named:
                message = "the report names an operating system, but its packages were not looked at"
                hint = "scan with `trivy image --scanners vuln --format json`"
                self._say(scan, message, hint, code=Code.IN_PART)
            self._place(scan)
        self._pins.index(scans)

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
        scans = self._selector.select(self._candidates.get(key, ()), str(key), entry.digests)
        seen = covered(scans, entry.digests)
        missing = [digest for digest in entry.digests if digest not in seen]
        in_part = bool(scans) and len(entry.digests) > 1 and bool(missing)
        accepted = "partial" in self._accept
        if in_part:
            message = f"{key} is scanned in part: there is no scan of {', '.join(missing)}"
            hint = "scan each of its digests, or say `accept: [partial]` under `security`"
            level = Level.INFO if accepted else Level.WARNING
            self._say(scans[0], message, "" if accepted else hint, level, code=Code.IN_PART)
        return Release(entry, scans, len(seen), in_part and not accepted)

    def chart(self, entry: ChartEntry, page: WebPage, at: Callable[[int], Problem]) -> Chart:
        """The chart with its pins resolved; `at` makes a blank problem at the pin in that position."""
        pins = (self._pins.resolve(pin, partial(at, position)) for position, pin in enumerate(entry.images))
        return Chart(entry, page, tuple(pins))

    def _place(self, scan: Scan) -> None:
        """Find the releases that the scan belongs to."""
        folder, by_path = self._path_says(scan)
        keys = list(dict.fromkeys([*self._by_digests(scan), *self._by_names(scan)]))
        named = {key.slug for key in keys}.union(*(self._releases.slugs(name) for name, _ in scan.names))
        if folder and named and folder not in named:
            message = f"the report lies in the folder of {folder!r}, but is of {', '.join(sorted(named))}"
            hint = "move it to the folder of the image that it is of"
            self._say(scan, message, hint, Level.ERROR, code=Code.MISPLACED_REPORT)
            return
        if by_path and not keys:
            keys = [by_path]
            for message, hint in mismatches(scan, by_path, self._releases, self._accept):
                self._say(scan, message, hint, code=Code.MISPLACED_REPORT)
        elif by_path and by_path not in keys:
            message = f"the path says version {by_path.version}, but the report is of {keys[0]}"
            self._say(scan, message, "rename it", code=Code.MISPLACED_REPORT)
        for key in keys:
            self._candidates[key].append(scan)
        if keys:
            self._useful.add(scan.path)
        else:
            self._unmatched.append(scan)

    def _path_says(self, scan: Scan) -> tuple[str | None, Key | None]:
        """The image whose folder the report lies in and, if its name is a version, the release."""
        parts = scan.path.split("/")
        if not scan.alone or len(parts) == 1 or parts[0] not in self._releases.repositories:
            return None, None
        found = self._releases.labelled(parts[0], parts[1].removesuffix(".json")) if len(parts) == 2 else None
        return parts[0], found

    def _by_digests(self, scan: Scan) -> Iterator[Key]:
        for digest in sorted(scan.digests):
            yield from self._releases.with_digest(digest)

    def _by_names(self, scan: Scan) -> Iterator[Key]:
        """Releases of the same repository and tag, unless both sides have digests: then those decide."""
        for repository, tag in scan.names:
            for key in self._releases.with_tag(repository, tag) if tag else ():
                if not (scan.digests and self._releases.entries[key].digests):
                    yield key

    def report_unmatched(self) -> None:
        """Warn about reports that belong to no release and no pin; call it after all charts."""
        claimed = self._pins.claimed
        useful = self._useful.union(path for path, _ in claimed)
        for scan in self._unmatched:
            if (scan.path, scan.position) in claimed:
                continue
            if scan.path in useful:
                # A hub's map has all images of a chart, wanted or not.
                message = f"the entry{_subject(scan)} belongs to no release and no pin"
                self._say(scan, message, level=Level.INFO, code=Code.UNMATCHED_REPORT)
            elif scan.alone:
                hint = "list its digest or tag on a page, or name it <slug>/<version>.json"
                message = f"the report{_subject(scan)} belongs to no release of the catalog"
                self._say(scan, message, hint, code=Code.UNMATCHED_REPORT)
            else:
                # An old version of a chart that is fetched may contain what the catalog no longer lists.
                level = Level.INFO if scan.of_hub else Level.WARNING
                message = "no image in the report belongs to a release or pin of the catalog"
                self._say(scan, message, level=level, code=Code.UNMATCHED_REPORT)

    def _say(
        self, scan: Scan, message: str, hint: str = "", level: Level = Level.WARNING, *, code: Code
    ) -> None:
        self._problems.add(Problem(scan.file, 0, 0, "", message, hint, level, code=code))


def _subject(scan: Scan) -> str:
    if scan.names:
        repository, tag = scan.names[0]
        return f" of {repository}:{tag}" if tag else f" of {repository}@{min(scan.digests)}"
    return f" of {min(scan.digests)}" if scan.digests else ""
