"""The templates of the web pages: an environment that escapes everything, and functions for templates."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError
from traceback import extract_tb
from types import CodeType
from typing import Any, cast
from urllib.parse import quote

from jinja2 import (
    BytecodeCache,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
)
from jinja2.bccache import Bucket
from markupsafe import Markup
from msgspec import Struct, field

from ..authored.folders import write_whole
from ..catalog.grading import GRADES
from ..catalog.newest_reference import install_command
from ..catalog.scans import COUNTERS
from ..items.collections import COLLECTIONS
from ..items.fields import version_model
from ..items.shown import ShownField, shown_fields
from ..problems import RefusedError
from . import history_graphs, overview
from .view import Item


class _Environment(Environment):
    def getattr(self, obj: Any, attribute: str) -> Any:
        """Prefer a field of a JSON object to a method of the same name (a field may be called `items`)."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)


_OPTIONS: dict[str, Any] = {
    "autoescape": True,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "optimized": False,  # constant folding takes longer than it saves
}
"""They change the code of a template, like the version of Jinja."""
_TEMPLATES = Path(__file__).parent / "templates"


class _CompiledTemplates(BytecodeCache):
    """Keeps the code of unchanged templates between the builds of one process.

    The code of the package's templates is also kept in `__pycache__`, as Python does with modules. It is
    used if template, options and version of Jinja are the same.
    """

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}
        self._compiler = version("jinja2"), _OPTIONS

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(f"{self._compiler} {source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))
        if bucket.code is None:
            with (
                suppress(OSError, EOFError, ValueError, UnpicklingError),
                _code_file(bucket).open("rb") as file,
            ):
                if not _others_may_write(os.fstat(file.fileno())):
                    bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        code = cast(CodeType, bucket.code)
        self._code[bucket.key, bucket.checksum] = code
        if Path(code.co_filename).is_relative_to(_TEMPLATES) and not sys.dont_write_bytecode:
            with suppress(OSError):  # a read-only installation
                write_whole(_code_file(bucket), bucket.bytecode_to_string(), _code_mode(code))


def _code_mode(code: CodeType) -> int:
    """Return the permissions that Python gives to the code of a module: those of its source, and the owner
    may write.
    """
    return Path(code.co_filename).stat().st_mode & 0o644 | 0o200


def _others_may_write(code_file: os.stat_result) -> bool:
    """Whether the code in a file may be somebody else's: it is run."""
    if not hasattr(os, "geteuid"):  # Windows: the folder decides
        return False
    if code_file.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return True
    return code_file.st_uid not in (0, os.geteuid(), _TEMPLATES.stat().st_uid)


def _code_file(bucket: Bucket) -> Path:
    """Return the path of a template's code. The key is a hash of the template's name and path."""
    return Path(cache_from_source(_TEMPLATES / f"{bucket.key}.html"))


_COMPILED = _CompiledTemplates()


def environment(overrides: Path | None) -> Environment:
    """Templates of the site's `custom_dir` override those of the package. All output is escaped."""
    package = PackageLoader("mkdocs_catalog_api", "web/templates")
    env = _Environment(
        loader=ChoiceLoader([FileSystemLoader(overrides), package]) if overrides else package,
        undefined=StrictUndefined,
        auto_reload=False,  # an environment lives for one build
        bytecode_cache=_COMPILED,
        **_OPTIONS,
    )
    own = (size, words, segments, badge, places, by_id, vulnerabilities, badge_address, columns, runs_as)
    env.filters |= {function.__name__: function for function in (*own, attached)}
    env.filters |= history_graphs.FILTERS | overview.FILTERS
    env.globals |= {"IDS_AT_ONCE": 100, "WORDS": COUNTERS, "GRADES": GRADES}
    env.globals["install_command"] = install_command
    return env


def templates_changed(overrides: Path | None) -> Sequence[int] | None:
    """When each template of the package was changed (nanoseconds); None if the site has its own."""
    if overrides and (overrides / "catalog").is_dir():
        return None
    return [file.stat().st_mtime_ns for file in sorted(_TEMPLATES.rglob("*.html"))]


def render(env: Environment, template: str, context: Mapping[str, object]) -> str:
    """The template's HTML. Raises `RefusedError` if the template is wrong or uses an undefined name."""
    try:
        return env.get_template(template).render(context)
    except TemplateSyntaxError as error:
        message, file, line = str(error.message), error.filename or template, error.lineno
        raise RefusedError(message, "correct the template", line, file=_shown(file)) from error
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, OSError) as error:
        frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename.endswith(".html")]
        file, line = (frames[-1].filename, frames[-1].lineno or 0) if frames else (template, 0)
        message = str(error) or type(error).__name__
        raise RefusedError(message, "correct the template", line, file=_shown(file)) from error


def _shown(file: str) -> str:
    """A template's path relative to its templates folder, without the folders of this machine."""
    folder, slash, name = file.replace("\\", "/").rpartition("/catalog/")
    return f"{folder.rpartition('/')[2]}{slash}{name}"


class Place(Struct, frozen=True):
    """The page of a template: turns addresses of the API into addresses relative to this page."""

    root: str
    """Relative address of the site's root: `../../`, or `""` on the home page."""
    mount: str
    origin: str | None
    """Scheme and host of the site, None without `site_url`."""
    stem: str = "index"
    """Name of the page's file without its extension."""
    homes: Mapping[str, str] = field(default_factory=dict)
    """Collection → address of the page that lists all of it, relative to the site's root."""
    language: str = ""
    """Folder of the page's language in the site, as in `de/`; empty for the default language."""
    translated: Set[str] = frozenset()
    """URLs of the pages that exist in this language, without its folder."""
    untranslated: str = ""
    """URLs of the item pages that do not, separated by spaces."""

    @property
    def data(self) -> Markup:
        """The attributes with which the script makes links."""
        names = {"root": self.root, "mount": self.mount}
        if self.language:
            names |= {"language": self.language, "only": self.untranslated}
        return Markup(" ").join(Markup('data-{}="{}"').format(*pair) for pair in names.items())

    def link(self, href: str) -> str:
        """The relative address of a root-relative one, so that the page works at any mount path.

        It leads to the page in the language of this page, if there is one.
        """
        return self.root + self._translation(href[len(self.mount) + 1 :]) or "./"

    def file(self, path: str) -> str:
        """The relative address of the file at `path` of the site."""
        return self.root + path

    @property
    def first(self) -> str:
        """The address of this page for links from pages in the same folder."""
        return "./" if self.stem == "index" else f"{self.stem}.html"

    def listing(self, resource: str, query: str = "") -> str | None:
        """The address of a collection's page with filters: `../images/?severity=critical`."""
        url = self.homes.get(resource)
        return None if url is None else (self.root + url or "./") + (f"?{query}" if query else "")

    def absolute(self, href: str) -> str | None:
        """The full address of a root-relative one."""
        path = self._translation(href[len(self.mount) + 1 :])
        return None if self.origin is None else f"{self.origin}{self.mount}/{path}"

    def _translation(self, path: str) -> str:
        """The path of a page in this language, if it exists."""
        return self.language + path if path in self.translated else path


def columns(versions: Sequence[Item], collection: str) -> Sequence[ShownField]:
    """The fields of versions that have a column, without those that no version has."""
    model = version_model(COLLECTIONS[collection].model)
    fields = [field for field in shown_fields(model) if field.shown.column] if model else []
    return [field for field in fields if any(field.of(row) not in (None, []) for row in versions)]


def runs_as(config: Mapping[str, Any]) -> str:
    """User and ports of a container: `65532, port 8080`."""
    user = config["user"] or "root"
    if {*user.split(":")} <= {"0", "root"}:
        user = "root"
    ports = config["ports"]
    return f"{user}, port{'s' if len(ports) > 1 else ''} {', '.join(ports)}" if ports else user


def attached(attestations: Sequence[str]) -> list[str]:
    """Attestations as people write them: `SBOM`."""
    return [{"sbom": "SBOM", "vex": "VEX"}.get(word, word) for word in attestations]


def size(count: int) -> str:
    """A size in bytes, in powers of 1000 as in registries: `24.2 MB`."""
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):  # noqa: B007
        if value < 999.95:
            break
        value /= 1000
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"


def words(name: str) -> str:
    """The name of a field as a label: `endOfLife` → `End of life`."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return text[:1].upper() + text[1:].lower()


def places(targets: Sequence[str]) -> str:
    """Places of a vulnerability: files, and the distribution of a whole image (`image:1.2 (alpine 3.22)`)."""
    return ", ".join(dict.fromkeys(re.sub(r"^.+ \((.+)\)$", r"\1", target) for target in targets))


def by_id(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """A row for each vulnerability: its first row, with the places of all and, as `packages`, all rows."""
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(row["id"], []).append(row)
    return [
        {**group[0], "packages": group, "targets": [place for row in group for place in row["targets"]]}
        for group in groups.values()
    ]


def vulnerabilities(ids: Sequence[Any]) -> str:
    """The number of rows as on cards and badges, and of ids if it differs: `47 vulnerabilities (20 ids)`."""
    rows = overview.counted(sum(len(each["packages"]) for each in ids), "vulnerability")
    return (
        rows
        if all(len(each["packages"]) == 1 for each in ids)
        else f"{rows} ({overview.counted(len(ids), 'id')})"
    )


def segments(figures: Item, most: int | None = None) -> Markup:
    """The parts of a stacked bar that is 8 high, and 100 wide for `most`; else it has the whole width.

    A bar is never too short to be seen.
    """
    counts = {word: count for word in COUNTERS if (count := cast(int, figures[word]))}
    total, start, parts = max(1, sum(counts.values())), 0, ""
    scale = max(100 / (most or total), 2 / total)
    for word, count in counts.items():
        x, width = f"{scale * start:.6g}", f"{scale * count:.6g}"
        parts += f'<rect class="catalog-fill-{word}" x="{x}" width="{width}" height="8"/>'
        start += count
    return Markup(parts)  # noqa: S704  # closed words and numbers


def badge(payload: Mapping[str, str]) -> Markup:
    """A badge like those of the badge renderer, without a request; one that is too long wraps.

    The space between the two texts separates them for a search index and on the clipboard.
    """
    label, message = payload["label"], payload["message"]
    parts = Markup(" ").join(
        Markup('<span><svg><rect fill="{}"/></svg>{}</span>').format(payload[color], payload[text].upper())
        for text, color in (("label", "labelColor"), ("message", "color"))
    )
    return Markup('<span class="catalog-badge" role="img" aria-label="{}: {}">{}</span>').format(
        label, message, parts
    )


def badge_address(payload: str) -> str:
    """The shields.io address of the badge with its payload at this full address."""
    return "https://img.shields.io/endpoint?url=" + quote(payload, safe=":/")
