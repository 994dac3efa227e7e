"""What is generated and kept in the repository is current."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from .refresh import GENERATED, MESSAGES, stale


@pytest.mark.parametrize("name", GENERATED)
def test_generated_files_are_current(name: str) -> None:
    assert [*stale(name)] == [], "if the change is meant: python -m tests.refresh, and read its diff"


def test_no_message_repeats_the_words_of_a_parser() -> None:
    """They change with its releases, so they are taken from the installed one."""
    parser = find_spec("yaml._yaml")
    assert parser and parser.origin
    words = re.findall(rb"(?<=\0)\w[ -~]{14,}(?=\0)", Path(parser.origin).read_bytes())
    assert b"mapping values are not allowed in this context" in words
    messages = MESSAGES.read_bytes()
    assert [phrase for phrase in words if phrase in messages] == []
