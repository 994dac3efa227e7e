"""What scanners were told to ignore, did not rate or left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .scan_rows import PLAIN, Row, Seen, catalogs
from .sites import REGISTRY, SiteFolder, built, grype, match, row, trivy, vex

WEB = f"{REGISTRY}/web"
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
# What a scanner was told to ignore counts with a note, or is suppressed where that is accepted.
IGNORED: dict[str, tuple[Any, str]] = {
    **{
        f"ignored by Trivy as {status!r}": (
            modified(row(ONE), status), "ignored | not before 2.0 | .trivyignore.yaml")
        for status in ("ignored", "affected", "end_of_life", "")
    },
    "ignored by Grype": (ignoring({"reason": "not before 2.0"}), "ignored | not before 2.0 | Grype"),
    "by a statement that does not suppress": (
        ignoring({"vex-status": "under_investigation"}), "ignored |  | Grype"),
    "by one of two rules": (ignoring(HEADERS, {"vulnerability": ONE}), "ignored |  | Grype"),
    "by its kind of match": (ignoring({"match-type": "exact-indirect-match"}), "ignored |  | Grype"),
    "by no rule": (ignoring(), "ignored |  | Grype"),
    "by a rule on the headers of another package": (
        ignoring({"match-type": "exact-indirect-match", "package": {"name": "a", "upstream-name": "b"}}),
        "ignored |  | Grype"),
    "by a rule on headers and an id": (ignoring(HEADERS | {"vulnerability": ONE}), "ignored |  | Grype"),
    "by a configured rule on what it knows": (
        ignoring(KNOWN_FIXED)
        | {"descriptor": {"name": "grype", "configuration": {"ignore": [KNOWN_FIXED | {"fix-state": "x"}]}}},
        "ignored | DistroPackageFixed | Grype"),
}  # fmt: skip
NOTE = "note CAT039 web/1: 1 finding"
ROWS = {
    name: Row(PLAIN, {"web/1": report}, ONE, f"{NOTE} ignored by", {"suppressed": "", "grade": "D"})
    for name, (report, _) in IGNORED.items()
} | {
    f"{name}, accepted": Row(
        PLAIN, {"web/1": report}, "", NOTE, {"suppressed": ONE, "why": why, "total": 0},
        security=ACCEPT_IGNORED)
    for name, (report, why) in IGNORED.items()
}  # fmt: skip
# What a VEX document told the scanner is suppressed without a note.
ROWS |= {
    f"told to {scanner} as {status}": Row(
        PLAIN, {"web/1": report}, "", record={"suppressed": ONE, "why": why})
    for status in ("not_affected", "fixed")
    for scanner, report, why in (
        ("Trivy", modified(row(ONE), status), f"{status} | not before 2.0 | .trivyignore.yaml"),
        (
            "Grype",
            ignoring(HEADERS, {"reason": "x"}, VEX_RULE | {"vex-status": status}),
            f"{status} | component_not_present | vex",
        ),
    )
}  # fmt: skip
# What Grype leaves out by its own knowledge stays out.
OWN_REASONS = ("DistroPackageFixed", "Explicit APK NAK", "CPE not vulnerable")
OWN_RULES: list[dict[str, Any]] = [HEADERS, *({"reason": reason} for reason in OWN_REASONS)]
ROWS |= {
    f"Grype knows: {rule}": Row(PLAIN, {"web/1": ignoring(rule)}, "", record={"suppressed": ""})
    for rule in OWN_RULES
}
elsewhere = modified(row(ONE))
elsewhere["Results"].append({"Target": "other", "Class": "lang-pkgs", "Vulnerabilities": [row(ONE)]})
ROWS |= {
    "one finding of the row is not ignored": Row(
        PLAIN, {"web/1": elsewhere}, ONE, NOTE, security=ACCEPT_IGNORED),
    "a modified finding of an unknown type": Row(
        PLAIN, {"web/1": modified(row(ONE), Type="flaw")}, ONE, NOTE),
    "another one, without an id of a vulnerability": Row(
        PLAIN, {"web/1": modified({"ID": "DS002"}, Type="flaw")}, "",
        "note CAT039 web/1: 1 modified findings of type flaw"),
    "the vendor declares it unaffected": Row(
        PLAIN, {"web/1": trivy([row(ONE) | {"Status": "not_affected"}, row(TWO)])}, TWO,
        "note CAT039 web/1: 1 findings with the status not_affected"),
    "a report of a hub has one note": Row(
        "versions: ['1', '2']", {"hub/acme/web/1": {f"{WEB}:{tag}": modified(row(ONE)) for tag in "12"}}, ONE,
        "note CAT039 hub/acme/web/1: 2 findings ignored by"),
} | {
    f"a modified finding that is no package's: {kind}": Row(
        PLAIN, {"web/1": modified({"ID": "DS002"}, Type=kind)}, "")
    for kind in ("misconfiguration", "secret", "license")
}  # fmt: skip
# A report that leaves something out gets no good grade.
ROWS |= {
    f"{option}, {ids or 'nothing'}": Row(
        {"web": PLAIN, "app": f"images: ['{WEB}:1']"},
        {"web/1": configured(*(match(id_) for id_ in ids.split()), **{option: value})}, ids,
        f"CAT036 web/1: {option}", {"grade": grade, "badge": grade or "partly scanned"}, {"grade": grade},
        {"accept": ["partial"]})
    for option, value in (
        *(("only-fixed", True), ("only-notfixed", True)),
        *(("ignore-wontfix", "wont-fix"), ("exclude", ["/usr/**"])),
    )
    for ids, grade in (("", None), (ONE, "D"))
}  # fmt: skip
ROWS |= {
    f"options {options}": Row(PLAIN, {"web/1": configured(options=options)}, "", record={"grade": "A+"})
    for options in (
        {"only-fixed": False, "only-notfixed": False, "ignore-wontfix": "", "exclude": []},
        {"fail-on-severity": "high"},
        None,
        "x",
    )
}
ROWS |= {
    f"two severities that are {severity!r}": Row(
        PLAIN, {"web/1": scanned(match(ONE, severity), match(TWO, severity))}, f"{ONE} {TWO}",
        f"CAT039 web/1: 2 findings with {words}", {"unknown": 2})
    for severity, words in (("SEVERE", "the severity 'SEVERE'"), ("", ""))
}  # fmt: skip


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Seen]]:
    with catalogs(ROWS, tmp_path_factory.mktemp) as every:
        yield every


@pytest.mark.parametrize("name", ROWS)
def test_what_counts_of_a_report(seen: dict[str, Seen], name: str) -> None:
    seen[name].compare(ROWS[name])


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
