"""The shape of the example's API as it was last agreed: what a change is compared with.

`python -m tests.baseline` writes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs_catalog_api.api.compatibility import shape

FILE = Path(__file__).parent / "v1.json"


def rendered(document: dict[str, Any]) -> str:
    """The shape of an OpenAPI document as the file holds it."""
    return json.dumps(shape(document), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
