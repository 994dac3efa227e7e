"""What scanners were told to ignore, did not rate or left out, and ids for several CVEs: in whole builds."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from mkdocs_catalog_api.problems.codes import Code

from .feeds_of_advisories import kev
from .scan_rows import PLAIN, Row, Seen, catalogs
from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, harbor, match, osv, row, trivy, vex

WEB = f"{REGISTRY}/web"
ONE, TWO, THREE = "CVE-2026-0001", "CVE-2026-0002", "CVE-2026-0003"
V31 = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"


@pytest.fixture
def web(site: SiteFolder) -> SiteFolder:
    """An image with one version, of which a test writes the report scans/web/1.json."""
    site.image("web", "versions: ['1']")
    return site


def accepting(site: SiteFolder, *words: str) -> SiteFolder:
    site.settings["security"] = {"accept": [*words]}
    return site


def record(result: Result) -> Any:
    return result.json("security/web/1.json")


def ids(result: Result, name: str = "cves") -> list[str]:
    return [entry["id"] for entry in record(result)[name]]


def problems(result: Result, level: int = logging.WARNING) -> list[str]:
    """What is logged of scans/web/1.json, without the notes of less than `level`."""
    return [text for text in result.logged(level) if text.startswith("scans/web/1.json: ")]


def modified(finding: dict[str, Any], status: str = "ignored", **fields: Any) -> dict[str, Any]:
    """A report of Trivy with one finding that is modified, as `--show-suppressed` writes it."""
    entry = {
        "Type": "vulnerability",
        "Status": status,
        "Statement": "not before 2.0",
        "Source": ".trivyignore.yaml",
        "Finding": finding,
    }
    report: dict[str, Any] = trivy([])
    report["Results"][0]["ExperimentalModifiedFindings"] = [entry | fields]
    return report


def scanned(*matches: Any, **fields: Any) -> dict[str, Any]:
    """A report of Grype."""
    return grype(*matches, userInput=f"{WEB}:1") | fields


def ignoring(*rules: dict[str, Any]) -> dict[str, Any]:
    """A report of Grype with one match that these rules ignore."""
    return scanned(ignoredMatches=[match(ONE, pkg="zlib") | {"appliedIgnoreRules": [*rules]}])


def grouped(records: list[dict[str, Any]], **group: Any) -> dict[str, Any]:
    """A report of OSV-Scanner whose records are one group."""
    return osv(records, [{"ids": [records[0]["id"]]} | group], pkg="zlib", of=f"{WEB}:1")


# What a scanner was told to ignore ---------------------------------------------------------------------

VEX_RULE = {"vex-status": "not_affected", "vex-justification": "component_not_present", "namespace": "vex"}
HEADERS = {
    "match-type": "exact-indirect-match",
    "package": {"name": "linux-libc-dev", "upstream-name": "linux"},
}
IGNORED = [
    modified(row(ONE)),
    *(
        modified(row(ONE), status)
        for status in ("affected", "under_investigation", "unknown", "end_of_life", "")
    ),
    ignoring({"vulnerability": ONE, "reason": "not before 2.0"}),
    ignoring({"fix-state": "not-fixed"}),
    ignoring({"match-type": "exact-indirect-match"}),
    ignoring({"vex-status": "under_investigation"}),
    ignoring(HEADERS, {"vulnerability": ONE}),
    ignoring(),
]


@pytest.mark.parametrize("report", IGNORED)
def test_an_ignored_finding_counts_like_any_other(web: SiteFolder, report: Any) -> None:
    web.report("web/1.json", report)
    result = built(web)
    assert (ids(result), ids(result, "suppressed"), record(result)["grade"]) == ([ONE], [], "D")
    assert problems(result) == []
    (note,) = problems(result, logging.INFO)
    assert "1 finding" in note and "accept: [ignored]" in note


@pytest.mark.parametrize("report", IGNORED)
def test_an_ignored_finding_is_suppressed_where_that_is_accepted(web: SiteFolder, report: Any) -> None:
    accepting(web, "ignored", "partial", "reference", "filesystem").report("web/1.json", report)
    result = built(web, strict=True)
    (out,) = record(result)["suppressed"]
    assert (record(result)["total"], out["id"], out["status"]) == (0, ONE, "ignored")
    assert out["statement"]
    assert len(problems(result, logging.INFO)) == 1
    document = result.json(f"cves/{ONE}.json")
    assert (document["total"], document["suppressed"][0]["status"]) == (0, "ignored")


def test_the_rule_of_trivy_is_named(web: SiteFolder) -> None:
    accepting(web, "ignored").report("web/1.json", modified(row(ONE)))
    (out,) = record(built(web))["suppressed"]
    assert (out["justification"], out["statement"]) == ("not before 2.0", ".trivyignore.yaml")


@pytest.mark.parametrize("status", ["not_affected", "fixed"])
@pytest.mark.parametrize("accept", [(), ("ignored",)])
def test_what_a_vex_document_told_the_scanner_is_suppressed(
    web: SiteFolder, status: str, accept: tuple[str, ...]
) -> None:
    accepting(web, *accept)
    for report in (
        modified(row(ONE), status),
        ignoring(HEADERS, {"reason": "x"}, VEX_RULE | {"vex-status": status}),
    ):
        web.report("web/1.json", report)
        result = built(web)
        (out,) = record(result)["suppressed"]
        assert (record(result)["total"], out["id"], out["status"]) == (0, ONE, status)
        assert problems(result, logging.INFO) == []


@pytest.mark.parametrize(
    "rule",
    [HEADERS, *({"reason": r} for r in ("DistroPackageFixed", "Explicit APK NAK", "CPE not vulnerable"))],
)
def test_what_grype_leaves_out_by_its_own_knowledge_stays_out(web: SiteFolder, rule: dict[str, Any]) -> None:
    web.report("web/1.json", ignoring(rule))
    result = built(web)
    assert (ids(result), ids(result, "suppressed")) == ([], [])
    assert problems(result, logging.INFO) == []


def test_a_row_of_which_one_finding_is_not_ignored_stays_open(web: SiteFolder) -> None:
    report = modified(row(ONE))
    report["Results"].append({"Target": "other", "Class": "lang-pkgs", "Vulnerabilities": [row(ONE)]})
    accepting(web, "ignored").report("web/1.json", report)
    assert ids(built(web)) == [ONE]


@pytest.mark.parametrize(("status", "suppressed"), [("affected", []), ("fixed", [ONE])])
def test_a_statement_of_the_catalog_counts_before_the_scanners(
    web: SiteFolder, status: str, suppressed: list[str]
) -> None:
    accepting(web, "ignored").report("web/1.json", modified(row(ONE)))
    vex(web, {"products": [WEB], "status": status})
    result = built(web)
    assert ids(result, "suppressed") == suppressed
    assert [entry["status"] for entry in record(result)["suppressed"]] == ["fixed"] * len(suppressed)


@pytest.mark.parametrize("kind", ["misconfiguration", "secret", "license"])
def test_modified_findings_that_are_not_of_packages_are_left_alone(web: SiteFolder, kind: str) -> None:
    web.report("web/1.json", modified({"ID": "DS002"}, Type=kind))
    result = built(web)
    assert (ids(result), problems(result, logging.INFO)) == ([], [])


def test_modified_findings_of_an_unknown_type_are_counted_or_named(web: SiteFolder) -> None:
    web.report("web/1.json", modified(row(ONE), Type="flaw"))
    assert ids(built(web)) == [ONE]
    web.report("web/1.json", modified({"ID": "DS002"}, Type="flaw"))
    (note,) = problems(built(web), logging.INFO)
    assert "1 modified findings of type flaw" in note


@pytest.mark.parametrize("finding", [{}, None, {"VulnerabilityID": ""}, {"VulnerabilityID": 3}])
def test_a_modified_finding_without_an_id_is_an_error(web: SiteFolder, finding: Any) -> None:
    web.report("web/1.json", modified(finding))
    result = web.build()
    assert (result.failed, result.codes) == (True, [Code.BROKEN_REPORT.value])
    assert "`Results[0].ExperimentalModifiedFindings[0].Finding" in result.logged()[0]


def test_a_finding_that_the_vendor_declares_unaffected_is_named(web: SiteFolder) -> None:
    web.report("web/1.json", trivy([row(ONE) | {"Status": "not_affected"}, row(TWO)]))
    result = built(web)
    assert ids(result) == [TWO]
    (note,) = problems(result, logging.INFO)
    assert "1 findings with the status not_affected" in note


def test_the_notes_of_a_hub_report_are_one_line_each(web: SiteFolder) -> None:
    web.report("hub/acme/web/1.json", {f"{WEB}:{tag}": modified(row(ONE)) for tag in ("1", "2")})
    (note,) = [text for text in built(web).logged(logging.INFO) if "ignored by" in text]
    assert "2 findings" in note


# Reports that leave something out ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("only-fixed", True), ("only-notfixed", True)),
        *(("ignore-wontfix", "wont-fix"), ("exclude", ["/usr/**"])),
    ],
)
@pytest.mark.parametrize(
    ("matches", "grade"),
    [([], None), ([match(ONE, "Low")], None), ([match(ONE)], "D")],
)
def test_a_narrowed_report_gets_no_good_grade(
    web: SiteFolder, option: str, value: Any, matches: list[Any], grade: str | None
) -> None:
    report: Any = scanned(*matches)
    report["descriptor"]["configuration"] = {option: value}
    accepting(web, "partial").report("web/1.json", report)
    web.page("charts/app.md", f"category: Web\ntier: core\nlicense: MIT\nimages: ['{WEB}:1']")
    result = built(web)
    found = record(result)
    assert (found["total"], found["grade"], found["score"] is None) == (len(matches), grade, grade is None)
    assert result.json("charts.json")["data"][0]["security"]["grade"] == grade
    badge = result.json("badge/web/grade.json")
    assert badge["message"] == (grade or "partly scanned")
    (warning,) = problems(result)
    assert option in warning
    assert web.build(strict=True).failed


@pytest.mark.parametrize(
    "configuration",
    [
        {"only-fixed": False, "only-notfixed": False, "ignore-wontfix": "", "exclude": []},
        {"fail-on-severity": "high"},
        None,
        "x",
    ],
)
def test_a_report_made_without_such_an_option_is_graded(web: SiteFolder, configuration: Any) -> None:
    report: Any = scanned()
    report["descriptor"]["configuration"] = configuration
    web.report("web/1.json", report)
    result = built(web)
    assert (record(result)["grade"], problems(result)) == ("A+", [])


# Severities --------------------------------------------------------------------------------------------


def rated(scanner: str, severity: Any) -> Any:
    """A report with two findings of this severity."""
    if scanner == "harbor":
        given = {"package": "zlib", "version": "1", "severity": severity}
        return harbor({"id": ONE} | given, {"id": TWO} | given)
    if scanner == "grype":
        return scanned(match(ONE, severity), match(TWO, severity))
    if scanner == "osv":
        reports = [grouped([{"id": id_, "database_specific": {"severity": severity}}]) for id_ in (ONE, TWO)]
        return {"results": [report["results"][0] for report in reports]}
    return trivy([row(ONE, severity), row(TWO, severity)])


KNOWN = (
    *((scanner, "High", "HIGH") for scanner in ("trivy", "grype", "harbor", "osv")),
    *((scanner, "UNKNOWN", "UNKNOWN") for scanner in ("trivy", "grype", "harbor", "osv")),
    *((scanner, "Negligible", "LOW") for scanner in ("grype", "harbor", "osv")),
    *((scanner, "None", "UNKNOWN") for scanner in ("harbor", "osv")),
    *(("osv", word, "HIGH") for word in ("IMPORTANT", "important")),
    *(("osv", "MODERATE", "MEDIUM"), ("osv", "MINOR", "LOW"), ("osv", "UNIMPORTANT", "LOW")),
)
VECTORS: tuple[tuple[dict[str, Any], dict[str, Any], str, bool], ...] = (
    ({"severity": [{"type": "CVSS_V3", "score": V31}]}, {}, "CRITICAL", False),
    ({"severity": [{"type": "CVSS_V3", "score": V31}]}, {"max_severity": "5.0"}, "MEDIUM", False),
    ({"severity": [{"type": "CVSS_V3", "score": V31}]}, {"max_severity": ""}, "CRITICAL", False),
    (
        {
            "severity": [
                {"type": "CVSS_V2", "score": "AV:N/AC:L/Au:N/C:P/I:P/A:P"},
                {"type": "CVSS_V3", "score": "CVSS:3.0/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N"},
            ]
        },
        {},
        "HIGH",
        False,
    ),
    (
        {
            "severity": [
                {
                    "type": "CVSS_V4",
                    "score": "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
                }
            ]
        },
        {},
        "CRITICAL",
        False,
    ),
    (
        {"affected": [{"package": {"name": "zlib"}, "severity": [{"type": "CVSS_V3", "score": V31}]}]},
        {},
        "CRITICAL",
        False,
    ),
    (
        {"affected": [{"package": {"name": "curl"}, "severity": [{"type": "CVSS_V3", "score": V31}]}]},
        {},
        "UNKNOWN",
        True,
    ),
    (
        {"severity": [{"score": "CVSS:3.1/AV:N"}], "database_specific": {"severity": "LOW"}},
        {},
        "LOW",
        False,
    ),
    ({"severity": [{"score": "CVSS:3.1/AV:N"}]}, {}, "UNKNOWN", True),
    (
        {"severity": [{"score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N"}]},
        {},
        "UNKNOWN",
        False,
    ),
    ({"severity": "high"}, {"max_severity": "eleven"}, "UNKNOWN", True),
)
RATED = (
    {
        f"{scanner} {severity!r}": Row(
            PLAIN,
            {"web/1": rated(scanner, severity)},
            f"{ONE} {TWO}",
            f"CAT039 web/1: 2 findings with {word}",
            {"unknown": 2},
        )
        for scanner, severity, word in (
            *(
                (scanner, severity, f"the severity {severity!r}" if severity and severity != 7 else "")
                for scanner in ("trivy", "grype", "harbor", "osv")
                for severity in ("", None, 7, "SEVERE", "high!")
            ),
            # Words of another scanner.
            ("trivy", "Negligible", "the severity 'Negligible'"),
            ("trivy", "IMPORTANT", "the severity 'IMPORTANT'"),
            ("grype", "MODERATE", "the severity 'MODERATE'"),
            ("harbor", "IMPORTANT", "the severity 'IMPORTANT'"),
        )
    }
    | {
        f"{scanner} {severity!r}": Row(
            PLAIN, {"web/1": rated(scanner, severity)}, f"{ONE} {TWO}", record={counted.lower(): 2}
        )
        for scanner, severity, counted in KNOWN
    }
    | {
        f"vectors {number}": Row(
            PLAIN,
            {"web/1": grouped([{"id": ONE} | records], **group)},
            ONE,
            "CAT039 web/1: 1 finding with" * warns,
            {counted.lower(): 1},
        )
        for number, (records, group, counted, warns) in enumerate(VECTORS)
    }
)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Seen]]:
    with catalogs(RATED, tmp_path_factory.mktemp) as every:
        yield every


@pytest.mark.parametrize("name", RATED)
def test_an_unknown_severity_is_one_warning_with_the_word_and_a_count(
    seen: dict[str, Seen], name: str
) -> None:
    seen[name].compare(RATED[name])


# Ids for several CVEs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["aliases", "upstream"])
def test_one_cve_that_a_record_of_osv_names_is_its_id(web: SiteFolder, key: str) -> None:
    web.report("web/1.json", grouped([{"id": "DEBIAN-1", key: [ONE]}], max_severity="7.5"))
    assert ids(built(web)) == [ONE]


ADVISORY = "ELSA-2026-1"
SEVERAL = [
    scanned(match(ADVISORY, "High", ONE, TWO, pkg="zlib")),
    grouped([{"id": ADVISORY, "upstream": [ONE, TWO]}], max_severity="7.5"),
    grouped([{"id": ADVISORY, "related": [ONE, TWO]}], max_severity="7.5"),
]


def several(site: SiteFolder, report: Any) -> SiteFolder:
    """An image with an advisory, and the CVEs that it stands for; one of them is exploited."""
    site.report("web/1.json", report)
    site.write("advisories/known_exploited_vulnerabilities.json", kev({TWO: "2026-03-04"}))
    site.page("charts/app.md", f"category: Web\ntier: core\nlicense: MIT\nimages: ['{WEB}:1']")
    return site


@pytest.mark.parametrize("report", SEVERAL)
def test_each_cve_of_an_advisory_has_its_document(web: SiteFolder, report: Any) -> None:
    result = built(several(web, report))
    (found,) = record(result)["cves"]
    assert (found["id"], found["exploited"], record(result)["exploited"]) == (ADVISORY, "2026-03-04", 1)
    index = {entry["id"]: entry for entry in result.json("cves/index.json")["data"]}
    assert index.keys() == {ADVISORY, ONE, TWO}
    for id_, exploited in ((ADVISORY, "2026-03-04"), (ONE, None), (TWO, "2026-03-04")):
        document = result.json(f"cves/{id_}.json")
        (affected,) = document["data"]
        assert affected["reportedAs"] == (None if id_ == ADVISORY else ADVISORY)
        assert (affected["slug"], affected["pkg"], document["exploited"]) == ("web", "zlib", exploited)
        assert [chart["slug"] for chart in document["charts"]] == ["app"]
        assert (index[id_]["releases"], index[id_]["severity"]) == (1, "HIGH")


@pytest.mark.parametrize("report", SEVERAL)
def test_an_advisory_is_suppressed_by_statements_on_all_of_its_cves(web: SiteFolder, report: Any) -> None:
    several(web, report)
    statements = [{"vulnerability": {"name": id_}, "products": [WEB]} for id_ in (ONE, TWO)]
    vex(web, statements[0])
    assert ids(built(web)) == [ADVISORY]
    vex(web, *statements)
    result = built(web)
    assert (ids(result), ids(result, "suppressed")) == ([], [ADVISORY])
    document = result.json(f"cves/{ONE}.json")
    assert (document["data"], document["charts"]) == ([], [])
    assert document["suppressed"][0]["reportedAs"] == ADVISORY


def test_related_ids_of_a_cve_are_other_vulnerabilities(web: SiteFolder) -> None:
    web.report("web/1.json", grouped([{"id": "X-1", "aliases": [ONE], "related": [TWO]}], max_severity="7.5"))
    result = built(web)
    assert ids(result) == [ONE]
    assert [entry["id"] for entry in result.json("cves/index.json")["data"]] == [ONE]


def test_a_cve_with_rows_of_its_own_and_of_an_advisory_has_both(web: SiteFolder) -> None:
    report = scanned(match(ADVISORY, "Low", ONE, TWO, pkg="zlib"), match(ONE, "High", pkg="curl"))
    web.report("web/1.json", report)
    document = built(web).json(f"cves/{ONE}.json")
    assert (document["severity"], document["total"]) == ("HIGH", 2)
    assert {(entry["pkg"], entry["reportedAs"]) for entry in document["data"]} == {
        ("curl", None),
        ("zlib", ADVISORY),
    }


def test_every_chart_with_a_pin_that_has_it_open_is_listed(web: SiteFolder) -> None:
    """A pin of a release, of a digest that is on no page, and of an image without a page."""
    web.report("web/1.json", scanned(match(ADVISORY, "High", ONE, TWO, pkg="zlib")))
    web.report("old.json", trivy([row(ONE)], digest=f"{WEB}@{digest('old')}"))
    web.report("other.json", trivy([row(ONE)], tag="quay.io/acme/other:3"))
    web.report("clean.json", trivy([row(THREE)], tag="quay.io/acme/clean:3"))
    pins = {
        "release": f"{WEB}:1",
        "digest": f"{WEB}@{digest('old')}",
        "other": "quay.io/acme/other:3",
        "clean": "quay.io/acme/clean:3",
    }
    for slug, pin in pins.items():
        web.page(f"charts/{slug}.md", f"category: Web\ntier: core\nlicense: MIT\nimages: ['{pin}']")
    result = built(web)
    slugs = [chart["slug"] for chart in result.json(f"cves/{ONE}.json")["charts"]]
    assert slugs == ["digest", "other", "release"]
    assert [chart["slug"] for chart in result.json(f"cves/{TWO}.json")["charts"]] == ["release"]
