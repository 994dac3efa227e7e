"""The author's own files must not stand where a document of the API goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from ..catalog.addresses import PREFIX
from ..problems import Problem, Problems
from ..problems.codes import Code


def refuse_occupied(documents: Iterable[str], files: Mapping[str, str], problems: Problems) -> None:
    """A problem for each file that stands where documents, or the folders of documents, go.

    `documents` are paths below `api/v1/`; so are the keys of `files`, whose values name the author's file.
    That the case of letters is ignored matters on the file systems of Windows and macOS.
    """
    if not files:
        return
    ours = {path.casefold() for path in documents}
    folders = {str(parent) for path in ours for parent in PurePosixPath(path).parents}
    for path, file in files.items():
        folded = path.casefold()
        above = {str(parent) for parent in PurePosixPath(folded).parents}
        if folded in ours or folded in folders or ours & above:
            target = f"{PREFIX}/{path}"
            message = f"a document of the API would land on {target}, which this file becomes"
            problems.add(Problem(file, 0, 0, "", message, "move or rename the file", code=Code.IN_THE_WAY))
