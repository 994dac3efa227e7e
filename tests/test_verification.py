"""The command that verifies an image or a chart, made of what the author declares."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.models import ChartVersionEntry, VersionEntry
from mkdocs_catalog_api.catalog.newest_reference import image_reference, pinning_reference
from mkdocs_catalog_api.catalog.verification import Verification

from .sites import digest

ISSUER = "https://token.actions.githubusercontent.com"
IMAGE = "ghcr.io/acme/nginx"
printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1).filter(str.strip)


@pytest.mark.parametrize(
    ("declared", "options"),
    [
        (
            {"identity": "release@example.org", "issuer": ISSUER},
            f"--certificate-identity release@example.org --certificate-oidc-issuer {ISSUER}",
        ),
        (
            {"identityRegexp": "^https://github.com/acme/.*$", "issuer": ISSUER},
            "--certificate-identity-regexp '^https://github.com/acme/.*$'"
            f" --certificate-oidc-issuer {ISSUER}",
        ),
        ({"key": "https://example.org/cosign.pub"}, "--key https://example.org/cosign.pub"),
    ],
)
def test_the_command(declared: dict[str, str], options: str) -> None:
    assert Verification.model_validate(declared).command(f"{IMAGE}:1") == f"cosign verify {options} {IMAGE}:1"


@given(printable)
def test_a_shell_reads_back_what_the_author_wrote(identity: str) -> None:
    words = shlex.split(Verification(identity=identity, issuer=ISSUER).command(IMAGE))
    assert words == [
        *("cosign", "verify", "--certificate-identity", identity),
        *("--certificate-oidc-issuer", ISSUER, IMAGE),
    ]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (None, IMAGE),
        (VersionEntry(version="1"), f"{IMAGE}:1"),
        (VersionEntry.model_validate({"version": "1", "digest": digest(1)}), f"{IMAGE}@{digest(1)}"),
        (VersionEntry.model_validate({"version": "1", "digest": [digest(1), digest(2)]}), f"{IMAGE}:1"),
    ],
)
def test_an_image_is_verified_by_its_only_digest_else_by_its_tag(
    version: VersionEntry | None, expected: str
) -> None:
    assert image_reference(IMAGE, version) == expected


@pytest.mark.parametrize(
    ("chart", "version", "expected"),
    [
        (None, {"version": "1.0.0"}, None),
        ("https://charts.example.org/stable", {"version": "1.0.0"}, None),
        ("oci://ghcr.io/acme/charts/web", None, "ghcr.io/acme/charts/web"),
        ("oci://ghcr.io/acme/charts/web", {"version": "1.0.0+5"}, "ghcr.io/acme/charts/web:1.0.0_5"),
        ("ghcr.io/acme/charts/web", {"version": "1.0.0"}, "ghcr.io/acme/charts/web:1.0.0"),
        ("oci://localhost:5000/web", {"version": "1.0.0"}, "localhost:5000/web:1.0.0"),
        ("oci://a.org/web", {"version": "1.0.0", "digest": digest(1)}, f"a.org/web@{digest(1)}"),
    ],
)
def test_a_chart_is_verified_where_cosign_finds_it(
    chart: str | None, version: dict[str, str] | None, expected: str | None
) -> None:
    entry = ChartVersionEntry.model_validate(version) if version else None
    assert pinning_reference(chart, entry) == expected
