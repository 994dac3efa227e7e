"""Fixtures for all tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

import jinja2
import pytest
from filelock import FileLock
from hypothesis import settings

from .example import build_as_process, copy_example, documents
from .programs import need
from .servers import serve
from .sites import Result, SiteFolder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from .browser import Visit

pytest_plugins = ["tests.unchanged"]
SLOW = ("test_web_browser.py", "test_web_faults.py", "test_generators.py", "test_recipes.py")
"""Modules that import libraries of the extra `slow`."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import these for the quick tests."""
    return (collection_path.name in SLOW and config.option.markexpr == "not slow") or None


# How long an example takes says nothing on a machine that is busy.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# With the monotonic clock left alone, as timeouts need it, sleeping is what libfaketime refuses.
if "libfaketime" in os.environ.get("LD_PRELOAD", ""):
    time.sleep = threading.Event().wait  # type: ignore[assignment]

# Banners of MkDocs and Material about a version that does not exist yet.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
os.environ.setdefault("DISABLE_MKDOCS_2_WARNING", "true")

_compile = jinja2.Environment.compile
_compiled: dict[object, str | CodeType] = {}


def _compile_once(environment: jinja2.Environment, source: Any, *given: Any, **named: Any) -> str | CodeType:
    """A template's code, made once in a process: else it takes most of the time of a small site's build."""
    known = frozenset((*environment.extensions, *environment.filters, *environment.tests))
    how = (environment.autoescape, environment.trim_blocks, environment.lstrip_blocks, environment.is_async)
    key = (type(environment), known, how, source, given, *named.items())
    if key not in _compiled:
        _compiled[key] = _compile(environment, source, *given, **named)
    return _compiled[key]


jinja2.Environment.compile = _compile_once  # type: ignore[method-assign,assignment]


@pytest.fixture
def site(tmp_path: Path) -> SiteFolder:
    """An empty site in a temporary folder."""
    return SiteFolder(tmp_path)


@contextmanager
def shared(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder of all processes that run the tests: who comes first fills it, and nobody changes it then."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with FileLock(f"{folder}.lock"):
        yield folder


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The example, built by `mkdocs` under its own strict setting at 2026-11-20T06:00:00Z without a word."""
    with shared(tmp_path_factory, "example") as folder:
        if not (folder / "site/sitemap.xml").exists():
            copy_example(folder)
            build_as_process("mkdocs", folder)
    return Result(folder, failed=False, records=[])


@pytest.fixture(scope="session")
def example_bytes(example: Result) -> dict[str, bytes]:
    """Every document of the example."""
    return documents(example.folder)


@pytest.fixture(scope="session")
def online(example: Result, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the example is served, at /hardened as its site_url has it; without a slash at the end."""
    www = tmp_path_factory.mktemp("www")
    shutil.copytree(example.folder / "site", www / "hardened", copy_function=os.link)
    with serve(www) as port:
        # Instant navigation asks the site map which pages there are.
        pages = (example.folder / "site/sitemap.xml").read_text("utf-8")
        (www / "hardened/sitemap.xml").unlink()
        here = pages.replace("https://catalog.example.org", f"http://127.0.0.1:{port}")
        (www / "hardened/sitemap.xml").write_text(here, "utf-8")
        yield f"http://127.0.0.1:{port}/hardened"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a module, as some tests start a driver of their own."""
    from .browser import chromium

    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser: Browser, online: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A visitor of the example."""
    from .browser import visiting

    with visiting(browser, online, f"{online}/", **getattr(request, "param", {})) as visit:
        yield visit


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of tests/node with the packages that it names."""
    need("node", "npm")
    with shared(tmp_path_factory, "node") as folder:
        if not (folder / "node_modules").exists():
            here = Path(__file__).parent / "node"
            shutil.copytree(here, folder, ignore=shutil.ignore_patterns("node_modules"), dirs_exist_ok=True)
            # Not the optional packages: they are binaries of a browser engine that nothing here runs.
            options = ("--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
            subprocess.run(["npm", "install", *options], cwd=folder, check=True, timeout=600)
    return folder
