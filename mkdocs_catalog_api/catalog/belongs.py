"""Which releases a report belongs to: by its digests, else by its reference, else by its path."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..items.models import ImageEntry, VersionEntry
from ..problems import Level, Problem
from ..problems.codes import Code
from .covers import Part
from .scans import Scan, plain_platform
from .value import FormerDigest

_SBOM_SUFFIX = re.compile(r"\.(cdx|spdx)$")
_DIGITS = re.compile("[0-9a-f]{12}")


class Key(NamedTuple):
    """Names a release, or the former one with this digest."""

    slug: str
    version: str
    former: str = ""

    def __str__(self) -> str:
        return f"{self.slug} {self.version}" + (f" ({self.former})" if self.former else "")


class ReleaseIndex:
    """The releases of some images. Lists are by slug, then newest first, as the versions of each image."""

    def __init__(self, images: Iterable[ImageEntry], former: Iterable[FormerDigest] = ()) -> None:
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
        """A release is found by its label and by its other tags."""
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
        self._former_by_digits: dict[tuple[str, str], tuple[Key, str]] = {}
        """Slug and first digits of a former digest → its release, and the digest."""
        former_by_digest: dict[str, list[Key]] = defaultdict(list)
        for key, build in self.former.items():
            for digest in build.release.entry.every_digest:
                if digest not in self._by_digest:
                    former_by_digest[digest].append(key)
                    digits = digest.partition(":")[2][:12]
                    self._former_by_digits.setdefault((build.slug, digits), (key, digest))
        self._by_digest |= former_by_digest
        self._slugs: dict[str | None, list[str]] = defaultdict(list)
        for slug, repository in self.repositories.items():
            self._slugs[repository].append(slug)

    def with_digest(self, digest: str) -> list[Key]:
        return self._by_digest.get(digest, [])

    def with_tag(self, repository: str | None, tag: str) -> list[Key]:
        return self._by_tag.get((repository, tag), [])

    def slugs(self, repository: str) -> list[str]:
        """Images of a repository: usually one."""
        return self._slugs.get(repository, [])

    def at(self, scan: Scan) -> ReportPath:
        """What the path of a report names, if it is one that `catalog-api list` prints; that of an SBOM may
        end in `.cdx.json` or `.spdx.json`.
        """
        slug, *rest = scan.path.split("/")
        if not scan.alone or len(rest) != 1:
            return ReportPath()
        name = rest[0].removesuffix(".json")
        if scan.is_sbom:
            name = _SBOM_SUFFIX.sub("", name)
        if key := self._labelled(slug, name):
            return ReportPath(key)
        label, _, digits = name.rpartition(".")
        if not _DIGITS.fullmatch(digits):
            return ReportPath()
        if key := self._labelled(slug, label):
            for digest in self.entries[key].every_digest:
                if digest.partition(":")[2].startswith(digits):
                    return ReportPath(key, digest)
        if former := self._former_by_digits.get((slug, digits)):
            return ReportPath(*former)
        return ReportPath(of_unknown_build=key is not None)

    def _labelled(self, slug: str, label: str) -> Key | None:
        """The release of an image with this label or tag."""
        keys = self.with_tag(self.repositories.get(slug), label)
        return next((key for key in keys if key.slug == slug), None)


class ReportPath(NamedTuple):
    key: Key | None = None
    digest: str = ""
    """The digest of that release, listed or former, that begins with the 12 digits in its name."""
    of_unknown_build: bool = False
    """The digits are of no digest of the release."""


class Belonging(NamedTuple):
    scan: Scan
    """With the digest that its path names, if it names none itself."""
    keys: Sequence[Key] = ()
    problem: Problem | None = None
    """Why it is not used for its path."""


def belongs(scan: Scan, releases: ReleaseIndex) -> Belonging:
    """Return the releases of a report. It names digests, or a reference, or nothing:

    1. digests, or 12 digits of one in its path: to every release with one of them, wherever it lies;
    2. a reference: to the release with that repository and tag, unless both have digests;
    3. neither: to the release that its path names, as it may be of that one.

    A report that names something else than its path is not used for that path.
    """
    path, problem = releases.at(scan), None
    if path.key and (something_else := _something_else(scan, path, path.key, releases)):
        problem = _not_of_its_path(scan, path.key, releases, *something_else)
    elif path.digest and not scan.coverage.digests:
        scan = scan.naming(path.digest)
    keys = [key for digest in sorted(scan.coverage.named) for key in releases.with_digest(digest)]
    if not path.of_unknown_build:
        named = (key for name, tag in scan.names if tag for key in releases.with_tag(name, tag))
        keys += [key for key in named if not (scan.coverage.digests and releases.entries[key].digests)]
    if path.key and not path.digest and not problem:
        keys.append(path.key)
    return Belonging(scan, [*dict.fromkeys(keys)], problem)


def _something_else(scan: Scan, path: ReportPath, key: Key, releases: ReleaseIndex) -> tuple[str, str] | None:
    """What a report names instead of what its path names, and the word in `accept` that would allow it.

    1. It is not of an image.
    2. It names digests, and the release has others; where the path names one, it names another part's.
    3. The path names a manifest, and the report another platform.
    4. Its references are of other images, or of other tags of this one.
    """
    entry, own = releases.every[key], releases.repositories.get(key.slug)
    accept = releases.accept.get(key.slug, ())
    if scan.kind and "filesystem" not in accept:
        return f"a {scan.kind}", "filesystem"
    platforms = {manifest.digest: plain_platform(manifest.platform) for manifest in entry.manifests}
    others = scan.coverage.named & ({*(platforms or entry.digests)} - {path.digest}) if path.digest else None
    if others or (scan.coverage.digests and entry.every_digest):
        foreign = scan.coverage.named.isdisjoint(entry.every_digest)
        return (min(others or scan.coverage.digests), "") if others or foreign else None
    platform = plain_platform(scan.coverage.platform)
    if not Part(path.digest, platforms.get(path.digest, "")).may_be(platform):
        return platform, ""
    images = {name for name, _ in scan.names}
    if not (own and images):
        return None
    mirrors = {name for name in images if name.rpartition("/")[2] == own.rpartition("/")[2]}
    these = images & ({own, *mirrors} if "reference" in accept else {own})
    if not these:
        return min(images), "reference" if mirrors else ""
    tags = {f"{name}:{tag}" for name, tag in scan.names if name in these and tag}
    known = {f"{name}:{tag}" for name in these for tag in (entry.version, *entry.tags)}
    return (min(tags), "") if tags and tags.isdisjoint(known) else None


def _not_of_its_path(scan: Scan, key: Key, releases: ReleaseIndex, other: str, accept: str) -> Problem:
    message = f"not used for {key}, whose path it has: the report is of {other}"
    own = releases.repositories.get(key.slug)
    hint = f"scan {f'{own}:{key.version}' if own else key} for this path, or move the report away"
    remedy = "scan what `catalog-api list` prints"
    names_it = own is not None and any((own, tag) in scan.names for tag in (key.version, None))
    if names_it and other in scan.coverage.digests:
        hint = f"if the tag was rebuilt, run `catalog-api sync`, or write `digest: {other}` on the page"
    if accept:
        hint += f"; or set `accept: [{accept}]` on the page of {key.slug}"
        remedy += f"; or set `accept: [{accept}]` on their pages"
    group = f"reports are not used for their paths, as they are of something else ({remedy})"
    return Problem(scan.file, 0, 0, "", message, hint, Level.WARNING, code=Code.UNMATCHED_REPORT, group=group)
