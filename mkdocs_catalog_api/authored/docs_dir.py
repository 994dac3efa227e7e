"""The pages of docs_dir with the addresses that MkDocs gives them, found without MkDocs.

The rules are those of MkDocs 1.6 (mkdocs/structure/files.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from posixpath import splitext
from urllib.parse import quote

from msgspec import Struct
from pathspec import GitIgnoreSpec

from ..problems import Problem, Problems, reason
from ..problems.codes import Code
from .folders import MAX_SIZE, name_of, walk
from .pages import Page, parse_defaults
from .yaml_text import YamlDocument

_MARKDOWN = (".markdown", ".mdown", ".mkdn", ".mkd", ".md")
_HIDDEN = GitIgnoreSpec.from_lines([".*", "/templates/"])


class Rules(Struct, frozen=True):
    """What decides which files of docs_dir are published, and where."""

    directory_urls: bool
    exclude: GitIgnoreSpec
    drafts: GitIgnoreSpec
    meta_file: str | None
    """Name of the files with defaults for all pages of their folder; None without Material's meta plugin."""


class DocsDir:
    """The files of docs_dir; `root` is the folder of mkdocs.yml.

    A problem is added for each folder that can't be read, each pipe, device and socket, and each folder or
    page that is a link out of `root` and of docs_dir; nothing of these is read.
    """

    def __init__(self, folder: Path, root: Path, rules: Rules, problems: Problems) -> None:
        self._folder, self._label = folder, name_of(folder, root)
        self._rules, self._problems = rules, problems
        exclude = _HIDDEN + rules.exclude
        self._files: dict[str, str] = {}
        self._meta: list[str] = []

        def left_out(uri: str) -> bool:
            return exclude.match_file(uri) or rules.drafts.match_file(uri)

        found = walk(
            folder,
            self._label,
            (root, folder),
            problems,
            suffixes=(*_MARKDOWN, rules.meta_file or ".md"),
            hidden=True,
            skip=left_out,
        )
        for uris in self._by_folder(found):
            if rules.meta_file:
                self._meta += [uri for uri in uris if uri.rpartition("/")[2] == rules.meta_file]
            self._files |= _published(
                {uri: destination(uri, rules.directory_urls) for uri in uris},
                {uri for uri in uris if left_out(uri)},
            )
        for uri in self._meta:
            self._files.pop(uri, None)

    def _by_folder(self, found: Iterable[tuple[str, Mapping[str, int]]]) -> Iterator[list[str]]:
        for below, sizes in found:
            names = [name for name, size in sizes.items() if self._fits(below + name, size)]
            # An index.md after README.md takes its place.
            names.sort(key=lambda name: (splitext(name)[0] not in ("index", "README"), name))
            yield [below + name for name in names]

    def _fits(self, uri: str, size: int) -> bool:
        if size > MAX_SIZE and uri.endswith(_MARKDOWN):
            message = f"the page has {size:,} bytes and is not read: {MAX_SIZE:,} are the limit"
            self._problems.add(
                Problem(self.name(uri), 0, 0, "", message, "move it out of docs_dir", code=Code.NOT_READ)
            )
            return False
        return True

    def name(self, uri: str) -> str:
        """How problems name a file."""
        return f"{self._label}/{uri}" if self._label else uri

    def below(self, prefix: str) -> Mapping[str, str]:
        """What is published below `prefix` (that ends with a slash): path there → the author's file."""
        return {
            target.removeprefix(prefix): self.name(uri)
            for uri, target in self._files.items()
            if target.startswith(prefix)
        }

    def pages(self) -> list[Page]:
        """Every page that is published, with its text."""
        defaults = self._defaults()
        return [
            Page(
                uri, self.name(uri), self._text(uri), address(target, self._rules.directory_urls), None, found
            )
            for uri, target in self._files.items()
            if uri.endswith(_MARKDOWN)
            for found in [_defaults_of(uri, defaults)]
        ]

    def _text(self, uri: str) -> str | None:
        try:
            # Cheaper than a Path, for thousands of pages.
            with open(f"{self._folder}/{uri}", encoding="utf-8") as file:  # noqa: PTH123
                return file.read().removeprefix("\ufeff")
        except UnicodeDecodeError:
            return None
        except OSError as error:
            message = f"the page can't be read: {reason(error)}"
            self._problems.add(Problem(self.name(uri), 0, 0, "", message, code=Code.NOT_READ))
            return ""

    def _defaults(self) -> Sequence[tuple[PurePosixPath, YamlDocument]]:
        """The documents of Material's meta plugin, outermost folder first."""
        found = [
            (PurePosixPath(uri).parent, parse_defaults(self._text(uri) or "", self.name(uri)))
            for uri in self._meta
        ]
        return sorted(found, key=lambda pair: len(pair[0].parts))


def destination(uri: str, directory_urls: bool) -> str:
    """Where MkDocs writes a file: `images/nginx.md` → `images/nginx/index.html`."""
    if not uri.endswith(_MARKDOWN):
        return uri
    path = splitext(uri)[0]
    if path.rpartition("/")[2] == "README":
        path = path.removesuffix("README") + "index"
    if directory_urls and path.rpartition("/")[2] != "index":
        path += "/index"
    return f"{path}.html"


def address(target: str, directory_urls: bool) -> str:
    """The address of a page below the site's root, `""` for the home page with directory URLs."""
    if directory_urls and target.rpartition("/")[2] == "index.html":
        target = target.removesuffix("index.html")
    return quote(target)


def _published(targets: Mapping[str, str], left_out: set[str]) -> dict[str, str]:
    """The files of one folder that are published; of two for one place the later, if it is published."""
    first: dict[str, str] = {}
    beaten: set[str] = set()
    for uri, target in targets.items():
        other = first.setdefault(target, uri)
        if other != uri:
            beaten.add(uri if uri in left_out else other)
    return {uri: target for uri, target in targets.items() if uri not in left_out and uri not in beaten}


def _defaults_of(
    uri: str, defaults: Sequence[tuple[PurePosixPath, YamlDocument]]
) -> tuple[YamlDocument, ...]:
    if not defaults:
        return ()
    folders = {*PurePosixPath(uri).parents}
    return tuple(document for folder, document in defaults if folder in folders)
