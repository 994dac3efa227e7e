"""`catalog-api list`, and the loop of the guide that scans what it prints."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from .sites import REGISTRY, SiteFolder, built, digest, row, trivy
from .test_cli import call

GUIDE = Path(__file__).parent.parent / "example_site/docs/guide/index.md"
FIRST, SECOND = ("sha256:" + hashlib.sha256(name).hexdigest() for name in (b"one", b"two"))
"""Digests that differ in their beginning."""
SCANNED = "2026-11-20T06:00:00Z"


@pytest.fixture(autouse=True)
def _one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795262400")  # 2026-11-21T12:00:00Z, 30 hours after the scan


@pytest.fixture
def catalog(site: SiteFolder) -> SiteFolder:
    """Three images: by digest and in part scanned, by tag, with a digest for each platform."""
    site.image(
        "web",
        f"versions: [{{version: '1.0', digest: '{digest(1)}'}}, {{version: '1.1', digest: '{digest(2)}', "
        f"manifests: {{linux/amd64: '{digest(3)}'}}}}, {{version: same, digest: '{digest(2)}', "
        f"manifests: {{linux/amd64: '{digest(3)}'}}}}]",
    )
    site.image("db", "versions: ['17']")
    site.image("two", f"versions: [{{version: '1', digest: ['{FIRST}', '{SECOND}']}}]")
    site.image("later", "lifecycle: planned\nversions: ['1']")
    site.report("web/1.0.json", trivy([], digest=f"{REGISTRY}/web@{digest(1)}", created=SCANNED))
    site.report("by-platform.json", trivy([], digest=f"{REGISTRY}/two@{SECOND}", created=SCANNED))
    site.write_config()
    return site


def run(site: SiteFolder, *options: str) -> Result:
    return call("list", "-f", site.folder / "mkdocs.yml", *options)


def listed(site: SiteFolder, *options: str) -> list[list[str]]:
    result = run(site, *options)
    assert result.exit_code == 0, result.output
    return [line.split("\t") for line in result.stdout.splitlines()]


def of(site: SiteFolder, *options: str) -> list[str]:
    """The paths of the reports, without folder and ending."""
    lines = listed(site, *options)
    return [path.removeprefix("scans/").removesuffix(".json") for _, path, *_ in lines]


ALL = ["db/17", f"two/1.{FIRST[7:19]}", f"two/1.{SECOND[7:19]}", "web/1.1", "web/1.0"]
DUE = [ALL[0], ALL[1], ALL[3]]


def test_it_prints_references_reports_versions_and_times(catalog: SiteFolder) -> None:
    assert listed(catalog) == [
        [f"{REGISTRY}/db:17", "scans/db/17.json", "17", "-"],
        [f"{REGISTRY}/two@{FIRST}", f"scans/two/1.{FIRST[7:19]}.json", "1", "-"],
        [f"{REGISTRY}/two@{SECOND}", f"scans/two/1.{SECOND[7:19]}.json", "1", SCANNED],
        [f"{REGISTRY}/web@{digest(3)}", "scans/web/1.1.json", "1.1", "-"],
        [f"{REGISTRY}/web@{digest(1)}", "scans/web/1.0.json", "1.0", SCANNED],
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--unscanned", DUE),
        ("--older-than 30h", DUE),
        ("--older-than 29h", ALL),
        ("--older-than 1d", ALL),
        ("--older-than 2d", DUE),
        ("--unscanned --older-than 1d", ALL),
        ("--newest", ALL[:4]),
        ("--newest --unscanned", DUE),
    ],
)
def test_options_choose(catalog: SiteFolder, options: str, expected: list[str]) -> None:
    assert of(catalog, *options.split()) == expected


@pytest.mark.parametrize("age", ["24", "h", "1w", "-1h", "1.5h", "٣h"])
def test_an_age_is_hours_or_days(catalog: SiteFolder, age: str) -> None:
    assert run(catalog, "--older-than", age).exit_code == 2


@pytest.mark.parametrize(
    ("seed", "created", "options", "is_due"),
    [
        pytest.param(9, SCANNED, ["--unscanned"], True, id="the scan of another digest is none of this one"),
        pytest.param(1, "9999-01-01T00:00:00Z", ["--older-than", "9999d"], True, id="future"),
        pytest.param(1, "soon", ["--older-than", "9999d"], True, id="no time"),
        pytest.param(1, "soon", ["--unscanned"], False, id="no time, but a scan"),
    ],
)
def test_a_scan_that_is_due(
    catalog: SiteFolder, seed: int, created: str, options: list[str], is_due: bool
) -> None:
    report = trivy([], digest=f"{REGISTRY}/web@{digest(seed)}", created=created)
    catalog.report("web/1.0.json", report)
    assert ("web/1.0" in of(catalog, *options)) == is_due


def test_for_programs_it_is_json(catalog: SiteFolder) -> None:
    catalog.settings["security"] = {"reports": "reports"}  # and they belong there
    catalog.write_config()
    told = json.loads(run(catalog, "--json", "--newest").stdout)
    assert told["versions"][0] == {
        "slug": "db",
        "version": "17",
        "reference": f"{REGISTRY}/db:17",
        "report": "reports/db/17.json",
        "scanned": False,
        "scannedAt": None,
    }
    assert "problems" in told


def test_it_lists_what_it_can_in_spite_of_a_broken_report(catalog: SiteFolder) -> None:
    catalog.write("scans/web/1.0.json", "")  # as a scanner that was stopped leaves it
    result = run(catalog, "--unscanned")
    assert result.exit_code == 1
    assert "scans/web/1.0.json" in result.stderr and "scans/web/1.0.json" in result.stdout


TRIVY = f"""#!{sys.executable}
import json, os, sys
options, reference = sys.argv[1:-1], sys.argv[-1]
assert options[:3] == ["image", "--format", "json"] and options[3] == "--output", options
report = json.loads(os.environ["REPORT"])
report["ArtifactName"] = reference
report["Metadata"] = {{"RepoDigests" if "@" in reference else "RepoTags": [reference]}}
sys.stdin.read()  # as scanners do that ask for something
with open(options[4], "w") as file:
    json.dump(report, file)
print(reference)
"""


def test_the_loop_of_the_guide(catalog: SiteFolder, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The loop as printed, with a stand-in for the scanner."""
    (loop,) = re.findall(r"^```sh\n(catalog-api list [^`]*?)^```$", GUIDE.read_text("utf-8"), re.M)
    folder = tmp_path_factory.mktemp("bin")
    (folder / "trivy").write_text(TRIVY)
    (folder / "trivy").chmod(0o755)
    (folder / "catalog-api").symlink_to(Path(sys.executable).parent / "catalog-api")
    report: dict[str, Any] = trivy([row("CVE-2026-0001")], created="2026-11-21T12:00:00Z")
    environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "REPORT": json.dumps(report)}
    expected = [reference for reference, *_ in listed(catalog)]
    command = ["sh", "-eu", "-c", loop]
    scanned = subprocess.check_output(command, cwd=catalog.folder, env=environment, text=True)
    assert scanned.split() == expected
    summary = built(catalog).json("security.json")
    assert (summary["scanned"], summary["unscanned"], summary["total"]) == (3, [], 3)
    options = loop.partition("|")[0].split()[2:]
    assert of(catalog, "--unscanned") == of(catalog, *options) == [], "all scans are new"
