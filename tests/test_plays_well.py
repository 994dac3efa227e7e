"""The plugin with MkDocs's own settings, and beside the plugins that catalogs are built with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .contract import check
from .programs import need
from .sites import Result, SiteFolder
from .test_build import small
from .test_cli import call, tree

MATERIAL: dict[str, Any] = {"theme": {"name": "material", "font": False}}
IMAGE = "category: Tools\ntier: core\nlicense: MIT\n"


def build(site: SiteFolder, *plugins: str | dict[str, Any], base: str = "/catalog", **config: Any) -> Result:
    """Build with other plugins before ours, strictly, and check what was published.

    `catalog-api build` publishes the same bytes, and `catalog-api check` finds no problem either.
    """
    site.config |= {"plugins": [*plugins, {"catalog-api": site.settings}], **config}
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    assert result.logged() == []
    assert check(site.folder / "site", base) == []
    same_as_mkdocs(site)
    return result


def same_as_mkdocs(site: SiteFolder) -> None:
    path = site.folder / "mkdocs.yml"
    command = call("build", "--strict", "-f", path, "--site-dir", "other")
    assert command.exit_code == 0, command.output
    published, other = (tree(site.folder / name / "api") for name in ("site", "other"))
    assert {*published} == {*other}
    assert [name for name in published if published[name] != other[name]] in ([], ["v1/manifest.json"])
    checked = call("check", "--strict", "-f", path)
    assert (checked.exit_code, checked.output.count("warning: ")) == (0, 0), checked.output


def test_gen_files_writes_items(site: SiteFolder) -> None:
    script = f"""
    import mkdocs_gen_files

    for slug in ("one", "two"):
        with mkdocs_gen_files.open(f"images/{{slug}}.md", "w") as page:
            page.write('---\\n' + {IMAGE!r} + 'versions: [1.10]\\n---\\n\\n# Number ' + slug)
    """
    small(site).write("gen.py", script)
    result = build(site, {"gen-files": {"scripts": ["gen.py"]}})
    images = result.json("images.json")["data"]
    assert [(image["slug"], image["name"]) for image in images][2:] == [
        ("one", "Number one"),
        ("two", "Number two"),
    ]
    assert images[2]["latest"] == "1.10"


def test_meta_gives_what_the_pages_of_a_folder_share(site: SiteFolder) -> None:
    small(site).write("docs/images/.meta.yml", "description: 1.10\n")
    site.write("docs/images/deep/.meta.yml", f"{IMAGE}platforms: [linux/amd64]\n")
    site.page("images/deep/one.md", "platforms: [linux/arm64]\nversions: [1.10]")
    result = build(site, "meta", **MATERIAL)
    one = result.json("images/one/index.json")["data"]
    assert (one["description"], one["tier"]) == ("1.10", "core")
    assert one["platforms"] == ["linux/amd64", "linux/arm64"]


def test_blog_tags_and_search(site: SiteFolder) -> None:
    small(site).write("docs/blog/index.md", "# Blog\n")
    site.page(
        "blog/posts/news.md", "date: 2026-11-01\ntags: [news]", "# News\n\n[images](../../api/v1/images.json)"
    )
    site.page("blog/posts/draft.md", "date: 2026-11-01\ndraft: true\ncatalog: images", "# Draft")
    site.image("one", "tags: [base]\nstatus: new\nicon: material/cube\nhide: [toc]\nversions: [1]")
    site.page("tags.md", "title: Tags", "<!-- material/tags -->")
    result = build(site, "search", "blog", "tags", **MATERIAL)
    assert [image["slug"] for image in result.json("images.json")["data"]] == ["alpha", "beta", "one"]
    assert "images.json" in (site.folder / "site/blog/2026/11/01/news/index.html").read_text("utf-8")


def test_macros_change_front_matter_and_headings(site: SiteFolder) -> None:
    small(site).write(
        "main.py",
        """
        def define_env(env):
            env.variables["product"] = "One & Only"

        def on_pre_page_macros(env):
            if env.page.file.src_uri == "images/one.md":
                env.page.meta["tier"] = "from macros"
                env.page.meta["versions"] = ["1.10", {"version": "1.9"}]
        """,
    )
    site.page("images/one.md", IMAGE + "versions: [1.0]", "# {{ product }}")
    one = build(site, {"macros": {"module_name": "main"}}).json("images/one/index.json")["data"]
    assert (one["name"], one["tier"], one["latest"]) == ("One & Only", "from macros", "1.10")
    assert [version["version"] for version in one["versions"]] == ["1.10", "1.9"]


@pytest.mark.parametrize("directories", [True, False])
def test_plugins_that_order_exclude_redirect_and_show(site: SiteFolder, directories: bool) -> None:
    small(site).write("docs/.nav.yml", "nav:\n  - index.md\n  - images\n")
    site.write("docs/index.md", "# Home\n")
    site.write("docs/deep/reference.md", '# Reference\n\n<swagger-ui src="../api/v1/openapi.json"/>\n')
    site.image("gone", "versions: [1]")
    result = build(
        site,
        *("awesome-nav", "swagger-ui-tag"),
        {"exclude": {"glob": ["images/gone.*"]}},
        {"redirects": {"redirect_maps": {"old.md": "images/alpha.md"}}},
        {"mike": {"alias_type": "copy"}},
        use_directory_urls=directories,
    )
    assert result.at("images slug") == ["alpha", "beta"]
    old = site.folder / ("site/old/index.html" if directories else "site/old.html")
    assert "images/alpha" in old.read_text("utf-8")
    folder = site.folder / ("site/deep/reference" if directories else "site/deep")
    (frame,) = folder.glob("swagger-*.html")
    link = frame.read_text("utf-8").split('openapi.json"')[0].rpartition('"')[2] + "openapi.json"
    assert (folder / link).resolve() == (site.folder / "site/api/v1/openapi.json").resolve()


def test_a_navigation_of_pages(site: SiteFolder) -> None:
    small(site).write("docs/SUMMARY.md", "* [Home](index.md)\n* [Label in the navigation](images/)\n")
    site.write("docs/index.md", "# Home\n")
    build(site, "literate-nav", exclude_docs="SUMMARY.md")


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_pages_of_other_projects(site: SiteFolder) -> None:
    small(site).write("docs/index.md", "# Home\n")
    site.write("team/mkdocs.yml", "site_name: images/team\nnav: [{One: one.md}]\n")
    site.write("team/docs/one.md", f"---\n{IMAGE}versions: [1.10]\n---\n")
    nav = [{"Home": "index.md"}, {"Team": "!include ./team/mkdocs.yml"}]
    images = build(site, "monorepo", nav=nav).json("images.json")["data"]
    assert images[-1]["url"] == "/catalog/images/team/one/"


def test_a_plugin_that_changes_the_address_of_the_site(site: SiteFolder) -> None:
    small(site).write("hooks.py", "def on_config(config):\n    config.site_url += '2.0'\n")
    build(site, base="/catalog/2.0", hooks=["hooks.py"])


@pytest.mark.slow
def test_mike_gives_each_version_its_own_addresses(site: SiteFolder) -> None:
    need("git")
    site.config["plugins"] = [{"mike": {"alias_type": "copy"}}, {"catalog-api": site.settings}]
    site.config["theme"] = "material"  # mike prefers ProperDocs where it is installed, which has no theme
    small(site).write_config()
    roles = [f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # mike starts mkdocs by its name
    environment = os.environ | dict.fromkeys(roles, "a@b.c") | {"PATH": path}
    for command in (
        "git init -q -b main",
        "git add mkdocs.yml",
        "git commit -q -m Site",
        "mike deploy 2.0 latest",
        "git worktree add -q published gh-pages",
    ):
        subprocess.run(command.split(), cwd=site.folder, check=True, env=environment)
    published = site.folder / "published"
    assert check(published / "2.0", "/catalog/2.0") == []
    assert (published / "latest/api/v1/images.json").exists()


def test_what_a_hook_changes_counts(site: SiteFolder) -> None:
    """Also on a page whose front matter MkDocs can't read, and in place of a page's text."""
    hook = """
        import datetime
        from mkdocs.plugins import event_priority

        def on_page_markdown(markdown, page, **_):
            if page.file.src_uri == "images/one.md":
                page.meta["lifecycle"] = "deprecated"
                page.meta["versions"][0]["released"] = datetime.date(2026, 11, 1)
                page.meta["port"] = 8080
                page.meta["revised"] = "by the hook"
                del page.meta["homepage"]
            if page.file.src_uri == "images/two.md":
                page.meta["license"] = "ISC"

        @event_priority(100)
        def on_page_read_source(page, **_):
            return "# Read elsewhere" if page.file.src_uri == "about.md" else None
        """
    small(site).write("hooks.py", hook)
    site.settings["images"] = {"fields": {"port": "integer"}}
    site.page("images/one.md", IMAGE + "homepage: https://example.org\nversions: [{version: '1.10'}]")
    site.write("docs/about.md", "# As written")
    site.config |= {"hooks": ["hooks.py"]}
    result = site.mkdocs(strict=True)
    same_as_mkdocs(site)
    assert check(site.folder / "site", "/catalog", {"images": ["port"]}) == []
    assert not any("revised" in text for text in result.logged(20)), "no author can declare or remove it"
    one = result.at("images/one")
    assert (one["lifecycle"], one["homepage"], one["custom"]["port"]) == ("deprecated", None, 8080)
    assert (one["latest"], one["versions"][0]["released"]) == ("1.10", "2026-11-01")
    assert "Read elsewhere" in (site.folder / "site/about/index.html").read_text("utf-8")
    site.page("images/two.md", IMAGE + "homepage: https://nginx.org/\nbuilt: 2026-13-45")
    two = site.mkdocs().at("images/two")
    assert (two["license"], two["tier"], two["homepage"]) == ("ISC", "core", "https://nginx.org/")


# MkDocs's own settings and commands

LINKS = "# Home\n\n[images](api/v1/images.json) [badge](api/v1/badge/cves.json) [API](api/v1/openapi.json)\n"


@pytest.mark.parametrize(
    ("site_url", "base", "directories"),
    [
        ("https://example.org/catalog", "/catalog", True),
        ("https://example.org/a/b/", "/a/b", False),
        ("https://example.org/Käse & b%20c/", "/K%C3%A4se%20&%20b%20c", True),
        ("https://example.org", "", True),
        (None, "", False),
    ],
)
def test_links_follow_the_address_of_the_site(
    site: SiteFolder, site_url: str | None, base: str, directories: bool
) -> None:
    site.config |= {"site_url": site_url, "use_directory_urls": directories}
    result = small(site).build(strict=True)
    assert not result.failed, result.logged()
    assert check(site.folder / "site", base) == []
    page = "images/alpha/" if directories else "images/alpha.html"
    assert result.at("images/alpha url") == f"{base}/{page}"
    assert any("site_url: not set" in text for text in result.logged(20)) == (not site_url)


@pytest.mark.parametrize("directories", [True, False])
def test_links_in_markdown_lead_to_the_documents(site: SiteFolder, directories: bool) -> None:
    site.config["use_directory_urls"] = directories
    small(site).write("docs/index.md", LINKS)
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
