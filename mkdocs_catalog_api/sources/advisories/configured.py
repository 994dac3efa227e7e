"""The files of a catalog that say what is exploited, and how likely it is, where its settings have them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ...authored.folders import no_file
from ...authored.settings import ADVISORIES, Settings
from ...authored.site import Site
from ...problems import Problems
from ...problems.codes import Code
from . import epss, kev


class Advisories(NamedTuple):
    """What is known beside scans."""

    exploited: Mapping[str, str] | None = None
    """CVE id → day since when it is known to be exploited; None without the file."""
    scores: epss.Epss | None = None
    """How likely that is; None without the file."""


def read_advisories(site: Site, settings: Settings, problems: Problems) -> Advisories:
    """What the files say."""
    most = settings.security.max_report_size
    exploited, scores = None, None
    if (file := _file(site, settings, "kev", problems)) and (found := kev.load(*file, most, problems)):
        exploited = found.added
    if file := _file(site, settings, "epss", problems):
        scores = epss.load(*file, most, problems)
    return Advisories(exploited, scores)


def _file(site: Site, settings: Settings, setting: str, problems: Problems) -> tuple[Path, str] | None:
    """The file that is set, or the default one if it is there, and how problems name it."""
    configured: str | None = getattr(settings.security, setting)
    name = configured or ADVISORIES[setting]
    path = site.root / name
    if path.is_file():
        return path, name
    if configured or path.exists():
        message = no_file(path, name) if path.exists() else f"the file {name!r} is missing"
        hint = f"get it with `catalog-api fetch --{setting}`, or correct the path"
        problems.add(site.config.problem(("security", setting), message, hint, code=Code.MISSING_PATH))
    return None
