"""What is generated and kept in the repository is current."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from pydantic_core import from_json

from .broken import REPORTS
from .refresh import GENERATED, MESSAGES, stale


@pytest.mark.parametrize("name", GENERATED)
def test_generated_files_are_current(name: str) -> None:
    files = [*map(str, stale(name))]
    assert not files, f"run `python -m tests.refresh`, and read its diff, if the change is meant: {files}"


def test_no_message_repeats_the_words_of_a_parser() -> None:
    """They change with its releases, so they are taken from the installed ones."""
    words: set[str] = set()
    for name in ("yaml._yaml", "msgspec._core"):
        parser = find_spec(name)
        assert parser and parser.origin
        phrases = re.findall(rb"(?<=\0)\w[ -~]{9,}(?=\0)", Path(parser.origin).read_bytes())
        parts = [phrase.decode().split("%")[0] for phrase in phrases]
        words |= {part for part in parts if len(part) > 14 or "`" in part}
    for report, _ in REPORTS:
        try:
            from_json(report, allow_inf_nan=False)
        except ValueError as error:
            words.add(str(error).partition(" at line ")[0])
    assert words >= {"mapping values are not allowed in this context", "Input data was truncated"}
    messages = MESSAGES.read_text("utf-8")
    assert [phrase for phrase in words if phrase in messages] == []
