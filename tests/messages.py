"""The wording of messages, kept in messages.txt."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .authors import told
from .broken import catalogs
from .sites import SiteFolder

SNAPSHOT = Path(__file__).with_name("messages.txt")


def messages() -> str:
    """Every problem of the broken catalogs as an author reads it, one a line."""
    lines: list[str] = []
    for broken in catalogs():
        with tempfile.TemporaryDirectory() as folder:
            site = SiteFolder(Path(folder))
            broken.write(site)
            lines += told(site)[1]
    return "".join(f"{line}\n" for line in lines)
