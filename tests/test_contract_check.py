"""The check of the contract can fail: each of these mutations of a real build is found, and where it is."""

from __future__ import annotations

import hashlib
import json
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from mkdocs_catalog_api import documents
from mkdocs_catalog_api.authored.settings import Settings, item_fields
from mkdocs_catalog_api.documents.kinds import Kind, Route
from mkdocs_catalog_api.documents.table import KINDS, LOOKUP_NAMES, kinds
from mkdocs_catalog_api.items.collections import WITH_DOCUMENTS

from .contract import check
from .feeds_of_advisories import kev
from .past import Past
from .sites import REGISTRY, Result, SiteFolder, cyclonedx, digest, row, trivy, vex
from .test_build import small
from .test_lookups import KEV

GONE = object()
RECORD = "security/alpha.json versions 0"
OLD = f"digests/{digest(1).replace(':', '/')}.json"
DAY = "changes/2026-11-02.json"
REFERENCE = f"references/{REGISTRY.replace('/', '~')}~alpha.json"

# A kind of rule, where to mutate (a document, then keys), and what to put there; a function changes the
# value, a pair of bytes is replaced in the file.
MUTATIONS: list[tuple[str, str, Any]] = [
    ("bytes", "images.json", (b'"total":3', b'"total": 3')),
    ("types", "images.json total", 3.0),
    ("fields", "images.json data 0 tier", GONE),
    ("nulls", "images.json data 0 name", None),
    ("own fields", "images.json data 0 custom port", "80"),
    ("no own fields", "images.json data 0 custom other", 1),
    ("replaced by none", "images.json data 0 replacedBy", "none"),
    ("OpenAPI", "openapi.json paths /api/v1/updates.json", GONE),
    ("files", "updates/2.json", GONE),
    ("manifest", "manifest.json documents images.json bytes", 1),
    ("base", "manifest.json base", "https://other.example/catalog/api/v1"),
    ("first page", "roadmap/1.json", GONE),
    ("for assistants", "llms.txt", (b"/index.json): ", b"/other.json): ")),
    ("discovery", "index.json templates cve", "/catalog/api/v1/cve/{id}.json"),
    ("links", "updates/1.json links next", None),
    ("pages of the site", "images.json data 0 url", "/catalog/images/none/"),
    ("safe text", f"{RECORD} cves 0 title", "a\x1b[31m"),
    ("order", "images.json data", list.reverse),
    ("joins", "charts.json data 0 images 0 version", "1.9"),
    ("sums", "images.json data 0 security total", 7),
    ("grades", f"{RECORD} score", 52.3),
    ("no scan", "security/beta.json versions 0 cves", []),
    ("half a scan", f"{RECORD} scanner", None),
    ("plans", "roadmap.json total", 9),
    ("badges", "badge/beta/grade.json message", "A+"),
    ("digests", f"{OLD} data 0 upgrade fixes", 2),
    ("verdict", f"{OLD} data 0 concerns", []),
    ("references", f"{REFERENCE} data 1 tag", "2.0"),
    ("digest of a tag", f"{REFERENCE} data 0 digest", digest(1)),
    ("verdict of a tag", f"{REFERENCE} data 1 concerns", ["gone"]),
    ("slim lists", "images/index.json data 0 security high", 7),
    ("slim charts", "charts/index.json data 0 security pins", 7),
    ("search", "search.json data 0 versions 0 digestPrefixes", []),
    ("contents", "index.json contents", "0" * 64),
    ("templates", "index.json templates image", "/catalog/api/v1/{slug}"),
    ("ids", "cves/index.json data 1 href", "/catalog/api/v1/cves/none.json"),
    (
        "fixed in",
        "cves/CVE-2026-0007.json data 0 affected 0 fixedIn",
        {"version": "1.9", "digest": digest(1), "href": "/catalog/api/v1/security/alpha/1.9.json"},
    ),
    ("packages", "packages/deb/libssl3.json data 0 images 0 isLatest", True),
    ("packages nobody has a list of", "packages/index.json releasesUnknown", 0),
    ("causes", "security.json causes 0 fixed", ["3.2"]),
    ("what is inside", "sbom/beta/2.0.json components 0 version", "1.36"),
    ("one reference of two parts", "sbom/beta/2.0.json components 0 bom-ref", "0"),
    ("Renovate", "renovate/alpha.json tags latest", "1.9"),
    ("VEX", "vex/alpha.json statements 0 products 0 @id", "pkg:oci/alpha@sha256%3A0"),
    ("wider", "vex/alpha.json statements 0 vulnerability name", "CVE-2026-0001"),
    ("days", f"{DAY} total", 9),
    ("recorded figures", "changes.json data 0 all fixable", 99),
    ("recorded events", "changes.json data 0 counts image-added", 9),
    ("time to fix", "fixes.json timeToFix high days90 count", 9),
    ("figures", "history/gamma.json figures 0 suppressed", 1),
    ("fixes", "fixes.json total", 9),
    ("fixes in time", "fixes.json within high count", 9),
    ("age of open ones", "fixes.json open high", [9]),
    ("former digests", "history/alpha.json digests 0 from", "2026-11-02"),
    ("ends", "history/alpha.json vulnerabilities 0 fixedIn", "1.9"),
]


def write_every_kind(site: SiteFolder) -> None:
    """A catalog with every kind of document, on the second of two recorded days, and two pages of updates."""
    small(site)
    past = Past(site)
    past.day("2026-11-01")
    site.settings |= {"images": {"fields": {"port": "integer"}}, "security": {"publish_vex": True}}
    site.settings["lookups"] = [*LOOKUP_NAMES]
    site.write("updates.yml", "".join(f"- {{app: beta, to: {n}, result: held}}\n" for n in range(25)))
    old = [row("CVE-2026-0007", "CRITICAL"), row("CVE-2026-0001", "LOW"), row("CVE-2026-0002", "LOW")]
    report = trivy(old, digest=f"{REGISTRY}/alpha@{digest(1)}")
    report["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": "amd64"}
    report["Results"][0]["Packages"] = [
        {"Name": name, "Version": "3.0.0", "SrcName": "openssl", "Identifier": {"PURL": f"{purl}@3.0.0"}}
        for name, purl in (("openssl", "pkg:npm/openssl"), ("libssl3", "pkg:deb/debian/libssl3"))
    ]
    site.report("alpha/1.9.json", report)
    site.report("beta/2.0.cdx.json", cyclonedx("pkg:apk/wolfi/busybox@1.37"))
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
    for record in docs["security/alpha.json"]["versions"] if path.startswith(RECORD) else ():
        docs[f"security/alpha/{record['version']}.json"] |= record


def published(api: Path, docs: dict[str, Any], path: str, value: Any) -> dict[str, bytes]:
    """The files of these documents, with a discovery document and a manifest that know them."""
    last = ("index.json", "manifest.json")
    files = {file: (api / file).read_bytes() for file in ("vex/repository.tar.gz", "llms.txt")}
    if path in files:
        files[path] = files[path].replace(*value)
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


def violated(built: Result, path: str = "", value: Any = None) -> list[str]:
    docs = read(built.api)
    if path:
        mutate(docs, path, value)
    files = published(built.api, docs, path, value)
    return check(built.folder / "site", "/catalog", {"images": ["port"]}, files=files)


@pytest.mark.parametrize(("path", "value"), [pytest.param(*row[1:], id=row[0]) for row in MUTATIONS])
def test_a_mutation_is_found_where_it_is(built: Result, path: str, value: Any) -> None:
    """A violation names its place, or a place around it."""
    document, *keys = path.split(" ")
    place = "$" + "".join(f"[{key}]" if key.isdigit() else f".{key}" for key in keys)
    places = [violation.partition(": ")[0].split(" ", 1) for violation in violated(built, path, value)]
    assert any(found == document and place.startswith(where) for found, where in places)


def test_nothing_is_found_without_a_mutation(built: Result) -> None:
    assert violated(built) == []


# Each kind of document is complete: a half-added one fails here, with its name.
TABLE = kinds(item_fields(Settings()))
ROUTES = [route for kind in TABLE for route in kind.routes]


def fits(route: Route, path: str) -> bool:
    """Whether it is a path of this route."""
    return bool(re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(route.path)), path))


def route_of(path: str) -> Route | None:
    """The route of a document: the one with the fewest parameters that fits."""
    fitting = [route for route in ROUTES if fits(route, path)]
    return min(fitting, key=lambda route: len(route.parameters), default=None)


def test_every_kind_in_a_file_is_in_the_table() -> None:
    names = [module.name for module in iter_modules(documents.__path__)]
    parts = [part for name in names for part in vars(import_module(f"{documents.__name__}.{name}")).values()]
    assert {part.name for part in parts if isinstance(part, Kind)} == {kind.name for kind in KINDS}


def test_every_kind_has_documents_and_mutations(built: Result) -> None:
    paths = [file.relative_to(built.api).as_posix() for file in built.api.rglob("*") if file.is_file()]
    used = {route.path for path in paths if (route := route_of(path))}
    unused = {route.path for route in ROUTES} - used
    assert not unused, f"write_every_kind in tests/test_build.py makes no document of {unused}"
    mutated = [route_of(path.partition(" ")[0]) for _, path, _ in MUTATIONS]
    lacking = [kind.name for kind in TABLE if not {*kind.routes} & {*mutated}]
    assert not lacking, f"MUTATIONS has no row for {lacking}"
