"""A number such as 1e400, which programs read as infinity or not at all, wherever files have numbers."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from mkdocs_catalog_api.network.fetch import keep_lost_results
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.problems.codes import Code
from mkdocs_catalog_api.sources.advisories import read_epss, read_kev
from mkdocs_catalog_api.sources.reports import ReportError, read_report
from mkdocs_catalog_api.sources.reports.artifact_hub import read_package
from mkdocs_catalog_api.sources.reports.openvex import read_vex

from .feeds_of_advisories import LIMIT, epss, kev
from .report_files import DIGEST, nodes, row, trivy
from .sites import SiteFolder
from .test_report_fuzz import REPORTS
from .test_vex import STATEMENT, document

NUMBERS = ["1e400", "-1e400", "1e309", "1" + "0" * 250 + "e99"]
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
SAMPLES = [*REPORTS, FULL, [*FULL["Results"]], {"acme/web:1": FULL}]
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
    """It is refused with its place, or in a field that is not read."""
    whole = read_report(json.dumps(SAMPLES[sample]).encode())
    refused = 0
    for data in with_number(SAMPLES[sample], number):
        try:
            scans = read_report(data)
        except ReportError as error:
            assert error.line == line_of(data, number), data.decode()
            refused += 1
        else:
            assert scans == whole, data.decode()
    assert refused > 0


@pytest.mark.parametrize("number", NUMBERS)
def test_of_a_vex_document(number: str) -> None:
    for data in with_number(VEX, number):
        with pytest.raises(ReportError) as caught:
            read_vex(data)
        assert caught.value.line == line_of(data, number)


@pytest.mark.parametrize("number", NUMBERS)
def test_of_what_a_hub_says_of_a_package(number: str) -> None:
    for data in with_number(PACKAGE, number):
        with pytest.raises(ReportError):
            read_package(data)


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
    whole = read_kev(json.dumps(sample).encode(), "kev.json", problems)
    for data in with_number(sample, number):
        found = read_kev(data, "kev.json", problems)
        assert found in (None, whole)
        assert (found is None) == any(problem.file == "kev.json" for problem in problems)
        problems = Problems()


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("place", [0, 1])
def test_of_the_scores(number: str, place: int) -> None:
    problems = Problems()
    score = ("0.5", number) if place else (number, "0.5")
    assert read_epss(io.BytesIO(epss({"CVE-2026-0001": score})), "epss.csv", LIMIT, problems) is None
    (problem,) = problems
    assert (problem.file, problem.line) == ("epss.csv", 3)


def test_of_a_file_of_a_site(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1']")
    site.write(
        "scans/nginx/1.json", json.dumps(trivy(row(Title=MARK)), indent=1).replace(f'"{MARK}"', "1e400")
    )
    site.write("vex/a.json", json.dumps(VEX, indent=1).replace(f'"{VEX["author"]}"', "1e400"))
    result = site.build()
    assert result.failed
    assert sorted(result.codes) == sorted([Code.BROKEN_REPORT.value, Code.BROKEN_VEX.value])
