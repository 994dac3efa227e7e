"""The check of the contract can fail: each of these mutations of a real build is found, and where it is."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from .contract import check
from .contract.schemas import FROZEN
from .sites import Result, SiteFolder
from .test_build import small

GONE = object()
RECORD = "security/alpha.json versions 0"

# Where to mutate (a document, then keys), what to put there (a function changes what stands there, a pair of
# bytes is replaced in the file), and how the violation begins.
MUTATIONS: list[tuple[str, Any, str]] = [
    ("images.json", (b'"total":2', b'"total": 2'), "images.json $: is not JSON as agreed"),
    ("images.json", (b'"total":2', b'"total":2,"total":2'), "images.json $: is not JSON as agreed"),
    ("images.json", (b"}\n", b"}"), "images.json $: is not JSON as agreed"),
    ("images.json total", 2.0, "images.json $.total"),
    ("images.json data 0 owner", "me", "images.json $.data[0]: "),
    ("images.json data 0 tier", GONE, "images.json $.data[0]: "),
    ("images.json data 0 name", None, "images.json $.data[0].name"),
    ("images.json data 0 slug", "alpha\n", "images.json $.data[0].slug"),
    ("images.json data 0 port", "80", "images.json $.data[0].port"),
    ("images.json data 0", lambda item: item.update(name=item.pop("name")), "images.json $.data[0]: "),
    ("images.json data 0 versions 0 released", "2026-02-30", "images.json $.data[0].versions[0].released"),
    ("roadmap.json data 0 priority", 1, "roadmap.json $.data[0].priority"),
    (f"{RECORD} scanner", {"name": "Trivy"}, "security/alpha.json $.versions[0].scanner"),
    ("openapi.json paths /api/v1/updates.json", GONE, "openapi.json $.paths"),
    (
        "openapi.json components schemas Image properties port",
        {"type": "string"},
        "images.json $.data[0].port",
    ),
    ("updates/2.json", GONE, "updates/2.json $: is missing"),
    ("roadmap.json data", list.clear, "roadmap/1.json $: is a document that nothing calls for"),
    ("images.json data 0 base", "debian", "badge/debian.json $: is missing"),
    ("manifest.json documents images.json bytes", 1, "manifest.json $.documents.images.json.bytes"),
    ("index.json resources updates totalPages", 1, "index.json $.resources.updates.totalPages"),
    ("updates/1.json links next", None, "updates/1.json $.links.next"),
    ("updates/1.json data", list.reverse, "updates/1.json $.data[0].to"),
    ("images.json data", list.reverse, "images.json $.data: is not in the order of the slugs"),
    ("updates.json data 1 to", "0", "updates.json $.data[1]: stands twice"),
    ("updates.json data 0 href", None, "updates.json $.data[0].href"),
    ("charts.json data 0 href", "/catalog/api/v1/charts/b/index.json", "charts.json $.data[0].href"),
    ("images.json data 0 image", "registry.example.org/alpha:1", "images.json $.data[0].image"),
    ("images.json data 0 url", "/catalog/images/none/", "images.json $.data[0].url"),
    ("images.json data 0 versions", list.reverse, "images.json $.data[0].versions: are not newest first"),
    ("images.json data 1 security critical", 0, "images.json $.data[1].security.critical"),
    ("images.json data 0 security total", 1, "images.json $.data[0].security.total"),
    ("charts.json data 0 images 0 version", "1.9", "charts.json $.data[0].images[0]"),
    ("charts.json data 0 security high", 2, "charts.json $.data[0].security.high"),
    ("charts.json data 0 security grade", "D", "charts.json $.data[0].security.grade"),
    ("charts.json data 0 security pinsScanned", 2, "charts.json $.data[0].security.pinsScanned"),
    (f"{RECORD} cves", list.reverse, "security/alpha.json $.versions[0].cves: is out of order"),
    (f"{RECORD} cves", lambda rows: rows.insert(0, rows[0]), "security/alpha.json $.versions[0].cves: has"),
    (f"{RECORD} fixable", 2, "security/alpha.json $.versions[0].fixable"),
    (f"{RECORD} score", 52.3, "security/alpha.json $.versions[0].score"),
    (f"{RECORD} cves 0 title", "a\x1b[31m", "security/alpha.json $.versions[0].cves[0].title"),
    (f"{RECORD} cves 0 url", "javascript:alert(1)", "security/alpha.json $.versions[0].cves[0].url"),
    ("security/alpha.json versions 1 cves", [], "security/alpha.json $.versions[1].cves"),
    ("security/alpha/1.10.json scannedAt", "2026-11-02T06:00:00Z", "security/alpha/1.10.json $.scannedAt"),
    ("security.json bySeverity high", 2, "security.json $.bySeverity.high"),
    ("security.json unscanned", list.clear, "security.json $.unscanned"),
    ("security/index.json data 0 scannedAt", None, "security/index.json $.data[0].scannedAt"),
    ("badge/wolfi.json message", "2 of 2 images", "badge/wolfi.json $.message"),
    ("badge/beta/grade.json message", "A+", "badge/beta/grade.json $.message"),
    ("badge/beta/cves.json color", "#15803d", "badge/beta/cves.json $.color"),
    ("badge/images.json logoSvg", "<svg/>", "badge/images.json $"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A small catalog with fields of its own and two pages of updates."""
    site = small(SiteFolder(tmp_path_factory.mktemp("site")))
    site.settings["images"] = {"fields": {"port": "integer"}}
    site.write("updates.yml", "".join(f"- {{app: beta, to: {n}, result: held}}\n" for n in range(25)))
    result = site.build()
    assert not result.failed, result.logged()
    assert check(result.folder / "site", "/catalog", {"images": ["port"]}) == []
    return result


def read(api: Path) -> dict[str, Any]:
    """The documents; an item or a record that stands in several is one object in them all."""
    docs = {file.relative_to(api).as_posix(): json.loads(file.read_bytes()) for file in api.rglob("*.json")}
    for name in ("images", "charts"):
        docs[f"{name}/1.json"]["data"] = docs[f"{name}.json"]["data"]
        for item in docs[f"{name}.json"]["data"]:
            docs[f"{name}/{item['slug']}/index.json"]["data"] = item
    docs["security/alpha.json"]["latest"] = docs["security/alpha.json"]["versions"][0]
    return docs


def mutate(docs: dict[str, Any], path: str, value: Any) -> None:
    *steps, last = (int(step) if step.isdigit() else step for step in path.split())
    place: Any = docs
    for step in steps:
        place = place[step]
    if value is GONE:
        del place[last]
    elif callable(value):
        value(place[last])
    elif not isinstance(value, tuple):
        place[last] = value
    for record in docs["security/alpha.json"]["versions"] if "security/alpha.json" in path else ():
        docs[f"security/alpha/{record['version']}.json"] |= record


def write(api: Path, docs: dict[str, Any], path: str, value: Any) -> None:
    """Publish the documents, with a manifest that knows them."""
    shutil.rmtree(api)
    hashes: dict[str, Any] = {}
    for name in sorted(docs, key=lambda name: name == "manifest.json"):
        if name == "manifest.json" and not path.startswith(name):
            docs[name]["documents"] = hashes
        raw = json.dumps(docs[name], separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        if name == path and isinstance(value, tuple):
            raw = raw.replace(*value)
        hashes[name] = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
        (api / name).parent.mkdir(parents=True, exist_ok=True)
        (api / name).write_bytes(raw)


@pytest.mark.parametrize(("path", "value", "found"), MUTATIONS, ids=range(len(MUTATIONS)))
def test_a_mutation_is_found_where_it_is(
    built: Result, tmp_path: Path, path: str, value: Any, found: str
) -> None:
    shutil.copytree(built.folder / "site", tmp_path, dirs_exist_ok=True)
    docs = read(tmp_path / "api/v1")
    mutate(docs, path, value)
    write(tmp_path / "api/v1", docs, path, value)
    violations = check(tmp_path, "/catalog", {"images": ["port"]})
    assert any(violation.startswith(found) for violation in violations), violations


def test_without_a_mutation_nothing_is_found(built: Result, tmp_path: Path) -> None:
    shutil.copytree(built.folder / "site", tmp_path, dirs_exist_ok=True)
    write(tmp_path / "api/v1", read(tmp_path / "api/v1"), "", None)
    assert check(tmp_path, "/catalog", {"images": ["port"]}) == []


# Section 2 of the specification, by its letter: each field and its type; in braces what is inside.
COUNTERS = "critical:integer high:integer medium:integer low:integer unknown:integer"
SPECIFIED = {
    "{resource}.json": "apiVersion:string resource:string total:integer data:array",
    "{resource}/{page}.json": "apiVersion:string resource:string page:integer perPage:integer total:integer "
    "totalPages:integer links:object data:array",
    "{resource}/{page}.json links": "self:string first:string last:string next:string collection:string",
    "images.json data": "slug:string name:string category:string tier:string license:string versions:array "
    "security:object",
    "charts.json data": "slug:string name:string category:string tier:string license:string versions:array "
    "security:object",
    "security.json": "apiVersion:string resource:string total:integer bySeverity:object "
    "imagesWithCves:integer images:object",
    "security.json bySeverity": COUNTERS,
    "security.json images": f"{COUNTERS} total:integer href:string",
    "security/{image}.json": "apiVersion:string resource:string slug:string image:string latest:object "
    "versions:array",
    "security/{image}.json latest": "version:string total:integer fixable:integer grade:string score:number "
    "cves:array",
    "security/{image}.json latest cves": "id:string severity:string pkg:string installed:string fixed:string "
    "title:string url:string targets:array",
}


@pytest.mark.parametrize("place", SPECIFIED)
def test_the_frozen_shape_is_what_the_specification_says(place: str) -> None:
    frozen = json.loads(FROZEN.read_bytes())

    def followed(schema: Any) -> Any:
        """A schema without references and null; of lists and maps the schema of their entries."""
        options = [option for option in schema.get("anyOf", [schema]) if option != {"type": "null"}]
        if "$ref" in options[0]:
            return followed(frozen["components"]["schemas"][options[0]["$ref"].rpartition("/")[2]])
        return options[0]

    path, *steps = place.split()
    for resource in ("images", "charts", "roadmap", "updates") if "{resource}" in path else ("",):
        get = frozen["paths"]["/api/v1/" + path.replace("{resource}", resource)]["get"]
        schema = followed(get["responses"]["200"]["content"]["application/json"]["schema"])
        for step in steps:
            schema = followed(schema["properties"][step])
            schema = followed(schema.get("items") or schema.get("additionalProperties") or schema)
        found = {name: followed(part).get("type") for name, part in schema["properties"].items()}
        specified = dict(field.split(":") for field in SPECIFIED[place].split())
        assert found.items() >= specified.items()
