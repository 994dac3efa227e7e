"""A plugin of pytest: a run fails if a file of the checkout has changed meanwhile.

Tests import and read files at different times, so such a run is of no state that ever was.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDERS = ("mkdocs_catalog_api", "tests", "example_site")
_MADE = {"__pycache__", "node_modules", "site"}
_BEFORE, _CHANGED = pytest.StashKey[dict[Path, int]](), pytest.StashKey[list[str]]()


def _times(root: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in _files(root)}


def _files(root: Path) -> Iterator[Path]:
    yield from (path for path in root.iterdir() if path.suffix in (".md", ".toml") and path.is_file())
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.is_file() and not _MADE & {*path.relative_to(root).parts}:
                yield path


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.stash[_BEFORE] = _times(session.config.rootpath)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if (before := session.config.stash.get(_BEFORE, None)) is None:
        return
    root = session.config.rootpath
    changed = sorted({path.relative_to(root).as_posix() for path, _ in before.items() ^ _times(root).items()})
    session.config.stash[_CHANGED] = changed
    if changed:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if changed := terminalreporter.config.stash.get(_CHANGED, []):
        terminalreporter.section("the checkout has changed during the run", red=True)
        shown = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
        terminalreporter.line(f"run the tests again: this run read files of different times ({shown})")
