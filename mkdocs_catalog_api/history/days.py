"""The folder of a history: one file a day, each with the hash of the day before.

A file is JSON with a line for each event, so that a diff in git shows the new ones. Line ends are not hashed,
since git changes them in a checkout on Windows.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ..authored.folders import leads_out, project_of
from ..authored.settings import HISTORY_FOLDER
from ..authored.site import Site
from ..catalog.events import AnyEvent
from ..catalog.history import RecordedFigures
from ..problems import CatalogError, Problem, Problems, reason
from ..problems.codes import Code

REBUILD = "after a merge of two histories, run `catalog-api record --rebuild`; else restore the days from git"
_HEAD_END = b'"events":['
_UNFINISHED = re.compile(r"\.[0-9]{4}-[0-9]{2}-[0-9]{2}\.json\.[0-9a-f]{8}")
_STALE = 24 * 60 * 60.0
_EVENT = msgspec.json.Decoder(AnyEvent)
_ENCODER = msgspec.json.Encoder()


class _DayHead(Struct, forbid_unknown_fields=True):
    date: str
    previous: str | None
    events: list[str]
    figures: RecordedFigures | UnsetType = UNSET


_HEAD = msgspec.json.Decoder(_DayHead)


def is_date(text: str) -> bool:
    """Whether the text is a valid date such as 2026-11-20."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


class Day(NamedTuple):
    """One recorded day."""

    date: str
    label: str
    """Path of its file in messages."""
    sha256: str
    previous: str | None
    """SHA-256 of the day before."""
    figures: RecordedFigures | None
    """Counts of the catalog; None in days of earlier versions, which did not record them."""
    events: Sequence[AnyEvent]
    """Event 0 is in line 2 of the file."""


def refused(label: str, line: int, message: str, hint: str = "restore the file from git") -> CatalogError:
    """Return the error for a line in the file of a day."""
    return CatalogError(Problems([Problem(label, line, 0, "", message, hint, code=Code.HISTORY)]))


class Folder:
    """The folder of a history, which may not exist yet; `label` is its path in messages."""

    def __init__(self, path: Path, label: str) -> None:
        self.path, self.label = path, label

    @cached_property
    def dates(self) -> list[str]:
        """The recorded days in order.

        Raises:
            CatalogError: the folder can't be read or is a link, or the name of a file is not a date.
        """
        problems = Problems()
        dates = []

        def refuse(place: str, message: str, hint: str = "") -> None:
            problems.add(Problem(place, 0, 0, "", message, hint, code=Code.HISTORY))

        try:
            if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
                refuse(self.label, "not a folder", "use a folder that is not a link")
            names = sorted(path.name for path in self.path.iterdir()) if self.path.is_dir() else []
        except OSError as error:
            refuse(self.label, f"can't be read: {reason(error)}")
            names = []
        for name in names:
            if name.endswith(".json") and not name.startswith("."):
                path = self.path / name
                if path.exists() and not path.is_file():  # reading a pipe would block
                    refuse(f"{self.label}/{name}", "not a regular file", "restore the file from git")
                elif is_date(path.stem):
                    dates.append(path.stem)
                else:
                    message = "the name is not a date such as 2026-11-20.json"
                    refuse(f"{self.label}/{name}", message, "move the file to another folder")
        if list(problems):
            raise CatalogError(problems)
        return dates

    def days(self, *, before: str | None = None, chained: bool = True) -> Iterator[Day]:
        """Read the days in order; `before`: only the days before that date.

        With `chained`, each day must contain the hash of the day before.

        Raises:
            CatalogError: a file is not in the form that `record` writes, or does not follow the day before.
        """
        last: Day | None = None
        for date in self.dates:
            if before is not None and date >= before:
                return
            last = self._read(date, last, chained=chained)
            yield last

    def _read(self, date: str, last: Day | None, *, chained: bool) -> Day:
        label = f"{self.label}/{date}.json"
        try:
            with self._file(date).open("rb") as file:
                # A checkout on Windows may have changed the line ends.
                lines = [line.rstrip(b"\r\n") for line in file]
        except OSError as error:
            raise refused(label, 0, f"can't be read: {reason(error)}", "") from None
        number = min(1, len(lines))
        head = _read_head(b"".join(lines[:1]), date, label, number)
        if chained:
            _check_chain(head.previous, last, label)
        events: list[AnyEvent] = []
        more = False
        try:
            for number, line in enumerate(lines[1:], 2):
                if line == b"]}":
                    break
                if number > 2 and not more:
                    raise refused(label, number, "missing comma before this line")
                more = line.endswith(b",")
                events.append(_EVENT.decode(line.removesuffix(b",")))
            else:
                raise refused(label, number, "the file is cut off here")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise refused(label, number, f"not a valid event: {error}") from None
        if more or number < len(lines):
            message = "a day ends with `]}` here, without a comma before it and without text after it"
            raise refused(label, number if more else number + 1, message)
        sha256 = hashlib.sha256(b"\n".join([*lines, b""])).hexdigest()
        return Day(date, label, sha256, head.previous, head.figures or None, events)

    def write(
        self, date: str, previous: str | None, figures: RecordedFigures | None, events: Iterable[AnyEvent]
    ) -> tuple[str, int]:
        """Write the file of a day, unless it has this content; return its SHA-256 and number of events.

        Raises:
            OSError: it can't be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        self._sweep()
        counted = {"figures": figures} if figures else {}
        head = _ENCODER.encode({"date": date, "previous": previous, **counted, "events": []})
        rows = [*map(_ENCODER.encode, events)]
        body = b"\n".join([head.removesuffix(b"]}"), *([b",\n".join(rows)] if rows else []), b"]}\n"])
        target = self._file(date)
        # Replace a link rather than write through it.
        if target.is_symlink() or not target.is_file() or target.read_bytes() != body:
            beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
            try:
                with beside.open("xb") as file:
                    file.write(body)
                beside.replace(target)
            finally:
                beside.unlink(missing_ok=True)
        self.__dict__.pop("dates", None)
        return hashlib.sha256(body).hexdigest(), len(rows)

    def _file(self, date: str) -> Path:
        return self.path / f"{date}.json"

    def _sweep(self) -> None:
        """Remove files of killed runs; those of the last 24 hours may belong to a run in progress."""
        for entry in os.scandir(self.path):
            with suppress(OSError):
                if _UNFINISHED.fullmatch(entry.name) and entry.stat().st_mtime < time.time() - _STALE:
                    Path(entry.path).unlink()


def _read_head(line: bytes, date: str, label: str, number: int) -> _DayHead:
    """Decode the first line of a day."""
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
        message = "unresolved merge conflict"
        hint = "keep one side of the conflict, then run `catalog-api record --rebuild`"
        raise refused(label, number, message, hint)
    try:
        head = _HEAD.decode(line + b"]}")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        head = None
    if head is None or head.date != date or head.events or not line.endswith(_HEAD_END):
        raise refused(label, number, f"not a valid first line for the day {date}")
    return head


def _check_chain(previous: str | None, last: Day | None, label: str) -> None:
    if previous == (last and last.sha256):
        return
    if last is None:
        message = "the day before the first one is missing: `previous` contains its hash"
    elif previous is None:
        message = f"`previous` is null as on the first day, but {last.date}.json is before it"
    else:
        message = (
            f"the chain is broken between {last.date}.json and this day: `previous` is not the SHA-256 "
            f"of {last.date}.json"
        )
    raise refused(label, 1, message, REBUILD)


def history_folder(site: Site, problems: Problems, *, to_write: bool) -> Folder | None:
    """Return the folder of the recorded days; None if it does not exist, unless `to_write`.

    Adds an error if it is in docs_dir, or behind a link out of the project.
    """
    label = HISTORY_FOLDER
    path = site.root / label
    if not (to_write or os.path.lexists(path)):
        return None
    if not leads_out(path, [site.docs_dir]):
        message, hint = "the folder is in docs_dir, so MkDocs would publish it", "move it next to mkdocs.yml"
    elif leads_out(path.parent, project_of(site.root, path.parent)):
        message = f"the path of the folder {label!r} contains a link that leads out of the project"
        hint = "move the folder into the project"
    else:
        return Folder(path, label)
    problems.add(Problem(label, 0, 0, "", message, hint, code=Code.MISSING_PATH))
    return None
