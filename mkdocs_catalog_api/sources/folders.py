"""Folders of files from outside: reports and VEX documents."""

from __future__ import annotations

import os
from pathlib import Path


def json_files(folder: Path) -> list[str]:
    """Paths of all files below the folder, with forward slashes, in the order of code points.

    Hidden files and folders are left out, and so is what does not end in `.json`. Links are followed.

    Raises:
        OSError: a folder can't be read; it must not pass for an empty one.
    """
    found = []
    for parent, folders, names in os.walk(folder, onerror=_refuse, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(".") and not _leads_back(parent, name)]
        below = "" if parent == str(folder) else Path(parent).relative_to(folder).as_posix() + "/"
        kept = (name for name in names if name.lower().endswith(".json") and not name.startswith("."))
        found += [below + name for name in kept]
    return sorted(found)


def _leads_back(parent: str, name: str) -> bool:
    """Whether it is a link to a folder around it, which would never end."""
    path = Path(parent, name)
    return path.is_symlink() and Path(parent).resolve().is_relative_to(path.resolve())


def _refuse(error: OSError) -> None:
    raise error
