"""The one style and the one script of the web pages."""

from __future__ import annotations

import re
from importlib.resources import files

STYLE = "assets/catalog-api.css"
SCRIPT = "assets/catalog-api.js"
_FOLDER = files("mkdocs_catalog_api") / "assets"


def _small(name: str) -> bytes:
    """A file without indentation and without lines that hold a comment alone."""
    text = (_FOLDER / name).read_text("utf-8")
    return re.sub(r"^[ \t]*(?://.*\n|/\*.*\*/\n)?[ \t]*", "", text, flags=re.MULTILINE).encode()


FILES = {STYLE: _small("catalog.css"), SCRIPT: _small("catalog.js")}
"""Address in the site → content."""
