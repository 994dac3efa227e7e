"""A catalog with two pages of images, and what crowds a page: long names, many rows, two platforms."""

from __future__ import annotations

import json
from pathlib import Path

from .benchmarks.catalog import REGISTRY, write_catalog

CROWDED = "images/confidential-computing-attestation-operator"
"""Address of the page that has everything."""
ROWS = 47
_PACKAGES = (
    "linux-libc-dev",
    "github.com/hashicorp/terraform-plugin-sdk/v2",
    "org.springframework:spring-web",
)
_MARKERS = {
    "index": "images",
    "table": "images view=table",
    "charts/index": "charts view=table",
    "security": "security",
    "cves": "cves",
    "changes": "changes",
    "updates": "updates",
    "roadmap/index": "roadmap",
}


def write_crowded(folder: Path, images: int = 60) -> None:
    """Write the catalog and `with.yml`, which any theme builds."""
    write_catalog(folder, images, 3, 12, 20)
    for name, marker in _MARKERS.items():
        (folder / f"docs/{name}.md").write_text(
            f"# {name.partition('/')[0].capitalize()}\n\n<!-- catalog: {marker} -->\n"
        )
    (folder / "docs/roadmap/later.md").write_text(
        "---\nname: Kubernetes volume snapshot controller\ndescription: Snapshots\ncategory: Tools\n"
        "blocked: true\nblockedReason: Waits for upstream\n---\n"
    )
    slug = CROWDED.partition("/")[2]
    versions = [f"2.{20 - k // 2}.{k}{'' if k % 2 else '-debian13-hardened'}" for k in range(6)]
    entries = "\n".join(
        f"  - version: {label}\n    manifests:\n"
        f"      - {{platform: linux/amd64, digest: '{_digest(k, 0)}'}}\n"
        f"      - {{platform: linux/arm64/v8, digest: '{_digest(k, 1)}'}}\n"
        f"    released: 202{5 - k // 2}-0{k + 1}-15\n"
        f"    endOfLife: 202{7 - k // 2}-03-31\n    size: 124184804"
        for k, label in enumerate(versions)
    )
    (folder / f"docs/{CROWDED}.md").write_text(
        "---\nname: Confidential Computing Attestation Operator for Kubernetes Clusters\n"
        "description: Attests workloads\ncategory: Security\ntier: core\nlicense: Apache-2.0\n"
        f"platforms: [linux/amd64, linux/arm64/v8]\nversions:\n{entries}\n---\n"
    )
    for k, label in enumerate(versions):
        for platform in (0, 1):
            path = folder / f"scans/{slug}/{label}-{platform}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(_report(slug, label, _digest(k, platform))))


def _digest(version: int, platform: int) -> str:
    number = (version * 2 + platform + 1) * 0x517CC1B727220A94FE13ABE8FA9A6EE06DB14ACC9E21C820
    return f"sha256:{number % 2**256:064x}"


def _report(slug: str, label: str, digest: str) -> dict[str, object]:
    tag = f"{REGISTRY}/{slug}:{label}"
    rows = [_row(k) for k in range(ROWS)]
    results = [
        {"Target": f"{tag} (debian 13.1)", "Class": "os-pkgs", "Type": "debian", "Vulnerabilities": rows},
        *(
            {"Target": path, "Class": "lang-pkgs", "Type": "gobinary", "Vulnerabilities": rows[:20]}
            for path in ("usr/local/bin/attestation-operator", "usr/local/lib/python3.13/site-packages")
        ),
    ]
    return {
        "SchemaVersion": 2,
        "CreatedAt": "2025-11-01T06:00:00Z",
        "ArtifactName": tag,
        "Metadata": {"RepoTags": [tag], "RepoDigests": [f"{REGISTRY}/{slug}@{digest}"]},
        "Results": results,
    }


def _row(number: int) -> dict[str, object]:
    row: dict[str, object] = {
        "VulnerabilityID": f"CVE-2025-{51234 + number}" if number % 7 else f"GHSA-7f3{number:x}-4xq8-99wh",
        "PkgName": _PACKAGES[number % 3],
        "InstalledVersion": "1:2.41-12+deb13u1~bpo12+1" if number % 3 == 0 else "v2.26.1",
        "PrimaryURL": f"https://avd.aquasec.com/nvd/cve-2025-{number}",
        "Title": "A crafted input makes the parser read beyond the end of its buffer",
        "Severity": ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")[number % 5],
    }
    return row | ({"FixedVersion": "1:2.41-12+deb13u2, 2.27.0-rc1, 2.28.0"} if number % 4 else {})
