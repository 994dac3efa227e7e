"""The folder of a history: one file a day.

A file is JSON with a line for each image that changed, so that Git shows and merges them one by one.
"""

from __future__ import annotations

import datetime
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from ..authored import clock
from ..authored.folders import is_within, read_file, write_whole
from ..authored.settings import HISTORY_FOLDER
from ..authored.site import Site
from ..catalog.populations import populations
from ..catalog.recorded import RecordedFigures
from ..catalog.value import Catalog
from ..items import names
from ..problems import CatalogError, Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from ..problems.decoding import decoding_reason
from .facts import FactChanges, Facts, known

_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7})", re.MULTILINE)
_ENCODER = msgspec.json.Encoder(order="deterministic")


class _File(Struct, forbid_unknown_fields=True):
    date: str
    figures: RecordedFigures
    images: dict[str, msgspec.Raw]
    """Image 0 is in line 2."""


class Day(NamedTuple):
    """One recorded day."""

    date: str
    figures: RecordedFigures
    images: Mapping[str, FactChanges | None]
    """Slug → what differs from the days before; None if the image left."""


_FILE = msgspec.json.Decoder(_File)
_IMAGE = msgspec.json.Decoder(FactChanges | None)


def is_date(text: str) -> bool:
    """Whether the text is a valid date such as 2026-11-20."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _file(date: str) -> str:
    return f"{HISTORY_FOLDER}/{date}.json"


def refused(file: str, line: int, message: str, hint: str = "restore the file from git") -> CatalogError:
    """Return the error for a line in the file of a day, or for the folder."""
    return CatalogError(Problems([Problem(file, line, 0, "", message, hint, code=Code.HISTORY)]))


class Folder:
    """The folder of a history, which may not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def dates(self) -> list[str]:
        """The recorded days in order.

        Raises `CatalogError` if the folder can't be read or is a link, or the name of a file is not a date.
        """
        if not os.path.lexists(self.path):
            return []
        if self.path.is_symlink() or not self.path.is_dir():
            raise refused(HISTORY_FOLDER, 0, "not a folder", "use a folder that is not a link")
        try:
            files = sorted(path.name for path in self.path.iterdir())
        except OSError as error:
            raise refused(HISTORY_FOLDER, 0, f"can't be read: {reason(error)}", "") from None
        names = [name[:-5] for name in files if name.endswith(".json") and not name.startswith(".")]
        today = clock.latest().date().isoformat()
        for name in names:
            if not is_date(name) or not "1970" <= name <= today:
                message = "the name is not a date such as 2026-11-20.json, up to today"
                raise refused(_file(name), 0, message, "move the file to another folder")
        return names

    def days(self, *, before: str | None = None) -> Iterator[Day]:
        """Read the days in order; `before`: only the days before that date.

        Raises `CatalogError` if a file is not in the form that `record` writes.
        """
        for date in self.dates:
            if before is not None and date >= before:
                return
            yield self._read(date)

    def _read(self, date: str) -> Day:
        file = _file(date)
        try:
            body = read_file(self._path(date))
        except OSError as error:
            raise refused(file, 0, f"can't be read: {reason(error)}", "") from None
        line = 0
        try:
            day, images = _FILE.decode(body), {}
            for line, (slug, changes) in enumerate(day.images.items(), 2):  # noqa: B007
                images[names.slug(slug)] = _IMAGE.decode(changes)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, RefusedError) as error:
            if _CONFLICT.search(body):
                raise refused(file, 0, "unresolved merge conflict", "keep one side of the conflict") from None
            said = str(error) if isinstance(error, RefusedError) else decoding_reason(error)
            message = f"not a recorded day: {said}"
            raise refused(file, line or _line(str(error), body), message) from None
        slugs = [row.partition(b":")[0] for row in body.splitlines() if row.startswith(b'"')]
        if twice := [slug for slug, number in Counter(slugs).items() if number > 1]:
            line = len(slugs) - slugs[::-1].index(twice[0]) + 1
            raise refused(file, line, f"{twice[0].decode()} stands twice", "keep one of the lines")
        if day.date != date:
            raise refused(file, 1, f"the file contains the day {day.date!r}")
        return Day(date, day.figures, images)

    def check_next(self, date: str) -> None:
        """Check whether a day can be recorded. Raises `CatalogError` if a later day is recorded."""
        if self.dates and date < self.dates[-1]:
            message = f"{date} is before {self.dates[-1]}, the last recorded day"
            hint = "omit `--date` to record today, or use a later date"
            raise refused(HISTORY_FOLDER, 0, message, hint)

    def record(self, date: str, catalog: Catalog, before: Mapping[str, Facts]) -> Day:
        """Write what a day's catalog knows and the days before do not, unless the file has this content.

        Raises `OSError` if it can't be written.
        """
        now = known(catalog)
        images = {
            slug: now[slug].changes(before.get(slug, Facts())) if slug in now else None
            for slug in sorted({*before, *now})
        }
        figures = RecordedFigures(*(population.published for population in populations(catalog)))
        head = _ENCODER.encode({"date": date, "figures": figures, "images": {}})
        rows = [
            _ENCODER.encode(slug) + b":" + _ENCODER.encode(changes)
            for slug, changes in images.items()
            if changes != {} or slug not in before
        ]
        body = b"\n".join([head.removesuffix(b"}}"), *([b",\n".join(rows)] if rows else []), b"}}\n"])
        target = self._path(date)
        if target.is_symlink() or not target.is_file() or read_file(target, None) != body:
            write_whole(target, body)
        return self._read(date)

    def _path(self, date: str) -> Path:
        return self.path / f"{date}.json"


def _line(error: str, body: bytes) -> int:
    """Return the line of an error in the whole file."""
    match = re.search(r"\(byte ([0-9]+)\)", error)
    if match or "truncated" in error:
        return body.rstrip().count(b"\n", 0, int(match[1]) if match else None) + 1
    return 1


def history_folder(site: Site, problems: Problems, *, to_write: bool) -> Folder | None:
    """Return the folder of the recorded days; None if it does not exist, unless `to_write`.

    Adds an error if it is in docs_dir.
    """
    path = site.root / HISTORY_FOLDER
    if not (to_write or os.path.lexists(path)):
        return None
    if not is_within(path, site.docs_dir):
        return Folder(path)
    message, hint = "the folder is in docs_dir, so MkDocs would publish it", "move it next to mkdocs.yml"
    problems.add(Problem(HISTORY_FOLDER, 0, 0, "", message, hint, code=Code.MISSING_PATH))
    return None
