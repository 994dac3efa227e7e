"""What authors write and what is published agree in every collection, whoever declared the field."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import markdown
from pydantic import BaseModel

from mkdocs_catalog_api.authored.pages import heading
from mkdocs_catalog_api.authored.settings import item_fields
from mkdocs_catalog_api.catalog.collections import COLLECTIONS, WITH_DOCUMENTS
from mkdocs_catalog_api.catalog.fields import ItemFields
from mkdocs_catalog_api.catalog.model import Model
from mkdocs_catalog_api.catalog.models import ChartVersionEntry, PinEntry, VersionEntry
from mkdocs_catalog_api.documents.item_structs import published
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.sources.read_site import read_site

from .authors import places
from .sites import SiteFolder, built
from .test_build import small
from .test_cli import call, config

COMPUTED = {
    "Image": ["verify", "url", "href", "security", "custom"],
    "ImageVersion": ["href", "custom"],
    "Chart": ["verify", "url", "href", "security", "custom"],
    "ChartVersion": ["custom"],
    "Pin": ["slug", "version", "until", "href"],
    "RoadmapItem": ["url", "custom"],
    "Update": ["href"],
}
NESTED: dict[str, type[Model]] = {
    "ImageVersion": VersionEntry,
    "ChartVersion": ChartVersionEntry,
    "Pin": PinEntry,
}
NAMES = {name: published(each.model).__name__ for name, each in COLLECTIONS.items()}
"""Collection → name of its items in OpenAPI."""
FIELDS = {
    "ports": {"type": "integer", "list": True, "description": "Ports it listens on."},
    "upstream": {"type": "url", "required": True},
    "fips": "boolean",
}


@pytest.fixture
def models(site: SiteFolder) -> dict[str, ItemFields[Any]]:
    """Name in OpenAPI → what authors write there; the built site has fields and words of its own."""
    site.settings["images"] = {"fields": FIELDS}
    site.settings["roadmap"] = {"fields": {"quarter": "text", "priority": {"values": ["high", "low"]}}}
    small(site).image("gamma", "ports: [80]\nfips: true\nhomepage: https://example.org/")
    for page in (site.folder / "docs/images").iterdir():
        text = page.read_text("utf-8").replace("---", "---\nupstream: https://example.org/", 1)
        page.write_text(text, encoding="utf-8")
    path = config(site)
    result = call("build", "-q", "-f", path)
    assert result.exit_code == 0, result.output
    _, settings, _ = read_site(path, Problems())
    found = item_fields(settings)
    nested = {name: ItemFields(model) for name, model in NESTED.items()}
    return {**nested, **{name: found[collection] for collection, name in NAMES.items()}}


def document(site: SiteFolder, path: str) -> Any:
    return json.loads((site.folder / "site/api/v1" / path).read_bytes())


def names(model: type[BaseModel]) -> dict[str, Any]:
    return {info.alias or key: info for key, info in model.model_fields.items() if not info.exclude}


def test_names_order_descriptions_and_null_are_those_of_what_is_written(
    site: SiteFolder, models: dict[str, ItemFields[Any]]
) -> None:
    schemas = document(site, "openapi.json")["components"]["schemas"]
    for name, fields in models.items():
        built_in, own, properties = names(fields.model), names(fields.own), schemas[name]["properties"]
        assert [*properties] == [*built_in, *COMPUTED[name]], name
        assert schemas[name]["required"] == [*properties]
        if "custom" in properties:
            custom = schemas[f"{name}Custom"]
            assert [*custom["properties"]] == custom.get("required", []) == [*own]
            properties = properties | custom["properties"]
        for field, info in (built_in | own).items():
            assert properties[field]["description"] == info.description
            nullable = "null" in str(properties[field].get("type") or properties[field].get("anyOf"))
            assert nullable == (NoneType in get_args(info.annotation)), f"{name}.{field}"


@pytest.mark.parametrize("kind", WITH_DOCUMENTS)
def test_a_logo_is_published_as_an_address(site: SiteFolder, kind: str) -> None:
    site.write("docs/assets/my tool.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    head = "category: Tools\ntier: core\nlicense: MIT"
    site.page(f"{kind}/a.md", f"{head}\nlogo: assets/my tool.svg")
    site.page(f"{kind}/b.md", f"{head}\nlogo: https://example.org/b.png")
    site.page(f"{kind}/c.md", head)
    result = built(site)
    logos = ["/catalog/assets/my%20tool.svg", "https://example.org/b.png", None]
    for document in (f"{kind}.json", f"{kind}/index.json"):
        assert [item["logo"] for item in result.json(document)["data"]] == logos


@pytest.mark.parametrize(
    ("logo", "code"),
    [
        ("../logo.svg", "CAT012"),
        ("/logo.svg", "CAT012"),
        ("logo.gif", "CAT012"),
        ("http://example.org/a.svg", "CAT012"),
        ("javascript:alert(1)//a.svg", "CAT012"),
        ("assets/none.svg", "CAT021"),
        ("linked.svg", "CAT021"),
    ],
)
def test_a_logo_that_is_none_is_refused(site: SiteFolder, logo: str, code: str, tmp_path: Path) -> None:
    site.write("docs/index.md", "# Home")
    outside = tmp_path.parent / "outside.svg"
    outside.write_text("<svg/>")
    (site.folder / "docs/linked.svg").symlink_to(outside)
    site.image("a", f"logo: '{logo}'")
    site.write_config()
    refused, listed = places(site)
    assert (refused, listed) == (True, [f"{code} docs/images/a.md 5:1 logo"])


@given(
    st.text("aZé7 .,+/()-_*#`&<[\\:", max_size=12),
    st.sampled_from(["", "\n", "\nText\n", "\n---\n", "\n: x\n", "\n***\n"]),
)
def test_a_heading_is_read_as_markdown_has_it(title: str, rest: str) -> None:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", markdown(f"# {title}{rest}", extensions=["extra"]), re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]*>", "", found[1])).strip() if found else None
    assert heading(f"---\ntier: core\n---\n\n# {title}{rest}") == (text or None)
