"""Fields that pages already have under another key: `from` in the settings."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main

from .sites import SiteFolder, built


def places(site: SiteFolder) -> list[tuple[str, str, str, int, str]]:
    """Level, code, file, line and field of each warning and error."""
    site.write_config()
    result = CliRunner().invoke(main, ["check", "--json", "-f", str(site.folder / "mkdocs.yml")])
    return [
        tuple(problem[key] for key in ("level", "code", "file", "line", "field"))
        for problem in json.loads(result.stdout)["problems"]
        if problem["level"] != "info"
    ]


PAGE = """
title: Nginx
tags: [Web, Proxy]
project_url: [https://example.org/nginx, https://example.org/other]
licence_id: MIT
builds: [linux/amd64, linux/arm64]
ports: [80, 443]
"""


@pytest.fixture
def mapped(site: SiteFolder) -> SiteFolder:
    keys = {"category": "tags", "homepage": "project_url", "license": "licence_id", "platforms": "builds"}
    site.settings["images"] = {
        "defaults": {"tier": "core"},
        "fields": {
            "ports": {"type": "integer", "list": True},
            "port": {"type": "integer", "from": "ports"},
            **{field: {"from": key} for field, key in keys.items()},
        },
    }
    site.page("images/nginx.md", PAGE)
    return site


def item(result: Any, slug: str) -> dict[str, Any]:
    data: dict[str, Any] = result.json(f"images/{slug}/index.json")["data"]
    return data


def test_fields_are_read_from_the_keys_that_pages_have(mapped: SiteFolder) -> None:
    result = mapped.build(strict=True)
    assert not result.failed, result.logged()
    image = item(result, "nginx")
    assert (image["category"], image["categories"]) == ("Web", ["Web", "Proxy"])
    assert (image["homepage"], image["license"]) == ("https://example.org/nginx", "MIT")
    assert (image["platforms"], image["name"]) == (["linux/amd64", "linux/arm64"], "Nginx")
    assert image["custom"] == {"ports": [80, 443], "port": 80}


def test_the_field_itself_comes_first_and_defaults_last(site: SiteFolder) -> None:
    fields = {"tier": {"from": "level"}, "category": {"from": "tags"}}
    site.settings["images"] = {"fields": fields, "defaults": {"tier": "low"}}
    site.page("images/a.md", "category: Own\ntags: [Other]\nlicense: MIT\nlevel: high")
    site.page("images/b.md", "category:\ntags: [Other]\nlicense: MIT\nlevel: []")
    result = built(site)
    assert [(item(result, slug)["category"], item(result, slug)["tier"]) for slug in "ab"] == [
        ("Own", "high"),
        ("Other", "low"),
    ]


def test_entries_of_data_files_are_mapped_too(site: SiteFolder) -> None:
    site.settings["charts"] = {"fields": {"slug": {"from": "id"}, "category": {"from": "kind"}}}
    site.write("charts.yml", "- {id: web, name: Web, kind: Tools, tier: core, license: MIT}\n")
    site.write("docs/index.md", "# Home\n")
    assert built(site).json("charts/web/index.json")["data"]["category"] == "Tools"


def test_a_wrong_value_is_named_where_it_is_written(mapped: SiteFolder) -> None:
    mapped.page("images/nginx.md", PAGE.replace("https://example.org/nginx", "example"))
    assert places(mapped) == [("error", "CAT012", "docs/images/nginx.md", 4, "project_url")]


def test_a_key_that_is_not_text_is_refused(mapped: SiteFolder) -> None:
    mapped.settings["images"]["fields"]["category"] = {"from": ["tags"]}
    assert [place[4] for place in places(mapped)] == ["catalog-api.images.fields.category.from"]


def test_fields_of_versions_are_read_from_other_keys_too(site: SiteFolder) -> None:
    site.settings["images"] = {
        "version_fields": {"released": {"from": "date"}, "port": {"type": "integer", "from": "listens"}}
    }
    site.image("a", "versions: [{version: '2', date: 2026-01-02, listens: 80}, '1']")
    newest, oldest = item(built(site), "a")["versions"]
    assert (newest["released"], newest["custom"], oldest["custom"]) == (
        "2026-01-02",
        {"port": 80},
        {"port": None},
    )
    site.image("a", "versions: [{version: '2', date: soon}]")
    assert places(site) == [("error", "CAT012", "docs/images/a.md", 5, "versions[0].date")]
