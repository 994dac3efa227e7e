"""Programs that slow tests drive: real servers, a browser, the tools of other languages."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


def need(*names: str) -> None:
    """Skip the test, with the reason, when a program is missing; under CATALOG_API_REQUIRE_PROGRAMS, fail.

    An absolute path names a file or folder that has to exist.
    """
    missing = [
        name for name in names if not (Path(name).exists() if name.startswith("/") else shutil.which(name))
    ]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("CATALOG_API_REQUIRE_PROGRAMS"):
            pytest.fail(reason)
        pytest.skip(reason)
