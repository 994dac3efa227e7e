"""Catalogs of any size, the same bytes for the same numbers."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from mkdocs_catalog_api.items.collections import ITEM_MODELS

REGISTRY = "registry.example.org/hardened"
IDS = 2_000  # distinct ones of vulnerabilities: real images share most of theirs
_CATEGORIES = ("Databases", "Web servers", "Messaging", "Languages", "Security", "Tools")
_SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")


def write_catalog(folder: Path, images: int, releases: int, rows: int, charts: int) -> None:
    """Pages, updates, and a Trivy report of `rows` findings for each of the `releases` of each image."""
    for name in ITEM_MODELS:
        (folder / "docs" / name).mkdir(parents=True)
    (folder / "docs/index.md").write_text("# Catalog\n")
    for number in range(images):
        _image(folder, number, releases, rows)
    for number in range(charts):
        pins = "\n".join(f"  - {_reference(number * 7 % images, k)}" for k in range(releases))
        _page(folder, f"charts/chart-{number}", number, f"versions: ['1.{number % 50}.0']\nimages:\n{pins}")
    updates = (
        f'- {{application: app-{n}, from: "1.{n % 9}", to: "1.{n % 9 + 1}", outcome: shipped}}\n'
        for n in range(images)
    )
    (folder / "updates.yml").write_text("".join(updates))
    for name, plugins in (("with", f"search, catalog-api: {{registry: {REGISTRY}}}"), ("without", "search")):
        (folder / f"{name}.yml").write_text(
            "site_name: Catalog\nsite_url: https://example.org/\ntheme: {name: material, font: false}\n"
            f"nav: [index.md]\nnot_in_nav: '*'\nplugins: [{plugins}]\n"
        )


def _digest(number: int, release: int) -> str:
    return f"sha256:{(number * 100 + release + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**256:064x}"


def _label(number: int, release: int) -> str:
    return f"{number % 30 + 1}.{100 - release}.{number % 7}"


def _reference(number: int, release: int) -> str:
    return f"{REGISTRY}/app-{number}:{_label(number, release)}@{_digest(number, release)}"


def _page(folder: Path, path: str, number: int, more: str) -> None:
    slug = path.partition("/")[2]
    (folder / f"docs/{path}.md").write_text(
        f"---\nslug: {slug}\nname: The {slug}\ndescription: What {slug} is good for\n"
        f"category: {_CATEGORIES[number % 6]}\ntier: core\nlicense: MIT\n"
        f"homepage: https://example.org/{slug}\n{more}\n---\n\n# The {slug}\n\nA few words about {slug}.\n"
    )


def _image(folder: Path, number: int, releases: int, rows: int) -> None:
    slug = f"app-{number}"
    versions = "\n".join(
        f'  - {{version: "{_label(number, k)}", digest: "{_digest(number, k)}", released: 2026-01-15}}'
        for k in range(releases)
    )
    more = f"base: wolfi\nplatforms: [linux/amd64, linux/arm64]\nsignature: cosign\nversions:\n{versions}"
    _page(folder, f"images/{slug}", number, more)
    for release in range(releases) if rows else ():
        path = folder / f"scans/{slug}/{_label(number, release)}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_report(number, release, rows)))


def _report(number: int, release: int, count: int) -> dict[str, object]:
    """A Trivy report; a second target repeats a quarter of the rows of the first."""
    tag, _, digest = _reference(number, release).partition("@")
    first = (number * 5 + release) * 13
    rows = [_row((first + k * 37) % IDS) for k in range(count)]
    targets = [("os-pkgs", "wolfi", rows), ("lang-pkgs", "gobinary", rows[: count // 4])]
    results = [{"Target": c, "Class": c, "Type": type_, "Vulnerabilities": v} for c, type_, v in targets]
    meta = {"RepoTags": [tag], "RepoDigests": [f"{tag.rpartition(':')[0]}@{digest}"]}
    report = {"SchemaVersion": 2, "CreatedAt": "2026-11-01T06:00:00Z", "ArtifactName": tag}
    return report | {"Results": results, "Metadata": meta}


def _row(id_: int) -> dict[str, object]:
    row: dict[str, object] = {
        "VulnerabilityID": f"CVE-2026-{id_:05}",
        "PkgName": f"pkg{id_ % 300}",
        "InstalledVersion": f"1.{id_ % 17}.0",
        "Status": "fixed" if id_ % 3 else "affected",
        "PrimaryURL": f"https://avd.aquasec.com/nvd/cve-2026-{id_:05}",
        "Title": f"pkg{id_ % 300}: a crafted input makes flaw {id_} exhaust memory",
        "Description": "What the flaw is and whom it concerns. " * 6,
        "Severity": _SEVERITIES[id_ % 5],
        "CVSS": {"nvd": {"V3Vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", "V3Score": 9.8}},
        "References": [f"https://example.org/reference/{id_}/{k}" for k in range(5)],
    }
    return row | ({"FixedVersion": f"1.{id_ % 17}.1"} if id_ % 3 else {})


def write_history(folder: Path, images: int, nights: int) -> None:
    """Days on which every image is rebuilt and scanned; every tenth, one of its rows is another."""
    (folder / "history").mkdir()
    last, none = datetime.date(2026, 10, 31), {"critical": 0, "high": 0, "medium": 0, "low": 0, "unknown": 0}
    counts = {"total": 0, "bySeverity": none, "fixable": 0, "exploited": None}
    figures = counts | {"images": images, "imagesScanned": images}
    for night in range(nights):
        day = (last - datetime.timedelta(nights - 1 - night)).isoformat()
        lines = [
            f'"app-{number}":{json.dumps(_night(number, night, nights, day), separators=(",", ":"))}'
            for number in range(images)
        ]
        head = json.dumps({"date": day, "figures": {"all": figures, "available": figures}, "images": {}})
        text = head[:-2] + "\n" + ",\n".join(lines) + "\n}}\n"
        (folder / f"history/{day}.json").write_text(text)


def _night(number: int, night: int, nights: int, day: str) -> dict[str, Any]:
    """What differs of an image from the night before."""
    label = _label(number, 0)
    digest = f"sha256:{(number * nights + night + 7) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**256:064x}"
    known: dict[str, Any] = {"versions": {label: {"digests": [digest]}}, "scannedAt": f"{day}T02:00:00Z"}
    if night == 0:
        known |= {
            "image": f"{REGISTRY}/app-{number}",
            "latest": label,
            "grade": "D",
            "scanner": "Trivy 0.69.3",
        }
        known |= {"scans": [{"scanner": "trivy"}], "counts": {"high": 20}, "rows": {}}
    first = number + night // 10
    for id_ in range(first, first + 20) if night == 0 else [first + 19] if night % 10 == 0 else []:
        row = {"pkg": f"pkg{id_}", "severity": "HIGH"}
        known.setdefault("rows", {})[f"pkg{id_}"] = {f"CVE-2026-{id_:05}": row}
    if night and night % 10 == 0:
        known["rows"][f"pkg{first - 1}"] = None
    return known
