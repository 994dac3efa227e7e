"""What badges say and how they look: for readers and for the renderer."""

from __future__ import annotations

import json
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.documents.badges import LOGOS, OTHER_LOGO

from .sites import REGISTRY, SiteFolder, built, digest, row, trivy


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


@pytest.fixture(scope="module")
def badges(api: Path) -> dict[str, dict[str, Any]]:
    """Name → payload of every badge."""
    folder = api / "badge"
    return {
        path.relative_to(folder).with_suffix("").as_posix(): json.loads(path.read_bytes())
        for path in sorted(folder.rglob("*.json"))
    }


GREY, BLUE = "#5f6b7a", "#1d6fb8"
GREEN, LIME, OLIVE, AMBER, ORANGE, RED = "#15803d", "#4d7c0f", "#6d7400", "#a16207", "#c2410c", "#b91c1c"
SHOWN = {
    "images": ("all images", "9", BLUE),
    "charts": ("all charts", "1", BLUE),
    "cves": ("CVEs, all images", "6", RED),
    "license": ("license", "MIT", BLUE),
    "multiarch": ("multi-arch", "none in common", GREY),
    "wolfi": ("wolfi", "7 of 9 images", BLUE),
    "cosign": ("cosign", "7 of 10 signed", BLUE),
    "artifacthub": ("artifacthub", "1 chart", BLUE),
    # The worst vulnerability gives the color; grey is for what is not known.
    "none/cves": ("none CVEs", "0", GREEN),
    "low/cves": ("low CVEs", "1", OLIVE),
    "medium/cves": ("medium CVEs", "1", AMBER),
    "high/cves": ("high CVEs", "1", ORANGE),
    "critical/cves": ("critical CVEs", "1", RED),
    "unknown/cves": ("unknown CVEs", "1", OLIVE),
    "unscanned/cves": ('<Läufer> & "Söhne" CVEs', "not scanned", GREY),
    "none/grade": ("none grade", "A+", GREEN),
    "low/grade": ("low grade", "A", LIME),
    "fixable/grade": ("fixable grade", "B", OLIVE),
    "medium/grade": ("medium grade", "C", AMBER),
    "high/grade": ("high grade", "D", ORANGE),
    "critical/grade": ("critical grade", "F", RED),
    "unscanned/grade": ('<Läufer> & "Söhne" grade', "not scanned", GREY),
    "unscanned/version": ('<Läufer> & "Söhne"', "2.0", BLUE),
    "empty/version": ("empty", "no version", GREY),
}
"""Name → label, message and color."""


@pytest.mark.parametrize("name", SHOWN)
def test_they_say_what_the_catalog_has(badges: dict[str, dict[str, Any]], name: str) -> None:
    badge = badges[name]
    assert (badge["label"], badge["message"], badge["color"]) == SHOWN[name]


def test_white_text_is_readable_on_every_colour(badges: dict[str, dict[str, Any]]) -> None:
    """At least 4.5 : 1, by https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    for color in {badge[key] for badge in badges.values() for key in ("color", "labelColor")}:
        channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) >= 4.5, color


def rendered(api: Path, node: Path, out: Path) -> dict[str, str]:
    """Name → SVG of each badge, by the renderer of Shields.io with the logos of simple-icons."""
    command = ["node", "badges.mjs", str(api), str(out)]
    done = subprocess.run(command, cwd=node, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return {path.relative_to(out).with_suffix("").as_posix(): path.read_text() for path in out.rglob("*.svg")}


def shown(message: str) -> str:
    """The message as this style writes it into an SVG."""
    return escape(message.upper())


@pytest.mark.slow
def test_every_badge_renders(
    api: Path, example_bytes: dict[str, bytes], badges: dict[str, dict[str, Any]], node: Path, tmp_path: Path
) -> None:
    """Those of the example, too."""
    svgs = rendered(api, node, tmp_path / "out")
    assert svgs.keys() == badges.keys()
    for name, badge in badges.items():
        for text in (badge["label"], badge["message"]):
            assert f">{shown(text)}</text>" in svgs[name]
        assert "data:image/svg+xml;base64," in svgs[name]
        assert badge["labelColor"] in svgs[name]
    found = {path: body for path, body in example_bytes.items() if path.startswith("badge/")}
    for path, body in found.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(body)
    svgs = rendered(tmp_path, node, tmp_path / "example")
    for path, body in found.items():
        name = path.removeprefix("badge/").removesuffix(".json")
        assert f">{shown(json.loads(body)['message'])}</text>" in svgs[name]


@pytest.mark.slow
def test_every_logo_of_ours_is_one_of_simple_icons(node: Path) -> None:
    script = (
        'import * as i from "simple-icons"; console.log(JSON.stringify(Object.values(i).map((x) => x.slug)))'
    )
    command = ["node", "--input-type=module", "-e", script]
    out = subprocess.run(command, cwd=node, check=True, capture_output=True, timeout=60).stdout
    assert {*LOGOS.values(), OTHER_LOGO} <= set(json.loads(out))
