"""Folders from outside: what lies there is read, told of, or left alone, and never hangs or leads out."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.problems import Level, Problems
from mkdocs_catalog_api.sources.reports.folders import usable_files

from .sites import REGISTRY, SiteFolder, built, row, trivy
from .test_build import small
from .test_cli import call

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


def checked(site: SiteFolder, *told: str) -> None:
    """`catalog-api check` ends with errors of these words, without those of a secret; else without any."""
    done = call("check", "-f", site.write_config())
    assert done.exit_code == bool(told), done.output
    for words in told:
        assert words in done.output
    assert SECRET not in done.output


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is not of the project, with a report, a page and a list of the same secret."""
    folder = tmp_path_factory.mktemp("outside")
    for name in ("x.json", "page.md", "images.yml"):
        (folder / name).write_text(f"---\nname: [{SECRET}\n---\n")
    return folder


def test_files_are_found_by_their_ending_and_hidden_ones_left_out(site: SiteFolder) -> None:
    jsons = ["a/Z.JSON", "a/z.json", "b.json"]
    for path in (*jsons, "notes.txt", ".hidden.json", ".git/x.json", "hub/c.package"):
        site.write(f"scans/{path}", "{}")
    found, told = files(site)
    assert found == jsons
    assert [line.partition(":")[0] for line in told] == ["scans/hub/c.package", "scans/notes.txt"]
    assert files(site, suffixes=(".json", ".package"))[0] == [*jsons, "hub/c.package"]


@pytest.mark.parametrize("name", ["x.json", "pipe", "a/x.json"])
def test_a_pipe_is_named_and_never_opened(site: SiteFolder, name: str) -> None:
    site.write("scans/a/good.json", "{}")
    os.mkfifo(site.folder / "scans" / name)
    told = [f"scans/{name}: not a regular file (replace it with a file, or remove it)"]
    assert files(site) == (["a/good.json"], told)


def test_links_are_followed_inside_the_project_and_each_folder_once(site: SiteFolder) -> None:
    site.write("scans/a/x.json", "{}")
    site.write("elsewhere/y.json", "{}")
    links = {
        "b": "a",
        "c": "../elsewhere",
        "d": "../elsewhere",
        "loop": ".",
        "up": "..",
        "z.json": "a/x.json",
    }
    for name, target in (links | {"a/back": "../../scans", "../elsewhere/round": "../scans/a"}).items():
        (site.folder / "scans" / name).symlink_to(target)
    assert files(site) == (["a/x.json", "c/y.json", "z.json"], [])


def test_folders_that_double_at_every_link_come_to_an_end(site: SiteFolder) -> None:
    for level in range(40):
        folder = site.write(f"scans/{level}/x.json", "{}").parent
        for name in "ab":
            (folder / name).symlink_to(f"../{level + 1}")
    site.write("scans/40/x.json", "{}")
    assert len(files(site)[0]) == 41


@pytest.mark.parametrize(
    ("name", "target"),
    [("scans/x.json", "x.json"), ("scans", "."), ("docs/images/x.md", "page.md"), ("docs/linked", ".")],
)
def test_a_link_out_of_the_project_is_named_and_not_followed(
    site: SiteFolder, outside: Path, name: str, target: str
) -> None:
    small(site)
    if name == "scans":
        shutil.rmtree(site.folder / "scans")
    (site.folder / name).symlink_to(outside / target)
    checked(site, f"{name}: this link leads out of the project and is not followed (copy its target into")
    if name.startswith("scans/"):
        assert name.partition("/")[2] not in files(site)[0]


def test_a_reports_folder_that_the_settings_place_outside_is_read(site: SiteFolder, outside: Path) -> None:
    problems = Problems()
    folder = site.folder / ".." / os.path.relpath(outside, site.folder.parent)
    assert usable_files(folder, "../scans", site.folder, problems, suffixes=(".json",)) == ["x.json"]
    assert [each.level for each in problems] == [Level.INFO] * 2


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
    told = "scans/y.json: not read, because the file has 4 bytes (limit: 3) (split it, or raise "
    assert files(site, max_size=3) == (["x.json"], [f"{told}`security.max_report_size`)"])
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


@pytest.mark.parametrize("place", ["scans", "vex", "scans/inner", "docs/images"])
def test_a_folder_that_cant_be_read_is_an_error_and_never_an_empty_catalog(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    small(site).report("inner/a.json", trivy([row("CVE-2026-1")], tag=f"{REGISTRY}/alpha:1"))
    site.write("vex/.keep", "")
    checked(site)
    monkeypatch.setattr(os, "scandir", Unreadable(place.rpartition("/")[2]))
    checked(site, f"{place}: the folder can't be read: Permission denied")


def test_pipes_in_docs_are_named_unless_they_are_excluded(site: SiteFolder) -> None:
    small(site)
    names = "images/x.md", "pipe", "images/x.png", "x.fifo"
    for name in names:
        os.mkfifo(site.folder / "docs" / name)
    site.config["exclude_docs"] = "*.fifo"
    checked(site, *(f"docs/{name}: not a regular file" for name in names[:3]))
    for name in names[:3]:
        (site.folder / "docs" / name).unlink()
    checked(site)


def test_what_is_not_read_is_nobody_s_concern(site: SiteFolder, outside: Path) -> None:
    small(site)
    for folder in (".git", "attic"):
        (site.folder / "docs" / folder).mkdir()
        os.mkfifo(site.folder / "docs" / folder / "pipe")
        (site.folder / "docs" / folder / "page.md").symlink_to(outside / "page.md")
    (site.folder / "docs/logo.png").symlink_to(outside / "page.md")
    site.config["exclude_docs"] = "/attic/"
    checked(site)
    (site.folder / "docs/charts2").symlink_to("nowhere")
    checked(site, "docs/charts2: can't be read: No such file or directory")  # it may hold pages


def test_pages_behind_a_link_inside_the_project_are_read(site: SiteFolder) -> None:
    small(site)
    (site.folder / "docs/images").rename(site.folder / "pages")
    (site.folder / "docs/images").symlink_to("../pages")
    assert built(site).at("images slug") == ["alpha", "beta"]


def test_a_data_file_is_no_pipe_and_no_link_out_of_the_project(site: SiteFolder, outside: Path) -> None:
    os.mkfifo(site.folder / "charts.yml")
    (site.folder / "images.yml").symlink_to(outside / "images.yml")
    checked(site, *(f"'{name}.yml' is not a file of the project" for name in ("images", "charts")))


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
