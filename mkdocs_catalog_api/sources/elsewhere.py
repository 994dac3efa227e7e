"""Finds reports in folders that the build does not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..authored.folders import MAX_SIZE, name_of
from ..authored.settings import SECURITY_FOLDERS
from ..authored.site import Site
from ..problems import Level, Problem
from ..problems.codes import Code

_WORDS = ("scan", "report", "trivy", "grype", "vuln", "security")
_TRIED = 5
"""Maximum number of files to open in a folder."""


def reports_elsewhere(site: Site) -> Iterator[Problem]:
    """Warn about folders with reports next to mkdocs.yml or in docs_dir, if the catalog has no report."""
    for parent in dict.fromkeys((site.root, site.docs_dir)):
        for folder in sorted(parent.iterdir()) if parent.is_dir() else ():
            likely = any(word in folder.name.lower() for word in _WORDS) and folder.name[0] != "."
            read = folder == site.root / SECURITY_FOLDERS["reports"]
            if likely and not read and folder.is_dir() and not folder.is_symlink() and _has_report(folder):
                name = name_of(folder, site.root)
                hint = f"rename it to {SECURITY_FOLDERS['reports']}, or set `security: {{reports: {name}}}`"
                if parent != site.root:
                    hint = f"move it next to {site.config.name} as {SECURITY_FOLDERS['reports']}"
                message = f"no reports found, but the folder {name} has some"
                place = ("security", "reports")
                yield site.config.problem(place, message, hint, Level.WARNING, code=Code.UNMATCHED_REPORT)


def _has_report(folder: Path) -> bool:
    """Whether one of the first files in the folder is a report of a scanner."""
    from .reports import (
        ReportError,
        read_report,
    )  # imported here for a faster start without reports

    for path in sorted(folder.rglob("*.json"))[:_TRIED]:
        try:
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_SIZE:
                read_report(path.read_bytes())
                return True
        except (OSError, ReportError):
            continue
    return False
