"""Pipes in the place of files, and links out of the project: problems, never a hang."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from . import test_sync_hub, test_sync_kev
from .feeds_of_advisories import kev
from .sites import SiteFolder
from .test_sync_kev import ADDED, KEV

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipes and asks for rights to link")
hub = test_sync_hub.bench
advisories = test_sync_kev.bench
Put = Callable[[Path], None]


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


def places(site: SiteFolder, *arguments: str) -> list[tuple[str, str]]:
    """Code and file of each problem of a command that fails."""
    site.write_config()
    done = CliRunner().invoke(main, [*arguments, "--json", "-f", str(site.folder / "mkdocs.yml")])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1
    return [
        (problem["code"], problem["file"])
        for problem in json.loads(done.stdout)["problems"]
        if problem["level"] != "info"
    ]


def prepared(site: SiteFolder, **settings: Any) -> SiteFolder:
    site.image("alpha", "versions: [{version: '1.0', endOfLife: 2027-01-01}]")
    site.write("updates.yml", "- {application: alpha, to: '1.0', outcome: shipped, checked: 2026-01-01}\n")
    site.settings |= settings
    (site.folder / "site").mkdir()
    return site


HOSTS = [("netlify", "_headers"), ("vercel", "vercel.json"), ("apache", ".htaccess")]


@pytest.mark.parametrize(("host", "name"), HOSTS)
def test_a_header_file_of_the_site(site: SiteFolder, host: str, name: str) -> None:
    os.mkfifo(prepared(site, headers=host).folder / "site" / name)
    assert places(site, "build") == [("CAT073", f"site/{name}")]
    assert not (site.folder / "site/api").exists()


def test_a_hidden_header_file_of_docs(site: SiteFolder) -> None:
    os.mkfifo(prepared(site, headers="apache").folder / "docs/.htaccess")
    assert places(site, "check") == [("CAT073", "docs/.htaccess")]
    result = site.build()
    assert (result.failed, result.codes) == (True, ["CAT073"])


def test_an_excluded_header_file_of_docs(site: SiteFolder) -> None:
    os.mkfifo(prepared(site, headers="netlify").folder / "docs/_headers")
    site.config["exclude_docs"] = "_headers"
    assert places(site, "build") == [("CAT073", "docs/_headers")]


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def out(path: Path) -> None:
    path.symlink_to(tempfile.mkdtemp(dir=path.parents[3], prefix="outside"))


ODD: list[Put] = [os.mkfifo, dangling]


@pytest.mark.parametrize("put", [*ODD, Path.mkdir])
@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("roadmap.yml", "mkdocs.yml"),
        ("updates.yml", "mkdocs.yml"),
        (KEV, KEV),
        ("history/2026-01-01.json", "history/2026-01-01.json"),
        ("base.yml", "mkdocs.yml"),
    ],
)
def test_an_input_that_is_not_a_file(site: SiteFolder, path: str, place: str, put: Put) -> None:
    prepared(site)
    if path == "base.yml":
        site.config["INHERIT"] = path
    file = site.folder / path
    file.unlink(missing_ok=True)
    file.parent.mkdir(exist_ok=True)
    put(file)
    assert place in [named for _, named in places(site, "build")]
    assert not (site.folder / "site/api").exists()


@pytest.mark.parametrize("put", ODD)
@pytest.mark.parametrize(
    "path",
    [
        "scans/x.json",
        "scans/hub/acme/a/1.0.0.json",
        "scans/hub/acme/a/1.0.0.package",
        "vex/x.json",
        "docs/images/x.md",
    ],
)
def test_a_file_among_others_that_is_none(site: SiteFolder, path: str, put: Put) -> None:
    file = prepared(site).folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    put(file)
    assert places(site, "build") == [("CAT002", path)]


@pytest.mark.parametrize("put", [*ODD, out])
@pytest.mark.parametrize("path", ["scans", "vex", "history"])
def test_a_folder_that_is_none(site: SiteFolder, path: str, put: Put) -> None:
    put(prepared(site).folder / path)
    assert [named for _, named in places(site, "build")] in (["mkdocs.yml"], [path])
    assert [named for _, named in places(site, "record", "--date", "2026-01-02")] in (["mkdocs.yml"], [path])


@pytest.mark.parametrize("where", ["file", "folder"])
def test_advisories_behind_a_link_out_of_the_project_are_not_read(
    site: SiteFolder, outside: Path, where: str
) -> None:
    name = Path(KEV).name
    (outside / name).write_bytes(kev(ADDED))
    if where == "folder":
        (prepared(site).folder / "advisories").symlink_to(outside)
    else:
        (prepared(site).folder / "advisories").mkdir()
        (site.folder / "advisories" / name).symlink_to(outside / name)
    assert places(site, "build") == [("CAT002", KEV)]


@pytest.mark.parametrize("path", ["data/updates.yml", "data"])
def test_a_data_file_behind_a_link_out_of_the_project_is_not_read(
    site: SiteFolder, outside: Path, path: str
) -> None:
    (prepared(site).folder / "updates.yml").rename(outside / "updates.yml")
    link = site.folder / path
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside / "updates.yml" if path.endswith(".yml") else outside)
    site.settings["updates"] = {"data": "data/updates.yml"}
    assert places(site, "build") == [("CAT021", "mkdocs.yml")]


FURTHER = "index-images-2.html"


@pytest.mark.parametrize("put", [os.mkfifo, Path.mkdir, out])
def test_a_page_that_a_dirty_build_would_write(site: SiteFolder, put: Put) -> None:
    prepared(site)
    for number in range(50):
        site.image(f"many-{number}")
    site.page("index.md", "title: Home", "<!-- catalog: images -->")
    file = site.folder / "site" / FURTHER
    put(file)
    result = site.mkdocs(dirty=True)
    assert (result.failed, result.codes) == (True, ["CAT070"])
    assert [text for text in result.logged() if text.startswith(f"{FURTHER}: ")]
    assert put is not out or [*file.iterdir()] == []


def test_a_further_page_is_not_written_through_a_link_out_of_the_site(
    site: SiteFolder, outside: Path
) -> None:
    prepared(site)
    for number in range(50):
        site.image(f"many-{number}")
    site.page("index.md", "title: Home", "<!-- catalog: images -->")
    (outside / "kept").write_text("mine")
    (site.folder / "site" / FURTHER).symlink_to(outside / "kept")
    assert site.mkdocs(dirty=True).codes == ["CAT070"]
    assert (outside / "kept").read_text() == "mine"
    assert not site.mkdocs().failed, "MkDocs clears the site"
    assert (site.folder / "site" / FURTHER).is_file()


OURS = ["feeds/updates.xml", "eol.ics", ".well-known/vex-repository.json"]


@pytest.mark.parametrize("path", OURS)
def test_a_feed_and_the_like(site: SiteFolder, path: str) -> None:
    target = prepared(site, feeds=True, security={"publish_vex": True}).folder / "site" / path
    target.parent.mkdir(exist_ok=True)
    os.mkfifo(target)
    assert {*places(site, "build")} == {("CAT070", path)}


def test_no_day_is_recorded_behind_a_link_out_of_the_project(site: SiteFolder, outside: Path) -> None:
    (prepared(site).folder / "history").symlink_to(outside)
    assert places(site, "record") == [("CAT050", "history")]
    assert [*outside.iterdir()] == []


def synced(site: SiteFolder, *options: str, **env: str) -> list[tuple[str, str]]:
    """Code and file of each problem of a `sync` that fails."""
    arguments = ["sync", "--json", "-f", str(site.folder / "mkdocs.yml"), *options]
    done = CliRunner().invoke(main, arguments, obj=Limits(sleep=lambda _: None), env=env)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1
    problems = json.loads(done.stdout)["problems"]
    return [(problem["code"], problem["file"]) for problem in problems if problem["level"] == "error"]


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_advisories_are_written_to_files_of_the_project(
    advisories: test_sync_kev.Bench, outside: Path, kind: str
) -> None:
    file = advisories.site.folder / KEV
    file.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.parent.rmdir()
        file.parent.symlink_to(outside)
    else:
        file.symlink_to(outside / "new.json")
    mirror = f"{advisories.mirror.address}/kev"
    assert synced(advisories.site, "kev", CATALOG_API_KEV=mirror) == [("CAT070", KEV)]
    assert [*outside.iterdir()] == []


def test_advisories_behind_a_link_within_the_project_leave_the_link(
    advisories: test_sync_kev.Bench,
) -> None:
    file = advisories.site.folder / KEV
    file.parent.mkdir()
    file.symlink_to("../kept.json")
    assert advisories.run().exit_code == 0
    assert file.is_symlink()
    assert (advisories.site.folder / "kept.json").read_bytes() == kev(ADDED)


@pytest.mark.parametrize("ending", [".json", ".package"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_a_hub_s_reports_are_written_to_files_of_the_project(
    hub: test_sync_hub.Bench, outside: Path, kind: str, ending: str
) -> None:
    file = hub.file(f"acme/stack/1.2.0{ending}")
    file.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(outside / "new")
    named = f"scans/hub/acme/stack/1.2.0{ending}"
    assert synced(hub.site, "hub", CATALOG_API_HUB=hub.hub.address) == [("CAT070", named)]
    assert [*outside.iterdir()] == []
    assert hub.file("acme/stack/1.1.0.json").exists(), "the others are written"


@pytest.mark.parametrize("path", ["scans", "scans/hub", "scans/hub/acme"])
def test_a_hub_s_reports_stay_in_the_project(hub: test_sync_hub.Bench, outside: Path, path: str) -> None:
    link = hub.site.folder / path
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    found = synced(hub.site, "hub", CATALOG_API_HUB=hub.hub.address)
    assert {code for code, _ in found} == {"CAT070"}
    assert ("CAT070", "scans/hub/acme/stack/1.2.0.json") in found
    assert [*outside.iterdir()] == []
