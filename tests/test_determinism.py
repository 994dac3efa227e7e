"""The same catalog gives the same bytes: whatever the machine, its language, its clock and its disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .example import FIXED, build_as_process, copy_example
from .sites import Result

ROOT = Path(__file__).parent.parent
BUILD = """
import sys
from mkdocs_catalog_api.commands.main import main
main(["build", "--strict", "--quiet"], standalone_mode=False)
print(*(name for name in sys.modules if name.partition(".")[0] in ("mkdocs", "material")))
"""
# Without the last two, Python would read and write UTF-8 under the C locale, too.
ELSEWHERE = {"PYTHONHASHSEED": "12345", "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
ELSEWHERE |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def written(site: Path) -> dict[str, bytes]:
    """What a build writes into a site: documents, feeds, calendar, the way to the VEX archive."""
    files = [path for name in ("api/v1", "feeds", ".well-known") for path in (site / name).rglob("*")]
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in [*files, site / "eol.ics"]
        if path.is_file()
    }


def built_by(python: str | Path, folder: Path, level: int) -> dict[str, bytes]:
    """A copy of the example, built without MkDocs on another machine; level 1 drops assertions."""
    copy_example(folder, backwards=True)
    environment = os.environ | FIXED | ELSEWHERE
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONOPTIMIZE": str(level or "")}
    done = subprocess.run(
        [python, "-c", BUILD], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "\n")
    return written(folder / "site")


def test_the_bytes_depend_on_the_sources_alone(tmp_path: Path, example: Result) -> None:
    assert built_by(sys.executable, tmp_path, 1) == written(example.folder / "site")
    assert example.json("manifest.json")["generatedAt"] == "2026-11-20T06:00:00Z"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "level"), [("python3.12", 0), ("python3.13", 1)])
def test_every_python_writes_the_same_bytes(tmp_path: Path, example: Result, name: str, level: int) -> None:
    """In the environments that `.ci/run` makes."""
    python = ROOT / f".venv-{name}/bin/python"
    if not python.exists():
        reason = f"no environment: {name} -m venv .venv-{name} && .venv-{name}/bin/pip install ."
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    assert built_by(python, tmp_path, level) == written(example.folder / "site")


@pytest.mark.slow
def test_properdocs_publishes_the_same_bytes(tmp_path: Path, example_bytes: dict[str, bytes]) -> None:
    """The fork of MkDocs that keeps its plugins."""
    copy_example(tmp_path / "example")
    assert build_as_process("properdocs", tmp_path / "example") == example_bytes
