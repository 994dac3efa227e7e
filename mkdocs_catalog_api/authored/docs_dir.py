"""Finds the pages of docs_dir and their URLs in MkDocs, without MkDocs.

The rules are those of MkDocs 1.6 (mkdocs/structure/files.py) for sites that set none.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from posixpath import splitext
from urllib.parse import quote

from ..problems import Problem, Problems, reason
from ..problems.codes import Code
from .config_file import MkDocsYml
from .folders import name_of, read_text, walk, without_address
from .front_matter import Defaults, Page, inherited, parse_defaults

_MARKDOWN = (".markdown", ".mdown", ".mkdn", ".mkd", ".md")


class DocsDir:
    """The files of docs_dir; `root` is the folder of mkdocs.yml.

    Adds the problems of `walk`, and one for each page whose name can't be a URL.
    """

    def __init__(self, folder: Path, root: Path, yml: MkDocsYml, problems: Problems) -> None:
        self._folder, self._label = folder, name_of(folder, root)
        self._directory_urls, self._problems = yml.directory_urls, problems
        self._files: dict[str, str] = {}
        """Path in the site → path in docs_dir, for all published files."""
        self._meta: list[str] = []
        for below, sizes in walk(folder, self._label, problems, also=(yml.meta_file,)):
            if below.startswith("templates/"):
                continue
            # If two files have the same path in the site, the last one is used: README.md follows index.md.
            for name in sorted(sizes, key=lambda name: (splitext(name)[0] not in ("index", "README"), name)):
                uri = below + name
                if name == yml.meta_file:
                    self._meta.append(uri)
                elif self._has_url(uri):
                    self._files[destination(uri, yml.directory_urls)] = uri

    def _has_url(self, uri: str) -> bool:
        fault = without_address(self.name(uri), uri) if uri.endswith(_MARKDOWN) else None
        self._problems.extend([fault] if fault else [])
        return fault is None

    @property
    def number(self) -> int:
        """Number of published files."""
        return len(self._files)

    def name(self, uri: str) -> str:
        """Return the name of a file in problems."""
        return f"{self._label}/{uri}" if self._label else uri

    def below(self, prefix: str) -> Mapping[str, str]:
        """Return the published files in `prefix`, which ends with a slash: path there → source file."""
        return {
            target.removeprefix(prefix): self.name(uri)
            for target, uri in self._files.items()
            if target.startswith(prefix)
        }

    def pages(self) -> list[Page]:
        """Return every published page with its text."""
        defaults = self._defaults()
        urls = self._directory_urls
        return [
            Page(uri, self.name(uri), self._text(uri), address(target, urls), None, inherited(uri, defaults))
            for target, uri in self._files.items()
            if uri.endswith(_MARKDOWN)
        ]

    def _text(self, uri: str) -> str | None:
        try:
            return read_text(Path(self._folder, uri))
        except UnicodeDecodeError:
            return None
        except OSError as error:
            message = f"the page can't be read: {reason(error)}"
            self._problems.add(Problem(self.name(uri), 0, 0, "", message, code=Code.NOT_READ))
            return ""

    def _defaults(self) -> Defaults:
        """Return the documents of Material's meta plugin, outermost folder first."""
        documents = [
            (PurePosixPath(uri).parent, parse_defaults(self._text(uri) or "", self.name(uri)))
            for uri in self._meta
        ]
        return sorted(documents, key=lambda pair: len(pair[0].parts))


def destination(uri: str, directory_urls: bool) -> str:
    """Return the output path of a file in MkDocs: `images/nginx.md` → `images/nginx/index.html`."""
    if not uri.endswith(_MARKDOWN):
        return uri
    path = splitext(uri)[0]
    if path.rpartition("/")[2] == "README":
        path = path.removesuffix("README") + "index"
    if directory_urls and path.rpartition("/")[2] != "index":
        path += "/index"
    return f"{path}.html"


def address(target: str, directory_urls: bool) -> str:
    """Return the URL of a page relative to the site's root; `""` for the home page as a folder."""
    if directory_urls and target.rpartition("/")[2] == "index.html":
        target = target.removesuffix("index.html")
    return quote(target)
