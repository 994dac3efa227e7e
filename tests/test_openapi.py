"""The OpenAPI document: valid, complete, and every document of the example is what it says."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
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
from .test_cli import call, config


@pytest.fixture(scope="module")
def api(example: Result) -> Path:
    """The example's documents."""
    return example.api


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
        meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema)


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
        assert [(path, fault.instance_path, fault.message) for fault in validator.iter_errors(document)] == []


def types_of(schema: Any) -> list[str]:
    types = schema.get("type", [])
    return types if isinstance(types, list) else [types]


def test_every_text_and_number_has_an_example_that_fits(described: Any) -> None:
    every = [
        pair for name, schema in described["components"]["schemas"].items() for pair in parts(schema, name)
    ]
    every += [
        (f"{path} {parameter['name']}", parameter["schema"])
        for path, operation in operations(described)
        for parameter in operation.get("parameters", ())
    ]
    wanting = [
        place
        for place, schema in every
        if {"string", "number", "integer"}.intersection(types_of(schema))
        and not schema.keys() & {"const", "examples"}
    ]
    assert wanting == []
    examples = [(place, schema, each) for place, schema in every for each in schema.get("examples", ())]
    assert len(examples) > 500
    for place, schema, example in examples:
        whole = {"components": described["components"], **schema}
        faults = [fault.message for fault in Draft202012Validator(whole).iter_errors(example)]
        assert (place, faults) == (place, [])
        assert "Custom" in place or example != "text", f"{place} has no example of its own"


def composed(schema: Any, schemas: Any) -> Any:
    """A document made of the examples in its schema, as Swagger UI shows it."""
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        return composed(schema["anyOf"][0], schemas)
    if "$ref" in schema:
        return composed(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "items" in schema:
        return [composed(schema["items"], schemas)]
    if "properties" in schema:
        return {name: composed(part, schemas) for name, part in schema["properties"].items()}
    return schema.get("const", True)


def test_the_examples_of_an_image_are_one_image(described: Any) -> None:
    schemas = described["components"]["schemas"]
    document = composed(schemas["ImageDocument"], schemas)
    image = document["data"]
    assert image["href"] == document["links"]["self"] == "/hardened/api/v1/images/nginx/index.json"
    assert (image["slug"], image["name"], image["latest"]) == ("nginx", "nginx", "1.29.3")
    assert image["url"] == document["links"]["html"]
    (version,) = image["versions"]
    assert version["version"] == image["latest"] and version["digests"] == [version["digest"]]
    assert version["href"] == "/hardened/api/v1/security/nginx/1.29.3.json"
    figures = image["security"]
    assert figures["href"] == "/hardened/api/v1/security/nginx.json" and "pins" not in figures
    assert figures["total"] == sum(figures[word] for word in ("critical", "high", "medium", "low", "unknown"))
    chart = composed(schemas["ChartDocument"], schemas)
    assert chart["data"]["href"] == chart["links"]["self"] == "/hardened/api/v1/charts/web/index.json"
    assert chart["data"]["images"][0]["href"] == version["href"]


def test_links_in_examples_lead_to_documents(described: Any) -> None:
    patterns = [re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) for path in described["paths"]]
    links = re.findall(r'"/hardened(/api/v1/[^"]+)"', json.dumps(described["components"]["schemas"]))
    assert len(links) > 60
    assert [link for link in links if not any(re.fullmatch(pattern, link) for pattern in patterns)] == []


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
    assert every - fewer == lookups - {"digests"} | {
        "changes",
        "changes.json",
        "fixes.json",
        "history",
        "vex",
    }
    text = json.dumps(described)
    schemas = described["components"]["schemas"]
    assert [name for name in schemas if f'schemas/{name}"' not in text] == [], "schemas of nothing"


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
        *("SecurityFigures.pins", "SecurityFigures.pinsScanned"),
        "VexProduct.subcomponents",
        *("VexStatement.justification", "VexStatement.impact_statement", "VexStatement.action_statement"),
        *("RenovateImage.sourceUrl", "RenovateImage.homepage", "RenovateRelease.releaseTimestamp"),
        *("RenovateRelease.digest", "RenovateRelease.changelogUrl"),
    }
    image = schemas["Image"]["properties"]
    may_be_null = [
        name
        for name, schema in image.items()
        if "null" in schema.get("type", ()) or {"type": "null"} in schema.get("anyOf", ())
    ]
    # Those that authors write are compared with their models in test_fields.py.
    assert may_be_null[may_be_null.index("verify") :] == ["verify"]


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
    assert schemas["SecurityFigures"]["properties"]["grade"]["anyOf"][0] == reference
    assert schemas["Vulnerability"]["properties"]["severity"]["$ref"] == "#/components/schemas/Severity"
    (_, badge) = dict(operations(described))["/api/v1/badge/{slug}/{name}.json"]["parameters"]
    assert badge["schema"] == {"$ref": "#/components/schemas/ImageBadgeName"}


def parts(part: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Every schema in a named one, with its place."""
    yield place, part
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield from parts(part[key], f"{place}.{key}")
    for key in ("anyOf", "oneOf"):
        for number, option in enumerate(part.get(key, ())):
            yield from parts(option, f"{place}.{key}.{number}")
    for name, field in part.get("properties", {}).items():
        yield from parts(field, f"{place}.{name}")


def test_generators_have_no_names_to_make_up(described: Any) -> None:
    """Objects, closed lists of words and kinds of events are named schemas; null is one of two types."""
    schemas = described["components"]["schemas"]
    parameters = [
        parameter["schema"]
        for _, operation in operations(described)
        for parameter in operation.get("parameters", ())
    ]
    inner = [
        (place, part)
        for name, schema in {
            **schemas,
            **{f"parameter {n}": part for n, part in enumerate(parameters)},
        }.items()
        for place, part in parts(schema, name)
        if place not in schemas
    ]
    assert [place for place, part in inner if "object" in part.get("type", ())] == []
    assert [place for place, part in inner if "enum" in part] == []
    assert [place for place, schema in schemas.items() if "oneOf" in schema] == ["Event"]
    for place, part in inner:
        if "anyOf" in part:
            named, null = part["anyOf"]
            assert (named.keys(), null) == ({"$ref"}, {"type": "null"}), place
        if place.endswith((".items", ".additionalProperties")):
            assert part.keys() <= {"type", "format", "$ref", "x-extensible-enum", "examples"}, place
    median = schemas["FixTimes"]["properties"]["median"]
    assert (median["type"], median["minimum"]) == (["number", "null"], 0)


def test_events_are_one_schema_with_a_discriminator(described: Any) -> None:
    schemas = described["components"]["schemas"]
    assert schemas["DayChanges"]["properties"]["data"]["items"] == {"$ref": "#/components/schemas/Event"}
    event = schemas["Event"]
    mapping = event["discriminator"]["mapping"]
    assert [option["$ref"] for option in event["oneOf"]] == [*mapping.values()]
    assert event["discriminator"]["propertyName"] == "kind"
    for kind, reference in mapping.items():
        properties = schemas[reference.rpartition("/")[2]]["properties"]
        assert properties["kind"]["const"] == kind
        if "reason" in properties:
            assert "x-extensible-enum" in properties["reason"] and "enum" not in properties["reason"]


def test_words_of_an_author_are_open(described: Any) -> None:
    schemas = described["components"]["schemas"]
    tier = schemas["Image"]["properties"]["tier"]
    shell = schemas["ImageCustom"]["properties"]["shell"]
    assert tier["x-extensible-enum"] == ["core", "standard", "community"]
    assert tier["type"] == shell["type"] == ["string", "null"]
    assert "enum" not in json.dumps([tier, shell]).replace("x-extensible-enum", "")


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
            "tier": {"values": ["core", "extra"], "required": True},
        },
        "version_fields": {"built": "date"},
    }
    site.image("alpha", "port: 80")
    assert call("build", "-q", "-f", config(site), "--site-dir", "site").exit_code == 0
    described = json.loads((site.folder / "site/api/v1/openapi.json").read_bytes())
    schemas = described["components"]["schemas"]
    assert schemas["Image"]["properties"]["tier"]["x-extensible-enum"] == ["core", "extra"]
    assert schemas["Image"]["properties"]["custom"]["$ref"] == "#/components/schemas/ImageCustom"
    custom = schemas["ImageCustom"]
    assert custom["properties"]["port"]["type"] == "integer"
    assert custom["properties"]["port"]["description"] == "Port it listens on."
    assert custom["properties"]["shells"]["items"]["x-extensible-enum"] == ["bash", "none"]
    assert custom["required"] == ["port", "shells"]
    assert schemas["ImageVersionCustom"]["properties"]["built"]["format"] == "date"


def test_it_forbids_no_field_that_a_later_version_adds(described: Any) -> None:
    assert '"additionalProperties": false' not in json.dumps(described)


def test_it_says_what_clients_can_rely_on(described: Any) -> None:
    info = described["info"]
    assert (info["title"], info["summary"], info["version"]) == ("Catalog API", "Hardened Images", "v1")
    assert POLICY in info["description"]


def test_it_is_small_and_holds_no_time(api: Path, described: Any) -> None:
    size = (api / "openapi.json").stat().st_size
    check_size("openapi.json, for each path,", size / len(described["paths"]), usual=5_000, limit=5_500)
    manifest = json.loads((api / "manifest.json").read_bytes())
    assert manifest["generatedAt"] not in json.dumps(described)
