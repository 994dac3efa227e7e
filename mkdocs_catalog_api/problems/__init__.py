"""One type for everything that an author has to mend, and the list that collects it."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from enum import IntEnum

from msgspec import Struct

from .codes import Code

_SHOWN = 3
"""How many places of identical faults are told."""
_POSITION = re.compile(r"\[[0-9]+\]")
# What would begin a line of its own, command a terminal, turn the reading direction, or can't be encoded.
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
    """One thing to mend (or, at `Level.INFO`, to know).

    `file` is relative to the folder of mkdocs.yml, with forward slashes, and empty when no file is
    concerned. `line` and `column` count from 1; 0 means the whole file. `field` is a dotted path such as
    `versions[2].digest`. `message` says what is wrong, `hint` how to mend it, `code` of which kind it is.
    `item` names the entry of a data file: its slug. Problems with the same `group` are counted in one line
    that begins with it. All are exact; as text the problem is one line, in which control characters are
    escaped.
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
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class Problems:
    """Collects problems of one load, so that all of them are reported at once."""

    def __init__(self, found: Iterable[Problem] = ()) -> None:
        self._found = set(found)

    def add(self, problem: Problem) -> None:
        self._found.add(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        self._found.update(problems)

    def __iter__(self) -> Iterator[Problem]:
        """In the order of files, lines and columns."""
        return iter(sorted(self._found))

    def count(self, level: Level) -> int:
        return sum(problem.level is level for problem in self._found)

    def refuse(self, *, strict: bool) -> bool:
        """Whether the catalog must not be published; under `strict`, warnings refuse like errors do."""
        return bool(self.count(Level.ERROR) or (strict and self.count(Level.WARNING)))

    def summary(self) -> str:
        """One line: `3 errors and 1 warning in 2 files`."""
        counted = Counter(problem.level for problem in self._found)
        parts = [
            f"{counted[level]} {word}{'s' if counted[level] != 1 else ''}"
            for level, word in ((Level.ERROR, "error"), (Level.WARNING, "warning"))
            if counted[level]
        ]
        files = {problem.file for problem in self._found if problem.level > Level.INFO and problem.file}
        where = f" in {len(files)} file{'s' if len(files) != 1 else ''}" if files else ""
        return " and ".join(parts or ["no problems"]) + where


def lines(problems: Problems, *, every: bool = False) -> Iterator[tuple[Level, str]]:
    """The problems for people: level and text of each line, which ends with the code.

    Identical problems, and those of one group, of more than three places are one line with their number and
    the first places, unless `every` one is wanted.
    """
    alike: dict[tuple[Level, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        alike[problem.level, _shared(problem)].append(problem)
    for problem in problems:
        same = alike[problem.level, _shared(problem)]
        if every or len(same) <= _SHOWN:
            yield problem.level, f"{problem} [{problem.code}]"
        elif problem is same[0]:
            places = ", ".join(f"{each.place} {_printable(each.item)}".rstrip() for each in same[:_SHOWN])
            text = f"{_shared(problem)}: {len(same)} times, first {places}; --verbose shows all"
            yield problem.level, f"{text} [{problem.code}]"


def _shared(problem: Problem) -> str:
    """The text that stands for all problems like this one."""
    return problem.group or _POSITION.sub("[]", problem.said)


class RefusedError(ValueError):
    """A value that will not do: `message` says why, `hint` how to mend it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message, self.hint = message, hint


class CatalogError(Exception):
    """The catalog is refused; `problems` says why. Nothing has been published."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(problems.summary())
        self.problems = problems


def reason(error: Exception, *, with_path: bool = False) -> str:
    """Why an operation failed: never empty, and never `None`, which an OSError may have for its `strerror`.

    Without the path by default, since a `Problem` has its file.
    """
    text, paths = str(error), ""
    if isinstance(error, OSError) and len(error.args) > 1:
        text = error.strerror or (os.strerror(error.errno) if error.errno else "")
        paths = " -> ".join(repr(path) for path in (error.filename, error.filename2) if path is not None)
    text = text or ("memory ran out" if isinstance(error, MemoryError) else type(error).__name__)
    return f"{text}: {paths}" if paths and with_path else text
