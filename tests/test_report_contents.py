"""What scanners were told to ignore, did not rate or left out."""

from __future__ import annotations

from typing import Any

import pytest

from .scan_rows import PLAIN, WEB, Row, compare, note, warning
from .sites import SiteFolder, built, grype, match, row, trivy, vex

ONE, TWO = "CVE-2026-0001", "CVE-2026-0002"


def modified(finding: Any, status: str = "ignored", **fields: Any) -> dict[str, Any]:
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


def configured(*matches: Any, **options: Any) -> dict[str, Any]:
    """A report of Grype made with these options."""
    report = scanned(*matches)
    report["descriptor"]["configuration"] = options.get("options", options)
    return report


ACCEPT_IGNORED = {"accept": ["ignored"]}
VEX_RULE = {"vex-status": "not_affected", "vex-justification": "component_not_present", "namespace": "vex"}
KNOWN_FIXED = {"reason": "DistroPackageFixed"}
HEADERS = {
    "match-type": "exact-indirect-match",
    "package": {"name": "linux-libc-dev", "upstream-name": "linux"},
}
OTHER_HEADERS = {"match-type": "exact-indirect-match", "package": {"name": "a", "upstream-name": "b"}}
CONFIGURED = {
    "descriptor": {"name": "grype", "configuration": {"ignore": [KNOWN_FIXED | {"fix-state": "x"}]}}
}
# What a scanner was told to ignore counts with a note, or is suppressed where that is accepted, and why.
IGNORED: dict[str, tuple[Any, str]] = {
    **{
        f"ignored by Trivy as {status!r}": (
            modified(row(ONE), status), "not before 2.0 | .trivyignore.yaml")
        for status in ("ignored", "affected", "end_of_life", "")
    },
    "ignored by Grype": (ignoring({"reason": "not before 2.0"}), "not before 2.0 | Grype"),
    "by a statement that does not suppress": (ignoring({"vex-status": "under_investigation"}), " | Grype"),
    "by one of two rules": (ignoring(HEADERS, {"vulnerability": ONE}), " | Grype"),
    "by no rule": (ignoring(), " | Grype"),
    "by a rule on headers and an id": (ignoring(HEADERS | {"vulnerability": ONE}), " | Grype"),
    "by a rule on the headers of another package": (ignoring(OTHER_HEADERS), " | Grype"),
    "by a configured rule on what it knows": (
        ignoring(KNOWN_FIXED) | CONFIGURED, "DistroPackageFixed | Grype"),
}  # fmt: skip
# What a VEX document told the scanner is suppressed without a note.
BY_VEX = {
    f"told to {scanner} as {status}": (report, f"{ONE}: {status} | {why}")
    for status in ("not_affected", "fixed")
    for scanner, report, why in (
        ("Trivy", modified(row(ONE), status), "not before 2.0 | .trivyignore.yaml"),
        (
            "Grype",
            ignoring(HEADERS, {"reason": "x"}, VEX_RULE | {"vex-status": status}),
            "component_not_present | vex",
        ),
    )
}
# What Grype leaves out by its own knowledge stays out.
OWN_REASONS = ("DistroPackageFixed", "Explicit APK NAK", "CPE not vulnerable")
OWN_RULES: list[dict[str, Any]] = [HEADERS, *({"reason": reason} for reason in OWN_REASONS)]
# A report that leaves something out gets no good grade.
OPTIONS = {"only-fixed": True, "only-notfixed": True, "ignore-wontfix": "wont-fix", "exclude": ["/usr/**"]}
NO_OPTIONS = {"only-fixed": False, "only-notfixed": False, "ignore-wontfix": "", "exclude": []}


def noted(report: Any, says: str, *ids: str, **row: Any) -> Row:
    """A row with one note on the report."""
    return Row(reports={"web/1": report}, ids=ids, told=[note("CAT039", "web/1", says)], **row)


elsewhere = modified(row(ONE))
elsewhere["Results"].append({"Target": "other", "Class": "lang-pkgs", "Vulnerabilities": [row(ONE)]})
ROWS = {
    **{
        name: noted(report, "1 finding ignored by", ONE, record={"suppressed": [], "grade": "D"})
        for name, (report, _) in IGNORED.items()
    },
    **{
        f"{name}, accepted": noted(
            report, "1 finding", security=ACCEPT_IGNORED,
            record={"suppressed": [f"{ONE}: ignored | {why}"], "total": 0})
        for name, (report, why) in IGNORED.items()
    },
    **{
        name: Row(reports={"web/1": report}, ids=[], record={"suppressed": [shown]})
        for name, (report, shown) in BY_VEX.items()
    },
    **{
        f"Grype knows: {rule}": Row(reports={"web/1": ignoring(rule)}, ids=[], record={"suppressed": []})
        for rule in OWN_RULES
    },
    "one finding of the row is not ignored": noted(elsewhere, "1 finding", ONE, security=ACCEPT_IGNORED),
    "a modified finding of an unknown type": noted(modified(row(ONE), Type="flaw"), "1 finding", ONE),
    "another one, without an id of a vulnerability": noted(
        modified({"ID": "DS002"}, Type="flaw"), "1 modified findings of type flaw"),
    "the vendor declares it unaffected": noted(
        trivy([row(ONE) | {"Status": "not_affected"}, row(TWO)]), "1 findings with the status not_aff", TWO),
    "a report of a hub has one note": Row(
        page="versions: ['1', '2']", ids=[ONE],
        reports={"hub/acme/web/1": {f"{WEB}:{tag}": modified(row(ONE)) for tag in "12"}},
        told=[note("CAT039", "hub/acme/web/1", "2 findings ignored by")]),
    **{
        f"a modified finding that is no package's: {kind}": Row(
            reports={"web/1": modified({"ID": "DS002"}, Type=kind)}, ids=[])
        for kind in ("misconfiguration", "secret", "license")
    },
    **{
        f"{option}, {len(ids)} found": Row(
            app=f"images: ['{WEB}:1']", security={"accept": ["partial"]}, ids=ids,
            reports={"web/1": configured(*map(match, ids), **{option: value})},
            told=[warning("CAT036", "web/1", option)],
            record={"grade": grade, "badge": grade or "partly scanned"}, chart={"grade": grade})
        for option, value in OPTIONS.items()
        for ids, grade in (([], None), ([ONE], "D"))
    },
    **{
        f"options {options}": Row(
            reports={"web/1": configured(options=options)}, ids=[], record={"grade": "A+"})
        for options in (NO_OPTIONS, {"fail-on-severity": "high"}, None, "x")
    },
    **{
        f"two severities that are {severity!r}": Row(
            reports={"web/1": scanned(match(ONE, severity), match(TWO, severity))}, ids=[ONE, TWO],
            told=[warning("CAT039", "web/1", f"2 findings with {words}")], record={"unknown": 2})
        for severity, words in (("SEVERE", "the severity 'SEVERE'"), ("", ""))
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_what_counts_of_a_report(site: SiteFolder, name: str) -> None:
    compare(site, ROWS[name])


@pytest.mark.parametrize("finding", [{}, None, {"VulnerabilityID": ""}, {"VulnerabilityID": 3}])
def test_a_modified_finding_without_an_id_is_an_error(site: SiteFolder, finding: Any) -> None:
    site.image("web", PLAIN)
    site.report("web/1.json", modified(finding))
    result = site.build()
    assert (result.failed, result.codes) == (True, ["CAT030"])
    assert "`Results[0].ExperimentalModifiedFindings[0].Finding" in result.logged()[0]


@pytest.mark.parametrize("status", ["affected", "fixed"])
def test_a_statement_of_the_catalog_counts_before_the_scanners(site: SiteFolder, status: str) -> None:
    site.image("web", PLAIN)
    site.settings["security"] = {"accept": ["ignored"]}
    site.report("web/1.json", modified(row(ONE)))
    vex(site, {"products": [WEB], "status": status})
    suppressed = built(site).json("security/web/1.json")["suppressions"]
    assert [entry["status"] for entry in suppressed] == [status] * (status == "fixed")


def test_an_id_may_have_more_digits_than_python_reads_as_a_number(site: SiteFolder) -> None:
    site.image("web", PLAIN)
    site.report("web/1.json", trivy([row(TWO), row("CVE-2024-" + "9" * 5000)]))
    assert len(site.build().json("security/web/1.json")["cves"]) == 2
