"""What is measured, each in a process of its own: `python -m tests.benchmarks.stage WHAT CATALOG OUT`.

Prints one JSON object: the seconds of the work without the start of the program, and what belongs to it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Result = dict[str, float]


def build(catalog: Path, out: Path) -> Result:
    """The API: pages and reports read, joined, rendered, checked, published."""
    from mkdocs_catalog_api.build import prepare
    from mkdocs_catalog_api.problems import Problems
    from mkdocs_catalog_api.read_site import read_site

    start = time.perf_counter()
    problems = Problems()
    site, settings, _ = read_site(catalog / "mkdocs.yml", problems, site_dir=str(out))
    prepare(site, settings, problems, strict=True).publish()
    return {"seconds": time.perf_counter() - start}


def gate(catalog: Path, out: Path) -> Result:
    """The share of the gate in a build that happens in one process."""
    from mkdocs_catalog_api import parallel
    from mkdocs_catalog_api.api.verify import Gate

    spent = 0.0
    check = Gate.check

    def timed(self: Gate, *arguments: Any) -> Any:
        nonlocal spent
        start = time.perf_counter()
        try:
            return check(self, *arguments)
        finally:
            spent += time.perf_counter() - start

    Gate.check = timed  # type: ignore[method-assign,assignment]
    parallel.processes = lambda: 1
    whole = build(catalog, out)["seconds"]
    return {"seconds": whole, "share": spent / whole}


def plain(catalog: Path, out: Path) -> Result:
    """`mkdocs build` without any plugin."""
    return {"seconds": mkdocs(catalog, out, plugins=[])["seconds"]}


def mkdocs(catalog: Path, out: Path, **overrides: Any) -> Result:
    """`mkdocs build`, and the share of it that is spent in plugins' events."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    start = time.perf_counter()
    config = load_config(str(catalog / "mkdocs.yml"), site_dir=str(out), **overrides)
    spent = 0.0

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal spent
            began = time.perf_counter()
            try:
                return method(*arguments, **named)
            finally:
                spent += time.perf_counter() - began

        return call

    for methods in config.plugins.events.values():
        methods[:] = [timed(method) for method in methods]
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    whole = time.perf_counter() - start
    return {"seconds": whole, "share": spent / whole}


def floor(catalog: Path, out: Path) -> Result:
    """Read the same reports and write files of the same sizes at the same paths, and nothing else."""
    sizes = json.loads((catalog / "sizes.json").read_bytes())
    start = time.perf_counter()
    for parent, _, names in os.walk(catalog / "scans"):
        for name in names:
            Path(parent, name).read_bytes()
    data = b"x" * max(sizes.values())
    for path, size in sizes.items():
        target = out / "api/v1" / path
        try:
            target.write_bytes(data[:size])
        except FileNotFoundError:
            target.parent.mkdir(parents=True)
            target.write_bytes(data[:size])
    return {"seconds": time.perf_counter() - start}


if __name__ == "__main__":
    what, catalog, out = sys.argv[1:]
    work = {"build": build, "gate": gate, "mkdocs": mkdocs, "plain": plain, "floor": floor}[what]
    print(json.dumps(work(Path(catalog), Path(out))))
