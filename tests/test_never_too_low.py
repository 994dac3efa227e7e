"""No figure is lower than what the reports say: what is doubtful is refused, warned of, or not graded."""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .sites import (
    REGISTRY,
    Result,
    SiteFolder,
    built,
    digest,
    grype,
    match,
    not_affected,
    openvex,
    osv,
    row,
    trivy,
)

WEB = f"{REGISTRY}/web"
A, B = digest("a"), digest("b")
OLD, NEW = "2026-10-01T06:00:00Z", "2026-11-01T06:00:00Z"
SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")


def record(result: Result) -> Any:
    return result.json("security/web/1.json")


def ids(result: Result) -> list[str]:
    return [entry["id"] for entry in record(result)["cves"]]


def scan(*found: str, of: str = A, created: str = NEW, severity: str = "HIGH") -> dict[str, Any]:
    return trivy([row(id_, severity) for id_ in found], digest=f"{WEB}@{of}", created=created)


def other(*found: str, of: str = A) -> dict[str, Any]:
    """A report of Grype."""
    return grype(*[match(id_, "Critical") for id_ in found], created=NEW, userInput=f"{WEB}@{of}")


def both(report: dict[str, Any]) -> dict[str, Any]:
    """The same report, of both digests."""
    report["Metadata"]["RepoDigests"] = [f"{WEB}@{A}", f"{WEB}@{B}"]
    return report


def badge(result: Result, name: str) -> tuple[str, str]:
    found = result.json(f"badge/web/{name}.json")
    return found["message"], found["color"]


@pytest.fixture
def two(site: SiteFolder) -> SiteFolder:
    """A release with two digests."""
    site.image("web", f"versions: [{{version: '1', digest: ['{A}', '{B}']}}]")
    return site


@pytest.fixture
def plain(site: SiteFolder) -> SiteFolder:
    """A release without a digest."""
    site.image("web", "versions: [{version: '1', tags: [stable]}]")
    return site


@pytest.mark.parametrize("content", [b"null", b"{}", b" \n{ }\n"])
def test_nothing_at_all_is_no_clean_scan(plain: SiteFolder, content: bytes) -> None:
    plain.write("scans/web/1.json", content)
    result = plain.build()
    assert result.failed
    assert "so the scanned image is unknown (check the scan" in result.logged()[0]


def test_a_list_of_results_without_packages_is_not_of_osv(plain: SiteFolder) -> None:
    plain.report("web/1.json", {"results": [{"name": "unit tests", "ok": True}]})
    result = plain.build()
    assert result.failed
    assert "scans/web/1.json: not a report of a known scanner" in result.logged()[0]
    plain.report("web/1.json", {"results": []})
    assert record(built(plain))["total"] == 0


def of_kind(kind: str) -> dict[str, Any]:
    if kind in ("directory", "file"):
        return {"matches": [], "source": {"type": kind, "target": "/src"}, "descriptor": {"name": "grype"}}
    return trivy([], tag="web") | {"ArtifactType": kind, "Metadata": {}}


@pytest.mark.parametrize("kind", ["filesystem", "repository", "vm", "cyclonedx", "spdx", "directory", "file"])
def test_what_is_no_image_counts_for_one_by_its_path_only_when_accepted(plain: SiteFolder, kind: str) -> None:
    plain.report("web/1.json", of_kind(kind))
    (warning,) = built(plain).logged()
    assert f"of kind {kind!r}, not of an image (scan the image instead, or set" in warning
    assert plain.build(strict=True).failed
    plain.settings["security"] = {"accept": [kind]}
    result = plain.build(strict=True)
    assert not result.failed, result.logged()
    assert record(result)["scanned"]


def test_a_kind_that_nobody_knows_can_not_be_accepted(plain: SiteFolder) -> None:
    plain.report("web/1.json", of_kind("aws_account"))
    (warning,) = built(plain).logged()
    assert warning.endswith("of kind 'aws_account', not of an image (scan the image instead)")


def test_an_operating_system_whose_packages_were_not_looked_at_warns(plain: SiteFolder) -> None:
    report = trivy([])
    report["Metadata"] = {"OS": {"Family": "debian", "Name": "13"}}
    plain.report("web/1.json", report)
    assert built(plain).logged() == []
    for results in ([{"Target": "app", "Class": "lang-pkgs"}], None):
        plain.report("web/1.json", report | {"Results": results})
        (warning,) = built(plain).logged()
        assert "names an operating system, but has no results for its packages (scan with" in warning
    report["Metadata"] = {"OS": {"Family": "none"}}
    plain.report("web/1.json", report | {"Results": [{"Target": "app", "Class": "lang-pkgs"}]})
    assert built(plain).logged() == []


def test_part_of_a_release_scanned_is_not_the_release_scanned(two: SiteFolder) -> None:
    two.report("a.json", scan("CVE-2026-0001", severity="LOW"))
    two.page("charts/app.md", f"category: Web\ntier: core\nlicense: MIT\nimages: ['{WEB}@{A}']")
    result = built(two)
    found = record(result)
    assert (found["scanned"], found["total"], found["digestsScanned"]) == (True, 1, 1)
    assert (found["grade"], found["score"]) == (None, None)
    assert [badge(result, name)[0] for name in ("cves", "grade")] == ["partly scanned"] * 2
    chart = result.json("charts.json")["data"][0]["security"]
    assert (chart["scanned"], chart["total"], chart["grade"], chart["score"]) == (True, 1, None, None)
    (warning,) = result.logged()
    assert warning.startswith(f"scans/a.json: web 1 is only partly scanned: no scan found for {B} (scan what")
    assert two.build(strict=True).failed


def test_a_part_may_be_accepted(two: SiteFolder) -> None:
    two.report("a.json", scan("CVE-2026-0001", severity="MEDIUM"))
    two.settings["security"] = {"accept": ["partial"]}
    result = two.build(strict=True)
    assert not result.failed, result.logged()
    assert (record(result)["grade"], record(result)["digestsScanned"]) == ("C", 1)
    assert badge(result, "grade")[0] == "C"
    note = f"scans/a.json: web 1 is only partly scanned: no scan found for {B}"
    assert note in result.logged(logging.INFO)


def test_a_scan_that_names_no_digest_does_not_stand_for_several(two: SiteFolder) -> None:
    two.report("web/1.json", trivy([row("CVE-2026-0001")]))
    found = record(built(two))
    assert (found["total"], found["digestsScanned"], found["grade"]) == (1, 0, None)
    two.report("a.json", scan("CVE-2026-0002"))
    assert ids(built(two)) == ["CVE-2026-0001", "CVE-2026-0002"]
    two.report("b.json", scan("CVE-2026-0003", of=B))
    result = built(two)
    assert ids(result) == ["CVE-2026-0001", "CVE-2026-0002", "CVE-2026-0003"]
    (warning,) = result.logged()
    assert "scans/web/1.json: counts for web 1 together with scans/a.json, which was made at" in warning
    two.report("web/1.json", trivy([row("CVE-2026-0001")], created=OLD))
    assert ids(built(two)) == ["CVE-2026-0002", "CVE-2026-0003"]


def test_how_many_digests_of_a_release_with_one_or_none_are_scanned(site: SiteFolder) -> None:
    site.image("web", f"versions: [{{version: '3', digest: '{A}'}}, '2', '1']")
    site.report("web/3.json", trivy([]))
    site.report("web/2.json", trivy([]))
    result = built(site)
    versions = result.json("security/web.json")["versions"]
    assert [entry["digestsScanned"] for entry in versions] == [1, 0, None]
    assert [entry["grade"] for entry in versions] == ["A+", "A+", None]


def test_a_badge_of_what_has_no_grade_is_grey(plain: SiteFolder) -> None:
    report: dict[str, Any] = trivy([])
    report["Metadata"]["OS"] = {"Family": "debian", "EOSL": True}
    plain.report("web/1.json", report)
    result = built(plain)
    assert badge(result, "cves") == badge(result, "grade") == ("not graded", "#5f6b7a")
    total = result.json("badge/cves.json")
    assert (total["message"], total["color"]) == ("0", "#5f6b7a")


def test_a_newer_scan_of_one_digest_unites_with_an_older_one_of_both(two: SiteFolder) -> None:
    two.report("old.json", both(scan("CVE-2026-0001", created=OLD)))
    two.report("new.json", scan("CVE-2026-0002"))
    result = built(two)
    assert ids(result) == ["CVE-2026-0001", "CVE-2026-0002"]
    assert (record(result)["digestsScanned"], record(result)["grade"]) == (2, "D")
    two.report("newer.json", both(scan("CVE-2026-0003", created="2026-11-01T07:00:00Z")))
    assert ids(built(two)) == ["CVE-2026-0003"]


def test_different_scanners_of_different_digests_unite(two: SiteFolder) -> None:
    two.report("a.json", scan(created=NEW))
    two.report("b.json", other("CVE-2026-0001", of=B))
    found = record(built(two))
    assert (found["critical"], found["total"], found["grade"]) == (1, 1, "F")
    assert (found["scanner"], found["digestsScanned"]) == ("Trivy, Grype 0.80", 2)
    two.report("c.json", scan(of=B))
    result = built(two)
    assert (record(result)["total"], record(result)["scanner"]) == (0, "Trivy")
    assert "scans/b.json: not used for web 1: scans/a.json, scans/c.json takes precedence" in result.logged(
        logging.INFO
    )


def test_another_platform_counts_whoever_scanned_it(plain: SiteFolder) -> None:
    amd64: dict[str, Any] = trivy([row("CVE-2026-0001")], tag=f"{WEB}:1")
    amd64["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": "amd64"}
    plain.report("a.json", amd64)
    image = {"userInput": f"{WEB}:1", "os": "linux", "architecture": "arm64"}
    plain.report("b.json", grype(match("CVE-2026-0002", "Critical"), created=NEW, **image))
    assert ids(built(plain)) == ["CVE-2026-0002", "CVE-2026-0001"]
    arm64: dict[str, Any] = trivy([row("CVE-2026-0003")], tag=f"{WEB}:1")
    arm64["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": "arm64", "variant": "v8"}
    plain.report("c.json", arm64)
    assert ids(built(plain)) == ["CVE-2026-0001", "CVE-2026-0003"], "the preferred scanner looked at both"


@pytest.mark.parametrize("time", ["", "yesterday", "2999-01-01T00:00:00Z"])
@pytest.mark.parametrize("names", [("dated", "undated"), ("b", "a")])
def test_where_no_time_decides_both_reports_count(
    plain: SiteFolder, time: str, names: tuple[str, str]
) -> None:
    for name, id_, created in zip(names, ("CVE-2026-0001", "CVE-2026-0002"), (NEW, time), strict=True):
        plain.report(f"{name}.json", trivy([row(id_)], tag=f"{WEB}:1", created=created))
    result = built(plain)
    assert ids(result) == ["CVE-2026-0001", "CVE-2026-0002"]
    warnings = [
        text for text in result.logged() if text.startswith(f"scans/{names[1]}.json: counts for web 1")
    ]
    assert len(warnings) == 1
    assert "CAT035" in result.codes
    assert record(result)["scannedAt"] == (NEW if "2999" in time else None)


def test_an_undated_report_keeps_no_old_one(plain: SiteFolder) -> None:
    for id_, created in (("CVE-2026-0001", OLD), ("CVE-2026-0002", NEW), ("CVE-2026-0003", "")):
        plain.report(f"{id_}.json", trivy([row(id_)], tag=f"{WEB}:1", created=created))
    assert ids(built(plain)) == ["CVE-2026-0002", "CVE-2026-0003"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2026-10-01T06:00:00.000000001Z", "2026-10-01T06:00:00.000000002Z"),
        ("2026-10-01T06:00:00.49Z", "2026-10-01T06:00:00.5Z"),
        ("2026-10-01T06:00:00Z", "2026-10-01T06:00:00.1Z"),
        ("2026-10-01T08:00:00.099999999+02:00", "2026-10-01T06:00:00.1Z"),
    ],
)
def test_a_fraction_of_a_second_decides(plain: SiteFolder, older: str, newer: str) -> None:
    plain.report("a.json", trivy([row("CVE-2026-0001")], tag=f"{WEB}:1", created=newer))
    plain.report("b.json", trivy([row("CVE-2026-0002")], tag=f"{WEB}:1", created=older))
    result = built(plain)
    assert (ids(result), record(result)["scannedAt"]) == (["CVE-2026-0001"], OLD)
    assert result.logged() == []
    plain.report("b.json", trivy([row("CVE-2026-0002")], tag=f"{WEB}:1", created=newer.replace("Z", "00Z")))
    if "." in newer:
        assert ids(built(plain)) == ["CVE-2026-0001", "CVE-2026-0002"], "zeros at the end say nothing"


@pytest.mark.parametrize("time", [NEW, ""])
def test_an_added_finding_raises_no_grade(plain: SiteFolder, time: str) -> None:
    plain.report("a.json", trivy([row("CVE-2026-0001", "CRITICAL")], tag=f"{WEB}:1", created=NEW))
    added: list[dict[str, object]] = []
    for number in range(3):
        plain.report("b.json", trivy(added, tag=f"{WEB}:1", created=time))
        result = record(built(plain))
        assert (result["grade"], result["critical"], result["low"]) == ("F", 1, number)
        added.append(row(f"CVE-2026-100{number}", "LOW"))


def test_reports_of_osv_all_count_as_none_has_a_time(plain: SiteFolder) -> None:
    for name, count in (("a", 1), ("b", 2), ("c", 1)):
        groups = [{"ids": [f"GHSA-{name}-{number}"], "max_severity": "9.8"} for number in range(count)]
        plain.report(f"{name}.json", osv([], groups, of=f"{WEB}:1"))
    result = built(plain)
    assert ids(result) == ["GHSA-a-0", "GHSA-b-0", "GHSA-b-1", "GHSA-c-0"]
    assert [text.partition(":")[0] for text in result.logged()] == ["scans/b.json", "scans/c.json"]


@pytest.mark.parametrize("grouped", [[], ["GHSA-1"], None])
def test_vulnerabilities_of_osv_in_no_group_are_findings(
    plain: SiteFolder, grouped: list[str] | None
) -> None:
    records = [
        {"id": "GHSA-1", "aliases": ["CVE-2026-0001"], "database_specific": {"severity": "CRITICAL"}},
        {"id": "OSV-2", "database_specific": {"severity": "LOW"}},
    ]
    groups = [{"ids": [id_], "aliases": ["CVE-2026-0001"]} for id_ in grouped or []]
    plain.report("web/1.json", osv(records, None if grouped is None else groups))
    found = record(built(plain))
    assert [(entry["id"], entry["severity"]) for entry in found["cves"]] == [
        ("CVE-2026-0001", "CRITICAL"),
        ("OSV-2", "LOW"),
    ]
    assert found["findings"] == 2


def test_reports_join_by_the_other_tags_of_a_version(plain: SiteFolder) -> None:
    plain.report("web/stable.json", trivy([row("CVE-2026-0001")], tag=f"{WEB}:stable"))
    result = built(plain)
    assert (ids(result), result.logged()) == (["CVE-2026-0001"], [])
    plain.report("web/stable.json", trivy([row("CVE-2026-0002")]))
    assert ids(built(plain)) == ["CVE-2026-0002"]


def test_a_statement_on_another_tag_of_a_version_is_heard(plain: SiteFolder) -> None:
    plain.report("web/1.json", trivy([row("CVE-2026-0001")]))
    document = openvex(not_affected("CVE-2026-0001", f"{WEB}:stable"))
    plain.write("vex/a.json", json.dumps(document).encode())
    assert [entry["id"] for entry in record(built(plain))["suppressed"]] == ["CVE-2026-0001"]


@pytest.mark.parametrize("folder", ["scans/web/1.json", "vex/a.json"])
def test_the_limit_of_the_settings_holds_for_reports_and_statements(plain: SiteFolder, folder: str) -> None:
    plain.write(folder, b" " * 1_001)
    plain.settings["security"] = {"max_report_size": "1kB"}
    result = plain.build()
    assert result.failed
    assert f"{folder}: not read, because the file has 1,001 bytes (limit: 1,000)" in result.logged()[0]


# For any reports ---------------------------------------------------------------------------------------


@st.composite
def any_report(draw: st.DrawFn) -> dict[str, Any]:
    """Of Trivy or Grype, of one digest of the release or of both, with any findings and any time."""
    found = draw(st.lists(st.tuples(st.integers(1, 6), st.sampled_from(SEVERITIES)), max_size=4))
    created = draw(st.sampled_from([OLD, NEW, "", "2999-01-01T00:00:00Z"]))
    digests = draw(st.sampled_from([(A,), (B,), (A, B)]))
    references = [f"{WEB}@{digest}" for digest in digests]
    if draw(st.booleans()):
        rows = [row(f"CVE-2026-000{number}", severity) for number, severity in found]
        report: dict[str, Any] = trivy(rows, digest=references[0], created=created)
        report["Metadata"]["RepoDigests"] = references
        return report
    matches = [match(f"CVE-2026-000{number}", severity, pkg="openssl") for number, severity in found]
    return grype(*matches, created=created, repoDigests=references)


def said(report: dict[str, Any]) -> dict[tuple[str, str], int]:
    """What a report finds: vulnerability and package, and how bad it is; 0 is the worst."""
    if "matches" in report:
        rows = [
            (match["vulnerability"]["id"], match["vulnerability"]["severity"]) for match in report["matches"]
        ]
    else:
        found = report["Results"][0]["Vulnerabilities"]
        rows = [(entry["VulnerabilityID"], entry["Severity"]) for entry in found]
    worst: dict[tuple[str, str], int] = {}
    for id_, severity in rows:
        worst[id_, "openssl"] = min(SEVERITIES.index(severity), worst.get((id_, "openssl"), 9))
    return worst


def names(report: dict[str, Any], digest: str) -> bool:
    where = (
        report["source"]["target"]["repoDigests"]
        if "matches" in report
        else report["Metadata"]["RepoDigests"]
    )
    return any(reference.endswith(digest) for reference in where)


def published(reports: dict[str, dict[str, Any]]) -> tuple[Any, list[str]]:
    """The record of the release, and the files that were passed over."""
    with tempfile.TemporaryDirectory() as folder:
        site = SiteFolder(Path(folder))
        site.image("web", f"versions: [{{version: '1', digest: ['{A}', '{B}']}}]")
        for name, report in reports.items():
            site.report(name, report)
        result = built(site)
        passed = [text for text in result.logged(logging.INFO) if "not used for" in text]
        return record(result), [text.partition(":")[0].removeprefix("scans/") for text in passed]


@settings(max_examples=8, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.lists(any_report(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_no_severity_counts_less_than_the_reports_that_count_say(
    reports: list[dict[str, Any]], chance: Any
) -> None:
    files = {f"{number}.json": report for number, report in enumerate(reports)}
    found, passed = published(files)
    counting = [report for name, report in files.items() if name not in passed]
    worst: dict[tuple[str, str], int] = {}
    for report in counting:
        for key, severity in said(report).items():
            worst[key] = min(severity, worst.get(key, 9))
    rows: dict[tuple[str, str], int] = {}  # each scanner can have a row, with its version of the package
    for entry in found["cves"]:
        key = entry["id"], entry["pkg"]
        rows[key] = min(SEVERITIES.index(entry["severity"]), rows.get(key, 9))
    assert rows == worst
    covered = [one for one in (A, B) if any(names(report, one) for report in reports)]
    assert found["digestsScanned"] == len(covered)
    for one in covered:
        # Trivy is preferred wherever it covers the digest.
        trivys = any("Results" in report and names(report, one) for report in reports)
        assert any(names(report, one) and ("Results" in report or not trivys) for report in counting)
    shuffled = list(files.items())
    chance.shuffle(shuffled)
    assert published(dict(shuffled)) == (found, passed)


@settings(max_examples=8, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(any_report(), any_report())
def test_an_undated_report_never_takes_away(dated: dict[str, Any], undated: dict[str, Any]) -> None:
    """Of one scanner and one digest: what either report has to say counts."""
    one, other = (
        scan(*{id_ for id_, _ in said(report)}, created=time)
        for report, time in ((dated, NEW), (undated, ""))
    )
    found, _ = published({"a.json": one, "b.json": other})
    assert {(entry["id"], entry["pkg"]) for entry in found["cves"]} == {*said(dated), *said(undated)}
