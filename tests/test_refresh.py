"""What is generated and kept in the repository is current."""

from __future__ import annotations

import pytest

from .refresh import GENERATED, stale


@pytest.mark.parametrize("name", GENERATED)
def test_generated_files_are_current(name: str) -> None:
    assert [*stale(name)] == [], "if the change is meant: python -m tests.refresh, and read its diff"
