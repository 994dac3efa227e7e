"""Write documents into a staging folder, then move it into place at once."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import sys
import threading
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ..catalog.addresses import PREFIX
from ..problems import reason

if TYPE_CHECKING:
    from filelock import BaseFileLock

_SERVED = re.compile("mkdocs_[a-z0-9_]{8}")
_SIGNALS = "SIGTERM", "SIGHUP", "SIGBREAK"
_PREVIOUS = "previous"
"""In staging: the whole API while a new one replaces it."""


class Staging:
    """A folder next to the site for one build's unpublished documents.

    While it exists, no other process builds into the same site, and a signal that ends the program removes
    it. Files of killed builds are removed first; an API that one of them was replacing is restored. Raises
    `BlockingIOError` if another process builds into the same site. Raises `OSError` if nothing can be written
    next to the site or into it.
    """

    def __init__(self, site_dir: Path) -> None:
        self._site_dir, self._removed = site_dir, True
        exit_on_signals()
        try:
            parent = _near(site_dir)
            # Site generators and servers ignore a name with a leading dot.
            name = f".{site_dir.name}-catalog-api"
            self._lock, self.folder = (
                _lock(parent / f"{name}.lock"),
                parent / f"{name}-{os.urandom(4).hex()}",
            )
            self.documents = self.folder / "documents"
            self._removed = False
            atexit.register(self.remove)  # before there is a folder to remove
            self._lock.acquire()
            if self._lock.lock_counter == 1:
                _sweep(parent, site_dir.name, site_dir / PREFIX)
                _sweep_served(parent, site_dir.name)
            self.folder.mkdir(0o700)
            self.documents.mkdir()
        except TimeoutError:
            self.remove()
            message = "another build is writing the API of this site; wait until it ends, then build again"
            raise BlockingIOError(message) from None
        except OSError as error:
            self.remove()
            message = f"this folder can't be written to ({reason(error)})"
            raise OSError(error.errno, message, str(site_dir)) from None

    def replace(self, target: Path, new: Path) -> None:
        """Replace the folder `target` with the folder `new`; if this fails, nothing changes."""
        old = self.folder / _PREVIOUS
        try:
            target.rename(old)
            new.rename(target)
        except BaseException:
            _put_back(self.folder, target)
            raise
        # A folder of this name may be restored, so it is always complete.
        old.rename(self.folder / "replaced")
        shutil.rmtree(self.folder / "replaced", ignore_errors=True)

    def remove(self) -> None:
        """Remove everything unpublished, and release the lock."""
        if self._removed:
            return
        with suppress(OSError):  # an API that can't be restored now is kept: the next build tries again
            _put_back(self.folder, self._site_dir / PREFIX)
            shutil.rmtree(self.folder, ignore_errors=True)
        self._removed = True
        _release(self._lock)
        atexit.unregister(self.remove)


def _lock(file: Path) -> BaseFileLock:
    """A lock that the system releases when its process ends; one lock per file and process.

    Taking one that another process holds raises a `TimeoutError`.
    """
    from filelock import FileLock  # saves 30 ms in `check`, which needs no lock

    return FileLock(file, blocking=False, is_singleton=True, thread_local=False)


def _release(lock: BaseFileLock) -> None:
    """Release the lock; the last holder in this process removes its file while it is still locked."""
    if lock.lock_counter == 1:
        with suppress(OSError):  # Windows can't remove an open file; there `filelock` does it later
            Path(lock.lock_file).unlink()
    lock.release()


def _near(site_dir: Path) -> Path:
    """Next to the site; inside it if renaming into it would fail: a mounted volume, a protected parent."""
    parent = site_dir.parent
    parent.mkdir(parents=True, exist_ok=True)
    if site_dir.is_dir():
        other_disk = site_dir.stat().st_dev != parent.stat().st_dev
        if other_disk or not os.access(parent, os.W_OK):
            return site_dir
    return parent


def _put_back(folder: Path, target: Path) -> None:
    """Restore the API that a build was replacing when it ended."""
    if (folder / _PREVIOUS).is_dir() and not os.path.lexists(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        (folder / _PREVIOUS).rename(target)


def _sweep(parent: Path, site: str, target: Path | None) -> None:
    """Remove files of killed builds of the site (its lock is held); an API is restored to its `target`."""
    staging = re.compile(rf"\.{re.escape(site)}-catalog-api-[a-z0-9_]{{8}}")
    for name in sorted(os.listdir(parent)):  # noqa: PTH208
        if staging.fullmatch(name):
            if target:
                _put_back(parent / name, target)
            shutil.rmtree(parent / name, ignore_errors=True)


def _sweep_served(parent: Path, site: str) -> None:
    """Remove folders of ended processes; the site of `mkdocs serve` has another name each time."""
    if not _SERVED.fullmatch(site):
        return
    served = re.compile(rf"\.({_SERVED.pattern})-catalog-api(?:-[a-z0-9_]{{8}}|\.lock)")
    names = {match[1] for name in os.listdir(parent) if (match := served.fullmatch(name))}  # noqa: PTH208
    for name in sorted(names - {site}):
        lock = _lock(parent / f".{name}-catalog-api.lock")
        with suppress(OSError):  # it is in use, or belongs to another user
            lock.acquire()
            if lock.lock_counter == 1:
                _sweep(parent, name, None)
            _release(lock)


def save(folder: Path, path: str, body: bytes) -> None:
    """Write a document into `folder`, which only this build uses.

    Raises `FileExistsError` if the path already exists. Raises `OSError` if, for example, the disk is full,
    or a name is too long.
    """
    target = f"{folder}/{path}"
    try:
        file = FileIO(target, "x")
    except FileNotFoundError:  # the first document of its folder
        os.makedirs(target.rpartition("/")[0], exist_ok=True)  # noqa: PTH103  # cheaper, thousands of times
        file = FileIO(target, "x")
    with file:
        view = memoryview(body)
        while view:
            view = view[file.write(view) :]


def exit_on_signals() -> None:
    """Make SIGTERM (a closed terminal, Ctrl-Break) end the program like Ctrl-C, so that `finally` runs.

    Existing signal handlers are kept.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _exit)


def _exit(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # the same signal again does not interrupt the cleanup
    sys.exit(128 + number)
