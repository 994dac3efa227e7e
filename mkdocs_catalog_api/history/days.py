"""The folder of a history: one file a day.

A file is JSON with a line for each event, so that a diff in git shows the new ones.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from ..authored.folders import leads_out, project_of, read_file, write_whole
from ..authored.settings import HISTORY_FOLDER
from ..authored.site import Site
from ..catalog.events import AnyEvent
from ..catalog.history import RecordedFigures
from ..problems import CatalogError, Problem, Problems, reason
from ..problems.codes import Code
from ..problems.decoding import decoding_reason

_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7})", re.MULTILINE)
_ENCODER = msgspec.json.Encoder()


class Day(Struct, forbid_unknown_fields=True):
    """One recorded day, as in its file."""

    date: str
    events: list[AnyEvent]
    """Event 0 is in line 2 of the file."""
    figures: RecordedFigures

    @property
    def file(self) -> str:
        """Path of its file in messages."""
        return _file(self.date)


_DAY = msgspec.json.Decoder(Day)


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

        Raises:
            CatalogError: the folder can't be read or is a link, or the name of a file is not a date.
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
        for name in names:
            if not is_date(name):
                message = "the name is not a date such as 2026-11-20.json"
                raise refused(_file(name), 0, message, "move the file to another folder")
        return names

    def days(self, *, before: str | None = None) -> Iterator[Day]:
        """Read the days in order; `before`: only the days before that date.

        Raises:
            CatalogError: a file is not in the form that `record` writes.
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
        try:
            day = _DAY.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            if _CONFLICT.search(body):
                raise refused(file, 0, "unresolved merge conflict", "keep one side of the conflict") from None
            message = f"not a recorded day: {decoding_reason(error)}"
            raise refused(file, _line(str(error), body), message) from None
        if day.date != date:
            raise refused(file, 1, f"the file contains the day {day.date!r}")
        return day

    def write(self, date: str, figures: RecordedFigures, events: Iterable[AnyEvent]) -> int:
        """Write the file of a day, unless it has this content; return its number of events.

        Raises:
            OSError: it can't be written.
        """
        head = _ENCODER.encode({"date": date, "figures": figures, "events": []})
        rows = [*map(_ENCODER.encode, events)]
        body = b"\n".join([head.removesuffix(b"]}"), *([b",\n".join(rows)] if rows else []), b"]}\n"])
        target = self._path(date)
        # A link is replaced, and nothing is written through it.
        if target.is_symlink() or not target.is_file() or target.read_bytes() != body:
            if target.is_symlink():
                target.unlink()
            write_whole(target, body)
        return len(rows)

    def _path(self, date: str) -> Path:
        return self.path / f"{date}.json"


def _line(error: str, body: bytes) -> int:
    """Return the line of an error: each event has one, after the first."""
    if match := re.search(r"\$\.events\[([0-9]+)\]", error):
        return int(match[1]) + 2
    match = re.search(r"\(byte ([0-9]+)\)", error)
    if match or "truncated" in error:
        return body.rstrip().count(b"\n", 0, int(match[1]) if match else None) + 1
    return 1


def history_folder(site: Site, problems: Problems, *, to_write: bool) -> Folder | None:
    """Return the folder of the recorded days; None if it does not exist, unless `to_write`.

    Adds an error if it is in docs_dir, or behind a link out of the project.
    """
    path = site.root / HISTORY_FOLDER
    if not (to_write or os.path.lexists(path)):
        return None
    if not leads_out(path, [site.docs_dir]):
        message, hint = "the folder is in docs_dir, so MkDocs would publish it", "move it next to mkdocs.yml"
    elif leads_out(path.parent, project_of(site.root, path.parent)):
        message = f"the path of the folder {HISTORY_FOLDER!r} contains a link that leads out of the project"
        hint = "move the folder into the project"
    else:
        return Folder(path)
    problems.add(Problem(HISTORY_FOLDER, 0, 0, "", message, hint, code=Code.MISSING_PATH))
    return None
