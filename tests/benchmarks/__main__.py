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
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from .catalog import write_catalog, write_history

OUT = "{out}"  # stands in a command for the folder to write to
Command = list[str]
LIBRARIES = "import click, jinja2, pydantic, yaml; pydantic.create_model('Page', name=(str, ...))(name='x')"


def build(catalog: Path) -> Command:
    program = "from mkdocs_catalog_api.commands.main import main; main()"
    options = ["-q", "-f", str(catalog / "with.yml"), "--site-dir", OUT]
    return [sys.executable, "-c", program, "build", *options]


def mkdocs(catalog: Path, name: str) -> Command:
    return [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(catalog / f"{name}.yml"), "-d", OUT]


def measure(command: Command, folder: Path) -> tuple[float, float]:
    """Seconds of all processors, and MB of the largest process."""
    out = folder / "out"
    process = subprocess.Popen(
        [part.replace(OUT, str(out)) for part in command],
        stdout=subprocess.DEVNULL,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "1"},
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{shlex.join(command)}: exit {process.returncode}")
    shutil.rmtree(out, ignore_errors=True)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to work, best in memory, such as /dev/shm")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="10,000 images, too")
    parser.add_argument(
        "--peer",
        default="",
        metavar="COMMAND",
        help="a program to run beside ours over 1,000 images, such as 'node build.mjs {catalog} {out}'",
    )
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; ", end="")
    print(f"medians of {options.repeat}")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        work = Path(name)

        def catalog(name: str, *numbers: int) -> Path:
            write_catalog(work / name, *numbers)
            return work / name

        def table(title: str, commands: Mapping[str, Command]) -> None:
            """Run the commands in turn and print what they took."""
            turns = [[measure(command, work) for command in commands.values()] for _ in range(options.repeat)]
            print(f"\n| {title} | CPU seconds | × the first | MB of memory |\n|---|---|---|---|")
            medians = [[*map(median, zip(*runs, strict=True))] for runs in zip(*turns, strict=True)]
            for name, (cpu, memory) in zip(commands, medians, strict=True):
                print(f"| {name} | {cpu:.2f} | {cpu / medians[0][0]:.1f} | {memory:,.0f} |")

        one, libraries = catalog("one", 1, 1, 0, 0), [sys.executable, "-c", LIBRARIES]
        table("one page, no report", {"its libraries and one model": libraries, "build": build(one)})
        real = catalog("real", 200, 2, 10, 140)
        table("200 images × 2 × 10, 140 charts", {"build": build(real)})
        past = catalog("past", 200, 1, 20, 0)
        write_history(past, 200, 3 * 365)
        table(
            "200 images × 1 × 20",
            {"build": build(catalog("new", 200, 1, 20, 0)), "three years of nights": build(past)},
        )
        both = {f"{word} the plugin": mkdocs(real, word) for word in ("without", "with")}
        table("the same, mkdocs build with Material and search", both)
        many = catalog("many", 1_000, 5, 20, 0)
        peer = shlex.split(options.peer.replace("{catalog}", str(many)))
        table("1,000 images × 5 × 20", ({"peer": peer} if peer else {}) | {"build": build(many)})
        if options.large:
            table("10,000 images × 5 × 20", {"build": build(catalog("large", 10_000, 5, 20, 0))})


if __name__ == "__main__":
    main()
