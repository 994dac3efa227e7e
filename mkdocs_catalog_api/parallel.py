"""One way to spread pure work over the processors, with the same result as doing it in order."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

# What forked workers find already in memory, so that nothing but results crosses between processes.
_job: tuple[Callable[[Sequence[Any]], Any], Sequence[Any]] | None = None


def processes() -> int:
    """How many processes may work; 1 where starting them is unsafe or costs more than it gives.

    Forking is cheap and shares what is loaded, but unsafe beside other threads (as in `mkdocs serve`).
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return len(os.sched_getaffinity(0))


def in_chunks(work: Callable[[Sequence[T]], R], items: Sequence[T], *, least: int) -> Iterator[R]:
    """Apply `work` to consecutive chunks of the items; results come in the order of the items.

    The work begins at once, so that this process can do something else before it asks for the results.
    With fewer than `least` items, or one processor, it all happens in this process, when asked for.

    Raises:
        OSError: a worker was killed, as the system does when memory runs out (while iterating).
    """
    global _job
    workers = processes()
    if workers == 1 or len(items) < least:
        return (work(part) for part in [items] if part)
    size = max(1, min(256, -(-len(items) // (workers * 4))))
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"))
    _job = work, items
    try:
        return _results(pool, pool.map(_run, range(0, len(items), size), [size] * len(items)))
    finally:
        _job = None  # all workers are forked


def _results(pool: ProcessPoolExecutor, results: Iterator[R]) -> Iterator[R]:
    with pool:
        try:
            yield from results
        except BrokenProcessPool:
            raise OSError("a worker process was killed; perhaps memory ran out") from None


def _run(start: int, size: int) -> Any:
    work, items = _job  # type: ignore[misc]  # set before the fork
    return work(items[start : start + size])
