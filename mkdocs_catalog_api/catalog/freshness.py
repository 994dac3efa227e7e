"""Reports that prove little: restricted or old reports, doubtful joins, systems past their end of life."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import chain, groupby

from ..problems import Level, Problem
from ..problems.codes import Code
from .scans import Scan
from .value import Image, Release


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
                yield _problem(scan, Code.IN_PART, message, hint)
            elif limit != "os-end-of-life":  # see `_abandoned_system`
                message = f"the report was made with {limit}, so vulnerabilities may be missing"
                yield _problem(scan, Code.IN_PART, message, f"scan again without {limit}")
        aside = [finding.set_aside for each in of_report for finding in each.findings if finding.set_aside]
        ignored = sum(status == "ignored" for status, _, _ in aside)
        if ignored:
            message = f"{_findings(ignored)} ignored by {scan.scanner.name}"
            if "ignored" in accept:
                message, hint = f"suppressed: {message}", ""
            else:
                message = f"counted like any other: {message}"
                hint = "to suppress them, set `security: {accept: [ignored]}`"
            yield _problem(scan, Code.DOUBTFUL_FINDINGS, message, hint, Level.INFO)
        for word, number in _sums(each.odd_severities for each in of_report):
            severity = (
                f"the severity {word!r}, which {scan.scanner.name} does not have" if word else "no severity"
            )
            message = f"{_findings(number)} with {severity}: counted as UNKNOWN"
            yield _problem(scan, Code.DOUBTFUL_FINDINGS, message, "scan again with a newer version")
        for kind, number in _sums(each.unread for each in of_report):
            message = f"not counted: {number:,} {kind}"
            yield _problem(scan, Code.DOUBTFUL_FINDINGS, message, "", Level.INFO)


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


def _problem(scan: Scan, code: Code, message: str, hint: str, level: Level = Level.WARNING) -> Problem:
    return Problem(scan.file, 0, 0, "", message, hint, level, code=code)


def _old_scans(newest: Release, name: str, max_age: int, now: datetime) -> Iterator[Problem]:
    dated = [(scan.scanned_at, scan.place, scan) for scan in newest.scans if scan.scanned_at]
    for scan in [scan for scan in newest.scans if not scan.scanned_at][:1]:
        message = f"the scan of {name} has no time, so its age is unknown"
        hint = "use a scanner that writes the time into its report"
        yield _problem(scan, Code.SCAN_AGE, message, hint, Level.INFO)
    for time, _, scan in sorted(dated)[:1]:
        days = (now - datetime.fromisoformat(time).astimezone(UTC)).days
        if days > max_age:
            message = f"the scan of {name} is {days} days old (`security.max_age` is {max_age})"
            yield _problem(scan, Code.SCAN_AGE, message, "scan the image again")


def _early_scan(image: Image, release: Release, scan: Scan) -> Iterator[Problem]:
    """A scan before the release day, with one day of tolerance for time zones."""
    released, time = release.entry.released, scan.scanned_at
    if released and time and (date.fromisoformat(released) - date.fromisoformat(time[:10])).days > 1:
        message = f"scanned at {time}, but {_name(image, release)} was released on {released}"
        yield _problem(scan, Code.SCAN_AGE, message, "scan the version again, or correct its `released`")


def _abandoned_system(image: Image, release: Release, scan: Scan, today: str) -> Problem:
    """An info if the release is past its own `endOfLife`, else a warning."""
    name, end = _name(image, release), release.entry.end_of_life
    message = f"the operating system in {name} is past its end of life, so the scan finds few vulnerabilities"
    if image.entry.lifecycle in ("deprecated", "withdrawn") or (end is not None and end < today):
        return _problem(scan, Code.END_OF_LIFE, message, "", Level.INFO)
    hint = "rebuild it on a maintained base, or set `endOfLife` on its page"
    return _problem(scan, Code.END_OF_LIFE, message, hint)
