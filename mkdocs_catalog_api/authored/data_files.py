"""Data files: a list of items in YAML, JSON, or the front matter of a Markdown page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from ..items.names import SLUG_MAX, slug_from_name
from ..problems import Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from .folders import read_file
from .front_matter import RawItem, front_matter
from .kept import KEPT
from .messages import shown
from .yaml_text import YamlDocument, parse

_SURROGATES = re.compile(r"(\\\\)|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}", re.IGNORECASE)
"""JSON's two escapes for a character above U+FFFF, which YAML does not have; or an escaped backslash."""
_HINT = "write a list, one `- ` entry for each item"


def _document(path: Path, file: str, problems: Problems) -> YamlDocument:
    """Return YAML, JSON or front matter; an empty document and a problem if it is unreadable."""
    try:
        text = read_file(path, None).decode("utf-8-sig").replace("\r\n", "\n")
        if path.suffix == ".md":
            return KEPT.of_text(text, front_matter) or YamlDocument("", 0, {})
        if path.suffix == ".json":
            text = _SURROGATES.sub(lambda pair: pair[1] or json.loads(f'"{pair[0]}"'), text)
        return KEPT.of_text(text, parse)
    except UnicodeDecodeError:
        problems.add(Problem(file, 0, 0, "", "the file is not UTF-8", "save it as UTF-8", code=Code.NOT_READ))
    except OSError as error:
        problems.add(Problem(file, 0, 0, "", f"the file can't be read: {reason(error)}", code=Code.NOT_READ))
    except RefusedError as error:
        problems.add(error.problem(file, Code.SYNTAX))
    return YamlDocument("", 0, None)


def read_list(path: Path, file: str, key: str, problems: Problems) -> list[RawItem]:
    """Return the entries of the data file at `path`. Problems are added, not raised.

    `file` is its name in problems, `key` the collection, and the key of its list in front matter.
    JSON is parsed as YAML, so that places and messages are the same.
    """
    document = _document(path, file, problems)
    data = document.data
    prefix: tuple[str | int, ...] = ()
    if path.suffix == ".md" and isinstance(data, dict):
        data, prefix = data.get(key), (key,)
        if data is None:
            message = f"no `{key}:` list in the front matter"
            problems.add(Problem(file, 1, 1, key, message, _HINT, code=Code.MISSING_FIELD))
    if data is None:  # an empty file is an empty list
        return []
    if not isinstance(data, list):
        message = f"expected a list, got {shown(data)}"
        place = *document.place(prefix), key if prefix else ""
        problems.add(Problem(file, *place, message, _HINT, code=Code.WRONG_VALUE))
        return []
    items = []
    for position, values in enumerate(data):
        item = RawItem({}, file, document, (*prefix, position), key)
        if isinstance(values, dict):
            items.append(replace(item, values=values, slug=_slug(values)))
        else:
            message = f"expected keys and values, got {shown(values)}"
            hint = "write `key: value` for each"
            problems.add(item.problem((), message, hint, code=Code.WRONG_VALUE))
    return items


def _slug(values: Mapping[str, object]) -> str:
    """Return the slug of an entry or the application of an update; empty if both are missing."""
    names = (values.get(key) for key in ("slug", "name", "application", "app"))
    name = next((name for name in names if isinstance(name, str)), "")
    with suppress(ValueError):
        return name if "slug" in values else slug_from_name(name)
    return name[:SLUG_MAX]
