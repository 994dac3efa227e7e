"""The author's statements for other people's scanners, read as those scanners read them."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote

import pytest

from mkdocs_catalog_api.problems.codes import Code

from .contract import check
from .contract.texts import normal
from .oracle_files import purl
from .random_catalogs import NOW, RandomCatalog
from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, harbor, match, row, trivy, vex
from .test_cli import call
from .test_vex import ONE, TWO

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


OPENSSL = "pkg:apk/wolfi/openssl@3.0.0"
TWO_DIGESTS = f"[{{version: '2', digest: '{digest('two')}'}}, {{version: '1', digest: '{digest('one')}'}}]"
NGINX = f"{REGISTRY}/nginx"


def scan(seed: str, slug: str = "nginx") -> dict[str, Any]:
    """A report of the release with this digest."""
    rows = [row(ONE, "CRITICAL"), row(TWO, "LOW", pkg="zlib")]
    return trivy(rows, digest=f"{REGISTRY}/{slug}@{digest(seed)}")


def silenced(result: Result, id_: str = ONE, package: str = OPENSSL) -> list[str]:
    """The releases of which a scanner takes the vulnerability of the package out."""
    archive = repository(result.folder / "site")
    return [seed for seed in ("one", "two") if archive.silences(id_, NGINX, digest(seed), package)]


def test_a_statement_on_an_alias_is_published_with_all_ids_of_the_vulnerability(told: SiteFolder) -> None:
    found = match("GHSA-1", "High", ONE, pkg="openssl", type="apk", purl=OPENSSL)
    told.report("nginx/1.json", grype(found, repoDigests=[f"{NGINX}@{digest('one')}"]))
    vex(told, {"vulnerability": {"name": "GHSA-1"}})
    result = built(told)
    assert silenced(result) == silenced(result, "GHSA-1") == ["one"]


def test_an_advisory_for_several_silences_none_of_them(told: SiteFolder) -> None:
    found = match("DSA-1", "High", ONE, TWO, pkg="openssl", type="apk", purl=OPENSSL)
    told.report("nginx/1.json", grype(found, repoDigests=[f"{NGINX}@{digest('one')}"]))
    vex(told, {"vulnerability": {"name": "DSA-1"}})
    result = built(told)
    assert silenced(result, "DSA-1") == ["one"]
    assert silenced(result, ONE) == silenced(result, TWO) == []


def test_one_label_silences_no_other_on_the_same_digest(told: SiteFolder) -> None:
    told.image("nginx", f"versions: {TWO_DIGESTS.replace(digest('one'), digest('two'))}")
    vex(told, {"products": [f"{NGINX}:1"]})
    result = built(told)
    assert result.json("security/nginx/1.json")["suppressions"] and silenced(result) == []


def test_platforms_that_nobody_scanned_are_not_silenced(told: SiteFolder) -> None:
    manifests = f"{{linux/amd64: '{digest('amd')}', linux/arm64: '{digest('arm')}'}}"
    told.image("nginx", f"versions: [{{version: '1', digest: '{digest('one')}', manifests: {manifests}}}]")
    (told.folder / "scans/nginx/2.json").unlink()
    told.report("nginx/1.json", scan("amd"))
    vex(told, {})
    archive = repository(built(told).folder / "site")
    assert archive.silences(ONE, NGINX, digest("amd"), OPENSSL)
    assert archive.silences(ONE, NGINX, digest("one"), OPENSSL), "the platform of the matcher is amd64"
    (document,) = archive.files.values()
    products = [unquote(product["@id"]) for product in document["statements"][0]["products"]]
    assert products == [
        f"pkg:oci/nginx@{digest('amd')}?repository_url={NGINX}",
        f"pkg:oci/nginx@{digest('one')}?arch=amd64&repository_url={NGINX}",
    ]


def test_what_can_not_be_said_exactly_is_not_published(told: SiteFolder) -> None:
    """A release without a digest, and a package without a URL, of which a note counts the vulnerabilities."""
    told.image("nginx", f"versions: ['2', {{version: '1', digest: '{digest('one')}'}}]")
    (told.folder / "scans/nginx/1.json").unlink()
    unknown = harbor({"id": ONE, "severity": "High", "package": "openssl", "version": "3.0.0"})
    told.report("nginx/1.json", unknown)
    told.report("nginx/2.json", trivy([row(ONE)], tag=f"{NGINX}:2"))
    vex(told, {})
    result = built(told)
    assert repository(result.folder / "site").index["packages"] == []
    assert [p.code for p in result.problems if p.field == "security.publish_vex"] == [Code.STATEMENT]


@pytest.mark.parametrize("seed", range(500, 530))
def test_exceptions_are_those_of_the_catalog_and_never_wider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The check of the contract compares each with the rows of every release that has its digest."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOW)
    site = SiteFolder(tmp_path)
    RandomCatalog(site, seed).write()
    security = cast(dict[str, Any], site.settings["security"])
    site.settings["security"] = {**security, "publish_vex": True}
    site.write_config()
    result = site.build()
    assert not result.failed and check(tmp_path / "site", "/catalog") == []
    archive = repository(tmp_path / "site")
    records: dict[str, list[Any]] = defaultdict(list)
    for image in (image for image in result.at("images") if image["image"]):
        for version in image["versions"]:
            record = result.json(f"security/{image['slug']}/{version['version']}.json")
            for digest_ in version["digests"]:
                records[digest_].append((normal(image["image"])[0], version, record))
    for digest_, having in records.items():
        still = [row for *_, record in having for row in record["cves"] or ()]
        for repository_, version, record in having:
            # The matcher is a scanner of amd64.
            whole = len(version["digests"]) == 1 and record["complete"] and not version["manifests"]
            hidden = (
                record["suppressions"] if whole and {*record["platformsScanned"]} <= {"linux/amd64"} else []
            )
            for out in hidden or ():
                ids = {out["id"], *out["aliases"]}
                open_too = any(
                    row["purl"] == out["purl"] and ids & {row["id"], *row["aliases"]} for row in still
                )
                image_ = repository_.replace("docker.io", "index.docker.io")
                by_statement = out["purl"] and out["statement"].startswith("https://")
                assert (
                    open_too or not by_statement or archive.silences(out["id"], image_, digest_, out["purl"])
                )


@pytest.fixture
def told(site: SiteFolder) -> SiteFolder:
    """A catalog that publishes its statements, of an image with two scanned releases."""
    site.settings["security"] = {"publish_vex": True}
    site.image("nginx", f"versions: {TWO_DIGESTS}")
    for label, seed in (("1", "one"), ("2", "two")):
        site.report(f"nginx/{label}.json", scan(seed))
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
        report = trivy([row(ONE)], digest=f"docker.io/library/nginx@{digest(seed)}")
        told.report(f"{slug}/{version}.json", report)
    vex(told, {"products": [{"@id": "pkg:oci/nginx?repository_url=docker.io/library/nginx"}]})
    archive = repository(built(told).folder / "site")
    assert len(archive.locations) == 1
    for seed in ("one", "five"):
        assert archive.silences(ONE, "index.docker.io/library/nginx", digest(seed), OPENSSL)


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
