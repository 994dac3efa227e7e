"""The OpenAPI document: valid and complete. What it says of each document is frozen in tests/contract."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta
from openapi_spec_validator import OpenAPIV31SpecValidator

from mkdocs_catalog_api.documents.openapi import POLICY
from mkdocs_catalog_api.documents.table import KINDS

from .budgets import check_size
from .past import Past, every_path
from .sites import Result, SiteFolder
from .test_build import small


@pytest.fixture(scope="module")
def described(example: Result) -> Any:
    return example.json("openapi.json")


def parts(part: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Every schema in a named one, with its place."""
    yield place, part
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield from parts(part[key], f"{place}.{key}")
    for name, field in part.get("properties", {}).items():
        yield from parts(field, f"{place}.{name}")


def test_it_is_valid_and_every_text_and_number_has_an_example_that_fits(described: Any) -> None:
    OpenAPIV31SpecValidator(described).validate()
    schemas = described["components"]["schemas"]
    every = [pair for name, schema in schemas.items() for pair in parts(schema, name)]
    for path, item in described["paths"].items():
        every += [(f"{path} {each['name']}", each["schema"]) for each in item["get"].get("parameters", ())]
    assert len(every) > 500
    for schema in schemas.values():
        meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema)
    for place, schema in every:
        scalar = {"string", "number", "integer"}.intersection(types_of(schema))
        assert not scalar or schema.keys() & {"const", "examples"}, f"{place} has no example"
        whole = schema | ({"components": described["components"]} if "$ref" in str(schema) else {})
        for example in schema.get("examples", ()):
            faults = [fault.message for fault in Draft202012Validator(whole).iter_errors(example)]
            assert (place, faults) == (place, [])
            assert "Custom" in place or example != "text", f"{place} has no example of its own"


def types_of(schema: Any) -> list[str]:
    types = schema.get("type", [])
    return types if isinstance(types, list) else [types]


def test_links_in_examples_lead_to_documents(described: Any) -> None:
    patterns = [re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) for path in described["paths"]]
    links = re.findall(r'"/hardened(/api/v1/[^"]+)"', json.dumps(described["components"]["schemas"]))
    assert len(links) > 60
    assert [link for link in links if not any(re.fullmatch(pattern, link) for pattern in patterns)] == []


def test_examples_agree_with_each_other(described: Any) -> None:
    properties = {
        name: each["properties"]
        for name, each in described["components"]["schemas"].items()
        if "properties" in each
    }
    for field, names in {
        "version": ("ImageVersion", "SecurityFigures", "Pin"),
        "href": ("ImageVersion", "Pin"),
        "slug": ("Image", "Pin"),
    }.items():
        assert len({properties[name][field]["examples"][0] for name in names}) == 1, field
    (figures,) = properties["Image"]["security"]["examples"]
    assert figures["total"] == sum(figures[word] for word in ("critical", "high", "medium", "low", "unknown"))


def test_it_does_not_change_with_the_data(site: SiteFolder) -> None:
    before = every_path(site)
    documents = [before.json("openapi.json")]
    small(site)
    Past(site).day("2026-11-02")
    after = site.build()
    assert not after.failed, after.logged()
    assert [*documents, after.json("openapi.json")] == documents * 2
    assert after.json("images.json")["total"] > 0


def test_it_describes_what_the_catalog_publishes_and_no_more(site: SiteFolder) -> None:
    every = {path.split("/")[3] for path in every_path(site).json("openapi.json")["paths"]}
    assert every >= {"changes", "history", "vex", "digests", "cves", "renovate"}
    site.settings = {"lookups": ["digests"]}
    (site.folder / "history/2026-11-01.json").unlink()
    described = site.build().json("openapi.json")
    fewer = {path.split("/")[3] for path in described["paths"]}
    lookups = {route.path.split("/")[0] for kind in KINDS if kind.optional for route in kind.routes}
    days = {"changes", "changes.json", "fixes.json", "history", "vex"}
    assert every - fewer == (lookups - {"digests"}) | days
    text = json.dumps(described)
    schemas = described["components"]["schemas"]
    assert [name for name in schemas if f'schemas/{name}"' not in text] == [], "schemas of nothing"


def test_everything_is_described(described: Any) -> None:
    schemas = described["components"]["schemas"]
    bare = [name for name, schema in schemas.items() if not schema.get("description")]
    for name, schema in schemas.items():
        for field, found in schema.get("properties", {}).items():
            if "$ref" not in found and not found.get("description"):  # else its schema has one
                bare.append(f"{name}.{field}")
    tags = {tag["name"] for tag in described["tags"] if tag["description"]}
    for path, item in described["paths"].items():
        assert {*item["get"]["tags"]} <= tags
        bare += [
            path for part in (item["get"], *item["get"].get("parameters", ())) if not part.get("description")
        ]
    assert bare == []


def test_the_servers_are_the_mount_path_and_the_address(described: Any, site: SiteFolder) -> None:
    assert [server["url"] for server in described["servers"]] == [
        "/hardened",
        "https://catalog.example.org/hardened",
    ]
    site.config["site_url"] = ""
    bare = small(site).build().json("openapi.json")
    assert [server["url"] for server in bare["servers"]] == ["/"]


def test_custom_fields_and_closed_words_are_typed(site: SiteFolder) -> None:
    site.settings["images"] = {
        "fields": {
            "port": {"type": "integer", "required": True, "description": "Port it listens on."},
            "shells": {"values": ["bash", "none"], "list": True},
            "tier": {"values": ["core", "extra"], "required": True},
        },
        "version_fields": {"built": "date"},
    }
    site.image("alpha", "port: 80")
    schemas = site.build().json("openapi.json")["components"]["schemas"]
    assert schemas["Image"]["properties"]["tier"]["x-extensible-enum"] == ["core", "extra"]
    assert schemas["Image"]["properties"]["custom"]["$ref"] == "#/components/schemas/ImageCustom"
    custom = schemas["ImageCustom"]
    assert custom["properties"]["port"]["type"] == "integer"
    assert custom["properties"]["port"]["description"] == "Port it listens on."
    assert custom["properties"]["shells"]["items"]["x-extensible-enum"] == ["bash", "none"]
    assert custom["required"] == ["port", "shells"]
    assert schemas["ImageVersionCustom"]["properties"]["built"]["format"] == "date"


def test_it_says_what_clients_can_rely_on_in_few_bytes(example: Result, described: Any) -> None:
    info = described["info"]
    assert (info["title"], info["summary"], info["version"]) == ("Catalog API", "Hardened Images", "v1")
    assert POLICY in info["description"]
    assert example.json("manifest.json")["generatedAt"] not in json.dumps(described)
    size = (example.api / "openapi.json").stat().st_size
    check_size("openapi.json, for each path,", size / len(described["paths"]), usual=5_000, limit=5_500)
