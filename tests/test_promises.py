"""Each promise of README and guide (`promises.md`) is on its page, and has its test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .guide import page

TESTS = Path(__file__).parent
ROWS = re.findall(
    r"^\| ([\w-]+) \| (.+) \| (test_\w+)\.(test_\w+) \|$", (TESTS / "promises.md").read_text("utf-8"), re.M
)


@pytest.mark.parametrize(("name", "sentence", "module", "test"), ROWS)
def test_it_is_on_its_page_and_has_its_test(name: str, sentence: str, module: str, test: str) -> None:
    text = (TESTS.parent / "README.md").read_text("utf-8") if name == "README" else page(name)
    assert sentence in text
    assert f"\ndef {test}(" in (TESTS / f"{module}.py").read_text("utf-8")


def test_every_row_is_read() -> None:
    assert len(ROWS) == len((TESTS / "promises.md").read_text("utf-8").split("|---|\n")[1].splitlines())
