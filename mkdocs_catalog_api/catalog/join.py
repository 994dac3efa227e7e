"""Joins images with their scans, and items that pin images with the releases and scans of their pins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..items.models import ImageEntry, PinEntry
from ..items.names import Reference
from ..problems import Level, Problem
from ..problems.codes import Code
from .belongs import Belonging, Key, ReleaseIndex, belongs
from .contents import Contents, PackageList, united
from .counts import CountRules
from .covers import Part, ReleaseParts, ScanSelection
from .scans import Scan
from .value import FormerDigest, Image, Pin, PinningItem, Release, WebPage


class Joined(NamedTuple):
    """Images with their scans, and other items with their pins."""

    images: tuple[Image, ...]
    pinning: list[PinningItem]
    former: tuple[FormerDigest, ...]
    belongings: list[Belonging]
    """Every report and SBOM, with the releases that it belongs to."""
    subjects: Mapping[str, ScanSelection]
    """Name of each release, and of each pin outside the catalog → its scans."""
    sboms: tuple[Scan, ...]
    """Those that are used, by place."""


def join(
    images: Sequence[tuple[ImageEntry, WebPage]],
    pinning: Sequence[PinningItem],
    reports: Iterable[Scan],
    rules: CountRules,
    former: Sequence[FormerDigest] = (),
) -> Joined:
    """Join images, pins and former digests with the scans, and images with their contents. `reports` has the
    scans and the SBOMs.
    """
    pinned = {pin.digest for item in pinning for pin in item.entry.images if pin.digest}
    releases = ReleaseIndex((entry for entry, _ in images), former, pinned)
    candidates: dict[Key, list[Scan]] = defaultdict(list)
    belongings = [belongs(report, releases) for report in reports]
    for belonging in belongings:
        for key in belonging.keys:
            candidates[key].append(belonging.scan)
    selections: dict[Key, ScanSelection] = {}
    contents: dict[Key, _Listing] = {}
    for key, entry in releases.every.items():
        platforms: Sequence[str] = entry.platforms
        if not (entry.manifests and key.slug in rules.synced):
            platforms = platforms or releases.platforms.get(key.slug, ())
        known = ReleaseParts.of(entry.digests, entry.manifests, platforms)
        of_release, accept = candidates.get(key, ()), releases.accept.get(key.slug, ())
        selections[key] = rules.select([scan for scan in of_release if not scan.is_sbom], known, accept)
        sboms = [scan for scan in of_release if scan.is_sbom]
        contents[key] = _contents(selections[key], sboms, known)
    pins = _Pins(releases, [report.scan for report in belongings if not report.scan.is_sbom], rules)
    joined = [replace(item, pins=tuple(map(pins.resolved, item.entry.images))) for item in pinning]
    joined_images = tuple(
        Image(
            image,
            page,
            tuple(
                Release(version, selection=selections[key], contents=contents[key].contents)
                for version in image.versions
                for key in [Key(image.slug, version.version)]
            ),
        )
        for image, page in images
    )
    formers = tuple(
        replace(build, release=replace(build.release, selection=selections[key]))
        for key, build in releases.former.items()
    )
    subjects = {str(key): selections[key] for key in releases.entries} | pins.selections
    used = {sbom.place: sbom for listing in contents.values() for sbom in listing.sboms}
    return Joined(joined_images, joined, formers, belongings, subjects, tuple(used.values()))


class _Listing(NamedTuple):
    """The contents of a release, and the SBOMs that say something of them."""

    contents: Contents | None
    sboms: tuple[Scan, ...] = ()


def _contents(selection: ScanSelection, sboms: Sequence[Scan], known: ReleaseParts) -> _Listing:
    """The packages of a release: of the lists of all scans that count, and of all SBOMs.

    They are complete if each part has a list that lacks no packages.
    """
    parts = known._replace(parts=selection.parts) if selection.scans else known.with_those_of(sboms)
    of_sboms = [report for sbom in sboms if (report := parts.scanned_by(sbom, ()))]
    lists: list[PackageList] = []
    whole: set[Part] = set()
    for report in (*selection.part_scans, *of_sboms):
        listed = report.scan.contents
        if listed is None:
            continue
        lists.append(listed)
        if not listed.lacks:
            whole.update(report.covered)
    contents = united(lists, complete=whole.issuperset(parts.parts))
    return _Listing(contents, tuple(report.scan for report in of_sboms))


class _Pins:
    """Resolves pins. A pin with a digest matches only the release with that digest; one without a digest
    matches by normalized reference and tag.
    """

    def __init__(self, releases: ReleaseIndex, scans: Iterable[Scan], rules: CountRules) -> None:
        self._releases, self._rules = releases, rules
        self.selections: dict[str, ScanSelection] = {}
        """Name of a pin outside the catalog → its scans."""
        self._by_digest: dict[str, list[Scan]] = defaultdict(list)
        self._by_tag: dict[tuple[str, str | None], list[Scan]] = defaultdict(list)
        for scan in scans:
            for digest in scan.coverage.named:
                self._by_digest[digest].append(scan)
            # In the map of a hub, the name is the reference of a pin.
            for name in scan.names if scan.of_hub else ():
                self._by_tag[name.repository, name.tag].append(scan)

    def resolved(self, pin: PinEntry) -> Pin:
        """The pin with its release or scans."""
        resolve = self._by_reference if pin.digest is None else self._by_digest_of
        return resolve(pin, Reference.parse(pin.image))

    def _by_reference(self, pin: PinEntry, reference: Reference) -> Pin:
        repository, tag = reference.repository, reference.tag_or_latest
        name = f"{repository}:{tag}"
        for key in self._releases.with_tag(repository, tag):
            return Pin(pin, self._releases.entries[key].digest or name, key.slug, key.version)
        selection = self._select(self._by_tag.get((repository, tag), []), name, ())
        slug, note = self._slug(repository), None
        versions = [key.version for key in self._releases.entries if key.slug == slug]
        if reference.tag and versions and not selection.scans:
            message = f"the page of {slug!r} has no version {tag!r}, and there is no scan of it"
            group = "pins name a version that is not on the image's page and has no scan"
            note = _note(message, f"it has versions {', '.join(versions[:5])}", group)
        return Pin(pin, name, slug, None, selection=selection, problem=note)

    def _by_digest_of(self, pin: PinEntry, reference: Reference) -> Pin:
        digest, repository = pin.digest or "", reference.repository
        keys = self._releases.with_digest(digest)
        for key in keys:
            if self._releases.repositories.get(key.slug) in (repository, None):
                former = self._releases.former.get(key)
                return Pin(pin, digest, key.slug, key.version, former=former)
        if keys and not keys[0].former:
            owner = f"{self._releases.repositories[keys[0].slug]} {keys[0].version}"
            message = f"the digest belongs to {owner}, not to {repository}"
            note = _note(message, "pin the digest of the image in the chart", level=Level.ERROR)
        else:
            group = "pins have a digest that is on no page of the catalog"
            note = _note(f"the digest {digest} is on no page of the catalog", "", group)
        selection = self._select(self._by_digest.get(digest, []), f"{repository}@{digest}", (digest,))
        return Pin(pin, digest, self._slug(repository), None, selection=selection, problem=note)

    def _select(self, scans: Sequence[Scan], name: str, digests: tuple[str, ...]) -> ScanSelection:
        return self.selections.setdefault(name, self._rules.select(scans, ReleaseParts(digests)))

    def _slug(self, repository: str) -> str | None:
        """The image of the repository; None when several pages share it."""
        slugs = self._releases.slugs(repository)
        return slugs[0] if len(slugs) == 1 else None


def _note(message: str, hint: str, group: str = "", level: Level = Level.INFO) -> Problem:
    """Return a problem of a pin, without its place."""
    return Problem("", 0, 0, "", message, hint, level, code=Code.PIN, group=group)
