"""What is released: built reproducibly, as it should be, and enough to build a site with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from .guide import block, blocks

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


def test_the_first_page_and_the_readme_install_from_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines for requirements.txt and pip, each in a new environment, from a local repository."""
    source = tmp_path / "repository"
    copy(source)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "First"]):
        run(*git, *words, folder=source)
    commit = run("git", "rev-parse", "HEAD", folder=source).strip()
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{source}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://git.example.org/YOU/mkdocs-catalog-api")
    (commands,) = [each.text for each in blocks("index", "sh") if each.text.startswith("python3 -m venv")]
    (readme,) = re.findall(r"^pip install '.*$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    lines = block("index", "requirements.txt")
    for name, text in (("first", commands), ("readme", f"{commands.splitlines()[0]}\n{readme}")):
        folder = tmp_path / name
        (folder / "docs/images").mkdir(parents=True)
        for path, content in (("requirements.txt", lines), ("sh", text)):
            (folder / path).write_text(content.replace("@COMMIT", f"@{commit}"), "utf-8")
        (folder / "docs/index.md").write_text("# Home\n")
        (folder / "docs/images/nginx.md").write_text(PAGE)
        (folder / "mkdocs.yml").write_text(SITE)
        run("sh", "-e", "sh", folder=folder)
        programs = folder / ".venv/bin"
        run(programs / "catalog-api", "build", folder=folder)
        run(programs / "python", "-c", "import requests, urllib3", folder=folder)  # what the extra brings
        assert (folder / "site/api/v1/images/nginx/index.json").is_file()
