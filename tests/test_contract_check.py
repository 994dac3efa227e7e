"""The check of the contract can fail: each of these mutations of a real build is found, and where it is."""

from __future__ import annotations

import hashlib
import json
import re
from importlib import import_module
from itertools import permutations
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from mkdocs_catalog_api import documents
from mkdocs_catalog_api.authored.settings import Settings, item_fields
from mkdocs_catalog_api.catalog.addresses import INDEX
from mkdocs_catalog_api.catalog.collections import COLLECTIONS, WITH_DOCUMENTS
from mkdocs_catalog_api.documents.kinds import TAGS, Kind, Route
from mkdocs_catalog_api.documents.table import KINDS, kinds

from .contract import check
from .contract.schemas import FROZEN
from .feeds_of_advisories import kev
from .past import Past
from .sites import REGISTRY, Result, SiteFolder, digest, row, trivy, vex
from .test_build import small
from .test_lookups import KEV

GONE = object()
RECORD = "security/alpha.json versions 0"
OLD = f"digests/{digest(1).replace(':', '/')}.json"
DAY = "changes/2026-11-02.json"
REFERENCE = f"references/{REGISTRY.replace('/', '~')}~alpha.json"

# A kind of rule, where to mutate (a document, then keys), what to put there (a function changes the value,
# a pair of bytes is replaced in the file), and how the violation begins.
MUTATIONS: list[tuple[str, str, Any, str]] = [
    ("bytes", "images.json", (b'"total":3', b'"total": 3'), "images.json $: is not JSON as agreed"),
    ("types", "images.json total", 3.0, "images.json $.total"),
    ("fields", "images.json data 0 tier", GONE, "images.json $.data[0]: "),
    ("nulls", "images.json data 0 name", None, "images.json $.data[0].name"),
    ("own fields", "images.json data 0 custom port", "80", "images.json $.data[0].custom.port"),
    ("no own fields", "images.json data 0 custom other", 1, "images.json $.data[0].custom"),
    ("replaced by none", "images.json data 0 replacedBy", "none", "images.json $.data[0].replacedBy"),
    ("OpenAPI", "openapi.json paths /api/v1/updates.json", GONE, "openapi.json $.paths"),
    ("files", "updates/2.json", GONE, "updates/2.json $: is missing"),
    (
        "manifest",
        "manifest.json documents images.json bytes",
        1,
        "manifest.json $.documents.images.json.bytes",
    ),
    ("base", "manifest.json base", "https://other.example/catalog/api/v1", "manifest.json $.base"),
    ("discovery", "index.json templates cve", "/catalog/api/v1/cve/{id}.json", "index.json $.templates"),
    ("links", "updates/1.json links next", None, "updates/1.json $.links.next"),
    ("pages of the site", "images.json data 0 url", "/catalog/images/none/", "images.json $.data[0].url"),
    ("safe text", f"{RECORD} cves 0 title", "a\x1b[31m", "security/alpha.json $.versions[0].cves[0].title"),
    ("order", "images.json data", list.reverse, "images.json $.data: is not in the order of the slugs"),
    ("joins", "charts.json data 0 images 0 version", "1.9", "charts.json $.data[0].images[0]"),
    ("sums", "images.json data 0 security total", 7, "images.json $.data[0].security.total"),
    ("grades", f"{RECORD} score", 52.3, "security/alpha.json $.versions[0].score"),
    ("no scan", "security/beta.json versions 0 cves", [], "security/beta.json $.versions[0].cves"),
    ("half a scan", f"{RECORD} scanner", None, "security/alpha.json $.versions[0]: was scanned, but"),
    ("plans", "roadmap.json total", 9, "roadmap.json $.total"),
    ("badges", "badge/beta/grade.json message", "A+", "badge/beta/grade.json $.message"),
    ("digests", f"{OLD} data 0 upgrade fixes", 2, f"{OLD} $.data[0].upgrade.fixes"),
    ("references", f"{REFERENCE} data 1 tag", "2.0", f"{REFERENCE} $.data[1].tag"),
    ("digest of a tag", f"{REFERENCE} data 0 digest", digest(1), f"{REFERENCE} $.data[0].digest"),
    ("slim lists", "images/index.json data 0 security high", 7, "images/index.json $.data[0].security.high"),
    ("slim charts", "charts/index.json data 0 security pins", 7, "charts/index.json $.data[0].security.pins"),
    ("search", "search.json data 0 versions 0 digests", [], "search.json $.data[0].versions[0].digests"),
    ("contents", "index.json contents", "0" * 64, "index.json $.contents"),
    ("templates", "index.json templates image", "/catalog/api/v1/{slug}", "index.json $.templates.image"),
    (
        "ids",
        "cves/index.json data 1 href",
        "/catalog/api/v1/cves/none.json",
        "cves/index.json $.data[1].href",
    ),
    ("Renovate", "renovate/alpha.json tags latest", "1.9", "renovate/alpha.json $.tags.latest"),
    (
        "VEX",
        "vex/alpha.json statements 0 products 0 @id",
        "pkg:oci/alpha@sha256%3A0",
        "vex/alpha.json $.stat",
    ),
    ("days", f"{DAY} data", lambda events: events.pop(), f"{DAY} $.total"),
    ("recorded figures", "changes.json data 0 all fixable", 99, "changes.json $.data[0].all"),
    ("recorded events", "changes.json data 0 counts image-added", 9, "changes.json $.data[0].counts"),
    ("time to fix", "fixes.json timeToFix high days90 fixed", 9, "fixes.json $.timeToFix"),
    ("figures", "history/gamma.json figures 0 suppressed", 1, "history/gamma.json $.figures[0].suppressed"),
    ("fixes", "fixes.json data 0 firstSeen", "2026-10-31", "fixes.json $.data[0]: "),
    ("fixes in time", "fixes.json within high fixed", 9, "fixes.json $.within.high.fixed"),
    ("age of open ones", "fixes.json open high", [9], "fixes.json $.open.high"),
    ("former digests", "history/alpha.json digests 0 from", "2026-11-02", "history/alpha.json $.digests[0]"),
    (
        "ends",
        "history/alpha.json vulnerabilities 0 fixedIn",
        "1.9",
        "history/alpha.json $.vulnerabilities[0]: ",
    ),
]


def write_every_kind(site: SiteFolder) -> None:
    """A catalog with every kind of document, on the second of two recorded days, and two pages of updates."""
    small(site)
    past = Past(site)
    past.day("2026-11-01")
    site.settings |= {"images": {"fields": {"port": "integer"}}, "security": {"publish_vex": True}}
    site.write("updates.yml", "".join(f"- {{app: beta, to: {n}, result: held}}\n" for n in range(25)))
    old = [row("CVE-2026-0007", "CRITICAL"), row("CVE-2026-0001", "LOW")]
    site.report("alpha/1.9.json", trivy(old, digest=f"{REGISTRY}/alpha@{digest(1)}"))
    site.write(KEV, kev({"CVE-2026-0007": "2026-03-04"}))
    product = {"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha"}
    vex(site, {"vulnerability": {"name": "CVE-2026-0002"}, "products": [product]})
    site.image("gamma", "versions: [1]")
    past.day("2026-11-02")


def every_kind(folder: Path) -> Result:
    """That catalog, published."""
    site = SiteFolder(folder)
    write_every_kind(site)
    result = site.build()
    assert not result.failed, result.logged()
    return result


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return every_kind(tmp_path_factory.mktemp("site"))


def read(api: Path) -> dict[str, Any]:
    """The documents; an item or a record that stands in several is one object in them all."""
    docs = {file.relative_to(api).as_posix(): json.loads(file.read_bytes()) for file in api.rglob("*.json")}
    for name in WITH_DOCUMENTS:
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


def published(api: Path, docs: dict[str, Any], path: str, value: Any) -> dict[str, bytes]:
    """The files of these documents, with a discovery document and a manifest that know them."""
    archive, last = "vex/repository.tar.gz", ("index.json", "manifest.json")
    files = {archive: (api / archive).read_bytes()}
    for name in sorted(docs, key=lambda name: last.index(name) if name in last else -1):
        hashes = {file: hashlib.sha256(raw).hexdigest() for file, raw in files.items()}
        if name == "manifest.json" and not path.startswith(name):
            docs[name]["documents"] = {
                file: {"sha256": hashes[file], "bytes": len(raw)} for file, raw in files.items()
            }
        if name == "index.json" and not path.startswith("index.json contents"):
            lines = (f"{file} {found}\n" for file, found in sorted(hashes.items()))
            docs[name]["contents"] = hashlib.sha256("".join(lines).encode()).hexdigest()
        files[name] = json.dumps(docs[name], separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        if name == path and isinstance(value, tuple):
            files[name] = files[name].replace(*value)
    return files


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [pytest.param("", None, "", id="none"), *(pytest.param(*row[1:], id=row[0]) for row in MUTATIONS)],
)
def test_a_mutation_is_found_where_it_is(built: Result, path: str, value: Any, found: str) -> None:
    docs = read(built.api)
    if path:
        mutate(docs, path, value)
    files = published(built.api, docs, path, value)
    violations = check(built.folder / "site", "/catalog", {"images": ["port"]}, files=files)
    assert any(violation.startswith(found) for violation in violations) if path else violations == []


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
    "security/{slug}.json": "apiVersion:string resource:string slug:string image:string latest:object "
    "versions:array",
    "security/{slug}.json latest": "version:string total:integer fixable:integer grade:string score:number "
    "cves:array",
    "security/{slug}.json latest cves": "id:string severity:string pkg:string installed:string fixed:string "
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
    for resource in COLLECTIONS if "{resource}" in path else ("",):
        get = frozen["paths"]["/api/v1/" + path.replace("{resource}", resource)]["get"]
        schema = followed(get["responses"]["200"]["content"]["application/json"]["schema"])
        for step in steps:
            schema = followed(schema["properties"][step])
            schema = followed(schema.get("items") or schema.get("additionalProperties") or schema)
        types = {name: followed(part).get("type") for name, part in schema["properties"].items()}
        not_null = {name: kind[0] if isinstance(kind, list) else kind for name, kind in types.items()}
        specified = dict(field.split(":") for field in SPECIFIED[place].split())
        assert not_null.items() >= specified.items()


# Each kind of document is complete: a half-added one fails here, with its name.
TABLE = kinds(item_fields(Settings()))


def fits(route: Route, path: str) -> bool:
    """Whether it is a path of this route."""
    return bool(re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(route.path)), path))


def route_of(path: str) -> Route | None:
    """The route of a document: the one with the fewest parameters that fits."""
    fitting = [route for kind in TABLE for route in kind.routes if fits(route, path)]
    return min(fitting, key=lambda route: len(route.parameters), default=None)


def test_every_kind_in_a_file_is_in_the_table() -> None:
    names = [module.name for module in iter_modules(documents.__path__)]
    parts = [part for name in names for part in vars(import_module(f"{documents.__name__}.{name}")).values()]
    assert {part.name for part in parts if isinstance(part, Kind)} == {kind.name for kind in KINDS}


def test_the_table_is_complete_with_the_collections() -> None:
    """No kind is incomplete, and no two collide."""
    routes = [route for kind in TABLE for route in kind.routes]
    for names in (
        [kind.name for kind in TABLE],
        [route.path for route in routes],
        [route.operation for route in routes],
        [route.listed for route in routes if route.listed],
    ):
        assert len(names) == len({*names})
    for kind in TABLE:
        assert kind.routes and kind.tag in TAGS, kind.name
        for path in kind.fixed:
            assert any(fits(route, path) for route in kind.routes), path
    for route in routes:
        assert all((route.path, route.operation, route.summary, route.description)), route
        assert route.listed or route.path.removesuffix(".json") in COLLECTIONS or route.path == INDEX, route
        assert re.findall(r"{(\w+)}", route.path) == [parameter.name for parameter in route.parameters]
    for one, other in permutations(routes, 2):
        alike = one.struct is not None and one.struct is other.struct
        assert not (alike and fits(one, other.path)), f"a path can be of {one.path} or of {other.path}"


def test_every_route_has_a_document(built: Result) -> None:
    paths = [file.relative_to(built.api).as_posix() for file in built.api.rglob("*") if file.is_file()]
    routes = {route.path: route for kind in TABLE for route in kind.routes}
    used = {route.path for path in paths if (route := route_of(path))}
    assert routes.keys() - used == set(), "every_kind has no such document"


@pytest.mark.parametrize("kind", [kind.name for kind in TABLE])
def test_the_contract_check_looks_at_every_kind(kind: str) -> None:
    (routes,) = (set(each.routes) for each in TABLE if each.name == kind)
    paths = {path.partition(" ")[0] for _, path, _, _ in MUTATIONS}
    assert {route_of(path) for path in paths} & routes, f"MUTATIONS lacks {kind}"
