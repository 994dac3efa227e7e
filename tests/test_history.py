"""What a history says after several days, each recorded from a whole build."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass

import pytest

from .past import ONE, THREE, TWO, Past
from .sites import REGISTRY, SiteFolder, digest, grype, match, row, trivy

MONDAY, TUESDAY, WEDNESDAY, THURSDAY = "2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05"


@pytest.fixture
def past(site: SiteFolder) -> Past:
    """A history that began on a day without vulnerabilities, so that each has a known beginning."""
    past = Past(site)
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [])
    past.day("2026-11-01")
    return past


@pytest.fixture
def found(past: Past) -> Past:
    """That history, with a vulnerability that is found on Monday."""
    past.scan("nginx", "1.0", [row(ONE)])
    assert past.vulnerabilities(MONDAY) == [("found", ONE, "openssl", "")]
    return past


def rebuild(past: Past, *rows: dict[str, object], build: str = "again") -> None:
    """Build nginx 1.0 again, and scan that."""
    past.image("nginx", "1.0", v1_0=build)
    past.scan("nginx", "1.0", rows, build)


def test_found_and_rebuilt_the_next_day(found: Past) -> None:
    rebuild(found)
    assert found.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    assert found.episodes() == [(ONE, "openssl", MONDAY, TUESDAY, 1, "rebuilt")]
    assert found.history()["vulnerabilities"][0]["fixedIn"] == "1.0"
    assert found.fixed() == (1, 1, 1)


def test_found_then_unscanned_then_gone(found: Past) -> None:
    found.image("nginx", "1.0", v1_0="again")
    found.unscan("nginx", "1.0")
    assert found.vulnerabilities(TUESDAY) == []
    assert found.episodes() == [(ONE, "openssl", MONDAY, None, None, None)]
    figures = found.history()["figures"][-1]
    nothing = {"date": TUESDAY, "scanned": False, "total": None, "grade": None}
    assert figures | nothing == figures
    day = found.documents()["changes.json"]["data"][0]
    assert (day["all"]["scanned"], day["all"]["total"]) == (0, 0)
    found.scan("nginx", "1.0", [], "again")
    assert found.vulnerabilities(WEDNESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    assert found.episodes() == [(ONE, "openssl", MONDAY, WEDNESDAY, 2, "rebuilt")]
    assert found.fixed() == (1, 2, 2)


def test_a_database_that_takes_back_what_it_said_fixes_nothing(found: Past) -> None:
    found.scan("nginx", "1.0", [])
    assert found.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "scanner")]
    assert found.episodes() == [(ONE, "openssl", MONDAY, None, None, "scanner")]
    assert found.fixed() == (0, None, None)


def test_without_any_digest_nothing_counts_as_rebuilt(site: SiteFolder) -> None:
    past = Past(site)
    site.image("nginx", "versions: ['1.0']")
    report = {"SchemaVersion": 2, "ArtifactName": f"{REGISTRY}/nginx:1.0", "Metadata": {}}
    for date, rows in (("2026-11-01", []), (MONDAY, [row(ONE)]), (TUESDAY, [])):
        results = [{"Target": "app", "Class": "os-pkgs", "Vulnerabilities": rows}]
        site.report("nginx/1.0.json", report | {"Results": results})
        past.day(date)
    assert past.episodes() == [(ONE, "openssl", MONDAY, None, None, "scanner")]


def test_a_statement_that_is_withdrawn_reopens(found: Past) -> None:
    found.vex(ONE)
    assert found.vulnerabilities(TUESDAY) == [("suppressed", ONE, "openssl", "")]
    assert found.history()["figures"][-1]["suppressed"] == 1
    found.vex()
    assert found.vulnerabilities(WEDNESDAY) == [("reopened", ONE, "openssl", "")]
    assert found.episodes() == [
        (ONE, "openssl", MONDAY, None, None, None),
        (ONE, "openssl", MONDAY, None, None, "suppressed"),
    ]
    assert found.fixed() == (0, None, None)


def test_one_package_suppressed_and_the_other_fixed_is_no_fix(past: Past) -> None:
    rows = [row(ONE, pkg="curl"), row(ONE, pkg="openssl")]
    past.scan("nginx", "1.0", rows)
    past.day(MONDAY)
    past.vex(ONE)
    past.day(TUESDAY)
    rebuild(past, rows[0])
    assert past.vulnerabilities(WEDNESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    assert past.fixed() == (0, None, None)


def test_a_new_version_fixes_although_the_old_one_keeps_it(found: Past) -> None:
    found.image("nginx", "1.0", "1.1")
    found.scan("nginx", "1.1", [])
    events = found.day(TUESDAY)
    assert [event["kind"] for event in events] == [
        *("release-added", "latest-changed", "scan-changed", "grade-changed", "vulnerability-gone")
    ]
    assert found.episodes() == [(ONE, "openssl", MONDAY, TUESDAY, 1, "superseded")]
    assert found.history()["vulnerabilities"][0]["fixedIn"] == "1.1"
    assert found.fixed() == (1, 1, 1)


def test_of_two_packages_with_one_id_one_is_fixed(past: Past) -> None:
    rows = [row(ONE, pkg="curl"), row(ONE, pkg="openssl")]
    past.scan("nginx", "1.0", rows)
    past.day(MONDAY)
    rebuild(past, rows[0], build="second")
    assert past.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    assert past.fixed() == (0, None, None), "the id is still there"
    rebuild(past, build="third")
    past.day(WEDNESDAY)
    assert past.episodes() == [
        (ONE, "curl", MONDAY, WEDNESDAY, 2, "rebuilt"),
        (ONE, "openssl", MONDAY, TUESDAY, 1, "rebuilt"),
    ]
    assert past.fixed() == (1, 2, 2), "the id counts once, from its first day to its last"


def test_a_severity_that_is_raised(past: Past) -> None:
    past.scan("nginx", "1.0", [row(ONE, "HIGH")])
    past.day(MONDAY)
    past.scan("nginx", "1.0", [row(ONE, "CRITICAL")])
    (event,) = [event for event in past.day(TUESDAY) if event["kind"] == "vulnerability-changed"]
    assert event | {"from": "HIGH", "to": "CRITICAL", "severity": "CRITICAL", "was": None} == event
    rebuild(past)
    past.day(WEDNESDAY)
    assert past.episodes() == [(ONE, "openssl", MONDAY, WEDNESDAY, 2, "rebuilt")]
    assert (past.fixed("critical"), past.fixed("high")) == ((1, 2, 2), (0, None, None))
    totals = [day["all"]["bySeverity"]["critical"] for day in past.documents()["changes.json"]["data"]]
    assert totals == [0, 1, 0, 0]


def test_an_image_is_renamed_withdrawn_and_back_again(found: Past) -> None:
    (found.site.folder / "docs/images/nginx.md").rename(found.site.folder / "docs/images/web.md")
    (found.site.folder / "scans/nginx").rename(found.site.folder / "scans/web")
    found.scan("web", "1.0", [row(ONE)])
    events = found.day(TUESDAY)
    assert [(event["kind"], event["slug"]) for event in events] == [
        *(
            ("image-added", "web"),
            ("release-added", "web"),
            ("latest-changed", "web"),
            ("scan-changed", "web"),
        ),
        *(("grade-changed", "web"), ("vulnerability-found", "web")),
        *(("vulnerability-gone", "nginx"), ("image-removed", "nginx")),
    ]
    found.image("web", "1.0", lifecycle="withdrawn")
    (event,) = found.day(WEDNESDAY)
    assert (event["kind"], event["from"], event["to"]) == ("lifecycle-changed", "available", "withdrawn")
    found.image("nginx", "1.0")
    (found.site.folder / "docs/images/web.md").unlink()
    (found.site.folder / "scans/web").rename(found.site.folder / "scans/nginx")
    found.scan("nginx", "1.0", [row(ONE)])
    found.day(THURSDAY)
    assert found.episodes("web") == [(ONE, "openssl", TUESDAY, None, None, "withdrawn")]
    assert found.episodes("nginx") == [
        (ONE, "openssl", MONDAY, None, None, None),
        (ONE, "openssl", MONDAY, None, None, "withdrawn"),
    ]
    assert found.fixed() == (0, None, None)
    assert [entry["scanned"] for entry in found.history("nginx")["figures"]] == [True, True, False, True]


def test_a_release_is_deleted(past: Past) -> None:
    past.image("nginx", "1.0", "1.1")
    past.scan("nginx", "1.0", [row(TWO)])
    past.scan("nginx", "1.1", [row(ONE)])
    assert past.vulnerabilities(MONDAY) == [("found", ONE, "openssl", "")]
    past.image("nginx", "1.0")
    past.unscan("nginx", "1.1")
    events = past.day(TUESDAY)
    assert (events[0]["kind"], events[0]["version"]) == ("release-removed", "1.1")
    assert [event["id"] for event in events if event["kind"] == "vulnerability-found"] == [TWO]
    assert past.episodes()[-1] == (ONE, "openssl", MONDAY, None, None, "superseded")
    assert past.fixed() == (0, None, None), "going back to an older version fixes nothing"


def test_the_first_record_of_an_old_catalog_is_a_baseline(site: SiteFolder) -> None:
    past = Past(site)
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [row(ONE), row(TWO)])
    past.vex(TWO)
    events = past.day("2026-11-01")
    reasons = {event["kind"]: event.get("reason") for event in events}
    assert reasons["image-added"] == reasons["release-added"] == "baseline"
    assert reasons["vulnerability-found"] == reasons["vulnerability-suppressed"] == "baseline"
    past.vex()
    past.scan("nginx", "1.0", [row(ONE), row(TWO), row(THREE)])
    past.day(MONDAY)
    rebuild(past)
    past.day(TUESDAY)
    assert past.episodes() == [
        (TWO, "openssl", MONDAY, TUESDAY, None, "rebuilt"),
        (THREE, "openssl", MONDAY, TUESDAY, 1, "rebuilt"),
        (ONE, "openssl", "2026-11-01", TUESDAY, None, "rebuilt"),
    ]
    assert [entry["baseline"] for entry in past.history()["vulnerabilities"]] == [True, False, True]
    assert past.fixed() == (1, 1, 1), "nobody knows since when the others were there"
    first = past.documents()["changes/2026-11-01.json"]
    assert (first["total"], first["data"]) == (len(events), events)
    assert first["counts"]["vulnerability-found"] == 1


def scan_by_grype(past: Past, *rows: tuple[str, str], build: str = "1.0", version: str = "1.0") -> None:
    """Replace the report of a version of nginx by one of Grype."""
    matches = [match(id_, pkg=package, version="3.0.0") for id_, package in rows]
    image = f"{REGISTRY}/nginx@{digest(build)}"
    report = grype(*matches, created="2026-11-01T07:00:00Z", repoDigests=[image])
    past.site.report(f"nginx/{version}.json", report)


def test_another_scanner(past: Past) -> None:
    past.scan("nginx", "1.0", [row(ONE, pkg="libssl3"), row(TWO, pkg="zlib")])
    past.day(MONDAY)
    scan_by_grype(past, (ONE, "openssl"), (THREE, "curl"))
    assert past.vulnerabilities(TUESDAY) == [
        ("gone", TWO, "zlib", "scanner"),
        ("changed", ONE, "openssl", ""),
        ("found", THREE, "curl", "scanner"),
    ]
    assert past.episodes() == [
        (THREE, "curl", TUESDAY, None, None, None),
        (ONE, "openssl", MONDAY, None, None, None),
        (TWO, "zlib", MONDAY, None, None, "scanner"),
    ]
    assert past.vulnerabilities(WEDNESDAY) == []


def test_another_scanner_that_names_more_packages(past: Past) -> None:
    past.scan("nginx", "1.0", [row(ONE, pkg="openssl")])
    past.day(MONDAY)
    scan_by_grype(past, (ONE, "libcrypto3"), (ONE, "libssl3"))
    past.day(TUESDAY)
    firsts = {(id_, package): first for id_, package, first, *_ in past.episodes()}
    assert firsts == {(ONE, "libcrypto3"): MONDAY, (ONE, "libssl3"): MONDAY}


def test_the_clock_goes_back(past: Past) -> None:
    past.day(TUESDAY)
    before = past.files()
    result = past.run("--date", MONDAY)
    assert result.exit_code == 1
    assert f"history: {MONDAY} is before {TUESDAY}" in result.output
    assert past.files() == before


def test_the_day_is_that_of_the_source_in_utc(past: Past) -> None:
    assert past.run(SOURCE_DATE_EPOCH="1793663999").exit_code == 0  # 2026-11-02T23:59:59Z
    assert past.run(SOURCE_DATE_EPOCH="1793664000").exit_code == 0
    assert [*past.files()] == ["2026-11-01.json", "2026-11-02.json", "2026-11-03.json"]


def test_a_leap_day(site: SiteFolder) -> None:
    past, env = Past(site), {"SOURCE_DATE_EPOCH": "1835395200"}  # 2028-02-29
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [])
    past.day("2028-02-27", **env)
    past.scan("nginx", "1.0", [row(ONE)])
    past.day("2028-02-28", **env)
    past.day("2028-02-29", **env)
    rebuild(past)
    past.day("2028-03-01", SOURCE_DATE_EPOCH="1835481600")
    assert past.episodes() == [(ONE, "openssl", "2028-02-28", "2028-03-01", 2, "rebuilt")]
    result = past.run("--date", "2027-02-29")
    assert result.exit_code == 2
    assert "is not a date" in result.output


def test_several_records_on_one_day_are_one(found: Past) -> None:
    once = found.files()
    assert found.vulnerabilities(MONDAY) == [("found", ONE, "openssl", "")]
    assert found.files() == once
    found.scan("nginx", "1.0", [row(TWO)])
    assert found.vulnerabilities(MONDAY) == [("found", TWO, "openssl", "")]
    found.scan("nginx", "1.0", [])
    assert found.vulnerabilities(MONDAY) == []
    assert found.episodes() == []


def test_an_ended_system_fixes_nothing(found: Past) -> None:
    rebuild(found)
    file = found.site.folder / "scans/nginx/1.0.json"
    report = json.loads(file.read_bytes())
    report["Metadata"]["OS"] = {"Family": "debian", "Name": "9", "EOSL": True}
    file.write_text(json.dumps(report))
    assert found.vulnerabilities(TUESDAY) == []


@dataclass
class Parts:
    """An image of two platforms, each scanned on its own."""

    past: Past

    def build(self, name: str, version: str = "1.0") -> None:
        """Build both platforms of a version, which nobody has scanned then; older versions go."""
        shutil.rmtree(self.past.site.folder / "scans/nginx", ignore_errors=True)
        digests = [digest(f"{name}-{platform}") for platform in ("amd64", "arm64")]
        self.past.site.image("nginx", f"versions: [{{version: '{version}', digests: {json.dumps(digests)}}}]")

    def scan(self, name: str, platform: str, *rows: dict[str, object]) -> None:
        of = f"{REGISTRY}/nginx@{digest(f'{name}-{platform}')}"
        self.past.site.report(f"nginx/{platform}.json", trivy(list(rows), digest=of))

    def unscan(self, platform: str) -> None:
        (self.past.site.folder / f"scans/nginx/{platform}.json").unlink()


@pytest.fixture
def parts(site: SiteFolder) -> Parts:
    """Both platforms were scanned on the first day, and both found one vulnerability on Monday."""
    parts = Parts(Past(site))
    parts.build("old")
    for day, rows in (("2026-11-01", []), (MONDAY, [row(ONE)])):
        parts.scan("old", "amd64", *rows)
        parts.scan("old", "arm64", *rows, *([row(TWO)] if rows else []))
        parts.past.day(day)
    return parts


@pytest.mark.parametrize("accept", [[], ["partial"]])
def test_what_only_an_unscanned_platform_had_is_not_gone(parts: Parts, accept: list[str]) -> None:
    parts.past.site.settings["security"] = {"accept": accept}
    parts.unscan("arm64")
    for day in (TUESDAY, WEDNESDAY):
        assert parts.past.vulnerabilities(day) == []
    (day,) = parts.past.documents()[f"changes/{TUESDAY}.json"]["data"][:1]
    assert (day["kind"], day["complete"], day["digests"]) == ("scan-changed", False, [digest("old-amd64")])
    open_ = [(ONE, "openssl", MONDAY, None, None, None), (TWO, "openssl", MONDAY, None, None, None)]
    assert parts.past.episodes() == open_
    assert parts.past.history()["figures"][-1]["total"] == 2
    parts.scan("old", "arm64", row(ONE))
    assert parts.past.vulnerabilities(THURSDAY) == [("gone", TWO, "openssl", "scanner")]
    assert parts.past.fixed() == (0, None, None)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_rebuilt_image_fixes_once_each_platform_is_scanned(parts: Parts, version: str) -> None:
    parts.build("new", version)
    parts.scan("new", "amd64", row(THREE))
    assert parts.past.vulnerabilities(TUESDAY) == [("found", THREE, "openssl", "")]
    assert {entry[0]: entry[3] for entry in parts.past.episodes()} == {ONE: None, TWO: None, THREE: None}
    assert parts.past.fixed() == (0, None, None), "nobody has looked at the other platform"
    parts.scan("new", "arm64", row(TWO))
    reason = "rebuilt" if version == "1.0" else "superseded"
    assert parts.past.vulnerabilities(WEDNESDAY) == [("gone", ONE, "openssl", reason)]
    assert parts.past.episodes()[-2:] == [
        (ONE, "openssl", MONDAY, WEDNESDAY, 2, reason),
        (TWO, "openssl", MONDAY, None, None, None),
    ]
    assert parts.past.fixed() == (1, 2, 2)


def test_what_one_platform_no_longer_reports_is_not_fixed_by_scanning_the_other(parts: Parts) -> None:
    parts.build("new")
    parts.scan("new", "amd64", row(THREE))
    assert parts.past.vulnerabilities(TUESDAY) == [("found", THREE, "openssl", "")]
    parts.scan("new", "amd64")
    parts.scan("new", "arm64")
    assert parts.past.vulnerabilities(WEDNESDAY) == [
        ("gone", ONE, "openssl", "rebuilt"),
        ("gone", TWO, "openssl", "rebuilt"),
        ("gone", THREE, "openssl", "scanner"),
    ]
    assert parts.past.fixed() == (2, 2, 2)


def test_what_a_scan_in_part_reports_again_is_fixed_when_all_of_the_new_build_is_scanned_without_it(
    parts: Parts,
) -> None:
    """Only whole scans end anything: the last had it in the old build, the next does not in the new one."""
    parts.build("new")
    parts.scan("new", "amd64", row(ONE))
    assert parts.past.vulnerabilities(TUESDAY) == []
    assert parts.past.history()["figures"][-1]["total"] == 2
    parts.scan("new", "amd64")
    parts.scan("new", "arm64")
    assert [event[3] for event in parts.past.vulnerabilities(WEDNESDAY)] == ["rebuilt", "rebuilt"]


def test_a_platform_that_stays_as_it_was_fixes_nothing(parts: Parts) -> None:
    listed = [digest("old-amd64"), digest("new-arm64")]
    parts.past.site.image("nginx", f"versions: [{{version: '1.0', digests: {json.dumps(listed)}}}]")
    parts.unscan("arm64")
    parts.scan("old", "amd64")
    parts.scan("new", "arm64")
    assert parts.past.vulnerabilities(TUESDAY) == [
        ("gone", ONE, "openssl", "scanner"),
        ("gone", TWO, "openssl", "scanner"),
    ]
    assert parts.past.fixed() == (0, None, None)


def test_one_platform_is_enough_for_who_scans_no_other(site: SiteFolder) -> None:
    parts = Parts(Past(site))
    site.settings["security"] = {"accept": ["partial"]}
    for day, name, rows in (("2026-11-01", "a", []), (MONDAY, "b", [row(ONE)]), (TUESDAY, "c", [])):
        parts.build(name)
        parts.scan(name, "amd64", *rows)
        parts.past.day(day)
    assert parts.past.episodes() == [(ONE, "openssl", MONDAY, TUESDAY, 1, "rebuilt")]


def test_another_label_on_the_same_image_fixes_nothing(found: Past) -> None:
    found.unscan("nginx", "1.0")
    found.image("nginx", "1.0.1", v1_0_1="1.0")
    found.scan("nginx", "1.0.1", [], "1.0")
    assert found.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "scanner")]
    assert found.fixed() == (0, None, None)


def silent(past: Past, day: str) -> None:
    """Record a day on which the scanner does not report what is there."""
    past.scan("nginx", "1.0", [])
    past.day(day)


def test_the_clock_goes_on_after_a_scanner_was_silent_for_a_day(found: Past) -> None:
    silent(found, TUESDAY)
    found.scan("nginx", "1.0", [row(ONE)])
    found.day(WEDNESDAY)
    rebuild(found)
    found.day(THURSDAY)
    assert found.episodes() == [
        (ONE, "openssl", MONDAY, THURSDAY, 3, "rebuilt"),
        (ONE, "openssl", MONDAY, None, None, "scanner"),
    ]
    assert found.fixed() == (1, 3, 3)


def test_the_clock_goes_on_after_a_statement_for_a_day(found: Past) -> None:
    found.vex(ONE)
    found.day(TUESDAY)
    found.vex()
    found.day(WEDNESDAY)
    rebuild(found)
    found.day(THURSDAY)
    assert found.episodes() == [
        (ONE, "openssl", MONDAY, THURSDAY, 3, "rebuilt"),
        (ONE, "openssl", MONDAY, None, None, "suppressed"),
    ]
    assert found.fixed() == (1, 3, 3)


def test_the_clock_goes_on_after_a_rebuild_while_a_statement_hid_the_id(found: Past) -> None:
    found.vex(ONE)
    found.day(TUESDAY)
    rebuild(found)
    assert found.vulnerabilities(WEDNESDAY) == [("gone", ONE, "openssl", "rebuilt")]
    found.vex()
    rebuild(found, row(ONE), build="third")
    found.day(THURSDAY)
    assert found.episodes()[0] == (ONE, "openssl", MONDAY, None, None, None)
    assert found.fixed() == (0, None, None)


def test_the_clock_goes_on_after_the_image_was_away_or_not_scanned(found: Past) -> None:
    page = found.site.folder / "docs/images/nginx.md"
    text = page.read_bytes()
    found.site.image("other", "versions: []")
    page.unlink()
    found.day(TUESDAY)
    page.write_bytes(text)
    found.day(WEDNESDAY)
    rebuild(found)
    found.unscan("nginx", "1.0")
    found.day(THURSDAY)
    rebuild(found)
    found.day("2026-11-06")
    assert found.episodes() == [
        (ONE, "openssl", MONDAY, "2026-11-06", 4, "rebuilt"),
        (ONE, "openssl", MONDAY, None, None, "withdrawn"),
    ]
    assert found.fixed() == (1, 4, 4)


def test_after_a_fix_the_clock_starts_on_the_day_that_the_id_comes_back(found: Past) -> None:
    rebuild(found, build="second")
    found.day(TUESDAY)
    rebuild(found, row(ONE), build="third")
    found.day(WEDNESDAY)
    rebuild(found, build="fourth")
    found.day(THURSDAY)
    assert found.episodes() == [
        (ONE, "openssl", WEDNESDAY, THURSDAY, 1, "rebuilt"),
        (ONE, "openssl", MONDAY, TUESDAY, 1, "rebuilt"),
    ]
    assert found.fixed() == (2, 1, 1)


def test_an_id_that_was_there_at_the_baseline_has_no_beginning_when_it_comes_back(site: SiteFolder) -> None:
    past = Past(site)
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [row(ONE)])
    past.day("2026-11-01")
    silent(past, MONDAY)
    past.scan("nginx", "1.0", [row(ONE)])
    past.day(TUESDAY)
    rebuild(past)
    past.day(WEDNESDAY)
    assert past.episodes() == [
        (ONE, "openssl", "2026-11-01", WEDNESDAY, None, "rebuilt"),
        (ONE, "openssl", "2026-11-01", None, None, "scanner"),
    ]
    assert [entry["baseline"] for entry in past.history()["vulnerabilities"]] == [True, True]
    assert past.fixed() == (0, None, None)


def rename(past: Past, slug: str, to: str) -> None:
    for place in (f"docs/images/{slug}.md", f"scans/{slug}"):
        (past.site.folder / place).rename(past.site.folder / place.replace(slug, to))


def test_what_a_renamed_image_shows_has_no_known_beginning(found: Past) -> None:
    rename(found, "nginx", "web")
    found.scan("web", "1.0", [row(ONE)])
    found.day(TUESDAY)
    found.scan("web", "1.0", [row(ONE), row(TWO)])
    found.day(WEDNESDAY)
    found.image("web", "1.0", v1_0="again")
    found.scan("web", "1.0", [], "again")
    found.day(THURSDAY)
    assert found.episodes("web") == [
        (TWO, "openssl", WEDNESDAY, THURSDAY, 1, "rebuilt"),
        (ONE, "openssl", TUESDAY, THURSDAY, None, "rebuilt"),
    ]
    assert [entry["baseline"] for entry in found.history("web")["vulnerabilities"]] == [False, True]
    assert found.fixed() == (1, 1, 1), "what was found later has a beginning"


def test_a_renamed_image_that_is_scanned_a_day_later_has_no_known_beginning(found: Past) -> None:
    rename(found, "nginx", "web")
    found.unscan("web", "1.0")
    found.day(TUESDAY)
    found.scan("web", "1.0", [row(ONE)])
    found.day(WEDNESDAY)
    assert [entry["baseline"] for entry in found.history("web")["vulnerabilities"]] == [True]


def test_a_renamed_image_is_known_by_the_digests_of_its_scans(site: SiteFolder) -> None:
    past = Past(site)
    site.image("nginx", "versions: ['1.0']")
    past.scan("nginx", "1.0", [])
    past.day("2026-11-01")
    past.scan("nginx", "1.0", [row(ONE)])
    past.day(MONDAY)
    rename(past, "nginx", "web")
    past.scan("web", "1.0", [row(ONE)])
    past.day(TUESDAY)
    assert [entry["baseline"] for entry in past.history("web")["vulnerabilities"]] == [True]


def test_an_image_with_digests_of_its_own_has_a_beginning(found: Past) -> None:
    found.image("web", "1.0", v1_0="other")
    found.scan("web", "1.0", [row(ONE)], "other")
    found.day(TUESDAY)
    assert [entry["baseline"] for entry in found.history("web")["vulnerabilities"]] == [False]


@pytest.mark.parametrize(("version", "reason"), [("1.0", "rebuilt"), ("1.1", "superseded")])
def test_another_scanner_that_looks_at_another_build_proves_no_fix(
    found: Past, version: str, reason: str
) -> None:
    found.unscan("nginx", "1.0")
    found.image("nginx", version, v1_0="again", v1_1="again")
    scan_by_grype(found, build="again", version=version)
    assert found.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", reason)]
    assert found.episodes() == [(ONE, "openssl", MONDAY, None, None, reason)]
    assert found.fixed() == (0, None, None)


def test_a_newer_release_of_the_same_scanner_proves_a_fix(found: Past) -> None:
    rebuild(found)
    path = found.site.folder / "scans/nginx/1.0.json"
    report = json.loads(path.read_bytes())
    path.write_text(json.dumps(report | {"Trivy": {"Version": "9.9.9"}}))
    found.day(TUESDAY)
    assert found.fixed() == (1, 1, 1)


@pytest.mark.parametrize(("newest", "fixed"), [("1.0", (0, None, None)), ("1.1", (1, 2, 2))])
def test_another_variant_of_the_same_release_fixes_nothing(
    found: Past, newest: str, fixed: tuple[int, int | None, int | None]
) -> None:
    found.image("nginx", "1.0-alpine")
    found.unscan("nginx", "1.0")
    found.scan("nginx", "1.0-alpine", [row(ONE)])
    found.day(TUESDAY)
    found.image("nginx", "1.0-alpine", newest)
    found.scan("nginx", newest, [])
    found.day(WEDNESDAY)
    assert found.fixed() == fixed


def test_setting_latest_back_fixes_nothing(past: Past) -> None:
    past.image("nginx", "1.0", "1.1")
    past.scan("nginx", "1.1", [row(ONE)])
    past.day(MONDAY)
    page = past.site.folder / "docs/images/nginx.md"
    page.write_text(page.read_text().replace("---\n", "---\nlatest: '1.0'\n", 1))
    assert past.vulnerabilities(TUESDAY) == [("gone", ONE, "openssl", "superseded")]
    assert past.episodes() == [(ONE, "openssl", MONDAY, None, None, "superseded")]
    past.image("nginx", "1.0", "1.1", "1.2")
    past.scan("nginx", "1.2", [row(ONE)])
    past.day(WEDNESDAY)
    assert past.episodes()[0] == (ONE, "openssl", MONDAY, None, None, None)
    assert past.fixed() == (0, None, None)


def test_a_fix_is_taken_back_with_the_version_that_brought_it(found: Past) -> None:
    found.image("nginx", "1.0", "1.1")
    found.scan("nginx", "1.1", [])
    found.day(TUESDAY)
    assert found.fixed() == (1, 1, 1)
    found.unscan("nginx", "1.1")
    found.image("nginx", "1.0")
    assert found.vulnerabilities(WEDNESDAY) == [("found", ONE, "openssl", "")]
    assert found.episodes() == [(ONE, "openssl", MONDAY, None, None, None)]
    assert found.fixed() == (0, None, None)


@pytest.mark.parametrize("package", ["openssl", "libssl3"])
def test_a_fix_is_taken_back_when_the_id_reappears_in_the_same_digest(found: Past, package: str) -> None:
    rebuild(found)
    found.day(TUESDAY)
    assert found.fixed() == (1, 1, 1)
    rebuild(found, row(ONE, pkg=package))
    found.day(WEDNESDAY)
    assert found.episodes() == [(ONE, package, MONDAY, None, None, None)]
    assert found.fixed() == (0, None, None)
    rebuild(found, build="third")
    found.day(THURSDAY)
    assert found.episodes() == [(ONE, package, MONDAY, THURSDAY, 3, "rebuilt")]
    assert found.fixed() == (1, 3, 3)


def test_a_fix_is_taken_back_when_the_id_reappears_under_a_statement(found: Past) -> None:
    rebuild(found)
    found.day(TUESDAY)
    found.vex(ONE)
    rebuild(found, row(ONE))
    assert found.vulnerabilities(WEDNESDAY) == [("suppressed", ONE, "openssl", "")]
    assert found.episodes() == [(ONE, "openssl", MONDAY, None, None, "suppressed")]
    assert found.fixed() == (0, None, None)


def test_a_fix_in_one_of_two_packages_is_taken_back_alone(past: Past) -> None:
    rows = [row(ONE, pkg="curl"), row(ONE, pkg="openssl")]
    past.scan("nginx", "1.0", rows)
    past.day(MONDAY)
    rebuild(past, rows[0])
    past.day(TUESDAY)
    rebuild(past, *rows)
    past.day(WEDNESDAY)
    assert past.episodes() == [
        (ONE, "curl", MONDAY, None, None, None),
        (ONE, "openssl", MONDAY, None, None, None),
    ]


def test_a_second_package_has_the_clock_of_its_id(found: Past) -> None:
    found.scan("nginx", "1.0", [row(ONE), row(ONE, pkg="curl")])
    found.day(TUESDAY)
    assert {entry[2] for entry in found.episodes()} == {MONDAY}


def test_a_fix_counts_under_the_worst_severity_that_the_id_had(past: Past) -> None:
    for day, severity in ((MONDAY, "HIGH"), (TUESDAY, "CRITICAL"), (WEDNESDAY, "LOW")):
        past.scan("nginx", "1.0", [row(ONE, severity)])
        past.day(day)
    rebuild(past)
    past.day(THURSDAY)
    assert (past.fixed("critical"), past.fixed("low")) == ((1, 3, 3), (0, None, None))


def test_a_digest_that_only_the_reports_name_shows_that_nothing_was_rebuilt(past: Past) -> None:
    """The page lists another of the digests of one image, which the scanner reports under both."""
    for day, listed, rows in ((MONDAY, "1.0", [row(ONE)]), (TUESDAY, "also", [])):
        past.image("nginx", "1.0", v1_0=listed)
        past.scan("nginx", "1.0", rows)
        path = past.site.folder / "scans/nginx/1.0.json"
        report = json.loads(path.read_bytes())
        report["Metadata"]["RepoDigests"] = [f"{REGISTRY}/nginx@{digest(name)}" for name in ("1.0", "also")]
        path.write_text(json.dumps(report))
        past.day(day)
    assert past.episodes() == [(ONE, "openssl", MONDAY, None, None, "scanner")]


def test_the_worst_severity_may_be_that_of_a_package_or_a_day_in_between(past: Past) -> None:
    past.scan("nginx", "1.0", [row(ONE, "LOW"), row(TWO, "LOW")])
    past.day(MONDAY)
    past.scan("nginx", "1.0", [row(TWO, "LOW"), row(TWO, "CRITICAL", pkg="curl")])
    past.day(TUESDAY)
    past.scan("nginx", "1.0", [row(ONE, "HIGH"), row(TWO, "LOW")])
    past.day(WEDNESDAY)
    past.scan("nginx", "1.0", [row(ONE, "LOW"), row(TWO, "LOW")])
    past.day(THURSDAY)
    rebuild(past)
    past.day("2026-11-06")
    fixed = [past.fixed(word) for word in ("critical", "high", "low")]
    assert fixed == [(1, 4, 4), (1, 4, 4), (0, None, None)]
