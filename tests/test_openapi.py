"""The OpenAPI document: valid, complete, and every document of the example is what it says."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from openapi_spec_validator import OpenAPIV31SpecValidator

from mkdocs_catalog_api.documents.compatibility import POLICY

from .budgets import check_size
from .sites import SiteFolder
from .test_build import small
from .test_cli import EXAMPLE, call, config


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's documents."""
    folder = tmp_path_factory.mktemp("example")
    assert call("build", "-q", "-f", EXAMPLE, "--site-dir", folder).exit_code == 0
    return folder / "api/v1"


@pytest.fixture(scope="module")
def described(api: Path) -> Any:
    return json.loads((api / "openapi.json").read_bytes())


def strict(described: Any) -> Any:
    """The document with schemas that take no other fields than theirs, unlike those for clients."""
    closed = json.loads(json.dumps(described))
    for name, schema in closed["components"]["schemas"].items():
        if not name.startswith("OpenApi") and "properties" in schema:  # of which only a part is described
            schema.setdefault("additionalProperties", False)
    return closed


def operations(described: Any) -> Iterator[tuple[str, Any]]:
    for path, item in described["paths"].items():
        yield path, item["get"]


def content(operation: Any) -> Any:
    (found,) = operation["responses"]["200"]["content"].values()
    return found


def test_it_is_valid(described: Any) -> None:
    OpenAPIV31SpecValidator(described).validate()
    for schema in described["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_document_is_what_it_says(api: Path, described: Any) -> None:
    closed = strict(described)
    validators = [
        (
            re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))),
            Draft202012Validator({"components": closed["components"], **content(operation)["schema"]}),
        )
        for path, operation in sorted(operations(closed), key=lambda pair: pair[0].count("{"))
    ]
    files = sorted(api.rglob("*.json"))
    assert len(files) > 400
    for file in files:
        path = f"/api/v1/{file.relative_to(api).as_posix()}"
        validator = next(found for pattern, found in validators if pattern.fullmatch(path))
        document = json.loads(file.read_bytes())
        faults = [f"{path}: {fault.json_path}: {fault.message}" for fault in validator.iter_errors(document)]
        assert faults == []


def test_every_example_is_of_this_catalog_and_leads_to_its_document(api: Path, described: Any) -> None:
    for path, operation in operations(described):
        if path.endswith(("/openapi.json", ".tar.gz")):  # would contain itself, is not JSON
            continue
        if "example" not in content(operation):
            pattern = re.sub(r"\{\w+\}", "*", path.removeprefix("/api/v1/"))
            assert not [*api.glob(pattern)], path
            continue
        example = content(operation)["example"]
        for parameter in operation.get("parameters", ()):
            path = path.replace("{" + parameter["name"] + "}", str(parameter["example"]))
        document = json.loads((api / path.removeprefix("/api/v1/")).read_bytes())
        assert set(example) == set(document), path
        for key in ("slug", "image", "version", "total", "links", "label", "message"):
            assert example.get(key) == document.get(key), path
        fault = Draft202012Validator({**described, **content(operation)["schema"]}).iter_errors(example)
        assert [f"{path}: {found.message}" for found in fault] == []


def test_everything_is_described(described: Any) -> None:
    schemas = described["components"]["schemas"]
    bare = [name for name, schema in schemas.items() if not schema.get("description")]
    for name, schema in schemas.items():
        for field, found in schema.get("properties", {}).items():
            target = schemas[found["$ref"].rpartition("/")[2]] if "$ref" in found else found
            if not (found.get("description") or target.get("description")):
                bare.append(f"{name}.{field}")
    tags = {tag["name"] for tag in described["tags"] if tag["description"]}
    for path, operation in operations(described):
        assert set(operation["tags"]) <= tags
        told = [operation, *operation.get("parameters", ())]
        bare += [path for part in told if not part.get("description")]
    assert bare == []


def test_no_description_has_the_indentation_of_the_source(described: Any) -> None:
    schemas = described["components"]["schemas"]
    texts = {name: schema["description"] for name, schema in schemas.items()}
    assert [name for name, text in texts.items() if text != inspect.cleandoc(text)] == []


def test_generated_clients_get_good_names(described: Any) -> None:
    names = [operation["operationId"] for _, operation in operations(described)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"(list|get)[A-Z][A-Za-z]+", name) for name in names)
    schemas = described["components"]["schemas"]
    assert all(re.fullmatch(r"[A-Z][A-Za-z]+", name) for name in schemas)
    assert {"ImageCollection", "ImagePage", "ImageDocument", "Image", "RoadmapItem", "Release"} <= set(
        schemas
    )


def test_a_field_is_required_and_null_only_where_it_may_be(described: Any) -> None:
    schemas = described["components"]["schemas"]
    optional = {
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field in schema.get("properties", ())
        if field not in schema["required"]
    }
    assert optional == {
        *("Badge.namedLogo", "Badge.logoColor", "Badge.logoSvg", "VexProduct.subcomponents"),
        *("VexStatement.justification", "VexStatement.impact_statement", "VexStatement.action_statement"),
        *("RenovateImage.sourceUrl", "RenovateImage.homepage", "RenovateRelease.releaseTimestamp"),
        *("RenovateRelease.digest", "RenovateRelease.changelogUrl"),
    }
    image = schemas["Image"]["properties"]
    may_be_null = [name for name, schema in image.items() if {"type": "null"} in schema.get("anyOf", ())]
    # Those that authors write are compared with their models in test_authored_fields.py.
    assert may_be_null[may_be_null.index("verify") :] == ["verify", "upstream", "port", "fips", "shell"]


def test_words_of_the_contract_have_names_and_stand_in_their_own_order(described: Any) -> None:
    schemas = described["components"]["schemas"]
    named = {name: schema for name, schema in schemas.items() if "enum" in schema}
    assert named["Severity"]["enum"] == ["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
    assert named["Grade"]["enum"] == ["A+", "A", "B", "C", "D", "F"]
    assert named["Grade"]["x-enum-varnames"] == ["A_PLUS", "A", "B", "C", "D", "F"]
    status = schemas["Suppressed"]["properties"]["status"]
    assert status["x-extensible-enum"] == ["not_affected", "fixed", "ignored"] and "enum" not in status
    assert named.keys() >= {"Lifecycle", "Outcome"}
    for schema in named.values():
        variables = schema["x-enum-varnames"]
        assert schema["type"] == "string"
        assert len({*variables}) == len(variables) == len(schema["enum"])
        assert all(re.fullmatch("[A-Z][A-Z0-9_]*", name) for name in variables)
    reference = {"$ref": "#/components/schemas/Grade"}
    assert schemas["ImageSecurity"]["properties"]["grade"]["anyOf"][0] == reference
    assert schemas["Vulnerability"]["properties"]["severity"]["$ref"] == "#/components/schemas/Severity"
    (_, badge) = dict(operations(described))["/api/v1/badge/{slug}/{name}.json"]["parameters"]
    assert badge["schema"] == {"$ref": "#/components/schemas/ImageBadgeName"}


def inline(part: Any) -> Iterator[Any]:
    """Every list of words below a schema or a list of them."""
    if isinstance(part, dict):
        if "enum" in part:
            yield part["enum"]
        for key, found in part.items():
            if key != "propertyNames":  # names of keys are nobody's type
                yield from inline(found)
    elif isinstance(part, list):
        for found in part:
            yield from inline(found)


def test_no_list_of_words_is_without_a_name(described: Any) -> None:
    schemas = [found for found in described["components"]["schemas"].values() if "enum" not in found]
    listed = [
        *inline(schemas),
        *inline([item["get"].get("parameters") for item in described["paths"].values()]),
    ]
    assert len(listed) > 20
    assert {len(words) for words in listed} == {1}, "only constants"


def test_words_of_an_author_are_open(described: Any) -> None:
    image = described["components"]["schemas"]["Image"]["properties"]
    assert image["tier"]["x-extensible-enum"] == ["core", "standard", "community"]
    assert (image["tier"]["type"], image["shell"]["anyOf"][0]["type"]) == ("string", "string")
    assert "enum" not in json.dumps([image["tier"], image["shell"]]).replace("x-extensible-enum", "")


def test_the_servers_are_the_mount_path_and_the_address(described: Any, site: SiteFolder) -> None:
    assert [server["url"] for server in described["servers"]] == [
        "/hardened",
        "https://catalog.example.org/hardened",
    ]
    site.config["site_url"] = ""
    assert call("build", "-q", "-f", config(small(site)), "--site-dir", "site").exit_code == 0
    bare = json.loads((site.folder / "site/api/v1/openapi.json").read_bytes())
    assert [server["url"] for server in bare["servers"]] == ["/"]


def test_caching_is_described(described: Any) -> None:
    for _, operation in operations(described):
        assert {*operation["responses"]["200"]["headers"]} == {"ETag", "Last-Modified", "Cache-Control"}
        assert operation["responses"]["304"] == {"$ref": "#/components/responses/NotModified"}


def test_custom_fields_and_closed_words_are_typed(site: SiteFolder) -> None:
    site.settings["images"] = {
        "fields": {
            "port": {"type": "integer", "required": True, "description": "Port it listens on."},
            "shells": {"values": ["bash", "none"], "list": True},
        },
        "vocabulary": {"tier": ["core", "extra"]},
    }
    site.image("alpha", "port: 80")
    assert call("build", "-q", "-f", config(site), "--site-dir", "site").exit_code == 0
    described = json.loads((site.folder / "site/api/v1/openapi.json").read_bytes())
    image = described["components"]["schemas"]["Image"]
    assert image["properties"]["tier"]["x-extensible-enum"] == ["core", "extra"]
    assert image["properties"]["port"]["type"] == "integer"
    assert image["properties"]["port"]["description"] == "Port it listens on."
    assert image["properties"]["shells"]["items"]["x-extensible-enum"] == ["bash", "none"]
    assert {"port", "shells"} <= set(image["required"])
    example = described["paths"]["/api/v1/images/{slug}/index.json"]["get"]
    assert content(example)["example"]["data"]["port"] == 80


def test_it_forbids_no_field_that_a_later_version_adds(described: Any) -> None:
    assert '"additionalProperties": false' not in json.dumps(described)


def test_it_says_who_to_ask_and_on_what_terms(described: Any) -> None:
    info = described["info"]
    assert (info["title"], info["version"]) == ("Hardened Images", "v1")
    assert info["contact"]["name"]
    assert info["license"]["identifier"] == "CC-BY-4.0"
    assert POLICY in info["description"]


def test_without_these_settings_it_says_neither(site: SiteFolder) -> None:
    assert call("build", "-q", "-f", config(small(site)), "--site-dir", "site").exit_code == 0
    info = json.loads((site.folder / "site/api/v1/openapi.json").read_bytes())["info"]
    assert "contact" not in info
    assert "license" not in info


def test_an_empty_catalog_is_described_too(site: SiteFolder) -> None:
    assert call("build", "-q", "-f", config(site), "--site-dir", "site").exit_code == 0
    described = json.loads((site.folder / "site/api/v1/openapi.json").read_bytes())
    OpenAPIV31SpecValidator(described).validate()
    assert content(dict(operations(described))["/api/v1/images.json"])["example"]["data"] == []


def test_it_is_small_and_holds_no_time(api: Path, described: Any) -> None:
    size = (api / "openapi.json").stat().st_size
    check_size("openapi.json, for each path,", size / len(described["paths"]), usual=5_000, limit=5_500)
    manifest = json.loads((api / "manifest.json").read_bytes())
    assert manifest["generatedAt"] not in json.dumps(described)
