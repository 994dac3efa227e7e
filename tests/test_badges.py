"""What badges say and how they look: for readers and for the renderer."""

from __future__ import annotations

import json
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.documents.badges import LOGOS, OTHER_LOGO

from .sites import REGISTRY, Result, SiteFolder, built, digest, row, trivy


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image for each grade, one that is not scanned, one without release, and a chart."""
    site = SiteFolder(tmp_path_factory.mktemp("site"))
    worst = {"none": [], "low": [row("CVE-1", "LOW")], "fixable": [row("CVE-1", "LOW", fixed="2")]}
    worst |= {word.lower(): [row("CVE-1", word)] for word in ("MEDIUM", "HIGH", "CRITICAL", "UNKNOWN")}
    for number, (slug, rows) in enumerate(worst.items()):
        keys = f'base: wolfi\nsignature: cosign\nversions: [{{version: 1.0, digest: "{digest(number)}"}}]'
        site.image(slug, keys)
        site.report(f"{slug}/1.0.json", trivy(rows, digest=f"{REGISTRY}/{slug}@{digest(number)}"))
    site.image("unscanned", 'name: <Läufer> & "Söhne"\nversions: [2.0]')
    site.image("empty")
    site.page("charts/stack.md", "versions: [1.0.0]\nhub: https://artifacthub.io/packages/helm/a/b")
    return built(site).api


def badges_of(api: Path) -> dict[str, Any]:
    """Name → payload of every badge."""
    folder = api / "badge"
    return {
        path.relative_to(folder).with_suffix("").as_posix(): json.loads(path.read_bytes())
        for path in sorted(folder.rglob("*.json"))
    }


@pytest.fixture(scope="module")
def badges(api: Path) -> dict[str, Any]:
    return badges_of(api)


GREY, BLUE = "#5f6b7a", "#1d6fb8"
GREEN, LIME, OLIVE, AMBER, ORANGE, RED = "#15803d", "#4d7c0f", "#6d7400", "#a16207", "#c2410c", "#b91c1c"
SHOWN = {
    "images": ("all images", BLUE),
    "cves": ("CVEs, all images", RED),
    "license": ("license", BLUE),
    "multiarch": ("multi-arch", GREY),
    "wolfi": ("wolfi", BLUE),
    # The worst vulnerability gives the color; grey is for what is not known.
    "none/cves": ("none CVEs", GREEN),
    "low/cves": ("low CVEs", OLIVE),
    "medium/cves": ("medium CVEs", AMBER),
    "high/cves": ("high CVEs", ORANGE),
    "critical/cves": ("critical CVEs", RED),
    "unknown/cves": ("unknown CVEs", OLIVE),
    "unscanned/cves": ('<Läufer> & "Söhne" CVEs', GREY),
    "none/grade": ("none grade", GREEN),
    "low/grade": ("low grade", LIME),
    "fixable/grade": ("fixable grade", OLIVE),
    "medium/grade": ("medium grade", AMBER),
    "high/grade": ("high grade", ORANGE),
    "critical/grade": ("critical grade", RED),
    "unscanned/grade": ('<Läufer> & "Söhne" grade', GREY),
    "unscanned/version": ('<Läufer> & "Söhne"', BLUE),
    "empty/version": ("empty", GREY),
}
"""Name → label and color; the check of the contract reads the messages."""


def test_they_are_named_and_colored_by_what_the_catalog_has(badges: dict[str, Any]) -> None:
    assert {name: (badges[name]["label"], badges[name]["color"]) for name in SHOWN} == SHOWN


def test_white_text_is_readable_on_every_colour(badges: dict[str, Any]) -> None:
    """At least 4.5 : 1, by https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    for color in {badge[key] for badge in badges.values() for key in ("color", "labelColor")}:
        channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) >= 4.5, color


@pytest.mark.slow
def test_every_badge_renders(api: Path, example: Result, node: Path, tmp_path: Path) -> None:
    """By the renderer of Shields.io with the logos of simple-icons; those of the example, too."""
    for folder in (api, example.api):
        out = tmp_path / folder.parents[2].name
        subprocess.run(["node", "badges.mjs", str(folder), str(out)], cwd=node, check=True, timeout=120)
        for name, badge in badges_of(folder).items():
            svg = (out / f"{name}.svg").read_text("utf-8")
            for text in (badge["label"], badge["message"]):
                assert f">{escape(text.upper())}</text>" in svg
            assert "data:image/svg+xml;base64," in svg
            assert badge["labelColor"] in svg


@pytest.mark.slow
def test_every_logo_of_ours_is_one_of_simple_icons(node: Path) -> None:
    script = 'import * as i from "simple-icons"; console.log(Object.values(i).map((x) => x.slug).join(" "))'
    command = ["node", "--input-type=module", "-e", script]
    out = subprocess.run(command, cwd=node, check=True, capture_output=True, text=True, timeout=60).stdout
    assert {*LOGOS.values(), OTHER_LOGO} <= {*out.split()}
