"""What nobody can do to reports: add, split, copy, rename or reorder them so that a figure gets better."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .sites import digest
from .test_security_properties import NGINX, Documents, Report, build, files, vex

# Only the first digits after the second differ, or nothing does; the others decide nothing.
TIMES = (
    "2020-01-01T00:00:00Z",
    "2020-01-01T00:00:00.000000001Z",
    "2020-01-01T00:00:00.00000001Z",
    "2020-01-02T00:00:00Z",
    "",
    "yesterday",
    "2999-01-01T00:00:00Z",
)
PROXY = "quay.io/acme/proxy"
MARKS = ("critical", "high", "medium", "low", "unknown")
Files = dict[str, Report]

images = st.sampled_from(
    [
        [f"{NGINX}@{digest(1)}"],
        [f"{NGINX}@{digest(2)}"],
        [f"{NGINX}@{digest(1)}", f"{NGINX}@{digest(2)}"],
        [f"{NGINX}:1"],
        [f"{NGINX}:2"],
        [f"{NGINX}:2@{digest(8)}"],
        [f"{NGINX}@{digest(5)}"],
        [f"{NGINX}@{digest(6)}"],
        [f"{NGINX}@{digest(5)}", f"{NGINX}@{digest(7)}"],
        [f"{PROXY}@{digest(3)}"],
        [],
    ]
)
findings = st.tuples(
    st.sampled_from(["CVE-2024-9999", "CVE-2024-10000", "CVE-2019-20001", "GHSA-aaaa-bbbb-cccc"]),
    st.sampled_from(["curl", "openssl"]),
    st.sampled_from([mark.title() for mark in MARKS]),
    st.sampled_from(["", "2.0"]),
)
Finding = tuple[str, str, str, str]


def trivy_row(finding: Finding) -> Report:
    id_, pkg, severity, fixed = finding
    return {"VulnerabilityID": id_, "PkgName": pkg, "Severity": severity.upper(), "FixedVersion": fixed}


def grype_row(finding: Finding) -> Report:
    id_, pkg, severity, fixed = finding
    fix = {"versions": [fixed] if fixed else []}
    return {
        "vulnerability": {"id": id_, "severity": severity, "fix": fix},
        "artifact": {"name": pkg, "version": "", "type": "deb" if pkg == "curl" else "npm"},
    }


def osv_row(finding: Finding) -> Report:
    id_, pkg, severity, _ = finding
    record = {"id": id_, "database_specific": {"severity": severity.upper()}}
    return {"package": {"name": pkg}, "vulnerabilities": [record]}


@st.composite
def trivys(draw: st.DrawFn) -> Report:
    references, listed = draw(images), draw(st.lists(findings, max_size=4))
    classes = draw(st.lists(st.sampled_from(["os-pkgs", "lang-pkgs"]), min_size=1, max_size=2))
    results: list[Report] = [{"Target": name, "Class": name, "Vulnerabilities": []} for name in classes]
    for finding in listed:
        draw(st.sampled_from(results))["Vulnerabilities"].append(trivy_row(finding))
    architecture = draw(st.sampled_from(["", "amd64", "arm64"]))
    return {
        "SchemaVersion": 2,
        "ArtifactName": references[0] if references else "",
        "CreatedAt": draw(st.sampled_from(TIMES)),
        "Metadata": {
            "OS": {"EOSL": draw(st.booleans())},
            "RepoDigests": [name for name in references if "@" in name],
            "ImageConfig": {"os": "linux", "architecture": architecture},
        },
        "Results": results,
    }


@st.composite
def grypes(draw: st.DrawFn) -> Report:
    references = draw(images)
    target = {
        "userInput": references[0] if references else "",
        "repoDigests": references,
        "os": "linux",
        "architecture": draw(st.sampled_from(["", "amd64", "arm64"])),
    }
    return {
        "matches": [grype_row(finding) for finding in draw(st.lists(findings, max_size=4))],
        "source": {"type": "image", "target": target},
        "descriptor": {"name": "grype", "timestamp": draw(st.sampled_from(TIMES))},
    }


@st.composite
def osvs(draw: st.DrawFn) -> Report:
    packages = [osv_row(finding) for finding in draw(st.lists(findings, max_size=3))]
    path = draw(st.sampled_from([f"{NGINX}:1", f"{NGINX}:2"]))
    return {"results": [{"source": {"path": path, "type": "docker"}, "packages": packages}]}


def lists(report: Report) -> list[list[Report]]:
    """The lists of findings in a report."""
    if "matches" in report:
        return [report["matches"]]
    if "results" in report:
        return [report["results"][0]["packages"]]
    return [result["Vulnerabilities"] for result in report["Results"]]


def add(report: Report, finding: Finding, chance: random.Random) -> None:
    """A finding in a kind of packages that the report has: else it would cover more, and replace more."""
    listed = chance.choice(lists(report))
    if "matches" in report:
        match = grype_row(finding)
        match["artifact"]["type"] = chance.choice([each["artifact"]["type"] for each in listed] or [""])
        listed.append(match)
    else:
        row = osv_row if "results" in report else trivy_row
        listed.insert(chance.randint(0, len(listed)), row(finding))


def split(report: Report, chance: random.Random) -> tuple[Report, Report]:
    """Two reports that have what is in one: the findings of one of its lists are apart, or whole results."""
    parts = deepcopy(report), deepcopy(report)
    if chance.random() < 0.5 and len(report.get("Results", ())) == 2:
        del parts[0]["Results"][0], parts[1]["Results"][1]
        return parts
    for one, other in zip(*map(lists, parts), strict=True):
        goes = [chance.random() < 0.5 for _ in one]
        one[:] = [row for row, first in zip(one, goes, strict=True) if first]
        other[:] = [row for row, first in zip(other, goes, strict=True) if not first]
    return parts


def names_nothing(report: Report) -> bool:
    return not (
        report.get("ArtifactName")
        or "results" in report
        or report.get("source", {}).get("target", {}).get("userInput")
    )


BY_PATH = ("nginx/2.json", "nginx/stable.json")
"""Where reports that name nothing belong to a release."""


@st.composite
def scans(draw: st.DrawFn) -> Files:
    reports: Files = {}
    for number, report in enumerate(draw(st.lists(trivys() | grypes() | osvs(), min_size=1, max_size=4))):
        reports[BY_PATH[0] if names_nothing(report) else f"{number}.json"] = report
    return reports


def changed(before: Files, finding: Finding, chance: random.Random) -> Files:
    """The same reports with one of the changes that must not make anything better."""
    after = deepcopy(before)
    path = chance.choice([*after])
    fresh = BY_PATH[1] if path == BY_PATH[0] else f"{chance.choice(['', 'a/', 'z/z/', 'nginx/'])}zz.json"
    match chance.choice(["add", "split", "copy", "rename", "shuffle"]):
        case "add":
            add(after[path], finding, chance)
        case "split":
            after[path], after[fresh] = split(after[path], chance)
        case "copy":
            after[fresh] = after[path]
        case "rename":
            after[fresh] = after.pop(path)
    shuffled = [*after.items()]
    chance.shuffle(shuffled)
    return dict(shuffled)


def published(reports: Files, said: list[dict[str, Any]]) -> Documents:
    statements = files([], said)
    return build([*((f"scans/{path}", report) for path, report in reports.items()), *statements])


def figures(documents: Documents) -> dict[str, tuple[float, ...]]:
    """Of each release, of the chart and of the catalog: the lower, the better; without a grade the best."""
    summary = documents["security.json"]
    counted = {
        "1": documents["security/nginx/1.json"],
        "2": documents["security/nginx/2.json"],
        "3": documents["security/nginx/3.json"],
        "amd64": documents[f"digests/{digest(6).replace(':', '/')}.json"]["data"][0]["security"],
        "chart": documents["charts.json"]["data"][0]["security"],
        "summary": {**summary, **summary["bySeverity"], "score": 0},
        "pinned": {"fixable": 0, **summary["pinned"], **summary["pinned"]["bySeverity"], "score": 0},
    }
    found = {}
    for name, record in counted.items():
        counts = [record[mark] or 0 for mark in MARKS]
        # A finding may make a row worse: so many rows are at least this bad.
        cumulated = (sum(counts[: number + 1]) for number in range(len(counts)))
        score = 100 if record["score"] is None else record["score"]
        found[name] = (*cumulated, record["fixable"] or 0, 100 - score)
    return found


@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(scans(), vex, findings, st.randoms(use_true_random=False))
def test_no_change_of_reports_makes_a_figure_better(
    before: Files, said: list[dict[str, Any]], finding: Finding, chance: random.Random
) -> None:
    after = changed(before, finding, chance)
    old, new = figures(published(before, said)), figures(published(after, said))
    for name, values in old.items():
        assert all(map(float.__le__, map(float, values), map(float, new[name]))), (
            name,
            values,
            new[name],
            json.dumps([before, after]),
        )
