"""What is released: built reproducibly, as it should be, and enough to build a site with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .guide import block, blocks
from .servers import serve

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


def test_they_are_built_reproducibly_as_they_should_be(dist: list[Path], tmp_path: Path) -> None:
    again = build(tmp_path)
    assert [path.suffix for path in dist] == [".whl", ".gz"]
    assert {path.name: path.read_bytes() for path in again} == {path.name: path.read_bytes() for path in dist}
    run(sys.executable, "-m", "twine", "check", "--strict", *dist, folder=tmp_path)
    run(Path(sys.executable).parent / "check-wheel-contents", dist[0], folder=tmp_path)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with one image."""
    for path, text in (
        ("docs/index.md", "# Home\n"),
        ("docs/images/nginx.md", PAGE),
        ("mkdocs.yml", SITE),
    ):
        target = tmp_path / "site" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return tmp_path / "site"


def test_the_wheel_alone_builds_a_site(dist: list[Path], site: Path) -> None:
    uv = Path(sys.executable).parent / "uv"
    run(uv, "venv", "-q", "--python", sys.executable, folder=site)
    run(uv, "pip", "install", "-q", dist[0], folder=site)
    run(site / ".venv/bin/mkdocs", "build", "--strict", folder=site)
    run(site / ".venv/bin/catalog-api", "build", "--site-dir", "other", folder=site)
    found = site / "site/api/v1/images/nginx/index.json"
    assert found.read_bytes() == (site / "other/api/v1/images/nginx/index.json").read_bytes()


def test_the_first_page_installs_from_a_commit(site: Path, tmp_path: Path) -> None:
    """Its lines for requirements.txt and pip, then the README's, from a server of this machine."""
    source = tmp_path / "repository"
    copy(source)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "First"], ["update-server-info"]):
        run(*git, *words, folder=source)
    commit = run("git", "rev-parse", "HEAD", folder=source).strip()
    requirements = block("index", "requirements.txt")
    (readme,) = re.findall(r"^pip install '.*$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    (commands,) = [each.text for each in blocks("index", "sh") if each.text.startswith("python3 -m venv")]
    with serve(source) as port:
        address = f"http://127.0.0.1:{port}/.git"
        for printed, meant in (
            ("https://git.example.org/YOU/mkdocs-catalog-api", address),
            ("@COMMIT", f"@{commit}"),
        ):
            requirements, readme = requirements.replace(printed, meant), readme.replace(printed, meant)
        (site / "requirements.txt").write_text(requirements, "utf-8")
        run("sh", "-ec", commands, folder=site)
        run("sh", "-ec", f". .venv/bin/activate\n{readme}", folder=site)
    run(site / ".venv/bin/catalog-api", "build", folder=site)
    run(site / ".venv/bin/python", "-c", "import requests, urllib3", folder=site)  # the extra brings it
    assert (site / "site/api/v1/images/nginx/index.json").is_file()
