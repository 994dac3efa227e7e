"""The example site, built as a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent / "example_site"
FIXED = {"SOURCE_DATE_EPOCH": "1795154400", "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
"""Environment of builds at a fixed time."""


def copy_example(folder: Path, *, backwards: bool = False) -> None:
    """Copy the example's sources; `backwards` creates the files in the opposite order."""
    for path in sorted(EXAMPLE.rglob("*"), reverse=backwards):
        if path.is_file() and "site" not in path.relative_to(EXAMPLE).parts:
            target = folder / path.relative_to(EXAMPLE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def documents(folder: Path) -> dict[str, bytes]:
    """Every document of the site in `folder`."""
    api = folder / "site/api/v1"
    return {path.relative_to(api).as_posix(): path.read_bytes() for path in api.rglob("*") if path.is_file()}


def build_as_process(program: str, folder: Path, **environment: str) -> dict[str, bytes]:
    """Build the site in `folder` with `mkdocs` or `properdocs`, at a fixed time; every document's bytes."""
    done = subprocess.run(
        [sys.executable, "-m", program, "build", "--strict", "--quiet", "-d", "site"],
        cwd=folder,
        env=os.environ | FIXED | environment,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return documents(folder)
