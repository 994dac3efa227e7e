"""Files that a command brings from outside: each is the old one or the new one, whole."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(file: Path, body: bytes) -> None:
    """Write beside the file, then rename; an interruption leaves nothing behind.

    A link is followed, so that it stays. That it may be is for the caller to know (`folders.not_writable`).
    """
    file = Path(os.path.realpath(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_bytes(body)
        beside.replace(file)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()
