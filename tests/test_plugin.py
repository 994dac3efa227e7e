"""How the plugin lives with MkDocs's own settings and commands, and with the faults of other plugins."""

from __future__ import annotations

from typing import Any

import pytest

from .contract import check
from .sites import SiteFolder
from .test_build import small

LINKS = "# Home\n\n[images](api/v1/images.json) [badge](api/v1/badge/cves.json) [API](api/v1/openapi.json)\n"


def settings(site: SiteFolder, **config: Any) -> SiteFolder:
    """The small catalog with other settings of MkDocs."""
    site.config |= config
    return small(site)


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
    result = settings(site, site_url=site_url, use_directory_urls=directories).build(strict=True)
    assert not result.failed, result.logged()
    assert check(site.folder / "site", base) == []
    page = "images/alpha/" if directories else "images/alpha.html"
    assert result.at("images/alpha url") == f"{base}/{page}"
    assert any("site_url: not set" in text for text in result.logged(20)) == (not site_url)


@pytest.mark.parametrize("directories", [True, False])
def test_links_in_markdown_lead_to_the_documents(site: SiteFolder, directories: bool) -> None:
    settings(site, use_directory_urls=directories).write("docs/index.md", LINKS)
    site.page("deep/page.md", "title: Deep", "[images](../api/v1/images.json)")
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    html = site.folder / ("site/deep/page/index.html" if directories else "site/deep/page.html")
    link = html.read_text("utf-8").split('json">images')[0].rpartition('href="')[2] + "json"
    assert (html.parent / link).resolve() == (result.api / "images.json").resolve()


@pytest.mark.parametrize(
    ("link", "lookups", "failed"),
    [("imges.json", ["cves"], True), ("cves/index.json", ["cves"], False), ("cves/index.json", [], True)],
)
def test_a_link_to_a_document_that_does_not_exist_is_a_warning(
    site: SiteFolder, link: str, lookups: list[str], failed: bool
) -> None:
    site.settings["lookups"] = lookups
    small(site).write("docs/index.md", f"# Home\n\n[document](api/v1/{link})\n")
    assert site.mkdocs(strict=True).failed == failed


def test_a_dirty_build_gives_the_whole_api(site: SiteFolder) -> None:
    first = small(site).mkdocs().bytes()
    assert site.mkdocs(dirty=True).bytes() == first
    site.image("beta", "versions: [2.0, 2.1]")
    assert site.mkdocs(dirty=True).at("images/beta versions version") == ["2.1", "2.0"]
    assert check(site.folder / "site", "/catalog") == []


def test_the_plugin_can_be_switched_off(site: SiteFolder) -> None:
    site.settings["enabled"] = False
    small(site).write("docs/index.md", "# Home\n")
    assert not site.mkdocs(strict=True).failed
    assert not (site.folder / "site/api").exists()


HOOK = """
from mkdocs.exceptions import PluginError

def {}(*args, **kwargs):
    raise {}("another plugin")
"""


@pytest.mark.parametrize("error", ["PluginError", "ZeroDivisionError"])
@pytest.mark.parametrize("event", ["on_post_page", "on_post_build"])
def test_a_failure_of_another_plugin_leaves_no_half_api(site: SiteFolder, event: str, error: str) -> None:
    small(site).write("hooks.py", HOOK.format(event, error))
    site.config["hooks"] = ["hooks.py"]
    if error == "PluginError":
        assert site.mkdocs().failed
    else:
        with pytest.raises(ZeroDivisionError):
            site.mkdocs()
    assert not [path for path in site.folder.iterdir() if path.name.startswith(".")]
    assert not (site.folder / "site/api").exists() or check(site.folder / "site", "/catalog") == []
