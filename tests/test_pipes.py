"""Pipes and devices in the place of files, and links out of the project: problems, never a hang."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from . import test_fetch, test_fetch_advisories
from .feeds_of_advisories import kev
from .sites import SiteFolder
from .test_fetch_advisories import ADDED, KEV
from .test_sign import private_pem

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipes and asks for rights to link")
hub = test_fetch.bench
advisories = test_fetch_advisories.bench
Put = Callable[[Path], None]


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


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


@pytest.mark.parametrize("put", [os.mkfifo, device])
@pytest.mark.parametrize(("host", "name"), HOSTS)
def test_a_header_file_of_the_site(site: SiteFolder, host: str, name: str, put: Put) -> None:
    put(prepared(site, headers=host).folder / "site" / name)
    assert places(site, "build") == [("CAT073", f"site/{name}")]
    assert not (site.folder / "site/api").exists()


@pytest.mark.parametrize("put", [os.mkfifo, device])
def test_a_hidden_header_file_of_docs(site: SiteFolder, put: Put) -> None:
    put(prepared(site, headers="apache").folder / "docs/.htaccess")
    assert places(site, "check") == [("CAT073", "docs/.htaccess")]
    result = site.build()
    assert (result.failed, result.codes) == (True, ["CAT073"])


def test_an_excluded_header_file_of_docs(site: SiteFolder) -> None:
    os.mkfifo(prepared(site, headers="netlify").folder / "docs/_headers")
    site.config["exclude_docs"] = "_headers"
    assert places(site, "build") == [("CAT073", "docs/_headers")]


OURS = ["feeds/updates.xml", "feeds/updates.json", "eol.ics", ".well-known/vex-repository.json"]


@pytest.mark.parametrize("put", [os.mkfifo, device])
@pytest.mark.parametrize("path", OURS)
def test_a_feed_and_the_like(site: SiteFolder, path: str, put: Put) -> None:
    target = prepared(site, feeds=True, security={"publish_vex": True}).folder / "site" / path
    target.parent.mkdir(exist_ok=True)
    put(target)
    assert {*places(site, "build")} == {("CAT070", path)}


@pytest.mark.parametrize("path", ["manifest.json", "images.json"])
def test_a_document_of_an_earlier_build(site: SiteFolder, path: str) -> None:
    assert not prepared(site).build().failed
    (site.folder / "site/api/v1" / path).unlink()
    os.mkfifo(site.folder / "site/api/v1" / path)
    if path == "manifest.json":
        assert places(site, "build") == [("CAT070", "api/v1")]
        done = CliRunner().invoke(main, ["diff", *[str(site.folder / "site")] * 2])
        assert done.exit_code == 0, done.output
    else:
        done = CliRunner().invoke(main, ["diff", *[str(site.folder / "site")] * 2])
        assert done.exit_code == 2
        done = CliRunner().invoke(main, ["build", "-f", str(site.folder / "mkdocs.yml")])
        assert done.exit_code == 0, "what stands where an earlier build wrote a document goes with it"
        assert (site.folder / "site/api/v1" / path).is_file()


def sign(site: SiteFolder) -> tuple[int, str]:
    site.write("key.pem", private_pem())
    arguments = ["sign", "-f", str(site.folder / "mkdocs.yml"), "--key", str(site.folder / "key.pem")]
    done = CliRunner().invoke(main, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stderr


@pytest.mark.parametrize(
    ("path", "code"),
    [("manifest.json", "CAT074"), ("images.json", "CAT074"), ("manifest.json.jws", "CAT070")],
)
def test_a_pipe_is_neither_signed_nor_taken_for_a_signature(site: SiteFolder, path: str, code: str) -> None:
    assert not prepared(site).build().failed
    file = site.folder / "site/api/v1" / path
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    status, said = sign(site)
    assert (status, f"{file}: " in said, f"[{code}]" in said) == (1, True, True)
    assert path == "manifest.json.jws" or not (site.folder / "site/api/v1/manifest.json.jws").exists()


@pytest.mark.parametrize("path", ["site/api", "site/api/v1/manifest.json.jws"])
def test_nothing_is_signed_behind_a_link_out_of_the_site(site: SiteFolder, outside: Path, path: str) -> None:
    assert not prepared(site).build().failed
    link = site.folder / path
    if link.exists():
        link.rename(outside / "api")
    link.symlink_to(outside / "api")
    before = [*outside.rglob("*")]
    status, said = sign(site)
    assert (status, "[CAT070]" in said) == (1, True)
    assert [*outside.rglob("*")] == before


def test_no_day_is_recorded_behind_a_link_out_of_the_project(site: SiteFolder, outside: Path) -> None:
    prepared(site, history="data/days")
    (site.folder / "data").symlink_to(outside)
    assert places(site, "record") == [("CAT021", "mkdocs.yml")]
    assert [*outside.iterdir()] == []


def fetched(site: SiteFolder, *options: str, **env: str) -> list[tuple[str, str]]:
    """Code and file of each problem of a `fetch` that fails."""
    arguments = ["fetch", "--json", "-f", str(site.folder / "mkdocs.yml"), *options]
    done = CliRunner().invoke(main, arguments, obj=Limits(sleep=lambda _: None), env=env)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1
    problems = json.loads(done.stdout)["problems"]
    return [(problem["code"], problem["file"]) for problem in problems if problem["level"] == "error"]


@pytest.mark.parametrize("ending", ["", ".etag"])
@pytest.mark.parametrize("kind", ["pipe", "device", "link", "folder"])
def test_advisories_are_written_to_files_of_the_project(
    advisories: test_fetch_advisories.Bench, outside: Path, kind: str, ending: str
) -> None:
    file = advisories.site.folder / f"{KEV}{ending}"
    file.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.parent.rmdir()
        file.parent.symlink_to(outside)
    else:
        file.symlink_to("/dev/zero" if kind == "device" else outside / "new.json")
    mirror = f"{advisories.mirror.address}/kev"
    named = KEV if kind == "folder" else f"{KEV}{ending}"
    assert fetched(advisories.site, "--kev", CATALOG_API_KEV=mirror) == [("CAT070", named)]
    assert [*outside.iterdir()] == []


def test_advisories_behind_a_link_within_the_project_leave_the_link(
    advisories: test_fetch_advisories.Bench,
) -> None:
    file = advisories.site.folder / KEV
    file.parent.mkdir()
    file.symlink_to("../kept.json")
    assert advisories.run("--kev").exit_code == 0
    assert file.is_symlink()
    assert (advisories.site.folder / "kept.json").read_bytes() == kev(ADDED)


@pytest.mark.parametrize("ending", [".json", ".package"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_a_hub_s_reports_are_written_to_files_of_the_project(
    hub: test_fetch.Bench, outside: Path, kind: str, ending: str
) -> None:
    file = hub.file(f"acme/stack/1.2.0{ending}")
    file.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(outside / "new")
    named = f"scans/hub/acme/stack/1.2.0{ending}"
    assert fetched(hub.site, CATALOG_API_HUB=hub.hub.address) == [("CAT070", named)]
    assert [*outside.iterdir()] == []
    assert hub.file("acme/stack/1.1.0.json").exists(), "the others are fetched"


@pytest.mark.parametrize("path", ["scans", "scans/hub", "scans/hub/acme"])
def test_a_hub_s_reports_stay_in_the_project(hub: test_fetch.Bench, outside: Path, path: str) -> None:
    link = hub.site.folder / path
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    found = fetched(hub.site, CATALOG_API_HUB=hub.hub.address)
    assert {code for code, _ in found} == {"CAT070"}
    assert ("CAT070", "scans/hub/acme/stack/1.2.0.json") in found
    assert [*outside.iterdir()] == []
