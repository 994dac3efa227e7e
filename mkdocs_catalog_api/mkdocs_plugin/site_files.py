"""The files that MkDocs is told of, so that pages may link to them: documents, style sheet and script."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files, InclusionLevel

from ..build import Build
from ..catalog import addresses, badges
from ..web import assets

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_FIXED = (
    *(addresses.collection(name) for name in ("images", "charts", "roadmap", "updates")),
    *(addresses.SUMMARY, addresses.SECURITY_INDEX),
    *(addresses.INDEX, addresses.OPENAPI, addresses.MANIFEST),
    *(addresses.badge(name) for name in badges.FIXED),
)
"""Documents that every catalog has."""


class ApiFile(File):
    """A document that MkDocs knows the address of, so that links to it resolve; the build writes it."""

    def copy_file(self, dirty: bool = False) -> None:
        """Leave it to `on_post_build`, which publishes all documents at once."""


def add_documents(files: Files, occupied: Container[str], config: MkDocsConfig) -> None:
    """Register the documents that every catalog has, unless the author's own files stand there."""
    for path in _FIXED:
        if path not in occupied:
            uri, urls = f"{addresses.PREFIX}/{path}", config.use_directory_urls
            file = ApiFile(uri, None, config.site_dir, urls, inclusion=InclusionLevel.INCLUDED)
            file.generated_by = "catalog-api"
            files.append(file)


def point_to(build: Build, files: Files) -> None:
    """Let other plugins that look into the registered documents find what was written."""
    assert build.staging is not None  # noqa: S101  # for the type checker
    documents = build.staging.documents
    for file in files:
        if isinstance(file, ApiFile):
            file.abs_src_path = str(documents / file.src_uri.removeprefix(addresses.PREFIX + "/"))


def add_assets(files: Files, config: MkDocsConfig) -> None:
    """Register style sheet and script, unless the author's own stand in for them."""
    for uri, content in assets.FILES.items():
        if files.get_file_from_path(uri) is None:
            files.append(File.generated(config, uri, content=content))


def link_assets(config: MkDocsConfig) -> None:
    """Before the author's own, which then have the last word; once, as static-i18n asks for each language."""
    if assets.STYLE not in config.extra_css:
        config.extra_css.insert(0, assets.STYLE)
        config.extra_javascript.insert(0, assets.SCRIPT)
