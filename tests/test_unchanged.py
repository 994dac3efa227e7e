"""Editing while the suite runs shows, whatever the tests found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEST = "def test_it():\n    with open('tests/data.txt', 'a') as file:\n        file.write({!r})\n"


@pytest.mark.parametrize(("written", "workers", "code"), [("", "0", 0), ("edited", "1", 1)])
def test_a_run_fails_if_a_file_has_changed(tmp_path: Path, written: str, workers: str, code: int) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/data.txt").touch()
    (tmp_path / "tests/test_it.py").write_text(TEST.format(written))
    (tmp_path / "plugin.py").write_text((ROOT / "tests/unchanged.py").read_text("utf-8"))
    command = [sys.executable, "-m", "pytest", "-p", "plugin", "-p", "xdist", "--rootdir", ".", "-n", workers]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout
    assert ("(tests/data.txt)" in done.stdout) is bool(code)
