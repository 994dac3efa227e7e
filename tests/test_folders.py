"""Folders, pipes and links: read, named, or left alone; they never hang or lead anywhere else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.problems import Level, Problems
from mkdocs_catalog_api.sources.reports.read_reports import usable_files

from . import test_sync_advisories, test_sync_hub
from .sites import REGISTRY, SiteFolder, row, trivy
from .syncing import call, problems
from .test_build import small
from .test_cli import tree
from .test_sync_advisories import KEV, NGINX

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
    found = usable_files(site.folder / "scans", "scans", told, **options)
    assert all((each.level is Level.INFO) == ("must end in" in each.message) for each in told)
    return found, [str(problem) for problem in told]


def checked(site: SiteFolder, *told: str) -> None:
    """`catalog-api check` ends with errors of these words, else without any."""
    done = call(site, "check")
    assert done.exit_code == bool(told), done.output
    assert [words for words in told if words not in done.output] == []


def places(site: SiteFolder, *arguments: str) -> list[tuple[Any, ...]]:
    done = call(site, *arguments, "--json")
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    assert SECRET not in done.output
    return [problem[:2] for problem in problems(done, "error", "warning")]


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outside")


FACTS = "registry/images/alpha.json"
DAY = "history/2026-01-01.json"
OURS = {"feeds": True, "headers": "apache", "security": {"publish_vex": True}}
HUB = "scans/hub/acme/a/1"


def prepared(site: SiteFolder, **settings: Any) -> SiteFolder:
    site.image("alpha", "versions: [{version: '1.0', endOfLife: 2027-01-01}]")
    site.write("updates.yml", "- {application: alpha, to: '1.0', outcome: shipped, checked: 2026-01-01}\n")
    site.report("alpha/1.0.json", trivy([], tag=f"{REGISTRY}/alpha:1.0"))
    site.settings |= settings
    (site.folder / "site").mkdir()
    return site


PIPES: dict[str, list[tuple[str, str]]] = {
    **{path: [] for path in ("scans/x.json", f"{HUB}.json", "vex/x.json", "docs/images/x.md", "docs/pipe")},
    **{path: [] for path in ("docs/.htaccess", "site/.htaccess", "site/x.html")},
    **{path: [("CAT002", path)] for path in (FACTS, KEV)},
    **{path: [("CAT021", "mkdocs.yml")] for path in ("updates.yml", "roadmap.yml", "scans", "vex")},
    **{path: [("CAT050", path)] for path in (DAY, "history")},
    **{f"site/{path}": [("CAT070", path)] for path in ("feeds/updates.xml", "eol.ics")},
    "site/.well-known/vex-repository.json": [("CAT070", ".well-known/vex-repository.json")],
}
"""Place of a pipe → the problems of a build."""


@pytest.mark.parametrize("path", PIPES)
def test_what_is_no_file_is_never_opened(site: SiteFolder, path: str) -> None:
    file = prepared(site, **(OURS if path.startswith(("site", "docs/.")) else {})).folder / path
    shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(file)
    assert places(site, "build") == PIPES[path]
    assert (site.folder / "site/api").exists() == (not PIPES[path])


@pytest.mark.parametrize("path", ["updates.yml", "roadmap.yml", KEV, DAY])
def test_a_folder_in_the_place_of_a_file_is_named(site: SiteFolder, path: str) -> None:
    file = prepared(site).folder / path
    file.unlink(missing_ok=True)
    file.mkdir(parents=True)
    assert [place for _, place in places(site, "build")] == [path if "/" in path else "mkdocs.yml"]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_hub_s_response_behind_a_link_is_not_read(site: SiteFolder, outside: Path, kind: str) -> None:
    """Without it, nobody knows which images the hub scanned; a file is read."""
    site.page("charts/web.md", f"images: ['{REGISTRY}/web:1']")
    site.report("hub/acme/web/1.0.json", {f"{REGISTRY}/web:1": trivy([], created="")})
    response = {"package_id": "0" * 8 + "-0000-4000-8000-" + "0" * 12, "version": "1.0"}
    response |= {"security_report_created_at": 1790000000}  # type: ignore[dict-item]
    place = site.folder / "scans/hub/acme/web/1.0.package"
    target = place if kind == "file" else outside / "secret"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(response))
    if kind == "link":
        place.symlink_to(target)
    result = site.build()
    assert not result.failed
    told = [problem.file for problem in result.problems if problem.code == "CAT002"]
    assert told == ([] if kind == "file" else ["scans/hub/acme/web/1.0.package"])
    scanned = result.at("charts/web security")["scannedAt"]
    assert scanned == ("2026-09-21T14:13:20Z" if kind == "file" else None)


BEHIND = {"scans": "x.json", "scans/x": "1.json", "vex": "x.json", "advisories": Path(KEV).name}
BEHIND |= {"registry": "images/alpha.json", "data": "updates.yml"}
"""A link to a folder → what is in there."""


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("path", [*BEHIND, "scans/x.json", "vex/x.json", KEV, FACTS, "updates.yml"])
def test_a_link_is_named_once_and_not_followed(
    site: SiteFolder, outside: Path, path: str, inside: bool
) -> None:
    link = prepared(site).folder / path
    site.write(f"{path}/{BEHIND[path]}" if path in BEHIND else path, f"---\nname: [{SECRET}\n---\n")
    if path == "data":
        site.settings["updates"] = {"data": "data/updates.yml"}
    target = (site.folder if inside else outside) / "elsewhere"
    link.symlink_to(link.rename(target))
    for _ in range(2):
        assert places(site, "build") == [("CAT002", path)]
        assert (site.folder / "site/api").exists()
        if path in ("advisories", "registry", "data"):
            break  # a link to nothing has nothing to read
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)


def test_no_page_is_begun_behind_a_link(site: SiteFolder, outside: Path) -> None:
    (prepared(site).folder / "docs/charts").symlink_to(outside)
    assert "nothing is written through a link" in call(site, "new", "chart", "web").stderr
    assert [*outside.iterdir()] == []


def test_links_of_a_folder_are_one_warning(site: SiteFolder) -> None:
    site.write("scans/a/x.json", "{}")
    for name in ("b", "loop", "z.json"):
        (site.folder / "scans" / name).symlink_to(".")
    told = "scans/b: this link and 2 more in this folder are not followed (replace it with a copy of"
    assert files(site) == (["a/x.json"], [f"{told} what it leads to)"])


def test_pages_behind_links_are_those_of_mkdocs(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    small(site)
    (site.folder / "docs/images").rename(site.folder / "pages")
    (site.folder / "docs/images").symlink_to("../pages")
    done = call(site, "build", "--json")
    assert problems(done, "error", "warning") == []
    assert tree(site.folder / "site/api") == tree(site.mkdocs().api.parent)
    assert (site.folder / "site/api/v1/images/alpha/index.json").exists()
    site.write("zensical.toml", '[project]\nsite_name = "A"\nplugins.catalog-api.registry = "ghcr.io/acme"\n')
    done = CliRunner().invoke(main, ["check", "-f", str(site.folder / "zensical.toml")])
    assert "warning: docs/images: this link is not followed" in done.stderr


FURTHER = "index-images-2.html"


@pytest.mark.parametrize("put", [os.mkfifo, None])
def test_a_page_that_a_dirty_build_would_write(
    site: SiteFolder, outside: Path, put: Callable[[Path], None] | None
) -> None:
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


def test_no_day_is_recorded_behind_a_link(site: SiteFolder, outside: Path) -> None:
    (prepared(site).folder / "history").symlink_to(outside)
    assert places(site, "record") == [("CAT050", "history")]
    assert [*outside.iterdir()] == []


def test_a_reports_folder_that_the_settings_place_outside_is_read(site: SiteFolder, outside: Path) -> None:
    for name in ("x.json", "page.md"):
        (outside / name).write_text("{}")
    problems = Problems()
    folder = site.folder / ".." / os.path.relpath(outside, site.folder.parent)
    assert usable_files(folder, "../scans", problems, suffixes=(".json",)) == ["x.json"]
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
