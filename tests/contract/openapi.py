"""openapi.json describes every path, and every document is what it says."""

import re

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.contract.api import Api, Json, show
from tests.contract.records import COLLECTIONS

SAMPLES = 5
# A document of every path shape, whether this site has it or not, and the path that may describe it.
SHAPES = {
    **{f"{name}.json": rf"({name}|\{{\w+\}})\.json" for name in COLLECTIONS},
    **{f"{name}/1.json": rf"({name}|\{{\w+\}})/\{{\w+\}}\.json" for name in COLLECTIONS},
    **{f"{name}/nginx/index.json": rf"({name}|\{{\w+\}})/\{{\w+\}}/index\.json" for name in COLLECTIONS[:3]},
    "security.json": r"security\.json",
    "security/index.json": r"security/index\.json",
    "security/nginx.json": r"security/\{\w+\}\.json",
    "security/nginx/1.27.json": r"security/\{\w+\}/\{\w+\}\.json",
    "badge/images.json": r"badge/(images|\{\w+\})\.json",
    "badge/nginx/cves.json": r"badge/\{\w+\}/(cves|\{\w+\})\.json",
    "index.json": r"index\.json",
}


def check(api: Api) -> None:
    described = api.read("openapi.json")
    if not re.fullmatch(r"3\.1\.\d+", str(described.get("openapi"))):
        api.blame("openapi.json", "$.openapi", f"is {show(described.get('openapi'))}, not 3.1")
    paths = described.get("paths")
    if not isinstance(paths, dict):
        api.blame("openapi.json", "$.paths", "is missing")
        return
    patterns = {path: re.compile(_regex(path)) for path in paths}
    for document, templates in SHAPES.items():
        path = _path_of(document, patterns)
        if path is None or not re.fullmatch(templates, _relative(path)):
            api.blame("openapi.json", "$.paths", f"has no path of its own for documents like {document}")
    documents: dict[str, list[str]] = {}
    for file in sorted(api.files):
        if path := _path_of(file, patterns):
            documents.setdefault(path, []).append(file)
    for path, files in sorted(documents.items()):
        _documents(api, described, path, files)


def _path_of(file: str, patterns: dict[str, re.Pattern[str]]) -> str | None:
    """The path template a client would use: the one with the fewest parameters, as OpenAPI has it."""
    fitting = [path for path, pattern in patterns.items() if pattern.fullmatch(file)]
    return min(fitting, key=lambda path: path.count("{"), default=None)


def _relative(path: str) -> str:
    return path.removeprefix("/api/v1").removeprefix("/")


def _regex(path: str) -> str:
    return "".join(
        "[^/]+" if part.startswith("{") else re.escape(part)
        for part in re.split(r"(\{[^}]*\})", _relative(path))
    )


def _documents(api: Api, described: Json, path: str, files: list[str]) -> None:
    schema = _schema(described, path)
    if schema is None:
        api.blame("openapi.json", f"$.paths['{path}']", "has no schema for the JSON of its 200 response")
        return
    # References such as #/components/schemas/Image are looked up in the schema itself.
    validator = Draft202012Validator({"components": described.get("components", {}), "allOf": [schema]})
    if path.endswith(".json") and validator.is_valid({}) and not path.endswith("openapi.json"):
        api.blame("openapi.json", f"$.paths['{path}']", "has a schema that takes an empty object")
    step = max(1, len(files) // SAMPLES)
    for file in files[::step][:SAMPLES]:
        for error in validator.iter_errors(api.read(file)):
            api.blame(
                file, error.json_path, f"is not what openapi.json says of {path}: {error.message[:200]}"
            )


def _schema(described: Json, path: str) -> Json:
    node = described["paths"][path]
    for step in ("get", "responses", "200", "content", "application/json", "schema"):
        while isinstance(node, dict) and "$ref" in node:
            node = _resolve(described, node["$ref"])
        node = node.get(step) if isinstance(node, dict) else None
    return node


def _resolve(described: Json, reference: str) -> Json:
    node = described
    for step in reference.removeprefix("#/").split("/"):
        node = node.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    return node
