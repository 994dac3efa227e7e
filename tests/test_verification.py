"""The command that verifies an image or a chart, made of what the author declares."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.newest_reference import image_reference, pinning_reference
from mkdocs_catalog_api.items.models import ChartVersionEntry, VersionEntry
from mkdocs_catalog_api.items.verification import Verification

from .sites import digest

ISSUER = "https://token.actions.githubusercontent.com"
IMAGE = "ghcr.io/acme/nginx"
printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1).filter(str.strip)


@given(printable)
def test_a_shell_reads_back_what_the_author_wrote(text: str) -> None:
    for given_, option in (
        ({"identity": text}, "--certificate-identity"),
        ({"identityRegexp": f"^{re.escape(text)}"}, "--certificate-identity-regexp"),
    ):
        words = shlex.split(Verification.model_validate(given_ | {"issuer": ISSUER}).command(IMAGE))
        (value,) = given_.values()
        assert words == ["cosign", "verify", option, value, "--certificate-oidc-issuer", ISSUER, IMAGE]
    key = "https://example.org/cosign.pub"
    assert Verification(key=key).command(IMAGE) == f"cosign verify --key {key} {IMAGE}"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (None, IMAGE),
        ({"version": "1"}, f"{IMAGE}:1"),
        ({"version": "1", "digest": digest(1)}, f"{IMAGE}@{digest(1)}"),
        ({"version": "1", "digest": [digest(1), digest(2)]}, f"{IMAGE}:1"),
    ],
)
def test_an_image_is_verified_by_its_only_digest_else_by_its_tag(version: Any, expected: str) -> None:
    entry = VersionEntry.model_validate(version) if version else None
    assert image_reference(IMAGE, entry) == expected


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
