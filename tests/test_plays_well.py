"""The plugin with MkDocs's own settings, and with the plugins that catalogs are built with."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.problems import Level

from .contract import check
from .guide import page as guide_page
from .pages import filled, names, page, shown, words
from .programs import need
from .sites import Result, SiteFolder
from .test_build import small
from .test_cli import call, tree

MATERIAL = {"name": "material", "font": False}
IMAGE = "category: Tools\ntier: core\nlicense: MIT\n"


def build(site: SiteFolder, *plugins: str | dict[str, Any], base: str = "/catalog", **config: Any) -> Result:
    """Build with other plugins before ours, strictly, and check what was published.

    `catalog-api build` publishes the same bytes, and `catalog-api check` finds no problem either.
    """
    site.config |= {"plugins": [*plugins, {"catalog-api": site.settings}], **config}
    result = site.mkdocs(strict=True)
    assert (result.failed, result.logged()) == (False, [])
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


def html(site: SiteFolder, path: str) -> str:
    return (site.folder / "site" / path / "index.html").read_text("utf-8")


def test_plugins_that_write_and_change_pages(site: SiteFolder) -> None:
    """gen-files, meta, macros, blog, tags and search."""
    script = f"""
        import mkdocs_gen_files

        with mkdocs_gen_files.open("images/made.md", "w") as page:
            page.write('---\\n' + {IMAGE!r} + 'versions: [1.10]\\n---\\n\\n# Made by a script')
        """
    small(site).write("gen.py", script)
    site.write("docs/images/deep/.meta.yml", f"description: 1.10\nplatforms: [linux/amd64]\n{IMAGE}")
    site.page("images/deep/meta.md", "platforms: [linux/arm64]\nversions: [1.10]")
    module = """
        def define_env(env):
            env.variables["product"] = "One & Only"

        def on_pre_page_macros(env):
            if env.page.file.src_uri == "images/macros.md":
                env.page.meta["tier"] = "from macros"
                env.page.meta["versions"] = ["1.10", {"version": "1.9"}]
        """
    site.write("main.py", module)
    site.page("images/macros.md", IMAGE + "versions: [1.0]", "# {{ product }}")
    site.write("docs/blog/index.md", "# Blog\n")
    post = "# News\n\n<!-- catalog: images -->\n\n<!-- more -->\n\n[images](../../api/v1/images.json)"
    site.page("blog/posts/news.md", "date: 2026-11-01\ntags: [news]", post)
    site.page("blog/posts/draft.md", "date: 2026-11-01\ndraft: true\ncatalog: images", "# Draft")
    site.image("tagged", "tags: [base]\nstatus: new\nicon: material/cube\nhide: [toc]\nversions: [1]")
    site.page("tags.md", "title: Tags", "<!-- material/tags -->")
    plugins: tuple[str | dict[str, Any], ...] = (
        *({"gen-files": {"scripts": ["gen.py"]}}, "meta", {"macros": {"module_name": "main"}}),
        *("blog", "tags", "search"),
    )
    result = build(site, *plugins, theme=MATERIAL)
    found = {image["slug"]: image for image in result.at("images")}
    assert [*found] == ["alpha", "beta", "macros", "made", "meta", "tagged"]
    assert (found["made"]["name"], found["made"]["latest"]) == ("Made by a script", "1.10")
    assert (found["meta"]["description"], found["meta"]["tier"]) == ("1.10", "core")
    assert found["meta"]["platforms"] == ["linux/amd64", "linux/arm64"]
    assert (found["macros"]["name"], found["macros"]["tier"]) == ("One & Only", "from macros")
    assert result.at("images/macros versions version") == ["1.10", "1.9"]
    assert "images.json" in html(site, "blog/2026/11/01/news")
    assert "../images/macros/" in links(html(site, "blog"))


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


IGNORED = ["*api/v1/*", "[?]*"]
"""Links that htmlproofer can't check, as in the guide."""


@pytest.mark.parametrize("theme", [MATERIAL, {"name": "mkdocs"}])
def test_a_page_without_a_heading_has_the_name_of_its_item(site: SiteFolder, theme: dict[str, Any]) -> None:
    """In its tab, in the navigation and in the search; a title or a heading of the page stays."""
    for slug, extra, body in (
        ("php-fpm", "name: PHP-FPM", ""),
        ("titled", "name: Other\ntitle: Own title", ""),
        ("headed", "name: Other", "# Own heading"),
    ):
        site.page(f"images/{slug}.md", f"{IMAGE}versions: ['1']\n{extra}", body)
    site.write("docs/index.md", "# Home\n")
    build(site, "search", theme=theme)
    for slug, title in (("php-fpm", "PHP-FPM"), ("titled", "Own title"), ("headed", "Own heading")):
        text = html(site, f"images/{slug}")
        assert re.search(rf"<title>{title} -", text)
        assert re.search(rf'href="[./a-z]*images/{slug}/"[^>]*>\s*(?:<[^>]+>\s*)*{title}', html(site, ""))
        index = json.loads((site.folder / "site/search/search_index.json").read_bytes())
        assert title in [entry["title"] for entry in index["docs"] if entry["location"] == f"images/{slug}/"]


GAMMA = "- {name: Gamma, category: Tools, tier: core, license: MIT, versions: ['1']}\n"


@pytest.mark.parametrize("first", [True, False])
def test_pages_of_entries_are_found_by_plugins_that_look_pages_up(site: SiteFolder, first: bool) -> None:
    """Whatever the order in mkdocs.yml: a redirect, as after a rename, and a check of all links."""
    small(site).write("images.yml", GAMMA)
    site.write("docs/index.md", "# Home\n\n[Gamma](images/gamma.md)\n\n<!-- catalog: images -->\n")
    others = [
        {"redirects": {"redirect_maps": {"old.md": "images/gamma.md"}}},
        {"htmlproofer": {"raise_error": True, "validate_external_urls": False, "ignore_urls": IGNORED}},
    ]
    ours = {"catalog-api": site.settings}
    site.config |= {"plugins": [ours, *others] if first else [*others, ours], "theme": {"name": "mkdocs"}}
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    assert "images/gamma/" in html(site, "old")
    assert json.dumps(IGNORED) in guide_page("others")


def test_with_languages_the_pages_of_entries_come_after_redirects(site: SiteFolder) -> None:
    """As static-i18n can't handle them before; the guide says so."""
    plugin = translated(site, "suffix")
    maps = {"old.md": "images/gamma.md"}
    site.config["plugins"] = [plugin, {"redirects": {"redirect_maps": maps}}, {"catalog-api": site.settings}]
    result = site.mkdocs()
    assert not result.failed
    assert {text for text in result.logged() if "Redirect" in text} == {
        "Redirect target 'images/gamma.md' does not exist!"
    }
    assert "Gamma" in html(site, "images/gamma") and "Gamma" in html(site, "de/images/gamma")


def test_a_page_that_another_plugin_makes_for_an_entry_stays(site: SiteFolder) -> None:
    small(site).write("images.yml", GAMMA)
    made = "import mkdocs_gen_files\nwith mkdocs_gen_files.open('images/gamma/{}', 'w') as page:\n"
    for name in ("index.md", "README.md"):
        site.write("gen.py", made.format(name) + "    page.write('# Mine')\n")
        for plugins in (["gen-files", "ours"], ["ours", "gen-files"]):
            given = {
                "gen-files": {"gen-files": {"scripts": ["gen.py"]}},
                "ours": {"catalog-api": site.settings},
            }
            site.config["plugins"] = [given[plugin] for plugin in plugins]
            result = site.mkdocs()
            assert result.failed
            assert "CAT015" in [problem.code for problem in result.problems], result.logged()


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
    assert build(site, "monorepo", nav=nav).at("images url")[-1] == "/catalog/images/team/one/"


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
    """Also the address of the site, a page whose front matter MkDocs can't read, and a page's whole text."""
    hook = """
        import datetime
        from mkdocs.plugins import event_priority

        def on_config(config):
            config.site_url += "2.0"

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
    assert check(site.folder / "site", "/catalog/2.0", {"images": ["port"]}) == []
    assert not any("revised" in text for text in result.logged(20)), "no author can declare or remove it"
    one = result.at("images/one")
    assert (one["lifecycle"], one["homepage"], one["custom"]["port"]) == ("deprecated", None, 8080)
    assert (one["latest"], one["versions"][0]["released"]) == ("1.10", "2026-11-01")
    assert "Read elsewhere" in html(site, "about")
    site.page("images/two.md", IMAGE + "homepage: https://nginx.org/\nbuilt: 2026-13-45")
    two = site.mkdocs().at("images/two")
    assert (two["license"], two["tier"], two["homepage"]) == ("ISC", "core", "https://nginx.org/")


# MkDocs's own settings and commands


@pytest.mark.parametrize(
    ("site_url", "base", "directories"),
    [
        ("https://example.org/catalog", "/catalog", True),
        ("https://example.org/a/b/", "/a/b", False),
        ("https://example.org/Käse & b%20c/", "/K%C3%A4se%20&%20b%20c", True),
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
    site.settings["lookups"] = ["cves"]
    small(site).write(
        "docs/index.md", "# Home\n\n[badge](api/v1/badge/cves.json) [ids](api/v1/cves/index.json)\n"
    )
    site.page("deep/page.md", "title: Deep", "[images](../api/v1/images.json)")
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    page = site.folder / ("site/deep/page/index.html" if directories else "site/deep/page.html")
    link = page.read_text("utf-8").split('json">images')[0].rpartition('href="')[2] + "json"
    assert (page.parent / link).resolve() == (result.api / "images.json").resolve()
    site.settings["lookups"] = []
    assert site.mkdocs(strict=True).failed, "there is no such document"


def test_a_dirty_build_gives_the_whole_api(site: SiteFolder) -> None:
    first = small(site).mkdocs().bytes()
    assert site.mkdocs(dirty=True).bytes() == first
    site.image("beta", "versions: [2.0, 2.1]")
    assert site.mkdocs(dirty=True).at("images/beta versions version") == ["2.1", "2.0"]
    assert check(site.folder / "site", "/catalog") == []


@pytest.mark.parametrize("theme", [MATERIAL, {"name": "mkdocs"}, {"name": "readthedocs"}])
def test_pages_of_somebody_s_site_stay_what_they_are(site: SiteFolder, theme: dict[str, Any]) -> None:
    for path, text in {
        "index": "# Product\n\n![A screen](images/screen.png)",
        "images/howto": "# How we take screenshots",
        "images/index": "# Pictures",
        "images/broken": "---\ntitle: A: B\n---\n# It is not YAML",
        "images/rule": "---\n\nText below a rule",
        "images/note": "Note: a key of MkDocs\n\n# Note",
        "charts/colors": "---\ndescription: How we draw them\ntemplate: main.html\n---\n# Colors",
        "roadmap/2026": "---\ntitle: Plans\ntags: [plan]\nstatus: new\nhide: [toc]\n---\n# Plans",
    }.items():
        site.write(f"docs/{path}.md", f"{text}\n")
    site.write("docs/images/screen.png", b"\x89PNG")
    site.config |= {"theme": theme, "plugins": ["search"]}
    site.mkdocs()
    before = tree(site.folder / "site")
    site.config["plugins"] = ["search", "catalog-api"]
    result = site.mkdocs()
    assert not result.failed
    assert [(each.code, each.file) for each in result.problems if each.level == Level.INFO] == [
        ("CAT015", "docs/charts/colors.md")
    ]
    after = {name: lines_of_others(text) for name, text in tree(site.folder / "site").items()}
    assert {name: after[name] for name in before} == {
        name: lines_of_others(text) for name, text in before.items()
    }


def test_files_are_named_from_the_folder_of_mkdocs_yml(site: SiteFolder) -> None:
    site.settings = {}
    site.write_config()
    command = [sys.executable, "-m", "mkdocs", "build", "-f", "../mkdocs.yml"]
    done = subprocess.run(command, cwd=site.folder / "docs", capture_output=True, text=True)
    assert "add a page such as docs/images/" in done.stderr
    site.page("images/a.md", "base: [a]")
    done = subprocess.run(command, cwd=site.folder / "docs", capture_output=True, text=True)
    assert " docs/images/a.md:2:1: " in done.stderr


def lines_of_others(text: bytes) -> list[bytes]:
    """The lines but those of our assets, and but the time of the build in MkDocs' own themes."""
    ours = re.compile(rb"/catalog-api[.]|^Build Date|^\s*$")
    return [line for line in text.splitlines() if not ours.search(line)]


def test_the_plugin_can_be_switched_off(site: SiteFolder) -> None:
    site.settings["enabled"] = False
    small(site).write("docs/index.md", "# Home\n")
    assert not site.mkdocs(strict=True).failed
    assert not (site.folder / "site/api").exists()


@pytest.mark.parametrize("error", ["PluginError", "ZeroDivisionError"])
@pytest.mark.parametrize("event", ["on_post_page", "on_post_build"])
def test_a_failure_of_another_plugin_leaves_no_half_api(site: SiteFolder, event: str, error: str) -> None:
    hook = (
        f"from mkdocs.exceptions import PluginError\n\ndef {event}(*_, **__):\n    raise {error}('other')\n"
    )
    small(site).write("hooks.py", hook)
    site.config["hooks"] = ["hooks.py"]
    if error == "PluginError":
        assert site.mkdocs().failed
    else:
        with pytest.raises(ZeroDivisionError):
            site.mkdocs()
    assert not [path for path in site.folder.iterdir() if path.name.startswith(".")]
    assert not (site.folder / "site/api").exists() or check(site.folder / "site", "/catalog") == []


# Pages of entries without a page of their own, and the own fields that lists show


def listed(site: SiteFolder) -> SiteFolder:
    data = """
        - {name: Node.js LTS, category: Run, description: Runs it all., versions: [24.11.0]}
        - {name: Redis, slug: redis, category: Databases, page: docker/redis.md}
        """
    site.write("images.yml", data)
    site.write("charts.yml", "- {name: Web, category: X, versions: [1.0.0]}")
    site.write("docs/docker/redis.md", "# Redis\n\nWritten by hand.\n")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n")
    return site


@pytest.mark.parametrize("directories", [True, False])
def test_a_page_of_an_entry_is_like_any_other(site: SiteFolder, directories: bool) -> None:
    theme = MATERIAL if directories else {"name": "mkdocs"}
    plugins = ("search", "awesome-nav") if directories else ("search",)
    result = build(listed(site), *plugins, use_directory_urls=directories, theme=theme)
    end = "/" if directories else ".html"
    own, redis = f"images/node-js-lts{end}", f"docker/redis{end}"
    assert result.at("images url") == [f"/catalog/{own}", f"/catalog/{redis}"]
    assert result.at("charts url") == [f"/catalog/charts/web{end}"]
    folder, file = site.folder / "site", "index.html" if directories else ""
    text = (folder / f"{own}{file}").read_text("utf-8")
    assert "<title>Node.js LTS - Catalog</title>" in text and text.count("<h1") == 1
    assert not directories or '<meta name="description" content="Runs it all.">' in text
    assert "24.11.0" in text and "api/v1/images/node-js-lts/index.json" in text
    assert f'href="{own}"' in (folder / "index.html").read_text("utf-8")
    assert f"https://example.org/catalog/{own}" in (folder / "sitemap.xml").read_text("utf-8")
    found = json.loads((folder / "search/search_index.json").read_bytes())["docs"]
    assert any(entry["location"] == own and "Runs it all." in entry["text"] for entry in found)
    text = (folder / f"{redis}{file}").read_text("utf-8")
    assert "Written by hand." in text and "node-js-lts" not in text, "it is not in the navigation"


def test_other_plugins_find_a_file_behind_each_page(site: SiteFolder) -> None:
    """As those for feeds and authors do, which ask git about it."""
    name = "A *b* [c](d) <!-- catalog: x --> & _e_"
    site.write("images.yml", f"- {{name: {json.dumps(name)}, slug: odd, description: It is odd.}}\n")
    site.write("docs/index.md", "# Home\n")
    hook = """
        from pathlib import Path

        def on_page_content(html, page, **_):
            assert Path(page.file.abs_src_path).is_file() and page.markdown and page.meta["description"]
        """
    site.write("hook.py", hook)
    site.page("index.md", "description: Home", "# Home")
    result = build(site, hooks=["hook.py"])
    assert shown(page(result, "images/odd/index.html"), "//h1") == [name]


@pytest.mark.parametrize("front_matter", ["catalog: false", "slug: other"])
def test_a_page_in_its_place_is_an_error(site: SiteFolder, front_matter: str) -> None:
    listed(site).page("images/node-js-lts.md", front_matter)
    expected = (
        "docs/images/node-js-lts.md already has the URL of the item's page, images/node-js-lts/ "
        "(add `page: images/node-js-lts.md` to the entry, or set `item_pages: false`)"
    )
    result = site.mkdocs()
    assert result.failed
    assert f"images.yml:1:3: node-js-lts: [0]: {expected}" in result.logged()
    assert expected in call("check", "-f", site.folder / "mkdocs.yml").output


def test_cards_show_fields_that_are_set_and_lists_filter_by_few_words(site: SiteFolder) -> None:
    fields = {"fips": {"type": "boolean", "card": True}, "upstream": {"type": "url", "card": True}}
    site.settings["images"] = {"fields": fields | {"shell": {"values": ["bash", "none"]}, "json": "text"}}
    for number in range(6):  # so many that their list has filters
        own = f"fips: {number == 1}\nshell: {'bash' if number % 2 else 'none'}\njson: a"
        tier = "tier: edge\ncategory: Tools" if number else "tier: core\ncategory: Web"
        site.page(f"images/app-{number}.md", f"{tier}\n{own}\nupstream: https://example.org/up")
    assert names(filled(site, "images shell=bash fips=true")) == ["app-1"]
    page = filled(site, "images")
    headings = ["Image", "Category", "Tier", "Fips", "Upstream"]
    assert [words(heading) for heading in page.xpath(".//thead//th")][:5] == headings
    row = page.xpath(".//tr[@data-item][.//a[contains(@href, 'app-1')]]")[0]
    (fips,) = row.xpath("./td[@data-f='custom.fips']")
    assert (words(fips), fips.get("data-label")) == ("yes", "fips")
    assert row.xpath(".//a[@data-to='{custom.upstream}']/@href") == ["https://example.org/up"]
    for name, known in (
        ("fips", ["true", "false"]),
        ("shell", ["bash", "none"]),
        ("tier", ["core", "edge"]),
        ("category", ["Tools", "Web"]),
    ):
        assert page.xpath(f".//form//input[@name='{name}']/@value") == known
    assert '"fips": "custom.fips"' in page.xpath(".//div/@data-paths")[0]


# Sites in several languages: items from the default language, pages of every language with the catalog


def translated(site: SiteFolder, structure: str, **options: Any) -> dict[str, Any]:
    """A site in two languages: of two images one is translated, a third is in a data file."""
    lists = "[JSON](api/v1/images.json)\n\n<!-- catalog: images -->\n"
    matter = f"---\n{IMAGE}versions: ['1.10']\n---\n\n"
    for path, language, text in (
        ("index", "en", f"# Home\n\n{lists}"),
        ("index", "de", f"# Start\n\n{lists}"),
        ("images/alpha", "en", matter),
        ("images/alpha", "de", matter.replace("1.10", "9") + "# Alpha auf Deutsch\n"),
        ("images/beta", "en", matter),
    ):
        inner = f"{language}/{path}.md" if structure == "folder" else f"{path}.{language}.md"
        site.write(f"docs/{inner}", text)
    site.write("images.yml", "- {name: Gamma, category: Tools, tier: core, license: MIT, versions: ['1']}\n")
    languages = [
        {"locale": "en", "name": "English", "default": True, "build": True},
        {"locale": "de", "name": "Deutsch", "build": True},
    ]
    return {"i18n": {"docs_structure": structure, "languages": languages, **options}}


def links(text: str) -> set[str]:
    return set(re.findall(r'href="([^"]*images/[a-z]+/)"', text))


@pytest.mark.parametrize("structure", ["suffix", "folder"])
def test_items_are_those_of_the_default_language_and_pages_of_every_language_show_them(
    site: SiteFolder, structure: str
) -> None:
    result = build(site, "search", translated(site, structure))
    assert [(image["name"], image["latest"], image["url"]) for image in result.at("images")] == [
        ("alpha", "1.10", "/catalog/images/alpha/"),
        ("beta", "1.10", "/catalog/images/beta/"),
        ("Gamma", "1", "/catalog/images/gamma/"),
    ]
    assert not (site.folder / "site/de/api").exists()
    start, alpha, gamma = (html(site, path) for path in ("de", "de/images/alpha", "de/images/gamma"))
    assert "<!-- catalog" not in start + alpha + gamma
    assert links(start) >= {"../de/images/alpha/", "../de/images/beta/", "../de/images/gamma/"}
    assert "../images/alpha/" not in links(start), "links stay in the language"
    assert 'href="../api/v1/images.json"' in start
    assert 'data-language="de/" data-only=""' in start
    assert "Alpha auf Deutsch" in alpha and "1.10" in alpha, "own text, and the facts of the item"
    assert '<h1 id="gamma">Gamma</h1>' in gamma
    assert links(html(site, "")) >= {"images/alpha/", "images/beta/", "images/gamma/"}
    index = json.loads((site.folder / "site/search/search_index.json").read_bytes())
    assert {"images/gamma/", "de/images/alpha/"} <= {entry["location"] for entry in index["docs"]}


def test_words_can_be_replaced_and_links_lead_to_the_default_language_without_a_translation(
    site: SiteFolder,
) -> None:
    replaced = "Not scanned: Nicht gescannt\n'{} image': '{} Abbild & mehr'\n"
    site.write("overrides/catalog/words.de.yml", replaced)
    site.write("overrides/catalog/words.yml", "Not scanned: No scan\n")
    plugin = translated(site, "suffix", fallback_to_default=False)
    build(site, "search", plugin, theme={"name": "mkdocs", "custom_dir": "overrides"})
    start = html(site, "de")
    assert links(start) >= {"../de/images/alpha/", "../images/beta/"}
    assert 'data-only="images/beta/"' in start
    assert "Nicht gescannt" in start and "Not scanned" not in start.split("<script")[0]
    assert "No scan" in html(site, "")


@pytest.mark.parametrize("theme", [MATERIAL | {"language": "de"}, {"name": "mkdocs", "locale": "de"}])
def test_words_of_a_site_in_one_language_have_its_name(site: SiteFolder, theme: dict[str, Any]) -> None:
    site.image("alpha", "versions: ['1']")
    site.write("docs/index.md", "# Start\n\n<!-- catalog: images -->\n")
    site.write("overrides/catalog/words.de.yml", "Not scanned: Nicht gescannt\n")
    build(site, theme=theme | {"custom_dir": "overrides"})
    assert "Nicht gescannt" in html(site, "")
    site.write("overrides/catalog/words.fr.yml", "Not scanned: Pas d'analyse\n")
    assert [(each.code, each.file) for each in site.mkdocs().problems] == [
        ("CAT060", "overrides/catalog/words.fr.yml")
    ]
    checked = call("check", "--strict", "-f", site.folder / "mkdocs.yml")
    assert (checked.exit_code, "words.fr.yml" in checked.output) == (1, True)


def test_wrong_words_and_markers_of_a_translation_refuse_the_build(site: SiteFolder) -> None:
    site.config |= {
        "plugins": [translated(site, "suffix"), {"catalog-api": site.settings}],
        "theme": {"name": "mkdocs", "custom_dir": "overrides"},
    }
    (site.folder / "overrides").mkdir()
    site.write("docs/index.de.md", "# Start\n\n<!-- catalog: imags -->\n")
    marker = "docs/index.de.md:3: unknown marker `imags` (did you mean `images`?)"
    result = site.mkdocs()
    assert result.failed and marker in result.logged()
    checked = call("check", "-f", site.folder / "mkdocs.yml")
    assert (checked.exit_code, marker in checked.output) == (1, True)
    site.write("docs/index.de.md", "# Start\n")
    site.write("overrides/catalog/words.yml", "- Not scanned\n")
    result = site.mkdocs()
    assert result.failed
    assert [text for text in result.logged() if "words.yml" in text] == [
        "catalog/words.yml:1:1: expected texts and their replacements (write `Vulnerabilities: …` lines)"
    ]
