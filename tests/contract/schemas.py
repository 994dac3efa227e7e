"""The shape of every document, by the frozen OpenAPI document."""

import datetime
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker, ValidationError  # type: ignore[import-untyped]
from jsonschema.validators import extend  # type: ignore[import-untyped]
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.contract.api import Api, Json

FROZEN = Path(__file__).with_name("openapi.json")
ITEMS = {"images": "Image", "charts": "Chart", "roadmap": "RoadmapItem", "updates": "Update"}
# Renderers of badges, scanners and Renovate take no null: what does not apply is absent, there alone.
OPTIONAL = {
    "Badge": {"namedLogo", "logoColor", "logoSvg"},
    "VexStatement": {"justification", "impact_statement", "action_statement"},
    "VexProduct": {"subcomponents"},
    "RenovateImage": {"sourceUrl", "homepage"},
    "RenovateRelease": {"releaseTimestamp", "digest", "changelogUrl"},
}


def check(api: Api, custom: Mapping[str, Sequence[str]]) -> None:
    """Each document has the frozen shape; fields of the catalog's own are what its own document says.

    For clients the objects are open, as later versions add fields. Here they are closed, every declared field
    is required, and the keys stand in the order of the schema.
    """
    frozen, own = json.loads(FROZEN.read_bytes()), api.documents.get("openapi.json", {"paths": {}})
    schemas = frozen["components"]["schemas"]
    described = own.get("components", {}).get("schemas", {})
    for name in [name for name in schemas if name.endswith("Custom")]:
        schemas[name]["properties"] = {
            field: {"$ref": f"urn:own#/components/schemas/{name}/properties/{field}"}
            for field in described.get(name, {}).get("properties", {})
        }
    for collection, fields in custom.items():
        # In the order declared; the test names them, so that none is lost in both places.
        offered = [*schemas[f"{ITEMS[collection]}Custom"]["properties"]]
        if offered != [*fields]:
            api.blame("openapi.json", "$", f"describes the fields {offered} of {collection}, not {[*fields]}")
    for name, schema in schemas.items():
        _close(schema, OPTIONAL.get(name, set()))
    resources = {"urn:frozen": frozen, "urn:own": own}
    registry: Registry[Json] = Registry().with_resources(
        (uri, DRAFT202012.create_resource(contents)) for uri, contents in resources.items()
    )
    used = _by_template(api, frozen["paths"])
    for path in used.pop("", ()):
        api.blame(path, "$", "has no path in the contract")
    if wrong := (own["paths"].keys() - frozen["paths"].keys()) | (used.keys() - own["paths"].keys()):
        api.blame("openapi.json", "$.paths", f"are not those of the contract: {', '.join(sorted(wrong))}")
    for template, paths in used.items():
        schema = {"$ref": f"urn:frozen#/paths/{template.replace('/', '~1')}/get{BODY}"}
        validator = _Strict(schema, registry=registry, format_checker=FORMATS)
        for path in paths:
            for fault in validator.iter_errors(api.documents[path]):
                api.blame(path, fault.json_path, fault.message[:200])


BODY = "/responses/200/content/application~1json/schema"


def _by_template(api: Api, templates: Iterable[str]) -> dict[str, list[str]]:
    """The documents of each path; a client takes the fitting one with the fewest parameters."""
    ordered = sorted(templates, key=lambda template: template.count("{"))
    patterns = {one: re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(one))) for one in ordered}
    found = defaultdict(list)
    for path in api.documents:
        fitting = (one for one, pattern in patterns.items() if pattern.fullmatch(f"/api/v1/{path}"))
        found[next(fitting, "")].append(path)
    return found


def _close(schema: Json, optional: Set[str] = frozenset()) -> None:
    """Make an object take exactly the fields that it declares, and the objects inside of it as well."""
    if isinstance(schema, dict):
        if "properties" in schema and "additionalProperties" not in schema:
            schema["required"] = [name for name in schema["properties"] if name not in optional]
            schema["additionalProperties"] = False
        for part in schema.values():
            _close(part)
    elif isinstance(schema, list):
        for part in schema:
            _close(part)


def _properties(validator: Json, properties: Json, instance: Json, schema: Json) -> Iterator[ValidationError]:
    yield from Draft202012Validator.VALIDATORS["properties"](validator, properties, instance, schema)
    if isinstance(instance, dict):
        stand = [name for name in instance if name in properties]
        if stand != (wanted := [name for name in properties if name in instance]):
            yield ValidationError(f"its keys are in the order {' '.join(stand)}, not {' '.join(wanted)}")


def _pattern(_: Json, pattern: str, instance: Json, __: Json) -> Iterator[ValidationError]:
    # Behind a `$` Python would let a newline pass.
    if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield ValidationError(f"{instance!r} does not match {pattern}")


_Strict = extend(
    Draft202012Validator,
    {"properties": _properties, "pattern": _pattern},
    # 2.0 is no integer to us.
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


def _is_time(value: object) -> bool:
    if isinstance(value, str):
        datetime.datetime.strptime(re.sub(r"\.\d+", "", value), "%Y-%m-%dT%H:%M:%SZ")
    return True


def is_address(value: object) -> bool:
    """http(s) with a host, and neither spaces nor control characters."""
    if not isinstance(value, str):
        return True
    web = urlsplit(value).scheme in ("http", "https") and bool(urlsplit(value).hostname)
    return web and not re.search(r"[\s\x00-\x1f\x7f-\x9f]", value)


FORMATS = FormatChecker(["date"])
FORMATS.checks("date-time", ValueError)(_is_time)
FORMATS.checks("uri", ValueError)(is_address)
