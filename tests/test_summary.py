"""The closing line of a build: what is published, how much of it is scanned, and what was wrong."""

from __future__ import annotations

import logging

from .sites import REGISTRY, SiteFolder, built, trivy
from .test_cli import call


def test_a_build_ends_with_it_and_a_refused_one_does_not(site: SiteFolder) -> None:
    for slug, rest in {"nginx": "MIT\nversions: ['1.0']", "redis": "Apache 2"}.items():
        site.page(f"images/{slug}.md", f"category: Tools\ntier: core\nlicense: {rest}", f"# {slug}")
    site.report("nginx/1.0.json", trivy([], tag=f"{REGISTRY}/nginx:1.0"))
    result = built(site)
    files = [path for path in result.api.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    line = f"{len(files):,} documents, {size / 1e6:,.1f} MB; 2 images, 1 scanned; 1 warning in 1 file"
    assert result.logged(logging.INFO)[-1] == f"built: {line}"
    for command, word in (("build", "built"), ("check", "checked")):
        called = call(command, "-f", site.folder / "mkdocs.yml")
        assert (called.stdout, called.stderr.splitlines()[-1]) == ("", f"{word}: {line}")
    site.image("redis", "versions: ['1.0']")
    site.image("nginx", "versions: ['1.1', '1.0']")
    end = "; 2 images, 0 scanned; no problems"
    assert site.build().logged(logging.INFO)[-1].endswith(end), "its newest version has no scan"
    site.image("nginx", "lifecycle: old")
    assert not any(text.startswith("built: ") for text in site.build().logged(logging.INFO))
