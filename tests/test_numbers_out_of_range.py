"""A number such as 1e400, which programs read as infinity or not at all, wherever files have numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from mkdocs_catalog_api.network.hub import keep_lost_results
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.sources.advisories import read_kev
from mkdocs_catalog_api.sources.reports import FORMATS, ReportError, read_report
from mkdocs_catalog_api.sources.reports.artifact_hub import read_package
from mkdocs_catalog_api.sources.reports.openvex import read_vex

from .feeds_of_advisories import kev
from .report_files import DIGEST, nodes, row, trivy
from .sites import SiteFolder
from .test_cli import call
from .test_report_formats import grype, match
from .test_report_fuzz import REPORTS
from .test_vex import STATEMENT, document

NUMBERS = [
    "1e400",
    "-1E+400",
    "1e309",
    "1" + "0" * 250 + "e99",
    "1" + "0" * 309 + ".5",
    "9" * 309,
    "1" * 5_000,
]
FULL = trivy(
    row(
        InstalledVersion="1",
        FixedVersion="2",
        Title="t",
        PrimaryURL="https://a.org/",
        Status="fixed",
        PkgIdentifier={"PURL": "pkg:deb/a/b@1"},
        CVSS={"nvd": {"V3Score": 9.8}},
    ),
    CreatedAt="2026-01-01T00:00:00Z",
    ArtifactName="a:1",
    ArtifactType="container_image",
    Trivy={"Version": "1"},
    Metadata={
        "OS": {"Family": "debian", "Name": "12", "EOSL": False},
        "RepoTags": ["a:1"],
        "RepoDigests": [f"a@{DIGEST}"],
        "ImageConfig": {"os": "linux", "architecture": "amd64"},
    },
)
UNREAD = {"unread": [{"by": "anyone", "now": 1}], "too": None}


def of_hub(report: dict[str, Any]) -> bool:
    return any("/web:1" in key for key in report)


SAMPLES = [
    *(report if isinstance(report, list) or of_hub(report) else report | UNREAD for report in REPORTS),
    *(FULL | UNREAD, [*FULL["Results"]], {"acme/web:1": FULL | UNREAD}),
    grype(
        match({"severity": "High", "cvss": [{"metrics": {"baseScore": 7.5}}]}) | UNREAD,
        ignoredMatches=[match({}) | {"appliedIgnoreRules": [{"reason": "x"}]}],
    ),
]
VEX = document(
    STATEMENT | {"products": [{"@id": "a:1", "identifiers": {"purl": "pkg:a/b"}, "subcomponents": ["x"]}]},
    author="Acme",
    version=1,
)
PACKAGE = {
    "package_id": "5f5f5f5f-0000-4000-8000-000000000000",
    "version": "1",
    "security_report_created_at": 1,
    "containers_images": [{"image": "a:1", "whitelisted": False}],
    "available_versions": [{"version": "1"}],
}
MARK = "@number@"
BY_NAME: dict[str, Any] = {
    report_format.word: json.loads(report_format.sample)
    for report_format in FORMATS
    if report_format.name != "Artifact Hub"
}


def with_number(sample: Any, number: str) -> Iterator[bytes]:
    """The sample with the number in the place of each of its scalars, each on a line of its own."""
    for place, (container, key) in enumerate(nodes([sample])):
        if isinstance(container[key], dict | list):
            continue
        changed = [deepcopy(sample)]
        other, key = nodes(changed)[place]
        other[key] = MARK
        yield json.dumps(changed[0], indent=1).replace(f'"{MARK}"', number).encode()


def line_of(data: bytes, number: str) -> int:
    return data.count(b"\n", 0, data.index(f"{number}".encode())) + 1


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("sample", range(len(SAMPLES)))
def test_of_a_report(sample: int, number: str) -> None:
    """It is refused with its place, also in a field that nothing reads."""
    read_report(json.dumps(SAMPLES[sample]).encode())
    for data in with_number(SAMPLES[sample], number):
        with pytest.raises(ReportError) as caught:
            read_report(data)
        assert caught.value.line == line_of(data, number), data.decode()


@pytest.mark.parametrize(
    "number", ["1e308", "1e-400", "0e999", "1" * 308, '"1e400"', '"in a text: 1e400, 2"']
)
@pytest.mark.parametrize("sample", range(len(SAMPLES)))
def test_what_only_resembles_such_a_number_is_read(sample: int, number: str) -> None:
    for data in with_number(SAMPLES[sample], number):
        try:
            read_report(data)
        except ReportError as error:
            assert "out of range" not in str(error)


@pytest.mark.parametrize("number", NUMBERS)
def test_of_a_vex_document(number: str) -> None:
    for data in with_number(VEX, number):
        with pytest.raises(ReportError) as caught:
            read_vex(data)
        assert caught.value.line == line_of(data, number)


@pytest.mark.parametrize("number", NUMBERS)
def test_of_what_a_hub_says_of_a_package(number: str) -> None:
    for data in with_number(PACKAGE, number):
        with pytest.raises(ReportError) as caught:
            read_package(data)
        assert caught.value.line == line_of(data, number)


@pytest.mark.parametrize("number", NUMBERS)
def test_of_a_report_of_a_hub_that_replaces_another(number: str) -> None:
    good = json.dumps({"acme/web:1": FULL}).encode()
    for data in with_number({"acme/job:1": FULL}, number):
        with pytest.raises(ReportError):
            keep_lost_results(good, data)


@pytest.mark.parametrize("number", NUMBERS)
def test_of_the_exploited(number: str) -> None:
    sample = json.loads(kev({"CVE-2026-0001": "2026-01-02"}))
    problems = Problems()
    assert read_kev(json.dumps(sample).encode(), "kev.json", problems)
    for data in with_number(sample, number):
        assert read_kev(data, "kev.json", problems) is None
        (problem,) = problems
        assert (problem.file, problem.line) == ("kev.json", line_of(data, number))
        problems = Problems()


def marked(document: Any, number: str = "1e400") -> str:
    """JSON with the number in the place of each mark."""
    return json.dumps(document, indent=1).replace(f'"{MARK}"', number)


def test_of_each_file_of_a_site(site: SiteFolder) -> None:
    """A problem with file and line, wherever the number is."""
    site.image("nginx", "versions: ['1']")
    kev_file = "advisories/known_exploited_vulnerabilities.json"
    files = {
        **{f"scans/nginx/{name}.json": marked(report | {"unread": MARK}) for name, report in BY_NAME.items()},
        "scans/hub/acme/web/1.json": marked({"acme/web:1": FULL | {"unread": MARK}}),
        "scans/hub/acme/app/1.json": "null",
        "scans/hub/acme/app/1.package": marked(PACKAGE | {"unread": MARK}),
        "vex/a.json": marked(VEX | {"unread": MARK}),
        kev_file: marked(json.loads(kev({"CVE-2026-0001": "2026-01-02"})) | {"unread": MARK}),
    }
    for path, content in files.items():
        site.write(path, content)
    site.write_config()
    told = json.loads(call("check", "--json", "-f", site.folder / "mkdocs.yml").stdout)
    places = {problem["file"]: problem["line"] for problem in told["problems"] if problem["level"] == "error"}
    assert places == {
        path: text.count("\n", 0, text.index("1e400")) + 1 for path, text in files.items() if "1e400" in text
    }
