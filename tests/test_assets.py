"""The published style sheet and scripts are the minified sources."""

from pathlib import Path

import pytest

from .assets import minified

pytestmark = pytest.mark.slow


def test_published_files_are_made_from_the_sources(node: Path) -> None:
    expected = minified(node)
    published = {path: path.read_bytes() for path in next(iter(expected)).parent.iterdir()}
    assert published == expected, "run `python -m tests.assets`"
