"""The table of report formats, with one file for each. See *To add …* in CONTRIBUTING.md."""

from __future__ import annotations

from ...catalog.scans import Scanner
from . import artifact_hub, cyclonedx, grype, harbor, osv, spdx, trivy

FORMATS = (trivy.FORMAT, grype.FORMAT, harbor.FORMAT, osv.FORMAT, artifact_hub.FORMAT)
"""The first format that recognizes a document reads it. By default, the order is also the precedence if a
release has several scans."""

SBOM_FORMATS = (cyclonedx.FORMAT, spdx.FORMAT)
"""Formats that only list packages: they have no scanner."""

SCANNERS: dict[str, Scanner] = {}
"""Word → scanner, in the order of the table."""
for _format in FORMATS:
    SCANNERS.setdefault(_format.word, Scanner(len(SCANNERS), _format.word, _format.name))
