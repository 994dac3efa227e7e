"""The shape of every document, by the frozen OpenAPI document."""

import datetime
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
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
# Of figures charts alone have counts of pins.
OPTIONAL = {
    "SecurityFigures": {"pins", "pinsScanned"},
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
    own = api.documents.get("openapi.json", {"paths": {}})
    described = own.get("components", {}).get("schemas", {})
    has_custom = any(name.endswith("Custom") and schema["properties"] for name, schema in described.items())
    shapes = _Shapes(custom, own) if custom or has_custom else _frozen()
    used = _by_template(api, shapes.paths)
    for path in used.pop("", ()):
        api.blame(path, "$", "has no path in the contract")
    if wrong := (own["paths"].keys() - {*shapes.paths}) | (used.keys() - own["paths"].keys()):
        api.blame("openapi.json", "$.paths", f"are not those of the contract: {', '.join(sorted(wrong))}")
    for template, paths in used.items():
        for path in paths:
            for where, text in shapes.faults(template, api.files[path]):
                api.blame(path, where, text)


class _Shapes:
    """The frozen shapes; with `custom`, items have the fields that the API's own description adds."""

    def __init__(self, custom: Mapping[str, Sequence[str]], own: Json) -> None:
        frozen = json.loads(FROZEN.read_bytes())
        schemas = frozen["components"]["schemas"]
        described = own.get("components", {}).get("schemas", {})
        for name in [name for name in schemas if name.endswith("Custom")]:
            schemas[name]["properties"] = {
                field: {"$ref": f"urn:own#/components/schemas/{name}/properties/{field}"}
                for field in described.get(name, {}).get("properties", {})
            }
        for collection, fields in custom.items():
            # In the order declared; the caller names them, so that none is lost in both places.
            declared = schemas[f"{ITEMS[collection]}Custom"]
            declared["properties"] = {field: declared["properties"].get(field, False) for field in fields}
        for name, schema in schemas.items():
            _close(schema, OPTIONAL.get(name, set()))
        resources = {"urn:frozen": frozen, "urn:own": own}
        self.paths: Json = frozen["paths"]
        self._registry: Registry[Json] = Registry().with_resources(
            (uri, DRAFT202012.create_resource(contents)) for uri, contents in resources.items()
        )
        self._known: dict[tuple[str, bytes], list[tuple[str, str]]] = {}

    def faults(self, template: str, raw: bytes) -> list[tuple[str, str]]:
        """Place and text of each fault of a document; one that many catalogs have is looked at once."""
        if (template, raw) not in self._known:
            schema = {"$ref": f"urn:frozen#/paths/{template.replace('/', '~1')}/get{BODY}"}
            validator = _Strict(schema, registry=self._registry, format_checker=FORMATS)
            self._known[template, raw] = [
                (fault.json_path, fault.message[:200]) for fault in validator.iter_errors(json.loads(raw))
            ]
        return self._known[template, raw]


@cache
def _frozen() -> _Shapes:
    return _Shapes({}, {})


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
