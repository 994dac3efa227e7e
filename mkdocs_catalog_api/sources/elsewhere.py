"""Finds reports and pages in folders that the build does not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..authored.folders import MAX_SIZE, name_of
from ..authored.pages import PageSelection, RawItem
from ..authored.settings import SECURITY_FOLDERS, Settings, data_names
from ..authored.site import Site
from ..problems import Level, Problem
from ..problems.codes import Code

_WORDS = ("scan", "report", "trivy", "grype", "vuln", "security")
_REQUIRED = {"category", "tier", "license"}
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


def sources_in_docs(site: Site, settings: Settings) -> Iterator[Problem]:
    """Warn about data files and VEX documents in docs_dir, which is published."""
    docs = name_of(site.docs_dir, site.root)
    usual: list[tuple[tuple[str, str], list[str], str | None]] = [
        ((name, "data"), [*data_names(name)], getattr(settings, name).data)
        for name in ("images", "charts", "roadmap", "updates")
    ]
    usual.append((("security", "vex"), [SECURITY_FOLDERS["vex"]], settings.security.vex))
    for place, names, configured in usual:
        if configured is None and not any((site.root / name).exists() for name in names):
            for name in names:
                if _holds_list(site.docs_dir / name) or any((site.docs_dir / name).glob("*.json")):
                    message = f"{docs}/{name} is not read, because {docs} is published"
                    hint = f"move it next to {site.config.name}"
                    yield site.config.problem(place, message, hint, Level.WARNING, code=Code.MISSING_PATH)


def _holds_list(path: Path) -> bool:
    """Whether a file begins like a list of mappings in YAML or JSON."""
    try:
        return path.is_file() and path.read_bytes().lstrip().startswith((b"- ", b"[", b"#"))
    except OSError:
        return False


def pages_beside(site: Site, collection: str) -> Iterator[Problem]:
    """Warn about a folder of pages that is next to docs_dir instead of in it."""
    folder = site.root / collection
    docs = name_of(site.docs_dir, site.root)
    if folder != site.docs_dir / collection and any(map(_has_front_matter, folder.glob("*.md"))):
        message = f"the pages in the folder {collection} are not read, because it is not in {docs}"
        hint, place = f"move it to {docs}/{collection}", (collection, "pages")
        yield site.config.problem(place, message, hint, Level.WARNING, code=Code.NO_ITEMS)


def pages_elsewhere(
    site: Site, settings: Settings, selection: PageSelection, raws: Iterable[RawItem]
) -> Iterator[Problem]:
    """Warn about pages that have the fields of an image or chart, but match no pattern.

    If the author has set patterns, such pages may be left out on purpose.
    """
    items = {raw.page.uri for raw in raws if raw.page}
    own = settings.images.pages is not None or settings.charts.pages is not None
    level = Level.INFO if own else Level.WARNING
    message = "ignored: the page has the fields of an item, but does not belong to a collection"
    hint = "move it to the folder of a collection or add `catalog: images`, or `catalog: false` to ignore it"
    for page in site.pages:
        text = (page.text or "").partition("\n---")[0]
        if page.uri not in items and text.startswith("---\n") and not selection.matching(page.uri):
            lines = text.split("\n")
            keys = {line.partition(":")[0]: number for number, line in enumerate(lines, 1) if ":" in line}
            if keys.keys() >= _REQUIRED and "catalog" not in keys:
                line = keys["category"]
                yield Problem(page.file, line, 1, "category", message, hint, level, code=Code.PAGE)


def _has_front_matter(path: Path) -> bool:
    try:
        return path.is_file() and path.read_bytes().startswith(b"---")
    except OSError:
        return False
