"""The files of MkDocs's site: those of ours that pages may link to, and those that MkDocs can't read."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files, InclusionLevel

from ..authored.folders import name_of, not_writable, walk
from ..authored.settings import Settings
from ..build import Build
from ..catalog import addresses
from ..documents.table import fixed_paths
from ..problems import Problems
from ..publish.site_files import refuse_links
from ..web.pages import ASSETS, SCRIPT, STYLE
from .pages import root

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


class ApiFile(File):
    """A document that MkDocs knows the address of, so that links to it resolve; the build writes it."""

    def copy_file(self, dirty: bool = False) -> None:
        """Leave it to `on_post_build`, which publishes all documents at once."""


def add_documents(files: Files, occupied: Container[str], settings: Settings, config: MkDocsConfig) -> None:
    """Register the documents that every catalog has, unless the author has files there."""
    for path in fixed_paths(settings):
        if path not in occupied:
            uri, urls = f"{addresses.PREFIX}/{path}", config.use_directory_urls
            file = ApiFile(uri, None, config.site_dir, urls, inclusion=InclusionLevel.INCLUDED)
            file.generated_by = "catalog-api"
            files.append(file)


def point_to(build: Build, files: Files) -> None:
    """Let other plugins that look into the registered documents find what was written."""
    for file in files:
        if isinstance(file, ApiFile):
            file.abs_src_path = str(build.folder / file.src_uri.removeprefix(addresses.PREFIX + "/"))


def add_generated(files: Files, contents: Mapping[str, bytes], config: MkDocsConfig) -> None:
    """Register what pages use, path in the site → content, unless the author's own files replace it."""
    for uri, content in contents.items():
        if files.get_file_from_path(uri) is None:
            files.append(File.generated(config, uri, content=content))


def refuse_unwritable(files: Files, config: MkDocsConfig, problems: Problems) -> None:
    """A problem for each pipe, folder and link out of the site that MkDocs would write a file into.

    Without `--dirty` there is none, as MkDocs clears the site first; only links to folders stay.
    """
    site_dir = Path(config.site_dir)
    for file in files:
        target = site_dir / file.dest_uri
        plain = os.path.isfile(target) and not os.path.islink(target)  # noqa: PTH113, PTH114  # for each file
        fault = None
        if not plain and os.path.lexists(target):
            fault = not_writable(target, file.dest_uri, [site_dir])
        if fault:
            problems.add(fault)
        elif file.dest_uri in ASSETS:
            refuse_links(site_dir, file.dest_uri, problems)


def link_assets(config: MkDocsConfig) -> None:
    """Before the author's own, which then have the last word; once, as static-i18n asks for each language."""
    if STYLE not in config.extra_css:
        config.extra_css.insert(0, STYLE)
        config.extra_javascript.insert(0, SCRIPT)


def refuse_unreadable(files: Files, config: MkDocsConfig, problems: Problems) -> None:
    """A problem for each pipe, device, socket and unreadable folder; none of them is left in `files`.

    They would make MkDocs hang, or leave out pages silently. MkDocs follows links wherever they lead, so they
    are not refused here.
    """
    folder, excluded, refused = Path(config.docs_dir), config.exclude_docs, Problems()

    def skip(path: str) -> bool:
        return excluded is not None and excluded.match_file(path)

    label, anchor = name_of(folder, root(config)), Path(folder.anchor)
    for _ in walk(folder, label, (anchor,), refused, suffixes=("",), skip=skip):
        pass
    problems.extend(refused)
    if list(refused):
        for file in [*files]:
            path = file.abs_src_path
            if path is not None and os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
                files.remove(file)
