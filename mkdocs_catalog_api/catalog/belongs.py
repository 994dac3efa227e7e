"""Which releases a report belongs to. It has one key: a digest that the catalog knows, else its path."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ..items.models import ImageEntry, VersionEntry
from ..problems import Level, Problem
from ..problems.codes import Code
from .covers import Part
from .scans import ImageName, Scan, plain_platform
from .value import FormerDigest

_SUFFIX = re.compile(r"(\.(?:cdx|spdx))?\.json$")
_DIGITS = re.compile("[0-9a-f]{12}")
_BEGINS_WITH_NUMBER = re.compile("[0-9]")


class Key(NamedTuple):
    """Names a release, or the former one with this digest."""

    slug: str
    version: str
    former: str = ""

    def __str__(self) -> str:
        return f"{self.slug} {self.version}" + (f" ({self.former})" if self.former else "")


class ReportPath(NamedTuple):
    """A path that `catalog-api list` prints."""

    key: Key
    digest: str = ""
    """That of the part whose path it is; empty if it is the path of the release."""


class ReleaseIndex:
    """The releases of some images. Lists are by slug, then newest first, as the versions of each image."""

    def __init__(
        self,
        images: Iterable[ImageEntry],
        former: Iterable[FormerDigest] = (),
        pinned: Collection[str] = (),
    ) -> None:
        """`pinned` are the digests of pins."""
        self.entries: dict[Key, VersionEntry] = {}
        """Those on pages."""
        self.repositories: dict[str, str | None] = {}
        """Slug → repository; None if it is not known."""
        self.platforms: dict[str, Sequence[str]] = {}
        """Slug → platforms of the image."""
        self.accept: dict[str, Sequence[str]] = {}
        """Slug → what its reports may be."""
        self._by_digest: dict[str, list[Key]] = defaultdict(list)
        self._by_tag: dict[tuple[str | None, str], list[Key]] = defaultdict(list)
        """Releases by label and by their other tags, for pins."""
        self._pinned = frozenset(pinned)
        for image in images:
            repository = image.repository
            self.repositories[image.slug] = repository
            self.platforms[image.slug] = image.platforms
            self.accept[image.slug] = image.accept
            for entry in image.versions:
                key = Key(image.slug, entry.version)
                self.entries[key] = entry
                for tag in (entry.version, *entry.tags):
                    self._by_tag[repository, tag].append(key)
                for digest in entry.every_digest:
                    self._by_digest[digest].append(key)
        self.former = {Key(build.slug, build.version, build.digest): build for build in former}
        """By slug, then those of the newest version first."""
        self.every = self.entries | {key: build.release.entry for key, build in self.former.items()}
        former_by_digest: dict[str, list[Key]] = defaultdict(list)
        for key, build in self.former.items():
            for digest in build.release.entry.every_digest:
                if digest not in self._by_digest:
                    former_by_digest[digest].append(key)
        self._by_digest |= former_by_digest
        self._slugs: dict[str | None, list[str]] = defaultdict(list)
        for slug, repository in self.repositories.items():
            self._slugs[repository].append(slug)

    def knows(self, digests: Iterable[str]) -> bool:
        """Whether one of the digests is of a version, a manifest, a former build or a pin."""
        return any(digest in self._by_digest or digest in self._pinned for digest in digests)

    def with_digest(self, digest: str) -> list[Key]:
        return self._by_digest.get(digest, [])

    def with_tag(self, repository: str | None, tag: str) -> list[Key]:
        return self._by_tag.get((repository, tag), [])

    def slugs(self, repository: str) -> list[str]:
        """Images of a repository: usually one."""
        return self._slugs.get(repository, [])

    def at(self, scan: Scan) -> ReportPath | None:
        """What the path of a report names, if it is one that `catalog-api list` prints; that of an SBOM may
        end in `.cdx.json` or `.spdx.json`.
        """
        slug, *rest = scan.path.split("/")
        if not scan.alone or len(rest) != 1:
            return None
        name = _SUFFIX.sub("", rest[0]) if scan.is_sbom else rest[0].removesuffix(".json")
        key = Key(slug, name)
        if key in self.entries:
            return ReportPath(key)
        label, _, digits = name.rpartition(".")
        key = Key(slug, label)
        if key in self.entries and _DIGITS.fullmatch(digits):
            for digest in self.entries[key].every_digest:
                if digest.partition(":")[2].startswith(digits):
                    return ReportPath(key, digest)
        return None

    def path_of(self, scan: Scan) -> str:
        """The path at which a report would count, by the names in it; empty if these are of nothing here."""
        suffix = _SUFFIX.search(scan.path) if scan.is_sbom else None
        ending = suffix[0] if suffix and suffix[1] else ".cdx.json" if scan.is_sbom else ".json"
        for name in scan.names:
            for key in self.with_tag(name.repository, name.tag or "latest"):
                part = self._part_of(key, scan)
                digits = f".{part.partition(':')[2][:12]}" if part else ""
                return f"{key.slug}/{key.version}{digits}{ending}"
        for name in scan.names:
            for slug in self.slugs(name.repository):
                return f"{slug}/VERSION{ending}"
        return ""

    def _part_of(self, key: Key, scan: Scan) -> str:
        """The digest of the manifest for the platform of a report, if a release has several."""
        manifests = self.entries[key].manifests
        platform = plain_platform(scan.coverage.platform)
        if len(manifests) < 2 or not platform:
            return ""
        fitting = [each.digest for each in manifests if plain_platform(each.platform) == platform]
        return fitting[0] if len(fitting) == 1 else ""


class Belonging(NamedTuple):
    scan: Scan
    """With the digest that its path names, if it names none itself."""
    keys: Sequence[Key] = ()
    problem: Problem | None = None
    """Why it is not used for its path."""
    place: str = ""
    """If it belongs to nothing, the path at which it would count by its names; empty if that is not known."""


def belongs(scan: Scan, releases: ReleaseIndex) -> Belonging:
    """Return the releases of a report.

    1. It names a digest that the catalog knows: it belongs to everything that has it, wherever it lies.
    2. Else, in the map of a hub, its key is a reference: it belongs to the versions that a pin with this
       reference has.
    3. Else it belongs to the release, or the part of it, whose path it has, unless it contradicts that.

    Otherwise a name or a tag finds nothing: another version may have it by now.
    """
    if releases.knows(scan.coverage.named):
        keys = [key for digest in sorted(scan.coverage.named) for key in releases.with_digest(digest)]
        return Belonging(scan, [*dict.fromkeys(keys)])

    if scan.of_hub:
        keys = [
            key for name in scan.names if name.tag for key in releases.with_tag(name.repository, name.tag)
        ]
        return Belonging(scan, [*dict.fromkeys(keys)])

    path = releases.at(scan)
    if path is None:
        return Belonging(scan, place=releases.path_of(scan))
    if contradiction := _contradiction(scan, path, releases):
        return Belonging(scan, problem=_not_of_its_path(scan, path.key, releases, contradiction))
    if path.digest:
        scan = scan.naming(path.digest)
    return Belonging(scan, [path.key])


class _Contradiction(NamedTuple):
    """What a report names instead of what its path names."""

    other: str
    accept: str = ""
    """The word in `accept` that would allow it."""


def _contradiction(scan: Scan, path: ReportPath, releases: ReleaseIndex) -> _Contradiction | None:
    """What a report without a known digest names instead of what its path names, by the first of these:

    1. It is not of an image.
    2. It names a digest, and those of the release are known. That of a local copy says nothing.
    3. The path is that of a manifest, and the report is of another platform.
    4. None of its names is one of the release.
    """
    key = path.key
    entry, own = releases.entries[key], releases.repositories.get(key.slug)
    accept = releases.accept.get(key.slug, ())
    if scan.kind and "filesystem" not in accept:
        return _Contradiction(f"a {scan.kind}", "filesystem")

    if scan.coverage.digests and entry.every_digest:
        return _Contradiction(min(scan.coverage.digests))

    platform = plain_platform(scan.coverage.platform)
    for manifest in entry.manifests:
        part = Part(manifest.digest, plain_platform(manifest.platform))
        if part.digest == path.digest and not part.may_be(platform):
            return _Contradiction(platform)

    if own is None or not scan.names:
        return None
    tags = {entry.version, *entry.tags}
    if any(_fits(name, own, tags, accept) for name in scan.names):
        return None
    name = scan.names[0]
    same_end = _last_part(name.repository) == _last_part(own)
    is_mirror = name.with_host and same_end and name.repository != own
    return _Contradiction(str(name), "reference" if is_mirror else "")


def _fits(name: ImageName, own: str, tags: Collection[str], accept: Collection[str]) -> bool:
    """Whether a name may be one of a release with these tags in the repository `own`.

    A name without a host is that of a local copy: no more than its last part has to be that of the image, and
    its tag is one of the release only if it looks like a version.
    """
    same_end = _last_part(name.repository) == _last_part(own)
    if not name.with_host:
        is_version = bool(name.tag and _BEGINS_WITH_NUMBER.match(name.tag))
        return same_end and (name.tag in tags or not is_version)
    is_image = name.repository == own or ("reference" in accept and same_end)
    return is_image and (name.tag is None or name.tag in tags)


def _last_part(repository: str) -> str:
    return repository.rpartition("/")[2]


def _not_of_its_path(scan: Scan, key: Key, releases: ReleaseIndex, contradiction: _Contradiction) -> Problem:
    message = f"not used for {key}, whose path it has: the report is of {contradiction.other}"
    own = releases.repositories.get(key.slug)
    hint = f"scan {f'{own}:{key.version}' if own else key} for this path, or move the report away"
    remedy = "scan what `catalog-api list` prints"
    if contradiction.accept:
        hint += f"; or set `accept: [{contradiction.accept}]` on the page of {key.slug}"
        remedy += f"; or set `accept: [{contradiction.accept}]` on their pages"
    elif contradiction.other in scan.coverage.digests and _names_release(scan, own, key.version):
        hint = (
            "if the tag was rebuilt, run `catalog-api sync`, "
            f"or write `digest: {contradiction.other}` on the page"
        )
    elif (place := releases.path_of(scan)) and place != scan.path and "VERSION" not in place:
        hint = f"move it to {scan.folder}{place}"
    group = f"reports are not used for their paths, as they are of something else ({remedy})"
    return Problem(scan.file, 0, 0, "", message, hint, Level.WARNING, code=Code.UNMATCHED_REPORT, group=group)


def _names_release(scan: Scan, own: str | None, version: str) -> bool:
    return any(name.repository == own and name.tag in (version, None) for name in scan.names)
