"""The style sheet and the scripts of the web pages, without comments and blanks: `python -m tests.assets`.

Sources are in `web/assets`, published files in `web/published`. With `--check` nothing is written, and the
exit code is 1 if a published file is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

import minify

import mkdocs_catalog_api.web

WEB = Path(mkdocs_catalog_api.web.__file__).parent
SOURCES, PUBLISHED = WEB / "assets", WEB / "published"
_TYPES = {".css": "text/css", ".js": "text/javascript"}


def published() -> dict[Path, str]:
    """Published file → its content."""
    return {
        PUBLISHED / source.name.replace("catalog", "catalog-api"): minify.string(
            _TYPES[source.suffix], source.read_text("utf-8")
        )
        + "\n"
        for source in sorted(SOURCES.iterdir())
        if source.suffix in _TYPES
    }


def main() -> int:
    stale = {
        path: text
        for path, text in published().items()
        if not path.exists() or path.read_text("utf-8") != text
    }
    for path, text in stale.items():
        if "--check" in sys.argv:
            print(f"{path} is stale: run `python -m tests.assets`")
        else:
            PUBLISHED.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"wrote {path}")
    return int("--check" in sys.argv and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
