"""What MkDocs knows of a site, as the build asks for it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ..authored.config_file import ConfigFile
from ..authored.pages import Page, parse_defaults
from ..authored.site import Site
from ..authored.yaml_text import YamlDocument
from ..catalog import addresses
from ..problems import reason

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page as MkDocsPage


class Pages:
    """The pages as authors wrote them, and as MkDocs's plugins left them. Lives as long as the process."""

    def __init__(self, *, dirty: bool = False) -> None:
        self._dirty = dirty
        self._metas: dict[str, dict[str, Any]] = {}
        self.begin()

    def begin(self) -> None:
        """Forget what was of the last build alone."""
        self._texts: dict[str, str | None] = {}
        self._as_read: dict[str, tuple[str, str]] = {}
        """What plugins may change of each page: front matter (its `repr`) and text."""

    def read(self, page: MkDocsPage, markdown: str) -> None:
        """Remember a page as MkDocs has read it. Call it before plugins may change it."""
        self._as_read[page.file.src_uri] = repr(page.meta), markdown

    def text(self, file: File, config: MkDocsConfig) -> str | None:
        """The text of a page as written, None when it is not UTF-8.

        Raises:
            OSError: it can't be read at all; the message names it.
        """
        uri = file.src_uri
        if uri not in self._texts:
            self._texts[uri] = _read_text(file, config)
        return self._texts[uri]

    def collect(self, files: Files, config: MkDocsConfig) -> list[Page]:
        """Every page that is published as plugins left it. Call it once all of them are final."""
        defaults = _defaults(config, files)
        return [self._page(file, config, defaults) for file in files.documentation_pages()]

    def _page(
        self, file: File, config: MkDocsConfig, defaults: Sequence[tuple[PurePosixPath, YamlDocument]]
    ) -> Page:
        folders = PurePosixPath(file.src_uri).parents if defaults else ()
        return Page(
            uri=file.src_uri,
            file=name(file, config),
            text=self.text(file, config),
            url="" if file.url == "./" else file.url,
            meta=self._meta(file),
            defaults=tuple(document for folder, document in defaults if folder in folders),
            markdown=self._markdown(file),
        )

    def _meta(self, file: File) -> dict[str, Any] | None:
        """Front matter as plugins left it, None when they left it alone, as nearly all of it.

        With `--dirty` that of the build which read the page.
        """
        if file.page is not None and file.page.markdown is not None:
            self._metas[file.src_uri] = dict(file.page.meta)
            as_read = self._as_read.get(file.src_uri)
            if as_read and as_read[0] == repr(file.page.meta):
                return None
        elif not self._dirty:
            return None
        return self._metas.get(file.src_uri)

    def _markdown(self, file: File) -> str | None:
        """The text below the front matter as plugins left it, None when they left it alone."""
        if file.page is None:
            return None
        as_read = self._as_read.get(file.src_uri)
        return None if as_read and as_read[1] == file.page.markdown else file.page.markdown


def _read_text(file: File, config: MkDocsConfig) -> str | None:
    try:
        return file.content_string
    except UnicodeDecodeError:
        return None
    except OSError as error:
        raise OSError(f"{name(file, config)}: can't be read: {reason(error)}") from error


def describe(config: MkDocsConfig, pages: Sequence[Page], occupied: Mapping[str, str]) -> Site:
    """The site with these pages; `occupied` is what the author publishes below `api/v1/`."""
    return Site(
        config=config_file(config),
        root=root(config),
        docs_dir=Path(config.docs_dir),
        site_dir=Path(config.site_dir),
        site_url=addresses.web_address(config.site_url) if config.site_url else None,
        title=config.site_name,
        pages=pages,
        occupied_paths=occupied,
        custom_dir=Path(config.theme.custom_dir) if config.theme.custom_dir else None,
        theme_dirs=[Path(folder) for folder in config.theme.dirs],
    )


def root(config: MkDocsConfig) -> Path:
    """The folder of mkdocs.yml."""
    path = config.config_file_path
    return Path(path).parent if path else Path.cwd()


def config_file(config: MkDocsConfig) -> ConfigFile:
    return ConfigFile(Path(config.config_file_path) if config.config_file_path else None)


def name(file: File, config: MkDocsConfig) -> str:
    """The file as problems name it: relative to the folder of mkdocs.yml."""
    path, folder = file.abs_src_path or "", os.path.join(root(config), "")  # noqa: PTH118  # for each page
    return path.removeprefix(folder).replace(os.sep, "/") if path.startswith(folder) else file.src_uri


def builds_here(config: MkDocsConfig) -> bool:
    """False in the nested builds that static-i18n makes for other languages than the default."""
    i18n = config.plugins.get("i18n")
    return i18n is None or bool(getattr(i18n, "is_default_language_build", True))


def occupied_paths(files: Files, config: MkDocsConfig) -> dict[str, str]:
    """What the author publishes below `api/v1/`: path there → file."""
    prefix = addresses.PREFIX + "/"
    return {
        file.dest_uri.removeprefix(prefix): name(file, config)
        for file in files
        if file.dest_uri.startswith(prefix)
    }


def _defaults(config: MkDocsConfig, files: Files) -> list[tuple[PurePosixPath, YamlDocument]]:
    """The documents of Material's meta plugin, outermost folder first."""
    meta = config.plugins.get("material/meta")
    if meta is None:
        return []
    defaults = []
    for file in files:
        path = PurePosixPath(file.src_uri)
        if path.name == meta.config.meta_file and file.abs_src_path:
            defaults.append((path.parent, parse_defaults(file.content_string, name(file, config))))
    return sorted(defaults, key=lambda pair: len(pair[0].parts))
