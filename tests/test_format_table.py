"""The table of report formats: what each of them needs, and what follows from it without another edit."""

from __future__ import annotations

import json
import pkgutil
from importlib import import_module
from typing import Any

import msgspec
import pytest

from mkdocs_catalog_api.sources import reports
from mkdocs_catalog_api.sources.reports import FORMATS, SCANNERS, SEVERITIES, artifact_hub, read_report
from mkdocs_catalog_api.sources.reports.normalise import ReportFormat

from .field_tables import table
from .sites import SiteFolder
from .test_report_fuzz import REPORTS

each_format = pytest.mark.parametrize("report_format", FORMATS, ids=lambda report_format: report_format.name)


def recognizes(report_format: ReportFormat, data: bytes) -> bool:
    try:
        return report_format.recognizes(report_format.decode(data))
    except msgspec.ValidationError:
        return False


def test_every_file_with_a_format_is_in_the_table() -> None:
    modules = [
        import_module(f"{reports.__name__}.{info.name}") for info in pkgutil.iter_modules(reports.__path__)
    ]
    missing = {module.__name__ for module in modules if getattr(module, "FORMAT", FORMATS[0]) not in FORMATS}
    assert missing == set(), "add these to FORMATS in sources/reports/formats.py"


def test_no_two_formats_have_one_word_or_name() -> None:
    words = [each.word for each in FORMATS if each is not artifact_hub.FORMAT]
    assert len({*words}) == len(words), "only Artifact Hub passes on another scanner's reports"
    assert len({each.name for each in FORMATS}) == len(FORMATS)


@each_format
def test_its_sample_is_read_as_what_a_sample_has_to_be(report_format: ReportFormat) -> None:
    (scan,) = read_report(report_format.sample)
    (finding,) = scan.findings
    assert (finding.id, SEVERITIES[finding.severity]) == ("CVE-2026-0001", "HIGH")
    assert (finding.pkg, finding.installed, finding.fixed) == ("zlib", "1.2", "1.3")
    assert scan.references in ((), ("ghcr.io/acme/web:1",))
    assert scan.scanner == SCANNERS[report_format.word]


@each_format
def test_no_other_format_recognizes_its_sample(report_format: ReportFormat) -> None:
    """Except Artifact Hub, which is asked after Trivy and finds a report of Trivy in one of Trivy, too."""
    first, *others = [each for each in FORMATS if recognizes(each, report_format.sample)]
    assert first == report_format
    assert {other.name for other in others if other.word != report_format.word} == set()


@each_format
def test_it_is_among_the_reports_that_are_damaged_at_random(report_format: ReportFormat) -> None:
    assert json.loads(report_format.sample) in REPORTS


@each_format
def test_the_guide_has_it(report_format: ReportFormat) -> None:
    """Whether the guide's page is fresh is tested with all of its tables."""
    assert f"| [{report_format.name}]({report_format.page}) | {report_format.what} |" in table(
        "report formats"
    )


@each_format
@pytest.mark.parametrize("set_", [False, True])
def test_its_sample_is_counted_and_its_scanner_named(
    site: SiteFolder, report_format: ReportFormat, set_: bool
) -> None:
    site.image("web", "image: ghcr.io/acme/web\nversions: ['1']")
    site.write("scans/web/1.json", report_format.sample)
    if set_:
        site.settings["security"] = {"scanners": [report_format.word]}
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    record: dict[str, Any] = result.json("security/web/1.json")
    assert (record["scanned"], record["total"], record["grade"]) == (True, 1, "D")
    assert record["scanner"] == SCANNERS[report_format.word].name
    assert result.logged() == []


def test_without_a_setting_the_first_format_of_the_table_counts(site: SiteFolder) -> None:
    site.image("web", "image: ghcr.io/acme/web\nversions: ['1']")
    counted = []
    for report_format in reversed([each for each in FORMATS if each is not artifact_hub.FORMAT]):
        site.write(f"scans/web/{report_format.word}/1.json", report_format.sample)
        site.write("scans/web/1.json", report_format.sample)
        counted.append(site.build().json("security/web/1.json")["scanner"])
    assert counted == [scanner.name for scanner in reversed(SCANNERS.values())]
