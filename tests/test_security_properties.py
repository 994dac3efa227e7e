"""What holds for any scans and VEX documents, through the whole engine.

Nobody can add, split, copy, rename or reorder reports so that a figure gets better.
"""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import UTC, datetime
from itertools import accumulate
from operator import gt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mkdocs_catalog_api.authored.read_site import read_site
from mkdocs_catalog_api.pipeline import prepare
from mkdocs_catalog_api.problems import Level, Problems

from .contract import check
from .random_catalogs import NOW, TIMES, RandomCatalog
from .report_files import damaged, shuffled
from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, match, row, trivy

Report = dict[str, Any]
MARKS = ("critical", "high", "medium", "low", "unknown")


class Changing:
    """A random catalog, and reports of it that are changed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.site, self.chance = SiteFolder(folder), Random(seed)  # noqa: S311 - the same in every run
        RandomCatalog(self.site, seed).write()
        lists, self.vex = (sorted(folder.glob(f"{name}/**/*.json")) for name in ("scans", "vex"))
        self.scans = [path for path in lists if b"bomFormat" not in path.read_bytes()]

    def named(self) -> list[Path]:
        """Reports that say themselves what they are of, wherever they lie."""
        return [path for path in self.scans if path.parent.name == "any"]

    def changed(self) -> bool:
        """Whether there was a report for one of the changes that must not make anything better."""
        change = self.chance.choice(["add", "worsen", "copy", "rename", "vague"])
        path = self.chance.choice(self.scans if change in ("add", "worsen") else self.named() or [Path()])
        if not path.name:
            return False
        report = json.loads(path.read_bytes())
        other = f"scans/{self.chance.choice(['', 'a/', 'z/z/'])}zz.json"
        if change in ("add", "worsen"):
            rows = [(listed, row) for listed in findings(report) for row in listed]
            for listed, row in rows[:1]:
                listed.insert(0, added(row)) if change == "add" else worsen(row)
        elif change == "vague":
            self.site.write(other, json.dumps(vague(report)))
        else:
            self.site.write(other, path.read_bytes())
        path.write_text(json.dumps(report))
        if change == "rename":
            path.unlink()
        return True


def findings(report: Report) -> list[list[Report]]:
    """The lists of findings in a report; an SBOM has none."""
    if "bomFormat" in report:
        return []
    if "matches" in report:
        return [report["matches"]]
    if "results" in report:
        return [report["results"][0]["packages"]]
    if "Results" in report:
        return [result["Vulnerabilities"] for result in report["Results"] if result["Vulnerabilities"]]
    return [body["vulnerabilities"] for body in report.values()]


def added(row: Report) -> Report:
    """Another finding in its package: in one of another kind, the report would cover and replace more."""
    new = deepcopy(row)
    if "groups" in new:
        new["vulnerabilities"][0] |= {"id": "CVE-2024-7777", "aliases": []}
        new["groups"][0] |= {"ids": ["CVE-2024-7777"], "aliases": []}
    elif "vulnerability" in new:
        new["vulnerability"]["id"], new["relatedVulnerabilities"] = "CVE-2024-7777", []
    else:
        new["id" if "id" in new else "VulnerabilityID"] = "CVE-2024-7777"
    return new


def worsen(row: Report) -> None:
    """It becomes critical, and has a fix."""
    if "groups" in row:
        row["groups"][0]["max_severity"] = "9.8"
    elif "vulnerability" in row:
        row["vulnerability"] |= {"severity": "Critical", "fix": {"versions": ["2.1"]}}
    elif "id" in row:
        row |= {"severity": "Critical", "fix_version": "2.1"}
    else:
        row |= {"Severity": "CRITICAL", "FixedVersion": "2.1"}


def vague(report: Report) -> Report:
    """The same without a time and findings: it replaces none, and what it covers is covered."""
    new = deepcopy(report)
    for body in new.values():
        if isinstance(body, dict) and "generated_at" in body:
            body["generated_at"] = ""
    if "matches" in new:
        new["matches"], new["descriptor"]["timestamp"] = [], ""
    if "Results" in new:
        new["CreatedAt"] = ""
        for result in new["Results"]:
            result["Vulnerabilities"] = []
    return new


def split(report: Report, chance: Random) -> tuple[Report, Report]:
    """Two reports, each with some of the findings of one."""
    parts = deepcopy(report), deepcopy(report)
    for one, other in zip(*map(findings, parts), strict=True):
        goes = [chance.random() < 0.5 for _ in one]
        one[:] = [row for row, first in zip(one, goes, strict=True) if first]
        other[:] = [row for row, first in zip(other, goes, strict=True) if not first]
    return parts


def documents(result: Result) -> dict[str, Any]:
    assert not result.failed, result.logged()
    return {path: json.loads(body) for path, body in result.bytes().items() if path.endswith(".json")}


def figures(result: Result) -> dict[str, list[float]]:
    """Of each release, digest and chart, and of the catalog: the lower, the better; no grade is the best."""
    counted: dict[str, Any] = {}
    for path, document in documents(result).items():
        if path == "security.json":
            counted |= {
                name: at | at["bySeverity"] for name, at in ((path, document), ("", document["pinned"]))
            }
        elif path.startswith("security/") and path.count("/") == 2:
            counted[path] = document
        elif path.startswith("digests/"):
            counted |= {f"{path} {each['slug']}": each["security"] for each in document["data"]}
        elif path == "charts.json":
            counted |= {each["slug"]: each["security"] for each in document["data"]}
    found = {}
    for name, record in counted.items():
        score = 100 if record.get("score") is None else record["score"]
        # A finding may make a row worse: so many rows are at least this bad.
        worse = accumulate(record[mark] or 0 for mark in MARKS)
        found[name] = [*worse, record.get("fixable") or 0, 100 - score]
    return found


def forget(value: Any) -> Any:
    """The same without the number of raw findings."""
    if isinstance(value, dict):
        return {key: forget(part) for key, part in value.items() if key not in ("findings", "contents")}
    return [forget(part) for part in value] if isinstance(value, list) else value


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOW)


@pytest.mark.parametrize("seed", range(100, 124))
def test_no_change_of_reports_makes_a_figure_better(tmp_path: Path, seed: int) -> None:
    catalog = Changing(tmp_path, seed)
    old = figures(catalog.site.build())
    if catalog.scans and catalog.changed():
        new = figures(catalog.site.build())
        better = {
            name: (values, new[name]) for name, values in old.items() if any(map(gt, values, new[name]))
        }
        assert better == {}


@pytest.mark.parametrize("seed", range(200, 210))
def test_no_order_changes_a_byte(tmp_path: Path, seed: int) -> None:
    catalog = Changing(tmp_path, seed)
    before, files = catalog.site.build().bytes(), [*catalog.scans, *catalog.vex]
    catalog.chance.shuffle(files)
    for path in files:
        document = json.loads(path.read_bytes())
        path.unlink()
        path.write_text(json.dumps(shuffled(document, catalog.chance)))
    assert catalog.site.build().bytes() == before


@pytest.mark.parametrize("seed", range(300, 310))
def test_the_same_again_changes_nothing_but_the_raw_findings(tmp_path: Path, seed: int) -> None:
    catalog = Changing(tmp_path, seed)
    once = forget(documents(catalog.site.build()))
    for path in catalog.scans:
        report = json.loads(path.read_bytes())
        for listed in findings(report):
            listed += deepcopy(listed)
        path.write_text(json.dumps(report))
    for path in catalog.named():
        catalog.site.write(f"scans/x/{path.name}", path.read_bytes())
    assert forget(documents(catalog.site.build())) == once


@pytest.mark.parametrize("seed", range(310, 320))
def test_a_report_in_two_files_is_one(tmp_path: Path, seed: int) -> None:
    catalog = Changing(tmp_path, seed)
    before = forget(documents(catalog.site.build()))
    for path in catalog.named():
        report = json.loads(path.read_bytes())
        first, second = split(report, catalog.chance)
        dated = report.get("CreatedAt") or report.get("descriptor", {}).get("timestamp", "")
        if dated in TIMES:
            path.write_text(json.dumps(first))
            catalog.site.write(f"scans/x/{path.name}", json.dumps(second))
    assert forget(documents(catalog.site.build())) == before


@pytest.mark.parametrize("seed", range(320, 335))
def test_what_does_not_count_never_matters(tmp_path: Path, seed: int) -> None:
    catalog = Changing(tmp_path, seed)
    before = catalog.site.build().bytes()
    problems = Problems()
    sources, settings, _ = read_site(tmp_path / "mkdocs.yml", problems, site_dir=str(tmp_path / "site"))
    value = prepare(sources, settings, problems, strict=False).catalog
    selections = [release.selection for image in value.images for release in image.releases]
    selections += [pin.selection for item in value.pinning for pin in item.pins]
    selections += [former.release.selection for former in value.former]
    counted = {scan.file for selection in selections for scan in selection.scans}
    for path in catalog.scans:
        if path.relative_to(tmp_path).as_posix() not in counted:
            path.unlink()
    assert catalog.site.build().bytes() == before


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("failing", ["trivy", "grype"])
def test_a_scanner_that_fails_on_a_day_changes_nothing(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, failing: str, kept: bool
) -> None:
    """Two scanners every day of a week, their reports overwritten or kept."""
    reference = f"{REGISTRY}/web@{digest(1)}"
    site.image("web", f"versions: [{{version: '1', digest: '{digest(1)}'}}]")
    for day in range(7):
        time = datetime(2026, 11, 2 + day, 6, tzinfo=UTC)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", f"{time.timestamp() + 3600:.0f}")
        matches = [match("CVE-2026-1"), match("CVE-2026-2")]
        reports = {
            "trivy": trivy([row("CVE-2026-1")], digest=reference, created=time.isoformat()),
            "grype": grype(*matches, created=time.isoformat(), repoDigests=[reference]),
        }
        for name, report in reports.items():
            if (name, day) != (failing, 3):
                site.report(f"{name}/{day if kept else 0}.json", report)
        result = built(site, strict=True)
        assert [each["id"] for each in result.json("security/web/1.json")["cves"]] == ["CVE-2026-1"]


@pytest.mark.parametrize("seed", range(400, 412))
def test_damaged_files_are_refused_or_the_contract_holds(tmp_path: Path, seed: int) -> None:
    catalog = Changing(tmp_path, seed)
    for path in catalog.chance.sample([*catalog.scans, *catalog.vex], min(len(catalog.scans), 1)):
        path.write_bytes(damaged(json.loads(path.read_bytes()), catalog.chance))
        result = catalog.site.build()
        if result.failed:
            errors = [problem.file for problem in result.problems if problem.level is Level.ERROR]
            assert {*errors} == {path.relative_to(tmp_path).as_posix()}
        else:
            assert check(tmp_path / "site", "/catalog") == []
