"""The table of report formats: what each of them needs, and what follows from it without another edit."""

from __future__ import annotations

import json
import pkgutil
from importlib import import_module

import msgspec
import pytest

from mkdocs_catalog_api.sources import reports
from mkdocs_catalog_api.sources.reports import FORMATS, SCANNERS, SEVERITIES, artifact_hub, read_report
from mkdocs_catalog_api.sources.reports.normalise import ReportFormat

from .field_tables import table
from .sites import SiteFolder, built
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
    assert json.loads(report_format.sample) in REPORTS, "it is damaged at random"
    row = f"| [{report_format.name}]({report_format.page}) | {report_format.what} |"
    assert row in table("report formats"), "the guide has it"


@each_format
def test_no_other_format_recognizes_its_sample(report_format: ReportFormat) -> None:
    """Except Artifact Hub, which is asked after Trivy and finds a report of Trivy in one of Trivy, too."""
    first, *others = [each for each in FORMATS if recognizes(each, report_format.sample)]
    assert first == report_format
    assert {other.name for other in others if other.word != report_format.word} == set()


def test_a_sample_is_counted_and_the_first_format_of_the_table_comes_first(site: SiteFolder) -> None:
    """A report of another format is not used, unless the setting says otherwise."""
    site.image("web", "image: ghcr.io/acme/web\nversions: ['1']")
    for report_format in reversed([each for each in FORMATS if each is not artifact_hub.FORMAT]):
        site.write(f"scans/web/{report_format.word}/1.json", report_format.sample)
        site.write("scans/web/1.json", report_format.sample)
        site.settings["security"] = {}
        for _ in range(2):
            record = built(site).json("security/web/1.json")
            assert (record["scanned"], record["total"], record["grade"]) == (True, 1, "D")
            assert record["scanner"] == SCANNERS[report_format.word].name
            site.settings["security"] = {"scanners": [report_format.word]}
