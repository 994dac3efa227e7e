"""Programs that slow tests drive: real servers, a browser, the tools of other languages."""

from __future__ import annotations

import os
import shutil

import pytest


def need(*names: str) -> None:
    """Skip the test, with the reason, when a program is missing; under CATALOG_API_REQUIRE_PROGRAMS, fail."""
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("CATALOG_API_REQUIRE_PROGRAMS"):
            pytest.fail(reason)
        pytest.skip(reason)
