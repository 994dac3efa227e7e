"""Data files: a list of items in YAML, JSON, or the front matter of a Markdown page.

Updates may be the output of `nvcmp -j`, https://nvchecker.readthedocs.io/en/latest/usage.html. It lists
new versions without a decision. A file of decisions lists held and skipped updates with reasons. The other
updates are shipped if the catalog lists the version, else held.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from msgspec.structs import replace
from pydantic import Field

from ..catalog.fields import ItemFields
from ..catalog.model import Model
from ..catalog.models import ListedEntry, Outcome, UpdateEntry
from ..catalog.names import SLUG_MAX, slug_from_name
from ..catalog.types import Text
from ..problems import Level, Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from .messages import resembling, shown
from .pages import RawItem, front_matter
from .validate import read_entry
from .yaml_text import YamlDocument, parse

_ESCAPES = re.compile(r"\\\\|\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_HINT = "write a list, one `- ` entry for each item"


def read_document(path: Path, file: str, problems: Problems) -> YamlDocument:
    """Read YAML, JSON or the front matter of a page. Unreadable: add a problem, return an empty document.

    `file` is its name in problems.
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
    except RefusedError as error:
        problems.add(error.problem(file, Code.SYNTAX))
    return YamlDocument("", 0, None)


def read_list(path: Path, file: str, key: str, problems: Problems) -> list[RawItem]:
    """Return the entries of the data file at `path`. Problems are added, not raised.

    `file` is its name in problems, `key` the collection, and the key of its list in front matter.
    JSON is parsed as YAML, so that places and messages are the same.
    """
    document = read_document(path, file, problems)
    data = document.data
    prefix: tuple[str | int, ...] = ()
    if path.suffix == ".md" and isinstance(data, dict):
        data, prefix = data.get(key), (key,)
        if data is None:
            message = f"missing list `{key}` in the front matter"
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


def _without_surrogates(text: str) -> str:
    """Replace JSON's two escapes for a character above U+FFFF with YAML's single escape."""

    def join(match: re.Match[str]) -> str:
        if match[1] is None:  # an escaped backslash
            return match[0]
        return f"\\U{(int(match[1], 16) - 0xD800) * 0x400 + int(match[2], 16) - 0xDC00 + 0x10000:08x}"

    return _ESCAPES.sub(join, text)


class Difference(Model):
    """The output of nvcmp for one application; `oldver` is null if it was not checked before."""

    name: Text
    oldver: Text | None = None
    newver: Text | None = None
    delta: Literal["new", "old", "added", "gone", "equal"]


class Decisions(Model):
    """Applications with a held or skipped update, each with an optional reason."""

    held: Annotated[dict[str, Text | None], Field(strict=True)] = {}
    skipped: Annotated[dict[str, Text | None], Field(strict=True)] = {}

    def on(self, application: str) -> tuple[Outcome, str | None] | None:
        if application in self.skipped:
            return "skipped", self.skipped[application]
        return ("held", self.held[application]) if application in self.held else None


class ListedVersions:
    """The versions that the catalog lists, by slug and by name of their item."""

    def __init__(self, entries: Iterable[ListedEntry]) -> None:
        self._versions: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            for name in {entry.slug, entry.name}:
                self._versions[name] |= {version.version.removeprefix("v") for version in entry.versions}

    def __contains__(self, update: tuple[str, str]) -> bool:
        application, version = update
        return version.removeprefix("v") in self._versions.get(application, ())

    def names(self) -> set[str]:
        return set(self._versions)


def is_nvcmp(raws: Sequence[RawItem]) -> bool:
    """Whether a list of updates is the output of nvcmp, which is empty without new versions."""
    return not raws or any("delta" in raw.values or "newver" in raw.values for raw in raws)


Decided = tuple[Decisions, RawItem]
"""Decisions and their place."""


def read_decisions(path: Path, file: str, problems: Problems) -> Decided:
    """Return the decisions in a file, none if it is invalid. `file` is its name in problems."""
    document = read_document(path, file, problems)
    data = document.data
    raw = RawItem(data if isinstance(data, dict) else {}, file, document)
    if not (data is None or isinstance(data, dict)):
        hint = "write `held:` and `skipped:`"
        problems.add(raw.problem((), "not keys and values", hint, code=Code.WRONG_VALUE))
    values = {key: value for key, value in raw.values.items() if value is not None}
    for key in values.keys() - {"held", "skipped"}:
        hint = "use `held` or `skipped`"
        problems.add(raw.problem((key,), "unknown decision", hint, code=Code.UNKNOWN_FIELD))
    return read_entry(ItemFields(Decisions), raw, values, problems) or Decisions(), raw


def read_differences(
    raws: Sequence[RawItem], decided: Decided | None, listed: ListedVersions, problems: Problems
) -> list[tuple[RawItem, UpdateEntry]]:
    """Yield the updates in the output of nvcmp, in its order."""
    decisions = decided[0] if decided else Decisions()
    updates = []
    names = listed.names()
    for raw in raws:
        values = {key: value for key, value in raw.values.items() if value is not None}
        row = read_entry(ItemFields(Difference), raw, values, problems)
        if row is None:
            continue
        names.add(row.name)
        if row.newver is None or row.delta in ("gone", "equal"):
            continue
        by_catalog: Outcome = "shipped" if (row.name, row.newver) in listed else "held"
        outcome, note = decisions.on(row.name) or (by_catalog, None)
        update = {"application": row.name, "from": row.oldver, "to": row.newver}
        updates.append((raw, UpdateEntry.model_validate({**update, "outcome": outcome, "note": note})))
    if decided:
        problems.extend(_doubts(*decided, names))
    return updates


def _doubts(decisions: Decisions, source: RawItem, names: set[str]) -> Iterable[Problem]:
    for key, decided in (("held", decisions.held), ("skipped", decisions.skipped)):
        for name in decided:
            if name not in names:
                near = resembling(name, sorted(names))
                message = f"unknown application {name!r}"
                hint = f"did you mean `{near}`?" if near else "remove the decision"
                problem = source.problem((key, name), message, hint, code=Code.WRONG_VALUE)
                yield replace(problem, level=Level.WARNING)
            elif key == "skipped" and name in decisions.held:
                hint = "remove one of them"
                yield source.problem(
                    (key, name), "the application is both held and skipped", hint, code=Code.TWICE
                )
