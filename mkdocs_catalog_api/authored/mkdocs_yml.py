"""mkdocs.yml, read without MkDocs: `INHERIT`, `!ENV` and the tags of Python are understood or tolerated.

Keys and defaults are those of MkDocs 1.6, https://www.mkdocs.org/user-guide/configuration/. zensical.toml has
the same ones in its table `project`, https://zensical.org/docs/setup/basics/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import yaml
from mergedeep import merge
from pathspec import GitIgnoreSpec
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from yaml_env_tag import construct_env_tag

from ..problems import Problem, Problems, reason
from ..problems.codes import Code
from .config_file import MAX_PARENTS, inherited
from .messages import location, message_and_hint
from .yaml_text import YamlError, explain, mark, place


class _Unknown:
    """What a tag of Python or of a plugin would make; nobody looks at it here."""


class _ConfigLoader(yaml.CSafeLoader):
    """YAML 1.1 types, as MkDocs reads its configuration."""


def _unknown(*_: object) -> _Unknown:
    return _Unknown()


_ConfigLoader.add_constructor("!ENV", construct_env_tag)
_ConfigLoader.add_multi_constructor("!", _unknown)
_ConfigLoader.add_multi_constructor("tag:yaml.org,2002:python/", _unknown)


def _address(value: str | None) -> str | None:
    parts = urlsplit(value or "")
    if value and not (parts.scheme and parts.netloc):
        raise ValueError("not a web address; it should begin with https://")
    return value or None


def _patterns(value: object) -> GitIgnoreSpec:
    if not (value is None or isinstance(value, str)):
        raise ValueError("expected a text with one pattern in each line")
    try:
        return GitIgnoreSpec.from_lines((value or "").splitlines())
    except re.error:
        raise ValueError("one of the lines is not a pattern") from None


def _plugins(value: object) -> list[tuple[str, dict[str, Any]]]:
    """(name, options) of each plugin that is not turned off; those of a `group` in its place."""
    if not isinstance(value, list | dict):
        raise ValueError("expected a list of plugins")
    found: list[tuple[str, dict[str, Any]]] = []
    for entry in value if isinstance(value, list) else [{name: options} for name, options in value.items()]:
        name, value = (
            next(iter(entry.items())) if isinstance(entry, dict) and len(entry) == 1 else (entry, None)
        )
        options = {} if value is None else value
        if not (isinstance(name, str) and isinstance(options, dict)):
            raise ValueError("expected a list of plugins, each a name or `name: {options}`")
        name = name.removeprefix("/").removeprefix("material/")
        if name == "group":
            found += _plugins(options.get("plugins", [])) if options.get("enabled") else []
        elif name == "catalog-api" or options.get("enabled") is not False:
            found.append((name, {key: option for key, option in options.items() if key != "enabled"}))
    return found


def _custom_dir(value: object) -> object:
    return value.get("custom_dir") if isinstance(value, dict) else None


class MkDocsYml(BaseModel):
    """What MkDocs and its plugins would go by, as far as it decides what the API says."""

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True, strict=True)

    site_name: str
    site_url: Annotated[str | None, AfterValidator(_address)] = None
    docs_dir: str = "docs"
    site_dir: str = "site"
    use_directory_urls: bool = True
    strict: bool = False
    exclude_docs: Annotated[GitIgnoreSpec, BeforeValidator(_patterns)] = GitIgnoreSpec([])
    draft_docs: Annotated[GitIgnoreSpec, BeforeValidator(_patterns)] = GitIgnoreSpec([])
    plugins: Annotated[list[tuple[str, dict[str, Any]]], BeforeValidator(_plugins)] = [("search", {})]
    hooks: list[Any] = []
    theme: Annotated[str | None, BeforeValidator(_custom_dir)] = None
    """The folder with the site's own templates, `theme.custom_dir`."""

    def options(self, plugin: str) -> Mapping[str, object] | None:
        """The options of a plugin, None when it is not listed."""
        return next((options for name, options in self.plugins if name == plugin), None)

    @property
    def directory_urls(self) -> bool:
        """Whether pages are addressed as folders; Material's offline plugin turns that off."""
        return self.use_directory_urls and self.options("offline") is None


def read_mkdocs_yml(path: Path, problems: Problems) -> MkDocsYml | None:
    """The configuration; None, and a problem for each fault, when it can't be used."""
    try:
        root, merged = _load(path, path.name, 0)
    except YamlError as error:
        problems.add(error.problem(str(error)))
        return None
    try:
        return MkDocsYml.model_validate({key: value for key, value in merged.items() if value is not None})
    except ValidationError as error:
        for details in error.errors(include_url=False):
            where = location(details)[:1]
            line, column = place(root, where) if where[0] in merged else (0, 0)
            said = message_and_hint(details)
            problems.add(Problem(path.name, line, column, str(where[0]), *said, code=Code.SETTING))
        return None


def _load(path: Path, name: str, depth: int) -> tuple[yaml.Node | None, dict[str, Any]]:
    """A file with its places, and its values merged over those that it inherits.

    Raises:
        YamlError: it can't be used; the error's text is the name of the file.
    """
    source = b""
    try:
        source = path.read_bytes()
        if path.suffix == ".toml":
            from .toml_text import load as load_toml  # few sites are built from TOML

            return load_toml(source)
        loader = _ConfigLoader(source)
        root = loader.get_single_node()
        data = {} if root is None else loader.construct_document(root)
    except OSError as error:
        raise _error(name, 0, 0, f"the file can't be read: {reason(error)}") from None
    except YamlError as error:
        raise _error(name, error.line, error.column, error.message, error.hint) from None
    except yaml.MarkedYAMLError as error:
        where = mark(error)
        said = explain(error, source.decode("utf-8", "replace"))
        raise _error(name, where.line + 1, where.column + 1, *said) from None
    except (yaml.YAMLError, ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise _error(name, 0, 0, f"not valid YAML: {str(error)[:200]}") from None
    if not isinstance(data, dict):
        raise _error(name, 1, 1, "not keys and values", "write `key: value` lines")
    parent = data.pop("INHERIT", None)
    if parent is None:
        return root, data
    line, column = place(root, ("INHERIT",))
    if depth == MAX_PARENTS or not isinstance(parent, str) or not (path.parent / parent).is_file():
        hint = "give the path from the folder of this file"
        raise _error(name, line, column, f"INHERIT: no file to inherit from: {parent!r}", hint)
    return root, merge(_load(path.parent / parent, inherited(name, parent), depth + 1)[1], data)


def _error(name: str, line: int, column: int, message: str, hint: str = "") -> YamlError:
    error = YamlError(line, column, message, hint)
    error.args = (name,)
    return error
