"""What `mkdocs serve` keeps from one build to the next: values, with all that they are made from."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar, cast

from .folders import read_file

_T = TypeVar("_T")
_SETTLED = 2 * 10**9  # nanoseconds; no file system has times that are coarser


class Kept:
    """Values by what they were made from. They are never changed.

    - A text gives the same value again.
    - So does a file if its identity, size and times are the same. The next change of one that was changed
      less than two seconds before could have the same time, so its value is not kept.
    - Other values are made again unless all that they are made from is equal.
    - What a build has not asked for is forgotten by the next one.
    """

    def __init__(self) -> None:
        self.keeps = False
        """Whether there will be another build. Else nothing is kept, which saves memory."""
        self._last: dict[Hashable, object] = {}
        self._new: dict[Hashable, object] = {}

    def begin(self) -> None:
        """Begin a build."""
        if self.keeps:
            self._last, self._new = self._new, {}

    def of_text(self, text: str, make: Callable[[str], _T]) -> _T:
        """Return what `make` returns for the text."""
        return self._value((make, text), lambda: make(text)) if self.keeps else make(text)

    def of_file(self, path: Path, make: Callable[[bytes], _T]) -> _T:
        """Return what `make` returns for the content of a file.

        Raises `OSError` if the file can't be read.
        """
        if self.keeps:
            now, file = time.time_ns(), path.lstat()
            if file.st_mtime_ns < now - _SETTLED:
                state = file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns
                return self._value((make, path, state), lambda: make(read_file(path, None)))
        return make(read_file(path, None))

    def of_equal(self, name: Hashable, sources: object, make: Callable[[], _T]) -> _T:
        """Return what `make` returns, or has returned under this name from equal sources."""
        if not self.keeps:
            return make()
        last = cast(tuple[object, _T] | None, self._last.get(name))
        value = last[1] if last and last[0] == sources else make()
        self._new[name] = sources, value
        return value

    def _value(self, key: Hashable, make: Callable[[], _T]) -> _T:
        if key not in self._new:
            self._new[key] = self._last[key] if key in self._last else make()
        return cast(_T, self._new[key])


KEPT = Kept()
"""Of this process."""
