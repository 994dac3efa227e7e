"""Pipes in the place of files, and links out of the project: problems, never a hang."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from . import test_sync_advisories, test_sync_hub
from .feeds_of_advisories import kev
from .sites import SiteFolder
from .syncing import call, problems
from .test_sync_advisories import ADDED, KEV, NGINX

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipes and asks for rights to link")
hub = test_sync_hub.bench
advisories = test_sync_advisories.bench


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outside")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def out(path: Path) -> None:
    path.symlink_to(tempfile.mkdtemp(dir=path.parents[3], prefix="outside"))


Put = Callable[[Path], None]
PIPE: list[Put] = [os.mkfifo]
ODD: list[Put] = [os.mkfifo, dangling]


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


def places(site: SiteFolder, *arguments: str) -> list[tuple[Any, ...]]:
    """Code and file of each problem of a command that fails."""
    done = call(site, *arguments, "--json")
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1
    return [problem[:2] for problem in problems(done, "error", "warning")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.path} {row.command}")
def test_what_is_not_a_file_is_named(site: SiteFolder, row: Row) -> None:
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


@pytest.mark.parametrize("path", [KEV, "advisories", "data/updates.yml", "data", FACTS])
def test_nothing_outside_the_project_is_read(site: SiteFolder, outside: Path, path: str) -> None:
    link, is_data = prepared(site).folder / path, path.startswith("data")
    (outside / Path(KEV).name).write_bytes(kev(ADDED))
    (site.folder / "updates.yml").rename(outside / "updates.yml")
    (outside / Path(FACTS).name).write_text('{"image": "a/b", "versions": []}')
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / link.name if link.suffix else outside)
    if is_data:
        site.settings["updates"] = {"data": "data/updates.yml"}
    told = ("CAT021", "mkdocs.yml") if is_data else ("CAT002", KEV if path == "advisories" else path)
    assert places(site, "build") == [told]


FURTHER = "index-images-2.html"


@pytest.mark.parametrize("put", [os.mkfifo, Path.mkdir, None])
def test_a_page_that_a_dirty_build_would_write(site: SiteFolder, outside: Path, put: Put | None) -> None:
    """A pipe, a folder, or a link out of the site."""
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


@pytest.mark.parametrize("path", ["1.2.0.json", "1.2.0.package", "", "..", "../.."])
def test_a_hub_s_reports_stay_in_the_project(hub: test_sync_hub.Bench, outside: Path, path: str) -> None:
    """A file is a pipe, or it or a folder a link out of it."""
    place = Path(os.path.normpath(hub.file("hub/acme/stack") / path))
    place.parent.mkdir(parents=True, exist_ok=True)
    for put in [os.mkfifo, None] if path.startswith("1") else [None]:
        place.unlink(missing_ok=True)
        put(place) if put else place.symlink_to(outside / "new" if path.startswith("1") else outside)
        found = problems(hub.run("--json"), "error")
        named = f"scans/hub/acme/stack/1.2.0{place.suffix if path.startswith('1') else '.json'}"
        assert named in [file for _, file, *_ in found] and {code for code, *_ in found} == {"CAT070"}
        assert [*outside.iterdir()] == []
        if path.startswith("1"):
            assert len(found) == 1 and hub.file("hub/acme/stack/1.1.0.json").exists(), "others are written"
