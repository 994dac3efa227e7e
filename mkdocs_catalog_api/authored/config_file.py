"""Reads mkdocs.yml without MkDocs, and keeps the places of all values for problems.

`!ENV` is supported, Python tags are ignored. Keys and defaults are those of MkDocs 1.6,
https://www.mkdocs.org/user-guide/configuration/. zensical.toml has the same keys in its table `project`,
https://zensical.org/docs/setup/basics/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import yaml
from msgspec import Struct
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from yaml_env_tag import construct_env_tag

from ..problems import Level, Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from .folders import read_configuration
from .front_matter import dotted
from .messages import location, message_and_hint
from .yaml_text import LimitedLoader, child, place, refused

PLUGIN = "catalog-api"
_READ_HERE = frozenset({PLUGIN, "meta", "offline", "search", "tags", "swagger-ui-tag"})
"""Plugins that make and change no page of the catalog, or that are read here. All others need MkDocs."""
_HARMLESS = frozenset(
    {
        *("config_file_path", "copyright", "dev_addr", "edit_uri", "edit_uri_template", "extra", "extra_css"),
        *("extra_javascript", "extra_templates", "google_analytics", "mdx_configs", "nav", "not_in_nav"),
        *("pages", "remote_branch", "remote_name", "repo_name", "repo_url", "site_author"),
        *("site_description", "validation", "watch"),
    }
)
"""Keys that are not read here, and change no page of the catalog. All others need MkDocs."""
PAGE_PATTERNS = frozenset({"draft_docs", "exclude_docs"})
"""Keys with patterns of the pages that MkDocs does not publish."""
_OF_MKDOCS = PAGE_PATTERNS | {"hooks"}
"""Further keys of MkDocs 1.6, which warns of any other."""
_INHERIT = "INHERIT"
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_DEEPEST = 20
"""Levels in which keys that stand twice are looked for: an alias may contain itself."""


class ConfigFile(Struct, frozen=True, dict=True):
    """The configuration of the site; `path` is None if it did not come from a file."""

    path: Path | None

    @property
    def name(self) -> str:
        """Return the file name for problems."""
        return self.path.name if self.path else "mkdocs.yml"

    @property
    def generator(self) -> str:
        """Return the generator that builds the pages from this file."""
        return "Zensical" if self.path and self.path.suffix == ".toml" else "MkDocs"

    @cached_property
    def _root(self) -> yaml.Node | None:
        try:
            if self.generator == "Zensical" and self.path:
                return _load_toml(read_configuration(self.path))[0]
            if self.path is None:
                return None
            return yaml.compose(read_configuration(self.path), yaml.CSafeLoader)
        except (OSError, ValueError, RecursionError, yaml.YAMLError):
            return None

    @cached_property
    def _settings(self) -> yaml.Node | None:
        """The settings of the plugin; None if the file that it inherits has them."""
        pair = child(self._root, "plugins")
        if pair is None:
            return None
        entries = pair[1].value if isinstance(pair[1], yaml.SequenceNode) else [pair[1]]
        return next((inner[1] for entry in entries if (inner := child(entry, PLUGIN))), None)

    def problem(
        self,
        path: Sequence[str | int],
        message: str,
        hint: str = "",
        level: Level = Level.ERROR,
        *,
        code: Code,
    ) -> Problem:
        """Return a problem with the place of the setting at `path`, or of its nearest existing parent."""
        return Problem(*self.place(path), message, hint, level, code=code)

    def duplicates(self) -> Iterator[Problem]:
        """Yield a problem for each key that stands twice in a mapping, of which MkDocs takes the last."""
        for path, key in _repeated(self._settings, ()):
            place = key.start_mark.line + 1, key.start_mark.column + 1, dotted([PLUGIN, *path])
            message = f"duplicate key `{key.value}`"
            yield Problem(self.name, *place, message, "remove one of them", code=Code.SYNTAX)

    def place(self, path: Sequence[str | int]) -> tuple[str, int, int, str]:
        """Return file, line, column and field of the setting at `path`, or of its nearest existing parent."""
        section = self._settings
        return self.name, *(place(section, path) if section else (0, 0)), dotted([PLUGIN, *path])

    def key(self, name: str) -> tuple[str, int, int, str]:
        """Return file, line, column and name of a key of MkDocs."""
        return self.name, *(place(self._root, [name]) if child(self._root, name) else (0, 0)), name

    def is_scalar(self, path: Sequence[str | int]) -> bool:
        """Whether the value at `path` is written as a single value."""
        node = self._settings
        for step in path:
            pair = child(node, step)
            node = pair[1] if pair else None
        return isinstance(node, yaml.ScalarNode)


def _repeated(
    node: yaml.Node | None, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], yaml.ScalarNode]]:
    """Yield each key that its mapping already has, with its path."""
    if isinstance(node, yaml.MappingNode) and len(path) < _DEEPEST:
        seen = set[str]()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen and key.value != "<<":
                    yield (*path, key.value), key
                seen.add(key.value)
                yield from _repeated(value, (*path, key.value))


Plugin = tuple[str, dict[str, Any]]
"""Name and options of a plugin."""


class _Unknown:
    """Placeholder for the value of a Python tag or a plugin's tag, which is not used here."""


class _ConfigLoader(LimitedLoader):
    """Reads YAML 1.1 types, as MkDocs does for its configuration."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> object:
        """Give an error of a value, such as a day that no calendar has, the value's place."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, TypeError, LookupError, OverflowError):
            problem = "it has no value"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None


def _unknown(*_: object) -> _Unknown:
    return _Unknown()


_ConfigLoader.add_constructor("!ENV", construct_env_tag)
_ConfigLoader.add_multi_constructor("!", _unknown)
_ConfigLoader.add_multi_constructor("tag:yaml.org,2002:python/", _unknown)


def _address(value: str | None) -> str | None:
    parts = urlsplit(value or "")
    if value and not (parts.scheme and parts.netloc):
        raise ValueError("not a URL; it must begin with https://")
    return value or None


def _entries(value: object) -> list[object]:
    if not isinstance(value, list | dict):
        raise RefusedError("expected a list of plugins", f"write `- {PLUGIN}:` below `plugins:`")
    return value if isinstance(value, list) else [{name: options} for name, options in value.items()]


def _plugin(entry: object) -> Plugin:
    if isinstance(entry, dict) and len(entry) > 1:
        first, *beside = map(str, entry)
        message = f"options of {first} are beside it: {', '.join(beside)}"
        raise RefusedError(message, "indent them by two more spaces")
    name, options = next(iter(entry.items())) if isinstance(entry, dict) and entry else (entry, None)
    if not (isinstance(name, str) and isinstance(options, dict | None)):
        raise RefusedError("expected a plugin", "write its name, or `name: {options}`")
    return name.removeprefix("material/"), options or {}


def _enabled(plugins: list[Plugin]) -> list[Plugin]:
    """Return the enabled plugins, with those of a `group` in its place."""
    enabled: list[Plugin] = []
    for name, options in plugins:
        if name == "group":
            within = _entries(options.get("plugins", [])) if options.get("enabled") else []
            enabled += _enabled([*map(_plugin, within)])
        elif name == PLUGIN or options.get("enabled") is not False:
            enabled.append((name, {key: option for key, option in options.items() if key != "enabled"}))
    return enabled


def _extensions(value: object) -> list[tuple[str, dict[str, Any]]]:
    """Return (name, options) of each Markdown extension, without options that are not plain values."""
    entries = value if isinstance(value, list) else [value]
    pairs: list[tuple[object, object]] = []
    for entry in entries:
        pairs += entry.items() if isinstance(entry, dict) else [(entry, None)]
    return [
        (name, {key: option for key, option in (options or {}).items() if not isinstance(option, _Unknown)})
        for name, options in pairs
        if isinstance(name, str) and isinstance(options, dict | None)
    ]


class Theme(BaseModel):
    """The settings of the theme that affect the pages."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    custom_dir: str | None = None
    """The folder with templates of the site."""
    language: str | None = None
    """Language of the pages: Material's setting, and that of the other themes."""
    locale: str | None = None


class MkDocsYml(BaseModel):
    """The configuration of MkDocs and its plugins that affects the API."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")

    site_name: str
    site_url: Annotated[str | None, AfterValidator(_address)] = None
    docs_dir: str = "docs"
    site_dir: str = "site"
    use_directory_urls: bool = True
    strict: bool = False
    plugins: Annotated[
        list[Annotated[Plugin, BeforeValidator(_plugin)]],
        BeforeValidator(_entries),
        AfterValidator(_enabled),
    ] = [("search", {})]
    markdown_extensions: Annotated[list[tuple[str, dict[str, Any]]], BeforeValidator(_extensions)] = []
    theme: Annotated[Theme, BeforeValidator(lambda value: value if isinstance(value, dict) else {})] = Theme()

    def options(self, plugin: str) -> Mapping[str, object] | None:
        """Return the options of a plugin, or None if it is not listed."""
        return next((options for name, options in self.plugins if name == plugin), None)

    @property
    def needs_mkdocs(self) -> bool:
        """Whether only MkDocs can determine the pages, because a key or a plugin may make or change them."""
        further = (self.model_extra or {}).keys() - _HARMLESS
        return bool(further) or any(name not in _READ_HERE for name, _ in self.plugins)

    @property
    def meta_file(self) -> str | None:
        """Name of files with defaults for pages in their folder; None without Material's meta plugin."""
        meta = self.options("meta")
        return None if meta is None else str(meta.get("meta_file", ".meta.yml"))

    @property
    def directory_urls(self) -> bool:
        """Whether URLs of pages are folders; Material's offline plugin disables that."""
        return self.use_directory_urls and self.options("offline") is None


def read_mkdocs_yml(path: Path, problems: Problems) -> MkDocsYml | None:
    """Return the configuration. If it is invalid, return None and add a problem for each error.

    Adds a warning for each key that MkDocs does not know and warns of.
    """
    try:
        root, values = _load(path)
        if _INHERIT in values:
            hint = f"write all settings into {path.name}"
            raise RefusedError("INHERIT: only MkDocs reads the other file", hint, *place(root, [_INHERIT]))
    except RefusedError as error:
        problems.add(error.problem(path.name, Code.SYNTAX))
        return None
    for key in values if path.suffix != ".toml" else ():
        if key not in MkDocsYml.model_fields.keys() | _HARMLESS | _OF_MKDOCS:
            line, column = place(root, (key,)) if child(root, key) else (0, 0)
            hint = f"remove it, or move it below `{PLUGIN}` in `plugins` if it is a setting of the catalog"
            told = "ignored: not a key of MkDocs", hint, Level.WARNING
            problems.add(Problem(path.name, line, column, str(key), *told, code=Code.SETTING))
    try:
        return MkDocsYml.model_validate({key: value for key, value in values.items() if value is not None})
    except ValidationError as error:
        for details in error.errors(include_url=False):
            where = location(details)[:2]
            line, column = place(root, where) if where[0] in values else (0, 0)
            message = message_and_hint(details)
            problems.add(Problem(path.name, line, column, str(where[0]), *message, code=Code.SETTING))
        return None


def inherits(path: Path) -> bool:
    """Whether a configuration inherits another one."""
    try:
        return _INHERIT in _load(path)[1]
    except RefusedError:
        return False


def _load(path: Path) -> tuple[yaml.Node | None, dict[str, Any]]:
    """Return a file with its places, and its values. Raises `RefusedError` if the file is invalid."""
    text = ""
    try:
        source = read_configuration(path)
        if path.suffix == ".toml":
            return _load_toml(source)
        text = source.decode("utf-8-sig")
        loader = _ConfigLoader(text)
        root = loader.get_single_node()
        data = {} if root is None else loader.construct_document(root)
    except OSError as error:
        raise RefusedError(f"the file can't be read: {reason(error)}") from None
    except UnicodeDecodeError:
        raise RefusedError("the file is not UTF-8", "save it as UTF-8") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise refused(error, text) from None
    if not isinstance(data, dict):
        raise RefusedError("not keys and values", "write `key: value` lines", 1, 1)
    return root, data


def _load_toml(source: bytes) -> tuple[yaml.Node | None, dict[str, Any]]:
    """Return the table `project` as YAML nodes with places, and its values. Without that table, return all.

    `tomllib` shows no places: a key is where its name next occurs after that of its table. Raises
    `RefusedError` if it is not valid TOML.
    """
    import tomllib  # few sites use TOML

    try:
        text = source.decode()
        data: dict[str, Any] = tomllib.loads(text)
    except UnicodeDecodeError:
        raise RefusedError("the file is not UTF-8", "save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = _TOML_PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (0, 0)
        hint = "check quotes and brackets up to here"
        raise RefusedError("not valid TOML", hint, line, column) from None
    root = _node(data, text, 0)
    if isinstance(data.get("project"), dict):
        return next(value for key, value in root.value if key.value == "project"), data["project"]
    return root, data


def _node(value: object, text: str, start: int) -> yaml.Node:
    """Return the node of a value that is behind `start` in the text."""
    mark = _mark(text, start)
    if isinstance(value, list):
        return yaml.SequenceNode("", [_node(entry, text, start) for entry in value], mark)
    if not isinstance(value, dict):
        written = str(value).lower() if isinstance(value, bool) else str(value)
        return yaml.ScalarNode("", written, mark)
    pairs = []
    for key, inner in value.items():
        name = re.compile(rf"(?<![\w-]){re.escape(key)}(?=[\w\s.\"'-]*[]=])").search(text, start)
        found = name.start() if name else start
        pairs.append((yaml.ScalarNode("", key, _mark(text, found)), _node(inner, text, found)))
    return yaml.MappingNode("", pairs, mark)


def _mark(text: str, position: int) -> yaml.Mark:
    line_start = text.rfind("\n", 0, position) + 1
    return yaml.Mark("", position, text.count("\n", 0, position), position - line_start, None, 0)
