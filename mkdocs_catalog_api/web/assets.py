"""The style sheet and the script of the web pages, published as they are written."""

from __future__ import annotations

from importlib.resources import files

STYLE = "assets/catalog-api.css"
SCRIPT = "assets/catalog-api.js"
_FOLDER = files("mkdocs_catalog_api.web") / "assets"
FILES = {STYLE: (_FOLDER / "catalog.css").read_bytes(), SCRIPT: (_FOLDER / "catalog.js").read_bytes()}
"""Path in the site → content."""
