"""`catalog-api list`."""

from __future__ import annotations

import hashlib
import json

import pytest
from click.testing import Result

from .sites import REGISTRY, SiteFolder, digest, trivy
from .test_cli import call

FIRST, SECOND = ("sha256:" + hashlib.sha256(name).hexdigest() for name in (b"one", b"two"))
"""Digests that differ in their beginning."""
SCANNED = "2026-11-20T06:00:00Z"


@pytest.fixture(autouse=True)
def _one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795262400")  # 2026-11-21T12:00:00Z, 30 hours after the scan


@pytest.fixture
def catalog(site: SiteFolder) -> SiteFolder:
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


def of(site: SiteFolder, *options: str) -> list[str]:
    """The paths of the reports, without folder and ending."""
    lines = [line.split("\t") for line in run(site, *options).stdout.splitlines()]
    return [path.removeprefix("scans/").removesuffix(".json") for _, path, *_ in lines]


ALL = ["db/17", f"two/1.{FIRST[7:19]}", f"two/1.{SECOND[7:19]}", "web/1.1", "web/1.0"]
DUE = [ALL[0], ALL[1], ALL[3]]


def test_it_prints_references_reports_versions_and_times(catalog: SiteFolder) -> None:
    assert run(catalog).stdout.splitlines() == [
        f"{REGISTRY}/db:17\tscans/db/17.json\t17\t-",
        f"{REGISTRY}/two@{FIRST}\tscans/two/1.{FIRST[7:19]}.json\t1\t-",
        f"{REGISTRY}/two@{SECOND}\tscans/two/1.{SECOND[7:19]}.json\t1\t{SCANNED}",
        f"{REGISTRY}/web@{digest(3)}\tscans/web/1.1.json\t1.1\t-",
        f"{REGISTRY}/web@{digest(1)}\tscans/web/1.0.json\t1.0\t{SCANNED}",
    ]


OPTIONS = {
    "--unscanned": DUE,
    "--older-than 30h": DUE,
    "--older-than 29h": ALL,
    "--older-than 1d": ALL,
    "--older-than 2d": DUE,
    "--unscanned --older-than 1d": ALL,
    "--newest": ALL[:4],
    "--newest --unscanned": DUE,
}


def test_options_choose(catalog: SiteFolder) -> None:
    assert {options: of(catalog, *options.split()) for options in OPTIONS} == OPTIONS
    for age in ("24", "h", "1w", "-1h", "1.5h", "٣h"):
        assert run(catalog, "--older-than", age).exit_code == 2, age


@pytest.mark.parametrize(
    ("seed", "created", "options", "is_due"),
    [
        (9, SCANNED, "--unscanned", True),  # the scan of another digest is none of this one
        (1, "9999-01-01T00:00:00Z", "--older-than 9999d", True),
        (1, "soon", "--older-than 9999d", True),
        (1, "soon", "--unscanned", False),
    ],
)
def test_a_scan_that_is_due(catalog: SiteFolder, seed: int, created: str, options: str, is_due: bool) -> None:
    report = trivy([], digest=f"{REGISTRY}/web@{digest(seed)}", created=created)
    catalog.report("web/1.0.json", report)
    assert ("web/1.0" in of(catalog, *options.split())) == is_due


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
