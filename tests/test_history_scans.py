"""A scan shows a fix only if it looked where the vulnerability was seen: each story with one that does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .past import ONE, TWO, Past, digest, row
from .sites import REGISTRY, SiteFolder, trivy

SUNDAY, MONDAY, TUESDAY, WEDNESDAY = "2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"
FIXED, NOT_FIXED = (1, 1, 1), (0, None, None)


@pytest.fixture
def past(site: SiteFolder) -> Past:
    past = Past(site)
    past.image()
    past.scan("nginx", "1.0", [])
    past.day(SUNDAY)
    return past


def scan_event(events: list[dict[str, Any]]) -> dict[str, Any]:
    return next(event for event in events if event["kind"] == "scan-changed")


@pytest.mark.parametrize(("made", "fixed"), [(SUNDAY, NOT_FIXED), (MONDAY, FIXED), ("", FIXED)])
def test_a_scan_made_before_the_vulnerability_was_seen_fixes_nothing(
    past: Past, made: str, fixed: tuple[Any, ...]
) -> None:
    past.scan("nginx", "1.0", [row(ONE)])
    past.day(MONDAY)
    past.image(v1_0="again")
    past.scan("nginx", "1.0", [], "again", made=made)
    assert past.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    assert past.fixed() == fixed


def test_a_scan_without_a_time_is_as_old_as_its_first_record(past: Past) -> None:
    """The scan of the build before is the one that was recorded on Sunday."""
    past.image(v1_0="second")
    past.scan("nginx", "1.0", [row(ONE)], "second")
    past.day(MONDAY)
    past.image(v1_0="1.0")
    past.scan("nginx", "1.0", [])
    assert past.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    assert past.fixed() == NOT_FIXED


@pytest.mark.parametrize(
    ("platform", "fixed"), [("linux/arm64", NOT_FIXED), ("linux/amd64", FIXED), ("", FIXED)]
)
def test_the_scan_of_another_platform_fixes_nothing(
    past: Past, platform: str, fixed: tuple[Any, ...]
) -> None:
    past.scan("nginx", "1.0", [row(ONE)], platform="linux/amd64")
    past.day(MONDAY)
    past.image(v1_0="again")
    past.scan("nginx", "1.0", [], "again", platform=platform)
    assert past.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    assert past.fixed() == fixed


@pytest.mark.parametrize("known", [True, False])
def test_a_report_that_names_no_part_fixes_nothing_where_there_are_several(past: Past, known: bool) -> None:
    def build(name: str) -> None:
        platforms = "[linux/amd64, linux/arm64]" if known else "[]"
        past.site.image(
            "nginx", f"versions: [{{version: '1.0', digest: {digest(name)}, platforms: {platforms}}}]"
        )

    build("1.0")
    past.scan("nginx", "1.0", [row(ONE)])
    past.day(MONDAY)
    build("again")
    past.scan("nginx", "1.0", [], "again")
    event = scan_event(past.day(TUESDAY))
    assert [scan["platform"] for scan in event["scans"]] == (["unknown"] if known else [None])
    assert past.fixed() == (NOT_FIXED if known else FIXED)


@pytest.mark.parametrize(
    ("manifest", "reason", "fixed"), [("amd64", "scanner", NOT_FIXED), ("amd64-new", "rebuilt", FIXED)]
)
def test_the_same_manifest_in_a_new_index_fixes_nothing(
    past: Past, manifest: str, reason: str, fixed: tuple[Any, ...]
) -> None:
    def build(index: str, amd64: str) -> None:
        manifests = {"linux/amd64": digest(amd64), "linux/arm64": digest(f"{index}-arm64")}
        version = {"version": "1.0", "digest": digest(index), "manifests": manifests}
        past.site.image("nginx", f"versions: [{json.dumps(version | {'platforms': ['linux/amd64']})}]")

    build("1.0", "amd64")
    past.scan("nginx", "1.0", [row(ONE)], platform="linux/amd64")
    past.day(MONDAY)
    build("again", manifest)
    past.scan("nginx", "1.0", [], "again", platform="linux/amd64")
    assert past.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", reason)]
    assert past.fixed() == fixed


def scan_ended_system(past: Past, rows: list[Any], build: str, *, ended: bool) -> None:
    report = trivy(rows, digest=f"{REGISTRY}/nginx@{digest(build)}", created="")
    report["Metadata"]["OS"] = {"Family": "debian", "Name": "9", "EOSL": ended}
    past.site.report("nginx/1.0.json", report)


@pytest.mark.parametrize(
    ("before", "after", "fixed"),
    [(False, True, NOT_FIXED), (False, False, FIXED), (True, True, FIXED), (True, False, FIXED)],
)
def test_a_scan_with_a_further_limit_fixes_nothing(
    site: SiteFolder, before: bool, after: bool, fixed: tuple[Any, ...]
) -> None:
    past = Past(site)
    past.image()
    scan_ended_system(past, [], "1.0", ended=before)
    past.day(SUNDAY)
    scan_ended_system(past, [row(ONE)], "1.0", ended=before)
    past.day(MONDAY)
    past.image(v1_0="again")
    scan_ended_system(past, [], "again", ended=after)
    event = scan_event(past.day(TUESDAY))
    assert [scan["limits"] for scan in event["scans"]] == [["os-end-of-life"] if after else []]
    assert past.fixed() == fixed
    assert [entry[3] for entry in past.episodes()] == [TUESDAY if fixed == FIXED else None]


def test_a_day_says_which_scans_count_and_which_of_them_saw_a_vulnerability(past: Past) -> None:
    digests = [digest("a"), digest("b")]
    past.site.image("nginx", f"versions: [{{version: '1.0', digests: {json.dumps(digests)}}}]")
    past.unscan("nginx", "1.0")
    for name, rows in (("a", [row(ONE)]), ("b", [row(ONE), row(TWO)])):
        of = f"{REGISTRY}/nginx@{digest(name)}"
        past.site.report(f"nginx/{name}.json", trivy(rows, digest=of, created=f"{MONDAY}T06:00:00Z"))
    events = past.day(MONDAY)
    scan = {"scanner": "Trivy", "platform": None, "packages": ["os-pkgs"], "limits": []}
    scan |= {"scannedAt": f"{MONDAY}T06:00:00Z"}
    assert scan_event(events)["scans"] == [scan | {"digests": [each]} for each in digests]
    seen = {event["id"]: event["seen"] for event in events if event["kind"] == "vulnerability-found"}
    assert seen == {ONE: [0, 1], TWO: [1]}


def test_a_later_scan_of_the_same_is_no_event(past: Past) -> None:
    past.scan("nginx", "1.0", [], made=MONDAY)
    past.day(MONDAY)
    past.scan("nginx", "1.0", [], made=TUESDAY)
    assert past.day(TUESDAY) == []


@pytest.mark.parametrize("without", [{MONDAY}, {MONDAY, TUESDAY}])
@pytest.mark.parametrize(("made", "fixed"), [(MONDAY, FIXED), ("", FIXED)])
def test_days_that_do_not_say_where_a_vulnerability_was_seen_stay_valid(
    past: Past, without: set[str], made: str, fixed: tuple[Any, ...]
) -> None:
    past.scan("nginx", "1.0", [row(ONE)], platform="linux/amd64")
    past.day(MONDAY)
    past.image(v1_0="again")
    past.scan("nginx", "1.0", [], "again", made=made, platform="linux/arm64")
    past.day(TUESDAY)
    assert past.fixed() == NOT_FIXED
    for day in without:
        lines = past.file(day).read_text().splitlines(keepends=True)
        for number, line in enumerate(lines[1:-1], 1):
            event = json.loads(line.rstrip(",\n"))
            event.pop("scans", None), event.pop("seen", None)
            lines[number] = json.dumps(event) + line.removeprefix(line.rstrip(",\n"))
        past.file(day).write_text("".join(lines))
    assert past.fixed() == fixed
