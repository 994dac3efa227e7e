"""Which statement of the OpenVEX documents speaks of which finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from mkdocs_catalog_api.catalog.scan_selection import JoinRules, ReleaseParts
from mkdocs_catalog_api.catalog.scans import Coverage, Finding, Scan, Scanner
from mkdocs_catalog_api.catalog.statements import Statement, Subject
from mkdocs_catalog_api.catalog.vex_matching import Statements
from mkdocs_catalog_api.catalog.vulnerabilities import deduplicate
from tests.report_files import DIGEST
from tests.test_vex import STATEMENT, WEB, read

OTHER = "sha256:" + "b" * 64
CPE = "cpe:2.3:a:acme:web:1:*:*:*:*:*:*:*"
IMAGE = Subject("ghcr.io/acme/web", frozenset({"1", "1.2"}), frozenset({DIGEST}), "linux/amd64")
FINDING = Finding(
    id="CVE-2026-0001",
    severity=1,
    pkg="zlib1g",
    installed="1.3",
    fixed="",
    title="",
    url="",
    target="",
    aliases=("GHSA-cfh5-3ghh-wfjx",),
    purl="pkg:deb/debian/zlib1g@1.3?arch=amd64&distro=debian-13",
)

SCAN = Scan("", None, (), Coverage(), None, ())


def said(*changes: dict[str, Any]) -> Sequence[Statement]:
    """Statements that suppress unless a change says otherwise."""
    return read(*({**STATEMENT, **change} for change in changes)).statements


def about(product: Any, finding: Finding = FINDING, image: Subject = IMAGE) -> bool:
    """Whether a statement about the product takes the finding in the image out."""
    return suppressed([finding], [image], {"products": [product]})


def suppressed(findings: Sequence[Finding], images: Sequence[Subject], *changes: dict[str, Any]) -> bool:
    """Whether such statements take the only row of the findings out."""
    applied = Statements(said(*changes)).apply(deduplicate([*findings]), images)
    assert len(applied.open) + len(applied.suppressed) == 1
    return not applied.open


@pytest.mark.parametrize(
    ("product", "matches"),
    [
        (WEB, True),
        *((f"{WEB}{empty}", False) for empty in ("&tag=", "&tag", "&tag=#", "&&tag=1")),
        ("pkg:oci/web@?repository_url=ghcr.io/acme/web", False),
        ("pkg:oci/web?tag=&repository_url=ghcr.io/acme/web", False),
        ("pkg:oci/web?repository_url=ghcr.io/acme", True),
        ("pkg:oci/web?repository_url=GHCR.io/acme/web/", True),
        ("pkg:oci/other?repository_url=ghcr.io/acme/other", False),
        ("pkg:oci/web", False),
        (f"pkg:oci/web@{DIGEST}", True),
        (f"pkg:oci/renamed@{DIGEST}", True),
        (f"pkg:oci/renamed@{DIGEST}?repository_url=quay.io/x/renamed", False),
        (f"pkg:oci/web@{DIGEST}?repository_url=ghcr.io/acme/web", True),
        (f"quay.io/x/renamed@{DIGEST}", False),
        (f"pkg:oci/web@{OTHER}?repository_url=ghcr.io/acme/web", False),
        (f"{WEB}&tag=1", True),
        (f"{WEB}&tag=2", False),
        (f"{WEB}&arch=amd64", True),
        (f"{WEB}&arch=arm64", False),
        (f"{WEB}&os=linux", True),
        (f"{WEB}&os=windows", False),
        (f"{WEB}&platform=linux/amd64", True),
        (f"{WEB}&platform=linux%2Farm64", False),
        (f"{WEB}&platform=linux/amd64/v2", False),
        (f"{WEB}&tag=1&arch=amd64&os=linux", True),
        (f"{WEB}&tag=2&arch=amd64", False),
        (f"{WEB}&variant=v8", False),
        (f"{WEB}#usr/bin", False),
        (f"pkg:oci/web@{DIGEST}?tag=1", True),
        (f"pkg:oci/web@{DIGEST}?tag=2", False),
        (f"pkg:docker/acme/web@{DIGEST}?platform=linux/amd64", True),
        (f"pkg:docker/acme/web@{DIGEST}?platform=linux/arm64", False),
        ("pkg:docker/acme/web?repository_url=ghcr.io", True),
        ("pkg:docker/acme/web@1.2?repository_url=ghcr.io", True),
        ("pkg:docker/acme/web@9?repository_url=ghcr.io", False),
        ("pkg:docker/acme/web", False),
        ("ghcr.io/acme/web", True),
        ("ghcr.io/acme/web:1.2", True),
        ("ghcr.io/acme/web:2", False),
        (f"ghcr.io/acme/web:2@{DIGEST}", True),
        (DIGEST, True),
        (OTHER, False),
        ({"hashes": {"sha-256": "a" * 64}}, True),
        ({"hashes": {"sha-256": "b" * 64}}, False),
        ({"@id": "web", "identifiers": {"purl": WEB}}, True),
        ({"@id": WEB, "hashes": {"sha-256": "A" * 64}}, True),
        ({"@id": WEB, "hashes": {"sha-256": "b" * 64}}, False),
        ({"@id": "pkg:oci/a?repository_url=ghcr.io/acme/a", "hashes": {"sha-256": "a" * 64}}, False),
        ({"@id": "https://acme.example/web", "hashes": {"sha-256": "a" * 64}}, True),
        ({"@id": WEB, "hashes": {"md5": "0"}}, False),
        ({"@id": WEB, "hashes": {"sha256": "a" * 64}}, False),
        ({"@id": "ghcr.io/acme/web:1", "identifiers": {"purl": WEB}}, True),
        ({"@id": "ghcr.io/acme/web:2", "identifiers": {"purl": WEB}}, False),
        ({"@id": WEB, "identifiers": {"purl": f"pkg:oci/web@{OTHER}"}}, False),
        ({"@id": WEB, "identifiers": {"cpe23": CPE}}, False),
        ({"@id": WEB, "identifiers": {"purl": CPE}}, False),
        ({"@id": CPE, "identifiers": {"purl": WEB}}, False),
        ({"@id": f" {WEB} "}, True),
        ({"@id": WEB, "identifiers": {"purl": ["x"]}}, False),
        ({"@id": WEB, "identifiers": {"purl": ""}}, False),
        ({"@id": WEB, "identifiers": {"purl": "ghcr.io/acme/web"}}, False),
        ({"@id": WEB, "identifiers": {"swid": "x"}}, False),
        ({"@id": WEB, "identifiers": [WEB]}, False),
        ({"@id": 5, "identifiers": {"purl": WEB}}, False),
        ({"@id": "", "identifiers": {"purl": WEB}}, False),
        ({"@id": "ghcr.io/Acme/web:2", "identifiers": {"purl": WEB}}, False),
        ({"@id": WEB, "hashes": {"sha-256": "a" * 64, "sha-512": 5}}, False),
        ({"@id": WEB, "hashes": {"sha-256": "a" * 64, "sha-512": "b"}}, False),
        ({"@id": WEB, "subComponents": [{"@id": "pkg:deb/debian/other"}]}, False),
        ({"@id": WEB, "subcomponents": ["pkg:deb"]}, False),
        ("https://acme.example/web", False),
        ("", False),
    ],
)
def test_products_that_are_images(product: Any, matches: bool) -> None:
    assert about(product) is matches


@pytest.mark.parametrize(
    "product", ["pkg:docker/nginx", "pkg:oci/nginx?repository_url=index.docker.io/library", "nginx"]
)
def test_short_names_are_of_docker_hub(product: str) -> None:
    assert about(product, image=Subject("docker.io/library/nginx"))


@pytest.mark.parametrize("platform", ["linux/arm64", "", "windows/amd64"])
def test_a_statement_on_one_platform_does_not_speak_of_others(platform: str) -> None:
    image = Subject("ghcr.io/acme/web", platform=platform)
    assert not about(f"{WEB}&platform=linux/amd64", image=image)
    assert not about(f"{WEB}&arch=amd64&os=linux", image=image)


@pytest.mark.parametrize("scanned", ["linux/arm64", "linux/arm64/v8"])
@pytest.mark.parametrize("meant", ["linux/arm64", "linux/arm64/v8"])
def test_every_arm64_is_a_v8(scanned: str, meant: str) -> None:
    image = Subject.scanned("ghcr.io/acme/web", ["1"], frozenset(), scanned)
    assert about(f"{WEB}&platform={meant}", image=image)


@pytest.mark.parametrize(
    ("of_release", "of_scan", "known"),
    [
        ([DIGEST], [], {DIGEST}),
        ([DIGEST, OTHER], [], set()),
        ([DIGEST, OTHER], [OTHER], {OTHER}),
        ([DIGEST], [OTHER], {OTHER}),
        ([], [OTHER], {OTHER}),
        ([], [], set()),
    ],
)
def test_a_scan_is_of_its_own_digests(of_release: list[str], of_scan: list[str], known: set[str]) -> None:
    """Of the release's digest only where there is no doubt which it is."""
    scan = SCAN.naming(*of_scan)
    selection = JoinRules(["trivy"], "2026-01-01").select(
        [replace(scan, scanner=Scanner(0, "trivy", "Trivy"))], ReleaseParts.of(of_release, [], [])
    )
    assert selection.digests_of(selection.part_scans[0]) == known


@pytest.mark.parametrize(
    ("purl", "matches"),
    [
        ("pkg:deb/debian/zlib1g", True),
        ("pkg:deb/debian/zlib1g@1.3", True),
        ("pkg:deb/debian/zlib1g@1.3?arch=amd64", True),
        ("pkg:deb/debian/zlib1g?arch=arm64", False),
        ("pkg:deb/debian/zlib1g?os_name=debian", False),
        ("pkg:deb/debian/zlib1g@1.2", False),
        ("pkg:deb/ubuntu/zlib1g", False),
        ("pkg:apk/debian/zlib1g", False),
        ("pkg:deb/debian/zlib", False),
    ],
)
def test_packages(purl: str, matches: bool) -> None:
    assert about(purl) is matches, "as the product itself"
    assert about({"@id": WEB, "subcomponents": [{"@id": "pkg:x/y"}, {"@id": purl}]}) is matches


def test_a_path_in_a_package_counts() -> None:
    finding = replace(FINDING, purl="pkg:golang/example.org/a@v1#cmd/b")
    for purl, matches in [("", True), ("#cmd/b", True), ("#cmd/c", False)]:
        assert about(f"pkg:golang/example.org/a@v1{purl}", finding) is matches


@pytest.mark.parametrize(
    ("purl", "ecosystem", "pkg", "matches"),
    [
        ("pkg:deb/debian/zlib1g", "deb", "zlib1g", True),
        ("pkg:deb/debian/zlib1g@1.3", "deb", "zlib1g", True),
        ("pkg:deb/debian/zlib1g@1.4", "deb", "zlib1g", False),
        ("pkg:deb/debian/zlib1g?arch=amd64", "deb", "zlib1g", False),
        ("pkg:deb/debian/zlib1g", "npm", "zlib1g", False),
        ("pkg:deb/debian/zlib1g", "", "zlib1g", False),
        ("pkg:npm/zlib1g", "deb", "zlib1g", False),
        ("pkg:npm/%40angular/core", "npm", "@angular/core", True),
        ("pkg:npm/%40angular/core", "npm", "core", False),
        ("pkg:npm/core", "npm", "@angular/core", False),
        ("pkg:maven/org.apache/httpclient@1.3", "maven", "org.apache:httpclient", True),
        ("pkg:golang/github.com/a/b", "golang", "github.com/a/b", True),
        ("pkg:golang/github.com/a/b#cmd", "golang", "github.com/a/b", False),
        ("pkg:pypi/flask-login", "pypi", "Flask_Login", True),
        ("zlib1g", "deb", "zlib1g", True),
        ("zlib1g", "", "zlib1g", True),
        ("zlib", "deb", "zlib1g", False),
    ],
)
def test_parts_when_the_scanner_gives_no_package_url(
    purl: str, ecosystem: str, pkg: str, matches: bool
) -> None:
    """Type and name must be what the class of result says; a plain name is the package's name."""
    finding = replace(FINDING, pkg=pkg, purl="", ecosystem=ecosystem)
    assert about({"@id": WEB, "subcomponents": [{"@id": purl}]}, finding) is matches
    assert not about(purl, finding), "too little to go by without an image"


def test_all_package_urls_of_a_part_must_hold() -> None:
    part = {"@id": "pkg:deb/debian/zlib1g", "identifiers": {"purl": "pkg:deb/debian/zlib1g@1.2"}}
    assert not about({"@id": WEB, "subcomponents": [part]})


def test_a_part_that_cannot_be_told_matches_nothing() -> None:
    assert not about({"@id": WEB, "subcomponents": [{"@id": ""}]})
