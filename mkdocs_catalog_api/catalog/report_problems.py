"""What to fix about reports that contradict their path, match nothing, are not used, or prove little."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import chain, groupby

from msgspec.structs import replace

from ..problems import Level, Problem
from ..problems.codes import Code
from .models import VersionEntry
from .scan_selection import Kept, ScanSelection
from .scans import PACKAGES, Scan
from .value import Image, Release

_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".oci")


def at_report(
    scan: Scan, code: Code, message: str, hint: str = "", level: Level = Level.WARNING, *, group: str = ""
) -> Problem:
    return Problem(scan.file, 0, 0, "", message, hint, level, code=code, group=group)


def in_future(scan: Scan) -> Problem:
    message = f"scanned at {scan.scanned_at}, which is in the future"
    return at_report(scan, Code.SCAN_AGE, message, "check the clock of the scanner")


def in_other_folder(scan: Scan, folder: str, slugs: Sequence[str]) -> Problem:
    """An error: the report is of these images, but in the folder of another one."""
    message = f"this report is for {', '.join(slugs)}, but it is in the folder of {folder}"
    hint = f"move it to {scan.file.removesuffix(scan.path)}{slugs[0]}/"
    return at_report(scan, Code.UNMATCHED_REPORT, message, hint, Level.ERROR)


def of_other_digest(scan: Scan, digest: str, other: str) -> Problem:
    """An error: the path names the digest, the report `other`, a digest or a platform."""
    message = f"this report is for {other}, but its path is that of {digest}"
    hint = "remove it, and scan again what `catalog-api list` prints for this path"
    return at_report(scan, Code.UNMATCHED_REPORT, message, hint, Level.ERROR)


def of_other_version(scan: Scan, version: str, other: str) -> Problem:
    message = f"this report is for {other}, but its path is that of version {version}"
    hint = f"rename it to {other.partition(' ')[2]}.json"
    return at_report(scan, Code.UNMATCHED_REPORT, message, hint)


def mismatches(
    scan: Scan, slug: str, entry: VersionEntry, own: str | None, accept: Collection[str], *, former: bool
) -> Iterator[tuple[str, str, str]]:
    """Message, hint and group for each contradiction between a report and its path.

    No other release matches. The path is that of a version of the image, whose repository is `own`. `former`:
    the report is of a former digest.
    """
    key = f"{slug} {entry.version}"
    if scan.kind and "filesystem" not in accept:
        hint = "scan the image instead, or set `security: {accept: [filesystem]}`"
        yield f"this is a scan of kind {scan.kind!r}, not of an image", hint, ""
    if scan.coverage.digests and entry.digests:
        message = f"the scanned digest {min(scan.coverage.digests)} is not a digest of {key}"
        remedy = "if its tag was moved, run `catalog-api sync`, or correct the page"
        hint = f"scan {key} again; {remedy}"
        group = f"scanned digests are not those of their versions (scan each again; {remedy})"
        if former:
            message = f"this report is for {min(scan.coverage.digests)}, a former build of {key}"
            hint, group = f"scan {key} again", "reports are for former builds (scan the versions again)"
        yield message, hint, group
    names = {name for name, _ in scan.names if not name.endswith(_ARCHIVES)}
    if own and names and own not in names:
        last = own.rpartition("/")[2]
        mirrors = {name for name in names if name.rpartition("/")[2] == last}
        if not mirrors:
            message = f"this report is for {', '.join(sorted(names))}, but its path is that of {slug}"
            yield message, f"move it away, or scan {own} again", ""
        elif "reference" not in accept:
            message = f"this report is for {', '.join(sorted(mirrors))}, not for {own}"
            remedy = "set `security: {accept: [reference]}` if it is a mirror"
            group = f"reports are for the images in another registry (scan those of the pages, or {remedy})"
            yield message, f"scan {own}, or {remedy}", group
    unreadable = [text for text in scan.unreadable if not text.lower().endswith(_ARCHIVES)]
    if unreadable and "reference" not in accept:
        message = f"this report is for {unreadable[0][:100]!r}, which is not an image reference"
        hint = f"scan {own or slug} by its name, or set `security: {{accept: [reference]}}`"
        yield message, hint, ""
    tags = {tag for repository, tag in scan.names if tag and repository == own}
    if tags and tags.isdisjoint((entry.version, *entry.tags)):
        message = f"this report is for the tag {', '.join(sorted(tags))}, but its path is for {entry.version}"
        yield message, "rename the file, or scan the version again", ""


def unused(selection: ScanSelection, subject: str) -> Iterator[Problem]:
    """A note for each scan that matches a release or pin without counting for it."""
    instead = ", ".join(dict.fromkeys(scan.file for scan in selection.scans))
    for scan, reason in selection.unused:
        why, hint = f"{instead} takes precedence", ""
        if reason == "scanner-not-wanted":
            why = f"the scanner {scan.scanner.word} is not in `security.scanners`"
            hint = f"add {scan.scanner.word} to it, or remove the report"
        elif reason == "other-platform":
            why = f"it is of {scan.coverage.platform or 'a platform'}, which `platforms` leaves out"
            hint = "add the platform to `platforms`, or remove the report"
        yield at_report(scan, Code.PASSED_OVER, f"not used for {subject}: {why}", hint, Level.INFO)


def doubts(selection: ScanSelection, subject: str, accept: Collection[str]) -> Iterator[Problem]:
    """A warning for each scan that counts because of a doubt, and for the parts without a scan."""
    for kept in selection.kept:
        if kept.scan.path != kept.other.path:
            yield _kept(kept, subject)
    if selection.missing and selection.of_this_build:  # else `mismatches` warns
        parts = ", ".join(map(str, selection.missing))
        message = f"{subject} is only partly scanned: no scan found for {parts}"
        level, hint = (
            Level.WARNING,
            "scan what `catalog-api list` prints, or set `security: {accept: [partial]}`",
        )
        if "partial" in accept:
            level, hint = Level.INFO, ""
        problem = at_report(selection.scans[0], Code.IN_PART, message, hint, level)
        yield replace(problem, group="versions are only partly scanned: no scan found for each digest")


def _kept(kept: Kept, subject: str) -> Problem:
    scan, other, doubt = kept
    code, why = Code.SCAN_AGE, "since their times don't show which is newer"
    hint = "remove one of them, or scan again with a tool that writes the time into its report"
    if isinstance(doubt, frozenset):
        packages = [f"no {word} results" for word in sorted(doubt & PACKAGES)]
        lacking = " and ".join([*packages, *(f"the limit {word}" for word in sorted(doubt - PACKAGES))])
        code, why = Code.IN_PART, f"which is newer but has {lacking}"
        hint = "scan all packages in one report and without limits, or remove the older one"
    elif doubt == "same-time":
        why, hint = "which was made at the same time", "remove one of them if it is a copy or outdated"
    return at_report(scan, code, f"counts for {subject} together with {other.file}, {why}", hint)


def unmatched(scan: Scan, useful: Collection[str]) -> Problem:
    """The scan is of no release and no pin; `useful` are the paths of reports with another scan that is."""
    code = Code.UNMATCHED_REPORT
    if scan.path in useful:
        # A hub's map has all images of a chart, also those outside the catalog.
        message = f"no version and no pin in the catalog matches the entry{_subject(scan)}"
        return at_report(scan, code, message, level=Level.INFO)
    if scan.alone:
        hint = (
            "add its version to the image's page, or save it as <slug>/<version>.json in the reports folder"
        )
        message = f"no version in the catalog matches this report{_subject(scan)}"
        return at_report(scan, code, message, hint)
    # A fetched old version of a chart may contain images that the catalog no longer lists.
    level = Level.INFO if scan.of_hub else Level.WARNING
    message = "no version and no pin in the catalog matches an image in this report"
    return at_report(scan, code, message, level=level)


def _subject(scan: Scan) -> str:
    if scan.names:
        repository, tag = scan.names[0]
        return f" of {repository}:{tag}" if tag else f" of {repository}@{min(scan.coverage.digests)}"
    return f" of {min(scan.coverage.named)}" if scan.coverage.named else ""


def doubtful_scans(images: Iterable[Image], max_age: int | None, now: datetime) -> Iterator[Problem]:
    """Add a problem for each scan that proves little; `max_age` is in days, None for any age."""
    for image in images:
        if max_age is not None and image.entry.lifecycle != "planned" and image.newest:
            yield from _old_scans(image.newest, _name(image, image.newest), max_age, now)
        for release in image.releases:
            for scan in release.scans:
                # The same digest is the same image, whatever else the report contains.
                if scan.coverage.named.isdisjoint(release.entry.every_digest):
                    yield from _early_scan(image, release, scan)
                if scan.os_end_of_life:
                    yield _abandoned_system(image, release, scan, now.date().isoformat())


def doubtful_reports(scans: Iterable[Scan], accept: Collection[str]) -> Iterator[Problem]:
    """Add a problem for each report with findings that its scanner ignored, did not rate or left out.

    `scans` are by report.
    """
    for _, group in groupby(scans, key=lambda scan: scan.file):
        of_report = [*group]
        scan = of_report[0]
        for limit in sorted({limit for each in of_report for limit in each.coverage.limits}):
            if limit == "no-system-packages":
                message = "the report names an operating system, but has no results for its packages"
                hint = "scan with `trivy image --scanners vuln --format json`"
                yield at_report(scan, Code.IN_PART, message, hint)
            elif limit != "os-end-of-life":  # see `_abandoned_system`
                message = f"the report was made with {limit}, so vulnerabilities may be missing"
                yield at_report(scan, Code.IN_PART, message, f"scan again without {limit}")
        aside = [finding.set_aside for each in of_report for finding in each.findings if finding.set_aside]
        ignored = sum(status == "ignored" for status, _, _ in aside)
        if ignored:
            message = f"{_findings(ignored)} ignored by {scan.scanner.name}"
            if "ignored" in accept:
                message, hint = f"suppressed: {message}", ""
            else:
                message = f"counted like any other: {message}"
                hint = "to suppress them, set `security: {accept: [ignored]}`"
            yield at_report(scan, Code.DOUBTFUL_FINDINGS, message, hint, Level.INFO)
        for word, number in _sums(each.odd_severities for each in of_report):
            severity = (
                f"the severity {word!r}, which {scan.scanner.name} does not have" if word else "no severity"
            )
            message = f"{_findings(number)} with {severity}: counted as UNKNOWN"
            yield at_report(scan, Code.DOUBTFUL_FINDINGS, message, "scan again with a newer version")
        for kind, number in _sums(each.unread for each in of_report):
            message = f"not counted: {number:,} {kind}"
            yield at_report(scan, Code.DOUBTFUL_FINDINGS, message, "", Level.INFO)


def _findings(number: int) -> str:
    return "1 finding" if number == 1 else f"{number:,} findings"


def _sums(counts: Iterable[Iterable[tuple[str, int]]]) -> list[tuple[str, int]]:
    sums: dict[str, int] = {}
    for word, number in chain.from_iterable(counts):
        sums[word] = sums.get(word, 0) + number
    return sorted(sums.items())


def unscanned(images: Sequence[Image]) -> Iterator[Image]:
    """Images whose newest version has no scan, if any other version of the catalog has one."""
    if any(release.scans for image in images for release in image.releases):
        for image in images:
            if image.entry.lifecycle != "planned" and image.newest and not image.newest.scans:
                yield image


def _name(image: Image, release: Release) -> str:
    return f"{image.entry.slug} {release.entry.version}"


def _old_scans(newest: Release, name: str, max_age: int, now: datetime) -> Iterator[Problem]:
    dated = [(scan.scanned_at, scan.place, scan) for scan in newest.scans if scan.scanned_at]
    for scan in [scan for scan in newest.scans if not scan.scanned_at][:1]:
        message = f"the scan of {name} has no time, so its age is unknown"
        hint = "use a scanner that writes the time into its report"
        yield at_report(scan, Code.SCAN_AGE, message, hint, Level.INFO)
    for time, _, scan in sorted(dated)[:1]:
        days = (now - datetime.fromisoformat(time).astimezone(UTC)).days
        if days > max_age:
            message = f"the scan of {name} is {days} days old (`security.max_age` is {max_age})"
            yield at_report(scan, Code.SCAN_AGE, message, "scan the image again")


def _early_scan(image: Image, release: Release, scan: Scan) -> Iterator[Problem]:
    """A scan before the release day, with one day of tolerance for time zones."""
    released, time = release.entry.released, scan.scanned_at
    if released and time and (date.fromisoformat(released) - date.fromisoformat(time[:10])).days > 1:
        message = f"scanned at {time}, but {_name(image, release)} was released on {released}"
        yield at_report(scan, Code.SCAN_AGE, message, "scan the version again, or correct its `released`")


def _abandoned_system(image: Image, release: Release, scan: Scan, today: str) -> Problem:
    """An info if the release is past its own `endOfLife`, else a warning."""
    name, end = _name(image, release), release.entry.end_of_life
    message = f"the operating system in {name} is past its end of life, so the scan finds few vulnerabilities"
    if image.entry.lifecycle in ("deprecated", "withdrawn") or (end is not None and end < today):
        return at_report(scan, Code.END_OF_LIFE, message, "", Level.INFO)
    hint = "rebuild it on a maintained base, or set `endOfLife` on its page"
    return at_report(scan, Code.END_OF_LIFE, message, hint)
