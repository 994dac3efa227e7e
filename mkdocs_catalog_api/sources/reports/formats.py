"""The table of report formats, one file each. What follows from it: see *To add …* in CONTRIBUTING.md."""

from __future__ import annotations

from ...catalog.scans import Scanner
from . import artifact_hub, grype, harbor, osv, trivy

FORMATS = (
    trivy.FORMAT,
    grype.FORMAT,
    harbor.FORMAT,
    osv.FORMAT,
    artifact_hub.FORMAT,
)
"""The first that recognizes a document reads it. Unless the settings say otherwise, a release with several
scans counts that of the first."""

SCANNERS: dict[str, Scanner] = {}
"""Word → scanner, in the order of the table."""
for _format in FORMATS:
    SCANNERS.setdefault(_format.word, Scanner(len(SCANNERS), _format.word, _format.name))
