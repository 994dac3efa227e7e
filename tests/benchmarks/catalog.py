"""Catalogs of any size, the same bytes for the same number of images."""

from __future__ import annotations

import json
from pathlib import Path

REGISTRY = "registry.example.org/hardened"
VERSIONS = 5
ROWS = 20

_CATEGORIES = ("Databases", "Web servers", "Messaging", "Languages", "Security", "Tools")
_TIERS = ("core", "standard", "community")
_LICENSES = ("Apache-2.0", "MIT", "BSD-3-Clause", "PostgreSQL", "MPL-2.0")
_SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")


def write_catalog(folder: Path, images: int) -> None:
    """Pages, charts, a roadmap, updates, and a Trivy report of each of five versions of each image."""
    for name in ("images", "charts", "roadmap"):
        (folder / "docs" / name).mkdir(parents=True)
    (folder / "docs/index.md").write_text("# Catalog\n")
    for number in range(images):
        _image(folder, number)
    for number in range(images // 10):
        pins = "\n".join(f"  - {_reference(number * 7 % images, k)}" for k in range(3))
        _page(folder, f"charts/chart-{number}", number, f"versions: ['1.{number % 50}.0']\nimages:\n{pins}")
    for number in range(images // 20):
        _page(folder, f"roadmap/plan-{number}", number, "priority: low")
    updates = (
        f'- {{application: app-{n}, from: "1.{n % 9}", to: "1.{n % 9 + 1}", outcome: shipped}}\n'
        for n in range(images)
    )
    (folder / "updates.yml").write_text("".join(updates))
    (folder / "mkdocs.yml").write_text(
        "site_name: Catalog\nsite_url: https://example.org/\ntheme: mkdocs\n"
        f"nav: [index.md]\nnot_in_nav: '*'\nplugins: [catalog-api: {{registry: {REGISTRY}}}]\n"
    )


def _digest(number: int, version: int) -> str:
    return f"sha256:{(number * VERSIONS + version + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**256:064x}"


def _label(number: int, version: int) -> str:
    return f"{number % 30 + 1}.{VERSIONS - version}.{number % 7}"


def _reference(number: int, version: int) -> str:
    return f"{REGISTRY}/app-{number}:{_label(number, version)}@{_digest(number, version)}"


def _page(folder: Path, path: str, number: int, more: str) -> None:
    slug = path.partition("/")[2]
    (folder / f"docs/{path}.md").write_text(
        f"---\nslug: {slug}\nname: The {slug}\ndescription: What {slug} is good for\n"
        f"category: {_CATEGORIES[number % 6]}\ntier: {_TIERS[number % 3]}\nlicense: {_LICENSES[number % 5]}\n"
        f"homepage: https://example.org/{slug}\n{more}\n---\n\n# The {slug}\n\nA few words about {slug}.\n"
    )


def _image(folder: Path, number: int) -> None:
    slug = f"app-{number}"
    versions = "\n".join(
        f'  - {{version: "{_label(number, k)}", digest: "{_digest(number, k)}", released: 2026-0{k + 1}-15}}'
        for k in range(VERSIONS)
    )
    more = f"base: wolfi\nplatforms: [linux/amd64, linux/arm64]\nsignature: cosign\nversions:\n{versions}"
    _page(folder, f"images/{slug}", number, more)
    (folder / "scans" / slug).mkdir(parents=True)
    for version in range(VERSIONS):
        path = folder / f"scans/{slug}/{_label(number, version)}.json"
        path.write_text(json.dumps(_report(number, version)))


def _report(number: int, version: int) -> dict[str, object]:
    """A Trivy report of about 24 KB; a second target repeats a quarter of the rows of the first."""
    reference = _reference(number, version)
    first = (number * VERSIONS + version) * 13
    rows = [_row((first + k * 37) % 40_000 + 1) for k in range(ROWS)]
    tag, _, digest = reference.partition("@")
    return {
        "SchemaVersion": 2,
        "CreatedAt": "2026-11-01T06:00:00Z",
        "ArtifactName": tag,
        "ArtifactType": "container_image",
        "Metadata": {
            "OS": {"Family": "wolfi", "Name": "20230201"},
            "RepoTags": [tag],
            "RepoDigests": [f"{tag.rpartition(':')[0]}@{digest}"],
        },
        "Results": [
            {"Target": f"{tag} (wolfi)", "Class": "os-pkgs", "Type": "wolfi", "Vulnerabilities": rows},
            {"Target": "usr/bin/app", "Class": "lang-pkgs", "Vulnerabilities": rows[: ROWS // 4]},
        ],
    }


def _row(id_: int) -> dict[str, object]:
    package = f"pkg{id_ % 300}"
    row: dict[str, object] = {
        "VulnerabilityID": f"CVE-2026-{id_:05}",
        "PkgName": package,
        "InstalledVersion": f"1.{id_ % 17}.0",
        "Status": "fixed" if id_ % 3 else "affected",
        "PrimaryURL": f"https://avd.aquasec.com/nvd/cve-2026-{id_:05}",
        "Title": f"{package}: a crafted input makes flaw {id_} exhaust memory",
        "Description": "What the flaw is and whom it concerns. " * 6,
        "Severity": _SEVERITIES[id_ % 5],
        "CVSS": {"nvd": {"V3Vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", "V3Score": 9.8}},
        "References": [f"https://example.org/reference/{id_}/{k}" for k in range(5)],
        "PublishedDate": "2026-02-01T00:15:00Z",
    }
    return row | ({"FixedVersion": f"1.{id_ % 17}.1"} if id_ % 3 else {})
