"""One process at a time, by a lock that the system takes back when its holder ends, however it ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        """Windows keeps others from reading what is locked, so a byte behind the number is."""
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
        return True
else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Whether it is locked now; not where the file system has no locks."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            return False
        return True


_held: dict[Path, tuple[int, int]] = {}
"""Each lock of this process → its descriptor, and how many hold it."""


def acquire(path: Path) -> bool:
    """Take the lock that the file stands for, which is made for it. A process can hold it more than once.

    Returns whether nobody held it before, neither another process nor this one.

    Raises:
        BlockingIOError: another process holds it; says which.
        OSError: the file can't be made.
    """
    if path in _held:
        descriptor, holders = _held[path]
        _held[path] = descriptor, holders + 1
        return False
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            locked = _lock(descriptor)
            if _is_at(descriptor, path):
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.ftruncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                _held[path] = descriptor, 1
                return locked
        except BlockingIOError:
            os.lseek(descriptor, 0, os.SEEK_SET)
            number = os.read(descriptor, 20).decode("ascii", "replace")
            raise BlockingIOError(f"process {number}" if number else "another process") from None
        finally:
            if path not in _held:
                os.close(descriptor)


def release(path: Path) -> None:
    """Give the lock back, and remove its file with the last holder of this process."""
    descriptor, holders = _held.pop(path, (-1, 0))
    if holders > 1:
        _held[path] = descriptor, holders - 1
    elif holders:
        with suppress(OSError):  # Windows removes no file that is open
            path.unlink()
        os.close(descriptor)
        if sys.platform == "win32":
            with suppress(OSError):  # another process may have it open by now
                path.unlink()


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the file is still there: who held the lock before has removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
