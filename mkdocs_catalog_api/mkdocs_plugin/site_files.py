"""Files of the MkDocs site: output files that pages may link to."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files, InclusionLevel

from ..authored.settings import Settings
from ..build import Build
from ..catalog import addresses
from ..documents.table import fixed_paths
from ..sources.items import items_without_page
from ..web.pages import SCRIPT, STYLE
from .pages import describe, language, note_translation

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


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
    for uri, title in items_without_page(describe(config, [], set(), {}), settings):
        content = f"---\ntitle: {json.dumps(title)}\n---\n"
        file = File.generated(config, uri, content=content, inclusion=InclusionLevel.NOT_IN_NAV)
        file.generated_by = "catalog-api"
        file.dest_uri = folder + file.dest_uri
        if file.dest_uri not in targets:
            files.append(file)
            uris.add(uri)
            note_translation(file, config)
    return uris


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


def link_assets(config: MkDocsConfig) -> None:
    """Add the assets once (static-i18n calls this for each language), before those of the author."""
    if STYLE not in config.extra_css:
        config.extra_css.insert(0, STYLE)
        config.extra_javascript.insert(0, SCRIPT)
