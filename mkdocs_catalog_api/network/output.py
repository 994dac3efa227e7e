"""The files and problems of a run of `catalog-api sync`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from ..authored.folders import not_writable, read_file, write_whole
from ..problems import Problem, Problems
from .client import CHECK, NoAnswerError, UnavailableError


class Output:
    """Writes the files that change, and collects problems. It fills `changes` and `unchanged`."""

    def __init__(self, root: Path, problems: Problems, *, dry_run: bool = False) -> None:
        """`root` is the folder of mkdocs.yml."""
        self.root, self.problems, self._dry_run = root, problems, dry_run
        self._lock = Lock()
        self._down: dict[str, list[Problem]] = defaultdict(list)
        self.changes: dict[str, tuple[str, ...]] = {}
        """File, relative to mkdocs.yml → what changed, for people: `+ 1.2`, `- 1.1`, `~ 1`."""
        self.unchanged = 0

    def writable(self, name: str) -> bool:
        """Whether a file can be written. If not, a problem is added."""
        fault = not_writable(self.root / name, name, self.root)
        if fault:
            self.problems.add(fault)
        return fault is None

    def earlier(self, name: str) -> bytes | None:
        """Return the existing file, empty if there is none; None if it can't be written.

        Raises `OSError` if it can't be read.
        """
        file = self.root / name
        if not self.writable(name):
            return None
        return read_file(file, None) if file.exists() else b""

    def write(self, name: str, before: bytes, body: bytes, details: Iterable[str] = ()) -> None:
        """Write a file if it differs from the one `before` this run."""
        with self._lock:
            if body != before:
                self.changes[name] = tuple(details)
            elif body:
                self.unchanged += 1
        if body != before and not self._dry_run:
            write_whole(self.root / name, body)

    def fail(self, error: NoAnswerError, problem: Problem) -> None:
        """Add the problem that an error causes. Problems of a host that is down become one."""
        with self._lock:
            if isinstance(error, UnavailableError) and error.down:
                self._down[error.down].append(replace(problem, hint=CHECK, group=""))
            else:
                self.problems.add(problem)

    def close(self) -> None:
        """Sort the changes, and add a problem for each host that is down."""
        self.changes = dict(sorted(self.changes.items()))
        for problems in self._down.values():
            first, *others = sorted(problems)
            more = f"; skipped for the same reason: {len(others)} more" if others else ""
            self.problems.add(replace(first, message=first.message + more))
