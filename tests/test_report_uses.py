"""The catalog holds each report with its use: what it counts for, or why it does not."""

from __future__ import annotations

from mkdocs_catalog_api.build import Build

from .authors import attempt, configure
from .sites import SiteFolder, digest, row, trivy

OTHER = {
    "descriptor": {"name": "grype", "version": "0.80", "timestamp": "2026-11-19T06:00:00Z"},
    "source": {"type": "image", "target": {"userInput": "registry.example.org/nginx:1.29.3"}},
    "matches": [],
}


def scan(tag: str, time: str) -> dict[str, object]:
    return trivy([row("CVE-2026-0001")], tag=f"registry.example.org/{tag}", created=time)


def test_each_report_has_its_use(site: SiteFolder) -> None:
    configure(site, "registry: registry.example.org\nsecurity: {scanners: [trivy, grype]}")
    site.image("nginx", "versions: [1.29.3, 1.28.0]")
    site.report("nginx/1.29.3.json", scan("nginx:1.29.3", "2026-11-19T06:00:00Z"))
    site.report("old.json", scan("nginx:1.29.3", "2026-11-18T06:00:00Z"))
    site.report("grype.json", OTHER)
    site.report(
        "harbor.json",
        {
            "application/vnd.security.vulnerability.report; version=1.1": {
                "vulnerabilities": [{"id": "CVE-2026-0001", "artifact_digests": [digest(1)]}],
            }
        },
    )
    site.report("stranger.json", scan("redis:8.2.1", "2026-11-19T06:00:00Z"))
    build = attempt(site)
    assert isinstance(build, Build)
    build.drop()
    assert {
        use.scan.path: (use.counts_for, [(unused.reason, unused.subject) for unused in use.unused])
        for use in build.catalog.reports
    } == {
        "nginx/1.29.3.json": (("nginx 1.29.3",), []),
        "old.json": ((), [("other-scan", "nginx 1.29.3")]),
        "grype.json": ((), [("other-scan", "nginx 1.29.3")]),
        "harbor.json": ((), [("unmatched", "")]),
        "stranger.json": ((), [("unmatched", "")]),
    }
