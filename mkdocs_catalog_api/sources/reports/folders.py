"""Folders of files from outside: reports and VEX documents."""

from __future__ import annotations

from pathlib import Path

from ...authored.folders import MAX_SIZE, project_of, walk
from ...problems import Problem, Problems
from ...problems.codes import Code


def usable_files(
    folder: Path,
    label: str,
    root: Path,
    problems: Problems,
    *,
    suffixes: tuple[str, ...] = (".json",),
    max_size: int = MAX_SIZE,
) -> list[str]:
    """Paths of the files below the folder that may be read, in the order of code points.

    They have forward slashes. Left out are hidden files and folders, and what does not end in one of
    `suffixes` (in any case). A problem is added for each file of more than `max_size` bytes and for all that
    `walk` refuses; nothing is opened. `label` is how problems name the folder; `root` is the folder of
    mkdocs.yml: links may lead to what is in it and, of a folder that the settings place outside of it, to
    what is in that.
    """
    found = []
    for below, files in walk(folder, label, project_of(root, folder), problems, suffixes=suffixes):
        for name, size in files.items():
            if not name.lower().endswith(suffixes):
                continue
            if size > max_size:
                message = f"the file has {size:,} bytes and is not read: {max_size:,} are the limit"
                hint = "split it, or raise `security.max_report_size`"
                problems.add(Problem(f"{label}/{below}{name}", 0, 0, "", message, hint, code=Code.NOT_READ))
            else:
                found.append(below + name)
    return sorted(found)
