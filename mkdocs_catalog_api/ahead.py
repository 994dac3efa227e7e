"""A build that another process begins while MkDocs reads the pages, trusting that they stay as they are."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from io import FileIO
from pathlib import Path
from select import select
from typing import Any, NoReturn

from .build import Build, prepare
from .parallel import processes
from .problems import Problems
from .publish.host_headers import HeaderFile
from .publish.staging import Staging
from .settings import Settings
from .site import Site, own_files
from .sources.store import content_key

_LEAST = 64
_PATIENCE = 2.0
"""Seconds in which a process that is asked to end may tidy up."""


def worth_it(pages: int) -> bool:
    """Whether there is another processor, forking is safe, and the site is large enough."""
    return processes() > 1 and pages >= _LEAST


class Ahead:
    """`prepare` in a process of its own, forked now. End it by `build` or `drop`.

    Raises:
        OSError: it can't be begun.
    """

    def __init__(self, site: Site, settings: Settings, problems: Problems, *, strict: bool) -> None:
        self._site, self._settings = site, settings
        self._parent = os.getpid()
        with ExitStack() as undo:
            self._file = undo.enter_context(tempfile.TemporaryFile())  # both processes have it until they end
            # Open for writing in the new process and all that it forks: it ends with the last of them.
            ends, self._alive = os.pipe()
            self._ends = undo.enter_context(FileIO(ends))
            undo.callback(os.close, self._alive)
            self._staging = Staging(site.site_dir)
            undo.callback(self._staging.remove)
            self._process = os.fork()
            if self._process == 0:
                self._work(problems, strict=strict)
            undo.pop_all()
        os.close(self._alive)
        _lead(self._process)

    def _work(self, problems: Problems, *, strict: bool) -> NoReturn:
        _lead(0)
        # Whatever goes wrong here, the build that is then made instead meets and tells.
        with suppress(BaseException):
            signal.signal(signal.SIGTERM, _tidy_up)
            # Who waits for the end of a pipe, or for another plugin's lock, need not wait for this process.
            nowhere = os.open(os.devnull, os.O_RDWR)
            for entry in list(Path("/proc/self/fd").iterdir()):
                if int(entry.name) not in (0, nowhere, self._alive, self._file.fileno()):
                    os.dup2(nowhere, int(entry.name))
            state = self._state()
            build = prepare(self._site, self._settings, problems, strict=strict, staging=self._staging)
            pickle.dump((state, replace(build, site=replace(self._site, pages=()))), self._file)
            self._file.flush()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # nothing may be raised out of here
        if os.getppid() != self._parent:  # killed before it could drop this
            self._staging.remove()
        os._exit(0)

    def _state(self) -> str:
        """What tells whether anything but the pages changes that the build reads."""
        site, settings = self._site, self._settings
        names = [look.logo for look in settings.badges.values() if look.logo and "\0" not in look.logo]
        if settings.headers:
            names.append(HeaderFile(settings.headers, "").name)
        found = _status([*own_files(site.root, settings), *(site.docs_dir / name for name in names)])
        return content_key(repr((sorted(found.items()), os.environ.get("SOURCE_DATE_EPOCH"))).encode())

    def build(self, site: Site) -> Build | None:
        """The build, if the site has become what it was thought to be and nothing went wrong."""
        if site != self._site:
            self.drop()
            return None
        state = self._state()
        with suppress(ChildProcessError):  # somebody else has waited for it
            os.waitid(os.P_PID, self._process, os.WEXITED | os.WNOWAIT)
        self._file.seek(0)
        found: tuple[str, Build] | None = None
        with suppress(EOFError, pickle.UnpicklingError):
            found = pickle.load(self._file)  # noqa: S301  # our own process wrote it
        if found is None or found[0] != state:
            self.drop()
            return None
        self._reap()
        return replace(found[1], site=site)

    def drop(self) -> None:
        """Stop the work, and leave nothing of it."""
        with suppress(OSError):
            # While it is our child, nobody else's group has its number.
            ended = os.waitid(os.P_PID, self._process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                os.kill(self._process, signal.SIGTERM)
            if ended or not select([self._ends], [], [], _PATIENCE)[0]:
                os.killpg(self._process, signal.SIGKILL)
        self._reap()
        self._staging.remove()

    def _reap(self) -> None:
        """Wait until the process and all that it has forked are gone."""
        with suppress(OSError):
            os.waitpid(self._process, 0)
        self._ends.read(1)
        self._file.close()
        self._ends.close()


def _tidy_up(*_: object) -> NoReturn:
    raise SystemExit


def _lead(process: int) -> None:
    """Make a process (0: this one) the leader of a group, so that its own workers end with it.

    Both processes say it, as either may come first.
    """
    with suppress(OSError):
        os.setpgid(process, process)


def _status(paths: Iterable[Path]) -> dict[str, Any]:
    """When each file was changed last, and its size; folders with all that is in them."""
    found: dict[str, Any] = {}
    entered: set[tuple[int, int]] = set()
    left = [str(path) for path in paths]
    while left:
        path = left.pop()
        found[path] = None
        with suppress(OSError):
            status = os.stat(path)  # noqa: PTH116  # cheaper, thousands of times
            found[path] = status.st_mtime_ns, status.st_size, status.st_ino
            place = status.st_dev, status.st_ino
            if stat.S_ISDIR(status.st_mode) and place not in entered:
                entered.add(place)  # a link may lead back
                left += [entry.path for entry in os.scandir(path)]
    return found
