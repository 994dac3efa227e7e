"""The author's statements for other people's scanners, read as those scanners read them."""

from __future__ import annotations

import io
import json
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from .example import EXAMPLE
from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, match, row, trivy, vex
from .test_cli import call
from .test_vex_build import NGINX, ONE, TWO

UNNAMED = "pkg:generic/none"
"""The package of a finding whose report gives none."""
WELL_KNOWN = ".well-known/vex-repository.json"
# What the VEX Repository Specification v0.1 asks for, in our words.
_LOCATION = {"type": "object", "required": ["url"], "properties": {"url": {"pattern": "^https://"}}}
_VERSION = {
    "type": "object",
    "required": ["spec_version", "locations", "update_interval"],
    "properties": {
        "spec_version": {"const": "0.1"},
        "locations": {"type": "array", "minItems": 1, "items": _LOCATION},
        "update_interval": {"pattern": r"^([0-9]+h)?([0-9]+m)?([0-9]+s)?$", "minLength": 2},
        "repository_specific": {"type": "object"},
    },
}
MANIFEST = Draft202012Validator(
    {
        "type": "object",
        "required": ["name", "description", "versions"],
        "properties": {
            **{key: {"type": "string", "minLength": 1} for key in ("name", "description")},
            "versions": {"type": "array", "minItems": 1, "items": _VERSION},
        },
    }
)
_PACKAGE = {
    "type": "object",
    "required": ["id", "location"],
    "additionalProperties": False,
    "properties": {
        "id": {"pattern": "^pkg:[a-z]+/[^@]+$"},
        "location": {"pattern": r"^[a-zA-Z0-9_/.-]+\.json$"},
        "format": {"enum": ["openvex", "csaf"]},
    },
}
INDEX = Draft202012Validator(
    {
        "type": "object",
        "required": ["updated_at", "packages"],
        "additionalProperties": False,
        "properties": {
            "updated_at": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"},
            "packages": {"type": "array", "items": _PACKAGE},
        },
    }
)


class Package(NamedTuple):
    """A package URL, taken apart as scanners do."""

    path: str
    version: str
    qualifiers: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Package:
        rest, _, query = text.partition("?")
        path, at, version = rest.rpartition("@")
        if not at or "/" in version:  # npm's scopes begin with one
            path, version = rest, ""
        return cls(unquote(path), unquote(version), dict(parse_qsl(query.replace("+", "%2B"))))

    def names(self, other: Package) -> bool:
        """Whether the other is this one; what this leaves out is open."""
        fits = self.version in ("", other.version) and self.qualifiers.items() <= other.qualifiers.items()
        return self.path == other.path and fits


class Repository:
    """The archive as a scanner has it that looks for an image's statements."""

    def __init__(self, body: bytes) -> None:
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            files = {entry.name: archive.extractfile(entry) for entry in archive}
            self.files = {name: json.loads(file.read()) for name, file in files.items() if file}
        self.index = self.files.pop("index.json")
        self.locations = {entry["id"]: entry["location"] for entry in self.index["packages"]}

    def silences(self, id_: str, image: str, digest: str, package: str) -> bool:
        """Whether a statement on the vulnerability of the package in the image takes it out.

        Trivy takes the last of those that fit, Grype the first, both by name, time and place in an order of
        their own: so any of them may be the one.
        """
        name, repository = image.rpartition("/")[2], quote(image, safe="")
        location = self.locations.get(f"pkg:oci/{name}?repository_url={repository}")
        if location is None:
            return False
        product = Package.parse(
            f"pkg:oci/{name}@{quote(digest, safe='')}?arch=amd64&repository_url={repository}"
        )
        return any(
            statement["status"] in ("not_affected", "fixed")
            and id_ in (statement["vulnerability"]["name"], *statement["vulnerability"]["aliases"])
            and any(_on(one, product, Package.parse(package)) for one in statement["products"])
            for statement in self.files[location]["statements"]
        )


def _on(stated: Any, product: Package, package: Package) -> bool:
    parts = [Package.parse(part["@id"]) for part in stated.get("subcomponents", ())]
    fits = not parts or any(part.names(package) for part in parts)
    return fits and Package.parse(stated["@id"]).names(product)


def repository(folder: Path) -> Repository:
    """The archive that the manifest of a site leads to."""
    manifest = json.loads((folder / WELL_KNOWN).read_bytes())
    MANIFEST.validate(manifest)
    (location,) = manifest["versions"][0]["locations"]
    path = location["url"].partition("/api/v1/")[2]
    found = Repository((folder / "api/v1" / path).read_bytes())
    INDEX.validate(found.index)
    return found


@pytest.fixture
def told(site: SiteFolder) -> SiteFolder:
    """A catalog that publishes its statements, of an image with two scanned releases."""
    site.settings["security"] = {"publish_vex": True}
    versions = f"versions: [{{version: '2', digest: '{digest(2)}'}}, {{version: '1', digest: '{digest(1)}'}}]"
    site.image("nginx", versions)
    for label in (1, 2):
        rows = [row(ONE, "CRITICAL"), row(TWO, "LOW", pkg="zlib")]
        site.report(f"nginx/{label}.json", trivy(rows, digest=f"{REGISTRY}/nginx@{digest(label)}"))
    return site


def purls(result: Result) -> list[str]:
    """The products of all statements on nginx."""
    statements = result.json("vex/nginx.json")["statements"]
    return [product["@id"] for statement in statements for product in statement["products"]]


def exact(label: int, qualifiers: str = "") -> str:
    at = quote(digest(label), safe="")
    return f"pkg:oci/nginx@{at}?{qualifiers}repository_url={quote(REGISTRY, safe='')}%2Fnginx"


def packages_in_scans() -> dict[tuple[str, ...], set[str]]:
    """Image, vulnerability, package and installed version in the example's reports → its package URLs: one
    for each platform."""
    found = defaultdict[tuple[str, ...], set[str]](set)
    for path in (EXAMPLE / "scans").glob("*/*.json"):
        report = json.loads(path.read_bytes())
        for result in report.get("Results", ()):
            for one in result.get("Vulnerabilities", ()):
                key = (path.parent.name, one["VulnerabilityID"], one["PkgName"], one["InstalledVersion"])
                found[key].add(one.get("PkgIdentifier", {}).get("PURL", UNNAMED))
        for entry in report.get("matches", ()):
            ids = [entry["vulnerability"]["id"], *(one["id"] for one in entry["relatedVulnerabilities"])]
            artifact = entry["artifact"]
            for id_ in ids:
                found[path.parent.name, id_, artifact["name"], artifact["version"]].add(artifact["purl"])
    return found


def records(api: Path) -> Iterator[Any]:
    """Every scanned release that lists a digest, once."""
    for path in (api / "security").glob("*/*.json"):
        record = json.loads(path.read_bytes())
        if record["scanned"] and record["digest"]:
            yield record


def test_a_scanner_silences_what_the_example_shows_as_suppressed_and_nothing_else(tmp_path: Path) -> None:
    assert call("build", "-q", "-f", EXAMPLE / "mkdocs.yml", "--site-dir", tmp_path).exit_code == 0
    archive, known, silenced, heard = repository(tmp_path), packages_in_scans(), 0, 0
    for record in records(tmp_path / "api/v1"):
        for name in ("suppressed", "cves"):
            for one in record[name]:
                key = (record["slug"], one["id"], one["pkg"], one["installed"])
                asked = one["id"], record["image"], record["digest"]
                says = {archive.silences(*asked, package) for package in known.get(key, {UNNAMED})}
                assert says == {name == "suppressed"}, (record["version"], key)
                silenced += True in says
                heard += False in says
    assert silenced >= 8
    assert heard > 300


def test_the_documents_are_those_of_the_archive_and_openvex(told: SiteFolder) -> None:
    vex(told, {}, author="Acme")
    result = built(told)
    archive = repository(result.folder / "site")
    document = result.json("vex/nginx.json")
    assert archive.files == {"pkg/oci/nginx/vex.json": document}
    assert archive.index["updated_at"] == document["timestamp"] == "2026-01-01T00:00:00Z"
    assert document["@context"] == "https://openvex.dev/ns/v0.2.0"
    assert document["@id"] == "https://example.org/catalog/api/v1/vex/nginx.json"
    assert document["author"] == "Acme"
    (statement,) = document["statements"]
    assert statement["vulnerability"] == {"name": ONE, "aliases": []}
    assert purls(result) == [exact(2), exact(1)]
    index = result.json("index.json")
    assert index["templates"]["vex"] == "/catalog/api/v1/vex/{slug}.json"
    assert index["documents"]["vexRepository"] == "/catalog/api/v1/vex/repository.tar.gz"
    paths = result.json("manifest.json")["documents"]
    assert {"vex/nginx.json", "vex/repository.tar.gz"} <= paths.keys()


def test_a_document_can_be_read_as_a_statement_of_ones_own(told: SiteFolder) -> None:
    vex(
        told, {"products": [{"@id": NGINX, "subcomponents": ["pkg:deb/debian/openssl"]}]}, {"status": "fixed"}
    )
    first = built(told)
    told.write("vex/a.json", (first.api / "vex/nginx.json").read_bytes())
    assert built(told).json("vex/nginx.json")["statements"] == first.json("vex/nginx.json")["statements"]


def test_a_release_without_a_digest_is_left_out(told: SiteFolder) -> None:
    told.image("nginx", f"versions: [3, {{version: '1', digest: '{digest(1)}'}}]")
    (told.folder / "scans/nginx/2.json").unlink()
    vex(told, {})
    assert purls(built(told)) == [exact(1)]


@pytest.mark.parametrize(
    ("product", "wanted"),
    [
        (f"{REGISTRY}/nginx:1", [exact(1)]),
        (f"{REGISTRY}/nginx:9", []),
        (f"{REGISTRY}/other", []),
        (digest(2), [exact(2)]),
        (f"{NGINX}&arch=arm64", [exact(2, "arch=arm64&"), exact(1, "arch=arm64&")]),
        (
            f"{NGINX}&platform=linux/amd64",
            [exact(2, "arch=amd64&os=linux&"), exact(1, "arch=amd64&os=linux&")],
        ),
        (f"{NGINX}&platform=linux/arm/v7", []),
        (f"{NGINX}&arch=arm64&platform=linux/amd64", []),
    ],
)
def test_a_statement_is_passed_on_for_what_it_names(
    told: SiteFolder, product: str, wanted: list[str]
) -> None:
    vex(
        told, {"products": [{"@id": product}]}, {"vulnerability": {"name": TWO}, "products": [{"@id": NGINX}]}
    )
    found = purls(built(told))
    assert found == [*wanted, exact(2), exact(1)]


def test_what_can_not_be_said_exactly_is_said_when_it_contradicts(told: SiteFolder) -> None:
    narrow = {"products": [{"@id": f"{NGINX}&platform=linux/arm/v7"}], "timestamp": "2026-02-01T00:00:00Z"}
    vex(told, {}, narrow | {"status": "affected"})
    result = built(told)
    assert purls(result) == [exact(2), exact(1)]
    archive = repository(result.folder / "site")
    assert not archive.silences(ONE, f"{REGISTRY}/nginx", digest(1), "pkg:deb/debian/openssl")


LATER = {"status": "affected", "timestamp": "2026-02-01T00:00:00Z"}
OPENSSL = "pkg:deb/debian/openssl@3.0.0?arch=amd64"


@pytest.mark.parametrize(
    "later",
    [
        {"status": "affected"},
        LATER | {"status": "under_investigation"},
        LATER | {"vulnerability": {"name": "GHSA-z", "aliases": [ONE]}},
        LATER | {"vulnerability": {"name": "ALPINE-1", "aliases": [ONE]}},
        LATER | {"products": [{"@id": NGINX, "subcomponents": ["openssl"]}]},
        LATER | {"products": [{"@id": NGINX, "subcomponents": ["pkg:deb/debian/openssl"]}]},
        LATER | {"products": [{"@id": f"{NGINX}&platform=linux/amd64"}]},
        LATER | {"products": [{"@id": digest(1)}, {"@id": digest(2)}]},
        LATER | {"products": ["pkg:deb/debian/openssl"]},
    ],
)
def test_what_was_taken_back_silences_in_no_order_of_reading(
    told: SiteFolder, later: dict[str, object]
) -> None:
    vex(told, {}, later)
    archive = repository(built(told).folder / "site")
    for label in (1, 2):
        assert not archive.silences(ONE, f"{REGISTRY}/nginx", digest(label), OPENSSL)


ELSEWHERE = {"products": ["pkg:deb/debian/openssl@9"]}
"""A package that no image has."""


@pytest.mark.parametrize(
    ("other", "statuses"),
    [
        (ELSEWHERE, ["not_affected"]),
        (ELSEWHERE | LATER, []),
        (ELSEWHERE | LATER | {"vulnerability": TWO}, ["not_affected"]),
        (ELSEWHERE | LATER | {"timestamp": "2026-01-01T00:00:00Z"}, []),
        ({"products": [*ELSEWHERE["products"], f"{REGISTRY}/nginx:1"]}, ["not_affected", "not_affected"]),
        (
            LATER | {"products": [*ELSEWHERE["products"], f"{REGISTRY}/nginx:1"], "vulnerability": TWO},
            ["not_affected", "affected"],
        ),
    ],
)
def test_a_statement_on_a_package_that_no_image_has_is_not_told_but_takes_back(
    told: SiteFolder, other: dict[str, object], statuses: list[str]
) -> None:
    vex(told, {}, other)
    archive = repository(built(told).folder / "site")
    (document,) = archive.files.values() or [{"statements": []}]
    assert [statement["status"] for statement in document["statements"]] == statuses


@pytest.mark.parametrize("name", ["pkg:deb/debian/openssl", "openssl"])
def test_what_was_taken_back_of_one_release_stands_of_the_others(told: SiteFolder, name: str) -> None:
    """Of the release nothing stands, whatever package the later statement is on."""
    both = [{"@id": NGINX, "subcomponents": [f"pkg:deb/debian/{name}"]} for name in ("openssl", "zlib")]
    part = {"products": [{"@id": digest(1), "subcomponents": [name]}]}
    vex(told, {"products": both}, LATER | part)
    archive = repository(built(told).folder / "site")
    zlib = "pkg:deb/debian/zlib@1?arch=amd64"
    silenced = [
        (label, package)
        for label in (1, 2)
        for package in (OPENSSL, zlib)
        if archive.silences(ONE, f"{REGISTRY}/nginx", digest(label), package)
    ]
    assert silenced == [(2, OPENSSL), (2, zlib)]


def test_what_was_taken_back_under_another_id_of_the_finding_silences_nothing(told: SiteFolder) -> None:
    found = match("GHSA-a", "High", ONE, pkg="a", type="npm", purl="pkg:npm/a@1")
    told.report("nginx/2.json", grype(found, repoDigests=[f"{REGISTRY}/nginx@{digest(2)}"]))
    vex(told, {"vulnerability": "GHSA-a"}, LATER)
    result = built(told)
    assert result.json("security/nginx/2.json")["total"] == 1
    archive = repository(result.folder / "site")
    assert not archive.silences("GHSA-a", f"{REGISTRY}/nginx", digest(2), "pkg:npm/a@1")


def test_what_was_said_again_stands(told: SiteFolder) -> None:
    again = {"status": "fixed", "timestamp": "2026-03-01T00:00:00Z"}
    vex(told, {}, LATER, again)
    result = built(told)
    assert [one["status"] for one in result.json("vex/nginx.json")["statements"]] == ["fixed"]
    assert repository(result.folder / "site").silences(ONE, f"{REGISTRY}/nginx", digest(1), OPENSSL)


def test_what_is_said_of_one_label_silences_no_other_on_the_same_digest(told: SiteFolder) -> None:
    same = f"versions: [{{version: '2', digest: '{digest(2)}'}}, {{version: '1', digest: '{digest(2)}'}}]"
    told.image("nginx", same)
    (told.folder / "scans/nginx/1.json").unlink()
    vex(told, {"products": [f"{REGISTRY}/nginx:1"]})
    result = built(told)
    assert result.json("security/nginx/2.json")["critical"] == 1
    assert not repository(result.folder / "site").silences(ONE, f"{REGISTRY}/nginx", digest(2), OPENSSL)


def test_a_path_in_a_package_is_not_said_as_others_leave_it_aside(told: SiteFolder) -> None:
    vex(told, {"products": [{"@id": NGINX, "subcomponents": ["pkg:golang/example.org/a#cmd"]}]})
    assert repository(built(told).folder / "site").locations == {}


def test_two_identifiers_of_a_package_are_the_narrower_one(told: SiteFolder) -> None:
    wide, narrow = "pkg:deb/debian/openssl", "pkg:deb/debian/openssl@3.0.0"
    part = {"@id": wide, "identifiers": {"purl": narrow}}
    vex(told, {"products": [{"@id": NGINX, "subcomponents": [part]}]})
    (statement,) = built(told).json("vex/nginx.json")["statements"]
    assert statement["products"][0]["subcomponents"] == [{"@id": narrow}]


@pytest.mark.parametrize("without", ["a", "b"])
def test_where_a_time_is_missing_the_statement_that_does_not_suppress_wins(
    told: SiteFolder, without: str
) -> None:
    for name, statement in (("a", {"status": "affected"}), ("b", {})):
        vex(told, statement, name=name, timestamp="" if name == without else "2026-01-01T00:00:00Z")
    result = built(told)
    (statement,) = result.json("vex/nginx.json")["statements"]
    time = "1970-01-01T00:00:00Z" if without == "a" else "2026-01-01T00:00:00Z"
    assert (statement["status"], statement["timestamp"]) == ("affected", time)
    assert result.json("security.json")["suppressed"] == 0
    (text,) = result.logged()
    assert text.startswith("vex/b.json: statements[0]: ")


def test_two_items_of_one_image_have_one_entry(told: SiteFolder) -> None:
    told.image("web", f"image: {REGISTRY}/nginx\nversions: [{{version: '5', digest: '{digest(5)}'}}]")
    vex(told, {})
    archive = repository(built(told).folder / "site")
    assert len(archive.locations) == 1
    assert all(archive.silences(ONE, f"{REGISTRY}/nginx", digest(label), "pkg:x/y") for label in (1, 2, 5))


def test_images_of_docker_hub_have_the_name_that_scanners_give_them(told: SiteFolder) -> None:
    told.image("nginx", f"image: nginx\nversions: [{{version: '1', digest: '{digest(1)}'}}]")
    (told.folder / "scans/nginx/2.json").unlink()
    told.report("nginx/1.json", trivy([row(ONE)], digest=f"nginx@{digest(1)}"))
    vex(told, {"products": [{"@id": "pkg:oci/nginx?repository_url=docker.io/library/nginx"}]})
    archive = repository(built(told).folder / "site")
    assert archive.silences(ONE, "index.docker.io/library/nginx", digest(1), "pkg:x/y")


def test_the_archive_has_the_same_bytes_whenever_it_is_made(told: SiteFolder) -> None:
    vex(told, {})
    first = (built(told).api / "vex/repository.tar.gz").read_bytes()
    assert (built(told).api / "vex/repository.tar.gz").read_bytes() == first
    assert first[4:8] == b"\0\0\0\0", "no time in the header of gzip"
    with tarfile.open(fileobj=io.BytesIO(first)) as archive:
        assert {(entry.mtime, entry.uid, entry.gid, entry.uname) for entry in archive} == {(0, 0, 0, "")}


def test_without_a_statement_there_is_an_empty_repository(told: SiteFolder) -> None:
    result = built(told)
    assert repository(result.folder / "site").index == {"updated_at": "1970-01-01T00:00:00Z", "packages": []}
    assert not (result.api / "vex/nginx.json").exists()


def test_when_the_setting_goes_the_file_goes(told: SiteFolder) -> None:
    vex(told, {})
    assert (built(told).folder / "site" / WELL_KNOWN).exists()
    told.settings["security"] = {}
    result = built(told)
    assert not (result.folder / "site/.well-known").exists()
    assert not (result.api / "vex").exists()
    index = result.json("index.json")
    assert not {"vex", "vexRepository"} & {*index["documents"], *index["templates"]}


def test_a_file_of_the_author_stays(told: SiteFolder) -> None:
    own = told.write(f"site/{WELL_KNOWN}", '{"name": "mine"}')
    refused = call("build", "-f", told.write_config())
    assert refused.exit_code == 1
    assert f"{WELL_KNOWN} would replace this file" in refused.stderr
    told.settings["security"] = {}
    assert call("build", "-f", told.write_config()).exit_code == 0
    assert own.read_text("utf-8") == '{"name": "mine"}'


@pytest.mark.parametrize("address", ["", "http://example.org/catalog/"])
def test_scanners_take_https_only(told: SiteFolder, address: str) -> None:
    told.config["site_url"] = address
    refused = call("build", "-f", told.write_config())
    assert refused.exit_code == 1
    assert "publish_vex: scanners accept statements only from https" in refused.stderr
    assert not (told.folder / "site/api").exists()


def test_a_preview_needs_no_https(told: SiteFolder) -> None:
    told.config["site_url"] = "http://127.0.0.1:8000/catalog/"
    assert not told.build(strict=True).failed


def test_a_feed_of_package_statements_is_published_for_what_it_matches(site: SiteFolder) -> None:
    """As vendors publish it: hundreds of statements on packages, of which few are in an image."""
    site.settings["security"] = {"publish_vex": True}
    names = [f"app-{number}" for number in range(20)]
    for number, name in enumerate(names):
        site.image(name, f"versions: [{{version: '1', digest: '{digest(number)}'}}]")
        found = row(f"CVE-2026-{number:04}", pkg=f"pkg{number}", installed="1")
        purl = {"PkgIdentifier": {"PURL": f"pkg:deb/debian/pkg{number}@1?arch=amd64"}}
        site.report(f"{name}/1.json", trivy([found | purl], digest=f"{REGISTRY}/{name}@{digest(number)}"))
    for start in range(0, 400, 100):
        statements = [
            {
                "vulnerability": {"name": f"CVE-2026-{number:04}"},
                "products": [{"@id": f"pkg:deb/debian/pkg{number}{suffix}"} for suffix in ("", "-doc")],
                **({} if number % 4 else {"status": "under_investigation"}),
            }
            for number in range(start, start + 100)
        ]
        vex(site, *statements, name=str(start))
    result = built(site)
    assert result.json("security.json")["suppressed"] == 15
    published = {name for name in names if (result.api / f"vex/{name}.json").exists()}
    assert published == {*names}
    for number, name in enumerate(names):
        (statement,) = result.json(f"vex/{name}.json")["statements"]
        assert statement["vulnerability"]["name"] == f"CVE-2026-{number:04}"
        assert statement["status"] == ("not_affected" if number % 4 else "under_investigation")
