"""Sites of Zensical: `zensical.toml` says what mkdocs.yml says, and is told of as exactly."""

from __future__ import annotations

import datetime
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.authored.toml_text import load

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
    published = site.mkdocs()
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


def plain(node: yaml.Node) -> Any:
    """What nodes hold, their scalars as text."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(value) for value in node.value]
    return node.value


def as_text(data: object) -> Any:
    if isinstance(data, dict):
        return {key: as_text(value) for key, value in data.items()}
    if isinstance(data, list):
        return [as_text(value) for value in data]
    if isinstance(data, bool):
        return str(data).lower()
    return str(data) if isinstance(data, int | str | datetime.date) else repr(data)


SAMPLE = r"""
a.b = [[1, 2], [[ "x" ]], [ ], {k = 1, "l.m" = [{}]}]
"quoted key" = 'C:\temp'
text = '''
two "lines" # no comment
'''
more = "a \"b\" ] # }"
[t."u v"]
w = 1.5 # x = 2
when = 2026-11-20
[[list]]
a = 1
[[list.deep]]
b = true
[[list]]
c = {d.e = "f"}
"""


def test_the_places_are_of_what_is_read() -> None:
    node, data = load(SAMPLE.encode())
    assert node is not None
    assert plain(node) == as_text(data) == as_text(tomllib.loads(SAMPLE))
    assert plain(load(SAMPLE.replace("\n", "\r\n").encode())[0]) == as_text(  # type: ignore[arg-type]
        tomllib.loads(SAMPLE.replace("\n", "\r\n"))
    )


values = st.recursive(
    st.integers() | st.booleans() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab .\"'#]", max_size=3), inner),
    max_leaves=8,
)


def toml(value: object) -> str:
    """A value in TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@given(st.dictionaries(st.text("ab .\"'#]", max_size=3), values, max_size=4))
def test_any_text_is_read_as_tomllib_reads_it(data: dict[str, Any]) -> None:
    node, read = load("\n".join(f"{toml(key)} = {toml(value)}" for key, value in data.items()).encode())
    assert node is not None
    assert plain(node) == as_text(read)


def zensical(site: SiteFolder) -> None:
    """Build the site with Zensical."""
    program = Path(sys.executable).parent / "zensical"
    subprocess.run([program, "build"], cwd=site.folder, check=True, capture_output=True)


def test_both_generators_give_the_same_api(site: SiteFolder) -> None:
    site.image("nginx", "versions: ['1.29.3']")
    site.write("images.yml", "- {name: Redis, category: X, tier: y, license: MIT, versions: ['8.2']}\n")
    site.page("index.md", "title: Home", "<!-- catalog: images -->")
    site.config["plugins"] = ["search", {"catalog-api": site.settings}]
    site.config["theme"] = {"name": "material", "font": False}
    expected = rendered(site).bytes()
    shutil.rmtree(site.folder / "site")
    zensical(site)
    result = call("build", "--web", "--strict", "-f", site.folder / "mkdocs.yml")
    assert result.exit_code == 0, result.output
    documents = {path.removeprefix("v1/"): body for path, body in tree(site.folder / "site/api").items()}
    assert documents.keys() == {*expected, "manifest.json"}
    assert b'"url":"/catalog/images/redis/"' in expected["images.json"]
    for path in expected.keys() - {"index.json"}:  # which has the hash of all others
        alike = expected[path].replace(b'"html":"/catalog/images/redis/"', b'"html":null')
        alike = alike.replace(b"/catalog/images/redis/", b"/catalog/")
        assert documents[path] == alike, path


def test_the_search_of_zensical_finds_items(site: SiteFolder) -> None:
    site.image("nginx", "description: Serves files\nversions: ['1.29.3']")
    site.image("redis")
    site.write(
        "docs/images/redis.md", (site.folder / "docs/images/redis.md").read_text() + "# Redis\n\nMine.\n"
    )
    site.page("index.md", "title: Home")
    site.config["plugins"] = ["search", {"catalog-api": site.settings}]
    site.config["theme"] = {"name": "material", "font": False}
    path = site.write_config()
    zensical(site)
    for _ in range(2):
        assert call("build", "--web", "-f", path).exit_code == 0
        index = json.loads((site.folder / "site/search.json").read_bytes())
        found = {entry["location"]: (entry["title"], entry["text"]) for entry in index["items"]}
        assert found["images/nginx/"] == ("nginx", "<p>Container image nginx Serves files Tools 1.29.3</p>")
        assert found["images/redis/"] == ("Redis", "<p>Mine.</p><p>Container image Redis Tools</p>")
