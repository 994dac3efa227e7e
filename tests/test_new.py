"""`catalog-api new`: a page to begin with, which passes as it is."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from .authors import OWN_SETTINGS, REQUIRED, configure
from .sites import SiteFolder
from .test_cli import call, tree


@pytest.mark.parametrize("settings", ["", OWN_SETTINGS, 'registry: a.b\nimages: {pages: "other/*.md"}'])
@pytest.mark.parametrize(
    ("kind", "resource"), [("image", "images"), ("chart", "charts"), ("roadmap", "roadmap")]
)
def test_a_new_page_passes_in_any_catalog(site: SiteFolder, kind: str, resource: str, settings: str) -> None:
    configure(site, settings or "registry: ghcr.io/acme")
    if "pages" in settings:  # and the new page stands elsewhere
        site.page("other/a.md", f"{REQUIRED}\nimage: a.b/c")
    config = site.folder / "mkdocs.yml"
    assert call("new", kind, "NGINX: the #1 (Ingress)", "-f", config).exit_code == 0
    page = site.folder / f"docs/{resource}/nginx-the-1-ingress.md"
    assert page.is_file()
    built = call("build", "--strict", "-f", config)
    assert built.exit_code == 0, built.stderr
    *_, item = json.loads((site.folder / f"site/api/v1/{resource}.json").read_bytes())["data"]
    assert (item["name"], item["slug"]) == ("NGINX: the #1 (Ingress)", "nginx-the-1-ingress")


@pytest.mark.parametrize("kind", ["image", "chart", "roadmap"])
def test_all_that_a_new_page_has_as_comments_passes_too(site: SiteFolder, kind: str) -> None:
    configure(site, OWN_SETTINGS)
    config = site.folder / "mkdocs.yml"
    assert call("new", kind, "nginx", "-f", config).exit_code == 0
    (page,) = (path for path in (site.folder / "docs").rglob("nginx.md"))
    text = page.read_text("utf-8")
    assert "\n# homepage: " in text
    page.write_text(text.replace("\n# ", "\n"), encoding="utf-8")
    cycles = {"result": {"releases": [{"name": "1.0"}]}}
    site.write("advisories/endoflife/postgresql.json", json.dumps(cycles))
    checked = call("check", "--strict", "-f", config)
    assert checked.exit_code == 0, checked.stderr


def test_without_a_registry_no_image_is_made_up(site: SiteFolder) -> None:
    """A reference that is only an example would leave the image without any scan, and nobody would know."""
    configure(site, "web: true")
    config = site.folder / "mkdocs.yml"
    result = call("new", "image", "nginx", "-f", config)
    assert result.exit_code == 0 and "`registry`" in result.stderr
    (problem,) = json.loads(call("check", "--json", "-f", config).stdout)["problems"]
    assert (problem["code"], problem["field"]) == ("CAT011", "image")
    assert call("new", "chart", "web", "-f", config).stderr == ""


def test_a_new_page_names_the_words_of_the_catalog(site: SiteFolder) -> None:
    configure(site, OWN_SETTINGS)
    assert call("new", "image", "nginx", "-f", site.folder / "mkdocs.yml").exit_code == 0
    text = (site.folder / "docs/images/nginx.md").read_text("utf-8")
    assert "\ntier: core  # Level of support. (core, standard)\n" in text


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
