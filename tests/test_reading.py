"""Commands see what `mkdocs build` sees: with hooks and unknown plugins, MkDocs reads the site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .sites import SiteFolder
from .test_cli import call, config, tree

HOOK = """
from mkdocs.structure.files import File

print("A hook may print.")

def on_files(files, config):
    text = "---\\ncategory: Tools\\ntier: core\\nlicense: {}\\nversions: [1.0]\\n---\\n{}\\n"
    files.append(File.generated(config, "images/made.md", content=text))
"""


def hooked(site: SiteFolder, license_: str = "MIT", body: str = "") -> Path:
    site.config["hooks"] = ["hook.py"]
    site.write("hook.py", HOOK.format(license_, body))
    site.page("index.md", "title: Home")
    return site.write_config()


def test_pages_of_hooks_are_checked_and_nothing_is_written(site: SiteFolder) -> None:
    path = hooked(site)
    site.write("site/kept.html", "of an earlier build")
    before = tree(site.folder)
    result = call("check", "-f", path)
    assert result.exit_code == 0 and "\nchecked: " in result.output
    after = tree(site.folder)
    assert {path: body for path, body in after.items() if "__pycache__" not in path} == before


def test_list_and_record_see_the_pages_of_hooks(site: SiteFolder) -> None:
    path = hooked(site)
    listed = call("list", "-f", path)
    assert [line.partition("\t")[0] for line in listed.stdout.splitlines()] == [
        "registry.example.org/hardened/made:1.0"
    ], "what a hook prints is not part of it"
    recorded = call("record", "-f", path, "--date", "2026-11-01")
    assert recorded.exit_code == 0, recorded.output
    day = json.loads((site.folder / "history/2026-11-01.json").read_bytes())
    assert {event["slug"] for event in day["events"] if "slug" in event} == {"made"}


@pytest.mark.parametrize(
    ("license_", "body", "told"),
    [
        ("[]", "", "images/made.md:4:1: license: "),
        ("MIT", "<!-- catalog: imags -->", "unknown marker `imags` (did you mean `images`?)"),
    ],
)
def test_a_fault_of_a_made_page_is_told(site: SiteFolder, license_: str, body: str, told: str) -> None:
    result = call("check", "-f", hooked(site, license_, body))
    assert result.exit_code == 1
    assert told in result.output
    assert result.output.endswith("the catalog is not published: 1 error in 1 file\n")
    assert not (site.folder / "site").exists()


@pytest.mark.parametrize(
    ("hook", "theme", "told"),
    [
        ("raise KeyError('key')", "mkdocs", "KeyError('key')"),
        ("def on_nav(nav, **_): raise KeyError('key')", "mkdocs", "KeyError('key')"),
        ("", "nowhere", ""),
    ],
)
def test_a_site_that_mkdocs_can_not_read_is_one_error(
    site: SiteFolder, hook: str, theme: str, told: str
) -> None:
    site.config["theme"] = {"name": theme}
    path = hooked(site)
    site.write("hook.py", hook)
    result = call("build", "-f", path)
    assert (result.exit_code, result.output.count("error: ")) == (1, 1)
    assert f"MkDocs can't read the site: {told}" in result.output


def test_a_plugin_that_is_not_installed_is_one_error_with_its_name(site: SiteFolder) -> None:
    path = config(site, plugins=["search", {"of-our-own": {"x": 1}}, {"catalog-api": site.settings}])
    result = call("build", "-f", path)
    assert result.exit_code == 1
    assert "mkdocs.yml: plugins: the plugin 'of-our-own' is not installed" in result.stderr
    assert result.stderr.count("error: ") == 1
    path = config(site, plugins={"of-our-own": {"enabled": False}, "catalog-api": site.settings})
    assert call("build", "-f", path).exit_code == 0


def test_wrong_markers_are_found_without_mkdocs(site: SiteFolder) -> None:
    site.image("nginx")
    code = (
        "```html\n<!-- catalog: imagse -->\n```\n\n- item\n\n    ```\n    <!-- catalog: chart -->\n    ```\n"
    )
    site.write("docs/index.md", f"# Home\n\n<!-- catalog: imags -->\n\n<!-- catalog images -->\n\n{code}")
    site.config["markdown_extensions"] = ["pymdownx.superfences", "pymdownx.not_installed"]
    path = site.write_config()
    result = call("check", "-f", path)
    assert result.exit_code == 1
    assert "docs/index.md:3: unknown marker `imags` (did you mean `images`?)" in result.output
    assert result.output.count("marker") == result.output.count("imags") + 1, "code is no marker"
    assert "docs/index.md:5: " in result.output


def test_wrong_templates_are_found_without_mkdocs(site: SiteFolder) -> None:
    site.image("nginx")
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    good = '{{ catalog.document("images/nginx/index.json").data.name }}'
    site.write("overrides/catalog/item-images.html", good)
    path = site.write_config()
    assert call("check", "-f", path).exit_code == 0
    site.write("overrides/catalog/item-images.html", good.replace("nginx", "ngin"))
    result = call("check", "-f", path)
    assert result.exit_code == 1
    assert "overrides/catalog/item-images.html" in result.output
