"""Which scan counts for which release, and which release each chart pins.

The order of trust is digest, then normalized reference and tag, then the report's path below the reports
folder. Every scan that is unused, doubtful or contradictory gets a problem that names its report.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .models import ChartEntry, ImageEntry, PinEntry, VersionEntry
from .names import Reference
from .scan_selection import JoinRules, Kept, Part, ReleaseParts, ScanSelection
from .scans import PACKAGES, Scan, plain_platform
from .value import Chart, FormerDigest, Image, Pin, Release, ReportUse, Unused, WebPage

NO_REGISTRY = "registry.invalid"
"""Placeholder for a missing setting `registry`, so that the rest of an image can be checked. It is never
compared with anything, and no message contains it."""
_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".oci")
_DIGITS = re.compile("[0-9a-f]{12}")
_ACCEPTABLE = {"filesystem", "repository", "vm", "cyclonedx", "spdx", "directory", "file"}


class PinFault(NamedTuple):
    """An error of a pin."""

    chart: str
    """Slug of its chart."""
    position: int
    """Place among the chart's pins, from 0."""
    message: str
    hint: str = ""
    level: Level = Level.ERROR
    group: str = ""
    """Notes of one group become one line with their number."""


class Joined(NamedTuple):
    """Images and charts with their scans and pins."""

    images: tuple[Image, ...]
    charts: tuple[Chart, ...]
    reports: tuple[ReportUse, ...]
    """In the order of the scans."""
    pin_faults: list[PinFault]
    former: tuple[FormerDigest, ...]


def join(
    images: Sequence[tuple[ImageEntry, WebPage]],
    charts: Iterable[tuple[ChartEntry, WebPage]],
    scans: Sequence[Scan],
    rules: JoinRules,
    problems: Problems,
    former: Sequence[FormerDigest] = (),
) -> Joined:
    """Join images, charts and former digests with the scans.

    Problems of reports are added, except those of unused reports: see `unused_reports`.
    """
    releases = _ReleaseIndex((entry for entry, _ in images), former)
    candidates: dict[_Key, list[Scan]] = defaultdict(list)
    misplaced: set[tuple[str, int]] = set()
    scans = [_of_path(scan, releases) for scan in scans]
    for scan in scans:
        if rules.in_future(scan):
            message = f"scanned at {scan.scanned_at}, which is in the future"
            problems.add(_problem(scan, Code.SCAN_AGE, message, "check the clock of the scanner"))
        keys = _keys(scan, releases, rules, problems)
        if keys is None:
            misplaced.add(scan.place)
        for key in keys or ():
            candidates[key].append(scan)
    selections: dict[str, ScanSelection] = {}
    for key, entry in releases.every.items():
        platforms: Sequence[str] = entry.platforms
        if not (entry.manifests and key.slug in rules.synced):
            platforms = platforms or releases.platforms.get(key.slug, ())
        known = ReleaseParts.of(entry.digests, entry.manifests, platforms)
        selections[str(key)] = rules.select(candidates.get(key, ()), known)
    pins = _Pins(releases, scans, rules)
    joined_charts = tuple(Chart(entry, page, tuple(pins.resolved(entry))) for entry, page in charts)
    selections |= pins.selections
    joined_images = tuple(
        Image(
            entry,
            page,
            tuple(Release(each, selections[f"{entry.slug} {each.version}"]) for each in entry.versions),
        )
        for entry, page in images
    )
    formers = {
        str(key): replace(each, release=replace(each.release, selection=selections[str(key)]))
        for key, each in releases.former.items()
    }
    for subject, selection in selections.items():
        if subject in formers:  # nobody has to scan it again
            continue
        problems.extend(_kept(kept, subject) for kept in selection.kept if kept.scan.path != kept.other.path)
        problems.extend(_missing(selection, subject, accepted="partial" in rules.accept))
    uses = tuple(_uses(scans, selections, misplaced))
    return Joined(joined_images, joined_charts, uses, pins.faults, tuple(formers.values()))


def unused_reports(reports: Sequence[ReportUse], *, complete: bool) -> Iterator[Problem]:
    """A problem for each unused report; those without a match only if the catalog is `complete`."""
    useful = {use.scan.path for use in reports if use.matched}
    for use in reports:
        scan = use.scan
        for reason, subject, instead in use.unused:
            if reason == "unmatched":
                if complete:
                    yield _unmatched(scan, of_useful_report=scan.path in useful)
            elif reason == "scanner-not-wanted":
                word = scan.scanner.word
                message = f"not used for {subject}: the scanner {word} is not in `security.scanners`"
                hint = f"add {word} to it, or remove the report"
                yield _problem(scan, Code.PASSED_OVER, message, hint, Level.INFO)
            elif reason == "other-platform":
                platform = scan.coverage.platform or "a platform"
                message = f"not used for {subject}: it is of {platform}, which `platforms` leaves out"
                hint = "add the platform to `platforms`, or remove the report"
                yield _problem(scan, Code.PASSED_OVER, message, hint, Level.INFO)
            elif reason != "misplaced":  # which is an error that the join has added
                message = f"not used for {subject}: {instead} takes precedence"
                yield _problem(scan, Code.PASSED_OVER, message, level=Level.INFO)


def _kept(kept: Kept, subject: str) -> Problem:
    scan, other, doubt = kept
    if isinstance(doubt, frozenset):
        packages = [f"no {word} results" for word in sorted(doubt & PACKAGES)]
        lacking = " and ".join([*packages, *(f"the limit {word}" for word in sorted(doubt - PACKAGES))])
        message = f"counts for {subject} together with {other.file}, which is newer but has {lacking}"
        hint = "scan all packages in one report and without limits, or remove the older one"
        return _problem(scan, Code.IN_PART, message, hint)
    if doubt == "same-time":
        message = f"counts for {subject} together with {other.file}, which was made at the same time"
        return _problem(scan, Code.SCAN_AGE, message, "remove one of them if it is a copy or outdated")
    message = f"counts for {subject} together with {other.file}, since their times don't show which is newer"
    hint = "remove one of them, or scan again with a tool that writes the time into its report"
    return _problem(scan, Code.SCAN_AGE, message, hint)


def _missing(selection: ScanSelection, subject: str, *, accepted: bool) -> Iterator[Problem]:
    """A warning if some of the parts have no scan; without any scan of this build, `_mismatches` warns."""
    if selection.missing and selection.of_this_build:
        parts = ", ".join(map(str, selection.missing))
        message = f"{subject} is only partly scanned: no scan found for {parts}"
        hint = "scan what `catalog-api list` prints, or set `security: {accept: [partial]}`"
        level, hint = (Level.INFO, "") if accepted else (Level.WARNING, hint)
        problem = _problem(selection.scans[0], Code.IN_PART, message, hint, level)
        yield replace(problem, group="versions are only partly scanned: no scan found for each digest")


def _unmatched(scan: Scan, *, of_useful_report: bool) -> Problem:
    code = Code.UNMATCHED_REPORT
    if of_useful_report:
        # A hub's map has all images of a chart, also those outside the catalog.
        message = f"no version and no pin in the catalog matches the entry{_subject(scan)}"
        return _problem(scan, code, message, level=Level.INFO)
    if scan.alone:
        hint = (
            "add its version to the image's page, or save it as <slug>/<version>.json in the reports folder"
        )
        message = f"no version in the catalog matches this report{_subject(scan)}"
        return _problem(scan, code, message, hint)
    # A fetched old version of a chart may contain images that the catalog no longer lists.
    level = Level.INFO if scan.of_hub else Level.WARNING
    message = "no version and no pin in the catalog matches an image in this report"
    return _problem(scan, code, message, level=level)


def _subject(scan: Scan) -> str:
    if scan.names:
        repository, tag = scan.names[0]
        return f" of {repository}:{tag}" if tag else f" of {repository}@{min(scan.coverage.digests)}"
    return f" of {min(scan.coverage.named)}" if scan.coverage.named else ""


def _problem(scan: Scan, code: Code, message: str, hint: str = "", level: Level = Level.WARNING) -> Problem:
    return Problem(scan.file, 0, 0, "", message, hint, level, code=code)


def _uses(
    scans: Iterable[Scan], selections: dict[str, ScanSelection], misplaced: set[tuple[str, int]]
) -> Iterator[ReportUse]:
    counts_for: dict[tuple[str, int], list[str]] = defaultdict(list)
    unused: dict[tuple[str, int], list[Unused]] = defaultdict(list)
    for subject, selection in selections.items():
        files = ", ".join(dict.fromkeys(scan.file for scan in selection.scans))
        for scan in selection.scans:
            counts_for[scan.place].append(subject)
        for scan, reason in selection.unused:
            unused[scan.place].append(Unused(reason, subject, files))
    for scan in scans:
        place = scan.place
        if not (place in counts_for or place in unused):
            unused[place].append(Unused("misplaced" if place in misplaced else "unmatched"))
        yield ReportUse(scan, tuple(counts_for.get(place, ())), tuple(unused.get(place, ())))


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
        """Slug → repository; None if unknown because `registry` is not set."""
        self.platforms: dict[str, Sequence[str]] = {}
        """Slug → platforms of the image."""
        self._by_digest: dict[str, list[_Key]] = defaultdict(list)
        self._by_tag: dict[tuple[str | None, str], list[_Key]] = defaultdict(list)
        """A release is found by its label and by its other tags."""
        for image in images:
            reference = Reference.parse(image.image)
            repository = None if reference.domain == NO_REGISTRY else reference.repository
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
        self._parents = {name.rpartition("/")[0] for name in self._slugs if name} - {"docker.io/library"}

    def with_digest(self, digest: str) -> list[_Key]:
        return self._by_digest.get(digest, [])

    def with_tag(self, repository: str | None, tag: str) -> list[_Key]:
        return self._by_tag.get((repository, tag), [])

    def beside(self, repository: str) -> bool:
        """Whether the path of the registry has other images of the catalog, but not this one."""
        return repository not in self._slugs and repository.rpartition("/")[0] in self._parents

    def labelled(self, slug: str, label: str) -> _Key | None:
        """The release of an image with this label or tag."""
        keys = self.with_tag(self.repositories.get(slug), label)
        return next((key for key in keys if key.slug == slug), None)

    def slugs(self, repository: str) -> list[str]:
        """Images of a repository: usually one."""
        return self._slugs.get(repository, [])


def _keys(scan: Scan, releases: _ReleaseIndex, rules: JoinRules, problems: Problems) -> list[_Key] | None:
    """The releases that the scan belongs to; None for one that contradicts its path."""
    place = _place(scan, releases)
    folder, by_path = place.slug, place.key
    by_digest = (key for digest in sorted(scan.coverage.named) for key in releases.with_digest(digest))
    keys = list(dict.fromkeys([*by_digest, *_by_names(scan, releases)]))
    listed = [key for key in keys if not key.former]
    slugs = {key.slug for key in keys}.union(*(releases.slugs(name) for name, _ in scan.names))
    if folder and slugs and folder not in slugs:
        message = f"this report is for {', '.join(sorted(slugs))}, but it is in the folder of {folder}"
        hint = f"move it to {scan.file.removesuffix(scan.path)}{min(slugs)}/"
        problems.add(_problem(scan, Code.UNMATCHED_REPORT, message, hint, Level.ERROR))
        return None
    if place.digest and by_path and (other := _contradiction(scan, place.digest, releases.every[by_path])):
        message = f"this report is for {other}, but its path is that of {place.digest}"
        hint = "remove it, and scan again what `catalog-api list` prints for this path"
        problems.add(_problem(scan, Code.UNMATCHED_REPORT, message, hint, Level.ERROR))
        return None
    if place.stray and not any(releases.with_digest(digest) for digest in scan.coverage.named):
        return []
    if by_path and not by_path.former and not listed:
        for message, hint in _mismatches(scan, by_path, releases, rules.accept, former=bool(keys)):
            problems.add(_problem(scan, Code.UNMATCHED_REPORT, message, hint))
        return [by_path, *keys]
    if by_path and by_path not in keys:
        message = f"this report is for {listed[0]}, but its path is that of version {by_path.version}"
        problems.add(_problem(scan, Code.UNMATCHED_REPORT, message, f"rename it to {listed[0].version}.json"))
    return keys


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


def _by_names(scan: Scan, releases: _ReleaseIndex) -> Iterator[_Key]:
    """Releases of the same repository and tag, unless both sides have digests: then those decide."""
    for repository, tag in scan.names:
        for key in releases.with_tag(repository, tag) if tag else ():
            if not (scan.coverage.digests and releases.entries[key].digests):
                yield key


def _mismatches(
    scan: Scan, key: _Key, releases: _ReleaseIndex, accept: Collection[str], *, former: bool
) -> Iterator[tuple[str, str]]:
    """Message and hint of each contradiction between a report and its path, if no other release matches.

    `former`: it is of a former digest.
    """
    entry, own = releases.entries[key], releases.repositories[key.slug]
    if scan.kind and scan.kind not in accept:
        hint = "scan the image instead"
        if scan.kind in _ACCEPTABLE:
            hint += f", or set `security: {{accept: [{scan.kind}]}}`"
        yield f"this is a scan of kind {scan.kind!r}, not of an image", hint
    if scan.coverage.digests and entry.digests:
        message = f"the scanned digest {min(scan.coverage.digests)} is not a digest of {key}"
        hint = f"scan {key} again; if its tag was moved, run `catalog-api sync`, or correct the page"
        if former:
            message = f"this report is for {min(scan.coverage.digests)}, a former build of {key}"
            hint = f"scan {key} again"
        yield message, hint
    names = {name for name, _ in scan.names if not name.endswith(_ARCHIVES)}
    if own and names and own not in names:
        last = own.rpartition("/")[2]
        mirrors = {name for name in names if name.rpartition("/")[2] == last}
        if not mirrors:
            message = f"this report is for {', '.join(sorted(names))}, but its path is that of {key.slug}"
            yield message, f"move it away, or scan {own} again"
        elif "reference" not in accept:
            message = f"this report is for {', '.join(sorted(mirrors))}, not for {own}"
            yield message, f"scan {own}, or set `security: {{accept: [reference]}}` if it is a mirror"
    unreadable = [text for text in scan.unreadable if not text.lower().endswith(_ARCHIVES)]
    if unreadable and "reference" not in accept:
        message = f"this report is for {unreadable[0][:100]!r}, which is not an image reference"
        hint = f"scan {own or key.slug} by its name, or set `security: {{accept: [reference]}}`"
        yield message, hint
    tags = {tag for repository, tag in scan.names if tag and repository == own}
    if tags and tags.isdisjoint((entry.version, *entry.tags)):
        message = f"this report is for the tag {', '.join(sorted(tags))}, but its path is for {key.version}"
        yield message, "rename the file, or scan the version again"


class _Pins:
    """Resolves pins. A pin with a digest matches only the release with that digest; one without a digest
    matches by normalized reference and tag.
    """

    def __init__(self, releases: _ReleaseIndex, scans: Iterable[Scan], rules: JoinRules) -> None:
        self._releases, self._rules = releases, rules
        self.faults: list[PinFault] = []
        self.selections: dict[str, ScanSelection] = {}
        """Name of a pin outside the catalog → its scans."""
        self._by_digest: dict[str, list[Scan]] = defaultdict(list)
        self._by_tag: dict[tuple[str, str | None], list[Scan]] = defaultdict(list)
        for scan in scans:
            for digest in scan.coverage.named:
                self._by_digest[digest].append(scan)
            for name in scan.names:
                self._by_tag[name].append(scan)

    def resolved(self, chart: ChartEntry) -> Iterator[Pin]:
        for position, pin in enumerate(chart.images):
            reference = Reference.parse(pin.image)
            if reference.domain == "docker.io" and "docker.io/" not in pin.image.lower():
                self._note_short_name(chart.slug, position, pin.image, reference)
            elif self._releases.beside(reference.repository):
                message = f"the catalog has no image {reference.repository}"
                group = "pins are of the catalog's registry, but not of its images"
                hint = "correct its name, or add a page"
                self.faults.append(PinFault(chart.slug, position, message, hint, Level.INFO, group))
            if pin.digest is None:
                yield self._by_reference(pin, reference, chart.slug, position)
            else:
                yield self._with_digest(pin, pin.digest, reference.repository, chart.slug, position)

    def _note_short_name(self, chart: str, position: int, written: str, reference: Reference) -> None:
        """Note the meaning of a name without a registry, and the catalog image that may be meant."""
        last = reference.path.rpartition("/")[2]
        message = f"{written.partition('@')[0]!r} means {reference.repository}"
        others = [
            repository
            for repository in self._releases.repositories.values()
            if repository and repository.rpartition("/")[2] == last
        ]
        hint = "write the full name"
        if others and reference.repository not in others:
            hint = f"if the chart uses the image of this catalog, write {others[0]}"
        group = "pins without a registry mean images of docker.io"
        self.faults.append(PinFault(chart, position, message, hint, Level.INFO, group))

    def _by_reference(self, pin: PinEntry, reference: Reference, chart: str, position: int) -> Pin:
        repository, tag = reference.repository, reference.tag_or_latest
        name = f"{repository}:{tag}"
        for key in self._releases.with_tag(repository, tag):
            return Pin(pin, self._releases.entries[key].digest or name, key.slug, key.version)
        selection = self._select(self._by_tag.get((repository, tag), []), name, ())
        slug = self._slug(repository)
        versions = [key.version for key in self._releases.entries if key.slug == slug]
        if reference.tag and versions and not selection.scans:
            message = f"the page of {slug!r} has no version {tag!r}, and there is no scan of it"
            hint = f"it has versions {', '.join(versions[:5])}"
            group = "pins name a version that is not on the image's page and has no scan"
            self.faults.append(PinFault(chart, position, message, hint, Level.INFO, group))
        return Pin(pin, name, slug, None, selection)

    def _with_digest(self, pin: PinEntry, digest: str, repository: str, chart: str, position: int) -> Pin:
        keys = self._releases.with_digest(digest)
        for key in keys:
            if self._releases.repositories.get(key.slug) in (repository, None):
                former = self._releases.former.get(key)
                return Pin(pin, digest, key.slug, key.version, former=former)
        if keys and not keys[0].former:
            owner = f"{self._releases.repositories[keys[0].slug]} {keys[0].version}"
            message = f"the digest belongs to {owner}, not to {repository}"
            hint = "pin the digest of the image in the chart"
            self.faults.append(PinFault(chart, position, message, hint))
        else:
            message = f"the digest {digest} is on no page of the catalog"
            group = "pins have a digest that is on no page of the catalog"
            self.faults.append(PinFault(chart, position, message, level=Level.INFO, group=group))
        selection = self._select(self._by_digest.get(digest, []), f"{repository}@{digest}", (digest,))
        return Pin(pin, digest, self._slug(repository), None, selection)

    def _select(self, scans: Sequence[Scan], name: str, digests: tuple[str, ...]) -> ScanSelection:
        return self.selections.setdefault(name, self._rules.select(scans, ReleaseParts(digests)))

    def _slug(self, repository: str) -> str | None:
        """The image of the repository; None when several pages share it."""
        slugs = self._releases.slugs(repository)
        return slugs[0] if len(slugs) == 1 else None
