"""`catalog-api check --with-mkdocs`: MkDocs, its hooks and plugins make the pages, and nothing is written."""

from __future__ import annotations

from pathlib import Path

from .sites import SiteFolder
from .test_cli import call, tree

HOOK = """
from mkdocs.structure.files import File

def on_files(files, config):
    text = "---\\ncategory: Tools\\ntier: core\\nlicense: {}\\n---\\n{}\\n"
    files.append(File.generated(config, "images/made.md", content=text))
"""


def hooked(site: SiteFolder, license_: str = "MIT", body: str = "") -> Path:
    site.config["hooks"] = ["hook.py"]
    site.write("hook.py", HOOK.format(license_, body))
    site.page("index.md", "title: Home")
    return site.write_config()


def test_without_it_the_message_says_so(site: SiteFolder) -> None:
    result = call("check", "-f", hooked(site))
    assert result.exit_code == 1
    assert "check with `catalog-api check --with-mkdocs`" in result.output


def test_pages_of_hooks_are_checked_and_nothing_is_written(site: SiteFolder) -> None:
    config = hooked(site)
    site.image("nginx")
    before = tree(site.folder)
    result = call("check", "--with-mkdocs", "-f", config)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("checked: ")
    published = site.mkdocs()
    assert f"checked: {len(list(published.api.rglob('*.json')))} documents" in result.output
    after = {path: body for path, body in tree(site.folder).items() if not path.startswith("site/")}
    assert {path: body for path, body in after.items() if "__pycache__" not in path} == before


def test_a_fault_of_a_made_page_is_told(site: SiteFolder) -> None:
    result = call("check", "--with-mkdocs", "-f", hooked(site, license_="[]"))
    assert result.exit_code == 1
    assert "images/made.md:4:1: license: " in result.output
    assert result.output.endswith("the catalog is not published: 1 error in 1 file\n")


def test_a_wrong_marker_is_found(site: SiteFolder) -> None:
    result = call("check", "--with-mkdocs", "-f", hooked(site, body="<!-- catalog: imags -->"))
    assert result.exit_code == 1
    assert "unknown marker `imags` (did you mean `images`?)" in result.output
    assert not (site.folder / "site").exists()


def test_a_site_that_mkdocs_can_not_read_is_refused(site: SiteFolder) -> None:
    site.config["theme"] = {"name": "nowhere"}
    site.image("nginx")
    result = call("check", "--with-mkdocs", "-f", site.write_config())
    assert result.exit_code == 1
    assert "mkdocs.yml: MkDocs can't read the site: " in result.output


def test_without_the_plugin_there_is_nothing_to_check(site: SiteFolder) -> None:
    site.config["plugins"] = []
    result = call("check", "--with-mkdocs", "-f", site.write_config())
    assert result.exit_code == 1
    assert "the plugin catalog-api is not in `plugins`" in result.output
