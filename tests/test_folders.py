"""Folders, pipes and links from outside: read, told of, or left alone; they never hang or lead out."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.problems import Level, Problems
from mkdocs_catalog_api.sources.reports.read_reports import usable_files

from . import test_sync_advisories, test_sync_hub
from .feeds_of_advisories import kev
from .sites import REGISTRY, SiteFolder, built, row, trivy
from .syncing import call, problems
from .test_build import small
from .test_sync_advisories import ADDED, KEV, NGINX

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipes and asks for rights to link")
hub = test_sync_hub.bench
advisories = test_sync_advisories.bench
SECRET = "the words of a secret"  # noqa: S105


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def files(site: SiteFolder, **options: Any) -> tuple[list[str], list[str]]:
    """The usable files of scans/, and what is said of the others."""
    told = Problems()
    found = usable_files(site.folder / "scans", "scans", site.folder, told, **options)
    assert all((each.level is Level.INFO) == ("must end in" in each.message) for each in told)
    return found, [str(problem) for problem in told]


def checked(site: SiteFolder, *told: str) -> None:
    """`catalog-api check` ends with errors of these words, else without any."""
    done = call(site, "check")
    assert done.exit_code == bool(told), done.output
    assert [words for words in told if words not in done.output] == []


def places(site: SiteFolder, *arguments: str) -> list[tuple[Any, ...]]:
    done = call(site, *arguments, "--json")
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1 and SECRET not in done.output
    return [problem[:2] for problem in problems(done, "error", "warning")]


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outside")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def out(path: Path) -> None:
    path.symlink_to(tempfile.mkdtemp(dir=path.parents[3], prefix="outside"))


Put = Callable[[Path], None]
PIPE: list[Put] = [os.mkfifo]
ODD: list[Put] = [os.mkfifo, dangling, loop]


class Row(NamedTuple):
    """What is in the place of a file or folder, and the only problem of a command."""

    path: str
    puts: list[Put]
    code: str
    place: str = ""
    """Another file that the problem names."""
    command: str = "build"
    settings: dict[str, Any] = {}
    config: dict[str, Any] = {}


FACTS = "registry/images/alpha.json"
FILES = ("feeds/updates.xml", "eol.ics", ".well-known/vex-repository.json")
REPORTS = ("x.json", "hub/acme/a/1.json", "hub/acme/a/1.package")
EXCLUDED = {"exclude_docs": "_headers"}
OURS = {"feeds": True, "security": {"publish_vex": True}}
INPUT: list[Put] = [*ODD, Path.mkdir]
ROWS = [
    Row("site/_headers", PIPE, "CAT073", settings={"headers": "netlify"}),
    Row("site/vercel.json", PIPE, "CAT073", settings={"headers": "vercel"}),
    Row("site/.htaccess", PIPE, "CAT073", settings={"headers": "apache"}),
    Row("docs/.htaccess", PIPE, "CAT073", command="check", settings={"headers": "apache"}),
    Row("docs/_headers", PIPE, "CAT073", settings={"headers": "netlify"}, config=EXCLUDED),
    *(Row(f"site/{path}", PIPE, "CAT070", path, settings=OURS) for path in FILES),
    *(Row(f"scans/{path}", ODD, "CAT002") for path in REPORTS),
    *(Row(path, ODD, "CAT002") for path in ("vex/x.json", "docs/images/x.md", FACTS)),
    *(Row(path, INPUT, "", "mkdocs.yml") for path in ("roadmap.yml", "updates.yml")),
    Row("base.yml", INPUT, "", "mkdocs.yml", config={"INHERIT": "base.yml"}),
    *(Row(path, INPUT, "") for path in (KEV, "history/2026-01-01.json")),
    *(
        Row(path, [*ODD, out], "", command=command)
        for path in ("scans", "vex", "history")
        for command in ("build", "record --date 2026-01-02")
    ),
]  # fmt: skip


def prepared(site: SiteFolder, **settings: Any) -> SiteFolder:
    site.image("alpha", "versions: [{version: '1.0', endOfLife: 2027-01-01}]")
    site.write("updates.yml", "- {application: alpha, to: '1.0', outcome: shipped, checked: 2026-01-01}\n")
    site.settings |= settings
    (site.folder / "site").mkdir()
    return site


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.path} {row.command}")
def test_a_pipe_is_named_and_never_opened(site: SiteFolder, row: Row) -> None:
    prepared(site, **row.settings).config |= row.config
    file = site.folder / row.path
    file.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    for put in row.puts:
        put(file)
        found = places(site, *row.command.split())
        assert {place for _, place in found} <= {row.place or row.path, "mkdocs.yml"}
        assert not row.code or {*found} == {(row.code, row.place or row.path)}
        assert not (site.folder / "site/api").exists()
        file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()


LINKS = {
    "scans/x.json": "CAT002",
    "scans": "CAT002",
    "vex": "CAT002",
    "docs/images/x.md": "CAT002",
    "docs/linked": "CAT002",
    KEV: "CAT002",
    "advisories": "CAT002",
    FACTS: "CAT002",
    "data/updates.yml": "CAT021",
    "data": "CAT021",
}


@pytest.mark.parametrize("path", LINKS)
def test_a_link_out_of_the_project_is_named_and_not_followed(
    site: SiteFolder, outside: Path, path: str
) -> None:
    link, is_data = prepared(site).folder / path, path.startswith("data")
    for name in ("x.json", "x.md", "updates.yml", Path(FACTS).name, Path(KEV).name):
        (outside / name).write_text(f"---\nname: [{SECRET}\n---\n")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / link.name if link.suffix else outside)
    if is_data:
        site.settings["updates"] = {"data": "data/updates.yml"}
    named = "mkdocs.yml" if is_data else KEV if path == "advisories" else path
    assert places(site, "build") == [(LINKS[path], named)]


FURTHER = "index-images-2.html"


@pytest.mark.parametrize("put", [os.mkfifo, None])
def test_a_page_that_a_dirty_build_would_write(site: SiteFolder, outside: Path, put: Put | None) -> None:
    prepared(site)
    for number in range(50):
        site.image(f"many-{number}")
    site.page("index.md", "title: Home", "<!-- catalog: images -->")
    file = site.folder / "site" / FURTHER
    (outside / "kept").write_text("mine")
    put(file) if put else file.symlink_to(outside / "kept")
    result = site.mkdocs(dirty=True)
    assert (result.failed, result.codes) == (True, ["CAT070"])
    assert [text for text in result.logged() if text.startswith(f"{FURTHER}: ")]
    assert (outside / "kept").read_text() == "mine"
    if not put:
        assert not site.mkdocs().failed, "MkDocs clears the site"
        assert file.is_file()


def test_no_day_is_recorded_behind_a_link_out_of_the_project(site: SiteFolder, outside: Path) -> None:
    (prepared(site).folder / "history").symlink_to(outside)
    assert places(site, "record") == [("CAT050", "history")]
    assert [*outside.iterdir()] == []


def test_files_are_found_by_their_ending_and_hidden_ones_left_out(site: SiteFolder) -> None:
    jsons = ["a/Z.JSON", "a/z.json", "b.json"]
    for path in (*jsons, "notes.txt", ".hidden.json", ".git/x.json", "hub/c.package"):
        site.write(f"scans/{path}", "{}")
    found, told = files(site)
    assert found == jsons
    assert [line.partition(":")[0] for line in told] == ["scans/hub/c.package", "scans/notes.txt"]
    assert files(site, suffixes=(".json", ".package"))[0] == [*jsons, "hub/c.package"]


def test_links_are_followed_inside_the_project_and_each_folder_once(site: SiteFolder) -> None:
    site.write("scans/a/x.json", "{}")
    site.write("elsewhere/y.json", "{}")
    links = {"b": "a", "c": "../elsewhere", "d": "../elsewhere", "loop": ".", "up": ".."}
    links |= {"z.json": "a/x.json", "a/back": "../../scans", "../elsewhere/round": "../scans/a"}
    for name, target in links.items():
        (site.folder / "scans" / name).symlink_to(target)
    assert files(site) == (["a/x.json", "c/y.json", "z.json"], [])


def test_folders_that_double_at_every_link_come_to_an_end(site: SiteFolder) -> None:
    for level in range(40):
        folder = site.write(f"scans/{level}/x.json", "{}").parent
        for name in "ab":
            (folder / name).symlink_to(f"../{level + 1}")
    site.write("scans/40/x.json", "{}")
    assert len(files(site)[0]) == 41


def test_a_reports_folder_that_the_settings_place_outside_is_read(site: SiteFolder, outside: Path) -> None:
    for name in ("x.json", "page.md"):
        (outside / name).write_text("{}")
    problems = Problems()
    folder = site.folder / ".." / os.path.relpath(outside, site.folder.parent)
    assert usable_files(folder, "../scans", site.folder, problems, suffixes=(".json",)) == ["x.json"]
    assert [each.level for each in problems] == [Level.INFO]


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
    (outside / "page.md").write_text("")
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


# What `sync` writes


@pytest.mark.parametrize(
    ("source", "path"), [("kev", KEV), ("eol", NGINX), ("registry", "registry/images/web.json")]
)
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_it_writes_to_files_of_the_project(
    advisories: test_sync_advisories.Bench, outside: Path, source: str, path: str, kind: str
) -> None:
    file = advisories.site.folder / path
    file.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.parent.rmdir()
        file.parent.symlink_to(outside)
    else:
        file.symlink_to(outside / "new.json")
    if source == "registry":
        advisories.site.page("images/web.md", "image: 127.0.0.1:1/web\nversions: registry")
    result = advisories.run(source, "--json")
    assert (result.exit_code, problems(result)) == (1, [("CAT070", path, 0, "")])
    assert [*outside.iterdir()] == []


def test_a_link_within_the_project_stays(advisories: test_sync_advisories.Bench) -> None:
    file = advisories.site.folder / KEV
    file.parent.mkdir()
    file.symlink_to("../kept.json")
    assert advisories.run("kev").exit_code == 0
    assert file.is_symlink()
    assert (advisories.site.folder / "kept.json").read_bytes() == kev(ADDED)


def test_a_hub_s_reports_stay_in_the_project(hub: test_sync_hub.Bench, outside: Path) -> None:
    folder = hub.file("hub/acme/stack")
    folder.mkdir(parents=True)
    (folder / "1.2.0.json").symlink_to(outside / "new")
    os.mkfifo(folder / "1.0.0.package")
    found = problems(hub.run("--json"), "error")
    odd = ("1.0.0.package", "1.2.0.json")
    assert found == [("CAT070", f"scans/hub/acme/stack/{name}", 0, "") for name in odd]
    assert (folder / "1.1.0.json").exists(), "others are written"
    for link in (folder, folder.parent, folder.parents[1]):
        shutil.rmtree(link)
        link.symlink_to(outside)
        assert {code for code, *_ in problems(hub.run("--json"), "error")} == {"CAT070"}
        link.unlink()
        link.mkdir()
    assert [*outside.iterdir()] == []
