"""The same catalog gives the same bytes: whatever the machine, its language, its clock and its disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .example import FIXED, build_as_process, copy_example, use_plain_theme
from .sites import Result

ROOT = Path(__file__).parent.parent
BUILD = """
import sys
from mkdocs_catalog_api.commands.main import main
main(["build", "--strict", "--quiet"], standalone_mode=False)
print(*(name for name in sys.modules if name.partition(".")[0] in ("mkdocs", "material")))
"""


def test_the_bytes_depend_on_the_sources_alone(tmp_path: Path, example_bytes: dict[str, bytes]) -> None:
    copy_example(tmp_path / "elsewhere", backwards=True)
    use_plain_theme(tmp_path / "elsewhere")
    environment = {"PYTHONHASHSEED": "12345", "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
    # Without these Python would read and write UTF-8 under the C locale, too.
    environment |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    assert build_as_process("mkdocs", tmp_path / "elsewhere", **environment) == example_bytes
    assert b'"generatedAt":"2026-11-20T06:00:00Z"' in example_bytes["manifest.json"]


def written(site: Path) -> dict[str, bytes]:
    """What a build writes into a site: documents, feeds, calendar, the way to the VEX archive."""
    files = [
        path
        for name in ("api/v1", "feeds", ".well-known")
        for path in (site / name).rglob("*")
        if path.is_file()
    ]
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in [*files, site / "eol.ics"]}


def built_by(python: Path, folder: Path, level: int) -> dict[str, bytes]:
    """The example by another Python, without MkDocs; level 1 drops assertions."""
    copy_example(folder)
    environment = os.environ | FIXED | {"PYTHONPATH": str(ROOT), "PYTHONOPTIMIZE": str(level or "")}
    done = subprocess.run(
        [python, "-c", BUILD], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "\n")
    return written(folder / "site")


def test_optimized_code_writes_the_same_bytes(tmp_path: Path, example: Result) -> None:
    assert built_by(Path(sys.executable), tmp_path, 1) == written(example.folder / "site")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["python3.12", "python3.13"])
@pytest.mark.parametrize("level", [0, 1])
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
