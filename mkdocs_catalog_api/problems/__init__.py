"""The type of every problem that an author has to fix, and the list that collects problems."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from enum import IntEnum

from msgspec import Struct

from .codes import Code

_SHOWN = 3
"""Number of places shown for identical problems."""
_POSITION = re.compile(r"\[[0-9]+\]")
# Characters that break a line, control a terminal, change the reading direction, or can't be encoded.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Level(IntEnum):
    """How much a problem matters; the numbers are those of `logging`."""

    INFO = 20
    WARNING = 30
    ERROR = 40


class _Described(Struct, frozen=True, order=True):
    file: str
    line: int
    column: int
    field: str
    message: str
    hint: str = ""
    level: Level = Level.ERROR


class Problem(_Described, frozen=True, order=True, kw_only=True):
    """One thing to fix (or, at `Level.INFO`, to know).

    `file` is relative to the folder of mkdocs.yml, with forward slashes, and empty when no file is
        involved. `line` and `column` count from 1; 0 means the whole file. `field` is a dotted path such as
        `versions[2].digest`. `message` describes the error, `hint` the fix, and `code` is the kind of
        problem. `item` is the slug of the entry in a data file. Problems with the same `group` are counted in
        one line that begins with that group. All values are exact. As text, the problem is one line with
        control characters escaped.
    """

    code: Code
    item: str = ""
    group: str = ""

    @property
    def place(self) -> str:
        """File, line and column, as far as they are known."""
        return _printable(":".join(str(part) for part in (self.file, self.line, self.column) if part))

    @property
    def said(self) -> str:
        """Field, message and hint."""
        text = f"{self.field}: {self.message}" if self.field else self.message
        return _printable(f"{text} ({self.hint})" if self.hint else text)

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.place, _printable(self.item), self.said)))


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class Problems:
    """Collects the problems of one build, so that all of them are reported together."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._problems = set(problems)

    def add(self, problem: Problem) -> None:
        self._problems.add(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        self._problems.update(problems)

    def __iter__(self) -> Iterator[Problem]:
        """In the order of files, lines and columns."""
        return iter(sorted(self._problems))

    def count(self, level: Level) -> int:
        return sum(problem.level is level for problem in self._problems)

    def refuse(self, *, strict: bool) -> bool:
        """Whether the problems prevent publication: errors always, warnings if `strict`."""
        return bool(self.count(Level.ERROR) or (strict and self.count(Level.WARNING)))

    def summary(self) -> str:
        """One line: `3 errors and 1 warning in 2 files`."""
        counted = Counter(problem.level for problem in self._problems)
        parts = [
            f"{counted[level]} {word}{'s' if counted[level] != 1 else ''}"
            for level, word in ((Level.ERROR, "error"), (Level.WARNING, "warning"))
            if counted[level]
        ]
        files = {problem.file for problem in self._problems if problem.level > Level.INFO and problem.file}
        where = f" in {len(files)} file{'s' if len(files) != 1 else ''}" if files else ""
        return " and ".join(parts or ["no problems"]) + where


def lines(problems: Problems, *, every: bool = False) -> Iterator[tuple[Level, str]]:
    """Yield each line for people: its level and its text, which ends with the code.

    Identical problems and problems of one group share a line if they have more than three places. That line
    has their number and the first places. `every` gives each problem its own line.
    """
    alike: dict[tuple[Level, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        alike[problem.level, _shared(problem)].append(problem)
    for problem in problems:
        same = alike[problem.level, _shared(problem)]
        if every or len(same) <= _SHOWN:
            yield problem.level, f"{problem} [{problem.code}]"
        elif problem is same[0]:
            places = ", ".join(f"{one.place} {_printable(one.item)}".rstrip() for one in same[:_SHOWN])
            text = f"{_shared(problem)}: {len(same)} times, first {places}; --verbose shows all"
            yield problem.level, f"{text} [{problem.code}]"


def _shared(problem: Problem) -> str:
    """The text that identical problems have in common."""
    return problem.group or _POSITION.sub("[]", problem.said)


class RefusedError(ValueError):
    """An invalid value or file: `message` gives the reason, `hint` the fix.

    `line` and `column` count from 1; they are 0 if unknown. `file` is set if the caller does not know it.
    """

    def __init__(self, message: str, hint: str = "", line: int = 0, column: int = 0, file: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message, self.hint = message, hint
        self.line, self.column, self.file = line, column, file

    def problem(self, file: str, code: Code) -> Problem:
        """The error as a problem of a file."""
        place = self.file or file, self.line, self.column
        return Problem(*place, "", self.message, self.hint, code=code)


class CatalogError(Exception):
    """The catalog has problems that prevent publication; nothing has been published."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(problems.summary())
        self.problems = problems


def reason(error: Exception, *, with_path: bool = False) -> str:
    """Return why an operation failed. Never empty, though an OSError may have `None` as `strerror`.

    The path is left out by default, since a `Problem` has its file.
    """
    text, paths = str(error), ""
    if isinstance(error, OSError) and len(error.args) > 1:
        text = error.strerror or (os.strerror(error.errno) if error.errno else "")
        paths = " -> ".join(repr(path) for path in (error.filename, error.filename2) if path is not None)
    text = text or ("memory ran out" if isinstance(error, MemoryError) else type(error).__name__)
    return f"{text}: {paths}" if paths and with_path else text
