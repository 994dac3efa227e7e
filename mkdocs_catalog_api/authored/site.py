"""A site as the engine sees it, whoever builds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from .config_file import ConfigFile
from .pages import Page
from .settings import ADVISORIES, DEFAULT_HISTORY, SECURITY_FOLDERS, Settings, data_names


class Site(Struct, frozen=True):
    """What the engine has to know of the site that is built."""

    config: ConfigFile
    root: Path
    """The folder of mkdocs.yml; paths of data are relative to it."""
    docs_dir: Path
    site_dir: Path
    site_url: str | None
    title: str
    pages: Sequence[Page]
    occupied_paths: Mapping[str, str] = field(default_factory=dict)
    """What the site itself publishes below `api/v1/`: path there → the author's file."""
    custom_dir: Path | None = None
    """Where the site's own templates are."""
    theme_dirs: Sequence[Path] = ()
    """The folders of templates of its theme, the author's first."""

    @property
    def origin(self) -> Path:
        """What tells this site from others: mkdocs.yml, or the folder where it would be."""
        return self.config.path or self.root


def own_files(root: Path, settings: Settings) -> Iterator[Path]:
    """What a catalog is made of beside docs_dir: data files, reports, statements, recorded days, facts of
    registries.
    """
    data = {name: getattr(settings, name).data for name in ("images", "charts", "roadmap", "updates")}
    for name, path in (data | {"decisions": settings.updates.decisions}).items():
        for file in [path] if path else data_names(name):
            yield root / file
    yield root / (settings.security.reports or SECURITY_FOLDERS["reports"])
    yield root / (settings.security.vex or SECURITY_FOLDERS["vex"])
    for name, default in ADVISORIES.items():
        yield root / (getattr(settings.security, name) or default)
    yield root / (settings.history or DEFAULT_HISTORY)
    yield root / settings.registry_facts
