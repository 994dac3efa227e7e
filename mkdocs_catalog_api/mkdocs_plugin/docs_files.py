"""What lies in docs_dir and would make MkDocs hang, or leave out pages without a word."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..authored.folders import name_of, walk
from ..problems import Problems

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


def refuse_unreadable(files: Files, config: MkDocsConfig, problems: Problems) -> None:
    """A problem for each pipe, device, socket and unreadable folder; none of them is left in `files`.

    MkDocs follows links wherever they lead, so they are not refused here.
    """
    folder = Path(config.docs_dir)
    root = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
    excluded = config.exclude_docs

    def skip(path: str) -> bool:
        return excluded is not None and excluded.match_file(path)

    found = Problems()
    for _ in walk(folder, name_of(folder, root), (Path(folder.anchor),), found, suffixes=("",), skip=skip):
        pass
    problems.extend(found)
    if list(found):
        for file in [*files]:
            path = file.abs_src_path
            if path is not None and os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
                files.remove(file)
