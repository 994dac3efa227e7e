"""The pages, files and configuration of a MkDocs site, in the form that the build requires."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Mapping, Sequence, Set
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files, InclusionLevel

from ..authored.config_file import ConfigFile
from ..authored.front_matter import Defaults, Page, inherited, parse_defaults
from ..authored.read_items import items_without_page
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog import addresses
from ..documents.table import fixed_paths
from ..pipeline import Build
from ..problems import reason

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page as MkDocsPage


class Pages:
    """The pages as written by authors, and as changed by MkDocs plugins. Lives as long as the process."""

    def __init__(self, *, dirty: bool = False) -> None:
        self._dirty = dirty
        self._metas: dict[str, dict[str, Any]] = {}
        self.begin()

    def begin(self) -> None:
        """Forget the data of the last build."""
        self._texts: dict[str, str | None] = {}
        self._as_read: dict[str, tuple[str, str]] = {}
        """The parts of each page that plugins may change: front matter (its `repr`) and text."""

    def read(self, page: MkDocsPage, markdown: str) -> None:
        """Remember a page as read by MkDocs. Call it before plugins may change the page."""
        self._as_read[page.file.src_uri] = repr(page.meta), markdown

    def text(self, file: File, config: MkDocsConfig) -> str | None:
        """Return the text of a page as written, or None if it is not UTF-8.

        Raises `OSError` if the page can't be read; the message contains its path.
        """
        uri = file.src_uri
        if uri not in self._texts:
            self._texts[uri] = _read_text(file, config)
        return self._texts[uri]

    def collect(self, files: Files, config: MkDocsConfig) -> list[Page]:
        """Return every published page as changed by plugins. Call it once all pages are final."""
        defaults = _defaults(config, files)
        return [self._page(file, config, defaults) for file in files.documentation_pages()]

    def _page(self, file: File, config: MkDocsConfig, defaults: Defaults) -> Page:
        return Page(
            uri=uri(file),
            file=name(file, config),
            text=self.text(file, config),
            url="" if file.url == "./" else file.url,
            meta=self._meta(file),
            defaults=inherited(file.src_uri, defaults),
            markdown=self._markdown(file),
            html=file.page.content if file.page else None,
        )

    def _meta(self, file: File) -> dict[str, Any] | None:
        """Return the front matter as changed by plugins; usually None, as plugins did not change it.

        With `--dirty`, it is the front matter of the build that read the page.
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
        """Return the text below the front matter as changed by plugins, or None if it is unchanged."""
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


def uri(file: File) -> str:
    """Return the path of a page in docs_dir, without the language that static-i18n keeps in it."""
    return str(getattr(file, "norm_src_uri", file.src_uri))


_LEFT_OUT = (InclusionLevel.EXCLUDED, InclusionLevel.DRAFT)


def describe(
    config: MkDocsConfig,
    files: Files,
    pages: Sequence[Page],
    item_pages: Set[str],
    occupied: Mapping[str, str],
) -> Site:
    """Return the site with these pages. `item_pages` has the paths of those that the plugin has made.

    `occupied` has the files of the author in `api/v1/`.
    """
    return Site(
        config=config_file(config),
        root=root(config),
        docs_dir=Path(config.docs_dir),
        site_dir=Path(config.site_dir),
        site_url=addresses.web_address(config.site_url) if config.site_url else None,
        title=config.site_name,
        pages=[page for page in pages if page.uri not in item_pages],
        item_pages=[page for page in pages if page.uri in item_pages],
        directory_urls=config.use_directory_urls,
        language=language(config),
        languages=_languages(config),
        occupied_paths=occupied,
        other_files=sum(file.inclusion not in _LEFT_OUT and not isinstance(file, ApiFile) for file in files),
        custom_dir=Path(config.theme.custom_dir) if config.theme.custom_dir else None,
        theme_dirs=[Path(folder) for folder in config.theme.dirs],
    )


def root(config: MkDocsConfig) -> Path:
    """Return the folder of mkdocs.yml, in the form that MkDocs gives to docs_dir."""
    path = config.config_file_path
    return Path(os.path.abspath(path)).parent if path else Path.cwd()  # noqa: PTH100  # keeps links


def config_file(config: MkDocsConfig) -> ConfigFile:
    return ConfigFile(Path(config.config_file_path) if config.config_file_path else None)


def name(file: File, config: MkDocsConfig) -> str:
    """Return the path of a file in problems: relative to the folder of mkdocs.yml."""
    path, folder = file.abs_src_path or "", os.path.join(root(config), "")  # noqa: PTH118  # for each page
    return path.removeprefix(folder).replace(os.sep, "/") if path.startswith(folder) else file.src_uri


def language(config: MkDocsConfig) -> str:
    """Return the folder of the language in the site, as in `de/`; empty for the default language.

    The plugin static-i18n builds the default language first, and then runs a nested build for each other one.
    """
    i18n: Any = config.plugins.get("i18n")
    return "" if getattr(i18n, "is_default_language_build", True) else f"{i18n.current_language}/"


def has_languages(config: MkDocsConfig) -> bool:
    """Whether static-i18n makes the pages of several languages."""
    return config.plugins.get("i18n") is not None


def _languages(config: MkDocsConfig) -> Sequence[str]:
    """Return the languages of all pages, the default one first."""
    i18n: Any = config.plugins.get("i18n")
    if i18n is not None:
        return i18n.default_language, *i18n.build_languages
    return (str(config.theme.get("language") or config.theme.locale or "en"),)


def note_translation(file: File, config: MkDocsConfig) -> None:
    """Add a page to the sitemap of static-i18n, which has collected the files of this language before."""
    i18n: Any = config.plugins.get("i18n")
    if i18n is not None:
        vars(file)["alternates"] = {}
        i18n.i18n_files_per_language[i18n.current_language].append(file)


def occupied_paths(files: Files, config: MkDocsConfig) -> dict[str, str]:
    """Return the files of the author in `api/v1/`: path there → file."""
    prefix = addresses.PREFIX + "/"
    return {
        file.dest_uri.removeprefix(prefix): name(file, config)
        for file in files
        if file.dest_uri.startswith(prefix)
    }


def _defaults(config: MkDocsConfig, files: Files) -> Defaults:
    """Return the documents of Material's meta plugin, outermost folder first."""
    meta = config.plugins.get("material/meta")
    if meta is None:
        return []
    defaults = []
    for file in files:
        path = PurePosixPath(file.src_uri)
        if path.name == meta.config.meta_file and file.abs_src_path:
            defaults.append((path.parent, parse_defaults(file.content_string, name(file, config))))
    return sorted(defaults, key=lambda pair: len(pair[0].parts))


class ApiFile(File):
    """A document that is registered in MkDocs, so that links to it resolve. The build writes it."""

    def copy_file(self, dirty: bool = False) -> None:
        """Do nothing: `on_post_build` publishes all documents together."""


def add_documents(files: Files, occupied: Container[str], settings: Settings, config: MkDocsConfig) -> None:
    """Register the documents of every catalog, except those that the author provides."""
    for path in fixed_paths(settings):
        if path not in occupied:
            uri, urls = f"{addresses.PREFIX}/{path}", config.use_directory_urls
            file = ApiFile(uri, None, config.site_dir, urls, inclusion=InclusionLevel.INCLUDED)
            file.generated_by = "catalog-api"
            files.append(file)


def add_item_pages(files: Files, settings: Settings, config: MkDocsConfig) -> set[str]:
    """Register a page for each item of a data file that has none. Returns their paths in docs_dir.

    A page of the author in the same place stays; `load` reports it.
    """
    folder, targets, uris = language(config), {file.dest_uri for file in files}, set()
    for uri, keys, source in items_without_page(describe(config, files, [], set(), {}), settings):
        heading = re.sub(r"[^\w ]|_", lambda character: f"&#{ord(character[0])};", keys["title"])
        content = f"---\n{json.dumps(keys)}\n---\n# {heading}\n"
        file = File.generated(config, uri, content=content, inclusion=InclusionLevel.NOT_IN_NAV)
        file.generated_by = "catalog-api"
        file.abs_src_path = str(source)  # plugins that ask when and by whom a page was changed read it
        file.dest_uri = folder + file.dest_uri
        if file.dest_uri not in targets:
            files.append(file)
            uris.add(uri)
            note_translation(file, config)
    return uris


def without_replaced(files: Files, uris: Set[str]) -> set[str]:
    """Return the paths of the pages that were made for items and are still there.

    A page that another plugin has made in the place of one stays, and ours goes; `load` reports it.
    """
    by_target: dict[str, list[File]] = {}
    for file in files:
        by_target.setdefault(file.dest_uri, []).append(file)
    kept = set()
    for same_place in by_target.values():
        for file in same_place:
            if file.src_uri in uris and file.generated_by == "catalog-api":
                if len(same_place) > 1:
                    files.remove(file)
                else:
                    kept.add(file.src_uri)
    return kept


def point_to(build: Build, files: Files) -> None:
    """Point the registered documents to the written files, for other plugins that read them."""
    for file in files:
        if isinstance(file, ApiFile):
            file.abs_src_path = str(build.folder / file.src_uri.removeprefix(addresses.PREFIX + "/"))


def add_generated(files: Files, contents: Mapping[str, bytes], config: MkDocsConfig) -> None:
    """Register assets of pages (path in the site → content), unless the author replaces them."""
    for uri, content in contents.items():
        if files.get_file_from_path(uri) is None:
            files.append(File.generated(config, uri, content=content))
