"""The shape of every document, by the frozen OpenAPI document."""

import datetime
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from jsonschema_rs import Draft202012Validator

from tests.contract.api import Api, Json

FROZEN = Path(__file__).with_name("openapi.json")
ITEMS = {"images": "Image", "charts": "Chart", "roadmap": "RoadmapItem", "updates": "Update"}
# Renderers of badges, scanners, readers of SBOMs and Renovate take no null: what does not apply is absent,
# there alone.
# Of figures charts alone have counts of pins.
OPTIONAL = {
    "SecurityFigures": {"pins", "pinsScanned"},
    "Badge": {"namedLogo", "logoColor", "logoSvg"},
    "VexStatement": {"justification", "impact_statement", "action_statement"},
    "BomComponent": {"version", "licenses", "purl", "properties"},
    "VexProduct": {"subcomponents"},
    "RenovateImage": {"sourceUrl", "homepage"},
    "FixedAddresses": {
        *("imagesIndex", "chartsIndex", "securitySummary", "securityIndex", "search", "cves", "packages"),
        *("changes", "fixes", "openapi", "manifest", "llms", "feeds", "calendar", "vexRepository"),
    },
    "RenovateRelease": {"releaseTimestamp", "digest", "changelogUrl"},
}


def check(api: Api, custom: Mapping[str, Sequence[str]]) -> None:
    """Each document has the frozen shape; fields of the catalog's own are what its own document says.

    For clients the objects are open, as later versions add fields. Here they are closed, every declared field
    is required, and the keys stand in the order of the schema.
    """
    own = api.documents.get("openapi.json", {"paths": {}})
    described = own.get("components", {}).get("schemas", {})
    fields = {name: described[name]["properties"] for name in described if name.endswith("Custom")}
    for collection, names in custom.items():
        # In the order declared; the caller names them, so that none is lost in both places.
        name = f"{ITEMS[collection]}Custom"
        fields[name] = {field: fields.get(name, {}).get(field, False) for field in names}
    given = json.dumps(fields)
    paths = _frozen(given)["paths"]
    used = _by_template(api, paths)
    for path in used.pop("", ()):
        api.blame(path, "$", "has no path in the contract")
    if wrong := (own["paths"].keys() - {*paths}) | (used.keys() - own["paths"].keys()):
        api.blame("openapi.json", "$.paths", f"are not those of the contract: {', '.join(sorted(wrong))}")
    for template, documents in used.items():
        for path in documents:
            for where, text in _faults(given, template, api.files[path]):
                api.blame(path, where, text)


@cache
def _frozen(fields: str) -> Json:
    """The frozen description, closed; items have these fields of their own."""
    frozen = json.loads(FROZEN.read_bytes())
    schemas = frozen["components"]["schemas"]
    for name, own in json.loads(fields).items():
        schemas[name]["properties"] = own
    for name, schema in schemas.items():
        _close(schema, OPTIONAL.get(name, set()))
    return frozen


@cache
def _faults(fields: str, template: str, raw: bytes) -> list[tuple[str, str]]:
    """Place and text of each fault of a document; one that many catalogs have is looked at once."""
    faults = _validator(fields, template).iter_errors(json.loads(raw))
    return [(_place(fault.instance_path), fault.message[:200]) for fault in faults]


@cache
def _validator(fields: str, template: str) -> Draft202012Validator:
    address = quote(template.replace("/", "~1"))
    return Draft202012Validator(
        {"$ref": f"#/paths/{address}/get/responses/200/content/application~1json/schema", **_frozen(fields)},
        formats={"date-time": _is_time, "uri": is_address},
        validate_formats=True,
        keywords={"inOrder": _InOrder},
    )


def _place(path: Iterable[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


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
            schema["inOrder"] = [*schema["properties"]]
        for key, part in schema.items():
            for inner in part.values() if key == "properties" else (part,):  # a field may have such a name
                _close(inner)
    elif isinstance(schema, list):
        for part in schema:
            _close(part)


class _InOrder:
    """The keys of an object stand in the order in which they are declared."""

    def __init__(self, parent: Json, names: list[str], path: object) -> None:
        self._names = names

    def validate(self, instance: Json) -> None:
        if isinstance(instance, dict):
            stand = [name for name in instance if name in self._names]
            if stand != (wanted := [name for name in self._names if name in instance]):
                raise ValueError(f"its keys are in the order {' '.join(stand)}, not {' '.join(wanted)}")


@cache
def _is_time(value: str) -> bool:
    try:
        datetime.datetime.strptime(re.sub(r"\.\d+", "", value), "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return False
    return True


@cache
def is_address(value: str) -> bool:
    """http(s) with a host, and neither spaces nor control characters."""
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    web = parts.scheme in ("http", "https") and bool(parts.hostname)
    return web and not re.search(r"[\s\x00-\x1f\x7f-\x9f]", value)
