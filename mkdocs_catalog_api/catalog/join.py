"""Which scans belong to which release, and which release each item pins.

The order of trust is digest, then normalized reference and tag, then the report's path below the reports
folder. Every scan that is unused, doubtful or contradictory gets a problem that names its report.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from . import report_problems
from .models import ImageEntry, PinEntry, VersionEntry
from .names import Reference
from .scan_selection import JoinRules, Part, ReleaseParts, ScanSelection
from .scans import Scan, plain_platform
from .value import FormerDigest, Image, Pin, PinningItem, Release, WebPage

_DIGITS = re.compile("[0-9a-f]{12}")


class Joined(NamedTuple):
    """Images with their scans, and other items with their pins."""

    images: tuple[Image, ...]
    pinning: list[PinningItem]
    pin_problems: list[tuple[int, int, Problem]]
    """Each with the positions of its item and pin, and without a place."""
    former: tuple[FormerDigest, ...]


def join(
    images: Sequence[tuple[ImageEntry, WebPage]],
    pinning: Iterable[PinningItem],
    scans: Sequence[Scan],
    rules: JoinRules,
    problems: Problems,
    former: Sequence[FormerDigest] = (),
    *,
    complete: bool = True,
) -> Joined:
    """Join images, pins and former digests with the scans. Problems of reports are added.

    Reports without a match are a problem only if the catalog is `complete`.
    """
    releases = _ReleaseIndex((entry for entry, _ in images), former)
    candidates: dict[_Key, list[Scan]] = defaultdict(list)
    unmatched: list[Scan] = []
    scans = [_of_path(scan, releases) for scan in scans]
    for scan in scans:
        if rules.in_future(scan):
            problems.add(report_problems.in_future(scan))
        keys, doubts = _keys(scan, releases, rules.accept)
        problems.extend(doubts)
        for key in keys:
            candidates[key].append(scan)
        if not (keys or doubts):
            unmatched.append(scan)
    selections: dict[str, ScanSelection] = {}
    for key, entry in releases.every.items():
        platforms: Sequence[str] = entry.platforms
        if not (entry.manifests and key.slug in rules.synced):
            platforms = platforms or releases.platforms.get(key.slug, ())
        known = ReleaseParts.of(entry.digests, entry.manifests, platforms)
        selections[str(key)] = rules.select(candidates.get(key, ()), known)
    pins = _Pins(releases, scans, rules)
    joined: list[PinningItem] = []
    pin_problems: list[tuple[int, int, Problem]] = []
    for number, item in enumerate(pinning):
        resolved = [*map(pins.resolved, item.entry.images)]
        joined.append(replace(item, pins=tuple(pin for pin, _ in resolved)))
        pin_problems += [(number, at, note) for at, (_, note) in enumerate(resolved) if note]
    if complete:
        of_pins = {scan.place for selection in pins.selections.values() for scan in selection.every}
        places = {scan.place for scan in unmatched} - of_pins
        useful = {scan.path for scan in scans if scan.place not in places}
        problems.extend(report_problems.unmatched(scan, useful) for scan in unmatched if scan.place in places)
    selections |= pins.selections
    joined_images = tuple(
        Image(
            image,
            page,
            tuple(Release(each, selections[f"{image.slug} {each.version}"]) for each in image.versions),
        )
        for image, page in images
    )
    formers = {
        str(key): replace(each, release=replace(each.release, selection=selections[str(key)]))
        for key, each in releases.former.items()
    }
    for subject, selection in selections.items():
        problems.extend(report_problems.unused(selection, subject))
        if subject not in formers:  # which nobody has to scan again
            problems.extend(report_problems.doubts(selection, subject, rules.accept))
    return Joined(joined_images, joined, pin_problems, tuple(formers.values()))


class _Key(NamedTuple):
    """Names a release, or the former one with this digest."""

    slug: str
    version: str
    former: str = ""

    def __str__(self) -> str:
        return f"{self.slug} {self.version}" + (f" ({self.former})" if self.former else "")


class _ReleaseIndex:
    """The releases of some images. Lists are by slug, then newest first, as the versions of each image."""

    def __init__(self, images: Iterable[ImageEntry], former: Iterable[FormerDigest] = ()) -> None:
        self.entries: dict[_Key, VersionEntry] = {}
        self.repositories: dict[str, str | None] = {}
        """Slug → repository; None if it is not known."""
        self.platforms: dict[str, Sequence[str]] = {}
        """Slug → platforms of the image."""
        self._by_digest: dict[str, list[_Key]] = defaultdict(list)
        self._by_tag: dict[tuple[str | None, str], list[_Key]] = defaultdict(list)
        """A release is found by its label and by its other tags."""
        for image in images:
            repository = image.repository
            self.repositories[image.slug] = repository
            self.platforms[image.slug] = image.platforms
            for entry in image.versions:
                key = _Key(image.slug, entry.version)
                self.entries[key] = entry
                for tag in (entry.version, *entry.tags):
                    self._by_tag[repository, tag].append(key)
                for digest in entry.every_digest:
                    self._by_digest[digest].append(key)
        self.former = {_Key(each.slug, each.version, each.digest): each for each in former}
        """By slug, then those of the newest version first."""
        self.every = self.entries | {key: each.release.entry for key, each in self.former.items()}
        self.former_by_digits: dict[tuple[str, str], tuple[_Key, str]] = {}
        """Slug and first digits of a former digest → its release, and the digest."""
        former_by_digest: dict[str, list[_Key]] = defaultdict(list)
        for key, each in self.former.items():
            for digest in each.release.entry.every_digest:
                if digest not in self._by_digest:
                    former_by_digest[digest].append(key)
                    digits = digest.partition(":")[2][:12]
                    self.former_by_digits.setdefault((each.slug, digits), (key, digest))
        self._by_digest |= former_by_digest
        self._slugs: dict[str | None, list[str]] = defaultdict(list)
        for slug, repository in self.repositories.items():
            self._slugs[repository].append(slug)

    def with_digest(self, digest: str) -> list[_Key]:
        return self._by_digest.get(digest, [])

    def with_tag(self, repository: str | None, tag: str) -> list[_Key]:
        return self._by_tag.get((repository, tag), [])

    def labelled(self, slug: str, label: str) -> _Key | None:
        """The release of an image with this label or tag."""
        keys = self.with_tag(self.repositories.get(slug), label)
        return next((key for key in keys if key.slug == slug), None)

    def slugs(self, repository: str) -> list[str]:
        """Images of a repository: usually one."""
        return self._slugs.get(repository, [])


def _keys(scan: Scan, releases: _ReleaseIndex, accept: Collection[str]) -> tuple[list[_Key], list[Problem]]:
    """The releases that the scan belongs to, and how it contradicts its path; no release after an error."""
    place = _place(scan, releases)
    folder, by_path = place.slug, place.key
    by_digest = (key for digest in sorted(scan.coverage.named) for key in releases.with_digest(digest))
    by_name = (key for name, tag in scan.names if tag for key in releases.with_tag(name, tag))
    # Where both sides have digests, those decide.
    named = (key for key in by_name if not (scan.coverage.digests and releases.entries[key].digests))
    keys = list(dict.fromkeys([*by_digest, *named]))
    listed = [key for key in keys if not key.former]
    slugs = {key.slug for key in keys}.union(*(releases.slugs(name) for name, _ in scan.names))
    if folder and slugs and folder not in slugs:
        return [], [report_problems.in_other_folder(scan, folder, sorted(slugs))]
    if place.digest and by_path and (other := _contradiction(scan, place.digest, releases.every[by_path])):
        return [], [report_problems.of_other_digest(scan, place.digest, other)]
    if place.stray and not any(releases.with_digest(digest) for digest in scan.coverage.named):
        return [], []
    if by_path and not by_path.former and not listed:
        entry, repository = releases.entries[by_path], releases.repositories[by_path.slug]
        doubts = report_problems.mismatches(scan, by_path.slug, entry, repository, accept, former=bool(keys))
        problems = [report_problems.at_report(scan, Code.UNMATCHED_REPORT, *each) for each in doubts]
        return [by_path, *keys], problems
    if by_path and by_path not in keys:
        return keys, [report_problems.of_other_version(scan, by_path.version, str(listed[0]))]
    return keys, []


class _Place(NamedTuple):
    """What the path of a report names."""

    slug: str | None = None
    """The image whose folder has it."""
    key: _Key | None = None
    digest: str = ""
    """The digest of that release, listed or former, that begins with the 12 digits in its name."""
    stray: bool = False
    """The digits are of no digest of the release."""


def _place(scan: Scan, releases: _ReleaseIndex) -> _Place:
    slug, *rest = scan.path.split("/")
    if not (scan.alone and rest):
        return _Place()
    folder = slug if slug in releases.repositories else None
    name = rest[0].removesuffix(".json") if len(rest) == 1 else ""
    if key := releases.labelled(slug, name):
        return _Place(folder, key)
    label, _, digits = name.rpartition(".")
    if not _DIGITS.fullmatch(digits):
        return _Place(folder)
    key = releases.labelled(slug, label)
    known = releases.entries[key].every_digest if key else ()
    for digest in known:
        if digest.partition(":")[2].startswith(digits):
            return _Place(folder, key, digest)
    if former := releases.former_by_digits.get((slug, digits)):
        return _Place(folder, *former)
    return _Place(folder, stray=key is not None)


def _of_path(scan: Scan, releases: _ReleaseIndex) -> Scan:
    """The scan with the digest that its path names, unless it names others itself."""
    place = _place(scan, releases)
    known = releases.every[place.key].every_digest if place.key else ()
    fits = not scan.coverage.digests or not scan.coverage.named.isdisjoint(known)
    return scan.naming(place.digest) if place.digest and fits else scan


def _contradiction(scan: Scan, digest: str, entry: VersionEntry) -> str:
    """The image in a report that contradicts the digest in its path; else empty."""
    platforms = {each.digest: Part("", plain_platform(each.platform)) for each in entry.manifests}
    others = scan.coverage.named & (({*platforms} or {*entry.digests}) - {digest})
    if others or digest not in scan.coverage.named:
        return min(others or scan.coverage.named)
    part, platform = platforms.get(digest, Part()), plain_platform(scan.coverage.platform)
    return "" if part.may_be(platform) else platform


class _Pins:
    """Resolves pins. A pin with a digest matches only the release with that digest; one without a digest
    matches by normalized reference and tag.
    """

    def __init__(self, releases: _ReleaseIndex, scans: Iterable[Scan], rules: JoinRules) -> None:
        self._releases, self._rules = releases, rules
        self.selections: dict[str, ScanSelection] = {}
        """Name of a pin outside the catalog → its scans."""
        self._by_digest: dict[str, list[Scan]] = defaultdict(list)
        self._by_tag: dict[tuple[str, str | None], list[Scan]] = defaultdict(list)
        for scan in scans:
            for digest in scan.coverage.named:
                self._by_digest[digest].append(scan)
            for name in scan.names:
                self._by_tag[name].append(scan)

    def resolved(self, pin: PinEntry) -> tuple[Pin, Problem | None]:
        """The pin with its release or scans, and what to know about it."""
        resolve = self._by_reference if pin.digest is None else self._by_digest_of
        return resolve(pin, Reference.parse(pin.image))

    def _by_reference(self, pin: PinEntry, reference: Reference) -> tuple[Pin, Problem | None]:
        repository, tag = reference.repository, reference.tag_or_latest
        name = f"{repository}:{tag}"
        for key in self._releases.with_tag(repository, tag):
            return Pin(pin, self._releases.entries[key].digest or name, key.slug, key.version), None
        selection = self._select(self._by_tag.get((repository, tag), []), name, ())
        slug, note = self._slug(repository), None
        versions = [key.version for key in self._releases.entries if key.slug == slug]
        if reference.tag and versions and not selection.scans:
            message = f"the page of {slug!r} has no version {tag!r}, and there is no scan of it"
            group = "pins name a version that is not on the image's page and has no scan"
            note = _note(message, f"it has versions {', '.join(versions[:5])}", group)
        return Pin(pin, name, slug, None, selection), note

    def _by_digest_of(self, pin: PinEntry, reference: Reference) -> tuple[Pin, Problem | None]:
        digest, repository = pin.digest or "", reference.repository
        keys = self._releases.with_digest(digest)
        for key in keys:
            if self._releases.repositories.get(key.slug) in (repository, None):
                former = self._releases.former.get(key)
                return Pin(pin, digest, key.slug, key.version, former=former), None
        if keys and not keys[0].former:
            owner = f"{self._releases.repositories[keys[0].slug]} {keys[0].version}"
            message = f"the digest belongs to {owner}, not to {repository}"
            note = _note(message, "pin the digest of the image in the chart", level=Level.ERROR)
        else:
            group = "pins have a digest that is on no page of the catalog"
            note = _note(f"the digest {digest} is on no page of the catalog", "", group)
        selection = self._select(self._by_digest.get(digest, []), f"{repository}@{digest}", (digest,))
        return Pin(pin, digest, self._slug(repository), None, selection), note

    def _select(self, scans: Sequence[Scan], name: str, digests: tuple[str, ...]) -> ScanSelection:
        return self.selections.setdefault(name, self._rules.select(scans, ReleaseParts(digests)))

    def _slug(self, repository: str) -> str | None:
        """The image of the repository; None when several pages share it."""
        slugs = self._releases.slugs(repository)
        return slugs[0] if len(slugs) == 1 else None


def _note(message: str, hint: str, group: str = "", level: Level = Level.INFO) -> Problem:
    """Return a problem of a pin, without its place."""
    return Problem("", 0, 0, "", message, hint, level, code=Code.PIN, group=group)
