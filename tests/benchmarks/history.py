"""Measure the replay and the documents of a history: `python -m tests.benchmarks.history [CASE …]`.

The documents are made in a process of their own; memory is what that process took at most.
"""

from __future__ import annotations

import datetime
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mkdocs_catalog_api.catalog.scans import SEVERITIES
from mkdocs_catalog_api.history.days import Folder
from mkdocs_catalog_api.history.state import KnownImage, KnownScan, Row, Seen, State, differences, follow
from mkdocs_catalog_api.problems import Problems
from tests.past import NO_FIGURES, documents

CASES = {"small": (200, 20, 365), "large-month": (10_000, 1_000, 30), "large-year": (10_000, 1_000, 365)}
"""Images, events a day, days."""
ROWS = 10


class Catalog:
    """A made-up catalog in which a number of vulnerabilities comes and goes each day."""

    def __init__(self, images: int) -> None:
        self.random = random.Random(1)  # noqa: S311
        self.state: State = {}
        for number in range(images):
            version = f"1.{number % 7}"
            image = KnownImage(
                releases={version: (f"sha256:{number:064x}",)}, latest=version, scanned=True, grade="D"
            )
            image.scan = KnownScan(version, image.releases[version], "trivy 0.67.2", complete=True)
            for _ in range(ROWS):
                image.rows[self.key()] = Row(self.random.choice(SEVERITIES))
            self.state[f"app-{number:05}"] = image

    def key(self) -> tuple[str, str]:
        return f"CVE-2026-{self.random.randrange(50_000):05}", f"lib{self.random.randrange(300)}"

    def change(self, events: int) -> None:
        """Replace a vulnerability by another in as many images as gives the number of events."""
        for slug in self.random.sample(sorted(self.state), min(events // 2, len(self.state))):
            image = self.state[slug]
            del image.rows[next(iter(image.rows))]
            image.rows[self.key()] = Row(self.random.choice(SEVERITIES))

    def seen(self) -> Iterator[Seen]:
        for slug, image in self.state.items():
            yield Seen(slug, image)


def write(folder: Folder, images: int, events: int, days: int) -> None:
    """Write a history; the state before is kept, so that only the days cost."""
    catalog = Catalog(images)
    before: State = {}
    for day in range(days):
        date = (datetime.date(2026, 1, 1) + datetime.timedelta(day)).isoformat()
        folder.write(date, NO_FIGURES, differences(before, catalog.seen(), baseline=not day))
        before = {slug: image.copy() for slug, image in catalog.state.items()}
        catalog.change(events)


def measure(folder: Path) -> dict[str, float]:
    """Seconds and MB of making all documents of a history."""
    start = time.process_time()
    count = size = 0
    for _, body in documents(Folder(folder)):
        count, size = count + 1, size + len(body)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "seconds": round(seconds, 2),
        "MB of memory": round(memory),
        "documents": count,
        "MB": round(size / 1e6),
    }


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--in"]:
        print(json.dumps(measure(Path(arguments[1]))))
        return
    for case in arguments or CASES:
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(Path(path))
            write(folder, *CASES[case])
            start = time.process_time()
            state: State = {}
            for day in Folder(Path(path)).days():
                state, _ = follow(day, state, Problems())
            replayed = time.process_time() - start
            command = [sys.executable, "-m", __spec__.name, "--in", path]
            done = subprocess.run(command, check=True, capture_output=True)
            print(case, CASES[case], {"replay": round(replayed, 2)} | json.loads(done.stdout))


if __name__ == "__main__":
    main(sys.argv[1:])
