"""Finds the Markdown pages that are items, and reads their front matter."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import PurePosixPath
from posixpath import splitext
from types import MappingProxyType
from typing import Any

from mergedeep import Strategy, merge
from msgspec import Struct
from msgspec.structs import replace
from pathspec import GitIgnoreSpec

from ..items.lines import Keep
from ..items.registry_facts import RegistryFacts
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from .kept import KEPT
from .messages import resembling, shown
from .yaml_text import YamlDocument, parse

# The lines that MkDocs accepts as delimiters of front matter (mkdocs/utils/meta.py), and similar lines that
# authors intend as such.
_OPENING = re.compile(r"\A---[ \t]*(?:\n|\Z)")
_CLOSING = re.compile(r"\n(?:---|\.\.\.)[ \t]*(\n|\Z)")
_NO_KEYS = re.compile(r"(?:---|\.\.\.)[ \t]*\n")
_LIKE_KEYS = re.compile(
    r"(?:\s|<!--(?:(?!-->).)*-->)*(?:---[ \t]*\n[A-Za-z0-9_-]+:\s.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z))"
    r"|\A {0,3}[A-Za-z0-9_-]+:(?:\s|\Z)",
    re.DOTALL,
)
"""Front matter below empty lines or comments, or keys without `---`."""
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+[ \t]*(?:\n|\Z)")
_TOP = re.compile(
    r"(?:\s|<!--(?:(?!-->).)*-->)*"
    r"(?:(---|\+\+\+)[ \t]*\n(?P<closed>.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)"
    r"|(?:---|\+\+\+)?(?P<block>.*?)(?:\n[ \t]*\n|\Z))",
    re.DOTALL,
)
_KEY = re.compile(r"""^["']?([A-Za-z_][\w-]*)["']?[ \t]*[:=]""", re.MULTILINE)


def split(text: str) -> str | None:
    """Return the YAML text between the `---` lines of a page, or None without front matter.

    Raises:
        RefusedError: text that looks like front matter, but that MkDocs does not read as front matter.
    """
    if opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        if closing and closing[1]:
            return text[opening.end() : closing.start() + 1]
        if _NO_KEYS.match(text, opening.end()):
            return ""
        if closing is None:
            raise RefusedError("the front matter is never closed", "add a line --- after its last key", 1, 1)
        message = "the file ends right after the closing ---, so MkDocs reads the front matter as text"
        raise RefusedError(message, "add a line break after it", text.count("\n") + 1, 1)
    if _TOML.match(text):
        message = "MkDocs reads TOML front matter as text"
        raise RefusedError(message, "write it in YAML, between two lines ---", 1, 1)
    if _LIKE_KEYS.match(text):
        message = "MkDocs reads these keys as text, because they are not front matter"
        raise RefusedError(message, "begin the file with the line ---, and add one below the keys", 1, 1)
    return None


def keys_at_top(text: str) -> list[str]:
    """Return the names that begin a line of a page's front matter, or of what may be meant as such.

    Without `---`, MkDocs reads them in any case: they are in lower case, too.
    """
    top = _TOP.match(text)
    keys = _KEY.findall(top["closed"] or top["block"] or "") if top else []
    return [*keys, *map(str.lower, keys)]


def front_matter(text: str) -> YamlDocument | None:
    """Return the front matter of a page, or None.

    Raises:
        RefusedError: see `split` and `parse`; or the front matter is not a mapping.
    """
    yaml_text = split(text)
    if yaml_text is None:
        return None
    document = parse(yaml_text, offset=1)
    if document.data is None:
        return replace(document, data={})
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        message = f"front matter is {kind}, not keys and values"
        raise RefusedError(message, "write `key: value` lines", 2, 1)
    return document


FOREIGN = frozenset(
    {
        *("title", "template", "hide", "tags", "status", "icon", "search", "subtitle", "social", "authors"),
        *("author", "date", "comments", "boost", "draft", "pin", "links", "readtime", "categories", "hero"),
        *("catalog", "redirect_to", "__extends", "exclude", "robots", "image_alt", "render_macros", "nav"),
        *("ignore_macros", "disable_toc", "language", "lang", "translations", "revision_date", "keywords"),
        *("hide_title", "toc_depth", "edit_url", "new_tab", "level", "weight", "order", "layout"),
        "pagetitle",
    }
)
"""Keys of the theme, of other plugins and of this plugin; they are not misspelled fields."""
SLUG = "{slug}"
"""The capture group of a pattern."""
_LANDING = ("index.md", "README.md")


class PageSelection:
    """Assigns pages to collections by patterns as in `.gitignore`.

    `fields` has the collections whose patterns nobody set: a page there is an item if it has one of these
    keys, so that an ordinary page of somebody's site stays one.
    """

    def __init__(
        self, patterns: Mapping[str, Sequence[str]], fields: Mapping[str, Set[str]] = MappingProxyType({})
    ) -> None:
        self._fields = fields
        self._specs = {
            name: GitIgnoreSpec.from_lines(pattern.replace(SLUG, "*") for pattern in listed)
            for name, listed in patterns.items()
        }
        self._captures = {
            name: [_capture(pattern) for pattern in listed if SLUG in pattern and pattern[0] != "!"]
            for name, listed in patterns.items()
        }
        self._folders = {
            name: {
                str(PurePosixPath(re.split(r"[*?\[{]", pattern, maxsplit=1)[0] + "x").parent)
                for pattern in listed
            }
            for name, listed in patterns.items()
        }

    def landing(self, collection: str, uri: str) -> bool:
        """Whether the page is the landing page of the collection, which is not an item."""
        folder, _, name = uri.rpartition("/")
        return name in _LANDING and (folder or ".") in self._folders[collection]

    def matching(self, uri: str) -> list[str]:
        """Return the collections with a pattern that matches the page, except for landing pages."""
        return [
            name for name, spec in self._specs.items() if spec.match_file(uri) and not self.landing(name, uri)
        ]

    def finds(self, collection: str, uri: str) -> bool:
        """Whether a pattern of the collection matches the page, its landing page included."""
        return self._specs[collection].match_file(uri)

    def takes(self, collection: str, keys: Iterable[object]) -> bool:
        """Whether a page with these keys that a pattern of the collection matches is an item."""
        fields = self._fields.get(collection)
        return fields is None or not fields.isdisjoint(keys)

    def resembling(self, collection: str, key: str) -> str | None:
        """Return the field that a key probably means, or None."""
        return None if key in FOREIGN else resembling(key, self._fields.get(collection, ()))

    def slug(self, collection: str, uri: str) -> str:
        """Return the capture of a pattern, else `nginx` for images/nginx.md or images/nginx/index.md."""
        for capture in self._captures[collection]:
            if match := capture.match(uri):
                return match["slug"]
        folder, _, name = uri.rpartition("/")
        return folder.rpartition("/")[2] if name in _LANDING else splitext(name)[0]

    def names(self) -> list[str]:
        return list(self._specs)


def _capture(pattern: str) -> re.Pattern[str]:
    """Return the expression of a pattern, with a group for the slug."""
    (glob,) = GitIgnoreSpec.from_lines([pattern]).patterns
    expression = glob.regex.pattern if glob.regex else ""
    return re.compile(expression.replace(re.escape(SLUG), "(?P<slug>[^/]+)"))


_CATALOG_KEY = re.compile(r"""^["']?catalog["']?[ \t]*:""", re.MULTILINE)
_EMPTY = YamlDocument("", 0, {})


class Page(Struct, frozen=True):
    """A page of the site before the build writes output."""

    uri: str
    """Path in docs_dir with forward slashes: `images/nginx.md`."""
    file: str
    """Path in problems, relative to the folder of mkdocs.yml."""
    text: str | None
    """The source without a byte order mark; None if it is not UTF-8."""
    url: str
    """URL relative to the root of the site: `images/nginx/`, or `""` for the home page."""
    meta: Mapping[str, object] | None = None
    """The front matter as changed by plugins of the site generator; None if unchanged."""
    defaults: tuple[YamlDocument, ...] = ()
    """The `.meta.yml` documents of its folders, outermost first."""
    markdown: str | None = None
    """The text below the front matter as changed by such plugins; None if unchanged."""
    html: str | None = None
    """Its content as HTML, with markers; None if it is not rendered."""


class Layer(Struct, frozen=True):
    """Values of an item that are below those of its page, if the page leaves them out.

    `defaults: {tier: core}` in mkdocs.yml is a layer with the values `{"tier": "core"}`.
    """

    values: Mapping[str, object]
    place: Callable[[tuple[str | int, ...]], tuple[str, int, int, str]]
    """Return file, line, column and field of the value at a path in the item."""

    def depth(self, path: Sequence[str | int]) -> int:
        """Return how many steps of `path` lead to a value."""
        value: Any = self.values
        for depth, step in enumerate(path):
            is_list = isinstance(value, list) and isinstance(step, int) and step < len(value)
            if not (is_list or (isinstance(value, Mapping) and step in value)):
                return depth
            value = value[step]
        return len(path)


class RegistryLayer(Layer, frozen=True, kw_only=True):
    """What a registry knows of an item, as far as nobody else wrote it."""

    facts: RegistryFacts
    """The file."""
    gone: frozenset[str]
    """The versions that were removed from the registry: none of them is the newest or an update."""
    lists: bool = False
    """Whether the item lists versions of the registry, whatever a higher layer says of them."""
    keep: Keep | None = None
    """The versions that are then listed; None for all."""


class RawItem(Struct, frozen=True):
    """The values of one item before validation, and their places."""

    values: Mapping[str, object]
    file: str
    document: YamlDocument
    path: tuple[str | int, ...] = ()
    """Path from the root of the document to the mapping of the item."""
    collection: str = ""
    """Empty until its page is assigned to one."""
    page: Page | None = None
    slug: str = ""
    """The slug from the name of its page. In a data file, the name of the entry in problems."""
    named: Page | None = None
    """The page in `page` of an entry in a data file."""
    mapped: Mapping[str, str] = MappingProxyType({})
    """Field, or `versions.FIELD` → the other key that has its value."""
    defaults: tuple[Layer, ...] = ()
    """The defaults of the settings, the lowest first."""
    registry: RegistryLayer | None = None
    """The lowest layer; None if no registry knows the item."""

    @property
    def gone(self) -> frozenset[str]:
        """Return the versions that were removed from the registry."""
        return self.registry.gone if self.registry else frozenset()

    @property
    def keep(self) -> Keep | None:
        """Return which versions of a registry are listed; None for all."""
        return self.registry.keep if self.registry else None

    def is_from_registry(self, field: str) -> bool:
        """Whether the value of a field is from a registry."""
        return self.registry is not None and field in self.registry.values

    @property
    def own_page(self) -> Page | None:
        """Return the page of the item, if it has one."""
        return self.page or self.named

    @property
    def place(self) -> str:
        """Return the place of the item: its page, or the line of its entry in a data file."""
        return self.file if self.page else f"{self.file}:{self.document.place(self.path)[0]}"

    def problem(
        self,
        path: Sequence[str | int],
        message: str,
        hint: str = "",
        level: Level = Level.ERROR,
        *,
        code: Code,
        group: str = "",
    ) -> Problem:
        """Return a problem with the value at `path`, relative to the item.

        Its place is where the highest author wrote the value, or else the most of its path.
        """
        if path and path[0] in self.mapped:
            path = (self.mapped[str(path[0])], *path[1:])
        elif len(path) > 2 and (key := self.mapped.get(f"{path[0]}.{path[2]}")):
            path = (*path[:2], key, *path[3:])
        whole = (*self.path, *path)
        documents = [self.document, *(reversed(self.page.defaults) if self.page and path else ())]
        layers = [*reversed(self.defaults), *([self.registry] if self.registry else ())]
        depths = [document.depth(whole) - len(self.path) for document in documents]
        depths += [layer.depth(path) for layer in layers]
        if self.registry and self.registry.lists and path[:1] == ("versions",):
            depths[-1] = len(path) + 1  # the others name the registry, and list nothing
        highest = depths.index(max(depths))
        if highest < len(documents):
            document, item = documents[highest], "" if self.page else self.slug
            file, (line, column), field = document.file or self.file, document.place(whole), dotted(whole)
        else:
            item = self.slug
            file, line, column, field = layers[highest - len(documents)].place(tuple(path))
        return Problem(file, line, column, field, message, hint, level, code=code, item=item, group=group)

    def placed(self, problem: Problem, *path: str | int) -> Problem:
        """Return a problem without a place with that of the value at `path`."""
        message, hint, level = problem.message, problem.hint, problem.level
        return self.problem(path, message, hint, level, code=problem.code, group=problem.group)

    def written(self) -> Mapping[str, object]:
        """Return the values of the author, without those of plugins."""
        if self.page is None or self.page.meta is None:
            return self.values
        return _written(self.document, self.page)


def dotted(path: Iterable[str | int]) -> str:
    """Format `("versions", 2, "digest")` as `versions[2].digest`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


_PLAIN_HEADING = re.compile(r"\n*# +([^\W_](?:[ .,+/()-]*[^\W_])*) *(?:\n|\Z)")
"""An H1 at the beginning of a page, of letters, digits and marks that have no meaning in Markdown."""


def body(text: str) -> str:
    """Return the text of a page below its front matter."""
    return re.sub(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*\n", "", text, count=1, flags=re.DOTALL)


def heading(text: str) -> str | None:
    """Return the text of the first H1 of a page, or None."""
    text = body(text)
    if plain := _PLAIN_HEADING.match(text):
        return plain[1]
    from markdown import markdown  # few pages need it, and it is slow

    try:
        rendered = markdown(text, extensions=["extra"])
    except RecursionError:
        return None
    match = re.search(r"<h1[^>]*>(.*?)</h1>", rendered, re.DOTALL)
    if match is None:
        return None
    return html.unescape(re.sub(r"<[^>]*>", "", match.group(1))).strip() or None


def select(
    pages: Iterable[Page], selection: PageSelection, problems: Problems
) -> tuple[dict[str, list[RawItem]], list[RawItem]]:
    """Return the items of each collection, and the pages below default patterns that are not items.

    Both are in the order of the pages' paths. Problems are added, not raised.
    """
    items: dict[str, list[RawItem]] = {name: [] for name in selection.names()}
    ordinary: list[RawItem] = []
    for page in sorted(pages, key=lambda page: page.uri):
        collections = selection.matching(page.uri)
        raw = _read(page, collections, selection, problems)
        if raw is None:
            continue
        if "catalog" in raw.values:
            choice = raw.values["catalog"]
            if choice is False:
                continue
            if not (isinstance(choice, str) and choice in items):
                message, hint = f"{shown(choice)} is not a collection", f"use {', '.join(items)} or false"
                problems.add(raw.problem(("catalog",), message, hint, code=Code.PAGE))
                continue
            collections = [choice]
        elif not (taken := [name for name in collections if selection.takes(name, raw.values)]):
            ordinary.append(replace(raw, collection=collections[0]))
            continue
        else:
            collections = taken
        if len(collections) > 1:
            message = f"the page matches the patterns of several collections: {', '.join(collections)}"
            hint = f"select one with `catalog: {collections[0]}`, or narrow the patterns"
            problems.add(raw.problem((), message, hint, code=Code.PAGE))
        elif collections:
            slug = selection.slug(collections[0], page.uri)
            items[collections[0]].append(replace(raw, collection=collections[0], slug=slug))
            problems.extend(default.problem for default in page.defaults if default.problem)
    return items, ordinary


def note_ordinary(ordinary: Sequence[RawItem], selection: PageSelection, problems: Problems) -> None:
    """Add one note for the pages below default patterns that are not items, and warn of misspelled fields."""
    for raw in ordinary:
        near = ((key, selection.resembling(raw.collection, str(key))) for key in raw.values)
        for key, field in (pair for pair in near if pair[1]):
            message = f"unknown field, so the page is not one of the {raw.collection}"
            hint = f"did you mean `{field}`?"
            problems.add(raw.problem((key,), message, hint, Level.WARNING, code=Code.UNKNOWN_FIELD))
    if ordinary:
        more = len(ordinary) - 1
        who, what = f"this page and {more} more have", "they are not items"
        if not more:
            who, what = "the page has", "it is not an item"
        message = f"{who} none of the catalog's fields, so {what}"
        hint = "to list a page, add a field such as `name`"
        problems.add(ordinary[0].problem((), message, hint, Level.INFO, code=Code.PAGE))


def _read(
    page: Page, collections: Sequence[str], selection: PageSelection, problems: Problems
) -> RawItem | None:
    """Return the values of a page, or None if it is not in a collection or can't be read.

    `collections` are those with a pattern that matches it.
    """
    if page.text is None:
        problems.add(
            Problem(page.file, 0, 0, "", "the page is not UTF-8", "save it as UTF-8", code=Code.NOT_READ)
        )
        return None
    asks = (
        bool(collections)
        or _CATALOG_KEY.search(page.text.partition("\n---")[0]) is not None
        or any(isinstance(default.data, dict) and "catalog" in default.data for default in page.defaults)
    )
    if not (asks or (page.meta and "catalog" in page.meta)):
        return None
    try:
        document = KEPT.of_text(page.text, front_matter) or _EMPTY
    except RefusedError as error:
        keys = keys_at_top(page.text)
        if (
            collections
            and "catalog" not in keys
            and not any(selection.takes(name, keys) for name in collections)
        ):
            return RawItem({}, page.file, _EMPTY, page=page)  # no item, whatever is wrong with it
        if asks:
            problems.add(error.problem(page.file, Code.SYNTAX))
        return None
    values = _values(document, page)
    return RawItem(values, page.file, document, page=page) if collections or "catalog" in values else None


def _values(document: YamlDocument, page: Page) -> dict[str, object]:
    """Return the front matter of a page: as its author wrote it, and changed where a plugin has changed it.

    MkDocs reads `version: 1.10` as 1.1. So where a page still has the value that MkDocs reads, it is the text
    of the author, `1.10`; another value is that of a plugin.
    """
    text = _written(document, page)
    if page.meta is None:
        return text
    typed = _merged([*(default.typed for default in page.defaults), document.typed])
    # Keys also have types: `on: x` is read as True. Both mappings have the keys in the order of the source.
    names = dict(zip(typed, text, strict=True)) if len(typed) == len(text) else {}
    # What MkDocs can't read is not in the values that plugins change.
    values = {} if document.typed or not document.data else dict(text)
    for key, value in page.meta.items():
        name = str(names.get(key, key))
        values[name] = text[name] if name in text and key in typed and typed[key] == value else value
    return values


def _written(document: YamlDocument, page: Page) -> dict[str, object]:
    return _merged([*(default.data for default in page.defaults), document.data])


def _merged(mappings: Sequence[object]) -> dict[Any, object]:
    """Merge like Material's meta plugin: inner values take precedence, lists are appended to outer lists."""
    known = [mapping for mapping in mappings if isinstance(mapping, dict) and mapping]
    if len(known) <= 1:
        return dict(known[0]) if known else {}
    try:
        merged: dict[Any, object] = merge({}, *known, strategy=Strategy.TYPESAFE_ADDITIVE)
    except TypeError:  # such as a list over text: the value of the page is used
        merged = {key: value for mapping in known for key, value in mapping.items()}
    return merged


Defaults = Sequence[tuple[PurePosixPath, YamlDocument]]
"""Folder → its `.meta.yml`, outermost folder first."""


def inherited(uri: str, defaults: Defaults) -> tuple[YamlDocument, ...]:
    """Return the documents of the folders that contain a page."""
    folders = PurePosixPath(uri).parents if defaults else ()
    return tuple(document for folder, document in defaults if folder in folders)


def parse_defaults(text: str, file: str = "") -> YamlDocument:
    """Parse a `.meta.yml` file: front matter for all pages in its folder. `file` is its name in problems.

    An unreadable file is an empty document with a problem, which is reported if an item inherits it.
    """
    try:
        document = parse(text)
        if document.data is not None and not isinstance(document.data, dict):
            raise RefusedError("expected keys and values", "write `key: value` lines", 1, 1)
    except RefusedError as error:
        return YamlDocument("", 0, {}, file, error.problem(file, Code.SYNTAX))
    return replace(document, file=file)
