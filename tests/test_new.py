"""`catalog-api new`: a short page to begin with, and the page that lists it."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from mkdocs_catalog_api.catalog.collections import COLLECTIONS, ITEM_MODELS

from .authors import REQUIRED, configure, told
from .sites import SiteFolder, run
from .test_cli import call, tree

KINDS = [(COLLECTIONS[name].stem.lower(), name) for name in ITEM_MODELS]


@pytest.mark.parametrize("settings", ["", 'registry: a.b\nimages: {pages: "other/*.md"}'])
@pytest.mark.parametrize(("kind", "resource"), KINDS)
def test_a_new_page_passes(site: SiteFolder, kind: str, resource: str, settings: str) -> None:
    configure(site, settings or "registry: ghcr.io/acme")
    if settings:  # and the new page is elsewhere
        site.page("other/a.md", f"{REQUIRED}\nimage: a.b/c")
    config = site.folder / "mkdocs.yml"
    assert call("new", kind, "NGINX: the #1 (Ingress)", "-f", config).exit_code == 0
    page = site.folder / f"docs/{resource}/nginx-the-1-ingress.md"
    elsewhere = "catalog: images\n" if settings and kind == "image" else ""
    assert page.read_text("utf-8") == f"---\n{elsewhere}name: 'NGINX: the #1 (Ingress)'\n---\n"
    checked = call("build", "--strict", "-f", config)
    assert checked.exit_code == 0, checked.stderr
    *_, item = json.loads((site.folder / f"site/api/v1/{resource}.json").read_bytes())["data"]
    assert (item["name"], item["slug"]) == ("NGINX: the #1 (Ingress)", "nginx-the-1-ingress")
    assert (item["category"], item["categories"], item["tier"], item["license"]) == (None, [], None, None)


@pytest.mark.parametrize(("kind", "resource"), KINDS)
def test_the_first_page_of_a_folder_comes_with_the_list(site: SiteFolder, kind: str, resource: str) -> None:
    configure(site)
    config, page = site.folder / "mkdocs.yml", site.folder / f"docs/{resource}/index.md"
    result = call("new", kind, "redis", "nginx", "-f", config)
    assert [line.rpartition("docs/")[2] for line in result.stdout.splitlines()] == [
        f"{resource}/index.md",
        f"{resource}/redis.md",
        f"{resource}/nginx.md",
    ]
    assert f"<!-- catalog: {resource} -->" in page.read_text("utf-8")
    site_result = run(config, strict=True)
    assert not site_result.failed, site_result.logged()
    html = (site.folder / f"site/{resource}/index.html").read_text("utf-8")
    assert "../images/nginx/" in html or 'href="nginx/"' in html or f"{resource}/nginx/" in html
    page.unlink()
    assert "index.md" not in call("new", kind, "more", "-f", config).stdout


def test_without_a_registry_no_image_is_made_up(site: SiteFolder) -> None:
    """A reference that is only an example would leave the image without any scan, and nobody would know."""
    configure(site, "web: true")
    config = site.folder / "mkdocs.yml"
    result = call("new", "image", "nginx", "-f", config)
    assert result.exit_code == 0 and "`registry`" in result.stderr
    (problem,) = json.loads(call("check", "--json", "-f", config).stdout)["problems"]
    assert (problem["code"], problem["field"]) == ("CAT011", "image")
    assert call("new", "chart", "web", "-f", config).stderr == ""


def test_a_new_page_has_a_line_for_what_the_catalog_requires(site: SiteFolder) -> None:
    rules = "{tier: {values: [core, standard], required: true}, license: {required: true}, port: integer}"
    configure(site, f"registry: a.b/c\nimages: {{fields: {rules}, defaults: {{license: MIT}}}}")
    assert call("new", "image", "nginx", "-f", site.folder / "mkdocs.yml").exit_code == 0
    text = (site.folder / "docs/images/nginx.md").read_text("utf-8")
    assert text == "---\nname: nginx\ntier:  # core, standard\n---\n"
    refused, (problem,) = told(site)
    assert refused and "tier: missing required field" in problem


@pytest.mark.parametrize(
    ("name", "said"),
    [("nginx", "docs/images/nginx.md: already exists"), ("---", "is not a name that makes a slug")],
)
def test_what_can_not_be_begun_is_told_and_nothing_is_written(site: SiteFolder, name: str, said: str) -> None:
    configure(site)
    site.write("docs/images/nginx.md", "mine")
    before = tree(site.folder)
    result = call("new", "image", "-f", site.folder / "mkdocs.yml", "--", name)
    assert result.exit_code == 1 and said in result.stderr
    assert tree(site.folder) == before


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(), "OSError"),
        (OSError("the mount is gone"), "the mount is gone"),
        (OSError(errno.ENOSPC, None), "No space left on device"),
        (OSError(None, None), "OSError"),
        (OSError(errno.EIO, "broken", "nginx.md"), "broken"),
    ],
)
def test_a_page_that_can_not_be_written_is_told_with_a_reason(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, error: OSError, why: str
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    configure(site)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", failing)
        result = call("new", "image", "nginx", "-f", site.folder / "mkdocs.yml")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == f"error: docs/images/nginx.md: can't be written: {why} [CAT071]"


def test_faults_of_the_settings_are_told(site: SiteFolder) -> None:
    configure(site, "registri: a.b/c")
    result = call("new", "image", "nginx", "-f", site.folder / "mkdocs.yml")
    assert result.exit_code == 1 and "mkdocs.yml:6:7: catalog-api.registri: unknown setting" in result.stderr
