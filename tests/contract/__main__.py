"""Freeze the shape of the API anew, after a change that was agreed to; read the diff."""

import json
import tempfile
from pathlib import Path

from tests.contract.schemas import FROZEN
from tests.past import every_path
from tests.sites import SiteFolder

with tempfile.TemporaryDirectory() as folder:
    text = json.dumps(every_path(SiteFolder(Path(folder))).json("openapi.json"), indent=1, ensure_ascii=False)
    FROZEN.write_text(f"{text}\n", encoding="utf-8", newline="\n")
print(f"wrote {FROZEN}")
