"""A small catalog, from pages to documents, as its two kinds of users meet it."""

from __future__ import annotations

from .sites import REGISTRY, SiteFolder, built, digest, row, trivy


def small(site: SiteFolder) -> SiteFolder:
    """Two images, one of them unscanned, a chart that pins both, a plan and an update."""
    site.image(
        "alpha",
        f"""
        name: Alpha
        platforms: [linux/amd64, linux/arm64]
        base: wolfi
        signature: cosign
        versions:
          - {{version: 1.9, digest: "{digest(1)}"}}
          - {{version: 1.10, digest: "{digest(2)}", released: 2026-11-01}}
        """,
    )
    site.image("beta", "versions: [2.0]")
    site.page(
        "charts/stack.md",
        f"""
        category: Tools
        tier: core
        license: MIT
        versions: [1.0.0]
        images:
          - {REGISTRY}/alpha:1.10@{digest(2)}
          - {REGISTRY}/beta:2.0
        """,
    )
    site.write("roadmap.yml", "- {name: Gamma Ray, category: Tools}\n")
    site.write("updates.yml", "- {app: alpha, from: 1.9, to: 1.10, status: Shipped}\n")
    site.write("docs/index.md", "# Home\n\n[images](api/v1/images.json)\n")
    rows = [row("CVE-2026-0002", fixed="3.1"), row("CVE-2026-0001", "LOW"), row("CVE-2026-0002", fixed="3.1")]
    site.report("alpha/1.10.json", trivy(rows, digest=f"{REGISTRY}/alpha@{digest(2)}"))
    return site


def test_the_unscanned_is_never_clean(site: SiteFolder) -> None:
    result = built(small(site), strict=True)
    beta = result.json("images/beta/index.json")["data"]["security"]
    assert (beta["scanned"], beta["total"], beta["grade"]) == (False, None, None)
    assert result.json("security.json")["imagesUnscanned"] == ["beta"]
    chart = result.json("charts/stack/index.json")["data"]["security"]
    assert (chart["scanned"], chart["pinsScanned"], chart["pins"]) == (False, 1, 2)
    assert (chart["total"], chart["grade"]) == (2, None)
