"""Data files: a list of items in YAML or JSON, or below a key of a Markdown page's front matter."""

from __future__ import annotations

import re
from pathlib import Path

from ..problems import Problem, Problems, reason
from ..problems.codes import Code
from .messages import shown
from .pages import RawItem, front_matter
from .yaml_text import YamlDocument, YamlError, parse

_ESCAPES = re.compile(r"\\\\|\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_HINT = "write a list, one `- ` entry for each item"


def read_document(path: Path, file: str, problems: Problems) -> YamlDocument:
    """A file in YAML or JSON, or a Markdown page's front matter; an empty one and a problem when unreadable.

    `file` is how problems name it.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        if path.suffix == ".md":
            return front_matter(text) or YamlDocument("", 0, {})
        return parse(_without_surrogates(text) if path.suffix == ".json" else text)
    except UnicodeDecodeError:
        problems.add(Problem(file, 0, 0, "", "the file is not UTF-8", "save it as UTF-8", code=Code.NOT_READ))
    except OSError as error:
        problems.add(Problem(file, 0, 0, "", f"the file can't be read: {reason(error)}", code=Code.NOT_READ))
    except YamlError as error:
        problems.add(error.problem(file))
    return YamlDocument("", 0, None)


def read_list(path: Path, file: str, key: str, problems: Problems) -> list[RawItem]:
    """The entries of the data file at `path`; problems are added, not raised.

    `file` is how problems name it, `key` where the list stands in a Markdown page's front matter.
    JSON is read as the YAML that it is, so places and messages are the same.
    """
    document = read_document(path, file, problems)
    data = document.data
    prefix: tuple[str | int, ...] = ()
    if path.suffix == ".md" and isinstance(data, dict):
        data, prefix = data.get(key), (key,)
        if data is None:
            message = f"no list `{key}` in the front matter"
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
        item = RawItem(values if isinstance(values, dict) else {}, file, document, (*prefix, position))
        if isinstance(values, dict):
            items.append(item)
        else:
            message = f"expected keys and values, got {shown(values)}"
            hint = "write `key: value` for each"
            problems.add(item.problem((), message, hint, code=Code.WRONG_VALUE))
    return items


def _without_surrogates(text: str) -> str:
    """JSON's two escapes for a character beyond U+FFFF as the one that YAML has."""

    def join(match: re.Match[str]) -> str:
        if match[1] is None:  # an escaped backslash
            return match[0]
        return f"\\U{(int(match[1], 16) - 0xD800) * 0x400 + int(match[2], 16) - 0xDC00 + 0x10000:08x}"

    return _ESCAPES.sub(join, text)
