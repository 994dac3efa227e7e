"""What to fix about scans that prove little, and about reports that belong nowhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from difflib import get_close_matches
from itertools import chain, groupby

from ..problems import Level, Problem
from ..problems.codes import Code
from .counts import CountRules, unused
from .covers import ScanSelection
from .join import Joined
from .scans import Limit, Scan
from .value import Image, Release

_BLIND: Mapping[Limit, tuple[str, str]] = {
    "no-system-packages": (
        "the report names an operating system, but has no results for its packages",
        "scan with `trivy image --scanners vuln --format json`",
    ),
    "nothing-recognized": (
        "the scanner recognized neither an operating system nor packages, so finding nothing means little",
        "scan with another scanner; if it is built from nothing, set `accept: [nothing-recognized]` on "
        "its page",
    ),
    "unknown-distribution": (
        "the scanner has no data on this distribution, so its packages match nothing",
        "scan with another scanner",
    ),
}
"""Limits that are no option of a scanner, each with message and hint."""


def at_report(
    scan: Scan, code: Code, message: str, hint: str = "", level: Level = Level.WARNING, *, group: str = ""
) -> Problem:
    return Problem(scan.file, 0, 0, "", message, hint, level, code=code, group=group)


def doubtful_belongings(
    joined: Joined, rules: CountRules, *, complete: bool, slugs: Sequence[str], left_out: Mapping[str, str]
) -> Iterator[Problem]:
    """Add a problem for each report of the future, of something else than its path names, or, if the catalog
    is `complete`, of nothing in it.
    """
    of_pins = {scan.place for selection in joined.subjects.values() for scan in selection.every}
    used = {report.scan.place for report in joined.belongings if report.keys or report.problem} | of_pins
    useful = {
        belonging.scan.path
        for belonging in joined.belongings
        if belonging.scan.place in used and not belonging.scan.is_sbom
    }
    for belonging in joined.belongings:
        scan = belonging.scan
        if rules.in_future(scan):
            message = f"scanned at {scan.scanned_at}, which is in the future"
            yield at_report(scan, Code.SCAN_AGE, message, "check the clock of the scanner")
        if belonging.problem:
            yield belonging.problem
        if complete and scan.place not in used:
            yield _unmatched(scan, useful, belonging.place, slugs, left_out)


def doubtful_selections(joined: Joined, rules: CountRules) -> Iterator[Problem]:
    """Add a problem for each scan that does not count, or only with another one, and for each part without
    any. Nobody scans a former digest again.
    """
    for former in joined.former:
        name = f"{former.slug} {former.version} ({former.digest})"
        yield from unused(former.release.selection, name)
    for subject, selection in joined.subjects.items():
        yield from unused(selection, subject)
        yield from rules.problems(selection, subject)
        yield from _partly_scanned(selection, subject, rules.accept)


def _partly_scanned(selection: ScanSelection, subject: str, accept: Collection[str]) -> Iterator[Problem]:
    """A warning that names the parts without a scan."""
    if selection.scans and selection.missing:
        parts = ", ".join(map(str, selection.missing))
        message = f"{subject} is only partly scanned: no scan found for {parts}"
        hint = "scan what `catalog-api list` prints, or set `security: {accept: [partial]}`"
        accepted = "partial" in accept
        level = Level.INFO if accepted else Level.WARNING
        group = "versions are only partly scanned: no scan found for each digest"
        scan = selection.scans[0]
        yield at_report(scan, Code.IN_PART, message, hint * (not accepted), level, group=group)


def _unmatched(
    scan: Scan, useful: Collection[str], place: str, slugs: Sequence[str], left_out: Mapping[str, str]
) -> Problem:
    """The scan is of no release and no pin; `useful` are the paths of reports with another scan that is.

    `place` is the path at which it would count. `slugs` are those of the catalog's images, `left_out` has
    pages that are none by their names.
    """
    code = Code.UNMATCHED_REPORT
    if scan.path in useful:
        # A hub's map has all images of a chart, also those outside the catalog.
        message = f"no version and no pin in the catalog matches the entry{_subject(scan)}"
        return at_report(scan, code, message, level=Level.INFO)
    if scan.alone:
        return at_report(scan, code, *_of_nothing(scan, place, slugs, left_out))
    # A fetched old version of a chart may contain images that the catalog no longer lists.
    level = Level.INFO if scan.of_hub else Level.WARNING
    message = "no version and no pin in the catalog matches an image in this report"
    return at_report(scan, code, message, level=level)


def _of_nothing(scan: Scan, place: str, slugs: Sequence[str], left_out: Mapping[str, str]) -> tuple[str, str]:
    """Message and hint for a report that belongs nowhere; `place` is the path at which it would count."""
    message = f"no version in the catalog matches this report{_subject(scan)}"
    folder = scan.path.partition("/")[0]
    if page := left_out.get(folder):
        return message, f"{page} is not in the catalog: include it, or remove its reports"
    if place:
        message = f"not used: the report is{_subject(scan)}, without a known digest, and lies at another path"
        return message, f"move it to {scan.folder}{place}"
    if folder not in slugs and (near := get_close_matches(folder, slugs, n=1)):
        return message, f"did you mean the folder `{near[0]}`?"
    path = "correct its path" if scan.path.count("/") == 1 else "save it as <slug>/<version>.json"
    return message, f"add its version to the image's page, or {path}"


def _subject(scan: Scan) -> str:
    if scan.names:
        name = scan.names[0]
        return f" of {name}" if name.tag else f" of {name.repository}@{min(scan.coverage.digests)}"
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


def limited(selections: Iterable[ScanSelection]) -> Iterator[Problem]:
    """Add a problem for each report and limit that no other scan makes up for."""
    found: dict[tuple[str, Limit], list[Scan]] = defaultdict(list)
    for selection in selections:
        for report in selection.part_scans:
            for limit in report.limits.intersection(selection.limits) - {"os-end-of-life"}:
                found[report.scan.file, limit].append(report.scan)
    for (_, limit), scans in sorted(found.items()):
        inferred = dict.fromkeys(name for scan in scans if scan.inferred for name in scan.references)
        if inferred:
            message = f"the hub has no results for {', '.join(inferred)}, so it may not have read them"
            hint = "scan them yourself; if they are built from nothing, set `accept: [nothing-recognized]`"
        elif limit in _BLIND:
            message, hint = _BLIND[limit]
        else:
            message = f"the report was made with {limit}, so vulnerabilities may be missing"
            hint = f"scan again without {limit}"
        yield at_report(scans[0], Code.IN_PART, message, hint)


def doubtful_reports(scans: Iterable[Scan], accept: Collection[str]) -> Iterator[Problem]:
    """Add a problem for each report with findings that its scanner ignored, did not rate or left out.

    `scans` are those that count, by report.
    """
    for _, group in groupby(scans, key=lambda scan: scan.file):
        of_report = [*group]
        scan = of_report[0]
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
            hint = ""
            if scan.is_sbom:
                hint = "scan the image, or this file: `grype sbom:FILE --output json`, `trivy sbom FILE`"
            yield at_report(scan, Code.DOUBTFUL_FINDINGS, message, hint, Level.INFO)


def _findings(number: int) -> str:
    return "1 finding" if number == 1 else f"{number:,} findings"


def _sums(counts: Iterable[Iterable[tuple[str, int]]]) -> list[tuple[str, int]]:
    sums: dict[str, int] = {}
    for word, number in chain.from_iterable(counts):
        sums[word] = sums.get(word, 0) + number
    return sorted(sums.items())


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
    hint = "rebuild it on a maintained base, or set `endOfLife` of the version"
    return at_report(scan, Code.END_OF_LIFE, message, hint)
