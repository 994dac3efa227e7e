"""What holds for any scans and VEX documents, through the whole engine.

Nobody can add, split, copy, rename or reorder reports so that a figure gets better.
"""

from __future__ import annotations

import json
import random
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.build import prepare
from mkdocs_catalog_api.problems import CatalogError, Level, Problems
from mkdocs_catalog_api.sources.read_site import read_site

from .contract import check
from .report_files import damaged, nodes
from .sites import REGISTRY, SiteFolder, digest

IDS = ("CVE-2024-9999", "CVE-2024-10000", "CVE-2019-20001", "GHSA-aaaa-bbbb-cccc")
MARKS = ("critical", "high", "medium", "low", "unknown")
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
NGINX, PROXY = f"{REGISTRY}/nginx", "quay.io/acme/proxy"
VEX = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/vex"}

Report = dict[str, Any]
Documents = dict[str, Any]
Files = dict[str, Report]

statements = st.fixed_dictionaries(
    {
        "vulnerability": st.sampled_from(IDS),
        "products": st.lists(st.sampled_from([NGINX, f"{NGINX}:2", digest(1), digest(3)]), max_size=2),
        "status": st.sampled_from(["not_affected", "affected", "fixed", "under_investigation"]),
        "justification": st.just("component_not_present"),
        "timestamp": st.sampled_from(["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"]),
    }
)
vex = st.lists(statements, max_size=4)
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
    st.sampled_from(IDS),
    st.sampled_from(["curl", "openssl"]),
    st.sampled_from([mark.title() for mark in MARKS]),
    st.sampled_from(["", "2.0", "2.1"]),
    st.sampled_from(["", "one", "two"]),
)
Finding = tuple[str, str, str, str, str]


def trivy_row(finding: Finding) -> Report:
    id_, pkg, severity, fixed, title = finding
    named = {"VulnerabilityID": id_, "PkgName": pkg, "Title": title}
    return named | {"Severity": severity.upper(), "FixedVersion": fixed}


def grype_row(finding: Finding) -> Report:
    id_, pkg, severity, fixed, title = finding
    fix = {"versions": [fixed] if fixed else []}
    return {
        "vulnerability": {"id": id_, "severity": severity, "fix": fix, "description": title},
        "artifact": {"name": pkg, "version": "", "type": "deb" if pkg == "curl" else "npm"},
    }


def osv_row(finding: Finding) -> Report:
    id_, pkg, severity, _, title = finding
    record = {"id": id_, "summary": title, "database_specific": {"severity": severity.upper()}}
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


def worsen(report: Report, chance: random.Random) -> None:
    """A finding becomes critical, and has a fix."""
    for row in [chance.choice(listed) for listed in lists(report) if listed][:1]:
        if "VulnerabilityID" in row:
            row |= {"Severity": "CRITICAL", "FixedVersion": row["FixedVersion"] or "2.1"}
        elif "vulnerability" in row:
            fix = row["vulnerability"]["fix"]["versions"] or ["2.1"]
            row["vulnerability"] |= {"severity": "Critical", "fix": {"versions": fix}}
        else:
            row["vulnerabilities"][0]["database_specific"] = {"severity": "CRITICAL"}


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
    match chance.choice(["add", "worsen", "split", "copy", "rename"]):
        case "add":
            add(after[path], finding, chance)
        case "worsen":
            worsen(after[path], chance)
        case "split":
            after[path], after[fresh] = split(after[path], chance)
        case "copy":
            after[fresh] = after[path]
        case "rename":
            after[fresh] = after.pop(path)
    shuffled = [*after.items()]
    chance.shuffle(shuffled)
    return dict(shuffled)


def build(files: list[tuple[str, object]], *, checked: bool = False) -> Documents:
    """The documents of a small catalog with these reports and VEX documents, written in this order.

    Raises `CatalogError` when the catalog is refused.
    """
    with tempfile.TemporaryDirectory() as folder:
        site = SiteFolder(Path(folder))
        site.write("docs/index.md", "# Home\n")
        digests = f"['{digest(1)}', '{digest(2)}']"
        manifests = f"{{linux/amd64: '{digest(6)}', linux/arm64: '{digest(7)}'}}"
        indexed = f"{{version: '3', digest: '{digest(5)}', manifests: {manifests}}}"
        versions = f"[{{version: '2', tags: [stable]}}, {{version: '1', digest: {digests}}}, {indexed}]"
        site.image("nginx", f"latest: '2'\nversions: {versions}")
        pins = f"images: ['{NGINX}@{digest(1)}', '{NGINX}:2', 'quay.io/acme/proxy@{digest(3)}']"
        site.page("charts/web.md", f"category: Web\ntier: core\nlicense: MIT\n{pins}")
        for path, content in files:
            site.write(path, content if isinstance(content, bytes) else json.dumps(content).encode())
        config = {"site_name": "Catalog", "plugins": [{"catalog-api": {"registry": REGISTRY}}]}
        problems = Problems()
        found, given_settings, _ = read_site(site.write("mkdocs.yml", json.dumps(config)), problems)
        prepare(found, given_settings, problems, strict=False).publish()
        api = site.folder / "site/api/v1"
        if checked:
            for page in ("images/nginx", "charts/web"):
                site.write(f"site/{page}/index.html", "")
            assert check(site.folder / "site", "") == []
        return {
            file.relative_to(api).as_posix(): json.loads(file.read_bytes())
            for file in api.rglob("*.json")
            if file.name not in ("manifest.json", "openapi.json")
        }


def files(reports: Files, said: list[dict[str, Any]]) -> list[tuple[str, object]]:
    half = len(said) // 2
    documents: list[Report] = [
        VEX | {"statements": said[:half]},
        VEX | {"@id": "https://a.example", "statements": said[half:]},
    ]
    return [
        *((f"scans/{path}", report) for path, report in reports.items()),
        *((f"vex/{number}.json", document) for number, document in enumerate(documents)),
    ]


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


# Each example is a build or two, so there are few, and none is made smaller.
quick = settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@settings(quick, max_examples=16)
@given(scans(), vex, findings, st.randoms(use_true_random=False))
def test_no_change_of_reports_makes_a_figure_better(
    before: Files, said: list[dict[str, Any]], finding: Finding, chance: random.Random
) -> None:
    after = changed(before, finding, chance)
    old, new = (figures(build(files(reports, said))) for reports in (before, after))
    for name, values in old.items():
        assert all(map(float.__le__, map(float, values), map(float, new[name]))), (
            name,
            values,
            new[name],
            json.dumps([before, after]),
        )


@quick
@given(scans(), vex, st.randoms(use_true_random=False))
def test_no_order_changes_a_byte(before: Files, said: list[dict[str, Any]], chance: random.Random) -> None:
    after = deepcopy(files(before, said))
    chance.shuffle(after)
    for container, key in nodes([document for _, document in after]):
        value = container[key]
        if isinstance(value, list) and all(isinstance(each, dict) for each in value):
            chance.shuffle(value)
        elif isinstance(value, dict):
            pairs = [*value.items()]
            chance.shuffle(pairs)
            value.clear()
            value.update(pairs)
    same = json.dumps(build(files(before, said)), sort_keys=True)
    assert json.dumps(build(after), sort_keys=True) == same


@quick
@given(scans(), vex)
def test_the_same_again_changes_nothing_but_the_raw_findings(
    scanned: Files, said: list[dict[str, Any]]
) -> None:
    def forget(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: forget(part) for key, part in value.items() if key not in ("findings", "contents")}
        return [forget(part) for part in value] if isinstance(value, list) else value

    doubled = deepcopy(scanned)
    for report in doubled.values():
        for listed in lists(report):
            listed += deepcopy(listed)
    once = forget(build(files(scanned, said)))
    assert forget(build(files(doubled, said))) == once
    copies = {f"x/{path}": report for path, report in scanned.items()}
    assert forget(build(files(scanned | copies, said))) == once


@quick
@given(scans(), vex, st.randoms(use_true_random=False))
def test_damaged_files_are_refused_or_the_contract_holds(
    scanned: Files, said: list[dict[str, Any]], chance: random.Random
) -> None:
    whole = files(scanned, said)
    path, document = chance.choice(whole)
    try:
        others = [entry for entry in whole if entry[0] != path]
        build([*others, (path, damaged(document, chance))], checked=True)
    except CatalogError as error:
        assert {problem.file for problem in error.problems if problem.level is Level.ERROR} == {path}
