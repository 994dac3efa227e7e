"""How the plugin lives with MkDocs's own settings and commands, and what it does when something breaks."""

from __future__ import annotations

import errno
import os
import shutil
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.catalog.addresses import PREFIX
from mkdocs_catalog_api.publish import staging

from .contract import check
from .sites import SiteFolder
from .test_build import small

LINKS = "# Home\n\n[images](api/v1/images.json) [badge](api/v1/badge/cves.json) [API](api/v1/openapi.json)\n"
UPDATE = "images/alpha/index.json"


def settings(site: SiteFolder, **config: Any) -> SiteFolder:
    """The small catalog with other settings of MkDocs."""
    site.config |= config
    return small(site)


def leftovers(site: SiteFolder) -> list[str]:
    """Everything beside the site's sources that a build left, the site itself aside."""
    return sorted(path.name for path in site.folder.iterdir() if path.name.startswith("."))


@pytest.mark.parametrize(
    ("site_url", "base", "directories"),
    [
        ("https://example.org/catalog", "/catalog", True),
        ("https://example.org/a/b/", "/a/b", False),
        ("https://example.org/Käse & b%20c/", "/K%C3%A4se%20&%20b%20c", True),
        ("https://example.org", "", True),
        ("", "", True),
        (None, "", False),
    ],
)
def test_links_follow_the_address_of_the_site(
    site: SiteFolder, site_url: str | None, base: str, directories: bool
) -> None:
    settings(site, site_url=site_url, use_directory_urls=directories)
    site.write("docs/index.md", LINKS)
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    assert check(site.folder / "site", base) == []
    page = "images/alpha/" if directories else "images/alpha.html"
    assert result.json(UPDATE)["data"]["url"] == f"{base}/{page}"
    assert any("site_url: not set" in text for text in result.logged(20)) == (not site_url)


@pytest.mark.parametrize("directories", [True, False])
def test_links_in_markdown_lead_to_the_documents(site: SiteFolder, directories: bool) -> None:
    settings(site, use_directory_urls=directories)
    site.page("deep/page.md", "title: Deep", "[images](../api/v1/images.json)")
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    html = site.folder / ("site/deep/page/index.html" if directories else "site/deep/page.html")
    link = html.read_text("utf-8").split('json">images')[0].rpartition('href="')[2] + "json"
    assert (html.parent / link).resolve() == (result.api / "images.json").resolve()


def test_a_link_to_a_document_that_does_not_exist_is_a_warning(site: SiteFolder) -> None:
    small(site).write("docs/index.md", "# Home\n\n[images](api/v1/imges.json)\n")
    assert site.mkdocs(strict=True).failed


@pytest.mark.parametrize(("lookups", "failed"), [(["cves"], False), (["renovate"], True)])
def test_a_link_to_a_lookup_leads_there_unless_it_is_left_out(
    site: SiteFolder, lookups: list[str], failed: bool
) -> None:
    site.settings["lookups"] = lookups
    small(site).write("docs/index.md", "# Home\n\n[CVEs](api/v1/cves/index.json)\n")
    assert site.mkdocs(strict=True).failed == failed


def test_drafts_and_excluded_pages_are_no_items(site: SiteFolder) -> None:
    settings(site, draft_docs="draft-*.md\n", exclude_docs="/images/old.md\n", nav=["index.md"])
    site.config["not_in_nav"] = "/images/beta.md\n"
    site.image("draft-one", "versions: [1]")
    site.image("old", "versions: [1]")
    result = site.mkdocs()
    assert [image["slug"] for image in result.json("images.json")["data"]] == ["alpha", "beta"]
    assert check(site.folder / "site", "/catalog") == []


def test_a_dirty_build_gives_the_whole_api(site: SiteFolder) -> None:
    first = small(site).mkdocs().bytes()
    dirty = site.mkdocs(dirty=True)
    assert dirty.bytes() == first
    site.image("beta", "versions: [2.0, 2.1]")
    assert [
        v["version"] for v in site.mkdocs(dirty=True).json("images/beta/index.json")["data"]["versions"]
    ] == [
        "2.1",
        "2.0",
    ]
    assert check(site.folder / "site", "/catalog") == []


def test_a_dirty_build_removes_what_is_gone_and_keeps_what_is_not_ours(site: SiteFolder) -> None:
    small(site).mkdocs()
    api = site.folder / "site" / PREFIX
    (api / "images/notes.txt").write_text("the author's")
    (site.folder / "docs/images/beta.md").unlink()
    site.write("docs/charts/stack.md", "---\ncatalog: false\n---\n")
    result = site.mkdocs(dirty=True)
    assert not result.failed
    assert not (api / "images/beta").exists()
    assert not (api / "charts/stack").exists()
    assert (api / "images/notes.txt").read_text() == "the author's"


def test_the_plugin_can_be_switched_off(site: SiteFolder) -> None:
    site.settings["enabled"] = False
    small(site).write("docs/index.md", "# Home\n")
    assert not site.mkdocs(strict=True).failed
    assert not (site.folder / "site/api").exists()


def test_an_authors_file_in_the_place_of_a_document_is_refused(site: SiteFolder) -> None:
    small(site).write("docs/api/v1/images.json", "[]")
    site.write("docs/api/v1/images/alpha/index.json", "{}")
    site.write("docs/api/v1/notes.txt", "stays")
    result = site.mkdocs()
    assert result.failed
    assert not (site.folder / "site/api").exists()
    named = [text.split(":")[0] for text in result.logged() if "this file becomes" in text]
    assert named == ["docs/api/v1/images.json", "docs/api/v1/images/alpha/index.json"]


@pytest.mark.parametrize("name", ["api", "api/v1"])
def test_an_authors_file_in_the_place_of_a_folder_is_refused(site: SiteFolder, name: str) -> None:
    small(site).write(f"docs/{name}", "a file without a suffix")
    result = site.mkdocs()
    assert result.failed
    (said,) = [text for text in result.logged() if text.startswith(f"{name}: ")]
    assert "this file (move or rename the file)" in said
    assert (site.folder / "site" / name).read_text() == "a file without a suffix"
    assert leftovers(site) == []


def test_a_page_that_can_not_be_read_is_named(site: SiteFolder) -> None:
    small(site)
    (site.folder / "docs/images/gone.md").symlink_to("nowhere.md")
    result = site.mkdocs()
    assert result.failed
    assert any("docs/images/gone.md: can't be read" in text for text in result.logged()), result.logged()
    (site.folder / "docs/images/gone.md").unlink()
    site.write("docs/images/latin.md", b"---\ncategory: Caf\xe9\n---\n")
    result = site.mkdocs()
    assert [text for text in result.logged() if "latin" in text] == [
        "docs/images/latin.md: the page is not UTF-8 (save it as UTF-8)"
    ]


BREAKING_HOOK = """
def {event}(*args, **kwargs):
    raise {error}("another plugin")
"""


@pytest.mark.parametrize("error", ["PluginError", "ZeroDivisionError"])
@pytest.mark.parametrize("event", ["on_post_page", "on_post_build"])
def test_a_failure_of_another_plugin_leaves_no_half_api(site: SiteFolder, event: str, error: str) -> None:
    small(site).write(
        "hooks.py",
        "from mkdocs.exceptions import PluginError\n" + BREAKING_HOOK.format(event=event, error=error),
    )
    site.config["hooks"] = ["hooks.py"]
    if error == "PluginError":
        assert site.mkdocs().failed
    else:
        with pytest.raises(ZeroDivisionError):
            site.mkdocs()
    assert leftovers(site) == []
    assert not (site.folder / "site/api").exists() or check(site.folder / "site", "/catalog") == []


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device"),
        (OSError(), "OSError"),
        (MemoryError(), "memory ran out"),
    ],
)
def test_a_full_disk_leaves_the_old_api(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    before = small(site).mkdocs().bytes()
    written: list[int] = []

    def full(file: FileIO, data: bytes) -> int:
        written.append(len(data))
        if len(written) > 10:
            raise error
        return real(file, data)

    real = FileIO.write
    site.image("gamma", "versions: [1]")
    with monkeypatch.context() as patch:
        patch.setattr(staging, "FileIO", type("Full", (FileIO,), {"write": full}))
        result = site.mkdocs(dirty=True)
    assert result.failed
    assert f"the API can't be written: {why}" in result.logged()[-2]
    assert result.bytes() == before
    assert leftovers(site) == []


def test_documents_that_can_not_be_moved_leave_the_old_api(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = small(site).mkdocs().bytes()

    def failing(self: Path, target: Path) -> Path:
        if self.name == "documents":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(self, target)

    real = Path.rename
    site.image("gamma", "versions: [1]")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", failing)
        result = site.mkdocs(dirty=True)
    assert result.failed
    assert any("the API can't be published" in text for text in result.logged())
    assert result.bytes() == before
    assert leftovers(site) == []


@pytest.mark.parametrize(
    "manifest",
    [
        '{"generator": {"name": "another"}, "documents": {"notes.txt": {}}}',
        '{"generator": {"name": "mkdocs-catalog-api"}, "documents": {"../../../precious.txt": {}, "..": {}}}',
        '{"generator": {"name": "mkdocs-catalog-api"}, "documents": {"/etc/passwd": {}, "": {}}}',
        '{"generator": "mkdocs-catalog-api", "documents": []}',
        '{"generator": {"name": "mkdocs-catalog-api"}, "documents": null}',
        "[" * 100_000,
        "\udc80",
    ],
)
def test_a_manifest_never_reaches_beyond_the_api(site: SiteFolder, manifest: str) -> None:
    small(site)
    precious = site.write("precious.txt", "outside")
    page = site.write("site/index.html", "a page")
    site.write("site/api/v1/notes.txt", "the author's")
    site.write("site/api/v1/manifest.json", manifest.encode("utf-8", "surrogateescape"))
    result = site.mkdocs(dirty=True)
    assert precious.read_text() == "outside"
    assert page.exists()
    assert (site.folder / "site/api/v1/notes.txt").read_text() == "the author's"
    ours = '{"name": "mkdocs-catalog-api"}' in manifest and "null" not in manifest
    assert result.failed != ours, "a manifest that is not ours is a file that we must not replace"


def test_links_that_stand_in_the_api_are_not_followed(site: SiteFolder) -> None:
    small(site).mkdocs()
    api = site.folder / "site" / PREFIX
    outside = site.write("outside/precious.json", "{}").parent
    (api / "linked").symlink_to(outside, target_is_directory=True)
    (api / "linked.json").symlink_to(outside / "precious.json")
    shutil.rmtree(api / "images")
    (api / "images").symlink_to(outside, target_is_directory=True)
    assert site.mkdocs(dirty=True).failed
    assert [path.name for path in outside.iterdir()] == ["precious.json"]
    (api / "images").unlink()
    assert not site.mkdocs(dirty=True).failed
    assert (api / "linked").is_symlink()
    assert (api / "linked.json").is_symlink()
    assert [path.name for path in outside.iterdir()] == ["precious.json"]


def test_an_api_folder_that_is_a_link_is_replaced_not_emptied(site: SiteFolder) -> None:
    small(site)
    outside = site.write("outside/precious.json", "{}").parent
    (site.folder / "site/api").mkdir(parents=True)
    (site.folder / "site" / PREFIX).symlink_to(outside, target_is_directory=True)
    site.mkdocs(dirty=True)
    assert [path.name for path in outside.iterdir()] == ["precious.json"]


def test_a_site_on_another_file_system_is_published(site: SiteFolder) -> None:
    memory = Path("/dev/shm")  # noqa: S108
    if not os.access(memory, os.W_OK) or memory.stat().st_dev == site.folder.stat().st_dev:
        pytest.skip("no second file system here")
    small(site)
    target = memory / f"catalog-api-{os.getpid()}"
    target.mkdir()
    try:
        (site.folder / "site").symlink_to(target)
        result = site.mkdocs()
        assert not result.failed, result.logged()
        assert check(target, "/catalog") == []
        assert [path.name for path in target.iterdir() if path.name.startswith(".")] == []
    finally:
        shutil.rmtree(target)
