"""An API takes the place of an earlier one: what stays, what keeps its time, and what stops it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.problems import CatalogError
from mkdocs_catalog_api.publish import staging
from mkdocs_catalog_api.publish.site_files import put
from mkdocs_catalog_api.publish.staging import Staging, save
from mkdocs_catalog_api.publish.swap import publish, remember

from .contract import check
from .sites import SiteFolder
from .test_build import small
from .test_cli import call, tree

OLD = 1_000_000_000_000_000_000
"""Nanoseconds: 2001-09-09."""


def build(site: SiteFolder, *options: str) -> tuple[int, str]:
    done = call("build", "-f", site.write_config(), *options)
    return done.exit_code, done.output


def api(site: SiteFolder) -> Path:
    return site.folder / "site/api/v1"


@pytest.fixture
def published(site: SiteFolder) -> SiteFolder:
    assert not small(site).build().failed
    return site


def refused(site: SiteFolder, *told: str, options: tuple[str, ...] = ()) -> None:
    """The build ends with an error of these words, and leaves nothing beside the site."""
    code, said = build(site, *options)
    assert (code, [words for words in told if words not in said]) == (1, [])
    assert not [path.name for path in site.folder.iterdir() if path.name.startswith(".")]


def age(site: SiteFolder) -> None:
    for path in api(site).rglob("*.*"):
        os.utime(path, ns=(OLD, OLD))


def times(site: SiteFolder) -> dict[str, int]:
    files = api(site).rglob("*.*")
    return {path.relative_to(api(site)).as_posix(): path.stat().st_mtime_ns for path in files}


def test_a_document_that_is_the_same_keeps_its_time(published: SiteFolder) -> None:
    before = tree(api(published))
    age(published)
    published.config["site_name"] = "Another"
    path = api(published) / "charts.json"
    path.write_bytes(path.read_bytes().replace(b"stack", b"STACK"))
    assert build(published)[0] == 0
    assert b"stack" in path.read_bytes()
    kept = {path for path, time in times(published).items() if time == OLD}
    same = {path for path, body in tree(api(published)).items() if before[path] == body}
    assert kept == {path for path in same if path.endswith((".json", ".txt"))} - {"charts.json"}, (
        "it was changed"
    )
    assert "images.json" in kept and "index.json" not in kept


def test_a_lost_manifest_is_explained_and_replace_replaces(published: SiteFolder) -> None:
    number = len(times(published)) - 1
    (api(published) / "manifest.json").unlink()
    (api(published) / "stale.json").write_text("{}")
    refused(
        published,
        f"api/v1: documents would replace {number} files that no build wrote",
        "manifest.json, the list of an earlier build's files, is missing",
    )
    assert build(published, "--replace")[0] == 0
    assert check(published.folder / "site", "/catalog") == []
    assert not (api(published) / "stale.json").exists()


def test_mkdocs_clears_the_site_so_a_lost_manifest_does_not_stop_it(published: SiteFolder) -> None:
    age(published)
    assert not published.mkdocs().failed
    assert {path for path, time in times(published).items() if time != OLD} <= {"manifest.json"}
    (api(published) / "manifest.json").unlink()
    dirty = published.mkdocs(dirty=True)
    assert dirty.failed
    assert any("`mkdocs build` without `--dirty`" in text for text in dirty.logged())
    assert not published.mkdocs().failed


ENTRY = json.dumps({"sha256": "0" * 64, "bytes": 1})
OURS = '{"generator": {"name": "mkdocs-catalog-api"}, "documents": '


@pytest.mark.parametrize(
    ("manifest", "ours"),
    [
        (OURS.replace("mkdocs-catalog-api", "another") + f'{{"notes.txt": {ENTRY}}}}}', False),
        (OURS + f'{{"../../../precious.txt": {ENTRY}, "/etc/passwd": {ENTRY}}}}}', True),
        (OURS + '{"images.json": {}}}', False),
        ("[" * 100_000, False),
        ("\udc80", False),
    ],
)
def test_a_manifest_never_reaches_beyond_the_api(site: SiteFolder, manifest: str, ours: bool) -> None:
    kept = {"precious.txt": "outside", "site/about.html": "a page", "site/api/v1/notes.txt": "the author's"}
    for path, text in kept.items():
        small(site).write(path, text)
    site.write("site/api/v1/manifest.json", manifest.encode("utf-8", "surrogateescape"))
    assert {*remember(site.folder / "site")} == ({"manifest.json"} if ours else set())
    code, said = build(site)
    assert code == (not ours), "a manifest that is not ours is a file that we must not replace"
    assert ("list of an earlier build's files, is of another program" in said) == (not ours)
    assert {path: (site.folder / path).read_text() for path in kept} == kept


def test_what_is_gone_is_removed_and_what_is_not_ours_is_kept(published: SiteFolder) -> None:
    (api(published) / "images/notes.txt").write_text("the author's")
    (published.folder / "docs/images/beta.md").unlink()
    published.write("docs/charts/stack.md", "---\ncatalog: false\n---\n")
    assert build(published)[0] == 0
    assert not (api(published) / "images/beta").exists()
    assert not (api(published) / "charts/stack").exists()
    assert (api(published) / "images/notes.txt").read_text() == "the author's"


def test_a_file_in_the_way_is_named_and_only_replace_removes_it(published: SiteFolder) -> None:
    published.image("gamma")
    ways, notes = ("images/gamma/index.json", "badge/gamma/cves.json"), "notes.json"
    for name in (*ways, notes):
        published.write(f"site/api/v1/{name}", '"mine"')
    refused(published, "documents would replace 2 files that no build wrote, such as badge/gamma/cves.json")
    assert [(api(published) / name).read_text() for name in ways] == ['"mine"'] * 2
    assert build(published, "--replace")[0] == 0
    assert [(api(published) / name).read_text() == '"mine"' for name in (*ways, notes)] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("api", "this file (move or rename the file)"),
        ("api/v1", "this file (move or rename the file)"),
        ("feeds", "feeds/updates.xml would require a folder instead of this file"),
    ],
)
def test_a_file_in_the_place_of_a_folder_is_named(site: SiteFolder, name: str, told: str) -> None:
    site.settings["feeds"] = True
    place = small(site).write(f"site/{name}", "a file without a suffix")
    refused(site, f"{name}: ", told)
    assert place.read_text() == "a file without a suffix"


@pytest.mark.parametrize(("name", "option"), [("api", "--quiet"), ("api/v1", "--replace")])
def test_nothing_is_published_through_a_link(published: SiteFolder, name: str, option: str) -> None:
    place, aside = published.folder / "site" / name, published.folder / "aside"
    place.rename(aside)
    place.symlink_to(aside)
    before = tree(aside)
    told = f"{name}: api/v1 would be written here, but nothing is written through a link"
    refused(published, told, options=(option,))
    assert place.is_symlink() and tree(aside) == before


def test_links_that_stand_in_the_api_are_not_followed(published: SiteFolder) -> None:
    outside = published.write("outside/precious.json", "{}").parent
    links = api(published) / "linked", api(published) / "linked.json", api(published) / "images"
    shutil.rmtree(links[2])
    for link, target in zip(links, (outside, outside / "precious.json", outside), strict=True):
        link.symlink_to(target)
    assert build(published)[0] == 1
    links[2].unlink()
    assert build(published)[0] == 0
    assert [link.is_symlink() for link in links] == [True, True, False]
    assert [path.name for path in outside.iterdir()] == ["precious.json"]


@pytest.mark.parametrize("link", ["_headers", "feeds"])
def test_files_beside_the_api_are_not_written_through_a_link(site: SiteFolder, link: str) -> None:
    small(site).settings |= {"feeds": True, "headers": "netlify"}
    outside = site.write("outside/updates.xml", "{}").parent
    (site.folder / "site").mkdir()
    (site.folder / "site" / link).symlink_to(outside if link == "feeds" else outside / "updates.xml")
    refused(site, "nothing is written through a link", f"{link}: ")
    assert tree(outside) == {"updates.xml": b"{}"}
    assert not api(site).exists()


def test_a_site_file_is_put_in_place_as_a_whole(tmp_path: Path) -> None:
    site, stage = tmp_path / "site", tmp_path / "staging"
    stage.mkdir()
    target = site / ".well-known/vex-repository.json"
    for _ in range(2):
        put(site, ".well-known/vex-repository.json", b"{}", stage)
        assert target.read_bytes() == b"{}"
        os.utime(target, ns=(OLD, OLD))
    assert target.stat().st_mtime_ns == OLD
    reader = tmp_path / "reader"
    reader.hardlink_to(target)
    put(site, ".well-known/vex-repository.json", b"[]", stage)
    assert (target.read_bytes(), reader.read_bytes()) == (b"[]", b"{}")
    with pytest.raises(CatalogError):  # a file is no folder
        put(tmp_path, "reader/releases.ics", b"", stage)
    assert list(stage.iterdir()) == []


@pytest.mark.parametrize("memory", [False, True])
def test_the_site_itself_may_be_a_link_and_on_another_file_system(site: SiteFolder, memory: bool) -> None:
    folder = "/dev/shm" if memory and Path("/dev/shm").is_dir() else None  # noqa: S108
    with tempfile.TemporaryDirectory(dir=folder) as target:
        (site.folder / "site").symlink_to(target)
        small(site).settings |= {"feeds": True, "headers": "netlify"}
        assert not site.mkdocs().failed
        assert build(site)[0] == 0
        assert check(Path(target), "/catalog") == []
        assert (Path(target) / "_headers").is_file()
        assert [path.name for path in Path(target).iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device"),
        (MemoryError(), "memory ran out"),
        (PermissionError(13, "Permission denied"), "Permission denied"),
    ],
)
def test_what_fails_on_the_disk_leaves_the_old_api(
    published: SiteFolder, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    """While a document is written, or as they are moved."""
    before, rename, as_moved = tree(api(published)), Path.rename, isinstance(error, PermissionError)

    class Full(FileIO):
        def write(self, data: Any) -> int:
            if b"gamma" in bytes(data) and not as_moved:
                raise error
            return super().write(data)

    def fail(self: Path, target: Any) -> Path:
        if self.name == "documents" and as_moved:
            raise error
        return rename(self, target)

    published.image("gamma", "versions: [1]")
    with monkeypatch.context() as patch:
        patch.setattr(staging, "FileIO", Full)
        patch.setattr(Path, "rename", fail)
        refused(published, f"the API can't be written: {told}")
    assert tree(api(published)) == before


def test_staged_documents_that_are_kept_can_be_published_again(tmp_path: Path) -> None:
    stage = Staging(tmp_path / "site")
    save(stage.documents, "a/b.json", b"{}")
    save(stage.documents, "manifest.json", f'{OURS}{{"a/b.json": {{}}}}}}'.encode())
    for _ in range(2):
        publish(stage, tmp_path / "site", keep=True)
        assert (tmp_path / "site/api/v1/a/b.json").read_bytes() == b"{}"
        shutil.rmtree(tmp_path / "site")
    stage.remove()
    assert list(tmp_path.iterdir()) == [], "nothing is put back after the site is gone"
