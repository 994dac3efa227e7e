"""The closing line of a build: what is published, how much of it is scanned, and what was wrong."""

from __future__ import annotations

import logging

import pytest

from .sites import REGISTRY, SiteFolder, built, trivy
from .test_cli import call


@pytest.mark.parametrize(
    ("pages", "line"),
    [
        (
            {"nginx": "MIT\nversions: ['1.0']", "redis": "Apache 2"},
            "; 2 images, 1 scanned; 1 warning in 1 file",
        ),
        # An image whose newest version has no scan is not scanned.
        ({"nginx": "MIT\nversions: ['1.0', '1.1']"}, "; 1 image, 0 scanned; no problems"),
        ({}, "; 0 images, 0 scanned; 1 warning in 1 file"),
    ],
    ids=["a warning", "an old scan", "an empty catalog"],
)
def test_a_build_ends_with_it(site: SiteFolder, pages: dict[str, str], line: str) -> None:
    for slug, rest in pages.items():
        site.page(f"images/{slug}.md", f"category: Tools\ntier: core\nlicense: {rest}", f"# {slug}")
    if pages:
        site.report("nginx/1.0.json", trivy([], tag=f"{REGISTRY}/nginx:1.0"))
    result = built(site)
    files = [*result.api.rglob("*.json")]
    size = sum(path.stat().st_size for path in files)
    line = f"{len(files):,} documents, {size / 1e6:,.1f} MB{line}"
    assert result.logged(logging.INFO)[-1] == f"built: {line}"
    for command, word in (("build", "built"), ("check", "checked")):
        called = call(command, "-f", site.folder / "mkdocs.yml")
        assert (called.stdout, called.stderr.splitlines()[-1]) == ("", f"{word}: {line}")


def test_a_refused_build_does_not(site: SiteFolder) -> None:
    site.image("nginx", "lifecycle: old")
    assert [text for text in site.build().logged(logging.INFO) if text.startswith("built: ")] == []
