"""One way to spread pure work over the processors, with the same result as doing it in order."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.sharedctypes import Synchronized
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class _Job(NamedTuple):
    """What forked workers find already in memory, so that nothing but results crosses between processes."""

    work: Callable[[Sequence[Any]], Any]
    items: Sequence[Any]
    size: int
    chunks: int
    taken: Synchronized[int]
    """How many chunks the processes have taken; the next is for whoever asks first."""


class _Done(NamedTuple):
    chunk: int
    result: Any
    error: Exception | None


_job: _Job | None = None


def processes() -> int:
    """How many processes may work; 1 where starting them is unsafe or costs more than it gives.

    Forking is cheap and shares what is loaded, but unsafe beside other threads (as in `mkdocs serve`).
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return len(os.sched_getaffinity(0))


def in_chunks(work: Callable[[Sequence[T]], R], items: Sequence[T], *, least: int) -> Iterator[R]:
    """Apply `work` to consecutive chunks of the items; results come in the order of the items.

    The work begins at once in other processes, so that this one can do something else before it asks for
    the results; then it takes its share of what is left. With fewer than `least` items, or one processor,
    it all happens in this process, when asked for.

    Raises:
        OSError: a worker was killed, as the system does when memory runs out (while iterating).
    """
    global _job
    workers = processes()
    if workers == 1 or len(items) < least:
        return (work(part) for part in [items] if part)
    size = max(1, min(64, -(-len(items) // (workers * 8))))
    fork = multiprocessing.get_context("fork")
    job = _job = _Job(work, items, size, -(-len(items) // size), fork.Value("q"))
    pool = ProcessPoolExecutor(workers - 1, fork)
    try:
        others = [pool.submit(_others) for _ in range(job.chunks)]
    except BrokenProcessPool:
        raise _killed() from None
    finally:
        _job = None  # all workers are forked
    return _results(pool, others, job)


def _results(pool: ProcessPoolExecutor, others: list[Future[_Done | None]], job: _Job) -> Iterator[Any]:
    done: dict[int, _Done] = {}
    try:
        while (mine := _next(job)) is not None:
            done[mine.chunk] = mine
            if mine.error:
                break
        finished = as_completed(others)
        for chunk in range(job.chunks):
            while chunk not in done:
                if (other := next(finished).result()) is not None:
                    done[other.chunk] = other
            _, result, error = done.pop(chunk)
            if error:
                raise error
            yield result
    except BrokenProcessPool:
        raise _killed() from None
    finally:
        pool.shutdown(cancel_futures=True)


def _others() -> _Done | None:
    return _next(_job) if _job else None


def _next(job: _Job) -> _Done | None:
    """Work on the next chunk that nobody has taken; None when there is none left."""
    with job.taken.get_lock():
        chunk = job.taken.value
        job.taken.value += 1
    if chunk >= job.chunks:
        return None
    try:
        return _Done(chunk, job.work(job.items[chunk * job.size : (chunk + 1) * job.size]), None)
    except Exception as error:  # told when its turn comes, as there may be another before it
        return _Done(chunk, None, error)


def _killed() -> OSError:
    return OSError("a worker process was killed; perhaps memory ran out")
