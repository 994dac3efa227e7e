"""What is released: built reproducibly, as it should be, and enough to build a site with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from .guide import blocks
from .programs import need

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
SITE = """site_name: Catalog
plugins:
  - catalog-api:
      registry: registry.example.org/hardened
"""
PAGE = "---\ncategory: Tools\ntier: core\nlicense: MIT\nversions: ['1.0']\n---\n"


def run(*command: str | Path, folder: Path) -> str:
    """What a program prints; the packages of this environment and the repository are not in its sight."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    fixed = {"SOURCE_DATE_EPOCH": "1795154400", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=folder, env=clean | fixed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy(folder: Path) -> None:
    """Copy the repository."""
    ignored = shutil.ignore_patterns(".*", "site", "node_modules", "__pycache__", "dist")
    shutil.copytree(ROOT, folder, ignore=ignored)


def build(folder: Path) -> list[Path]:
    """Wheel and sdist, from a copy of what is needed for them."""
    source = folder / "source"
    copy(source)
    run(sys.executable, "-m", "build", "--no-isolation", "-o", folder / "dist", folder=source)
    return sorted((folder / "dist").iterdir())


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return build(tmp_path_factory.mktemp("one"))


def test_they_are_built_reproducibly(dist: list[Path], tmp_path: Path) -> None:
    again = build(tmp_path)
    assert [path.suffix for path in dist] == [".whl", ".gz"]
    assert {path.name: path.read_bytes() for path in again} == {path.name: path.read_bytes() for path in dist}


def test_they_are_as_they_should_be(dist: list[Path], tmp_path: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *dist, folder=tmp_path)
    run(Path(sys.executable).parent / "check-wheel-contents", dist[0], folder=tmp_path)


def test_the_wheel_alone_builds_a_site(dist: list[Path], tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    run(programs / "pip", "install", "-q", dist[0], folder=tmp_path)
    (tmp_path / "docs/images").mkdir(parents=True)
    (tmp_path / "docs/index.md").write_text("# Home\n")
    (tmp_path / "docs/images/nginx.md").write_text(PAGE)
    (tmp_path / "mkdocs.yml").write_text(SITE)
    run(programs / "mkdocs", "build", "--strict", folder=tmp_path)
    run(programs / "catalog-api", "build", "--site-dir", "other", folder=tmp_path)
    found = tmp_path / "site/api/v1/images/nginx/index.json"
    assert found.read_bytes() == (tmp_path / "other/api/v1/images/nginx/index.json").read_bytes()


def test_the_start_page_needs_only_what_it_installs(tmp_path: Path) -> None:
    """The commands of a newcomer, in order, each in the environment that the first of them makes."""
    need("sh")
    copy(tmp_path / "mkdocs-catalog-api")
    for found in blocks("start"):
        if "." in found.title:
            (tmp_path / found.title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / found.title).write_text(found.text, encoding="utf-8")
        elif found.language == "sh" and "trivy " not in found.text and "mkdocs serve" not in found.text:
            run("sh", "-ec", f"[ ! -d .venv ] || . .venv/bin/activate\n{found.text}", folder=tmp_path)
    scanned = tmp_path / "site/api/v1/security/nginx.json"
    assert '"grade":"C"' in scanned.read_text("utf-8")
    # What the extra brings.
    run(tmp_path / ".venv/bin/python", "-c", "import requests, urllib3", folder=tmp_path)
