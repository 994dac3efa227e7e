"""An API takes the place of an earlier one: what stays, what keeps its time, and what stops it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.problems import CatalogError
from mkdocs_catalog_api.publish.site_files import put
from mkdocs_catalog_api.publish.staging import Staging, save
from mkdocs_catalog_api.publish.swap import publish, remember

from .contract import check
from .sites import SiteFolder
from .test_build import small

OLD = 1_000_000_000_000_000_000
"""Nanoseconds: 2001-09-09."""


def build(site: SiteFolder, *options: str) -> tuple[int, str]:
    """`catalog-api build`, in this process."""
    done = CliRunner().invoke(main, ["build", "-f", str(site.write_config()), *options])
    return done.exit_code, done.output


def api(site: SiteFolder) -> Path:
    return site.folder / "site/api/v1"


@pytest.fixture
def published(site: SiteFolder) -> SiteFolder:
    assert not small(site).mkdocs().failed
    return site


def age(site: SiteFolder) -> None:
    for path in api(site).rglob("*.json"):
        os.utime(path, ns=(OLD, OLD))


def times(site: SiteFolder) -> dict[str, int]:
    return {
        path.relative_to(api(site)).as_posix(): path.stat().st_mtime_ns for path in api(site).rglob("*.json")
    }


def test_a_document_that_is_the_same_keeps_its_time(published: SiteFolder) -> None:
    before = {path: (api(published) / path).read_bytes() for path in times(published)}
    age(published)
    published.config["site_name"] = "Another"
    assert build(published)[0] == 0
    kept = {path for path, time in times(published).items() if time == OLD}
    assert kept == {path for path, body in before.items() if (api(published) / path).read_bytes() == body}
    assert "images.json" in kept
    assert "index.json" not in kept


def test_a_document_that_somebody_has_changed_gets_a_new_time(published: SiteFolder) -> None:
    age(published)
    path = api(published) / "images.json"
    path.write_bytes(path.read_bytes().replace(b"alpha", b"ALPHA"))
    assert build(published)[0] == 0
    assert b"alpha" in path.read_bytes()
    assert times(published)["images.json"] > OLD
    assert times(published)["charts.json"] == OLD


def test_times_that_were_remembered_outlive_the_clearing_of_the_site(published: SiteFolder) -> None:
    age(published)
    stamps = remember(published.folder / "site")
    assert {*stamps} == {*times(published)}
    staging = Staging(published.folder / "site")
    shutil.copytree(api(published), staging.documents, dirs_exist_ok=True, copy_function=shutil.copyfile)
    shutil.rmtree(published.folder / "site")
    publish(staging, published.folder / "site", stamps=stamps)
    staging.remove()
    assert {*times(published).values()} == {OLD}


@pytest.mark.parametrize("manifest", [None, b"{", b"[]", b'{"generator":{"name":"other"},"documents":{}}'])
def test_nothing_is_remembered_without_a_manifest_of_ours(
    published: SiteFolder, manifest: bytes | None
) -> None:
    (api(published) / "manifest.json").unlink()
    if manifest is not None:
        (api(published) / "manifest.json").write_bytes(manifest)
    assert remember(published.folder / "site") == {}
    assert remember(published.folder / "nowhere") == {}


def test_a_lost_manifest_is_explained_and_replace_replaces(published: SiteFolder) -> None:
    number = len(times(published)) - 1
    (api(published) / "manifest.json").unlink()
    (api(published) / "stale.json").write_text("{}")
    code, said = build(published)
    assert code == 1
    assert f"api/v1: documents would replace {number} files that no build wrote" in said
    assert "manifest.json, the list of an earlier build's files, is missing" in said
    assert "`catalog-api build --replace` replaces the whole folder" in said
    assert len(times(published)) == number + 1
    assert build(published, "--replace")[0] == 0
    assert check(published.folder / "site", "/catalog") == []
    assert not (api(published) / "stale.json").exists()


def test_mkdocs_clears_the_site_so_a_lost_manifest_does_not_stop_it(published: SiteFolder) -> None:
    (api(published) / "manifest.json").unlink()
    dirty = published.mkdocs(dirty=True)
    assert dirty.failed
    assert any("`mkdocs build` without `--dirty`" in text for text in dirty.logged())
    assert not published.mkdocs().failed


def test_a_manifest_of_another_program_is_not_ours(published: SiteFolder) -> None:
    (api(published) / "manifest.json").write_text('{"generator": {"name": "other"}, "documents": {}}')
    code, said = build(published)
    assert code == 1
    assert "manifest.json, the list of an earlier build's files, is of another program" in said


def test_a_file_in_the_way_is_named_and_only_replace_removes_it(published: SiteFolder) -> None:
    published.image("gamma")
    (api(published) / "images/gamma").mkdir()
    for name in ("images/gamma/index.json", "badge/gamma/cves.json", "notes.json"):
        (api(published) / name).parent.mkdir(parents=True, exist_ok=True)
        (api(published) / name).write_text('"mine"')
    code, said = build(published)
    assert code == 1
    assert (
        "api/v1: documents would replace 2 files that no build wrote, such as badge/gamma/cves.json" in said
    )
    for name in ("images/gamma/index.json", "badge/gamma/cves.json"):
        assert (api(published) / name).read_text() == '"mine"'
    assert "notes.json" not in said
    assert build(published, "--replace")[0] == 0
    assert (api(published) / "notes.json").read_text() == '"mine"'
    (api(published) / "notes.json").unlink()
    (published.folder / "site/images/gamma").mkdir()
    (published.folder / "site/images/gamma/index.html").touch()
    assert check(published.folder / "site", "/catalog") == []


@pytest.mark.parametrize("name", ["api", "api/v1"])
def test_nothing_is_published_through_a_link(published: SiteFolder, name: str) -> None:
    place, aside = published.folder / "site" / name, published.folder / "aside"
    place.rename(aside)
    place.symlink_to(aside)
    before = sorted(aside.rglob("*"))
    for options in ((), ("--replace",)):
        code, said = build(published, *options)
        assert code == 1
        assert f"{name}: api/v1 would be written here, but nothing is written through a link" in said
    assert place.is_symlink()
    assert sorted(aside.rglob("*")) == before


@pytest.mark.parametrize("link", ["_headers", "feeds", "feeds/updates.xml"])
def test_files_beside_the_api_are_not_written_through_a_link(site: SiteFolder, link: str) -> None:
    small(site).settings |= {"feeds": True, "headers": "netlify"}
    outside = site.write("outside/updates.xml", "{}").parent
    place = site.folder / "site" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside if link == "feeds" else outside / "updates.xml")
    code, said = build(site)
    assert code == 1
    assert "nothing is written through a link" in said
    assert f"{link}: " in said
    assert (outside / "updates.xml").read_text() == "{}"
    assert [path.name for path in outside.iterdir()] == ["updates.xml"]
    assert not api(site).exists()


def test_a_site_file_is_put_in_place_as_a_whole(tmp_path: Path) -> None:
    site, staging = tmp_path / "site", tmp_path / "staging"
    staging.mkdir()
    put(site, ".well-known/vex-repository.json", b"{}", staging)
    target = site / ".well-known/vex-repository.json"
    assert target.read_bytes() == b"{}"
    os.utime(target, ns=(OLD, OLD))
    put(site, ".well-known/vex-repository.json", b"{}", staging)
    assert target.stat().st_mtime_ns == OLD
    reader = tmp_path / "reader"
    reader.hardlink_to(target)
    put(site, ".well-known/vex-repository.json", b"[]", staging)
    assert (target.read_bytes(), reader.read_bytes()) == (b"[]", b"{}")
    assert list(staging.iterdir()) == []


def test_a_site_file_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "calendar").write_text("mine")
    with pytest.raises(CatalogError) as refused:
        put(tmp_path, "calendar/releases.ics", b"", tmp_path)
    (problem,) = refused.value.problems
    assert (problem.file, problem.message) == (
        "calendar",
        "calendar/releases.ics would require a folder instead of this file",
    )


def test_the_site_itself_may_be_a_link(site: SiteFolder) -> None:
    (site.folder / "real").mkdir()
    (site.folder / "site").symlink_to("real")
    small(site).settings |= {"feeds": True, "headers": "netlify"}
    assert not site.mkdocs().failed
    assert build(site)[0] == 0
    assert check(site.folder / "real", "/catalog") == []
    assert (site.folder / "real/_headers").is_file()


def test_a_rename_that_fails_changes_nothing(published: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: path.read_bytes() for path in api(published).rglob("*.json")}
    rename = Path.rename

    def fail(self: Path, target: Any) -> Path:
        if self.name == "documents":
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    published.config["site_name"] = "Another"
    assert build(published)[0] == 1
    assert {path: path.read_bytes() for path in api(published).rglob("*.json")} == before
    assert [path for path in published.folder.iterdir() if path.name.startswith(".")] == []


def test_staged_documents_that_are_kept_can_be_published_again(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "site")
    manifest = json.dumps({"generator": {"name": "mkdocs-catalog-api"}, "documents": {"a/b.json": {}}})
    save(staging.documents, "a/b.json", b"{}")
    save(staging.documents, "manifest.json", manifest.encode())
    for _ in range(2):
        publish(staging, tmp_path / "site", keep=True)
        assert (tmp_path / "site/api/v1/a/b.json").read_bytes() == b"{}"
        shutil.rmtree(tmp_path / "site")
    staging.remove()
    assert list(tmp_path.iterdir()) == [], "nothing is put back after the site is gone"


def test_the_problems_of_publishing_are_all_told_at_once(published: SiteFolder) -> None:
    published.image("gamma")
    for name in ("images/gamma/index.json", "badge/gamma/cves.json"):
        (api(published) / name).parent.mkdir(parents=True, exist_ok=True)
        (api(published) / name).touch()
    assert "would replace 2 files that no build wrote" in build(published)[1]
