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
    found, left = list[str](), [""]
    while left:
        below = left.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                link = entry.is_symlink()
                if Path(entry.path).is_dir() if link else entry.is_dir():
                    if not (link and _leads_back(entry.path)):
                        left.append(f"{below}{entry.name}/")
                elif entry.name.lower().endswith(".json"):
                    found.append(below + entry.name)
    return sorted(found)


def _leads_back(link: str) -> bool:
    """Whether the link leads to a folder around it, which would never end."""
    return Path(link).parent.resolve().is_relative_to(Path(link).resolve())
