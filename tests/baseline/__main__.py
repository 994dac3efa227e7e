"""Refresh the baseline from the example site."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from ..test_cli import EXAMPLE, call
from . import FILE, rendered

with tempfile.TemporaryDirectory() as folder:
    result = call("build", "-q", "-f", EXAMPLE, "--site-dir", folder)
    assert result.exit_code == 0, result.output
    document = json.loads((Path(folder) / "api/v1/openapi.json").read_bytes())
    FILE.write_text(rendered(document), encoding="utf-8", newline="\n")
print(f"wrote {FILE.name}")
