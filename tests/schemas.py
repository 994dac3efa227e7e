"""The schemas for editors in the package: `python -m tests.schemas` refreshes them."""

from __future__ import annotations

import json
from pathlib import Path

import mkdocs_catalog_api
from mkdocs_catalog_api.authored.schemas import schemas
from mkdocs_catalog_api.documents.table import LOOKUP_NAMES
from mkdocs_catalog_api.sources.reports.formats import SCANNERS

FOLDER = Path(mkdocs_catalog_api.__file__).parent / "schemas"


def fresh() -> dict[str, str]:
    """File name → text of each schema as the code has it now."""
    return {
        name: json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
        for name, schema in schemas(lookups=LOOKUP_NAMES, scanners=[*SCANNERS]).items()
    }


if __name__ == "__main__":
    for name, text in fresh().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
