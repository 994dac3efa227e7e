"""The folder of a history: a file a day, each with the hash of the day before.

A file is JSON with a line for each event, so that it is read and written as a stream and git shows what was
added. Line ends may be those of Windows: git changes them on the way to the disk, so they are not hashed.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from ..catalog.events import AnyEvent
from ..problems import CatalogError, Problem, Problems, reason
from ..problems.codes import Code

REBUILD = (
    "when two histories were merged, run `catalog-api record --rebuild`; else get the days from git again"
)
_HEAD_END = b'"events":['
_UNFINISHED = re.compile(r"\.[0-9]{4}-[0-9]{2}-[0-9]{2}\.json\.[0-9a-f]{8}")
_STALE = 24 * 60 * 60.0
_EVENT = msgspec.json.Decoder(AnyEvent)
_ENCODER = msgspec.json.Encoder()


class _Head(Struct, forbid_unknown_fields=True):
    date: str
    previous: str | None
    events: list[str]


_HEAD = msgspec.json.Decoder(_Head)


def is_date(text: str) -> bool:
    """Whether it is a day of the calendar, as in 2026-11-20."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


class Day:
    """One recorded day; its events are read once, line by line."""

    def __init__(self, path: Path, label: str, last: Day | None, *, chained: bool) -> None:
        """`last` is the day before, read to its end; with `chained`, this day has to name its hash."""
        self.date, self._path, self._label = path.stem, path, label
        self._last, self._chained = last, chained
        self.line = 0
        """The line that was read last."""
        self.sha256 = ""
        """Of this day; known at the end."""

    def refused(self, message: str, hint: str = "get the file from git again") -> CatalogError:
        """An error that points to the line that was read last."""
        return CatalogError(
            Problems([Problem(self._label, self.line, 0, "", message, hint, code=Code.HISTORY)])
        )

    def events(self) -> Iterator[AnyEvent]:
        """The events in order.

        Raises:
            CatalogError: the file is not as `record` writes it, or does not follow the day before.
        """
        try:
            with self._path.open("rb") as file:
                lines = self._hashed(file)
                self._read_head(next(lines, b""))
                more = False
                for line in lines:
                    if line == b"]}":
                        break
                    if self.line > 2 and not more:
                        raise self.refused("a comma is missing before this line")
                    more = line.endswith(b",")
                    yield _EVENT.decode(line.removesuffix(b","))
                else:
                    raise self.refused("the file ends in the middle")
                if more or next(lines, None) is not None:
                    raise self.refused("this is not the end of a day as `record` writes it")
        except OSError as error:
            raise self.refused(f"can't be read: {reason(error)}", "") from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self.refused(f"not an event as `record` writes it: {error}") from None

    def _hashed(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines without their ends; at the end of the file the hash is known."""
        sha = hashlib.sha256()
        for line in lines:
            self.line += 1
            bare = line.rstrip(b"\r\n")
            sha.update(bare + b"\n")
            yield bare
        self.sha256 = sha.hexdigest()

    def _read_head(self, line: bytes) -> None:
        if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
            message = "git could not merge two histories of this day"
            raise self.refused(message, "keep one of the two files, then run `catalog-api record --rebuild`")
        try:
            head = _HEAD.decode(line + b"]}")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            head = None
        if head is None or head.date != self.date or head.events or not line.endswith(_HEAD_END):
            raise self.refused("not the beginning of this day as `record` writes it")
        if self._chained:
            self._check_chain(head.previous)
        self._last = None  # else each day would keep all before it

    def _check_chain(self, previous: str | None) -> None:
        last = self._last
        if previous == (last and last.sha256):
            return
        if last is None:
            message = "the first day names a day before it, which is missing"
        elif previous is None:
            message = f"this day says that it is the first, but {last.date}.json is there"
        else:
            message = (
                f"the chain is broken between {last.date}.json and this day: `previous` is not the SHA-256 "
                f"of {last.date}.json, which was changed or recorded elsewhere"
            )
        raise self.refused(message, REBUILD)


class Folder:
    """The folder of a history, which may not be there yet; `label` is how problems name it."""

    def __init__(self, path: Path, label: str) -> None:
        self.path, self.label = path, label

    @cached_property
    def dates(self) -> list[str]:
        """The recorded days in order.

        Raises:
            CatalogError: the folder can't be read, is a link, or a file of it is named after no day.
        """
        problems = Problems()
        dates = []

        def refuse(place: str, message: str, hint: str = "") -> None:
            problems.add(Problem(place, 0, 0, "", message, hint, code=Code.HISTORY))

        try:
            if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
                refuse(self.label, "not a folder", "a history is never kept behind a link")
            names = sorted(path.name for path in self.path.iterdir()) if self.path.is_dir() else []
        except OSError as error:
            refuse(self.label, f"can't be read: {reason(error)}")
            names = []
        for name in names:
            if name.endswith(".json") and not name.startswith("."):
                path = self.path / name
                if path.exists() and not path.is_file():  # reading a pipe would wait for ever
                    refuse(f"{self.label}/{name}", "not a plain file", "get the file from git again")
                elif is_date(path.stem):
                    dates.append(path.stem)
                else:
                    message = "no day is called this, and a history holds nothing else"
                    refuse(f"{self.label}/{name}", message, "move it somewhere else")
        if list(problems):
            raise CatalogError(problems)
        return dates

    def days(self, *, before: str | None = None, chained: bool = True) -> Iterator[Day]:
        """The days in order, each to be read to its end before the next; `before`: those before that date.

        With `chained`, a day is refused that does not name the hash of the one before.
        """
        last: Day | None = None
        for date in self.dates:
            if before is not None and date >= before:
                return
            last = Day(self._file(date), f"{self.label}/{date}.json", last, chained=chained)
            yield last

    def write(self, date: str, previous: str | None, events: Iterable[AnyEvent]) -> tuple[str, int]:
        """Write a day as a whole, unless it stands there already; returns its SHA-256 and count of events.

        Raises:
            OSError: it can't be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        self._sweep()
        target = self._file(date)
        beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        sha, count = hashlib.sha256(), 0
        try:
            with beside.open("xb") as file:
                for line in _lines(date, previous, events):
                    sha.update(line)
                    file.write(line)
                    count += 1
            if _sha256(target) != sha.hexdigest():
                beside.replace(target)
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()
        self.__dict__.pop("dates", None)
        return sha.hexdigest(), count - 2

    def _file(self, date: str) -> Path:
        return self.path / f"{date}.json"

    def _sweep(self) -> None:
        """Remove what killed runs left; what is not a day old may belong to one that still runs."""
        for entry in os.scandir(self.path):
            with suppress(OSError):
                if _UNFINISHED.fullmatch(entry.name) and entry.stat().st_mtime < time.time() - _STALE:
                    Path(entry.path).unlink()


def _lines(date: str, previous: str | None, events: Iterable[AnyEvent]) -> Iterator[bytes]:
    """The lines of a day: a head, the events, an end."""
    yield _ENCODER.encode({"date": date, "previous": previous, "events": []})[: -len(b"]}")] + b"\n"
    waiting = b""
    for event in events:
        if waiting:
            yield waiting + b",\n"
        waiting = _ENCODER.encode(event)
    if waiting:
        yield waiting + b"\n"
    yield b"]}\n"


def _sha256(path: Path) -> str | None:
    """Of a file, or of a day that is not there: None; a link is never what we wrote."""
    if path.is_symlink() or not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
