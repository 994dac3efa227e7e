"""ProperDocs, the fork of MkDocs that keeps its plugins."""

from __future__ import annotations

from pathlib import Path

import pytest

from .example import build_as_process, copy_example


@pytest.mark.slow
def test_it_publishes_the_same_bytes(tmp_path: Path, example_bytes: dict[str, bytes]) -> None:
    copy_example(tmp_path / "example")
    assert build_as_process("properdocs", tmp_path / "example") == example_bytes
