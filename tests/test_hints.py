"""What a hint says, done, ends the problem."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.problems import Level, Problem

from .authors import configure, problems
from .broken import PAGE, catalogs, front_matter
from .fake_registry import FakeRegistry
from .sites import REGISTRY, SiteFolder, cyclonedx, digest, row, trivy
from .syncing import invoke, sync

MEANT = re.compile(r"did you mean `([^`]+)`\?")


class Suggestion(NamedTuple):
    problem: Problem
    word: str


def suggestions(site: SiteFolder) -> list[Suggestion]:
    _, listed = problems(site)
    found = [(problem, MEANT.search(problem.hint)) for problem in listed]
    return [Suggestion(problem, match[1]) for problem, match in found if match]


CATALOGS = {broken.name: broken for broken in catalogs()}


def follow(site: SiteFolder, suggestion: Suggestion) -> bool:
    """Write the suggested word in the place of the wrong one; whether that was found."""
    problem, word = suggestion
    file = site.folder / problem.file
    lines = file.read_text("utf-8").splitlines(keepends=True)
    if not (file.is_file() and problem.line):
        return False
    quoted = re.match(r"'([^']+)'", problem.message)
    wrong = quoted[1] if quoted else re.sub(r"\[\d+\]$", "", problem.field).rpartition(".")[2]
    line = lines[problem.line - 1]
    column = line.find(wrong, problem.column - 1)
    if column < 0:
        return False
    lines[problem.line - 1] = line[:column] + word + line[column + len(wrong) :]
    file.write_text("".join(lines), "utf-8")
    return True


@pytest.mark.parametrize("name", [name for name in CATALOGS if name != "reports"])
def test_a_suggested_word_ends_the_problem(site: SiteFolder, name: str) -> None:
    CATALOGS[name].write(site)
    for suggestion in suggestions(site):
        if not follow(site, suggestion):
            continue
        _, after = problems(site)
        same = [each for each in after if each.place == suggestion.problem.place and each.field]
        assert suggestion.problem.message not in [each.message for each in same], suggestion


VALUES = [
    ("platforms: amd64", "platforms: [linux/amd64]"),
    ("platforms: linux/arm64", "platforms: [linux/arm64]"),
    ("replaces: nginx:1.0", "replaces: [nginx]"),
    ("replaces: docker.io/library/nginx", "replaces: [docker.io/library/nginx]"),
    ("versions:\n  - version: '1'\n    size: 148MB", "148000000"),
    ("versions:\n  - version: '1'\n    size: 1.5 GiB", "1610612736"),
]


@pytest.mark.parametrize(("written", "wanted"), VALUES)
def test_what_a_hint_writes_is_accepted(site: SiteFolder, written: str, wanted: str) -> None:
    configure(site)
    site.write(PAGE, front_matter(written))
    refused, [problem] = problems(site)
    (code,) = re.findall("`([^`]+)`", problem.hint)
    assert (refused, code) == (True, wanted)
    key, colon, _ = wanted.rpartition(": ")
    value = rf"{key}: .+$" if colon else r"(?<=size: ).+$"
    site.write(PAGE, front_matter(re.sub(value, code, written)))
    assert problems(site) == (False, [])


def test_a_misspelled_key_of_versions_is_one_problem(site: SiteFolder) -> None:
    configure(site)
    site.write(PAGE, front_matter("versions: {form: registry}"))
    refused, [problem] = problems(site)
    assert refused and (problem.code, problem.field) == ("CAT010", "versions.form")
    assert problem.hint == "did you mean `from`?"


@pytest.mark.parametrize(
    ("field", "values", "hint"),
    [
        ("versions", "{from: registry}", "write it below `images: defaults:`"),
        ("license", "MIT", "write it on pages, or below `images: defaults:`"),
    ],
)
def test_a_field_among_settings_belongs_below_defaults(
    site: SiteFolder, field: str, values: str, hint: str
) -> None:
    configure(site, f"registry: {REGISTRY}\nimages: {{{field}: {values}}}")
    site.write(PAGE, front_matter(""))
    refused, [problem] = problems(site)
    assert refused and (problem.field, problem.hint) == (f"catalog-api.images.{field}", hint)
    configure(site, f"registry: {REGISTRY}\nimages: {{defaults: {{{field}: {values}}}}}")
    assert problem.field not in [each.field for each in problems(site)[1]]


# Folders and files


@pytest.mark.parametrize("name", ["scan", "reports"])
def test_a_folder_of_another_name_is_found(site: SiteFolder, name: str) -> None:
    site.image("nginx", "versions: ['1.0']")
    report = trivy([row("CVE-2026-0001")], tag=f"{REGISTRY}/nginx:1.0")
    site.write(f"{name}/nginx/1.0.json", json.dumps(report))
    (problem,) = site.build().problems
    assert (problem.code, problem.file, problem.level) == ("CAT021", name, Level.WARNING)
    site.settings["security"]["reports"] = name
    assert site.build().problems == []
    del site.settings["security"]["reports"]
    (site.folder / name).rename(site.folder / "scans")
    assert site.build().problems == []


def test_a_misspelled_folder_of_reports_is_found(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1.0']")
    site.report("ngnix/1.0.json", trivy([]))
    (problem,) = site.build().problems
    assert (problem.code, problem.hint) == ("CAT031", "did you mean the folder `nginx`?")
    (site.folder / "scans/ngnix").rename(site.folder / "scans/nginx")
    assert site.build().problems == []


@pytest.mark.parametrize("matter", ["catalog: false", "title: A note"])
def test_reports_of_a_page_that_is_no_item_name_the_page(site: SiteFolder, matter: str) -> None:
    site.image("nginx", "versions: ['1.0']")
    site.page("images/nginy.md", matter)
    site.report("nginy/1.0.json", trivy([]))
    (problem,) = [each for each in site.build().problems if each.code == "CAT031"]
    assert "docs/images/nginy.md is not in the catalog" in problem.hint
    (site.folder / "scans/nginy/1.0.json").unlink()
    assert [each for each in site.build().problems if each.code == "CAT031"] == []


def test_vulnerabilities_in_an_sbom_have_a_way_out(site: SiteFolder) -> None:
    site.image("web", "versions: ['1']")
    sbom = cyclonedx("pkg:npm/a@1", of=f"{REGISTRY}/web:1")
    site.report("web/1.cdx.json", sbom | {"vulnerabilities": [{"id": "CVE-2026-0001"}]})
    notes = [problem for problem in site.build().problems if problem.code == "CAT039"]
    assert len(notes) == 1 and "grype sbom:FILE" in notes[0].hint


OTHER_SBOMS = {
    "SPDX 3": ({"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": []}, "SPDX 3"),
    "Syft": ({"artifacts": [], "source": {}, "schema": {}, "descriptor": {}}, "Syft's own form"),
    "tag-value": (b"SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\n", "tag-value"),
    "XML": (b'<?xml version="1.0"?>\n<bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', "XML"),
}


@pytest.mark.parametrize("name", OTHER_SBOMS)
def test_an_sbom_of_another_form_is_named(site: SiteFolder, name: str) -> None:
    body, words = OTHER_SBOMS[name]
    site.image("web", "versions: ['1']")
    path = "scans/web/1.cdx.json"
    site.write(path, body if isinstance(body, bytes) else json.dumps(body))
    result = site.build()
    assert result.failed
    (problem,) = result.problems
    assert (problem.code, problem.file) == ("CAT030", path)
    assert words in problem.message and "syft" in problem.hint and "Trivy, " not in problem.hint


# Commands


def run(*arguments: str, folder: Path) -> tuple[int, str]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(main, [*arguments])
    finally:
        os.chdir(before)
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("command", "words"), [("init", "new"), ("serve", "mkdocs serve"), ("chek", "`check`"), ("lst", "`list`")]
)
def test_a_command_that_people_try_is_answered(tmp_path: Path, command: str, words: str) -> None:
    status, output = run(command, folder=tmp_path)
    assert status == 2 and words in output


def test_a_folder_without_a_configuration_says_where_one_is(tmp_path: Path) -> None:
    site = SiteFolder(tmp_path / "site")
    site.image("web", "versions: ['1']")
    site.write_config()
    above = site.folder.parent
    status, output = run("check", folder=above)
    hint = f"-f {site.folder.name}/mkdocs.yml"
    assert status == 2 and hint in " ".join(output.split())
    assert run("check", *hint.split(), folder=above)[0] == 0
    status, output = run("check", "-f", site.folder.name, folder=above)
    assert status == 2 and hint in " ".join(output.split())


def test_a_day_has_one_form(site: SiteFolder) -> None:
    site.image("web", "versions: ['1']")
    site.write_config()
    status, output = run("record", "--date", "yesterday", folder=site.folder)
    assert status == 2 and "%" not in output
    (day,) = re.findall(r"like (\d{4}-\d\d-\d\d)", " ".join(output.split()))
    assert run("record", "--date", day, folder=site.folder)[0] == 0


def test_check_speaks_of_the_catalog_alone(site: SiteFolder) -> None:
    """A theme that is not installed is found by MkDocs."""
    site.image("web", "versions: ['1']")
    site.config["theme"] = "materiall"
    site.write_config()
    status, output = run("check", folder=site.folder)
    assert status == 0 and "no problems in the catalog" in output


@pytest.mark.parametrize("name", ["registry.example.org/acme/web", "oci://registry.example.org/acme/web"])
def test_a_chart_is_begun_with_its_reference(site: SiteFolder, name: str) -> None:
    site.write_config()
    assert invoke(site, "new", "chart", name).exit_code == 0
    text = (site.folder / "docs/charts/web.md").read_text("utf-8")
    assert "chart: 'oci://registry.example.org/acme/web'\n" in text


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"CATALOG_REGISTRY_TOKEN": "secret"}, True),
        ({"CATALOG_REGISTRY_TOKEN": "secret", "CATALOG_REGISTRY_USER": "me"}, True),
        ({"CATALOG_REGISTRY_USER": "me"}, False),
        ({}, False),
    ],
)
def test_a_login_that_nobody_gets_is_a_warning(
    site: SiteFolder, environment: dict[str, str], told: bool
) -> None:
    """It is for the host of `registry`, and needs a user."""
    with FakeRegistry().running() as fake:
        fake.image("acme/nginx", "1.0")
        site.page("images/nginx.md", f"image: {fake.host}/acme/nginx\nversions: registry")
        done = sync(site, "--json", env=environment)
    found: list[dict[str, Any]] = json.loads(done.stdout)["problems"]
    warned = [each["field"] for each in found if each["level"] == "warning"]
    assert warned == ["CATALOG_REGISTRY_TOKEN"] * told
    assert "secret" not in done.output


def test_two_releases_of_the_same_tag(site: SiteFolder) -> None:
    """A report of the rebuilt tag: what the page has is outdated, and `sync`, or the new digest, mends it."""
    site.image("web", f"versions: [{{version: '1', digest: '{digest(1)}'}}]")
    names = {"RepoTags": [f"{REGISTRY}/web:1"], "RepoDigests": [f"{REGISTRY}/web@{digest(2)}"]}
    site.report("web/1.json", trivy([], tag=f"{REGISTRY}/web:1") | {"Metadata": names})
    (problem,) = [each for each in site.build().problems if each.code == "CAT031"]
    assert "catalog-api sync" in problem.hint and digest(2) in problem.hint
    site.image("web", f"versions: [{{version: '1', digest: '{digest(2)}'}}]")
    assert site.build().problems == []
