"""The files of a catalog that say what is exploited, and how likely it is, where its settings have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..codes import Code
from ..problems import CatalogError, Problems
from ..settings import ADVISORIES, Settings
from ..site import Site
from . import epss, kev


class Advisories(NamedTuple):
    """What is known beside scans."""

    exploited: Mapping[str, str] | None
    """CVE id → day since when it is known to be exploited; None without the file."""
    scores: Callable[[Iterable[str]], epss.Epss] | None
    """Reads the EPSS scores of these ids; None without the file. Raises CatalogError when it has changed."""


def read_advisories(site: Site, settings: Settings, problems: Problems) -> Advisories:
    """What the files say. Both are checked whole; of the many scores none is kept until somebody asks."""
    most = settings.security.max_report_size
    exploited, scores = None, None
    if (file := _file(site, settings, "kev", problems)) and (found := kev.load(*file, most, problems)):
        exploited = found.added
    if (file := _file(site, settings, "epss", problems)) and epss.load(*file, (), most, problems):
        path, name = file

        def scores(ids: Iterable[str]) -> epss.Epss:
            faults = Problems()
            if (read := epss.load(path, name, {*ids}, most, faults)) is None:
                raise CatalogError(faults)
            return read

    return Advisories(exploited, scores)


def _file(site: Site, settings: Settings, setting: str, problems: Problems) -> tuple[Path, str] | None:
    """The file that is set, or the default one if it is there, and how problems name it."""
    configured: str | None = getattr(settings.security, setting)
    name = configured or ADVISORIES[setting]
    path = site.root / name
    if path.is_file():
        return path, name
    if configured or path.exists():
        message = f"{name!r} is not a file" if path.exists() else f"the file {name!r} is missing"
        hint = f"get it with `catalog-api fetch --{setting}`, or correct the path"
        problems.add(site.config.problem(("security", setting), message, hint, code=Code.MISSING_PATH))
    return None
