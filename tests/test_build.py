"""A small catalog, from pages to documents, as its two kinds of users meet it."""

from __future__ import annotations

import re

from mkdocs_catalog_api.problems import Level

from .sites import REGISTRY, SiteFolder, built, digest, not_affected, rendered, row, trivy, vex

KEY = "https://example.org/cosign.pub"


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


def test_only_a_name_is_required_and_no_reference_is_null(site: SiteFolder) -> None:
    site.settings = {"feeds": True, "security": {"publish_vex": True}, "images": {"verify": {"key": KEY}}}
    site.page(
        "images/nginx.md", f"versions: [{{version: '1', digest: '{digest(1)}', endOfLife: 2030-01-01}}]"
    )
    site.page("images/bare.md", "name: Bare\nlicense: NOASSERTION")
    site.report("nginx/1.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/nginx@{digest(1)}"))
    vex(site, not_affected("CVE-2026-0001", f"pkg:oci/nginx@{digest(1)}"))
    result = rendered(site)
    assert [(each.code, each.field) for each in result.problems if each.level > Level.INFO] == [
        ("CAT011", "catalog-api.registry")
    ]
    images = {image["slug"]: image for image in result.at("images")}
    assert (images["bare"]["image"], images["bare"]["license"], images["nginx"]["verify"]) == (None,) * 3
    assert images["nginx"]["security"]["suppressed"] == 1
    for path in ("security/nginx", "security/nginx/1", "security/index data 0"):
        assert result.at(f"{path} image") is None
    assert not (result.api / "references").exists() and not (result.api / "vex/nginx.json").exists()
    page = (result.folder / "site/images/nginx/index.html").read_text("utf-8")
    assert digest(1) in page and not re.search("docker pull|None:", page)
