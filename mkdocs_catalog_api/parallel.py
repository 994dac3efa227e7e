"""One way to spread pure work over the processors, with the same result as doing it in order."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar
from weakref import WeakSet

T = TypeVar("T")
R = TypeVar("R")

_NUMBER = 4
"""Bytes of a chunk's number."""
_MOST_CHUNKS = 1024
"""Their numbers fit into every pipe at once, and are written whole (PIPE_BUF, 4096 bytes)."""


def processes() -> int:
    """How many processes may work; 1 where starting them is unsafe or costs more than it gives.

    Forking is cheap and shares what is loaded, but unsafe beside other threads (as in `mkdocs serve`), and
    forbidden to daemonic processes.
    """
    alone = threading.active_count() == 1 and not multiprocessing.current_process().daemon
    if sys.platform != "linux" or not alone:
        return 1
    return len(os.sched_getaffinity(0))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until a new process is known to who has to end it; the new one never hears of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def drop_all() -> None:
    """Take away all work that is still being done in other processes, as what it is for has failed."""
    for pool in list(_running):
        pool.end()


def in_chunks(work: Callable[[Sequence[T]], R], items: Sequence[T], *, least: int) -> Iterator[R]:
    """Apply `work` to consecutive chunks of the items; results come in the order of the items.

    The work begins at once in other processes, so that this one can do something else before it asks for
    the results; then it takes its share of what is left. With fewer than `least` items, or one processor,
    it all happens in this process, when asked for.

    Raises:
        OSError: a worker was killed, as the system does when memory runs out (while iterating).
    """
    workers = processes()
    if workers == 1 or len(items) < least:
        return (work(part) for part in [items] if part)
    return _Pool(work, items, workers - 1).results()


_running: WeakSet[_Pool] = WeakSet()


class _Done(NamedTuple):
    chunk: int
    result: Any
    error: Exception | None


class _Pool:
    """Forked workers, which find work and items in memory; nothing but results crosses between processes.

    They share no lock, as one that a killed worker holds would keep all others waiting: who reads a number
    from the pipe of chunks has that chunk, and each worker has a pipe of its own for the results.
    """

    def __init__(self, work: Callable[[Sequence[Any]], Any], items: Sequence[Any], workers: int) -> None:
        self._work, self._items = work, items
        self._size = max(1, min(64, -(-len(items) // ((workers + 1) * 8))), -(-len(items) // _MOST_CHUNKS))
        self._chunks = -(-len(items) // self._size)
        left, numbers = os.pipe()
        os.write(numbers, b"".join(chunk.to_bytes(_NUMBER) for chunk in range(self._chunks)))
        os.close(numbers)
        self._left = FileIO(left)
        self._found: SimpleQueue[bytes] = SimpleQueue()
        self._workers: list[BaseProcess] = []
        self._collectors: list[Thread] = []
        self._uncollected: list[Connection] = []
        with uninterrupted():
            _running.add(self)
            with suppress(OSError):  # the system allows no more processes: those that there are do it all
                for _ in range(workers):
                    self._start()
            with suppress(RuntimeError):  # no more threads either: a worker waits until it is read from
                while self._uncollected:
                    collector = Thread(target=self._collect, args=(self._uncollected[-1],), daemon=True)
                    collector.start()
                    self._collectors.append(collector)
                    self._uncollected.pop()

    def _start(self) -> None:
        fork = multiprocessing.get_context("fork")
        ours, theirs = fork.Pipe(duplex=False)
        with theirs:  # only its worker keeps it open, so that it ends with the worker
            worker = fork.Process(target=self._serve, args=(theirs, [*self._uncollected, ours]), daemon=True)
            worker.start()
        self._workers.append(worker)
        self._uncollected.append(ours)

    def results(self) -> Iterator[Any]:
        done: dict[int, _Done] = {}
        try:
            while (mine := self._next()) is not None:
                done[mine.chunk] = mine
                if mine.error:
                    break
            self._collect_rest()
            for chunk in range(self._chunks):
                while chunk not in done:
                    if not (found := self._found.get()):
                        raise OSError("a worker process was killed; perhaps memory ran out")
                    other: _Done = pickle.loads(found)  # noqa: S301  # our own process wrote it
                    done[other.chunk] = other
                _, result, error = done.pop(chunk)
                if error:
                    raise error
                yield result
        finally:
            self.end()

    def end(self) -> None:
        """Wait until all processes are done with what they have begun; they begin nothing more."""
        _running.discard(self)
        if self._left.closed:
            return
        while self._left.read(_MOST_CHUNKS * _NUMBER):
            pass
        self._collect_rest()
        for collector in self._collectors:
            collector.join()
        for worker in self._workers:
            worker.join()
        self._left.close()

    def _next(self) -> _Done | None:
        """Work on the next chunk that nobody has taken; None when there is none left."""
        if not (number := self._left.read(_NUMBER)):
            return None
        chunk = int.from_bytes(number)
        try:
            return _Done(chunk, self._work(self._items[chunk * self._size : (chunk + 1) * self._size]), None)
        except Exception as error:  # told when its turn comes, as there may be another before it
            return _Done(chunk, None, error)

    def _serve(self, results: Connection, others: Sequence[Connection]) -> None:
        """What a worker does; its last word is empty."""
        for other in others:
            other.close()
        with suppress(BrokenPipeError):  # who forked it was killed
            while (done := self._next()) is not None:
                results.send(done)
            results.send_bytes(b"")

    def _collect(self, results: Connection) -> None:
        """Take a worker's results as they come, so that it need not wait until they are asked for."""
        whole = False
        try:
            with results, suppress(EOFError, OSError, MemoryError):
                while found := results.recv_bytes():
                    self._found.put(found)
                whole = True
        finally:
            if not whole:  # without its last word: it was killed
                self._found.put(b"")

    def _collect_rest(self) -> None:
        while self._uncollected:
            self._collect(self._uncollected.pop())
