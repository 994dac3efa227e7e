"""The shape of every document, by the frozen OpenAPI document."""

import datetime
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from jsonschema_rs import Draft202012, Draft202012Validator, Registry

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
        self.paths: Json = frozen["paths"]
        resources = [("urn:frozen", frozen), ("urn:own", own)]
        self._registry = Registry(resources, draft=Draft202012)
        self._validators: dict[str, Draft202012Validator] = {}
        self._known: dict[tuple[str, bytes], list[tuple[str, str]]] = {}

    def faults(self, template: str, raw: bytes) -> list[tuple[str, str]]:
        """Place and text of each fault of a document; one that many catalogs have is looked at once."""
        if (template, raw) not in self._known:
            self._known[template, raw] = [
                (_place(fault.instance_path), fault.message[:200])
                for fault in self._validator(template).iter_errors(json.loads(raw))
            ]
        return self._known[template, raw]

    def _validator(self, template: str) -> Draft202012Validator:
        if template not in self._validators:
            address = quote(template.replace("/", "~1"))
            self._validators[template] = Draft202012Validator(
                {"$ref": f"urn:frozen#/paths/{address}/get{BODY}"},
                registry=self._registry,
                formats={"date-time": _is_time, "uri": is_address},
                validate_formats=True,
                keywords={"inOrder": _InOrder, "whole": _Whole},
            )
        return self._validators[template]


def _place(path: Iterable[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


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
            schema["inOrder"] = [*schema["properties"]]
        if "integer" in str(schema.get("type")):
            schema["whole"] = True
        for part in schema.values():
            _close(part)
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


class _Whole:
    """2.0 is no integer to us."""

    def __init__(self, parent: Json, value: bool, path: object) -> None:
        pass

    def validate(self, instance: object) -> None:
        if isinstance(instance, float):
            raise ValueError(f"{instance!r} is not of type 'integer'")


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
