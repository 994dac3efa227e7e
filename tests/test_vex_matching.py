"""Which statement of the OpenVEX documents speaks of which finding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.statements import Statement
from mkdocs_catalog_api.catalog.vex_matching import Statements, Subject
from mkdocs_catalog_api.reports import Finding
from tests.report_files import DIGEST
from tests.test_vex import STATEMENT, read

OTHER = "sha256:" + "b" * 64
WEB = "pkg:oci/web?repository_url=ghcr.io/acme/web"
IMAGE = Subject("ghcr.io/acme/web", frozenset({"1", "1.2"}), frozenset({DIGEST}), frozenset({"amd64"}))
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


def match(finding: Finding, image: Subject, *statements: dict[str, Any]) -> Statement | None:
    return newest(read(*({**STATEMENT, **statement} for statement in statements)).statements, finding, image)


def newest(statements: Sequence[Statement], finding: Finding, image: Subject) -> Statement | None:
    """The statement that decides."""
    all_of_them = Statements(statements)
    found = all_of_them.matching([finding], image)
    return all_of_them[found[-1]] if found else None


def about(product: Any, finding: Finding = FINDING, image: Subject = IMAGE) -> bool:
    """Whether a statement about the product speaks of the finding in the image."""
    return match(finding, image, {"products": [product]}) is not None


@pytest.mark.parametrize(
    ("product", "matches"),
    [
        (WEB, True),
        ("pkg:oci/web?repository_url=ghcr.io/acme", True),
        ("pkg:oci/web?repository_url=GHCR.io/acme/web/", True),
        ("pkg:oci/other?repository_url=ghcr.io/acme/other", False),
        ("pkg:oci/web", False),
        (f"pkg:oci/web@{DIGEST}", True),
        (f"pkg:oci/renamed@{DIGEST}?repository_url=quay.io/x/renamed", True),
        (f"pkg:oci/web@{OTHER}?repository_url=ghcr.io/acme/web", False),
        (f"{WEB}&tag=1", True),
        (f"{WEB}&tag=2", False),
        (f"{WEB}&arch=amd64", True),
        (f"{WEB}&arch=arm64", False),
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


@pytest.mark.parametrize("architectures", [{"amd64", "arm64"}, set()])
def test_a_statement_on_one_architecture_does_not_speak_of_others(architectures: set[str]) -> None:
    assert not about(
        f"{WEB}&arch=amd64", image=Subject("ghcr.io/acme/web", architectures=frozenset(architectures))
    )


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


@pytest.mark.parametrize(
    ("purl", "pkg", "matches"),
    [
        ("pkg:deb/debian/zlib1g", "zlib1g", True),
        ("pkg:deb/debian/zlib1g@1.3", "zlib1g", True),
        ("pkg:deb/debian/zlib1g@1.4", "zlib1g", False),
        ("pkg:npm/%40angular/core", "@angular/core", True),
        ("pkg:npm/%40angular/core", "core", False),
        ("pkg:maven/org.apache/httpclient@1.3", "org.apache:httpclient", True),
        ("pkg:golang/github.com/a/b", "github.com/a/b", True),
        ("pkg:pypi/flask", "flask", True),
        ("zlib1g", "zlib1g", True),
    ],
)
def test_parts_by_name_when_the_scanner_gives_no_package_url(purl: str, pkg: str, matches: bool) -> None:
    finding = FINDING._replace(pkg=pkg, purl="")
    assert about({"@id": WEB, "subcomponents": [{"@id": purl}]}, finding) is matches
    assert not about(purl, finding), "too little to go by without an image"


def test_a_part_that_cannot_be_told_matches_nothing() -> None:
    assert not about({"@id": WEB, "subcomponents": [{"@id": ""}]})


@pytest.mark.parametrize(
    ("vulnerability", "matches"),
    [
        ("CVE-2026-0001", True),
        ("GHSA-cfh5-3ghh-wfjx", True),
        ({"@id": "https://nvd.nist.gov/vuln/detail/CVE-2026-0001"}, True),
        ({"name": "X-1", "aliases": ["CVE-2026-0001"]}, True),
        ("CVE-2026-00011", False),
    ],
)
def test_ids(vulnerability: Any, matches: bool) -> None:
    assert (match(FINDING, IMAGE, {"vulnerability": vulnerability}) is not None) is matches


def test_the_newest_matching_statement_counts() -> None:
    found = match(
        FINDING,
        IMAGE,
        {"timestamp": "2026-03-01T00:00:00Z"},
        {
            "timestamp": "2026-03-01T00:00:00.5Z",
            "status": "under_investigation",
            "vulnerability": FINDING.aliases[0],
        },
        {"timestamp": "2026-02-01T00:00:00Z", "status": "fixed"},
        {"timestamp": "2026-04-01T00:00:00Z", "status": "fixed", "products": ["ghcr.io/acme/other"]},
    )
    assert found is not None
    assert (found.index, found.suppresses) == (1, False)


@given(seed=st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(seed: random.Random) -> None:
    statements = [
        statement
        for name in ("b", "a", "c")
        for statement in read(
            STATEMENT,
            {**STATEMENT, "status": "affected"},
            {**STATEMENT, "timestamp": None},
            **{"@id": name},
        ).statements
    ]
    seed.shuffle(statements)
    found = newest(statements, FINDING, IMAGE)
    assert found is not None
    assert (found.document, found.index) == ("c", 2)
