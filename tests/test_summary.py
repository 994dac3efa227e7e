"""The closing line of a build: what is published, how much of it is scanned, and what was wrong."""

from __future__ import annotations

import logging

import pytest

from .sites import SiteFolder, built, row, trivy
from .test_cli import call


@pytest.fixture
def catalog(site: SiteFolder) -> SiteFolder:
    """Two images, one of them scanned, and a warning."""
    site.image("nginx", "versions: ['1.0']")
    site.image("redis", license="Apache 2")
    site.report("nginx/1.0.json", trivy([row("CVE-2026-0001")]))
    return site


def test_mkdocs_build_ends_with_it(catalog: SiteFolder) -> None:
    result = built(catalog)
    lines = [text for text in result.logged(logging.INFO) if not text.startswith("Documentation built")]
    assert lines[-1] == f"built: {published(catalog)}; 2 images, 1 scanned; 1 warning in 1 file"


@pytest.mark.parametrize(("command", "word"), [("build", "built"), ("check", "checked")])
def test_the_command_ends_with_it_on_stderr(catalog: SiteFolder, command: str, word: str) -> None:
    built(catalog)
    result = call(command, "-f", catalog.folder / "mkdocs.yml")
    assert result.stdout == ""
    warning, line = result.stderr.splitlines()
    assert warning.startswith("warning: ")
    assert line == f"{word}: {published(catalog)}; 2 images, 1 scanned; 1 warning in 1 file"


def test_an_image_whose_newest_version_has_no_scan_is_not_scanned(catalog: SiteFolder) -> None:
    catalog.image("nginx", "versions: ['1.0', '1.1']")
    assert "; 2 images, 0 scanned; " in built(catalog).logged(logging.INFO)[-1]


def test_an_empty_catalog_has_it_too(site: SiteFolder) -> None:
    assert "; 0 images, 0 scanned; 1 warning in 1 file" in built(site).logged(logging.INFO)[-1]


def test_a_refused_build_does_not(site: SiteFolder) -> None:
    site.image("nginx", license="")
    assert [text for text in site.build().logged(logging.INFO) if text.startswith("built: ")] == []


def published(site: SiteFolder) -> str:
    """Number and size of the documents of the site."""
    files = [*(site.folder / "site/api/v1").rglob("*.json")]
    size = sum(path.stat().st_size for path in files)
    return f"{len(files):,} documents, {size / 1e6:,.1f} MB"
