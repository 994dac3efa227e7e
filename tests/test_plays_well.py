"""The plugin beside the plugins that catalogs are built with, each in a site of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from .contract import check
from .programs import need
from .sites import Result, SiteFolder
from .test_build import small
from .test_cli import call, tree

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


def material(site: SiteFolder, *plugins: str | dict[str, Any], **config: Any) -> Result:
    return build(site, *plugins, theme={"name": "material", "font": False}, **config)


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


def test_problems_of_generated_pages_are_named(site: SiteFolder) -> None:
    small(site).write(
        "hooks.py",
        """
        from mkdocs.structure.files import File

        def on_files(files, config):
            page = "---\\ncategory: Tools\\n---\\n"
            files.append(File.generated(config, "images/one.md", content=page))
        """,
    )
    site.config["hooks"] = ["hooks.py"]
    site.settings["images"] = {"fields": {"tier": {"required": True}}}
    assert "images/one.md:2:1: tier: missing required field (add `tier: …`)" in site.mkdocs().logged()


def test_meta_gives_what_the_pages_of_a_folder_share(site: SiteFolder) -> None:
    small(site).write("docs/images/.meta.yml", "description: 1.10\n")
    site.write("docs/images/deep/.meta.yml", f"{IMAGE}platforms: [linux/amd64]\n")
    site.page("images/deep/one.md", "platforms: [linux/arm64]\nversions: [1.10]")
    result = material(site, "meta")
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
    result = material(site, "search", "blog", "tags")
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


@pytest.mark.parametrize("structure", ["suffix", "folder"])
def test_static_i18n_publishes_the_default_language(site: SiteFolder, structure: str) -> None:
    small(site)
    languages = [
        {"locale": "en", "name": "English", "default": True, "build": True},
        {"locale": "de", "name": "Deutsch", "build": True},
    ]
    docs = site.folder / "docs"
    if structure == "folder":
        pages = [path for path in docs.iterdir() if path.name != "en"]
        (docs / "en").mkdir()
        for path in pages:
            path.rename(docs / "en" / path.name)
        site.write("images.yml", f"- {{name: Gamma, {IMAGE.strip().replace(chr(10), ', ')}}}")
        site.write("docs/de/index.md", "# Start\n")
        site.write("docs/de/images/alpha.md", f"---\n{IMAGE}description: Deutsch\nversions: [9]\n---\n")
    else:
        site.write("docs/index.de.md", "# Start\n")
        site.write("docs/images/alpha.de.md", f"---\n{IMAGE}description: Deutsch\nversions: [9]\n---\n")
    site.write(f"docs/{'en/' if structure == 'folder' else ''}index.md", "# Home\n")
    result = build(site, "search", {"i18n": {"docs_structure": structure, "languages": languages}})
    urls = {image["slug"]: image["url"] for image in result.json("images.json")["data"]}
    assert urls.pop("gamma", "/catalog/images/gamma/") == "/catalog/images/gamma/"
    assert urls == {"alpha": "/catalog/images/alpha/", "beta": "/catalog/images/beta/"}
    alpha = result.json("images/alpha/index.json")["data"]
    assert (alpha["latest"], alpha["description"]) == ("1.10", None)
    assert (site.folder / "site/de/index.html").exists()
    assert not (site.folder / "site/de/api").exists()


def test_pages_and_navigation_from_other_plugins(site: SiteFolder) -> None:
    small(site).write("docs/.nav.yml", "nav:\n  - index.md\n  - images\n")
    site.write("docs/index.md", "# Home\n")
    build(site, "awesome-nav")
    (site.folder / "docs/.nav.yml").unlink()
    site.write("docs/SUMMARY.md", "* [Home](index.md)\n* [Label in the navigation](images/)\n")
    build(site, "literate-nav", exclude_docs="SUMMARY.md")


def test_excluded_pages_are_no_items(site: SiteFolder) -> None:
    result = build(small(site), {"exclude": {"glob": ["images/beta.*"]}})
    assert [image["slug"] for image in result.json("images.json")["data"]] == ["alpha"]


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_pages_of_other_projects(site: SiteFolder) -> None:
    small(site).write("docs/index.md", "# Home\n")
    site.write("team/mkdocs.yml", "site_name: images/team\nnav: [{One: one.md}]\n")
    site.write("team/docs/one.md", f"---\n{IMAGE}versions: [1.10]\n---\n")
    nav = [{"Home": "index.md"}, {"Team": "!include ./team/mkdocs.yml"}]
    images = build(site, "monorepo", nav=nav).json("images.json")["data"]
    assert images[-1]["url"] == "/catalog/images/team/one/"


def test_mike_in_the_configuration(site: SiteFolder) -> None:
    build(small(site), {"mike": {"alias_type": "copy"}})


def test_redirects(site: SiteFolder) -> None:
    build(small(site), {"redirects": {"redirect_maps": {"old.md": "images/alpha.md"}}})
    assert "images/alpha/" in (site.folder / "site/old/index.html").read_text("utf-8")


@pytest.mark.parametrize("directories", [True, False])
def test_swagger_ui_finds_the_description(site: SiteFolder, directories: bool) -> None:
    small(site).write("docs/deep/reference.md", '# Reference\n\n<swagger-ui src="../api/v1/openapi.json"/>\n')
    build(site, "swagger-ui-tag", use_directory_urls=directories)
    folder = site.folder / ("site/deep/reference" if directories else "site/deep")
    frames = list(folder.glob("swagger-*.html"))
    assert len(frames) == 1
    link = frames[0].read_text("utf-8").split('openapi.json"')[0].rpartition('"')[2] + "openapi.json"
    assert (folder / link).resolve() == (site.folder / "site/api/v1/openapi.json").resolve()


def test_a_plugin_that_changes_the_address_of_the_site(site: SiteFolder) -> None:
    small(site).write("hooks.py", "def on_config(config):\n    config.site_url += '2.0'\n")
    build(site, base="/catalog/2.0", hooks=["hooks.py"])


@pytest.mark.slow
def test_mike_gives_each_version_its_own_addresses(site: SiteFolder) -> None:
    need("git")
    site.config["plugins"] = [{"mike": {"alias_type": "copy"}}, {"catalog-api": site.settings}]
    site.config["theme"] = "material"  # mike prefers ProperDocs where it is installed, which has no theme
    small(site).write_config()
    environment = {
        f"GIT_{role}_{what}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    # mike starts mkdocs by its name.
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(*command: str) -> bytes:
        return subprocess.run(
            command, cwd=site.folder, check=True, capture_output=True, env=os.environ | environment
        ).stdout

    run("git", "init", "-q", "-b", "main")
    run("git", "add", "mkdocs.yml")
    run("git", "commit", "-q", "-m", "The site")
    run("mike", "deploy", "2.0", "latest")
    published = site.folder / "published"
    with tarfile.open(fileobj=io.BytesIO(run("git", "archive", "gh-pages"))) as archive:
        archive.extractall(published, filter="data")
    assert check(published / "2.0", "/catalog/2.0") == []
    assert (published / "latest/api/v1/images.json").exists()


def test_a_hook_that_changes_front_matter(site: SiteFolder) -> None:
    small(site).write(
        "hooks.py",
        """
        import datetime

        def on_page_markdown(markdown, page, **_):
            if page.file.src_uri == "images/one.md":
                page.meta["lifecycle"] = "deprecated"
                page.meta["versions"][0]["released"] = datetime.date(2026, 11, 1)
                page.meta["port"] = 8080
                page.meta["revised"] = "by the hook"
                del page.meta["homepage"]
        """,
    )
    site.settings["images"] = {"fields": {"port": "integer"}}
    site.page("images/one.md", IMAGE + "homepage: https://example.org\nversions: [{version: '1.10'}]")
    site.config |= {"hooks": ["hooks.py"]}
    result = site.mkdocs(strict=True)
    same_as_mkdocs(site)
    assert check(site.folder / "site", "/catalog", {"images": ["port"]}) == []
    assert not any("revised" in text for text in result.logged(20)), "no author can declare or remove it"
    one = result.json("images/one/index.json")["data"]
    assert (one["lifecycle"], one["homepage"], one["custom"]["port"]) == ("deprecated", None, 8080)
    assert (one["latest"], one["versions"][0]["released"]) == ("1.10", "2026-11-01")


def test_what_a_hook_reads_in_place_of_a_page_counts(site: SiteFolder) -> None:
    hook = """
        from mkdocs.plugins import event_priority

        @event_priority(100)
        def on_page_read_source(page, **_):
            return "# Read elsewhere" if page.file.src_uri == "about.md" else None
        """
    small(site).write("hooks.py", hook)
    site.write("docs/about.md", "# As written")
    site.config |= {"hooks": ["hooks.py"]}
    result = site.mkdocs(strict=True)
    assert not result.failed
    assert "Read elsewhere" in (site.folder / "site/about/index.html").read_text("utf-8")


def test_a_hook_that_writes_nonsense_is_told_so(site: SiteFolder) -> None:
    small(site).write(
        "hooks.py",
        """
        def on_page_markdown(markdown, page, **_):
            if page.file.src_uri == "images/beta.md":
                page.meta["tier"] = float("nan")
                page.meta["platforms"] = {object()}
        """,
    )
    site.config["hooks"] = ["hooks.py"]
    result = site.mkdocs()
    assert result.failed
    assert sum(text.startswith("docs/images/beta.md:") for text in result.logged()) == 2, result.logged()
