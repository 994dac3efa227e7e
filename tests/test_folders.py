"""Folders from outside: what lies there is read, told of, or left alone, and never hangs or leads out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.problems import Level, Problems
from mkdocs_catalog_api.sources.reports.folders import usable_files

from .sites import REGISTRY, SiteFolder, row, trivy
from .test_build import small

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipes and asks for rights to link")
SECRET = "the words of a secret"  # noqa: S105


def files(site: SiteFolder, **options: Any) -> tuple[list[str], list[str]]:
    """The usable files of scans/, and what is said of the others."""
    problems = Problems()
    found = usable_files(site.folder / "scans", "scans", site.folder, problems, **options)
    assert all(
        problem.level is (Level.INFO if "must end in" in problem.message else Level.ERROR)
        for problem in problems
    )
    return found, [str(problem) for problem in problems]


def command(site: SiteFolder, name: str) -> tuple[int, str]:
    """`catalog-api` with this command, in this process."""
    done = CliRunner().invoke(main, [name, "-f", str(site.write_config())])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_files_are_found_by_their_ending_and_hidden_ones_left_out(site: SiteFolder) -> None:
    for path in (
        "b.json",
        "a/Z.JSON",
        "a/z.json",
        "notes.txt",
        ".hidden.json",
        ".git/x.json",
        "hub/c.package",
    ):
        site.write(f"scans/{path}", "{}")
    found, told = files(site)
    assert found == ["a/Z.JSON", "a/z.json", "b.json"]
    assert [line.partition(":")[0] for line in told] == ["scans/hub/c.package", "scans/notes.txt"]
    assert files(site, suffixes=(".json", ".package"))[0] == [
        "a/Z.JSON",
        "a/z.json",
        "b.json",
        "hub/c.package",
    ]


@pytest.mark.parametrize("name", ["x.json", "pipe", "a/x.json"])
def test_a_pipe_is_named_and_never_opened(site: SiteFolder, name: str) -> None:
    site.write("scans/a/good.json", "{}")
    os.mkfifo(site.folder / "scans" / name)
    found, said = files(site)
    assert found == ["a/good.json"]
    assert said == [f"scans/{name}: not a regular file (replace it with a file, or remove it)"]


def test_links_are_followed_inside_the_project_and_each_folder_once(site: SiteFolder) -> None:
    site.write("scans/a/x.json", "{}")
    site.write("elsewhere/y.json", "{}")
    for name, target in {
        "b": "a",
        "c": "../elsewhere",
        "d": "../elsewhere",
        "loop": ".",
        "up": "..",
        "a/back": "../../scans",
        "z.json": "a/x.json",
    }.items():
        (site.folder / "scans" / name).symlink_to(target)
    (site.folder / "elsewhere/round").symlink_to("../scans/a")
    assert files(site) == (["a/x.json", "c/y.json", "z.json"], [])


def test_folders_that_double_at_every_link_come_to_an_end(site: SiteFolder) -> None:
    for level in range(40):
        folder = site.write(f"scans/{level}/x.json", "{}").parent
        for name in "ab":
            (folder / name).symlink_to(f"../{level + 1}")
    site.write("scans/40/x.json", "{}")
    assert len(files(site)[0]) == 41


@pytest.mark.parametrize("name", ["x.json", "folder"])
def test_a_link_out_of_the_project_is_named_and_not_followed(
    site: SiteFolder, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.json").write_text(SECRET)
    (site.folder / "scans").mkdir()
    (site.folder / "scans" / name).symlink_to(outside / "x.json" if name == "x.json" else outside)
    hint = "copy its target into the project"
    assert files(site) == (
        [],
        [f"scans/{name}: this link leads out of the project and is not followed ({hint})"],
    )
    small(site)
    code, said = command(site, "build")
    assert code == 1
    assert f"scans/{name}: this link leads out" in said
    assert SECRET not in said
    assert not (site.folder / "site").exists()


def test_a_reports_folder_that_is_a_link_out_of_the_project_is_refused(
    site: SiteFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.json").write_text("{}")
    (site.folder / "scans").symlink_to(outside)
    found, said = files(site)
    assert found == []
    assert said[0].startswith("scans: this link leads out of the project")


def test_a_reports_folder_that_the_settings_place_outside_is_read(
    site: SiteFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.json").write_text("{}")
    problems = Problems()
    folder = site.folder / ".." / os.path.relpath(outside, site.folder.parent)
    assert usable_files(folder, "../scans", site.folder, problems) == ["x.json"]
    assert list(problems) == []


def test_a_link_to_nothing_is_named(site: SiteFolder) -> None:
    site.write("scans/x.json", "{}")
    (site.folder / "scans/y.json").symlink_to("gone.json")
    (site.folder / "scans/z.json").symlink_to("z.json")
    found, said = files(site)
    assert found == ["x.json"]
    assert [text.split(" (")[0] for text in said] == [
        "scans/y.json: can't be read: No such file or directory",
        "scans/z.json: can't be read: Too many levels of symbolic links",
    ]


def test_a_large_file_is_refused_before_it_is_read(site: SiteFolder) -> None:
    site.write("scans/x.json", "{}")
    site.write("scans/y.json", "[12]")
    found, said = files(site, max_size=3)
    assert found == ["x.json"]
    assert said == [
        "scans/y.json: not read, because the file has 4 bytes (limit: 3) (split it, or raise "
        "`security.max_report_size`)"
    ]
    with (site.folder / "scans/huge.json").open("wb") as file:
        file.truncate(513 * 2**20)
    assert files(site)[0] == ["x.json", "y.json"]


class Unreadable:
    """`os.scandir`, to which a folder of this name can't be read: root may read everything."""

    def __init__(self, name: str) -> None:
        self._name, self._scandir = name, os.scandir

    def __call__(self, path: Any) -> Any:
        if not isinstance(path, int) and Path(path).name == self._name:
            raise PermissionError(13, "Permission denied", path)
        return self._scandir(path)


@pytest.mark.parametrize("name", ["scans", "vex", "inner", "images"])
def test_a_folder_that_cant_be_read_is_an_error_and_never_an_empty_catalog(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    small(site).report("inner/a.json", trivy([row("CVE-2026-1")], tag=f"{REGISTRY}/alpha:1"))
    site.write("vex/.keep", "")
    assert command(site, "check")[0] == 0
    monkeypatch.setattr(os, "scandir", Unreadable(name))
    code, said = command(site, "check")
    place = {"inner": "scans/inner", "images": "docs/images"}.get(name, name)
    assert code == 1
    assert f"{place}: the folder can't be read: Permission denied" in said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_rights_is_an_error(site: SiteFolder) -> None:
    locked = site.write("scans/a/x.json", "{}").parent
    locked.chmod(0)
    try:
        assert files(site)[1] == [
            "scans/a: the folder can't be read: Permission denied (make it readable, or remove it)"
        ]
    finally:
        locked.chmod(0o755)


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outside")
    (folder / "page.md").write_text(f"---\nname: [{SECRET}\n---\n")
    return folder


@pytest.mark.parametrize("name", ["images/x.md", "pipe", "images/x.png"])
def test_pipes_in_docs_are_named(site: SiteFolder, name: str) -> None:
    small(site)
    os.mkfifo(site.folder / "docs" / name)
    code, said = command(site, "check")
    assert code == 1
    assert f"docs/{name}: not a regular file" in said


def test_what_docs_excludes_is_nobody_s_concern(site: SiteFolder, outside: Path) -> None:
    small(site)
    for folder in (".git", "attic"):
        (site.folder / "docs" / folder).mkdir()
        os.mkfifo(site.folder / "docs" / folder / "pipe")
        (site.folder / "docs" / folder / "page.md").symlink_to(outside / "page.md")
    site.config["exclude_docs"] = "/attic/"
    assert command(site, "check")[0] == 0


@pytest.mark.parametrize("name", ["images/x.md", "linked"])
def test_a_link_out_of_docs_shows_nothing_of_its_target(site: SiteFolder, outside: Path, name: str) -> None:
    small(site)
    (site.folder / "docs" / name).symlink_to(outside / "page.md" if name.endswith(".md") else outside)
    code, said = command(site, "check")
    assert code == 1
    assert f"docs/{name}: this link leads out of the project" in said
    assert SECRET not in said


def test_a_picture_that_is_a_link_is_not_read_and_so_not_told_of(site: SiteFolder, outside: Path) -> None:
    small(site)
    (site.folder / "docs/logo.png").symlink_to(outside / "page.md")
    assert command(site, "check")[0] == 0
    (site.folder / "docs/charts2").symlink_to("nowhere")
    code, said = command(site, "check")
    assert code == 1
    assert "docs/charts2: can't be read: No such file or directory" in said, "it may hold pages"


def test_pages_behind_a_link_inside_the_project_are_read(site: SiteFolder) -> None:
    small(site)
    (site.folder / "docs/images").rename(site.folder / "pages")
    (site.folder / "docs/images").symlink_to("../pages")
    before = command(site, "build")
    assert before[0] == 0, before[1]
    assert (site.folder / "site/api/v1/images/alpha/index.json").exists()


NAMES = st.text("ab.\x1b\n\u202e\udc80", min_size=1, max_size=6).filter(lambda name: name.strip(".") != "")


@settings(max_examples=60, deadline=None)
@given(names=st.sets(NAMES, max_size=6))
def test_any_name_is_found_as_it_is_and_told_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, names: set[str]
) -> None:
    site = SiteFolder(tmp_path_factory.mktemp("site"))
    (site.folder / "scans").mkdir()
    for name in names:
        (site.folder / f"scans/{name}.json").write_text("{}")
    shown = [f"{name}.json" for name in sorted(names) if not name.startswith(".")]
    assert files(site) == (sorted(shown), [])
    said = files(site, max_size=1)[1]
    assert len(said) == len(shown)
    assert not {"\x1b", "\n", "\u202e", "\udc80"} & {*"".join(said)}


def test_mkdocs_does_not_hang_at_a_pipe_among_its_pages(site: SiteFolder) -> None:
    site.image("nginx")
    os.mkfifo(site.folder / "docs/images/pipe.md")
    os.mkfifo(site.folder / "docs/picture.png")
    result = site.build()
    assert result.failed
    assert [text.partition(" (")[0] for text in result.logged()[:2]] == [
        "docs/images/pipe.md: not a regular file",
        "docs/picture.png: not a regular file",
    ]


def test_mkdocs_may_be_told_to_leave_a_pipe_out(site: SiteFolder) -> None:
    site.image("nginx")
    site.config["exclude_docs"] = "*.fifo"
    os.mkfifo(site.folder / "docs/x.fifo")
    assert not site.build().failed


def test_a_data_file_is_no_pipe_and_no_link_out_of_the_project(site: SiteFolder, tmp_path: Path) -> None:
    os.mkfifo(site.folder / "charts.yml")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.yml"
    outside.write_text(f"- {SECRET}")
    (site.folder / "images.yml").symlink_to(outside)
    code, said = command(site, "check")
    assert code == 1
    assert "'images.yml' is not a file of the project" in said
    assert "'charts.yml' is not a file of the project" in said
    assert SECRET not in said
