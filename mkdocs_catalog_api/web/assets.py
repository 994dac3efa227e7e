"""The one style and the one script of the web pages."""

from __future__ import annotations

from importlib.resources import files

STYLE = "assets/catalog-api.css"
SCRIPT = "assets/catalog-api.js"
_FOLDER = files("mkdocs_catalog_api") / "assets"
FILES = {STYLE: (_FOLDER / "catalog.css").read_bytes(), SCRIPT: (_FOLDER / "catalog.js").read_bytes()}
"""Address in the site → content."""
