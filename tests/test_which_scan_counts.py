"""Reports that are split, newer in part, or name their image badly: nothing that was found is lost."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from mkdocs_catalog_api.build import prepare
from mkdocs_catalog_api.problems import Level, Problems
from mkdocs_catalog_api.sources.read_site import read_site

from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, harbor, match, row, trivy

WEB = f"{REGISTRY}/web"
A, B = digest("a"), digest("b")
OLD, NEW = "2026-10-01T06:00:00.123456788Z", "2026-10-01T06:00:00.123456789Z"
Findings = dict[str, list[str]]


def ids(result: Result) -> list[str]:
    return [entry["id"] for entry in result.json("security/web/1.json")["cves"]]


def problems(site: SiteFolder) -> list[tuple[int, str, str]]:
    """Level, code and file of each problem, but for those that are about something else."""
    found = Problems()
    source, settings, _ = read_site(site.write_config(), found)
    build = prepare(source, settings, found, strict=False)
    build.drop()
    return [(problem.level, problem.code, problem.file) for problem in found]


def classed(created: str, findings: Findings, of: str = A, tag: str = "") -> dict[str, Any]:
    """A report of Trivy with results of these classes and ids."""
    report: dict[str, Any] = trivy([], digest=f"{WEB}@{of}" if of else "", tag=tag, created=created)
    report["Results"] = [
        {"Target": name, "Class": f"{name}-pkgs", "Vulnerabilities": [row(id_) for id_ in listed]}
        for name, listed in findings.items()
    ]
    return report


def other(created: str, *found: str, kind: str = "deb", of: str = A) -> dict[str, Any]:
    """A report of Grype."""
    return grype(*[match(id_, type=kind) for id_ in found], created=created, userInput=f"{WEB}@{of}")


@pytest.fixture
def one(site: SiteFolder) -> SiteFolder:
    """A release with one digest."""
    site.image("web", f"versions: [{{version: '1', digest: '{A}'}}]")
    return site


@pytest.fixture
def two(site: SiteFolder) -> SiteFolder:
    """A release with two digests."""
    site.image("web", f"versions: [{{version: '1', digest: ['{A}', '{B}']}}]")
    return site


# Reports that are split by the class of packages ---------------------------------------------------------


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"os": ["CVE-2026-0001"]}, {"lang": ["CVE-2026-0002"]}),
        ({"lang": ["CVE-2026-0001"]}, {"os": ["CVE-2026-0002"]}),
        ({"os": ["CVE-2026-0001"], "lang": []}, {"lang": ["CVE-2026-0002"]}),
        ({"lang": [], "os": ["CVE-2026-0001"]}, {"os": ["CVE-2026-0002"]}),
    ],
)
def test_a_newer_report_of_fewer_classes_replaces_nothing(
    one: SiteFolder, older: Findings, newer: Findings
) -> None:
    one.report("a.json", classed(NEW, newer))
    one.report("b.json", classed(OLD, older))
    result = built(one)
    assert ids(result) == ["CVE-2026-0001", "CVE-2026-0002"]
    assert (Level.WARNING, "CAT036", "scans/b.json") in problems(one)
    assert len(result.logged()) == 1
    one.report("c.json", classed("2026-10-02T00:00:00Z", {"os": [], "lang": ["CVE-2026-0003"]}))
    assert ids(built(one)) == ["CVE-2026-0003"]


def test_parts_of_one_report_are_replaced_together(one: SiteFolder) -> None:
    one.report("a.json", classed(OLD, {"os": ["CVE-2026-0001"], "lang": ["CVE-2026-0002"]}))
    one.report("c.json", classed(NEW, {"lang": ["CVE-2026-0003"]}))
    whole = ids(built(one))
    one.report("a.json", classed(OLD, {"os": ["CVE-2026-0001"]}))
    one.report("b.json", classed(OLD, {"lang": ["CVE-2026-0002"]}))
    assert ids(built(one)) == whole == ["CVE-2026-0001", "CVE-2026-0002", "CVE-2026-0003"]


def test_parts_of_the_same_time_unite_whatever_their_classes(one: SiteFolder) -> None:
    one.report("a.json", classed(NEW, {"os": ["CVE-2026-0001"], "lang": ["CVE-2026-0002"]}))
    one.report("b.json", classed(NEW, {"lang": ["CVE-2026-0003"]}))
    assert ids(built(one)) == ["CVE-2026-0001", "CVE-2026-0002", "CVE-2026-0003"]
    assert problems(one) == [(Level.WARNING, "CAT035", "scans/b.json")]


@pytest.mark.parametrize(("older", "newer", "both"), [("", "", True), (A, "", True), (A, B, False)])
def test_only_a_different_digest_shows_that_the_content_has_changed(
    site: SiteFolder, older: str, newer: str, both: bool
) -> None:
    site.image("web", "versions: ['1']")
    site.report("a.json", classed(OLD, {"os": ["CVE-2026-0001"]}, of=older, tag=f"{WEB}:1"))
    site.report("b.json", classed(NEW, {"lang": ["CVE-2026-0002"]}, of=newer, tag=f"{WEB}:1"))
    result = built(site)
    assert ids(result) == [*["CVE-2026-0001"] * both, "CVE-2026-0002"]
    assert len(result.logged()) == both


@pytest.mark.parametrize("newer", ["npm", "", "rpm"])
def test_grype_looks_at_all_packages_whatever_it_finds(one: SiteFolder, newer: str) -> None:
    one.report("a.json", other(OLD, "CVE-2026-0001", kind="deb"))
    one.report("b.json", other(NEW, "CVE-2026-0002", kind=newer))
    assert ids(built(one)) == ["CVE-2026-0002"]
    assert problems(one)[0][1:] == ("CAT033", "scans/a.json")


def test_a_newer_scan_with_a_limit_replaces_no_scan_without_one(one: SiteFolder) -> None:
    limited = other(NEW, "CVE-2026-0002")
    limited["descriptor"]["configuration"] = {"only-fixed": True}
    one.report("a.json", other(OLD, "CVE-2026-0001"))
    one.report("b.json", limited)
    result = built(one)
    assert ids(result) == ["CVE-2026-0001", "CVE-2026-0002"]
    assert any("which is newer but has the limit only-fixed" in text for text in result.logged())
    one.report("c.json", other("2026-10-02T00:00:00Z"))
    assert ids(built(one)) == []


def test_the_types_of_reports_from_before_2021_are_classes(one: SiteFolder) -> None:
    for name, kind, id_, time in (
        ("a", "alpine", "CVE-2026-0001", OLD),
        ("b", "npm", "CVE-2026-0002", NEW),
    ):
        report = trivy([], digest=f"{WEB}@{A}", created=time)
        report["Results"] = [{"Target": name, "Type": kind, "Vulnerabilities": [row(id_)]}]
        one.report(f"{name}.json", report)
    assert ids(built(one)) == ["CVE-2026-0001", "CVE-2026-0002"]


# Digests and references --------------------------------------------------------------------------------


def test_digests_in_upper_case_are_read(two: SiteFolder) -> None:
    two.report("a.json", classed(NEW, {"os": ["CVE-2026-0001"]}, of=A.upper()))
    report = other(NEW, "CVE-2026-0002")
    report["source"]["target"] = {"manifestDigest": B.upper()}
    two.report("b.json", report)
    result = built(two)
    assert ids(result) == ["CVE-2026-0001", "CVE-2026-0002"]
    assert result.json("security/web/1.json")["digestsScanned"] == 2
    assert result.logged() == []


def test_a_digest_of_harbor_in_upper_case_is_read(one: SiteFolder) -> None:
    found: dict[str, object] = {"id": "CVE-2026-0001", "package": "zlib", "version": "1", "severity": "High"}
    found |= {"artifact_digests": [A.upper()]}
    one.report("a.json", harbor(found, created=NEW))
    result = built(one)
    assert (ids(result), result.logged()) == (["CVE-2026-0001"], [])


@pytest.mark.parametrize("name", ["ghcr.io/acme/Web Server", "/oci/layout", f"{REGISTRY}/redis:1:2"])
def test_a_reference_that_is_none_in_the_folder_of_an_image_is_a_warning(site: SiteFolder, name: str) -> None:
    site.image("web", "versions: ['1']")
    site.report("web/1.json", trivy([row("CVE-2026-0001")], tag=name))
    result = built(site)
    assert ids(result) == ["CVE-2026-0001"]
    assert problems(site) == [(Level.WARNING, "CAT031", "scans/web/1.json")]
    site.settings["security"] = {"accept": ["reference"]}
    assert built(site).logged() == []


def test_an_archive_has_no_reference(site: SiteFolder) -> None:
    site.image("web", "versions: ['1']")
    site.report("web/1.json", trivy([row("CVE-2026-0001")], tag="/builds/web.tar"))
    result = built(site)
    assert (ids(result), result.logged()) == (["CVE-2026-0001"], [])


@pytest.mark.parametrize(
    ("created", "counts", "warns"),
    [("2026-10-02T00:00:00Z", True, ""), (NEW, True, "CAT035"), ("", True, "CAT035"), (OLD, False, "")],
)
def test_a_report_without_a_digest_counts_unless_a_newer_one_covers_each_part(
    two: SiteFolder, created: str, counts: bool, warns: str
) -> None:
    two.report("a.json", classed(NEW, {"os": ["CVE-2026-0001"]}, of=A))
    two.report("b.json", classed(NEW, {"os": ["CVE-2026-0002"]}, of=B))
    two.report("web/1.json", trivy([row("CVE-2026-0003")], created=created))
    result = built(two)
    assert ids(result) == ["CVE-2026-0001", "CVE-2026-0002", *["CVE-2026-0003"] * counts]
    assert result.json("security/web/1.json")["complete"]
    found = [(Level.WARNING, warns, "scans/web/1.json")] if warns else []
    assert problems(two) == (found if counts else [(Level.INFO, "CAT033", "scans/web/1.json")])


# Part of the digests -------------------------------------------------------------------------------------


def test_the_first_scanner_counts_for_each_digest(two: SiteFolder) -> None:
    two.report("a.json", classed(OLD, {"os": ["CVE-2026-0001"]}, of=A))
    two.report("a2.json", other(NEW, "CVE-2026-0002", of=A))
    two.report("b.json", other(NEW, "CVE-2026-0003", of=B))
    assert ids(built(two)) == ["CVE-2026-0001", "CVE-2026-0003"]
    two.settings["security"] = {"scanners": ["grype", "trivy"]}
    assert ids(built(two)) == ["CVE-2026-0002", "CVE-2026-0003"]


def test_a_newer_scan_of_some_digests_replaces_what_was_said_of_those(site: SiteFolder) -> None:
    three = digest("c")
    site.image("web", f"versions: [{{version: '1', digest: ['{A}', '{B}', '{three}']}}]")
    for name, id_, created, of in (
        ("a", "CVE-2026-0001", OLD, [A]),
        ("b", "CVE-2026-0002", OLD, [B, three]),
        ("c", "CVE-2026-0003", NEW, [A, B]),
    ):
        report: dict[str, Any] = classed(created, {"os": [id_]}, of=of[0])
        report["Metadata"]["RepoDigests"] = [f"{WEB}@{each}" for each in of]
        site.report(f"{name}.json", report)
    result = built(site)
    assert ids(result) == ["CVE-2026-0002", "CVE-2026-0003"]
    assert result.json("security/web/1.json")["digestsScanned"] == 3
    assert result.logged() == []


# The folder of reports -----------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["", "README.md", ".gitkeep", ".hidden/x.json", "web/1.sarif"])
def test_a_folder_without_a_report_is_a_warning(one: SiteFolder, file: str) -> None:
    (one.folder / "scans").mkdir()
    if file:
        one.write(f"scans/{file}", "{}")
    found = problems(one)
    assert (Level.WARNING, "CAT030", "scans") in found
    noted = file and not file.startswith(".")
    assert [each for each in found if each[0] == Level.INFO] == (
        [(Level.INFO, "CAT030", f"scans/{file}")] if noted else []
    )
    assert one.build(strict=True).failed


def test_a_catalog_without_the_folder_has_no_warning(one: SiteFolder) -> None:
    assert problems(one) == []


def test_what_is_no_report_is_noted(one: SiteFolder) -> None:
    one.report("web/1.json", classed(NEW, {"os": []}))
    for name in ("README", "README.md", "web/1.sarif", "web/1.txt", "report.html", ".gitkeep", "a/.x/1.txt"):
        one.write(f"scans/{name}", "not a report")
    assert problems(one) == [
        (Level.INFO, "CAT030", f"scans/{name}")
        for name in ("README", "README.md", "report.html", "web/1.sarif", "web/1.txt")
    ]
    result = built(one, strict=True)
    assert any("scans/README" in text for text in result.logged(logging.INFO))


def test_a_report_that_belongs_nowhere_is_a_warning(one: SiteFolder) -> None:
    one.report("web/1.json", classed(NEW, {"os": []}))
    one.report("a.json", trivy([row("CVE-2026-0001")], digest=f"{WEB}@{B}"))
    assert problems(one) == [(Level.WARNING, "CAT031", "scans/a.json")]
