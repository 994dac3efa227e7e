"""A site, independent of its generator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from ..items.collections import COLLECTIONS
from ..items.registry_facts import FACTS_FOLDER
from .config_file import ConfigFile
from .front_matter import Page
from .settings import HISTORY_FOLDER, KEV, SECURITY_FOLDERS, Settings, data_names


class Site(Struct, frozen=True):
    """The properties of the site that a build requires."""

    config: ConfigFile
    root: Path
    """The folder of mkdocs.yml; paths of data are relative to it."""
    docs_dir: Path
    site_dir: Path
    site_url: str | None
    title: str
    pages: Sequence[Page]
    occupied_paths: Mapping[str, str] = field(default_factory=dict)
    """The files of the author in `api/v1/` of the site: path there → source file."""
    other_files: int = 0
    """Number of files of the site outside the API, as far as they are known before pages are written."""
    custom_dir: Path | None = None
    """Folder of the site's own templates."""
    theme_dirs: Sequence[Path] = ()
    """Template folders of its theme, the author's first."""

    directory_urls: bool | None = None
    """Whether URLs of item pages are folders; None if the generator makes no page for an item without one."""
    item_pages: Sequence[Page] = ()
    """The pages that were made for items without one."""
    language: str = ""
    """Folder of the pages' language in the site, as in `de/`; empty for the default language."""
    languages: Sequence[str] = ("en",)
    """Languages of all pages, the default one first."""
    translations: Sequence[Site] = ()
    """The pages in other languages, if they are read."""

    @property
    def origin(self) -> Path:
        """Return the identity of this site: mkdocs.yml, or its folder if there is no such file."""
        return self.config.path or self.root


def own_files(root: Path, settings: Settings) -> Iterator[Path]:
    """Yield the sources outside docs_dir: data files, reports, statements, history and registry data."""
    for name in COLLECTIONS:
        path = getattr(settings, name).data
        for file in [path] if path else data_names(name):
            yield root / file
    yield root / (settings.security.reports or SECURITY_FOLDERS["reports"])
    yield root / (settings.security.vex or SECURITY_FOLDERS["vex"])
    yield root / KEV
    yield root / HISTORY_FOLDER
    yield root / FACTS_FOLDER
