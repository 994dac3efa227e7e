"""openapi.json describes every path, and every document is what it says."""

import re

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.contract.api import Api, Json, show

SAMPLES = 5
# One document of every path shape, whether this site has it or not.
SHAPES = [
    *(f"{name}.json" for name in ("images", "charts", "roadmap", "updates")),
    *(f"{name}/1.json" for name in ("images", "charts", "roadmap", "updates")),
    *(f"{name}/nginx/index.json" for name in ("images", "charts", "roadmap")),
    "security.json",
    "security/index.json",
    "security/nginx.json",
    "security/nginx/1.27.json",
    "badge/images.json",
    "badge/nginx/cves.json",
    "index.json",
]


def check(api: Api) -> None:
    described = api.read("openapi.json")
    if not re.fullmatch(r"3\.1\.\d+", str(described.get("openapi"))):
        api.blame("openapi.json", "$.openapi", f"is {show(described.get('openapi'))}, not 3.1")
    paths = described.get("paths")
    if not isinstance(paths, dict):
        api.blame("openapi.json", "$.paths", "is missing")
        return
    for shape in SHAPES:
        if _path_of(shape, paths) is None:
            api.blame("openapi.json", "$.paths", f"has no path for {shape}")
    documents: dict[str, list[str]] = {}
    for file in sorted(api.files):
        if path := _path_of(file, paths):
            documents.setdefault(path, []).append(file)
    for path, files in sorted(documents.items()):
        _documents(api, described, path, files)


def _path_of(file: str, paths: Json) -> str | None:
    """The path template a client would use: the one with the fewest parameters, as OpenAPI has it."""
    fitting = [path for path in paths if re.fullmatch(_regex(path), file)]
    return min(fitting, key=lambda path: path.count("{"), default=None)


def _regex(path: str) -> str:
    relative = path.removeprefix("/api/v1").removeprefix("/")
    return "".join(
        "[^/]+" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{[^}]*\})", relative)
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
