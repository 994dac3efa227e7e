"""The OpenAPI document: valid and complete. What it says of each document is frozen in tests/contract."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta
from openapi_spec_validator import OpenAPIV31SpecValidator

from mkdocs_catalog_api.catalog.scans import COUNTERS
from mkdocs_catalog_api.documents.openapi import POLICY
from mkdocs_catalog_api.documents.table import KINDS

from .budgets import check_size
from .contract.schemas import FROZEN
from .past import Past, every_path
from .refresh import editor_schemas
from .sites import REGISTRY, Result, SiteFolder
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
    for schema in schemas.values():
        meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema)
    for place, schema in every:
        scalar = re.search("string|number|integer", str(schema.get("type")))
        assert not scalar or schema.keys() & {"const", "examples"}, f"{place} has no example"
        whole = schema | ({"components": described["components"]} if "$ref" in str(schema) else {})
        for example in schema.get("examples", ()):
            faults = [fault.message for fault in Draft202012Validator(whole).iter_errors(example)]
            assert (place, faults) == (place, [])
            assert "Custom" in place or example != "text", f"{place} has no example of its own"


def test_it_calls_nobody_s_images_hardened_and_nobody_s_charts_signed() -> None:
    texts = [FROZEN.read_text("utf-8"), *editor_schemas().values()]
    assert re.findall(r"\bharden\w*|\bsigned\b", " ".join(texts), re.IGNORECASE) == []


def test_no_schema_has_a_name_that_go_builds_on_one_system_or_in_tests_alone(described: Any) -> None:
    """A generated `model_fix_windows.go` is left out on Linux."""
    reserved = re.compile("(Test|Windows|Linux|Darwin|Android|Ios|Js|Wasm|Unix|Arm|Amd64|Arm64)$")
    assert [name for name in described["components"]["schemas"] if reserved.search(name)] == []


def test_links_in_examples_lead_to_documents(described: Any) -> None:
    patterns = [re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) for path in described["paths"]]
    links = re.findall(r'"/hardened(/api/v1/[^"]+)"', json.dumps(described["components"]["schemas"]))
    assert [link for link in links if not any(re.fullmatch(pattern, link) for pattern in patterns)] == []


def test_examples_agree_with_each_other(described: Any) -> None:
    schemas = described["components"]["schemas"]
    for field, names in {
        "version": ("ImageVersion", "SecurityFigures", "Pin"),
        "href": ("ImageVersion", "Pin"),
        "slug": ("Image", "Pin"),
    }.items():
        assert len({schemas[name]["properties"][field]["examples"][0] for name in names}) == 1, field
    (figures,) = schemas["Image"]["properties"]["security"]["examples"]
    assert figures["total"] == sum(figures[word] for word in COUNTERS)


def test_it_describes_what_the_settings_publish_whatever_the_data(site: SiteFolder) -> None:
    described = every_path(site).json("openapi.json")
    small(site)
    Past(site).day("2026-11-02")
    after = site.build()
    assert (after.failed, after.json("openapi.json")) == (False, described)
    site.settings = {"registry": REGISTRY, "lookups": ["digests"]}
    shutil.rmtree(site.folder / "history")
    fewer = site.build().json("openapi.json")
    every, left = ({path.split("/")[3] for path in each["paths"]} for each in (described, fewer))
    lookups = {route.path.split("/")[0] for kind in KINDS if kind.optional for route in kind.routes}
    assert every - left == (lookups - {"digests"}) | {
        "changes",
        "changes.json",
        "fixes.json",
        "history",
        "vex",
    }
    text, schemas = json.dumps(fewer), fewer["components"]["schemas"]
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
        parts = (item["get"], *item["get"].get("parameters", ()))
        bare += [path for part in parts if not part.get("description")]
    assert bare == []


def test_the_servers_are_the_mount_path_and_the_address(described: Any, site: SiteFolder) -> None:
    site.config["site_url"] = ""
    bare = small(site).build().json("openapi.json")
    urls = [[server["url"] for server in each["servers"]] for each in (described, bare)]
    assert urls == [["/hardened", "https://catalog.example.org/hardened"], ["/"]]


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


@pytest.mark.slow
def test_it_is_clean_under_the_recommended_rules_of_redocly(example: Result, node: Path) -> None:
    program, file = "node_modules/.bin/redocly", str(example.api / "openapi.json")
    command = [program, "lint", file, "--extends=recommended", "--format=json", "--skip-rule=info-license"]
    quiet = os.environ | {"REDOCLY_TELEMETRY": "off"}
    done = subprocess.run(command, cwd=node, env=quiet, capture_output=True, text=True, timeout=600)
    assert json.loads(done.stdout)["problems"] == [], done.stderr


@pytest.mark.slow
def test_schemathesis_accepts_every_document(example: Result, online: str) -> None:
    import schemathesis

    schema = schemathesis.openapi.from_url(f"{online}/api/v1/openapi.json")
    schema.config.update(base_url=online)
    patterns = [
        (re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))), path)
        for path in sorted(schema, key=lambda path: path.count("{"))
    ]
    tried = set()
    for file in sorted(file for file in example.api.rglob("*") if file.is_file()):
        address = f"/api/v1/{file.relative_to(example.api).as_posix()}"
        found = ((match, path) for pattern, path in patterns if (match := pattern.fullmatch(address)))
        match, path = next(found)
        response = schema[path]["GET"].Case(path_parameters=match.groupdict()).call_and_validate()
        assert response.status_code == 200
        tried.add(path)
    assert "/api/v1/vex/repository.tar.gz" in tried and not schema.keys() - tried
