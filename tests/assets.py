"""Minified style sheet and scripts of the web pages: `python -m tests.assets` (needs Node.js and npm).

Sources are in `web/assets`, published files in `web/published`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import mkdocs_catalog_api.web

from .servers import node_folder

WEB = Path(mkdocs_catalog_api.web.__file__).parent


def minified(node: Path) -> dict[Path, bytes]:
    """Published file → its content, from esbuild in this folder with its packages."""
    esbuild = ["node", str(node / "node_modules/esbuild-wasm/bin/esbuild"), "--minify", "--charset=utf8"]
    return {
        WEB / "published" / source.name.replace("catalog", "catalog-api"): subprocess.run(
            [*esbuild, str(source)], check=True, capture_output=True
        ).stdout
        for source in sorted((WEB / "assets").iterdir())
    }


def main() -> None:
    with TemporaryDirectory() as folder:
        for path, content in minified(node_folder(Path(folder) / "node")).items():
            path.write_bytes(content)
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
