"""Documents become files: rendered into a staging folder, then moved into place as one."""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from ..catalog.addresses import PREFIX
from ..problems import reason
from .signals import exit_on_signals

if TYPE_CHECKING:
    from filelock import BaseFileLock

_SERVED = re.compile("mkdocs_[a-z0-9_]{8}")
_PREVIOUS = "previous"
"""In staging: the whole API that a new one is taking the place of."""


class Staging:
    """A folder beside the site where one build's documents wait; nothing in it is published yet.

    While it is there, no other process builds into the same site, and a signal that ends the program removes
    it. What killed builds left is removed first; an API that one of them was replacing is put back.

    Raises:
        BlockingIOError: another process builds into the same site.
        OSError: nothing can be written beside or into the site.
    """

    def __init__(self, site_dir: Path) -> None:
        self._site_dir, self._removed = site_dir, True
        exit_on_signals()
        try:
            parent = _near(site_dir)
            # The leading dot keeps site generators and servers from taking it for content.
            name = f".{site_dir.name}-catalog-api"
            self._lock, self.folder = (
                _lock(parent / f"{name}.lock"),
                parent / f"{name}-{secrets.token_hex(4)}",
            )
            self.documents = self.folder / "documents"
            self._removed = False
            atexit.register(self.remove)  # before there is anything to remove
            self._lock.acquire()
            if self._lock.lock_counter == 1:
                _sweep(parent, site_dir.name, site_dir / PREFIX)
                _sweep_served(parent, site_dir.name)
            self.folder.mkdir(0o700)
            self.documents.mkdir()
        except TimeoutError:
            self.remove()
            message = "another build is writing the API of this site; build again when it has ended"
            raise BlockingIOError(message) from None
        except OSError as error:
            self.remove()
            message = f"nothing can be written there ({reason(error)})"
            raise OSError(error.errno, message, str(site_dir)) from None

    def replace(self, target: Path, new: Path) -> None:
        """Move the folder `new` to where `target` is, which goes; if it can't be done, nothing changes."""
        old = self.folder / _PREVIOUS
        try:
            target.rename(old)
            new.rename(target)
        except BaseException:
            _put_back(self.folder, target)
            raise
        # What has this name may be put back, so it is never in parts.
        old.rename(self.folder / "replaced")
        shutil.rmtree(self.folder / "replaced", ignore_errors=True)

    def remove(self) -> None:
        """Remove all that was not published, and let other processes build."""
        if self._removed:
            return
        with suppress(
            OSError
        ):  # an API that can't be put back now is not removed: the next build tries again
            _put_back(self.folder, self._site_dir / PREFIX)
            shutil.rmtree(self.folder, ignore_errors=True)
        self._removed = True
        _release(self._lock)
        atexit.unregister(self.remove)


def _lock(file: Path) -> BaseFileLock:
    """A lock that the system takes back when its process ends; all of this process for one file are one.

    Taking one that another process holds raises a `TimeoutError`.
    """
    from filelock import FileLock  # a check, which needs none, starts 30 ms earlier

    return FileLock(file, blocking=False, is_singleton=True, thread_local=False)


def _release(lock: BaseFileLock) -> None:
    """Give the lock back; the last holder of this process removes its file while nobody else can take it."""
    if lock.lock_counter == 1:
        with suppress(OSError):  # Windows removes no open file; there `filelock` does so afterwards
            Path(lock.lock_file).unlink()
    lock.release()


def _near(site_dir: Path) -> Path:
    """Beside the site; inside of it where renaming into it would fail: a mounted volume, a guarded parent."""
    parent = site_dir.parent
    parent.mkdir(parents=True, exist_ok=True)
    if site_dir.is_dir():
        other_disk = site_dir.stat().st_dev != parent.stat().st_dev
        if other_disk or not os.access(parent, os.W_OK):
            return site_dir
    return parent


def _put_back(folder: Path, target: Path) -> None:
    """Put the API back that a build was replacing when it ended."""
    if (folder / _PREVIOUS).is_dir() and not os.path.lexists(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        (folder / _PREVIOUS).rename(target)


def _sweep(parent: Path, site: str, target: Path | None) -> None:
    """Remove what killed builds of the site left, whose lock is held; an API goes back to its `target`."""
    staging = re.compile(rf"\.{re.escape(site)}-catalog-api-[a-z0-9_]{{8}}")
    for name in sorted(os.listdir(parent)):  # noqa: PTH208
        if staging.fullmatch(name):
            if target:
                _put_back(parent / name, target)
            shutil.rmtree(parent / name, ignore_errors=True)


def _sweep_served(parent: Path, site: str) -> None:
    """The site of `mkdocs serve` has another name each time: sweep those of which no process is left."""
    if not _SERVED.fullmatch(site):
        return
    served = re.compile(rf"\.({_SERVED.pattern})-catalog-api(?:-[a-z0-9_]{{8}}|\.lock)")
    names = {match[1] for name in os.listdir(parent) if (match := served.fullmatch(name))}  # noqa: PTH208
    for name in sorted(names - {site}):
        lock = _lock(parent / f".{name}-catalog-api.lock")
        with suppress(OSError):  # it is in use, or somebody else's
            lock.acquire()
            if lock.lock_counter == 1:
                _sweep(parent, name, None)
            _release(lock)


def save(folder: Path, path: str, body: bytes) -> None:
    """Write a document below `folder`, which is nobody else's.

    Raises:
        FileExistsError: there is one at this path.
        OSError: the disk is full, a name is too long …
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
