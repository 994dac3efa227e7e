"""The author's statements for other people's scanners, read as those scanners read them."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import pytest

from .oracle_files import purl
from .sites import (
    REGISTRY,
    Result,
    SiteFolder,
    built,
    digest,
    grype,
    match,
    not_affected,
    openvex,
    row,
    trivy,
    vex,
)
from .test_cli import call
from .test_vex import ONE, TWO, WEB, of_its_own

WELL_KNOWN = ".well-known/vex-repository.json"


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
        product = f"pkg:oci/{name}@{quote(digest, safe='')}?arch=amd64&repository_url={repository}"
        return any(
            statement["status"] in ("not_affected", "fixed")
            and id_ in (statement["vulnerability"]["name"], *statement["vulnerability"]["aliases"])
            and any(_on(one, product, package) for one in statement["products"])
            for statement in self.files[location]["statements"]
        )


def _on(stated: Any, product: str, package: str) -> bool:
    parts = stated.get("subcomponents", ())
    return _names(stated, product) and (not parts or any(_names(part, package) for part in parts))


def _names(stated: Any, given: str) -> bool:
    """Whether this is it; what it leaves out is open."""
    (path, version, qualifiers), other = purl(stated["@id"]), purl(given)
    return path == other[0] and version in ("", other[1]) and qualifiers.items() <= other[2].items()


def repository(folder: Path) -> Repository:
    """The archive that the manifest of a site leads to, as the VEX Repository Specification v0.1 asks."""
    manifest = json.loads((folder / WELL_KNOWN).read_bytes())
    (version,) = manifest["versions"]
    (location,) = version["locations"]
    assert manifest["name"] and manifest["description"] and version["spec_version"] == "0.1"
    assert location["url"].startswith("https://") and re.fullmatch(
        "([0-9]+[hms])+", version["update_interval"]
    )
    found = Repository((folder / "api/v1" / location["url"].partition("/api/v1/")[2]).read_bytes())
    assert found.index.keys() == {"updated_at", "packages"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", found.index["updated_at"])
    for entry in found.index["packages"]:
        assert entry.keys() <= {"id", "location", "format"} and entry.get("format", "openvex") == "openvex"
        assert re.fullmatch("pkg:[a-z]+/[^@]+", entry["id"])
        assert re.fullmatch(r"[a-zA-Z0-9_/.-]+\.json", entry["location"])
    return found


OPENSSL, ZLIB = "pkg:deb/debian/openssl@3.0.0?arch=amd64", "pkg:deb/debian/zlib@1?arch=amd64"
LATER = {"status": "affected", "timestamp": "2026-02-01T00:00:00Z"}
TWO_DIGESTS = f"[{{version: '2', digest: '{digest('two')}'}}, {{version: '1', digest: '{digest('one')}'}}]"


def scan(seed: str, slug: str = "web") -> dict[str, Any]:
    """A report of the release with this digest."""
    rows = [row(ONE, "CRITICAL"), row(TWO, "LOW", pkg="zlib")]
    return trivy(rows, digest=f"{REGISTRY}/{slug}@{digest(seed)}")


class Row(NamedTuple):
    """Statements on the image `web`, of January and on ONE but for their changes, and what is published."""

    statements: Sequence[dict[str, Any]]
    said: str | None = None
    """Each published statement: its status, and releases and packages that it is on."""
    silenced: str | None = None
    """Releases and packages for which a scanner takes ONE out: `2` is the package openssl, `2z` is zlib."""
    warned: int = 0
    versions: str = TWO_DIGESTS
    reports: Mapping[str, Any] = {"1": scan("one"), "2": scan("two")}


def parts(*names: object, of: str = WEB) -> dict[str, Any]:
    return {"products": [{"@id": of, "subcomponents": [*names]}]}


ELSEWHERE, AFFECTED = "pkg:deb/debian/openssl@9", {"status": "affected"}
"""A package that no image has."""
FIRST = {"products": [ELSEWHERE, f"{REGISTRY}/web:1"]}
# What a statement is passed on for; another one is on all of the image.
ROWS = {
    product: Row(
        [{"products": [{"@id": product}]}, {"vulnerability": {"name": TWO}}], f"{said}not_affected 2 1")
    for product, said in {
        f"{REGISTRY}/web:1": "not_affected 1, ",
        f"{REGISTRY}/web:9": "",
        f"{REGISTRY}/other": "",
        digest("two"): "not_affected 2, ",
        f"{WEB}&arch=arm64": "not_affected 2?arch=arm64 1?arch=arm64, ",
        f"{WEB}&platform=linux/amd64": "not_affected 2?arch=amd64&os=linux 1?arch=amd64&os=linux, ",
        f"{WEB}&platform=linux/arm/v7": "",
        f"{WEB}&arch=arm64&platform=linux/amd64": "",
    }.items()
}  # fmt: skip
# What was taken back silences in no order of reading.
ROWS |= {
    f"taken back by {later}": Row([{}, later], silenced="", warned=later is AFFECTED)
    for later in (
        AFFECTED,
        LATER | {"status": "under_investigation"},
        LATER | {"vulnerability": {"name": "GHSA-z", "aliases": [ONE]}},
        LATER | {"vulnerability": {"name": "ALPINE-1", "aliases": [ONE]}},
        LATER | parts("openssl"),
        LATER | parts("pkg:deb/debian/openssl"),
        LATER | {"products": [{"@id": f"{WEB}&platform=linux/amd64"}]},
        LATER | {"products": [{"@id": digest("one")}, {"@id": digest("two")}]},
        LATER | {"products": ["pkg:deb/debian/openssl"]},
    )
}
# A statement on a package that no image has is not told, but takes back.
ROWS |= {
    f"elsewhere, {other}": Row([{}, other], said)
    for other, said in (
        ({"products": [ELSEWHERE]}, "not_affected 2 1"),
        (LATER | {"products": [ELSEWHERE]}, ""),
        (LATER | {"products": [ELSEWHERE], "vulnerability": TWO}, "not_affected 2 1"),
        (AFFECTED | {"products": [ELSEWHERE]}, ""),
        (FIRST, f"not_affected 2 1, not_affected 2/{ELSEWHERE} 1/{ELSEWHERE} 1"),
        (LATER | FIRST | {"vulnerability": TWO}, f"not_affected 2 1, affected 2/{ELSEWHERE} 1/{ELSEWHERE} 1"),
    )
}
# It is said of other releases. Of this one nothing stands, whatever package the later statement is on.
BOTH = {"products": [*(parts(f"pkg:deb/debian/{name}")["products"][0] for name in ("openssl", "zlib"))]}
ROWS |= {
    f"{name} of one release": Row([BOTH, LATER | parts(name, of=digest("one"))], silenced="2 2z")
    for name in ("pkg:deb/debian/openssl", "openssl")
}  # fmt: skip
ALIASED = match("GHSA-a", "High", ONE, pkg="openssl", type="deb", purl=OPENSSL)
ROWS |= {
    "a release without a digest is left out": Row(
        [{}], "not_affected 1", versions=f"['3', {{version: '1', digest: '{digest('one')}'}}]",
        reports={"1": scan("one")}),
    "what can't be said exactly is said when it contradicts": Row(
        [{}, LATER | {"products": [{"@id": f"{WEB}&platform=linux/arm/v7"}]}], "affected 2 1", ""),
    "taken back under another id of the finding": Row(
        [{"vulnerability": "GHSA-a"}, LATER], silenced="",
        reports={"2": grype(ALIASED, repoDigests=[f"{REGISTRY}/web@{digest('two')}"])}),
    "said again": Row(
        [{}, LATER, {"status": "fixed", "timestamp": "2026-03-01T00:00:00Z"}], "fixed 2 1", "1 1z 2 2z"),
    "one label silences no other on the same digest": Row(
        [{"products": [f"{REGISTRY}/web:1"]}], silenced="",
        versions=TWO_DIGESTS.replace(digest("one"), digest("two")), reports={"2": scan("two")}),
    "others leave aside a path in a package": Row([parts("pkg:golang/example.org/a#cmd")], ""),
    "two identifiers are the narrower one": Row(
        [parts({"@id": "pkg:deb/debian/openssl", "identifiers": {"purl": "pkg:deb/debian/openssl@3.0.0"}})],
        "not_affected 2/pkg:deb/debian/openssl@3.0.0 1/pkg:deb/debian/openssl@3.0.0", "1 2"),
    # Where a time is missing the statement wins that does not suppress.
    "an exception without a time": Row([{"timestamp": ""}, AFFECTED], "affected 2 1", "", 1),
    "a contradiction without a time": Row([{}, AFFECTED | {"timestamp": ""}], "affected 2 1", "", 1),
}  # fmt: skip


SLUGS = [(name, f"w{number:03}") for number, name in enumerate(ROWS)]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """All rows; the statements of each in documents of their own, as their times differ."""
    site = SiteFolder(tmp_path_factory.mktemp("vex"))
    site.settings["security"] = {"publish_vex": True}
    for name, slug in SLUGS:
        site.image(slug, f"versions: {of_its_own(ROWS[name].versions, slug)}")
        for label, report in ROWS[name].reports.items():
            site.report(f"{slug}/{label}.json", of_its_own(report, slug))
        for number, change in enumerate(ROWS[name].statements):
            statement = {"timestamp": "2026-01-01T00:00:00Z"} | not_affected(ONE, {"@id": WEB}) | change
            document = openvex(statement, **{"@id": "", "timestamp": ""})
            site.write(f"vex/{slug}/{number}.json", json.dumps(of_its_own(document, slug)).encode())
    return built(site)


def said(statement: Any, slug: str) -> str:
    """A published statement, with the labels of releases in place of their digests."""
    words = [statement["status"]]
    for product in statement["products"]:
        path, _, query = unquote(product["@id"]).partition("?")
        rest = query.removesuffix(f"repository_url={REGISTRY}/{slug}").rstrip("&")
        label = "1" if path.endswith(of_its_own(digest("one"), slug)) else "2"
        packages = "".join(f"/{part['@id']}" for part in product.get("subcomponents", ()))
        words.append(label + f"?{rest}" * bool(rest) + packages)
    return " ".join(words)


@pytest.mark.parametrize(("name", "slug"), SLUGS)
def test_what_is_published_of_statements(catalog: Result, name: str, slug: str) -> None:
    row, archive = ROWS[name], repository(catalog.folder / "site")
    path = catalog.api / f"vex/{slug}.json"
    published = json.loads(path.read_bytes())["statements"] if path.exists() else []
    if row.said is not None:
        assert ", ".join(said(each, slug) for each in published) == row.said
    if row.silenced is not None:
        id_, one, two = (of_its_own(text, slug) for text in (ONE, digest("one"), digest("two")))
        asked = {"1": (one, OPENSSL), "1z": (one, ZLIB), "2": (two, OPENSSL), "2z": (two, ZLIB)}
        image = f"{REGISTRY}/{slug}"
        silenced = [name for name, of in asked.items() if archive.silences(id_, image, *of)]
        assert row.silenced.split() == silenced
    assert sum(text.startswith(f"vex/{slug}/") for text in catalog.logged()) == row.warned


@pytest.fixture
def told(site: SiteFolder) -> SiteFolder:
    """A catalog that publishes its statements, of an image with two scanned releases."""
    site.settings["security"] = {"publish_vex": True}
    site.image("nginx", f"versions: {TWO_DIGESTS}")
    for label, seed in (("1", "one"), ("2", "two")):
        site.report(f"nginx/{label}.json", scan(seed, "nginx"))
    return site


def test_a_document_has_the_author_and_the_time_of_the_statements(told: SiteFolder) -> None:
    vex(told, {}, author="Acme")
    result = built(told)
    document = result.json("vex/nginx.json")
    assert (document["author"], document["timestamp"]) == ("Acme", "2026-01-01T00:00:00Z")
    assert repository(result.folder / "site").index["updated_at"] == document["timestamp"]


def test_two_items_of_one_image_of_docker_hub_have_one_entry_with_the_name_that_scanners_give(
    told: SiteFolder,
) -> None:
    (told.folder / "scans/nginx/2.json").unlink()
    for slug, version, seed in (("nginx", "1", "one"), ("web", "3", "five")):
        told.image(slug, f"image: nginx\nversions: [{{version: '{version}', digest: '{digest(seed)}'}}]")
    vex(told, {"products": [{"@id": "pkg:oci/nginx?repository_url=docker.io/library/nginx"}]})
    archive = repository(built(told).folder / "site")
    assert len(archive.locations) == 1
    for seed in ("one", "five"):
        assert archive.silences(ONE, "index.docker.io/library/nginx", digest(seed), "pkg:x/y")


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


def test_when_the_setting_goes_the_file_goes_and_one_of_the_author_stays(told: SiteFolder) -> None:
    vex(told, {})
    assert (built(told).folder / "site" / WELL_KNOWN).exists()
    told.settings["security"] = {}
    result = built(told)
    assert not (result.folder / "site/.well-known").exists() and not (result.api / "vex").exists()
    own = told.write(f"site/{WELL_KNOWN}", '{"name": "mine"}')
    assert call("build", "-f", told.write_config()).exit_code == 0
    told.settings["security"] = {"publish_vex": True}
    refused = call("build", "-f", told.write_config())
    assert refused.exit_code == 1
    assert f"{WELL_KNOWN} would replace this file" in refused.stderr
    assert own.read_text("utf-8") == '{"name": "mine"}'


@pytest.mark.parametrize(
    ("address", "refused"),
    [("", True), ("http://example.org/catalog/", True), ("http://127.0.0.1:8000/catalog/", False)],
)
def test_scanners_take_https_only_but_a_preview_needs_none(
    told: SiteFolder, address: str, refused: bool
) -> None:
    told.config["site_url"] = address
    result = told.build(strict=True)
    assert result.failed == refused
    said = "publish_vex: scanners accept statements only from https"
    assert any(said in text for text in result.logged()) == refused
