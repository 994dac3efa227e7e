"""Folders of files from outside: reports and VEX documents."""

from __future__ import annotations

import os
from pathlib import Path


def json_files(folder: Path) -> list[str]:
    """Paths of all files below the folder, with forward slashes, in the order of code points.

    Hidden files and folders are left out, and so is what does not end in `.json`.
    """
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = "" if parent == str(folder) else Path(parent).relative_to(folder).as_posix() + "/"
        found += [below + name for name in names if name.endswith(".json") and not name.startswith(".")]
    return sorted(found)
