"""`zensical.toml` in place of mkdocs.yml."""

from __future__ import annotations

import pytest

from .guide import block
from .sites import SiteFolder
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
PORT = "project.plugins.catalog-api.images.fields.port"


def test_the_api_is_that_of_mkdocs(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    monkeypatch.chdir(site.folder)
    fields = {"port": {"type": "integer"}, "tier": {"values": ["core", "edge"]}}
    site.settings |= {"images": {"fields": fields}}
    site.image("nginx", "port: 80\nversions: [1.10, 1.9]")
    published = site.build()
    (site.folder / "mkdocs.yml").unlink()
    tier = (
        '[project.plugins.catalog-api.images.fields.tier]\nvalues = [\n  "core", # the first\n  "edge",\n]\n'
    )
    port = 'images.fields.port = {type = "integer"}\n'
    site.write("zensical.toml", TOML.format(settings=port + tier, project=""))
    result = call("build", "--site-dir", "other")
    assert result.exit_code == 0, result.output
    assert tree(site.folder / "other/api/v1") == tree(published.api)


@pytest.mark.parametrize(
    ("settings", "project", "told"),
    [
        ("regstry = 1", "", "7:1: catalog-api.regstry: unknown setting"),
        (
            f"[{PORT}]\ntype = 'number'\ndescription = 3",
            "",
            "9:1: catalog-api.images.fields.port.description: ",
        ),
        ('images.pages = """\n""" \nfeds = true', "", "9:1: catalog-api.feds: unknown setting"),
        ('updates = {data = "a.yml", x = 1}', "", "7:28: catalog-api.updates.x: unknown"),
        ("", "use_directory_urls = 'no'", "4:1: use_directory_urls: "),
        ("", "docs_dir = ", "4:12: not valid TOML"),
        ("", "docs_dir = 'nowhere'", "4:1: docs_dir: the folder 'nowhere' does not exist"),
    ],
)
def test_a_fault_names_file_line_and_field(site: SiteFolder, settings: str, project: str, told: str) -> None:
    site.write("docs/index.md", "# Home\n")
    site.write("zensical.toml", TOML.format(settings=settings, project=project))
    result = call("check", "-f", site.folder / "zensical.toml")
    assert (result.exit_code, f"zensical.toml:{told}" in result.output) == (1, True), result.output


def test_the_sample_of_the_guide_is_accepted_and_without_the_plugin_its_table_is_asked_for(
    site: SiteFolder,
) -> None:
    site.image("nginx", "port: 80")
    file = site.write("zensical.toml", block("others", "zensical.toml"))
    result = call("check", "-f", file, "--strict")
    assert result.exit_code == 0, result.output
    file.write_text('[project]\nsite_name = "Catalog"\n')
    told = "plugins: the plugin catalog-api is missing (add the table [project.plugins.catalog-api])"
    assert told in call("check", "-f", file).output
