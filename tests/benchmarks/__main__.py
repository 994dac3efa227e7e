"""Measure builds side by side and print the tables of CONTRIBUTING's section on speed.

CPU seconds are those of all processes of a command, its start included. The commands of a table take turns,
so that a change of the machine's mood meets all alike; figures are medians. Give a folder in memory: on a
disk, what is deleted between the runs is measured, too.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

from .catalog import write_catalog

OUT = "{out}"  # stands in a command for the folder to write to
Command = list[str]
LIBRARIES = "import click, jinja2, pydantic, yaml; pydantic.create_model('Page', name=(str, ...))(name='x')"


class Run(NamedTuple):
    """One run of a command: seconds of all processors, seconds, and MB of its largest process."""

    cpu: float
    wall: float
    memory: float


def build(catalog: Path) -> Command:
    program = "from mkdocs_catalog_api.commands.main import main; main()"
    options = ["-q", "-f", str(catalog / "with.yml"), "--site-dir", OUT]
    return [sys.executable, "-c", program, "build", *options]


def mkdocs(catalog: Path, name: str) -> Command:
    return [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(catalog / f"{name}.yml"), "-d", OUT]


def measure(command: Command, folder: Path) -> Run:
    out = folder / "out"
    start = time.perf_counter()
    process = subprocess.Popen(
        [part.replace(OUT, str(out)) for part in command],
        stdout=subprocess.DEVNULL,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "1"},
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{shlex.join(command)}: exit {process.returncode}")
    shutil.rmtree(out, ignore_errors=True)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / unit)


def table(title: str, commands: Mapping[str, Command], folder: Path, repeat: int) -> float:
    """Run the commands in turn and print what they took; returns the CPU seconds of the last one."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(repeat):
        for name, command in commands.items():
            runs[name].append(measure(command, folder))
    medians = {name: Run(*map(median, zip(*found, strict=True))) for name, found in runs.items()}
    first = next(iter(medians.values()))
    print(f"\n| {title} | CPU seconds | × | seconds | × | MB of memory |\n|---|---|---|---|---|---|")
    for name, run in medians.items():
        print(
            f"| {name} | {run.cpu:.2f} | {run.cpu / first.cpu:.1f} | {run.wall:.2f} "
            f"| {run.wall / first.wall:.1f} | {run.memory:,.0f} |"
        )
    return run.cpu


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to work, best in memory, such as /dev/shm")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="10,000 images, too")
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="a program to run beside ours over 1,000 images, with {catalog} and {out} in its command, "
        "such as 'Node=node build.mjs {catalog} {out}'",
    )
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; ", end="")
    print(f"medians of {options.repeat}")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        work = Path(name)

        def catalog(name: str, *numbers: int) -> Path:
            write_catalog(work / name, *numbers)
            return work / name

        def show(title: str, commands: Mapping[str, Command]) -> float:
            return table(title, commands, work, options.repeat)

        one = catalog("one", 1, 1, 0, 0)
        libraries = [sys.executable, "-c", LIBRARIES]
        show(
            "one page, no report", {"its libraries and one model": libraries, "catalog-api build": build(one)}
        )
        real = catalog("real", 200, 2, 10, 140)
        show("200 images × 2 × 10, 140 charts", {"catalog-api build": build(real)})
        both = {"without the plugin": mkdocs(real, "without"), "with the plugin": mkdocs(real, "with")}
        show("the same, mkdocs build with Material and search", both)
        many = catalog("many", 1_000, 5, 20, 0)
        peers = [peer.partition("=") for peer in options.peer]
        others = {name: shlex.split(command.replace("{catalog}", str(many))) for name, _, command in peers}
        thousand = show("1,000 images × 5 × 20", others | {"catalog-api build": build(many)})
        if options.large:
            shutil.rmtree(many)
            large = show(
                "10,000 images × 5 × 20", {"catalog-api build": build(catalog("large", 10_000, 5, 20, 0))}
            )
            print(f"\n10,000 images against 1,000: {large / thousand:.1f} × CPU")


if __name__ == "__main__":
    main()
