"""Sites of Zensical: `zensical.toml` says what mkdocs.yml says, and is told of as exactly."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .guide import block
from .sites import SiteFolder, rendered
from .test_cli import call, tree

TOML = """
[project]
site_name = "Catalog"
site_url = "https://example.org/catalog/"
{project}
[project.plugins.catalog-api]
registry = "registry.example.org/hardened"
{settings}
"""


def write(site: SiteFolder, settings: str = "", project: str = "") -> None:
    site.write("docs/index.md", "# Home\n")
    site.write("zensical.toml", TOML.format(settings=settings, project=project))


def test_the_api_is_that_of_mkdocs(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    monkeypatch.chdir(site.folder)
    fields = {"port": {"type": "integer"}, "tier": {"values": ["core", "edge"]}}
    site.settings |= {"images": {"fields": fields}}
    site.image("nginx", "port: 80\nversions: [1.10, 1.9]")
    published = site.build()
    (site.folder / "mkdocs.yml").unlink()
    write(site, 'images.fields.port = {type = "integer"}\n[project.plugins.catalog-api.images.fields.tier]\n'
          'values = [\n  "core", # the first\n  "edge",\n]\n')  # fmt: skip
    result = call("build", "--site-dir", "other")
    assert result.exit_code == 0, result.output
    assert tree(site.folder / "other/api/v1") == tree(published.api)


@pytest.mark.parametrize(
    ("settings", "project", "told"),
    [
        ("regstry = 1", "", "zensical.toml:7:1: catalog-api.regstry: unknown setting"),
        (
            "[project.plugins.catalog-api.images.fields.port]\ntype = 'number'\ndescription = 3",
            "",
            "zensical.toml:9:1: catalog-api.images.fields.port.description: ",
        ),
        ('images.pages = """\n""" \nfeds = true', "", "zensical.toml:9:1: catalog-api.feds: unknown setting"),
        (
            'updates = {data = "a.yml", x = 1}',
            "",
            "zensical.toml:7:28: catalog-api.updates.x: unknown",
        ),
        ("", "use_directory_urls = 'no'", "zensical.toml:4:1: use_directory_urls: "),
        ("", "docs_dir = ", "zensical.toml:4:12: not valid TOML: Invalid value"),
        ("", "docs_dir = 'nowhere'", "zensical.toml: docs_dir: the folder 'nowhere' does not exist"),
    ],
)
def test_a_fault_names_file_line_and_field(site: SiteFolder, settings: str, project: str, told: str) -> None:
    write(site, settings, project)
    result = call("check", "-f", site.folder / "zensical.toml")
    assert result.exit_code == 1
    assert told in result.output


def test_the_sample_of_the_guide_is_accepted(site: SiteFolder) -> None:
    site.write("zensical.toml", block("others", "zensical.toml"))
    site.image("nginx", "port: 80")
    result = call("check", "-f", site.folder / "zensical.toml", "--strict")
    assert result.exit_code == 0, result.output


def test_without_the_plugin_its_table_is_asked_for(site: SiteFolder) -> None:
    site.write("docs/index.md", "# Home\n")
    site.write("zensical.toml", '[project]\nsite_name = "Catalog"\n')
    result = call("check", "-f", site.folder / "zensical.toml")
    assert "plugins: the plugin catalog-api is missing (add the table [project.plugins.catalog-api])" in (
        result.output
    )


def test_both_generators_give_the_same_api_and_the_search_of_zensical_finds_items(site: SiteFolder) -> None:
    site.image("nginx", "description: Serves files\nversions: ['1.29.3']")
    site.image("valkey")
    site.write(
        "docs/images/valkey.md", (site.folder / "docs/images/valkey.md").read_text() + "# Valkey\n\nMine.\n"
    )
    site.write("images.yml", "- {name: Redis, category: X, tier: y, license: MIT, versions: ['8.2']}\n")
    site.page("index.md", "title: Home", "<!-- catalog: images -->")
    site.config["plugins"] = ["search", {"catalog-api": site.settings}]
    site.config["theme"] = {"name": "material", "font": False}
    expected = rendered(site).bytes()
    shutil.rmtree(site.folder / "site")
    program = Path(sys.executable).parent / "zensical"
    subprocess.run([program, "build"], cwd=site.folder, check=True, capture_output=True)
    for _ in range(2):
        result = call("build", "--web", "--strict", "-f", site.folder / "mkdocs.yml")
        assert result.exit_code == 0, result.output
        index = json.loads((site.folder / "site/search.json").read_bytes())
        found = {entry["location"]: (entry["title"], entry["text"]) for entry in index["items"]}
        assert found["images/nginx/"] == ("nginx", "<p>Container image nginx Serves files Tools 1.29.3</p>")
        assert found["images/valkey/"] == ("Valkey", "<p>Mine.</p><p>Container image Valkey Tools</p>")
    documents = {path.removeprefix("v1/"): body for path, body in tree(site.folder / "site/api").items()}
    assert documents.keys() == {*expected, "manifest.json"}
    assert b'"url":"/catalog/images/redis/"' in expected["images.json"]
    for path in expected.keys() - {"index.json"}:  # which has the hash of all others
        alike = expected[path].replace(b'"html":"/catalog/images/redis/"', b'"html":null')
        alike = alike.replace(b"/catalog/images/redis/", b"/catalog/")
        assert documents[path] == alike, path
