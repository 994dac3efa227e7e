"""Measure builds side by side and print the table of CONTRIBUTING's section on speed.

CPU seconds are those of all processes of a command, its start included. The commands of a row take turns,
so that a change of the machine's mood meets all alike; figures are medians. Give a folder in memory: on a
disk, what is deleted between the runs is measured, too.
"""

from __future__ import annotations

import argparse
import datetime
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
from types import MappingProxyType

from .catalog import write_catalog, write_history

OUT = "{out}"  # stands in a command for the folder to write to
Command = list[str]
FLOOR = """
import sys
from pathlib import Path
catalog, built, out = map(Path, sys.argv[1:])
for path in catalog.rglob("*"):
    if path.is_file():
        path.read_bytes()
for path in built.rglob("*"):
    if path.is_file():
        target = out / path.relative_to(built)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(bytes(path.stat().st_size))
"""
"""Reads a catalog, and writes as many and as large files as a build of it."""
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
        metavar="NAME=COMMAND",
        help="a program to run beside ours over 1,000 images, such as 'Node=node build.mjs {catalog} {out}'",
    )
    options = parser.parse_args()
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    today = datetime.datetime.now(datetime.UTC).date()
    print(f"| {today}, {machine}, medians of {options.repeat} | CPU seconds | memory | compared with |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        work = Path(name)

        def catalog(name: str, *numbers: int) -> Path:
            write_catalog(work / name, *numbers)
            return work / name

        def row(name: str, ours: Command, others: Mapping[str, Command] = MappingProxyType({})) -> float:
            """Run the commands in turn, and print a row. Returns the CPU seconds of the first."""
            commands = [ours, *others.values()]
            turns = [[measure(command, work) for command in commands] for _ in range(options.repeat)]
            (cpu, memory), *rest = [
                [*map(median, zip(*runs, strict=True))] for runs in zip(*turns, strict=True)
            ]
            ratios = (f"{cpu / other:.1f} × {name}" for name, (other, _) in zip(others, rest, strict=True))
            print(f"| {name} | {cpu:.1f} | {memory:,.0f} MB | {', '.join(ratios)} |", flush=True)
            return float(cpu)

        imports = {"its imports alone": [sys.executable, "-c", LIBRARIES]}
        row("one page, no report", build(catalog("one", 1, 1, 0, 0)), imports)
        real = catalog("real", 200, 2, 10, 140)
        row("200 images, 400 reports, 140 charts", build(real))
        without = {"without the plugin": mkdocs(real, "without")}
        row("the same in `mkdocs build` with Material and search", mkdocs(real, "with"), without)
        past = catalog("past", 200, 1, 20, 0)
        write_history(past, 200, 3 * 365)
        new = {"without a recorded day": build(catalog("new", 200, 1, 20, 0))}
        row("200 images, three years of nights", build(past), new)
        many, built = catalog("many", 1_000, 5, 20, 0), work / "built"
        subprocess.run([part.replace(OUT, str(built)) for part in build(many)], check=True)
        floor = [sys.executable, "-c", FLOOR, str(many), str(built), OUT]
        peers = {"reading and writing as many bytes": floor}
        if options.peer:
            peer, _, command = options.peer.partition("=")
            peers[peer] = shlex.split(command.replace("{catalog}", str(many)))
        one_thousand = row("1,000 images, 5,000 reports, 100,000 rows", build(many), peers)
        if options.large:
            ten_thousand = row("10,000 images, 50,000 reports", build(catalog("large", 10_000, 5, 20, 0)))
            print(f"\n10,000 images: {ten_thousand / one_thousand:.1f} × 1,000 images")


if __name__ == "__main__":
    main()
